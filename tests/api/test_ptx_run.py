#!/usr/bin/env python3
"""ptx_run through ctypes, on host arrays, as an emulator's users call it: right results, failures that are
kept, many
threads and many processes at once.

args[i] is the 64-bit value of parameter i itself: a pointer for a buffer, and for a float the bits of the
float.
"""
import ctypes
import math
import mmap
import os
import resource
import struct
import subprocess
import sys
import threading

LIBRARY = os.environ.get("PTXVM_LIBRARY", "build/lib/libptxvm.so")

SAXPY = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<6>;
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [a];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p, %r5, %r1;
    @%p ret;
    mul.wide.s32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    ld.global.f32 %f3, [%rd5];
    fma.rn.f32 %f3, %f1, %f2, %f3;
    st.global.f32 [%rd5], %f3;
    ret;
}
.visible .entry second() { trap; }
"""

# Reverses a block of bytes through dynamic shared memory; uses all three dimensions.
REVERSE = b"""
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 4 .b8 tile[];
.visible .entry reverse(.param .u64 data)
{
    .reg .b32 %r<12>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %tid.z;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %ntid.y;
    mov.u32 %r6, %ntid.z;
    mad.lo.u32 %r7, %r3, %r5, %r2;
    mad.lo.u32 %r7, %r7, %r4, %r1;
    mul.lo.u32 %r8, %r4, %r5;
    mul.lo.u32 %r8, %r8, %r6;
    mov.u32 %r9, %ctaid.y;
    mad.lo.u32 %r10, %r9, %r8, %r7;
    mul.wide.u32 %rd2, %r10, 4;
    add.s64 %rd2, %rd1, %rd2;
    ld.global.u32 %r11, [%rd2];
    mov.u32 %r9, tile;
    shl.b32 %r10, %r7, 2;
    add.u32 %r10, %r9, %r10;
    st.shared.u32 [%r10], %r11;
    bar.sync 0;
    sub.u32 %r10, %r8, %r7;
    shl.b32 %r10, %r10, 2;
    add.u32 %r10, %r9, %r10;
    ld.shared.u32 %r11, [%r10+-4];
    st.global.u32 [%rd2], %r11;
    ret;
}
"""


def load():
    library = ctypes.CDLL(LIBRARY)
    library.ptx_run.restype = None
    library.ptx_run.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)] + [
        ctypes.c_int
    ] * 7
    library.ptx_run_status.restype = ctypes.c_int
    library.ptx_run_status.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return library


def run(library, text, values, block, grid, shared=0):
    """The status of a ptx_run with these 64-bit parameter values."""
    args = (ctypes.c_void_p * len(values))(*values)
    library.ptx_run(text, len(values), args, *block, *grid, shared)
    return library.ptx_run_status(None, 0)


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def saxpy(library, n, a):
    x = (ctypes.c_float * n)(*[i % 1000 for i in range(n)])
    y = (ctypes.c_float * n)(*[1.0] * n)
    status = run(
        library,
        SAXPY,
        [n, float_bits(a), ctypes.addressof(x), ctypes.addressof(y)],
        (64, 1, 1),
        ((n + 63) // 64, 1, 1),
    )
    assert status == 0, status
    for i in range(n):
        assert y[i] == a * (i % 1000) + 1.0, (i, y[i])


def is_sanitized():
    with open(LIBRARY, "rb") as file:
        library = file.read()
    return b"__asan_init" in library or b"__tsan_init" in library


def test_results(library):
    saxpy(library, 1, 2.0)
    saxpy(library, 1000, 2.0)
    saxpy(library, 1000, -0.5)


def test_shape_and_shared(library):
    data = (ctypes.c_uint32 * 120)(*range(120))
    assert run(library, REVERSE, [ctypes.addressof(data)], (3, 4, 5), (1, 2, 1), 240) == 0
    assert list(data) == list(range(59, -1, -1)) + list(range(119, 59, -1))


def test_failures_are_kept(library):
    message = ctypes.create_string_buffer(400)
    assert run(library, b"this is no PTX", [], (1, 1, 1), (1, 1, 1)) == 3
    assert library.ptx_run_status(message, len(message)) == 3
    assert message.value
    short = ctypes.create_string_buffer(b"#" * 7, 8)
    assert library.ptx_run_status(short, 5) == 3
    assert len(short.value) == 4 and message.value.startswith(short.value)
    body = SAXPY[SAXPY.index(b".visible .entry second") :].replace(b"second", b"only")
    header = b".version 7.0\n.target sm_70\n.address_size 64\n"
    assert run(library, header + body, [], (1, 1, 1), (1, 1, 1)) == 7
    saxpy(library, 100, 3.0)
    assert library.ptx_run_status(message, len(message)) == 0


def test_status_belongs_to_a_thread(library):
    assert run(library, b"bad", [], (1, 1, 1), (1, 1, 1)) == 3
    seen = []
    thread = threading.Thread(
        target=lambda: (saxpy(library, 10, 1.0), seen.append(library.ptx_run_status(None, 0)))
    )
    thread.start()
    thread.join()
    assert seen == [0]
    assert library.ptx_run_status(None, 0) == 3


def test_many_threads(library):
    failures = []

    def work(index):
        try:
            for i in range(20):
                saxpy(library, 200 + index, float(i))
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_many_processes(library):
    children = [
        subprocess.Popen([sys.executable, __file__, "child"], env=dict(os.environ, PTXVM_THREADS=str(n)))
        for n in (1, 2, 8, 1, 2, 8)
    ]
    assert [child.wait() for child in children] == [0] * len(children)


def test_workers_do_not_matter(library):
    text = "import sys; sys.argv = ['x', 'child']; exec(open(%r).read())" % os.path.abspath(__file__)
    for workers in ("1", "3", "16", "nonsense"):
        done = subprocess.run([sys.executable, "-c", text], env=dict(os.environ, PTXVM_THREADS=workers))
        assert done.returncode == 0


LOG2 = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry log2(.param .u64 data)
{
    .reg .b32 %r;
    .reg .f32 %f<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r, %tid.x;
    mul.wide.u32 %rd2, %r, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    lg2.approx.f32 %f2, %f1;
    st.global.f32 [%rd3], %f2;
    ret;
}
"""


