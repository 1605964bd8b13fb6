#!/usr/bin/env python3
"""Every test program of tests/api with its n-th allocation failing; n is sampled (--all: each n).

A program may fail then, by an assertion of its own about a status, and must not crash or hang. Builds with
sanitizers are skipped (exit code 77): their realloc cannot be preloaded.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build")))
# these make the n-th allocation fail by themselves, replay recordings for long, or test nothing of memory
SKIPPED = {
    *("exhaustion", "streams_oom", "hostile"),
    *("golden", "fmad", "matrix", "wgmma", "stops", "runtime", "texrules", "fp_caller"),
}


def run(program, at, folder, limit):
    report = os.path.join(folder, "report")
    if os.path.exists(report):
        os.unlink(report)
    ran = subprocess.run(
        [program],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit,
        env={
            **os.environ,
            "LD_PRELOAD": os.path.join(BUILD, "tests", "oom_fail.so"),
            "FAIL_AT": str(at),
            "FAIL_REPORT": report,
        },
    )
    count = 0
    if os.path.exists(report):
        with open(report, encoding="ascii") as file:
            count = int(file.read().split()[1])
    return ran, count


def samples(count, most):
    """All when there are few; else closer together at the beginning, where devices are made."""
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + round((count - 1) * (i / (most - 1)) ** 2) for i in range(most)})


def fault(ran):
    """What is wrong with a program that ended like this; None: nothing."""
    if ran.returncode < 0:
        return f"signal {-ran.returncode}"
    text = ran.stdout + ran.stderr
    if "failed with exception" in text:
        return re.search(r".*failed with exception.*", text).group(0)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true", help="every allocation of every program")
    parser.add_argument("--most", type=int, default=8, help="samples of a program (8)")
    parser.add_argument("programs", nargs="*", help="test_NAME; all of tests/api when none is named")
    options = parser.parse_args()
    if "san-" in BUILD:
        sys.exit(77)
    names = options.programs or sorted(
        name[:-2]
        for name in os.listdir(os.path.join(HERE, "..", "api"))
        if name.startswith("test_") and name.endswith(".c") and name[5:-2] not in SKIPPED
    )
    failed = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            program = os.path.join(BUILD, "tests", name)
            _, count = run(program, 0, folder, 300)
            if not count:
                failed += 1
                print(f"{name}: allocates nothing by the library: is it linked with libptxvm.a?")
                continue
            for at in range(1, count + 1) if options.all else samples(count, options.most):
                tried += 1
                try:
                    ran, _ = run(program, at, folder, 120)
                    wrong = fault(ran)
                except subprocess.TimeoutExpired:
                    wrong = "does not end"
                if wrong:
                    failed += 1
                    print(f"{name}: allocation {at} of {count} fails: {wrong}")
    print(f"{tried} failing allocations, {failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
