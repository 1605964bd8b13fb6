/* approx/vector.h - what the vectors of approx/avx512.h, approx/f64.h and approx/halves.h have in common
 * (AVX-512 F, BW, DQ). */
#ifndef PX_APPROX_VECTOR_H
#define PX_APPROX_VECTOR_H

#include <immintrin.h>

#include "approx/units.h"

typedef uint32_t px_v16 __attribute__((vector_size(64)));
typedef int32_t px_v16s __attribute__((vector_size(64)));

#define PX_V(x) ((px_v16)(x))
#define PX_VS(x) ((px_v16s)(x))
#define PX_M(x) ((__m512i)(x))

/* A constant, loaded.  The compiler is not told that it is one: it would make it anew in every turn of a
 * loop, through the port that the permutes need, rather than keep it or read it again. */
#define PX_V_LOADED(element, vector, broadcast, x)                                                           \
    __extension__({                                                                                          \
        static const element constant_ = (x);                                                                \
        vector all_;                                                                                         \
        __asm__(broadcast " %1, %0" : "=v"(all_) : "m"(constant_));                                          \
        all_;                                                                                                \
    })
#define px_v_all(x) PX_V(PX_V_LOADED(uint32_t, __m512i, "vpbroadcastd", x))
#define px_v_float(x) PX_V_LOADED(float, __m512, "vbroadcastss", x)
#define px_v_all64(x) PX_V(PX_V_LOADED(uint64_t, __m512i, "vpbroadcastq", x))
#define px_v_double(x) PX_V_LOADED(double, __m512d, "vbroadcastsd", x)

PX_APPROX_FN uint64_t px_v_mask(uint64_t x)
{
    __asm__("" : "+k"(x));
    return x;
}

/* f of three words bit by bit; `f` is written with PX_V_A, PX_V_B, PX_V_C (truth tables). */
enum { PX_V_A = 0xF0, PX_V_B = 0xCC, PX_V_C = 0xAA };
#define PX_V_BITS(a, b, c, f) PX_V(_mm512_ternarylogic_epi32(PX_M(a), PX_M(b), PX_M(c), (f)&0xFF))
#define PX_V_SELECT(m, yes, no) PX_V_BITS(m, yes, no, (PX_V_A & PX_V_B) | (~PX_V_A & PX_V_C))

enum { PX_V_TO_ZERO = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };

/* Lanes where one of the constant bits is set, or none. */
#define px_v_test(x, bits) _mm512_test_epi32_mask(PX_M(x), PX_M(px_v_all(bits)))
#define px_v_testn(x, bits) _mm512_testn_epi32_mask(PX_M(x), PX_M(px_v_all(bits)))

/* y, in some lanes `value`. */
PX_APPROX_FN px_v16 px_v_put_word(px_v16 y, __mmask16 lanes, px_v16 value)
{
    return PX_V(_mm512_mask_mov_epi32(PX_M(y), lanes, PX_M(value)));
}

/* The word of the lane's entry; the index is 6 bits, of which lanes in k5 have bit 5. */
PX_APPROX_FN px_v16 px_v_fetch64(const void *table, px_v16 index, __mmask16 k5, __mmask16 not_k5)
{
    const __m512i *t = table;
    __m512i y =
        _mm512_mask2_permutex2var_epi32(_mm512_load_si512(t), PX_M(index), not_k5, _mm512_load_si512(t + 1));
    return PX_V(_mm512_mask2_permutex2var_epi32(_mm512_load_si512(t + 2), y, k5, _mm512_load_si512(t + 3)));
}

#endif
