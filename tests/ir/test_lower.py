#!/usr/bin/env python3
"""Lowering alone: each case of tests/ir/lower.cases is a few instructions and the IR that `ptxvm
--dump-ir=lower` must show for them. Usage: test_lower.py [PTXVM]"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
.reg .pred %p, %q;
.reg .b16 %h<8>;
.reg .b32 %r<8>;
.reg .b64 %d<8>;
.reg .f32 %f<8>;
.reg .f64 %e<8>;
"""
TAIL = "ret;\n}\n"
END = ["* ret ! fp=home", "ir.end ! fp=home"]


def cases():
    with open(os.path.join(HERE, "lower.cases"), encoding="utf-8") as file:
        for text in file.read().split("\n== ")[1:]:
            name, rest = text.split("\n", 1)
            body, wanted = rest.split("--\n", 1)
            yield name, body, wanted.split("\n")


def numbered(lines):
    """Temporaries by the order in which they come."""
    numbers = {}
    return [re.sub(r"\$\d+", lambda m: f"${numbers.setdefault(m[0], len(numbers))}", s) for s in lines]


def lowered(ptxvm, body):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(HEAD + body + TAIL)
        file.flush()
        done = subprocess.run([ptxvm, "--dump-ir=lower", file.name], capture_output=True, text=True)
    if done.returncode:
        return [done.stderr.strip()]
    lines = [line.strip() for line in done.stdout.splitlines()]
    first = next((i for i, line in enumerate(lines) if line.startswith("|")), 0)
    lines = [line for line in lines[first:] if not line.startswith("|")]
    return numbered(lines[:-2] if lines[-2:] == END else lines)


def main():
    build = os.environ.get("BUILD", os.path.join(os.path.dirname(os.path.dirname(HERE)), "build"))
    ptxvm = sys.argv[1] if len(sys.argv) > 1 else os.path.join(build, "bin", "ptxvm")
    passed = failed = 0
    for name, body, wanted in cases():
        got = lowered(os.path.abspath(ptxvm), body)
        wanted = [line for line in wanted if line]
        passed += got == wanted
        failed += got != wanted
        if got != wanted:
            print(f"tests/ir/lower.cases: {name}:", *("  wanted " + s for s in wanted), sep="\n")
            print(*("  got    " + s for s in got), sep="\n")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
