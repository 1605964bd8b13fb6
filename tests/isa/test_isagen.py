#!/usr/bin/env python3
"""isagen must refuse every table of tests/isa/refused with the place and text of its first line: rows of
instructions
(*.tbl), which are read with grammar/names.tbl, and lines like those of names.tbl (*.names).

usage: test_isagen.py [BUILD]      BUILD/isagen is asked; `build` without an argument. 77: isagen is not
built.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def refusal(isagen, table):
    """What isagen says about a table, as "LINE: TEXT"; None when it accepts it."""
    rows = table if table.endswith(".tbl") else os.devnull
    names = table if table.endswith(".names") else os.path.join(ROOT, "grammar", "names.tbl")
    with tempfile.TemporaryDirectory() as folder:
        lane = os.path.join(os.path.dirname(isagen), "gen", "lane.i")
        run = subprocess.run([isagen, rows, names, lane, folder], capture_output=True, text=True, check=False)
    found = re.match(re.escape(table) + r":(\d+): error: (.*)", run.stderr)
    return f"{found.group(1)}: {found.group(2)}" if run.returncode == 1 and found else run.stderr or None


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BUILD", os.path.join(ROOT, "build"))
    isagen = os.path.join(build, "isagen")
    if not os.path.exists(isagen):
        print(f"no {isagen}")
        return 77
    tables = sorted(glob.glob(os.path.join(HERE, "refused", "*")))
    wrong = 0
    for table in tables:
        with open(table) as file:
            want = file.readline().removeprefix("# refused:").rstrip("\n")
        got = refusal(isagen, table)
        if got != want:
            wrong += 1
            print(f"{os.path.basename(table)}: wanted {want!r}, got {got!r}")
    print(f"{len(tables) - wrong} of {len(tables)} tables refused as they say")
    return 1 if wrong or not tables else 0


if __name__ == "__main__":
    sys.exit(main())
