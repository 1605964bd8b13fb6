/* graphs.c - graphs made by hand and of captured streams, walked, changed, launched. */
#include "program.h"

static CUmodule module;
static CUfunction axpy, store;
static CUdeviceptr p;

static void add_one(void *user)
{
    ++*(int *)user;
}

static void by_hand(void)
{
    CUgraph graph, clone;
    CUgraphNode set, run, call, copy, empty, list[8], twin;
    CUgraphExec exec;
    int called = 0;
    unsigned value = 5, result = 0;
    void *params[] = {&p, &value};
    size_t n;
    say("flags 1", cuGraphCreate(&graph, 1));
    MUST(cuGraphCreate(&graph, 0));
    CUcontext c;
    MUST(cuCtxGetCurrent(&c));
    CUDA_MEMSET_NODE_PARAMS fill = {.dst = p, .value = 0x01010101, .elementSize = 4, .width = 4, .height = 1};
    MUST(cuGraphAddMemsetNode(&set, graph, NULL, 0, &fill, c));
    CUDA_KERNEL_NODE_PARAMS k = one_thread(store, params);
    MUST(cuGraphAddKernelNode(&run, graph, &set, 1, &k));
    CUDA_HOST_NODE_PARAMS h = {.fn = add_one, .userData = &called};
    MUST(cuGraphAddHostNode(&call, graph, &run, 1, &h));
    CUDA_MEMCPY3D d = {IN_DEVICE(src, p, 0), IN_HOST(dst, &result, 0), .WidthInBytes = 4, .Height = 1,
                       .Depth = 1};
    MUST(cuGraphAddMemcpyNode(&copy, graph, &run, 1, &d, c));
    MUST(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    n = 8;
    MUST(cuGraphGetNodes(graph, list, &n));
    printf("%zu nodes, first %d\n", n, list[0] == set);
    MUST(cuGraphGetNodes(graph, NULL, &n));
    printf("%zu\n", n);
    n = 8;
    MUST(cuGraphGetRootNodes(graph, list, &n));
    printf("%zu roots\n", n);
    MUST(cuGraphGetEdges(graph, NULL, NULL, NULL, &n));
    printf("%zu edges\n", n);
    n = 8;
    MUST(cuGraphNodeGetDependencies(call, list, NULL, &n));
    printf("%zu: %d\n", n, list[0] == run);
    n = 8;
    MUST(cuGraphNodeGetDependentNodes(run, list, NULL, &n));
    printf("%zu\n", n);
    CUgraphNodeType type;
    MUST(cuGraphNodeGetType(call, &type));
    printf("type %d\n", (int)type);
    CUgraphNode from = empty, to = set;
    MUST(cuGraphAddDependencies(graph, &from, &to, NULL, 1));
    say("the same again", cuGraphAddDependencies(graph, &from, &to, NULL, 1));
    CUDA_KERNEL_NODE_PARAMS got;
    MUST(cuGraphKernelNodeGetParams(run, &got));
    printf("kernel %d %u %u\n", got.func == store, got.gridDimX, *(unsigned *)got.kernelParams[1]);
    say("of another kind", cuGraphKernelNodeGetParams(call, &got));
    MUST(cuGraphClone(&clone, graph));
    say("in the clone", cuGraphNodeFindInClone(&twin, run, clone));
    printf("%d\n", twin != run);
    MUST(cuGraphInstantiate(&exec, graph, 0));
    MUST(cuGraphLaunch(exec, NULL));
    MUST(cuCtxSynchronize());
    printf("%u %d %x\n", result, called, word_at(p + 4));
    value = 6; /* the node has its own copy */
    MUST(cuGraphLaunch(exec, NULL));
    MUST(cuCtxSynchronize());
    printf("%u %d\n", result, called);
    MUST(cuGraphExecKernelNodeSetParams(exec, run, &k));
    MUST(cuGraphLaunch(exec, NULL));
    MUST(cuCtxSynchronize());
    printf("%u %d\n", result, called);
    CUgraphExecUpdateResultInfo info;
    say("update", cuGraphExecUpdate(exec, graph, &info));
    MUST(cuGraphLaunch(exec, NULL));
    MUST(cuCtxSynchronize());
    printf("%u %d\n", result, called);
    MUST(cuGraphDestroyNode(empty));
    say("update to another shape", cuGraphExecUpdate(exec, graph, &info));
    printf("because %d\n", info.result != CU_GRAPH_EXEC_UPDATE_SUCCESS);
    from = copy;
    to = set;
    MUST(cuGraphAddDependencies(graph, &from, &to, NULL, 1));
    CUgraphExec circle;
    say("a circle", cuGraphInstantiate(&circle, graph, 0));
    say("destroy", cuGraphExecDestroy(exec));
    say("destroy", cuGraphDestroy(graph));
    say("destroy", cuGraphDestroy(clone));
}

static void captured(void)
{
    CUstream s, t;
    CUevent e, f;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode nodes[16];
    CUstreamCaptureStatus status;
    CUdeviceptr q;
    unsigned n = 64, scale = 2;
    size_t count = 16;
    MUST(cuMemAlloc(&q, 256));
    MUST(cuMemsetD32(p, 1, 64));
    MUST(cuMemsetD32(q, 10, 64));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    MUST(cuEventCreate(&f, CU_EVENT_DISABLE_TIMING));
    say("the default stream", cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_RELAXED));
    say("mode 9", cuStreamBeginCapture(s, (CUstreamCaptureMode)9));
    say("end of none", cuStreamEndCapture(s, &graph));
    MUST(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    say("twice", cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    MUST(cuStreamIsCapturing(s, &status));
    printf("capturing %d\n", (int)status);
    void *params[] = {&p, &q, &scale, &n};
    MUST(cuLaunchKernel(axpy, 1, 1, 1, 64, 1, 1, 0, s, params, NULL));
    MUST(cuEventRecord(e, s));
    MUST(cuStreamWaitEvent(t, e, 0));
    MUST(cuStreamIsCapturing(t, &status));
    printf("joined %d\n", (int)status);
    MUST(cuMemsetD32Async(q, 7, 64, t));
    MUST(cuEventRecord(f, t));
    MUST(cuStreamWaitEvent(s, f, 0));
    MUST(cuMemcpyDtoDAsync(p + 128, p, 128, s));
    say("end", cuStreamEndCapture(s, &graph));
    MUST(cuStreamIsCapturing(s, &status));
    printf("capturing %d\n", (int)status);
    MUST(cuGraphGetNodes(graph, nodes, &count));
    printf("%zu nodes\n", count);
    for (size_t i = 0; i < count; i++) {
        CUgraphNodeType type;
        MUST(cuGraphNodeGetType(nodes[i], &type));
        if (type != CU_GRAPH_NODE_TYPE_KERNEL) continue;
        CUDA_KERNEL_NODE_PARAMS got;
        MUST(cuGraphKernelNodeGetParams(nodes[i], &got));
        printf("kernel %u %u %u\n", got.blockDimX, *(unsigned *)got.kernelParams[2],
               *(unsigned *)got.kernelParams[3]);
    }
    printf("not run: %u\n", word_at(p));
    MUST(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) MUST(cuGraphLaunch(exec, s));
    MUST(cuStreamSynchronize(s));
    printf("%u %u %u\n", word_at(p), word_at(p + 128), word_at(q));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
    MUST(cuStreamDestroy(s));
    MUST(cuStreamDestroy(t));
}

static void children(void)
{
    CUgraph inner, outer;
    CUgraphNode a, b;
    CUgraphExec exec;
    int called = 0;
    CUDA_HOST_NODE_PARAMS h = {.fn = add_one, .userData = &called};
    MUST(cuGraphCreate(&inner, 0));
    MUST(cuGraphAddHostNode(&a, inner, NULL, 0, &h));
    MUST(cuGraphAddHostNode(&b, inner, &a, 1, &h));
    MUST(cuGraphCreate(&outer, 0));
    MUST(cuGraphAddChildGraphNode(&a, outer, NULL, 0, inner));
    MUST(cuGraphAddChildGraphNode(&b, outer, &a, 1, inner));
    MUST(cuGraphInstantiate(&exec, outer, 0));
    MUST(cuGraphLaunch(exec, NULL));
    MUST(cuCtxSynchronize());
    printf("%d calls\n", called);
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(outer));
    MUST(cuGraphDestroy(inner));
}

static void user_objects(void)
{
    CUgraph graph;
    CUuserObject object;
    int gone = 0;
    MUST(cuUserObjectCreate(&object, &gone, add_one, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    MUST(cuGraphCreate(&graph, 0));
    MUST(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    MUST(cuUserObjectRelease(object, 1));
    printf("kept %d\n", gone);
    MUST(cuGraphDestroy(graph));
    MUST(cuCtxSynchronize());
    for (int i = 0; i < 100000000 && !*(volatile int *)&gone; i++) {
    }
    printf("gone %d\n", gone);
}

int main(void)
{
    CUcontext c = begin();
    MUST(cuModuleLoadData(&module, kernels));
    MUST(cuModuleGetFunction(&axpy, module, "axpy"));
    MUST(cuModuleGetFunction(&store, module, "store"));
    MUST(cuMemAlloc(&p, 256));
    by_hand();
    captured();
    children();
    user_objects();
    return end(c);
}
