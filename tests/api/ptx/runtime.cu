// runtime.cu - kernels that use every part of the device runtime; test_runtime.c runs them and says what must come out.
//
// nvcc -rdc=true -ptx -lineinfo -arch=sm_90 -o runtime.ptx runtime.cu
#include <cstdio>
#include <cassert>

// ---- order (device-runtime.md, section 11: 10 11 1 20 30 31, then 99 of the next host launch) ----

__device__ int order[64], events;

__global__ void note(int what)
{
    order[atomicAdd(&events, 1)] = what;
}

extern "C" __global__ void launch_order()
{
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(30);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(31);
    note<<<1, 1>>>(10);
    note<<<1, 1>>>(11);
    note<<<1, 1, 0, cudaStreamFireAndForget>>>(20);
    order[atomicAdd(&events, 1)] = 1;
}

// A tail may launch too: its own tail comes before the next tail of its parent.
__global__ void tail_with_tail(int what)
{
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(what + 1);
    order[atomicAdd(&events, 1)] = what;
}

extern "C" __global__ void tails_of_tails()
{
    tail_with_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(40);
    tail_with_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(50);
    note<<<1, 1>>>(10);
}

// ---- nesting ----

__global__ void count_down(int *deepest, int *errors, int depth, int limit)
{
    atomicMax(deepest, depth);
    if (depth == limit) return;
    count_down<<<1, 1>>>(deepest, errors, depth + 1, limit);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) atomicExch(errors, (int)e);
}

extern "C" __global__ void nest(int *deepest, int *errors, int limit)
{
    count_down<<<1, 1>>>(deepest, errors, 1, limit);
}

__global__ void add_one(unsigned long long *sum)
{
    atomicAdd(sum, 1ull);
}

__global__ void fan(unsigned long long *sum, int width, int depth)
{
    if (depth == 0)
        atomicAdd(sum, 1ull);
    else
        fan<<<width, 32>>>(sum, width, depth - 1);
}

extern "C" __global__ void tree(unsigned long long *sum, int width, int depth)
{
    fan<<<width, 1>>>(sum, width, depth);
}

extern "C" __global__ void flood(unsigned long long *sum, int n)
{
    for (int i = 0; i < n; i++) add_one<<<1, 1>>>(sum);
}

// Every thread launches, all into the same NULL stream of the grid.
extern "C" __global__ void flood_wide(unsigned long long *sum)
{
    add_one<<<2, 32>>>(sum);
}

// ---- parameters ----

struct three { char c; double d; short s[3]; };

__global__ void take(long long *out, char c, short h, int i, long long l, float f, double d, three t, int3 v, float4 w, bool b)
{
    out[0] = c; out[1] = h; out[2] = i; out[3] = l; out[4] = (long long)f; out[5] = (long long)d;
    out[6] = t.c; out[7] = (long long)t.d; out[8] = t.s[0] + 10 * t.s[1] + 100 * t.s[2];
    out[9] = v.x + 10 * v.y + 100 * v.z; out[10] = (long long)(w.x + 10 * w.y + 100 * w.z + 1000 * w.w); out[11] = b;
}

extern "C" __global__ void give(long long *out)
{
    three t = {1, 2.0, {3, 4, 5}};
    take<<<1, 1>>>(out, -6, -7, -8, -9, -10.f, -11., t, make_int3(1, 2, 3), make_float4(4, 5, 6, 7), true);
}

// ---- shapes, buffers, errors ----

__global__ void nothing() {}

extern "C" __global__ void bad_shapes(int *error)
{
    nothing<<<0, 1>>>();         error[0] = cudaGetLastError();
    nothing<<<1, 0>>>();         error[1] = cudaGetLastError();
    nothing<<<1, 2048>>>();      error[2] = cudaGetLastError();
    nothing<<<1, 1, 300000>>>(); error[3] = cudaGetLastError();
    error[4] = cudaGetLastError();
    nothing<<<1, 1>>>();         error[5] = cudaPeekAtLastError();
    nothing<<<1, 2048>>>();      error[6] = cudaPeekAtLastError();
    error[7] = cudaPeekAtLastError();
    cudaGetLastError();
    error[8] = cudaGetLastError();
}

