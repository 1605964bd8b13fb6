// device_algorithms.cu - the kernels behind CUB's device-wide sort, scan and reduction: long, and full of templates.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

void instantiate(void *temporary, size_t bytes, unsigned *keys, float *values, int n)
{
    cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, keys, values, values, n);
    cub::DeviceScan::InclusiveSum(temporary, bytes, values, values, n);
    cub::DeviceReduce::Sum(temporary, bytes, values, values, n);
}
