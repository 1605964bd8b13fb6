"""Kernels that run one instruction after the other on numbers of their own, and what comes of them.

A kernel has the parameters `in` and `out`. Instruction j of thread t finds source s of 64 bits at
in[(j * SOURCES + s) * THREADS + t], and its result goes to out[j * THREADS + t].
"""
import os
import random
import struct
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
PTXVM = os.environ.get("PTXVM", os.path.join(BUILD, "bin", "ptxvm"))
THREADS, SOURCES = 1024, 6


class Instruction:
    """text: its words; result and sources: the widths of the registers; braces: so many of the first sources
    are one vector; kinds: of what the numbers of each source are; model(*sources): what must come out."""

    def __init__(self, text, result, sources, kinds, model, braces=0):
        self.text, self.result, self.sources, self.kinds = text, result, sources, kinds
        self.model, self.braces = model, braces

    def line(self):
        names = [f"%w{s}" if w == 64 else f"%b{w}_{s}" for s, w in enumerate(self.sources)]
        if self.braces:
            names = ["{" + ", ".join(names[: self.braces]) + "}", *names[self.braces :]]
        result = "%w8" if self.result == 64 else f"%b{self.result}_8"
        return f"    {self.text} {result}, {', '.join(names)};"


def kernel(version, target, instructions):
    lines = [
        "// Made by tests/forms/test_exact.py --write: instructions on numbers of their own.",
        f".version {version}",
        f".target {target}",
        ".address_size 64",
        ".visible .entry forms(.param .u64 in, .param .u64 out)",
        "{",
        "    .reg .b64 %in, %out, %w<9>;",
        "    .reg .b32 %t;",
    ]
    lines += [f"    .reg .b{w} %b{w}_<9>;" for w in (8, 16, 32)]
    lines += [
        "    ld.param.u64 %in, [in];",
        "    ld.param.u64 %out, [out];",
        "    mov.u32 %t, %tid.x;",
        "    mul.wide.u32 %w0, %t, 8;",
        "    add.u64 %in, %in, %w0;",
        "    add.u64 %out, %out, %w0;",
    ]
    for j, i in enumerate(instructions):
        for s, width in enumerate(i.sources):
            name = f"%w{s}" if width == 64 else f"%b{width}_{s}"
            lines.append(f"    ld.global.b{width} {name}, [%in+{(j * SOURCES + s) * THREADS * 8}];")
        lines.append(i.line())
        name = "%w8" if i.result == 64 else f"%b{i.result}_8"
        lines.append(f"    st.global.b{i.result} [%out+{j * THREADS * 8}], {name};")
    return "\n".join([*lines, "    ret;", "}", ""])


def numbers(instructions, draw, seed=1):
    """The sources: [instruction][source][thread]; draw(random, kind) gives one."""
    rng = random.Random(seed)
    return [[[draw(rng, kind) for _ in range(THREADS)] for kind in i.kinds] for i in instructions]


def run(path, instructions, values, *options):
    """The results: [instruction][thread]."""
    n = len(instructions)
    with tempfile.TemporaryDirectory() as folder:
        given, got = os.path.join(folder, "in.bin"), os.path.join(folder, "out.bin")
        flat = []
        for sources in values:
            for s in range(SOURCES):
                flat += sources[s] if s < len(sources) else [0] * THREADS
        with open(given, "wb") as file:
            file.write(struct.pack(f"<{len(flat)}Q", *flat))
        done = subprocess.run(
            [PTXVM, path, "--profile", "all", "-k", "forms", "-b", str(THREADS), "--quiet", *options]
            + ["-a", f"in=u64[{len(flat)}]={given}", "-a", f"out=u64[{n * THREADS}]=zeros"]
            + ["--out", f"out={got}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise RuntimeError(done.stdout.decode(errors="replace"))
        with open(got, "rb") as file:
            all_of = struct.unpack(f"<{n * THREADS}Q", file.read())
    return [all_of[j * THREADS : (j + 1) * THREADS] for j in range(n)]
