// curand's device headers: Philox and XORWOW, whole numbers, uniform and normal.
#include "words.h"
#include <curand_kernel.h>

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x;
    curandStatePhilox4_32_10_t p;
    curand_init(1234, t, 5, &p);
    uint4 v = curand4(&p);
    word h = mix(v.x + ((word)v.y << 32), v.z + ((word)v.w << 32));
    h = mix(h, __float_as_uint(curand_uniform(&p)));
    out[t * 2] = mix(h, __double_as_longlong(curand_uniform_double(&p)));
    curandStateXORWOW_t x;
    curand_init(99, t % 4, t, &x);
    h = curand(&x);
    h = mix(h, __float_as_uint(curand_normal(&x)));
    out[t * 2 + 1] = mix(h, curand_poisson(&x, 3.5));
}

WORDS_MAIN(1, 64, 0, 128)
