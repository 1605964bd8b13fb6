/* networks_plain.c - what the kernels of networks.cu compute, as plain loops. */
#include "networks.h"
#include <math.h>
#include <string.h>

#define PLAIN(name)                                                                                          \
    static void name(const float *restrict a, const float *restrict b, const int32_t *restrict index,        \
                     void *restrict out, int rows, int cols)
#define UNUSED (void)a, (void)b, (void)index, (void)out, (void)rows, (void)cols
#define OUT ((float *)out)
#define INTS ((int32_t *)out)

static float largest(const float *x, int n)
{
    float most = -INFINITY;
    for (int i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
    return most;
}

static float sum_of_exp(const float *x, int n, float most)
{
    float sum = 0;
    for (int i = 0; i < n; i++) sum += expf(x[i] - most);
    return sum;
}

PLAIN(softmax)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        const float *x = a + r * cols, most = largest(x, cols), sum = sum_of_exp(x, cols, most);
        for (int i = 0; i < cols; i++) OUT[r * cols + i] = expf(x[i] - most) / sum;
    }
}

PLAIN(layernorm)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        const float *x = a + r * cols;
        float sum = 0, square = 0;
        for (int i = 0; i < cols; i++) sum += x[i];
        const float mean = sum / (float)cols;
        for (int i = 0; i < cols; i++) square += (x[i] - mean) * (x[i] - mean);
        const float scale = 1 / sqrtf(square / (float)cols + 1e-5f);
        for (int i = 0; i < cols; i++) OUT[r * cols + i] = (x[i] - mean) * scale * b[i] + b[cols + i];
    }
}

PLAIN(rmsnorm)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        const float *x = a + r * cols;
        float square = 0;
        for (int i = 0; i < cols; i++) square += x[i] * x[i];
        const float scale = 1 / sqrtf(square / (float)cols + 1e-6f);
        for (int i = 0; i < cols; i++) OUT[r * cols + i] = x[i] * scale * b[i];
    }
}

PLAIN(gelu)
{
    UNUSED;
    for (int i = 0; i < rows * cols; i++) {
        const float x = a[i] * 4;
        OUT[i] = 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

PLAIN(swiglu)
{
    UNUSED;
    for (int i = 0; i < rows * cols; i++) {
        const float x = a[i] * 4;
        OUT[i] = x / (1 + expf(-x)) * b[i];
    }
}

PLAIN(rope)
{
    UNUSED;
    const int half = cols / 2;
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < half; k++) {
            const float angle = (float)(r % 64) * exp2f(-13.28771238f * (float)k / (float)half);
            const float s = sinf(angle), c = cosf(angle), x = a[r * cols + k], y = a[r * cols + half + k];
            OUT[r * cols + k] = x * c - y * s;
            OUT[r * cols + half + k] = x * s + y * c;
        }
}

PLAIN(cross_entropy)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        const float *x = a + r * cols, most = largest(x, cols);
        OUT[r] = most + logf(sum_of_exp(x, cols, most)) - x[index[r] % cols];
    }
}

PLAIN(argmax)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        int best = 0;
        for (int i = 1; i < cols; i++)
            if (a[r * cols + i] > a[r * cols + best]) best = i;
        INTS[r] = best;
    }
}

PLAIN(topk)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        const float *x = a + r * cols;
        int best[5] = {-1, -1, -1, -1, -1};
        for (int i = 0; i < cols; i++) {
            int k = 4;
            for (; k && (best[k - 1] < 0 || x[i] > x[best[k - 1]]); k--) best[k] = best[k - 1];
            best[k] = i;
        }
        memcpy(INTS + r * 4, best, 4 * sizeof *best);
    }
}

PLAIN(histogram_shared)
{
    UNUSED;
    memset(out, 0, (size_t)rows * 256 * 4);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < cols; i++) INTS[r * 256 + (index[r * cols + i] & 255)]++;
}

