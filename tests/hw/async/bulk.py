#!/usr/bin/env python3
"""bulk.py - prints bulk.txt: what is asked of the chip about bulk copies, reductions and multicast.

kernel.h has the notation.
"""

from cases import DONE, case, dump
from clusters import MEET, PAUSE, asynchronous, clustered, place, put32

LOAD = "cp.async.bulk.shared::cluster.global." + DONE + "%s [%s], [%s], %s, [%s]%s;"
TURN = [0]


def load(to="%buf", at="%in", size="64", bar="%bar", mask=None):
    return LOAD % (".multicast::cluster" if mask else "", to, at, size, bar, ", " + mask if mask else "")


def until(parity=0):
    TURN[0] += 1
    n = TURN[0]
    return ["w%d: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %%p1, [%%bar], %d;" % (n,
        parity), "@!%%p1 bra w%d;" % n]


INIT = ["@%first mbarrier.init.shared.b64 [%bar], 1;", "fence.mbarrier_init.release.cluster;",
    "fence.proxy.async;"]


def expect(n):
    return "mbarrier.arrive.expect_tx.shared.b64 %%s9, [%%bar], %s;" % n


def plus(register, n):
    return "add.u%d %s, %s, %d;" % (64 if register in ("%in",) else 32, register, register, n)


def loads():
    for size in (16, 32, 48, 64, 256, 1024):
        case("load_%d" % size, INIT, expect(size), load(size=str(size)), until(), "word", dump(6), dump(2,
            126))
    case("load_register", INIT, "mov.u32 %r1, 48;", expect(48), load(size="%r1"), until(), "word", dump(8))
    case("load_twice", INIT, expect(96), load(size="48"), load("%buf+64", "%in+128", "48"), until(), "word",
        dump(16))
    case("load_offset", INIT, expect(32), load("%buf+16", "%in+32", "32"), until(), dump(8))
    case("load_none", INIT, "mov.u32 %r1, 0;", expect(0), load(size="%r1"), until(), "word", dump(2))
    case("load_more", INIT, "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 16;", load(size="32"), PAUSE,
        "mbarrier.arrive.shared.b64 %s9, [%bar];", "word")
    case("load_phases", INIT, [[expect(64), load("%%buf+%d" % (64 * i), "%%in+%d" % (192 * i), "64"),
        until(i & 1)] for i in range(4)], "word", dump(32))
    case("load_lanes", INIT, "bar.sync 0;",
        "@%first mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 512;", "mad.lo.u32 %r1, %me, 16, %buf;",
        "mul.wide.u32 %s1, %me, 16;", "add.u64 %s1, %s1, %in;", load("%r1", "%s1", "16"), until(),
         "ld.shared.b64 %s2, [%r1];", "put %s2", "ld.shared.b64 %s2, [%r1+8];", "put %s2", threads=32)
    case("load_some_lanes", INIT, "bar.sync 0;",
        "@%first mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 80;", "mad.lo.u32 %r1, %me, 16, %buf;",
        "mul.wide.u32 %s1, %me, 16;", "add.u64 %s1, %s1, %in;", "setp.lt.u32 %p3, %me, 5;",
         "@%p3 " + load("%r1", "%s1", "16"), until(), "ld.shared.b64 %s2, [%r1];", "put %s2", threads=32)
    case("load_cta", INIT, expect(64), "cp.async.bulk.shared::cta.global." + DONE
        + " [%buf], [%in], 64, [%bar];", until(), "word", dump(9))
    case("load_cta_register", INIT, expect(64), "cvt.u64.u32 %s5, %bar;",
        "cp.async.bulk.shared::cta.global." + DONE + " [%buf], [%in], 64, %s5;", PAUSE, "word", dump(9))
    case("load_hint", INIT, expect(64), "createpolicy.fractional.L2::evict_first.b64 %s5;",
        "cp.async.bulk.shared::cluster.global." + DONE + ".L2::cache_hint [%buf], [%in], 64, [%bar], %s5;",
        until(), dump(8))
    wrong = {
        "size_8": ["mov.u32 %r1, 8;", load(size="%r1")],
        "size_24": ["mov.u32 %r1, 24;", load(size="%r1")],
        "to_8": load("%buf+8"),
        "from_8": load(at="%in+8"),
        "bar_4": load(bar="%bar+4"),
        "to_outside": [plus("%buf", 0x40000), load()],
        "to_partly": load("%buf+1008"),
        "to_far": [plus("%buf", 0x2000000), load()],
        "bar_outside": [plus("%bar", 0x40000), load()],
        "bar_never": load(bar="%bar+64"),
        "from_nowhere": ["mov.u64 %in, 0;", load()],
        "from_far": ["mov.u64 %in, 0x123456789000;", load()],
        "many": ["mov.u32 %r1, 0x100000;", load(size="%r1")],
        "most": ["mov.u32 %r1, 0xfffffff0;", load(size="%r1")],
        "from_shared": ["cvt.u64.u32 %s5, %buf;", "cvta.shared.u64 %s5, %s5;", load(at="%s5")],
    }
    for name, lines in wrong.items():
        case("load_wrong_" + name, INIT, "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 64;", lines,
            PAUSE, put32("%me"))


