#!/usr/bin/env python3
"""NVIDIA's libraries on the virtual device: libraries/*.c, built here against the user's toolkit.

Sums of what devices wrote are compared with those that an H100 wrote (libraries/chip).
Each program says of each function whether the result is equal to what plain C (exact integers) or
NVIDIA's own host code gives, within bounds, refused with which status, or wrong. Nothing may be wrong.
With toolkit 13.0 the counts must be those of the table in docs/dropin.md; --write puts them there.

usage: test_libraries.py [--write]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
PTXVM = os.path.join(BUILD, "bin", "ptxvm")
TABLE = os.path.join(ROOT, "docs", "dropin.md")
BEGIN, END = "<!-- test_libraries.py -->\n", "<!-- end -->\n"
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tally import Tally  # noqa: E402

tally = Tally()

# program: the library's name, its header, what is linked
PROGRAMS = {
    "rand": ("cuRAND", "curand.h", ("curand",)),
    "blas": ("cuBLAS", "cublas_v2.h", ("cublas", "cublasLt")),
    "fft": ("cuFFT", "cufft.h", ("cufft",)),
    "sparse": ("cuSPARSE", "cusparse.h", ("cusparse",)),
    "solver": ("cuSOLVER", "cusolverDn.h", ("cusolver",)),
    "dnn": ("cuDNN", "cudnn.h", ("cudnn",)),
    "nccl": ("NCCL", "nccl.h", ("nccl",)),
}
VERDICTS = ("equal", "bounds", "refused")


def toolkit():
    """The folder of the toolkit whose nvcc is on PATH or where it is usually installed; None.

    A program of that name without the headers beside it (a wrapper) is no toolkit."""
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    home = nvcc and os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    return home if home and os.path.exists(os.path.join(home, "include", "cuda.h")) else None


def release(home):
    with open(os.path.join(home, "include", "cuda.h"), encoding="utf-8") as file:
        number = int(re.search(r"#define CUDA_VERSION (\d+)", file.read()).group(1))
    return f"{number // 1000}.{number % 1000 // 10}"


def build(home, name, libraries):
    """The program; None when it does not compile."""
    folder = os.path.join(home, "lib64")
    words = [f"-l{library}" for library in libraries] + ["-lcudart", "-lm"]
    path = (f"-L{folder}", f"-Wl,-rpath,{folder}", f"-Wl,-rpath-link,{folder}")
    source = os.path.join(HERE, "libraries", name + ".c")
    command = ["gcc", "-O1", "-w", "-isystem", os.path.join(home, "include"), "-o", name, source]
    done = subprocess.run([*command, *path, *words], capture_output=True, text=True, timeout=300)
    return "./" + name if tally.check(f"compiling {name}.c", done.returncode == 0, done.stderr) else None


def run(home, program):
    """What the program says: {function: (verdict, detail)}, and lines with sums."""
    # cuDNN's PTX may be newer than the toolkit's. The archive of the runtime is the toolkit's.
    words = (PTXVM, "--arch", "sm_121", "--profile", "all", "--exec", program)
    here = dict(os.environ, PTXVM_LOG="off", PTXVM_CUDART=os.path.join(home, "lib64"))
    here["XDG_CACHE_HOME"] = os.path.abspath("cache")
    here["LIBRARY_SUMS"] = "1"
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, env=here)
    tally.check(program, done.returncode == 0 and done.stdout, f"exit code {done.returncode}\n{done.stderr}")
    said = {}
    for line in done.stdout.splitlines():
        found = re.fullmatch(r"(.*?) (equal|bounds|refused|wrong|none)(?: (.*))?", line)
        if found:  # cuSPARSE has lines of its own
            said[found.group(1)] = (found.group(2), found.group(3))
    return said, {line for line in done.stdout.splitlines() if " sum " in line}


def chip(name, sums):
    """How many sums are an H100's, of how many."""
    path = os.path.join(HERE, "libraries", "chip", name + ".txt")
    if not os.path.exists(path):
        return "-"
    with open(path, encoding="utf-8") as file:
        return f"{len(sums & set(file.read().splitlines()))} of {len(sums)}"


def row(library, said, same):
    """A line of the table."""
    names = {v: [f for f, (verdict, _) in said.items() if verdict == v] for v in VERDICTS}
    tried = sum(len(some) for some in names.values())
    equal, bounds = len(names["equal"]), len(names["bounds"])
    refused = ", ".join(f"`{function}` ({said[function][1]})" for function in names["refused"])
    return f"| {library} | {tried} | {equal} | {bounds} | {same} | {refused or 'none'} |\n"


def table(rows):
    head = "| library | functions tried | equal | within bounds | bits of an H100 | refused (status) |\n"
    head += "|---|---|---|---|---|---|\n"
    return BEGIN + head + "".join(rows) + END


def compare(rows, known, write):
    """The table of docs/dropin.md against what was measured."""
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    if write:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(text[:begin] + table(rows) + text[end:])
    elif known:
        for line in rows:
            tally.check("docs/dropin.md", line in text[begin:end], f"has not: {line}")


def main():
    home = toolkit()
    if not home:
        tally.skip("NVIDIA's libraries", "there is no toolkit")
        return tally.end()
    if "san-" in BUILD:
        print("--exec preloads before a sanitizer's runtime")
        return 77
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, (library, header, libraries) in PROGRAMS.items():
            if not os.path.exists(os.path.join(home, "include", header)):
                tally.skip(library, f"there is no {header}")
                continue
            program = build(home, name, libraries)
            said, sums = run(home, program) if program else ({}, set())
            wrong = [f"{f} {' '.join(v)}" for f, v in said.items() if v[0] not in VERDICTS + ("none",)]
            tally.check(f"{library}: nothing is wrong", not wrong, "; ".join(wrong))
            rows.append(row(library, said, chip(name, sums)))
        os.chdir(ROOT)
    compare(rows, release(home) == "13.0", sys.argv[1:] == ["--write"])
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