// The last error belongs to the thread.
extern "C" __global__ void error_of_thread(int *error)
{
    if (threadIdx.x == 1) nothing<<<1, 2048>>>();
    error[threadIdx.x] = cudaGetLastError();
}

extern "C" __global__ void many_tails(int *result, int n)
{
    result[0] = -1;
    for (int i = 0; i < n; i++) {
        nothing<<<1, 1, 0, cudaStreamTailLaunch>>>();
        cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess) {
            result[0] = i;
            result[1] = e;
            return;
        }
    }
}

extern "C" __global__ void many_events(int *result, int n)
{
    result[0] = -1;
    for (int i = 0; i < n; i++) {
        cudaEvent_t event;
        cudaError_t e = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        if (e != cudaSuccess) {
            result[0] = i;
            result[1] = e;
            return;
        }
    }
}

extern "C" __global__ void streams_and_events(int *error)
{
    cudaStream_t s, plain;
    cudaEvent_t e, timed;
    error[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    error[1] = cudaStreamCreateWithFlags(&plain, cudaStreamDefault);
    error[2] = cudaEventCreateWithFlags(&timed, cudaEventDefault);
    error[3] = cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    error[4] = cudaEventRecord(e, cudaStreamTailLaunch);
    error[5] = cudaEventRecord(e, cudaStreamFireAndForget);
    error[6] = cudaEventRecord(e, s);
    error[7] = cudaStreamWaitEvent(0, e, 0);
    error[8] = cudaEventDestroy(e);
    error[9] = cudaStreamDestroy(s);
    error[10] = cudaStreamDestroy(s);
}

__global__ void slow_store(volatile int *to, int value)
{
    for (int i = 0; i < 3000; i++) *to = -i;
    *to = value;
}

__global__ void copy_int(int *to, const volatile int *from)
{
    *to = *from;
}

// The second stream waits for the event behind the slow kernel of the first.
extern "C" __global__ void event_orders_streams(int *data)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    slow_store<<<1, 1, 0, a>>>(data, 77);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    copy_int<<<1, 1, 0, b>>>(data + 1, data);
}

// ---- memory ----

extern "C" __global__ void copies(int *to, int *from, int *error)
{
    __shared__ int in_shared[4];
    int in_local[4] = {1, 2, 3, 4};
    error[0] = cudaMemcpyAsync(to, in_shared, 16, cudaMemcpyDeviceToDevice, 0);
    error[1] = cudaMemcpyAsync(to, in_local, 16, cudaMemcpyDeviceToDevice, 0);
    error[2] = cudaMemcpyAsync(to, from, 16, cudaMemcpyHostToDevice, 0);
    error[3] = cudaMemcpyAsync(in_shared, in_local, 0, cudaMemcpyHostToDevice, 0);
    error[4] = cudaMemsetAsync(in_shared, 0, 16, 0);
    error[5] = cudaMemcpyAsync(to, from, 64, cudaMemcpyDeviceToDevice, 0);
    error[6] = cudaMemsetAsync(to + 4, 0x7f, 16, 0);
    error[7] = cudaMemcpyAsync(to + 8, to + 4, 8, cudaMemcpyDefault, 0);
    cudaGetLastError();
}

extern "C" __global__ void copy_2d(int *to, int *from)
{
    cudaMemcpy2DAsync(to, 16, from, 32, 8, 3, cudaMemcpyDeviceToDevice, 0);
}

extern "C" __global__ void bad_copy(int *to)
{
    cudaMemsetAsync(to, 0, 1 << 20, 0);
}

