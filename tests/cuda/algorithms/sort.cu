// Sorting by digits: keys and pairs, upwards and downwards, some bits alone, segments.
#include "check.h"
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <numeric>

// A stable order of the places.
template <class T> std::vector<int> order(const std::vector<T> &v, bool down)
{
    std::vector<int> at(v.size());
    std::iota(at.begin(), at.end(), 0);
    std::stable_sort(at.begin(), at.end(), [&](int a, int b) { return down ? v[b] < v[a] : v[a] < v[b]; });
    return at;
}

template <class T> void by_digits()
{
    const int n = (int)items;
    std::vector<T> v = drawn<T>(items, 1u << 31);
    for (T &x : v) x = (T)(x - item<T>::of(1u << 30));
    std::vector<int> place(items);
    std::iota(place.begin(), place.end(), 0);
    device<T> in(v), out(items);
    device<int> at(place), moved(items);
    std::vector<T> want = v;
    std::stable_sort(want.begin(), want.end());
    run([&](void *t, size_t &s) { return cub::DeviceRadixSort::SortKeys(t, s, (T *)in, (T *)out, n); });
    same("keys", out.host(), want);
    run([&](void *t, size_t &s) {
        return cub::DeviceRadixSort::SortPairsDescending(t, s, (T *)in, (T *)out, (int *)at, (int *)moved, n);
    });
    std::reverse(want.begin(), want.end());
    same("pairs downwards: keys", out.host(), want);
    same("pairs downwards: values", moved.host(), order(v, true));
}

void segments()
{
    const int n = (int)items;
    const std::vector<int> v = drawn<int>(items, 1u << 30);
    std::vector<int> ends = {0}, want = v;
    while (ends.back() < n) ends.push_back(std::min(n, ends.back() + (int)(draw() % 3000)));
    const int count = (int)ends.size() - 1;
    for (int i = 0; i < count; i++) std::sort(want.begin() + ends[i], want.begin() + ends[i + 1]);
    device<int> in(v), out(v), offsets(ends);
    run([&](void *t, size_t &s) {
        return cub::DeviceSegmentedRadixSort::SortKeys(t, s, (int *)in, (int *)out, n, count, (int *)offsets,
                                                       (int *)offsets + 1);
    });
    same("segments", out.host(), want);
}

void all()
{
    by_digits<uint8_t>();
    by_digits<int32_t>();
    by_digits<uint64_t>();
    by_digits<float>();
    by_digits<double>();
    segments();
}
