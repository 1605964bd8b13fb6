#!/usr/bin/env python3
"""Real clients of the driver interface, which fetch nothing: launcher.py (ctypes, as Triton's launcher calls
it), nvrtc.c
(C++ compiled at run time, where NVRTC is), numba.cuda (numba_tests.py:
Debian's python3-numba with a libnvvm that it can use, where both are).
The first two must print what they printed on an H100 (*.out)."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import numba_tests

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
LIB = os.path.join(BUILD, "lib")
CUDA = os.path.join(LIB, "libcuda.so.1")
SAN = "san-" in BUILD

passed = failed = skipped = 0


def skip(name, why):
    global skipped
    skipped += 1
    print(f"skip {name}: {why}")


def run(command, **more):
    environment = dict(os.environ, PTXVM_LOG="off", **more)
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=250,
        stdin=subprocess.DEVNULL,
        env=environment,
        check=False,
    )


def expect(name, done, want):
    global passed, failed
    good = done.stdout + f"exit {done.returncode}\n" == want
    passed += good
    failed += not good
    if not good:
        print(f"FAIL {name}: exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")


def recorded(name):
    with open(os.path.join(HERE, name + ".out"), encoding="utf-8") as file:
        return file.read()


def nvrtc(toolkit):
    if not glob.glob(os.path.join(toolkit, "lib64", "libnvrtc.so*")) or not os.path.exists(
        os.path.join(toolkit, "include", "nvrtc.h")
    ):
        return skip("nvrtc", "NVRTC is not installed")
    if SAN:
        return skip("nvrtc", "a build with sanitizers")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "nvrtc")
        made = run(
            [
                "gcc",
                "-O1",
                f"-I{toolkit}/include",
                "-o",
                path,
                os.path.join(HERE, "nvrtc.c"),
                f"-L{toolkit}/lib64",
                "-lnvrtc",
                f"-L{LIB}",
                "-l:libcuda.so.1",
                "-Wl,--allow-shlib-undefined",
            ]
        )
        if made.returncode:
            return skip("nvrtc", "it cannot be linked: " + made.stderr.strip().splitlines()[-1])
        return expect("nvrtc", run([path], LD_LIBRARY_PATH=f"{LIB}:{toolkit}/lib64"), recorded("nvrtc"))


def numba(toolkit):
    global passed, failed
    if SAN:
        return skip("numba", "a build with sanitizers")
    why, wrong = numba_tests.check(run, toolkit, LIB)
    if why:
        return skip("numba", why)
    passed += not wrong
    failed += bool(wrong)
    for line in wrong:
        print(f"FAIL numba: {line}")


def main():
    expect("launcher", run([sys.executable, os.path.join(HERE, "launcher.py"), CUDA]), recorded("launcher"))
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc))) if nvcc else "/nonexistent"
    nvrtc(toolkit)
    numba(toolkit)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
