// Graphs of the driver interface: nodes by hand, a capture, an executable's parameters, what they tell of
// themselves.
#include "driver.h"

static int calls;
static void call(void *p)
{
    calls += *(int *)p;
}

int main(void)
{
    CUmodule module;
    CUdeviceptr p;
    CUgraph g;
    CUgraphExec x;
    CUgraphNode set, kernel, host_node, nodes[8];
    CUstream s;
    unsigned host[64], k = 3;
    int five = 5;
    size_t count = 8;
    CUcontext context = start();
    DO(cuModuleLoadData(&module, module_text));
    DO(cuMemAlloc_v2(&p, sizeof host));
    DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    DO(cuGraphCreate(&g, 0));
    CUDA_MEMSET_NODE_PARAMS m;
    memset(&m, 0, sizeof m);
    m.dst = p;
    m.elementSize = 4;
    m.value = 42;
    m.width = 64;
    m.height = 1;
    DO(cuGraphAddMemsetNode(&set, g, NULL, 0, &m, context));
    CUDA_KERNEL_NODE_PARAMS n;
    void *params[] = {&p, &k};
    memset(&n, 0, sizeof n);
    n.func = get(module, "fill");
    n.gridDimX = n.gridDimY = n.gridDimZ = n.blockDimY = n.blockDimZ = 1;
    n.blockDimX = 32;
    n.kernelParams = params;
    DO(cuGraphAddKernelNode_v2(&kernel, g, &set, 1, &n));
    CUDA_HOST_NODE_PARAMS h = {call, &five};
    DO(cuGraphAddHostNode(&host_node, g, &kernel, 1, &h));
    DO(cuGraphInstantiateWithFlags(&x, g, 0));
    k = 9;
    DO(cuGraphLaunch(x, s));
    DO(cuGraphLaunch(x, s));
    DO(cuStreamSynchronize(s));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u %u, calls %d\n", host[31], host[32], calls);
    DO(cuGraphExecKernelNodeSetParams_v2(x, kernel, &n));
    DO(cuGraphLaunch(x, s));
    DO(cuStreamSynchronize(s));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u\n", host[31]);
    CUgraphNodeType type;
    DO(cuGraphNodeGetType(host_node, &type));
    DO(cuGraphGetNodes(g, nodes, &count));
    printf("type %d nodes %zu\n", type, count);
    CUgraph captured;
    DO(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    DO(cuMemsetD32Async(p, 1, 64, s));
    DO(cuLaunchKernel(n.func, 1, 1, 1, 16, 1, 1, 0, s, params, NULL));
    CUstreamCaptureStatus status;
    DO(cuStreamIsCapturing(s, &status));
    DO(cuStreamEndCapture(s, &captured));
    count = 0;
    DO(cuGraphGetNodes(captured, NULL, &count));
    printf("status %d nodes %zu\n", status, count);
    DO(cuGraphInstantiateWithFlags(&x, captured, 0));
    DO(cuGraphLaunch(x, s));
    DO(cuStreamSynchronize(s));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u %u\n", host[15], host[16]);
    SAY(cuGraphInstantiateWithFlags(&x, NULL, 0));
    SAY(cuGraphAddMemsetNode(&set, g, NULL, 1, &m, context));
    SAY(cuGraphDestroy(g));
    SAY(cuGraphDestroy(captured));
    return 0;
}
