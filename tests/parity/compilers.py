"""What compilers emit: nvcc, clang and LLVM's llc over committed sources, and recorded kernels of Triton.

Lines cut out of accepted modules cannot show that the checker refuses something legal; compilers can.
Everything is
made when it is asked for and kept in BUILD/parity/compilers under a hash of tool, options and source. A
compiler that is
not installed is left out with a word.
"""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor

import forms
import intrinsics

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
LLVM = ("-22", "-19", "-16", "")
NVCC_ARCHS = ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a")
LLC_TARGETS = (
    "sm_20 ptx32|sm_35 ptx43|sm_50 ptx40|sm_52 ptx41|sm_53 ptx42|sm_60 ptx60|sm_70 ptx63|sm_75 ptx64"
    "|sm_80 ptx75|sm_86 ptx72|sm_89 ptx81|sm_90 ptx80|sm_90a ptx85"
    "|sm_100 ptx86|sm_100a ptx90|sm_103a ptx88|sm_110f ptx90|sm_120a ptx90|sm_121f ptx90"
).split("|")
INTRINSIC_TARGETS = (
    "sm_60 ptx60|sm_80 ptx75|sm_90a ptx85|sm_100a ptx90|sm_110f ptx90|sm_120a ptx90".split("|")
)
BATCH = 24
FAILED = "failed "


