#!/usr/bin/env python3
"""ptxvm --exec: programs made here by the C compiler, and by nvcc where there is one.

Without nvcc: client.c does by hand what nvcc's host code does, and is built in every way that the
redirection knows: against libcudart.so, with a runtime linked in whose entries are far apart or packed, in a
shared object that is linked or opened, wholly static with libptxcudart_static.a. What it must say is exact
arithmetic.

With nvcc: features.cu, and facts.cu against what an H100 answered (facts*.txt), with the runtime shared and
linked in, optimised and -G.

usage: test_exec.py [--parts | --part NAME]      --parts lists parts that can run side by side"""
import difflib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tally import Tally  # noqa: E402

tally = Tally()
PAGES = 1000  # of 4 KiB, most at the start of a program; measured: 300
PTXVM = os.path.join(BUILD, "bin", "ptxvm")
LIB = os.path.join(BUILD, "lib")
STATIC = os.path.join(LIB, "libptxcudart_static.a")
RIGHT = "last 3002, sum 1503500, managed 1100\ngraphics: cudaErrorNotSupported\n"
WILD = RIGHT + "wild: cudaErrorIllegalAddress\n"

# Lines of facts.txt that we answer otherwise, and why.
OTHERWISE = {
    r"crashes$": "an invalid handle is an error here and never a crash",
    r"^limit 1:": "the text that kernels print has no fixed buffer",
    r"^limit [367]:": "limits of release 13 and of dynamic parallelism before sm_90",
    r"^cudaEventRecord\(e, 0\) = 201": "an event of a context that was reset is an invalid handle",
    r"^cudaMalloc\(&p, 16\) = 46|^cudaGetLastError\(\) = 46": "a device can be used again after a reset",
}


