// cached.cu - loads and stores with cache operators, read-only loads, prefetches.
extern "C" __global__ void cached(const float *__restrict__ a, const int4 *__restrict__ b, float *out,
                                  int4 *wide, double2 *d)
{
    int i = threadIdx.x;
    float s = __ldg(a + i) + __ldca(a + i + 1) + __ldcg(a + i + 2) + __ldcs(a + i + 3) + __ldlu(out + i) +
              __ldcv(out + i + 4);
    int4 v = __ldg(b + i);
    __stwb(out + i, s);
    __stcg(out + i + 32, s);
    __stcs(wide + i, v);
    __stwt(wide + i + 32, __ldcs(b + i + 1));
    d[i] = __ldg(d + i + 32);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + 64));
}