class Maker:
    """Runs compilers, several at a time, and keeps what they wrote."""

    def __init__(self, build, jobs):
        self.folder, self.jobs = os.path.abspath(os.path.join(build, "parity", "compilers")), jobs
        os.makedirs(self.folder, exist_ok=True)

    def made(self, command, source, suffix):
        """the PTX that a command makes of a source text; where it fails FAILED and, from llc, the function;
        {in} and {out} in the command are its files"""
        key = hashlib.sha1(("\0".join(command) + "\0" + source).encode()).hexdigest()
        base = os.path.join(self.folder, key)
        if not os.path.exists(base + ".ptx"):
            with open(base + suffix, "w") as f:
                f.write(source)
            done = subprocess.run(
                [c.format(**{"in": base + suffix, "out": base + ".tmp"}) for c in command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            if done.returncode or not os.path.exists(base + ".tmp"):
                with open(base + ".tmp", "w") as f:
                    f.write(FAILED + "".join(re.findall(r"In function: (\w+)", done.stderr)))
            os.replace(base + ".tmp", base + ".ptx")
            os.remove(base + suffix)
        with open(base + ".ptx") as f:
            return f.read()

    def each(self, work, tasks):
        with ThreadPoolExecutor(self.jobs) as pool:
            for found in pool.map(work, tasks):
                yield from found


def sources(*patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path) as f:
                yield os.path.relpath(path, ROOT), f.read()


def runnable(arch):
    """an -arch of ptxas 13.0 for a module of that target"""
    number = int(re.search(r"\d+", arch)[0])
    return arch if number >= 75 else "sm_75"


def installed(tool):
    return next((tool + v for v in LLVM if shutil.which(tool + v)), None)


def targets(tool, wanted):
    """those that this LLVM knows"""
    known = subprocess.run(
        [tool, "-march=nvptx64", "-mcpu=help"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ).stderr.split()
    return [t for t in wanted if set(t.split()) <= set(known)]


def nvcc(maker):
    tool = shutil.which("nvcc")
    own = list(sources("tests/parity/compilers/*.cu"))
    tasks = [(n, s, a, o) for n, s in own for a in NVCC_ARCHS for o in ("-O3", "-G")]
    tasks += [(n, s, "sm_90a", o) for n, s in sources("tests/nvcc/*.cu") for o in ("-O3", "-G")]

    def work(task):
        name, source, arch, option = task
        text = maker.made(
            [tool, "-ptx", "-std=c++17", "-rdc=true", "-arch=" + arch, option, "-o", "{out}", "{in}"],
            source,
            ".cu",
        )
        return (
            [("%s %s %s" % (name, arch, option), text, runnable(arch))] if not text.startswith(FAILED) else []
        )

    yield from maker.each(work, tasks)


def clang(maker):
    tool = installed("clang")
    tasks = [
        (n, s, t, o)
        for n, s in sources("tests/parity/compilers/*.c")
        for t in LLC_TARGETS
        for o in ("-O0", "-O2")
    ]

    def work(task):
        name, source, target, option = task
        arch, ptx = target.split()
        text = maker.made(
            [
                tool,
                "--target=nvptx64-nvidia-cuda",
                "-march=" + arch,
                "-Xclang",
                "-target-feature",
                "-Xclang",
                "+" + ptx,
                option,
                "-ffreestanding",
                "-S",
                "-o",
                "{out}",
                "{in}",
            ],
            source,
            ".c",
        )
        return (
            [("%s %s %s" % (name, target, option), text, runnable(arch))]
            if not text.startswith(FAILED)
            else []
        )

    yield from maker.each(work, tasks)


def pieces(source):
    """a file of LLVM IR: what stands before the first function, then each function by itself"""
    parts = re.split(r"(?m)^(?=define )", source)
    return parts[0], parts[1:]


def joined(functions):
    """one file of them; a declaration that several make stands once"""
    lines = [l for f in functions for l in f.splitlines(True)]
    said = dict.fromkeys(l for l in lines if l.startswith("declare"))
    return "".join(said) + "".join(l for l in lines if not l.startswith("declare"))


def llc(maker):
    tool, version = installed("llc"), installed("llc")[3:]
    known = targets(tool, LLC_TARGETS)
    every = [("intrinsic", "", [f], INTRINSIC_TARGETS) for f in intrinsics.functions(version, maker.folder)]
    for name, source in sources("tests/parity/compilers/*.ll"):
        every += [(name, pieces(source)[0], [f], LLC_TARGETS) for f in pieces(source)[1]]
    tasks = []
    for target in known:
        mine = [e for e in every if target in e[3]]
        for name, head in sorted({(e[0], e[1]) for e in mine}):
            own = [f for e in mine if (e[0], e[1]) == (name, head) for f in e[2]]
            tasks += [
                (name, head, own[i : i + BATCH], target, level)
                for i in range(0, len(own), BATCH)
                for level in (("-O0", "-O3") if name != "intrinsic" else ("-O2",))
            ]

    def work(task):
        """llc fails at the first function that the target cannot express: without it, or, unnamed, in
        halves"""
        name, head, functions, target, level = task
        arch, ptx = target.split()
        text = maker.made(
            [tool, "-march=nvptx64", "-mcpu=" + arch, "-mattr=+" + ptx, level, "-o", "{out}", "{in}"],
            head + joined(functions),
            ".ll",
        )
        if not text.startswith(FAILED):
            label = re.search(r"define[^@]*@(\w+)", functions[0])[1]
            return [("%s %s %s %s" % (name, target, level, label), text, runnable(arch))]
        rest = [f for f in functions if not re.search(r"define[^@]*@%s\(" % (text[len(FAILED) :] or "-"), f)]
        if len(rest) < len(functions):
            return work((name, head, rest, target, level)) if rest else []
        half = len(functions) // 2
        return [
            m
            for part in (functions[:half], functions[half:])
            if half
            for m in work((name, head, part, target, level))
        ]

    yield from maker.each(work, tasks)


def triton(archive):
    with tarfile.open(archive) as f:
        for member in f.getmembers():
            if member.name.endswith(".ptx"):
                text = f.extractfile(member).read().decode()
                yield "triton/" + os.path.basename(member.name), text, runnable(
                    re.search(r"\.target\s+(\w+)", text)[1]
                )


def cases(build, jobs, ask, archive=None, chosen=("forms", "triton", "llc", "clang", "nvcc")):
    """(name, text, arch) of every module, from the chosen of the five"""
    maker = Maker(build, jobs)
    if "forms" in chosen:
        yield from forms.modules(ask)
    if archive and "triton" in chosen:
        yield from triton(archive)
    for tool, found in (("llc", llc), ("clang", clang), ("nvcc", nvcc)):
        if tool in chosen and installed(tool):
            yield from found(maker)
        elif tool in chosen:
            print("compilers: no %s here" % tool)
