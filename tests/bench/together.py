#!/usr/bin/env python3
"""Which of several builds is faster, on a machine whose speed varies.

Each workload runs in all builds at the same time and on the same core, where they take turns every few
milliseconds: what slows one down slows all. Prints the processor time's 10^9 thread-instructions a second of
each build (median of all rounds) and how much faster it is than the first one (median, least and most of
the rounds). Two builds of the same text differ by up to 2 %.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RIGHT = re.compile(r"\w+ +([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ +right", re.M)


def workloads(table):
    with open(table) as lines:
        return {line.split("\t")[0]: line for line in lines if line.strip() and not line.startswith("#")}


def run_all(builds, core, line):
    """Speed of each build, in Gti/s; they run side by side."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        table.write(line)
        table.flush()
        runs = [
            subprocess.Popen(
                [build, "--dir", HERE, "--table", os.path.relpath(table.name, HERE)],
                stdout=subprocess.PIPE,
                text=True,
                preexec_fn=lambda: os.sched_setaffinity(0, {core}),
            )
            for build in builds
        ]
        texts = [run.communicate()[0] for run in runs]
    found = [RIGHT.search(text) for text in texts]
    if not all(found):
        at = found.index(None)
        sys.exit(f"{builds[at]} did not get {line.split()[0]} right:\n{texts[at]}")
    return [float(match[1]) for match in found]


def main():
    first_core = min(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("builds", nargs="+", metavar="BENCH", help="tests/bench of each build, old one first")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="how often (7)")
    parser.add_argument("--core", type=int, default=first_core, metavar="N", help="on which core")
    parser.add_argument("--only", metavar="W,W", help="these workloads")
    args = parser.parse_args()
    builds = [os.path.abspath(build) for build in args.builds]
    table = workloads(os.path.join(HERE, "workloads.tsv"))
    only = args.only.split(",") if args.only else list(table)
    unknown = [name for name in only if name not in table]
    if unknown:
        parser.error(f"no workload is called {unknown[0]}; there are {', '.join(table)}")
    for name in only:
        speeds = [run_all(builds, args.core, table[name]) for _ in range(args.rounds)]
        cells = []
        for at in range(len(builds)):
            cell = f"{statistics.median(row[at] for row in speeds):7.2f}"
            if at:
                ratios = sorted(row[at] / row[0] for row in speeds)
                cell += f"  x {statistics.median(ratios):.3f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
            cells.append(cell)
        print(f"{name:20}", "   ".join(cells), flush=True)


if __name__ == "__main__":
    main()
