// warp.cu - votes, shuffles, matches, warp barriers, reductions.
extern "C" __global__ void warp(const int *in, int *out, double *wide)
{
    int x = in[threadIdx.x];
    unsigned all = 0xffffffffu;
    out[0] = __any_sync(all, x > 0) + __all_sync(all, x > 1) + __ballot_sync(all, x > 2) + __activemask();
    out[1] = __shfl_sync(all, x, 3) + __shfl_up_sync(all, x, 1, 16) + __shfl_down_sync(all, x, 2) +
             __shfl_xor_sync(all, x, 4, 8);
    int same;
    out[2] = __match_any_sync(all, x) + __match_all_sync(all, x, &same) + same;
    wide[0] = __shfl_xor_sync(all, wide[1], 1) + (double)__shfl_sync(all, (long long)x, 5);
    if (x & 1) {
        __syncwarp(__activemask());
        out[3] = __popc(__activemask());
    }
#if __CUDA_ARCH__ >= 800
    out[4] = __reduce_add_sync(all, x) + __reduce_min_sync(all, x) + __reduce_xor_sync(all, (unsigned)x);
#endif
    out[5] = __syncthreads_count(x) + __syncthreads_and(x) + __syncthreads_or(x);
}
