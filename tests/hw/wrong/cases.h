/*
 * cases.h - instructions that are used wrongly at run time, and the kernel that each stands in.
 *
 * record.c asks a chip, tests/api/test_faults.c the VM.
 * CHIP: the VM answers with the chip's error (tests/hw/golden/wrong.tsv). MANUAL: the manual calls it
 * undefined or an error, the chip says nothing or something else, and the code is the VM's choice.
 */
#ifndef HW_WRONG_CASES_H
#define HW_WRONG_CASES_H

#include <stdio.h>
#include <string.h>

enum by { CHIP, MANUAL };
enum { DEADLOCK = -1, ROOM = 1 << 16, BUFFER = 4096 };

enum { MISALIGNED = 716, OUTSIDE = 700, ILLEGAL = 715, FAILED = 719, STACK = 714, SPACE = 717 };

/* The code has %lane, %t (thread), %base (tile, 4 KiB of shared memory), %row (%base + 16 lane), %buf (4 KiB
 * of global memory), %a, %d (64 bits), %r0..7, %f0..7, %g0..3 (f64), %p, %q, %s (64 bits); `!` stands before
 * the instruction that is meant. */
struct wrong {
    const char *name;
    unsigned threads;
    int error;
    enum by by;
    const char *said, *code;
};

#define R4 "{%r0,%r1,%r2,%r3}"
#define R8 "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}"
#define F8 "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}"
#define HALF "setp.ge.u32 %q, %lane, 16; @%q bra OVER; "
#define END_HALF " OVER: "
#define GONE "16 of the 32 lanes of the warp execute it"
#define HALF_OF(name_, code_)                                                                                \
    {name_ ", half of the lanes", 32, ILLEGAL, MANUAL, GONE, HALF "!" code_ END_HALF},                       \
        {name_ ", half of the lanes exited",                                                                 \
         32,                                                                                                 \
         ILLEGAL,                                                                                            \
         MANUAL,                                                                                             \
         GONE,                                                                                               \
         "setp.ge.u32 %q, %lane, 16; @%q exit; !" code_},                                                    \
    {                                                                                                        \
        name_ ", guarded", 32, ILLEGAL, MANUAL, GONE, "setp.lt.u32 %q, %lane, 16; @%q !" code_               \
    }
/* Loads, stores and atomics: every access has its alignment, and must lie in memory. */
#define ACCESS_WRONG(name_, code_)                                                                           \
    {name_ ", misaligned", 1, MISALIGNED, CHIP, "not aligned to", "add.u64 %a, %buf, 2; !" code_},           \
    {                                                                                                        \
        name_ ", outside", 1, OUTSIDE, CHIP, "no allocation", "mov.u64 %a, 0x10000; !" code_                 \
    }
#define ACCESS(name_, code_)                                                                                 \
    ACCESS_WRONG(name_, code_),                                                                              \
    {                                                                                                        \
        name_ ", misaligned and outside", 1, OUTSIDE, CHIP, "no allocation", "mov.u64 %a, 0x10002; !" code_  \
    }
#define SHARED_ACCESS(name_, code_)                                                                          \
    {name_ ", misaligned", 1, MISALIGNED, CHIP, "not aligned to", "add.u32 %row, %base, 2; !" code_},        \
        {name_ ", outside",                                                                                  \
         1,                                                                                                  \
         OUTSIDE,                                                                                            \
         CHIP,                                                                                               \
         "outside the block's shared memory",                                                                \
         "add.u32 %row, %base, 0x10000; !" code_},                                                           \
    {                                                                                                        \
        name_ ", misaligned and outside", 1, OUTSIDE, CHIP, "outside the block's shared memory",             \
            "add.u32 %row, %base, 0x10002; !" code_                                                          \
    }

