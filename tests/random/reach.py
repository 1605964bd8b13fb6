#!/usr/bin/env python3
"""What do random programs reach? Counts the functions and branches of the engine that they execute (gcov).

Builds the engine once more into --build, with counters in lib/code, lib/vm, lib/gang, lib/mem and lib/ops
(one SIMD level; not in the handlers that isagen writes, each of which is one loop), runs --count programs
and prints, for each file, how many of its functions and branches were reached, then the functions that no
program reached. --lines WORD prints the lines with branches that went one way only, of files whose name
holds WORD. --record FILE keeps the result, --before FILE compares with one that was kept: what is reached
now that was not before, and the other way round.

usage: tests/random/reach.py [--build DIR] [--count N] [--seed N] [--size N] [--jobs N] [--level NAME]
[--no-run] [--lines WORD] [--record FILE] [--before FILE] [WORD...]

A WORD keeps the files whose name holds it. Options behind -- go to build/tests/random. Exit code 0, but 1
when a program failed and 2 when nothing could be measured.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ("lib/code/", "lib/vm/", "lib/gang/", "lib/mem/", "lib/ops/")

# The compiler, with counters in the rooms that are measured.
COMPILER = """#!/bin/sh
case " $* " in
*" -c "*" lib/code/"*|*" -c "*" lib/vm/"*|*" -c "*" lib/gang/"*|*" -c "*" lib/mem/"*|*" -c "*" lib/ops/"*)
    exec {compiler} --coverage "$@" ;;