def peers():
    there = [place("%bar", "%peer", "%r7"), place()]
    begin = [INIT, MEET, there]
    clustered("peer_load", begin, expect(64), "mov.u64 %s1, %in;", "mul.wide.u32 %s2, %rank, 256;",
        "add.u64 %s1, %s1, %s2;", load("%there", "%s1", "64", "%r7"), until(), MEET, "word", dump(9))
    clustered("peer_load_own_bar", begin, "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 64;",
        load("%there", "%in", "64", "%bar"), PAUSE, MEET, "word", dump(9))
    clustered("peer_load_own_mapped", begin, place("%bar", "%rank", "%r7"), place(rank="%rank"), expect(64),
        load("%there", "%in", "64", "%r7"), until(), MEET, "word", dump(9))
    clustered("peer_load_plain", begin, expect(64), load(), until(), MEET, "word", dump(9))
    clustered("peer_load_alone", begin, expect(64), load(), until(), "word", dump(9), blocks=1, cluster=1)
    for mask in (1, 2, 3, 0, 4, 7, 0xffff):
        clustered("multicast_%x" % mask, begin, "mov.u16 %%h1, %d;" % mask,
            "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 64;", MEET, "@%p8 " + load(size="64",
            mask="%h1"), PAUSE, MEET, "word", dump(9))
    clustered("multicast_from_1", begin, "mov.u16 %h1, 3;", expect(64), MEET, "@%p7 " + load("%buf+32",
        "%in+64", "64", mask="%h1"), until(), MEET, "word", dump(14))
    clustered("multicast_there", begin, "mov.u16 %h1, 3;", expect(64), MEET, "@%p8 " + load("%there",
        "%in+64", "64", "%r7", mask="%h1"), until(), MEET, "word", dump(9))
    clustered("multicast_each", begin, "mov.u16 %h1, 15;", expect(256), MEET,
        "mad.lo.u32 %r1, %rank, 64, %buf;", "mul.wide.u32 %s2, %rank, 64;", "add.u64 %s1, %in, %s2;",
        load("%r1", "%s1", "64", mask="%h1"), until(), MEET, "word", dump(32), blocks=4)
    clustered("multicast_no_cluster", INIT, "mov.u16 %h1, 1;", expect(64), load(mask="%h1"), until(),
        "word", dump(9), blocks=1, cluster=0) if 0 else None
    case("multicast_alone", INIT, "mov.u16 %h1, 1;", expect(64), load(mask="%h1"), until(), "word", dump(9))
    case("multicast_alone_3", INIT, "mov.u16 %h1, 3;", expect(64), load(mask="%h1"), PAUSE, "word", dump(9))
    copy = "cp.async.bulk.shared::cluster.shared::cta." + DONE + " [%s], [%s], %s, [%s];"
    ranked = ["mul.lo.u32 %r1, %rank, 0x01010101;", "st.shared.u32 [%buf+512], %r1;",
        "st.shared.u32 [%buf+516], %rank;", "fence.proxy.async;"]
    clustered("copy_peer", begin, ranked, expect(48), copy % ("%there", "%buf+512", "48", "%r7"), until(),
        MEET, "word", dump(7))
    clustered("copy_peer_own_bar", begin, ranked, "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 48;",
        copy % ("%there", "%buf+512", "48", "%bar"), PAUSE, MEET, "word", dump(7))
    clustered("copy_own", begin, ranked, expect(48), copy % ("%buf", "%buf+512", "48", "%bar"), until(),
        MEET, "word", dump(7))
    case("copy_alone", INIT, "st.shared.u32 [%buf+512], 77;", "fence.proxy.async;", expect(48), copy
        % ("%buf", "%buf+512", "48", "%bar"), until(), "word", dump(7))
    clustered("copy_overlap", begin, ranked, expect(48), copy % ("%there+528", "%buf+512", "48", "%r7"),
        until(), MEET, "word", dump(10, 63))
    for name, to, at, size, bar in (("to_8", "%there+8", "%buf+512", "16", "%r7"), ("from_8", "%there",
        "%buf+520", "16", "%r7"), ("size_8", "%there", "%buf+512", "%r8", "%r7"), ("bar_4", "%there",
        "%buf+512", "16", "%r7+4"),
                                    ("outside", "%there+0x40000", "%buf+512", "16", "%r7"), ("from_outside",
                                        "%there", "%buf+0x40000", "16", "%r7"), ("from_there", "%buf",
                                        "%there", "16", "%bar"), ("bar_outside", "%there", "%buf", "16",
                                        "%r7+0x40000"), ("no_such", "%r9", "%buf", "16", "%r7")):
        clustered("copy_wrong_" + name, begin, "mov.u32 %r8, 8;", place("%buf", "2", "%r9"),
            "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 16;", copy % (to, at, size, bar), PAUSE,
            MEET, PAUSE, put32("%me"))
    clustered("copy_gone", INIT, "@%p8 bra stay;", "exit;", "stay: ", there, PAUSE, copy % ("%there",
        "%buf", "16", "%r7"), PAUSE, put32("%me"))


