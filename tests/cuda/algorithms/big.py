#!/usr/bin/env python3
"""CUB's and Thrust's algorithms on many items with many workers, for a machine with many cores.

usage: big.py [--items N] [--rounds N] [--workers N] [--seconds S] [--apart] [--schedule SEED] [--out FILE]
[NAME...]

Each program of built/ (or each NAME) runs alone, one after another, and prints a line a round. A program is
ended after --seconds, and the rounds before count. With --apart each round is a process of its own, with
other items: programs other than `ahead` tell their rounds only so. The last lines tally, for each
program and in all, rounds, results and wrong results. Exit code 1 when a result is wrong, a program dies or
has not finished one round."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import test_algorithms  # noqa: E402

ROUND = re.compile(r"(?:round (\d+): )?(\d+) results, (\d+) wrong")


class Tally:
    """Of one program."""

    def __init__(self, name):
        self.name, self.rounds, self.results, self.wrong, self.died = name, 0, 0, 0, ""

    def __str__(self):
        died = "; " + self.died if self.died else ""
        return f"{self.name}: {self.rounds} rounds, {self.results} results, {self.wrong} wrong{died}"


def run(path, arguments, until, environment, say):
    """One process, until it ends or its time is over: (rounds, results, wrong results, how it died)."""
    process = subprocess.Popen(
        [path, *map(str, arguments), "told"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    tally, others = (0, 0, 0), []
    ended = threading.Timer(until - time.time(), process.kill)
    ended.start()
    for line in process.stdout:
        found = ROUND.match(line)
        if found:
            tally = (int(found[1] or arguments[1]), int(found[2]), int(found[3]))
        else:
            others.append(line)
        say(line.rstrip())
    code = process.wait()
    late = time.time() >= until
    ended.cancel()
    died = "" if code == 0 or late or tally[2] else f"exit code {code}: {''.join(others)[-500:]}"
    return *tally, died


def run_rounds(name, path, options, say):
    """All rounds of a program: in one process, or each in one of its own with items of its own."""
    environment = dict(os.environ, PTXVM_THREADS=str(options.workers))
    environment["LD_LIBRARY_PATH"] = os.path.join(test_algorithms.BUILD, "lib")
    if options.schedule:
        environment["PTXVM_SCHEDULE"] = f"random:{options.schedule}"
    tally, start = Tally(name), time.time()
    processes = [(options.rounds, 1)]
    if options.apart:
        processes = [(1, seed) for seed in range(1, options.rounds + 1)]
    for rounds, seed in processes:
        if time.time() - start >= options.seconds or tally.died:
            break
        done = run(
            path,
            (options.items, rounds, seed),
            start + options.seconds,
            environment,
            lambda line: say(f"{time.time() - start:6.0f} s  {line}"),
        )
        tally.rounds, tally.results, tally.wrong = (
            tally.rounds + done[0],
            tally.results + done[1],
            tally.wrong + done[2],
        )
        tally.died = done[3]
    return tally


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--apart", action="store_true", help="a process for each round")
    parser.add_argument("--schedule", type=int, default=0, help="seed of a random schedule")
    parser.add_argument("--out", help="file for a copy of what is printed")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or sorted(n[:-3] for n in os.listdir(test_algorithms.BUILT))
    out = open(options.out, "w", encoding="utf-8") if options.out else None

    def say(line):
        print(line, flush=True)
        if out:
            print(line, file=out, flush=True)

    how = f"{options.items} items, {options.workers} workers"
    how += f", random schedule {options.schedule}" if options.schedule else ""
    told, bad = [], False
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            say(f"{name}: {how}")
            told.append(run_rounds(name, test_algorithms.unpack(name, folder), options, say))
    for tally in told:
        bad |= bool(tally.wrong or tally.died or not tally.rounds)
        say(str(tally))
    sums = [sum(getattr(t, what) for t in told) for what in ("rounds", "results", "wrong")]
    say(f"in all, {how}: {sums[0]} rounds, {sums[1]} results, {sums[2]} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
