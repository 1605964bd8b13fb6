#!/usr/bin/env python3
"""The environment of libcuda.so.1, through ctypes as Python programs use it: devices, architectures, what is
visible, the log, the report, values that cannot be read. Each case is a process of its own."""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
LIBRARY = os.path.join(BUILD, "lib", "libcuda.so.1")
TEXT = b""".version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 word[4] = {104, 105, 10, 0};
.visible .entry hi()
{
    .reg .u64 p;
    mov.u64 p, word;
    cvta.global.u64 p, p;
    {
        .param .b64 f;
        .param .b64 a;
        .param .b32 r;
        st.param.b64 [f], p;
        st.param.b64 [a], 0;
        call (r), vprintf, (f, a);
    }
    ret;
}
.global .u32 g;
.visible .entry racy() { .reg .u32 t; mov.u32 t, %tid.x; st.global.u32 [g], t; ret; }
.visible .entry masks() {
    .reg .u32 r;
    mov.u32 r, %tid.x;
    shfl.sync.up.b32 r, r, 1, 0, 0;
    ret;
}
.visible .entry wild() { .reg .u64 p; mov.u64 p, 16; st.global.u32 [p], 1; ret; }
"""


def newer(cuda):
    """PTX of a version after 13.0's, as a module and as a library, whose kernels are asked for twice."""
    text, context, module, library, kernel = TEXT.replace(b".version 7.0", b".version 9.1"), *(
        ctypes.c_void_p() for _ in range(4)
    )
    cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
    print("module", cuda.cuModuleLoadData(ctypes.byref(module), text))
    print("library", cuda.cuLibraryLoadData(ctypes.byref(library), text, None, None, 0, None, None, 0))
    for _ in range(2):
        print("kernel", cuda.cuLibraryGetKernel(ctypes.byref(kernel), library, b"hi"))


def refused(cuda):
    """Two threads launch a kernel whose block is too large (tests/cli/refused.ptx)."""
    context, module, function, out = (ctypes.c_void_p() for _ in range(4))
    with open(os.path.join(ROOT, "tests", "cli", "refused.ptx"), "rb") as file:
        text = file.read()
    cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
    print("load", cuda.cuModuleLoadData(ctypes.byref(module), text))
    cuda.cuModuleGetFunction(ctypes.byref(function), module, b"parent")
    cuda.cuMemAlloc_v2(ctypes.byref(out), 4)
    kernel, grid, block, shared, twice = (ctypes.c_uint32(value) for value in (0, 1, 2048, 0, 1))
    values = (out, kernel, grid, block, shared, ctypes.c_uint64(0), twice)
    params = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    print("launch", cuda.cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, None, params, None))
    print("end", cuda.cuCtxSynchronize())


def child(kind):
    """What a process prints about its devices, or does with them."""
    cuda = ctypes.CDLL(LIBRARY)
    error = cuda.cuInit(0)
    count, major, minor, context = ctypes.c_int(-1), ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
    print("init", error)
    if error:
        return
    cuda.cuDeviceGetCount(ctypes.byref(count))
    for device in range(count.value):
        cuda.cuDeviceComputeCapability(ctypes.byref(major), ctypes.byref(minor), device)
        uuid = ctypes.create_string_buffer(16)
        cuda.cuDeviceGetUuid(uuid, device)
        print(f"device {major.value}.{minor.value} number {uuid.raw[15]}")
    if kind == "refused":
        refused(cuda)
    if kind == "newer":
        newer(cuda)
    if kind not in ("run", "racy", "masks"):
        return
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
    print("load", cuda.cuModuleLoadData(ctypes.byref(module), TEXT))
    threads = {"run": 1, "racy": 2, "masks": 32}[kind]
    for name in (b"hi", b"hi", b"wild") if kind == "run" else (kind.encode(),):
        cuda.cuModuleGetFunction(ctypes.byref(function), module, name)
        cuda.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, None, None, None)
    print("graphics", cuda.cuGraphicsMapResources(0, None, None))
    sys.stdout.flush()
    print("end", cuda.cuCtxSynchronize())


