/* faults.h - kernels that use products of warpgroups wrongly, or nearly so. */
#ifndef HW_WGMMA_FAULTS_H
#define HW_WGMMA_FAULTS_H

#include "../common/fault.h"

enum { FAULT_THREADS = 128, FAULT_FILL = 0, FAULT_SECONDS = 4 };

#define FENCE "wgmma.fence.sync.aligned; "
#define END "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; "
#define PRODUCT                                                                                              \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, %da, %db, 1, 1, 1, 0, 0; "
#define OF_REGS                                                                                              \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, %db, 1, 1, 1, " \
    "0; "

/* The code has %t (thread), %da and %db (descriptors of A and B in 4 KiB of shared memory), %d0..3, %a0..3,
 * %q, %w; then %d0..3 are stored. */
static const Fault faults[] = {
    {"all is well", FENCE PRODUCT END},
    {"A in registers", FENCE OF_REGS END},
    {"two on one accumulator", FENCE PRODUCT "add.u64 %db, %db, 1; " PRODUCT END},
    {"no fence", PRODUCT END},
    {"no commit", FENCE PRODUCT "wgmma.wait_group.sync.aligned 0; "},
    {"no wait", FENCE PRODUCT "wgmma.commit_group.sync.aligned; "},
    {"no commit, no wait", FENCE PRODUCT},
    {"wait for all but one",
     FENCE PRODUCT "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; "},
    {"read before the wait", FENCE PRODUCT "wgmma.commit_group.sync.aligned; add.f32 %d0, %d0, 0f3F800000; "
                                           "wgmma.wait_group.sync.aligned 0; "},
    {"written before the wait", FENCE PRODUCT "wgmma.commit_group.sync.aligned; mov.f32 %d0, 0f3F800000; "
                                              "wgmma.wait_group.sync.aligned 0; "},
    {"B beyond the CTA's memory", "add.u64 %db, %db, 0x400; " FENCE PRODUCT END},
    {"B beyond 228 KiB", "or.b64 %db, %db, 0x3f00; " FENCE PRODUCT END},
    {"A beyond the CTA's memory", "add.u64 %da, %da, 0x400; " FENCE PRODUCT END},
    {"A beyond 228 KiB", "or.b64 %da, %da, 0x3f00; " FENCE PRODUCT END},
    {"B reaches beyond the CTA's memory", "add.u64 %db, %db, 0x0000040000000000; and.b64 %db, %db, "
                                          "0x0000ffffffffffff; add.u64 %db, %db, 0xf8; " FENCE PRODUCT END},
    {"B by 2000 beyond 256 KiB",
     "and.b64 %db, %db, 0xffffffffffffc000; or.b64 %db, %db, 0x3fff; " FENCE PRODUCT END},
    {"bits 14, 15 of the start", "or.b64 %db, %db, 0xc000; " FENCE PRODUCT END},
    {"bits 46 to 48", "or.b64 %db, %db, 0x0001c00000000000; " FENCE PRODUCT END},
    {"bits 52 to 61", "or.b64 %db, %db, 0x3ff0000000000000; " FENCE PRODUCT END},
    {"guarded by a lane", "setp.lt.u32 %q, %t, 64; @%q " PRODUCT FENCE END},
    {"a warp has exited", "setp.ge.u32 %q, %t, 96; @%q exit; " FENCE PRODUCT END},
    {"half of each warp has exited",
     "and.b32 %w, %t, 31; setp.ge.u32 %q, %w, 16; @%q exit; " FENCE PRODUCT END},
    {"a warp is elsewhere", "setp.ge.u32 %q, %t, 96; @%q bra OVER; " FENCE PRODUCT END "OVER: "},
    {"lanes are elsewhere",
     "and.b32 %w, %t, 31; setp.ge.u32 %q, %w, 16; @%q bra OVER; " FENCE PRODUCT END "OVER: "},
};

static void fault_emit(const Fault *f, char *to)
{
    sprintf(
        to,
        ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n.maxntid "
        "128\n{\n"
        ".shared .align 1024 .b8 tile[4096];\n"
        ".reg .b64 %%buf, %%at, %%da, %%db; .reg .b32 %%t, %%x, %%y, %%w, %%a<4>; .reg .f32 %%d<4>; .reg "
        ".pred "
        "%%q;\n"
        "ld.param.u64 %%buf, [out]; mov.u32 %%t, %%tid.x; mov.u32 %%x, tile; mad.lo.u32 %%x, %%t, 32, %%x; "
        "mov.u32 "
        "%%y, 0;\n"
        "FILL: add.u32 %%w, %%x, %%y; mul.lo.u32 %%a0, %%w, 0x10003; and.b32 %%a0, %%a0, 0x83ff83ff; or.b32 "
        "%%a0, "
        "%%a0, 0x3c003c00;\n"
        "st.shared.b32 [%%w], %%a0; add.u32 %%y, %%y, 4; setp.lt.u32 %%q, %%y, 32; @%%q bra FILL;\n"
        "fence.proxy.async; bar.sync 0;\n"
        "mov.u32 %%x, tile; shr.u32 %%x, %%x, 4; cvt.u64.u32 %%da, %%x; or.b64 %%da, %%da, "
        "0x0000001000080000;\n"
        "add.u64 %%db, %%da, 0x80; cvt.rn.f32.u32 %%d0, %%t; mov.f32 %%d1, %%d0; mov.f32 %%d2, %%d0; mov.f32 "
        "%%d3, %%d0;\n"
        "mov.b32 %%a0, 0x3c004000; mov.b32 %%a1, %%a0; mov.b32 %%a2, %%a0; mov.b32 %%a3, %%a0;\n%s\n"
        "mul.wide.u32 %%at, %%t, 16; add.u64 %%at, %%at, %%buf; st.global.v4.f32 [%%at], "
        "{%%d0,%%d1,%%d2,%%d3};\nret;\n}\n",
        f->code);
}

#endif
