#!/usr/bin/env python3
"""Records what Nsight Compute measures of patterns.ptx on the chip at hand: recorded.tsv, which
test_patterns.py compares with ptxvm --hot. Needs nvcc, ncu, and counters that this user may read.

usage: record.py [--dry]      --dry: builds host.c and runs it without ncu (ptxvm --exec record.py --dry)"""
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import patterns  # noqa: E402

METRICS = {
    "global": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "shared": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
}


def build(folder):
    host = os.path.join(folder, "host")
    subprocess.run(["nvcc", "-o", host, os.path.join(HERE, "host.c"), "-lcuda"], check=True)
    return host


def rows_of(text):
    """ncu's CSV begins behind its own messages."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    return csv.DictReader(lines[first:])


def main():
    cases = list(patterns.cases())
    order = "".join("%s %u %u %u\n" % case for case in cases)
    with tempfile.TemporaryDirectory() as folder:
        command = [build(folder), os.path.join(HERE, "patterns.ptx")]
        if "--dry" in sys.argv:
            subprocess.run(command, input=order, text=True, check=True)
            print(len(cases), "launches")
            return
        ncu = ["ncu", "--csv", "--metrics", ",".join(METRICS.values()), *command]
        told = subprocess.run(ncu, input=order, text=True, check=True, capture_output=True).stdout
    values = {}
    for row in rows_of(told):
        values[int(row["ID"]), row["Metric Name"]] = int(row["Metric Value"].replace(",", ""))
    with open(os.path.join(HERE, "recorded.tsv"), "w", encoding="utf-8") as file:
        for number, case in enumerate(cases):
            metric = METRICS[case[0].partition("_")[0]]
            print(*case, values[number, metric], sep="\t", file=file)


if __name__ == "__main__":
    main()
