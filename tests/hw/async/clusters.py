#!/usr/bin/env python3
"""clusters.py - prints clusters.txt: what is asked of the chip about clusters and distributed shared memory.

kernel.h has the notation. Results never depend on which block comes first.
"""

from cases import DONE, case, dump, flat

START = [
    ".reg .b32 %rank, %peer, %size, %there;",
    ".reg .b64 %g, %gt;",
    "mov.u32 %rank, %cluster_ctarank;",
    "mov.u32 %size, %cluster_nctarank;",
    "add.u32 %peer, %rank, 1;",
    "rem.u32 %peer, %peer, %size;",
    "setp.eq.u32 %p8, %rank, 0;",
    "setp.eq.u32 %p7, %rank, 1;",
]
MEET = ["barrier.cluster.arrive;", "barrier.cluster.wait;"]
PAUSE = "nanosleep.u32 1000000;"


def place(what="%buf", rank="%peer", to="%there"):
    return "mapa.shared::cluster.u32 %s, %s, %s;" % (to, what, rank)


def generic(what="%there", to="%gt"):
    return ["cvt.u64.u32 %%s18, %s;" % what, "cvta.shared::cluster.u64 %s, %%s18;" % to]


def clustered(name, *lines, threads=1, blocks=2, cluster=None):
    case(name, START, lines, threads=threads, blocks=blocks, cluster=cluster or blocks)


def put32(*registers):
    return ["put32 %s" % r for r in registers]


def fill():
    """Each block's words are 1000 * rank + place."""
    return [
        "mul.lo.u32 %r1, %rank, 1000;",
        ["add.u32 %%r2, %%r1, %d;\nst.shared.u32 [%%buf+%d], %%r2;".replace("\n", " ") % (i, 4 * i)
            for i in range(16)],
        MEET,
    ]


def addresses():
    body = [
        "shr.u32 %r1, %bar, 24;",
        put32("%r1"),
        "and.b32 %r2, %bar, 0xffffff;",
        [[place("%bar", r, "%r1"), "sub.u32 %r1, %r1, %r2;", put32("%r1")] for r in (0, 1, 2, 3, 4, 5, 15,
            16, 255, 256)],
        "mapa.shared::cluster.u32 %r1, bars, %peer;",
        "sub.u32 %r1, %r1, %r2;",
        put32("%r1"),
        "mapa.shared::cluster.u32 %r3, %r1, 0;",
        "shr.u32 %r3, %r3, 24;",
        put32("%r3"),
        "getctarank.shared::cluster.u32 %r1, %bar;",
        put32("%r1"),
        "getctarank.shared::cluster.u32 %r1, bars;",
        put32("%r1"),
        place("%bar"),
        "getctarank.shared::cluster.u32 %r1, %there;",
        put32("%r1"),
        "mov.u32 %r3, %dynamic_smem_size;",
        put32("%r3"),
    ]
    for blocks, cluster in ((4, 4), (4, 2), (4, 1), (8, 8), (16, 16), (3, 3)):
        clustered("places_%d_%d" % (blocks, cluster), body, blocks=blocks, cluster=cluster)
    clustered(
        "generic_places",
        "mov.u64 %s1, bars;",
        "cvta.shared.u64 %s1, %s1;",
        "shr.u64 %s2, %s1, 24;",
        "and.b64 %s2, %s2, 255;",
        "put %s2",
        [["mapa.u64 %%s2, %%s1, %d;" % r, "sub.u64 %s3, %s2, %s1;", "put %s3"] for r in (0, 1, 2, 3, 4, 7,
            256)],
        "getctarank.u64 %r1, %s1;",
        put32("%r1"),
        "mapa.u64 %s2, %s1, %peer;",
        "getctarank.u64 %r1, %s2;",
        put32("%r1"),
        [["isspacep.%s %%p1, %%s%d;" % (s, k), "pred %p1"] for k in (1, 2) for s in ("shared",
            "shared::cta", "shared::cluster", "global")],
        "cvta.to.shared.u64 %s3, %s2;",
        "cvt.u32.u64 %r1, %s3;",
        place("%bar"),
        "sub.u32 %r1, %r1, %there;",
        put32("%r1"),
        "cvta.to.shared::cluster.u64 %s3, %s2;",
        "cvt.u32.u64 %r1, %s3;",
        "sub.u32 %r1, %r1, %there;",
        put32("%r1"),
        generic(),
        "sub.u64 %s3, %gt, %s2;",
        "put %s3",
        "cvt.u64.u32 %s4, %there;",
        "cvta.shared.u64 %s3, %s4;",
        "sub.u64 %s3, %s3, %s2;",
        "put %s3",
        "and.b64 %s4, %s4, 0xffffff;",
        "cvta.shared.u64 %s3, %s4;",
        "sub.u64 %s3, %s3, %s1;",
        "put %s3",
        "mapa.u64 %s2, %s1, 5;",
        [["isspacep.%s %%p1, %%s2;" % s, "pred %p1"] for s in ("shared", "shared::cta", "shared::cluster",
            "global")],
        blocks=4,
    )


