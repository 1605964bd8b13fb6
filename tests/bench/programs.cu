/*
 * programs.cu - kernels whose threads part, and that address memory by bytes, tables and computed places,
 * for networks.c; programs.ptx is what nvcc -ptx -arch=sm_90 -fmad=false makes of it.
 *
 * All have the signature of networks.cu. Blocks have 256 threads.
 */
#include <cub/block/block_scan.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "programs.h"

#define KERNEL(name)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(256)                                                                \
        name(const float *__restrict__ a, const float *__restrict__ b, const int *__restrict__ index,                \
             void *__restrict__ out, int rows, int cols)
#define OUT ((float *)out)
#define INTS ((int *)out)
#define WORDS ((uint32_t *)out)
#define BYTES ((const uint8_t *)index)

enum { THREADS = 256 };
#define THREAD (blockIdx.x * THREADS + threadIdx.x)

KERNEL(queens)
{
    INTS[THREAD] = queens_below(THREAD % QUEENS, THREAD / QUEENS % QUEENS);
}

/* The same with the stack in shared memory, where nvcc keeps no part of it in registers. */
KERNEL(queens_shared)
{
    __shared__ uint32_t columns[QUEENS][THREADS], left[QUEENS][THREADS], right[QUEENS][THREADS], open[QUEENS][THREADS];
    const int t = threadIdx.x;
    const uint32_t all = (1u << QUEENS) - 1, p = 1u << THREAD % QUEENS, q = 1u << THREAD / QUEENS % QUEENS;
    int depth = 2, found = 0;
    columns[2][t] = p | q, left[2][t] = (p << 1 | q) << 1, right[2][t] = (p >> 1 | q) >> 1;
    open[2][t] = (p | p << 1 | p >> 1) & q ? 0 : all & ~(columns[2][t] | left[2][t] | right[2][t]);
    while (depth >= 2) {
        const uint32_t here = open[depth][t] & (0u - open[depth][t]);
        if (!here) {
            depth--;
            continue;
        }
        open[depth][t] ^= here;
        if (depth == QUEENS - 1) {
            found++;
            continue;
        }
        columns[depth + 1][t] = columns[depth][t] | here;
        left[depth + 1][t] = (left[depth][t] | here) << 1;
        right[depth + 1][t] = (right[depth][t] | here) >> 1;
        open[depth + 1][t] = all & ~(columns[depth + 1][t] | left[depth + 1][t] | right[depth + 1][t]);
        depth++;
    }
    INTS[THREAD] = found;
}

__constant__ const uint8_t letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

KERNEL(base64)
{
    for (int i = threadIdx.x; i < cols; i += THREADS)
        WORDS[blockIdx.x * cols + i] = base64_word(BYTES + (blockIdx.x * cols + i) * 3, letters);
}

KERNEL(aes)
{
    __shared__ uint32_t table[256];
    __shared__ uint8_t box[256];
    box[threadIdx.x] = aes_box((uint8_t)threadIdx.x);
    table[threadIdx.x] = aes_column(box[threadIdx.x]);
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += THREADS) {
        const int at = (blockIdx.x * cols + i) * 4;
        uint32_t s[4];
        for (int k = 0; k < 4; k++) s[k] = (uint32_t)index[at + k];
        aes_block(s, table, box, (uint32_t)rows);
        for (int k = 0; k < 4; k++) WORDS[at + k] = s[k];
    }
}

KERNEL(sha256)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int k = 0; k < cols; k++) {
        uint32_t w[16];
        for (int i = 0; i < 16; i++) w[i] = (uint32_t)index[(k * 16 + i) * rows + THREAD];
        sha_block(state, w);
    }
    for (int i = 0; i < 8; i++) WORDS[i * rows + THREAD] = state[i];
}

KERNEL(keccak_f)
{
    uint64_t s[25];
    for (int i = 0; i < 25; i++) s[i] = (uint64_t)(uint32_t)index[i * rows + THREAD] * 0x100000001u;
    for (int k = 0; k < cols; k++) keccak(s);
    for (int i = 0; i < 8; i++) WORDS[i * rows + THREAD] = (uint32_t)(s[i] ^ s[i] >> 32);
}

