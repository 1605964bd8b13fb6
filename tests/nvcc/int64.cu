// int64.cu - wide integers: division, high products, shifts, 128 bits, bit counts, conversions.
extern "C" __global__ void wide(const long long *in, long long *out, unsigned long long *u)
{
    long long a = in[0], b = in[1];
    unsigned long long c = u[0], d = u[1];
    int n = (int)in[2];
    out[0] = a / b + a % b + a * b + (a << n) + (a >> n) + (a < b ? a : b) + llabs(a);
    u[2] = c / d + c % d + (c >> n) + __umul64hi(c, d) + __mul64hi(a, b) + __brevll(c) + __popcll(d);
    out[1] = __clzll(a) + __ffsll(b) + __double2ll_rz(1.5 * a) + (long long)(float)b + (int)a + (short)b +
             (signed char)a;
    unsigned __int128 p = (unsigned __int128)c * d + a;
    u[3] = (unsigned long long)(p >> 64) ^ (unsigned long long)p ^ (unsigned long long)(p / 1000003u);
    __int128 s = (__int128)a << 70;
    out[2] = (long long)(s >> n);
    out[3] = min(a, b) + max(c, d) + __sad((int)a, (int)b, 3u) + __usad((unsigned)c, (unsigned)d, 1u);
}
