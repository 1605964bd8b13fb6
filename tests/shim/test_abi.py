#!/usr/bin/env python3
"""Holds our declarations of the driver interface against NVIDIA's: exit code 77 where no toolkit is.

Every enumerator, size of a structure and offset of a member of abi.h and numbers.h is printed by
one small program, compiled once with our headers and once with cuda.h; both must print the same. Every
function of cuda.def must be declarable beside cuda.h, that is, have its parameters. And every name that the
toolkit's stub of libcuda.so exports is in our library.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIM = os.path.join(ROOT, "lib", "cuda", "driver")
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
CC = os.environ.get("CC", "gcc").split()


def toolkit():
    """The folder of an installed CUDA toolkit, newest first; None."""
    places = sorted(glob.glob("/usr/local/cuda-*"), reverse=True) + ["/usr/local/cuda"]
    return next((p for p in places if os.path.exists(os.path.join(p, "include", "cuda.h"))), None)


def read(name):
    with open(os.path.join(SHIM, name), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def enumerators(text):
    return [
        name
        for body in re.findall(r"enum\s*\w*\s*\{([^#}]*)\}", text)
        for name in re.findall(r"\b(C[UI]\w+)\s*=", body)
    ]


def members(body):
    """Names of the direct members of a structure, those of unnamed unions included."""
    names, depth, start = [], 0, 0
    for at, char in enumerate(body):
        depth += (char == "{") - (char == "}")
        if char == ";" and depth == 0:
            part = body[start:at].strip()
            start = at + 1
            if part.endswith("}"):
                names += members(part[part.index("{") + 1 : -1])
                continue
            tail = part[part.rindex("}") + 1 :] if "}" in part else re.sub(r"^(const |struct )*\w+", "", part)
            names += re.findall(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:,|$)", tail)
    return names


def structures(text):
    aligned = r"(?: __attribute__\(\([^;]*\)\))?"
    for kind, body, names in re.findall(
        r"^typedef (struct|union) \w+ \{\n(.*?)^\}" + aligned + r" (\w+);", text, flags=re.S | re.M
    ):
        yield names, members(body)


def program(text, errors):
    lines = [f'    printf("{n} %lld\\n", (long long){n});' for n in enumerators(text) + errors]
    for name, fields in structures(text):
        lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'    printf("{name}.{f} %zu\\n", offsetof({name}, {f}));' for f in fields]
    return "#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n"


def compile_and_run(folder, name, source, flags):
    path = os.path.join(folder, name)
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([*CC, "-std=gnu17", "-w", *flags, "-o", path, path + ".c"], check=True)
    return subprocess.run([path], capture_output=True, text=True, check=True).stdout


def compare_numbers(folder, include):
    text = read("numbers.h") + read("abi.h")
    errors = ["CUDA_" + n for n in re.findall(r"^CU_ERROR\(\d+, (\w+),", read("errors.def"), flags=re.M)]
    body = program(text, errors)
    lib = ["-I", os.path.join(ROOT, "lib")]
    ours = compile_and_run(folder, "ours", '#include "cuda/driver/abi.h"\n' + body, lib)
    old = "#define __CUDA_API_VERSION_INTERNAL\n#include <cuda.h>\n"
    theirs = compile_and_run(folder, "theirs", old + body, ["-I", include])
    wrong = [f"ours: {a}, cuda.h: {b}" for a, b in zip(ours.split("\n"), theirs.split("\n")) if a != b]
    assert len(ours) > 5000, "the headers were not read"
    return wrong


def compare_functions(folder, include):
    source = """#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#define CU(name, since, symbol, parameters) CUresult symbol parameters;
#define VIA(name, since, symbol, parameters, call) CUresult symbol parameters;
#define NO(name, since, symbol)
#define CUDA_KERNEL_NODE_PARAMS CUDA_KERNEL_NODE_PARAMS_v2
"""
    path = os.path.join(folder, "declare.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source + '#include "cuda/driver/cuda.def"\n')
    ran = subprocess.run(
        [*CC, "-std=gnu17", "-w", "-fsyntax-only", "-I", include, "-I", os.path.join(ROOT, "lib"), path],
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in ran.stderr.split("\n") if "error" in line]


def exports(path):
    listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True)
    return {l.split()[2] for l in listed.stdout.split("\n") if " T cu" in l}


def compare_exports(home):
    ours = exports(os.path.join(BUILD, "lib", "libcuda.so.1"))
    stubs = glob.glob(os.path.join(home, "lib*", "stubs", "libcuda.so"))
    missing = sorted(exports(stubs[0]) - ours) if stubs else []
    return [f"{name} is not exported" for name in missing]


def main():
    home = toolkit()
    if not home:
        print("no CUDA toolkit")
        sys.exit(77)
    include = os.path.join(home, "include")
    with tempfile.TemporaryDirectory() as folder:
        wrong = compare_numbers(folder, include) + compare_functions(folder, include) + compare_exports(home)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