def registers():
    names = "clusterid.x clusterid.y nclusterid.x nclusterid.y cluster_ctaid.x cluster_ctaid.y"
    names += " cluster_nctaid.x cluster_nctaid.y cluster_nctaid.z cluster_ctarank cluster_nctarank"
    names += " ctaid.x nctaid.x"
    names += " total_smem_size aggr_smem_size dynamic_smem_size"
    body = [
        [["mov.u32 %%r1, %%%s;" % n, put32("%r1")] for n in names.split()],
        "mov.pred %p1, %is_explicit_cluster;",
        "pred %p1",
        [["mov.v4.u32 {%%r1, %%r2, %%r3, %%r4}, %%%s;" % n, put32("%r4")] for n in ("clusterid",
            "nclusterid", "cluster_ctaid", "cluster_nctaid")],
    ]
    for blocks, cluster in ((8, 2), (8, 4), (8, 8), (4, 1), (6, 3), (12, 6), (15, 5), (14, 7), (9, 9), (16,
        16)):
        clustered("registers_%d_%d" % (blocks, cluster), body, blocks=blocks, cluster=cluster, threads=2)


LOADS = (
    ("u32", "%r3", 0),
    ("s32", "%r3", 8),
    ("b64", "%s3", 8),
    ("u8", "%r3", 4),
    ("s8", "%r3", 4),
    ("u16", "%r3", 6),
    ("v2.u32", "{%r3, %r4}", 8),
    ("v4.u32", "{%r3, %r4, %r5, %r6}", 16),
    ("v2.b64", "{%s3, %s4}", 32),
)


def loads_of(kind, address):
    out = []
    for type_, to, at in LOADS:
        out.append("ld%s.%s %s, [%s+%d];" % (kind, type_, to, address, at))
        for r in to.strip("{}").split(", "):
            out.append(("put32 " if r[1] == "r" else "put ") + r)
    return out


def loads():
    for kind in ("", ".volatile", ".relaxed.cluster", ".acquire.cluster", ".relaxed.gpu", ".acquire.sys",
        ".relaxed.cta"):
        name = "load" + kind.replace(".", "_")
        clustered(name + "_there", fill(), place(), loads_of(kind + ".shared::cluster", "%there"), MEET,
            blocks=4)
        clustered(name + "_generic", fill(), place(), generic(), loads_of(kind, "%gt"), MEET, blocks=4)
    clustered("load_own_mapped", fill(), place(rank="%rank"), loads_of(".shared::cluster", "%there"), MEET,
        blocks=4)
    clustered("load_own_plain", fill(), loads_of(".shared::cluster", "%buf"), MEET, blocks=4)
    cut = "and.b32 %there, %buf, 0xffffff;"
    for space in ("shared", "shared::cta", "shared::cluster"):
        low = space.replace("::", "_")
        clustered("load_cut_" + low, fill(), cut, "ld.%s.u32 %%r3, [%%there];" % space, put32("%r3"), MEET,
            blocks=4)
        clustered("load_other_" + low, fill(), place(), "ld.%s.u32 %%r3, [%%there];" % space, put32("%r3"),
            MEET, blocks=4)
        clustered("store_cut_" + low, fill(), cut, "add.u32 %r3, %rank, 70;", "mul.lo.u32 %r4, %rank, 4;",
            "add.u32 %there, %there, %r4;",
                  "st.%s.u32 [%%there], %%r3;" % space, MEET, dump(4), blocks=4)
        clustered("store_other_" + low, fill(), place(), "st.%s.u32 [%%there], 77;" % space, MEET, dump(2),
            blocks=4)
        clustered("atom_cut_" + low, fill(), cut, "atom.%s.add.u32 %%r3, [%%there], 1;" % space, MEET,
            dump(2), blocks=4)
        clustered("atom_other_" + low, fill(), place(), "atom.%s.add.u32 %%r3, [%%there], 1;" % space,
            put32("%r3"), MEET, dump(2), blocks=4)
    clustered("load_cut_constant", fill(), "ld.shared::cluster.u32 %r3, [bytes];", put32("%r3"),
        "ld.shared.u32 %r3, [bytes];", put32("%r3"), MEET, blocks=4)
    clustered("load_var_offset", fill(), place("bytes"), "ld.shared::cluster.u32 %r3, [%there+12];",
        put32("%r3"), MEET, blocks=4)
    clustered("load_cut_generic", fill(), "mov.u64 %s1, bytes;", "and.b64 %s1, %s1, 0xffffff;",
        "cvta.shared.u64 %s1, %s1;", "ld.u32 %r3, [%s1];", put32("%r3"), MEET, blocks=4)
    clustered("load_16", fill(), place(rank="15"), loads_of(".shared::cluster", "%there"), MEET, blocks=16)
    clustered("load_16_peers", fill(), place(), loads_of(".shared::cluster", "%there"), MEET, blocks=16)
    clustered("load_lanes", fill(), "and.b32 %r7, %me, 3;", place(rank="%r7"),
        "mad.lo.u32 %there, %me, 4, %there;", "ld.shared::cluster.u32 %r3, [%there];",
              put32("%r3"), MEET, blocks=4, threads=16)
    clustered("load_lanes_generic", fill(), "and.b32 %r7, %me, 3;", place(rank="%r7"),
        "mad.lo.u32 %there, %me, 4, %there;", generic(), "ld.u32 %r3, [%gt];",
              put32("%r3"), MEET, blocks=4, threads=16)
    clustered("load_128", fill(), place(), "ld.shared::cluster.b128 %q1, [%there+16];",
        "mov.b128 {%s3, %s4}, %q1;", "put %s3", "put %s4", MEET, ".reg .b128 %q1;", blocks=2) if 0 else None


