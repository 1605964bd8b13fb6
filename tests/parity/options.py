#!/usr/bin/env python3
"""The command line, held against NVIDIA's ptxas: every option in every spelling, and what stands around
options.

Each case is a list of words, run in a folder with the same small files (FILES). Compared are the exit status,
standard
error, what kind of text standard output got, and which files were written. Both answers are brought to one
form first;
only what docs/ptxas.md says is meant to differ is dropped: elf.o, the report of -v and other info lines, the
indented
lines that ours adds, the name of standard input, and the texts of --help and --version.

Printed are the cases that differ, apart from those that tests/cli/options_known.tsv lists with the reason.
--freeze
writes what NVIDIA's tool says to a choice of them to tests/cli/options.tsv, which tests/cli/test_options.py
holds ours
against where there is no toolkit. Needs NVIDIA's ptxas ($NVIDIA_PTXAS, else PATH); says so and exits 0 when
there is none.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import oracle

HERE = os.path.dirname(os.path.abspath(__file__))
FROZEN = os.path.join(HERE, "..", "cli", "options.tsv")
KNOWN = os.path.join(HERE, "..", "cli", "options_known.tsv")

HEADER = ".version 9.0\n.target sm_75\n.address_size 64\n"
KERNEL = ".visible .entry %s()\n{\n    ret;\n}\n"
FILES = {
    "fine.ptx": HEADER + KERNEL % "k",
    "two.ptx": HEADER + KERNEL % "a" + KERNEL % "b",
    "bad.ptx": HEADER + ".visible .entry bad()\n{\n    ad.u32 %r0, %r1, %r2;\n    ret;\n}\n",
    "warn.ptx": HEADER + ".extern .global .b32 x;\n.extern .global .b32 y;\n" + KERNEL % "w",
    "warnbad.ptx": (
        HEADER
        + ".visible .entry w()\n{\n    .reg .b32 r;\n    .pragma \"nonsense\";\n    ad.u32 r, r, r;\n   "
        " ret;\n}\n"
    ),
    "pragma.ptx": HEADER + ".visible .entry w()\n{\n    .pragma \"nonsense\";\n    ret;\n}\n",
    "double.ptx": (
        HEADER
        + ".visible .entry d()\n{\n    .reg .f64 x;\n    .reg .pred p;\n    .reg .b32 r;\n    add.f64 x, x,"
        " x;\n    mov.b64 x, {r, r};\n    setp.lt.f64 p, x, 0d0000000000000000;\n    cvt.rn.f64.s32 x, r;\n"
        "    mov.f64 x, 0d0000000000000000;\n@p  cvt.rn.f32.f64 r, x;\n    ret;\n}\n"
    ),
    "func.ptx": HEADER + ".visible .func f()\n{\n    ret;\n}\n",
    "open.ptx": HEADER + ".extern .func g();\n.visible .entry k()\n{\n    call g;\n    ret;\n}\n",
    "old.ptx": ".version 3.0\n.target sm_20\n" + KERNEL % "k",
    "sm_90.ptx": ".version 9.0\n.target sm_90\n.address_size 64\n" + KERNEL % "k",
    "sm_90a.ptx": ".version 9.0\n.target sm_90a\n.address_size 64\n" + KERNEL % "k",
    "sm_100f.ptx": ".version 9.0\n.target sm_100f\n.address_size 64\n" + KERNEL % "k",
    "bounds.ptx": HEADER + ".visible .entry k() .maxntid 64 .minnctapersm 2\n{\n    ret;\n}\n",
    "debug.ptx": HEADER.replace("sm_75", "sm_75, debug") + KERNEL % "k",
    "empty.ptx": "",
    "name with blank.ptx": HEADER + KERNEL % "k",
    "a,b.ptx": HEADER + KERNEL % "k",
    "-dash.ptx": HEADER + KERNEL % "k",
    "@at.ptx": HEADER + KERNEL % "k",
    "optional": "-arch sm_80 -lineinfo",
    "opt_file": "-arch sm_80\nfine.ptx\n",
    "opt_bad": "-nonsense\n",
    "opt_single": "'name with blank.ptx'",
    "opt_double": "\"name with blank.ptx\"",
    "opt_inner": "-o='x y.out' fine.ptx",
    "opt_back": "name\\ with\\ blank.ptx",
    "opt_open": "\"fine.ptx",
    "opt_comment": "# -nonsense\n// x\n-c",
    "opt_empty": "",
    "opt_nest": "-optf optional",
    "opt_nest_at": "@optional",
    "opt_value": "-arch",
    "opt_tabs": "-c\t\t-v\r\n\r\n-w",
    "opt_many": "-c,-w",
    "opt_quotes": "''",
    "opt_glue": "fi\"ne.pt\"x",
    "opt_other": "\"it's.ptx\"",
}
STDIN = FILES["fine.ptx"]
SHARE = 25  # one case in so many is frozen, and the first of each kind of answer

# Every option of NVIDIA's --help: long name, short name, kind, values that fit, values that do not or are at
# an edge.
SWITCHES = """compile-as-tools-patch:astoolspatch compile-only:c compiler-annotations:annotate device-debug:g
disable-optimizer-constants:disable-optimizer-consts disable-warnings:w dont-merge-basicblocks:no-bb-merge
extensible-whole-program:ewp g-tensor-memory-access-check:g-tmem-access-check generate-line-info:lineinfo
gno-tensor-memory-access-check:gno-tmem-access-check help:h
legacy-bar-warp-wide-behavior:legacy-bar-warp-wide-behavior
list-version:version-ls make-errors-visible-at-exit:make-errors-visible-at-exit
optimize-float-atomics:opt-fp-atomics
override-directive-values:override-directive-values preserve-relocs:preserve-relocs return-at-end:ret-end
sp-bounds-check:sp-bounds-check
suppress-async-bulk-multicast-advisory-warning:suppress-async-bulk-multicast-advisory-warning
suppress-debug-info:suppress-debug-info suppress-double-demote-warning:suppress-double-demote-warning
suppress-sparse-mma-advisory-info:suppress-sparse-mma-advisory-info
suppress-stack-size-warning:suppress-stack-size-warning
verbose:v version:V warn-on-double-precision-use:warn-double-usage warn-on-local-memory-usage:warn-lmem-usage
warn-on-spills:warn-spills warning-as-error:Werror"""
BOOLS = ("true", "false"), ("", "True", "TRUE", "1", "0", "yes", "maybe", "true,false", " true")
LOADS = ("ca", "cg", "cs", "cv"), ("lu", "", "xx", "CA", "ca,cg", "wb")
STORES = ("wb", "cg", "cs", "wt"), ("", "xx", "ca")
NUMBERS = (
    "",
    "foo",
    "-1",
    "1.5",
    "0x10",
    "0X1F",
    "010",
    "08",
    " 5",
    "5 ",
    "+5",
    "1e3",
    "4294967295",
    "4294967296",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "99999999999999999999",
    "1,2",
    "-",
    "0b11",
    "0",
    "1",
    "--5",
)
REGISTERS = ("32", "64", "255", "archmax", "archmin"), (
    *NUMBERS,
    "15",
    "16",
    "23",
    "24",
    "256",
    "257",
    "ARCHMAX",
    "archmaxx",
)
VALUED = {
    "Ofast-compile:Ofc": (("0", "min", "mid", "max"), ("", "1", "MAX", "maximum", "min,max")),
    "allow-expensive-optimizations:allow-expensive-optimizations": BOOLS,
    "def-load-cache:dlcm": LOADS,
    "def-store-cache:dscm": STORES,
    "device-function-maxrregcount:func-maxrregcount": REGISTERS,
    "device-stack-protector:device-stack-protector": BOOLS,
    "entry:e": (("k",), ("", "x", "k,x", "x,k", "x,y", "k,k", ",", "k,", ",k", " k", "k x", "x,,y")),
    "fmad:fmad": BOOLS,
    "force-load-cache:flcm": LOADS,
    "force-store-cache:fscm": STORES,
    "gpu-name:arch": (
        ("sm_75", "sm_80", "sm_90", "sm_90a", "sm_100f", "compute_75", "compute_90a", "lto_80"),
        (
            "",
            "sm_70",
            "sm_99",
            "sm_75a",
            "SM_75",
            "75",
            "sm75",
            "sm_75,sm_80",
            "compute_70",
            "lto_75a",
            "sm_",
            "sm_075",
            " sm_75",
            "sm_75 ",
            "native",
            "all",
            "_75",
            "sm_90f",
            "sm_122",
            "compute75",
        ),
    ),
    "input-as-string:ias": ((FILES["fine.ptx"],), ("", " ", "bad", FILES["bad.ptx"])),
    "machine:m": (("64",), ("", "32", "foo", "064", "64,64", "0x40")),
    "maxntid:maxntid": (
        ("64", "8,8,8", "1024"),
        (
            "",
            "foo",
            "0",
            "-1",
            "1,2,3,4",
            "2048",
            "1025",
            "8,foo",
            "8,,8",
            ",",
            "0,0,0",
            "1,2",
            "32,32,2",
            "65535,1,1",
            "99999999999",
            "1.5",
            "0x10",
            "-5,1,1",
        ),
    ),
    "maxrregcount:maxrregcount": REGISTERS,
    "minnctapersm:minnctapersm": (("1", "4"), (*NUMBERS, "32", "33", "1000")),
    "opt-level:O": (("0", "1", "2", "3"), ("4", "9", *NUMBERS)),
    "options-file:optf": (
        ("optional",),
        ("", "missing", "optional,opt_file", "missing,optional", "opt_empty", ".", "opt_bad", "opt_nest"),
    ),
    "output-file:o": (("x.out",), ("", ".", "missing/x.out", "a,b", "x y", "/dev/null", "fine.ptx/x")),
    "position-independent-code:pic": BOOLS,
    "register-usage-level:regUsageLevel": (("0", "5", "10"), (*NUMBERS, "11")),
    "sanitize:sanitize": (("memcheck", "threadsteer"), ("", "foo", "racecheck", "memcheck,threadsteer")),
    "split-compile:split-compile": (("1", "2"), NUMBERS),
}


def names(pair):
    return pair.split(":")


def spelled(pair):
    """An option's spellings, right and wrong, for cases about the spelling alone."""
    long, short = names(pair)
    return [
        "--" + long,
        "-" + short,
        "-" + long,
        "--" + short,
        "--" + long.upper(),
        "---" + long,
        "--" + long[:-1],
        "-" + short + "x",
    ]


