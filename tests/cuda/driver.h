// What programs of the driver interface share: its header (NVIDIA's, or with -DOWN_HEADER ours), a context,
// one module of PTX text written by hand. DO(call) must succeed, SAY(call) prints what it answers.
#pragma once
#ifdef OWN_HEADER
#include "cuda/driver/api.h"
#else
#include <cuda.h>
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags,
                        CUdevice device); /* 13.0's header has left it out */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *error_name(CUresult e)
{
    const char *name = "?";
    cuGetErrorName(e, &name);
    return name ? name : "none";
}

#define DO(call)                                                                                             \
    do {                                                                                                     \
        CUresult error_ = (call);                                                                            \
        if (error_) {                                                                                        \
            printf("%s: %s\n", #call, error_name(error_));                                                   \
            exit(3);                                                                                         \
        }                                                                                                    \
    } while (0)

#define SAY(call) printf("%s = %s\n", #call, error_name(call))

static const char module_text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 100;\n"
    ".visible .const .align 8 .f64 table[3] = {0d3FF0000000000000, 0d4000000000000000, 0d4008000000000000};\n"
    ".extern .shared .align 8 .b8 pool[];\n"
    ".visible .entry fill(.param .u64 out, .param .u32 k)\n{\n"
    ".reg .b32 %r<6>; .reg .b64 %d<3>;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "ld.param.u32 %r4, [k]; mul.lo.u32 %r5, %r1, %r4;\n"
    "ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r1, 4, %d1; st.global.u32 [%d1], %r5;\n"
    "atom.global.add.u32 %r2, [counter], 1; ret;\n}\n"
    ".visible .entry turn(.param .u64 out)\n.maxntid 64, 1, 1\n{\n"
    ".reg .b32 %r<6>; .reg .b64 %d<3>;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, pool; mad.lo.u32 %r3, %r1, 4, %r2;\n"
    "ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r1, 4, %d1; ld.global.u32 %r4, [%d1]; st.shared.u32 [%r3], "
    "%r4;\n"
    "bar.sync 0; xor.b32 %r5, %r1, 31; mad.lo.u32 %r3, %r5, 4, %r2; ld.shared.u32 %r4, [%r3];\n"
    "st.global.u32 [%d1], %r4; ret;\n}\n"
    ".visible .entry scale(.param .u64 out, .param .f64 by, .param .u8 which)\n{\n"
    ".reg .b32 %r<3>; .reg .b16 %h; .reg .f64 %f<4>; .reg .b64 %d<4>;\n"
    "mov.u32 %r1, %tid.x; ld.param.u8 %h, [which]; cvt.u64.u16 %d2, %h; mov.u64 %d3, table;\n"
    "mad.lo.u64 %d3, %d2, 8, %d3; ld.const.f64 %f1, [%d3]; ld.param.f64 %f2, [by]; mul.f64 %f1, %f1, %f2;\n"
    "cvt.rn.f64.u32 %f3, %r1; add.f64 %f1, %f1, %f3;\n"
    "ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r1, 8, %d1; st.global.f64 [%d1], %f1; ret;\n}\n"
    ".visible .entry wild()\n{\n.reg .b64 %d; mov.u64 %d, 64; st.global.u32 [%d], 1; ret;\n}\n";

static inline CUcontext start(void)
{
    CUdevice device;
    CUcontext context;
    DO(cuInit(0));
    DO(cuDeviceGet(&device, 0));
    DO(cuDevicePrimaryCtxRetain(&context, device));
    DO(cuCtxSetCurrent(context));
    return context;
}

static inline CUfunction get(CUmodule module, const char *name)
{
    CUfunction f;
    DO(cuModuleGetFunction(&f, module, name));
    return f;
}

static inline unsigned sum_of(const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    unsigned s = 0;
    for (size_t i = 0; i < bytes; i++) s = s * 31 + p[i];
    return s;
}
