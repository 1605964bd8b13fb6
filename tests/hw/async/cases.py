#!/usr/bin/env python3
"""cases.py - prints cases.txt: what is asked of the chip about mbarriers, cp.async, and what surrounds them.

kernel.h has the notation. A case is one kernel of one block; undefined behaviour is asked for, too, since a
program that relies on it should meet here what it meets there, or be told.
"""

INIT = "mbarrier.init.shared.b64 [%%bar], %s;"
WAIT_ALL = "cp.async.wait_all;"
FILL = 0x5A5A5A5A5A5A5A5A


def case(name, *lines, threads=1, blocks=1, cluster=0):
    shape = " %d %d" % (blocks, cluster) if cluster else " %d" % blocks if blocks > 1 else ""
    print("\ncase %s %d%s" % (name, threads, shape))
    for line in flat(lines):
        print("    " + line)


def flat(lines):
    for line in lines:
        if isinstance(line, str):
            yield line
        else:
            yield from flat(line)


def init(n):
    return INIT % n


def arrive(n="", kind="", times=1):
    n = ", %s" % n if n != "" else ""
    return ["mbarrier.arrive%s.shared.b64 %%s1, [%%bar]%s;" % (kind, n), "state %s1", "word"] * times


def drop(n="", kind=""):
    n = ", %s" % n if n != "" else ""
    return ["mbarrier.arrive_drop%s.shared.b64 %%s1, [%%bar]%s;" % (kind, n), "state %s1", "word"]


def expect(n):
    return ["mbarrier.expect_tx.relaxed.cta.shared.b64 [%%bar], %s;" % n, "word"]


def complete(n):
    return ["mbarrier.complete_tx.relaxed.cta.shared.b64 [%%bar], %s;" % n, "word"]


def arrive_expect(n, verb="arrive"):
    return ["mbarrier.%s.expect_tx.shared.b64 %%s1, [%%bar], %s;" % (verb, n), "state %s1", "word"]


def test(state):
    return ["mbarrier.test_wait.shared.b64 %%p1, [%%bar], %s;" % state, "pred %p1"]


def parity(bit):
    return ["mbarrier.test_wait.parity.shared.b64 %%p1, [%%bar], %s;" % bit, "pred %p1"]


def state(to):
    return "mbarrier.arrive.shared.b64 %%%s, [%%bar];" % to


def dump(words, first=0):
    return [
        line
        for i in range(first, first + words)
        for line in ("ld.shared.b64 %%s1, [%%buf+%d];" % (8 * i), "put %s1")
    ]


def barriers():
    for n in ("1", "2", "5", "1048575", "1048576", "0xffffffff"):
        case("init_" + n, init(n), "word")
    case(
        "init_sizes",
        [
            ["mov.u32 %%r1, %d;" % n, init("%r1"), "word"]
            for n in (1, 2, 3, 4, 7, 8, 255, 256, 65535, 65536, 524288, 1048574)
        ],
    )
    pending = ["mbarrier.pending_count.b64 %r1, %s1;", "put32 %r1"]
    case("arrive_1", init(1), [arrive(), pending] * 4)
    case("arrive_3", init(3), [arrive(), pending] * 7)
    case("arrive_count", init(5), [arrive(n) for n in (2, 3, 5, 1, 4)])
    case("arrive_over", init(2), arrive(3), arrive(1))
    case("arrive_over_1", init(1), arrive(2), arrive(1))
    case("arrive_zero", init(2), arrive(1), "mov.u32 %r2, 0;", arrive("%r2"))
    case("arrive_big", init(1048575), [arrive(n) for n in (1048575, 1048574, 1)])
    case("arrive_bits", init(2), "mov.u32 %r2, 0x100001;", arrive("%r2"))
    case(
        "no_complete",
        init(4),
        arrive(1, ".noComplete"),
        arrive(2, ".noComplete"),
        arrive(),
        arrive(3, ".noComplete"),
    )
    case("no_complete_all", init(2), arrive(1, ".noComplete", 2), arrive())
    case("no_complete_over", init(2), arrive(3, ".noComplete"), arrive())
    case("drop", init(4), drop(), arrive(1), drop(2), arrive(times=2))
    case("drop_all", init(2), drop(2), arrive())
    case("drop_last", init(1), drop(), expect(16), complete(16))
    case("drop_no_complete", init(5), drop(2, ".noComplete"), arrive(3), arrive(times=3))
    case("drop_over", init(2), drop(3), arrive())
    case("tx", init(1), expect(16), arrive(), complete(4), complete(12), arrive())
    case("tx_before", init(1), complete(16), expect(16), arrive())
    case("tx_before_arrive", init(1), complete(16), arrive(), expect(16), arrive())
    case("tx_border", init(1), expect(1048575), complete(1048575), arrive())
    case("tx_over", init(1), expect(1048576), arrive(), complete(1048576))
    case("tx_over_2", init(1), expect(1048575), expect(1), arrive(), complete(1048575), complete(1))
    case("tx_zero", init(1), expect(0), complete(0), arrive())
    case(
        "tx_many",
        init(2),
        [expect(n) for n in (1, 2, 0x1000, 0x7FFF)],
        arrive(times=2),
        complete(0x9002),
        complete(1),
        arrive(),
    )
    case(
        "tx_cluster",
        init(1),
        "mbarrier.complete_tx.relaxed.cta.shared::cluster.b64 [%bar], 8;",
        "word",
        "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%bar], 8;",
        "word",
        arrive(),
    )
    case(
        "arrive_expect",
        init(2),
        arrive_expect(64),
        arrive_expect(32),
        complete(96),
        arrive_expect(8),
        complete(8),
        arrive(),
    )
    case("arrive_expect_last", init(1), arrive_expect(64), arrive(), complete(64), arrive())
    case("arrive_expect_zero", init(1), arrive_expect(0), arrive())
    case("drop_expect", init(2), arrive_expect(64, "arrive_drop"), arrive(), complete(64), arrive())
    case(
        "arrive_forms",
        init(9),
        "mbarrier.arrive.release.cta.shared::cta.b64 %s1, [%bar];",
        "state %s1",
        "mbarrier.arrive.release.cluster.shared.b64 %s1, [%bar], 2;",
        "state %s1",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%bar];",
        "word",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%bar], 3;",
        "word",
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%bar], 24;",
        "word",
        "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%bar];",
        "word",
        complete(24),
        "mbarrier.arrive.relaxed.cta.shared.b64 %s1, [%bar];",
        "state %s1",
        "mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%bar], 3;",
        "word",
    )
    case(
        "arrive_generic",
        "cvta.shared.u64 %s5, bars;",
        "mbarrier.init.b64 [%s5], 2;",
        "mbarrier.arrive.b64 %s1, [%s5];",
        "state %s1",
        "mbarrier.arrive.expect_tx.b64 %s1, [%s5], 8;",
        "state %s1",
        "word",
        "mbarrier.complete_tx.relaxed.cta.b64 [%s5], 8;",
        "word",
        "mbarrier.test_wait.b64 %p1, [%s5], %s1;",
        "pred %p1",
        "mbarrier.inval.b64 [%s5];",
    )
    case(
        "arrive_offset",
        "mbarrier.init.shared.b64 [%bar+8], 2;",
        "mbarrier.arrive.shared.b64 %s1, [%bar+8];",
        "state %s1",
        "mbarrier.arrive.shared.b64 %s1, [bars+8];",
        "state %s1",
    )