def get(words, at=0):
    return [["ld.global.b64 %%s1, [%%in+%d];" % (8 * i + at), "put %s1"] for i in range(words)]


STORE = "cp.async.bulk.global.shared::cta.bulk_group [%s], [%s], %s;"
COMMIT = "cp.async.bulk.commit_group;"
WAIT = "cp.async.bulk.wait_group 0;"


def numbered():
    return ["mov.u32 %r1, 0;", "n: mad.lo.u32 %r2, %r1, 4, %buf;", "mad.lo.u32 %r3, %r1, 0x01010101, 7;",
        "st.shared.u32 [%r2], %r3;", "add.u32 %r1, %r1, 1;", "setp.lt.u32 %p1, %r1, 256;", "@%p1 bra n;",
        "fence.proxy.async;"]


def stores():
    for size in (16, 48, 256):
        case("store_%d" % size, numbered(), STORE % ("%in", "%buf", size), COMMIT, WAIT, get(4), get(2,
            size - 8))
    case("store_offset", numbered(), STORE % ("%in+32", "%buf+16", 32), COMMIT, WAIT, get(10))
    case("store_read", numbered(), STORE % ("%in", "%buf", 64), COMMIT, "cp.async.bulk.wait_group.read 0;",
        "st.shared.u32 [%buf], 0;", WAIT, get(4))
    case("store_groups", numbered(), [[STORE % ("%%in+%d" % (64 * i), "%%buf+%d" % (128 * i), 64), COMMIT]
        for i in range(4)], "cp.async.bulk.wait_group 2;", get(2), get(2, 64),
        "cp.async.bulk.wait_group 0;", get(2, 128), get(2, 192))
    case("store_none", "mov.u32 %r1, 0;", STORE % ("%in", "%buf", "%r1"), COMMIT, WAIT, get(2))
    case("store_empty_groups", COMMIT, COMMIT, WAIT, "cp.async.bulk.wait_group.read 3;", put32("%me"))
    case("store_lanes", numbered(), "bar.sync 0;", "mad.lo.u32 %r1, %me, 16, %buf;",
        "mul.wide.u32 %s1, %me, 16;", "add.u64 %s1, %s1, %in;", STORE % ("%s1", "%r1", 16), COMMIT, WAIT,
        "ld.global.b64 %s2, [%s1];", "put %s2", threads=32)
    wrong = {
        "size_8": ["mov.u32 %r1, 8;", STORE % ("%in", "%buf", "%r1")],
        "to_8": STORE % ("%in+8", "%buf", 16),
        "from_8": STORE % ("%in", "%buf+8", 16),
        "from_outside": STORE % ("%in", "%buf+0x40000", 16),
        "to_nowhere": ["mov.u64 %s5, 0;", STORE % ("%s5", "%buf", 16)],
    }
    for name, lines in wrong.items():
        case("store_wrong_" + name, lines, COMMIT, WAIT, put32("%me"))
    case("prefetch", "cp.async.bulk.prefetch.L2.global [%in], 64;", put32("%me"))
    case("prefetch_8", "cp.async.bulk.prefetch.L2.global [%in+8], 64;", PAUSE, put32("%me"))
    case("prefetch_size", "mov.u32 %r1, 24;", "cp.async.bulk.prefetch.L2.global [%in], %r1;", PAUSE,
        put32("%me"))
    case("prefetch_nowhere", "mov.u64 %s5, 0;", "cp.async.bulk.prefetch.L2.global [%s5], 64;", PAUSE,
        put32("%me"))


