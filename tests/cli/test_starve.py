#!/usr/bin/env python3
"""Every allocation of the tools may fail: they end with an error, or as if nothing had happened.

The n-th allocation of a process fails, for every n, and then the n-th and all after it (starve_malloc.c is
preloaded). A
tool must not die of a signal; where it ends as it does otherwise, it must have printed what it prints
otherwise. Skipped
where the tools are built with sanitizers, which bring an allocator of their own; test_starve.c looks for
leaks.
"""
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ROOT = os.path.abspath(os.environ.get("ROOT", "."))
CLI = os.path.join(ROOT, "tests", "cli")
COMMANDS = [
    "ptxas fine.ptx",
    "ptxas --print fine.ptx",
    "ptxas --lint lint.ptx",
    "ptxas one_error.ptx",
    "ptxas -v usage.ptx",
    "ptxas --diagnostics=caret notes.ptx",
    "ptxas --diagnostics=json one_error.ptx",
    "ptxas --diagnostics=sarif one_error.ptx",
    "ptxas --cpp -I . -D A=1 pre.ptx",
    "ptxas -o OUT/made.o fine.ptx two_kernels.ptx",
    "ptxas fine.ptx missing.ptx fine.ptx",
    "ptxas -e add,add -optf OUT/options",
    "ptxas --explain E0102",
    "ptxas --help",
    "ptxas OUT/object.o",
    "ptxvm fine.ptx -g 1 -b 32 -a u32[32]=0 -a 2 -a 3 --print sum",
    "ptxvm --help",
    "ptxvm OUT/object.o -k none",
]


def run(command, out, **env):
    words = [word.replace("OUT", out) for word in command.split()]
    words[0] = os.path.join(BUILD, "bin", words[0])
    done = subprocess.run(
        words,
        cwd=CLI,
        env=dict(os.environ, **env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def faults(command, library, out):
    """What was wrong with a command, and how many times it ran."""
    count, found, runs = os.path.join(out, "count"), [], 0
    normal = run(command, out, LD_PRELOAD=library, STARVE_COUNT=count)
    with open(count, encoding="ascii") as file:
        total = int(file.read())
    for mode in ({}, {"STARVE_ALL": "1"}):
        for n in range(1, total + 1):
            code, stdout, stderr = run(command, out, LD_PRELOAD=library, STARVE_AT=str(n), **mode)
            runs += 1
            if code < 0 or code > 255:
                found.append("%s: allocation %d of %d %s: exit code %d" % (command, n, total, mode, code))
            elif code == normal[0] == 0 and stdout != normal[1]:
                found.append("%s: allocation %d of %d %s: other output" % (command, n, total, mode))
            elif code and not stderr:
                found.append(
                    "%s: allocation %d of %d %s: exit code %d without a word"
                    % (command, n, total, mode, code)
                )
    return found, runs


def main():
    with open(os.path.join(BUILD, "bin", "ptxas"), "rb") as file:
        program = file.read()
    if b"__asan_init" in program or b"__tsan_init" in program or not sys.platform.startswith("linux"):
        print("these tools bring their own allocator")
        return 77
    with tempfile.TemporaryDirectory() as top:
        library = os.path.join(top, "starve.so")
        subprocess.run(
            [
                *shlex.split(os.environ.get("CC", "cc")),
                "-O1",
                "-shared",
                "-fPIC",
                "-o",
                library,
                os.path.join(CLI, "starve_malloc.c"),
            ],
            check=True,
        )
        folders = []
        for i in range(len(COMMANDS)):
            folders.append(os.path.join(top, str(i)))
            os.mkdir(folders[i])
            with open(os.path.join(folders[i], "options"), "w", encoding="ascii") as file:
                file.write("-v -w \"fine.ptx\"\n")
            run("ptxas fine.ptx -o OUT/object.o", folders[i])
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda i: faults(COMMANDS[i], library, folders[i]), range(len(COMMANDS))))
    found = [fault for faults_, _ in results for fault in faults_]
    for fault in found:
        print(fault)
    print("%d passed, %d failed" % (sum(runs for _, runs in results) - len(found), len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