def waits():
    case(
        "test_wait",
        init(1),
        [parity(0), parity(1), state("s1"), test("%s1"), parity(0), parity(1)],
        [state("s2"), test("%s1"), test("%s2"), parity(0), parity(1)],
        [state("s3"), test("%s1"), test("%s2"), test("%s3")],
    )
    case(
        "test_wait_part",
        init(2),
        [state("s1"), test("%s1"), parity(0), parity(1)],
        [state("s2"), test("%s1"), test("%s2"), parity(0), parity(1)],
    )
    words = (0, 1 << 63, (1 << 64) - 1, (1 << 63) - 1, 1 << 62, 1 << 42, 1, 1 << 20, 1 << 21, 1 << 41)
    case("test_wait_states", init(2), state("s1"), [["mov.b64 %%s9, 0x%x;" % w, test("%s9")] for w in words])
    bits = (0, 1, 2, 3, 4, 0x80000000, 0xFFFFFFFF)
    case("test_wait_parity_bits", init(2), [["mov.b32 %%r9, 0x%x;" % b, parity("%r9")] for b in bits])
    tried = []
    for what in (
        "parity.shared.b64 %p1, [%bar], 1",
        "parity.shared.b64 %p1, [%bar], 0, 1000",
        None,
        "shared.b64 %p1, [%bar], %s1",
        "parity.acquire.cluster.shared.b64 %p1, [%bar], 0, 10000000",
        "parity.acquire.cta.shared::cta.b64 %p1, [%bar], 1, 0",
        "parity.shared.b64 %p1, [%bar], 1",
    ):
        tried += ["mbarrier.try_wait.%s;" % what, "pred %p1"] if what else [state("s1")]
    case("try_wait", init(1), tried)
    for name, where in (("test_wait", ""), ("try_wait", ", 0")):
        case(
            name + "_forms",
            init(1),
            state("s1"),
            [
                ["mbarrier.%s.%s.b64 %%p1, [%%bar], %%s1;" % (name, what), "pred %p1"]
                for what in (
                    "acquire.cta.shared",
                    "acquire.cluster.shared::cta",
                    "relaxed.cta.shared",
                    "relaxed.cluster.shared",
                )
            ],
        )


