#!/usr/bin/env python3
"""CUB's and Thrust's device-wide algorithms, with no GPU and no nvcc: each result is what the host computes.

usage: test_algorithms.py [WORD...]. A WORD keeps the programs whose name holds it. algorithms/NAME.cu are
the programs, algorithms/built/NAME.xz what nvcc made of them (algorithms/make.py). Each runs with 1, 2 and
4 workers on 10^3 and 10^5 items, 3 rounds, and under random schedules, which are slow, on 10^3 (ahead, where
blocks wait for each other: on 10^5, too). Builds with sanitizers take 10^4 items and one round."""
import concurrent.futures
import lzma
import os
import platform
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
BUILT = os.path.join(HERE, "algorithms", "built")
SAN = "san-" in BUILD
SIZES = [(10**4, 1)] if SAN else [(10**3, 3), (10**5, 3)]
USUAL, RANDOM = [(1, 0), (2, 0), (4, 0)], [(2, 11), (4, 12)]  # workers, seed of the schedule


def unpack(name, folder):
    path = os.path.join(folder, name)
    with lzma.open(os.path.join(BUILT, name + ".xz")) as packed, open(path, "wb") as file:
        file.write(packed.read())
    os.chmod(path, 0o755)
    return path


def run(job):
    """What is wrong with a run, or None."""
    path, items, rounds, workers, seed = job
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(BUILD, "lib"), PTXVM_THREADS=str(workers))
    if seed:
        environment["PTXVM_SCHEDULE"] = f"random:{seed}"
    try:
        done = subprocess.run(
            [path, str(items), str(rounds), str(workers + seed)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=1200 if SAN else 240,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "did not end in time"
    if done.returncode == 0 and done.stdout.rstrip().endswith(" 0 wrong"):
        return None
    return f"exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def main():
    names = sorted(name[:-3] for name in os.listdir(BUILT))
    if sys.argv[1:] == ["--parts"]:
        print(*names, sep="\n")
        return 0
    if platform.machine() != "x86_64":
        print("0 passed, 0 failed, 1 skipped: the programs are for x86-64")
        return 77
    if not os.path.exists(os.path.join(BUILD, "lib", "libcudart.so.13")):
        print("0 passed, 0 failed, 1 skipped: this build has no libcudart.so.13")
        return 77
    words = [word for word in sys.argv[1:] if word != "--part"]
    names = [name for name in names if not words or any(word in name for word in words)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [
            (path, items, rounds, workers, seed)
            for path in [unpack(name, folder) for name in names]
            for items, rounds in SIZES
            for workers, seed in USUAL + RANDOM
            if not seed or items < 10**4 or path.endswith("/ahead")
        ]
        for job, wrong in zip(jobs, pool.map(run, jobs)):
            if not wrong:
                continue
            failed += 1
            path, items, _, workers, seed = job
            schedule = f", schedule {seed}" if seed else ""
            print(f"FAIL {os.path.basename(path)}: {items} items, {workers} workers{schedule}: {wrong}")
    print(f"{len(jobs) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
