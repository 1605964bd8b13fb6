#!/usr/bin/env python3
"""Makes the seed corpus of fuzz_front: one file for each small module that the tests know.

usage: tests/fuzz/seeds.py OUT [FOLDER...]

Takes the .ptx files of the tests and samples and the modules of the frozen verdicts, and of further folders
where some
are given. An input that crashed once is an ordinary test (tests/fuzz/crashes) and a seed.
"""
import hashlib
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["tests", "samples"]
LARGEST = 4096  # bytes: the fuzzer cuts what is longer

sys.path.insert(0, os.path.join(ROOT, "tests", "verdicts"))
import frozen  # noqa: E402


def files(folders):
    for folder in folders:
        for where, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith(".ptx") or os.path.basename(where) == "crashes":
                    with open(os.path.join(where, name), "rb") as file:
                        yield file.read()


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    texts = list(files([os.path.join(ROOT, folder) for folder in FOLDERS] + sys.argv[2:]))
    texts += [case.text.encode("utf-8", "surrogateescape") for case in frozen.load_all()]
    for text in texts:
        if len(text) <= LARGEST:
            with open(os.path.join(out, hashlib.sha1(text).hexdigest()[:16]), "wb") as file:
                file.write(text)


if __name__ == "__main__":
    main()
