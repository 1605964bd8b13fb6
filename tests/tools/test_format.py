#!/usr/bin/env python3
"""ptxas --format and --strip over every PTX file of the tree.

What holds them is independent of how they work: --format may change blanks and nothing else, so the texts
without their blanks are the same (comments included); a text that has the layout stays as it is; the
canonical form of --print is the same before and after. --strip leaves no comment and no debug data, keeps
every name that is known outside, and programs of tests/exec compute what they did. One layout is written down
by hand (messy.ptx, messy.formatted.ptx).
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from corpus import BUILD, ROOT, SMALL, Tally, files, frozen_modules, ptxas  # noqa: E402

PROFILE = "--profile=all"
HEAD = b".version 8.0\n.target sm_90\n"


def bare(text):
    return b"".join(text.split())


def check_format(counts, name, text):
    """Everything that is asked of the layout of one text; the formatted text, None when it cannot be read."""
    code, formatted, words = ptxas(PROFILE, "--format", "-", text=text)
    if code:
        unread = re.search(rb"fatal   : |error   : Parsing", words)
        counts.check(name, unread and not formatted, f"not formatted: {words[:300]!r}")
        return None
    counts.check(name, bare(formatted) == bare(text), "something else than blanks was changed")
    if not re.search(rb"/\*|\.source_begin|\"|@@", text):
        counts.check(name, not re.search(rb"[ \t\r]\n|\n\n\n|\n\t|^\n", formatted), "untidy")
    code, again, words = ptxas(PROFILE, "--format", "-", text=formatted)
    counts.check(name, code == 0 and again == formatted, f"not stable: {words[:300]!r}")
    before, after = (ptxas(PROFILE, "-c", "--print", "-", text=t) for t in (text, formatted))
    if before[0] == 0:
        counts.check(name, after[:2] == before[:2], f"another program: {after[2][:300]!r}")
    return formatted


def without_comments_and_strings(text):
    text = re.sub(rb"\.source_begin.*?\.source_end", b"", text, flags=re.S)
    return re.sub(rb'"[^"]*"', b'""', re.sub(rb"/\*.*?\*/|//[^\n]*", b" ", text, flags=re.S))


def outside_names(text):
    """Names of functions and of variables that others may link, and of kernels' parameters."""
    text = without_comments_and_strings(text)
    kernels = re.findall(rb"\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?", text)
    names = {name for name, _ in kernels}
    for _, parameters in kernels:
        names |= {re.sub(rb"\[.*", b"", p.split()[-1]) for p in parameters.split(b",") if p.strip()}
    names |= set(re.findall(rb"\.func\s+(?:\.attribute\s*\([^)]*\)\)\s*)?(?:\([^)]*\)\s*)?([\w$%]+)", text))
    return names


def check_strip(counts, name, text):
    if ptxas(PROFILE, "-c", "-", text=text)[0]:
        return
    code, stripped, words = ptxas(PROFILE, "--strip", "-", text=text)
    if not counts.check(name, code == 0, f"not stripped: {words[:300]!r}"):
        return
    counts.check(name, ptxas(PROFILE, "-c", "-", text=stripped)[0] == 0, "no longer legal")
    counts.check(name, b"//" not in stripped and b"/*" not in stripped, "a comment is left")
    rest = re.sub(rb'"[^"]*"', b"", stripped)
    debug = re.search(rb"\.loc\s|\.file\s|\.section\s|@@DWARF|\bdebug\b|#", rest)
    counts.check(name, not debug, f"debug data is left: {debug}")
    counts.check(name, outside_names(stripped) == outside_names(text), "another interface")
    again = ptxas(PROFILE, "--strip", "-", text=stripped)
    counts.check(name, again[:2] == (0, stripped), "stripping again changes it")


def run_stripped(counts, path):
    """A program of tests/exec is stripped, and must pass its own test."""
    with open(path, "rb") as file:
        text = file.read()
    code, stripped, _ = ptxas("--strip", "-", text=text)
    commands = b"".join(line + b"\n" for line in text.split(b"\n") if line.startswith(b"// PTXVM:"))
    if code or not commands:
        return
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, os.path.basename(path))
        with open(name, "wb") as file:
            file.write(commands + stripped)
        done = subprocess.run(
            [os.path.join(BUILD, "bin", "ptxvm"), "--test", name],
            cwd=os.path.dirname(path),
            capture_output=True,
            check=False,
            timeout=300,
        )
    counts.check(os.path.relpath(path, ROOT), done.returncode == 0, f"stripped: {done.stderr!r}")


