// Reductions: of everything, with a place, transformed, by key, of segments; histograms.
#include "check.h"
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

struct add {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct least {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return b < a ? b : a;
    }
};
struct twice {
    template <class T> __host__ __device__ T operator()(const T &a) const { return a + a; }
};

template <class T, class F> T host_reduce(const T *v, size_t n, F f, T sum)
{
    for (size_t i = 0; i < n; i++) sum = f(sum, v[i]);
    return sum;
}

template <class T> void reductions()
{
    const int n = (int)items;
    const std::vector<T> v = summed<T>(items, 100);
    const std::vector<int> keys = drawn<int>(items, 50, 40);
    device<T> in(v), out(items);
    run([&](void *t, size_t &s) {
        return cub::DeviceReduce::Reduce(t, s, (T *)in, (T *)out, n, add(), item<T>::of(5));
    });
    same("sum", out.first(), host_reduce(v.data(), items, add(), item<T>::of(5)));
    run([&](void *t, size_t &s) {
        return cub::DeviceReduce::Reduce(t, s, (T *)in, (T *)out, n, least(), v[0]);
    });
    same("least", out.first(), host_reduce(v.data(), items, least(), v[0]));
    run([&](void *t, size_t &s) {
        return cub::DeviceReduce::TransformReduce(t, s, (T *)in, (T *)out, n, add(), twice(), T{});
    });
    T sum{};
    for (size_t i = 0; i < items; i++) sum = sum + (v[i] + v[i]);
    same("sum of doubles", out.first(), sum);
    device<int> by(keys), heads(items), found(1);
    std::vector<int> want_heads;
    std::vector<T> want;
    for (size_t i = 0; i < items; i++) {
        const bool begins = !i || keys[i] != keys[i - 1];
        if (begins)
            want_heads.push_back(keys[i]), want.push_back(v[i]);
        else
            want.back() = want.back() + v[i];
    }
    run([&](void *t, size_t &s) {
        return cub::DeviceReduce::ReduceByKey(t, s, (int *)by, (int *)heads, (T *)in, (T *)out, (int *)found,
                                              add(), n);
    });
    same("by key: number", found.first(), (int)want.size());
    same("by key: keys", heads.host(want.size()), want_heads);
    same("by key", out.host(want.size()), want);
    std::vector<int> ends = {0};
    while (ends.back() < n) ends.push_back(std::min(n, ends.back() + (int)(draw() % 3000)));
    const int segments = (int)ends.size() - 1;
    device<int> offsets(ends);
    std::vector<T> sums(segments);
    for (int i = 0; i < segments; i++) sums[i] = host_reduce(&v[ends[i]], ends[i + 1] - ends[i], add(), T{});
    run([&](void *t, size_t &s) {
        return cub::DeviceSegmentedReduce::Reduce(t, s, (T *)in, (T *)out, segments, (int *)offsets,
                                                  (int *)offsets + 1, add(), T{});
    });
    same("of segments", out.host(segments), sums);
}

template <class T> void places()
{
    const std::vector<T> v = drawn<T>(items, 60000);
    device<T> in(v), value(1);
    device<int64_t> place(1);
    run([&](void *t, size_t &s) {
        return cub::DeviceReduce::ArgMin(t, s, (T *)in, (T *)value, (int64_t *)place, (int64_t)items);
    });
    const size_t at = std::min_element(v.begin(), v.end()) - v.begin();
    same("least: value", value.first(), v[at]);
    same("least: place", place.first(), (int64_t)at);
}

template <class T> void histograms()
{
    const std::vector<T> v = drawn<T>(items, 100);
    const std::vector<T> levels = {0, 1, 5, 10, 11, 50, 99};
    device<T> in(v), steps(levels);
    device<int> bins(128);
    std::vector<int> even(64), ranged(6);
    for (T x : v) {
        if (x < 96) even[(int)x * 64 / 96]++;
        for (int k = 0; k < 6; k++) ranged[k] += x >= levels[k] && x < levels[k + 1];
    }
    run([&](void *t, size_t &s) {
        return cub::DeviceHistogram::HistogramEven(t, s, (T *)in, (int *)bins, 65, (T)0, (T)96, (int)items);
    });
    same("even histogram", bins.host(64), even);
    run([&](void *t, size_t &s) {
        return cub::DeviceHistogram::HistogramRange(t, s, (T *)in, (int *)bins, 7, (T *)steps, (int)items);
    });
    same("histogram of ranges", bins.host(6), ranged);
}

void all()
{
    reductions<int8_t>();
    reductions<int16_t>();
    reductions<int32_t>();
    reductions<int64_t>();
    reductions<float>();
    reductions<double>();
    reductions<pair32>();
    reductions<pair64>();
    places<int32_t>();
    places<double>();
    histograms<uint8_t>();
    histograms<int32_t>();
    histograms<float>();
}
