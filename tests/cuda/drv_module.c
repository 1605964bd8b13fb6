// Modules: from text, variables by name, two of them at once, logs of the compiler, texts that are wrong,
// unloading.
#include "driver.h"

int main(void)
{
    CUmodule a, b;
    CUfunction f;
    CUdeviceptr p, counter, other;
    size_t size;
    unsigned value, k = 1, count;
    char info[4096] = "", errors[4096] = "";
    start();
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_LOG_VERBOSE};
    void *values[] = {info, (void *)sizeof info, errors, (void *)sizeof errors, (void *)1};
    DO(cuModuleLoadDataEx(&a, module_text, 5, options, values));
    printf("log %d\n", (int)(strlen(errors)));
    DO(cuModuleLoadData(&b, module_text));
    DO(cuModuleGetFunctionCount(&count, a));
    printf("functions %u\n", count);
    DO(cuModuleGetGlobal_v2(&counter, &size, a, "counter"));
    DO(cuModuleGetGlobal_v2(&other, &size, b, "counter"));
    printf("size %zu, apart %d\n", size, counter != other);
    DO(cuMemAlloc_v2(&p, 256));
    void *params[] = {&p, &k};
    DO(cuModuleGetFunction(&f, a, "fill"));
    DO(cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(&value, counter, 4));
    printf("%u", value);
    DO(cuMemcpyDtoH_v2(&value, other, 4));
    printf(" %u\n", value);
    DO(cuModuleGetGlobal_v2(NULL, &size, a, "table"));
    printf("table %zu\n", size);
    SAY(cuModuleGetFunction(&f, a, "nothing"));
    SAY(cuModuleGetGlobal_v2(&p, &size, a, "nothing"));
    SAY(cuModuleGetFunction(&f, a, "counter"));
    memset(errors, 0, sizeof errors);
    values[3] = (void *)sizeof errors;
    values[1] = (void *)sizeof info;
    SAY(cuModuleLoadDataEx(&b,
                           ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry x() { frob; }\n",
                           5, options, values));
    printf("log %d\n", strstr(errors, "frob") != NULL);
    SAY(cuModuleLoadData(&b, ".version 99.0\n.target sm_80\n"));
    SAY(cuModuleLoadData(&b, ".version 7.8\n.target sm_200\n"));
    SAY(cuModuleLoadData(&b, "not PTX at all"));
    SAY(cuModuleLoadData(&b, NULL));
    SAY(cuModuleLoad(&b, "/nonexistent.ptx"));
    SAY(cuModuleUnload(a));
    DO(cuCtxSynchronize());
    return 0;
}
