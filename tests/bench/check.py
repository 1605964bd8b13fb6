#!/usr/bin/env python3
"""How fast ptxas checks, and how much memory it takes.

A module of 1,000,000 lines and one of a tenth of it, in the mix of instructions that compilers emit; and,
where nvcc is
found, what it makes of large.cu. Lines a second of CPU time (one core; the best of several runs), peak
memory, and
bytes of memory beyond the text for each byte of text. Where NVIDIA's ptxas is found its check-only mode and
-O0 run on
the same files. Long lines and deep nesting are measured last, at 10 and 100 MB: time must grow with the size
and not
faster. scaling.py has many more such inputs, smaller ones.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MILLION = 1000000
HEADER = """.version 8.0
.target sm_80
.address_size 64

.file	1 "large.cu"
.func (.param .b32 r) helper (.param .b32 a)
{
	.reg .b32 	%r<2>;
	ld.param.b32 	%r1, [a];
	st.param.b32 	[r], %r1;
	ret;
}

"""

# Weight and text; r, f, d, h, p stand for registers of a class, # for a small number, @ for a label ahead.
INSTRUCTIONS = [
    (12, "add.s32 \tr, r, r;"),
    (8, "add.s32 \tr, r, #;"),
    (6, "mad.lo.s32 \tr, r, r, r;"),
    (4, "shl.b32 \tr, r, #;"),
    (4, "and.b32  \tr, r, #;"),
    (3, "xor.b32  \tr, r, r;"),
    (2, "shf.l.wrap.b32 \tr, r, r, #;"),
    (2, "bfe.u32 \tr, r, #, 8;"),
    (6, "mul.wide.s32 \td, r, 4;"),
    (8, "add.s64 \td, d, d;"),
    (3, "cvta.to.global.u64 \td, d;"),
    (2, "cvt.s64.s32 \td, r;"),
    (10, "ld.global.f32 \tf, [d+#];"),
    (4, "ld.global.nc.v4.f32 \t{f, f, f, f}, [d];"),
    (5, "st.global.f32 \t[d+#], f;"),
    (6, "ld.shared.f32 \tf, [r+#];"),
    (3, "st.shared.f32 \t[tile+#], f;"),
    (2, "st.global.v2.u32 \t[d], {r, r};"),
    (14, "fma.rn.f32 \tf, f, f, f;"),
    (6, "mul.f32 \tf, f, f;"),
    (4, "add.f32 \tf, f, 0f3F800000;"),
    (2, "sub.ftz.f32 \tf, f, f;"),
    (2, "ex2.approx.f32 \tf, f;"),
    (1, "rcp.rn.f32 \tf, f;"),
    (2, "cvt.rn.f32.s32 \tf, r;"),
    (1, "cvt.rzi.s32.f32 \tr, f;"),
    (3, "fma.rn.f64 \th, h, h, h;"),
    (1, "cvt.f64.f32 \th, f;"),
    (2, "selp.b32 \tr, r, r, p;"),
    (3, "mov.u32 \tr, %tid.x;"),
    (4, "setp.lt.s32 \tp, r, #;"),
    (2, "setp.neu.f32 \tp, f, f;"),
    (3, "@p bra \t@;"),
    (2, "mov.b32 \tr, f;"),
    (1, "bar.sync \t0;"),
    (1, "shfl.sync.bfly.b32 \tr|p, r, #, 31, -1;"),
    (1, "atom.global.add.u32 \tr, [d], r;"),
    (2, ".loc\t1 # 9"),
    (1, "// inline asm"),
]
CALL = """	{
	.param .b32 param0;
	st.param.b32 	[param0+0], {r};
	.param .b32 retval0;
	call.uni (retval0),
	helper,
	(
	param0
	);
	ld.param.b32 	{s}, [retval0+0];
	}
