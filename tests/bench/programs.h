/*
 * programs.h - what one thread of the kernels of programs.cu does, for the kernels and for plain C alike.
 *
 * These are the shapes that interpreters are slow at: tables of bytes, 64-bit integers, loops whose lengths
 * differ from thread to thread, arrays that are indexed. PROGRAM_CODE says where a function lives.
 */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include <stdint.h>

#ifdef __CUDACC__
#define PROGRAM_CODE static __device__ __forceinline__
#define PROGRAM_TABLE static __constant__ const
#else
#define PROGRAM_CODE static inline
#define PROGRAM_TABLE static const
#endif

/* ---- n queens: a search that goes back, with a stack ---- */

enum { QUEENS = 9, QUEENS_STACK = 12 };

/* Ways to complete a board whose first two queens stand in these columns. */
PROGRAM_CODE int queens_below(int first, int second)
{
    uint32_t columns[QUEENS_STACK], left[QUEENS_STACK], right[QUEENS_STACK], open[QUEENS_STACK];
    const uint32_t all = (1u << QUEENS) - 1, a = 1u << first, b = 1u << second;
    int depth = 2, found = 0;
    if ((a | a << 1 | a >> 1) & b) return 0;
    columns[2] = a | b, left[2] = (a << 1 | b) << 1, right[2] = (a >> 1 | b) >> 1;
    open[2] = all & ~(columns[2] | left[2] | right[2]);
    while (depth >= 2) {
        const uint32_t here = open[depth] & (0u - open[depth]);
        if (!here) {
            depth--;
            continue;
        }
        open[depth] ^= here;
        if (depth == QUEENS - 1) {
            found++;
            continue;
        }
        columns[depth + 1] = columns[depth] | here;
        left[depth + 1] = (left[depth] | here) << 1;
        right[depth + 1] = (right[depth] | here) >> 1;
        open[depth + 1] = all & ~(columns[depth + 1] | left[depth + 1] | right[depth + 1]);
        depth++;
    }
    return found;
}

/* ---- SHA-256 ---- */

PROGRAM_TABLE uint32_t sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

PROGRAM_CODE uint32_t turned(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

/* One block of 16 words into the state. */
PROGRAM_CODE void sha_block(uint32_t state[8], uint32_t w[16])
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
             h = state[7];
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] += (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + w[(i + 9) & 15] +
                         (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
        }
        const uint32_t t = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) +
                           sha_constants[i] + w[i & 15];
        const uint32_t u = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

/* ---- Keccak-f[1600] ---- */

