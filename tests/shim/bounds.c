/*
 * bounds.c - what the interface is given ends where it says: texts without a NUL behind them, an archive's
 * fields, copies whose bytes lie beyond all addresses. Events of other processes and limits, whatever order
 * streams end in. Says "fine".
 */
#define _GNU_SOURCE
#include "program.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* A copy of the bytes that ends where the readable page does. */
static char *at_the_edge(const void *bytes, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    char *at = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    CHECK(mprotect(at + room, page, PROT_NONE) == 0);
    return memcpy(at + room - size, bytes, size);
}

/* ---- what is linked ---- */

static CUresult add(CUjitInputType type, const void *bytes, size_t size)
{
    CUlinkState state;
    MUST(cuLinkCreate(0, NULL, NULL, &state));
    const CUresult result =
        cuLinkAddData(state, type, at_the_edge(bytes, size), size, "input", 0, NULL, NULL);
    MUST(cuLinkDestroy(state));
    return result;
}

static void texts(void)
{
    static const char
        *const good[] = {".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }",
                         ".version 8.0\n.target sm_90"},
               *const bad[] = {".version 8.0\n.visible .entry k() { ret; }\n", ".version 8.0\n.target",
                               ".version 8.0\n.target s", "....", "//"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK(add(CU_JIT_INPUT_PTX, good[i], strlen(good[i])) == CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(add(CU_JIT_INPUT_PTX, bad[i], strlen(bad[i])) != CUDA_SUCCESS);
}

static void archives(void)
{
    char archive[8 + 60];
    memset(archive, '1', sizeof archive); /* digits up to the last byte */
    memcpy(archive, "!<arch>\n", 8);
    CHECK(add(CU_JIT_INPUT_LIBRARY, archive, sizeof archive) == CUDA_ERROR_INVALID_IMAGE);
    memcpy(archive + 8 + 48, "4         `\n", 12); /* a member of 4 bytes that are not there */
    CHECK(add(CU_JIT_INPUT_LIBRARY, archive, sizeof archive) == CUDA_ERROR_INVALID_IMAGE);
    memcpy(archive + 8 + 48, "0         `\n", 12);
    CHECK(add(CU_JIT_INPUT_LIBRARY, archive, sizeof archive) == CUDA_SUCCESS);
}

/* ---- copies ---- */

static CUdeviceptr memory;
static char host[64];

static CUresult copy_2d(size_t x, size_t y, size_t pitch)
{
    const CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                              .srcHost = host,
                              .srcPitch = 8,
                              .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                              .dstDevice = memory,
                              .dstXInBytes = x,
                              .dstY = y,
                              .dstPitch = pitch,
                              .WidthInBytes = 8,
                              .Height = 1},
                        down = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = memory,
                                .srcXInBytes = x,
                                .srcY = y,
                                .srcPitch = pitch,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = host,
                                .dstPitch = 8,
                                .WidthInBytes = 8,
                                .Height = 1};
    const CUresult result = cuMemcpy2D(&up);
    CHECK(cuMemcpy2D(&down) == result);
    return result;
}

static CUresult copy_3d(size_t z, size_t pitch, size_t height)
{
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = memory,
                                .srcPitch = pitch,
                                .srcHeight = height,
                                .srcZ = z,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = host,
                                .dstPitch = 8,
                                .dstHeight = 1,
                                .WidthInBytes = 8,
                                .Height = 1,
                                .Depth = 1};
    return cuMemcpy3D(&copy);
}