def run(*command, **more):
    options = dict(capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    options.update(more)
    return subprocess.run(command, **options)


def execute(*words, **more):
    return run(PTXVM, "--exec", *words, **more)


def compile_c(output, *words):
    done = run("gcc", "-O1", "-g", f"-I{ROOT}/lib", "-o", output, *words)
    if done.returncode:
        tally.check(f"compiling {os.path.basename(output)}", False, done.stderr[-2000:])
    return done.returncode == 0


def expect(name, done, output, code=0, error=""):
    shown = f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    good = done.returncode == code and done.stdout == output and re.search(error, done.stderr)
    tally.check(name, good, shown[-3000:])


# ---- without nvcc ----


def clients():
    client, vendor = os.path.join(HERE, "client.c"), os.path.join(HERE, "vendor.c")
    if compile_c("shared", client, os.path.join(LIB, "libcudart.so.13")):
        expect("shared runtime", execute("./shared"), RIGHT)
        expect("exit code of the program", execute("./shared", "x", "7"), RIGHT, 7)
        fault = execute("./shared", "wild", "9")
        expect("fault", fault, WILD, 9, r"CUDA_ERROR_ILLEGAL_ADDRESS \(700\): access of 4 bytes at 0x8")
        tally.check("fault: place", "st.global.u32 [%d], 1;" in fault.stderr, fault.stderr)
    for name, align in (("far", '".balign 16\\n"'), ("packed", '""')):
        hidden = ("-DCLIENT_HIDDEN", f"-DVENDOR_ALIGN={align}", client, vendor)
        if compile_c(name, "-fPIE", *hidden):
            expect(f"{name}: the vendor's is there", run("./" + name), "", 99, "vendor's __cudaRegister")
            expect(f"{name}: redirected", execute("./" + name, "wild", "3"), WILD, 3, "ILLEGAL_ADDRESS")
        if compile_c(f"lib{name}.so", "-shared", "-fPIC", "-DCLIENT_OBJECT", *hidden):
            compile_c("opener", os.path.join(HERE, "opener.c"), "-ldl")
            expect(f"{name}: dlopen", execute("./opener", f"./lib{name}.so"), RIGHT)
            with open("caller.c", "w", encoding="utf-8") as file:
                file.write("int client_main(int, char **);\n")
                file.write("int main(int n, char **v) { return client_main(n, v); }\n")
            compile_c("caller", "caller.c", f"./lib{name}.so", "-Wl,-rpath,.")
            expect(f"{name}: a library of the program", execute("./caller"), RIGHT)
    # Stripped, with the section that tells a program of CUDA's.
    run("objcopy", "--strip-all", "--add-section", ".nvFatBinSegment=caller.c", "far", "stripped")
    alone = dict(os.environ, PTXVM_CUDART="/nonexistent", XDG_CACHE_HOME=os.path.abspath("none"))
    told = "stripped.*package cuda-cudart-dev.*PTXVM_CUDART.*-cudart shared.*libptxcudart_static.a"
    expect("stripped", execute("./stripped", env=alone), "", 3, told)
    stripped()
    libraries = ("-lffi", "-lzstd", "-llz4", "-lm", "-ldl", "-pthread")
    if compile_c("relinked", client, STATIC, *libraries):
        expect("relinked", run("./relinked"), RIGHT)
        if compile_c("static", "-static", client, STATIC, *libraries, "-w"):
            expect("wholly static, relinked", run("./static", "x", "2"), RIGHT, 2)
            expect("wholly static", execute("./static"), "", 3, "wholly static.*-cudart shared")


APART = "vendor_row"  # VENDOR_NUMBER of functions that can be told apart
THIRD = "vendor_row+999"
TWINS = "vendor_row+(vendor_row==100)"  # ... but for two


def archive(folder, align, number):
    """A libcudart_static.a of vendor.c, in a folder of its own."""
    os.makedirs(folder, exist_ok=True)
    member = os.path.join(folder, "vendor.o")
    words = (f'-DVENDOR_ALIGN=".balign {align}\\n"', f'-DVENDOR_NUMBER="{number}"', "-DCLIENT_HIDDEN")
    if compile_c(member, "-c", "-fPIC", *words, os.path.join(HERE, "vendor.c")):
        run("ar", "rc", os.path.join(folder, "libcudart_static.a"), member)
    return member


def stripped():
    """Entries without names: an archive of the same build, one of another build, one of another release."""
    whole, other, third, twins = (
        archive(*build)
        for build in (("whole", 16, "0"), ("other", 32, APART), ("third", 16, THIRD), ("twins", 32, TWINS))
    )
    archive("alike", 16, "7")
    client = os.path.join(HERE, "client.c")
    build_id = "-Wl,--build-id=0x0123456789abcdef"
    for name, member, build, used in (
        ("whole section", whole, build_id, "whole"),
        ("whole section, no build id", whole, "-Wl,--build-id=none", "whole"),
        ("one by one", archive("apart", 16, APART), build_id, "other"),
    ):
        cache = os.path.abspath("cache of " + name)
        here = dict(os.environ, XDG_CACHE_HOME=cache, PTXVM_CUDART=os.path.abspath(used))
        nowhere = dict(here, PTXVM_CUDART="/nonexistent")
        words = ("-DCLIENT_HIDDEN", client, member, build, "-s")
        if compile_c("program", "-fPIE", *words):
            wild = execute("./program", "wild", "3", env=here)
            expect(f"{name}: redirected", wild, WILD, 3, "ILLEGAL_ADDRESS")
            (kept,) = os.listdir(os.path.join(cache, "ptxvm"))
            expect(f"{name}: kept", execute("./program", "x", "4", env=nowhere), RIGHT, 4)
            os.chmod(os.path.join(cache, "ptxvm", kept), 0o622)
            expect(f"{name}: not trusted", execute("./program", env=nowhere), "", 3, "is stripped")
        shutil.rmtree(cache, ignore_errors=True)
        if compile_c("libstripped.so", "-shared", "-fPIC", "-DCLIENT_OBJECT", *words):
            expect(f"{name}: dlopen", execute("./opener", "./libstripped.so", env=here), RIGHT)
    cache = os.path.abspath("cache of others")
    if compile_c("program", "-fPIE", "-DCLIENT_HIDDEN", client, archive("apart", 16, APART), "-s"):
        for folder in ("third", "alike"):
            here = dict(os.environ, XDG_CACHE_HOME=cache, PTXVM_CUDART=f"{folder}/libcudart_static.a")
            done = execute("./program", env=here)
            expect(f"another release, {folder}", done, "", 3, "none of the libcudart_static.a")
    if compile_c("program", "-fPIE", "-DCLIENT_HIDDEN", client, archive("pair", 16, TWINS), "-s"):
        here["PTXVM_CUDART"] = os.path.dirname(twins)
        told = "program: there is more than one place for cuda.*; it stays the vendor's .and 1 more"
        expect("twins are left", execute("./program", "x", "5", env=here), RIGHT, 5, told)
        strict = run(PTXVM, "--strict", "--exec", "./program", env=here)
        expect("twins, --strict", strict, RIGHT, 4, "unsupported or failed calls")
    assert other and third


SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr: name, type, ...
SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym: ..., value, size
SYMTAB = 2


def change_sections(path, output, change):
    """A copy of an ELF file whose section headers, or symbols, are as change(bytes, place, section) makes."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    (table,), (count,) = struct.unpack_from("<Q", data, 0x28), struct.unpack_from("<H", data, 0x3C)
    for i in range(count):
        place = table + i * SECTION.size
        change(data, place, SECTION.unpack_from(data, place))
    with open(output, "wb") as file:
        file.write(data)
    os.chmod(output, 0o755)


def odd_sections():
    """The loader does not look at section headers, which may say anything: programs run all the same."""

    def name(data, place, section):
        SECTION.pack_into(data, place, 0x7FFFFFFF, *section[1:])

    def nowhere(data, place, section):
        if section[1] != SYMTAB:
            SECTION.pack_into(data, place, *section[:4], 2**64 - 16, 2**63, *section[6:])

    def symbols(field, value):
        def change(data, place, section):
            if section[1] == SYMTAB:
                for at in range(section[4], section[4] + section[5], SYMBOL.size):
                    words = list(SYMBOL.unpack_from(data, at))
                    words[field] = value
                    SYMBOL.pack_into(data, at, *words)

        return change

    for program in ("shared", "far"):
        change_sections(program, "odd", name)
        expect(f"{program}: names of sections outside the file", execute("./odd"), RIGHT)
        for what, change in (
            ("sections outside the file", nowhere),
            ("symbols outside the memory", symbols(4, 2**63)),
            ("symbols without an end", symbols(5, 2**64 - 1)),
            ("names of symbols outside the table", symbols(0, 2**32 - 1)),
        ):
            change_sections(program, "odd", change)
            done = execute("./odd")
            tally.check(f"{program}: {what}", done.returncode >= 0, f"{done.returncode}\n{done.stderr}")


STUBS = r"""
#include <dlfcn.h>
#include <stdio.h>
void *_libcudart_so_13_tramp_table[2];
void _libcudart_so_13_tramp_resolve(int i)
{
    void *library = dlopen("libcudart.so.13", RTLD_LAZY);
    _libcudart_so_13_tramp_table[i] = library ? dlsym(library, "cudaGetDeviceCount") : (void *)0;
}
__asm__(".globl cudaGetDeviceCount\n.type cudaGetDeviceCount, @function\n"
        "cudaGetDeviceCount: jmp *_libcudart_so_13_tramp_table(%rip)\n"
        ".size cudaGetDeviceCount, .-cudaGetDeviceCount\n"
        ".type cudaFree, @function\ncudaFree: ret\n.size cudaFree, 1\n.byte 0x90, 0xf4\n");
int cudaGetDeviceCount(int *);
int main(void)
{
    int n = 0, error;
    _libcudart_so_13_tramp_resolve(0);
    error = cudaGetDeviceCount(&n);
    printf("%d %d\n", error, n);
    return 0;
}
"""


def stubs():
    """A program whose entries only hand on to a runtime that it opens itself is left as it is."""
    with open("stubs.c", "w", encoding="utf-8") as file:
        file.write(STUBS)
    if compile_c("stubs", "-fno-pie", "-no-pie", "stubs.c", "-ldl"):
        done = execute("./stubs")
        expect("stubs of a runtime", done, "0 1\n")
        tally.check("stubs: nothing is said", not done.stderr, done.stderr)
    with open("stubs.c", "w", encoding="utf-8") as file:
        file.write(STUBS.replace("_tramp_", "_"))
    if compile_c("others", "-fno-pie", "-no-pie", "stubs.c", "-ldl"):
        told = execute("./others").stderr
        tally.check("no stubs: what has no room is told", "no jump fits over cuda" in told, told)


# A program of the driver interface that does not look at what it is answered: machine code, a table of
# NVIDIA's, memory.
HEEDLESS = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "cuda/driver/api.h"
int ask(void)
{
    static const CUuuid id = {"another's table"};
    const void *table;
    return cuGetExportTable(&table, &id);
}
int main(int count, char **words)
{
    int (*from)(void) = ask;
    CUcontext context;
    CUmodule module;
    CUdeviceptr p;
    static unsigned char elf[128] = "\177ELF\2\1\1";
    if (count > 1 && strcmp(words[1], "memory") == 0)
        return cuInit(0) || cuCtxCreate_v2(&context, 0, 0) ? 9 : cuMemAlloc_v2(&p, 4);
    if (count > 1 && strcmp(words[1], "code") == 0) {
        elf[18] = 190, elf[40] = elf[58] = 64; /* of 64 bytes */
        if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0)) return 9;
        return cuModuleLoadData(&module, elf) == CUDA_ERROR_NO_BINARY_FOR_GPU ? 0 : 8;
    }
    if (count > 1) *(void **)&from = dlsym(dlopen(words[1], RTLD_NOW), "ask");
    return from() == CUDA_ERROR_NOT_FOUND ? 0 : 7;
}
"""


def heedless():
    """What --strict tells of programs that go on; limits of the process."""
    with open("heedless.c", "w", encoding="utf-8") as file:
        file.write(HEEDLESS)
    cuda = os.path.join(LIB, "libcuda.so.1")
    asks = ("-shared", "-fPIC", "heedless.c", cuda)
    if not compile_c("heedless", "heedless.c", cuda, "-ldl") or not compile_c("libnvrtc-9.so", *asks):
        return
    compile_c("libasks.so", *asks)
    told = "--strict: there were faults, refused launches, unsupported or failed calls"
    expect("strict: machine code", run(PTXVM, "--strict", "--exec", "./heedless", "code"), "", 4, told)
    expect("strict: a runtime", run(PTXVM, "--strict", "--exec", "./heedless"), "", 4, told)
    expect("strict: a library's", run(PTXVM, "--strict", "--exec", "./heedless", "./libasks.so"), "", 4, told)
    fine = run(PTXVM, "--strict", "--exec", "./heedless", "./libnvrtc-9.so")
    expect("strict: a compiler does without", fine, "", 0)
    run(PTXVM, "--report", "asked.json", "--exec", "./heedless", "./libasks.so")
    with open("asked.json", encoding="utf-8") as file:
        names = [call["name"] for call in json.load(file)["unsupported"]]
    tally.check("the report names it", names == ["the runtime that is linked into libasks.so"], str(names))
    limit = "ulimit -v 4000000; exec "
    done = run("bash", "-c", f"{limit} {PTXVM} --exec ./heedless memory")
    expect("few addresses", done, "", 2, r"may have 3906 MiB \(ulimit -v\); PTXVM_MEMORY \(ptxvm --memory\)")
    tally.check("told once", done.stderr.count("PTXVM_MEMORY") == 1, done.stderr)
    expect("less memory", run("bash", "-c", f"{limit} {PTXVM} --memory 256M --exec ./heedless memory"), "", 0)


# Calls that fail, and calls whose error is the answer that the program wants. "asked": only the latter.
CARELESS = """
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include "cuda/driver/api.h"
typedef struct { unsigned x, y, z; } dim3;
extern int cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int), cudaGetLastError(void);
extern int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int), cudaStreamQuery(void *);
extern int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *), cudaDeviceSynchronize(void);
extern int cudaLaunchHostFunc(void *, void (*)(void *), void *), cudaPeekAtLastError(void);
static atomic_int go;
static void wait_for_go(void *unused) { (void)unused; while (!go) { } }
__attribute__((noinline)) static int wrong_copies(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += cudaMemcpy(NULL, "abc", 4, 1);
    return sum + cudaPeekAtLastError();
}
__attribute__((noinline)) int wrong_launch(void)
{
    dim3 one = {1, 1, 1}, many = {2048, 1, 1};
    return cudaLaunchKernel((void *)wrong_copies, one, many, NULL, 0, NULL) + cudaGetLastError();
}
__attribute__((noinline)) static int wrong_driver(void)
{
    CUmodule m;
    CUdeviceptr p;
    return cuMemAlloc_v2(&p, 0) + (int)cuModuleLoadData(&m, ".version 8.0\\n.target sm_80\\nnonsense");
}
__attribute__((noinline)) static int asks(void)
{
    int type, x = 0, sum = cudaMemcpyToSymbol(&x, &x, 4, 0, 1) != 13;
    cudaGetLastError();
    sum += cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&x) != 1;
    sum += cudaLaunchHostFunc(NULL, wait_for_go, NULL);
    sum += cudaStreamQuery(NULL) != 600;
    go = 1;
    return sum + cudaDeviceSynchronize();
}
int main(int count, char **words)
{
    (void)words;
    if (cudaFree(NULL) || asks()) return 9;
    if (count > 1) return 0;
    return wrong_copies(3) == 4 && wrong_launch() && wrong_driver() ? 0 : 8;
}
"""


def api_errors():
    """Calls that fail, in the report and by --strict; those that a program asks for are no findings."""
    with open("careless.c", "w", encoding="utf-8") as file:
        file.write(CARELESS)
    libraries = [os.path.join(LIB, name) for name in ("libcudart.so.13", "libcuda.so.1")]
    if not compile_c("careless", "careless.c", *libraries):
        return
    done = run(PTXVM, "--strict", "--report", "careless.json", "--exec", "./careless")
    shown = r"cudaMemcpy\(to=NULL, from=0x[0-9a-f]+, bytes=4, kind=1\): cudaErrorInvalidValue \(1\), "
    shown += "called by wrong_copies of careless, 3 times"
    expect("strict: failed calls", done, "", 4, shown)
    with open("careless.json", encoding="utf-8") as file:
        told = json.load(file)["api_errors"]
    calls = [(e["function"], e["error"], e["code"], e["caller"], e["count"], e["asked"]) for e in told]
    driver, file = "CUDA_ERROR_INVALID_VALUE", "careless"
    want = [
        ("cudaMemcpyToSymbol", "cudaErrorInvalidSymbol", 13, "asks", 1, 1),
        ("cuPointerGetAttribute", driver, 1, "asks", 1, 1),
        ("cudaMemcpy", "cudaErrorInvalidValue", 1, "wrong_copies", 3, 0),
        ("cudaLaunchKernel", "cudaErrorInvalidResourceHandle", 400, "wrong_launch", 1, 0),
        ("cuMemAlloc_v2", driver, 1, "wrong_driver", 1, 0),
        ("cuModuleLoadData", "CUDA_ERROR_INVALID_PTX", 218, "wrong_driver", 1, 0),
    ]
    tally.check("report: failed calls", calls == want and all(e["file"] == file for e in told), str(told))
    why = [e["reason"] for e in told if e["code"] == 218]
    tally.check("report: the reason", "line 3" in why[0], str(why))
    text = [e["arguments"] for e in told if e["function"] == "cudaMemcpyToSymbol"]
    wanted = r"symbol=0x[0-9a-f]+, from=0x[0-9a-f]+, bytes=4, offset=0, kind=1"
    tally.check("report: arguments", re.fullmatch(wanted, text[0]), text)
    expect("strict: what is asked for", run(PTXVM, "--strict", "--exec", "./careless", "asked"), "", 0)


def names_of_sections(path):
    """Sets the names of all sections of an ELF file to a place outside it."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        places = ((40, 8), (58, 2), (60, 2))
        table, size, count = (int.from_bytes(data[i : i + n], "little") for i, n in places)
        for i in range(count):
            data[table + i * size : table + i * size + 4] = (0x7FFFFFFF).to_bytes(4, "little")
        file.seek(0)
        file.write(data)


def odd_files():
    """Objects whose sections say what is not so, and libraries that cannot be mended."""
    client, vendor = os.path.join(HERE, "client.c"), os.path.join(HERE, "vendor.c")
    if compile_c("odd", client, os.path.join(LIB, "libcudart.so.13")):
        names_of_sections("odd")
        expect("names of sections outside the file", execute("./odd"), RIGHT)
    flags = ("-shared", "-fPIC", "-DCLIENT_OBJECT", "-DCLIENT_HIDDEN", '-DVENDOR_ALIGN=""')
    object_of = (*flags, client, vendor)
    wanted = {
        "libcublas.so.99": "library of NVIDIA's is stripped.*package cuda-cudart-dev.*dropin.md",
        "libown.so": "is stripped.*or link it with 'nvcc -cudart shared'",
    }
    alone = dict(os.environ, PTXVM_CUDART="/nonexistent", XDG_CACHE_HOME=os.path.abspath("none"))
    for name, want in wanted.items():
        if compile_c("whole.so", *object_of):
            run("objcopy", "--strip-all", "--add-section", ".nvFatBinSegment=caller.c", "whole.so", name)
            told = execute("./opener", f"./{name}", env=alone).stderr
            tally.check(f"{name}: what can be done", re.search(want, told), told)


def options():
    strict = run(PTXVM, "--strict", "--exec", "./shared")
    told = "--strict: there were faults, refused launches, unsupported or failed calls"
    expect("--strict", strict, RIGHT, 4, told)
    listed = run(PTXVM, "--launches=json:launches.json", "--exec", "./shared")
    expect("--launches", listed, RIGHT)
    with open("launches.json", encoding="utf-8") as file:
        (scale,) = json.load(file)["launches"]
    tally.check(
        "--launches: who", (scale["kernel"], scale["api"]) == ("scale", "cudaLaunchKernel"), str(scale)
    )
    pattern = run(PTXVM, "--expect-launch", "scale", "--exec", "./shared")
    expect("--expect-launch", pattern, "", 2, "do not go with --exec")
    report = run(PTXVM, "--report", "report.json", "--counts", "--exec", "./shared", "wild", "6")
    expect("--report", report, WILD, 6, "counts: 2 launches, [1-9][0-9]* thread-instructions")
    with open("report.json", encoding="utf-8") as file:
        told = json.load(file)
    launches = {k["name"]: k["launches"] for k in told["kernels"]}
    tally.check("--report: kernels", launches == {"scale": 1, "wild": 1} and told["launches"] == 2, told)
    tally.check(
        "--report: faults", [f["name"] for f in told["faults"]] == ["CUDA_ERROR_ILLEGAL_ADDRESS"], told
    )
    unsupported = [u["name"] for u in told["unsupported"]]
    tally.check("--report: unsupported", unsupported == ["cudaGraphicsMapResources"], told)
    # 1000 threads run 20 instructions, 24 leave after 8; the other kernel runs 2.
    tally.check("--report: instructions", told["instructions"] >= 1000 * 15 and told["exit_code"] == 6, told)
    saved = run(PTXVM, "--save-ptx", "saved", "--exec", "./shared", "wild", "6")
    expect("--save-ptx", saved, WILD, 6, r"PTX of shared, line 22\n")
    with open("saved/shared.ptx", encoding="utf-8") as file:
        line = file.read().split("\n")[21]
    tally.check("--save-ptx: the line", "st.global.u32 [%d], 1" in line, line)
    run(PTXVM, "--save-ptx", "saved", "--exec", "./shared")
    tally.check("--save-ptx: once", os.listdir("saved") == ["shared.ptx"], str(os.listdir("saved")))
    steps = run(PTXVM, "--max-steps", "3", "--exec", "./shared")
    tally.check("--max-steps", "limit" in steps.stderr.lower(), steps.stderr)
    run("sh", "-c", "echo 'echo $PTXVM_PROFILE' > profile.sh")
    expect("--profile", run(PTXVM, "--profile", "all", "--exec", "sh", "profile.sh"), "all\n")
    expect("no program", execute("./none"), "", 2, "none")
    expect("not in PATH", execute("no-such-program"), "", 2, "not found in PATH")
    expect("a script", run(PTXVM, "--exec", "sh", "-c", "./shared x 5"), RIGHT, 5)
    expect("another program", execute("echo", "--strict"), "--strict\n")
    expect("options behind", run(PTXVM, "--report", "r.json", "x.ptx"), "", 2, "go with --exec")
    both = run(PTXVM, "--report", "two.json", "--exec", "sh", "-c", "./shared & ./shared; wait")
    with open("two.json", encoding="utf-8") as file:
        told = json.load(file)
    tally.check(
        "two processes", both.returncode == 0 and told["launches"] == 2 and len(told["kernels"]) == 1, told
    )


def signals():
    """A signal to ptxvm reaches the program, and its death is told as a shell does."""
    script = "trap 'echo got; exit 12' TERM; echo ready; sleep 30 & wait"
    process = subprocess.Popen(
        [PTXVM, "--counts", "--exec", "sh", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    first = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    rest = process.stdout.read()
    tally.check("a signal", (first, rest, process.wait()) == ("ready\n", "got\n", 12), (first, rest))
    killed = run(PTXVM, "--counts", "--exec", "sh", "-c", "kill -9 $$")
    tally.check("death by a signal", killed.returncode == 137, killed.returncode)


def start():
    """What a small program takes beside its process: the pages of memory that it touches first."""

    def pages(*command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        tally.check(f"start of {command[-1]}", status == 0, status)
        return used.ru_minflt

    more = pages(PTXVM, "--exec", "./far") - pages(PTXVM, "--exec", "/bin/true")
    tally.check("start", more <= PAGES, f"{more} pages beyond /bin/true")


# ---- with nvcc ----

WAYS = {"shared": ("-O3", "shared"), "static": ("-O3", "static"), "debug": ("-G", "static")}


def nvcc_fault(nvcc):
    run(nvcc, "-lineinfo", "-arch=compute_80", "-o", "fault", os.path.join(HERE, "fault.cu"))
    shown = r"fault.cu:5.*\n +5 \|     p\[i\] = 7; // the store"
    expect("source of a fault", run(PTXVM, "--strict", "--exec", "./fault"), "", 4, shown)
    tally.check("thread of a fault", "thread (1,0,0)" in execute("./fault").stderr)
    past = run(PTXVM, "--ub", "chip", "--exec", "./fault").stderr
    tally.check("a write past an allocation, once", past.count("past an allocation") == 1, past)
    shown = r"fault\.cu:5.*\n.*\n +in +block \(0,0,0\), thread \(1,0,0\)"
    tally.check("its place", re.search(shown, past), past)


def nvcc_undefined(nvcc):
    """What an H200 does (tests/hw/golden/undefined.tsv: "the mask names nobody", "read at +...")."""
    run(nvcc, "-arch=compute_80", "-o", "undefined", os.path.join(HERE, "undefined.cu"))
    up = " ".join(["0", *(f"{lane:x}" for lane in range(31))])
    masks = f"masks: 0 {up} aaaaaaaa\n"
    chip = masks + "past: 0 0 ffffffff\n" * 4
    expect("undefined, --ub=chip", run(PTXVM, "--ub=chip", "--exec", "./undefined"), chip)
    expect("undefined, --ub chip", run(PTXVM, "--ub", "chip", "--exec", "./undefined"), chip)
    expect("undefined", execute("./undefined"), "masks: 715\n", 1, r"--ub=chip goes on")


def compare(name, got, want):
    known, lines = [], []
    for line in difflib.ndiff(want.splitlines(), got.splitlines()):
        if line[0] == "-" and not any(re.search(r, line[2:]) for r in OTHERWISE):
            lines.append(line)
        known.append(line)
    tally.check(name, not lines and got.count("\n") >= want.count("\n") - 1, "\n".join(lines))


def nvcc_programs(nvcc, part):
    def text(name):
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            return file.read()

    way, runtime = WAYS[part]
    what = f"{way} {runtime}"
    sources = ("features", "graphs", "facts") if way == "-O3" else ("features", "graphs")
    for source in sources:
        command = [nvcc, way, "-std=c++17", "-arch=compute_80", "-cudart", runtime, "-o", source]
        done = run(*command, os.path.join(HERE, source + ".cu"))
        if done.returncode:
            tally.check(f"{source} {what}", False, done.stderr[-2000:])
    for source in ("features", "graphs"):
        expect(f"{source} {what}", execute("./" + source), text(source + ".txt"))
    if part == "static":
        stripped_of_nvcc(nvcc, text("features.txt"))
    if "facts" not in sources:
        return
    compare(f"facts {what}", execute("./facts").stdout, text("facts.txt"))
    for case in ("wild", "trap"):
        done = execute("./facts", case)
        compare(f"facts {case} {what}", done.stdout, text(f"facts_{case}.txt"))


def stripped_of_nvcc(nvcc, want):
    """NVIDIA's own runtime, stripped: found with the archive of the toolkit that nvcc is of."""
    here = dict(os.environ, PATH=os.path.dirname(nvcc) + ":" + os.environ["PATH"])
    here["XDG_CACHE_HOME"] = os.path.abspath("cache of nvcc")
    run("strip", "-o", "features_stripped", "features")
    expect("stripped program of nvcc", execute("./features_stripped", env=here), want)
    with open("library.cu", "w", encoding="utf-8") as file:
        file.write('extern "C" int client_main();\n#define main client_main\n#include "features.cu"\n')
    library = [nvcc, "-std=c++17", "-arch=compute_80", "-shared", "-Xcompiler", "-fPIC", f"-I{HERE}"]
    done = run(*library, "-o", "libfeatures.so", "library.cu")
    if not tally.check("a library of nvcc", done.returncode == 0, done.stderr):
        return
    run("strip", "libfeatures.so")
    if compile_c("opener", os.path.join(HERE, "opener.c"), "-ldl"):
        expect("stripped library of nvcc", execute("./opener", "./libfeatures.so", env=here), want)


def without_nvcc():
    clients()
    odd_sections()
    stubs()
    options()
    heedless()
    api_errors()
    odd_files()
    signals()
    start()


def main():
    if sys.argv[1:] == ["--parts"]:
        print("\n".join(["clients", *WAYS]))
        return 0
    parts = sys.argv[2:] if sys.argv[1:2] == ["--part"] else ["clients", *WAYS]
    if "san-" in BUILD:
        print("--exec preloads before a sanitizer's runtime; tests/cuda runs programs with these libraries")
        sys.exit(77)
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in parts:
            if part == "clients":
                without_nvcc()
            elif nvcc:
                nvcc_programs(nvcc, part)
            else:
                tally.skip(f"programs of nvcc, {part}", "there is no nvcc")
        if nvcc and "debug" in parts:
            nvcc_fault(nvcc)
            nvcc_undefined(nvcc)
        os.chdir(ROOT)
    return tally.end()


if __name__ == "__main__":
    started = time.monotonic()
    code = main()
    sys.exit(code)
