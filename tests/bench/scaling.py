#!/usr/bin/env python3
"""Inputs that a checker could take quadratic time for: time and memory at n, at 3n and at 10n of something.

usage: tests/bench/scaling.py [--help] [--build DIR] [--only WORD] [--scale X] [WORD...]

Every row is one input and one way to use it: read (ptxas), lint, -v, --print, -o, an object read back, and
run (ptxvm
reads, decodes and runs it as one thread). Printed are
CPU seconds and peak memory for each size and how much the last step cost for each step of size; a row that
grows faster
than its input by half is marked with '!'. Nothing passes or fails: times depend on the machine.
"""
import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile

CPU_SECONDS, ADDRESS_SPACE = 30, 8 << 30  # of one run, at most

HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"


def body(text, before=""):
    return HEADER + before + ".visible .entry k()\n{\n" + text + "\n    ret;\n}\n"


def many(n, line):
    return "".join(line.replace("#", str(i)) for i in range(n))


def listed(n, item, between=", "):
    return between.join(item.replace("#", str(i)) for i in range(n))


def table(declared, n, item):
    """An initialiser of n values."""
    return HEADER + declared + "[] = {" + listed(n, item) + "};\n"


def debug_info(text):
    return HEADER + ".section .debug_info {\n" + text + "}\n"


REG = ".reg .b32 r, s; .reg .b64 d; .reg .f32 f; .reg .pred p;\n"


def call_tables(n):
    return (
        HEADER
        + many(n, ".func f#() { ret; }\n")
        + ".visible .entry k()\n{\n.reg .b64 d; mov.b64 d, f0;\n"
        + "t: .calltargets "
        + listed(n, "f#")
        + ";\n"
        + "call d, t;\n" * n
        + "ret;\n}\n"
    )


def call_protos(n):
    return (
        HEADER
        + ".func f0() { ret; }\n.visible .entry k()\n{\n.reg .b64 d; mov.b64 d, f0;\n"
        + many(n, "p#: .callprototype _ ();\ncall d, p#;\n")
        + "ret;\n}\n"
    )


def entry_directives(n):
    return HEADER + many(n, ".visible .entry k#() .maxntid 32 .minnctapersm 2 { ret; }\n")


def branch_tables(n):
    return body(
        REG + many(n, "L#:\n") + "T: .branchtargets " + listed(n, "L#") + ";\n" + "brx.idx r, T;\n" * n
    )


def many_branch_tables(n):
    return body(REG + "A: B:\n" + many(n, "T#: .branchtargets A, B;\nbrx.idx r, T#;\n"))


def pragmas(n):
    return HEADER + ".visible .entry k()\n{\n" + '.pragma "nounroll";\n' * n + "ret;\n}\n"


def loops(n):
    return body(
        REG + many(n, "L#: add.u32 r, r, s;\n") + "".join("@p bra L%d;\n" % i for i in reversed(range(n)))
    )


def ladder_of_loops(n):
    return body(REG + many(n, "L#: add.u32 r, r, s; setp.lt.u32 p, r, s; @p bra L#;\n"))


def diamonds(n):
    return body(
        REG
        + many(
            n,
            (
                "setp.lt.u32 p, r, s; @p bra A#; add.u32 r, r, 1; bra B#;\nA#: add.u32 r, r, 2;\nB#: mov.u32"
                " s, r;\n"
            ),
        )
    )


def registers_alive(n):
    return body(
        ".reg .b32 r<%d>;\n" % (n + 1)
        + many(n, "mov.u32 r#, 1;\n")
        + "".join("add.u32 r%d, r%d, 1;\n" % (i + 1, i) for i in range(n))
    )


def registers_over_blocks(n):
    return body(
        ".reg .b32 r<%d>; .reg .pred p;\n" % (n + 1)
        + many(n, "mov.u32 r#, 1; setp.eq.u32 p, r#, 2; @p bra E;\n")
        + "E:\n"
        + many(n, "add.u32 r#, r#, 1;\n")
    )