def switch_cases():
    for pair in SWITCHES.split():
        long, short = names(pair)
        for word in dict.fromkeys(spelled(pair)):
            yield word, "fine.ptx"
        for word in ("--" + long, "-" + short):
            yield word, word, "fine.ptx"
            yield word + "=true", "fine.ptx"
            yield word + "=", "fine.ptx"
            yield word, "bad.ptx"
            yield word, "-c", "fine.ptx"
            yield word, "-w", "fine.ptx"
            yield word, "-Werror", "fine.ptx"
            yield word, "-arch=sm_90", "fine.ptx"
            yield word, "-arch=sm_100a", "fine.ptx"
            yield word, "-arch=compute_75", "fine.ptx"
            yield word, "-c", "func.ptx"
            yield word, "double.ptx"
        yield "fine.ptx", "-" + short
        yield ("-" + short,)
        yield "-" + short, "missing.ptx"


def valued_cases():
    for pair, (good, bad) in VALUED.items():
        long, short = names(pair)
        inputs = () if long == "input-as-string" else ("fine.ptx",)
        for value in (*good, *bad):
            yield "--%s=%s" % (long, value), *inputs
            yield "-%s=%s" % (short, value), *inputs
            yield "--" + long, value, *inputs
            yield "-" + short, value, *inputs
            yield "-%s%s" % (short, value), *inputs
            yield "-c", "-%s=%s" % (short, value), *inputs
            yield "-%s=%s" % (short, value), "bad.ptx"
            yield "-%s=%s" % (short, value), "-Werror", *inputs
            yield "-%s=%s" % (short, value), "-w", *inputs
        for word in dict.fromkeys(spelled(pair)):
            yield word + "=" + good[0], *inputs
        yield "--%s%s" % (long, good[0]), *inputs
        yield *inputs, "--" + long
        yield *inputs, "-" + short
        yield "-%s==%s" % (short, good[0]), *inputs
        yield "-" + short, "=" + good[0], *inputs
        yield "-" + short, "=", good[0], *inputs
        yield "-%s=" % short, good[0], *inputs
        yield "-" + short, "-c", *inputs
        for first in (*good, bad[1]):
            for second in (*good, bad[1]):
                yield "-%s=%s" % (short, first), "-%s=%s" % (short, second), *inputs
        yield "-%s=%s" % (short, good[0]), "--%s=%s" % (long, good[0]), *inputs
        yield "-%s=%s" % (short, good[0]), "--%s=%s" % (long, good[-1]), "-%s=%s" % (short, good[0]), *inputs


