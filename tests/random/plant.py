#!/usr/bin/env python3
"""Do the tests notice? Plants faults in copies of the tree and looks whether the tests find them.

A fault is a piece of text in a file and what replaces it; planted.py and planted_ir.py list them. Two kinds:
  table   wrong meanings in grammar/isa.tbl, all planted together, for the recordings of a GPU
          (build/tests/test_golden): each must show as a failed form of its opcode
  engine  wrong guards, liveness, rows, calls, barriers, and wrong steps in the engine's optimisations. All
          are in one build, asleep until the environment names one (PX_PLANTED=NUMBER). Random programs
          (build/tests/random --spread) must find each within --count programs; what these programs do not
          have (contraction, fences, streams) the test that planted.py names (JUDGES) must find

usage: tests/random/plant.py [--scratch DIR] [--count N] [--jobs N] [--seed N] [--levels LIST] [--record FILE]
[--part K/N] [WORD...]

A WORD keeps the faults whose name holds it; "table" keeps those of the table. --part 2/3 keeps every third
fault of the engine, from the second on; the first part has those of the table. Where build/ holds objects of
this tree the copies take them over, so that only what is patched is compiled. A text that is not found
exactly once is an error: the code has moved, and the fault must move with it. --record writes a table:
optimisation, fault, programs until it was found, the seed that found it. Exit code 0 when all were found.
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
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from planted import ENGINE, TABLE  # noqa: E402
from planted_ir import PASSES  # noqa: E402
from planted_regions import REGIONS  # noqa: E402

FAULTS = ENGINE + PASSES + REGIONS

# Who is asleep, who is not: in the copy only.
SWITCH = """
#include <stdlib.h>
int px_planted;
__attribute__((constructor)) static void choose(void)
{
    const char *number = getenv("PX_PLANTED");
    px_planted = number ? atoi(number) : 0;
}
"""


def awake(fault):
    """`@` in a replacement is true when the fault, or one with the same text, is awake."""
    same = [i for i, f in enumerate(FAULTS, 1) if f[2:5] == fault[2:5]]
    return fault.new.replace("@", "(" + " || ".join(f"px_planted == {i}" for i in same) + ")")


def patch(tree, path, old, new, declare=False):
    name = os.path.join(tree, path)
    with open(name, encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        sys.exit(f"plant: {path} has {text.count(old)} times, not once: {old!r}")
    text = text.replace(old, new)
    if declare and "extern int px_planted;" not in text:
        text = "extern int px_planted;\n" + text
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def check_anchors():
    """Every text is where it should be, before anything is built."""
    places = [("grammar/isa.tbl", old, old) for _, old, _ in TABLE]
    places += [(f.path, f.old, awake(f)) for f in {f[2:5]: f for f in FAULTS}.values()]
    bad, texts = 0, {}
    for path, old, new in places:
        name = os.path.join(ROOT, path)
        if path not in texts:
            texts[path] = open(name, encoding="utf-8").read() if os.path.exists(name) else ""
        count = texts[path].count(old)
        if count != 1:
            print(f"plant: {path} has {count} times, not once: {old!r}")
            bad += 1
        texts[path] = texts[path].replace(old, new)  # a text that stands in another one is gone then
    if bad:
        sys.exit(f"plant: {bad} faults no longer apply; the code has moved, move them with it")


def build(tree, targets, jobs):
    done = subprocess.run(["make", f"-j{jobs}", *targets], cwd=tree, capture_output=True, text=True)
    return None if done.returncode == 0 else (done.stdout + done.stderr)[-2000:]


def make_copy(scratch, name):
    """The tracked and the new files of the working tree, and what is built of them."""
    tree = os.path.join(scratch, name)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")
    for file in [n.decode() for n in listed if n]:
        if os.path.isfile(os.path.join(ROOT, file)):
            os.makedirs(os.path.dirname(os.path.join(tree, file)) or tree, exist_ok=True)
            shutil.copy2(os.path.join(ROOT, file), os.path.join(tree, file))
    for folder in ("obj", "gen", "isagen.o"):
        built = os.path.join(ROOT, "build", folder)
        if os.path.isdir(built):
            subprocess.run(["mkdir", "-p", os.path.join(tree, "build")], check=True)
            subprocess.run(["cp", "-a", built, os.path.join(tree, "build", folder)], check=True)
    for file in ("isagen", "options", "levels"):
        if os.path.isfile(os.path.join(ROOT, "build", file)):
            shutil.copy2(os.path.join(ROOT, "build", file), os.path.join(tree, "build", file))
    return tree


# ---- wrong meanings ----


def golden(tree):
    """The forms that differ from the recordings."""
    done = subprocess.run(["build/tests/test_golden", "-n"], cwd=tree, capture_output=True, text=True)
    return set(re.findall(r"^FAILED \S+ (.*)$", done.stdout, re.M))


def plant_table(scratch, options):
    tree = make_copy(scratch, "table")
    error = build(tree, ["build/tests/test_golden"], options.jobs)
    before = set() if error else golden(tree)
    for _, old, new in TABLE:
        patch(tree, "grammar/isa.tbl", old, new)
    error = error or build(tree, ["build/tests/test_golden"], options.jobs)
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


# ---- the engine ----


def plant_engine(tree):
    with open(os.path.join(tree, "lib", "base", "planted.c"), "w", encoding="utf-8") as file:
        file.write(SWITCH)
    for fault in {f[2:5]: f for f in FAULTS}.values():
        patch(tree, fault.path, fault.old, awake(fault), True)


def hunt_random(tree, number, options):
    """(programs that ran, what was found) until the first that failed; None when none did."""
    done = subprocess.run(
        [
            "build/tests/random",
            "--spread",
            *("--size", "16", "--stop", "1", "--shrink", "0", "--keep", "found"),
            *("--count", str(options.count), "--seed", str(options.seed), "--jobs", str(options.jobs)),
            *(["--levels", options.levels] if options.levels else []),
        ],
        cwd=tree,
        env={**os.environ, "PX_PLANTED": str(number)},
        capture_output=True,
        text=True,
    )
    found = re.search(r"^FOUND (.*)$", done.stdout, re.M)
    programs = re.search(r"^(\d+) programs", done.stdout, re.M)
    return (int(programs[1]), found[1]) if found and programs else None


# Tests that judge what random programs cannot show: they fail while the fault is awake.
JUDGES = {
    "ir": ["build/tests/test_ir"],
    "lower": ["python3", "tests/ir/test_lower.py", "build/bin/ptxvm"],
    "loops": ["python3", "tests/random/test_loops.py", "build/bin/ptxvm"],
    "forms": ["build/tests/test_regions"],
    "test_fmad": ["build/tests/test_fmad"],
    "test_counts": ["build/tests/test_counts"],
    "test_streams": ["build/tests/test_streams"],
    "litmus": ["build/bin/ptxvm", "--test", "tests/exec/reductions_litmus.ptx"],
    "loaded_addend": ["build/bin/ptxvm", "--test", "tests/exec/loaded_addend.ptx"],
    "atomic_rows": ["build/bin/ptxvm", "--test", "tests/exec/atomic_rows.ptx"],
    "fused_aside": ["build/bin/ptxvm", "--test", "tests/exec/fused_aside.ptx"],
    "meeting": ["build/bin/ptxvm", "--test", "tests/exec/meet_in_frames.ptx"],
    "cooperative": ["build/bin/ptxvm", "--test", "tests/exec/cooperative_call.ptx"],
}


def target_of(name):
    """What of the build judges."""
    return next(word for word in JUDGES[name] if word.startswith("build/"))


def hunt_test(tree, number, name):
    """The same for a test; no end within minutes counts as found."""
    try:
        done = subprocess.run(
            JUDGES[name],
            cwd=tree,
            env={**os.environ, "PX_PLANTED": str(number)},
            capture_output=True,
            timeout=300,
        )
    except subprocess.TimeoutExpired:
        return 0, name + " does not end"
    return (0, name) if done.returncode else None


def hunt(tree, number, fault, options):
    if fault.judge == "random":
        return hunt_random(tree, number, options)
    return hunt_test(tree, number, fault.judge)


def judge(tree, number, fault, options):
    start = time.time()
    hit = hunt(tree, number, fault, options)
    verdict = "MISSED " + fault.name
    if hit:
        verdict = f"found {fault.name}: after {hit[0]} programs ({hit[1][:120]})"
    print(f"{verdict}, {time.time() - start:.0f} s", flush=True)
    if options.record:
        seed = re.match(r"seed (\d+)", hit[1]) if hit else None
        columns = [fault.option, fault.name, str(hit[0]) if hit else "-", seed[1] if seed else "-"]
        options.record.write("\t".join(columns) + "\n")
        options.record.flush()
    return bool(hit)


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n")[0],
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scratch")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--levels")
    parser.add_argument("--record", type=argparse.FileType("w"))
    parser.add_argument("--anchors", action="store_true", help="only look whether every text is in its place")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--part", default="1/1", metavar="K/N")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    table = "table" in options.words or (not options.words and part == 1)
    faults = [
        (i, f)
        for i, f in enumerate(FAULTS, 1)
        if not options.words or any(w in f.name for w in options.words)
    ][part - 1 :: parts]
    check_anchors()
    if options.anchors:
        return
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        found = plant_table(scratch, options) if table else 0
        if faults:
            tree = make_copy(scratch, "engine")
            plant_engine(tree)
            programs = any(f.judge == "random" for _, f in faults)
            judges = {f.judge for _, f in faults} - {"random"}
            targets = ["build/tests/random"] * programs + sorted({target_of(j) for j in judges})
            error = build(tree, targets, options.jobs)
            if error:
                sys.exit("plant: the tree with the faults does not build\n" + error)
            few = argparse.Namespace(**{**vars(options), "count": min(options.count, 50)})
            if (programs and hunt_random(tree, 0, few)) or any(hunt_test(tree, 0, j) for j in judges):
                sys.exit("plant: programs fail while all faults are asleep")
        found += sum(judge(tree, i, f, options) for i, f in faults)
    planted = len(faults) + (len(TABLE) if table else 0)
    print(f"{found} of {planted} planted faults found")
    sys.exit(found != planted)


if __name__ == "__main__":
    main()
