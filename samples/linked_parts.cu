// linked_parts.cu - the other translation unit of linked_main.cu, which see.
//
// nvcc -arch=sm_90 -rdc=true -ptx linked_parts.cu -o linked_parts.ptx
#include "linked.h"

static __device__ unsigned launches = 1000;
__constant__ unsigned factors[2] = {3, 5};

static __device__ unsigned twist(unsigned x) { return x * factors[0]; }
static __device__ __noinline__ unsigned plus(unsigned x) { return x + factors[1]; }
static __device__ __noinline__ unsigned times(unsigned x) { return x * factors[1]; }
__device__ unsigned (*steps[2])(unsigned) = {plus, times};

__device__ unsigned apart(void) { return called<unsigned>(7) + twist(launches); }

__global__ void part(unsigned *out, unsigned from, unsigned n, unsigned seed)
{
    const unsigned i = from + threadIdx.x;
    if (i < n) out[i] = steps[from / 256 % 2](twist(seed + threadIdx.x));
}
