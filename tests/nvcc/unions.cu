// unions.cu - type punning through unions and casts, bit fields, packed structures.
union word {
    unsigned u;
    float f;
    unsigned char b[4];
    unsigned short h[2];
};
struct fields {
    unsigned low : 5;
    int middle : 11;
    unsigned high : 16;
};
struct __attribute__((packed)) packed {
    char c;
    int i;
    double d;
};

extern "C" __global__ void unions(const word *in, word *out, fields *f, packed *p)
{
    word w = in[threadIdx.x];
    w.b[1] ^= 0x80;
    w.h[1] += w.b[0];
    out[threadIdx.x] = w;
    fields g = *f;
    g.middle = g.middle * 2 - 1;
    g.high += g.low;
    *f = g;
    p->i += p->c;
    p->d *= 0.5;
    reinterpret_cast<double *>(out)[8] = __longlong_as_double(*reinterpret_cast<const long long *>(in));
}