static const struct wrong wrongs[] = {
    ACCESS_WRONG("ld.global", "ld.global.b32 %r0, [%a];"),
    ACCESS("ld of a vector", "ld.global.v4.b32 " R4 ", [%a];"),
    ACCESS("ld, generic", "ld.b32 %r0, [%a];"),
    ACCESS("st.global", "st.global.b32 [%a], %r0;"),
    ACCESS("st of a vector", "st.global.v2.b32 [%a], {%r0,%r1};"),
    ACCESS("atom", "atom.global.add.u32 %r0, [%a], 1;"),
    ACCESS("red", "red.global.add.u32 [%a], 1;"),
    ACCESS("ld.global.nc", "ld.global.nc.b32 %r0, [%a];"),
    ACCESS("ld.acquire", "ld.acquire.gpu.global.b32 %r0, [%a];"),
    ACCESS("ld of 64 bits", "ld.global.b64 %s, [%a];"),
    ACCESS("st, generic", "st.b32 [%a], %r0;"),
    ACCESS("st of 64 bits", "st.global.b64 [%a], %s;"),
    ACCESS("atom of 64 bits", "atom.global.add.u64 %s, [%a], 1;"),
    ACCESS("atom, generic", "atom.add.u32 %r0, [%a], 1;"),
    SHARED_ACCESS("ld.shared", "ld.shared.b32 %r0, [%row];"),
    SHARED_ACCESS("ld.shared of a vector", "ld.shared.v2.b32 {%r0,%r1}, [%row];"),
    SHARED_ACCESS("st.shared", "st.shared.b32 [%row], %r0;"),
    SHARED_ACCESS("atom.shared", "atom.shared.add.u32 %r0, [%row], 1;"),
    {"atom of local memory", 1, SPACE, MANUAL, "atomic operation on local memory",
     "mov.u64 %a, mine; cvta.local.u64 %a, %a; !atom.add.u32 %r0, [%a], 1;"},

    {"ld.const, misaligned", 1, MISALIGNED, CHIP, "not aligned to",
     "mov.u64 %a, fixed; add.u64 %a, %a, 2; !ld.const.b32 %r0, [%a];"},
    {"ld.const, outside", 1, OUTSIDE, MANUAL, "constant",
     "mov.u64 %a, fixed; add.u64 %a, %a, 0x10000; !ld.const.b32 %r0, [%a];"},
    {"ld.local, misaligned", 1, MISALIGNED, MANUAL, "not aligned to",
     "mov.u64 %a, mine; add.u64 %a, %a, 2; !ld.local.b32 %r0, [%a];"},
    {"ld.local, outside", 1, OUTSIDE, MANUAL, "local",
     "mov.u64 %a, mine; add.u64 %a, %a, 0x10000000; !ld.local.b32 %r0, [%a];"},
    {"st.local, outside", 1, OUTSIDE, CHIP, "local",
     "mov.u64 %a, mine; add.u64 %a, %a, 0x10000000; !st.local.b32 [%a], %r0;"},

    {"ldmatrix, row at +8", 32, MISALIGNED, CHIP, "not aligned to 16 bytes",
     "add.u32 %row, %row, 8; !ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix.x4.trans, a row at +2", 32, MISALIGNED, CHIP, "not aligned to 16 bytes",
     "setp.eq.u32 %q, %lane, 31; @%q add.u32 %row, %row, 2; "
     "!ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 " R4 ", [%row];"},
    {"ldmatrix, a row outside", 32, OUTSIDE, CHIP, "outside the block's shared memory",
     "setp.eq.u32 %q, %lane, 3; @%q add.u32 %row, %row, 0x800000; "
     "!ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"ldmatrix of global memory", 32, ILLEGAL, CHIP, "not in shared memory",
     "!ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%buf];"},
    {"stmatrix, row at +8", 32, MISALIGNED, CHIP, "not aligned to 16 bytes",
     "add.u32 %row, %row, 8; !stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r0};"},
    {"stmatrix, a row outside", 32, OUTSIDE, CHIP, "outside the block's shared memory",
     "setp.eq.u32 %q, %lane, 3; @%q add.u32 %row, %row, 0x800000; "
     "!stmatrix.sync.aligned.m8n8.x2.shared.b16 [%row], {%r0,%r1};"},
    {"stmatrix into global memory", 32, ILLEGAL, CHIP, "not in shared memory",
     "!stmatrix.sync.aligned.m8n8.x1.b16 [%buf], {%r0};"},
    {"ldmatrix, a row at +2 outside", 32, OUTSIDE, CHIP, "outside the block's shared memory",
     "setp.eq.u32 %q, %lane, 3; @%q add.u32 %row, %row, 0x800002; "
     "!ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"},
    {"stmatrix, a row at +2 outside", 32, OUTSIDE, CHIP, "outside the block's shared memory",
     "setp.eq.u32 %q, %lane, 3; @%q add.u32 %row, %row, 0x800002; "
     "!stmatrix.sync.aligned.m8n8.x2.shared.b16 [%row], {%r0,%r1};"},
    {"wmma.load at +2", 32, MISALIGNED, CHIP, "not aligned to",
     "add.u64 %a, %buf, 2; !wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " R8 ", [%a];"},
    {"wmma.load outside", 32, OUTSIDE, CHIP, "no allocation",
     "mov.u64 %a, 0x10000; !wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " R8 ", [%a];"},
    {"wmma.load with an odd stride", 32, MISALIGNED, MANUAL, "the stride of 17 elements",
     "!wmma.load.b.sync.aligned.col.m16n16k16.global.f16 " R8 ", [%buf], 17;"},
    {"wmma.store at +2", 32, MISALIGNED, CHIP, "not aligned to",
     "add.u64 %a, %buf, 2; !wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%a], " F8 ";"},
    {"wmma.store outside", 32, OUTSIDE, CHIP, "outside the block's shared memory",
     "add.u32 %row, %base, 0x10000; !wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%row], " F8 ";"},

    HALF_OF("mma",
            "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r2,%r3}, {%r4}, {%r5,%r6};"),
    HALF_OF("mma.sp", "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0,%r1}, "
                      "{%r2,%r3}, {%r4,%r5}, {%r5,%r6}, %r7, 0;"),
    HALF_OF("mma of f64",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g0,%g1}, {%g2}, {%g3}, {%g0,%g1};"),
    HALF_OF("wmma.mma", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " F8 ", " R8 ", " R8 ", " F8 ";"),
    HALF_OF("wmma.load", "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " R8 ", [%buf];"),
    HALF_OF("wmma.store", "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%buf], " F8 ";"),
    HALF_OF("ldmatrix", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"),
    HALF_OF("stmatrix", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r0};"),
    HALF_OF("setmaxnreg", "setmaxnreg.inc.sync.aligned.u32 64;"),
    HALF_OF("movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;"),
    {"mma, the halves at two places", 32, DEADLOCK, CHIP, "deadlock",
     HALF
     "!mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r2,%r3}, {%r4}, {%r5,%r6}; bra LAST; "
     "OVER: mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r2,%r4}, {%r3}, {%r5,%r6}; "
     "LAST:"},

#define WGMMA "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %d, %d, 1, 1, 1, 0, 0;"
#define DESCRIPTOR "shr.u32 %r0, %base, 4; cvt.u64.u32 %d, %r0; or.b64 %d, %d, 0x0000001000080000; "
    {"wgmma, memory beyond the block's", 128, OUTSIDE, CHIP, "a descriptor leads to",
     DESCRIPTOR "add.u64 %d, %d, 0x400; wgmma.fence.sync.aligned; !" WGMMA},
    {"wgmma, a stride that leads outside", 128, OUTSIDE, CHIP, "a descriptor leads to",
     DESCRIPTOR "or.b64 %d, %d, 0x00003fff00000000; wgmma.fence.sync.aligned; !" WGMMA},
    {"wgmma, the last piece is outside", 128, OUTSIDE, MANUAL, "a descriptor leads to 0x1000",
     DESCRIPTOR "add.u64 %d, %d, 0x81; wgmma.fence.sync.aligned; !" WGMMA},
    {"wgmma, swizzled out of the block's memory", 128, OUTSIDE, CHIP, "a descriptor leads to",
     DESCRIPTOR "add.u64 %d, %d, 0xf8; or.b64 %d, %d, 0x4000000000000000; wgmma.fence.sync.aligned; !" WGMMA},
    {"wgmma, a warp is missing", 128, ILLEGAL, CHIP, "of warp 3 of this one all threads have exited",
     DESCRIPTOR "setp.ge.u32 %q, %t, 96; @%q exit; wgmma.fence.sync.aligned; !" WGMMA},
    {"wgmma, a warp never was", 96, ILLEGAL, CHIP,
     "of warp 3 of this one all threads have exited or never were",
     DESCRIPTOR "wgmma.fence.sync.aligned; !" WGMMA},

    {"mbarrier, never initialised", 1, FAILED, CHIP, "never initialised",
     "!mbarrier.arrive.shared.b64 %s, [%base];"},
    {"mbarrier, tested and never initialised", 1, FAILED, MANUAL, "never initialised",
     "!mbarrier.test_wait.parity.shared.b64 %p, [%base], 0;"},
    {"mbarrier for nobody", 1, FAILED, MANUAL, "mbarrier for 0 arrivals",
     "mov.u32 %r0, %t; !mbarrier.init.shared.b64 [%base], %r0;"},
    {"mbarrier for too many", 1, FAILED, MANUAL, "mbarrier for 1048576 arrivals",
     "mov.u32 %r0, 1048576; !mbarrier.init.shared.b64 [%base], %r0;"},
    {"mbarrier, misaligned", 1, MISALIGNED, CHIP, "not aligned to 8 bytes",
     "add.u32 %row, %base, 4; !mbarrier.arrive.shared.b64 %s, [%row];"},
    {"mbarrier, initialised misaligned", 1, MISALIGNED, CHIP, "not aligned to 8 bytes",
     "add.u32 %row, %base, 4; !mbarrier.init.shared.b64 [%row], 1;"},
    {"mbarrier outside", 1, OUTSIDE, CHIP, "outside the block's shared memory",
     "add.u32 %row, %base, 0x10000; !mbarrier.init.shared.b64 [%row], 1;"},
    {"mbarrier, misaligned and outside", 1, OUTSIDE, CHIP, "outside the block's shared memory",
     "add.u32 %row, %base, 0x10004; !mbarrier.init.shared.b64 [%row], 1;"},
    {"mbarrier in global memory", 1, ILLEGAL, CHIP, "not in shared memory", "!mbarrier.init.b64 [%buf], 1;"},
    {"mbarrier, one arrival too many", 1, FAILED, CHIP, "more arrivals than are missing",
     "mbarrier.init.shared.b64 [%base], 2; !mbarrier.arrive.shared.b64 %s, [%base], 3;"},
    {"mbarrier, one drop too many", 1, FAILED, CHIP, "more",
     "mbarrier.init.shared.b64 [%base], 2; !mbarrier.arrive_drop.shared.b64 %s, [%base], 3;"},
    {"mbarrier, too many bytes", 1, FAILED, MANUAL, "more than 1048575 bytes",
     "mbarrier.init.shared.b64 [%base], 2; mbarrier.expect_tx.relaxed.cta.shared.b64 [%base], 1048575; "
     "!mbarrier.expect_tx.relaxed.cta.shared.b64 [%base], 1048575;"},
    {"mbarrier, invalidated", 1, FAILED, CHIP, "never initialised",
     "mbarrier.init.shared.b64 [%base], 2; mbarrier.inval.shared.b64 [%base]; st.shared.b64 [%base], 0; "
     "!mbarrier.arrive.shared.b64 %s, [%base];"},
    {"mbarrier, nobody else comes", 1, DEADLOCK, CHIP, "deadlock",
     "mbarrier.init.shared.b64 [%base], 2; mbarrier.arrive.shared.b64 %s, [%base]; "
     "AGAIN: !mbarrier.try_wait.shared.b64 %p, [%base], %s; @!%p bra AGAIN;"},

    {"cp.async, source at +2", 1, MISALIGNED, CHIP, "not aligned to 4 bytes",
     "add.u64 %a, %buf, 2; !cp.async.ca.shared.global [%base], [%a], 4;"},
    {"cp.async, destination at +8", 1, MISALIGNED, CHIP, "not aligned to 16 bytes",
     "add.u32 %row, %base, 8; !cp.async.cg.shared.global [%row], [%buf], 16;"},
    {"cp.async reads more than it writes", 1, MISALIGNED, CHIP, "reads 17 bytes to write 16",
     "mov.u32 %r0, 17; !cp.async.cg.shared.global [%base], [%buf], 16, %r0;"},
    {"cp.async from outside", 1, OUTSIDE, CHIP, "no allocation",
     "mov.u64 %a, 0x10000; !cp.async.ca.shared.global [%base], [%a], 8;"},
    {"cp.async to outside", 1, OUTSIDE, CHIP, "outside the block's shared memory",
     "add.u32 %row, %base, 0x10000; !cp.async.ca.shared.global [%row], [%buf], 8;"},
    {"cp.async from +2 outside", 1, OUTSIDE, CHIP, "no allocation",
     "mov.u64 %a, 0x10002; !cp.async.ca.shared.global [%base], [%a], 4;"},
    {"cp.async to +2 outside", 1, OUTSIDE, CHIP, "outside the block's shared memory",
     "add.u32 %row, %base, 0x10002; !cp.async.ca.shared.global [%row], [%buf], 4;"},
    {"cp.async arrives nowhere", 1, FAILED, MANUAL, "never initialised",
     "!cp.async.mbarrier.arrive.shared.b64 [%base];"},

#define STRANGER "member mask 0x2 does not name the lane itself"
    {"shfl.sync, not in its mask", 1, ILLEGAL, MANUAL, STRANGER, "!shfl.sync.idx.b32 %r0, %r1, 0, 0x1f, 2;"},
    {"vote.sync, not in its mask", 1, ILLEGAL, MANUAL, STRANGER, "!vote.sync.all.pred %p, %q, 2;"},
    {"vote.sync.ballot, not in its mask", 1, ILLEGAL, MANUAL, STRANGER, "!vote.sync.ballot.b32 %r0, %q, 2;"},
    {"match.any, not in its mask", 1, ILLEGAL, MANUAL, STRANGER, "!match.any.sync.b32 %r0, %r1, 2;"},
    {"match.all, not in its mask", 1, ILLEGAL, MANUAL, STRANGER, "!match.all.sync.b64 %r0|%p, %s, 2;"},
    {"redux.sync, not in its mask", 1, ILLEGAL, MANUAL, STRANGER, "!redux.sync.add.u32 %r0, %r1, 2;"},
    {"elect.sync, not in its mask", 1, ILLEGAL, MANUAL, STRANGER, "!elect.sync %r0|%p, 2;"},
    {"bar.warp.sync, not in its mask", 1, ILLEGAL, MANUAL, STRANGER, "!bar.warp.sync 2;"},
    {"shfl.sync, a member waits elsewhere", 32, DEADLOCK, CHIP, "deadlock",
     "setp.eq.u32 %q, %lane, 0; @%q bra OVER; !shfl.sync.idx.b32 %r0, %r1, 0, 0x1f, 0xffffffff; bra LAST; "
     "OVER: bar.sync 0; LAST:"},

    {"barrier 16", 32, ILLEGAL, MANUAL, "barrier number 16", "mov.u32 %r0, 16; !barrier.sync.aligned %r0;"},
    {"barrier for 33", 32, ILLEGAL, CHIP, "barrier count 33 is no multiple of 32",
     "mov.u32 %r0, 33; !barrier.sync.aligned 1, %r0;"},
    {"barrier.aligned, the halves at two", 32, DEADLOCK, MANUAL, "deadlock",
     HALF "!barrier.sync.aligned 1; bra LAST; OVER: barrier.sync.aligned 2; LAST:"},
    {"barrier.red.aligned, the halves at two", 32, DEADLOCK, CHIP, "deadlock",
     HALF "!barrier.red.popc.aligned.u32 %r0, 1, %q; bra LAST; OVER: barrier.sync.aligned 2; LAST:"},
    {"barrier for more than there are", 32, DEADLOCK, CHIP, "deadlock", "!barrier.sync.aligned 1, 64;"},

    {"alloca of too much", 1, STACK, MANUAL, "alloca", "mov.u64 %d, 0x10000000; !alloca.u64 %s, %d;"},
    {"alloca of nearly everything", 1, STACK, MANUAL, "alloca",
     "mov.u64 %d, 0xfffffffffffffff0; !alloca.u64 %s, %d;"},
    {"alloca, again and again", 1, STACK, MANUAL, "alloca",
     "mov.u64 %d, 65536; AGAIN: !alloca.u64 %s, %d; st.local.b32 [%s], 1; bra AGAIN;"},
};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

static const char head[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n.const .align 8 .b8 fixed[8] = {1,2,3,4,5,6,7,8};\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    ".shared .align 1024 .b8 tile[4096]; .local .align 8 .b8 mine[8];\n"
    ".reg .b64 %buf, %a, %d, %s; .reg .b32 %t, %lane, %base, %row, %r<8>; .reg .f32 %f<8>; "
    ".reg .f64 %g<4>; .reg .pred %p, %q;\n"
    "ld.param.u64 %buf, [out]; mov.u32 %t, %tid.x; and.b32 %lane, %t, 31; mov.u32 %base, "
    "tile; mad.lo.u32 %row, %lane, 16, %base; setp.ne.u32 %p, %t, %t; setp.ne.u32 %q, %t, "
    "%t;\n";

/* What the instruction made is written: nothing that compiles the kernel leaves the instruction out. */
static const char tail[] =
    "st.global.v4.b32 [%buf+64], {%r0,%r1,%r2,%r3}; st.global.v4.b32 [%buf+80], {%r4,%r5,%r6,%r7};\n"
    "st.global.v4.f32 [%buf+96], {%f0,%f1,%f2,%f3}; st.global.v4.f32 [%buf+112], {%f4,%f5,%f6,%f7};\n"
    "st.global.v2.f64 [%buf+128], {%g0,%g1}; st.global.v2.f64 [%buf+144], {%g2,%g3};\n"
    "st.global.b64 [%buf+160], %s; selp.u32 %t, 1, 0, %p; st.global.u32 [%buf+168], %t;\n";

/* The `!` before what is meant: the others are guards and operands. */
static const char *mark_of(const struct wrong *w)
{
    const char *mark = strchr(w->code, '!');
    while (mark && mark[1] == '%') mark = strchr(mark + 1, '!');
    return mark;
}

/* The kernel's text; the line of the instruction that is meant, which begins a line. */
static unsigned text_of(const struct wrong *w, char *to)
{
    const char *mark = mark_of(w);
    unsigned line = 1;
    if (!mark) return 0;
    const int before = snprintf(to, ROOM, "%s%.*s\n", head, (int)(mark - w->code), w->code);
    snprintf(to + before, (size_t)(ROOM - before), "%s\n%sret;\n}\n", mark + 1, tail);
    for (int i = 0; i < before; i++) line += to[i] == '\n';
    return line;
}

#endif
