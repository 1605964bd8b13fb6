#!/usr/bin/env python3
"""Runs the programs of tests/shim on our libcuda.so.1.

They must print what an H100's or H200's driver (580, CUDA 13.0) let them print, which is in chip/NAME.txt;
"faults.1" is the program faults with the argument 1, or its part of that number. What parts without a
recording must print by CUDA's manual, or by arithmetic, is in manual/NAME.txt.
Those of FINE hold themselves against arithmetic and the manual, and must say "fine".
"""
import difflib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build")))


FINE = (
    "hostile",
    "overlap",
    "arrays",
    "textures",
    "tensors",
    "tma_matmul",
    "bounds",
    "limit",
    "clusters",
    "endings",
    "access",
    "interrupted",
    "interprocess",
)
ARGUMENTS = {"tma_matmul": [os.path.join(HERE, "..", "..", "samples", "tma_matmul.ptx")]}
SETTINGS = {"limit": {"PTXVM_TIMEOUT_MS": "300"}, "access": {"PTXVM_DEVICES": "2"}}


def main():
    failed = 0
    with open(os.path.join(BUILD, "lib", "libcuda.so.1"), "rb") as file:
        two_addresses = b"__tsan_init" in file.read()  # that sanitizer has the addresses that we would need
    for name in FINE:
        if two_addresses and name in ("arrays", "bounds", "endings", "limit", "interrupted"):
            continue
        ran = subprocess.run(
            [os.path.join(BUILD, "tests", "shim", name), *ARGUMENTS.get(name, [])],
            capture_output=True,
            text=True,
            env={**os.environ, "PTXVM_LOG": "off", **SETTINGS.get(name, {})},
            timeout=600,
        )
        if ran.returncode or ran.stdout != "fine\n":
            failed += 1
            print(f"{name}: exit code {ran.returncode}\n{ran.stderr}", end="")
    texts = [
        os.path.join(folder, name)
        for folder in ("chip", "manual")
        for name in os.listdir(os.path.join(HERE, folder))
    ]
    for recorded in sorted(texts):
        name, _, argument = os.path.basename(recorded)[: -len(".txt")].partition(".")
        if two_addresses and name in ("memory", "graphs", "streams", "values", "maps"):
            continue
        with open(os.path.join(HERE, recorded), encoding="utf-8") as file:
            wanted = file.read()
        ran = subprocess.run(
            [os.path.join(BUILD, "tests", "shim", name)] + ([argument] if argument else []),
            capture_output=True,
            text=True,
            env={**os.environ, "PTXVM_LOG": "off"},
            timeout=300,
        )
        if ran.stdout == wanted and ran.returncode == 0:
            continue
        failed += 1
        print(f"{recorded}: exit code {ran.returncode}")
        sys.stdout.writelines(
            difflib.unified_diff(wanted.splitlines(True), ran.stdout.splitlines(True), "wanted", "here", n=1)
        )
        print(ran.stderr, end="")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