PATTERNS = (
    (0x7FC0000100000001, 0x3F80000000800000),
    (0x8000000000000001, 0x0000000000000003),
    (0x3C003C007BFF7BFF, 0x7BFF00013C010400),
    (0xFC007E017C00FFFF, 0x7C007C01FC007C00),
    (0x0000000080000003, 0x807FFFFF00000002),
    (0x7FF0000000000001, 0x3FF0000000000000),
    (0xBFF0000000000000, 0x7FF8000000000123),
    (0x3F803F80FF807F80, 0x40003F81FF807FC1),
    (0xFFFFFFFF7F7FFFFF, 0x000000017F7FFFFF),
    (0x0010000000000000, 0x8008000000000001),
)
KINDS = "and.b32 and.b64 or.b32 or.b64 xor.b32 xor.b64 add.u32 add.s32 add.u64 add.f32 add.f64 inc.u32"
KINDS += " dec.u32 min.u32 min.s32 min.u64 min.s64 min.f16 min.bf16"
KINDS += " max.u32 max.s32 max.u64 max.s64 max.f16 max.bf16"
KINDS += " add.noftz.f16 add.noftz.bf16"
KINDS = KINDS.split()
SHARED = "and.b32 or.b32 xor.b32 add.u32 add.s32 add.u64 inc.u32 dec.u32 min.u32 min.s32 max.u32"
SHARED = (SHARED + " max.s32").split()
REDUCE = "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%s], [%s], %s;"


def reductions():
    n = len(PATTERNS)
    for kind in KINDS:
        for way in (0, 1):
            set_up = [["mov.u64 %%s1, 0x%016x;" % p[way], "st.global.b64 [%%in+%d], %%s1;" % (8 * i),
                "mov.u64 %%s1, 0x%016x;" % p[1 - way], "st.shared.b64 [%%buf+%d], %%s1;" % (8 * i)] for i,
                p in enumerate(PATTERNS)]
            case("reduce_%s_%d" % (kind.replace(".", "_"), way), set_up, "fence.proxy.async;", REDUCE
                % (kind, "%in", "%buf", 8 * n), COMMIT, WAIT, get(n))
    for kind in SHARED:
        set_up = [["mov.u64 %%s1, 0x%016x;" % p[0], "st.shared.b64 [%%buf+%d], %%s1;" % (8 * i),
            "mov.u64 %%s1, 0x%016x;" % p[1], "st.shared.b64 [%%buf+%d], %%s1;" % (512 + 8 * i)] for i,
            p in enumerate(PATTERNS)]
        clustered("reduce_there_" + kind.replace(".", "_"), set_up, INIT, MEET, place("%bar", "%peer",
            "%r7"), place(), expect(8 * n),
            "cp.reduce.async.bulk.shared::cluster.shared::cta.%s.%s [%%there], [%%buf+512], %d, [%%r7];"
            % (DONE, kind, 8 * n), until(), MEET, "word", dump(n))
    case("reduce_alone", INIT, expect(16), "cp.reduce.async.bulk.shared::cluster.shared::cta." + DONE
        + ".add.u32 [%buf], [%buf+512], 16, [%bar];", until(), "word", dump(3))
    # order of sums: 2^24, ones and its negative
    values = (0x4B800000, 0x3F800000, 0x3F800000, 0xCB800000, 0x3F800000, 0x33800000, 0x4B800001,
        0xCB800000)
    for turn in range(8):
        order = values[turn:] + values[:turn]
        set_up = [["mov.u32 %%r1, 0x%08x;" % v, ["st.shared.u32 [%%buf+%d], %%r1;" % (64 * i + 4 * k)
            for k in range(4)]] for i, v in enumerate(order)]
        zero = ["mov.u64 %s1, 0;", "st.global.b64 [%in], %s1;", "st.global.b64 [%in+8], %s1;"]
        case("order_%d" % turn, set_up, zero, "fence.proxy.async;", [REDUCE % ("add.f32", "%in", "%%buf+%d"
            % (64 * i), 16) for i in range(8)], COMMIT, WAIT, get(2))
        case("order_groups_%d" % turn, set_up, zero, "fence.proxy.async;", [[REDUCE % ("add.f32", "%in",
            "%%buf+%d" % (64 * i), 16), COMMIT] for i in range(8)], WAIT, get(2))


def main():
    print("# Made by bulk.py: what is asked of the chip about bulk copies; kernel.h has the notation.")
    for family in (asynchronous, loads, peers, stores, reductions):
        family()


if __name__ == "__main__":
    main()