PLAIN(scan)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        int32_t sum = 0;
        for (int i = 0; i < cols; i++) INTS[r * cols + i] = sum += index[r * cols + i] & 1023;
    }
}

PLAIN(transpose_tiled)
{
    UNUSED;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < cols; i++) OUT[i * rows + r] = a[r * cols + i];
}

PLAIN(conv1d)
{
    UNUSED;
    const int n = rows * cols;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 5; k++)
            if (i + k - 2 >= 0 && i + k - 2 < n) sum += a[i + k - 2] * b[k];
        OUT[i] = sum;
    }
}

PLAIN(depthwise)
{
    UNUSED;
    for (int channel = 0; channel < rows; channel++)
        for (int y = 0; y < 32; y++)
            for (int x = 0; x < 32; x++) {
                const int at = channel * 1024 + y * 32 + x;
                float sum = 0;
                for (int i = -1; i <= 1; i++)
                    for (int k = -1; k <= 1; k++)
                        if (x + k >= 0 && x + k < 32 && y + i >= 0 && y + i < 32)
                            sum += a[at + i * 32 + k] * b[channel % 64 * 9 + (i + 1) * 3 + k + 1];
                OUT[at] = sum > 0 ? sum : 0;
            }
}

PLAIN(embedding)
{
    UNUSED;
    for (int r = 0; r < rows; r++)
        memcpy(OUT + r * cols, a + index[r] % rows * cols, (size_t)cols * sizeof *a);
}

PLAIN(quantise)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        const float *x = a + r * cols;
        float most = 0;
        for (int i = 0; i < cols; i++) most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
        const float scale = 127 / most;
        for (int i = 0; i < cols; i++) ((int8_t *)out)[r * cols + i] = (int8_t)rintf(x[i] * scale);
        OUT[rows * cols / 4 + r] = most / 127;
    }
}

PLAIN(dequantise)
{
    UNUSED;
    for (int i = 0; i < rows * cols; i++) OUT[i] = (float)(int8_t)(index[i / 4] >> i % 4 * 8) * b[i / cols];
}

/* To a half and back, ties to even; for magnitudes below 2^15. */
static float half_of(float x)
{
    if (fabsf(x) < 0x1p-14f) return rintf(x * 0x1p24f) * 0x1p-24f;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    memcpy(&x, &bits, 4);
    return x;
}

enum { SIDE = 512 };

PLAIN(matmul)
{
    UNUSED;
    static float x[SIDE * SIDE], y[SIDE * SIDE];
    for (int i = 0; i < rows * cols; i++) x[i] = half_of(a[i]), y[i] = half_of(b[i]);
    memset(out, 0, (size_t)(rows * cols) * sizeof *a);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < cols; k++)
            for (int i = 0; i < cols; i++) OUT[r * cols + i] += x[r * cols + k] * y[k * cols + i];
}

PLAIN(attention_step)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        float weight[256];
        for (int i = 0; i < 256; i++) {
            weight[i] = 0;
            for (int k = 0; k < 64; k++) weight[i] += a[r * 64 + k] * b[i * 64 + k];
            weight[i] *= 0.125f;
        }
        const float most = largest(weight, 256), sum = sum_of_exp(weight, 256, most);
        float x[64] = {0};
        for (int i = 0; i < 256; i++) {
            const float w = expf(weight[i] - most) / sum;
            for (int k = 0; k < 64; k++) x[k] += w * b[i * 64 + k];
        }
        memcpy(OUT + r * 64, x, sizeof x);
    }
}

PLAIN(adam)
{
    UNUSED;
    for (int i = 0; i < rows * cols; i++) {
        const float g = b[i] + 0.01f * a[i], m = 0.1f * g, v = 0.001f * g * g;
        OUT[i] = a[i] - 1e-3f * (m / 0.1f) / (sqrtf(v / 0.001f) + 1e-8f);
    }
}