def pair_cases():
    """Options that contradict or need one another."""
    words = [
        "-g",
        "-lineinfo",
        "-O0",
        "-O1",
        "-O3",
        "-Ofc=max",
        "-Ofc=min",
        "-Ofc=0",
        "-suppress-debug-info",
        "-ewp",
        "-c",
        "-astoolspatch",
        "-maxrregcount=32",
        "-maxrregcount=0",
        "-func-maxrregcount=32",
        "-maxntid=64",
        "-minnctapersm=2",
        "-override-directive-values",
        "-pic=true",
        "-pic=false",
        "-sp-bounds-check",
        "-g-tmem-access-check",
        "-gno-tmem-access-check",
        "-split-compile=2",
        "-regUsageLevel=3",
        "-device-stack-protector=true",
        "-sanitize=memcheck",
        "-sanitize=threadsteer",
        "-dlcm=ca",
        "-flcm=cg",
        "-dscm=wb",
        "-fscm=cs",
        "-allow-expensive-optimizations=true",
        "-no-bb-merge",
        "-ret-end",
        "-preserve-relocs",
        "-annotate",
        "-arch=compute_75",
        "-arch=sm_90",
        "-legacy-bar-warp-wide-behavior",
        "-make-errors-visible-at-exit",
        "-e=k",
        "-e=x",
        "-Werror",
        "-fmad=false",
        "-o=missing/x",
    ]
    for i, first in enumerate(words):
        for second in words[i + 1 :]:
            yield first, second, "fine.ptx"
        yield first, "func.ptx"
        yield first, "bounds.ptx"
        yield first, "two.ptx", "fine.ptx"
        yield first, "missing.ptx"
        yield first, "debug.ptx"
        yield first, "old.ptx"
        yield first, "empty.ptx"
        yield first, "warnbad.ptx"
        yield first, "-w", "warnbad.ptx"
        yield first, "open.ptx"
        yield first, "-e=x", "-w", "fine.ptx"
    for order in (
        ("-O3", "-g"),
        ("-O0", "-g"),
        ("-g", "-O0", "-O3"),
        ("-O3", "-O0", "-g"),
        ("-Ofc=max", "-O0", "-g"),
        ("-w", "-g", "-lineinfo"),
        ("-Werror", "-g", "-lineinfo"),
        ("-Werror", "-suppress-debug-info"),
        ("-Werror", "-O1", "-O2"),
        ("-O1", "-O2", "-w"),
        ("-Werror", "-regUsageLevel=11"),
        ("-Werror", "-maxrregcount=1000"),
        ("-Werror", "-maxntid=1,2,3,4"),
        ("-w", "-maxntid=1,2,3,4"),
        ("-O0", "-Ofc=max", "-O3"),
        ("-Ofc=mid", "-g"),
        ("-Ofc=0", "-O3"),
        ("-Ofc=max", "-O1"),
        ("-Ofc=min", "-O3"),
        ("-Ofc=mid", "-O2"),
    ):
        yield *order, "fine.ptx"
        yield *order, "bad.ptx"


