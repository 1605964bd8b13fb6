// Templates: types, values, specialisations, packs, a class with a static member function.
#include "words.h"

template <typename T> struct name_of { static const int value = 1; };
template <> struct name_of<float> { static const int value = 2; };
template <> struct name_of<double> { static const int value = 3; };
template <typename T> struct name_of<T *> { static const int value = 10 + name_of<T>::value; };

template <int N> struct fib { static const word value = fib<N - 1>::value + fib<N - 2>::value; };
template <> struct fib<1> { static const word value = 1; };
template <> struct fib<0> { static const word value = 0; };

template <typename... A> __device__ auto sum(A... a) { return (a + ...); }
template <typename T, int N> struct row {
    T v[N];
    __device__ T dot(const row &o) const
    {
        T s = 0;
        for (int i = 0; i < N; i++)
            s += v[i] * o.v[i];
        return s;
    }
};
template <typename T> __device__ T dot_of(int t)
{
    row<T, 5> a, b;
    for (int i = 0; i < 5; i++) {
        a.v[i] = T(t + i);
        b.v[i] = T(i * 2 - t);
    }
    return a.dot(b);
}

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x;
    out[t * 4] = name_of<float *>::value + 100 * name_of<double>::value + fib<40>::value;
    out[t * 4 + 1] = sum(t, 2.5, 3L, 'a');
    out[t * 4 + 2] = (word)(long long)dot_of<int>(t);
    out[t * 4 + 3] = __double_as_longlong(dot_of<double>(t)) ^ __float_as_uint(dot_of<float>(t));
}

WORDS_MAIN(1, 32, 0, 128)
