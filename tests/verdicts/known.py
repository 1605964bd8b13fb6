#!/usr/bin/env python3
"""Brings known.tsv up to date: rows that agree now go, new disagreements come in, reasons given by hand stay.

usage: tests/verdicts/known.py build/tests/test_verdicts   (from the root of the project)

Look at the difference before committing it: a new row is a regression until somebody has said why it is not.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "known.tsv")
HEAD = """# Frozen verdicts where we are known to differ from ptxas 13.0: id, what differs, why.
# `test_verdicts --disagreements` lists them; known.py rewrites this file.
# "open:" stands before differences that are still to be closed.
"""

# Reasons that cover many rows: a pattern of ptxas's (or our) message, and the words for it.
REASONS = [
    (
        r"ptxas: refuses line 0 .*32-Bit (ABI|compilation)",
        "found by ptxas in code generation: use of a 32-bit address",
    ),
    (
        (
            r"ptxas: refuses line \d+ (Parsing error near '(;|\.x|\+)'|(Alignment|Type) of argument does not"
            r" match formal parameter '(dst|src)\d)"
        ),
        "found by ptxas in the expansion of the instruction, in a line of that",
    ),
    (r"ptxas: refuses line 0 ", "found by ptxas after checking, without a line"),
]


def read():
    if not os.path.exists(PATH):
        return {}
    with open(PATH, encoding="utf-8") as f:
        rows = [l.rstrip("\n").split("\t") for l in f if not l.startswith("#")]
    return {(r[0], r[1]): r[2] for r in rows if len(r) == 3}


def reason(detail):
    for pattern, words in REASONS:
        if re.search(pattern, detail):
            return words + "; " + detail
    return "open: " + detail


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = subprocess.run([sys.argv[1], "--disagreements"], stdout=subprocess.PIPE, check=True).stdout
    old, rows, new = read(), [], 0
    for line in out.decode("utf-8", "replace").splitlines():
        id_, what, detail = line.split("\t", 2)
        detail = " ".join(detail.split())
        new += (id_, what) not in old
        why = old.get((id_, what), "open:")
        rows.append((id_, what, reason(detail) if why.startswith("open:") else why))
    with open(PATH, "w", encoding="utf-8") as f:
        f.write(HEAD + "".join("%s\t%s\t%s\n" % r for r in sorted(set(rows))))
    print("known.tsv: %d rows, %d new, %d gone" % (len(rows), new, len(old) - (len(rows) - new)))


if __name__ == "__main__":
    main()