def stores():
    value = ["mul.lo.u32 %r1, %rank, 0x01010101;", "add.u32 %r1, %r1, 0x10203040;",
        "mov.b64 %s1, {%r1, %r1};", "cvt.u16.u32 %h1, %r1;"]
    forms = (("u32", "%r1", 0), ("b64", "%s1", 8), ("u8", "%r1", 17), ("u16", "%h1", 22), ("v2.u32",
        "{%r1, %r1}", 24), ("v4.u32", "{%r1, %r1, %r1, %r1}", 32),
             ("v2.b64", "{%s1, %s1}", 48))
    for kind in ("", ".volatile", ".relaxed.cluster", ".release.cluster", ".release.gpu"):
        name = "store" + kind.replace(".", "_")
        clustered(name + "_there", MEET, value, place(), [["st%s.shared::cluster.%s [%%there+%d], %s;"
            % (kind, t, at, v)] for t, v, at in forms], MEET, dump(9), blocks=4)
        clustered(name + "_generic", MEET, value, place(), generic(), [["st%s.%s [%%gt+%d], %s;" % (kind, t,
            at, v)] for t, v, at in forms], MEET, dump(9), blocks=4)
    clustered("store_flag", MEET, place("%buf"), "@%p8 st.shared::cluster.u32 [%there+8], 77;",
        "@%p8 st.release.cluster.shared::cluster.u32 [%there], 1;",
              "wait: @%p7 ld.acquire.cluster.shared.u32 %r1, [%buf];", "setp.ne.and.u32 %p1, %r1, 1, %p7;",
                  "@%p1 bra wait;", "@%p7 ld.shared.u32 %r1, [%buf+8];",
              "mov.u32 %r2, 0;", "@%p7 mov.u32 %r2, %r1;", put32("%r2"), MEET)
    clustered("store_ping_pong", MEET, place(), "mov.u32 %r3, 0;", "turn: ", "and.b32 %r4, %r3, 1;",
        "setp.eq.u32 %p1, %r4, %rank;", "@%p1 bra mine;",
              "spin: ld.acquire.cluster.shared.u32 %r1, [%buf+16];", "setp.lt.u32 %p2, %r1, %r3;",
                  "setp.eq.or.u32 %p2, %r1, 0x5a5a5a5a, %p2;", "@%p2 bra spin;", "bra next;",
              "mine: ", "add.u32 %r5, %r3, 1;", "st.release.cluster.shared::cluster.u32 [%there+16], %r3;",
                  "next: add.u32 %r3, %r3, 1;", "setp.lt.u32 %p3, %r3, 50;", "@%p3 bra turn;",
              MEET, "ld.shared.u32 %r1, [%buf+16];", put32("%r1"))