def input_cases():
    inputs = [
        "fine.ptx",
        "two.ptx",
        "bad.ptx",
        "warn.ptx",
        "warnbad.ptx",
        "pragma.ptx",
        "double.ptx",
        "func.ptx",
        "open.ptx",
        "old.ptx",
        "sm_90.ptx",
        "sm_90a.ptx",
        "sm_100f.ptx",
        "bounds.ptx",
        "debug.ptx",
        "empty.ptx",
        "missing.ptx",
        ".",
        "name with blank.ptx",
        "a,b.ptx",
        "./-dash.ptx",
        "-dash.ptx",
        "@at.ptx",
        "./@at.ptx",
        "-",
        "",
        "fine",
        "/dev/null",
    ]
    sets = [
        (),
        ("-c",),
        ("-w",),
        ("-Werror",),
        ("-w", "-Werror"),
        ("-Werror", "-w"),
        ("-v",),
        ("-arch=sm_90",),
        ("-arch=sm_90a",),
        ("-arch=compute_90",),
        ("-arch=sm_100f",),
        ("-arch=sm_100a",),
        ("-arch=sm_103f",),
        ("-arch=sm_75", "-arch=sm_90"),
        ("-e=k",),
        ("-e=k,a",),
        ("-warn-double-usage",),
        ("-warn-double-usage", "-Werror"),
        ("-warn-double-usage", "-w"),
        ("-o", "x.out"),
        ("-c", "-Werror"),
        ("-o", "fine.ptx"),
    ]
    for first in inputs:
        for options in sets:
            yield *options, first
        for second in inputs:
            yield first, second
    yield "fine.ptx", "two.ptx", "warn.ptx"
    yield "fine.ptx", "two.ptx", "fine.ptx"
    yield "bad.ptx", "bad.ptx", "missing.ptx"
    yield "missing.ptx", "missing2.ptx", "missing.ptx"
    for options in sets:
        yield *options, "fine.ptx", "bad.ptx"
        yield *options, "-ias", FILES["bad.ptx"], "fine.ptx"
        yield *options, "two.ptx", "-ias", FILES["fine.ptx"]
        yield *options, "-ias", FILES["bad.ptx"]
        yield *options, "-ias", FILES["warn.ptx"]
        yield options or ("-c", "-v", "-w")
    yield "-ias", FILES["fine.ptx"], "-ias", FILES["two.ptx"]
    yield "-ias", FILES["fine.ptx"], "-ias", FILES["fine.ptx"]
    yield "-ias", FILES["bad.ptx"], "-ias", FILES["bad.ptx"]
    yield (
        "-ias",
        FILES["fine.ptx"] + "," + FILES["two.ptx"],
    )
    for left in ("-e", "-o", "-arch", "-O", "-m", "-ias", "-optf", "-fmad"):
        yield left, "fine.ptx"
        yield "fine.ptx", left, "-v"
    for word in (
        "-",
        "--",
        "---",
        "-=",
        "--=",
        "-1",
        "-?",
        "-help",
        "--h",
        "/?",
        "-version",
        "--V",
        "-verbose",
        "--arch",
        "-gpu-name",
        "-d",
        "-x",
        "-O3x",
        "-Ox",
        "-O,3",
        "-o3",
        "-vc",
        "-cv",
        "-v-",
        "--no-verbose",
        "-Wno",
        "-Wall",
        "--Werror",
        "-std=c",
        "-lineinf",
        "-I.",
        "-DX",
        "--cpp=1",
        "-e1",
        "-ek",
        "-mk",
        "-m65",
        "-ias",
        "-hV",
        "-cw",
        "-gO0",
        "-Ofcmax",
        "-Ofast",
        "-archsm_75",
    ):
        yield word, "fine.ptx"
    for words in (
        ("-h", "-V"),
        ("-V", "-h"),
        ("-version-ls", "-h"),
        ("-h", "-version-ls"),
        ("-V", "-version-ls"),
        ("-h", "-nonsense"),
        ("-nonsense", "-h"),
        ("-h", "-arch=x"),
        ("-V", "missing.ptx"),
        ("-V", "-O", "x"),
        ("-h", "-o"),
        ("-v", "-V"),
    ):
        yield words


