#!/usr/bin/env python3
"""Fat binaries and files as nvcc writes them, loaded by our libcuda.so.1; exit code 77 without nvcc."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
SOURCE = """
extern "C" __device__ int table[3] = {40, 41, 42};
extern "C" __global__ void k(int *to) { *to = table[1]; }
"""
FINE = "module: SUCCESS\n41\nlibrary: SUCCESS\n41\n"
NONE = "module: ERROR_NO_BINARY_FOR_GPU\nlibrary: ERROR_NO_BINARY_FOR_GPU\n"
PTX = "-gencode=arch=compute_80,code=compute_80"
CASES = [
    ("default.fatbin", ["-fatbin", PTX], FINE),
    ("zstd.fatbin", ["-fatbin", PTX, "--compress-mode=size"], FINE),
    ("lz4.fatbin", ["-fatbin", PTX, "--compress-mode=speed"], FINE),
    ("plain.fatbin", ["-fatbin", PTX, "--no-compress"], FINE),
    ("both.fatbin", ["-fatbin", "-gencode=arch=compute_80,code=[compute_80,sm_80]"], FINE),
    ("several.fatbin", ["-fatbin", PTX, "-gencode=arch=compute_90,code=compute_90"], FINE),
    ("newer.fatbin", ["-fatbin", PTX, "-gencode=arch=compute_120,code=compute_120"], FINE),
    ("specific.fatbin", ["-fatbin", "-gencode=arch=compute_90a,code=compute_90a"], FINE),
    ("debug.fatbin", ["-fatbin", "-G", PTX], FINE),
    ("text.ptx", ["-ptx", "-arch=compute_80"], FINE),
    ("code.cubin", ["-cubin", "-arch=sm_90"], NONE),
    ("code.fatbin", ["-fatbin", "-gencode=arch=compute_90,code=sm_90"], NONE),
    ("too_new.fatbin", ["-fatbin", "-gencode=arch=compute_120,code=compute_120"], NONE),
]


def main():
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        print("no nvcc")
        sys.exit(77)
    failed = 0
    # Without a sanitizer's runtime.
    plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "k.cu")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        for name, options, wanted in CASES:
            path = os.path.join(folder, name)
            subprocess.run([nvcc, *options, "-o", path, source], check=True, capture_output=True, env=plain)
            ran = subprocess.run(
                [os.path.join(BUILD, "tests", "shim", "loader"), path],
                capture_output=True,
                text=True,
                timeout=300,
            )
            told = wanted == FINE or ran.stderr.count("compile with PTX in it") == 2
            if ran.stdout != wanted or not told:
                failed += 1
                print(f"{name}: {ran.stdout!r}\n{ran.stderr}", end="")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