extern "C" __global__ void heap_calls(int *error)
{
    void *p = (void *)1;
    error[0] = cudaMalloc(&p, 0);
    error[1] = cudaMalloc(&p, 1ull << 40);
    error[2] = p == nullptr;
    error[3] = cudaMalloc(&p, 100);
    error[4] = p != nullptr;
    error[5] = cudaFree(p);
    error[6] = cudaFree(nullptr);
}

// Every thread builds a list in the device heap and sums it.
extern "C" __global__ void lists(unsigned *sums, int n)
{
    struct node { node *next; unsigned value; } *list = nullptr;
    for (int i = 0; i < n; i++) {
        node *x = (node *)malloc(sizeof(node));
        if (!x) return;
        x->next = list;
        x->value = i * (threadIdx.x + 1);
        list = x;
    }
    unsigned sum = 0;
    while (list) {
        node *next = list->next;
        sum += list->value;
        free(list);
        list = next;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void free_twice(int *unused)
{
    void *p = malloc(16);
    free(p);
    free(p);
}

extern "C" __global__ void past_heap_block(int *unused)
{
    volatile char *p = (volatile char *)malloc(20);
    p[unused[0]] = 1;
}

// ---- queries ----

extern "C" __global__ void queries(long long *out)
{
    int n = -1;
    size_t limit = 0;
    out[0] = cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0);
    out[1] = cudaDeviceGetAttribute(&n, cudaDevAttrMaxThreadsPerBlock, 0); out[2] = n;
    out[3] = cudaDeviceGetAttribute(&n, cudaDevAttrComputeCapabilityMajor, 0); out[4] = n;
    out[5] = cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 1);
    out[6] = cudaRuntimeGetVersion(&n); out[7] = n;
    out[8] = cudaGetDeviceCount(&n); out[9] = n;
    out[10] = cudaGetDevice(&n); out[11] = n;
    for (int i = 0; i < 7; i++) {
        limit = 12345;
        out[12 + 2 * i] = cudaDeviceGetLimit(&limit, (cudaLimit)i);
        out[13 + 2 * i] = limit;
    }
    const char *name = cudaGetErrorName(cudaErrorInvalidConfiguration), *text = cudaGetErrorString(cudaErrorInvalidValue);
    out[26] = name[0] == 'c' && name[9] == 'I' && name[29] == 0;
    out[27] = text[0] == 'i' && text[15] == 't' && text[16] == 0;
    out[28] = cudaGetErrorString((cudaError_t)12345)[0];
}

// ---- output ----

extern "C" __global__ void prints(int *result)
{
    result[0] = printf("plain\n");
    result[1] = printf("%d %s\n", -5, "text");
    result[2] = printf("%c %5d|%-5d|%05d %x %llx %s\n", 'a', 42, 42, 42, 255u, 0x123456789abcdefull, "end");
    result[3] = printf("%f %.3e %g %% %u %ld %hd\n", 1.5, 12345.678, 0.5f, 4000000000u, -1234567890123l, (short)-2);
    result[4] = printf("%*d|%.2f|%+d|%#x|% d\n", 6, 7, 3.14159, 8, 255, 9);
    result[5] = printf("%p %s\n", (void *)0x1234, (const char *)nullptr);
}

extern "C" __global__ void asserts(int *data)
{
    assert(data[threadIdx.x] == 0);
}

// ---- faults in children ----

__global__ void store_null(int *p)
{
    *p = 1;
}

extern "C" __global__ void child_stores_null(int *error)
{
    store_null<<<1, 1>>>(nullptr);
    error[0] = cudaGetLastError();
}

__global__ void follow(int *p)
{
    *p = 1;
}

extern "C" __global__ void child_follows_shared()
{
    __shared__ int x;
    x = 0;
    follow<<<1, 1>>>(&x);
}

extern "C" __global__ void child_of_child_traps()
{
    child_stores_null<<<1, 1>>>((int *)nullptr);
}
