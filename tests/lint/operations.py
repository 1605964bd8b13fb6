#!/usr/bin/env python3
"""Checks who names operations and instructions: what is true of one stands in the table (docs/isa-table.md),
and passes ask for flags, sets and results there.

In lib/, ptxas/ and ptxvm/ a file outside the list below names no operation (PX_OP_mov) and compares no
opcode with a word (PX_W_mov), be it in an `if`, as a `case` of a switch over opcodes, or by a word that is
nothing but an opcode. Files that are listed and name none are told of, too, and so are words and handlers
that names.tbl numbers for C (`number` and `handlers` lines) and no file names. Prints one line for each
breach; exit code 1 when there is one.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOPS = ("lib", "ptxas", "ptxvm")
# Who may, and why. A pattern stands for the files of the operations themselves.
MAY = {
    "lib/code/lower/*.c": "an operation's own lowering makes its IR",
    "lib/code/emit/*.c": "an operation's own emission makes its record",
    "lib/front/parse_operand.c": "call has lists and a callee: a shape of the language, not an operation",
    "lib/check/body.c": "call: as above",
    "lib/check/usage.c": "call: as above",
    "lib/link/survey.c": "call: as above",
    "lib/vm/device/host_types.c": "call: as above",
}
REMEDY = "is that a flag, a set or a result of the table?"
NAMES = re.compile(r"\bPX_OP_(?!NONE\b|COUNT\b)\w+")
WORD = re.compile(r"\bPX_W_(\w+)")
OPCODE_SWITCH = re.compile(r"\bswitch\s*\([^{;]*\bopcode\b")


def words_of_tables():
    """(opcodes, all other words) of the tables, as PX_W_ spells them."""
    opcodes, others = set(), set()
    for path in glob.glob(os.path.join(ROOT, "grammar", "*.tbl")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"^(#|number ).*$", "", file.read(), flags=re.M)
        for line in text.split("\n"):
            row = re.match(r"([a-z]\w*)[.{ ][^|]*\|", line) if "isa" in os.path.basename(path) else None
            if row and not line.startswith(("kind ", "text ")):
                opcodes.add(row[1])
                line = line[len(row[1]) :]
            others.update(re.findall(r"(?<=[.,= {])\w+", line) if row or line[:1].isspace() else [])
            if os.path.basename(path) == "names.tbl" or line.startswith("values "):
                others.update(re.findall(r"\w+", line))
    return opcodes, others


def blank_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def switch_lines(lines):
    """Numbers of the lines inside switches over opcodes."""
    found, depth = set(), 0
    for number, line in enumerate(lines, 1):
        if not depth and OPCODE_SWITCH.search(line):
            depth = line.count("{") - line.count("}")
            continue
        if depth:
            found.add(number)
            depth += line.count("{") - line.count("}")
    return found


def breaches(text, only_opcodes):
    """(line, what it names) for each."""
    lines = blank_comments(text).split("\n")
    inside = switch_lines(lines)
    for number, line in enumerate(lines, 1):
        for match in NAMES.finditer(line):
            yield number, match[0]
        for match in WORD.finditer(line):
            if match[1] in ("NONE", "COUNT"):
                continue
            if number in inside or match[1] in only_opcodes or re.search(r"\bopcode\b[^,;]*[=!]=", line):
                yield number, match[0]


def numbered():
    """What names.tbl numbers for C, as C spells it."""
    with open(os.path.join(ROOT, "grammar", "names.tbl"), encoding="utf-8") as file:
        for names in re.findall(r"^number (.*)$", file.read(), re.M):
            for name in names.split():
                yield "PX_W_" + re.sub(r"\W", "_", name)


def unnamed():
    """Numbered names that no file of C has, nor a list that C includes."""
    seen, text = set(), ""
    for top in TOPS + ("tests",):
        files = glob.glob(os.path.join(ROOT, top, "**"), recursive=True)
        for path in [f for f in files if f.endswith((".c", ".h", ".def"))]:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            seen.update(re.findall(r"\bPX_W_\w+(?!#)", text))
            if "PX_W_##" in text:
                seen.update("PX_W_" + word for word in re.findall(r"\b\w+\b", text))
    return [name for name in numbered() if name not in seen]


def is_listed(path, pattern):
    return re.fullmatch(re.escape(pattern).replace(r"\*", r"[^/]*"), path) is not None


def sources():
    for top in TOPS:
        for where, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(where, name), ROOT)


def main():
    opcodes, others = words_of_tables()
    wrong, used = [], set()
    for path in sources():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            found = list(breaches(file.read(), opcodes - others))
        allowed = [pattern for pattern in MAY if is_listed(path, pattern)]
        if found:
            used.update(allowed)
        if not allowed:
            wrong += [f"{path}:{n}: names {what}; {REMEDY}" for n, what in found]
    unused = set(MAY) - used
    wrong += [f"tests/lint/operations.py: {pattern} names no operation any more" for pattern in unused]
    wrong += [f"grammar/names.tbl: {name} is numbered, and no file of C names it" for name in unnamed()]
    print("\n".join(sorted(wrong)), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
