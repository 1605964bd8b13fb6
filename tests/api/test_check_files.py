#!/usr/bin/env python3
"""Findings and files: --check-suppress leaves some out, --check-sarif writes them, ptx_run tells new ones."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
RACY = os.path.join(ROOT, "tests", "exec", "checks", "race_warp.ptx")
PTXVM = os.path.join(BUILD, "bin", "ptxvm")
RUN = [PTXVM, "-k", "bad", "-b", "64", "-a", "u32[256]=zeros", "--check", "race", RACY]
failures = []


def check(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: {got!r}, expected {wanted!r}")


def run(*options):
    return subprocess.run([*RUN, *options], capture_output=True, text=True, timeout=300, check=False)


def check_rules(folder):
    path = os.path.join(folder, "known")
    rules = {
        "race-write-read": 0,
        "# a word\n\nrace-* bad race_warp.ptx": 0,
        "* b*d": 0,
        "race-write-read good": 6,
        "race-write-read bad other.ptx": 6,
        "race-write-read bad race_warp.ptx 1": 6,
        "init-*": 6,
    }
    for text, code in rules.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        check(f"exit code with '{text}'", run("--check-suppress", path).returncode, code)
    check("no such file", run("--check-suppress", path + ".none").returncode, 2)


def check_sarif(folder):
    path = os.path.join(folder, "found.sarif")
    check("exit code with SARIF", run("--check-sarif", path).returncode, 6)
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    (result,) = told["runs"][0]["results"]
    check("version", told["version"], "2.1.0")
    check("rule", (result["ruleId"], result["level"]), ("race-write-read", "error"))
    places = [side["physicalLocation"] for side in result["locations"] + result["relatedLocations"]]
    check("files", {os.path.basename(p["artifactLocation"]["uri"]) for p in places}, {"race_warp.ptx"})
    check("two lines", len({p["region"]["startLine"] for p in places}), 2)


CHILD = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
text = open(sys.argv[2], "rb").read()
room = ctypes.create_string_buffer(1024)
for _ in range(2):
    library.ptx_run(text, 1, (ctypes.c_void_p * 1)(ctypes.addressof(room)), 64, 1, 1, 1, 1, 1, 0)
"""


def check_ptx_run(folder):
    with open(RACY, encoding="utf-8") as file:
        text = file.read()
    entry = ".visible .entry"
    head, _, rest = text.partition(entry + " bad")
    path = os.path.join(folder, "one.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(head.partition(entry)[0] + entry + " bad" + rest.partition(entry)[0])
    for words, lines in (("race", 1), ("sync", 0)):
        command = [sys.executable, "-c", CHILD, os.path.join(BUILD, "lib", "libptxvm.so"), path]
        environment = {**os.environ, "PTXVM_CHECK": words}
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, env=environment
        )
        check(f"ptx_run with {words}", (ran.returncode, ran.stderr.count("[race-write-read]")), (0, lines))


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_rules(folder)
        check_sarif(folder)
        if "san-" not in BUILD:  # a sanitizer's runtime has to be loaded first
            check_ptx_run(folder)
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
