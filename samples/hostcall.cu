// hostcall.cu - a kernel that calls functions of the host, written in C (hostfn.c).
//
// nvcc -arch=sm_75 -rdc=true -ptx hostcall.cu -o hostcall.ptx
//
// The functions are declared, not defined; a GPU program could not be linked so. ptxvm --host-lib supplies
// them, and calls them once for each thread. nvcc declares every 4-byte argument .b32, which does not tell an
// int from a float, so this sample keeps to integers; hostcurve.ptx, written by hand, declares .f32 and .f64.

extern "C" __device__ int host_rank(int block, int thread);
extern "C" __device__ long long host_mix(long long value, unsigned rounds, unsigned char salt);
extern "C" __device__ void host_note(int thread, long long value);

extern "C" __global__ void hostcall(long long *out, int n)
{
    const int rank = host_rank(blockIdx.x, threadIdx.x);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = host_mix(rank, i % 5, (unsigned char)(i * 3));
    if (i % 64 == 0) host_note(i, out[i]);
}
