/* programs_plain.c - what the kernels of programs.cu compute, as plain loops over the same steps
 * (programs.h). */
#include "networks.h"
#include "programs.h"
#include <math.h>
#include <string.h>

#define PLAIN(name)                                                                                          \
    static void name(const float *restrict a, const float *restrict b, const int32_t *restrict index,        \
                     void *restrict out, int rows, int cols)
#define UNUSED (void)a, (void)b, (void)index, (void)out, (void)rows, (void)cols
#define OUT ((float *)out)
#define INTS ((int32_t *)out)
#define WORDS ((uint32_t *)out)
#define BYTES ((const uint8_t *)index)

enum { THREADS = 256 };

/* Here rows are threads, or blocks of threads, as in the kernel. */
PLAIN(queens)
{
    UNUSED;
    for (int i = 0; i < rows; i++) INTS[i] = queens_below(i % QUEENS, i / QUEENS % QUEENS);
}

PLAIN(base64)
{
    static const uint8_t letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    UNUSED;
    for (int i = 0; i < rows * cols; i++) WORDS[i] = base64_word(BYTES + i * 3, letters);
}

PLAIN(aes)
{
    uint32_t table[256];
    uint8_t box[256];
    UNUSED;
    for (int i = 0; i < 256; i++) box[i] = aes_box((uint8_t)i), table[i] = aes_column(box[i]);
    for (int i = 0; i < rows * cols; i++) {
        uint32_t s[4];
        memcpy(s, index + 4 * i, sizeof s);
        aes_block(s, table, box, (uint32_t)rows);
        memcpy(WORDS + 4 * i, s, sizeof s);
    }
}

PLAIN(sha256)
{
    UNUSED;
    for (int t = 0; t < rows; t++) {
        uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
        for (int k = 0; k < cols; k++) {
            uint32_t w[16];
            for (int i = 0; i < 16; i++) w[i] = (uint32_t)index[(k * 16 + i) * rows + t];
            sha_block(state, w);
        }
        for (int i = 0; i < 8; i++) WORDS[i * rows + t] = state[i];
    }
}

PLAIN(keccak_f)
{
    UNUSED;
    for (int t = 0; t < rows; t++) {
        uint64_t s[25];
        for (int i = 0; i < 25; i++) s[i] = (uint64_t)(uint32_t)index[i * rows + t] * 0x100000001u;
        for (int k = 0; k < cols; k++) keccak(s);
        for (int i = 0; i < 8; i++) WORDS[i * rows + t] = (uint32_t)(s[i] ^ s[i] >> 32);
    }
}

PLAIN(fsm)
{
    uint8_t next[FSM_STATES * FSM_CLASSES];
    UNUSED;
    for (uint32_t i = 0; i < sizeof next; i++) next[i] = fsm_next(i / FSM_CLASSES, i % FSM_CLASSES);
    for (int t = 0; t < rows; t++) {
        const uint8_t *text = BYTES + t * cols;
        uint32_t state = 0, visits = 0;
        for (int i = 0; i < cols; i++) {
            state = next[state * FSM_CLASSES + (text[i] & 15)];
            visits += state == 0;
        }
        WORDS[t] = visits << 8 | state;
    }
}

PLAIN(power)
{
    UNUSED;
    for (int t = 0; t < rows; t++) {
        const uint64_t n = ((uint64_t)(uint32_t)index[t] << 20 ^ (uint32_t)index[t + rows]) | 1;
        WORDS[t] =
            power_modulo(2 + (uint64_t)(t & 15), (uint64_t)(uint32_t)index[t + rows] % 4096 + 1, n | 256);
    }
}

PLAIN(remainders)
{
    UNUSED;
    for (int t = 0; t < rows; t++) {
        uint64_t x = (uint64_t)(uint32_t)index[t] << 32 | (uint32_t)index[t + rows];
        uint32_t sum = 0;
        for (int i = 0; i < cols; i++) {
            const uint64_t d = (x >> 13 & 0xffffff) + 3;
            sum += (uint32_t)(x / d) ^ (uint32_t)(x % d);
            x = x * 6364136223846793005u + 1442695040888963407u;
        }
        WORDS[t] = sum;
    }
}

