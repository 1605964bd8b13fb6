// complex.cu - cuda::std in device code: complex, array, optional.
#include <cuda/std/complex>
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/utility>

__device__ cuda::std::optional<int> first_over(const cuda::std::array<int, 8> &a, int limit)
{
    for (int x : a)
        if (x > limit) return x;
    return cuda::std::nullopt;
}

extern "C" __global__ void standard(const float *in, float *out, int limit)
{
    cuda::std::complex<float> z(in[0], in[1]), w(in[2], in[3]);
    z = z * w / (z + 1.0f);
    cuda::std::array<int, 8> a;
    for (int i = 0; i < 8; i++) a[i] = (int)in[i];
    for (int i = 1; i < 8; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) cuda::std::swap(a[j - 1], a[j]);
    out[0] = abs(z) + z.imag() + first_over(a, limit).value_or(-1);
}
