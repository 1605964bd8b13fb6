// What lanes of a warp tell each other: shuffles of all kinds and widths, votes, match, reduce, active masks.
#include "words.h"

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x, lane = t % 32;
    word h = 0;
    h = mix(h, __shfl_sync(~0u, t * 3, 5));
    h = mix(h, __shfl_sync(~0u, t, lane * 7 + 3, 8));
    h = mix(h, __shfl_up_sync(~0u, t, 3));
    h = mix(h, __shfl_down_sync(~0u, t, 5, 16));
    h = mix(h, __shfl_xor_sync(~0u, t, 9));
    h = mix(h, __shfl_sync(~0u, (word)t << 40, 31 - lane));
    h = mix(h, __double_as_longlong(__shfl_xor_sync(~0u, t * 0.1, 1)));
    out[t * 4] = h;
    h = __ballot_sync(~0u, lane % 5 == 2);
    h = mix(h, __any_sync(~0u, t == 40) * 2 + __all_sync(~0u, t < 40));
    h = mix(h, __match_any_sync(~0u, lane / 3));
    int same;
    h = mix(h, __match_all_sync(~0u, t / 32, &same));
    h = mix(h, same);
    out[t * 4 + 1] = h;
    h = __reduce_add_sync(~0u, t) + ((word)__reduce_max_sync(~0u, -t) << 32);
    h = mix(h, __reduce_xor_sync(~0u, t * 77) + __reduce_and_sync(~0u, t | 64));
    out[t * 4 + 2] = h;
    if (lane < 13) {
        unsigned mask = __activemask();
        h = mix(mask, __shfl_sync(0x1fff, t, 12));
        h = mix(h, __ballot_sync(0x1fff, t & 1));
    } else {
        h = mix(1, __reduce_min_sync(0xffffe000u, (unsigned)t));
    }
    __syncwarp();
    unsigned laneid, lt;
    asm("mov.u32 %0, %%laneid; mov.u32 %1, %%lanemask_lt;" : "=r"(laneid), "=r"(lt));
    out[t * 4 + 3] = mix(h, laneid + ((word)lt << 32));
}

WORDS_MAIN(1, 64, 0, 256)
