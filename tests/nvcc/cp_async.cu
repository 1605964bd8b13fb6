// cp_async.cu - the pipeline primitives: 4, 8 and 16 byte copies, groups, partial waits.
#include <cuda_pipeline.h>

extern "C" __global__ void copies(const int *a, const int2 *b, const int4 *c, int *out)
{
    __shared__ int sa[64];
    __shared__ int2 sb[64];
    __shared__ int4 sc[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&sa[t], &a[t], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&sb[t], &b[t], 8);
    __pipeline_memcpy_async(&sc[t], &c[t], 16, t < 32 ? 0 : 8);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int sum = sa[63 - t];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = sum + sb[63 - t].y + sc[63 - t].z;
}
