// barrier.cu - cuda::barrier in shared memory: arrive, wait, drop, completion by count.
#include <cuda/barrier>

extern "C" __global__ void barriers(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int value;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        value = 0;
    }
    __syncthreads();
    auto token = bar.arrive();
    int mine = data[threadIdx.x] * 3;
    bar.wait(std::move(token));
    atomicAdd(&value, mine);
    if (threadIdx.x >= 16) {
        bar.arrive_and_drop();
        return;
    }
    bar.arrive_and_wait();
    data[threadIdx.x] = value;
}