def misuse():
    case("inval", init(3), state("s1"), "mbarrier.inval.shared.b64 [%bar];", "word", init(2), "word")
    case("never_init_arrive", arrive())
    case("never_init_zero_test", parity(0), parity(1), test("0"))
    tries = [["mbarrier.try_wait.parity.shared.b64 %%p1, [%%bar], %d, 1000;" % b, "pred %p1"] for b in (0, 1)]
    case("never_init_try", tries)
    case("never_init_tx", expect(16), complete(16))
    case("never_init_drop", drop())
    case("garbage_arrive", "st.shared.b64 [%%bar], 0x%x;" % FILL, arrive())
    words = (
        1,
        2,
        1 << 20,
        1 << 21,
        1 << 32,
        1 << 41,
        1 << 42,
        1 << 62,
        1 << 63,
        (1 << 64) - 1,
        (1 << 64) - 2,
    )
    case("garbage_words", [["st.shared.b64 [%%bar], 0x%x;" % w, arrive()] for w in words])
    for i, w in enumerate(words[1:]):
        case("garbage_%d" % i, "st.shared.b64 [%%bar], 0x%x;" % w, arrive())
    case("inval_arrive", init(3), "mbarrier.inval.shared.b64 [%bar];", arrive())
    case("misaligned_init", "mbarrier.init.shared.b64 [%bar+4], 1;")
    case("misaligned_arrive", init(1), "mbarrier.arrive.shared.b64 %s1, [%bar+4];", "state %s1")
    case("misaligned_test", init(1), "mbarrier.test_wait.parity.shared.b64 %p1, [%bar+4], 0;", "pred %p1")
    case("misaligned_try", init(1), "mbarrier.try_wait.parity.shared.b64 %p1, [%bar+4], 0;", "pred %p1")
    case("misaligned_tx", init(1), "mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar+4], 8;")
    far = "mov.u32 %r1, 0x100000;"
    case("outside_init", far, "mbarrier.init.shared.b64 [%r1], 1;")
    case("outside_arrive", far, "mbarrier.arrive.shared.b64 %s1, [%r1];", "state %s1")
    case("outside_test", far, "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;", "pred %p1")
    case("global_init", "mbarrier.init.b64 [%out], 1;")
    case("global_arrive", "mbarrier.arrive.b64 %s1, [%out];", "state %s1")
    case("global_test", "mbarrier.test_wait.parity.b64 %p1, [%out], 0;", "pred %p1")
    case("global_tx", "mbarrier.expect_tx.relaxed.cta.b64 [%out], 8;")


def lanes():
    arrived = [
        "bar.sync 0;",
        "mbarrier.arrive.shared.b64 %s1, [%bar];",
        "state %s1",
        "bar.sync 0;",
        "once word",
    ]
    for n in (40, 32, 20):
        case("lanes_%d" % n, "once " + init(n), arrived, threads=32)
    case(
        "lanes_counts",
        "once " + init(1000),
        "bar.sync 0;",
        "add.u32 %r1, %me, 1;",
        "mbarrier.arrive.shared.b64 %s1, [%bar], %r1;",
        "state %s1",
        "bar.sync 0;",
        "once word",
        threads=32,
    )


def copies():
    for size, cache in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")):
        body = []
        for n in [None] + list(range(size + 1)):
            body += ["st.shared.b64 [%%buf+%d], 0x%x;" % (at, FILL) for at in (0, 8)]
            if n is not None:
                body.append("mov.u32 %%r1, %d;" % n)
            limit = ", %r1" if n is not None else ""
            body.append("cp.async.%s.shared.global [%%buf], [%%in+16], %d%s;" % (cache, size, limit))
            body += [WAIT_ALL] + dump(1 if size < 16 else 2)
        case("copy_%s_%d" % (cache, size), body)
    for name, n, size in (("copy_over", 20, 16), ("copy_over_4", 5, 4), ("copy_over_huge", 0xFFFFFFFF, 8)):
        case(
            name,
            "mov.u32 %%r1, %d;" % n,
            "cp.async.ca.shared.global [%%buf], [%%in], %d, %%r1;" % size,
            WAIT_ALL,
            dump(4),
        )
    yes, no = "setp.eq.u32 %p1, %me, %me;", "setp.ne.u32 %p2, %me, %me;"
    case(
        "copy_ignore",
        yes,
        no,
        "cp.async.ca.shared.global [%buf], [%in], 4, %p1;",
        "cp.async.ca.shared.global [%buf+4], [%in+4], 4, %p2;",
        "cp.async.cg.shared.global [%buf+16], [%in], 16, %p1;",
        "cp.async.ca.shared.global [%buf+8], [%in+8], 8, !%p1;",
        WAIT_ALL,
        dump(4),
    )
    wild = "mov.u64 %s5, 4096;"
    case("copy_ignore_wild", wild, yes, "cp.async.ca.shared.global [%buf], [%s5], 4, %p1;", WAIT_ALL, dump(1))
    case(
        "copy_zero_wild",
        wild,
        "mov.u32 %r1, 0;",
        "cp.async.cg.shared.global [%buf], [%s5], 16, %r1;",
        WAIT_ALL,
        dump(2),
    )
    case(
        "copy_zero_misaligned",
        "mov.u32 %r1, 0;",
        "cp.async.cg.shared.global [%buf], [%in+1], 16, %r1;",
        WAIT_ALL,
        dump(2),
    )
    case(
        "copy_ignore_misaligned",
        yes,
        "cp.async.cg.shared.global [%buf], [%in+1], 16, %p1;",
        WAIT_ALL,
        dump(2),
    )
    case("copy_wild", wild, "cp.async.ca.shared.global [%buf], [%s5], 4;", WAIT_ALL, dump(1))
    case("copy_wild_no_wait", wild, "cp.async.ca.shared.global [%buf], [%s5], 4;")
    case("copy_outside", "mov.u32 %r1, 0x100000;", "cp.async.ca.shared.global [%r1], [%in], 4;", WAIT_ALL)
    for size in (4, 8, 16):
        for off in (1, 2, 4, 8):
            if off >= size:
                continue
            case(
                "copy_%d_source_%d" % (size, off),
                "cp.async.ca.shared.global [%%buf], [%%in+%d], %d;" % (off, size),
                WAIT_ALL,
            )
            case(
                "copy_%d_destination_%d" % (size, off),
                "cp.async.ca.shared.global [%%buf+%d], [%%in], %d;" % (off, size),
                WAIT_ALL,
            )
    case(
        "copy_hints",
        "createpolicy.fractional.L2::evict_first.b64 %s6, 1.0;",
        "cp.async.ca.shared.global.L2::cache_hint [%buf], [%in], 4, %s6;",
        "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%buf+16], [%in+16], 16, %s6;",
        "cp.async.ca.shared::cta.global.L2::64B [%buf+8], [%in+8], 8;",
        WAIT_ALL,
        dump(4),
    )
    case(
        "groups",
        "cp.async.ca.shared.global [%buf], [%in], 8;",
        "cp.async.commit_group;",
        "cp.async.ca.shared.global [%buf+8], [%in+8], 8;",
        "cp.async.commit_group;",
        "cp.async.wait_group 1;",
        dump(1),
        "cp.async.wait_group 0;",
        dump(1, 1),
        "cp.async.commit_group;",
        "cp.async.wait_group 5;",
    )
    case(
        "lanes_copy",
        "mul.lo.u32 %r1, %me, 8;",
        "add.u32 %r2, %buf, %r1;",
        "cvt.u64.u32 %s5, %r1;",
        "add.u64 %s5, %s5, %in;",
        "and.b32 %r3, %me, 7;",
        "cp.async.ca.shared.global [%r2], [%s5], 8, %r3;",
        WAIT_ALL,
        "ld.shared.b64 %s1, [%r2];",
        "put %s1",
        threads=32,
    )