/* Each thread reads a text of its own; what it counts are visits of state 0. */
KERNEL(fsm)
{
    __shared__ uint8_t next[FSM_STATES * FSM_CLASSES];
    next[threadIdx.x] = fsm_next(threadIdx.x / FSM_CLASSES, threadIdx.x % FSM_CLASSES);
    __syncthreads();
    const uint8_t *text = BYTES + THREAD * cols;
    uint32_t state = 0, visits = 0;
    for (int i = 0; i < cols; i++) {
        state = next[state * FSM_CLASSES + (text[i] & 15)];
        visits += state == 0;
    }
    WORDS[THREAD] = visits << 8 | state;
}

KERNEL(power)
{
    const uint64_t n = ((uint64_t)(uint32_t)index[THREAD] << 20 ^ (uint32_t)index[THREAD + rows]) | 1;
    WORDS[THREAD] = power_modulo(2 + (THREAD & 15), (uint64_t)(uint32_t)index[THREAD + rows] % 4096 + 1, n | 256);
}

/* Division as hardware counters and hash functions do it. */
KERNEL(remainders)
{
    uint64_t x = (uint64_t)(uint32_t)index[THREAD] << 32 | (uint32_t)index[THREAD + rows];
    uint32_t sum = 0;
    for (int i = 0; i < cols; i++) {
        const uint64_t d = (x >> 13 & 0xffffff) + 3;
        sum += (uint32_t)(x / d) ^ (uint32_t)(x % d);
        x = x * 6364136223846793005u + 1442695040888963407u;
    }
    WORDS[THREAD] = sum;
}

/* Points a in polygons of `cols` corners b. */
KERNEL(polygon)
{
    const float x = a[2 * THREAD], y = a[2 * THREAD + 1], *p = b + blockIdx.x * 2 * cols;
    int crossed = 0;
    for (int i = 0, j = cols - 1; i < cols; j = i++) crossed += is_crossed(x, y, p[2 * i], p[2 * i + 1], p[2 * j], p[2 * j + 1]);
    INTS[THREAD] = crossed;
}

/* Text of few letters, so that there are matches. */
KERNEL(lz_match)
{
    __shared__ uint8_t text[1024];
    for (int i = threadIdx.x; i < cols; i += THREADS) text[i] = (uint8_t)(index[blockIdx.x * cols + i] >> 7 & index[i] & 3);
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += THREADS) WORDS[blockIdx.x * cols + i] = longest_match(text, i, cols);
}

/* A tree of prices from its leaves to its root, in place: fewer threads work at each level. */
KERNEL(binomial)
{
    __shared__ float value[THREADS + 1];
    const int t = threadIdx.x;
    value[t] = fmaxf(a[blockIdx.x * THREADS + t], 0.0f);
    if (t == 0) value[THREADS] = 0.5f;
    __syncthreads();
    for (int level = cols; level > 0; level--) {
        float v = 0;
        if (t < level) v = 0.5f * (value[t] + value[t + 1]) + 0.25f * b[t];
        __syncthreads();
        if (t < level) value[t] = v;
        __syncthreads();
    }
    if (t == 0) OUT[blockIdx.x] = value[0];
}

/* Rows of one table of 128 keys in shared memory, built with compare-and-swap; of the other table's rows the
 * lanes with one key are found by match, and their first lane probes for all of them. */
