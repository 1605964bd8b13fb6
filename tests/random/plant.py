#!/usr/bin/env python3
"""Do the tests notice? Plants faults in copies of the tree and looks whether the tests find them.

A fault is a piece of text in a file and what replaces it. Two kinds:
  table   wrong meanings in grammar/isa.tbl, all planted together, for the recordings of a GPU
  (build/tests/test_golden):
          each must show as a failed form of its opcode
  engine  one at a time, in what is made around the meanings - guards, liveness, rows, NaNs, carry, calls,
  barriers, warp
          operations, scheduling - for the random programs (build/tests/random), which must find each within
          --count programs

usage: tests/random/plant.py [--scratch DIR] [--count N] [--jobs N] [--seed N] [WORD...]

A WORD keeps the faults whose name holds it; "table" keeps those of the table. Trees are copies, built at -O1
for the
portable handlers alone; the first build takes minutes, each fault of the engine seconds. A text that is not
found exactly
once is an error: the code has moved, and the fault must move with it. Exit code 0 when everything planted was
found.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKE = [
    "make",
    "LEVELS=portable",
    "UNIT_LEVELS=portable",
    "CFLAGS=-O1",
    "HANDLER_CFLAGS=-O1 -g1 -fno-trapping-math",
]

# opcode, text, replacement; all in grammar/isa.tbl
TABLE = [
    ("sad", "d = c + (a > b ? a - b : b - a)", "d = c + (a < b ? a - b : b - a)"),
    ("slct", "[bits] d = (int32_t)c >= 0 ? a : b", "[bits] d = (int32_t)c > 0 ? a : b"),
    ("setp", 'ltu:"!(a >= b)"', 'ltu:"a < b"'),
    ("sub.cc", "d = a - b; cc = a >= b", "d = a - b; cc = a > b"),
    ("mul.hi", 'u16:"((uint32_t)a * b >> 16)"', 'u16:"((uint32_t)a * b >> 15)"'),
    ("shr", "b : $width(type) - 1)", "b : $width(type) - 2)"),
    ("cnot", "[bits] d = a == 0", "[bits] d = a <= 1"),
    ("cvt.sat", 's8:"127"', 's8:"126"'),
    ("clz", "__builtin_clz(a) : 32", "__builtin_clz(a) : 31"),
    ("min", "int32_t m = a < b ? a : b; d = m > 0 ? m : 0", "int32_t m = a < b ? a : b; d = m > 1 ? m : 0"),
]

# name, file, text, replacement
ENGINE = [
    (
        "guards: a negated one counts as plain",
        "lib/code/emit.c",
        "fixed[negated ? PX_FIX_mask_andnot : PX_FIX_mask_and][0]",
        "fixed[PX_FIX_mask_and][0]",
    ),
    (
        "guards: setp writes the guard too early",
        "lib/code/lower_alu.c",
        "bool late = oe &&",
        "bool late = !oe &&",
    ),
    (
        "guards: memory is touched for lanes that do not live",
        "lib/code/emit.c",
        "direct = !negated && !memory;",
        "direct = !negated;",
    ),
    (
        "liveness: a guarded definition ends a life",
        "lib/code/rows.c",
        "if (in->guard == PX_NONE32)\n            px_flow_live_write",
        "if (in->ndst)\n            px_flow_live_write",
    ),
    (
        "liveness: values live behind a block are forgotten",
        "lib/code/rows.c",
        "if (live->last_behind[r] != PX_FLOW_NONE)",
        "if (live->last_behind[r] != PX_FLOW_NONE && r % 4)",
    ),
    (
        "rows: one is given away before its last reader",
        "lib/code/rows.c",
        "p->used[0].until < r.first",
        "p->used[0].until < r.first + STEP",
    ),
    (
        "NaNs: copies of words count as floats",
        "lib/code/canon.c",
        "return o->base == PX_IR_COPIED && f->regs.at[o->at].lazy;",
        "return true;",
    ),
    (
        "NaNs: results in registers of words stay the host's",
        "lib/code/canon.c",
        "in->flags & PX_IRF_HOST && !f->regs.at[o.at].lazy",
        "in->flags & PX_IRF_HOST && f->regs.at[o.at].lazy",
    ),
    ("NaNs: clean for ever", "lib/code/canon.c", "        w->clean[o.at] = 0;\n", ""),
    (
        "modes: rounding goes on behind a branch",
        "lib/code/emit.c",
        "    set_mode(e, f->code->home_fp); /* a block that does not end in a branch */\n",
        "",
    ),
    (
        "calls: results reach lanes that have not returned",
        "lib/vm/call.c",
        "PX_FOR_LANES(lane, *lanes) d[lane] = a[lane];",
        "for (lane = 0; lane < g->n; lane++) d[lane] = a[lane];",
    ),
    (
        "divergence: a table sends all lanes to the first target",
        "lib/vm/exec.c",
        "px_lanes_set(&ways->lanes[i - 1], lane);",
        "px_lanes_set(&ways->lanes[0], lane);",
    ),
    (
        "exits: ended lanes still count",
        "lib/vm/exec.c",
        "        g->cta->live_lanes[g->first / 32 + w] &= ~px_lanes_warp(&gone, w);\n",
        "        ;\n",
    ),
    (
        "barriers: open when the first warp is there",
        "lib/vm/barrier.c",
        "return b->arrived && (b->arrived & live) == live;",
        "return b->arrived;",
    ),
    (
        "barriers: .red.and remembers the last warp only",
        "lib/vm/barrier.c",
        "b->all = (first || b->all) &&",
        "b->all = (first || b->all || !b->all) &&",
    ),
    (
        "optimised: guarded definitions count as one value",
        "lib/code/values.c",
        "if (in->guard != PX_NONE32 || !in->ndst) return false;",
        "if (!in->ndst) return false;",
    ),
    (
        "optimised: local memory at one place counts as one value",
        "lib/code/values.c",
        "return px_ir_is(in, PX_OP_ld) && o[in->ndst].type != PX_SPACE_LOCAL;",
        "return px_ir_is(in, PX_OP_ld);",
    ),
    (
        "optimised: lanes that differ become a scalar",
        "lib/ops/handlers_fixed.c",
        "return !differ;",
        "return true;",
    ),
    (
        "optimised: values at the head of a loop do not become rows",
        "lib/vm/kept.c",
        "k->first_pc <= pc && pc <= k->last_pc",
        "k->first_pc < pc && pc <= k->last_pc",
    ),
    (
        "optimised: lanes that branch find old rows",
        "lib/vm/exec.c",
        "    part(r, in->target, g->taken);\n",
        "",
    ),
    (
        "optimised: lanes that return by themselves find old rows",
        "lib/vm/exec.c",
        "if (!f->parent->rows && !px_lanes_equal(&back, &f->parent->live)) px_kept_caller(g, f);",
        "",
    ),
    (
        "optimised: a survey outlives its row",
        "lib/code/emit.c",
        "if (!r->survey && r->keep != PX_IR_OFFSET) continue;",
        "if (r->keep != PX_IR_OFFSET) continue;",
    ),
    (
        "optimised: of lanes that store to one place the first wins",
        "lib/ops/reach.h",
        "b[n - 1]);",
        "b[0]);",
    ),
    (
        "optimised: the base of an offset may change in a loop",
        "lib/code/values.c",
        "const bool loop = f->loops.head[node] != PX_FLOW_NONE || f->loops.size[node] > 1;",
        "const bool loop = false;",
    ),
    (
        "optimised: a base is given away before its offsets",
        "lib/code/rows.c",
        "        extend(&s->ranges[reg->base], reg->last);\n",
        "",
    ),
    (
        "optimised: fused results are read behind the pair",
        "lib/code/fuse.c",
        " || r->last != (e->placed - 1) * STEP) return false;",
        ") return false;",
    ),
    (
        "optimised: fused results are read twice by the second",
        "lib/code/fuse.c",
        "return reads == 1;",
        "return reads >= 1;",
    ),
    (
        "optimised: differences change their operands",
        "lib/code/emit_alu.c",
        "if (!set->swaps || plain) return;",
        "if (plain) return;",
    ),
    (
        "optimised: rows of local memory are stored for all lanes",
        "lib/ops/handlers_fixed.c",
        "m[i] ? (MEM)b[i] : *p;",
        "m[i] || true ? (MEM)b[i] : *p;",
    ),
    ("warps: segments of shfl", "lib/ops/warp.c", "high = low | (c & ~segment), j;", "high = low | c, j;"),
    (
        "warps: match counts lanes outside the mask",
        "lib/ops/warp.c",
        "    return bits & w->lanes;\n",
        "    return bits;\n",
    ),
]


def patch(tree, path, old, new):
    name = os.path.join(tree, path)
    with open(name, encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        sys.exit(f"plant: {path} has {text.count(old)} times, not once: {old!r}")
    with open(name, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def check_anchors():
    """Every text is where it should be, before anything is built."""
    places = [("grammar/isa.tbl", old) for _, old, _ in TABLE] + [(path, old) for _, path, old, _ in ENGINE]
    bad = 0
    for path, old in places:
        name = os.path.join(ROOT, path)
        count = open(name, encoding="utf-8").read().count(old) if os.path.exists(name) else 0
        if count != 1:
            print(f"plant: {path} has {count} times, not once: {old!r}")
            bad += 1
    if bad:
        sys.exit(f"plant: {bad} faults no longer apply; the code has moved, move them with it")


def build(tree, targets, jobs):
    done = subprocess.run([*MAKE, f"-j{jobs}", *targets], cwd=tree, capture_output=True, text=True)
    return None if done.returncode == 0 else (done.stdout + done.stderr)[-2000:]


def copy_of(base, scratch, name):
    tree = os.path.join(scratch, name)
    subprocess.run(["cp", "-a", base, tree], check=True)
    return tree


def make_base(scratch):
    """The tracked and the new files of the working tree, without anything built."""
    base = os.path.join(scratch, "base")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")
    for name in [n.decode() for n in listed if n]:
        if os.path.isfile(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(base, name)) or base, exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(base, name))
    return base


def golden(tree):
    """The forms that differ from the recordings."""
    done = subprocess.run(["build/tests/test_golden", "-n"], cwd=tree, capture_output=True, text=True)
    return set(re.findall(r"^FAILED \S+ (.*)$", done.stdout, re.M))


def hunt(tree, options):
    """How many programs ran until the first that failed; None when none did."""
    done = subprocess.run(
        [
            "build/tests/random",
            "--levels",
            "portable",
            "--stop",
            "1",
            "--shrink",
            "0",
            "--count",
            str(options.count),
            "--seed",
            str(options.seed),
            "--jobs",
            str(options.jobs),
            "--keep",
            "found",
        ],
        cwd=tree,
        capture_output=True,
        text=True,
    )
    found = re.search(r"^FOUND (.*)$", done.stdout, re.M)
    programs = re.search(r"^(\d+) programs", done.stdout, re.M)
    return (int(programs[1]), found[1]) if found and programs else None


def plant_table(base, scratch, options):
    before = golden(base)
    tree = copy_of(base, scratch, "table")
    for _, old, new in TABLE:
        patch(tree, "grammar/isa.tbl", old, new)
    error = build(tree, ["build/tests/test_golden"], options.jobs)
    if error:
        sys.exit("plant: the tree with the table's faults does not build\n" + error)
    failed = golden(tree) - before
    found = 0
    for opcode, _, new in TABLE:
        parts = opcode.split(".")
        forms = [f for f in failed if f.startswith(parts[0] + ".") and all("." + p in f for p in parts[1:])]
        found += bool(forms)
        print(
            f"{'found' if forms else 'MISSED'} table: {opcode}: {new}"
            + (f" ({len(forms)} forms, {sorted(forms)[0]})" if forms else ""),
            flush=True,
        )
    shutil.rmtree(tree)
    return found


def plant_engine(base, scratch, fault, options):
    name, path, old, new = fault
    tree = copy_of(base, scratch, "engine")
    patch(tree, path, old, new)
    start = time.time()
    error = build(tree, ["build/tests/random"], options.jobs)
    if error:
        sys.exit(f"plant: '{name}' does not build\n" + error)
    hit = hunt(tree, options)
    shutil.rmtree(tree)
    verdict = (
        f"found {name}: after {hit[0]} programs ({hit[1][:120]})"
        if hit
        else f"MISSED {name}: {options.count} programs"
    )
    print(f"{verdict}, {time.time() - start:.0f} s", flush=True)
    return bool(hit)


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n")[0],
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scratch")
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    table = not options.words or "table" in options.words
    faults = [f for f in ENGINE if not options.words or any(w in f[0] for w in options.words)]
    check_anchors()
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        base = make_base(scratch)
        error = build(base, ["build/tests/random"] + ["build/tests/test_golden"] * table, options.jobs)
        if error:
            sys.exit("plant: the tree does not build\n" + error)
        if faults and hunt(base, argparse.Namespace(**{**vars(options), "count": min(options.count, 100)})):
            sys.exit("plant: random programs fail before anything is planted")
        found = plant_table(base, scratch, options) if table else 0
        found += sum(plant_engine(base, scratch, fault, options) for fault in faults)
    planted = len(faults) + (len(TABLE) if table else 0)
    print(f"{found} of {planted} planted faults found")
    sys.exit(found != planted)


if __name__ == "__main__":
    main()