static void copies(void)
{
    MUST(cuMemAlloc(&memory, 4096));
    CHECK(copy_2d(0, 0, 8) == CUDA_SUCCESS);
    CHECK(copy_2d(0, (size_t)1 << 61, 8) == CUDA_ERROR_INVALID_VALUE);
    CHECK(copy_2d(0, (size_t)1 << 60, 16) == CUDA_ERROR_INVALID_VALUE);
    CHECK(copy_2d(SIZE_MAX - 7, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(copy_2d(0, SIZE_MAX, 8) == CUDA_ERROR_INVALID_VALUE);
    CHECK(copy_3d(0, 8, 1) == CUDA_SUCCESS);
    CHECK(copy_3d(1, (size_t)1 << 32, (size_t)1 << 32) == CUDA_ERROR_INVALID_VALUE);
    CHECK(copy_3d((size_t)1 << 32, (size_t)1 << 31, 2) == CUDA_ERROR_INVALID_VALUE);
    CHECK(copy_3d((size_t)1 << 61, 8, 1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemFree(memory));
}

/* ---- events ---- */

static unsigned *gate; /* of pinned memory; streams wait until it is 1 */

static void hold(CUstream stream)
{
    __atomic_store_n(gate, 0, __ATOMIC_RELEASE);
    MUST(cuStreamWaitValue32(stream, (CUdeviceptr)(uintptr_t)gate, 1, CU_STREAM_WAIT_VALUE_EQ));
}

static void let_go(void)
{
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
}

/* Records in two streams end in the other order: the event is as the last record is. */
static void events(unsigned flags)
{
    CUstream slow, idle;
    CUevent event;
    MUST(cuStreamCreate(&slow, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&idle, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&event, flags));
    hold(slow);
    MUST(cuEventRecord(event, slow));
    MUST(cuEventRecord(event, idle));
    MUST(cuStreamSynchronize(idle));
    CHECK(cuEventQuery(event) == CUDA_SUCCESS);
    CHECK(cuStreamQuery(slow) == CUDA_ERROR_NOT_READY);
    let_go();
    MUST(cuStreamSynchronize(slow));
    CHECK(cuEventQuery(event) == CUDA_SUCCESS);
    MUST(cuEventSynchronize(event));
    /* Who waited for the record in the slow stream waits for that one, whatever is recorded later. */
    hold(slow);
    MUST(cuEventRecord(event, slow));
    MUST(cuStreamWaitEvent(idle, event, 0));
    MUST(cuEventRecord(event, NULL));
    MUST(cuEventSynchronize(event));
    CHECK(cuStreamQuery(idle) == CUDA_ERROR_NOT_READY);
    let_go();
    MUST(cuStreamSynchronize(idle));
    /* More records than there are places for, behind one another and beside one another. */
    hold(slow);
    MUST(cuEventRecord(event, slow));
    for (int i = 0; i < 509; i++) MUST(cuEventRecord(event, idle));
    MUST(cuStreamSynchronize(idle));
    MUST(cuEventRecord(event, idle)); /* it takes the place of the first */
    if (flags & CU_EVENT_INTERPROCESS) CHECK(cuEventQuery(event) == CUDA_ERROR_NOT_READY);
    let_go();
    for (int i = 0; i < 1200; i++) MUST(cuEventRecord(event, i % 2 ? idle : slow));
    MUST(cuEventSynchronize(event));
    CHECK(cuEventQuery(event) == CUDA_SUCCESS);
    MUST(cuEventDestroy(event));
    MUST(cuStreamDestroy(slow));
    MUST(cuStreamDestroy(idle));
}

/* A record that is not submitted is none. */
static void refused_record(CUcontext context)
{
    CUevent event, other;
    CUstream stream;
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    MUST(cuEventCreate(&other, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    MUST(cuEventRecord(other, stream));
    MUST(cuStreamDestroy(stream));
    CHECK(cuEventRecord(event, stream) != CUDA_SUCCESS);
    CHECK(cuEventRecord(other, stream) != CUDA_SUCCESS);
    CHECK(cuEventQuery(event) == CUDA_SUCCESS);
    MUST(cuEventSynchronize(event));
    MUST(cuEventSynchronize(other));
    MUST(cuEventDestroy(event));
    MUST(cuEventDestroy(other));
    (void)context;
}

int main(void)
{
    const CUcontext context = begin();
    texts();
    archives();
    copies();
    MUST(cuMemAllocHost((void **)&gate, sizeof *gate));
    events(CU_EVENT_DISABLE_TIMING);
    events(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    refused_record(context);
    puts("fine");
    return end(context);
}
