// What keeps some of the items: select by a predicate, by flags, unique, unique by key, partitions, runs.
#include "check.h"
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

template <class T> struct below {
    T limit;
    __host__ __device__ bool operator()(const T &x) const { return x < limit; }
};

// The first `count` items; a partition's others follow in reverse order.
template <class T, class F>
std::vector<T> host_select(const std::vector<T> &v, F keep, bool partition, int &count)
{
    std::vector<T> r, others;
    for (size_t i = 0; i < v.size(); i++) (keep(i) ? r : others).push_back(v[i]);
    count = (int)r.size();
    if (partition) r.insert(r.end(), others.rbegin(), others.rend());
    return r;
}

template <class T> void keep_some()
{
    const int n = (int)items;
    const std::vector<T> v = drawn<T>(items, 7);
    const std::vector<char> flags = drawn<char>(items, 2, 5);
    const below<T> low = {item<T>::of(3)};
    device<T> in(v), out(items);
    device<char> by(flags);
    device<int> found(1);
    int count;
    const auto by_value = [&](size_t i) { return low(v[i]); };
    const auto by_flag = [&](size_t i) { return flags[i] != 0; };
    std::vector<T> want = host_select(v, by_value, false, count);
    run([&](void *t, size_t &s) {
        return cub::DeviceSelect::If(t, s, (T *)in, (T *)out, (int *)found, n, low);
    });
    same("select if: number", found.first(), count);
    same("select if", out.host(want.size()), want);
    want = host_select(v, by_flag, false, count);
    run([&](void *t, size_t &s) {
        return cub::DeviceSelect::Flagged(t, s, (T *)in, (char *)by, (T *)out, (int *)found, n);
    });
    same("select flagged: number", found.first(), count);
    same("select flagged", out.host(want.size()), want);
    want = host_select(v, by_value, true, count);
    run([&](void *t, size_t &s) {
        return cub::DevicePartition::If(t, s, (T *)in, (T *)out, (int *)found, n, low);
    });
    same("partition if: number", found.first(), count);
    same("partition if", out.host(), want);
    want = host_select(v, by_flag, true, count);
    run([&](void *t, size_t &s) {
        return cub::DevicePartition::Flagged(t, s, (T *)in, (char *)by, (T *)out, (int *)found, n);
    });
    same("partition flagged: number", found.first(), count);
    same("partition flagged", out.host(), want);
}

template <class T> void runs()
{
    const int n = (int)items;
    const std::vector<T> v = drawn<T>(items, 4, 6);
    std::vector<int> place(items);
    for (size_t i = 0; i < items; i++) place[i] = (int)i;
    std::vector<T> heads;
    std::vector<int> places, lengths, long_starts, long_lengths;
    for (size_t i = 0, j; i < items; i = j) {
        for (j = i; j < items && v[j] == v[i]; j++) {
        }
        heads.push_back(v[i]), places.push_back((int)i), lengths.push_back((int)(j - i));
        if (j - i > 1) long_starts.push_back((int)i), long_lengths.push_back((int)(j - i));
    }
    device<T> in(v), out(items);
    device<int> at(place), starts(items), counts(items), found(1);
    run([&](void *t, size_t &s) {
        return cub::DeviceSelect::Unique(t, s, (T *)in, (T *)out, (int *)found, n);
    });
    same("unique: number", found.first(), (int)heads.size());
    same("unique", out.host(heads.size()), heads);
    run([&](void *t, size_t &s) {
        return cub::DeviceSelect::UniqueByKey(t, s, (T *)in, (int *)at, (T *)out, (int *)starts, (int *)found,
                                              n);
    });
    same("unique by key: number", found.first(), (int)heads.size());
    same("unique by key: keys", out.host(heads.size()), heads);
    same("unique by key: values", starts.host(heads.size()), places);
    run([&](void *t, size_t &s) {
        return cub::DeviceRunLengthEncode::Encode(t, s, (T *)in, (T *)out, (int *)counts, (int *)found, n);
    });
    same("run lengths: number", found.first(), (int)heads.size());
    same("run lengths: heads", out.host(heads.size()), heads);
    same("run lengths", counts.host(heads.size()), lengths);
    run([&](void *t, size_t &s) {
        return cub::DeviceRunLengthEncode::NonTrivialRuns(t, s, (T *)in, (int *)starts, (int *)counts,
                                                          (int *)found, n);
    });
    same("long runs: number", found.first(), (int)long_starts.size());
    same("long runs: starts", starts.host(long_starts.size()), long_starts);
    same("long runs: lengths", counts.host(long_starts.size()), long_lengths);
}

void all()
{
    keep_some<int8_t>();
    keep_some<int32_t>();
    keep_some<int64_t>();
    keep_some<double>();
    keep_some<pair64>();
    runs<int8_t>();
    runs<int32_t>();
    runs<int64_t>();
    runs<float>();
    runs<pair32>();
}