PLAIN(polygon)
{
    UNUSED;
    for (int t = 0; t < rows; t++) {
        const float *p = b + t / THREADS * 2 * cols;
        int crossed = 0;
        for (int i = 0, j = cols - 1; i < cols; j = i++)
            crossed += is_crossed(a[2 * t], a[2 * t + 1], p[2 * i], p[2 * i + 1], p[2 * j], p[2 * j + 1]);
        INTS[t] = crossed;
    }
}

PLAIN(lz_match)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        uint8_t text[1024];
        for (int i = 0; i < cols; i++) text[i] = (uint8_t)(index[r * cols + i] >> 7 & index[i] & 3);
        for (int i = 0; i < cols; i++) WORDS[r * cols + i] = longest_match(text, i, cols);
    }
}

PLAIN(binomial)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        float value[THREADS + 1];
        for (int t = 0; t < THREADS; t++) value[t] = a[r * THREADS + t] > 0 ? a[r * THREADS + t] : 0.0f;
        value[THREADS] = 0.5f;
        for (int level = cols; level > 0; level--)
            for (int t = 0; t < level; t++) value[t] = 0.5f * (value[t] + value[t + 1]) + 0.25f * b[t];
        OUT[r] = value[0];
    }
}

enum { SLOTS = 256, KEYS = 128, RANGE = 192 };

static uint32_t slot_of(const int *keys, int key)
{
    uint32_t at = (uint32_t)key * 2654435761u >> 24;
    while (keys[at] != key && keys[at] != -1) at = (at + 1) % SLOTS;
    return at;
}

PLAIN(hash_join)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        int keys[SLOTS], values[SLOTS] = {0}, found = 0, hits = 0;
        memset(keys, -1, sizeof keys);
        for (int t = 0; t < KEYS; t++) {
            const int key = index[r * KEYS + t] % RANGE;
            const uint32_t at = slot_of(keys, key);
            keys[at] = key;
            values[at] += t + 1;
        }
        for (int i = 0; i < cols; i++) {
            const int key = index[rows * KEYS + r * cols + i] % RANGE;
            const uint32_t at = slot_of(keys, key);
            const int value = keys[at] == key ? values[at] : 0;
            found += value;
            hits += value != 0;
        }
        INTS[2 * r] = found, INTS[2 * r + 1] = hits;
    }
}

PLAIN(contraction)
{
    UNUSED;
    memset(out, 0, (size_t)(cols * cols) * 4);
    for (int i = 0; i < cols; i++)
        for (int k = 0; k < rows; k++)
            for (int j = 0; j < cols; j++) OUT[i * cols + j] += a[k * cols + i] * b[k * cols + j];
}

PLAIN(radix_sort)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        uint32_t one[THREADS], two[THREADS], *from = one, *to = two;
        memcpy(one, index + r * THREADS, sizeof one);
        for (int shift = 0; shift < 32; shift += 4) {
            uint32_t count[16] = {0}, sum = 0, *swap;
            for (int i = 0; i < THREADS; i++) count[from[i] >> shift & 15]++;
            for (int d = 0; d < 16; d++) {
                const uint32_t n = count[d];
                count[d] = sum;
                sum += n;
            }
            for (int i = 0; i < THREADS; i++) to[count[from[i] >> shift & 15]++] = from[i];
            swap = from, from = to, to = swap;
        }
        memcpy(WORDS + r * THREADS, from, sizeof one);
    }
}

PLAIN(cub_scan)
{
    UNUSED;
    for (int r = 0; r < rows; r++)
        for (int i = 0, sum = 0; i < cols; i++) INTS[r * cols + i] = sum += index[r * cols + i] & 0xffff;
}

PLAIN(bfs)
{
    UNUSED;
    for (int r = 0; r < rows; r++) {
        int queue[1024], n = 1, *distance = INTS + r * cols;
        memset(distance, -1, (size_t)cols * 4);
        distance[0] = queue[0] = 0;
        for (int at = 0; at < n; at++)
            for (int e = 0; e < 4; e++) {
                const int node = index[r * 64 + queue[at] * 4 + e] % cols;
                if (distance[node] >= 0) continue;
                distance[node] = distance[queue[at]] + 1;
                queue[n++] = node;
            }
    }
}

/* ---- one layer in several formats ---- */

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Numbers between 1/4 and 1/2 of a format with so many bits of a fraction, from bits of its sign and those.
 */
static float some(uint32_t bits, int fraction, int sign)
{
    const uint32_t f = (bits & ((1u << fraction) - 1)) << (23 - fraction);
    return float_of((bits >> sign & 1) << 31 | 0x3e800000 | f);
}

