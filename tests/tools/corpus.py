"""The PTX files that the tests of the tools go through: all of tests/ and samples/, the frozen accepted
instructions of tests/verdicts, and texts made to be hard."""
import glob
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tally import Tally  # noqa: E402, F401  (for those who import this)

BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
PTXAS = os.path.join(BUILD, "bin", "ptxas")
SMALL = bool(os.environ.get("PTXVM_TEST_SMALL"))

# After ".func ": a function of a few lines.
TWICE = """(.param .b32 r) twice(.param .b32 a)
{
    .reg .b32 %x<3>;
    ld.param.u32 %x1, [a];
    add.u32 %x2, %x1, %x1;
    st.param.b32 [r], %x2;
    ret;
}
"""


def ptxas(*arguments, text=None):
    """(exit code, standard output, standard error) as bytes."""
    done = subprocess.run([PTXAS, *arguments], input=text, capture_output=True, check=False, timeout=300)
    return done.returncode, done.stdout, done.stderr


def files():
    found = []
    for folder in ("tests", "samples"):
        found += glob.glob(os.path.join(ROOT, folder, "**", "*.ptx"), recursive=True)
    return sorted(found)


def frozen_modules(name, most):
    """Modules of tests/verdicts/NAME, accepted pieces between the prefix and suffix before them."""
    prefix = suffix = ""
    modules = []
    with open(os.path.join(ROOT, "tests", "verdicts", name), encoding="utf-8", errors="replace") as file:
        for block in file.read().split("\n---- prefix\n")[1:]:
            head, *pieces = block.split("\n==== ")
            prefix, _, suffix = head.partition("\n---- suffix\n")
            for piece in pieces:
                first, _, body = piece.partition("\n")
                if first.endswith(" accept"):
                    modules.append((prefix + "\n" + body + "\n" + suffix + "\n").encode())
    return modules[:: max(1, len(modules) // most)]
