#!/usr/bin/env python3
"""Random C programs, compiled to PTX and run: checks compilers' output, the checker and the VM in one go.

csmith makes programs without undefined behaviour. Each is compiled for the host, whose result is the
expectation, and
to PTX by every compiler found: nvcc (optimised, and -G) and LLVM (clang and llc, -O0 and -O2). Our ptxas must
accept
each module and ptxvm must compute the host's result.

usage: csmith.py [--build DIR] [--seed N] [--programs N] [--keep DIR]

One line a failure, whose files are kept, and one of counts at the end; exit code 1 after a failure. Where
csmith or
all PTX compilers are missing, it says so and does nothing.
"""
import argparse
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = {"host": 5, "compile": 120, "check": 60, "run": 120}
KERNEL = "start"
HOST_TAIL = """
#include <cstdio>
void take(uint32_t checksum) { (std::printf)("%u\\n", checksum); }
int main() { program(); return 0; }
"""
DEVICE_TAIL = """
PLACE uint32_t answer;
PLACE void take(uint32_t checksum) { answer = checksum; }
extern "C" GLOBAL void start(uint32_t *out) { program(); *out = answer; }
"""


class Failed(Exception):
    """A step that should have worked: its name and what it said."""


def run(words, seconds, cwd):
    """Output of a command; None when it takes too long."""
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            timeout=seconds,
            text=True,
            stdin=subprocess.DEVNULL,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        raise Failed(
            f"{os.path.basename(words[0])}: exit code {done.returncode}: {(done.stderr or done.stdout)[:300]}"
        )
    return done.stdout


def write(folder, name, *texts):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write("".join(texts))


def find_package_headers():
    found = glob.glob("/usr/include/csmith*/safe_math.h") + glob.glob(
        "/usr/local/include/csmith*/safe_math.h"
    )
    return os.path.dirname(os.path.dirname(found[0])) if found else None


# ---- PTX compilers: make FOLDER/out.ptx of FOLDER/program.c; None: this compiler cannot take the program
# ----


def with_device_words(text):
    """Everything at file scope is device code."""
    text = re.sub(r"^static ", "static PLACE ", text, flags=re.M)
    text = re.sub(r"^(const|volatile) ", r"static PLACE \1 ", text, flags=re.M)
    return re.sub(r"^int main", "PLACE int program", text, flags=re.M)


def nvcc(folder, text, options):
    write(
        folder,
        "program.cu",
        "#define PLACE __device__\n#define GLOBAL __global__\n",
        with_device_words(text),
        DEVICE_TAIL,
    )
    try:
        run(
            ["nvcc", "-w", "-arch=sm_90", *options, "-I", HERE, "-ptx", "program.cu", "-o", "out.ptx"],
            SECONDS["compile"],
            folder,
        )
    except Failed as failed:
        if "dynamic initialization is not supported" in str(failed):
            return False  # an address of an element in an initialiser
        raise
    return True


def llvm(folder, text, options):
    write(folder, "program.cc", "#define PLACE\n#define GLOBAL\n#define main program\n", text, DEVICE_TAIL)
    run(
        [
            "clang",
            "-w",
            "-Wno-c++11-narrowing",
            "-x",
            "c++",
            "--target=nvptx64-nvidia-cuda",
            "-Xclang",
            "-target-cpu",
            "-Xclang",
            "sm_75",
            "-ffreestanding",
            "-I",
            HERE,
            "-idirafter",
            find_package_headers(),
            "-fwrapv",
            "-fno-strict-aliasing",
            *options,
            "-S",
            "-emit-llvm",
            "program.cc",
            "-o",
            "program.ll",
        ],
        SECONDS["compile"],
        folder,
    )
    path = os.path.join(folder, "program.ll")
    with open(path, encoding="utf-8") as file:
        code = file.read()
    if re.search(r"^@\w+ = .*global i1 ", code, flags=re.M):
        return False  # LLVM 14 gives such a variable one byte and reads two
    write(
        folder,
        "program.ll",
        re.sub(
            r"^define dso_local void @start\(", "define dso_local ptx_kernel void @start(", code, flags=re.M
        ),
    )
    try:
        run(
            [
                "llc",
                "-march=nvptx64",
                "-mcpu=sm_75",
                "-mattr=+ptx72",
                *options,
                "program.ll",
                "-o",
                "out.ptx",
            ],
            SECONDS["compile"],
            folder,
        )
    except Failed as failed:
        if "Unsupported expression in static initializer" in str(
            failed
        ) or "Undefined external symbol" in str(failed):
            return False  # addresses of variables in initialisers; calls of memcpy and memset
        raise
    return True


