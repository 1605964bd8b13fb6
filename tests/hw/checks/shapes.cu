/*
 * shapes.cu - more programs for checkers: each wrong thing in several shapes, each with a twin that is right.
 *
 * usage: shapes NAME runs one; shapes --list lists them: name, grid, block. Names end in _bad or _good and begin
 * with the kind: race, memory, init, sync, leak. record.sh runs Compute Sanitizer over all of them, and over
 * cases.cu. A twin differs from its program by one template argument: GOOD.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

enum { N = 4096 };
#define PAIR(name) template <bool GOOD> __global__ void name(int *out, int n)
#define I ((int)threadIdx.x)
#define BLOCK ((int)blockDim.x)

/* ---- races in shared memory ---- */

PAIR(race_reverse)
{
    __shared__ int s[256];
    s[I] = out[I];
    if (GOOD) __syncthreads();
    out[1024 + I] = s[BLOCK - 1 - I];
}
PAIR(race_transpose)
{
    __shared__ int s[16][17];
    const int x = I % 16, y = I / 16;
    s[y][x] = out[I];
    if (GOOD) __syncthreads();
    out[1024 + I] = s[x][y];
}
PAIR(race_loop_reuse)
{
    __shared__ int s[128];
    for (int i = 0; i < n; i++) {
        s[I] = out[I] + i;
        __syncthreads();
        out[I] += s[(I + 33) % BLOCK];
        if (GOOD) __syncthreads();
    }
}
PAIR(race_scan)
{
    __shared__ int s[128];
    s[I] = I;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        const int v = I >= d ? s[I - d] : 0;
        if (GOOD) __syncthreads();
        s[I] += v;
        __syncthreads();
    }
    out[I] = s[I];
}
PAIR(race_scan_end)
{
    __shared__ int s[128];
    s[I] = I;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        const int v = I >= d ? s[I - d] : 0;
        __syncthreads();
        s[I] += v;
        if (GOOD) __syncthreads();
    }
    __syncthreads();
    out[I] = s[I];
}
PAIR(race_histogram)
{
    __shared__ int s[16];
    if (I < 16) s[I] = 0;
    __syncthreads();
    if (GOOD)
        atomicAdd(&s[I % 16], 1);
    else
        s[I % 16]++;
    __syncthreads();
    if (I < 16) out[I] = s[I];
}
PAIR(race_zero_first)
{
    __shared__ int s[16];
    if (I < 16) s[I] = 0;
    if (GOOD) __syncthreads();
    atomicAdd(&s[I % 16], 1);
    __syncthreads();
    if (I < 16) out[I] = s[I];
}
PAIR(race_leader)
{
    __shared__ int s;
    if (I == 0) s = n;
    if (GOOD) __syncthreads();
    out[I] = s;
}
PAIR(race_leader_warp)
{
    __shared__ int s[4];
    if (I % 32 == 0) s[I / 32] = n;
    if (GOOD) __syncwarp();
    out[I] = s[I / 32];
}
PAIR(race_half_barrier) /* a barrier of one warp is none of two */
{
    __shared__ int s[64];
    s[I] = n;
    if (GOOD)
        __syncthreads();
    else
        __syncwarp();
    out[I] = s[63 - I];
}
PAIR(race_bitonic)
{
    __shared__ int s[64];
    s[I] = (I * 37) % 64;
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            const int p = I ^ j;
            const int a = s[I], b = s[p];
            if (GOOD) __syncthreads();
            if (p > I && (a > b) == ((I & k) == 0)) s[I] = b, s[p] = a;
        }
    __syncthreads();
    out[I] = s[I];
}
PAIR(race_dynamic)
{
    extern __shared__ int s[];
    if (I < 64) s[I] = n;
    if (GOOD) __syncthreads();
    if (I < 64) out[I] = s[63 - I];
}
PAIR(race_pairs)
{
    __shared__ int2 s[64];
    s[I % 64] = make_int2(n, n);
    if (GOOD) __syncthreads();
    out[I] = s[(I + 32) % 64].y;
}
PAIR(race_short)
{
    __shared__ short s[128];
    s[I] = (short)n;
    if (GOOD) __syncthreads();
    out[I] = s[I ^ 64];
}
PAIR(race_ballot) /* a vote orders nothing */
{
    __shared__ int s[32];
    s[I] = n;
    const unsigned all = __ballot_sync(~0u, n > 0);
    if (GOOD) __syncwarp();
    out[I] = s[(I + 1) % 32] + (int)all;
}
PAIR(race_group)
{
    __shared__ int s[64];
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[I] = n;
    if (GOOD) tile.sync();
    out[I] = s[I ^ 15];
}
PAIR(race_group_narrow) /* a tile of 16 does not reach the other tile */
{
    __shared__ int s[64];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<16>(block);
    s[I] = n;
    if (GOOD)
        block.sync();
    else
        tile.sync();
    out[I] = s[I ^ 31];
}
PAIR(race_barrier_object)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier b;
    __shared__ int s[128];
    if (I == 0) init(&b, BLOCK);
    __syncthreads();
    s[I] = n;
    auto token = b.arrive();
    if (GOOD) b.wait(std::move(token));
    out[I] = s[I ^ 64];
    if (!GOOD) b.wait(std::move(token));
}
PAIR(race_barrier_object_init)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier b;
    if (I == 0) init(&b, BLOCK);
    if (GOOD) __syncthreads();
    if (!GOOD && I) __nanosleep(2000);
    b.arrive_and_wait();
    out[I] = n;
}
PAIR(race_pipeline)
{
    __shared__ int s[2][64];
    for (int i = 0; i < n; i++) {
        __pipeline_memcpy_async(&s[i % 2][I], &out[I], 4);
        __pipeline_commit();
        __pipeline_wait_prior(GOOD ? 0 : 1);
        out[1024 + i * 64 + I] = s[i % 2][I];
    }
}
PAIR(race_pipeline_overwrite)
{
    __shared__ int s[64];
    s[I] = n;
    __syncthreads();
    out[1024 + I] = s[I ^ 33];
    if (GOOD) __syncthreads();
    __pipeline_memcpy_async(&s[I], &out[I], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[2048 + I] = s[I];
}
PAIR(race_producer) /* named barriers: one half writes, the other reads */
{
    __shared__ int s[32];
    if (I < 32) {
        s[I] = n;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        if (GOOD) asm volatile("bar.sync 1, 64;" ::: "memory");
        out[I] = s[63 - I];
        if (!GOOD) asm volatile("bar.sync 1, 64;" ::: "memory");
    }
}
PAIR(race_named_other)
{
    __shared__ int s[128];
    s[I] = n;
    if (GOOD)
        asm volatile("bar.sync 1, 128;" ::: "memory");
    else if (I < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    out[I] = s[I ^ 64];
}

/* ---- races in global memory ---- */

__device__ int word, flag;
__device__ int many[4096];

PAIR(race_blocks_write)
{
    if (I == 0) out[GOOD ? blockIdx.x : 0] = n + blockIdx.x;
}
PAIR(race_blocks_edge) /* neighbours share a word */
{
    const int i = (GOOD ? BLOCK : BLOCK - 1) * blockIdx.x + I;
    out[i] = n + (int)blockIdx.x;
}
PAIR(race_blocks_halo)
{
    const int i = BLOCK * blockIdx.x + I;
    out[i] = out[GOOD ? i : i + 1] + n;
}
PAIR(race_flag) /* one block tells another */
{
    if (blockIdx.x == 0) {
        if (I == 0) {
            many[0] = n;
            if (GOOD) __threadfence();
            atomicExch(&flag, 1);
        }
    } else if (I == 0) {
        while (!atomicAdd(&flag, 0)) {
        }
        __threadfence();
        out[0] = many[0];
    }
}
PAIR(race_flag_reader)
{
    if (blockIdx.x == 0) {
        if (I == 0) {
            many[0] = n;
            __threadfence();
            atomicExch(&flag, 1);
        }
    } else if (I == 0) {
        while (!atomicAdd(&flag, 0)) {
        }
        if (GOOD) __threadfence();
        out[0] = many[0];
    }
}
PAIR(race_flag_std)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(flag);
    if (blockIdx.x == 0 && I == 0) {
        many[1] = n;
        f.store(1, GOOD ? cuda::memory_order_release : cuda::memory_order_relaxed);
    } else if (blockIdx.x == 1 && I == 0) {
        while (!f.load(cuda::memory_order_acquire)) {
        }
        out[0] = many[1];
    }
}
PAIR(race_flag_std_reader)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(flag);
    if (blockIdx.x == 0 && I == 0) {
        many[1] = n;
        f.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1 && I == 0) {
        while (!f.load(GOOD ? cuda::memory_order_acquire : cuda::memory_order_relaxed)) {
        }
        out[0] = many[1];
    }
}
PAIR(race_flag_block_fence) /* __threadfence_block() is too narrow */
{
    if (blockIdx.x == 0 && I == 0) {
        many[2] = n;
        if (GOOD)
            __threadfence();
        else
            __threadfence_block();
        atomicExch(&flag, 1);
    } else if (blockIdx.x == 1 && I == 0) {
        while (!atomicAdd(&flag, 0)) {
        }
        __threadfence();
        out[0] = many[2];
    }
}
PAIR(race_lock)
{
    if (I == 0) {
        while (atomicCAS(&flag, 0, 1)) {
        }
        __threadfence();
        word = word + n;
        if (GOOD) __threadfence();
        if (GOOD)
            atomicExch(&flag, 0);
        else
            *(volatile int *)&flag = 0;
    }
}
PAIR(race_max)
{
    if (GOOD)
        atomicMax(&out[0], I + BLOCK * (int)blockIdx.x);
    else if (out[0] < I + BLOCK * (int)blockIdx.x)
        out[0] = I + BLOCK * blockIdx.x;
}
PAIR(race_sum_read) /* the total is read while others add */
{
    atomicAdd(&out[0], n);
    if (!GOOD && I == 0) out[16 + blockIdx.x] = out[0];
}
PAIR(race_scope_block)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> b(out[0]);
    cuda::atomic_ref<int, cuda::thread_scope_device> d(out[0]);
    if (GOOD)
        d.fetch_add(n);
    else
        b.fetch_add(n);
}
PAIR(race_bytes_global)
{
    char *bytes = (char *)out;
    const int i = BLOCK * blockIdx.x + I;
    if (GOOD)
        bytes[i] = (char)i;
    else
        out[i / 4] = i;
}
PAIR(race_last)
{
    __shared__ bool last;
    many[blockIdx.x * BLOCK + I] = n;
    if (GOOD) __syncthreads();
    if (I == 0) {
        __threadfence();
        last = atomicAdd(&word, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        out[I] = many[((gridDim.x - 1 - I % gridDim.x) * BLOCK) + (I + 1) % BLOCK];
    }
}

/* ---- memory ---- */

PAIR(memory_last)
{
    const int i = BLOCK * blockIdx.x + I;
    if (GOOD ? i < N : i <= N) out[i] = n;
}
PAIR(memory_before)
{
    out[I - (GOOD ? 0 : 1)] = n;
}
PAIR(memory_read_far)
{
    out[I] = out[GOOD ? I : N + 1000 + I];
}
PAIR(memory_vector)
{
    int4 *v = (int4 *)(out + (GOOD ? 4 : 1));
    v[I] = make_int4(n, n, n, n);
}
PAIR(memory_wide)
{
    double *v = (double *)(out + (GOOD ? 2 : 1));
    v[I] = n;
}
PAIR(memory_shared_past)
{
    __shared__ int s[64];
    s[I + (GOOD ? 0 : 64)] = n;
    __syncthreads();
    out[I] = s[I];
}
PAIR(memory_shared_dynamic)
{
    extern __shared__ int d[];
    d[I + (GOOD ? 0 : 60)] = n;
    out[I] = n;
}
PAIR(memory_atomic)
{
    atomicAdd(out + (GOOD ? 0 : N) + I, n);
}
PAIR(memory_heap_past)
{
    int *p = (int *)malloc(40);
    p[GOOD ? 9 : 10] = n;
    out[I] = p[GOOD ? 9 : 10];
    free(p);
}
PAIR(memory_heap_freed)
{
    int *p = (int *)malloc(40);
    p[0] = n;
    if (GOOD) out[I] = p[0];
    free(p);
    if (!GOOD) out[I] = *(volatile int *)p;
}
PAIR(memory_heap_twice)
{
    int *p = (int *)malloc(40);
    free(p);
    if (!GOOD) free(p);
    out[I] = n;
}
PAIR(memory_struct) /* an index that comes from memory */
{
    const int i = out[I] + I + (GOOD ? 0 : 2 * N);
    out[i] = n;
}
PAIR(memory_byte)
{
    ((char *)out)[4 * N - 1 + (GOOD ? 0 : 1)] = 1;
}

/* ---- initialisation ---- */

PAIR(init_first)
{
    if (GOOD) out[512 + I] = n;
    out[I] = out[512 + I];
}
PAIR(init_accumulate)
{
    if (GOOD) out[I] = 0;
    out[I] += n;
}
PAIR(init_counter)
{
    if (GOOD && I == 0) out[0] = 0;
    __syncthreads();
    atomicAdd(&out[0], n);
}
PAIR(init_tail)
{
    if (GOOD || I < BLOCK - 1) out[512 + I] = n;
    __syncthreads();
    out[I] = out[512 + (I + 1) % BLOCK];
}
PAIR(init_vector)
{
    int4 *v = (int4 *)out;
    if (GOOD) v[64 + I] = make_int4(n, n, n, n);
    v[I] = v[64 + I];
}
PAIR(init_shared_tail)
{
    __shared__ int s[65];
    s[I] = n;
    if (GOOD && I == 0) s[64] = n;
    __syncthreads();
    out[I] = s[I + 1];
}
PAIR(init_shared_sum)
{
    __shared__ int s[4];
    if (GOOD && I < 4) s[I] = 0;
    __syncthreads();
    atomicAdd(&s[I % 4], 1);
    __syncthreads();
    if (I < 4) out[I] = s[I];
}
PAIR(init_local)
{
    int a[16];
    for (int i = 0; i < (GOOD ? 16 : 8); i++) a[(i * n) % 16] = i;
    out[I] = a[(I * n + 1) % 16];
}
PAIR(init_heap)
{
    int *p = (int *)malloc(64);
    if (GOOD) p[I % 16] = n;
    out[I] = p[I % 16];
    free(p);
}
PAIR(init_branch)
{
    if (GOOD) out[512 + I] = n;
    if (out[512 + I] > 0) out[I] = n;
}

/* ---- barriers ---- */

PAIR(sync_half)
{
    if (GOOD || I < 48) __syncthreads();
    out[I] = n;
}
PAIR(sync_lane)
{
    if (GOOD || I % 32) __syncthreads();
    out[I] = n;
}
PAIR(sync_branches)
{
    if (GOOD) {
        __syncthreads();
    } else if (I & 1) {
        out[I] = n;
        __syncthreads();
    } else {
        out[I] = 2 * n;
        __syncthreads();
    }
    out[I] += n;
}
PAIR(sync_loop)
{
    for (int i = 0; i < (GOOD ? 4 : 4 + (I & 1)); i++) __syncthreads();
    out[I] = n;
}
PAIR(sync_return)
{
    if (!GOOD && I % 32 == 7) return;
    __syncthreads();
    out[I] = n;
}
PAIR(sync_warp_mask)
{
    if (I < 8) __syncwarp(GOOD ? 0xff : 0xff00);
    out[I] = n;
}
PAIR(sync_shuffle_mask)
{
    int v = n;
    if (I < 16) v = __shfl_sync(GOOD ? 0x0000ffff : 0xffff0000, n, 3);
    out[I] = v;
}
PAIR(sync_count)
{
    if (GOOD)
        asm volatile("bar.sync 1, 64;");
    else
        asm volatile("bar.sync 1, 96;");
    out[I] = n;
}

/* ---- what the host does ---- */

static int *made(int n = N)
{
    int *p;
    cudaMalloc(&p, n * sizeof *p);
    return p;
}
__global__ void fill(int *p, int n)
{
    p[I] = n;
}
static int say(const char *name)
{
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %s\n", name, cudaGetErrorName(error));
    return error != cudaSuccess;
}

template <bool GOOD> void memory_freed()
{
    int *p = made();
    if (!GOOD) cudaFree(p);
    fill<<<1, 32>>>(p, 1);
    cudaDeviceSynchronize();
    if (GOOD) cudaFree(p);
}
template <bool GOOD> void memory_freed_again() /* the next allocation might lie there */
{
    int *p = made();
    if (!GOOD) cudaFree(p);
    int *q = made();
    fill<<<1, 32>>>(p, 1);
    cudaDeviceSynchronize();
    if (GOOD) cudaFree(p);
    cudaFree(q);
}
template <bool GOOD> void memory_twice()
{
    int *p = made();
    cudaFree(p);
    if (!GOOD) cudaFree(p);
}
template <bool GOOD> void memory_inside()
{
    int *p = made();
    if (!GOOD) cudaFree(p + 1);
    cudaFree(p);
}
template <bool GOOD> void memory_freed_async()
{
    int *p;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocAsync(&p, 4 * N, s);
    if (!GOOD) cudaFreeAsync(p, s);
    fill<<<1, 32, 0, s>>>(p, 1);
    if (GOOD) cudaFreeAsync(p, s);
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
}
template <bool GOOD> void memory_early() /* another stream, before the allocation */
{
    int *p;
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cudaMallocAsync(&p, 4 * N, s);
    cudaEventRecord(e, s);
    if (GOOD) cudaStreamWaitEvent(t, e, 0);
    fill<<<1, 32, 0, t>>>(p, 1);
    cudaStreamSynchronize(t);
    cudaFreeAsync(p, s);
    cudaStreamSynchronize(s);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}
template <bool GOOD> void leak_plain()
{
    int *p = made();
    fill<<<1, 32>>>(p, 1);
    cudaDeviceSynchronize();
    if (GOOD) cudaFree(p);
}
template <bool GOOD> void leak_pinned()
{
    int *p;
    cudaMallocHost(&p, 4 * N);
    if (GOOD) cudaFreeHost(p);
}
template <bool GOOD> void leak_async()
{
    int *p;
    cudaMallocAsync(&p, 4 * N, 0);
    if (GOOD) cudaFreeAsync(p, 0);
    cudaDeviceSynchronize();
}
template <bool GOOD> void init_copy()
{
    static int h[N];
    int *p = made(), *q = made();
    if (GOOD) cudaMemset(p, 0, 4 * N);
    cudaMemcpy(q, p, 4 * N, cudaMemcpyDeviceToDevice);
    cudaMemcpy(h, q, 4 * N, cudaMemcpyDeviceToHost);
    cudaFree(p);
    cudaFree(q);
}
template <bool GOOD> void race_streams() /* two streams, one buffer */
{
    int *p = made();
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    fill<<<1, 32, 0, s>>>(p, 1);
    if (GOOD) cudaStreamSynchronize(s);
    fill<<<1, 32, 0, t>>>(p, 2);
    cudaDeviceSynchronize();
    cudaFree(p);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}
template <bool GOOD> void race_streams_event()
{
    int *p = made();
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    fill<<<1, 32, 0, s>>>(p, 1);
    cudaEventRecord(e, s);
    if (GOOD) cudaStreamWaitEvent(t, e, 0);
    fill<<<1, 32, 0, t>>>(p, 2);
    cudaDeviceSynchronize();
    cudaFree(p);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}

/* ---- which, and how ---- */

struct test {
    const char *name;
    void (*kernel)(int *, int);
    void (*host)();
    int grid, block, n;
};
#define T(name, grid, block, n)                                                                              \
    {#name "_bad", name<false>, 0, grid, block, n}, {#name "_good", name<true>, 0, grid, block, n},
#define H(name) {#name "_bad", 0, name<false>, 0, 0, 0}, {#name "_good", 0, name<true>, 0, 0, 0},
static const struct test tests[] = {
    T(race_reverse, 1, 256, 3) T(race_transpose, 1, 256, 3) T(race_loop_reuse, 1, 128, 4) T(race_scan, 1, 128, 3)
    T(race_scan_end, 1, 128, 3) T(race_histogram, 1, 128, 3) T(race_zero_first, 1, 128, 3)
    T(race_leader, 1, 128, 3) T(race_leader_warp, 1, 128, 3) T(race_half_barrier, 1, 64, 3)
    T(race_bitonic, 1, 64, 3) T(race_dynamic, 1, 128, 3) T(race_pairs, 1, 64, 3) T(race_short, 1, 128, 3)
    T(race_ballot, 1, 32, 3) T(race_group, 1, 64, 3) T(race_group_narrow, 1, 64, 3)
    T(race_barrier_object, 1, 128, 3) T(race_barrier_object_init, 1, 128, 3) T(race_pipeline, 1, 64, 4)
    T(race_pipeline_overwrite, 1, 64, 3) T(race_producer, 1, 64, 3) T(race_named_other, 1, 128, 3)
    T(race_blocks_write, 4, 32, 3) T(race_blocks_edge, 4, 32, 3) T(race_blocks_halo, 4, 32, 3)
    T(race_flag, 2, 32, 3) T(race_flag_reader, 2, 32, 3) T(race_flag_std, 2, 32, 3)
    T(race_flag_std_reader, 2, 32, 3) T(race_flag_block_fence, 2, 32, 3) T(race_lock, 4, 32, 3)
    T(race_max, 2, 64, 3) T(race_sum_read, 4, 32, 3) T(race_scope_block, 4, 32, 3) T(race_bytes_global, 2, 64, 3)
    T(race_last, 4, 64, 3) T(memory_last, 65, 64, 3) T(memory_before, 1, 32, 3) T(memory_read_far, 1, 32, 3)
    T(memory_vector, 1, 32, 3) T(memory_wide, 1, 32, 3) T(memory_shared_past, 1, 64, 3)
    T(memory_shared_dynamic, 1, 64, 3) T(memory_atomic, 1, 32, 3) T(memory_heap_past, 1, 1, 3)
    T(memory_heap_freed, 1, 1, 3) T(memory_heap_twice, 1, 1, 3) T(memory_struct, 1, 32, 3) T(memory_byte, 1, 1, 3)
    T(init_first, 1, 64, 3) T(init_accumulate, 1, 64, 3) T(init_counter, 1, 64, 3) T(init_tail, 1, 64, 3)
    T(init_vector, 1, 32, 3) T(init_shared_tail, 1, 64, 3) T(init_shared_sum, 1, 64, 3) T(init_local, 1, 32, 3)
    T(init_heap, 1, 1, 3) T(init_branch, 1, 64, 3) T(sync_half, 1, 64, 3) T(sync_lane, 1, 64, 3)
    T(sync_branches, 1, 64, 3) T(sync_loop, 1, 64, 3) T(sync_return, 1, 64, 3) T(sync_warp_mask, 1, 32, 3)
    T(sync_shuffle_mask, 1, 32, 3) T(sync_count, 1, 64, 3) H(memory_freed) H(memory_freed_again) H(memory_twice)
    H(memory_inside) H(memory_freed_async) H(memory_early) H(leak_plain) H(leak_pinned) H(leak_async) H(init_copy)
    H(race_streams) H(race_streams_event)
};

static int run(const struct test *t)
{
    if (t->host) {
        t->host();
        return say(t->name);
    }
    int *out = made();
    if (strncmp(t->name, "init", 4) != 0) cudaMemset(out, 0, N * sizeof *out);
    t->kernel<<<t->grid, t->block, 256>>>(out, t->n);
    const int code = say(t->name);
    cudaFree(out);
    return code;
}

int main(int argc, char **argv)
{
    const bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    for (const struct test &t : tests) {
        if (list) printf("%s %d %d\n", t.name, t.grid, t.block);
        if (!list && argc > 1 && strcmp(argv[1], t.name) == 0) return run(&t);
    }
    return list ? 0 : 2;
}
