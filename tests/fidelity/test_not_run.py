#!/usr/bin/env python3
"""Every form of the instruction table that does not run is a fault where it is reached, with four things:
file and place, the line, a caret under the instruction, and the page that lists what runs; --coverage names
it before.

build/tests/not_run writes a kernel with each form; ptxvm is asked to run it. The forms that sm_90 and sm_90a
have in PTX 9.0 must be of the families of MISSING: no other may be left.
"""
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tally import Tally  # noqa: E402

BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
PTXVM = os.environ.get("PTXVM", os.path.join(BUILD, "bin", "ptxvm"))
# What of sm_90 does not run, as docs/fidelity-forms.md says why.
MISSING = {
    "memory of several devices",
    "no form of the manual; the assembler makes no instruction of it",
    "no form of the manual; the assembler takes the numbers for f16",
    "needs a later target",
}


def ptxvm(*options):
    command = [PTXVM, "--profile", "all", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def missing_of(path, line, syntax):
    """What the refusal of a module lacks; empty when it has all."""
    text = open(path).read().splitlines()[line - 1]
    opcode = re.split(r"[.{ ]", syntax)[0]
    column = len(text) - len(text.lstrip()) + 1
    place = f"{path}:{line}:{column}: '{opcode}"
    code, out = ptxvm("-k", "k", path)
    said = out.splitlines()
    lacks = []
    reached = f"CUDA_ERROR_NOT_SUPPORTED (801): '{opcode}", f"  at           {path}:{line}\n"
    if code != 3 or not all(part in out for part in reached):
        lacks.append(f"place {place} (exit code {code})")
    shown = [m[1] for m in (re.match(rf"\s*{line} \|\s*(.*?)(?:\.\.\.)?$", s) for s in said) if m]
    if not any(s.startswith(opcode) and s in text for s in shown):  # of long ones the beginning
        lacks.append("line")
    if not any(re.fullmatch(r"\s*\|\s*\^~*", s) for s in said):
        lacks.append("caret")
    if "fidelity-forms.md" not in out:
        lacks.append("page")
    code, out = ptxvm("--coverage", path)
    if code != 1 or place not in out or "\n1 places cannot be run" not in out:
        lacks.append("coverage")
    return lacks and f"lacks {', '.join(lacks)}: {out}"


def reasons():
    """Of the forms that sm_90 has: how many do not run for which reason, by docs/fidelity-forms.md."""
    found = collections.Counter()
    for line in open(os.path.join(ROOT, "docs", "fidelity-forms.md")):
        reason = re.match(r"- `.*`: not run, (.*)$", line)
        if reason:
            found[reason[1]] += 1
    return found


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        written = subprocess.run(
            [os.path.join(BUILD, "tests", "not_run"), folder], stdout=subprocess.PIPE, check=True
        ).stdout.decode()
        forms = [line.split("\t") for line in written.splitlines()]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [
                pool.submit(missing_of, os.path.join(folder, f"{number}.ptx"), int(line), syntax)
                if int(line)
                else None
                for number, line, syntax in forms
            ]
            for (number, line, syntax), job in zip(forms, jobs):
                lacks = job.result() if job else "no instruction of it was found"
                tally.check(f"form {number} {syntax}", not lacks, lacks)
    tally.check("some forms do not run", len(forms) > 0)
    for reason, count in reasons().items():
        known = reason in MISSING
        tally.check(f"reason {reason!r} of {count} forms", known, "is none that docs/ptxvm.md gives")
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
