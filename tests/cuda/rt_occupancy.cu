// Occupancy: blocks a multiprocessor holds, the best block, the room that is left; a function's attributes that it needs.
#include "say.h"

__global__ void none(int *p) { *p = 1; }
__global__ void __launch_bounds__(256, 2) bounded(int *p) { *p = 2; }
__global__ void heavy(int *p)
{
    __shared__ int s[12000];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *p = s[0];
}
static size_t per_block(int n) { return n * 64; }

int main()
{
    int n, grid, block;
    size_t room;
    for (int size = 32; size <= 1024; size *= 2) {
        RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, none, size, 0));
        printf("%d: %d", size, n);
        RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, heavy, size, 0));
        printf(" %d", n);
        RT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, none, size, 20000, cudaOccupancyDefault));
        printf(" %d\n", n);
    }
    RT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, none, 0, 0));
    printf("%d\n", block);
    RT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
    printf("%d\n", block);
    RT(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, none, per_block, 512));
    printf("%d\n", block);
    RT(cudaOccupancyAvailableDynamicSMemPerBlock(&room, none, 2, 128));
    printf("room %zu\n", room);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounded, 512, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, none, 0, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, none, 2048, 0));
    return 0;
}
