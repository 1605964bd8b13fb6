#!/usr/bin/env python3
"""The runtime's interface against the toolkit's own: names of the library with their version node,
prototypes, sizes, offsets and enumerators of cuda_runtime_api.h. Skipped where no toolkit is installed.

Of releases 11 and 12 only the size of cudaDeviceProp is known here: 728 and 1032 bytes (their headers'
fields, in prop.def)."""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tally import Tally  # noqa: E402

tally = Tally()
TOOLKIT = os.environ.get("CUDA_HOME", "/usr/local/cuda")
RT = os.path.join(ROOT, "lib", "cuda", "runtime")
RELEASES = {11: "libcudart.so.11.0", 12: "libcudart.so.12", 13: "libcudart.so.13"}
RETURNS_OTHER = {"cudaGetErrorName", "cudaGetErrorString", "cudaCreateChannelDesc"}


def exported(library):
    """(name, version) of every function that a library defines."""
    command = ["nm", "-D", "--defined-only", library]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    found = {}
    for line in listed.stdout.split("\n"):
        fields = line.split()
        if len(fields) == 3 and fields[1] in "TWi":
            name, _, version = fields[2].partition("@")
            found[name] = version.lstrip("@")
    return found


def rows():
    """(release, name, parameters or None) of runtime.def and its part, as the preprocessor reads them."""
    text = ""
    for name in ("runtime.def", "texture.def"):
        with open(os.path.join(RT, name), encoding="utf-8") as file:
            text += re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    for found in re.finditer(r"^(?:CALL|FREE)\((\w+), \w+, (\w+),\s*\(", text, re.M):
        depth, end = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield found[1], found[2], " ".join(text[found.end() : end - 1].split())


def of_release_13(release):
    return release in ("ALL", "R12_13", "R13")


def count_words(params):
    return 0 if params.strip() in ("", "void") else params.count(",") + 1


def compile_c(text, what, more=()):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "t.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = ["gcc", "-std=gnu17", "-DRT_RELEASE=13"]
        command += [f"-I{ROOT}/lib", f"-I{ROOT}/include", f"-I{TOOLKIT}/include"]
        done = subprocess.run(
            command + list(more) + ["-o", source + ".out", source], capture_output=True, text=True
        )
        if done.returncode:
            tally.check(what, False, "\n" + done.stderr[:3000])
            return None
        run = subprocess.run([source + ".out"], capture_output=True, text=True)
        return run.stdout


def struct_fields(header, name):
    """Names of the fields of a struct of the toolkit, those of inner structs left out."""
    found = re.search(r"struct\s+(?:__device_builtin__\s+)?" + name + r"\s*\{(.*?)\n\};", header, re.S)
    return re.findall(r"(\w+)(?:\[[^\]]*\])*\s*;", re.sub(r"union\s*\{.*\}", "", found[1], flags=re.S))


def print_layouts(header, struct_names, include, prefix=""):
    body = ""
    for theirs, ours, fields in struct_names:
        name = ours if prefix else "struct " + theirs
        body += f'printf("{theirs} %zu", sizeof({name}));\n'
        for field in fields:
            body += f'printf(" {field}:%zu", offsetof({name}, {field}));\n'
        body += 'printf("\\n");\n'
    return f"#include <stddef.h>\n#include <stdio.h>\n{include}\nint main(void) {{ {body} return 0; }}\n"


def layouts():
    with open(os.path.join(TOOLKIT, "include", "driver_types.h"), encoding="utf-8", errors="replace") as file:
        header = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    structs = [
        ("cudaDeviceProp", "struct cudaDeviceProp13", None),
        ("cudaMemcpy3DParms", "struct cudaMemcpy3DParms", None),
        ("cudaMemcpy3DPeerParms", "struct cudaMemcpy3DPeerParms", None),
        ("cudaPointerAttributes", "struct cudaPointerAttributes", None),
        ("cudaFuncAttributes", "struct cudaFuncAttributes", None),
        ("cudaKernelNodeParams", "struct cudaKernelNodeParams", None),
        ("cudaChannelFormatDesc", "struct cudaChannelFormatDesc", None),
        ("cudaExtent", "struct cudaExtent", None),
        ("cudaPos", "struct cudaPos", None),
        ("cudaPitchedPtr", "struct cudaPitchedPtr", None),
        ("cudaGraphNodeParams", "struct cudaGraphNodeParams", ["type", "reserved2"]),
        ("cudaResourceDesc", "struct cudaResourceDesc", ["resType", "flags"]),
        (
            "cudaTextureDesc",
            "struct cudaTextureDesc",
            "addressMode filterMode readMode sRGB borderColor normalizedCoords maxAnisotropy "
            "mipmapFilterMode mipmapLevelBias minMipmapLevelClamp maxMipmapLevelClamp "
            "disableTrilinearOptimization seamlessCubemap".split(),
        ),
        (
            "cudaLaunchConfig_st",
            "struct cudaLaunchConfig",
            "gridDim blockDim dynamicSmemBytes stream attrs numAttrs".split(),
        ),
    ]
    structs = [(t, o, f or struct_fields(header, t)) for t, o, f in structs]
    theirs = compile_c(print_layouts(header, structs, "#include <cuda_runtime_api.h>"), "their layouts")
    ours = compile_c(print_layouts(header, structs, '#include "cuda/runtime/abi.h"', "ours"), "our layouts")
    for a, b in zip((theirs or "").split("\n"), (ours or "").split("\n")):
        if a:
            tally.check("layout of " + a.split()[0], a == b, f"\n  theirs {a}\n  ours   {b}")
    sizes = compile_c(
        '#include <stdio.h>\n#include "cuda/runtime/abi.h"\nint main(void) { printf("%zu %zu", '
        "sizeof(struct cudaDeviceProp11), sizeof(struct cudaDeviceProp12)); return 0; }",
        "older cudaDeviceProp",
    )
    tally.check("sizes of older cudaDeviceProp", sizes == "728 1032", sizes)


