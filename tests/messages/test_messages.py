#!/usr/bin/env python3
"""Typical mistakes, each with the whole of what ptxas says of it.

usage: tests/messages/test_messages.py [--update]

Each NAME.ptx here holds one mistake ("// ARGS: ..." adds options), NAME.txt what ptxas prints. Beside that
text it is
checked that
  - what a note calls legal is taken in place of the instruction that was refused;
  - the first line is that of NVIDIA's ptxas, where that is installed;
  - docs/ptxas.md shows the same text.
--update writes the texts and the section of docs/ptxas.md anew.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
PTXAS = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "ptxas")
ORACLE = os.environ.get("CUDA_PTXAS", "/usr/local/cuda/bin/ptxas")
DOCUMENT = os.path.join(ROOT, "docs", "ptxas.md")
BEGIN, END = (
    "<!-- mistakes: written by tests/messages/test_messages.py --update -->\n",
    "<!-- end of mistakes -->\n",
)
MANY = 40


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def options(source):
    return [word for line in re.findall(r"// ARGS: (.*)", source) for word in line.split()]


def run(tool, arguments, folder):
    done = subprocess.run(
        [tool, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        text=True,
    )
    return done.stdout


def said(path):
    return run(PTXAS, options(read(path)) + [os.path.basename(path)], HERE)


def proposals(text):
    """(line, statement, declaration or None) for each instruction that a note calls legal."""
    for line, note in re.findall(r"^ptxas \S+, line (\d+);.*\n(?:.*\n){2} +note: (.*)", text, re.M):
        legal = re.search(r"legal here: (.*?)(?: \(or .*\))?$", note)
        if legal:
            statement, _, needs = legal.group(1).partition(" with ")
            held = re.match(r"(\S+) being a (\S+) register", needs)
            yield int(line), statement, held and f"\t.reg {held.group(2)} {held.group(1)};"


def refused(source, line, statement, declaration):
    """What ptxas says of the statement in place of the line's, or None."""
    lines = source.split("\n")
    lines[line - 1] = f"\t{statement};"
    if declaration:
        lines[lines.index("{")] += declaration
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "fixed.ptx"), "\n".join(lines))
        answer = run(PTXAS, options(source) + ["fixed.ptx"], folder)
    return next((row for row in answer.split("\n") if re.search(rf"line {line};.*(error|fatal)", row)), None)


def first_line_differs(path, text):
    """The first line of NVIDIA's tool when it is another, or None."""
    source = read(path)
    asked = options(source) or ["-arch=" + re.search(r"sm_\w+", source).group()]
    with tempfile.TemporaryDirectory() as folder:
        theirs = run(ORACLE, asked + ["-o", os.path.join(folder, "out"), os.path.basename(path)], HERE)
    ours, theirs = text.split("\n")[0], theirs.split("\n")[0]
    return None if ours == theirs else theirs


def section(texts):
    parts = []
    for name, text in texts:
        source = read(os.path.join(HERE, name + ".ptx"))
        arguments = " ".join(options(source) + [name + ".ptx"])
        shown = "".join(
            "    " + line + "\n" for line in text.rstrip("\n").split("\n") if "aborted due to" not in line
        )
        parts.append(f"    $ ptxas {arguments}\n{shown}")
    return BEGIN + "\n" + "\n".join(parts) + "\n" + END


def judge(path, text):
    """What is wrong with the answer to one mistake."""
    source, name = read(path), os.path.basename(path)
    expected = read(path[:-4] + ".txt") if os.path.exists(path[:-4] + ".txt") else ""
    if text != expected:
        yield f"{name}: not the frozen text but\n{text}"
    if "note:" not in text:
        yield f"{name}: no note"
    for line, statement, declaration in proposals(text):
        answer = refused(source, line, statement, declaration)
        if answer:
            yield f"{name}: '{statement}' is called legal, but: {answer}"
    theirs = first_line_differs(path, text) if os.access(ORACLE, os.X_OK) else None
    if theirs is not None:
        yield f"{name}: NVIDIA's first line is: {theirs}"


def main():
    paths = sorted(glob.glob(os.path.join(HERE, "*.ptx")))
    texts = [(os.path.basename(path)[:-4], said(path)) for path in paths]
    document = read(DOCUMENT)
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    if "--update" in sys.argv[1:]:
        for name, text in texts:
            write(os.path.join(HERE, name + ".txt"), text)
        write(DOCUMENT, before + section(texts) + after)
        document = read(DOCUMENT)
    wrong = [problem for path, (_, text) in zip(paths, texts) for problem in judge(path, text)]
    if section(texts) not in document:
        wrong.append("docs/ptxas.md does not show these texts: run tests/messages/test_messages.py --update")
    if len(paths) < MANY:
        wrong.append(f"{len(paths)} mistakes, fewer than {MANY}")
    print("\n".join(wrong) or f"{len(paths)} mistakes")
    return bool(wrong)


sys.exit(main())
