// cuda::std and cuda::: atomics with orders, a barrier, optional, tuple, array, complex, span, chrono's arithmetic.
#include "words.h"
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>

__device__ cuda::std::optional<int> maybe(int t)
{
    if (t % 3)
        return t * 2;
    return cuda::std::nullopt;
}

extern "C" __global__ void test(word *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;
    __shared__ int data[64];
    int t = threadIdx.x;
    if (t == 0) {
        init(&bar, blockDim.x);
        turn.store(0, cuda::std::memory_order_relaxed);
    }
    __syncthreads();
    data[t] = t * t;
    auto token = bar.arrive();
    bar.wait(cuda::std::move(token));
    word h = data[63 - t];
    turn.fetch_add(t, cuda::std::memory_order_acq_rel);
    bar.arrive_and_wait();
    h = mix(h, turn.load(cuda::std::memory_order_acquire));
    cuda::atomic_ref<word, cuda::thread_scope_device> total(out[128]);
    total.fetch_max(t * 100, cuda::std::memory_order_relaxed);
    cuda::std::array<int, 4> a = {t, t + 1, t + 2, t + 3};
    for (int x : a)
        h = mix(h, x);
    auto [p, q] = cuda::std::make_tuple(t * 3, 2.5f * t);
    h = mix(h, p + (int)q);
    out[t * 2] = mix(h, maybe(t).value_or(-1));
    cuda::std::complex<double> z(t * 0.5, 1 - t), w = z * z + cuda::std::conj(z);
    h = mix(__double_as_longlong(w.real()), __double_as_longlong(w.imag()));
    h = mix(h, cuda::std::popcount((unsigned)t) + cuda::std::countl_zero((unsigned)t) + cuda::std::bit_ceil((unsigned)t));
    out[t * 2 + 1] = mix(h, cuda::std::numeric_limits<int>::max());
}

WORDS_MAIN(1, 64, 0, 129)
