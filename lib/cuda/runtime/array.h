/* array.h - the one function on channels that returns no error. */
#ifndef PX_CUDA_RUNTIME_ARRAY_H
#define PX_CUDA_RUNTIME_ARRAY_H

#include "cuda/runtime/rt.h"

RT_PUBLIC struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);

#endif