def enumerators():
    """Errors by number and name, and the enumerators that abi.h repeats."""
    with open(os.path.join(RT, "errors.def"), encoding="utf-8") as file:
        errors = {name: number for number, name in re.findall(r"^ERROR\((\d+), (\w+)", file.read(), re.M)}
    with open(os.path.join(TOOLKIT, "include", "driver_types.h"), encoding="utf-8", errors="replace") as file:
        header = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    block = re.search(r"enum\s+__device_builtin__\s+cudaError\s*\{(.*?)\}", header, re.S)[1]
    theirs = dict(re.findall(r"(\w+)\s*=\s*(\d+)", block))
    tally.check("errors", errors == theirs, sorted(set(errors.items()) ^ set(theirs.items())))
    with open(os.path.join(RT, "abi.h"), encoding="utf-8") as file:
        kinds = "Error|Memcpy|MemoryType|ChannelFormatKind|ResourceType|GraphNodeType"
        found = re.findall(rf"\b(cuda(?:{kinds})[A-Z]\w*)\b(?=\s*[,=\n])", file.read())
        words = sorted(set(found))
    text = "".join(f'printf("{w} %d\\n", (int){w});\n' for w in words)
    main = f"int main(void) {{ {text} return 0; }}\n"
    a = compile_c("#include <stdio.h>\n#include <cuda_runtime_api.h>\n" + main, "their enumerators")
    b = compile_c('#include <stdio.h>\n#include "cuda/runtime/abi.h"\n' + main, "our enumerators")
    tally.check("enumerators", a and a == b, f"{a} {b}")


def prototypes():
    """As many parameters as the header's functions have, each passed alike: same size and class."""
    done = subprocess.run(
        ["gcc", "-E", "-P", "-x", "c", f"-I{TOOLKIT}/include", f"{TOOLKIT}/include/cuda_runtime_api.h"],
        capture_output=True,
        text=True,
        check=True,
    )
    plain = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", done.stdout)
    for release, name, ours in rows():
        if not of_release_13(release):
            continue
        found = re.search(r"\b" + name + r"\s*\(([^;]*?)\)\s*;", plain)
        if not found:
            continue
        theirs = " ".join(found[1].split())
        good = count_words(theirs) == count_words(ours)
        pointers = [w.count("*") > 0 or "[" in w for w in theirs.split(",")]
        tally.check("prototype of " + name, good, f"({theirs}) ({ours})")
        if good and "(" not in theirs:
            opaque = re.compile(r"_t\b|cudaHostFn_t|cudaStreamCallback_t|Handle")
            for mine, their, pointer in zip(ours.split(","), theirs.split(","), pointers):
                is_pointer = "*" in mine
                number = r"\s*(const )?(int|unsigned|size_t|uint64_t|unsigned long long)\b"
                known = is_pointer or re.match(number, mine)
                if pointer or (known and not opaque.search(their)):
                    tally.check(f"prototype of {name}", pointer == is_pointer, f"'{their}' and '{mine}'")


def names():
    reference = glob.glob(os.path.join(TOOLKIT, "lib*", "libcudart.so.13")) + glob.glob(
        os.path.join(TOOLKIT, "targets", "*", "lib", "libcudart.so.13")
    )
    if not reference:
        print("skip names: no libcudart.so.13 in the toolkit")
        return
    theirs = exported(reference[0])
    ours = exported(os.path.join(BUILD, "lib", "libcudart.so.13"))
    tally.check("names of release 13", theirs == ours, sorted(set(theirs.items()) ^ set(ours.items())))


def main():
    for soname in RELEASES.values():
        found = exported(os.path.join(BUILD, "lib", soname))
        tally.check(f"versions of {soname}", found and set(found.values()) == {soname}, set(found.values()))
    if not os.path.exists(os.path.join(TOOLKIT, "include", "cuda_runtime_api.h")):
        print("skip the rest: no cuda_runtime_api.h")
    else:
        names()
        layouts()
        enumerators()
        prototypes()
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