def log2_differences(library, approx):
    """How many of 256 logarithms are not the correctly rounded ones (none of these lies near a tie)."""
    os.environ["PTXVM_APPROX"] = approx
    values = [1.0 + i / 100 for i in range(1, 257)]
    data = (ctypes.c_float * 256)(*values)
    exact = [ctypes.c_float(math.log2(value)).value for value in data]
    assert run(library, LOG2, [ctypes.addressof(data)], (256, 1, 1), (1, 1, 1)) == 0
    del os.environ["PTXVM_APPROX"]
    return sum(1 for got, want in zip(data, exact) if got != want)


def test_approx(library):
    assert log2_differences(library, "exact") == 0
    assert log2_differences(library, "chip") > 0
    assert log2_differences(library, "exact") == 0


# A warp shuffles with a mask that names nobody.
NOBODY = b"""
.version 8.0
.target sm_70
.address_size 64
.visible .entry nobody(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shfl.sync.up.b32 %r2, %r1, 1, 0, 0;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
"""


def test_ub(library):
    """A chip ignores the mask (tests/hw/golden/undefined.tsv, shfl.up): the neighbour's."""
    out, message = (ctypes.c_uint32 * 32)(), ctypes.create_string_buffer(400)
    for value, status in (("fault", 4), ("chip", 0), ("", 4)):
        os.environ["PTXVM_UB"] = value
        got = run(library, NOBODY, [ctypes.addressof(out)], (32, 1, 1), (1, 1, 1))
        library.ptx_run_status(message, len(message))
        assert (got == 0) == (status == 0), (value, got, message.value)
        assert (b"--ub=chip" in message.value) == (status != 0), message.value
    assert list(out) == [0] + list(range(31)), list(out)
    del os.environ["PTXVM_UB"]