def atomics():
    ops = [("add.u32", "%r1"), ("add.u64", "%s1"), ("and.b32", "%r1"), ("or.b32", "%r1"), ("xor.b32",
        "%r1"), ("min.u32", "%r1"), ("max.s32", "%r1"), ("inc.u32", "%r1"), ("dec.u32", "%r1"),
           ("exch.b32", "%r1"), ("exch.b64", "%s1"), ("min.s64", "%s1"), ("max.u64", "%s1"), ("and.b64",
               "%s1"), ("cas.b32", "0x5a5a5a5a, %r1"), ("cas.b64", "%s2, %s1"), ("cas.b16", "%h2, %h1"),
           ("add.f32", "%f1"), ("add.f64", "%d1"), ("add.noftz.f16", "%h1"), ("add.noftz.f16x2", "%r1"),
               ("add.noftz.bf16", "%h1"), ("add.noftz.bf16x2", "%r1")]
    value = [".reg .f64 %d<3>;", "mul.lo.u32 %r1, %rank, 0x01010101;", "add.u32 %r1, %r1, 0x10203040;",
        "mov.b64 %s1, {%r1, %r1};", "mov.b64 %s2, 0x5a5a5a5a5a5a5a5a;", "cvt.u16.u32 %h1, %r1;",
             "mov.b16 %h2, 0x5a5a;", "mov.f32 %f1, 0f3FC00000;", "mov.f64 %d1, 0d3FF8000000000000;"]
    def result(op):
        kind = op.split(".")[-1]
        if kind == "f64":
            return "%d2", ["mov.b64 %s3, %d2;", "put %s3"]
        if kind == "f32":
            return "%f2", ["mov.b32 %r3, %f2;", "put32 %r3"]
        if kind in ("f16", "bf16", "b16"):
            return "%h3", ["cvt.u32.u16 %r3, %h3;", "put32 %r3"]
        if kind in ("u64", "s64", "b64"):
            return "%s3", ["put %s3"]
        return "%r3", ["put32 %r3"]
    def each(text, address):
        out = []
        for i, (op, v) in enumerate(ops):
            to, puts = result(op)
            out += [text % (op, to, address, 8 * i, v)] + puts
        return out
    clustered("atom_there", MEET, value, place(),
        each("atom.relaxed.cluster.shared::cluster.%s %s, [%s+%d], %s;", "%there"), MEET, dump(len(ops)))
    clustered("atom_generic", MEET, value, place(), generic(), each("atom.%s %s, [%s+%d], %s;", "%gt"),
        MEET, dump(len(ops)))
    reds = [(op, v) for op, v in ops if op.split(".")[0] not in ("exch", "cas")]
    clustered("red_there", MEET, value, place(), ["red.shared::cluster.%s [%%there+%d], %s;" % (op, 8 * i,
        v) for i, (op, v) in enumerate(reds)], MEET, dump(len(reds)))
    clustered("red_generic", MEET, value, place(), generic(), ["red.relaxed.cluster.%s [%%gt+%d], %s;"
        % (op, 8 * i, v) for i, (op, v) in enumerate(reds)], MEET, dump(len(reds)))
    clustered("atom_sum", "mov.u32 %r1, 0;", "@%first st.shared.u32 [%buf], %r1;", MEET, place(rank="0"),
        "atom.shared::cluster.add.u32 %r2, [%there], 3;",
              "red.shared::cluster.add.u32 [%there], %me;", MEET, "ld.shared.u32 %r1, [%buf];",
                  "@!%p8 mov.u32 %r1, 0;", put32("%r1"), blocks=4, threads=32)
    # floats: subnormals, NaN, infinities
    floats = ("0f00000001", "0f80000003", "0f007fffff", "0f7fc12345", "0f7f800001", "0fff800000",
        "0f7f7fffff", "0f3f800001")
    for name, address, kind in (("there", "%there", ".shared::cluster"), ("generic", "%gt", ""), ("own",
        "%buf", ".shared")):
        clustered("float_" + name, MEET, place(), generic(),
                  [["mov.f32 %%f1, %s;" % a, "mov.b32 %%r1, %s;" % a.replace("0f", "0x"),
                      "mov.f32 %%f2, %s;" % b] +
                   (["st%s.u32 [%s], %%r1;" % (kind, address), "atom%s.add.f32 %%f3, [%s], %%f2;" % (kind,
                       address), "ld%s.u32 %%r2, [%s];" % (kind, address), "put32 %r2"])
                   for a, b in zip(floats, floats[1:] + floats[:1])], MEET)
    clustered("cas_128", MEET, place(), ".reg .b128 %q<4>;", "mov.u64 %s2, 0x5a5a5a5a5a5a5a5a;",
        "cvt.u64.u32 %s3, %rank;", "mov.b128 %q1, {%s2, %s2};", "mov.b128 %q2, {%s3, %s2};",
              "atom.shared::cluster.cas.b128 %q3, [%there], %q1, %q2;", "mov.b128 {%s4, %s5}, %q3;",
                  "put %s4", "put %s5",
              "atom.shared::cluster.exch.b128 %q3, [%there+16], %q2;", "mov.b128 {%s4, %s5}, %q3;",
                  "put %s4", "put %s5", MEET, dump(4))
    clustered("lock", "@%first st.shared.u32 [%buf], 0;", "@%first st.shared.u32 [%buf+4], 0;", MEET,
        place(rank="0"), "mov.u32 %r6, 0;",
              "try: atom.acquire.cluster.shared::cluster.cas.b32 %r1, [%there], 0, 1;",
                  "setp.ne.u32 %p1, %r1, 0;", "@%p1 bra try;",
              "ld.relaxed.cluster.shared::cluster.u32 %r2, [%there+4];", "add.u32 %r2, %r2, 1;",
                  "st.relaxed.cluster.shared::cluster.u32 [%there+4], %r2;",
              "st.release.cluster.shared::cluster.u32 [%there], 0;", "add.u32 %r6, %r6, 1;",
                  "setp.lt.u32 %p2, %r6, 10;", "@%p2 bra try;", MEET, "ld.shared.u32 %r1, [%buf+4];",
                  "@!%p8 mov.u32 %r1, 0;",
              put32("%r1"), blocks=4, threads=4)


