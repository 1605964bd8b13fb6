#!/usr/bin/env python3
"""fatbinary of CUDA takes the objects that `ptxas -o` writes, for the architecture they were checked for and
no other."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PTXAS = os.path.join(
    os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "ptxas"
)
TEXT = ".version 9.0\n.target sm_%s\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"


def takes(fatbinary, folder, made_for, told):
    source, made = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.o")
    with open(source, "w", encoding="utf-8") as file:
        file.write(TEXT % made_for)
    subprocess.run([PTXAS, "-o", made, source], check=True)
    image = "--image3=kind=elf,sm=%s,file=%s" % (told, made)
    command = [fatbinary, "--create=" + os.path.join(folder, "k.fatbin"), "-64", image]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main():
    fatbinary = shutil.which("fatbinary")
    if not fatbinary:
        print("fatbinary is not on PATH")
        return 77
    archs = "75 80 86 89 90 90a 100 100a 100f 103 110 120 121a".split()
    with tempfile.TemporaryDirectory() as folder:
        bad = [arch for arch in archs if not takes(fatbinary, folder, arch, arch)]
        bad += [arch for arch in archs[1:] if takes(fatbinary, folder, arch, "75")]
    print("%d passed, %d failed %s" % (2 * len(archs) - 1 - len(bad), len(bad), " ".join(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
