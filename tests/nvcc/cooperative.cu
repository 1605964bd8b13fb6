// cooperative.cu - cooperative groups: tiles, coalesced and labelled groups, grid synchronisation.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    auto warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<4>(warp);
    int x = in[grid.thread_rank()];
    int sum = cg::reduce(warp, x, cg::plus<int>());
    int highest = cg::reduce(quad, x, cg::greater<int>());
    int before = cg::exclusive_scan(warp, x);
    int rank = 0;
    if (x & 1) {
        cg::coalesced_group odd = cg::coalesced_threads();
        rank = odd.thread_rank() + odd.size() + odd.shfl(x, 0);
    }
    auto alike = cg::labeled_partition(warp, x & 3);
    rank += alike.size() + quad.shfl_xor(x, 2) + warp.any(x == 7) + warp.match_any(x);
    block.sync();
    grid.sync();
    out[grid.thread_rank()] = sum + highest + before + rank;
}
