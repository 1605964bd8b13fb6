#!/usr/bin/env python3
"""Limits hold: kernels made to outlast, outgrow or outtalk them end with exit code 5, the right words, in
time.

The one place where a clock decides: with --timeout 1 a run has ended within 3 seconds, under a cap of the
address space
(builds with sanitizers: five times as long, without the cap, which they cannot live in). What a run held is
what the
system says it held at most.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tally import Tally  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PTXVM = os.path.join(BUILD, "bin", "ptxvm")
HERE = os.path.dirname(os.path.abspath(__file__))
STOPPED = 5
MIB = 1 << 20
CAP = 1500 * MIB
TIME = "the time limit was reached"
STEPS = "the limit of instructions was reached"
TEXT = "the limit of printed text was reached"
HOST = "the limit of host memory was reached"
NONE = "the host has no memory left"  # CAP, before the limit
BUFFERS = "-a u32[16384]=zeros -a u32[16384]=zeros"

# A kernel with its options, and what may stop it. A last number is the most MiB the process may have held.
CASES = [
    ("loop_short.ptx --max-steps 9000", STEPS),  # reached with the last instructions, when the grid completes
    ("call_tree.ptx", TIME),
    ("call_tree.ptx --max-steps 1000", STEPS),
    ("call_chain.ptx -b 256", TIME),
    ("call_chain.ptx --max-steps 1000", STEPS),
    ("copy_rows.ptx -a u32[4]=zeros", TIME),
    ("fill_rows.ptx -a u32[4]=zeros", TIME),
    ("fill_rows.ptx -a u32[4]=zeros -g 64 -b 64", TIME),
    (f"print_flood.ptx -b 1024 -g 4 {BUFFERS} --max-output 1M", TEXT),
    (f"print_flood.ptx -b 1024 -g 4 {BUFFERS}", f"{TEXT}|{TIME}"),
    (f"print_wide.ptx -b 1024 -g 4 {BUFFERS} --max-output 8M", TEXT),
    (f"print_wide.ptx -b 1024 -g 4 {BUFFERS} --max-output 100G", TIME),
    (f"heap_exhausted.ptx -k k -b 1024 -g 64 {BUFFERS}", TIME),
    ("local_memory.ptx -b 1024 -g 64", f"{TIME}|{HOST}|{NONE}"),
    ("local_memory.ptx -b 1024 -g 64 --max-host 128M", HOST, 250),
    ("parked_blocks.ptx -k k -b 1024 -g 64 --max-host 40M", HOST, 160),
    ("launch_bomb.ptx -b 1024 -g 64,64", f"{TIME}|{HOST}"),
    ("launch_bomb.ptx -b 1024 -g 64,64 --max-host 64M", f"{TIME}|{HOST}", 190),
]


def is_sanitized():
    with open(PTXVM, "rb") as file:
        program = file.read()
    return b"__asan_init" in program or b"__tsan_init" in program


SANITIZED = is_sanitized()


def cap():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (CAP, CAP))


def run(options):
    """Exit code, seconds, most MiB held, bytes of output, standard error."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen(
            [PTXVM, "--memory", "64M", "--timeout", "1", *options.split()],
            cwd=HERE,
            preexec_fn=cap,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
        )
        killer = threading.Timer(60, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        killer.cancel()
        errors.seek(0)
        return (
            os.waitstatus_to_exitcode(status),
            seconds,
            usage.ru_maxrss / 1024,
            output.tell(),
            errors.read().decode(),
        )


def wrong_with(options, wanted, most_mib=0):
    code, seconds, mib, printed, errors = run(options)
    if code != STOPPED or not re.search(wanted, errors):
        return f"exit code {code}, expected {STOPPED} and '{wanted}':\n{errors[:600]}"
    if seconds > 3 * (5 if SANITIZED else 1):
        return f"ended after {seconds:.1f} s"
    limit = re.search(r"--max-output (\d+)M", options)
    if limit and printed > int(limit[1]) * MIB:
        return f"printed {printed} bytes"
    if most_mib and mib > most_mib and not SANITIZED:
        return f"held {mib:.0f} MiB"
    return None


def main():
    tally = Tally()
    for case in CASES:
        for threads in (1, 4):
            options = f"{case[0]} --threads {threads}"
            wrong = wrong_with(options, *case[1:])
            tally.check(options, not wrong, wrong)
    sys.exit(tally.end())


if __name__ == "__main__":
    main()
