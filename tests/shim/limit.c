/*
 * limit.c - a launch that is over its time, or faults, is the end of the context, as on the chip: what waits
 * for its stream does not run, and everything says so with the error of that launch. Run with
 * PTXVM_TIMEOUT_MS. Says "fine".
 */
#include "program.h"

static const char source[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry mark(.param .u64 p) { .reg .u64 %p; ld.param.u64 %p, [p]; st.global.u32 [%p+64], 1; "
    "ret; }\n"
    ".visible .entry spin(.param .u64 p) { .reg .u64 %p; .reg .u32 %x; .reg .pred %q; ld.param.u64 %p, [p];\n"
    "L: ld.volatile.global.u32 %x, [%p]; setp.eq.u32 %q, %x, 0; @%q bra L; ret; }\n"
    ".visible .entry stray(.param .u64 p) { .reg .u64 %p; mov.u64 %p, 16; st.global.u32 [%p], 1; ret; }\n";

/* `name` in a stream, and another stream that waits for it. */
static void end_with(const char *name, CUresult error)
{
    const CUcontext context = begin();
    CUmodule module;
    CUfunction mark, last;
    CUstream first, second;
    CUevent event;
    unsigned *host;
    MUST(cuModuleLoadData(&module, source));
    MUST(cuModuleGetFunction(&mark, module, "mark"));
    MUST(cuModuleGetFunction(&last, module, name));
    MUST(cuMemAllocHost((void **)&host, 4096));
    memset(host, 0, 4096);
    MUST(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    void *params[] = {&host};
    MUST(cuLaunchKernel(last, 1, 1, 1, 1, 1, 1, 0, first, params, NULL));
    MUST(cuEventRecord(event, first));
    MUST(cuStreamWaitEvent(second, event, 0));
    MUST(cuLaunchKernel(mark, 1, 1, 1, 1, 1, 1, 0, second, params, NULL));
    CHECK(cuStreamSynchronize(second) == error);
    CHECK(cuCtxSynchronize() == error);
    CHECK(cuLaunchKernel(mark, 1, 1, 1, 1, 1, 1, 0, second, params, NULL) == error);
    CHECK(host[16] == 0);
    cuCtxDestroy(context);
}

int main(void)
{
    end_with("spin", CUDA_ERROR_LAUNCH_TIMEOUT);
    end_with("stray", CUDA_ERROR_ILLEGAL_ADDRESS);
    puts("fine");
    return 0;
}
