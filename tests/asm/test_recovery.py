#!/usr/bin/env python3
"""After a syntax error the checker goes on, and an error causes no others.

Statements of texts that are right are broken one at a time and two at a time, in ways that people break them.
Each broken line must be told, and no other: every error stands in a broken line, or in the one behind it
where the end of the line is what is missing. A text cut anywhere must be told at its end, or be legal.

usage: tests/asm/test_recovery.py [--all]    (--all: every text of tests/exec)
"""
import glob
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
os.environ.setdefault("PTXVM_LIBRARY", os.path.join(BUILD, "lib", "libptxvm.so"))
sys.path.insert(0, os.path.join(ROOT, "lib", "python"))
import ptxvm  # noqa: E402

INSTRUCTION = re.compile(r"\s*(@!?%?\w+\s+)?[a-z]\w*(\.[\w:]+)*\s[^;{}:/]*;\s*$")
DECLARATION = re.compile(r"\s*\.reg\s+\.[a-z]\w+\s+[^;{}/]*;\s*$")


def without_semicolon(line):
    return line.rstrip()[:-1]


def without_comma(line):
    return line.replace(",", " ", 1) if "," in line else None


def open_bracket(line):
    return line.replace("]", "", 1) if "]" in line else None


def assigned(line):
    return line.replace(",", " =", 1) if "," in line and INSTRUCTION.match(line) else None


def stray(line):
    return line.rstrip()[:-1] + " $ ;"


def register_offset(line):
    return re.sub(r"\[(%\w+)\]", r"[\1+\1]", line, count=1) if re.search(r"\[%\w+\]", line) else None


def doubled_comma(line):
    return line.replace(",", ",,", 1) if "," in line else None


def open_range(line):
    return line.replace(">", "", 1) if ">" in line else None


WAYS = (
    without_semicolon,
    without_comma,
    open_bracket,
    assigned,
    stray,
    register_offset,
    doubled_comma,
    open_range,
)


def errors(text):
    try:
        ptxvm.Module(text)
    except ptxvm.AssemblyError as error:
        return [d for d in error.diagnostics if d.severity >= 2 and not d.follows]
    return []


def statements(lines):
    """Numbers of lines that hold one statement and nothing else."""
    return [i for i, line in enumerate(lines) if INSTRUCTION.match(line) or DECLARATION.match(line)]


def broken(lines, wanted, chooser):
    """The text with some statements broken, and the lines that may be named; None: a way does not fit."""
    changed, places = list(lines), []
    for i in wanted:
        line = chooser.choice(WAYS)(lines[i])
        if line is None:
            return None
        changed[i] = line
        behind = i + 1
        while behind < len(lines) and not re.sub(r"//.*", "", lines[behind]).strip():
            behind += 1
        places.append((i + 1, behind + 1))
    return "\n".join(changed), places


def judge(name, lines, wanted, chooser):
    made = broken(lines, wanted, chooser)
    if not made:
        return None, None
    text, places = made
    found = errors(text)
    shown = "\n".join(f"    {i + 1}: {text.split(chr(10))[i].strip()}" for i in wanted)
    for first, last in places:
        if not any(first <= d.line <= last for d in found):
            return True, f"{name}: nothing is told of line {first}\n{shown}"
    for d in found:
        if not any(first <= d.line <= last for first, last in places):
            return True, f"{name}: {d} follows from\n{shown}"
    return True, None


def cut(name, text, chooser, times):
    for _ in range(times):
        at = chooser.randrange(len(text))
        for d in errors(text[:at]):
            if d.line > text[:at].count("\n") + 1:
                yield f"{name}: cut at {at}: {d}"


def main():
    chooser, tried, wrong = random.Random(4), 0, []
    folders = (os.path.join(ROOT, "samples"), os.path.join(ROOT, "tests", "exec"))
    paths = sorted(path for folder in folders for path in glob.glob(os.path.join(folder, "*.ptx")))
    if "--all" not in sys.argv[1:]:
        paths = paths[::3]
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        places = statements(lines)
        if errors(text) or len(places) < 4:
            continue
        name = os.path.basename(path)
        for _ in range(40):
            first = chooser.choice(places)
            far = [i for i in places if abs(i - first) > 3]
            wanted = [first] + ([chooser.choice(far)] if far and chooser.random() < 0.5 else [])
            did, problem = judge(name, lines, sorted(wanted), chooser)
            tried += bool(did)
            if problem:
                wrong.append(problem)
        wrong += cut(name, text, chooser, 20)
    print("\n".join(wrong[:40]))
    print(f"{tried} broken texts, {len(wrong)} wrong")
    return bool(wrong) or tried < 500


sys.exit(main())