def test_wrong_settings_are_told(library):
    message = ctypes.create_string_buffer(400)
    for name, value in (
        ("PTXVM_APPROX", "exakt"),
        ("PTXVM_UB", "undefined"),
        ("PTXVM_FMAD", "maybe"),
        ("PTXVM_ASYNC", "soon"),
        ("PTXVM_ASYNC", "random:"),
        ("PTXVM_ASYNC", "random:4294967296"),
        ("PTXVM_CACHE_BYTES", "12Q"),
        ("PTXVM_CACHE_BYTES", "-1"),
    ):
        os.environ[name] = value
        assert run(library, SAXPY, [0, 0, 0, 0], (1, 1, 1), (1, 1, 1)) == 1, (name, value)
        library.ptx_run_status(message, len(message))
        assert name.encode() in message.value and value.encode() in message.value
        del os.environ[name]


# Counts bytes: how often each, how many there are, and their sum.
COUNT = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 in, .param .u64 bins, .param .u32 n, .param .u64 totals)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [bins];
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd3, [totals];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p ret;
    cvt.u64.u32 %rd4, %r5;
    add.s64 %rd5, %rd1, %rd4;
    ld.global.u8 %r6, [%rd5];
    mul.wide.u32 %rd6, %r6, 4;
    add.s64 %rd7, %rd2, %rd6;
    red.global.add.u32 [%rd7], 1;
    add.u32 %r7, %r5, 1;
    red.global.max.u32 [%rd3], %r7;
    cvt.u64.u32 %rd8, %r6;
    red.global.add.u64 [%rd3+8], %rd8;
    ret;
}
"""

# Every thread adds to its word, reads it, adds again and takes it; what it read goes beside.
OWN = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry own(.param .u64 words, .param .u64 seen)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words];
    ld.param.u64 %rd2, [seen];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    mul.wide.u32 %rd3, %r1, 8;
    add.s64 %rd2, %rd2, %rd3;
    red.global.add.u32 [%rd1], 5;
    ld.global.u32 %r2, [%rd1];
    st.global.u32 [%rd2], %r2;
    red.global.add.u32 [%rd1], 7;
    atom.global.exch.b32 %r3, [%rd1], 1;
    st.global.u32 [%rd2+4], %r3;
    ret;
}
"""

# Every thread counts itself; those of the first n words add them up.
FIRST = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry first(.param .u64 in, .param .u32 n, .param .u64 totals)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [in];
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd2, [totals];
    red.global.add.u32 [%rd2], 1;
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p bra done;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd3, %rd1, %rd3;
    ld.global.u32 %r3, [%rd3];
    red.global.add.u32 [%rd2+4], %r3;
