// inline_asm.cu - inline PTX: constraints of every kind, blocks, predicates, labels, special registers.
__device__ unsigned lane()
{
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

extern "C" __global__ void inlined(unsigned *out, unsigned long long *wide, float f, double d, short h)
{
    unsigned a = out[0], b = out[1], c, lo, hi, smaller, mixed, bytes, field, extended, counted;
    unsigned long long rounded;
    asm("{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %1, %2;\n\tselp.u32 %0, %1, %2, p;\n\t}"
        : "=r"(smaller)
        : "r"(a), "r"(b));
    asm volatile("mul.lo.u32 %0, %2, %3; mul.hi.u32 %1, %2, %3;" : "=&r"(lo), "=r"(hi) : "r"(a), "n"(12345));
    asm("add.cc.u32 %0, %0, %2; addc.u32 %1, %1, 0;" : "+r"(lo), "+r"(hi) : "r"(b));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(mixed) : "r"(smaller), "r"(lo), "r"(hi));
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(bytes) : "r"(mixed), "r"(b));
    asm("bfe.u32 %0, %1, 4, 9; bfi.b32 %0, %0, %2, 16, 8;" : "=&r"(field) : "r"(a), "r"(bytes));
    asm("fma.rn.ftz.f32 %0, %0, %0, 0f3F800000;" : "+f"(f));
    asm("cvt.rni.s64.f64 %0, %1;" : "=l"(rounded) : "d"(d));
    asm("cvt.s32.s16 %0, %1;" : "=r"(extended) : "h"(h));
    asm volatile("{\n\t.reg .pred q;\n\tmov.u32 %0, 0;\nagain_%=:\n\tadd.u32 %0, %0, 1;\n\tsetp.lt.u32 q, "
                 "%0, %1;\n\t@q bra again_%=;\n\t}"
                 : "=&r"(counted)
                 : "r"(field));
    asm("vset.u32.u32.gt %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(wide), "r"(extended + lane()),
                 "r"(counted + __float_as_uint(f) + c)
                 : "memory");
    asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(rounded) : "r"(a), "r"(b));
    wide[1] = rounded;
}
