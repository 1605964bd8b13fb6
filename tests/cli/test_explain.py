#!/usr/bin/env python3
"""Every code of diag.def is explained by ptxas --explain, and its example is true.

The wrong module draws exactly the message with this code (and no other error), the right one draws nothing. Examples
are there for all codes but those of NO_EXAMPLE.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PTXAS = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "ptxas")

NO_EXAMPLE = set((
    "E0002 E0003 "  # a NUL byte, and a byte that is no ASCII
    "I0101 I0102 "  # what -v and --profile=all add; nothing is wrong
    "E0601 E0602 E0603 E0604 E0605 E0606 E0701 E0702 W0701 "  # about files and the preprocessor, not about a text
    # still without one: most say the same fault as a message that has an example, about other instructions
    "E0116 W0101 E0217 E0242 E0304 E0306 E0307 E0434 E0436 E0438 E0440 E1021 E1024 E1026 E1028 E1030 "
    "E1031 E1033 E1035 E1036 E1037 E1045 E1104 E1115 E1132 E1141 E1206 E1207 E1145 E1146 "
    "E1147 E1148 E1149 E1150 E1151 E1152 E1153 E1047 E1048 E1208 E1209 "
).split())


def codes():
    for name in ("diag.def", "diag_inst.def"):
        with open(os.path.join(ROOT, "lib", "base", name), encoding="utf-8") as f:
            yield from re.findall(r'^PX_DIAG\(\w+, "([EWI]\d{4})"', f.read(), re.M)


def ptxas(*arguments):
    return subprocess.run([PTXAS, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, text=True)


def found(folder, arguments, text):
    """codes of what a module draws, without the information that --profile=all adds"""
    path = os.path.join(folder, "example.ptx")
    with open(path, "w", encoding="utf-8") as f:
        f.write(re.sub("^    ", "", text, flags=re.M))
    said = json.loads(ptxas("--diagnostics=json", *arguments, path).stderr)
    return [d["code"] for d in said if d["severity"] != "info"]


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
    wrong = found(folder, arguments, example[3])
    right = found(folder, arguments, example[4])
    if set(wrong) != {code}:
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
