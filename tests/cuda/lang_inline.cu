// PTX in C++: operands of every class, predicates, labels, video instructions, special registers, vectors.
#include "words.h"

extern "C" __global__ void test(word *out)
{
    unsigned t = threadIdx.x, a, b;
    word h;
    float f;
    double d;
    short s;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(a) : "r"(t), "r"(77), "n"(5));
    asm("{ .reg .pred p; setp.gt.u32 p, %1, 10; selp.u32 %0, 100, 200, p; }" : "=r"(b) : "r"(t));
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(h) : "r"(a), "r"(b));
    asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(t + 0.1f), "f"(1.7f), "f"(-3.3f));
    asm("sub.rp.f64 %0, %1, %2;" : "=d"(d) : "d"(1.0 / 3), "d"((double)t));
    asm("mul.hi.s16 %0, %1, %2;" : "=h"(s) : "h"((short)(t * 900)), "h"((short)-77));
    h = mix(h, __float_as_uint(f));
    h = mix(h, __double_as_longlong(d));
    out[t * 2] = mix(h, (unsigned short)s);
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(a) : "r"(t * 0x01010101), "r"(0x12345678));
    asm("bfe.s32 %0, %1, 5, 9;" : "=r"(b) : "r"(a * 77));
    h = mix(a, b);
    asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(a) : "r"(t), "r"(b), "r"(0x0ff0ff0f));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(b) : "r"(a), "r"(t), "r"(t % 40));
    h = mix(h, a + ((word)b << 32));
    asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(a) : "r"(a), "r"(b), "r"(0));
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(b) : "r"(a), "r"(t * 0x03050709), "r"(-5));
    h = mix(h, a + ((word)b << 32));
    asm volatile("{ .reg .u32 i; mov.u32 i, %1; mov.u32 %0, 0;\n"
                 "again: add.u32 %0, %0, i; sub.u32 i, i, 1; .reg .pred q; setp.ne.u32 q, i, 0; @q bra again; }"
                 : "=&r"(a)
                 : "r"(t + 1));
    unsigned n, c;
    asm("mov.u32 %0, %%ntid.x; mov.u32 %1, %%ctaid.x;" : "=r"(n), "=r"(c));
    out[t * 2 + 1] = mix(h, a + n * 1000 + c);
}

WORDS_MAIN(1, 48, 0, 96)