def compiled(n):
    """n groups of 12 lines as a compiler writes them: a register for each value, short blocks, loops of two
    levels."""
    group = (
        "O#: add.u32 a#, s, #; mul.lo.u32 c#, a#, t; mad.lo.u32 b#, c#, a#, s;\n"
        "I#: setp.lt.u32 p#, b#, 7; @p# bra A#; xor.b32 t, t, b#; shl.b32 d#, a#, 3; add.u32 t, t, d#;\n"
        "A#: add.u32 s, s, a#; setp.ne.u32 q#, a#, a#; @q# bra I#; @q# bra O#;\n"
    )
    registers = ".reg .b32 a<#>, b<#>, c<#>, d<#>, s, t; .reg .pred p<#>, q<#>;\n".replace("#", str(n))
    return body(registers + "mov.u32 s, %tid.x; mov.u32 t, 5;\n" + many(n, group))


def constants(n):
    return body(".reg .b32 r; mov.u32 r, %laneid;\n" + many(n, "add.u32 r, r, 1#;\n"))


KINDS = {
    # name: (n, text of n, ways)
    "calls through one .calltargets": (2000, call_tables, "read lint print object"),
    "calls with a prototype each": (20000, call_protos, "read lint print"),
    "a prototype each, in one scope": (
        20000,
        lambda n: body(many(n, "p#: .callprototype _ (.param .b32 _);\n")),
        "read",
    ),
    "brx.idx through one table": (2000, branch_tables, "read lint -v print"),
    "a branch table each": (10000, many_branch_tables, "read lint -v"),
    "entries with directives": (20000, entry_directives, "read lint -v object"),
    "functions, each calling the one before": (
        20000,
        lambda n: HEADER
        + ".func f0() { ret; }\n"
        + "".join(".func f%d() { call f%d; ret; }\n" % (i, i - 1) for i in range(1, n))
        + ".visible .entry k() { call f%d; ret; }\n" % (n - 1),
        "read lint -v",
    ),
    "kernels, each calling one function with shared": (
        10000,
        lambda n: HEADER
        + ".shared .b8 x[49153];\n.func f() { .reg .b32 r; mov.b32 r, x; ret; }\n"
        + many(n, ".visible .entry k#() { call f; ret; }\n"),
        "read",
    ),
    "kernels over a chain of functions": (
        1000,
        lambda n: HEADER
        + ".shared .b8 x[40000];\n.shared .b8 y[40000];\n.func f0() { .reg .b32 r; mov.b32 r, x; ret; }\n"
        + "".join(".func f%d() { call f%d; ret; }\n" % (i, i - 1) for i in range(1, n))
        + many(n, ".visible .entry k#() { call f%d; ret; }\n" % (n - 1)),
        "read",
    ),
    "aliases": (
        20000,
        lambda n: HEADER
        + ".visible .func f() { ret; }\n"
        + many(n, ".visible .func a#();\n")
        + many(n, ".alias a#, f;\n"),
        "read lint print",
    ),
    "declarations of one function": (
        20000,
        lambda n: HEADER + ".visible .func f();\n" * n + ".visible .func f() { ret; }\n",
        "read print",
    ),
    "declarations of one variable": (20000, lambda n: HEADER + ".extern .global .b32 x;\n" * n, "read"),
    "definitions of one function": (20000, lambda n: HEADER + ".func f() { ret; }\n" * n, "read"),
    "definitions of one variable": (20000, lambda n: HEADER + ".global .b32 x;\n" * n, "read"),
    "definitions of one register": (20000, lambda n: body(".reg .b32 x;\n" * n), "read"),
    "definitions of one label": (20000, lambda n: body("L:\n" * n), "read"),
    "ranges of one base, a scope each": (
        20000,
        lambda n: body("{ .reg .b32 r<4>; mov.u32 r1, r2; }\n" * n),
        "read lint",
    ),
    "ranges": (20000, lambda n: body(many(n, ".reg .b32 r#_<4>; mov.u32 r#_1, r#_2;\n")), "read lint -v"),
    "errors on one line": (20000, lambda n: body("bad; " * n), "read"),
    "unknown names": (20000, lambda n: body(many(n, "mov.b32 x#, y#;\n")), "read"),
    "one unknown name": (20000, lambda n: body("mov.b32 x, y;\n" * n), "read"),
    "labels ahead": (20000, lambda n: body(many(n, "bra L#;\n") + many(n, "L#:\n")), "read lint -v"),
    "unknown labels": (20000, lambda n: body(many(n, "bra L#;\n")), "read"),
    "references of initialisers": (
        50000,
        lambda n: table(many(n, ".global .b32 x#;\n") + ".global .b64 t", n, "x#"),
        "read lint print object",
    ),
    "numbers of one initialiser": (200000, lambda n: table(".global .b32 t", n, "#"), "read print"),
    "variables": (50000, lambda n: HEADER + many(n, ".global .b32 x#;\n"), "read lint -v print object"),
    "variables that refer to the next": (
        50000,
        lambda n: HEADER + many(n, ".extern .global .b32 y#;\n.global .b64 x# = y#;\n"),
        "read print",
    ),
    "shared variables used by one kernel": (
        5000,
        lambda n: body(REG + many(n, "mov.b32 r, x#;\n"), many(n, ".shared .b8 x#[100];\n")),
        "read",
    ),
    "parameters": (
        400,
        lambda n: HEADER
        + ".visible .entry k("
        + listed(n, ".param .b32 x#")
        + ")\n{\n"
        + REG
        + many(n, "ld.param.b32 r, [x#];\n")
        + "ret;\n}\n",
        "read lint",
    ),
    ".file": (
        20000,
        lambda n: HEADER
        + many(n, '.file #1 "a#.cu"\n')
        + ".visible .entry k()\n{\n"
        + many(n, ".loc #1 # 1\n")
        + "ret;\n}\n",
        "read print",
    ),
    ".loc with inlined_at": (
        20000,
        lambda n: HEADER
        + '.file 1 "a.cu"\n.visible .entry k()\n{\n.loc 1 1 1\n'
        + many(n, ".loc 1 # 2, function_name L, inlined_at 1 1 1\n")
        + "ret;\n}\n.section .debug_str {\nL: .b8 0\n}\n",
        "read print",
    ),
    ".section data": (200000, lambda n: debug_info(many(n, ".b8 1,2,3\n")), "read print object"),
    "sections": (20000, lambda n: HEADER + many(n, ".section .debug_x# {\nA#: .b8 1\n}\n"), "read print"),
    "labels of sections": (20000, lambda n: debug_info(many(n, "A#: .b8 1\n.b32 A#\n")), "read"),
    "pragmas": (20000, pragmas, "read lint"),
    "scopes inside scopes": (
        160,
        lambda n: body("{ .reg .b32 a; mov.b32 a, 1;\n" * n + "}" * n),
        "read lint -v print",
    ),
    "scopes inside scopes, many names": (
        160,
        lambda n: body("{ .reg .b32 a<4>; mov.b32 a1, a2;\n" * n + "}" * n),
        "read",
    ),
    "scopes side by side": (
        50000,
        lambda n: body("{ .reg .b32 a; mov.b32 a, 1; }\n" * n),
        "read lint -v print",
    ),
    "a name seen through scopes": (
        160,
        lambda n: body(".reg .b32 x;\n" + "{ mov.b32 x, 1;\n" * n + "}" * n),
        "read lint",
    ),
    "parentheses": (2000, lambda n: HEADER + ".global .b32 x = " + "(" * n + "1" + ")" * n + ";\n", "read"),
    "a long sum": (50000, lambda n: HEADER + ".global .b32 x = " + "1+" * n + "1;\n", "read print"),
    "modifiers": (50000, lambda n: body(REG + "add" + ".x" * n + " r, r, r;"), "read"),
    "operands": (50000, lambda n: body(REG + "add.u32 " + "r, " * n + "r;"), "read"),
    "one vector": (50000, lambda n: body(REG + "ld.global.v4.b32 {" + "r, " * n + "r}, [d];"), "read"),
    "line markers": (20000, lambda n: HEADER + many(n, '# # "a#.cu"\n.global .b32 x#;\n'), "read"),
    "errors after line markers": (
        5000,
        lambda n: HEADER + ".visible .entry k()\n{\n" + many(n, '# # "a#.cu"\nbad r;\n') + "}\n",
        "read",
    ),
    "warnings": (20000, lambda n: body(many(n, '.pragma "x#";\n')), "read"),
    "loops inside loops": (2000, loops, "read lint -v run"),
    "loops side by side": (20000, ladder_of_loops, "read lint -v print"),
    "diamonds": (20000, diamonds, "read lint -v run"),
    "a line of registers": (20000, registers_alive, "read lint -v"),
    "registers alive over blocks": (2000, registers_over_blocks, "read lint -v run"),
    "groups of 12 lines, as compiled": (2000, compiled, "read lint -v run"),
    "constants": (10000, constants, "read -v run"),
    "one function of plain lines": (
        100000,
        lambda n: body(REG + "add.u32 r, r, s;\n" * n),
        "read lint -v print object",
    ),
    "barriers": (20000, lambda n: body(REG + "bar.sync 0;\n" * n), "lint -v"),
    "barriers in branches": (
        5000,
        lambda n: body(
            REG + "mov.u32 r, %tid.x; setp.eq.u32 p, r, 1;\n" + many(n, "@p bra A#; bar.sync 0;\nA#:\n")
        ),
        "lint -v",
    ),
    "unread registers": (
        20000,
        lambda n: body(".reg .b32 a<%d>;\n" % n + many(n, "mov.u32 a#, 1;\n")),
        "lint -v",
    ),
    "unassigned registers": (
        20000,
        lambda n: body(REG + ".reg .b32 a<%d>;\n" % n + many(n, "mov.u32 r, a#;\n")),
        "lint",
    ),
    "pointer arithmetic": (
        20000,
        lambda n: body(
            REG
            + ".shared .b8 x[64]; mov.u64 d, x; cvta.shared.u64 d, d;\n"
            + "add.u64 d, d, 4; ld.u32 r, [d];\n" * n
        ),
        "lint",
    ),
    "one comment": (2000000, lambda n: HEADER + "/*" + "x" * n + "*/\n", "read"),
    "one name": (2000000, lambda n: HEADER + ".global .b32 " + "x" * n + ";\n", "read"),
    "one string": (2000000, lambda n: HEADER + '.file 1 "' + "x" * n + '"\n', "read"),
    "empty lines": (2000000, lambda n: HEADER + "\n" * n, "read"),
    "lines, an error on the last": (1000000, lambda n: HEADER + "\n" * n + "bad", "read"),
}


