/*
 * limit.c - a launch that is over its time is the end of the context, as on the chip: what waits for its
 * stream does not run, and everything says so. Run with PTXVM_TIMEOUT_MS. Says "fine".
 */
#include "program.h"

static const char source[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry mark(.param .u64 p) { .reg .u64 %p; ld.param.u64 %p, [p]; st.global.u32 [%p+64], 1; "
    "ret; }\n"
    ".visible .entry spin(.param .u64 p) { .reg .u64 %p; .reg .u32 %x; .reg .pred %q; ld.param.u64 %p, [p];\n"
    "L: ld.volatile.global.u32 %x, [%p]; setp.eq.u32 %q, %x, 0; @%q bra L; ret; }\n";

int main(void)
{
    const CUcontext context = begin();
    CUmodule module;
    CUfunction mark, spin;
    CUstream first, second;
    CUevent event;
    unsigned *host;
    MUST(cuModuleLoadData(&module, source));
    MUST(cuModuleGetFunction(&mark, module, "mark"));
    MUST(cuModuleGetFunction(&spin, module, "spin"));
    MUST(cuMemAllocHost((void **)&host, 4096));
    memset(host, 0, 4096);
    MUST(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    void *params[] = {&host};
    MUST(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, first, params, NULL));
    MUST(cuEventRecord(event, first));
    MUST(cuStreamWaitEvent(second, event, 0));
    MUST(cuLaunchKernel(mark, 1, 1, 1, 1, 1, 1, 0, second, params, NULL));
    CHECK(cuStreamSynchronize(second) == CUDA_ERROR_LAUNCH_TIMEOUT);
    CHECK(cuCtxSynchronize() == CUDA_ERROR_LAUNCH_TIMEOUT);
    CHECK(cuLaunchKernel(mark, 1, 1, 1, 1, 1, 1, 0, second, params, NULL) == CUDA_ERROR_LAUNCH_TIMEOUT);
    CHECK(host[16] == 0);
    (void)context;
    puts("fine");
    return 0;
}
