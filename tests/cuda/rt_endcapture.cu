// The end of captures: without a graph to give, of streams and events that are gone, of what is not one.
#include "say.h"

__global__ void add(int *p, int k)
{
    *p += k;
}

static int *p;

static int value()
{
    int h = 0;
    RT(cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost));
    RT(cudaMemset(p, 0, 4));
    return h;
}

static void state(const char *when, cudaStream_t s)
{
    cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)7;
    cudaError_t error = cudaStreamIsCapturing(s, &status);
    printf("%s: %d status %d\n", when, error, status);
    cudaGetLastError();
}

static void run(cudaGraph_t g)
{
    cudaGraphExec_t e;
    size_t nodes = 0;
    SAY(cudaGraphGetNodes(g, nullptr, &nodes));
    SAY(cudaGraphInstantiate(&e, g, 0));
    SAY(cudaGraphLaunch(e, 0));
    printf("%zu nodes, %d\n", nodes, value());
}

static void without_graph()
{
    cudaStream_t s;
    cudaGraph_t g, h = nullptr;
    RT(cudaStreamCreate(&s));
    RT(cudaGraphCreate(&g, 0));
    SAY(cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(p, 5);
    SAY(cudaStreamEndCapture(s, nullptr));
    state("ended without a graph", s);
    run(g);
    SAY(cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(p, 6);
    SAY(cudaStreamEndCapture(s, &h));
    printf("the same graph %d\n", g == h);
    run(g);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(p, 7);
    SAY(cudaStreamEndCapture(s, nullptr));
    state("a capture of its own, ended without a graph", s);
    h = nullptr;
    SAY(cudaStreamEndCapture(s, &h));
    printf("given %d\n", h != nullptr);
    if (h) run(h);
    SAY(cudaStreamEndCapture(s, nullptr));
    SAY(cudaStreamEndCapture(s, &h));
    cudaGetLastError();
    add<<<1, 1, 0, s>>>(p, 8);
    SAY(cudaGetLastError());
    SAY(cudaStreamSynchronize(s));
    printf("%d\n", value());
}

/* A stream that joined the capture goes before the end, joined again or not; so do events. */
static void gone(bool joined, bool origin)
{
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t g = nullptr;
    printf("gone: joined %d origin %d\n", joined, origin);
    RT(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    RT(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    RT(cudaEventCreate(&fork));
    RT(cudaEventCreate(&join));
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, a>>>(p, 1);
    SAY(cudaEventRecord(fork, a));
    SAY(cudaStreamWaitEvent(b, fork, 0));
    add<<<1, 1, 0, b>>>(p, 2);
    SAY(cudaEventRecord(join, b));
    if (joined) SAY(cudaStreamWaitEvent(a, join, 0));
    state("before", a);
    SAY(cudaStreamDestroy(origin ? a : b));
    state("a stream is gone", origin ? b : a);
    SAY(cudaEventDestroy(fork));
    SAY(cudaEventDestroy(join));
    state("events are gone", origin ? b : a);
    SAY(cudaStreamEndCapture(origin ? b : a, &g));
    printf("given %d\n", g != nullptr);
    if (g) run(g);
    cudaGetLastError();
}

static void questions()
{
    cudaStream_t s;
    cudaGraph_t g = nullptr;
    RT(cudaStreamCreate(&s));
    SAY(cudaStreamIsCapturing(s, nullptr));
    SAY(cudaStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamIsCapturing(s, nullptr));
    SAY(cudaStreamGetCaptureInfo(s, nullptr));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9));
    SAY(cudaStreamEndCapture(0, nullptr));
    SAY(cudaStreamEndCapture(0, &g));
}

/* Memory nodes, a stream that helps and is destroyed before the end. */
static void memory_nodes()
{
    enum { N = 32, BYTES = N * 4 };
    int *in = (int *)malloc(BYTES), *one = (int *)malloc(BYTES), *two = (int *)malloc(BYTES), *a, *b, *c;
    cudaStream_t s, t;
    cudaEvent_t e, f;
    cudaGraph_t g = nullptr;
    cudaGraphExec_t x;
    for (int i = 0; i < N; i++) in[i] = i + 3;
    RT(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    RT(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    RT(cudaEventCreate(&e));
    RT(cudaEventCreate(&f));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaMallocAsync(&a, BYTES, s));
    SAY(cudaMallocAsync(&b, BYTES, s));
    SAY(cudaMemcpyAsync(a, in, BYTES, cudaMemcpyHostToDevice, s));
    add<<<1, 1, 0, s>>>(a, 5);
    SAY(cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, s));
    SAY(cudaEventRecord(e, s));
    SAY(cudaStreamWaitEvent(t, e, 0));
    SAY(cudaMemcpyAsync(one, b, BYTES, cudaMemcpyDeviceToHost, t));
    SAY(cudaFreeAsync(a, s));
    SAY(cudaMallocAsync(&c, BYTES, s));
    SAY(cudaMemcpyAsync(c, b, BYTES, cudaMemcpyDeviceToDevice, s));
    SAY(cudaMemcpyAsync(two, c, BYTES, cudaMemcpyDeviceToHost, s));
    SAY(cudaFreeAsync(c, s));
    SAY(cudaEventRecord(e, s));
    SAY(cudaStreamWaitEvent(t, e, 0));
    SAY(cudaFreeAsync(b, t));
    SAY(cudaEventRecord(f, t));
    SAY(cudaStreamWaitEvent(s, f, 0));
    SAY(cudaStreamDestroy(t));
    SAY(cudaEventDestroy(e));
    SAY(cudaEventDestroy(f));
    state("memory nodes", s);
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    printf("%d %d %d %d\n", one[0], one[1], two[0], two[31]);
}

int main()
{
    RT(cudaMalloc(&p, 4));
    RT(cudaMemset(p, 0, 4));
    without_graph();
    gone(true, false);
    gone(false, false);
    gone(true, true);
    gone(false, true);
    questions();
    memory_nodes();
    return 0;
}
