#!/usr/bin/env python3
"""Records what the programs print on a chip: recorded/NAME.out, their output and a last line with the exit
code.

usage: record.py OUT [NAME...]. Needs nvcc and a GPU. Builds every program in every way; one whose ways
disagree gets a recording for
each (NAME.O3.out, NAME.G.out), and is named. OUT gets recorded.tar and built.tar.xz.aa and so on (a cache
for test_cuda.py)."""
import concurrent.futures
import os
import subprocess
import sys
import time

import programs


def run(path, *words):
    try:
        done = subprocess.run([path, *words], capture_output=True, timeout=30, stdin=subprocess.DEVNULL)
        return done.stdout + b"exit %d\n" % done.returncode
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"") + b"exit timeout\n"


def save(folder, name, text):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(text)


def runtime_program(name, level, cache):
    start = time.time()
    outputs = {}
    for runtime in ("shared", "static"):
        path = programs.built(programs.find_nvcc(), name, level, runtime, cache)
        outputs[runtime] = run(path)
    return name, level, outputs, time.time() - start


def driver_program(source, cache, *words):
    path = os.path.join(cache, os.path.basename(source)[:-2])
    root = os.path.dirname(os.path.dirname(os.path.realpath(programs.find_nvcc())))
    programs.quiet(
        [
            "gcc",
            "-O1",
            f"-I{root}/include",
            "-o",
            path,
            source,
            f"-L{root}/lib64",
            f"-L{root}/lib64/stubs",
            *words,
            "-lcuda",
        ]
    )
    os.environ["LD_LIBRARY_PATH"] = f"{root}/lib64:" + os.environ.get("LD_LIBRARY_PATH", "")
    return run(path)


def main():
    out, only = sys.argv[1], sys.argv[2:]
    folder, cache = os.path.join(out, "recorded"), "/tmp/cuda-cache"
    os.makedirs(folder, exist_ok=True)
    os.makedirs(cache, exist_ok=True)
    heavy = ["lang_thrust", "lang_cub", "lang_std", "lang_pipeline", "lang_random"]
    names = sorted(programs.runtime_programs(), key=lambda name: name not in heavy)
    names = [name for name in names if not only or name in only]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(18) as pool:
        jobs = [pool.submit(runtime_program, name, level, cache) for name in names for level in ("O3", "G")]
        others = {
            name: pool.submit(driver_program, os.path.join(programs.HERE, name + ".c"), cache)
            for name in programs.driver_programs()
            if not only or name in only
        }
        clients = os.path.join(os.path.dirname(programs.HERE), "clients")
        others["nvrtc"] = pool.submit(driver_program, os.path.join(clients, "nvrtc.c"), cache, "-lnvrtc")
        others["launcher"] = pool.submit(
            run, sys.executable, os.path.join(clients, "launcher.py"), "libcuda.so.1"
        )
        for job in jobs:
            try:
                name, level, outputs, seconds = job.result()
                results.setdefault(name, {})[level] = outputs
                if seconds > 20:
                    print(f"{name} {level}: {seconds:.0f} s")
            except RuntimeError as error:
                print("BUILD", error)
        for name, job in others.items():
            try:
                save(folder, name + ".out", job.result())
            except RuntimeError as error:
                print("BUILD", error)
    for name, levels in results.items():
        different = {text for outputs in levels.values() for text in outputs.values()}
        if len(different) == 1:
            save(folder, name + ".out", different.pop())
            continue
        print("DIFFER", name)
        for level, outputs in levels.items():
            for runtime, text in outputs.items():
                save(folder, f"{name}.{level}.{runtime}.out", text)
    print(len(results), "programs")
    subprocess.run(
        f"cd {out} && tar cf recorded.tar recorded && rm -r recorded; cd {cache} && rm -f drv_*; "
        f"tar cf - . | xz -T0 -2 | split -b 15000000 - {out}/built.tar.xz.; "
        f"ls -l {out}",
        shell=True,
        check=False,
    )


if __name__ == "__main__":
    main()
