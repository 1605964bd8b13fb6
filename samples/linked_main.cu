// linked_main.cu - one of two translation units: compiled apart from linked_parts.cu, and linked when they run.
//
// nvcc -arch=sm_90 -rdc=true -ptx linked_main.cu -o linked_main.ptx
//
// The kernel here launches a kernel of the other file for each of its ranges; what is done to a number is a function
// of the other file, called by name and through a table that holds its address. Both files have a `static` counter
// and a `static` function of one name, and both instantiate the template of linked.h.
#include "linked.h"

static __device__ unsigned launches;
extern __constant__ unsigned factors[2];
extern __device__ unsigned (*steps[2])(unsigned);
extern __device__ unsigned apart(void);

static __device__ unsigned twist(unsigned x) { return x + 1; }

// out[i] = steps[i / 256 % 2](twist(i)) of the other file; totals: launches here, blocks there, sum of calls.
__global__ void split(unsigned *out, unsigned n, unsigned *totals)
{
    for (unsigned from = 0; from < n; from += 256) {
        part<<<1, 256>>>(out, from, n, twist(from));
        launches++;
    }
    totals[0] = launches;
    totals[1] = steps[1](factors[1]) + twist(apart());
    totals[2] = called<unsigned>(n);
}