def copy_arrivals():
    copy = "cp.async.ca.shared.global [%buf], [%in], 8;"
    plain, noinc = ("cp.async.mbarrier.arrive%s.shared.b64 [%%bar];" % k for k in ("", ".noinc"))
    sleep = ["mov.u32 %r5, 1000000;", "nanosleep.u32 %r5;", "word"]
    turn = ["turn:", "mbarrier.test_wait.shared.b64 %p1, [%bar], %s1;", "@!%p1 bra turn;", "word"]
    case("copy_arrive", init(1), copy, plain, state("s1"), turn, dump(1))
    case("copy_arrive_noinc", init(2), copy, noinc, state("s1"), turn, dump(1))
    case("copy_arrive_nothing", init(3), plain, noinc, sleep)
    case("copy_arrive_nothing_last", init(1), noinc, sleep)
    case("copy_arrive_wait", init(3), copy, noinc, WAIT_ALL, sleep)
    case("copy_arrive_last", init(1), copy, noinc, sleep, dump(1))
    case("copy_arrive_inc_1", init(1), copy, plain, WAIT_ALL, sleep, dump(1))
    case("copy_arrive_never_init", copy, noinc, WAIT_ALL, sleep)
    case("copy_arrive_misaligned", init(3), "cp.async.mbarrier.arrive.noinc.shared.b64 [%bar+4];", WAIT_ALL)
    case(
        "copy_arrive_lanes",
        "once " + init(32),
        "bar.sync 0;",
        "mul.lo.u32 %r1, %me, 8;",
        "add.u32 %r2, %buf, %r1;",
        "cvt.u64.u32 %s5, %r1;",
        "add.u64 %s5, %s5, %in;",
        "cp.async.ca.shared.global [%r2], [%s5], 8;",
        noinc,
        "turn:",
        "mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;",
        "@!%p1 bra turn;",
        "xor.b32 %r2, %r1, 248;",
        "add.u32 %r2, %r2, %buf;",
        "ld.shared.b64 %s1, [%r2];",
        "put %s1",
        "once word",
        threads=32,
    )


def pipeline():
    case(
        "producer_consumer",
        "once mbarrier.init.shared.b64 [%bar], 1;",
        "once mbarrier.init.shared.b64 [%bar+8], 1;",
        "bar.sync 0;",
        "setp.lt.u32 %p3, %me, 32;",
        "mov.u32 %r4, 0;",
        "mov.u64 %s7, 0;",
        "@%p3 bra producer;",
        "consume:",
        "and.b32 %r5, %r4, 1;",
        "full:",
        "mbarrier.try_wait.parity.shared.b64 %p1, [%bar], %r5;",
        "@!%p1 bra full;",
        "ld.shared.b64 %s1, [%buf];",
        "mad.lo.u64 %s7, %s7, 31, %s1;",
        "bar.sync 1, 32;",
        "setp.eq.u32 %p2, %me, 32;",
        "@%p2 mbarrier.arrive.shared.b64 %s2, [%bar+8];",
        "add.u32 %r4, %r4, 1;",
        "setp.lt.u32 %p4, %r4, 20;",
        "@%p4 bra consume;",
        "bra done;",
        "producer:",
        "and.b32 %r5, %r4, 1;",
        "xor.b32 %r5, %r5, 1;",
        "empty:",
        "mbarrier.try_wait.parity.shared.b64 %p1, [%bar+8], %r5;",
        "@!%p1 bra empty;",
        "mad.lo.u32 %r6, %r4, 7, 3;",
        "cvt.u64.u32 %s1, %r6;",
        "once st.shared.b64 [%buf], %s1;",
        "bar.sync 2, 32;",
        "once mbarrier.arrive.shared.b64 %s2, [%bar];",
        "add.u32 %r4, %r4, 1;",
        "setp.lt.u32 %p4, %r4, 20;",
        "@%p4 bra producer;",
        "done:",
        "put %s7",
        threads=64,
    )


def fences():
    kinds = (
        "proxy.async proxy.async.shared::cta proxy.async.global "
        "mbarrier_init.release.cluster acq_rel.cta acq_rel.cluster"
    )
    kinds += " sc.gpu acquire.cta release.gpu proxy.alias acquire.sync_restrict::shared::cluster.cluster"
    kinds += " release.sync_restrict::shared::cta.cluster"
    case("fences", ["fence.%s;" % k for k in kinds.split()], "membar.cta;", "put32 %me")


