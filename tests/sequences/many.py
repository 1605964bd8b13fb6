#!/usr/bin/env python3
"""Random sequences of calls in many processes at once, with one tally.

usage: many.py [--build DIR] [--calls N] [--seed S] [--jobs N] [--seconds S] [--out DIR]

Each job runs `sequences` again and again, PART calls at a time with seeds of its own, until all jobs
together have made --calls calls or --seconds have gone by. What fails is printed (and kept in --out) and
counted, and the job goes on. The last line: calls, cases, failures. Exit code 1 when something failed or
calls are missing. Build it with sanitizers first: see the target `san` in the Makefile."""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PART = 4000
APART = 10**6  # seeds of one job


class Tally:
    def __init__(self):
        self.lock, self.calls, self.cases, self.failed = threading.Lock(), 0, 0, 0

    def add(self, text):
        """What a part has printed; False: it failed."""
        told = re.search(r"^ok: (\d+) calls in (\d+) cases", text, re.M)
        with self.lock:
            self.calls += int(told[1]) if told else 0
            self.cases += int(told[2]) if told else 0
            self.failed += not told
        return int(told[2]) if told else 0


def job(number, options, tally, start):
    program = os.path.join(ROOT, options.build, "tests", "sequences")
    seed = options.seed + number * APART
    environment = {"UBSAN_OPTIONS": "print_stacktrace=1", "TSAN_OPTIONS": "halt_on_error=1", **os.environ}
    while tally.calls < options.calls and time.time() - start < options.seconds:
        done = subprocess.run(
            [program, "--calls", str(PART), "--seed", str(seed)],
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
        )
        cases = tally.add(done.stdout)
        if not cases:
            text = f"seed {seed}, exit code {done.returncode}\n{done.stdout}{done.stderr}"
            print(text[:6000], flush=True)
            if options.out:
                with open(os.path.join(options.out, f"failed-{seed}.txt"), "w", encoding="utf-8") as file:
                    file.write(text)
        seed += cases or 1000


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--calls", type=int, default=10**6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--out", help="folder for what failed")
    options = parser.parse_args()
    if options.out:
        os.makedirs(options.out, exist_ok=True)
    tally, start = Tally(), time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(job, i, options, tally, start) for i in range(options.jobs)]:
            done.result()
    print(
        f"{options.build}: {tally.calls} calls in {tally.cases} cases, {options.jobs} jobs, "
        f"{time.time() - start:.0f} s: {tally.failed} failed"
    )
    return 1 if tally.failed or tally.calls < options.calls else 0


if __name__ == "__main__":
    sys.exit(main())
