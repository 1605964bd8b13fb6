/*
 * abi.h - structures of the CUDA runtime as its three supported releases lay them out.
 *
 * Names, order and sizes are those of driver_types.h (CUDA 13.0); where a release differs, RT_RELEASE (11,
 * 12 or 13) chooses. tests/shim/abi.c holds them against the toolkit's header where one is installed.
 * Enumerations are ints. Layouts that runtime and driver share are not repeated here: they pass as void *.
 */
#ifndef PX_CUDA_RUNTIME_ABI_H
#define PX_CUDA_RUNTIME_ABI_H

#include <stddef.h>
#include <stdint.h>
#include "cuda/runtime/driver.h"

typedef int cudaError_t;

enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidTexture = 18,
    cudaErrorInvalidTextureBinding = 19,
    cudaErrorInvalidChannelDescriptor = 20,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidFilterSetting = 26,
    cudaErrorInvalidSurface = 37,
    cudaErrorMissingConfiguration = 52,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidKernelImage = 200,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorSymbolNotFound = 500,
    cudaErrorNotReady = 600,
    cudaErrorNotSupported = 801
};

enum {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

enum { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };

enum {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};

enum {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};

enum { cudaGraphNodeTypeKernel = 0, cudaGraphNodeTypeMemcpy = 1 };

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    int f;
};

struct cudaExtent {
    size_t width, height, depth;
};

struct cudaPos {
    size_t x, y, z;
};

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaMemcpy3DParms {
    CUarray srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    CUarray dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    int kind;
};

struct cudaMemcpy3DPeerParms {
    CUarray srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    CUarray dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};

struct cudaPointerAttributes {
    int type, device;
    void *devicePointer, *hostPointer;
#if RT_RELEASE >= 13
    long reserved[8];
#endif
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
#if RT_RELEASE >= 12
    int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
#endif
};

struct cudaLaunchConfig {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    CUstream stream;
    void *attrs; /* CUlaunchAttribute */
    unsigned numAttrs;
};

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};

struct cudaGraphNodeParams {
    int type, reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            struct cudaMemcpy3DParms copyParams;
        } memcpy;
    } u;
    long long reserved2;
};

struct cudaResourceDesc {
    int resType;
    union {
        void *handle; /* array, mipmap */
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes; /* linear: width is the size in bytes */
        } range;
        int reserved[32];
    } res;
#if RT_RELEASE >= 13
    unsigned flags;
#endif
};

struct cudaTextureDesc {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

/* What host code has of a texture reference, until CUDA 12. */
struct textureReference {
    int normalized, filterMode, addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, reserved[14];
};

/* cudaDeviceProp of each release. Release 12 calls the one of release 11 by its old name, too. */
#define PROP(type, name, count, ...) type name count;
#define PROP_RELEASE 11
struct cudaDeviceProp11 {
#include "cuda/runtime/prop.def"
};
#undef PROP_RELEASE
#define PROP_RELEASE 12
struct cudaDeviceProp12 {
#include "cuda/runtime/prop.def"
};
#undef PROP_RELEASE
#define PROP_RELEASE 13
struct cudaDeviceProp13 {
#include "cuda/runtime/prop.def"
};
#undef PROP_RELEASE
#undef PROP

#endif