def memory():
    spaces = ("const", "global", "local", "shared", "shared::cta", "shared::cluster", "param")
    case(
        "isspacep",
        ".reg .b64 %a<7>;",
        ".local .align 8 .b8 mine[16];",
        "cvta.shared.u64 %a1, bytes;",
        "cvta.local.u64 %a2, mine;",
        "mov.u64 %a3, %in;",
        "mov.u64 %a4, 0;",
        "cvta.const.u64 %a6, fixed;",
        "cvta.param.u64 %a5, k_in;",
        [["isspacep.%s %%p1, %%a%d;" % (s, k), "pred %p1"] for k in range(1, 7) for s in spaces],
    )
    case(
        "alloca",
        "stacksave.u64 %s1;",
        "alloca.u64 %s2, 64;",
        "alloca.u64 %s5, 10;",
        "alloca.u64 %s6, 100, 128;",
        "and.b64 %s4, %s6, 127;",
        "put %s4",
        "st.local.u32 [%s2], 77;",
        "st.local.u32 [%s5], 79;",
        "st.local.u32 [%s6], 78;",
        [["ld.local.u32 %%r1, [%%s%d];" % i, "put32 %r1"] for i in (2, 5, 6)],
        "stackrestore.u64 %s1;",
        "stacksave.u64 %s4;",
        "sub.u64 %s4, %s4, %s1;",
        "put %s4",
        "alloca.u64 %s7, 64;",
        "sub.u64 %s4, %s7, %s2;",
        "put %s4",
    )
    case(
        "alloca_lanes",
        "mul.lo.u32 %r1, %me, 24;",
        "cvt.u64.u32 %s3, %r1;",
        "add.u64 %s3, %s3, 8;",
        "alloca.u64 %s2, %s3;",
        "alloca.u64 %s5, 8;",
        "st.local.u32 [%s5], %me;",
        "mov.u32 %r2, 0;",
        "fill_one:",
        "cvt.u64.u32 %s6, %r2;",
        "add.u64 %s6, %s6, %s2;",
        "st.local.u32 [%s6], %r2;",
        "add.u32 %r2, %r2, 4;",
        "setp.le.u32 %p1, %r2, %r1;",
        "@%p1 bra fill_one;",
        "ld.local.u32 %r3, [%s5];",
        "put32 %r3",
        "ld.local.u32 %r3, [%s6];",
        "put32 %r3",
        threads=32,
    )
    hints = "prefetch.global.L1 prefetch.global.L2 prefetch.global.L2::evict_last prefetchu.L1 prefetch.L1"
    case(
        "prefetches",
        ["%s [%%in];" % h for h in hints.split()],
        "applypriority.global.L2::evict_normal [%in], 128;",
        "put32 %me",
    )
    case("discard", "discard.global.L2 [%in], 128;", "put32 %me")
    case("discard_misaligned", "discard.global.L2 [%in+8], 128;", "put32 %me")
    case("priority_misaligned", "applypriority.global.L2::evict_normal [%in+8], 128;", "put32 %me")


def policies():
    kinds = ("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged")
    part = "createpolicy.fractional.%s.b64 %%s1%s;"
    case(
        "policy_fractional",
        [[part % (k, f), "put %s1"] for k in kinds for f in ("", ", 0.5", ", 0.0625", ", 0.001", ", 1.0")],
    )
    case(
        "policy_fractional_two",
        [
            [part % (k + "." + other, ", 0.25"), "put %s1"]
            for k in kinds
            for other in ("L2::evict_first", "L2::evict_unchanged")
        ],
    )
    bits = (
        "3D800000 3E000000 3F000000 3F7FFFFF 00000001 3E800001 3EC00000 3D7FFFFF 3DC00000 "
        "3ECCCCCD 3ECCCCCC 3E99999A 3DCCCCCD 3E19999A 3E1FFFFF 3E200000 3E200001 BF800000 "
        "40000000 7FC00000"
    ).split()
    case(
        "policy_fractional_register",
        [["mov.f32 %%f1, 0f%s;" % b, part % ("L2::evict_last", ", %f1"), "put %s1"] for b in bits],
    )
    steps = (
        "0.03125 0.0312 0.0626 0.09375 0.0937 0.1 0.12 0.125 0.13 0.15 0.2 0.25 0.3 0.4 "
        "0.46875 0.6 0.7 0.75 0.8 0.9 0.9375 0.95 0.97 0.99"
    )
    case("policy_fractional_steps", [[part % ("L2::evict_last", ", " + f), "put %s1"] for f in steps.split()])
    case(
        "policy_cvt",
        "createpolicy.cvt.L2.b64 %s1, 0x1234;",
        "put %s1",
        "mov.b64 %s2, 0x123456789abcdef0;",
        "createpolicy.cvt.L2.b64 %s1, %s2;",
        "put %s1",
    )
    sizes = (
        (4096, 8192),
        (128, 1 << 20),
        (1000, 1000),
        (0, 0),
        (1 << 20, 1 << 22),
        (1 << 30, 0xFFFFFFFF),
        (3 << 20, 5 << 20),
    )
    kinds2 = (
        "L2::evict_last",
        "L2::evict_first.L2::evict_unchanged",
        "L2::evict_normal.L2::evict_first",
        "L2::evict_unchanged",
    )
    case(
        "policy_range",
        "mov.u64 %s3, 0x100000000;",
        [
            ["createpolicy.range.global.%s.b64 %%s1, [%%s3], %d, %d;" % (k, p, t), "put %s1"]
            for k in kinds2
            for p, t in sizes
        ],
    )
    case(
        "policy_range_high",
        "mov.u64 %s3, 0x7f1234567890;",
        [
            ["createpolicy.range.global.L2::evict_last.b64 %%s1, [%%s3], %d, %d;" % s, "put %s1"]
            for s in sizes + ((1 << 16, 1 << 17),)
        ],
    )


