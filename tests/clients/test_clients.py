#!/usr/bin/env python3
"""Real clients of the driver interface, which fetch nothing: launcher.py (ctypes, as Triton's launcher calls
it), nvrtc.c (C++ compiled at run time, where NVRTC is), cubin.c (for a real architecture, through ptxvm
--exec), numba.cuda (numba_tests.py: Debian's python3-numba with a libnvvm that it can use, where both are).
launcher.py and nvrtc.c must print what they printed on an H100 (*.out)."""
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
PTXVM = os.path.join(BUILD, "bin", "ptxvm")
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


def lacks(toolkit, *libraries):
    """Why a program of NVIDIA's compilers cannot be built here; None: it can."""
    for library in libraries:
        if not glob.glob(os.path.join(toolkit, "lib64", f"lib{library}.so*")):
            return f"lib{library} is not installed"
        if not os.path.exists(os.path.join(toolkit, "include", library + ".h")):
            return f"{library}.h is not installed"
    return "a build with sanitizers" if SAN else None


def build(toolkit, name, folder, *libraries):
    """The path of a program, or what is wrong with it."""
    path = os.path.join(folder, name)
    more = [f"-l{library}" for library in libraries]
    source = os.path.join(HERE, name + ".c")
    made = run(
        ["gcc", "-O1", f"-I{toolkit}/include", "-o", path, source, f"-L{toolkit}/lib64", *more, f"-L{LIB}"]
        + ["-l:libcuda.so.1", "-ldl", "-Wl,--allow-shlib-undefined"]
    )
    return path, made.stderr.strip().splitlines()[-1] if made.returncode else None


def nvrtc(toolkit):
    why = lacks(toolkit, "nvrtc")
    if why:
        return skip("nvrtc", why)
    with tempfile.TemporaryDirectory() as folder:
        path, wrong = build(toolkit, "nvrtc", folder, "nvrtc")
        if wrong:
            return skip("nvrtc", "it cannot be linked: " + wrong)
        return expect("nvrtc", run([path], LD_LIBRARY_PATH=f"{LIB}:{toolkit}/lib64"), recorded("nvrtc"))


def helpers(toolkit, folder):
    """What nvcc makes of a file with device functions: an object, an archive of it, a fat binary."""
    source, paths = os.path.join(folder, "helper.cu"), []
    with open(source, "w", encoding="utf-8") as file:
        file.write("__device__ int helper(int x) { return 6 * x + 1; }\n")
    nvcc, ptx = os.path.join(toolkit, "bin", "nvcc"), ["-gencode", "arch=compute_80,code=compute_80"]
    for flags, name in (("-dc", "helper.o"), ("-rdc=true -fatbin", "helper.fatbin")):
        paths.append(os.path.join(folder, name))
        made = run([nvcc, *flags.split(), *ptx, "-o", paths[-1], source])
        if made.returncode:
            return []
    paths.append(os.path.join(folder, "libhelper.a"))
    return paths if run(["ar", "rcs", paths[-1], paths[0]]).returncode == 0 else []


def cubin(toolkit):
    """Programs that ask NVIDIA's compilers for a real architecture."""
    why = lacks(toolkit, "nvrtc", "nvJitLink")
    if why:
        return skip("cubin", why)
    with tempfile.TemporaryDirectory() as folder:
        path, wrong = build(toolkit, "cubin", folder, "nvrtc", "nvJitLink")
        if wrong:
            return skip("cubin", "it cannot be linked: " + wrong)
        done = run([PTXVM, "--exec", path, *helpers(toolkit, folder)], LD_LIBRARY_PATH=f"{toolkit}/lib64")
        return expect("cubin", done, "fine\nexit 0\n")


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
    cubin(toolkit)
    numba(toolkit)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
