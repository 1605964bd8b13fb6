/*
 * mma.h - products of small matrices, bit for bit as the tensor cores of an sm_90 chip compute them.
 *
 * d[i][j] = c[i][j] + sum over k of x[i][k] * y[j][k]: both factors lie with k running fastest, so they are
 * rows of packed elements, whichever of the two PTX calls A and which B. The vector code runs over j: let y
 * be the factor with more rows. The arithmetic is symmetric but for the NaNs of f64, where x stands for B and
 * y for A.
 *
 * What the chip does, found with tests/hw/matrix and tests/hw/wgmma, and the same for every shape of a type:
 *
 * - f16, bf16, tf32: products are exact; all products of a step and c are cut (toward zero) to 25 bits behind
 *   the largest exponent among them, where a product's exponent is the sum of its factors' and a subnormal
 *   has the least normal one; the cut numbers are added exactly, and the sum is rounded once: toward zero to
 *   f32, to nearest even to f16. A zero is +0. NaN results are 7fffffff and 7fff. tf32 is the upper 19 bits
 *   of a register. wmma of tf32 is two steps of four k, one on top of the other.
 * - e4m3, e5m2 of mma become f16; a step over the first two of every four k, from 0, a step over the others,
 *   then c is added. wgmma takes them as they are, in one step that keeps 13 bits (PX_MMA_NATIVE, kept).
 * - f64: a chain of fused multiply-adds in the order of k that starts at c.
 * - integers: exact, modulo 2^32 or clamped once at the end.
 */
#ifndef PX_OPS_MMA_H
#define PX_OPS_MMA_H

#include <stdbool.h>
#include <stdint.h>

enum px_mma_type {
    PX_MMA_F16,
    PX_MMA_BF16,
    PX_MMA_TF32,
    PX_MMA_E4M3,
    PX_MMA_E5M2,
    PX_MMA_F64,
    PX_MMA_S8,
    PX_MMA_U8,
    PX_MMA_S4,
    PX_MMA_U4,
    PX_MMA_B1,
    PX_MMA_F32,
    PX_MMA_S32, /* of c and d only */
    PX_MMA_NONE
};

enum {
    PX_MMA_K_MAX = 256,   /* elements of a row */
    PX_MMA_STEP_MAX = 32, /* floating-point products that are summed in one step */
    PX_MMA_ROWS_MAX = 256
};

enum px_mma_flag {
    PX_MMA_SATURATE = 1, /* integers: clamp instead of wrapping; f32 to f16: finite stays finite */
    PX_MMA_XOR = 2,      /* b1: count the bits that differ, else those that both have */
    PX_MMA_HALVES =
        4, /* of every four k the first two are a step of their own, c is added last (e4m3, e5m2 of mma) */
    PX_MMA_NATIVE = 8, /* subnormals of e4m3 have the least normal exponent, not their own */
    PX_MMA_FLOOR = 16  /* sums for an f16 result keep no bit below 2^-46 */
};

/* What to compute. Sparse: x has k elements a row and y has ky, of which at[i*k + j] names the one that meets
 * x[i][j]. */
struct px_mma {
    uint16_t rows, cols; /* of d: rows of x, rows of y; cols a multiple of 8 */
    uint16_t k, ky;      /* elements of a row of x and of y; equal when dense */
    uint8_t x, y, c, d;  /* enum px_mma_type */
    uint8_t flags;
    uint8_t step; /* floating-point products a step, in the order of k; 0: all */
    uint8_t kept; /* bits behind the largest exponent that a step keeps; an f32 result has no more; 0: 25 */
};

/*
 * The matrices, packed. Rows of x and y are whole 32-bit words, the first element in the lowest bits.
 * Elements of c and d are 4 bytes, f16: 2, f64: 8; d may be c.
 */
struct px_mma_data {
    const void *x, *y, *c;
    void *d;
    const uint8_t *at; /* NULL when dense */
};

/* Computes d. Needs round-to-nearest without flushing in the floating-point environment, f64: the rounding
 * asked for. */
typedef void px_mma_function(const struct px_mma *op, const struct px_mma_data *data);
extern px_mma_function px_mma_product_portable, px_mma_product_avx2, px_mma_product_avx512;
struct px_level;
px_mma_function *px_level_product(const struct px_level *level); /* level.c */

static inline uint32_t px_mma_bits(enum px_mma_type type)
{
    static const uint8_t bits[] = {16, 16, 32, 8, 8, 64, 8, 8, 4, 4, 1, 32, 32};
    return bits[type];
}
/* 32-bit words of a row of k elements. */
static inline uint32_t px_mma_words(enum px_mma_type type, uint32_t k)
{
    return px_mma_bits(type) * k / 32;
}

/* One element of d with integers, exactly: for operands that the vector code leaves out (infinities, NaNs,
 * subnormal results). */
uint32_t px_mma_dot(const struct px_mma *op, const struct px_mma_data *data, uint32_t row, uint32_t col);

#endif
