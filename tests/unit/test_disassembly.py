#!/usr/bin/env python3
"""What objdump reads in the bytes of each machine form is what the form says (docs/regions.md): its
instructions in their order, comparisons by their names, and nothing that is no instruction.
Usage: test_disassembly.py [TEST_REGIONS]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build"))
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else os.path.join(BUILD, "tests", "test_regions")
INTEGERS = {0: "eq", 1: "lt", 2: "le", 4: "neq", 5: "nlt", 6: "nle"}
FLOATS = {0: "eq", 3: "unord", 4: "neq", 7: "ord", 8: "eq_uq", 12: "neq_oq", 17: "lt_oq", 18: "le_oq",
          21: "nlt_uq", 22: "nle_uq", 25: "nge_uq", 26: "ngt_uq", 29: "ge_oq", 30: "gt_oq"}


def instructions(text):
    """The names that objdump gives the steps of a form."""
    for step in text.split(";"):
        name, operands = step.split(None, 1)
        number = re.search(r"#(\d+)", operands)
        if name == "vcmpps":
            name = "vcmp" + FLOATS[int(number[1])] + "ps"
        elif number:
            name = "vpcmp" + INTEGERS[int(number[1])] + name[5:]
        yield name


def disassembled(code, folder):
    path = os.path.join(folder, "code")
    with open(path, "wb") as file:
        file.write(code)
    lines = subprocess.run(
        ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn", path],
        check=True, capture_output=True, text=True).stdout.splitlines()
    return [m[1] for m in (re.match(r"\s+[0-9a-f]+:\s+(.*)", line) for line in lines) if m]


def wrong(text, code, folder):
    """What is wrong with the code of a form, or None."""
    lines = disassembled(code, folder)
    names = [line.split()[0] for line in lines]
    if any("(bad)" in line for line in lines):
        return "bytes that are no instruction"
    if names[-1] != "ret":
        return "the last instruction is " + names[-1]
    at = 0
    for name in instructions(text):
        if name not in names[at:]:
            return f"no {name} behind the {at} instructions before it"
        at = names.index(name, at) + 1
    return None


def main():
    if not shutil.which("objdump"):
        print("objdump is not there")
        return 77
    done = subprocess.run([PROGRAM, "--write"], capture_output=True, text=True)
    if done.returncode:
        print("this machine has no AVX-512")
        return 77
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for line in done.stdout.splitlines():
            name, text, code = line.split(" | ")
            why = wrong(text, bytes.fromhex(code), folder)
            passed += not why
            failed += bool(why)
            if why:
                print(f"{name}: '{text}': {why}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or not passed


sys.exit(main())
