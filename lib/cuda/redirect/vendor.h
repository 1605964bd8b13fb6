/*
 * vendor.h - functions of NVIDIA's compilers in the process that are answered here.
 *
 * The audit library (audit.c) writes the addresses of ours into the table of symbols of libnvrtc and
 * libnvJitLink as it is mapped, and the addresses that stood there into px_vendor_theirs. A process may have
 * several copies of a library (wheels bring their own), so each has functions of its own:
 * px_vendor_NAME_COPY.
 */
#ifndef PX_CUDA_REDIRECT_VENDOR_H
#define PX_CUDA_REDIRECT_VENDOR_H

#include <stdint.h>

enum { PX_COPIES = 4 };

/* OURS(name) is answered here, THEIRS(name) is asked by those. */
#define PX_VENDOR_NAMES                                                                                      \
    OURS(nvrtcGetCUBINSize)                                                                                  \
    OURS(nvrtcGetCUBIN)                                                                                      \
    THEIRS(nvrtcGetPTXSize)                                                                                  \
    THEIRS(nvrtcGetPTX)                                                                                      \
    OURS(nvJitLinkCreate)                                                                                    \
    OURS(nvJitLinkDestroy)                                                                                   \
    OURS(nvJitLinkAddData)                                                                                   \
    OURS(nvJitLinkAddFile)                                                                                   \
    OURS(nvJitLinkComplete)                                                                                  \
    OURS(nvJitLinkGetLinkedCubinSize)                                                                        \
    OURS(nvJitLinkGetLinkedCubin)                                                                            \
    OURS(nvJitLinkGetLinkedPtxSize)                                                                          \
    OURS(nvJitLinkGetLinkedPtx)                                                                              \
    OURS(nvJitLinkGetErrorLogSize)                                                                           \
    OURS(nvJitLinkGetErrorLog)                                                                               \
    OURS(nvJitLinkGetInfoLogSize)                                                                            \
    OURS(nvJitLinkGetInfoLog)

#define OURS(name) PX_##name,
#define THEIRS(name) PX_##name,
enum px_vendor { PX_VENDOR_NAMES PX_VENDORS };
#undef OURS
#undef THEIRS

/* Of every copy: where the library itself has each function. Written before anything of it is called. */
extern uintptr_t px_vendor_theirs[PX_COPIES][PX_VENDORS];

/* Defines the functions of all copies: `call` is made with the copy's number as `copy`. */
#define PX_VENDOR_ONE(number, name, parameters, call)                                                        \
    __attribute__((visibility("default"))) int px_vendor_##name##_##number parameters;                       \
    int px_vendor_##name##_##number parameters                                                               \
    {                                                                                                        \
        enum { copy = number };                                                                              \
        return call;                                                                                         \
    }
#define PX_VENDOR_EACH(name, parameters, call)                                                               \
    PX_VENDOR_ONE(0, name, parameters, call)                                                                 \
    PX_VENDOR_ONE(1, name, parameters, call)                                                                 \
    PX_VENDOR_ONE(2, name, parameters, call)                                                                 \
    PX_VENDOR_ONE(3, name, parameters, call)

#endif
