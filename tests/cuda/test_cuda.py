#!/usr/bin/env python3
"""CUDA programs, with no GPU: each must print what it printed on an H100 (recorded/NAME.out, by record.py).

usage: test_cuda.py [--all] [--jobs N] [WORD...]. A WORD keeps the programs whose name holds it.
  everywhere   drv_*.c against our own header; kept/NAME.ptx, which nvcc made of NAME.cu, through the driver
               interface
               older/11/NAME and older/12/NAME, which nvcc of CUDA 11 and 12 made (older/make.py),
               with our libcudart of that release; what older/face.cu prints is in older/face.N.out
  with nvcc    NAME.cu through ptxvm --exec, with the runtime shared and linked in, optimised and -G: a few
               of them in a
               few ways, with --all every one in every way. Built programs stay in build/cuda.
               With a build with sanitizers: all but the slowest, optimised, with its libcudart.so."""
import argparse
import concurrent.futures
import difflib
import os
import platform
import re
import subprocess
import sys
import tempfile

import programs

HERE, ROOT = programs.HERE, programs.ROOT
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
PTXVM = os.path.join(BUILD, "bin", "ptxvm")
LIB = os.path.join(BUILD, "lib")
CACHE = os.path.join(ROOT, "build", "cuda")
SAN = "san-" in BUILD

# Run by default: program, optimisation, runtime.
CHOSEN = [
    tuple(words.split())
    for words in (
        "app_sort O3 static, app_bodies G shared, cdp_tree O3 shared, lang_files G static, "
        "lang_lambda O3 shared, lang_math O3 static, rt_assert O3 static, rt_capture O3 shared, "
        "rt_endcapture O3 shared, rt_graph G static, rt_managed O3 static, rt_rows O3 static, "
        "rt_streams G static, rt_trap O3 shared"
    ).split(", ")
]

# Not run with sanitizers: programs that take minutes there, most of it in decoding what templates made.
SLOW = ("lang_cub", "lang_pipeline", "lang_random", "lang_std", "lang_thrust")

# Lines of recordings that we print otherwise: the chip's, ours, why. All else of a recording must be alike,
# and a line that is not otherwise any more is a failure, too.
A_FAULT = "a fault ends a context here, not the process's device"
BY_BYTES = "what an input of the linker is shows in its bytes: NVRTC's cubin is PTX here"
CUT = "a cut ELF file is no image here, and no unknown error"
OTHERWISE = {
    "drv_files": [
        ("link 200 0/0 0/0 999", "link 0/0 0/0 0/0 0/0", BY_BYTES),
        ("link 200 218 218 999", "link 218 218 218 218", BY_BYTES),
        ("link 200 222 222 999", "link 222 222 222 222", BY_BYTES),
        ("link 200 200 200 999", "link 200 200 200 200", BY_BYTES),
        ("link 200 209 0/0 999", "link 209 209 209 209", BY_BYTES),
        ("link 209 200 200 200", "link 200 200 200 200", CUT),
        ("kernel 999 module 999", "kernel 200 module 200", CUT),
        ("file 999 data 999 fat 999", "file 200 data 200 fat 200", CUT),
        ("link 209 999 999 200", "link 200 200 200 200", CUT),
    ],
    "drv_fault": [
        (
            "cuCtxCreate_v2(&b, 0, device) = CUDA_ERROR_ILLEGAL_ADDRESS",
            "cuCtxCreate_v2(&b, 0, device) = CUDA_SUCCESS",
            A_FAULT,
        ),
        (
            "cuDevicePrimaryCtxRetain(&b, device) = CUDA_ERROR_ILLEGAL_ADDRESS",
            "cuDevicePrimaryCtxRetain(&b, device) = CUDA_SUCCESS",
            A_FAULT,
        ),
    ],
    "rt_rows": [("1 rows: X 0 0 0,", "1 rows: 0 0 0 0,", "NVIDIA's driver crashes; one row needs no pitch")],
}
# Programs that need what is not served yet: a failure is told as skipped, with these words.
LATER = {}

# ThreadSanitizer has the addresses at which host and device could both see memory.
if "san-thread" in BUILD:
    managed = "app_life drv_ipc drv_memory face lang_params rt_advise rt_cgroups rt_managed rt_pinned"
    for needs in managed.split():
        LATER[needs] = "managed memory or registered memory, which has no place beside ThreadSanitizer"

passed = failed = skipped = 0


def skip(name, why):
    global skipped
    skipped += 1
    print(f"skip {name}: {why}")


def recording(name, level="O3"):
    for path in (f"{name}.out", f"{name}.{level}.out"):
        path = os.path.join(HERE, "recorded", path)
        if os.path.exists(path):
            return programs.read(path).decode()
    return None


def expected(name, want):
    """What we are to print: the recording, with our words where we answer otherwise."""
    lines = want.splitlines()
    for chip, ours, _ in OTHERWISE.get(name, ()):
        found = [i for i, line in enumerate(lines) if chip in line]
        if not found:
            raise SystemExit(f"OTHERWISE of {name}: the recording has no '{chip}'")
        for i in found:
            lines[i] = lines[i].replace(chip, ours)
    return lines