def run(kind="look", **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PTXVM_", "CUDA_"))}
    return subprocess.run(
        [sys.executable, __file__, kind],
        capture_output=True,
        text=True,
        env={**kept, "BUILD": BUILD, **environment},
        timeout=300,
    )


def check_refused(check):
    """A launch by a kernel that is refused is told once, and how often; the report has it."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        ran = run("refused", PTXVM_REPORT=report)
        with open(report, encoding="utf-8") as file:
            told = json.load(file)["refused"]
    lines = ran.stderr.splitlines()
    why = "block 2048x1x1: 2048 threads, at most 1024"
    check("refused", ran.stdout.splitlines()[1:], ["device 9.0 number 0", "load 0", "launch 0", "end 0"])
    check("refused, told", lines[0], f"ptxvm: launch by a kernel refused: {why}")
    check("refused, count", lines[-1], f"ptxvm: launch by a kernel refused 2 times: {why}")
    check("refused, lines", len(lines), 8)
    place = told[0].pop("place")
    wanted = {"reason": why, "call": "cudaGetParameterBufferV2", "kernel": "child", "launched_by": "parent"}
    check("refused, place", place, "application ptx input, line 42")
    check("refused, reported", told, [{**wanted, "cuda_error": "9", "source": "", "count": 2}])
    check("refused, off", run("refused", PTXVM_LOG="off").stderr, "")


def main():
    if "asan" in os.popen(f"nm -D {LIBRARY}").read() or "tsan" in os.popen(f"nm -D {LIBRARY}").read():
        print("a sanitizer's library cannot be loaded by python")
        sys.exit(77)
    failures = []

    def check(what, got, wanted):
        if got != wanted:
            failures.append(f"{what}: {got!r}, not {wanted!r}")

    check("nothing", run().stdout, "init 0\ndevice 9.0 number 0\n")
    check("8.0", run(PTXVM_ARCH="sm_80").stdout, "init 0\ndevice 8.0 number 0\n")
    two = run(PTXVM_DEVICES="3", PTXVM_ARCH="sm_80,9.0").stdout
    check("three", two, "init 0\ndevice 8.0 number 0\ndevice 9.0 number 1\ndevice 9.0 number 2\n")
    seen = run(PTXVM_DEVICES="3", PTXVM_ARCH="sm_80,sm_90", CUDA_VISIBLE_DEVICES="2,0").stdout
    check("visible", seen, "init 0\ndevice 9.0 number 2\ndevice 8.0 number 0\n")
    check("none visible", run(CUDA_VISIBLE_DEVICES="").stdout, "init 100\n")
    check("auto", run(PTXVM_ARCH="auto").stdout, "init 0\ndevice 9.0 number 0\n")
    for name, value in (
        ("PTXVM_DEVICES", "many"),
        ("PTXVM_DEVICES", "33"),
        ("PTXVM_ARCH", "volta"),
        ("PTXVM_ARCH", "sm_12345"),
        ("PTXVM_MEMORY", "1X"),
        ("PTXVM_APPROX", "fast"),
        ("PTXVM_UB", "undefined"),
        ("PTXVM_ASYNC", "soon"),
        ("PTXVM_SCHEDULE", "random"),
        ("PTXVM_SCHEDULE", "random:4294967296"),
        ("PTXVM_COUNTS", "2"),
        ("PTXVM_CHECK", "races"),
        ("PTXVM_LAUNCHES", "png:x"),
        ("PTXVM_LAUNCHES", "json"),
        ("PTXVM_LOG", "/nonexistent/file"),
        ("PTXVM_PROFILE", "12.0"),
    ):
        wrong = run(**{name: value})
        check(f"{name}={value}", wrong.stdout, "init 1\n")
        check(f"{name}={value} says why", bool(wrong.stderr), True)
    for ub, end, named in (("fault", 715, True), ("chip", 0, False)):
        ran = run("masks", PTXVM_UB=ub)
        check(f"PTXVM_UB={ub}", ran.stdout.splitlines()[-1], f"end {end}")
        check(f"PTXVM_UB={ub} names the option", "--ub=chip" in ran.stderr, named)
    head = "init 0\ndevice 9.0 number 0\n"
    refused, taken = run("newer"), run("newer", PTXVM_PROFILE="all")
    check("newer PTX", refused.stdout, head + "module 222\nlibrary 0\nkernel 222\nkernel 222\n")
    check("its remedy, once a load", refused.stderr.count("is taken with PTXVM_PROFILE=all"), 2)
    check("taken", taken.stdout, head + "module 0\nlibrary 0\nkernel 0\nkernel 0\n")
    with tempfile.TemporaryDirectory() as folder:
        report, log = os.path.join(folder, "report.json"), os.path.join(folder, "log")
        ran = run("run", PTXVM_REPORT=report, PTXVM_LOG=log)
        lines = "init 0\ndevice 9.0 number 0\nload 0\ngraphics 801\nhi\nhi\nend 700\n"
        check("a run", ran.stdout, lines)
        check("its errors", ran.stderr, "")
        with open(report, encoding="utf-8") as file:
            told = json.load(file)
        check("kernels", {k["name"]: k["launches"] for k in told["kernels"]}, {"hi": 2, "wild": 1})
        check("launches", told["launches"], 3)
        check("unsupported", told["unsupported"], [{"name": "cuGraphicsMapResources", "calls": 1}])
        check("faults", [f["name"] for f in told["faults"]], ["CUDA_ERROR_ILLEGAL_ADDRESS"])
        check("no counts", "opcodes" in told, False)
        run("run", PTXVM_REPORT=report, PTXVM_LOG="off", PTXVM_COUNTS="1", PTXVM_SCHEDULE="random:1")
        with open(report, encoding="utf-8") as file:
            told = json.load(file)
        total = sum(c["threads"] for c in told["opcodes"] if c["kernel"] == "hi")
        check("counts", total > 0 and {"hi"} <= {c["kernel"] for c in told["opcodes"]}, True)
        check("all of it", sum(c["threads"] for c in told["opcodes"]), told["instructions"])
        with open(log, encoding="utf-8") as file:
            text = file.read()
        check("log", text.count("cuGraphicsMapResources is not supported"), 1)
    listed = run("run", PTXVM_LOG="off", PTXVM_LAUNCHES="text").stderr
    check("launches: headline", listed.startswith("launches: 3 grids, 0 launched by kernels"), True)
    check("launches: equal ones are one", "  2 x hi<<<1,1>>>()  [1..4]" in listed, True)
    check("launches: who", listed.count("at cuLaunchKernel"), 2)
    with tempfile.TemporaryDirectory() as folder:
        run("run", PTXVM_LOG="off", PTXVM_LAUNCHES=f"json:{folder}/list-%p.json")
        (name,) = os.listdir(folder)
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            told = json.load(file)["launches"]
        check("launches: a number for %p", name[5:-5].isdigit(), True)
        check("launches: all of them", [k["kernel"] for k in told], ["hi", "hi", "wild"])
    check_refused(check)
    check("a fault without a log", "CUDA_ERROR_ILLEGAL_ADDRESS (700)" in run("run").stderr, True)
    check("off", run("run", PTXVM_LOG="off").stderr, "")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        racy = run("racy", PTXVM_CHECK="race,sync", PTXVM_REPORT=report)
        check("a race", "[race-write-write], 1 times" in racy.stderr, True)
        check("both sides", racy.stderr.count("write of 4 bytes by thread ("), 2)
        with open(report, encoding="utf-8") as file:
            told = json.load(file)
        check("its number", (told["check_errors"], told["check_warnings"]), (1, 0))
    check("nobody asks", run("racy").stderr, "")
    checks = (("--check=race", 6), ("--check=sync", 0), ("--check=race --check-exit=9", 9))
    # --exec preloads before a sanitizer's runtime
    for options, code in checks if "san-" not in BUILD else ():
        command = [os.path.join(BUILD, "bin", "ptxvm"), *options.split(), "--exec", sys.executable, __file__]
        ran = subprocess.run([*command, "racy"], capture_output=True, text=True, timeout=300, check=False)
        check(f"{options}: exit code", ran.returncode, code)
        check(f"{options}: summary", f"ptxvm: check: {int(code > 0)} error" in ran.stderr, True)
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child(sys.argv[1])
    else:
        main()
