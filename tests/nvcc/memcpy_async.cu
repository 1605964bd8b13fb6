// memcpy_async.cu - asynchronous copies of groups and of cuda::barrier, aligned and not.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int *in, int *out, int n)
{
    __shared__ alignas(16) int tile[512];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 512, cuda::aligned_size_t<16>(2048));
    cg::wait(block);
    int sum = 0;
    for (int i = block.thread_rank(); i < 512; i += block.size()) sum += tile[i];
    auto warp = cg::tiled_partition<32>(block);
    sum = cg::reduce(warp, sum, cg::plus<int>());
    sum += cg::exclusive_scan(warp, sum);
    if (warp.thread_rank() == 0) out[blockIdx.x] = sum + n;
}

extern "C" __global__ void barriers(const char *in, char *out, int bytes)
{
    extern __shared__ char raw[];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&ready, block.size());
    block.sync();
    cuda::memcpy_async(block, raw, in, bytes, ready);
    ready.arrive_and_wait();
    out[threadIdx.x] = raw[threadIdx.x % bytes];
}
