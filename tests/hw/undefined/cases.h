/*
 * cases.h - what PTX leaves undefined and programs do, and addresses of 32 bits that wrap.
 *
 * record.c asks a chip, tests/api/test_undefined.c the VM with PTX_UB_CHIP. The answers stand in
 * tests/hw/golden/undefined.tsv. SAME: the VM answers as the chip; WRAP: without PTX_UB_CHIP, too.
 * The chip's answer to the others depends on where the driver puts things, or on what lay there before. TOLD:
 * the VM says so, and where the access leads, with PTX_UB_CHIP, too. PASSES: it goes on, with and without,
 * as what lies there is another variable of the module, or the thread's own local memory.
 */
#ifndef HW_UNDEFINED_CASES_H
#define HW_UNDEFINED_CASES_H

#include <stdio.h>
#include <string.h>

enum { UNDEFINED_ROOM = 1 << 14, UNDEFINED_WORDS = 64, ALLOCATION = 1000 };

enum verdict { SAME, WRAP, TOLD, PASSES };

/*
 * The code has %lane, %t (thread), %base (tile, 1 KiB of shared memory, word i holds 3 i + 1), %small (the
 * address of 100 bytes at its end), %buf (an allocation of 1000 bytes, of zeros), %x (64 words of it; the
 * results), %r0, %r1 (the results: words lane and 32 + lane, 0xdddddddd before), %r2..9, %d0..9 (64 bits),
 * %p, %q.
 */
struct undefined {
    const char *name;
    enum verdict verdict;
    const char *code;
};

#define UPPER "setp.ge.u32 %q, %lane, 16; @!%q bra OVER; "
#define END_UPPER " OVER:"
#define TEN "mul.lo.u32 %r2, %lane, 10; "
#define SHFL(mode, b, c, mask)                                                                               \
    "shfl.sync." mode ".b32 %r0|%p, %r2, " b ", " c ", " mask "; selp.u32 %r1, 1, 0, %p; "
#define ODD "and.b32 %r4, %lane, 1; setp.ne.u32 %p, %r4, 0; "
#define VOTE(mode, mask) ODD "vote.sync." mode ".pred %p, %p, " mask "; selp.u32 %r0, 1, 0, %p; "
#define BALLOT(mask) ODD "vote.sync.ballot.b32 %r0, %p, " mask "; "
#define MATCH(mask)                                                                                          \
    "shr.u32 %r3, %lane, 2; match.any.sync.b32 %r0, %r3, " mask "; shr.u32 %r3, %lane, 5; "                  \
    "match.all.sync.b32 %r1|%p, %r3, " mask "; @!%p add.u32 %r1, %r1, 7; "
#define REDUX(op, type, mask) TEN "redux.sync." op "." type " %r0, %r2, " mask "; "
#define ELECT(mask) "elect.sync %r0|%p, " mask "; selp.u32 %r1, 1, 0, %p; "
#define WARP(mask) "bar.warp.sync " mask "; mov.u32 %r0, %lane; "

/* Every operation by the lanes that `before` lets through, with the member mask `mask`. */
#define MASKS(name, before, mask, after)                                                                     \
    {"shfl.up, " name, SAME, before TEN SHFL("up", "1", "0", mask) after},                                   \
        {"shfl.down, " name, SAME, before TEN SHFL("down", "1", "0x1f", mask) after},                        \
        {"shfl.bfly, " name, SAME, before TEN SHFL("bfly", "1", "0x1f", mask) after},                        \
        {"shfl.idx, " name, SAME, before TEN SHFL("idx", "18", "0x1f", mask) after},                         \
        {"shfl.idx of a lower lane, " name, SAME, before TEN SHFL("idx", "3", "0x1f", mask) after},          \
        {"vote.all, " name, SAME, before VOTE("all", mask) after},                                           \
        {"vote.any, " name, SAME, before VOTE("any", mask) after},                                           \
        {"vote.uni, " name, SAME, before VOTE("uni", mask) after},                                           \
        {"vote.ballot, " name, SAME, before BALLOT(mask) after},                                             \
        {"match, " name, SAME, before MATCH(mask) after},                                                    \
        {"redux.add, " name, SAME, before REDUX("add", "u32", mask) after},                                  \
        {"redux.min, " name, SAME, before REDUX("min", "s32", mask) after},                                  \
        {"redux.xor, " name, SAME, before REDUX("xor", "b32", mask) after},                                  \
        {"elect, " name, SAME, before ELECT(mask) after},                                                    \
    {                                                                                                        \
        "bar.warp.sync, " name, SAME, before WARP(mask) after                                                \
    }