def barriers():
    for name, arrive, wait in (("plain", "", ""), ("aligned", ".aligned", ".aligned"), ("release",
        ".release", ".acquire"), ("relaxed", ".relaxed", ".acquire"), ("mixed", ".release.aligned",
        ".acquire.aligned")):
        clustered("meet_" + name, place(), "mad.lo.u32 %there, %me, 4, %there;",
            "mad.lo.u32 %r2, %me, 4, %buf;", "mov.u32 %r5, 0;", "again: ",
            "mad.lo.u32 %r1, %rank, 100, %r5;", "add.u32 %r1, %r1, %me;",
                  "st.shared.u32 [%r2], %r1;", "fence.acq_rel.cluster;" if name == "relaxed" else [],
                      "barrier.cluster.arrive%s;" % arrive, "barrier.cluster.wait%s;" % wait,
                      "ld.shared::cluster.u32 %r3, [%there];",
                  "barrier.cluster.arrive%s;" % arrive, "barrier.cluster.wait%s;" % wait,
                      "add.u32 %r5, %r5, 1;", "setp.lt.u32 %p1, %r5, 5;", "@%p1 bra again;", put32("%r3"),
                      blocks=3, threads=40)
    exits = [("one_lane", "setp.eq.u32 %p1, %me, 3;"), ("one_warp", "setp.ge.u32 %p1, %me, 32;"),
        ("a_block", "setp.eq.u32 %p1, %rank, 1;"), ("all_but_one", "setp.ne.u32 %p1, %me, 0;")]
    for name, pred in exits:
        clustered("exit_" + name, pred, "@%p1 exit;", MEET, MEET, put32("%me"), blocks=2, threads=40)
        clustered("exit_arrived_" + name, pred, "barrier.cluster.arrive;", "@%p1 exit;",
            "barrier.cluster.wait;", MEET, put32("%me"), blocks=2, threads=40)
    clustered("split", "setp.gt.u32 %p1, %me, 20;", "@%p1 bra other;", MEET, "bra join;",
        "other: barrier.cluster.arrive;", "barrier.cluster.wait;", "join: bar.sync 0;", put32("%me"),
        blocks=2, threads=40)
    clustered("split_lanes", "and.b32 %r1, %me, 1;", "setp.eq.u32 %p1, %r1, 1;", "@%p1 bra other;",
        "barrier.cluster.arrive;", "barrier.cluster.wait;", "bra join;", "other: barrier.cluster.arrive;",
              "barrier.cluster.wait;", "join: bar.sync 0;", put32("%me"), blocks=2, threads=40)
    clustered("wait_first", "barrier.cluster.wait;", put32("%me"), blocks=2)
    clustered("arrive_twice", "barrier.cluster.arrive;", "barrier.cluster.arrive;", "barrier.cluster.wait;",
        put32("%me"), blocks=2)
    clustered("wait_twice", MEET, "barrier.cluster.wait;", put32("%me"), blocks=2)
    clustered("arrive_no_wait", "barrier.cluster.arrive;", put32("%me"), blocks=2, threads=33)
    clustered("arrive_twice_no_wait", "barrier.cluster.arrive;", "barrier.cluster.arrive;", put32("%me"),
        blocks=2)
    clustered("arrive_one_block", "@%p8 barrier.cluster.arrive;", put32("%me"), blocks=2)
    clustered("wait_one_block_exits", "@%p7 exit;", "barrier.cluster.arrive;", "barrier.cluster.wait;",
        put32("%me"), blocks=2)
    clustered("some_lanes", "setp.lt.u32 %p1, %me, 8;", "@%p1 barrier.cluster.arrive;",
        "setp.ge.u32 %p1, %me, 8;", "@%p1 barrier.cluster.arrive;", "barrier.cluster.wait;", put32("%me"),
        blocks=2, threads=32)
    clustered("with_bar", "bar.sync 0;", MEET, "bar.sync 0;", "barrier.cluster.arrive;", "bar.sync 1;",
        "barrier.cluster.wait;", put32("%me"), blocks=2, threads=64)
    clustered("fences", ["fence.%s.cluster;" % k for k in ("acq_rel", "sc", "acquire", "release")],
        "fence.mbarrier_init.release.cluster;", "fence.proxy.async.shared::cluster;", "fence.proxy.async;",
              "fence.acquire.sync_restrict::shared::cluster.cluster;",
                  "fence.release.sync_restrict::shared::cta.cluster;", MEET, put32("%me"), blocks=2)