def once(command, memory):
    """CPU seconds and peak bytes of one run."""
    child = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: bound(memory)
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = 0  # it was waited for
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGXCPU:
        sys.exit("%s: died of signal %d" % (" ".join(command), os.WTERMSIG(status)))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def bound(memory):
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(memory, (ADDRESS_SPACE, ADDRESS_SPACE))


def command_of(way, ptxas, path):
    out = path + ".o"
    if way == "run":
        return [os.path.join(os.path.dirname(ptxas), "ptxvm"), "--quiet", "--threads", "1", path]
    words = {"read": [], "lint": ["--lint", "-w"], "-v": ["-v"], "print": ["--print"], "object": ["-o", out]}[
        way
    ]
    return [ptxas, "-c", *words, path]


def row(name, ptxas, folder, size, make, way):
    path, results = os.path.join(folder, "hard.ptx"), []
    for n in (size, 3 * size, 10 * size):
        if results and results[-1][0] >= CPU_SECONDS:
            results.append(results[-1])
            continue
        with open(path, "w", encoding="ascii") as file:
            file.write(make(n))
        # the VM reserves addresses that it does not fill
        results.append(
            once(command_of(way, ptxas, path), resource.RLIMIT_DATA if way == "run" else resource.RLIMIT_AS)
        )
    growth = [results[2][i] / max(results[1][i], 1e-3) / (10 / 3) for i in (0, 1)]
    steep = (growth[0] > 1.5 and results[2][0] > 0.1) or (growth[1] > 1.5 and results[2][1] > 3e8)
    print(
        "%s %-44s %-7s %9d  %7.3f %7.3f %7.3f s  %6.0f %6.0f %6.0f MB  %5.2f %5.2f"
        % (
            "!" if steep else " ",
            name,
            way,
            10 * size,
            *(r[0] for r in results),
            *(r[1] / 1e6 for r in results),
            *growth,
        ),
        flush=True,
    )
    return steep


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--scale", type=float, default=1, help="multiplies every n")
    parser.add_argument("words", nargs="*", help="only rows whose name holds one of these")
    args = parser.parse_args()
    ptxas, steep = os.path.abspath(os.path.join(args.build, "bin", "ptxas")), 0
    print(
        "  %-44s %-7s %9s  %25s  %23s  %s"
        % ("n of", "way", "10n", "CPU seconds at n, 3n, 10n", "peak memory", "growth of both, 3n to 10n")
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, (size, make, ways) in KINDS.items():
            if not args.words or any(word in name for word in args.words):
                for way in ways.split():
                    steep += row(name, ptxas, folder, max(1, int(size * args.scale)), make, way)
    print("%d rows grow faster than their input" % steep)


if __name__ == "__main__":
    main()
