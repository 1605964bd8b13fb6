/*
 * interprocess.c - an event that other processes may open, recorded on a stream that is busy and then on an
 * idle one: its last record counts (the manual of cuEventRecord), also when the first one completes behind
 * it. Says "fine".
 */
#include "program.h"
#include <stdbool.h>
#include <unistd.h>

static volatile bool released;

/* Not for ever: the thread that waits for the other stream may be the one that runs this. */
static void wait_for_release(void *unused)
{
    (void)unused;
    for (int i = 0; i < 300 && !__atomic_load_n(&released, __ATOMIC_ACQUIRE); i++) usleep(1000);
}

int main(void)
{
    const CUcontext context = begin();
    CUstream busy, idle;
    CUevent event;
    alarm(60); /* a wait that does not end is what this is about */
    MUST(cuStreamCreate(&busy, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&idle, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    MUST(cuLaunchHostFunc(busy, wait_for_release, NULL));
    MUST(cuEventRecord(event, busy));
    CHECK(cuEventQuery(event) == CUDA_ERROR_NOT_READY);
    MUST(cuEventRecord(event, idle));
    MUST(cuStreamSynchronize(idle));
    MUST(cuEventQuery(event));
    __atomic_store_n(&released, true, __ATOMIC_RELEASE);
    MUST(cuStreamSynchronize(busy));
    MUST(cuEventQuery(event));
    MUST(cuEventSynchronize(event));
    MUST(cuStreamWaitEvent(busy, event, 0));
    MUST(cuStreamSynchronize(busy));
    MUST(cuEventDestroy(event));
    puts("fine");
    return end(context);
}
