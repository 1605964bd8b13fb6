#!/usr/bin/env python3
"""Random sequences of calls, held against their model: a short run from a fixed seed (see README.md)."""
import os
import subprocess
import sys

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
CALLS = "20000"


def main():
    program = os.path.join(BUILD, "tests", "sequences")
    done = subprocess.run([program, "--calls", CALLS, "--seed", "1"], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