"""
CLASSES = {"r": "%r", "f": "%f", "d": "%rd", "h": "%fd", "p": "%p"}
LIMITS = {"r": 400, "f": 300, "d": 200, "h": 20, "p": 30}


def instruction(dice, template, label):
    head, _, rest = template.partition(" ")
    guard = ""
    if head == "@p":
        guard = "@%%p%d " % dice.randrange(1, LIMITS["p"])
        head, _, rest = rest.partition(" ")
    out = []
    for i, c in enumerate(rest):
        alone = (
            not rest[i - 1 : i].isalnum()
            and not rest[i + 1 : i + 2].isalnum()
            and rest[i - 1 : i] not in ("%", ".", "/")
        )
        if c in CLASSES and alone:
            out.append("%s%d" % (CLASSES[c], dice.randrange(1, LIMITS[c])))
        elif c == "#":
            out.append(str(4 * dice.randrange(1, 8)))
        elif c == "@":
            out.append(label)
        else:
            out.append(c)
    return "\t" + guard + head + " " + "".join(out) + "\n"


def kernel(dice, number, lines):
    templates, weights = [t for _, t in INSTRUCTIONS], [w for w, _ in INSTRUCTIONS]
    out = ["\t// .globl\tkernel_%d\n.visible .entry kernel_%d(\n" % (number, number)]
    out.append(",\n".join("\t.param .u64 kernel_%d_param_%d" % (number, i) for i in range(4)) + "\n)\n{\n")
    for letter, kind in (("p", ".pred"), ("r", ".b32"), ("f", ".f32"), ("h", ".f64"), ("d", ".b64")):
        out.append("\t.reg %s \t%s<%d>;\n" % (kind, CLASSES[letter], LIMITS[letter]))
    out.append("\t.shared .align 4 .b8 tile[4096];\n\n")
    for i in range(4):
        out.append("\tld.param.u64 \t%%rd%d, [kernel_%d_param_%d];\n" % (i + 1, number, i))
    block = 0
    for line in range(lines - 36):
        label = "$L__BB%d_%d" % (number, block + 1)
        out.append(instruction(dice, dice.choices(templates, weights)[0], label))
        if line % 25 == 24:
            block += 1
            out.append("\n%s:\n" % label)
    out.append("\n$L__BB%d_%d:\n" % (number, block + 1))
    out.append(CALL.replace("{r}", "%r1").replace("{s}", "%r2") + "\tret;\n}\n\n")
    return "".join(out)


def make_module(path, lines):
    dice, written, number = random.Random(20261121), 0, 0
    with open(path, "w") as file:
        file.write(HEADER)
        while written < lines:
            text = kernel(dice, number, dice.choice((120, 200, 400, 900)))
            file.write(text)
            written += text.count("\n")
            number += 1
    return path


def make_large(folder):
    """nvcc's output for large.cu, or None."""
    path = os.path.join(folder, "large.ptx")
    source = os.path.join(HERE, "large.cu")
    if not shutil.which("nvcc"):
        print("no nvcc: its output is not measured")
    elif not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
        subprocess.run(["nvcc", "-ptx", "-arch=sm_80", "-DLARGE=100", "-o", path, source], check=True)
    return path if os.path.exists(path) else None


def nvidia():
    for folder in os.environ.get("PATH", "").split(os.pathsep) + ["/usr/local/cuda/bin"]:
        path = os.path.join(folder, "ptxas")
        if os.access(path, os.X_OK):
            version = subprocess.run([path, "--version"], capture_output=True, text=True)
            if "NVIDIA (R)" in version.stdout:
                return path
    return None


def once(command):
    """CPU seconds and peak bytes of one run."""
    child = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit("%s: exit status %d" % (" ".join(command), status))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(command, path, runs):
    results = [once(command + [path]) for _ in range(runs)]
    return min(seconds for seconds, _ in results), max(peak for _, peak in results)


def count_lines(path):
    with open(path, "rb") as file:
        return sum(1 for _ in file)


ROW = "%-44s %9s %9s %12s %9s %14s"