def gone():
    """Block 1 ends at once, or is about to; block 0 reaches into it."""
    touches = {
        "load": "ld.shared::cluster.u32 %r1, [%there];",
        "store": "st.shared::cluster.u32 [%there], 7;",
        "atom": "atom.shared::cluster.add.u32 %r1, [%there], 7;",
        "red": "red.shared::cluster.add.u32 [%there], 7;",
        "generic_load": "ld.u32 %r1, [%gt];",
        "generic_store": "st.u32 [%gt], 7;",
        "arrive": "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%s17];".replace("%s17", "%r7"),
        "st_async": "st.async.shared::cluster." + DONE + ".u32 [%there], 7, [%r7];",
    }
    for name, touch in touches.items():
        if "load" in name or name == "st_async":
            continue
        clustered("gone_" + name, "@%p8 bra stay;", "mbarrier.init.shared.b64 [%bar], 1;",
            "fence.mbarrier_init.release.cluster;", "exit;", "stay: ", place(), place("%bar", "%peer",
            "%r7"), generic(), MEET, PAUSE, touch, PAUSE, put32("%me"), blocks=2)
    clustered("gone_meets", "@%p8 bra stay;", "exit;", "stay: ", MEET, MEET, put32("%me"), blocks=2)
    for name, touch in touches.items():
        if name in ("arrive", "st_async", "load", "generic_load"):
            continue
        outside = "add.u32 %there, %there, 0x40000;"
        clustered("outside_" + name, MEET, place(), outside, generic(), touch, put32("%me"), MEET, blocks=2)
        clustered("no_such_" + name, MEET, place(rank="2"), generic(), touch, put32("%me"), MEET, blocks=2)
        clustered("no_such_far_" + name, MEET, place(rank="200"), generic(), touch, put32("%me"), MEET,
            blocks=2)
        clustered("misaligned_" + name, MEET, place(), "add.u32 %there, %there, 2;", generic(), touch,
            put32("%me"), MEET, blocks=2)
    clustered("outside_own", "add.u32 %there, %buf, 0x40000;", "ld.shared.u32 %r1, [%there];", put32("%r1"),
        blocks=2)
    clustered("trap_of_one", "@%p7 trap;", MEET, put32("%me"), blocks=2)
    clustered("fault_of_one", "@%p7 st.global.u32 [0], 1;" if 0 else "mov.u64 %s1, 0;",
        "@%p7 st.global.u32 [%s1], 1;", MEET, put32("%me"), blocks=2)


