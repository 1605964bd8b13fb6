#!/usr/bin/env python3
"""A name declared twice in a module: each pair draws what NVIDIA's ptxas 13.0 says, word for word.

usage: tests/verdicts/test_redeclared.py [--record PTXAS]

redeclared.tsv has a row for each pair: the first declaration, the second, and the messages with their lines.
--record writes it anew with that program. NVIDIA's crashes for some pairs; those rows are left out.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build")))
TABLE = os.path.join(HERE, "redeclared.tsv")

VARIABLES = (
    ".extern .global .u32 x;",
    ".global .u32 x;",
    ".visible .global .u32 x;",
    ".weak .global .u32 x;",
    ".extern .const .u32 x;",
    ".extern .global .u64 x;",
    ".global .u64 x;",
    ".visible .global .u64 x;",
    ".const .u32 x;",
    ".reg .b32 x;",
    ".reg .b64 x;",
    ".local .b32 x;",
)
FUNCTIONS = (
    ".extern .func x();",
    ".func x();",
    ".func x() { ret; }",
    ".visible .func x() { ret; }",
    ".weak .func x() { ret; }",
    ".entry x() { ret; }",
    ".visible .entry x() { ret; }",
)


def messages(program, first, second):
    """The lines that the program prints, apart by '|'; None when it crashed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "twice.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f".version 8.0\n.target sm_80\n.address_size 64\n{first}\n{second}\n")
            file.write(".global .b8 after[;\n")
        ran = subprocess.run(
            [program, "-c", "-arch=sm_80", "-o", os.path.join(folder, "out"), path],
            capture_output=True,
            text=True,
            timeout=60,
        )
    if ran.returncode < 0:
        return None
    lines = [line for line in ran.stderr.split("\n") if line.startswith("ptxas")]
    return "|".join(line.replace(path + ", ", "") for line in lines)


def record(program):
    declarations = VARIABLES + FUNCTIONS
    with open(TABLE, "w", encoding="utf-8") as file:
        for first in declarations:
            for second in declarations:
                said = messages(program, first, second)
                if said is not None:
                    file.write(f"{first}\t{second}\t{said}\n")


def main():
    if sys.argv[1:2] == ["--record"]:
        record(sys.argv[2])
        return 0
    ptxas, wrong, n = os.path.join(BUILD, "bin", "ptxas"), 0, 0
    with open(TABLE, encoding="utf-8") as file:
        for row in file:
            first, second, wanted = row.rstrip("\n").split("\t")
            said = messages(ptxas, first, second)
            n += 1
            if said != wanted:
                wrong += 1
                print(f"{first} {second}\n  ours   {said}\n  theirs {wanted}")
    print(f"{n} pairs, {wrong} wrong")
    return bool(wrong) or n < 300


sys.exit(main())
