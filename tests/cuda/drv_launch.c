// Launches: parameters as pointers and as one buffer, by cuLaunchKernelEx with attributes, cooperative, and
// refused ones.
#include "driver.h"

int main(void)
{
    CUmodule module;
    CUdeviceptr p;
    unsigned host[128], k = 3;
    double doubles[4], by = 0.5;
    unsigned char which = 2;
    start();
    DO(cuModuleLoadData(&module, module_text));
    CUfunction fill = get(module, "fill"), turn = get(module, "turn"), scale = get(module, "scale");
    DO(cuMemAlloc_v2(&p, sizeof host));
    void *params[] = {&p, &k};
    DO(cuLaunchKernel(fill, 4, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u %u\n", host[1], host[127]);
    struct {
        CUdeviceptr out;
        unsigned k;
    } packed = {p, 7};
    size_t size = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    DO(cuLaunchKernel(fill, 4, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    DO(cuLaunchKernel(turn, 1, 1, 1, 32, 1, 1, 128, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u %u %u\n", host[0], host[31], host[32]);
    void *mixed[] = {&p, &by, &which};
    DO(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, NULL, mixed, NULL));
    DO(cuMemcpyDtoH_v2(doubles, p, sizeof doubles));
    printf("%g %g\n", doubles[0], doubles[3]);
    CUlaunchConfig config;
    CUlaunchAttribute at[2];
    memset(&config, 0, sizeof config);
    memset(at, 0, sizeof at);
    config.gridDimX = 2;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 32;
    at[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    at[0].value.cooperative = 1;
    at[1].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    at[1].value.priority = 0;
    config.attrs = at;
    config.numAttrs = 2;
    k = 11;
    DO(cuLaunchKernelEx(&config, fill, params, NULL));
    DO(cuLaunchCooperativeKernel(fill, 1, 1, 1, 32, 1, 1, 0, NULL, params));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u %u %u\n", host[1], host[63], host[64]);
    SAY(cuLaunchKernel(fill, 0, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    SAY(cuLaunchKernel(fill, 1, 1, 1, 1025, 1, 1, 0, NULL, params, NULL));
    SAY(cuLaunchKernel(turn, 1, 1, 1, 65, 1, 1, 0, NULL, params, NULL));
    SAY(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL));
    SAY(cuLaunchKernel(fill, 1, 65536, 1, 1, 1, 1, 0, NULL, params, NULL));
    SAY(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 60000, NULL, params, NULL));
    SAY(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, NULL, params, extra));
    SAY(cuLaunchKernel(NULL, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    SAY(cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    SAY(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 60000, NULL, params, NULL));
    DO(cuCtxSynchronize());
    int value;
    DO(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, turn));
    printf("threads %d\n", value);
    DO(cuFuncGetAttribute(&value, (CUfunction_attribute)5 /* PTX_VERSION */, turn));
    printf("ptx %d\n", value);
    size_t offset, bytes;
    DO(cuFuncGetParamInfo(scale, 2, &offset, &bytes));
    printf("%zu %zu\n", offset, bytes);
    SAY(cuFuncGetParamInfo(scale, 3, &offset, &bytes));
    return 0;
}
