#!/usr/bin/env python3
"""Replays tests/exec with the reference: what those files expect was not computed by it, and orders do not
matter.

usage: tests/reference/test_reference.py [--seeds N] [--all] [--verbose] [--parts | --part K/N] [WORD...]

Every "// PTXVM:" line that the command build/tests/reference understands is run with N seeds (4). Its
--expect must
hold; where the line expects a fault, a deadlock or a limit, the reference must end so. Lines with other
options are
counted as not run, and so are those that take minutes, unless --all is given; at least FLOOR lines must be
run. --parts lists parts that can run side by side, each every Nth of the lines that are understood.
"""
import glob
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.environ.get("REFERENCE") or os.path.join(
    os.environ.get("BUILD", os.path.join(ROOT, "build")), "tests", "reference"
)
KEPT = {"-k", "-g", "-b", "-s", "-a", "--expect", "--max-steps"}
DROPPED = {"--expect-output", "--print"}  # they ask about ptxvm's words
FLOOR = 260
PARTS = 4
# Kernels that hang when lanes that meet go on in any order: one lane may see the flag, and its neighbours
# not.
ORDERED = {"i_syncspin", "i2_syncspin_rev"}
# Lanes of a warp arrive at an mbarrier together on the chip and in the engine, in the reference one by one:
# that there are more of them than are missing it never sees.
TOGETHER = {"over"}
# Three thousand million instructions, a minute a seed: run with --all only.
LONG = {"moved"}
# Bits that follow from what ptxas simplifies; the reference does what is written.
SIMPLIFIED = {"nan_signs.ptx", "nan_two_f64.ptx"}
# Sinks of stores are written back as they were here; and what the chip takes for another parameter.
DIFFERENT = {"store_sinks.ptx", "parameter_generic.ptx"}
# What only asks again never ends here. The first seed shows that by far; the others try more orders.
ENDLESS_STEPS, ENDLESS_STEPS_AGAIN = 20000000, 2000000


def understood(words):
    """(options of the command, what the last line must begin with, whether it never ends); None for lines
    of other options."""
    options, ends, endless = [], "", False
    for option, value in zip(words[::2], words[1::2]):
        if option in KEPT:
            options += [option, value]
        elif option == "--expect-fault" and value == "801":
            ends = ("does not assemble", "the reference ")
        elif option == "--expect-fault":
            ends = f"fault {value}"
        elif option == "--expect-exit" and value == "5":
            ends = ("deadlock", "limit")
            endless = True
        elif option == "--expect-exit" and value == "4":
            ends = "fault"
        elif option == "--expect-exit" and value == "3":
            ends = "does not"
        elif option == "--expect-error":
            ends = ("does not assemble", "the reference ")
        elif option == "--approx" and value == "chip":
            continue
        elif option not in DROPPED:
            return None
    return options, ends, endless


def wrong(path, options, ends, endless, seed):
    """Why the run is not what the line says; None when it is."""
    if endless:
        options = options + ["--max-steps", str(ENDLESS_STEPS_AGAIN if seed else ENDLESS_STEPS)]
    done = subprocess.run(
        [COMMAND, "--seed", str(seed)] + options + [path],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    output = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode == 2 or (
        output.startswith("does not link: Undefined reference") and ends != "does not"
    ):
        return "not run: " + output
    if "the reference does not run" in output and "the reference " not in ends:
        return "not run: " + output
    if ends:
        return None if done.returncode == 3 and output.startswith(ends) else f"expected {ends}: {output}"
    return None if done.returncode == 0 else output


def main():
    words, seeds, verbose, left, part, parts = [], 4, False, ORDERED | TOGETHER | LONG, 0, 1
    arguments = iter(sys.argv[1:])
    for word in arguments:
        if word == "--seeds":
            seeds = int(next(arguments))
        elif word == "--all":
            left = ORDERED | TOGETHER
        elif word == "--verbose":
            verbose = True
        elif word == "--parts":
            print("\n".join(f"{k}/{PARTS}" for k in range(PARTS)))
            return 0
        elif word == "--part":
            part, parts = map(int, next(arguments).split("/"))
        else:
            words.append(word)
    ran = bad = asked = 0
    left_out = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "exec", "**", "*.ptx"), recursive=True)):
        name = os.path.relpath(path, ROOT)
        if words and not any(word in name for word in words):
            continue
        with open(path, encoding="utf-8") as file:
            lines = [line.split("PTXVM:", 1)[1] for line in file if line.startswith("// PTXVM:")]
        for number, line in enumerate(lines, 1):
            is_left = left & set(shlex.split(line)) or os.path.basename(path) in SIMPLIFIED | DIFFERENT
            what = None if is_left else understood(shlex.split(line))
            asked += what is not None
            if asked % parts != part:
                continue
            verdicts = (
                [wrong(path, *what, seed) for seed in range(seeds)] if what else ["not run: its options"]
            )
            fault = next((v for v in verdicts if v), None)
            if fault and fault.startswith("not run"):
                left_out.append(f"{name} ({number}): {fault}")
            else:
                ran += 1
                bad += fault is not None
                if fault:
                    print(f"{name} ({number}): {fault}")
    if verbose:
        print("\n".join(left_out))
    print(f"{ran} lines run with {seeds} seeds each, {bad} wrong, {len(left_out)} not run")
    if not words and ran < FLOOR // parts:
        print(f"at least {FLOOR // parts} lines were run before")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
