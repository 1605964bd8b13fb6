#!/usr/bin/env python3
"""Builds the programs that older toolkits made: 11/NAME with CUDA 11's nvcc, 12/NAME with CUDA 12's.

usage: make.py NVCC [OPTION...]. The options go to nvcc (-ccbin, for one). The programs are linked with that
toolkit's shared runtime, hold PTX alone and nothing of the toolkit's device libraries, and are committed, so
that test_cuda.py can run them where there is no such toolkit: on x86-64 with glibc 2.34 or later."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import programs

HERE = os.path.dirname(os.path.abspath(__file__))
# face.cu and these programs of tests/cuda, which CUDA 11 compiles as well as 13.
PROGRAMS = (
    "app_bodies app_sort lang_lambda rt_events rt_memory rt_memory3d rt_printf rt_symbols"
)


def main():
    nvcc, more = sys.argv[1], sys.argv[2:]
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    release = re.search(r"release (\d+)", version)[1]
    os.makedirs(os.path.join(HERE, release), exist_ok=True)
    sources = [os.path.join(HERE, "face.cu")]
    sources += [os.path.join(HERE, "..", name + ".cu") for name in PROGRAMS.split()]
    for source in sources:
        output = os.path.join(HERE, release, os.path.basename(source)[:-3])
        command = [nvcc, *more, "-O3", "-std=c++17", "-cudart", "shared", "-cudadevrt", "none", "-w"]
        if release == "12" and source == sources[0]:  # the twins of the names for a stream a thread
            command += ["--default-stream", "per-thread"]
        if source != sources[0]:
            command += programs.flags_of(os.path.basename(source)[:-3])
        command += ["-gencode", "arch=compute_80,code=compute_80", "-o", output, source]
        subprocess.run(command, check=True)
        subprocess.run(["strip", output], check=True)


if __name__ == "__main__":
    main()
