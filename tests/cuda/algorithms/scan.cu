// Prefix sums and their like: inclusive and exclusive, from a start, by key, of maxima; types of 1 to 16
// bytes.
#include "check.h"
#include <cub/device/device_scan.cuh>

struct add {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct most {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return a < b ? b : a;
    }
};

template <class T, class F>
std::vector<T> host_scan(const std::vector<T> &v, F f, bool inclusive, T start,
                         const std::vector<int> *keys = nullptr)
{
    std::vector<T> r(v.size());
    T sum = start;
    for (size_t i = 0; i < v.size(); i++) {
        if (keys && i && (*keys)[i] != (*keys)[i - 1]) sum = start;
        const T before = sum;
        sum = f(sum, v[i]);
        r[i] = inclusive ? sum : before;
    }
    return r;
}

template <class T> void scans()
{
    const int n = (int)items;
    const std::vector<T> v = summed<T>(items, 5);
    const std::vector<int> keys = drawn<int>(items, 9, 300);
    device<T> in(v), out(items);
    device<int> by(keys);
    run([&](void *t, size_t &s) {
        return cub::DeviceScan::InclusiveScan(t, s, (T *)in, (T *)out, add(), n);
    });
    same("inclusive sum", out.host(), host_scan(v, add(), true, T{}));
    run([&](void *t, size_t &s) {
        return cub::DeviceScan::ExclusiveScan(t, s, (T *)in, (T *)out, add(), item<T>::of(3), n);
    });
    same("exclusive sum from 3", out.host(), host_scan(v, add(), false, item<T>::of(3)));
    run([&](void *t, size_t &s) {
        return cub::DeviceScan::ExclusiveScan(t, s, (T *)in, (T *)out, most(), item<T>::of(1), n);
    });
    same("exclusive maximum", out.host(), host_scan(v, most(), false, item<T>::of(1)));
    run([&](void *t, size_t &s) {
        return cub::DeviceScan::InclusiveScanByKey(t, s, (int *)by, (T *)in, (T *)out, add(), n);
    });
    same("inclusive sum by key", out.host(), host_scan(v, add(), true, T{}, &keys));
    run([&](void *t, size_t &s) {
        return cub::DeviceScan::ExclusiveScanByKey(t, s, (int *)by, (T *)in, (T *)out, add(), item<T>::of(2),
                                                   n);
    });
    same("exclusive sum by key", out.host(), host_scan(v, add(), false, item<T>::of(2), &keys));
}

void all()
{
    scans<int8_t>();
    scans<int16_t>();
    scans<int32_t>();
    scans<int64_t>();
    scans<float>();
    scans<double>();
    scans<pair32>();
    scans<pair64>();
}
