#!/usr/bin/env python3
"""Real clients of the driver interface, which fetch nothing: launcher.py (ctypes, as Triton's launcher calls
it), nvrtc.c
(C++ compiled at run time, where NVRTC is), numba.cuda (Debian's python3-numba with the toolkit's libnvvm,
where both are).
The first two must print what they printed on an H100 (*.out)."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

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


NUMBA = """
import numpy as np
from numba import cuda
@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]
@cuda.jit
def total(x, out):
    s = cuda.shared.array(64, 'float64')
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    n = 32
    while n:
        if t < n:
            s[t] += s[t + n]
        cuda.syncthreads()
        n //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])
x, y, out = np.arange(256.0), np.ones(256), np.zeros(1)
saxpy[4, 64](2.0, x, y)
total[4, 64](y, out)
print(y[255], out[0])
"""


def numba(toolkit):
    python = next(
        (
            p
            for p in (sys.executable, "/usr/bin/python3")
            if os.path.exists(p) and not run([p, "-c", "import numba.cuda"]).returncode
        ),
        None,
    )
    if not python:
        return skip("numba", "python3-numba is not installed")
    nvvm = glob.glob(os.path.join(toolkit, "**", "libnvvm.so*"), recursive=True)
    if not nvvm:
        return skip("numba", "the toolkit has no libnvvm")
    if SAN:
        return skip("numba", "a build with sanitizers")
    with tempfile.TemporaryDirectory() as home:  # the toolkit as numba expects it to lie
        os.makedirs(os.path.join(home, "nvvm", "lib64"))
        os.makedirs(os.path.join(home, "lib64"))
        os.symlink(nvvm[0], os.path.join(home, "nvvm", "lib64", "libnvvm.so"))
        os.symlink(os.path.join(toolkit, "nvvm", "libdevice"), os.path.join(home, "nvvm", "libdevice"))
        os.symlink(os.path.join(LIB, "libcudart.so.13"), os.path.join(home, "lib64", "libcudart.so"))
        done = run([python, "-c", NUMBA], LD_LIBRARY_PATH=LIB, NUMBA_CUDA_DRIVER=CUDA, CUDA_HOME=home)
    for sign, why in (
        (
            "NVVM_ERROR_IR_VERSION_MISMATCH",
            "this numba writes another version of NVVM's IR than the libnvvm takes",
        ),
        ("libNVVM cannot be found", "this numba does not find the toolkit's libnvvm"),
    ):
        if sign in done.stderr:
            return skip("numba", why)
    return expect("numba", done, "511.0 65536.0\nexit 0\n")  # 2 * 255 + 1; 256 * 255 + 256


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
