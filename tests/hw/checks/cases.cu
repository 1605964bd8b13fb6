/*
 * cases.cu - small programs for checkers: each wrong thing, and twins that are right.
 *
 * usage: cases NAME runs one kernel; cases --list lists them: name, grid, block. record.sh runs Compute
 * Sanitizer over all of them; tests/exec/checks/cases.ptx is what nvcc makes of the kernels.
 * A name ends in _bad or _good, and begins with the kind: race, memory, init, sync.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_pipeline.h>

#define KERNEL extern "C" __global__ void
enum { N = 4096 };

/* ---- races in shared memory ---- */

KERNEL race_barrier_bad(int *out, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x + n;
    out[threadIdx.x] = s[(threadIdx.x + 64) % blockDim.x];
}
KERNEL race_barrier_good(int *out, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x + n;
    __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x + 64) % blockDim.x];
}
KERNEL race_volatile_good(int *out, int n) /* to PTX volatile accesses are strong: wrong results, but no race */
{
    __shared__ volatile int s[32];
    s[threadIdx.x] = threadIdx.x * n;
    if (threadIdx.x < 16) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 16];
    out[threadIdx.x] = s[threadIdx.x];
}
KERNEL race_lanes_plain_bad(int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x * n;
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL race_lanes_plain_good(int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x * n;
    __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL race_lanes_shuffle_bad(int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x * n;
    int v = __shfl_sync(~0u, n, threadIdx.x ^ 1);
    out[threadIdx.x] = s[threadIdx.x ^ 1] + v;
}
KERNEL race_reuse_bad(int *out, int n)
{
    __shared__ int s[128];
    int sum = 0;
    for (int i = 0; i < n; i++) {
        s[threadIdx.x] = i + threadIdx.x;
        __syncthreads();
        sum += s[(threadIdx.x + 33) % 128];
    }
    out[threadIdx.x] = sum;
}
KERNEL race_reuse_good(int *out, int n)
{
    __shared__ int s[128];
    int sum = 0;
    for (int i = 0; i < n; i++) {
        s[threadIdx.x] = i + threadIdx.x;
        __syncthreads();
        sum += s[(threadIdx.x + 33) % 128];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
KERNEL race_double_good(int *out, int n) /* two buffers need one barrier a turn */
{
    __shared__ int s[2][128];
    int sum = 0;
    for (int i = 0; i < n; i++) {
        s[i & 1][threadIdx.x] = i + threadIdx.x;
        __syncthreads();
        sum += s[i & 1][(threadIdx.x + 33) % 128];
    }
    out[threadIdx.x] = sum;
}
KERNEL race_tree_bad(int *out, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x + n;
    __syncthreads();
    for (int w = 128; w > 0; w /= 2)
        if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
    if (threadIdx.x == 0) out[0] = s[0];
}
KERNEL race_tree_good(int *out, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x + n;
    __syncthreads();
    for (int w = 128; w > 0; w /= 2) {
        if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = s[0];
}
KERNEL race_count_bad(int *out, int n)
{
    __shared__ int s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x % 8] += n;
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = s[threadIdx.x];
}
KERNEL race_count_good(int *out, int n)
{
    __shared__ int s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[threadIdx.x % 8], n);
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = s[threadIdx.x];
}
KERNEL race_atomic_read_bad(int *out, int n)
{
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, n);
    out[threadIdx.x] = s;
}
KERNEL race_values_good(int *out, int n) /* all write one value */
{
    __shared__ int s;
    s = n;
    __syncthreads();
    out[threadIdx.x] = s;
}
KERNEL race_bytes_good(int *out, int n)
{
    __shared__ unsigned char s[256];
    s[threadIdx.x] = (unsigned char)(threadIdx.x + n);
    __syncthreads();
    out[threadIdx.x] = s[255 - threadIdx.x];
}
KERNEL race_bytes_bad(int *out, int n)
{
    __shared__ unsigned char s[260];
    s[threadIdx.x] = (unsigned char)(threadIdx.x + n);
    out[threadIdx.x] = s[(threadIdx.x + 40) % 256];
}
KERNEL race_copy_bad(int *out, int n) /* a copy that nobody waited for */
{
    __shared__ int s[256];
    __pipeline_memcpy_async(&s[threadIdx.x], &out[1024 + threadIdx.x], 4);
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x + 64) % 256] + n;
}
KERNEL race_copy_good(int *out, int n)
{
    __shared__ int s[256];
    __pipeline_memcpy_async(&s[threadIdx.x], &out[1024 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x + 64) % 256] + n;
}
KERNEL race_copy_barrier_bad(int *out, int n)
{
    __shared__ int s[256];
    __pipeline_memcpy_async(&s[threadIdx.x], &out[1024 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[(threadIdx.x + 64) % 256] + n;
}
KERNEL race_named_good(int *out, int n) /* one warp fills, one empties */
{
    __shared__ int s[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        s[lane] = lane + n;
        asm volatile("barrier.cta.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
        out[lane] = s[lane];
    }
}
KERNEL race_named_bad(int *out, int n)
{
    __shared__ int s[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        asm volatile("barrier.cta.arrive 1, 64;" ::: "memory");
        s[lane] = lane + n;
    } else {
        asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
        out[lane] = s[lane];
    }
}

/* ---- races in global memory ---- */

KERNEL race_global_bad(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i + n;
    out[1024 + i] = out[(i + 64) % 256];
}
KERNEL race_global_good(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i + n;
    out[1024 + i] = out[i];
}
KERNEL race_global_count_bad(int *out, int n)
{
    out[0] = out[0] + n;
}
KERNEL race_global_count_good(int *out, int n)
{
    atomicAdd(out, n);
}
KERNEL race_global_scope_bad(int *out, int n)
{
    atomicAdd_block(out, n);
}
KERNEL race_last_block_bad(int *out, int n)
{
    out[1 + blockIdx.x] = n;
    if (atomicAdd(out, 1) == gridDim.x - 1) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += out[1 + i];
        out[100] = sum;
    }
}
KERNEL race_last_block_good(int *out, int n)
{
    out[1 + blockIdx.x] = n;
    __threadfence();
    if (atomicAdd(out, 1) == gridDim.x - 1) {
        int sum = 0;
        __threadfence();
        for (int i = 0; i < gridDim.x; i++) sum += out[1 + i];
        out[100] = sum;
    }
}

/* ---- memory ---- */

KERNEL memory_global_bad(int *out, int n)
{
    out[N + threadIdx.x] = n;
}
KERNEL memory_global_good(int *out, int n)
{
    out[N - 64 + threadIdx.x] = n;
}
KERNEL memory_shared_bad(int *out, int n)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x * 1024 * n] = 1;
    out[0] = dynamic[0];
}
KERNEL memory_misaligned_bad(int *out, int n)
{
    *(int *)((char *)out + n) = 1;
}
KERNEL memory_null_bad(int *out, int n)
{
    *(int *)(size_t)n = *out;
}

