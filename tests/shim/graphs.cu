/* graphs.cu - graphs made by capture and node by node, and a grid-wide barrier; graphs.txt is what an H100
 * printed. */
#include <cstdio>
#include <cstring>
#include <vector>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define CK(x)                                                                                                \
    do {                                                                                                     \
        cudaError_t e_ = (x);                                                                                \
        if (e_) printf("line %d: %s: %s\n", __LINE__, #x, cudaGetErrorName(e_));                             \
    } while (0)
__global__ void inc(int *p)
{
    atomicAdd(p, 1);
}
__global__ void coop(int *p, int *out)
{
    auto g = cg::this_grid();
    if (threadIdx.x == 0) atomicAdd(p, 1);
    g.sync();
    if (g.thread_rank() == 0) *out = *p;
}
int main()
{
    int *d, *e, h = 0;
    CK(cudaMalloc(&d, 4096));
    CK(cudaMalloc(&e, 4096));
    CK(cudaMemset(d, 0, 4096));
    cudaStream_t s;
    CK(cudaStreamCreate(&s));
    {
        int *p = d, *o = e;
        void *args[] = {&p, &o};
        CK(cudaLaunchCooperativeKernel((void *)coop, dim3(8), dim3(32), args, 0, 0));
        CK(cudaMemcpy(&h, e, 4, cudaMemcpyDeviceToHost));
        printf("coop %d\n", h);
    }
    cudaGraph_t g;
    cudaGraphExec_t x;
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    inc<<<1, 4, 0, s>>>(d);
    inc<<<1, 5, 0, s>>>(d);
    CK(cudaStreamEndCapture(s, &g));
    CK(cudaGraphInstantiate(&x, g, 0));
    CK(cudaMemset(d, 0, 4));
    CK(cudaGraphLaunch(x, s));
    CK(cudaGraphLaunch(x, s));
    CK(cudaStreamSynchronize(s));
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    size_t nn = 0;
    CK(cudaGraphGetNodes(g, NULL, &nn));
    printf("graph %d %zu\n", h, nn);
    cudaGraph_t g2;
    CK(cudaGraphCreate(&g2, 0));
    cudaGraphNode_t n1, n2, n3;
    cudaMemsetParams mp = {d, 0, 3, 4, 1, 1}; // to, pitch, value, bytes of an element, width, height
    CK(cudaGraphAddMemsetNode(&n1, g2, NULL, 0, &mp));
    cudaKernelNodeParams kp = {};
    int *arg = d;
    void *ka[] = {&arg};
    kp.func = (void *)inc;
    kp.gridDim = 1;
    kp.blockDim = 6;
    kp.kernelParams = ka;
    CK(cudaGraphAddKernelNode(&n2, g2, &n1, 1, &kp));
    CK(cudaGraphAddMemcpyNode1D(&n3, g2, &n2, 1, &h, d, 4, cudaMemcpyDeviceToHost));
    cudaGraphExec_t x2;
    CK(cudaGraphInstantiate(&x2, g2, 0));
    CK(cudaGraphLaunch(x2, s));
    CK(cudaStreamSynchronize(s));
    cudaKernelNodeParams kg = {};
    CK(cudaGraphKernelNodeGetParams(n2, &kg));
    printf("graph %d %d %d\n", h, kg.func == (void *)inc, kg.blockDim.x);
    cudaStream_t t;
    CK(cudaStreamCreate(&t));
    cudaEvent_t f, j;
    CK(cudaEventCreate(&f));
    CK(cudaEventCreate(&j));
    cudaGraph_t g3, g4;
    cudaGraphExec_t x3;
    CK(cudaMemset(d, 0, 4096));
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CK(cudaEventRecord(f, s));
    CK(cudaStreamWaitEvent(t, f, 0));
    inc<<<1, 3, 0, t>>>(d);
    inc<<<1, 2, 0, s>>>(d + 1);
    CK(cudaEventRecord(j, t));
    CK(cudaStreamWaitEvent(s, j, 0));
    CK(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, s));
    CK(cudaStreamEndCapture(s, &g3));
    CK(cudaGraphInstantiate(&x3, g3, 0));
    CK(cudaGraphLaunch(x3, s));
    CK(cudaStreamSynchronize(s));
    size_t nodes = 0, edges = 0;
    CK(cudaGraphGetNodes(g3, NULL, &nodes));
    CK(cudaGraphGetEdges(g3, NULL, NULL, NULL, &edges));
    printf("fork %d %zu %zu\n", h, nodes, edges);
    kp.blockDim = 11;
    CK(cudaGraphExecKernelNodeSetParams(x2, n2, &kp));
    CK(cudaGraphLaunch(x2, s));
    CK(cudaStreamSynchronize(s));
    printf("set %d\n", h);
    CK(cudaGraphClone(&g4, g2));
    CK(cudaGraphKernelNodeSetParams(n2, &kp));
    cudaGraphExecUpdateResultInfo ui;
    CK(cudaGraphExecUpdate(x2, g4, &ui));
    CK(cudaGraphLaunch(x2, s));
    CK(cudaStreamSynchronize(s));
    printf("update %d\n", h);
    cudaGraphNodeType ty;
    CK(cudaGraphNodeGetType(n3, &ty));
    cudaMemcpy3DParms cp;
    CK(cudaGraphMemcpyNodeGetParams(n3, &cp));
    printf("node %d, copy %zu kind %d\n", ty, cp.extent.width, cp.kind);
    CK(cudaGraphExecDestroy(x2));
    CK(cudaGraphDestroy(g2));
    return 0;
}