*" -c "*) exec {compiler} "$@" ;;
*) exec {compiler} "$@" --coverage -Wl,-u,__gcov_dump ;; # (children that leave by _exit call it)
esac
"""


def build(options):
    folder = os.path.join(ROOT, options.build)
    os.makedirs(folder, exist_ok=True)
    compiler = os.path.join(folder, "cc")
    with open(compiler, "w", encoding="utf-8") as file:
        file.write(COMPILER.format(compiler=os.environ.get("CC", "gcc")))
    os.chmod(compiler, 0o755)
    done = subprocess.run(
        [
            "make",
            f"-j{options.jobs}",
            f"B={options.build}",
            f"CC={compiler}",
            "CFLAGS=-O1",
            "HANDLER_CFLAGS=-O1 -fno-trapping-math",
            f"LEVELS={options.level}",
            os.path.join(options.build, "tests", "random"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit("reach: the build with counters fails\n" + (done.stdout + done.stderr)[-2000:])


def found_of(folder, ending):
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(ending):
                yield os.path.join(where, name)


def run(options):
    for name in list(found_of(os.path.join(ROOT, options.build), ".gcda")):
        os.remove(name)
    command = [
        os.path.join(options.build, "tests", "random"),
        *("--spread", "--levels", options.level),
        *("--shrink", "0", "--keep", os.path.join(options.build, "found")),
        *("--count", str(options.count), "--seed", str(options.seed), "--jobs", str(options.jobs)),
        *("--size", str(options.size)),
        *options.rest,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout.strip(), flush=True)
    return done.returncode


class File:
    """What was reached of one file: {function: count}, {line: [count of each branch]}, {line: count}."""

    def __init__(self):
        self.functions = {}
        self.branches = {}
        self.lines = collections.Counter()

    def add(self, told):
        for function in told["functions"]:
            name = function["demangled_name"]
            self.functions[name] = self.functions.get(name, 0) + function["execution_count"]
        here = collections.defaultdict(list)
        for line in told["lines"]:
            self.lines[line["line_number"]] += line["count"]
            here[line["line_number"]] += [branch["count"] for branch in line["branches"]]
        for number, counts in here.items():
            old = self.branches.get(number, [])
            if len(old) == len(counts):
                counts = [a + b for a, b in zip(old, counts)]
            elif sum(map(bool, old)) > sum(map(bool, counts)):
                counts = old
            if counts:
                self.branches[number] = counts

    def reached(self):
        """(functions reached, functions, branches taken, branches)"""
        taken = [count > 0 for counts in self.branches.values() for count in counts]
        return sum(map(bool, self.functions.values())), len(self.functions), sum(taken), len(taken)


def measure(options):
    files = collections.defaultdict(File)
    notes = sorted(found_of(os.path.join(ROOT, options.build), ".gcno"))
    for start in range(0, len(notes), 16):
        done = subprocess.run(
            ["gcov", "--json-format", "--branch-probabilities", "--branch-counts", "--stdout"]
            + notes[start : start + 16],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        for text in done.stdout.splitlines():
            for told in json.loads(text)["files"]:
                name = os.path.relpath(os.path.join(ROOT, told["file"]), ROOT)
                if name.startswith(ROOMS) and os.path.exists(os.path.join(ROOT, name)):
                    files[name].add(told)
    return files


def print_table(files):
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    print(f"{'':40} functions      branches")
    for name in sorted(files):
        numbers = files[name].reached()
        folder = os.path.dirname(name) + "/"
        for room in {name, folder, "/".join(name.split("/")[:2]) + "/", "all"}:
            if room == name:
                print(f"{name:40} {numbers[0]:4} of {numbers[1]:<4}  {numbers[2]:5} of {numbers[3]:<5}")
            else:
                rooms[room] = [a + b for a, b in zip(rooms[room], numbers)]
    for room, n in sorted(rooms.items()):
        share = f"{100 * n[2] / n[3]:.1f} %" if n[3] else ""
        print(f"{room:40} {n[0]:4} of {n[1]:<4}  {n[2]:5} of {n[3]:<5}  {share}")


def print_untouched(files):
    for name in sorted(files):
        missing = sorted(f for f, count in files[name].functions.items() if not count)
        if missing:
            print(f"not reached: {name}: {', '.join(missing)}")


def print_lines(files, word):
    for name in sorted(n for n in files if word in n):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            text = file.read().split("\n")
        for number, counts in sorted(files[name].branches.items()):
            if not all(counts):
                ways = " ".join(str(c) for c in counts)
                line = text[number - 1].strip() if number <= len(text) else "(the file has no such line)"
                print(f"{name}:{number}: [{ways}] {line}")


def kept(files):
    return {
        name: {"functions": f.functions, "branches": {str(n): c for n, c in f.branches.items()}}
        for name, f in files.items()
    }


def compare(files, before):
    """What is reached now that was not, and the other way round: by function, as lines move."""
    now = kept(files)
    for name in sorted(set(now) & set(before)):
        for function in sorted(set(now[name]["functions"]) & set(before[name]["functions"])):
            old, new = before[name]["functions"][function], now[name]["functions"][function]
            if bool(old) != bool(new):
                print(f"{'reached now' if new else 'no longer reached'}: {name}: {function}")


def main():
    arguments = sys.argv[1:]
    rest = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    parser = argparse.ArgumentParser(
        usage=re.search(r"usage: (.*?)\n\n", __doc__, re.S)[1],
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--build", default=os.path.join("build", "reach"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=24)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--level", default="avx512")
    parser.add_argument("--no-run", action="store_true", help="what was counted the last time")
    parser.add_argument("--lines", metavar="WORD")
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--before", metavar="FILE")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args(arguments[: len(arguments) - len(rest) - ("--" in arguments)])
    options.rest = rest
    failed = 0
    if not options.no_run:
        build(options)
        failed = run(options)
    files = measure(options)
    files = {n: f for n, f in files.items() if not options.words or any(w in n for w in options.words)}
    if not any(count for f in files.values() for count in f.functions.values()):
        print("reach: nothing was counted")
        sys.exit(2)
    print_table(files)
    print_untouched(files)
    if options.lines is not None:
        print_lines(files, options.lines)
    if options.before:
        with open(options.before, encoding="utf-8") as file:
            compare(files, json.load(file))
    if options.record:
        with open(options.record, "w", encoding="utf-8") as file:
            json.dump(kept(files), file)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