def remote_barriers():
    start = ["mbarrier.init.shared.b64 [%bar], 4;", "fence.mbarrier_init.release.cluster;", MEET,
        place("%bar", "%peer", "%r7"), "cvt.u64.u32 %s17, %r7;", "cvta.shared::cluster.u64 %s16, %s17;"]
    end = [MEET, "word"]
    forms = {
        "arrive": "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];",
        "arrive_n": "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7], 3;",
        "arrive_all": "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7], 4;",
        "arrive_plain": "mbarrier.arrive.shared::cluster.b64 _, [%r7];",
        "arrive_relaxed": "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r7];",
        "arrive_cta": "mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r7];",
        "arrive_tx": "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r7], 24;",
        "drop": "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r7];",
        "drop_n": "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r7], 2;",
        "drop_tx": "mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [%r7], 24;",
        "expect": "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r7], 40;",
        "complete": "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r7], 40;",
        "generic_sink": "mbarrier.arrive.release.cluster.b64 _, [%s16];",
        # what only one's own barrier is for
        "state": "mbarrier.arrive.shared.b64 %s1, [%r7];",
        "state_cta": "mbarrier.arrive.shared::cta.b64 %s1, [%r7];",
        "state_generic": "mbarrier.arrive.b64 %s1, [%s16];",
        "test": "mbarrier.test_wait.parity.shared.b64 %p1, [%r7], 1;",
        "try": "mbarrier.try_wait.parity.shared.b64 %p1, [%r7], 1;",
        "test_generic": "mbarrier.test_wait.parity.b64 %p1, [%s16], 1;",
        "init": "mbarrier.init.shared.b64 [%r7], 9;",
        "init_generic": "mbarrier.init.b64 [%s16], 9;",
        "inval": "mbarrier.inval.shared.b64 [%r7];",
        "no_complete": "mbarrier.arrive.noComplete.shared.b64 %s1, [%r7], 1;",
        "copy_arrive": "cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];",
        "copy": ["cvt.u64.u32 %s15, %there;", "cp.async.ca.shared.global [%there], [%in], 4;",
            "cp.async.wait_all;"],
        "too_many": "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7], 5;",
        "misaligned": ["add.u32 %r7, %r7, 4;",
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];"],
        "outside": ["add.u32 %r7, %r7, 0x40000;",
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];"],
        "no_such": [place("%bar", "2", "%r7"),
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];"],
        "never_init": ["add.u32 %r7, %r7, 64;",
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];"],
    }
    for name, form in forms.items():
        header = "header 8.6 sm_90"
        clustered("mbarrier_" + name, start, place(), form, end, blocks=2)
    clustered("mbarrier_own_mapped", "mbarrier.init.shared.b64 [%bar], 2;", MEET, place("%bar", "%rank",
        "%r7"), "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];",
              "mbarrier.arrive.shared.b64 %s1, [%r7];", "state %s1", end, blocks=2)
    clustered("mbarrier_waits", "@%first mbarrier.init.shared.b64 [%bar], 64;",
        "fence.mbarrier_init.release.cluster;", MEET, place("%bar", "%peer", "%r7"), place(),
        "mad.lo.u32 %there, %me, 4, %there;",
              "mad.lo.u32 %r2, %me, 4, %buf;", "mov.u32 %r5, 0;",
                  "again: mad.lo.u32 %r1, %rank, 1000, %r5;", "st.shared::cluster.u32 [%there], %r1;",
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];", "and.b32 %r6, %r5, 1;",
              "wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%bar], %r6;",
                  "@!%p1 bra wait;", "ld.shared.u32 %r3, [%r2];", MEET, "add.u32 %r5, %r5, 1;",
                  "setp.lt.u32 %p2, %r5, 6;", "@%p2 bra again;",
              put32("%r3"), blocks=2, threads=64)
    clustered("mbarrier_one_for_all", "@%first mbarrier.init.shared.b64 [%bar], 32;",
        "fence.mbarrier_init.release.cluster;", MEET, place("%bar", "0", "%r7"), place(rank="0"),
        "mad.lo.u32 %r1, %rank, 8, %me;",
              "mad.lo.u32 %there, %r1, 4, %there;", "st.shared::cluster.u32 [%there], %r1;",
                  "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];", "mov.u32 %r3, 0;",
                  "@!%p8 bra over;",
              "wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%bar], 0;",
                  "@!%p1 bra wait;", "mad.lo.u32 %r2, %me, 16, %buf;",
                  "ld.shared.v2.u32 {%r3, %r4}, [%r2];", "add.u32 %r3, %r3, %r4;", "over: ", MEET,
              put32("%r3"), blocks=4, threads=8)


