// Integers: 128 bits, bit fields, intrinsics, divisions by everything, packed bytes, shifts past the end.
#include "words.h"

struct fields { int a : 5; unsigned b : 11; long long c : 40; bool d : 1; };

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x;
    unsigned __int128 big = ((unsigned __int128)mix(t, 1) << 64) | mix(t, 2);
    unsigned __int128 other = mix(t, 3) | 1;
    unsigned __int128 q = big / other, r = big % other, m = big * other;
    out[t * 4] = mix((word)(q >> 64), mix((word)q, mix((word)r, (word)(m >> 64))));
    fields f = {t, (unsigned)t * 77, -(long long)t * 1234567, t % 2 == 0};
    f.a += 9;
    f.c *= 3;
    out[t * 4 + 1] = mix(mix(f.a, f.b), mix(f.c, f.d));
    word h = 0;
    unsigned u = (unsigned)mix(t, 9);
    int i = (int)u;
    long long l = (long long)mix(t, 10);
    h = mix(h, __brev(u) + __popc(u) + __clz(t) + __ffs(i) + __clzll(l) + __popcll(l) + __ffsll(l));
    h = mix(h, __mulhi(i, 12345) + __umul24(u, 77) + __mul64hi(l, 99) + __sad(i, 55, 7u) + __hadd(i, 3) + __rhadd(i, 3));
    h = mix(h, __byte_perm(u, 0x12345678, t * 0x1111) + __funnelshift_r(u, t, t) + __brevll(l));
    h = mix(h, __vadd4(u, 0x80808080) ^ __vabsdiffu2(u, 0x12345678) ^ __vmaxs4(u, t) ^ __vcmpgtu4(u, 0x40506070));
    h = mix(h, __dp4a(i, 0x01020304, t) + __dp2a_lo(i, 0x01fe03fc, t));
    out[t * 4 + 2] = h;
    int d = t - 24;
    h = d ? (word)(i / d) + (word)(l % d) * 3 : 0;
    h = mix(h, u / (t + 1) + l / (t * 1000003ll + 7));
    h = mix(h, (word)(i >> (t & 31)) + ((word)u << (t & 63)) + (char)u * 3 + (short)u);
    h = mix(h, (unsigned)(float)u + (word)(long long)(double)l + (int)(t * -0.7f) + __float2int_ru(t * 0.3f));
    out[t * 4 + 3] = mix(h, abs(i) + min(i, d) + max(u, 7u) + llabs(l));
}

WORDS_MAIN(1, 48, 0, 192)