PROGRAM_TABLE uint64_t keccak_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};
PROGRAM_TABLE uint8_t keccak_turns[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                                          27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
PROGRAM_TABLE uint8_t keccak_places[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                           15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};

PROGRAM_CODE uint64_t turned64(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

PROGRAM_CODE void keccak(uint64_t s[25])
{
    uint64_t c[5], last;
    for (int round = 0; round < 24; round++) {
        for (int i = 0; i < 5; i++) c[i] = s[i] ^ s[i + 5] ^ s[i + 10] ^ s[i + 15] ^ s[i + 20];
        for (int i = 0; i < 5; i++) {
            const uint64_t t = c[(i + 4) % 5] ^ turned64(c[(i + 1) % 5], 1);
            for (int j = 0; j < 25; j += 5) s[j + i] ^= t;
        }
        last = s[1];
        for (int i = 0; i < 24; i++) {
            const uint64_t t = s[keccak_places[i]];
            s[keccak_places[i]] = turned64(last, keccak_turns[i]);
            last = t;
        }
        for (int j = 0; j < 25; j += 5) {
            for (int i = 0; i < 5; i++) c[i] = s[j + i];
            for (int i = 0; i < 5; i++) s[j + i] = c[i] ^ (~c[(i + 1) % 5] & c[(i + 2) % 5]);
        }
        s[0] ^= keccak_constants[round];
    }
}

/* ---- AES-128 with tables ---- */

/* The four tables side by side, made of the box of bytes by turning words. */
PROGRAM_CODE uint8_t aes_twice(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}
PROGRAM_CODE uint8_t aes_product(uint8_t x, uint8_t y)
{
    uint8_t r = 0;
    for (int i = 0; i < 8; i++) {
        if (y >> i & 1) r ^= x;
        x = aes_twice(x);
    }
    return r;
}
PROGRAM_CODE uint8_t aes_box(uint8_t x)
{
    uint8_t inverse = 1, power = x;
    for (int i = 1; i < 8; i++) {
        power = aes_product(power, power);
        inverse = aes_product(inverse, power);
    }
    uint8_t r = 0x63;
    for (int i = 0; i < 5; i++) r ^= (uint8_t)(inverse << i | inverse >> (8 - i));
    return r;
}
PROGRAM_CODE uint32_t aes_column(uint8_t box)
{
    const uint32_t two = aes_twice(box), one = box;
    return two | one << 8 | one << 16 | (two ^ one) << 24;
}
/* Ten rounds of the block s with round keys that count; table[256], box[256]. */
PROGRAM_CODE void aes_block(uint32_t s[4], const uint32_t *table, const uint8_t *box, uint32_t key)
{
    for (int round = 1; round <= 10; round++) {
        uint32_t t[4];
        for (int i = 0; i < 4; i++) {
            const uint32_t a = s[i] & 255, b = s[(i + 1) & 3] >> 8 & 255, c = s[(i + 2) & 3] >> 16 & 255,
                           d = s[(i + 3) & 3] >> 24;
            if (round < 10)
                t[i] = table[a] ^ turned(table[b], 24) ^ turned(table[c], 16) ^ turned(table[d], 8);
            else
                t[i] = box[a] | (uint32_t)box[b] << 8 | (uint32_t)box[c] << 16 | (uint32_t)box[d] << 24;
            t[i] ^= key * (uint32_t)(4 * round + i + 1);
        }
        for (int i = 0; i < 4; i++) s[i] = t[i];
    }
}

/* ---- base64 ---- */

PROGRAM_CODE uint32_t base64_word(const uint8_t *bytes, const uint8_t *letters)
{
    const uint32_t v = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
    return letters[v >> 18] | (uint32_t)letters[v >> 12 & 63] << 8 | (uint32_t)letters[v >> 6 & 63] << 16 |
           (uint32_t)letters[v & 63] << 24;
}

/* ---- 64-bit modular arithmetic: is n a probable prime to base 2? ---- */

PROGRAM_CODE uint64_t product_modulo(uint64_t x, uint64_t y, uint64_t n)
{
    uint64_t r = 0;
    for (; y; y >>= 1) { /* both are less than n, which is less than 2^63 */
        if (y & 1) r = r + x >= n ? r + x - n : r + x;
        x = x + x >= n ? x + x - n : x + x;
    }
    return r;
}
PROGRAM_CODE uint32_t power_modulo(uint64_t x, uint64_t e, uint64_t n)
{
    uint64_t r = 1;
    x %= n;
    for (; e; e >>= 1) {
        if (e & 1) r = product_modulo(r, x, n);
        x = product_modulo(x, x, n);
    }
    return (uint32_t)(r % 0xfffffffbu) ^ (uint32_t)(r / 3);
}

/* ---- points in polygons ---- */

/* The edge from (x1, y1) to (x2, y2) is crossed by a ray from (x, y): the sums are made one by one. */
PROGRAM_CODE int is_crossed(float x, float y, float x1, float y1, float x2, float y2)
{
    if ((y1 > y) == (y2 > y)) return 0;
    const float left = (x - x1) * (y2 - y1), right = (x2 - x1) * (y - y1);
    return y2 > y1 ? left < right : left > right;
}

/* ---- matches as compressors look for them ---- */

enum { LZ_WINDOW = 64, LZ_MOST = 32 };

/* Of the match behind `at` that is longest: length * 256 + distance. */
PROGRAM_CODE uint32_t longest_match(const uint8_t *text, int at, int end)
{
    uint32_t best = 0;
    for (int distance = 1; distance <= LZ_WINDOW && distance <= at; distance++) {
        int n = 0;
        while (n < LZ_MOST && at + n < end && text[at + n] == text[at + n - distance]) n++;
        if ((uint32_t)n > best >> 8) best = (uint32_t)n << 8 | (uint32_t)distance;
        if (n == LZ_MOST) break;
    }
    return best;
}

/* ---- a finite-state machine over text ---- */

enum { FSM_STATES = 16, FSM_CLASSES = 16 };
PROGRAM_CODE uint8_t fsm_next(uint32_t state, uint32_t class_of)
{
    return (uint8_t)((state * 7 + class_of * 5 + (state ^ class_of)) % FSM_STATES);
}

#endif