done:
    ret;
}
"""

PAGE = 4096


def pages(n):
    """The address of n pages of memory, the last of which nobody may touch, and what keeps them."""
    libc = ctypes.CDLL(None, use_errno=True)
    block = mmap.mmap(-1, (n + 1) * PAGE)
    at = ctypes.addressof(ctypes.c_char.from_buffer(block))
    assert libc.mprotect(ctypes.c_void_p(at + n * PAGE), ctypes.c_size_t(PAGE), 0) == 0
    return at, block


def words_at(address, n, kind=ctypes.c_uint32):
    return (kind * n).from_address(address)


def count(library, data, n, bins, totals, blocks=None):
    grid = (blocks or (n + 127) // 128, 1, 1)
    return run(library, COUNT, [data, bins, n, totals], (128, 1, 1), grid)


def test_reductions_of_many_calls(library):
    """Calls that count into one buffer at once: no count is lost."""
    n, threads, calls, results = 20000, 8, 12, []
    data = (ctypes.c_uint8 * n)(*[(i * i + 7 * i) % 256 for i in range(n)])
    bins, totals = (ctypes.c_uint32 * 256)(), (ctypes.c_uint64 * 2)()

    def work():
        for _ in range(calls):
            where = ctypes.addressof(data), n, ctypes.addressof(bins), ctypes.addressof(totals)
            results.append(count(library, *where))

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [0] * threads * calls
    once = [0] * 256
    for byte in data:
        once[byte] += 1
    assert list(bins) == [threads * calls * times for times in once]
    assert list(totals) == [n, threads * calls * sum(data)]


def test_reductions_beside_their_data(library):
    """Everything in one page, and the data at its end: nothing behind it may be read."""
    at, block = pages(1)
    for n in (1, 5, 31, 33, 200, 1000):
        data, bins, totals = words_at(at + PAGE - n, n, ctypes.c_uint8), words_at(at, 256), at + 1024
        ctypes.memset(at, 0, PAGE)
        for i in range(n):
            data[i] = (i * 37) % 251
        assert count(library, at + PAGE - n, n, at, totals, 8) == 0
        assert sum(bins) == n and all(bins[b] == list(data).count(b) for b in range(256))
        assert list(words_at(totals, 2, ctypes.c_uint64)) == [n, sum(data)]
    del block


def test_reductions_near_the_end_of_memory(library):
    """Words and totals each at the end of what may be touched: few lanes read words, and none behind them."""
    for first in (0, 1):
        for n in (1, 7, 40, 77):
            places = [pages(1), pages(3)]
            (low, keep), (high, keep_too) = places[first], places[1 - first]
            words_end, totals = low + (3 if first else 1) * PAGE, high + (1 if first else 3) * PAGE - 8
            data = words_at(words_end - 4 * n, n)
            for i in range(n):
                data[i] = i + 1
            assert run(library, FIRST, [words_end - 4 * n, n, totals], (128, 1, 1), (1, 1, 1)) == 0
            assert list(words_at(totals, 2)) == [128, n * (n + 1) // 2]
            del keep, keep_too


def test_reductions_and_their_own_order(library):
    """A thread sees what it added, whatever waits beside it in the page."""
    at, block = pages(1)
    assert run(library, OWN, [at, at + 1024], (128, 1, 1), (1, 1, 1)) == 0
    assert list(words_at(at, 128)) == [1] * 128
    assert list(words_at(at + 1024, 256)) == [5, 12] * 128
    del block


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def distinct_text(index):
    """A text of its own that stores `index`, and is large enough to count."""
    filler = b"".join(
        b"    add.u32 %%r1, %%r1, %d;\n    sub.u32 %%r1, %%r1, %d;\n" % (i, i) for i in range(1000)
    )
    return (
        b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        b"    .reg .b32 %r<3>;\n    .reg .b64 %rd;\n    ld.param.u64 %rd, [out];\n    mov.u32 %r1, 0;\n"
        + filler
        + b"    add.u32 %%r1, %%r1, %d;\n    st.global.u32 [%%rd], %%r1;\n    ret;\n}\n" % index
    )


def growth(library, first, count):
    """How much more memory is resident after `count` texts, each of them run once."""
    before = resident()
    for index in range(first, first + count):
        out = ctypes.c_uint32(0)
        assert run(library, distinct_text(index), [ctypes.addressof(out)], (1, 1, 1), (1, 1, 1)) == 0
        assert out.value == index
    return resident() - before


def test_cache_is_capped(library):
    if is_sanitized():
        return  # what is freed stays in a sanitizer's quarantine
    os.environ["PTXVM_CACHE_BYTES"] = "4M"
    growth(library, 0, 5)
    capped = growth(library, 100, 80)
    os.environ["PTXVM_CACHE_BYTES"] = "10G"
    free = growth(library, 1000, 80)
    assert free > 40 << 20, free
    assert capped < 12 << 20, (capped, free)
    os.environ["PTXVM_CACHE_BYTES"] = "0"
    saxpy(library, 100, 2.0)
    saxpy(library, 100, 2.0)
    test_many_threads(library)
    del os.environ["PTXVM_CACHE_BYTES"]


def test_address_space_is_not_reserved(_library):
    if is_sanitized():
        return  # a sanitizer's shadow needs more than the limit

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    done = subprocess.run(
        [sys.executable, __file__, "child"], env=dict(os.environ, PTXVM_THREADS="2"), preexec_fn=limit
    )
    assert done.returncode == 0


def main():
    library = load()
    if sys.argv[1:] == ["child"]:
        saxpy(library, 5000, 0.25)
        return
    tests = [(name, test) for name, test in sorted(globals().items()) if name.startswith("test_")]
    for name, test in tests:
        test(library)
    print("%d passed, 0 failed" % len(tests))


if __name__ == "__main__":
    main()
