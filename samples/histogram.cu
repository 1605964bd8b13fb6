// histogram.cu - counts in shared memory first, then one global atomic a bin and block.
//
// nvcc -arch=sm_75 -ptx histogram.cu -o histogram.ptx
//
// The counters of a block are dynamic shared memory: launch with 4 * bin_count bytes (ptxvm -s 1024 for 256
// bins). The bin of a value is the top of its product with Knuth's constant, so that counting up (iota) fills
// all bins.

extern "C" __global__ void histogram(const unsigned *in, int n, unsigned *bins, unsigned bin_count)
{
    extern __shared__ unsigned counts[];

    for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x) counts[b] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[__umulhi(in[i] * 2654435761u, bin_count)], 1u);
    __syncthreads();

    for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x)
        if (counts[b] != 0) atomicAdd(&bins[b], counts[b]);
}