def others():
    names = (
        "clusterid.x nclusterid.x nclusterid.y cluster_ctaid.x cluster_nctaid.x "
        "cluster_nctaid.z cluster_ctarank cluster_nctarank"
    )
    names += (
        " nwarpid nsmid envreg1 envreg2 envreg31 pm0 pm7 lanemask_lt ntid.w nctaid.w ctaid.w tid.w warpid"
    )
    case(
        "registers",
        [["mov.u32 %%r1, %%%s;" % n, "put32 %r1"] for n in names.split()],
        [["mov.u64 %%s1, %%%s;" % n, "put %s1"] for n in ("current_graph_exec", "pm0_64")],
        "mov.pred %p1, %is_explicit_cluster;",
        "pred %p1",
    )
    names = (
        "clusterid.x nclusterid.x clusterid.y nclusterid.y cluster_ctaid.x "
        "cluster_nctaid.x cluster_ctarank cluster_nctarank"
    )
    case("clusters", [["mov.u32 %%r1, %%%s;" % n, "put32 %r1"] for n in names.split()], threads=2, blocks=5)
    case(
        "vector_registers",
        "mov.v4.u32 {%r1, %r2, %r3, %r4}, %nctaid;",
        [["put32 %%r%d" % i] for i in (1, 2, 3, 4)],
        blocks=3,
    )
    case(
        "elect",
        "elect.sync %r1|%p1, 0xffffffff;",
        "put32 %r1",
        "pred %p1",
        "setp.gt.u32 %p2, %me, 4;",
        "mov.u32 %r2, 77;",
        "@%p2 elect.sync %r2|%p3, 0xffffffe0;",
        "put32 %r2",
        threads=32,
    )
    case("grid_control", "griddepcontrol.launch_dependents;", "griddepcontrol.wait;", "put32 %me")


def registers():
    env = ["envreg%d" % i for i in range(32)]
    case("registers_env", [["mov.b32 %%r1, %%%s;" % n, "put32 %r1"] for n in env])
    case(
        "registers_pm",
        [["mov.u32 %%r1, %%pm%d;" % i, "put32 %r1"] for i in range(8)],
        [["mov.u64 %%s1, %%pm%d_64;" % i, "put %s1"] for i in range(8)],
        [
            ["mov.b32 %%r1, %%reserved_smem_offset_%s;" % n, "put32 %r1"]
            for n in ("begin", "end", "cap", "0", "1")
        ],
    )
    names = "clusterid nclusterid cluster_ctaid cluster_nctaid tid ntid ctaid nctaid"
    for blocks in (1, 6):
        case(
            "registers_v4_%d" % blocks,
            [
                ["mov.v4.u32 {%%r1, %%r2, %%r3, %%r4}, %%%s;" % n, ["put32 %%r%d" % i for i in (1, 2, 3, 4)]]
                for n in names.split()
            ],
            threads=3,
            blocks=blocks,
        )
    case(
        "registers_clock",
        "mov.u64 %s1, %clock64;",
        "mov.u32 %r1, %clock;",
        "mov.u32 %r2, %clock_hi;",
        "mov.u64 %s3, %globaltimer;",
        "mov.u32 %r3, %globaltimer_lo;",
        "mov.u32 %r4, %globaltimer_hi;",
        "nanosleep.u32 2000000;",
        "mov.u64 %s2, %clock64;",
        "mov.u64 %s4, %globaltimer;",
        "setp.gt.u64 %p1, %s2, %s1;",
        "pred %p1",
        "setp.gt.u64 %p1, %s4, %s3;",
        "pred %p1",
        "mov.b64 %s5, {%r1, %r2};",
        "setp.ge.u64 %p1, %s5, %s1;",
        "pred %p1",
        "setp.le.u64 %p1, %s5, %s2;",
        "pred %p1",
        "mov.b64 %s6, {%r3, %r4};",
        "setp.ge.u64 %p1, %s6, %s3;",
        "pred %p1",
        "setp.le.u64 %p1, %s6, %s4;",
        "pred %p1",
    )


