// NVRTC: C++ compiled at run time to PTX and loaded through the driver; names of templates, logs, an error.
#include "../cuda/driver.h"
#include <nvrtc.h>

#define RTC(call)                                                                                            \
    do {                                                                                                     \
        nvrtcResult error_ = (call);                                                                         \
        if (error_) {                                                                                        \
            printf("%s: %s\n", #call, nvrtcGetErrorString(error_));                                          \
            exit(3);                                                                                         \
        }                                                                                                    \
    } while (0)

static const char source[] =
    "template <typename T, int N> __global__ void power(T *p) { T x = 1, t = threadIdx.x;\n"
    "  for (int i = 0; i < N; i++) x *= t; p[threadIdx.x] = x; }\n"
    "__constant__ int bias = 7;\n"
    "extern \"C\" __global__ void plain(int *p) { __shared__ int s[64]; int t = threadIdx.x; s[t] = p[t]; "
    "__syncthreads();\n"
    "  p[t] = s[63 - t] + bias + __popc(__ballot_sync(~0u, t & SHIFT)); }\n";

int main(void)
{
    nvrtcProgram program;
    const char *options[] = {"--gpu-architecture=compute_90", "-DSHIFT=4", "--std=c++17"}, *name;
    size_t size;
    start();
    RTC(nvrtcCreateProgram(&program, source, "source.cu", 0, NULL, NULL));
    RTC(nvrtcAddNameExpression(program, "power<double, 3>"));
    RTC(nvrtcCompileProgram(program, 3, options));
    RTC(nvrtcGetPTXSize(program, &size));
    char *ptx = (char *)malloc(size);
    RTC(nvrtcGetPTX(program, ptx));
    RTC(nvrtcGetLoweredName(program, "power<double, 3>", &name));
    CUmodule module;
    CUdeviceptr p;
    double doubles[64];
    int ints[64];
    DO(cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
    DO(cuMemAlloc_v2(&p, sizeof doubles));
    void *params[] = {&p};
    DO(cuLaunchKernel(get(module, name), 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(doubles, p, sizeof doubles));
    printf("%g %g\n", doubles[2], doubles[63]);
    for (int i = 0; i < 64; i++) ints[i] = i * i;
    DO(cuMemcpyHtoD_v2(p, ints, sizeof ints));
    DO(cuLaunchKernel(get(module, "plain"), 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(ints, p, sizeof ints));
    printf("%d %d\n", ints[0], ints[63]);
    RTC(nvrtcDestroyProgram(&program));
    free(ptx);
    return 0;
}
