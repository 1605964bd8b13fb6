#!/usr/bin/env python3
"""Random loops that compute, with and without regions (docs/regions.md): the same bytes, and each line
executed as often. Loops are counted for all or for each lane; lanes go different ways, leave early and to
different places, and come back; values are live where they left, shared or not, wide or not.

Usage: test_loops.py [--count N] [--seed N] [--keep FOLDER] [PTXVM]
Fails, too, when few of the kernels entered a region, or few did so with lanes that part."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build"))
THREADS = 700
WORDS = (
    "add.s32 sub.s32 mul.lo.s32 xor.b32 and.b32 or.b32 min.s32 max.u32 mad.lo.s32 shl.b32 shr.u32 shr.s32 "
    "not.b32 selp.b32 mov.u32 clz.b32 cvt"
).split()
DOUBLES = (
    "add.s64 sub.s64 mul.lo.s64 xor.b64 and.b64 shl.b64 shr.u64 shr.s64 mul.wide.s32 mul.wide.u32 "
    "mad.wide.s32 cvt.s64.s32 cvt.u64.u32 min.s64 selp.b64"
).split()
WITHOUT = ["--engine", "no-regions"]
PLAIN = ["--engine", "no-uniform,no-terms,no-loops,no-forks"]
FLOATS = (
    "add.rn.f32 sub.rn.f32 mul.rn.f32 fma.rn.f32 fma.rn.f32 cvt.rn.f32.s32 cvt.rn.f32.u32 mov.b32 mov.f32"
).split()

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n, .param .u32 x, .param .f32 y)
{
.reg .pred %p<12>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<20>; .reg .b32 %u<8>;
ld.param.u64 %d10, [out]; ld.param.u32 %r30, [n]; ld.param.u32 %r31, [x]; ld.param.f32 %f15, [y];
mov.u32 %r32, %ctaid.x; mov.u32 %r33, %ntid.x; mov.u32 %r34, %tid.x; mad.lo.s32 %r35, %r32, %r33, %r34;
"""


