#!/usr/bin/env python3
"""Builds the programs of this folder: built/NAME.xz, each with CUDA's shared runtime and PTX alone.

usage: make.py NVCC [NAME...]. They are committed, so that test_algorithms.py needs no nvcc: on x86-64 with
glibc 2.34 or later."""
import concurrent.futures
import lzma
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def make(nvcc, name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        command = [nvcc, "-O3", "-std=c++17", "-cudart", "shared", "-cudadevrt", "none", "-w"]
        command += ["-gencode", "arch=compute_90,code=compute_90", "-no-compress"]
        subprocess.run([*command, "-o", path, os.path.join(HERE, name + ".cu")], check=True)
        subprocess.run(["strip", path], check=True)
        with open(path, "rb") as file:
            text = lzma.compress(file.read(), preset=9 | lzma.PRESET_EXTREME)
    with open(os.path.join(HERE, "built", name + ".xz"), "wb") as file:
        file.write(text)
    print(name, len(text))


def main():
    names = sys.argv[2:] or sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".cu"))
    os.makedirs(os.path.join(HERE, "built"), exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: make(sys.argv[1], name), names))


if __name__ == "__main__":
    main()
