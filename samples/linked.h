// linked.h - what linked_main.cu and linked_parts.cu share.
#pragma once

__global__ void part(unsigned *out, unsigned from, unsigned n, unsigned seed);

// One variable for both files (.weak in PTX), however many instantiate it.
template <class T> __device__ T called(T x)
{
    static __device__ T sum;
    sum += x;
    return sum;
}
