/*
 * program.h - for programs of the driver interface whose output was recorded on a chip.
 *
 * Built with PTXVM_OWN_ABI they use our declarations, else those of a toolkit's cuda.h. Every program prints
 * lines that do not depend on addresses, times or the order of threads.
 */
#ifndef TESTS_SHIM_PROGRAM_H
#define TESTS_SHIM_PROGRAM_H

#ifdef PTXVM_OWN_ABI
#include "cuda/driver/api.h"
/* What cuda.h makes of these names. */
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuCtxCreate cuCtxCreate_v4
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuEventElapsedTime cuEventElapsedTime_v2
#define cuGetProcAddress cuGetProcAddress_v2
#define cuGraphAddDependencies cuGraphAddDependencies_v2
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
#define cuGraphAddNode cuGraphAddNode_v2
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
#define cuGraphExecUpdate cuGraphExecUpdate_v2
#define cuGraphGetEdges cuGraphGetEdges_v2
#define cuGraphInstantiate cuGraphInstantiateWithFlags
#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2
#define cuGraphNodeGetDependencies cuGraphNodeGetDependencies_v2
#define cuGraphNodeGetDependentNodes cuGraphNodeGetDependentNodes_v2
#define cuGraphRemoveDependencies cuGraphRemoveDependencies_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuMemAdvise cuMemAdvise_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemcpy2D cuMemcpy2D_v2
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#define cuMemcpy3D cuMemcpy3D_v2
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#define cuMemcpyAtoA cuMemcpyAtoA_v2
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemPrefetchAsync cuMemPrefetchAsync_v2
#define cuMemsetD16 cuMemsetD16_v2
#define cuMemsetD2D8 cuMemsetD2D8_v2
#define cuMemsetD2D32 cuMemsetD2D32_v2
#define cuMemsetD32 cuMemsetD32_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuStreamBeginCapture cuStreamBeginCapture_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v3
#define cuTexRefGetAddress cuTexRefGetAddress_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3
#else
#include <cuda.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "what: NAME" */
static inline void say(const char *what, CUresult result)
{
    const char *name = NULL;
    cuGetErrorName(result, &name);
    printf("%s: %s\n", what, name ? name + 5 : "?");
}

/* A call that has to work for the rest to make sense. */
#define MUST(call)                                                                                           \
    do {                                                                                                     \
        const CUresult must_ = (call);                                                                       \
        if (must_ != CUDA_SUCCESS) {                                                                         \
            say(#call, must_);                                                                               \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* For programs whose results follow from arithmetic or a document. */
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static inline CUcontext begin(void)
{
    CUdevice device;
    CUcontext context;
    setvbuf(stdout, NULL, _IOLBF, 0); /* what was said before a call that does not return counts */
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuCtxCreate(&context, NULL, 0, device));
    return context;
}

/* The end of a program that began so: its exit status. */
static inline int end(CUcontext context)
{
    MUST(cuCtxDestroy(context));
    return 0;
}

static inline unsigned word_at(CUdeviceptr at)
{
    unsigned value;
    MUST(cuMemcpyDtoH(&value, at, 4));
    return value;
}

/* One thread. */
static inline CUDA_KERNEL_NODE_PARAMS one_thread(CUfunction f, void **params)
{
    return (CUDA_KERNEL_NODE_PARAMS){f, 1, 1, 1, 1, 1, 1, 0, params, NULL, NULL, NULL};
}

/* Members of the descriptions of copies: a side, src or dst, is an array, host or device memory, and begins
 * at a place in it. */
/* clang-format off */
#define IN_ARRAY(side, array) .side##MemoryType = CU_MEMORYTYPE_ARRAY, .side##Array = (array)
#define IN_HOST(side, at, pitch) \
    .side##MemoryType = CU_MEMORYTYPE_HOST, .side##Host = (at), .side##Pitch = (pitch)
#define IN_DEVICE(side, at, pitch) \
    .side##MemoryType = CU_MEMORYTYPE_DEVICE, .side##Device = (at), .side##Pitch = (pitch)
#define AT(side, x, y) .side##XInBytes = (x), .side##Y = (y)
/* clang-format on */

/* Kernels that most programs use: y[i] += a*x[i] with a bound, one that counts, one that stores a value. */
static const char kernels[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .const .align 4 .u32 scale = 3;\n"
    ".visible .entry axpy(.param .u64 y, .param .u64 x, .param .u32 a, .param .u32 n)\n"
    "{\n .reg .u64 py, px, o; .reg .u32 i, b, t, vx, vy, va, vn; .reg .pred p;\n"
    " ld.param.u64 py, [y]; ld.param.u64 px, [x]; ld.param.u32 va, [a]; ld.param.u32 vn, [n];\n"
    " mov.u32 i, %ctaid.x; mov.u32 b, %ntid.x; mov.u32 t, %tid.x; mad.lo.u32 i, i, b, t;\n"
    " setp.ge.u32 p, i, vn; @p ret;\n"
    " cvta.to.global.u64 py, py; cvta.to.global.u64 px, px; mul.wide.u32 o, i, 4;\n"
    " add.u64 py, py, o; add.u64 px, px, o; ld.global.u32 vx, [px]; ld.global.u32 vy, [py];\n"
    " mad.lo.u32 vy, vx, va, vy; st.global.u32 [py], vy; ret;\n}\n"
    ".visible .entry count()\n"
    "{\n .reg .u32 r, s; ld.const.u32 s, [scale]; atom.global.add.u32 r, [counter], s; ret;\n}\n"
    ".visible .entry store(.param .u64 to, .param .u32 value)\n"
    "{\n .reg .u64 p; .reg .u32 v; ld.param.u64 p, [to]; ld.param.u32 v, [value]; st.u32 [p], v; ret;\n}\n"
    ".visible .entry bounded(.param .u64 to) .maxntid 64, 1, 1\n"
    "{\n .reg .u64 p; ld.param.u64 p, [to]; st.u32 [p], 1; ret;\n}\n"
    ".visible .entry exact(.param .u64 to) .reqntid 32, 1, 1\n"
    "{\n .reg .u64 p; ld.param.u64 p, [to]; st.u32 [p], 1; ret;\n}\n"
    ".extern .shared .align 4 .b8 room[];\n"
    ".visible .entry shared(.param .u64 to, .param .u32 bytes)\n"
    "{\n .reg .u64 p; .reg .u32 a, n, v; .shared .align 4 .u32 own[16];\n"
    " ld.param.u64 p, [to]; ld.param.u32 n, [bytes]; mov.u32 a, room; add.u32 a, a, n; sub.u32 a, a, 4;\n"
    " st.shared.u32 [a], 99; ld.shared.u32 v, [a]; st.shared.u32 [own], v; ld.shared.u32 v, [own];\n"
    " st.u32 [p], v; ret;\n}\n";

#endif
