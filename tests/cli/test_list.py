#!/usr/bin/env python3
"""The commands that ptxvm --list prints are run as they are printed: every sample, and PTX that nvcc made of
list.cu, whose
kernels have structures, elements of many types, demanded shapes, and static and dynamic shared memory.

Where nvcc is at hand list.cu is compiled anew, too, optimised and not.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ROOT = os.path.abspath(os.environ.get("ROOT", "."))
PTXVM = os.path.join(BUILD, "bin", "ptxvm")

# One program of two files.
PARTS = [os.path.join(ROOT, "samples", "linked_%s.ptx" % part) for part in ("main", "parts")]
# Examples are guesses: how far a tile reaches depends on more than the sizes; a program encodes tensor maps.
GUESSED = [os.path.join(ROOT, "samples", name + ".ptx") for name in ("flash_attention", "tma_matmul")]


def shell(command):
    environment = dict(os.environ, PATH=os.path.dirname(PTXVM) + ":" + os.environ["PATH"])
    return subprocess.run(
        ["sh", "-c", command],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )


def examples(path):
    """The commands of the examples for a file, but for kernels of whose structures nothing is known: -G
    copies some."""
    library = " --host-lib " + os.path.join(BUILD, "libhostfn.so") if "/host" in path else ""
    listed = shell("ptxvm --list %s%s" % (path, library))
    assert listed.returncode == 0, listed.stdout
    found, known = [], True
    for line in listed.stdout.splitlines():
        known = known and "is not known" not in line
        if "example: " in line:
            found += [line.split("example: ", 1)[1]] if known else []
            known = True
    assert found, listed.stdout
    return found


def compiled(folder):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    made = []
    for name, options in (
        ("fast", ["-arch=sm_90"]),
        ("slow", ["-arch=sm_80", "-G"]),
        ("parts", ["-arch=sm_75", "-rdc=true"]),
    ):
        path = os.path.join(folder, name + ".ptx")
        source = os.path.join(ROOT, "tests", "cli", "list.cu")
        if (
            os.path.exists(nvcc)
            and subprocess.run([nvcc, "-ptx", *options, "-o", path, source]).returncode == 0
        ):
            made.append(path)
    return made


def main():
    failures = run = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in (
            sorted(set(glob.glob(os.path.join(ROOT, "samples", "*.ptx"))) - set(PARTS) - set(GUESSED))
            + [" ".join(PARTS)]
            + [os.path.join(ROOT, "tests", "cli", "list.ptx")]
            + compiled(folder)
        ):
            for command in examples(path):
                done = shell("timeout 100 " + command + " --timeout 60")
                run += 1
                if done.returncode:
                    failures += 1
                    print(
                        "%s\n    exit code %d\n    %s"
                        % (command, done.returncode, done.stdout.replace("\n", "\n    "))
                    )
    print("%d passed, %d failed" % (run - failures, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