class Kernel:
    def __init__(self, seed):
        self.random = r = random.Random(seed)
        self.lines = []
        self.labels = 0
        self.words = r.randint(2, 7)
        self.floats = r.randint(0, 4)
        self.wide = r.randint(1, 3) if r.random() < 0.4 else 0
        self.parts = r.random() < 0.7
        self.block = r.choice([256, 256, 128, 100, 33, 64, 200])
        self.loops = r.randint(1, 2)

    def add(self, text):
        self.lines.append(text)

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def word(self):
        return f"%r{self.random.randrange(self.words)}"

    def double(self):
        return f"%d{self.random.randrange(self.wide)}"

    def number(self):
        r = self.random
        return str(r.choice([0, 1, 2, 7, 31, 33, -1, -5, 0x7FFFFFFF, r.randrange(-(2**31), 2**31)]))

    def source(self):
        r = self.random
        return r.choice([self.word(), self.word(), self.word(), self.number(), "%r31", "%u0"])

    def predicate(self):
        return f"%p{self.random.randrange(4)}"

    def guard(self):
        r = self.random
        return f"@{r.choice(['', '!'])}{self.predicate()} " if r.random() < 0.15 else ""

    def compute_word(self):
        r = self.random
        op = r.choice(WORDS)
        if op == "mad.lo.s32":
            return f"{op} {self.word()}, {self.source()}, {self.source()}, {self.source()};"
        if op in ("not.b32", "clz.b32", "mov.u32"):
            return f"{op} {self.word()}, {self.word()};"
        if op == "selp.b32":
            return f"{op} {self.word()}, {self.source()}, {self.word()}, {self.predicate()};"
        if op == "cvt":
            if not self.wide:
                return f"mov.u32 {self.word()}, %r31;"
            return f"cvt.u32.u64 {self.word()}, {self.double()};"
        return f"{op} {self.word()}, {self.source()}, {self.source()};"

    def compute_double(self):
        r = self.random
        op = r.choice(DOUBLES)
        d, a = self.double(), self.double()
        if "wide" in op:
            return f"{op} {d}, {self.word()}, {self.source()}" + (f", {a};" if op[:3] == "mad" else ";")
        if op[:3] == "cvt":
            return f"{op} {d}, {self.word()};"
        if op[:2] == "sh":
            return f"{op} {d}, {a}, {r.choice([self.word(), '1', '33', '64'])};"
        if op == "selp.b64":
            return f"{op} {d}, {a}, {self.double()}, {self.predicate()};"
        return f"{op} {d}, {a}, {r.choice([self.double(), self.number()])};"

    def compute_float(self):
        r = self.random
        f = lambda: f"%f{r.randrange(self.floats)}"
        s = lambda: r.choice([f(), f(), "%f15", "0f3F7FBE77", "0fBF000000", "0f7F800000", "0f00000001"])
        op = r.choice(FLOATS)
        if op == "fma.rn.f32":
            return f"{op} {f()}, {s()}, {s()}, {s()};"
        if op[:3] == "cvt":
            return f"{op} {f()}, {self.word()};"
        if op == "mov.b32":
            return f"{op} {self.word()}, {f()};"
        if op == "mov.f32":
            return f"{op} {f()}, {f()};"
        return f"{op} {f()}, {s()}, {s()};"

    def compare(self):
        r = self.random
        p, k = self.predicate(), r.random()
        if k < 0.2:
            op = r.choice(["and", "or", "xor", "not"])
            return f"{op}.pred {p}, {self.predicate()}{', ' + self.predicate() if op != 'not' else ''};"
        if self.floats and k < 0.45:
            op = r.choice("eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split())
            return f"setp.{op}.f32 {p}, %f{r.randrange(self.floats)}, %f{r.randrange(self.floats)};"
        if self.wide and k < 0.6:
            op = r.choice(["eq", "ne", "lt", "ge"])
            return f"setp.{op}.s64 {p}, {self.double()}, {self.double()};"
        op = r.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        return f"setp.{op}.{r.choice(['s32', 'u32'])} {p}, {self.word()}, {self.source()};"

    def compute(self):
        k = self.random.random()
        if self.floats and k < 0.3:
            text = self.compute_float()
        elif self.wide and k < 0.5:
            text = self.compute_double()
        elif k < 0.65:
            return self.add(self.compare())
        else:
            text = self.compute_word()
        self.add(self.guard() + text)

    def branch(self):
        """A test that is rarely one-sided."""
        self.add(f"and.b32 %r20, {self.word()}, {self.random.choice([1, 3, 7])};")
        p = self.predicate()
        self.add(f"setp.{self.random.choice(['eq', 'ne'])}.s32 {p}, %r20, {self.random.choice([0, 1])};")
        return p

    def fork(self, depth, out):
        r = self.random
        p, other, join = self.branch(), self.label(), self.label()
        self.add(f"@{r.choice(['', '!'])}{p} bra {other};")
        self.body(r.randint(1, 3), depth + 1, out)
        if r.random() < 0.6:
            self.add(f"bra {join};")
            self.add(f"{other}:")
            self.body(r.randint(1, 3), depth + 1, out)
            self.add(f"{join}:")
        else:
            self.add(f"{other}:")

    def short_lived(self):
        """Values of this block alone, one of them read twice, and a predicate that is."""
        r = self.random
        self.add(f"xor.b32 %r22, {self.word()}, {self.source()};")
        self.add(f"add.s32 %r23, %r22, {self.source()};")
        self.add(f"setp.lt.s32 %p7, %r23, {self.source()};")
        self.add(f"mul.lo.s32 %r24, %r22, {self.source()};")
        self.add(f"selp.b32 {self.word()}, %r24, %r22, %p7;")
        self.add(f"selp.b32 {self.word()}, {self.word()}, %r23, %p7;")
        if self.parts and r.random() < 0.4:
            over = self.label()
            join = self.label()
            self.add(f"@{self.branch()} bra {over};")
            self.add(f"add.s32 {self.word()}, %r24, {self.source()};")
            self.add(f"shl.b32 %r25, {self.word()}, 3;")
            self.add(f"xor.b32 {self.word()}, %r25, {self.word()};")
            self.add(f"bra {join};")
            self.add(f"{over}:")
            self.add(f"xor.b32 {self.word()}, {self.word()}, %r24;")
            self.add(f"{join}:")

    def body(self, n, depth, out):
        r = self.random
        for _ in range(n):
            k = r.random()
            if r.random() < 0.12:
                self.short_lived()
            if self.parts and k < 0.12 and depth < 2:
                self.fork(depth, out)
            elif self.parts and k < 0.2:
                self.add(f"and.b32 %r20, {self.word()}, 63;")
                self.add(f"setp.eq.s32 %p8, %r20, {r.randrange(64)};")
                self.add(f"@%p8 bra {r.choice(out)};")
            else:
                self.compute()

    def loop(self):
        r = self.random
        head, behind, far = self.label(), self.label(), self.label()
        uniform = not self.parts or r.random() < 0.5
        self.add("mov.u32 %u0, 0;")
        if uniform:
            self.add("mov.u32 %u1, %r30;")
        else:
            self.add("and.b32 %u1, %r35, 63; add.s32 %u1, %u1, 1;")
        self.add(f"{head}:")
        self.body(r.randint(2, 12), 0, [behind, behind, far])
        step = r.choice([1, 1, 2])
        self.add(f"add.s32 %u0, %u0, {step};")
        compare = r.choice(["lt.s32", "lt.u32"])
        self.add(f"setp.{compare} %p9, %u0, %u1;")
        self.add(f"@%p9 bra {head};")
        if r.random() < 0.3:
            self.body(2, 2, [far])
        self.add(f"{behind}:")
        if r.random() < 0.5:
            self.add("xor.b32 %r0, %r0, %u0;")
        self.add(f"{far}:")

    def text(self):
        for i in range(self.words):
            self.add(f"mul.lo.s32 %r{i}, %r35, {2654435761 * (i + 3) % 2**31};")
        for i in range(self.floats):
            self.add(f"cvt.rn.f32.s32 %f{i}, %r{i % self.words}; mul.rn.f32 %f{i}, %f{i}, 0f2F800000;")
        for i in range(self.wide):
            self.add(f"cvt.s64.s32 %d{i}, %r{i % self.words};")
        for i in range(4):
            self.add(f"setp.lt.s32 %p{i}, %r{i % self.words}, {self.number()};")
        nested = self.random.random() < 0.3
        if nested:
            self.add("mov.u32 %u4, 0;")
            self.add("OUTER:")
        for _ in range(self.loops):
            self.loop()
        if nested:
            self.add("add.s32 %u4, %u4, 1; setp.lt.s32 %p9, %u4, 3; @%p9 bra OUTER;")
        for i in range(1, self.words):
            self.add(f"xor.b32 %r0, %r0, %r{i}; shf.l.wrap.b32 %r0, %r0, %r0, 5;")
        for i in range(self.floats):
            self.add(f"mov.b32 %r21, %f{i}; xor.b32 %r0, %r0, %r21;")
        for i in range(self.wide):
            self.add(f"cvt.u32.u64 %r21, %d{i}; xor.b32 %r0, %r0, %r21; shr.u64 %d{i}, %d{i}, 32; "
                     f"cvt.u32.u64 %r21, %d{i}; add.s32 %r0, %r0, %r21;")
        for i in range(4):
            self.add(f"selp.b32 %r21, {i + 1}, 0, %p{i}; xor.b32 %r0, %r0, %r21;")
        self.add("mul.wide.s32 %d11, %r35, 4; add.s64 %d12, %d10, %d11; st.global.u32 [%d12], %r0; ret;")
        return HEAD + "\n".join(self.lines) + "\n}\n"


def run(ptxvm, path, kernel, folder, *more):
    """The bytes of the buffer, what all and each line executed, and how often regions were entered."""
    out = os.path.join(folder, "out.bin")
    grid = (THREADS + kernel.block - 1) // kernel.block
    done = subprocess.run(
        [ptxvm, path, "-k", "k", "-g", str(grid), "-b", str(kernel.block), "-a", "u32[1024]=zeros", "-a",
         str(kernel.turns), "-a", "77", "-a", "0.75", "--out", "out=" + out, "--json", *more],
        capture_output=True, text=True)
    if done.returncode:
        return done.stderr or done.stdout or "?", 0, None, 0
    with open(out, "rb") as file:
        data = file.read()
    told = json.loads(done.stdout)
    lines = [
        (row["line"], row["threads"]) for k in told.get("kernels", []) for row in k["instructions"]
    ]
    return data, told["counts"]["thread_instructions"], lines, told["counts"]["regions_entered"]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=150)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--keep")
    options.add_argument("ptxvm", nargs="?", default=os.path.join(BUILD, "bin", "ptxvm"))
    options = options.parse_args()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        if not {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= set(file.read().split()):
            print("this machine has no AVX-512")
            return 77
    failed = entered = parted = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            kernel = Kernel(seed)
            kernel.turns = kernel.random.choice([2, 3, 9, 40, 500])
            path = os.path.join(options.keep or folder, f"loop{seed}.ptx")
            with open(path, "w", encoding="utf-8") as file:
                file.write(kernel.text())
            data, total, _, times = run(options.ptxvm, path, kernel, folder)
            entered += times > 0
            parted += times > 0 and kernel.parts
            other, _, lines, _ = run(options.ptxvm, path, kernel, folder, "--counts", *WITHOUT)
            counted, all_lines, others, _ = run(options.ptxvm, path, kernel, folder, "--counts")
            plain, _, _, _ = run(options.ptxvm, path, kernel, folder, *PLAIN)
            same = isinstance(data, bytes) and data == other == plain == counted
            same = same and lines == others and total == all_lines
            failed += not same
            if not same:
                what = "bytes" if data != other or other != plain else "counts"
                what = data if isinstance(data, str) else what
                print(f"seed {seed}: {what}: {kernel.block} threads, {kernel.turns} turns")
    print(f"{entered} of {options.count} kernels entered regions, {parted} with lanes that part")
    if entered < options.count // 2 or parted < options.count // 4:
        print("too few kernels entered regions")
        failed += 1
    print(f"{options.count - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
