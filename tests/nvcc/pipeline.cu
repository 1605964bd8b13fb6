// pipeline.cu - cuda::pipeline with two stages.
#include <cuda/pipeline>
#include <cooperative_groups.h>

extern "C" __global__ void staged(const float4 *in, float4 *out, int rounds)
{
    __shared__ float4 buffer[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0; i <= rounds; i++) {
        if (i < rounds) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[i % 2], in + i * 128, cuda::aligned_size_t<16>(sizeof buffer[0]),
                               pipe);
            pipe.producer_commit();
        }
        if (i > 0) {
            pipe.consumer_wait();
            float4 v = buffer[(i - 1) % 2][127 - threadIdx.x];
            out[(i - 1) * 128 + threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
            pipe.consumer_release();
        }
    }
}
