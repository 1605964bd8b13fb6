#!/usr/bin/env python3
"""ptxas --diff: what makes two modules different, and what does not. Each case changes one text by hand
and says what must come of it: the exit code of diff(1), and lines that must be shown."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from corpus import TWICE, Tally, ptxas  # noqa: E402

TEXT = (
    """.version 8.0
.target sm_90
.address_size 64
.global .u32 table[4] = {1, 2, 3, 4};
.func """
    + TWICE
    + """.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<9>;
    .reg .f32 %f<3>;
    .reg .pred %q;
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %q, %r1, 5;
    @%q bra DONE;
    mad.lo.u32 %r2, %r1, 4, %r1;
    mov.b32 %r3, 255;
    fma.rn.ftz.f32 %f1, %f2, %f2, %f1;
    xor.b32 %r4, %r2, %r3;
DONE:
    ret;
}
"""
)
DEBUG = '.file 1 "a.cu"\n.section .debug_str { .b8 1 }\n'


def sub(pattern, replacement):
    """The text with a pattern replaced wherever it stands."""
    changed = re.sub(pattern, replacement, TEXT)
    assert changed != TEXT, pattern
    return changed


def swapped():
    """The function and the kernel in the other order, with a declaration first."""
    head, function, kernel = re.split(r"(?m)^(?=\.func|\.visible)", TEXT)
    return head + ".func (.param .b32 r) twice(.param .b32 a);\n" + kernel + function


SAME = {
    "itself": TEXT,
    "layout and comments": sub(r"\n    ", " /* c */ "),
    "constants": sub("255", "0xFF"),
    "order of modifiers": sub(r"\.rn\.ftz", ".ftz.rn"),
    "lists of declarations": sub(r"\.reg \.b32 %r<9>;", ".reg .b32 %r1, %r2; .reg .b32 %r3, %r4;"),
    "unused registers": sub(r"%r<9>", "%r<5>"),
    "names of registers": sub(r"%r(?=[\d<])", "%value"),
    "two registers swapped": sub("%r2", "%tmp").replace("%r3", "%r2").replace("%tmp", "%r3"),
    "names of labels": sub("DONE", "$L__1"),
    "names of a function's parameters": sub(r"\ba\b", "first"),
    "debug data": TEXT.replace(".global", DEBUG + ".global").replace(" mov.u", " .loc 1 2 3\n mov.u"),
    "order of functions": swapped(),
}
DIFFERENT = {
    "an operand": (sub("255", "254"), ["-.*mov.b32 %r3, 255;", r"\+.*mov.b32 %r3, 254;"]),
    "an instruction more": (sub(r"(    xor)", r"    not.b32 %r3, %r3;\n\1"), [r"\+.*not.b32 %r3, %r3;"]),
    "an instruction less": (sub(r"    xor.*\n", ""), ["- +24 .*xor.b32 %r4, %r2, %r3;"]),
    "a modifier": (sub(r"\.ftz", ""), [r"-.*fma.rn.ftz.f32", r"\+.*fma.rn.f32"]),
    "the order of two": (sub(r"(    mad.*\n)(    mov.b32.*\n)", r"\2\1"), ["@@ function k @@"]),
    "a guard": (sub("@%q bra", "@!%q bra"), ["-.*@%q bra DONE;", r"\+.*@!%q bra DONE;"]),
    "one use of a register": (sub(r"xor.b32 %r4, %r2, %r3", "xor.b32 %r4, %r2, %r2"), ["-.*xor", r"\+.*xor"]),
    "a register and its one change": (
        sub(r"%r(?=[\d<])", "%v").replace("255", "254"),
        [r"\+.*mov.b32 %v3, 254;"],
    ),
    "two names for one register": (sub(r"mov.b32 %r3", "mov.b32 %r5"), ["@@ function k @@"]),
    "a register's type": (sub(r"\.reg \.b32 %r<9>", ".reg .s32 %r<9>"), [r"// .*<%\.s32>"]),
    "a label's place": (sub("DONE:\n", "").replace("    xor", "DONE:\n    xor"), ["DONE:"]),
    "an initial value": (sub("2, 3, 4", "2, 3, 5"), ["@@ variable table @@"]),
    "a variable's name": (sub("table", "list"), ["table only in the first", "list only in the second"]),
    "a function more": (TEXT + ".func f() { ret; }\n", ["function f only in the second", r"\+.*ret;"]),
    "linkage": (sub(r"\.visible ", ""), ["-.*visible .entry k"]),
    "a kernel's parameter": (sub(r"\.u64 p\)", ".u64 q)"), ["-.*u64 p", r"\+.*u64 q"]),
    "the target": (sub("sm_90", "sm_80"), ["@@ header @@", "-.*sm_90", r"\+.*sm_80"]),
}


def main():
    tally = Tally()
    check = tally.check
    folder = tempfile.TemporaryDirectory()
    names = [os.path.join(folder.name, name) for name in ("a.ptx", "b.ptx")]

    def compare(a, b):
        for path, text in zip(names, (a, b)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        code, out, words = ptxas("-c", "--diff", *names)
        return code, out.decode(), words.decode()

    for name, text in SAME.items():
        check(name, compare(TEXT, text) == (0, "", ""), compare(TEXT, text))
        check(name + ", the other way", compare(text, TEXT) == (0, "", ""), compare(text, TEXT))
    for name, (text, lines) in DIFFERENT.items():
        code, out, words = compare(TEXT, text)
        check(name, code == 1 and not words, (code, out, words))
        check(name, out.startswith(f"--- {names[0]}\n+++ {names[1]}\n"), out)
        for line in lines:
            check(name, re.search(line, out), f"no {line!r} in\n{out}")
        changed = [line for line in out.split("\n")[2:] if line.startswith(("-", "+"))]
        check(name, len(changed) <= 4 or "only in" in out or "//" in out, f"shows too much:\n{out}")
        check(name + ", the other way", compare(text, TEXT)[0] == 1, "not 1")
    # what cannot be compared
    check("an error", compare(TEXT, sub("xor", "xro"))[0] == 2, "not 2")
    check("says which", "xro" in compare(TEXT, sub("xor", "xro"))[2], "not told")
    check("one file", ptxas("--diff", names[0])[0] == 2, "not 2")
    check("no such file", ptxas("--diff", names[0], names[0] + "x")[0] == 2, "not 2")
    check("the same file", ptxas("--diff", names[0], names[0])[0] == 0, "not 0")
    # many differences: it ends soon, and is still right
    many = [
        ".version 8.0\n.target sm_90\n.entry k() { .reg .b32 r; %s }\n"
        % "".join(f"add.u32 r, r, {i * step};" for i in range(20000))
        for step in (2, 3)
    ]
    code, out, _ = compare(*many)
    check("many differences", code == 1 and out.count("\n-") > 13000, (code, len(out)))
    folder.cleanup()
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
