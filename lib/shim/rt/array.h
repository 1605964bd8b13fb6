/* array.h - the one function on channels that returns no error. */
#ifndef PX_RT_ARRAY_H
#define PX_RT_ARRAY_H

#include "shim/rt/rt.h"

RT_PUBLIC struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);

#endif