def one_cluster():
    meet = "barrier.cluster.arrive%s;", "barrier.cluster.wait%s;"
    for name, how in (("", ("", "")), ("_aligned", (".aligned", ".aligned")), ("_relaxed", (".relaxed", ""))):
        case(
            "cluster_barrier" + name,
            "add.u32 %r1, %me, 1;",
            "rem.u32 %r1, %r1, 96;",
            "mad.lo.u32 %r2, %me, 4, %buf;",
            "mad.lo.u32 %r3, %r1, 4, %buf;",
            [
                [
                    "ld.shared.u32 %r4, [%r3];",
                    ["fence.acq_rel.cluster;"] if how[0] == ".relaxed" else [],
                    meet[0] % how[0],
                    meet[1] % how[1],
                    "add.u32 %r4, %r4, %me;",
                    "st.shared.u32 [%r2], %r4;",
                    ["fence.acq_rel.cluster;"] if how[0] == ".relaxed" else [],
                    meet[0] % how[0],
                    meet[1] % how[1],
                ]
                for _ in range(3)
            ],
            "ld.shared.u32 %r4, [%r3];",
            "put32 %r4",
            threads=96,
        )
    case("cluster_wait_alone", meet[1] % "", "put32 %me", threads=32)
    case("cluster_arrive_twice", meet[0] % "", meet[0] % "", meet[1] % "", "put32 %me", threads=32)
    case("cluster_wait_twice", meet[0] % "", meet[1] % "", meet[1] % "", "put32 %me", threads=32)
    case(
        "cluster_exit",
        "setp.gt.u32 %p1, %me, 9;",
        "@%p1 exit;",
        meet[0] % "",
        meet[1] % "",
        "put32 %me",
        threads=64,
    )
    case(
        "cluster_split",
        "setp.gt.u32 %p1, %me, 40;",
        "@%p1 bra other;",
        "st.shared.u32 [%buf], 77;",
        meet[0] % "",
        meet[1] % "",
        "bra join;",
        "other: barrier.cluster.arrive;",
        meet[1] % "",
        "ld.shared.u32 %r1, [%buf];",
        "join: bar.sync 0;",
        "put32 %me",
        threads=64,
    )
    less = ["sub.u32 %r1, %r1, %bar;", "put32 %r1"]
    less64 = ["sub.u64 %s2, %s2, %s1;", "put %s2"]
    case("mapa", [["mapa.shared::cluster.u32 %%r1, %%bar, %d;" % r, less] for r in (0,)])
    case("mapa_64", "mov.u64 %s1, bars;", "cvta.shared.u64 %s1, %s1;", "mapa.u64 %s2, %s1, 0;", less64)
    case(
        "mapa_high",
        [["mapa.shared::cluster.u32 %%r1, %%bar, %d;" % r, less] for r in (1, 2, 7, 16, 255, 256)],
    )
    case(
        "mapa_64_high",
        "mov.u64 %s1, bars;",
        "cvta.shared.u64 %s1, %s1;",
        [["mapa.u64 %%s2, %%s1, %d;" % r, less64] for r in (1, 2, 7, 256)],
    )
    case("rank", "getctarank.shared::cluster.u32 %r1, %bar;", "put32 %r1")
    case("rank_blocks", "getctarank.shared::cluster.u32 %r1, %bar;", "put32 %r1", threads=1, blocks=4)
    case(
        "rank_64", "mov.u64 %s1, bars;", "cvta.shared.u64 %s1, %s1;", "getctarank.u64 %r1, %s1;", "put32 %r1"
    )
    case(
        "rank_mapped",
        [
            [
                "mapa.shared::cluster.u32 %%r1, %%bar, %d;" % r,
                "getctarank.shared::cluster.u32 %r1, %r1;",
                "put32 %r1",
            ]
            for r in (0, 1, 3)
        ],
    )
    touch = "mapa.shared::cluster.u32 %%r1, %%buf, %d;", "st.shared::cluster.u32 [%r1+8], 1234;"
    case("mapped_store", touch[0] % 0, touch[1], dump(3))
    case("mapped_store_1", touch[0] % 1, touch[1], dump(3))
    case("mapped_load_1", touch[0] % 1, "ld.shared::cluster.u32 %r2, [%r1];", "put32 %r2")
    case("mapped_atom", touch[0] % 0, "atom.shared::cluster.add.u32 %r2, [%r1], 1;", "put32 %r2", dump(1))
    store_async()
    red_async()


DONE = "mbarrier::complete_tx::bytes"


def until(bit):
    return ["mbarrier.try_wait.parity.shared.b64 %%p1, [%%bar], %d;" % bit, "pred %p1"]


def store_async():
    st = "st.async%s.shared::cluster." + DONE + "%s [%%buf+%d], %s, [%%bar];"
    values = (
        "mov.u32 %r1, 0x11223344;",
        "mov.u32 %r2, 0x55667788;",
        "mov.u32 %r3, 0x99aabbcc;",
        "mov.u32 %r4, -2;",
    )
    values += "mov.u64 %s1, 0x0102030405060708;", "mov.u64 %s2, -5;", "mov.f32 %f1, 0f3F800000;"
    forms = [
        (".b32", "%r1", 4, 4),
        (".u32", "%r2", 4, 8),
        (".s32", "%r4", 4, 12),
        (".f32", "%f1", 4, 16),
        (".b64", "%s1", 8, 24),
        (".u64", "%s2", 8, 32),
        (".s64", "%s2", 8, 40),
        (".v2.b32", "{%r1, %r2}", 8, 48),
        (".v2.u64", "{%s1, %s2}", 16, 64),
        (".v4.b32", "{%r1, %r2, %r3, %r4}", 16, 80),
        (".v4.f32", "{%f1, %f1, %f1, %f1}", 16, 96),
    ]
    for weak in ("", ".weak"):
        case(
            "store_async" + weak.replace(".", "_"),
            init(1),
            values,
            arrive_expect(sum(f[2] for f in forms)),
            [st % (weak, f[0], f[3], f[1]) for f in forms],
            until(0),
            "word",
            dump(15),
        )
    for name, form, at in (("4", ".b32", 2), ("8", ".b64", 4), ("16", ".v4.b32", 8)):
        value = {".b32": "%r1", ".b64": "%s1", ".v4.b32": "{%r1, %r2, %r3, %r4}"}[form]
        case(
            "store_async_misaligned_" + name,
            init(1),
            values,
            expect(16),
            st % ("", form, at, value),
            arrive(),
            until(0),
        )
    case(
        "store_async_outside",
        init(1),
        values,
        expect(4),
        "add.u32 %buf, %buf, 0x100000;",
        st % ("", ".b32", 0, "%r1"),
        arrive(),
        until(0),
    )
    case("store_async_never_init", values, st % ("", ".b32", 0, "%r1"), dump(1))
    case(
        "store_async_more",
        init(1),
        values,
        expect(4),
        st % ("", ".b64", 0, "%s1"),
        arrive(),
        "word",
        complete(4),
        "word",
    )
    case(
        "store_async_lanes",
        "setp.eq.u32 %p2, %me, 0;",
        "@%p2 mbarrier.init.shared.b64 [%bar], 1;",
        "bar.sync 0;",
        "@%p2 mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 128;",
        "bar.sync 0;",
        "mad.lo.u32 %r5, %me, 4, %buf;",
        "st.async.shared::cluster." + DONE + ".u32 [%r5], %me, [%bar];",
        until(0),
        "ld.shared.u32 %r6, [%r5];",
        "put32 %r6",
        threads=32,
    )


