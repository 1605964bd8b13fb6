// RT(call): the call must succeed. SAY(call): prints the call and what it answers. Both clear nothing.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define RT(call)                                                                                             \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            printf("%s: %s\n", #call, cudaGetErrorName(error_));                                             \
            exit(3);                                                                                         \
        }                                                                                                    \
    } while (0)

#define SAY(call) printf("%s = %s\n", #call, cudaGetErrorName(call))
