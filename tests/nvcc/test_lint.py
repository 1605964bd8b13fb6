#!/usr/bin/env python3
"""No false alarm over compilers' output: `ptxas --lint` on the nvcc-made modules here, the samples and
tests/exec draws only what ALLOWED and MEANT have. Folders or files as arguments take the place of these."""
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PTXAS = os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build")), "bin", "ptxas")
# What compilers' output may draw: registers for nothing, code behind traps, generic accesses; and, where a
# source casts, more alignment than a variable has.
ALLOWED = {"W0601", "W0602", "W0610", "W0640", "W0644"}
MEANT = {  # what the file is about: a register that nobody writes; a copy that nobody waits for
    "scalar_base.ptx": {"W0620"},
    "bulk.ptx": {"W0680"},
}
PLACES = [os.path.join(ROOT, place) for place in ("tests/nvcc/ptx", "samples", "tests/exec")]


def findings(path):
    """Modules are part of a program (-c), but what -c alone refuses is a program of its own."""
    for part in (["-c"], [], ["--profile=all"]):
        done = subprocess.run(
            [PTXAS, *part, "--lint", "--diagnostics=json", path],
            capture_output=True,
            timeout=300,
            check=False,
        )
        if done.returncode == 0:
            break
    found = json.loads(done.stderr)
    if done.returncode or any(d["severity"] in ("error", "fatal") for d in found):
        return [f"{path}: exit code {done.returncode}"]
    allowed = ALLOWED | MEANT.get(os.path.basename(path), set())
    return [
        f"{path}:{d['line']}: {d['code']} {d['message']}"
        for d in found
        if d["code"].startswith("W06") and d["code"] not in allowed
    ]


def main():
    files = []
    for place in sys.argv[1:] or PLACES:
        files += sorted(glob.glob(os.path.join(place, "*.ptx"))) if os.path.isdir(place) else [place]
    bad = [line for path in files for line in findings(path)]
    print("\n".join(bad + [f"{len(files)} modules, {len(bad)} warnings that should not be"]))
    sys.exit(1 if bad or not files else 0)


if __name__ == "__main__":
    main()