PIECES = HEAD.split() + (
    b".entry k ( .param .b32 a , .param .b32 b ) { .reg .b32 r ; L : add .u32 r , r , - 1 ; }".split()
)
HARD = {
    "nothing": b"",
    "only a comment": b"// nothing else",
    "open comment": HEAD + b"/* never closed",
    "syntax error": HEAD + b".entry k() { add.u32 %r1, ; }",
    "no newline at the end": HEAD + b".entry k() { ret; }",
    "carriage returns": (HEAD + b".entry k()\n{ // why\n ret; /* a\n b */\n}\n").replace(b"\n", b"\r\n"),
    "percent": HEAD + b".entry k() { .reg .b32 %r1; mov.b32 %r1, 7 % 4; mov.b32 %r1, (7)%4; }",
    "casts": HEAD + b".entry k() { .reg .b64 a; mov.b64 a, ( .s64 ) -5; mov.u64 a, (.u64)(3 + 4) ; }",
    "ternary": HEAD + b".entry k() { .reg .b32 a; mov.b32 a, 1?2:3; mov.b32 a, (1 < 2) ? 3 : 4; }",
    "operators": HEAD + b".const .b32 x = 1<<2>>1 ; .const .b32 y = !5 && ~3 || 4 != 5, z = -(-5) - -5;",
    "backslash": HEAD + b".entry k() { .reg .b32 a; \\ add.u32 a, a, 1; @a \\ ret; }",
    "one line": HEAD + b".entry k() { .reg .b32 a; " + b"add.u32 a, a, 1; " * 20000 + b"}",
    "deep": HEAD + b".entry k() " + b"{ " * 3000 + b"ret; " + b"} " * 3000,
    "long list": HEAD + b".global .u32 t[9999] = {" + b",".join(b"%d" % i for i in range(9999)) + b"};",
    "comments everywhere": b" /*c*/ ".join(PIECES).replace(b".version /*c*/ ", b".version "),
    "line comments everywhere": b" // c\n".join(PIECES).replace(b".version // c\n", b".version "),
    "names of many kinds": HEAD
    + b".func va(.param .b32 pa) { ret; } .global .b32 vb; .entry pb(.param .b64 va, .param .b32 vc)"
    + b"{ .reg .b32 %ra<3>, %rb; .shared .b32 s; $La: mov.b32 %ra2, %rb; { .reg .b32 %rb; mov.b32 %rb, vb; }"
    + b" { .local .b32 s; ld.param.b32 %ra0, [vc]; st.local.b32 [s], %ra0; } bra $La; }",
    "range of labels": HEAD
    + b".entry k() { .reg .b32 a; t: .branchtargets L<2>; brx.idx a, t; L0: ret; L1: ret; }",
    "sections": HEAD
    + b'.file 1 "a.cu", 1, 2\n.entry k() { .loc 1 2 3\nret; }\n'
    + b".section .debug_str { name: .b8 1 , 2,-3 .b64 name }",
}


def check_both(counts, name, text):
    """Was the text formatted?"""
    formatted = check_format(counts, name, text)
    check_strip(counts, name, text)
    return formatted is not None


def main():
    counts = Tally()
    with open(os.path.join(HERE, "messy.ptx"), "rb") as file, open(
        os.path.join(HERE, "messy.formatted.ptx"), "rb"
    ) as wanted:
        formatted = check_format(counts, "messy.ptx", file.read())
        counts.check("messy.ptx", formatted == wanted.read(), "another layout")
    texts = []
    for path in files():
        with open(path, "rb") as file:
            texts.append((os.path.relpath(path, ROOT), file.read()))
    texts += list(HARD.items())
    if not SMALL:
        for name in ("isa-accept.txt", "corpus.txt", "front.txt"):
            texts += [(f"{name} {i}", text) for i, text in enumerate(frozen_modules(name, 40))]
    # those of tests/exec/bad are about reports that show lines and local names
    programs = [p for p in files() if os.path.dirname(p) == os.path.join(ROOT, "tests", "exec")]
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        formatted = sum(threads.map(lambda t: check_both(counts, *t), texts))
        list(threads.map(lambda p: run_stripped(counts, p), programs))
    counts.check("corpus", formatted > len(files()) * 3 // 4, f"only {formatted} texts were formatted")
    return counts.end()


if __name__ == "__main__":
    sys.exit(main())
