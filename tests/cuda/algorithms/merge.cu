// Merging and sorting by comparison, of keys and pairs and of segments; differences of neighbours; for each.
#include "check.h"
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <numeric>

struct less {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};
struct minus {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a - b; }
};
struct square {
    template <class T> __host__ __device__ void operator()(T &x) const { x = x * x; }
};

template <class T> void by_comparison()
{
    const int n = (int)items;
    const std::vector<T> v = drawn<T>(items, 1000);
    std::vector<int> place(items), moved(items);
    std::iota(place.begin(), place.end(), 0);
    moved = place;
    std::stable_sort(moved.begin(), moved.end(), [&](int a, int b) { return v[a] < v[b]; });
    std::vector<T> want = v;
    std::stable_sort(want.begin(), want.end());
    device<T> keys(v), out(items);
    device<int> values(place);
    run([&](void *t, size_t &s) {
        return cub::DeviceMergeSort::SortKeysCopy(t, s, (T *)keys, (T *)out, n, less());
    });
    same("keys", out.host(), want);
    run([&](void *t, size_t &s) {
        return cub::DeviceMergeSort::StableSortPairs(t, s, (T *)keys, (int *)values, n, less());
    });
    same("pairs: keys", keys.host(), want);
    same("pairs: values", values.host(), moved);
    std::vector<T> a = drawn<T>(items / 3, 1000), b = drawn<T>(items - items / 3, 1000);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
    device<T> one(a), two(b);
    run([&](void *t, size_t &s) {
        return cub::DeviceMerge::MergeKeys(t, s, (T *)one, (int)a.size(), (T *)two, (int)b.size(), (T *)out,
                                           less());
    });
    same("merged", out.host(), want);
}

void segments()
{
    const int n = (int)items;
    const std::vector<int> v = drawn<int>(items, 1u << 30);
    std::vector<int> ends = {0}, want = v;
    while (ends.back() < n) ends.push_back(std::min(n, ends.back() + (int)(draw() % 4000)));
    const int count = (int)ends.size() - 1;
    for (int i = 0; i < count; i++) std::sort(want.begin() + ends[i], want.begin() + ends[i + 1]);
    device<int> in(v), out(v), offsets(ends);
    run([&](void *t, size_t &s) {
        return cub::DeviceSegmentedSort::SortKeys(t, s, (int *)in, (int *)out, n, count, (int *)offsets,
                                                  (int *)offsets + 1);
    });
    same("segments", out.host(), want);
}

template <class T> void neighbours()
{
    const std::vector<T> v = drawn<T>(items, 100);
    device<T> in(v), out(items);
    std::vector<T> want = v;
    for (size_t i = items; --i;) want[i] = (T)(v[i] - v[i - 1]);
    run([&](void *t, size_t &s) {
        return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, s, (T *)in, (T *)out, (int)items, minus());
    });
    same("differences", out.host(), want);
    for (size_t i = 0; i < items; i++) want[i] = (T)(v[i] * v[i]);
    RT(cub::DeviceFor::ForEachN((T *)in, (int)items, square()));
    same("for each", in.host(), want);
}

void all()
{
    by_comparison<int8_t>();
    by_comparison<int32_t>();
    by_comparison<double>();
    by_comparison<pair64>();
    segments();
    neighbours<int8_t>();
    neighbours<int32_t>();
    neighbours<int64_t>();
    neighbours<double>();
}
