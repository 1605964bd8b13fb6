"""numba.cuda (Debian's python3-numba 0.56) on our driver: two kernels, then modules of its own tests.

It needs a libnvvm that takes the IR which that numba writes, 1.6: CUDA 11.2 to 12, not 13. $CUDA_HOME names
the toolkit (any layout: the folder is searched), else it is nvcc's, else Debian's packages (libnvvm4,
nvidia-cuda-toolkit). NUMBA_TESTS=all runs every module (five minutes), else those of USUAL.

All that fails must be in KNOWN, an entry of KNOWN whose module ran must have failed, and at least RATE of
what runs must pass."""
import glob
import os
import re
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numba_kit")
DEBIAN = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/nvidia-cuda-toolkit")
RATE = 0.95
USUAL = ("cudadrv.test_cuda_memory", "cudadrv.test_host_alloc", "cudadrv.test_context_stack")
USUAL += ("cudapy.test_atomics", "cudapy.test_intrinsics", "cudapy.test_warp_ops", "cudapy.test_localmem")
# A module, a pattern of its Class.test, and why. docs/dropin.md says more.
KNOWN = (
    ("cudapy.test_localmem", r"struct_", "one writes past its arrays; the next finds the context lost"),
    (
        "cudadrv.test_linker",
        r"test_set_registers_no_max",
        "registers are counted by PTX's rules, not by machine code",
    ),
    ("cudapy.test_debug", r"test_dump_bytecode", "Python 3.11 has no BINARY_ADD"),
    (
        "cudapy.test_sm",
        r"test_invalid_array_type",
        "numba words the error of a type otherwise, before any driver",
    ),
)


def first(folders, *patterns):
    """The newest file of a name in the first folder that has one."""
    for folder in folders:
        for pattern in patterns:
            found = sorted(glob.glob(os.path.join(glob.escape(folder), "**", pattern), recursive=True))
            found = [path for path in found if "stubs" not in path]
            if found:
                return os.path.realpath(found[-1])
    return None


def lay_out(home, toolkit, lib):
    """The toolkit as numba looks for it, or why there is none."""
    folders = [os.environ["CUDA_HOME"]] if "CUDA_HOME" in os.environ else [toolkit, *DEBIAN]
    nvvm, device = first(folders, "libnvvm.so.*", "libnvvm.so"), first(folders, "libdevice.*.bc")
    if not nvvm or not device:
        return f"no libnvvm and libdevice under {' or '.join(folders)}"
    links = (
        (nvvm, "nvvm/lib64/libnvvm.so.4"),
        (device, "nvvm/libdevice/libdevice.10.bc"),
        (os.path.join(lib, "libcudart.so.11.0"), "lib64/libcudart.so.11.0"),
        (first(folders, "libcudadevrt.a"), "lib64/libcudadevrt.a"),
    )
    for path, name in links:
        os.makedirs(os.path.dirname(os.path.join(home, name)), exist_ok=True)
        if path:
            os.symlink(path, os.path.join(home, name))
    return None


def modules(python, run):
    names = USUAL
    if os.environ.get("NUMBA_TESTS") == "all":
        place = run([python, "-c", "import numba.cuda.tests as t; print(t.__path__[0])"]).stdout.strip()
        paths = sorted(glob.glob(os.path.join(place, "*", "test_*.py")))
        names = [os.path.relpath(path, place)[:-3].replace(os.sep, ".") for path in paths]
        # The simulator's are not for a driver. The other has no test without conda: numba's runner falls.
        names = [name for name in names if "cudasim" not in name and "test_cuda_libraries" not in name]
    return names


def judged(module, failures):
    """How often each reason of KNOWN holds in a module that ran; what is not known, and what no longer is."""
    reasons, wrong, left = {}, [], set(failures)
    for pattern, why in [(pattern, why) for known, pattern, why in KNOWN if known == module]:
        found = {failure for failure in left if re.search(pattern, failure)}
        if not found:
            wrong.append(f"{module}: KNOWN has '{pattern}', and nothing of that name fails")
        reasons[why] = len(found)
        left -= found
    return reasons, wrong, sorted(left)


def tests(python, run, more):
    """What is wrong with the runs of numba's tests, as lines; prints the rate."""
    wrong, ran, bad, skips, reasons = [], 0, set(), 0, {}
    names = modules(python, run)
    if os.environ.get("NUMBA_TESTS") == "all":
        gone = sorted({known for known, _, _ in KNOWN} - set(names))
        wrong += [f"KNOWN has module {module}, and numba has no such module" for module in gone]
    for name in names:
        done = run([python, "-m", "numba.runtests", "-v", "numba.cuda.tests." + name], **more)
        count = re.search(r"^Ran (\d+) test", done.stderr, re.M)
        if not count:
            wrong.append(f"{name}: exit code {done.returncode}: {done.stderr[-1500:]}")
            continue
        ran += int(count[1])
        skips += len(re.findall(r"\.\.\. skipped", done.stderr))
        failures = set(re.findall(r"^(?:FAIL|ERROR): \w+ \(numba\.cuda\.tests\.([\w.]+)", done.stderr, re.M))
        if bool(failures) != bool(done.returncode):
            wrong.append(f"{name}: exit code {done.returncode}: {done.stderr[-1500:]}")
        found, stale, unknown = judged(name, failures)
        bad |= failures
        reasons.update(found)
        wrong += stale + [f"{failure} fails: {done.stderr[-1500:]}" for failure in unknown]
    passed = ran - skips - len(bad)
    print(f"numba.cuda's tests: {passed} of {ran - skips} passed, {len(bad)} failed, {skips} skipped")
    for why, times in reasons.items():
        print(f"  {times}: {why}")
    if passed < RATE * (ran - skips) or not passed:
        wrong.append(f"less than {RATE:.0%} passed")
    return wrong


def check(run, toolkit, lib):
    """(why it is skipped or None, what is wrong): `run` is test_clients' way to run a command."""
    pythons = [p for p in ("/usr/bin/python3", sys.executable) if os.path.exists(p)]
    python = next((p for p in pythons if not run([p, "-c", "import numba.cuda"]).returncode), None)
    if not python:
        return "python3-numba is not installed", []
    with tempfile.TemporaryDirectory() as home:
        why = lay_out(home, toolkit, lib)
        if why:
            return why, []
        more = {"LD_LIBRARY_PATH": lib, "CUDA_HOME": home, "PYTHONPATH": HERE, "PTXVM_MEMORY": "3G"}
        more["NUMBA_CUDA_DRIVER"] = os.path.join(lib, "libcuda.so.1")
        done = run([python, os.path.join(HERE, "kernels.py")], **more)
        if "NVVM_ERROR_IR_VERSION_MISMATCH" in done.stderr:
            return "this numba writes another version of NVVM's IR than the libnvvm takes", []
        if (done.returncode, done.stdout) != (0, "511.0 65536.0\n"):  # 2 * 255 + 1; 256 * 255 + 256
            said = done.stdout[-500:] + done.stderr[-1500:]
            return None, [f"kernels.py: exit code {done.returncode}\n{said}"]
        return None, tests(python, run, more)