def asynchronous():
    start = ["@%first mbarrier.init.shared.b64 [%bar], 1;", "fence.mbarrier_init.release.cluster;", MEET,
        place("%bar", "%peer", "%r7"), place()]
    values = ["mul.lo.u32 %r1, %rank, 0x01010101;", "add.u32 %r1, %r1, 0x11223344;",
        "mov.u32 %r2, 0x55667788;", "mov.u32 %r3, 0x99aabbcc;", "mov.u32 %r4, -2;",
        "mov.u64 %s1, 0x0102030405060708;", "mov.u64 %s2, -5;", "mov.f32 %f1, 0f3F800000;"]
    forms = [(".b32", "%r1", 4, 4), (".u32", "%r2", 4, 8), (".s32", "%r4", 4, 12), (".f32", "%f1", 4, 16),
        (".b64", "%s1", 8, 24), (".u64", "%s2", 8, 32), (".v2.b32", "{%r1, %r2}", 8, 48), (".v2.u64",
        "{%s1, %s2}", 16, 64),
             (".v4.b32", "{%r1, %r2, %r3, %r4}", 16, 80), (".v4.f32", "{%f1, %f1, %f1, %f1}", 16, 96)]
    wait = ["wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%bar], 0;",
        "@!%p1 bra wait;"]
    st = "st.async%s.shared::cluster." + DONE + "%s [%%there+%d], %s, [%%r7];"
    total = sum(f[2] for f in forms)
    for weak in ("", ".weak"):
        clustered("st_async" + weak.replace(".", "_"), start, values,
            "mbarrier.arrive.expect_tx.shared.b64 %%s9, [%%bar], %d;" % total, [st % (weak, f[0], f[3],
            f[1]) for f in forms], wait, MEET, "word", dump(14), blocks=2)
    clustered("st_async_own", start, values, place("%bar", "%rank", "%r7"), place(rank="%rank"),
        "mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 4;", st % ("", ".b32", 0, "%r1"), wait, MEET,
        "word", dump(2), blocks=2)
    clustered("st_async_own_plain", start, values, "mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 4;",
        "st.async.shared::cluster." + DONE + ".b32 [%buf], %r1, [%bar];", wait, MEET, "word", dump(2),
        blocks=2)
    clustered("st_async_alone", start, values, "mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 4;",
        "st.async.shared::cluster." + DONE + ".b32 [%buf], %r1, [%bar];", wait, MEET, "word", dump(2),
        blocks=2, cluster=1)
    clustered("st_async_elsewhere", start, values, "mov.u32 %r7, %bar;",
        "mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 4;", st % ("", ".b32", 0, "%r1"), wait, MEET,
        "word", dump(2), blocks=2)
    for name, change, form in (("misaligned_4", "add.u32 %there, %there, 2;", (".b32", "%r1")),
        ("misaligned_8", "add.u32 %there, %there, 4;", (".b64", "%s1")), ("misaligned_16",
        "add.u32 %there, %there, 8;", (".v4.b32", "{%r1, %r2, %r3, %r4}")),
                               ("outside", "add.u32 %there, %there, 0x40000;", (".b32", "%r1")), ("no_such",
                                   place(rank="3"), (".b32", "%r1")), ("bar_misaligned",
                                   "add.u32 %r7, %r7, 4;", (".b32", "%r1")),
                               ("bar_outside", "add.u32 %r7, %r7, 0x40000;", (".b32", "%r1")),
                                   ("bar_never_init", "add.u32 %r7, %r7, 64;", (".b32", "%r1")),
                                   ("both_no_such", [place(rank="3"), place("%bar", "3", "%r7")], (".b32",
                                   "%r1"))):
        clustered("st_async_" + name, start, values, change, st % ("", form[0], 0, form[1]), MEET,
            "nanosleep.u32 100000;", MEET, put32("%me"), blocks=2)
    clustered("st_async_more", start, values, "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 4;", MEET,
        st % ("", ".b64", 0, "%s1"), PAUSE, MEET, "word", blocks=2)
    clustered("st_async_lanes", start, "@%first mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 128;",
        "mad.lo.u32 %there, %me, 4, %there;", "mad.lo.u32 %r1, %rank, 100, %me;",
        "st.async.shared::cluster." + DONE + ".u32 [%there], %r1, [%r7];",
              wait, "mad.lo.u32 %r5, %me, 4, %buf;", "ld.shared.u32 %r6, [%r5];", put32("%r6"), MEET,
                  blocks=2, threads=32)
    red = "red.async.relaxed.cluster.shared::cluster." + DONE + "%s [%%there+%d], %s, [%%r7];"
    reds = [("." + f, "%r1") for f in "inc.u32 dec.u32 min.u32 max.u32 add.u32".split()] + [("." + f, "%r4")
        for f in "min.s32 max.s32 add.s32".split()] + [("." + f,
        "%r1") for f in "and.b32 or.b32 xor.b32".split()]
    clustered("red_async", start, values, "mbarrier.arrive.expect_tx.shared.b64 %%s9, [%%bar], %d;"
        % (4 * len(reds) + 8), [red % (f[0], 4 * i, f[1]) for i, f in enumerate(reds)], red % (".add.u64",
        64, "%s1"), wait, MEET, "word", dump(10), blocks=2)
    clustered("red_async_sum", start, "mov.u32 %r1, 0;", "@%first st.shared.u32 [%buf], %r1;", MEET,
        place(rank="0"), place("%bar", "0", "%r7"),
        "@%p8 mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 0;" if 0 else [],
              "setp.eq.and.u32 %p1, %me, 0, %p8;",
                  "@%p1 mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 256;", MEET,
                  "red.async.relaxed.cluster.shared::cluster." + DONE + ".add.u32 [%there], %me, [%r7];",
                  "@!%p8 bra over;", wait,
              "over: ", MEET, "ld.shared.u32 %r1, [%buf];", put32("%r1"), blocks=2, threads=32)
    clustered("red_async_misaligned", start, values, "add.u32 %there, %there, 2;", red % (".add.u32", 0,
        "%r1"), MEET, "nanosleep.u32 100000;", MEET, put32("%me"), blocks=2)
    clustered("red_async_64_bits", start, values, "mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 8;",
        red % (".add.u64", 8, "%s2"), wait, MEET, "word", dump(3), blocks=2)
    clustered("dependents", "griddepcontrol.launch_dependents;", "griddepcontrol.wait;", MEET, put32("%me"),
        blocks=4, cluster=2)


def main():
    print("# Made by clusters.py: what is asked of the chip about clusters; kernel.h has the notation.")
    for family in (addresses, registers, loads, stores, atomics, barriers, gone, remote_barriers):
        family()


if __name__ == "__main__":
    main()