#define READ(where) "add.s64 %d0, %buf, " where "; ld.global.b32 %r0, [%d0]; "
#define WRITE(where)                                                                                         \
    "add.s64 %d0, %buf, " where "; setp.eq.u32 %q, %lane, 0; @%q st.global.b32 [%d0], 77; bar.sync 0; "      \
    "ld.volatile.global.b32 %r0, [%d0]; "
#define ADD(where)                                                                                           \
    "add.s64 %d0, %buf, " where "; setp.eq.u32 %q, %lane, 0; @%q atom.global.add.u32 %r1, [%d0], 5; "        \
    "bar.sync 0; ld.volatile.global.b32 %r0, [%d0]; "
#define SHARED(at) "add.u32 %r2, %small, " at "; ld.shared.b32 %r0, [%r2]; "

/* Shared memory from a register that is 256 below it, or has more above its low half. */
#define BELOW "mad.lo.u32 %r2, %lane, 4, %base; sub.u32 %r2, %r2, 256; "
#define BELOW64 BELOW "cvt.u64.u32 %d0, %r2; "
#define ABOVE "mad.lo.u32 %r2, %lane, 4, %base; cvt.u64.u32 %d0, %r2; or.b64 %d0, %d0, 0x500000000; "
#define APART "and.b32 %r9, %lane, 1; setp.eq.u32 %q, %r9, 0; @%q bra OVER; "

/* Of functions below, whose parameter holds 71, 72 + lane, 200, 300. */
#define CALL_WITH(call)                                                                                      \
    "add.u32 %r2, %lane, 72; { .param .align 8 .b8 a[16]; .param .b32 r; st.param.b32 [a], 71; "             \
    "st.param.b32 [a+4], %r2; st.param.b32 [a+8], 200; st.param.b32 [a+12], 300; " call                      \
    " ld.param.b32 %r0, [r]; }"
#define CALL(name) CALL_WITH("call (r), " name ", (a);")
#define CALL_BY_ADDRESS(name) "mov.u64 %d0, " name "; " CALL_WITH("call (r), %d0, (a), prototype;")

