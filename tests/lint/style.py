#!/usr/bin/env python3
"""Checks the shape of the code: lengths of files and functions, lines, comments, mutable variables in lib/.

Limits: a file has at most 800 lines, a line 110 columns (160 in the tables of instructions), a function 80
lines (150 in the files of LONG), a file opens with a comment that says what it is for; outside lib/cuda and
lib/run, lib/ has no mutable file-scope variable and no call that prints, exits or aborts. Over all of lib/,
ptxas/ and ptxvm/ the median function has at most 12 lines and 9 functions of 10 at most 35. Braces and blanks
are as .clang-format says: where the clang-format below is installed, no file would be changed by it. In
tests/, samples/ and include/ only columns and braces count. Prints one line for each breach; exit code 1 when
there is one.
"""
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOPS = ("lib", "ptxas", "ptxvm", "grammar")
LONG = {"lib/vm/run/exec.c"}
FILE_LINES, LINE_COLUMNS, FUNCTION_LINES, LONG_FUNCTION_LINES = 800, 110, 80, 150
TABLE_COLUMNS = 160
SHAPED_ONLY = ("tests", "samples", "include")  # for columns and braces
CLANG_FORMAT = "14"  # other versions break lines elsewhere
FORBIDDEN = re.compile(r"\b(printf|fprintf|puts|putchar|perror|exit|abort|getenv)\s*\(")
FUNCTION_END = re.compile(r"^\}")
NOT_FUNCTION = re.compile(
    r"^(typedef|struct|enum|union|extern|#|static const|const|_Static_assert|%|/|\s|\})"
)


def blank_comments_and_strings(text):
    """The text with comments and literals as blanks; lines stay."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def functions(lines):
    """(name, first line from 1, length) of every function: a header line, then a line '{', then a line
    '}'."""
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{") and number > 1 and start is None:
            head = number - 1
            while head > 1 and lines[head - 1].startswith(" ") and lines[head - 1].strip():
                head -= 1
            name = re.search(r"(\w+)\s*\(", " ".join(lines[head - 1 : number - 1]))
            if (
                name
                and not lines[head - 1].startswith(("typedef", "struct ", "enum "))
                or name
                and "(" in lines[head - 1]
            ):
                start = (name[1], head)
        elif start and FUNCTION_END.match(line):
            yield start[0], start[1], number - start[1] + 1
            start = None
        elif line.startswith("}"):
            start = None


def mutable_variables(code):
    """(line, text) of file-scope definitions that are not const. Macros and prototypes are left out."""
    depth = 0
    for number, line in enumerate(code.split("\n"), 1):
        text = line.strip()
        if depth == 0 and re.match(
            r"^(static\s+|extern\s+)?[A-Za-z_][\w \t*]*\b\w+(\[[^\]]*\])*\s*(=|;)", line
        ):
            words = re.split(r"[=;]", text)[0]
            if (
                not re.match(
                    r"^(typedef|struct \w+|enum \w+|union \w+|return|goto|case|_Static_assert|\w+)$", words
                )
                and not re.search(r"\bconst\b|\btypedef\b|^extern|\(", words)
                and not re.match(r"^(struct|enum|union) \w+$", words)
            ):
                yield number, text
        depth += line.count("{") - line.count("}")


def check_file(path, complain, lengths):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    lines = text.split("\n")
    columns = (
        TABLE_COLUMNS
        if path.endswith("isa.tbl") or re.search("isa[_-]", path) and path.endswith(".tbl")
        else LINE_COLUMNS
    )
    for number, line in enumerate(lines, 1):
        if len(line) > columns:
            complain(path, number, f"{len(line)} columns, at most {columns}")
    if path.split(os.sep)[0] in SHAPED_ONLY:
        return
    if len(lines) - 1 > FILE_LINES:
        complain(path, 1, f"{len(lines) - 1} lines, at most {FILE_LINES}")
    if path.endswith((".c", ".h")) and not text.lstrip().startswith("/*"):
        complain(path, 1, "no opening comment says what the file is for")
    if not path.endswith((".c", ".h")):
        return
    code = blank_comments_and_strings(text)
    most = LONG_FUNCTION_LINES if path in LONG else FUNCTION_LINES
    for name, number, length in functions(code.split("\n")):
        lengths.append(length)
        if length > most:
            complain(path, number, f"{name} has {length} lines, at most {most}")
    if path.startswith("lib/") and not path.startswith(("lib/cuda/", "lib/run/")):
        for number, found in mutable_variables(code):
            complain(path, number, f"mutable file-scope variable: {found}")
    if path.startswith("lib/") and not path.startswith(("lib/cuda/", "lib/run/")):
        for number, line in enumerate(code.split("\n"), 1):
            match = FORBIDDEN.search(line)
            if match:
                complain(path, number, f"the library never calls {match[1]}")


def check_braces(paths, complain):
    """Complains of the places that clang-format would change; says so when it cannot be asked."""
    try:
        version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        version = ""
    if f"version {CLANG_FORMAT}." not in version:
        print(f"clang-format {CLANG_FORMAT} is missing: braces and blanks are not checked")
        return
    command = ["clang-format", "--dry-run", "--Werror"] + [os.path.join(ROOT, path) for path in paths]
    for line in subprocess.run(command, capture_output=True, text=True).stderr.split("\n"):
        match = re.match(r"(.*?):(\d+):\d+: error", line)
        if match:
            complain(os.path.relpath(match[1], ROOT), int(match[2]), "clang-format writes this otherwise")


def main():
    breaches, lengths, formatted = [], [], []

    def complain(path, number, what):
        breaches.append(f"{path}:{number}: {what}")

    for top in TOPS + SHAPED_ONLY:
        for where, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(where, name), ROOT)
                if name.endswith((".c", ".h", ".def", ".y", ".re", ".tbl", ".py")):
                    check_file(path, complain, lengths)
                if name.endswith((".c", ".h")):
                    formatted.append(path)
    check_braces(formatted, complain)
    lengths.sort()
    median, p90 = statistics.median(lengths), lengths[len(lengths) * 9 // 10]
    if median > 12 or p90 > 35:
        breaches.append(f"functions: median {median}, at most 12; 9 of 10 have at most {p90} lines, goal 35")
    print("\n".join(breaches + [f"{len(lengths)} functions, median {median}, 9 of 10 at most {p90} lines"]))
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