def compare(name, how, done, want):
    """Takes what a program said; want is the recording."""
    global passed, failed
    got = done.stdout.decode("utf-8", "replace") + f"exit {done.returncode}\n"
    a, b = expected(name, want), got.splitlines()
    if a == b:
        passed += 1
    elif name in LATER:
        skip(f"{name} {how}", f"needs {LATER[name]}")
    else:
        failed += 1
        print(f"FAIL {name} {how}")
        print("\n".join(list(difflib.unified_diff(a, b, "the chip", "here", lineterm="", n=1))[:30]))
        print(done.stderr.decode("utf-8", "replace")[-600:], end="")


def run(command, **more):
    """Runs a program; one that does not end says so."""
    environment = dict(os.environ, PTXVM_LOG="off", LD_LIBRARY_PATH=LIB, **more)
    try:
        return subprocess.run(
            command, capture_output=True, timeout=200, stdin=subprocess.DEVNULL, env=environment, check=False
        )
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, -1, late.stdout or b"", b"did not end in time\n")


def compile_c(folder, name, header):
    path = os.path.join(folder, name)
    where = ["-DOWN_HEADER", f"-I{ROOT}/lib"] if header == "own" else [f"-I{header}"]
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    # The library takes functions of libc from the sanitizer's runtime, which linkers may drop otherwise.
    runtime = []
    if "san-thread" in BUILD:
        runtime = ["-Wl,--push-state,--no-as-needed", "-ltsan", "-Wl,--pop-state"]
    command = [
        "gcc",
        "-O1",
        "-g",
        "-Wall",
        "-Werror",
        *where,
        "-o",
        path,
        *runtime,
        os.path.join(HERE, name + ".c"),
        f"-L{LIB}",
        "-l:libcuda.so.1",
        "-Wl,--allow-shlib-undefined",
        "-lm",
        "-ldl",
        "-pthread",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode and name in LATER:
        skip(f"{name} {header}", f"needs {LATER[name]}")
        return None
    if done.returncode:
        global failed
        failed += 1
        print(f"FAIL {name}: {done.stderr[-1500:]}")
        return None
    return path


def driver_programs(folder, wanted, headers):
    for name in filter(wanted, programs.driver_programs()):
        for header in headers:
            path = compile_c(folder, name, header)
            if path:
                compare(name, "own header" if header == "own" else "cuda.h", run([path]), recording(name))


def kept_programs(folder, wanted):
    names = sorted(name[:-4] for name in os.listdir(os.path.join(HERE, "kept")))
    host = compile_c(folder, "kept", "own")
    for name in filter(wanted, names if host else []):
        want = recording(name)
        launch = re.match(r"test<<<(\d+), (\d+), (\d+)>>> (\d+)\n", want)
        compare(name, "kept", run([host, os.path.join(HERE, "kept", name + ".ptx"), *launch.groups()]), want)


def older_programs(wanted):
    """Programs of older toolkits, with the runtime that they ask for."""
    if platform.machine() != "x86_64":
        skip("programs of older toolkits", "they are for x86-64")
        return
    for release in ("11", "12"):
        folder = os.path.join(HERE, "older", release)
        for name in filter(wanted, sorted(os.listdir(folder))):
            if name == "face":
                want = programs.read(os.path.join(HERE, "older", f"face.{release}.out")).decode()
            else:
                want = recording(name)
            compare(name, f"of release {release}", run([os.path.join(folder, name)]), want)


def runtime_program(job):
    name, level, runtime = job
    try:
        path = programs.built(programs.find_nvcc(), name, level, runtime, CACHE)
    except RuntimeError as error:
        return job, subprocess.CompletedProcess(job, -2, b"", str(error).encode())
    return job, run([path] if SAN else [PTXVM, "--exec", path])


def runtime_jobs(everything, wanted):
    if SAN:  # a program gets its libraries by their path: their runtime must be there before anything else
        jobs = [(name, "O3", "shared") for name in programs.runtime_programs() if name not in SLOW]
    elif everything:
        jobs = [(name, *way) for name in programs.runtime_programs() for way in programs.WAYS]
    else:
        jobs = CHOSEN
    return [job for job in jobs if wanted(job[0])]


def runtime_programs(nvcc, everything, wanted, jobs):
    if not nvcc:
        skip("programs of the runtime", "there is no nvcc")
        return
    if not os.path.exists(os.path.join(LIB, "libcudart.so.13")):
        skip("programs of the runtime", "this build has no libcudart.so.13")
        return
    os.makedirs(CACHE, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for job, done in pool.map(runtime_program, runtime_jobs(everything, wanted)):
            compare(job[0], f"{job[1]} {job[2]}", done, recording(job[0], job[1]))


def end():
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="every program in every way")
    parser.add_argument("--jobs", type=int, default=2, help="programs of the runtime at a time (2)")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    words, everything = options.words, options.all

    def wanted(name):
        return not words or any(word in name for word in words)

    nvcc = programs.find_nvcc()
    with tempfile.TemporaryDirectory() as folder:
        headers = ["own"]
        toolkit = (
            os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "include") if nvcc else ""
        )
        if everything and os.path.exists(os.path.join(toolkit, "cuda.h")):
            headers.append(toolkit)
        driver_programs(folder, wanted, headers)
        kept_programs(folder, wanted)
    older_programs(wanted)
    runtime_programs(nvcc, everything or words, wanted, options.jobs)
    return end()


if __name__ == "__main__":
    sys.exit(main())
