#!/usr/bin/env python3
"""ptxvm --hot against the definitions of sector and bank (patterns.py), for one access of a warp after the
other, and against what ncu measured on a chip, where recorded.tsv has that (record.py)."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PTXVM = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "ptxvm")
sys.path.insert(0, HERE)
import patterns  # noqa: E402


def measured(case, file):
    kernel, start, step, turn = case
    values = ("u8[16384]=zeros", start, step, turn, "u32[1]=zeros")
    words = [word for value in values for word in ("-a", str(value))]
    command = [PTXVM, os.path.join(HERE, "patterns.ptx"), "-k", kernel, "-b", "32", *words, "--quiet"]
    subprocess.run([*command, f"--hot=json:{file}"], check=True)
    with open(file, encoding="utf-8") as text:
        (told,) = json.load(text)
    return told["sectors"] if kernel.startswith("global") else told["wavefronts"]


def recorded():
    path = os.path.join(HERE, "recorded.tsv")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = [line.split("\t") for line in file]
    return {(row[0], *map(int, row[1:4])): int(row[4]) for row in rows}


def main():
    passed = failed = 0
    chip = recorded()
    with tempfile.TemporaryDirectory() as folder:
        for case in patterns.cases():
            got = measured(case, os.path.join(folder, "hot.json"))
            for want in [patterns.expected(case)] + [chip[c] for c in (case,) if c in chip]:
                passed += got == want
                failed += got != want
                if got != want:
                    print("FAIL", case, "is", got, "expected", want)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
