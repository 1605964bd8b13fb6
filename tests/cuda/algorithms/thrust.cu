// Thrust's algorithms on device vectors.
#include "check.h"
#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <numeric>

struct is_odd {
    template <class T> __host__ __device__ bool operator()(const T &x) const { return (int)x & 1; }
};
struct next {
    template <class T> __host__ __device__ void operator()(T &x) const { x = x + 1; }
};

template <class T> std::vector<T> host(const thrust::device_vector<T> &d, size_t n)
{
    std::vector<T> v(n);
    thrust::copy(d.begin(), d.begin() + n, v.begin());
    return v;
}

template <class T> void some_of_them()
{
    const std::vector<T> v = drawn<T>(items, 9, 4);
    const thrust::device_vector<T> d(v);
    thrust::device_vector<T> out(items);
    std::vector<T> want(items);
    const size_t odd = std::copy_if(v.begin(), v.end(), want.begin(), is_odd()) - want.begin();
    want.resize(odd);
    same("copy_if: number",
         (size_t)(thrust::copy_if(d.begin(), d.end(), out.begin(), is_odd()) - out.begin()), odd);
    same("copy_if", host(out, odd), want);
    want = v;
    want.erase(std::remove_if(want.begin(), want.end(), is_odd()), want.end());
    out = d;
    same("remove_if: number", (size_t)(thrust::remove_if(out.begin(), out.end(), is_odd()) - out.begin()),
         want.size());
    same("remove_if", host(out, want.size()), want);
    want = v;
    std::stable_partition(want.begin(), want.end(), is_odd());
    out = d;
    thrust::stable_partition(out.begin(), out.end(), is_odd());
    same("stable_partition", host(out, items), want);
    want = v;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    out = d;
    same("unique: number", (size_t)(thrust::unique(out.begin(), out.end()) - out.begin()), want.size());
    same("unique", host(out, want.size()), want);
}

template <class T> void sums()
{
    const std::vector<int> keys = drawn<int>(items, 30, 20);
    const std::vector<T> v = summed<T>(items, 6);
    const thrust::device_vector<int> by(keys);
    const thrust::device_vector<T> d(v);
    thrust::device_vector<int> heads(items);
    thrust::device_vector<T> out(items);
    std::vector<T> want(items), by_key;
    std::vector<int> want_heads;
    std::partial_sum(v.begin(), v.end(), want.begin());
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    same("inclusive_scan", host(out, items), want);
    same("reduce", thrust::reduce(d.begin(), d.end()), want.back());
    for (size_t i = 0; i < items; i++) {
        const bool begins = !i || keys[i] != keys[i - 1];
        want[i] = begins ? v[i] : (T)(want[i - 1] + v[i]);
        if (begins)
            want_heads.push_back(keys[i]), by_key.push_back(v[i]);
        else
            by_key.back() = (T)(by_key.back() + v[i]);
    }
    thrust::inclusive_scan_by_key(by.begin(), by.end(), d.begin(), out.begin());
    same("inclusive_scan_by_key", host(out, items), want);
    const auto ends = thrust::reduce_by_key(by.begin(), by.end(), d.begin(), heads.begin(), out.begin());
    same("reduce_by_key: number", (size_t)(ends.second - out.begin()), by_key.size());
    same("reduce_by_key: keys", host(heads, by_key.size()), want_heads);
    same("reduce_by_key", host(out, by_key.size()), by_key);
    same("max_element", (size_t)(thrust::max_element(d.begin(), d.end()) - d.begin()),
         (size_t)(std::max_element(v.begin(), v.end()) - v.begin()));
    same("count_if", (size_t)thrust::count_if(d.begin(), d.end(), is_odd()),
         (size_t)std::count_if(v.begin(), v.end(), is_odd()));
    out = d;
    thrust::for_each(out.begin(), out.end(), next());
    for (size_t i = 0; i < items; i++) want[i] = (T)(v[i] + 1);
    same("for_each", host(out, items), want);
    thrust::adjacent_difference(d.begin(), d.end(), out.begin());
    std::adjacent_difference(v.begin(), v.end(), want.begin());
    same("adjacent_difference", host(out, items), want);
}

template <class T> void ordered()
{
    std::vector<T> a = drawn<T>(items, 1u << 30), b = drawn<T>(items / 2, 5000),
                   c = drawn<T>(items / 3, 5000);
    std::vector<int> place(items), moved(items);
    std::iota(place.begin(), place.end(), 0);
    moved = place;
    std::stable_sort(moved.begin(), moved.end(), [&](int x, int y) { return a[x] < a[y]; });
    thrust::device_vector<T> keys(a);
    thrust::device_vector<int> values(place);
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    std::stable_sort(a.begin(), a.end());
    same("stable_sort_by_key: keys", host(keys, items), a);
    same("stable_sort_by_key: values", host(values, items), moved);
    std::sort(b.begin(), b.end());
    std::sort(c.begin(), c.end());
    const thrust::device_vector<T> one(b), two(c);
    thrust::device_vector<T> out(items);
    std::vector<T> want(b.size() + c.size());
    std::merge(b.begin(), b.end(), c.begin(), c.end(), want.begin());
    thrust::merge(one.begin(), one.end(), two.begin(), two.end(), out.begin());
    same("merge", host(out, want.size()), want);
    want.resize(std::set_intersection(b.begin(), b.end(), c.begin(), c.end(), want.begin()) - want.begin());
    same("set_intersection: number",
         (size_t)(thrust::set_intersection(one.begin(), one.end(), two.begin(), two.end(), out.begin()) -
                  out.begin()),
         want.size());
    same("set_intersection", host(out, want.size()), want);
}

void all()
{
    some_of_them<int8_t>();
    some_of_them<int32_t>();
    some_of_them<double>();
    sums<int32_t>();
    sums<int64_t>();
    sums<float>();
    ordered<int32_t>();
    ordered<double>();
}
