// integers.cu - 8, 16 and 32 bit arithmetic, dot products, funnel shifts, byte permutes, packed SIMD.
extern "C" __global__ void integers(const int *in, int *out, const short *s, const unsigned char *b)
{
    int x = in[0], y = in[1], z = in[2];
    unsigned ux = x, uy = y;
    out[0] = __dp4a(x, y, z) + __dp4a(ux, uy, 5u) + __dp2a_lo(x, y, z) + __dp2a_hi(x, y, z);
    out[1] = __funnelshift_l(ux, uy, z) + __funnelshift_r(ux, uy, z) + __funnelshift_lc(ux, uy, z) +
             __funnelshift_rc(ux, uy, z);
    out[2] = __byte_perm(ux, uy, 0x6240) + __brev(ux) + __popc(ux) + __clz(x) + __ffs(y);
    out[3] = __vadd4(ux, uy) + __vsubss2(ux, uy) + __vmaxu4(ux, uy) + __vabsdiffu4(ux, uy) +
             __vcmpgts2(ux, uy) + __vsadu4(ux, uy);
    out[4] =
        __mulhi(x, y) + __umulhi(ux, uy) + __mul24(x, y) + __umul24(ux, uy) + __hadd(x, y) + __urhadd(ux, uy);
    out[5] = x / y + ux / uy + x % y + ux % uy + x / 7 + ux % 10 + (x >> z) + (int)(ux >> z) + (x << z);
    out[6] = s[0] * s[1] + s[2] / s[3] + (short)(s[4] + s[5]) + (b[0] << b[1]) +
             (unsigned char)(b[2] * b[3]) + (signed char)b[4];
    out[7] = (x > y) + (ux > uy) + !x + (x && y) + (s[6] < s[7]) + (x == 3 ? y : z) + abs(x) + min(x, y) +
             max(ux, uy);
    out[8] = __viaddmax_s32(x, y, z) + __vimax3_s32_relu(x, y, z) + __vibmax_s32(x, y, (bool *)&out[20]);
}
