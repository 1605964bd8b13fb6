// Hints for managed memory and what is told of them, records of events with flags, queries of ranges.
#include "say.h"

static void told(const char *what, const void *p, size_t bytes)
{
    int most = 9, last = 9, preferred = 9, users[3] = {9, 9, 9};
    RT(cudaMemRangeGetAttribute(&most, 4, cudaMemRangeAttributeReadMostly, p, bytes));
    RT(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, p, bytes));
    RT(cudaMemRangeGetAttribute(users, sizeof users, cudaMemRangeAttributeAccessedBy, p, bytes));
    RT(cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation, p, bytes));
    printf("%s: mostly %d, preferred %d, accessed by %d %d %d, last prefetch %d\n", what, most, preferred,
           users[0], users[1], users[2], last);
}

__global__ void add(int *p)
{
    p[threadIdx.x] += threadIdx.x;
}

int main()
{
    const size_t bytes = 1 << 22;
    int *p, *device, *host;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0},
                    none = {cudaMemLocationTypeDevice, 77};
    RT(cudaMallocManaged(&p, bytes));
    RT(cudaMalloc(&device, bytes));
    RT(cudaMallocHost(&host, bytes));
    memset(p, 0, bytes);
    told("fresh", p, bytes);
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseSetReadMostly, here));
    told("read mostly", p, bytes);
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetReadMostly, here));
    SAY(cudaMemAdvise(p, bytes / 2, cudaMemAdviseSetReadMostly, here));
    told("half", p, bytes);
    told("the half", p, bytes / 2);
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetReadMostly, here));
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, here));
    told("preferred", p, bytes);
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, cpu));
    told("preferred", p, bytes);
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetPreferredLocation, here));
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, here));
    told("accessed", p, bytes);
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, cpu));
    told("accessed", p, bytes);
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetAccessedBy, here));
    told("less", p, bytes);
    SAY(cudaMemPrefetchAsync(p, bytes, here, 0, 0));
    RT(cudaDeviceSynchronize());
    told("prefetched", p, bytes);
    SAY(cudaMemPrefetchAsync(p, bytes, cpu, 0, 0));
    RT(cudaDeviceSynchronize());
    told("prefetched", p, bytes);
    SAY(cudaMemAdvise(p, bytes, (cudaMemoryAdvise)0, here));
    SAY(cudaMemAdvise(p, bytes, (cudaMemoryAdvise)7, here));
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, none));
    SAY(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, none));
    SAY(cudaMemAdvise(p, 0, cudaMemAdviseSetReadMostly, here));
    SAY(cudaMemAdvise(p, bytes * 2, cudaMemAdviseSetReadMostly, here));
    SAY(cudaMemAdvise(device, bytes, cudaMemAdviseSetReadMostly, here));
    SAY(cudaMemAdvise(host, bytes, cudaMemAdviseSetReadMostly, here));
    SAY(cudaMemAdvise(nullptr, bytes, cudaMemAdviseSetReadMostly, here));
    SAY(cudaMemPrefetchAsync(p, bytes, none, 0, 0));
    SAY(cudaMemPrefetchAsync(p, bytes, here, 1, 0));
    SAY(cudaMemPrefetchAsync(device, bytes, here, 0, 0));
    int value = 9, more = 9;
    SAY(cudaMemRangeGetAttribute(&value, 8, cudaMemRangeAttributeReadMostly, p, bytes));
    SAY(cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)99, p, bytes));
    SAY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, device, bytes));
    SAY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 0));
    void *data[] = {&value, &more};
    size_t sizes[] = {4, 4};
    cudaMemRangeAttribute which[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation};
    SAY(cudaMemRangeGetAttributes(data, sizes, which, 2, p, bytes));
    printf("%d %d\n", value, more);
    SAY(cudaMemRangeGetAttributes(data, sizes, which, 0, p, bytes));

    cudaEvent_t a, b;
    cudaStream_t s;
    float ms = -1;
    RT(cudaStreamCreate(&s));
    RT(cudaEventCreateWithFlags(&a, cudaEventDefault));
    RT(cudaEventCreateWithFlags(&b, cudaEventBlockingSync));
    SAY(cudaEventRecordWithFlags(a, s, cudaEventRecordDefault));
    add<<<1, 64, 0, s>>>(p);
    SAY(cudaEventRecordWithFlags(b, s, cudaEventRecordDefault));
    SAY(cudaEventSynchronize(b));
    SAY(cudaEventElapsedTime(&ms, a, b));
    printf("in order %d, %d\n", ms >= 0, p[63]);
    SAY(cudaEventRecordWithFlags(a, s, 2));
    SAY(cudaEventRecordWithFlags(a, s, cudaEventRecordExternal));
    SAY(cudaStreamWaitEvent(s, a, cudaEventWaitExternal));
    SAY(cudaStreamWaitEvent(s, a, 2));
    RT(cudaStreamSynchronize(s));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes = 0;
    RT(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    add<<<1, 64, 0, s>>>(p);
    SAY(cudaEventRecordWithFlags(b, s, cudaEventRecordExternal));
    SAY(cudaStreamWaitEvent(s, a, cudaEventWaitExternal));
    RT(cudaStreamEndCapture(s, &graph));
    RT(cudaGraphGetNodes(graph, nullptr, &nodes));
    printf("%zu nodes:", nodes);
    cudaGraphNode_t list[8];
    RT(cudaGraphGetNodes(graph, list, &nodes));
    for (size_t i = 0; i < nodes; i++) {
        cudaGraphNodeType type;
        RT(cudaGraphNodeGetType(list[i], &type));
        printf(" %d", (int)type);
    }
    printf("\n");
    RT(cudaGraphInstantiate(&exec, graph, 0));
    RT(cudaGraphLaunch(exec, s));
    SAY(cudaEventSynchronize(b));
    RT(cudaStreamSynchronize(s));
    printf("%d\n", p[63]);
    return 0;
}
