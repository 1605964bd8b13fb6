/* values.c - values that streams wait for and write; batches of copies, prefetches and discards. */
#include <unistd.h>
#include "program.h"

static void call(void *user)
{
    int *digits = user;
    *digits = *digits * 10 + 1;
}

/* Each condition: below, at and above what it asks for. */
static void condition(CUdeviceptr p, CUstream s, int i)
{
    static const struct {
        const char *name;
        unsigned flags, want, no, yes;
    } list[] = {{"geq", CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 5},
                {"geq around the end", CU_STREAM_WAIT_VALUE_GEQ, 0xfffffff0u, 0xffffffe0u, 3},
                {"eq", CU_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
                {"and", CU_STREAM_WAIT_VALUE_AND, 6, 9, 4},
                {"nor", CU_STREAM_WAIT_VALUE_NOR, 0xff, 0xffffff00u, 0x7fffff00u}};
    MUST(cuMemsetD32(p, list[i].no, 1));
    MUST(cuStreamWaitValue32_v2(s, p, list[i].want, list[i].flags));
    say(list[i].name, cuStreamQuery(s));
    MUST(cuMemsetD32(p, list[i].yes, 1));
    say(list[i].name, cuStreamSynchronize(s));
}

static void refused(CUdeviceptr p, CUstream s)
{
    CUstreamBatchMemOpParams op = {.operation = (CUstreamBatchMemOpType)99};
    say("flags 9", cuStreamWaitValue32_v2(s, p, 0, 9));
    say("write flags 2", cuStreamWriteValue32_v2(s, p, 0, 2));
    say("between words", cuStreamWriteValue32_v2(s, p + 2, 0, 0));
    say("between long words", cuStreamWaitValue64_v2(s, p + 4, 0, 0));
    say("no memory", cuStreamWriteValue32_v2(s, 64, 0, 0));
    say("no operation", cuStreamBatchMemOp_v2(s, 1, &op, 0));
    say("batch of none", cuStreamBatchMemOp_v2(s, 0, &op, 0));
    op.operation = CU_STREAM_MEM_OP_BARRIER;
    op.memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_GPU;
    say("barrier", cuStreamBatchMemOp_v2(s, 1, &op, 0));
    say("batch flags", cuStreamBatchMemOp_v2(s, 1, &op, 1));
}

/* Two streams hand a turn to and fro; the host writes what one of them waits for. */
static void turns(CUdeviceptr p, CUstream s, CUstream t)
{
    volatile unsigned *flag;
    int digits = 0;
    MUST(cuMemHostAlloc((void **)&flag, 64, 0));
    *flag = 0;
    MUST(cuMemsetD8(p, 0, 64));
    CUstreamBatchMemOpParams ops[3] = {{.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32}};
    ops[0].waitValue.address = (CUdeviceptr)(size_t)flag;
    ops[0].waitValue.value = 7;
    ops[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    ops[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    ops[1].writeValue.address = p + 8;
    ops[1].writeValue.value64 = 0x500000001;
    ops[2].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    ops[2].waitValue.address = p + 16;
    ops[2].waitValue.value = 1;
    ops[2].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
    MUST(cuStreamBatchMemOp_v2(s, 3, ops, 0));
    MUST(cuLaunchHostFunc(s, call, &digits));
    MUST(cuStreamWaitValue64_v2(t, p + 8, 0x500000001, CU_STREAM_WAIT_VALUE_EQ));
    MUST(cuStreamWriteValue32_v2(t, p + 16, 1, 0));
    say("before", cuStreamQuery(s));
    say("before", cuStreamQuery(t));
    usleep(20000);
    printf("called %d\n", digits);
    *flag = 7;
    say("turns", cuStreamSynchronize(s));
    printf("called %d, %u %u %u\n", digits, word_at(p + 8), word_at(p + 12), word_at(p + 16));
    MUST(cuMemFreeHost((void *)(size_t)flag));
}

/* A stream may be destroyed, and the context, while a stream waits for what never comes. */
static void destroyed(CUdeviceptr p)
{
    CUstream s;
    CUcontext c;
    CUdeviceptr q;
    int digits = 0;
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuMemsetD32(p, 0, 1));
    MUST(cuStreamWaitValue32_v2(s, p, 1, CU_STREAM_WAIT_VALUE_EQ));
    MUST(cuLaunchHostFunc(s, call, &digits));
    MUST(cuStreamDestroy(s)); /* what is in it still runs */
    MUST(cuMemsetD32Async(p, 1, 1, NULL));
    MUST(cuCtxSynchronize());
    printf("called %d\n", digits);
    CUdevice device;
    MUST(cuCtxGetDevice(&device));
    MUST(cuCtxCreate(&c, NULL, 0, device));
    MUST(cuMemAlloc(&q, 64));
    MUST(cuMemsetD32(q, 0, 1));
    MUST(cuStreamCreate(&s, 0));
    MUST(cuStreamWaitValue32_v2(s, q, 1, CU_STREAM_WAIT_VALUE_EQ));
    MUST(cuLaunchHostFunc(s, call, &digits));
    say("the context", cuCtxDestroy(c));
    printf("called %d\n", digits);
}

/* What is copied into pageable memory of the host is arithmetic: an H200 copied nothing. */
static void batches(CUdeviceptr p, CUstream s, int data)
{
    unsigned char from[64], to[64] = {0};
    CUdeviceptr m;
    size_t size = 4096, first = 0;
    for (int i = 0; i < 64; i++) from[i] = (unsigned char)i;
    MUST(cuMemcpyHtoD(p, from, 64));
    CUDA_MEMCPY3D_BATCH_OP ops[2] = {{.src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER},
                                      .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER},
                                      .extent = {2, 2, 2},
                                      .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}};
    ops[0].src.op.ptr.ptr = p;
    ops[0].src.op.ptr.rowLength = 8;
    ops[0].src.op.ptr.layerHeight = 4;
    ops[0].dst.op.ptr.ptr = (CUdeviceptr)(size_t)to;
    ops[1] = ops[0];
    ops[1].src.op.ptr.ptr = p + 4;
    ops[1].dst.op.ptr.ptr = (CUdeviceptr)(size_t)(to + 8);
    say("copies", cuMemcpy3DBatchAsync_v2(2, ops, 0, s));
    MUST(cuStreamSynchronize(s));
    for (int i = 0; i < 16 && data; i++) printf("%d%c", to[i], i < 15 ? ' ' : '\n');
    if (data) return;
    say("the default stream", cuMemcpy3DBatchAsync_v2(2, ops, 0, NULL));
    ops[1].src.op.ptr.rowLength = 1;
    say("a row too short", cuMemcpy3DBatchAsync_v2(2, ops, 0, s));
    MUST(cuMemAllocManaged(&m, size, CU_MEM_ATTACH_GLOBAL));
    CUmemLocation host = {.type = CU_MEM_LOCATION_TYPE_HOST};
    say("prefetch", cuMemPrefetchBatchAsync(&m, &size, 1, &host, &first, 1, 0, s));
    say("discard", cuMemDiscardBatchAsync(&m, &size, 1, 0, s));
    say("both", cuMemDiscardAndPrefetchBatchAsync(&m, &size, 1, &host, &first, 1, 0, s));
    first = 1;
    say("begins at 1", cuMemPrefetchBatchAsync(&m, &size, 1, &host, &first, 1, 0, s));
    say("not managed", cuMemDiscardBatchAsync(&p, &size, 1, 0, s));
    say("flags", cuMemDiscardBatchAsync(&m, &size, 1, 1, s));
    MUST(cuStreamSynchronize(s));
    MUST(cuMemFree(m));
}

/* One part, by its number, or all: conditions 0 to 4, and the rest. */
int main(int argc, char **argv)
{
    CUdeviceptr p;
    CUstream s, t;
    CUcontext c = begin();
    MUST(cuMemAlloc(&p, 4096));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 10; i++) {
        if (argc > 1 && atoi(argv[1]) != i) continue;
        if (i < 5) condition(p, s, i);
        if (i == 5) refused(p, s);
        if (i == 6) turns(p, s, t);
        if (i == 7) batches(p, s, 0);
        if (i == 8) destroyed(p);
        if (i == 9) batches(p, s, 1);
    }
    MUST(cuCtxDestroy(c));
    return 0;
}
