#!/usr/bin/env python3
"""The exercise of a stranger: instructions that PTX does not have, each a row and at most a function.

    exercise.py [--jobs N] [--cc CC] [--keep DIR]

A copy of the tree is built once, which is not counted.
Then the instructions are added one after the other: one that computes, one that computes what a later row
does, one that loads, one of a warp.
Each is built, and a kernel runs that uses it.
The table says how many files were compiled and how long it all took.
Exit code 1: something did not build, or gave other results than plain arithmetic.
At last comes what must be refused: a name in a statement that nobody knows, with the line of the row.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPIED = ("Makefile", "grammar", "include", "lib", "ptxas", "ptxvm", "samples", "tests/tests.mk")
LANES = 64


def kernel(name, body):
    return f""".version 9.0
.target sm_90
.address_size 64

.visible .entry {name}(.param .u64 in, .param .u64 out)
{{
    .reg .b64 %rd<4>;
    .reg .b32 %r<5>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    {body}
    st.global.u32 [%rd2], %r4;
    ret;
}}
"""


SCALAR = {
    "name": "sumsq",
    "rows": [("clz.b32 d", "sumsq.u32 d, a, b | | 8.0 sm_80 | | d = a * a + b * b\n")],
    "body": "sumsq.u32 %r4, %r1, 3;",
    "expect": lambda i: i * i + 9,
}
# In front of the row whose statement it shares.
SHARED = {
    "name": "eor",
    "rows": [("xor.type d", "eor.type d, a, b | .type=B16 | 8.0 sm_80 | | [bits] d = a ^ b\n")],
    "body": "eor.b32 %r4, %r1, 3;",
    "expect": lambda i: i ^ 3,
}
LOADING = {
    "name": "ldpair",
    "rows": [
        ("op istypep", "op ldpair : keeps memory reads straight handler\n"),
        ("clz.b32 d", "ldpair.space.u32 d, [a.space], b | .space=global | 8.0 sm_80 | | @ldpair\n"),
    ],
    "function": '''/* ldpair.c - ldpair d, [a], b: the words at a and behind it, and b, added up. */
#include "ops/mem.h"
#include "ops/operands.h"

PX_NAMED_HANDLER_OF(ldpair)
{
    const struct px_operands *o = px_operands(g, in);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    {
        const uint64_t va = px_address(g, in, lane);
        uint32_t word[2];
        const struct px_place_of p = px_gang_find(g, in->space, lane, va, sizeof word);
        if (!p.host)
            return px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_ADDRESS, va, "ldpair reads 8 bytes at 0x%llx",
                                (unsigned long long)va);
        px_lane_get(word, p.host, sizeof word, p.stride, va);
        PX_ROW(g, uint32_t, o->row[0])[lane] = word[0] + word[1] + PX_ROW(g, uint32_t, o->row[1])[lane];
    }
    return PX_STEP_NEXT;
}
''',
    "body": "ldpair.global.u32 %r4, [%rd1], 5;",
    "expect": lambda i: i + (i + 1) + 5,
}
WARP = {
    "name": "warpsum",
    "rows": [
        ("op istypep", "op warpsum : keeps waits handler\n"),
        ("clz.b32 d", "warpsum.sync.aligned.u32 d, a | | 8.0 sm_80 | | @warpsum\n"),
    ],
    "function": '''/* warpsum.c - warpsum d, a: the sum of the warp's values. */
#include "ops/operands.h"

PX_NAMED_HANDLER_OF(warpsum)
{
    const struct px_operands *o = px_operands(g, in);
    const uint32_t *a = PX_ROW(g, uint32_t, o->row[1]);
    uint32_t sum[PX_LANES_MAX / PX_WARP] = {0}, lane;
    if (!px_gang_met(g, in->group)) return PX_STEP_MEET;
    PX_FOR_LANES(lane, g->active) sum[lane / PX_WARP] += a[lane];
    PX_FOR_LANES(lane, g->active) PX_ROW(g, uint32_t, o->row[0])[lane] = sum[lane / PX_WARP];
    return PX_STEP_NEXT;
}
''',
    "body": "warpsum.sync.aligned.u32 %r4, %r1;",
    "expect": lambda i: sum(range(i // 32 * 32, i // 32 * 32 + 32)),
}


def copy_tree(folder):
    for name in COPIED:
        source, to = os.path.join(TOP, name), os.path.join(folder, name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, to)
        else:
            shutil.copy(source, to)


def make(folder, options):
    command = ["make", f"-j{options.jobs}", f"CC={options.cc}", "all"]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def insert(path, before, line):
    """A line in front of the first that begins with `before`."""
    with open(path) as file:
        lines = file.readlines()
    at = next(i for i, text in enumerate(lines) if text.startswith(before))
    lines.insert(at, line)
    with open(path, "w") as file:
        file.writelines(lines)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def run(folder, task):
    """What is wrong with the results, or None."""
    path = os.path.join(folder, task["name"] + ".ptx")
    write(path, kernel(task["name"], task["body"]))
    expected = ",".join(str(task["expect"](i)) for i in range(LANES))
    command = [os.path.join(folder, "build/bin/ptxvm"), path, "-b", str(LANES), "--expect", "out=" + expected]
    command += ["-a", f"u32[{LANES + 1}]=iota", "-a", f"u32[{LANES}]=zeros", "--quiet"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if done.returncode == 0 else done.stdout


def exercise(folder, task, options):
    """Prints a line of the table; False when it failed."""
    begin = time.monotonic()
    for before, line in task["rows"]:
        insert(os.path.join(folder, "grammar/isa.tbl"), before, line)
    if "function" in task:
        write(os.path.join(folder, "lib/ops", task["name"] + ".c"), task["function"])
    built = make(folder, options)
    seconds = time.monotonic() - begin
    if built.returncode != 0:
        print(built.stdout)
        return False
    wrong = run(folder, task)
    compiled = len(re.findall(r"^  CC ", built.stdout, re.M))
    what = "a row and a function" if "function" in task else "a row"
    ran = time.monotonic() - begin
    print(f"| {task['name']} | {what} | {compiled} | {seconds:.1f} | {ran:.1f} |", flush=True)
    if wrong:
        print(wrong)
    return not wrong


def refused(folder, options):
    """A name that nobody knows is isagen's error, with the line of the row."""
    table = os.path.join(folder, "grammar/isa.tbl")
    row = "sumcube.u32 d, a | | 8.0 sm_80 | | d = px_cubed(a)\n"
    insert(table, "clz.b32 d", row)
    with open(table) as file:
        line = next(i for i, text in enumerate(file, 1) if text.startswith("sumcube"))
    said = make(folder, options).stdout
    good = re.search(rf"grammar/isa\.tbl:{line}: error: .*'px_cubed'", said)
    print("refused: " + (good.group(0) if good else said))
    return bool(good)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--keep", help="the copy of the tree stays there")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="exercise-")
    copy_tree(folder)
    first = make(folder, options)
    if first.returncode != 0:
        sys.exit(first.stdout)
    print("| instruction | what is written | files compiled | seconds to build | and to run |")
    print("|---|---|---|---|---|")
    good = all([exercise(folder, task, options) for task in (SCALAR, SHARED, LOADING, WARP)])
    good = refused(folder, options) and good
    if not options.keep:
        shutil.rmtree(folder)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
