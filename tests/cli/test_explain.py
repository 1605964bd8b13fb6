#!/usr/bin/env python3
"""Every code of diag.def is explained by ptxas --explain, and its example is true.

The wrong module draws exactly the message with this code (and those of COMPANIONS), the right one draws
nothing.
Examples are there for all codes but those of NO_EXAMPLE, so a code that nothing raises cannot stay in the
tables.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PTXAS = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "ptxas")

# No text can draw these, whatever the options: a NUL byte cannot be shown, and the others are about files
# that are no PTX text or are not there, or about several files.
NO_EXAMPLE = set(
    "E0002 E0601 E0602 E0603 E0604 E0605 E0606 E0702 E0801 E0802 E0803 E0804 E0805 E0806 E0807 E0808 E0810 "
    "E0813".split()
)

# ptxas says two things of the fault, so the module must draw both.
COMPANIONS = {
    "W0101": {"E0110"},  # a 32-bit address: the place, and that the target has only 64-bit addresses
    "W0102": {"E0116"},  # 32-bit addresses: hosts have 64 bits, and nothing compiles for 32
    "E0110": {"W0102"},
    "E0116": {"W0102"},
    "E0217": {"E0216"},  # a vector of an opaque type: never allowed, and too large
    "E0419": {"E0202"},  # a name of a variable and a function: ptxas finds the variable first
    "E0434": {"E0431"},  # a register for an array parameter: also another type
}


def codes():
    for path in sorted(glob.glob(os.path.join(ROOT, "lib", "base", "diag*.def"))):
        with open(path, encoding="utf-8") as f:
            yield from re.findall(r'^PX_DIAG\(\w+,\s+"([A-Z]\d{4})"', f.read(), re.M)


def ptxas(*arguments):
    return subprocess.run(
        [PTXAS, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=60,
        text=True,
    )


def found(folder, arguments, text, info):
    """codes of what a module draws, with or without the information that --profile=all adds"""
    path = os.path.join(folder, "example.ptx")
    with open(path, "w", encoding="utf-8") as f:
        f.write(re.sub("^    ", "", text, flags=re.M))
    said = json.loads(ptxas("--diagnostics=json", *arguments, path).stderr)
    return [d["code"] for d in said if info or d["severity"] != "info"]


def judge(code, folder):
    """What is wrong with the explanation of a code, or None."""
    said = ptxas("--explain", code)
    if said.returncode or not said.stdout.startswith(code + ": ") or len(said.stdout) < 20:
        return "no explanation"
    example = re.search(r"^Wrong( \(ptxas (.*)\))?:\n(.*?)^Right:\n(.*)", said.stdout, re.M | re.S)
    if code in NO_EXAMPLE:
        return "has an example; take it off the list" if example else None
    if not example:
        return "no example"
    arguments = example[2].split() if example[2] else []
    if "--cpp" in arguments and not shutil.which("cpp"):
        return None
    wrong = found(folder, arguments, example[3], code[0] == "I")
    right = found(folder, arguments, example[4], code[0] == "I")
    if set(wrong) != {code} | COMPANIONS.get(code, set()):
        return "the wrong module draws %s" % wrong
    return "the right module draws %s" % right if right else None


def main():
    bad = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for code in codes():
            total += 1
            complaint = judge(code, folder)
            if complaint:
                bad += 1
                print("%s: %s" % (code, complaint))
    print("%d passed, %d failed" % (total - bad, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