def option_file_cases():
    names_ = [name for name in FILES if name.startswith("opt")] + ["missing", ".", "/dev/null", ""]
    for name in names_:
        for words in (("-optf", name), ("-optf=" + name,), ("--options-file", name), ("@" + name,)):
            yield *words, "fine.ptx"
            yield "two.ptx", *words
            yield words
            yield *words, *words, "fine.ptx"
            yield "-arch=sm_90", *words, "two.ptx"
            yield *words, "-arch=sm_90", "two.ptx"
            yield *words, "bad.ptx"
            yield *words, "missing.ptx"
    yield "-optf", "optional,opt_comment", "fine.ptx"
    yield "-optf", "opt_tabs", "-optf", "optional", "fine.ptx"


def cases():
    """Each list of words once, in a fixed order."""
    every = {}
    for make in (switch_cases, valued_cases, pair_cases, input_cases, option_file_cases):
        for words in make():
            every.setdefault(tuple(words), None)
    return list(every)


# ---- running ----


def normal_error(text, folder):
    kept = []
    text = re.sub(r"/[^\s',]*tmpxft_[^\s',]*_stdin", "<stdin>", text.replace(folder + "/", ""))
    for line in text.split("\n"):
        if line.startswith((" ", "\t")) or not line or re.match(r"ptxas info\s*:", line):
            continue
        kept.append(line.rstrip())
    return kept