static uint32_t philox(uint32_t counter, uint32_t key)
{
    uint32_t c[4] = {counter, 0, 0, 0}, k[2] = {key, 0};
    for (int i = 0; i < 10; i++) {
        const uint64_t x = (uint64_t)0xD2511F53u * c[0], y = (uint64_t)0xCD9E8D57u * c[2];
        c[0] = (uint32_t)(y >> 32) ^ c[1] ^ k[0];
        c[1] = (uint32_t)y;
        c[2] = (uint32_t)(x >> 32) ^ c[3] ^ k[1];
        c[3] = (uint32_t)x;
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    return c[0];
}

PLAIN(dropout)
{
    UNUSED;
    for (int i = 0; i < rows * cols; i++)
        OUT[i] = philox((uint32_t)i, 42) >> 8 < (1 << 24) * 3 / 4 ? a[i] * (4.0f / 3) : 0;
}

static void sift(int32_t *s, int n, int at)
{
    for (int child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && s[child + 1] > s[child];
        if (s[at] >= s[child]) return;
        const int32_t x = s[at];
        s[at] = s[child];
        s[child] = x;
    }
}

/* Sorting by a heap: another method than the kernel's. */
PLAIN(bitonic_sort)
{
    UNUSED;
    memcpy(out, index, (size_t)(rows * cols) * 4);
    for (int r = 0; r < rows; r++) {
        int32_t *s = INTS + r * cols;
        for (int i = cols / 2 - 1; i >= 0; i--) sift(s, cols, i);
        for (int n = cols - 1; n > 0; n--) {
            const int32_t x = s[0];
            s[0] = s[n];
            s[n] = x;
            sift(s, n, 0);
        }
    }
}

enum { K = 1024 };

/* Sums in another order, and units within 2^-20 of their function. */
#define NEAR 1e-4f

const struct network networks[] = {{"softmax", softmax, 512, K, 512, 512 * K, NEAR},
                                   {"layernorm", layernorm, 512, K, 512, 512 * K, NEAR},
                                   {"rmsnorm", rmsnorm, 512, K, 512, 512 * K, NEAR},
                                   {"gelu", gelu, 512, K, 512 * K / 256, 512 * K, NEAR},
                                   {"swiglu", swiglu, 512, K, 512 * K / 256, 512 * K, NEAR},
                                   {"rope", rope, 1024, 512, 1024, 1024 * 512, NEAR},
                                   {"cross_entropy", cross_entropy, 512, K, 512, 512, NEAR},
                                   {"argmax", argmax, 512, K, 512, 512, 0},
                                   {"topk", topk, 256, K, 256, 256 * 4, 0},
                                   {"histogram_shared", histogram_shared, 64, 4096, 64, 64 * 256, 0},
                                   {"scan", scan, 2048, 256, 2048, 2048 * 256, 0},
                                   {"transpose_tiled", transpose_tiled, K, K, K, K *K, 0},
                                   {"conv1d", conv1d, 512, K, 512 * K / 256, 512 * K, NEAR},
                                   {"depthwise", depthwise, 256, K, 256 * K / 256, 256 * K, NEAR},
                                   {"embedding", embedding, 512, K, 512, 512 * K, 0},
                                   {"quantise", quantise, 512, K, 512, 512 * K / 4 + 512, 0},
                                   {"dequantise", dequantise, 512, K, 512 * K / 256, 512 * K, 0},
                                   {"matmul", matmul, 256, 256, 16, 256 * 256, NEAR},
                                   {"attention_step", attention_step, 256, 64, 256, 256 * 64, NEAR},
                                   {"adam", adam, 512, K, 512 * K / 256, 512 * K, NEAR},
                                   {"dropout", dropout, 512, K, 512 * K / 256, 512 * K, 0},
                                   {"bitonic_sort", bitonic_sort, 512, 512, 512, 512 * 512, 0},
                                   {NULL, NULL, 0, 0, 0, 0, 0}};