def red_async():
    red = "red.async.relaxed.cluster.shared::cluster." + DONE + "%s [%%buf+%d], %s, [%%bar];"
    forms = [("." + form, "%r1") for form in "inc.u32 dec.u32 min.u32 max.u32 add.u32".split()]
    forms += [("." + form, "%r2") for form in "min.s32 max.s32 add.s32".split()]
    forms += [("." + form, "%r1") for form in "and.b32 or.b32 xor.b32".split()]
    forms += [(".inc.u32", "%r3"), (".dec.u32", "%r4")]
    values = (
        "mov.u32 %r1, 0x11223344;",
        "mov.u32 %r2, 0xfff00000;",
        "mov.u32 %r3, 0x7fffffff;",
        "mov.u32 %r4, 0x60000000;",
    )
    values += ("mov.u64 %s1, 0xfedcba9876543210;",)
    case(
        "red_async",
        init(1),
        values,
        arrive_expect(4 * len(forms) + 8),
        [red % (f[0], 4 * i, f[1]) for i, f in enumerate(forms)],
        red % (".add.u64", 64, "%s1"),
        until(0),
        "word",
        dump(10),
    )
    case(
        "red_async_lanes",
        "setp.eq.u32 %p2, %me, 0;",
        "@%p2 mbarrier.init.shared.b64 [%bar], 1;",
        "bar.sync 0;",
        "@%p2 mbarrier.arrive.expect_tx.shared.b64 %s9, [%bar], 128;",
        "bar.sync 0;",
        red % (".add.u32", 0, "%me"),
        until(0),
        "ld.shared.u32 %r6, [%buf];",
        "put32 %r6",
        threads=32,
    )
    case("red_async_misaligned", init(1), values, expect(4), red % (".add.u32", 2, "%r1"), arrive(), until(0))
    case("red_async_never_init", values, red % (".add.u32", 0, "%r1"), dump(1))


def wmma_sat():
    tops = ("0x7bff7bff", "0xfbfffbff", "0x7e007e00", "0x7c007c00", "0xfc00fc00", "0x3c003c00", "0x00010001")
    for ctype in ("f16", "f32"):
        for dtype in ("f16", "f32"):
            for sat in (".satfinite", ""):
                d = (
                    "{%s}" % ", ".join("%%r%d" % i for i in range(4))
                    if dtype == "f16"
                    else "{%s}" % ", ".join("%%f%d" % i for i in range(8))
                )
                c = "{%s}" % ", ".join(["%r9"] * 4) if ctype == "f16" else "{%s}" % ", ".join(["%f9"] * 8)
                case(
                    "wmma_%s_%s%s" % (dtype, ctype, sat.replace(".", "_")),
                    "header 6.4 sm_75",
                    [
                        [
                            "mov.b32 %%r10, %s;" % top,
                            "mov.b32 %r11, 0x40004000;",
                            "mov.b32 %%r9, %s;" % ("0x3c003c00" if top != "0x3c003c00" else "0xfc007c00"),
                            "mov.f32 %%f9, %s;" % ("0f3F800000" if top != "0x3c003c00" else "0fFF800000"),
                            "wmma.mma.sync.aligned.row.col.m16n16k16.%s.%s%s %s, {%s}, {%s}, %s;"
                            % (dtype, ctype, sat, d, ", ".join(["%r10"] * 8), ", ".join(["%r11"] * 8), c),
                            ["mov.b32 %%r%d, %%f%d;" % (i, i) for i in range(2)] if dtype == "f32" else [],
                            "put32 %r0",
                            "put32 %r1",
                        ]
                        for top in tops
                    ],
                    threads=32,
                )


def main():
    print("# Made by cases.py: what is asked of the chip; kernel.h has the notation.")
    for family in (
        barriers,
        waits,
        misuse,
        lanes,
        copies,
        copy_arrivals,
        pipeline,
        fences,
        memory,
        policies,
        others,
        registers,
        one_cluster,
        wmma_sat,
    ):
        family()


if __name__ == "__main__":
    main()
