#!/usr/bin/env python3
"""Thousands of mutants of instructions at once: a module of the variants of one instruction, a line each.

ptxas goes on after an error, so one run of it judges several hundred lines: those that it complains of. Ours
does
the same, and lines of which only one complains are asked again as modules of their own, because ptxas writes
some
instructions out, and finds faults there, only in a module without other errors.

  modifiers   every known modifier added, each one left out, doubled, replaced by its opcode's others,
  neighbours swapped
  operands    every operand, and each part of one in braces or brackets, replaced: registers of all types,
  constants,
              special registers, names, sinks, vectors, addresses; one left out, one too many

--part 2/3 takes every third of them, from the second on, so that a machine may do it in pieces.

--freeze FILE writes modules of single lines with the oracle's verdicts (tests/verdicts), one for each opcode
and message.
Where parity.py measures, this looks: it is no sample of anything.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import mutate
import oracle
import parity

sys.path.insert(0, os.path.join(parity.ROOT, "tests", "verdicts"))
import frozen

TYPES = (
    "pred qp|b8 qc|u8 quc|b16 qrs|u16 qus|s16 qss|f16 qh|b32 qr|u32 qu|s32 qs|f16x2 qhh|f32 qf|b64 qrd|u64"
    " qud|s64 qsd|f64 qfd"
)
VECTORS = (
    "v2 b32 qv2r|v4 b32 qv4r|v2 f32 qv2f|v4 f32 qv4f|v2 u32 qv2u|v2 b16 qv2h|v4 b16 qv4h|v2 b64 qv2d|v2 f16"
    " qv2fh"
)
REGISTERS = [".reg .%s %%%s<9>;" % tuple(t.split()) for t in TYPES.split("|")]
REGISTERS += [".reg .%s .%s %%%s;" % tuple(t.split()) for t in VECTORS.split("|")]
GLOBALS = (
    ".global .u32 qg;|.global .b8 qga[64];|.shared .b64 qs;|.const .u32 qk;|.global .texref qtx;|.global"
    " .surfref qsf;|.func qfn() { ret; }|.global .u16 qg16;|.global .f32 qgf;"
).split("|")
SCALARS = ["%%%s1" % t.split()[1] for t in TYPES.split("|")]
CONSTANTS = "0 1 5 -1 1.0 0f3f800000 0d3ff0000000000000 WARP_SZ 4294967296 32 64".split()
SPECIAL = "%tid.x %tid %laneid %clock64 %lanemask_eq %gridid".split()
NAMES = "qg qga qs qk qtx qsf qfn qg16 qgf qg+4 qga[4] qs+4 qlab".split()
VECTOR_NAMES = [
    "%" + v.split()[2] for v in VECTORS.split("|")
] + "%qv2r.x %qv4f.y %qv2h.x %qv2d.x %qv2fh.y".split()
SIGNED = "!%qp1 -%qr1 -%qs1 -%qf1 -%qfd1 -%qh1 -%qhh1 !%qr1".split()
PAIRS = (
    "%qp1,%qp2 %qr1,%qr2 %qu1,%qu2 %qs1,%qs2 %qf1,%qf2 %qh1,%qh2 %qrs1,%qrs2 %qus1,%qus2 %qhh1,%qhh2"
    " %qrd1,%qrd2 %qud1,%qud2 %qfd1,%qfd2 %qc1,%qc2 %qr1,%qp2 %qr1,5 5,%qr1 5,6 1.0,2.0 _,%qr2 %qr2,_ _,_"
    " %qv2r.x,%qr1 qg,%qr2 qg,qg %tid.x,%qr1 %qf1,%qr1 5,_ %qf1,1.0 %qh1,%qrs1 %qu1,%qs1"
).split()
LONGER = ["%s1,%s2,%s3,%s4".replace("%s", "%" + r) for r in "qp qr qu qf qh qrs qhh qrd qud qc".split()]
LONGER += ["%s1,%s2,%s3".replace("%s", "%" + r) for r in "qr qf qhh".split()]
LONGER += [",".join("%%%s%d" % (r, i) for i in range(8)) for r in "qr qf qhh".split()]
LONGER += [
    "%qr1,5,%qr2,%qr3",
    "%qr1,_,%qr2,%qr3",
    "%qf1,1.0,%qf2,%qf3",
    "%qv4f.x,%qf1,%qf2,%qf3",
    "%qp1,%qr1,%qr2,%qr3",
]
ALONE = SCALARS + "_ 5 1.0 0f3f800000 %tid.x qg qg16 qgf %qv2r.x %qv4f.x".split()
OTHER = "%qp1|%qp2 %qr1|%qp1 %qf1|%qp1 %qr1|_ _|%qp1 %qr1.b0 %qr1.h0 %qr1.h10 %qr1.b3210 %qs1.b0".split()
OPERANDS = (
    SCALARS
    + SIGNED
    + CONSTANTS
    + SPECIAL
    + NAMES
    + ["_"]
    + VECTOR_NAMES
    + ["{%s}" % v for v in ALONE + PAIRS + LONGER]
    + OTHER
)
BASES = (
    SCALARS
    + (
        "5 -1 _ qg qga qs qk qtx qsf qfn qg+4 qga+4 qga[4] %qrd1+8 %qr1+8 %qrd1+-8 %qv2r %qv2d %qv2d.x"
        " %qv2r.x %tid.x {%qr1,%qr2} %qhh1+4 0+4 qlab -%qrd1 !%qp1 1.0"
    ).split()
)
ADDRESSES = ["[%s]" % b for b in BASES] + (
    "[%qrd1].unified [qg].unified qga[4] qg %qrd1 [%qrd1,{%qr1}] [qtx,{%qr1,%qr2}] _ 5 %qp1 qfn"
).split()
PARTS = (
    SCALARS
    + (
        "_ 5 1.0 0f3f800000 %tid.x %clock64 qg qgf %qv2r.x %qv4f.x %qv2r qg+4 qfn WARP_SZ -%qr1 !%qp1 {%qr1} "
        "{%qr1,%qr2} {%qf1,%qf2} {%qr1,%qr2,%qr3,%qr4} {%qf1,%qf2,%qf3,%qf4} qtx qsf qlab"
    ).split()
)


# ---- variants of an instruction ----


def written(inst, words, ops):
    return "%s%s%s %s;" % (inst.indent, inst.guard, ".".join(words), ", ".join(ops))


def modifier_variants(inst, voc, every):
    words, own = inst.words, list(voc.mods.get(inst.opcode, ()))
    for w in every:
        yield words + [w]
        if w in mutate.TYPES:
            yield words[:1] + [w] + words[1:]
    for k in range(1, len(words)):
        yield words[:k] + words[k + 1 :]
        yield words[: k + 1] + words[k:]
        yield from (words[:k] + [w] + words[k + 1 :] for w in own)
        if k + 1 < len(words):
            yield words[:k] + [words[k + 1], words[k]] + words[k + 2 :]


def part_variants(op):
    """an operand in braces or brackets with one of its parts replaced, left out or doubled"""
    end = "}" if op[0] == "{" else "]"
    parts, tail = mutate.split_operands(op[1 : op.rindex(end)]), op[op.rindex(end) + 1 :]
    if op[0] == "[" and len(parts) == 1:
        return
    for j in sorted({0, min(1, len(parts) - 1), len(parts) - 1}):
        for changed in [[p] for p in PARTS] + [[], [parts[j], parts[j]]]:
            inner = parts[:j] + changed + parts[j + 1 :]
            if inner:
                yield op[0] + ", ".join(inner) + end + tail


def operand_variants(inst):
    for k, op in enumerate(inst.ops):
        for other in ADDRESSES if op.startswith("[") else OPERANDS:
            yield inst.ops[:k] + [other] + inst.ops[k + 1 :]
        if op.startswith(("{", "[")):
            yield from (inst.ops[:k] + [other] + inst.ops[k + 1 :] for other in part_variants(op))
    yield inst.ops[:-1]
    yield inst.ops + inst.ops[-1:]


def variants(seed, what, voc, every):
    inst = mutate.Inst(seed.lines[seed.at])
    if what == "modifiers":
        found = (written(inst, words, inst.ops) for words in modifier_variants(inst, voc, every))
    else:
        found = (written(inst, inst.words, ops) for ops in operand_variants(inst))
    return list(dict.fromkeys(found))


# ---- modules ----


class Seed:
    def __init__(self, seed):
        self.lines, self.arch, self.opcode, self.shape = (
            seed.text.split("\n"),
            seed.arch,
            seed.opcode,
            seed.shape,
        )
        self.at = [n for n, l in enumerate(self.lines) if mutate.line_kind(l) == "inst"][0]
        heads = [
            n
            for n, l in enumerate(self.lines[: self.at])
            if mutate.line_kind(l) == "head" and not l.rstrip().endswith((";", "}"))
        ]
        self.head = heads[-1] if heads else -1

    def usable(self):
        version = re.search(r"\.version\s+(\S+)", "\n".join(self.lines))
        return self.head >= 0 and version and float(version[1]) >= 7.8 and len(self.lines) < 60


def needed(declarations, lines):
    """those whose names the lines hold"""
    text = "\n".join(lines)
    return [
        d
        for d in declarations
        if re.search(
            r"(?<![\w%])" + re.escape(re.search(r"(%?q\w+)", d)[1]) + (r"\d" if "<" in d else r"(?!\w)"), text
        )
    ]


def module(seed, lines):
    """(text, number of the first of the lines)"""
    outer, inner = needed(GLOBALS, lines), needed(REGISTERS, lines)
    before = seed.lines[: seed.head] + outer + seed.lines[seed.head : seed.at] + inner
    label = ["qlab:"] if any("qlab" in l for l in lines) else []
    return "\n".join(before + lines + label + seed.lines[seed.at + 1 :]), len(before) + 1


class Tool:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def complaints(self, text, arch):
        """(exit status, [(line, severity, message)])"""
        path = os.path.join(self.folder, "sweep.%d.%d.ptx" % (os.getpid(), threading.get_ident()))
        with open(path, "w") as f:
            f.write(text)
        try:
            done = subprocess.run(
                [self.path, "-arch=" + arch, "-c", "-o", os.devnull, path],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=60,
            )
        except subprocess.TimeoutExpired:
            return 124, []
        said = oracle.parse_output(done.stdout.decode("utf-8", "replace"))
        return done.returncode, [
            d for d in said if d.severity in ("error", "fatal") and d.text != oracle.ABORTED
        ]

    def judge(self, seed, lines):
        """line -> message, None where it says nothing; lines whose module it dies of are missing"""
        got, todo = {}, lines
        while todo:
            text, base = module(seed, todo)
            status, said = self.complaints(text, seed.arch)
            fatal = next((d for d in said if d.severity == "fatal"), None)
            at = fatal.line - base if fatal and fatal.line else -1
            if status not in (0, 255) or (fatal and not 0 <= at < len(todo)):
                if len(todo) == 1:
                    return got
                half = len(todo) // 2
                return {**got, **self.judge(seed, todo[:half]), **self.judge(seed, todo[half:])}
            bad = {}
            for d in said:
                bad.setdefault(d.line - base, d.text)
            judged = todo[: at + 1] if fatal else todo
            got.update((l, bad.get(i)) for i, l in enumerate(judged))
            todo = todo[len(judged) :]
        return got


# ---- the sweep ----


def chosen(found, args, rng):
    groups = defaultdict(lambda: defaultdict(list))
    for s in map(Seed, found):
        if s.usable() and (not args.only or re.search(args.only, s.opcode)):
            groups[s.opcode][s.shape].append(s)
    for opcode in sorted(groups):
        shapes = sorted(groups[opcode])
        rng.shuffle(shapes)
        yield from (rng.choice(groups[opcode][shape]) for shape in shapes[: args.shapes])


def print_group(title, rows, limit):
    by_opcode = defaultdict(list)
    for seed, line, said in rows:
        by_opcode[seed.opcode].append((line.strip(), said, seed.arch))
    print("## %s: %d" % (title, len(rows)))
    for opcode, found in sorted(by_opcode.items(), key=lambda kv: -len(kv[1])):
        print("  %d x %s" % (len(found), opcode))
        for line, said, arch in found[:limit]:
            print("      %s  || %s, %s" % (line[:180], said[:90], arch))


def confirm(rows, tools, jobs):
    """the rows that differ in modules of their own, too"""

    def differs(row):
        text = module(row[0], [row[1]])[0]
        theirs, ours = (t.complaints(text, row[0].arch)[0] for t in tools)
        return theirs in (0, 255) and ours in (0, 255) and theirs != ours

    with ThreadPoolExecutor(jobs) as pool:
        return [row for row, yes in zip(rows, pool.map(differs, rows)) if yes]


def freeze(path, rows, ask, release, most):
    """one module for every opcode and message, verdicts asked anew"""
    cases, seen = [], set()
    for seed, line, said in rows:
        key = (seed.opcode, parity.template(said or "accepted"))
        text = module(seed, [line])[0]
        if key in seen or len(cases) == most or len(text) > 1500 or not text.endswith("\n"):
            continue
        seen.add(key)
        verdict = ask(text, seed.arch)
        d = verdict.first
        if not verdict.crashed and not (d and "FILE" in d.text):
            cases.append(
                frozen.Case(
                    frozen.make_id(seed.arch, text),
                    seed.arch,
                    "isa",
                    "accept" if verdict.accepts else "reject",
                    d.line if d else 0,
                    d.severity if d else "",
                    d.text if d else "",
                    text,
                )
            )
    frozen.save(
        path,
        "variants of instructions: one for every opcode and message (ptxas %s)" % release,
        list({c.id: c for c in cases}.values()),
    )
    print("%s: %d cases" % (path, len(cases)))


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("modifiers", "operands"))
    p.add_argument("--build", default="build")
    p.add_argument("--facts", help="folder with accept, reject, reject-b, boundary and their indexes")
    p.add_argument("--only", help="opcodes that match this expression")
    p.add_argument("--shapes", type=int, default=2, help="modifier lists of each opcode")
    p.add_argument("--seed", default="1")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument(
        "--confirm", type=int, default=500, help="at most so many differences of a kind are asked one by one"
    )
    p.add_argument("--examples", type=int, default=3)
    p.add_argument("--part", default="1/1", metavar="K/N")
    p.add_argument("--freeze", help="write verdicts to this file")
    p.add_argument("--most", type=int, default=1000, help="at most so many of them")
    return p.parse_args()


def main():
    args = parse_arguments()
    part, parts = map(int, args.part.split("/"))
    runner = oracle.open_oracle(args.build, "sweep")
    seeds = [s for s in parity.collect_seeds(args.facts, runner.ask, args.jobs, [], True)["inst"] if s.opcode]
    voc = mutate.Vocabulary()
    for s in seeds:
        voc.learn(s.text)
    every = sorted(set(mutate.TYPES + mutate.MODIFIERS).union(*voc.mods.values()))
    rng, tools = random.Random(args.seed), (
        Tool(runner.tool, runner.folder),
        Tool(os.path.join(args.build, "bin", "ptxas"), runner.folder),
    )

    def work(seed):
        lines = variants(seed, args.what, voc, every)
        return seed, [t.judge(seed, lines) for t in tools], lines

    rows, false_rejects, false_accepts, begin = [], [], [], time.time()
    with ThreadPoolExecutor(args.jobs) as pool:
        for seed, (want, got), lines in pool.map(work, list(chosen(seeds, args, rng))[part - 1 :: parts]):
            both = [l for l in lines if l in want and l in got]
            rows += [(seed, l, want[l]) for l in both]
            false_rejects += [(seed, l, got[l]) for l in both if got[l] and not want[l]]
            false_accepts += [(seed, l, want[l]) for l in both if want[l] and not got[l]]
    print(
        "%d lines in %.0f s: %d refused only by us, %d only by ptxas"
        % (len(rows), time.time() - begin, len(false_rejects), len(false_accepts))
    )
    for title, differing in (("false rejects", false_rejects), ("false accepts", false_accepts)):
        sample = rng.sample(differing, min(args.confirm, len(differing)))
        print_group(
            title + ", confirmed of %d" % len(sample), confirm(sample, tools, args.jobs), args.examples
        )
    if args.freeze:
        rng.shuffle(rows)
        freeze(args.freeze, rows, runner.ask, runner.release, args.most)
        runner.cache.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