COMPILERS = [
    ("nvcc", ["nvcc"], nvcc, []),
    ("nvcc -G", ["nvcc"], nvcc, ["-G"]),
    ("llvm -O0", ["clang", "llc"], llvm, ["-O0"]),
    ("llvm -O2", ["clang", "llc"], llvm, ["-O2"]),
]


# ---- one program ----


def generate(folder, seed):
    """A program's text; every second one without pointers, which all compilers take."""
    words = [
        "csmith",
        "--seed",
        str(seed),
        "--no-argc",
        "--lang-cpp",
        "--cpp11",
        "--no-structs",
        "--no-unions",
        "--max-funcs",
        str(3 + seed % 6),
    ]
    return run(words + (["--no-pointers"] if seed % 2 else []), SECONDS["compile"], folder)


def compute_on_host(folder, text):
    write(
        folder,
        "host.cc",
        "#define PLACE\n#define main program\n",
        text,
        "#undef main\n",
        "#undef printf\n",
        HOST_TAIL,
    )
    run(
        [
            "g++",
            "-w",
            "-O1",
            "-fwrapv",
            "-fno-strict-aliasing",
            "-I",
            HERE,
            "-idirafter",
            find_package_headers(),
            "host.cc",
            "-o",
            "host",
        ],
        SECONDS["compile"],
        folder,
    )
    return run([os.path.join(folder, "host")], SECONDS["host"], folder)


def compute_by_vm(folder, build):
    said = run(
        [f"{build}/bin/ptxvm", "out.ptx", "-k", KERNEL, "-g", "1", "-b", "1", "-a", "u32[1]"],
        SECONDS["run"],
        folder,
    )
    if said is None:
        raise Failed("ptxvm takes too long")
    return re.search(r"u32\[1\]: (\d+)", said).group(1)


def try_program(seed, folder, options, counts):
    text = generate(folder, seed)
    want = compute_on_host(folder, text)
    if want is None:
        counts["too long on the host"] += 1
        return
    for name, tools, compiler, flags in COMPILERS:
        if not all(map(shutil.which, tools)):
            continue
        if not compiler(folder, text, flags):
            counts[f"not for {name}"] += 1
            continue
        if run([f"{options.build}/bin/ptxas", "out.ptx"], SECONDS["check"], folder) is None:
            raise Failed(f"{name}: ptxas takes too long")
        got = compute_by_vm(folder, options.build)
        if got != want.strip():
            raise Failed(f"{name}: {got} instead of {want.strip()}")
        counts[f"{name} equal"] += 1
        with open(os.path.join(folder, "out.ptx"), encoding="utf-8") as file:
            counts["lines"] += sum(1 for _ in file)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--seed", type=int, default=1, help="of the first program; the others follow")
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--keep", default="build/random", help="folder for the files of failures")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if (
        not shutil.which("csmith")
        or not find_package_headers()
        or not (shutil.which("nvcc") or shutil.which("llc"))
    ):
        print("random: needs csmith, its headers (libcsmith-dev), and nvcc or clang with llc; nothing done")
        return 0
    counts = collections.Counter()
    failures = 0
    for seed in range(options.seed, options.seed + options.programs):
        folder = tempfile.mkdtemp()
        try:
            try_program(seed, folder, options, counts)
        except Failed as failed:
            failures += 1
            kept = os.path.join(options.keep, str(seed))
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept)
            print(f"random: program {seed}: {failed} ({kept})", flush=True)
        shutil.rmtree(folder)
    summary = ", ".join(f"{what} {n}" for what, n in sorted(counts.items()))
    print(f"random: {options.programs} programs from seed {options.seed}: {failures} failures; {summary}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
