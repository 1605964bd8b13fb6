#!/usr/bin/env python3
"""Freezes the oracle's verdicts about instruction forms for test_isa.c.

usage: freeze.py INVENTORY [MORE...]
   INVENTORY/accept/*.ptx: modules, or lines of them, that NVIDIA's ptxas 13.0 accepts; MORE: further such
   folders
   INVENTORY/checks-a.tsv: single instructions with its verdict

Writes forms.txt (for each opcode the modifier lists that were accepted, each once, common beginnings folded)
and neighbours.txt (target, version, verdict, instruction). The test reads only these two files.
"""
import collections
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# exact: the inventory tried every combination; sample: it tried a covering part of them
EXACT = (
    "tex tld4 suld sust sured mma wmma prmt shfl cvt mad brx call mbarrier txq suq ldmatrix stmatrix".split()
)
SAMPLE = "ld st atom red setp set wgmma cp tcgen05 multimem".split()
INSTRUCTION = re.compile(r"\s*(?:@!?%\w+\s+)?([a-z]\w*)((?:\.[\w:]+)*)[\s;]")


def accepted(folders):
    forms = collections.defaultdict(set)
    for name in (n for folder in folders for n in glob.glob(os.path.join(folder, "accept", "*.ptx"))):
        with open(name, errors="replace") as file:
            for line in file:
                found = INSTRUCTION.match(line)
                if found and found.group(1) in EXACT + SAMPLE:
                    forms[found.group(1)].add(found.group(2))
    return forms


def write_forms(folders):
    forms = accepted(folders)
    with open(os.path.join(HERE, "forms.txt"), "w") as out:
        out.write(
            "# Made by freeze.py: modifiers that ptxas 13.0 accepts. \"N+rest\" repeats the first N"
            " characters of the line before.\n"
        )
        for opcode in EXACT + SAMPLE:
            out.write(f"{opcode} {'exact' if opcode in EXACT else 'sample'}\n")
            last = ""
            for mods in sorted(forms[opcode]):
                same = len(os.path.commonprefix([last, mods]))
                out.write(f" {same}+{mods[same:]}\n")
                last = mods


def write_neighbours(folder):
    with open(os.path.join(folder, "checks-a.tsv")) as file, open(
        os.path.join(HERE, "neighbours.txt"), "w"
    ) as out:
        out.write("# Made by freeze.py: target, version, verdict of ptxas 13.0, instruction.\n")
        for line in file.read().splitlines()[1:]:
            target, version, verdict, text = line.split("\t")[:4]
            if verdict in ("accepted", "refused"):
                out.write(f"{target} {version} {verdict} {text}\n")


if __name__ == "__main__":
    write_forms(sys.argv[1:])
    write_neighbours(sys.argv[1])
