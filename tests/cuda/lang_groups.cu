// Cooperative groups within a block: tiles, partitions by label, coalesced groups, reductions and scans.
#include "words.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void test(word *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    int t = block.thread_rank();
    word h = tile.thread_rank() + 10 * tile.meta_group_rank() + 1000 * tile.meta_group_size();
    h = mix(h, cg::reduce(tile, t, cg::plus<int>()));
    h = mix(h, cg::reduce(warp, t * 37 % 101, cg::greater<int>()));
    h = mix(h, cg::inclusive_scan(tile, t));
    h = mix(h, cg::exclusive_scan(warp, t + 1, cg::bit_xor<int>()));
    h = mix(h, tile.shfl_xor(t, 3) + tile.ballot(t & 1));
    out[t * 2] = h;
    h = 0;
    if (t % 3) {
        cg::coalesced_group some = cg::coalesced_threads();
        h = some.size() * 100 + some.thread_rank();
        h = mix(h, some.shfl(t, 2));
        h = mix(h, cg::reduce(some, t, cg::plus<int>()));
    }
    block.sync();
    auto label = cg::labeled_partition(warp, t % 5);
    h = mix(h, label.size() + 50 * label.thread_rank() + cg::reduce(label, t, cg::less<int>()));
    auto half = cg::binary_partition(warp, t % 7 < 3);
    h = mix(h, half.size() + 50 * half.thread_rank());
    cg::invoke_one(tile, [&] { atomicAdd(&out[2 * blockDim.x], 1ull); });
    out[t * 2 + 1] = h + block.group_dim().x + block.thread_index().x;
}

WORDS_MAIN(1, 96, 0, 193)