static const struct undefined undefineds[] = {
    MASKS("the mask names the others", UPPER, "0xffff", END_UPPER),
    MASKS("a register names the others", UPPER "shr.u32 %r9, %lane, 4; mul.lo.u32 %r9, %r9, 0xffff; ", "%r9",
          END_UPPER),
    MASKS("the mask names nobody", "", "0", ""),
    MASKS("a register names nobody", "shr.u32 %r9, %lane, 8; ", "%r9", ""),
    MASKS("all come, the mask names half", "", "0xffff", ""),
    MASKS("all come, a register names half", "shr.u32 %r9, %lane, 8; or.b32 %r9, %r9, 0xffff; ", "%r9", ""),
    MASKS("the mask names one", "", "0x20", ""),
    MASKS("each names its neighbour", "xor.b32 %r9, %lane, 1; shl.b32 %r9, 1, %r9; ", "%r9", ""),
    MASKS("each half names itself", "setp.ge.u32 %q, %lane, 16; selp.b32 %r9, 0xffff0000, 0x0000ffff, %q; ",
          "%r9", ""),
    MASKS("each half names the other",
          "setp.ge.u32 %q, %lane, 16; selp.b32 %r9, 0x0000ffff, 0xffff0000, %q; ", "%r9", ""),
    MASKS("each lane names itself", "shl.b32 %r9, 1, %lane; ", "%r9", ""),
    MASKS("some have exited", "setp.lt.u32 %q, %lane, 16; @%q st.global.b32 [%x], 1; @%q exit; ",
          "0xffffffff", ""),
    MASKS("the lanes that the mask names have exited",
          "setp.lt.u32 %q, %lane, 16; @%q st.global.b32 [%x], 1; @%q exit; ", "0xffff", ""),
    MASKS("fewer than the mask names", "setp.lt.u32 %q, %lane, 20; @%q st.global.b32 [%x], 1; @%q exit; ",
          "0xfff00001", ""),

    {"read at +1000 of 1000", SAME, READ("1000")},
    {"read at +1024 of 1000", SAME, READ("1024")},
    {"read at +4096 of 1000", SAME, READ("4096")},
    {"read at +65536 of 1000", SAME, READ("65536")},
    {"read at +1 MiB", SAME, READ("0x100000")},
    {"read at +4 MiB", SAME, READ("0x400000")},
    {"read at +32 MiB", SAME, READ("0x2000000")},
    {"read at +60 MiB", SAME, READ("0x3c00000")},
    {"read at +128 MiB", TOLD, READ("0x8000000")},
    {"read at +1 GiB", TOLD, READ("0x40000000")},
    {"read at +16 GiB", TOLD, READ("0x400000000")},
    {"read at +256 GiB", TOLD, READ("0x4000000000")},
    {"read at -1 MiB", SAME, READ("-0x100000")},
    {"read at -4 MiB", SAME, READ("-0x400000")},
    {"read at -64 MiB", TOLD, READ("-0x4000000")},
    {"read at -1 GiB", TOLD, READ("-0x40000000")},
    {"read of null", SAME, "mov.u64 %d0, 0; ld.global.b32 %r0, [%d0];"},
    {"read of 0x10000", SAME, "mov.u64 %d0, 0x10000; ld.global.b32 %r0, [%d0];"},
    {"read of 8 bytes at +1000", SAME,
     "ld.global.b64 %d0, [%buf+1000]; cvt.u32.u64 %r0, %d0; shr.u64 %d0, %d0, 32; cvt.u32.u64 %r1, %d0;"},
    {"read of 16 bytes at +992", SAME, "ld.global.v4.b32 {%r2,%r3,%r0,%r1}, [%buf+992];"},
    {"misaligned read past the end", SAME, READ("1026")},
    {"write at +1000 of 1000", SAME, WRITE("1000")},
    {"write at +1020 of 1000", SAME, WRITE("1020")},
    {"write at +4096 of 1000", SAME, WRITE("4096")},
    {"write at +1 MiB", SAME, WRITE("0x100000")},
    {"write at +4 MiB", SAME, WRITE("0x400000")},
    {"write at +32 MiB", SAME, WRITE("0x2000000")},
    {"write at +128 MiB", TOLD, WRITE("0x8000000")},
    {"write at +1 GiB", TOLD, WRITE("0x40000000")},
    {"write to null", SAME, "mov.u64 %d0, 0; st.global.b32 [%d0], 7;"},
    {"atom at +1000 of 1000", SAME, ADD("1000")},
    {"atom at +4096 of 1000", SAME, ADD("4096")},
    {"atom at +32 MiB", SAME, ADD("0x2000000")},
    {"generic read at +1024", SAME, "add.s64 %d0, %buf, 1024; ld.b32 %r0, [%d0];"},
    {"cp.async from +1024", SAME,
     "add.s64 %d0, %buf, 1024; cp.async.ca.shared.global [%base], [%d0], 16; cp.async.wait_all; "
     "bar.sync 0; ld.shared.b32 %r0, [%base+4];"},

    {"shared, +100 of 100", TOLD, SHARED("100")},
    {"shared, +124 of 100", TOLD, SHARED("124")},
    {"shared, +128 of 100", TOLD, SHARED("128")},
    {"shared, +256 of 100", TOLD, SHARED("256")},
    {"shared, +1024 of 100", TOLD, SHARED("1024")},
    {"shared, +2048 of 100", SAME, SHARED("2048")},
    {"shared, +0x10000 of 100", SAME, SHARED("0x10000")},
    {"shared, written at +124 of 100", TOLD,
     "add.u32 %r2, %small, 124; st.shared.b32 [%r2], 9; ld.volatile.shared.b32 %r0, [%r2];"},
    {"constant, +8 of 8", PASSES, "mov.u64 %d0, fixed; add.u64 %d0, %d0, 8; ld.const.b32 %r0, [%d0];"},
    {"constant, +0x10000 of 8", TOLD,
     "mov.u64 %d0, fixed; add.u64 %d0, %d0, 0x10000; ld.const.b32 %r0, [%d0];"},
    {"local, +8 of 8", PASSES,
     "mov.u64 %d0, mine; add.u64 %d0, %d0, %d9; st.local.b32 [%d0], %t; ld.local.b32 %r0, [%d0+8];"},
    {"parameter, +16 of 16", WRAP, "cvt.u64.u32 %d0, %t; and.b64 %d0, %d0, 0; ld.param.b32 %r0, [%d0+16];"},

    {"shared, wraps", WRAP, BELOW "ld.shared.b32 %r0, [%r2+256];"},
    {"shared, wraps, where lanes part", WRAP, APART BELOW "ld.shared.b32 %r0, [%r2+256];" END_UPPER},
    {"shared, 64 bits wrap", WRAP, BELOW64 "ld.shared.b32 %r0, [%d0+256];"},
    {"shared, high bits", WRAP, ABOVE "ld.shared.b32 %r0, [%d0];"},
    {"shared, high bits, where lanes part", WRAP, APART ABOVE "ld.shared.b32 %r0, [%d0];" END_UPPER},
    {"shared, high bits and a displacement", WRAP, ABOVE "ld.shared.b32 %r0, [%d0+16];"},
    {"shared, a generic address", WRAP,
     "mad.lo.u32 %r2, %lane, 4, %base; cvt.u64.u32 %d0, %r2; cvta.shared.u64 %d0, %d0; "
     "ld.shared.b32 %r0, [%d0+4];"},
    {"shared, 64 bits below zero", WRAP,
     "mad.lo.u32 %r2, %lane, 4, %base; cvt.u64.u32 %d0, %r2; sub.u64 %d0, %d0, 0x10000; "
     "ld.shared.b32 %r0, [%d0+0x10000];"},
    {"shared, below zero", WRAP, "mov.u32 %r2, %base; sub.u32 %r2, %r2, 0x10000; ld.shared.b32 %r0, [%r2];"},
    {"shared, one address wraps", WRAP, "sub.u32 %r2, %base, 256; ld.shared.b32 %r0, [%r2+260];"},
    {"shared, a vector wraps", WRAP,
     "mad.lo.u32 %r2, %lane, 16, %base; sub.u32 %r2, %r2, 256; ld.shared.v4.b32 {%r0,%r3,%r4,%r1}, "
     "[%r2+256];"},
    {
        "shared, bytes wrap",
        WRAP,
        "add.u32 %r2, %lane, %base; sub.u32 %r2, %r2, 256; ld.shared.u8 %r0, [%r2+256]; ld.shared.s16 %r1, "
        "[%r2+256]; and.b32 %r1, %r1, 0xff;",
    },
    {"shared, a store wraps", WRAP,
     BELOW "st.shared.b32 [%r2+256], %r2; bar.sync 0; mad.lo.u32 %r3, %lane, 4, %base; "
           "ld.shared.b32 %r0, [%r3]; sub.u32 %r0, %r0, %base;"},
    {"shared, atom wraps", WRAP,
     BELOW "atom.shared.add.u32 %r0, [%r2+256], 5; bar.sync 0; ld.shared.b32 %r1, [%r2+256];"},
    {"shared, atom of one wraps", WRAP,
     "sub.u32 %r2, %base, 256; red.shared.add.u32 [%r2+256], 5; bar.sync 0; ld.shared.b32 %r1, [%r2+256];"},
    {"shared, atom, high bits", WRAP, ABOVE "atom.shared.max.u32 %r0, [%d0], 50; ld.shared.b32 %r1, [%d0];"},
    {"shared, cp.async wraps", WRAP,
     BELOW "st.global.b32 [%buf], 4711; bar.sync 0; cp.async.ca.shared.global [%r2+256], [%buf], 4; "
           "cp.async.wait_all; ld.shared.b32 %r0, [%r2+256];"},
    {"shared, ldmatrix wraps", WRAP,
     "mad.lo.u32 %r2, %lane, 16, %base; sub.u32 %r2, %r2, 256; "
     "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0,%r1}, [%r2+256];"},
    {"shared, stmatrix wraps", WRAP,
     "mad.lo.u32 %r2, %lane, 16, %base; sub.u32 %r2, %r2, 256; "
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2+256], {%lane}; bar.sync 0; "
     "mad.lo.u32 %r2, %lane, 4, %base; ld.shared.b32 %r0, [%r2];"},
    {"shared, wmma.load wraps", WRAP,
     "sub.u32 %r2, %base, 256; "
     "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r0,%r1,%r3,%r4,%r5,%r6,%r7,%r8}, [%r2+256];"},
    {"shared, mbarrier wraps", WRAP,
     "sub.u32 %r2, %base, 256; setp.eq.u32 %q, %lane, 0; @%q mbarrier.init.shared.b64 [%r2+256], 32; "
     "bar.sync 0; mbarrier.arrive.shared.b64 %d1, [%r2+256]; WAIT: "
     "mbarrier.try_wait.shared.b64 %p, [%r2+256], %d1; @!%p bra WAIT; mov.u32 %r0, %lane;"},
    {"constant, wraps", WRAP,
     "mov.u32 %r2, table; mad.lo.u32 %r2, %lane, 4, %r2; sub.u32 %r2, %r2, 64; ld.const.b32 %r0, [%r2+64];"},
    {"constant, high bits", WRAP,
     "mov.u64 %d0, table; cvt.u64.u32 %d1, %lane; mad.lo.u64 %d0, %d1, 4, %d0; or.b64 %d0, %d0, "
     "0x700000000; ld.const.b32 %r0, [%d0];"},
    {"constant, far below and back", WRAP,
     "mov.u64 %d0, table; cvt.u64.u32 %d1, %lane; mad.lo.u64 %d0, %d1, 4, %d0; sub.u64 %d0, %d0, 0x4000; "
     "ld.const.b32 %r0, [%d0+0x4000];"},
    {"local, wraps", WRAP,
     "mov.u32 %r2, words; and.b32 %r3, %lane, 7; mad.lo.u32 %r2, %r3, 4, %r2; st.local.b32 [%r2], %lane; "
     "sub.u32 %r2, %r2, 0x1000; ld.local.b32 %r0, [%r2+0x1000];"},
    {"local, high bits", WRAP,
     "mov.u64 %d0, words; cvt.u64.u32 %d1, %lane; and.b64 %d1, %d1, 7; mad.lo.u64 %d0, %d1, 4, %d0; "
     "st.local.b32 [%d0], %lane; or.b64 %d0, %d0, 0x300000000; ld.local.b32 %r0, [%d0];"},
    {"local, high bits, one place", WRAP,
     "mov.u64 %d0, words; st.local.b32 [%d0+4], %lane; or.b64 %d0, %d0, 0x300000000; "
     "ld.local.b32 %r0, [%d0+4];"},
    {"parameter, wraps", WRAP,
     "mov.b32 %r2, sixteen; and.b32 %r3, %lane, 3; mad.lo.u32 %r2, %r3, 4, %r2; sub.u32 %r2, %r2, 0x2000; "
     "ld.param.b32 %r0, [%r2+0x2000];"},
    {"parameter, high bits", WRAP,
     "mov.b64 %d0, sixteen; cvt.u64.u32 %d1, %lane; and.b64 %d1, %d1, 3; mad.lo.u64 %d0, %d1, 4, %d0; "
     "or.b64 %d0, %d0, 0x300000000; ld.param.b32 %r0, [%d0];"},

    {"function's parameter, by a generic address", TOLD, CALL("generic")},
    {"function's parameter, by a generic address of a register", TOLD, CALL("generic_register")},
    {"function's parameter, element by a register", WRAP, CALL("element")},
    {"function's parameter, element by a register, called by address", WRAP, CALL_BY_ADDRESS("element")},
    {"function's parameter, by a generic address, called by address", TOLD, CALL_BY_ADDRESS("generic")},
    {"parameter, element by a register", WRAP,
     "and.b32 %r2, %lane, 3; shl.b32 %r2, %r2, 2; ld.param.b32 %r0, sixteen[%r2];"},
    {"parameter, element by a register and a displacement", WRAP,
     "and.b32 %r2, %lane, 1; shl.b32 %r2, %r2, 2; ld.param.b32 %r0, sixteen[%r2+8];"},
};
enum { UNDEFINEDS = sizeof undefineds / sizeof *undefineds };

