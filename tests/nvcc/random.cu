// random.cu - a counter-based generator of curand: a header library with its state in local memory.
#include <curand_kernel.h>

extern "C" __global__ void generators(float *out, unsigned long long seed)
{
    curandStatePhilox4_32_10_t state;
    curand_init(seed, threadIdx.x, 0, &state);
    float4 n = curand_normal4(&state);
    out[threadIdx.x] = n.x + n.w + curand_uniform(&state) + curand_log_normal(&state, 0.0f, 1.0f);
}
