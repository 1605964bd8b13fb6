// atomic_ref.cu - cuda::atomic with scopes and memory orders.
#include <cuda/atomic>

extern "C" __global__ void ordered(int *data, unsigned *flag,
                                   cuda::atomic<long long, cuda::thread_scope_system> *total)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> ready(*flag);
    cuda::atomic_ref<int, cuda::thread_scope_block> near(data[1]);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        data[0] = 42;
        ready.store(1, cuda::std::memory_order_release);
    }
    while (ready.load(cuda::std::memory_order_acquire) == 0) {
    }
    near.fetch_add(data[0], cuda::std::memory_order_relaxed);
    near.fetch_max(7);
    total->fetch_sub(3, cuda::std::memory_order_acq_rel);
    long long expected = 5;
    total->compare_exchange_strong(expected, 6, cuda::std::memory_order_seq_cst);
    cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_device);
}