#define FUNCTION(name, code)                                                                                 \
    ".func (.param .b32 r) " name "(.param .align 8 .b8 v[16])\n{ .reg .b64 %d; .reg .b32 %r, %i; " code     \
    " st.param.b32 [r], %r; ret; }\n"

/* Functions whose parameters are asked for by an address. */
#define UNDEFINED_FUNCTIONS                                                                                  \
    FUNCTION("generic", "cvta.param.u64 %d, v; ld.b32 %r, [%d+4];")                                          \
    FUNCTION("generic_register", "mov.b64 %d, v; cvta.param.u64 %d, %d; ld.b32 %r, [%d+4];")                 \
    FUNCTION("element", "mov.b32 %i, 4; ld.param.b32 %r, v[%i];")

static const char undefined_head[] =
    ".version 8.6\n"
    ".target sm_90a\n"
    ".address_size 64\n"
    ".const .align 8 .b32 fixed[2] = {1, 2};\n"
    ".const .align 8 .b32 table[32] = "
    "{100,101,102,103,104,105,106,107,108,109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,"
    "124,125,126,127,128,129,130,131};\n" UNDEFINED_FUNCTIONS
    ".visible .entry k(.param .u64 results, .param .u64 buffer, .param .align 8 .b8 sixteen[16])\n"
    "{\n"
    ".shared .align 1024 .b8 tile[1024]; .shared .align 4 .b8 tiny[100];\n"
    ".local .align 8 .b8 mine[8]; .local .align 8 .b8 words[32];\n"
    "prototype: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16]);\n"
    ".reg .b64 %x, %buf, %o, %d<10>; .reg .b32 %t, %lane, %base, %small, %r<10>; .reg .pred %p, %q;\n"
    "ld.param.u64 %x, [results]; ld.param.u64 %buf, [buffer]; mov.u32 %t, %tid.x; "
    "and.b32 %lane, %t, 31; mov.u32 %base, tile; mov.u32 %small, tiny; mul.wide.u32 %o, %lane, 4; "
    "add.u64 %o, %o, %x; mov.u64 %d9, 0;\n"
    "mad.lo.u32 %r2, %t, 32, %base; mul.lo.u32 %r3, %t, 24; add.u32 %r3, %r3, 1;\n"
    "st.shared.b32 [%r2], %r3; add.u32 %r3, %r3, 3; st.shared.b32 [%r2+4], %r3; add.u32 %r3, %r3, 3;\n"
    "st.shared.b32 [%r2+8], %r3; add.u32 %r3, %r3, 3; st.shared.b32 [%r2+12], %r3; "
    "add.u32 %r3, %r3, 3;\n"
    "st.shared.b32 [%r2+16], %r3; add.u32 %r3, %r3, 3; st.shared.b32 [%r2+20], %r3; "
    "add.u32 %r3, %r3, 3;\n"
    "st.shared.b32 [%r2+24], %r3; add.u32 %r3, %r3, 3; st.shared.b32 [%r2+28], %r3;\n"
    "bar.sync 0; mov.u32 %r0, 0xdddddddd; mov.u32 %r1, 0xdddddddd;\n";

static const char undefined_tail[] = "\nst.global.b32 [%o], %r0; st.global.b32 [%o+128], %r1; ret;\n}\n";

static void undefined_text(const struct undefined *u, char *to)
{
    snprintf(to, UNDEFINED_ROOM, "%s%s%s", undefined_head, u->code, undefined_tail);
}

/* The kernel's parameters, and what lies in the last. */
struct undefined_params {
    unsigned long long results, buffer;
    unsigned sixteen[4];
};
#define UNDEFINED_SIXTEEN                                                                                    \
    {                                                                                                        \
        501, 502, 503, 504                                                                                   \
    }

/* A line of the answers: the name, CUDA's error, and without one the words, "*N" behind each that repeats. */
static void undefined_line(char *to, const struct undefined *u, int error, const unsigned *word)
{
    to += sprintf(to, "%s\t%d", u->name, error);
    for (unsigned i = 0, n; !error && i < UNDEFINED_WORDS; i += n) {
        for (n = 1; i + n < UNDEFINED_WORDS && word[i + n] == word[i]; n++) {
        }
        to += sprintf(to, "%c%x", i ? ' ' : '\t', word[i]);
        if (n > 1) to += sprintf(to, "*%u", n);
    }
}

#endif