/* The nearest number with so many bits behind the first; ties to even. */
static double nearest(double x, int bits)
{
    if (x == 0) return x;
    const double unit = ldexp(1, ilogb(x) - bits);
    return rint(x / unit) * unit;
}

static float layer_step(float sum, float x, float w, int bits)
{
    const float next = (float)nearest((double)x * w + sum, bits);
    return next > -2 ? next : -2;
}

PLAIN(layer_f32)
{
    UNUSED;
    for (int t = 0; t < 2 * rows; t++) {
        float sum = 0;
        for (int k = 0; k < cols; k++) {
            const float x = some((uint32_t)index[(2 * k + t % 2) * rows + t / 2], 23, 31);
            sum = fmaf(x, some((uint32_t)index[k], 23, 31), sum);
            sum = sum > -2 ? sum : -2;
        }
        OUT[t] = sum;
    }
}

PLAIN(layer_f16)
{
    UNUSED;
    for (int t = 0; t < 2 * rows; t++) {
        float sum = 0;
        for (int k = 0; k < cols; k++) {
            const uint32_t x = (uint32_t)index[k * rows + t / 2] >> t % 2 * 16,
                           w = (uint32_t)index[k] >> t % 2 * 16;
            sum = layer_step(sum, some(x, 10, 15), some(w, 10, 15), 10);
        }
        OUT[t] = sum;
    }
}

PLAIN(layer_bf16)
{
    UNUSED;
    for (int t = 0; t < 2 * rows; t++) {
        float sum = 0;
        for (int k = 0; k < cols; k++) {
            const uint32_t x = (uint32_t)index[k * rows + t / 2] >> t % 2 * 16,
                           w = (uint32_t)index[k] >> t % 2 * 16;
            sum = layer_step(sum, some(x, 7, 15), some(w, 7, 15), 7);
        }
        OUT[t] = sum;
    }
}

PLAIN(layer_e4m3)
{
    UNUSED;
    for (int t = 0; t < 2 * rows; t++) {
        float sum = 0;
        for (int k = 0; k < cols; k++) {
            const int at = k % 2 * 16 + t % 2 * 8;
            const uint32_t x = (uint32_t)index[k / 2 * rows + t / 2] >> at, w = (uint32_t)index[k / 2] >> at;
            sum = layer_step(sum, some(x, 3, 7), some(w, 3, 7), 10);
        }
        OUT[t] = sum;
    }
}

enum { K = 1024 };
#define NEAR 1e-4f

const struct network programs[] = {{"queens", queens, K, 0, K / 256, K, 0},
                                   {"queens_shared", queens, K, 0, K / 256, K, 0},
                                   {"base64", base64, 256, K, 256, 256 * K, 0},
                                   {"aes", aes, 64, K, 64, 64 * K * 4, 0},
                                   {"sha256", sha256, 4096, 8, 4096 / 256, 4096 * 8, 0},
                                   {"keccak_f", keccak_f, 4096, 4, 4096 / 256, 4096 * 8, 0},
                                   {"fsm", fsm, 4096, 256, 4096 / 256, 4096, 0},
                                   {"power", power, K, 0, K / 256, K, 0},
                                   {"remainders", remainders, 4096, 64, 4096 / 256, 4096, 0},
                                   {"polygon", polygon, 16384, 64, 16384 / 256, 16384, 0},
                                   {"lz_match", lz_match, 64, K, 64, 64 * K, 0},
                                   {"binomial", binomial, 64, 255, 64, 64, NEAR},
                                   {"hash_join", hash_join, 256, K, 256, 512, 0},
                                   {"contraction", contraction, 512, 256, 16, 256 * 256, NEAR},
                                   {"radix_sort", radix_sort, 256, 0, 256, 256 * 256, 0},
                                   {"cub_scan", cub_scan, 512, K, 512, 512 * K, 0},
                                   {"bfs", bfs, 64, K, 64, 64 * K, 0},
                                   {"layer_f32", layer_f32, 4096, 64, 4096 / 256, 8192, 0},
                                   {"layer_f16", layer_f16, 4096, 64, 4096 / 256, 8192, 0},
                                   {"layer_bf16", layer_bf16, 4096, 64, 4096 / 256, 8192, 0},
                                   {"layer_e4m3", layer_e4m3, 4096, 64, 4096 / 256, 8192, 0},
                                   {NULL, NULL, 0, 0, 0, 0, 0}};