def normal_output(text):
    if "Usage  :" in text:
        return "help"
    if "release 13" in text:
        return "version"
    return text.rstrip()


def run(tool, words, keep=None):
    """[exit status, standard output, [lines of standard error], [files written]] in one form"""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        before = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
        try:
            done = subprocess.run(
                [tool, *words],
                cwd=folder,
                input=STDIN.encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                timeout=60,
            )
        except subprocess.TimeoutExpired:
            return [124, "", [], []]
        written = [
            name
            for name in sorted(os.listdir(folder))
            if name != "elf.o" and before.get(name) != os.stat(os.path.join(folder, name)).st_mtime_ns
        ]
        return [
            done.returncode,
            normal_output(done.stdout.decode("utf-8", "replace")),
            normal_error(done.stderr.decode("utf-8", "replace"), folder),
            written,
        ]


def run_all(tool, every, jobs):
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda words: run(tool, words), every))


def load_known(path=KNOWN):
    """[(expression over the case's words, reason)]: what is meant to differ, or not reached"""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t", 1) for line in file if line.strip() and line[0] != "#"]
    return [(re.compile(row[0]), row[1]) for row in rows]


def shown(words):
    return shlex.join(words)


def is_known(words, known):
    return any(expression.search(shown(words)) for expression, _ in known)


# ---- frozen results: words, then each stream, tab-separated and escaped ----


def escaped(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def unescaped(text):
    return re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n"}.get(m[1], m[1]), text)


def freeze(rows, release):
    """Of the cases that agree in kind, one in SHARE is kept; each kind of answer keeps its first ones."""
    seen, kept = {}, []
    for number, (words, answer) in enumerate(rows):
        kind = re.sub(r"'[^']*'|\d+", "#", json.dumps(answer))
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= 2 or number % SHARE == 0:
            kept.append((words, answer))
    with open(FROZEN, "w", encoding="utf-8") as file:
        file.write(
            "# What ptxas %s says to command lines (tests/parity/options.py --freeze): exit status, standard"
            " output,\n# standard error, files written, words; each in the form of options.py.\n" % release
        )
        for words, (status, out, errors, written) in kept:
            fields = [str(status), out, "\n".join(errors), "\n".join(written), json.dumps(words)]
            file.write("\t".join(map(escaped, fields[:-1])) + "\t" + fields[-1] + "\n")
    return len(kept)


def load_frozen(path=FROZEN):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                *fields, words = line.rstrip("\n").split("\t")
                status, out, errors, written = map(unescaped, fields)
                yield json.loads(words), [
                    int(status),
                    out,
                    errors.split("\n") if errors else [],
                    written.split("\n") if written else [],
                ]


def compare(rows, ours, jobs, say=print):
    """Differences between answers [(words, wanted)] and what our ptxas says, printed; their number."""
    different = 0
    for (words, wanted), got in zip(rows, run_all(ours, [words for words, _ in rows], jobs)):
        if wanted != got:
            different += 1
            say(
                "%s\n    wanted %s\n    got    %s"
                % (escaped(shown(words))[:300], json.dumps(wanted), json.dumps(got))
            )
    return different


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--freeze", action="store_true", help="write tests/cli/options.tsv")
    args = parser.parse_args()
    found = oracle.find_oracle()
    if not found:
        print("options: no NVIDIA ptxas here (set NVIDIA_PTXAS); nothing was compared")
        return 0
    return 1 if judge(found, os.path.join(args.build, "bin", "ptxas"), args.jobs, args.freeze) else 0


def judge(found, ours, jobs, frozen=False):
    """Asks both tools everything and prints what came out; the number of differences."""
    every, known = cases(), load_known()
    rows = list(zip(every, run_all(found[0], every, jobs)))
    crashed = [row for row in rows if row[1][0] not in (0, 255)]
    apart = [row for row in rows if row not in crashed and is_known(row[0], known)]
    asked = [row for row in rows if row[1][0] in (0, 255) and not is_known(row[0], known)]
    if frozen:
        print("%d rows frozen" % freeze(asked, found[1]))
    different = compare(asked, os.path.abspath(ours), jobs)
    print(
        "options: %d command lines, %d alike, %d different; %d are of %d known kinds of difference, ptxas"
        " dies of %d" % (len(rows), len(asked) - different, different, len(apart), len(known), len(crashed))
    )
    return different


if __name__ == "__main__":
    sys.exit(main())
