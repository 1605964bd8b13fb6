// Thrust on the device: sequences, transform, reduce, scan, sort by key, unique, a functor of our own.
#include "say.h"
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

struct scramble {
    __host__ __device__ int operator()(int i) const { return (int)((i * 2654435761u) >> 20) % 500; }
};

int main()
{
    const int n = 3000;
    thrust::device_vector<int> a(n), b(n), keys;
    thrust::sequence(a.begin(), a.end());
    thrust::transform(a.begin(), a.end(), b.begin(), scramble());
    printf("sum %d, max %d\n", thrust::reduce(b.begin(), b.end()),
           thrust::reduce(b.begin(), b.end(), -1, thrust::maximum<int>()));
    thrust::inclusive_scan(b.begin(), b.end(), a.begin());
    thrust::host_vector<int> h = a;
    printf("scan %d %d %d\n", h[0], h[n / 2], h[n - 1]);
    thrust::sequence(a.begin(), a.end());
    keys = b;
    thrust::stable_sort_by_key(keys.begin(), keys.end(), a.begin());
    h = a;
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum = (sum * 31 + h[i]) % 1000000007;
    printf("sorted %d %d %d, %lld\n", h[0], h[1], h[n - 1], sum);
    int left = thrust::unique(keys.begin(), keys.end()) - keys.begin();
    printf("different %d\n", left);
    return 0;
}
