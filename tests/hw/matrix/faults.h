/* faults.h - kernels that use matrix instructions wrongly, or nearly so. */
#ifndef HW_MATRIX_FAULTS_H
#define HW_MATRIX_FAULTS_H

#include "../common/fault.h"

enum { FAULT_THREADS = 32, FAULT_FILL = 0x3c003c00, FAULT_SECONDS = 20 };

/* The code has %lane, %base (4 KiB of shared memory), %buf (global memory), %r0..7, %t0..3, %p0, %q; then %r0
 * is stored. */
static const Fault faults[] = {
    {"ldmatrix, rows fine", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix, row at +2", "add.u32 %row, %row, 2; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix, row at +4", "add.u32 %row, %row, 4; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix, row at +8", "add.u32 %row, %row, 8; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix x1, unused row at +2", "setp.eq.u32 %q, %lane, 8; @%q add.u32 %row, %row, 2; "
                                      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix x1, unused row outside", "setp.eq.u32 %q, %lane, 8; @%q add.u32 %row, %row, 0x800000; "
                                        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix, row outside", "setp.eq.u32 %q, %lane, 3; @%q add.u32 %row, %row, 0x800000; "
                              "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix.trans, row at +8",
     "add.u32 %row, %row, 8; ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r0}, [%row];"},
    {"stmatrix, row at +2", "add.u32 %row, %row, 2; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r0};"},
    {"stmatrix, row at +8", "add.u32 %row, %row, 8; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r0};"},
    {"stmatrix x1, unused row at +2", "setp.eq.u32 %q, %lane, 8; @%q add.u32 %row, %row, 2; "
                                      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r0};"},
    {"stmatrix, row outside", "setp.eq.u32 %q, %lane, 3; @%q add.u32 %row, %row, 0x800000; "
                              "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r0};"},
    {"ldmatrix, generic address of shared",
     "cvt.u64.u32 %p0, %row; cvta.shared.u64 %p0, %p0; ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%p0];"},
    {"ldmatrix, generic address of global", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%buf];"},
    {"ldmatrix, half of the lanes", "setp.lt.u32 %q, %lane, 16; @!%q bra OVER; "
                                    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row]; OVER:"},
    {"movmatrix, half of the lanes",
     "setp.lt.u32 %q, %lane, 16; @!%q bra OVER; movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r0; OVER:"},
    {"mma, half of the lanes",
     "setp.lt.u32 %q, %lane, 16; @!%q bra OVER; mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, "
     "{%r2,%r3}, {%r4}, {%r5,%r6}; OVER:"},
    {"mma, guarded", "setp.lt.u32 %q, %lane, 16; @%q mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
                     "{%r0,%r1}, {%r2,%r3}, {%r4}, {%r5,%r6};"},
    {"mma, half of the lanes exited",
     "setp.lt.u32 %q, %lane, 16; @!%q exit; mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, "
     "{%r2,%r3}, {%r4}, {%r5,%r6};"},
    {"mma, the halves at two places",
     "setp.lt.u32 %q, %lane, 16; @!%q bra ELSE; mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, "
     "{%r2,%r3}, {%r4}, {%r5,%r6}; bra OVER;\n"
     "ELSE: mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r2,%r4}, {%r3}, {%r5,%r6}; OVER:"},
    {"wmma.load global at +2", "add.u64 %p0, %buf, 2; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                               "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%p0];"},
    {"wmma.load global at +4", "add.u64 %p0, %buf, 4; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                               "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%p0];"},
    {"wmma.load global at +8", "add.u64 %p0, %buf, 8; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                               "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%p0];"},
    {"wmma.load global at +16", "add.u64 %p0, %buf, 16; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                                "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%p0];"},
    {"wmma.load global, stride 17",
     "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%buf], 17;"},
    {"wmma.load global, stride 18",
     "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%buf], 18;"},
    {"wmma.load global, col, stride 17",
     "wmma.load.a.sync.aligned.col.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%buf], 17;"},
    {"wmma.load shared at +2", "add.u32 %row, %base, 2; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                               "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%row];"},
    {"wmma.load shared at +4", "add.u32 %row, %base, 4; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                               "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%row];"},
    {"wmma.load shared, col, at +4",
     "add.u32 %row, %base, 4; wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 "
     "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%row];"},
    {"wmma.load c shared at +4",
     "add.u32 %row, %base, 4; wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r0,%r1,%r2,%r3}, [%row];"},

};

static void fault_emit(const Fault *f, char *to)
{
    sprintf(
        to,
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.shared "
        ".align 128 .b8 tile[4096];\n"
        ".reg .b64 %%buf, %%at, %%p<2>; .reg .b32 %%lane, %%base, %%row, %%r<8>, %%t<4>; .reg .pred %%q;\n"
        "ld.param.u64 %%buf, [out]; mov.u32 %%lane, %%tid.x; mov.u32 %%base, tile; mul.lo.u32 %%row, %%lane, "
        "16; add.u32 %%row, %%row, %%base;\n"
        "mul.lo.u32 %%t0, %%lane, 128; add.u32 %%t0, %%t0, %%base; mov.u32 %%t1, 0;\n"
        "FILL: add.u32 %%t2, %%t0, %%t1; add.u32 %%t3, %%t2, 0x3c000000; st.shared.b32 [%%t2], %%t3; add.u32 "
        "%%t1, %%t1, 4; setp.lt.u32 %%q, %%t1, 128; @%%q bra FILL;\n"
        "bar.sync 0; add.u32 %%r0, %%lane, 0x3c003c00; add.u32 %%r1, %%r0, 1; add.u32 %%r2, %%r0, 2; add.u32 "
        "%%r3, %%r0, 3; add.u32 %%r4, %%r0, 4;\n"
        "add.u32 %%r5, %%r0, 5; add.u32 %%r6, %%r0, 6; add.u32 %%r7, %%r0, 7;\n%s\n"
        "mul.wide.u32 %%at, %%lane, 4; add.u64 %%at, %%at, %%buf; st.global.b32 [%%at], %%r0; ld.shared.b32 "
        "%%t0, [%%row]; st.global.b32 [%%at+128], %%t0;\nret;\n}\n",
        f->code);
}

#endif
