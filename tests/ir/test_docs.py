#!/usr/bin/env python3
"""The dumps in docs/ir.md are what ptxvm says: each block of a "$ command" line and its output is run and
compared. With --write the blocks are made anew."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "ir.md")
BLOCK = re.compile(r"^```\n\$ (.*)\n((?:.*\n)*?)```\n", re.M)


def run(command):
    build = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
    env = dict(os.environ, PATH=os.path.join(build, "bin") + os.pathsep + os.environ.get("PATH", ""))
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=env, capture_output=True, text=True)
    return done.stdout + done.stderr


def main():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    if "--write" in sys.argv:
        text = BLOCK.sub(lambda m: f"```\n$ {m[1]}\n{run(m[1])}```\n", text)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    blocks = BLOCK.findall(text)
    bad = 0
    for command, wanted in blocks:
        got = run(command)
        if got == wanted:
            continue
        bad += 1
        pairs = zip(wanted.splitlines(), got.splitlines())
        differ = next((pair for pair in pairs if pair[0] != pair[1]), None)
        print(f"docs/ir.md: $ {command}: {differ or 'more or fewer lines'}")
    print("%d passed, %d failed" % (len(blocks) - bad, bad))
    return 1 if bad or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
