/* undefined.cu - what PTX leaves undefined and a chip lets pass: with --ub=chip this prints what an H200 does. */
#include <cstdio>
__global__ void masks(unsigned *to)
{
    unsigned lane = threadIdx.x, up, vote;
    asm volatile("{.reg .pred q; shfl.sync.up.b32 %0, %2, 1, 0, 0;\n"
                 "and.b32 %1, %2, 1; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %1, q, 0;}"
                 : "=r"(up), "=r"(vote)
                 : "r"(lane));
    to[lane] = up;
    to[32 + lane] = vote;
}
__global__ void past(const unsigned *p, unsigned *to, long bytes)
{
    to[threadIdx.x] = p[bytes / 4 + threadIdx.x];
}
static bool said(const char *what, unsigned *to, unsigned n)
{
    unsigned words[64];
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %d", what, error);
    if (!error) cudaMemcpy(words, to, sizeof words, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; !error && i < n; i++) printf(" %x", words[i]);
    printf("\n");
    return !error;
}
int main()
{
    unsigned *to, *p;
    cudaMalloc(&to, 256);
    cudaMalloc(&p, 1000);
    cudaMemset(to, 0xff, 256);
    cudaMemset(p, 0, 1000);
    masks<<<1, 32>>>(to);
    if (!said("masks", to, 33)) return 1;
    for (long bytes : {1000L, 4096L, 1L << 20, 32L << 20}) {
        cudaMemset(to, 0xff, 256);
        past<<<1, 1>>>(p, to, bytes);
        if (!said("past", to, 2)) return 1;
    }
    return 0;
}
