#!/usr/bin/env python3
"""The command line: our ptxas against what NVIDIA's said, frozen in options.tsv by
tests/parity/options.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "parity"))
import options  # noqa: E402

PTXAS = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "bin", "ptxas"))


def main():
    rows = list(options.load_frozen())
    different = options.compare(rows, PTXAS, 2)
    print("%d passed, %d failed" % (len(rows) - different, different))
    return 1 if different or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