/* ---- never written: out is not cleared ---- */

KERNEL init_global_bad(int *out, int n)
{
    out[threadIdx.x] = out[1024 + threadIdx.x] + n;
}
KERNEL init_global_good(int *out, int n)
{
    out[1024 + threadIdx.x] = n;
    out[threadIdx.x] = out[1024 + threadIdx.x];
}
KERNEL init_part_bad(int *out, int n)
{
    ((char *)out)[1024 + 4 * threadIdx.x] = (char)n;
    out[threadIdx.x] = out[256 + threadIdx.x];
}
KERNEL init_shared_bad(int *out, int n)
{
    __shared__ int s[256];
    if (threadIdx.x < n) s[threadIdx.x] = n;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
KERNEL init_shared_good(int *out, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = n;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

/* ---- barriers ---- */

KERNEL sync_warp_part_bad(int *out, int n) /* half of a warp */
{
    if (threadIdx.x % 32 < 16) {
        out[threadIdx.x] = n;
        __syncthreads();
    }
    out[threadIdx.x] += n;
}
KERNEL sync_exited_good(int *out, int n) /* whole warps exit before */
{
    if (threadIdx.x >= 64) return;
    out[threadIdx.x] = n;
    __syncthreads();
    out[128 + threadIdx.x] = out[63 - threadIdx.x];
}
KERNEL sync_exited_part_bad(int *out, int n) /* part of a warp exits before */
{
    if (threadIdx.x >= 40) return;
    out[threadIdx.x] = n;
    __syncthreads();
    out[threadIdx.x] += n;
}
KERNEL sync_sides_bad(int *out, int n) /* lanes of a warp at two barriers */
{
    if (threadIdx.x % 2) {
        out[threadIdx.x] = n;
        __syncthreads();
    } else {
        out[threadIdx.x] = n + 1;
        __syncthreads();
        out[threadIdx.x] += 1;
    }
}
KERNEL sync_uniform_good(int *out, int n) /* the condition is the same for all */
{
    if (n) __syncthreads();
    out[threadIdx.x] = n;
}
KERNEL sync_mask_bad(int *out, int n) /* the mask lacks the lane itself */
{
    if (threadIdx.x < 16) __syncwarp(0xffff0000u);
    out[threadIdx.x] = n;
}
KERNEL sync_mask_good(int *out, int n)
{
    if (threadIdx.x < 16) __syncwarp(0x0000ffffu);
    out[threadIdx.x] = n;
}

/* ---- which, and how ---- */

struct test {
    const char *name;
    void (*kernel)(int *, int);
    int grid, block, shared, n;
};
#define T(name, grid, block, n) {#name, name, grid, block, 256, n},
static const struct test tests[] = {
    T(race_barrier_bad, 1, 256, 3) T(race_barrier_good, 1, 256, 3) T(race_volatile_good, 1, 32, 3)
    T(race_lanes_plain_bad, 1, 64, 3) T(race_lanes_plain_good, 1, 64, 3) T(race_lanes_shuffle_bad, 1, 64, 3)
    T(race_reuse_bad, 1, 128, 4) T(race_reuse_good, 1, 128, 4) T(race_double_good, 1, 128, 4)
    T(race_tree_bad, 1, 256, 3) T(race_tree_good, 1, 256, 3) T(race_count_bad, 1, 128, 3)
    T(race_count_good, 1, 128, 3) T(race_atomic_read_bad, 1, 128, 3) T(race_values_good, 1, 128, 3)
    T(race_bytes_good, 1, 256, 3) T(race_bytes_bad, 1, 256, 3) T(race_copy_bad, 1, 256, 3)
    T(race_copy_good, 1, 256, 3) T(race_copy_barrier_bad, 1, 256, 3) T(race_named_good, 1, 64, 3)
    T(race_named_bad, 1, 64, 3) T(race_global_bad, 2, 128, 3) T(race_global_good, 2, 128, 3)
    T(race_global_count_bad, 2, 32, 3) T(race_global_count_good, 2, 32, 3) T(race_global_scope_bad, 2, 32, 3)
    T(race_last_block_bad, 8, 1, 3) T(race_last_block_good, 8, 1, 3) T(memory_global_bad, 1, 32, 3)
    T(memory_global_good, 1, 32, 3) T(memory_shared_bad, 1, 64, 3) T(memory_misaligned_bad, 1, 1, 2)
    T(memory_null_bad, 1, 1, 4) T(init_global_bad, 1, 64, 3) T(init_global_good, 1, 64, 3)
    T(init_part_bad, 1, 64, 3) T(init_shared_bad, 1, 64, 16) T(init_shared_good, 1, 64, 16)
    T(sync_warp_part_bad, 1, 64, 3) T(sync_exited_good, 1, 128, 3) T(sync_exited_part_bad, 1, 64, 3)
    T(sync_sides_bad, 1, 64, 3) T(sync_uniform_good, 1, 64, 3) T(sync_mask_bad, 1, 32, 3)
    T(sync_mask_good, 1, 32, 3)
};

static int run(const struct test *t)
{
    int *out;
    cudaMalloc(&out, N * sizeof *out);
    if (strncmp(t->name, "init", 4) != 0) cudaMemset(out, 0, N * sizeof *out);
    t->kernel<<<t->grid, t->block, t->shared>>>(out, t->n);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %s\n", t->name, cudaGetErrorName(error));
    cudaFree(out);
    return error != cudaSuccess;
}

int main(int argc, char **argv)
{
    const bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    for (const struct test &t : tests) {
        if (list) printf("%s %d %d %d %d\n", t.name, t.grid, t.block, t.shared, t.n);
        if (!list && argc > 1 && strcmp(argv[1], t.name) == 0) return run(&t);
    }
    return list ? 0 : 2;
}