KERNEL(hash_join)
{
    enum { SLOTS = 256, KEYS = 128, RANGE = 192 };
    __shared__ int keys[SLOTS], values[SLOTS];
    __shared__ int found, hits;
    const int t = threadIdx.x, lane = t & 31;
    keys[t] = -1, values[t] = 0;
    if (t == 0) found = hits = 0;
    __syncthreads();
    if (t < KEYS) {
        const int key = index[blockIdx.x * KEYS + t] % RANGE;
        uint32_t at = (uint32_t)key * 2654435761u >> 24;
        for (;;) {
            const int old = atomicCAS(&keys[at], -1, key);
            if (old == -1 || old == key) break;
            at = (at + 1) % SLOTS;
        }
        atomicAdd(&values[at], t + 1);
    }
    __syncthreads();
    int sum = 0, mine = 0;
    for (int i = t; i < cols; i += THREADS) {
        const int key = index[rows * KEYS + blockIdx.x * cols + i] % RANGE;
        const unsigned same = __match_any_sync(~0u, key);
        const int first = __ffs(same) - 1;
        int value = 0;
        if (lane == first) {
            uint32_t at = (uint32_t)key * 2654435761u >> 24;
            while (keys[at] != key && keys[at] != -1) at = (at + 1) % SLOTS;
            value = keys[at] == key ? values[at] : 0;
        }
        value = __shfl_sync(~0u, value, first);
        sum += value;
        if (lane == 0) mine += __popc(__ballot_sync(~0u, value != 0));
        else __ballot_sync(~0u, value != 0);
    }
    atomicAdd(&found, sum);
    atomicAdd(&hits, mine);
    __syncthreads();
    if (t == 0) INTS[2 * blockIdx.x] = found, INTS[2 * blockIdx.x + 1] = hits;
}

/* c[i][j] = sum of a[k][i] * b[k][j]: 64 by 64 a block, 4 by 4 a thread. */
KERNEL(contraction)
{
    __shared__ float x[16][64], y[16][64];
    const int t = threadIdx.x, i0 = t / 16 * 4, j0 = t % 16 * 4, per = cols / 64;
    const int i1 = blockIdx.x / per * 64, j1 = blockIdx.x % per * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < rows; k0 += 16) {
        for (int k = t; k < 16 * 64; k += THREADS) {
            x[k / 64][k % 64] = a[(k0 + k / 64) * cols + i1 + k % 64];
            y[k / 64][k % 64] = b[(k0 + k / 64) * cols + j1 + k % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] = fmaf(x[k][i0 + i], y[k][j0 + j], sum[i][j]);
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) OUT[(i1 + i0 + i) * cols + j1 + j0 + j] = sum[i][j];
}

/* 256 keys a block, by 4 bits a pass: each warp counts its keys by match, so that equal digits keep their order. */
KERNEL(radix_sort)
{
    __shared__ uint32_t key[THREADS], count[16][8];
    const int t = threadIdx.x, lane = t & 31, warp = t / 32;
    uint32_t k = (uint32_t)index[blockIdx.x * THREADS + t];
    for (int shift = 0; shift < 32; shift += 4) {
        const uint32_t digit = k >> shift & 15;
        if (t < 128) count[t / 8][t % 8] = 0;
        __syncthreads();
        const uint32_t same = __match_any_sync(~0u, digit);
        const int before = __popc(same & ((1u << lane) - 1));
        if (!before) count[digit][warp] = __popc(same);
        __syncthreads();
        if (warp == 0) {
            uint32_t c[4], total = 0;
            for (int i = 0; i < 4; i++) c[i] = count[lane / 2][lane % 2 * 4 + i], total += c[i];
            uint32_t sum = total;
            for (int d = 1; d < 32; d *= 2) {
                const uint32_t below = __shfl_up_sync(~0u, sum, d);
                if (lane >= d) sum += below;
            }
            sum -= total;
            for (int i = 0; i < 4; i++) count[lane / 2][lane % 2 * 4 + i] = sum, sum += c[i];
        }
        __syncthreads();
        key[count[digit][warp] + before] = k;
        __syncthreads();
        k = key[t];
    }
    WORDS[blockIdx.x * THREADS + t] = k;
}

/* Prefix sums of rows by CUB. */
KERNEL(cub_scan)
{
    typedef cub::BlockScan<int, THREADS> Scan;
    __shared__ typename Scan::TempStorage temporary;
    int item[4];
    for (int i = 0; i < 4; i++) item[i] = index[blockIdx.x * cols + threadIdx.x * 4 + i] & 0xffff;
    Scan(temporary).InclusiveSum(item, item);
    for (int i = 0; i < 4; i++) INTS[blockIdx.x * cols + threadIdx.x * 4 + i] = item[i];
}

