/*
 * endings.c - contexts that end while others work: a kernel that reads their memory, a stream that waits for
 * a value, more contexts in turn than the process has ranges of addresses, threads that make and end them.
 * Says "fine".
 */
#include <pthread.h>
#include "program.h"

enum { TURNS = 100, THREADS = 4, TURNS_OF_A_THREAD = 25 };

static const char source[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry watch(.param .u64 flag, .param .u64 theirs) {\n"
    " .reg .u64 %f, %t; .reg .u32 %x, %y; .reg .pred %p;\n"
    " ld.param.u64 %f, [flag]; ld.param.u64 %t, [theirs];\n"
    " st.release.sys.u32 [%f+4], 1;\n"
    "$poll: ld.volatile.u32 %y, [%t]; ld.acquire.sys.u32 %x, [%f]; setp.eq.u32 %p, %x, 0; @%p bra $poll;\n"
    " ret; }\n"
    ".visible .entry copy(.param .u64 to, .param .u64 from) {\n"
    " .reg .u64 %a, %b; .reg .u32 %x; ld.param.u64 %a, [to]; ld.param.u64 %b, [from];\n"
    " ld.u32 %x, [%b]; st.u32 [%a], %x; ret; }\n";

static CUdevice device;

static CUfunction kernel(const char *name)
{
    CUmodule module;
    CUfunction f;
    MUST(cuModuleLoadData(&module, source));
    MUST(cuModuleGetFunction(&f, module, name));
    return f;
}

static CUresult run(CUfunction f, CUdeviceptr first, CUdeviceptr second)
{
    void *params[] = {&first, &second};
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

/* A new context, current, with memory that holds a word. */
static CUcontext with_memory(CUdeviceptr *at, unsigned word)
{
    CUcontext context;
    MUST(cuCtxCreate(&context, NULL, 0, device));
    MUST(cuMemAlloc(at, 4));
    MUST(cuMemcpyHtoD(*at, &word, 4));
    return context;
}

/* A kernel reads memory whose context ends meanwhile: it goes on, or that is a fault; nothing else. */
static void under_a_kernel(void)
{
    CUcontext own, other;
    CUdeviceptr theirs;
    volatile unsigned *flag;
    MUST(cuCtxCreate(&own, NULL, 0, device));
    const CUfunction f = kernel("watch");
    MUST(cuMemHostAlloc((void **)&flag, 8, 0));
    flag[0] = flag[1] = 0;
    other = with_memory(&theirs, 5);
    MUST(cuCtxSetCurrent(own));
    MUST(run(f, (CUdeviceptr)(size_t)flag, theirs));
    while (!__atomic_load_n(&flag[1], __ATOMIC_ACQUIRE)) {
    }
    MUST(cuCtxDestroy(other));
    __atomic_store_n(&flag[0], 1, __ATOMIC_RELEASE);
    const CUresult result = cuCtxSynchronize();
    CHECK(result == CUDA_SUCCESS || result == CUDA_ERROR_ILLEGAL_ADDRESS);
    MUST(cuCtxDestroy(own));
}

/* A context ends although another one waits for what is only written afterwards. */
static void under_a_wait(void)
{
    CUcontext own;
    CUstream stream;
    CUdeviceptr word, theirs;
    MUST(cuCtxCreate(&own, NULL, 0, device));
    MUST(cuMemAlloc(&word, 4));
    MUST(cuMemsetD32(word, 0, 1));
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ));
    const CUcontext other = with_memory(&theirs, 5);
    MUST(cuCtxDestroy(other));
    MUST(cuCtxSetCurrent(own));
    CHECK(cuStreamQuery(stream) == CUDA_ERROR_NOT_READY);
    MUST(cuMemsetD32(word, 1, 1));
    MUST(cuStreamSynchronize(stream));
    MUST(cuCtxDestroy(own));
}

/* The waiting context itself ends, while it sees another one. */
static void who_waits(void)
{
    CUcontext own, other;
    CUstream stream;
    CUdeviceptr word, theirs;
    other = with_memory(&theirs, 5);
    own = with_memory(&word, 0);
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ));
    MUST(cuCtxDestroy(own));
    MUST(cuCtxSetCurrent(other));
    CHECK(word_at(theirs) == 5);
    MUST(cuCtxDestroy(other));
}

static void in_turn(void)
{
    CUcontext own;
    CUdeviceptr word, theirs;
    MUST(cuCtxCreate(&own, NULL, 0, device));
    const CUfunction f = kernel("copy");
    MUST(cuMemAlloc(&word, 4));
    for (unsigned i = 0; i < TURNS; i++) {
        const CUcontext other = with_memory(&theirs, i + 1);
        MUST(cuCtxPopCurrent(NULL));
        MUST(run(f, word, theirs));
        CHECK(word_at(word) == i + 1);
        MUST(cuCtxDestroy(other));
    }
    MUST(cuCtxDestroy(own));
}

static void *turns(void *first)
{
    const unsigned from = *(const unsigned *)first;
    for (unsigned i = from; i < from + TURNS_OF_A_THREAD; i++) {
        CUdeviceptr here, there;
        const CUcontext one = with_memory(&there, i), two = with_memory(&here, 0);
        MUST(run(kernel("copy"), here, there));
        CHECK(word_at(here) == i);
        MUST(cuCtxDestroy(two));
        MUST(cuCtxDestroy(one));
    }
    return NULL;
}

static void in_threads(void)
{
    pthread_t thread[THREADS];
    unsigned first[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        first[i] = i * 1000 + 1;
        CHECK(pthread_create(&thread[i], NULL, turns, &first[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) CHECK(pthread_join(thread[i], NULL) == 0);
}

int main(void)
{
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    under_a_kernel();
    under_a_wait();
    who_waits();
    in_turn();
    in_threads();
    puts("fine");
    return 0;
}
