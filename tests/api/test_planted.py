#!/usr/bin/env python3
"""Takes each instruction that orders out of kernels that --check=race finds right (tests/exec/checks): each
time it must find a race. NEEDLESS lists those whose removal leaves the kernel right, with the reason."""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
ORDERS = re.compile(
    r"\s*(@\S+\s+)?(bar\.|barrier\.cta\.sync|fence|membar|cp\.async\.wait|mbarrier\.(test_wait|arrive))"
)
NEEDLESS = {
    ("race_named", "good", "barrier.cta.sync 2, 32;"): "nothing follows it that another thread reads",
    ("race_named", "good", "bar.sync 0;"): "the same",
    ("race_async", "mbarrier", "bar.sync 0;"): "cp.async.mbarrier.arrive is no access of its mbarrier",
    ("race_async", "mbarrier", "mbarrier.test_wait.parity.shared.b64 %p2, [m], 0;"): "its loop never ends",
    ("race_mbarrier", "good", "mbarrier.test_wait.parity.shared.b64 %p2, [m], 0;"): "the same",
    ("race_mbarrier", "good", "mbarrier.arrive.shared.b64 %rd5, [m];"): "a deadlock, which is told",
}


def runs(path):
    """The runs of a file whose kernel is right: kernel, options."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for line in re.findall(r"^// PTXVM: (.*)$", text, re.M):
        words = shlex.split(line)
        if "check: 0 errors, 0 warnings" in words and "--schedule" not in words:
            end = next(i for i, word in enumerate(words) if word.startswith("--expect"))
            yield words[words.index("-k") + 1], words[:end], text


def without(text, kernel):
    """The text without each ordering instruction of the kernel, one at a time."""
    begin = re.search(rf"\.entry {kernel}\(", text).start()
    end = text.find(".visible .entry", begin)
    lines, at = text.split("\n"), text.count("\n", 0, begin)
    last = text.count("\n", 0, end) if end >= 0 else len(lines)
    for i in range(at, last):
        if ORDERS.match(lines[i]):
            yield lines[i].strip(), "\n".join(lines[:i] + [""] + lines[i + 1 :])


def main():
    removed, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(os.path.join(ROOT, "tests/exec/checks/race_*.ptx"))):
            name = os.path.basename(path)[:-4]
            for kernel, options, text in runs(path):
                for instruction, changed in without(text, kernel):
                    if (name, kernel, instruction) in NEEDLESS:
                        continue
                    file = os.path.join(folder, "removed.ptx")
                    with open(file, "w", encoding="utf-8") as out:
                        out.write(changed)
                    command = [os.path.join(BUILD, "bin", "ptxvm"), *options, "--timeout", "20", file]
                    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
                    removed += 1
                    if ran.returncode != 6:
                        failures.append(f"{name}: {kernel} without '{instruction}': {ran.returncode}")
    print("\n".join(failures))
    print(f"{removed} removed, {len(failures)} not found")
    sys.exit(1 if failures or removed < 20 else 0)


if __name__ == "__main__":
    main()