/* A graph a block: `cols` nodes with 4 edges each. Distances from node 0, level by level, with a queue. */
KERNEL(bfs)
{
    __shared__ int distance[1024], queue[2][1024], n[2];
    const int t = threadIdx.x, *edges = index + blockIdx.x * 64;
    for (int i = t; i < cols; i += THREADS) distance[i] = i ? -1 : 0;
    if (t == 0) queue[0][0] = 0, n[0] = 1, n[1] = 0;
    __syncthreads();
    for (int level = 0; n[level & 1]; level++) {
        const int *from = queue[level & 1], have = n[level & 1];
        int *to = queue[~level & 1], *more = &n[~level & 1];
        for (int i = t; i < have * 4; i += THREADS) {
            const int node = edges[from[i / 4] * 4 + i % 4] % cols;
            if (distance[node] < 0 && atomicCAS(&distance[node], -1, level + 1) == -1) to[atomicAdd(more, 1)] = node;
        }
        __syncthreads();
        if (t == 0) n[level & 1] = 0;
        __syncthreads();
    }
    for (int i = t; i < cols; i += THREADS) INTS[blockIdx.x * cols + i] = distance[i];
}

/* ---- one layer in several formats: sums of products of 2 elements a thread (4 of 8 bits), with a floor ---- */

/* Any bits become numbers between 1/4 and 1/2, of either sign. */
__device__ float some_f32(int word) { return __int_as_float((word & 0x807fffff) | 0x3e800000); }
template <typename T> __device__ T pair_of(int word, int keep, int exponents)
{
    const int bits = (word & keep) | exponents;
    return *(const T *)&bits;
}

KERNEL(layer_f32)
{
    float x = 0, y = 0;
    for (int k = 0; k < cols; k++) {
        const float w = some_f32(index[k]);
        x = fmaxf(fmaf(some_f32(index[2 * k * rows + THREAD]), w, x), -2.0f);
        y = fmaxf(fmaf(some_f32(index[(2 * k + 1) * rows + THREAD]), w, y), -2.0f);
    }
    OUT[2 * THREAD] = x, OUT[2 * THREAD + 1] = y;
}

KERNEL(layer_f16)
{
    const __half2 least = __float2half2_rn(-2.0f);
    __half2 sum = __float2half2_rn(0.0f);
    for (int k = 0; k < cols; k++) {
        const __half2 w = pair_of<__half2>(index[k], 0x83ff83ff, 0x34003400),
                      x = pair_of<__half2>(index[k * rows + THREAD], 0x83ff83ff, 0x34003400);
        sum = __hmax2(__hfma2(x, w, sum), least);
    }
    OUT[2 * THREAD] = __low2float(sum), OUT[2 * THREAD + 1] = __high2float(sum);
}

KERNEL(layer_bf16)
{
    const __nv_bfloat162 least = __float2bfloat162_rn(-2.0f);
    __nv_bfloat162 sum = __float2bfloat162_rn(0.0f);
    for (int k = 0; k < cols; k++) {
        const __nv_bfloat162 w = pair_of<__nv_bfloat162>(index[k], 0x807f807f, 0x3e803e80),
                             x = pair_of<__nv_bfloat162>(index[k * rows + THREAD], 0x807f807f, 0x3e803e80);
        sum = __hmax2(__hfma2(x, w, sum), least);
    }
    OUT[2 * THREAD] = __low2float(sum), OUT[2 * THREAD + 1] = __high2float(sum);
}

__device__ __half2 pair_of_e4m3(unsigned bytes)
{
    const __half2_raw r = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)bytes, __NV_E4M3);
    return *(const __half2 *)&r;
}

KERNEL(layer_e4m3)
{
    const __half2 least = __float2half2_rn(-2.0f);
    __half2 sum = __float2half2_rn(0.0f);
    for (int k = 0; k < cols; k += 2) {
        const unsigned w = (unsigned)(index[k / 2] & 0x87878787) | 0x28282828,
                       x = (unsigned)(index[k / 2 * rows + THREAD] & 0x87878787) | 0x28282828;
        sum = __hmax2(__hfma2(pair_of_e4m3(x & 0xffff), pair_of_e4m3(w & 0xffff), sum), least);
        sum = __hmax2(__hfma2(pair_of_e4m3(x >> 16), pair_of_e4m3(w >> 16), sum), least);
    }
    OUT[2 * THREAD] = __low2float(sum), OUT[2 * THREAD + 1] = __high2float(sum);
}
