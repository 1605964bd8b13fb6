#!/usr/bin/env python3
"""What contexts and devices see of each other's memory: the recorders of tests/hw, against our driver.

Each prints a line for a kind of memory and a way to use it; what chips answered stands beside it."""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tally import Tally  # noqa: E402

tally = Tally()
LIBRARY = os.path.join(BUILD, "lib", "libcuda.so.1")
CC = os.environ.get("CC", "gcc").split()

# Lines that we answer otherwise, and why.
OTHERWISE = {
    r"^mapped, read access:": "what may only be read is not supported",
    r"^(the standard pool|a pool of its own|mapped), after its end:": "memory goes with its context",
}


def recorder(name, devices):
    """The lines that tests/hw/NAME/record.c prints here."""
    folder = os.path.join(ROOT, "tests", "hw", name)
    with tempfile.TemporaryDirectory() as place:
        program = os.path.join(place, "record")
        words = ("-std=gnu17", "-w", "-DOWN_HEADER", f"-I{ROOT}/lib", "-o", program)
        subprocess.run([*CC, *words, os.path.join(folder, "record.c"), LIBRARY], check=True)
        settings = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(LIBRARY), "PTXVM_LOG": "off"}
        settings.update(PTXVM_DEVICES=str(devices), PTXVM_MEMORY="256M")
        done = subprocess.run([program], capture_output=True, text=True, check=False, env=settings)
    with open(os.path.join(folder, "h100.txt"), encoding="utf-8") as file:
        return done.stdout.splitlines(), file.read().splitlines()


def main():
    with open(LIBRARY, "rb") as file:
        if b"__tsan_init" in file.read():
            print("the thread sanitizer has the addresses that devices would need")
            sys.exit(77)
    for name, devices in (("contexts", 1), ("peers", 2)):
        ours, chip = recorder(name, devices)
        tally.check(f"{name}: lines", len(ours) == len(chip), f"{len(ours)}, on a chip {len(chip)}")
        for own, right in zip(ours, chip):
            if not any(re.search(other, right) for other in OTHERWISE):
                tally.check(right.split(":")[0], own == right, f"{own}\non a chip: {right}")
    sys.exit(tally.end())


if __name__ == "__main__":
    main()
