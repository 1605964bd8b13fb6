// blocks.cu - CUB: block and warp collectives, as libraries instantiate them.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>

extern "C" __global__ void __launch_bounds__(64) collectives(const int *in, int *out)
{
    using reduce = cub::BlockReduce<int, 64>;
    using scan = cub::BlockScan<int, 64>;
    using sort = cub::BlockRadixSort<unsigned, 64, 2>;
    __shared__ union {
        reduce::TempStorage reduce;
        scan::TempStorage scan;
        sort::TempStorage sort;
    } memory;
    int x = in[threadIdx.x], before;
    int sum = reduce(memory.reduce).Sum(x);
    __syncthreads();
    scan(memory.scan).ExclusiveSum(x, before);
    __syncthreads();
    unsigned keys[2] = {(unsigned)x, (unsigned)before};
    sort(memory.sort).Sort(keys, 0, 12);
    out[threadIdx.x] = sum + before + keys[0] - keys[1];
}
