// The algorithms whose blocks look back at what earlier blocks have found: the same items round after round,
// so that most of the time goes into the device's part (check.h's other programs compute the host's answer
// anew).
#include "check.h"
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

struct is_odd {
    template <class T> __host__ __device__ bool operator()(const T &x) const { return (int)x & 1; }
};

struct answers {
    std::vector<int> items32, sums, heads, lengths, run_sums, sorted, odd, parted;
    std::vector<int64_t> items64, sums64, odd64;
};

static answers host_answers()
{
    answers a;
    a.items32 = drawn<int>(items, 1000, 5);
    int sum = 0;
    int64_t sum64 = 0;
    std::vector<int> even;
    for (size_t i = 0; i < items; i++) {
        const int x = a.items32[i];
        const int64_t y = (int64_t)x << 33 | x;
        a.items64.push_back(y);
        a.sums.push_back(sum += x);
        a.sums64.push_back(sum64 += y);
        if (x & 1)
            a.odd.push_back(x), a.odd64.push_back(y);
        else
            even.push_back(x);
        if (!i || x != a.items32[i - 1])
            a.heads.push_back(x), a.lengths.push_back(0), a.run_sums.push_back(0);
        a.lengths.back()++, a.run_sums.back() += x;
    }
    a.parted = a.odd;
    a.parted.insert(a.parted.end(), even.rbegin(), even.rend());
    a.sorted = a.items32;
    std::sort(a.sorted.begin(), a.sorted.end());
    return a;
}

void all()
{
    static const answers a = host_answers();
    const int n = (int)items;
    device<int> in(a.items32), out(items), other(items), found(1);
    device<int64_t> in64(a.items64), out64(items);
    run([&](void *t, size_t &s) { return cub::DeviceScan::InclusiveSum(t, s, (int *)in, (int *)out, n); });
    same("sums", out.host(), a.sums);
    run([&](void *t, size_t &s) {
        return cub::DeviceScan::InclusiveSum(t, s, (int64_t *)in64, (int64_t *)out64, n);
    });
    same("sums of 8 bytes", out64.host(), a.sums64);
    run([&](void *t, size_t &s) {
        return cub::DeviceSelect::If(t, s, (int *)in, (int *)out, (int *)found, n, is_odd());
    });
    same("select: number", found.first(), (int)a.odd.size());
    same("select", out.host(a.odd.size()), a.odd);
    run([&](void *t, size_t &s) {
        return cub::DeviceSelect::If(t, s, (int64_t *)in64, (int64_t *)out64, (int *)found, n, is_odd());
    });
    same("select of 8 bytes", out64.host(a.odd64.size()), a.odd64);
    run([&](void *t, size_t &s) {
        return cub::DevicePartition::If(t, s, (int *)in, (int *)out, (int *)found, n, is_odd());
    });
    same("partition", out.host(), a.parted);
    run([&](void *t, size_t &s) {
        return cub::DeviceSelect::Unique(t, s, (int *)in, (int *)out, (int *)found, n);
    });
    same("unique: number", found.first(), (int)a.heads.size());
    same("unique", out.host(a.heads.size()), a.heads);
    run([&](void *t, size_t &s) {
        return cub::DeviceRunLengthEncode::Encode(t, s, (int *)in, (int *)out, (int *)other, (int *)found, n);
    });
    same("run lengths: heads", out.host(a.heads.size()), a.heads);
    same("run lengths", other.host(a.heads.size()), a.lengths);
    run([&](void *t, size_t &s) {
        return cub::DeviceReduce::ReduceByKey(t, s, (int *)in, (int *)out, (int *)in, (int *)other,
                                              (int *)found, cuda::std::plus<int>(), n);
    });
    same("by key: number", found.first(), (int)a.heads.size());
    same("by key", other.host(a.heads.size()), a.run_sums);
    run([&](void *t, size_t &s) { return cub::DeviceRadixSort::SortKeys(t, s, (int *)in, (int *)out, n); });
    same("sorted", out.host(), a.sorted);
}