def heading(text):
    print("\n" + text)
    print(ROW % ("", "lines", "seconds", "M lines/s", "peak MB", "bytes a byte"), flush=True)


def report(name, command, path, runs):
    seconds, peak = measure(command, path, runs)
    lines, size = count_lines(path), os.path.getsize(path)
    print(
        ROW
        % (
            name,
            lines,
            "%.3f" % seconds,
            "%.3f" % (lines / seconds / 1e6),
            "%.1f" % (peak / 1e6),
            "%.1f" % ((peak - size) / size),
        ),
        flush=True,
    )
    return seconds


def against(theirs, path, ours, compiled=True):
    checked = report(
        "NVIDIA ptxas, checking only (compute_80)", [theirs, "-arch=compute_80", "-o", "/dev/null"], path, 1
    )
    if compiled:
        report("NVIDIA ptxas -O0", [theirs, "-arch=sm_80", "-O0", "-o", "/dev/null"], path, 1)
    print("ours is %.1f times as fast as checking only" % (checked / ours))


def ladder(ptxas, folder):
    """Inputs that are hard on parsers, at one and ten times the size."""
    body = ".version 8.0\n.target sm_80\n.entry k()\n{\n%s\n\tret;\n}\n"
    kinds = [
        (
            "one line of vectors",
            lambda n: ".reg .f32 f; .reg .b64 d;" + "st.v4.f32 [d], {f, f, f, f};" * (n // 29),
        ),
        ("one comment", lambda n: "/*" + "x" * n + "*/"),
        ("one name", lambda n: ".reg .b32 " + "x" * n + ";"),
        ("symbols", lambda n: "".join(".reg .b32 a%d;\n" % i for i in range(n // 20))),
        ("labels", lambda n: "".join("L%d: bra L%d;\n" % (i, i) for i in range(n // 26))),
        ("blocks inside blocks", lambda n: ("{.reg .b32 a;\n" * 1000 + "}" * 1000) * (n // 15000)),
    ]
    print("\nInputs that are hard on parsers")
    print("%-24s %18s %18s %8s %8s" % ("", "seconds for 10 MB", "for 100 MB", "times", "peak MB"))
    for name, make in kinds:
        results = []
        for size in (10 << 20, 100 << 20):
            path = os.path.join(folder, "hard.ptx")
            with open(path, "w") as file:
                file.write(body % make(size))
            results.append(measure([ptxas], path, 1))
        print(
            "%-24s %18.3f %18.3f %8.1f %8.0f"
            % (name, results[0][0], results[1][0], results[1][0] / results[0][0], results[1][1] / 1e6),
            flush=True,
        )
    os.remove(path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ptxas", help="the program to measure")
    parser.add_argument(
        "folder", nargs="?", default=os.path.join("build", "bench"), help="keeps the modules (build/bench)"
    )
    args = parser.parse_args()
    ptxas, folder = os.path.abspath(args.ptxas), args.folder
    os.makedirs(folder, exist_ok=True)
    theirs = nvidia()
    if not theirs:
        print("no NVIDIA ptxas: nothing to compare with")
    small = make_module(os.path.join(folder, "tenth.ptx"), MILLION // 10)
    big = make_module(os.path.join(folder, "million.ptx"), MILLION)
    heading("A generated module of 100,000 lines")
    tenth = report("ptxas", [ptxas], small, 10)
    if theirs:
        against(theirs, small, tenth)
    heading("A generated module of 1,000,000 lines")
    whole = report("ptxas", [ptxas], big, 5)
    print("ten times the lines take %.1f times as long" % (whole / tenth))
    if theirs:
        against(theirs, big, whole, False)
    large = make_large(folder)
    if large:
        heading("What nvcc makes of large.cu")
        ours = report("ptxas", [ptxas], large, 10)
        if theirs:
            against(theirs, large, ours)
    ladder(ptxas, folder)


if __name__ == "__main__":
    main()
