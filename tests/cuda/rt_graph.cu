// Graphs made by hand: kernel, copy, fill and host nodes, edges, clones, a child, changes of parameters, an update.
#include "say.h"

__global__ void scale(int *p, int n, int k)
{
    int i = threadIdx.x;
    if (i < n)
        p[i] = p[i] * k + i;
}

static int told;
static void CUDART_CB tell(void *arg) { told += *(int *)arg; }

int main()
{
    int *p, host[64], n = 64, k = 3, seven = 7;
    RT(cudaMalloc(&p, sizeof host));
    cudaGraph_t g, twin;
    cudaGraphExec_t x;
    cudaGraphNode_t fill, kernel, again, copy, call;
    RT(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {p, 0, 2, 4, 64, 1}; // to, pitch, value, bytes of an element, width, height
    RT(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &m));
    void *args[] = {&p, &n, &k};
    cudaKernelNodeParams kp = {};
    kp.func = (void *)scale;
    kp.gridDim = dim3(1);
    kp.blockDim = dim3(64);
    kp.kernelParams = args;
    RT(cudaGraphAddKernelNode(&kernel, g, &fill, 1, &kp));
    int ten = 10;
    void *more[] = {&p, &n, &ten};
    kp.kernelParams = more;
    RT(cudaGraphAddKernelNode(&again, g, &kernel, 1, &kp));
    RT(cudaGraphAddMemcpyNode1D(&copy, g, &again, 1, host, p, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams hp = {tell, &seven};
    RT(cudaGraphAddHostNode(&call, g, &copy, 1, &hp));
    size_t nodes, edges;
    RT(cudaGraphGetNodes(g, nullptr, &nodes));
    RT(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
    printf("nodes %zu edges %zu\n", nodes, edges);
    cudaGraphNodeType type;
    RT(cudaGraphNodeGetType(copy, &type));
    printf("type %d\n", type);
    RT(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++)
        RT(cudaGraphLaunch(x, 0));
    RT(cudaDeviceSynchronize());
    printf("%d %d %d, told %d\n", host[0], host[1], host[63], told);
    int five = 5;
    void *other[] = {&p, &n, &five};
    kp.kernelParams = other;
    RT(cudaGraphExecKernelNodeSetParams(x, again, &kp));
    RT(cudaGraphLaunch(x, 0));
    RT(cudaDeviceSynchronize());
    printf("%d %d, told %d\n", host[1], host[63], told);
    RT(cudaGraphClone(&twin, g));
    cudaGraphNode_t found;
    RT(cudaGraphNodeFindInClone(&found, fill, twin));
    m.value = 9;
    RT(cudaGraphMemsetNodeSetParams(found, &m));
    cudaGraphExecUpdateResultInfo info;
    SAY(cudaGraphExecUpdate(x, twin, &info));
    printf("result %d\n", info.result);
    RT(cudaGraphLaunch(x, 0));
    RT(cudaDeviceSynchronize());
    printf("%d %d, told %d\n", host[1], host[63], told);
    cudaGraph_t parent;
    cudaGraphNode_t child, empty;
    RT(cudaGraphCreate(&parent, 0));
    RT(cudaGraphAddEmptyNode(&empty, parent, nullptr, 0));
    RT(cudaGraphAddChildGraphNode(&child, parent, &empty, 1, g));
    cudaGraphExec_t y;
    RT(cudaGraphInstantiate(&y, parent, 0));
    RT(cudaGraphLaunch(y, 0));
    RT(cudaDeviceSynchronize());
    printf("%d %d, told %d\n", host[1], host[63], told);
    RT(cudaGraphDestroyNode(call));
    SAY(cudaGraphExecUpdate(x, g, &info));
    printf("result %d\n", info.result);
    SAY(cudaGraphAddDependencies(g, &copy, &fill, nullptr, 1));
    SAY(cudaGraphInstantiate(&y, g, 0));
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphDestroy(g));
    SAY(cudaGraphDestroy(twin));
    return 0;
}
