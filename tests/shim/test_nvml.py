#!/usr/bin/env python3
"""libnvidia-ml.so.1: what it tells of the virtual devices must be what the driver interface tells, and the
manual's error codes. Each question is asked in a process of its own, for the environment is read once."""
import ctypes
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from tally import Tally  # noqa: E402

UNINITIALIZED, INVALID, UNSUPPORTED, NOT_FOUND, SHORT = 1, 2, 3, 6, 7
ROWS = os.path.join(ROOT, "lib", "cuda", "nvml", "nvml.def")


def devices():
    """Asks about two devices of 4 GiB, sm_90 and sm_80; prints what is not as it must be."""
    tally = Tally()
    ref = ctypes.byref
    ml = ctypes.CDLL(os.path.join(BUILD, "lib", "libnvidia-ml.so.1"))
    cu = ctypes.CDLL(os.path.join(BUILD, "lib", "libcuda.so.1"))
    number, device, text = ctypes.c_uint(), ctypes.c_void_p(), ctypes.create_string_buffer(96)

    def equal(what, got, want):
        tally.check(what, got == want, f"{got}, not {want}")

    equal("before the beginning", ml.nvmlDeviceGetCount_v2(ref(number)), UNINITIALIZED)
    equal("end before the beginning", ml.nvmlShutdown(), UNINITIALIZED)
    equal("beginning", ml.nvmlInit_v2(), 0)
    equal("count", (ml.nvmlDeviceGetCount_v2(ref(number)), number.value), (0, 2))
    equal("a third", ml.nvmlDeviceGetHandleByIndex_v2(2, ref(device)), INVALID)
    equal("no handle", ml.nvmlDeviceGetName(None, text, 96), INVALID)
    for index, (major, minor) in enumerate(((9, 0), (8, 0))):
        equal("handle", ml.nvmlDeviceGetHandleByIndex_v2(index, ref(device)), 0)
        a, b, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(96)
        equal("capability", ml.nvmlDeviceGetCudaComputeCapability(device, ref(a), ref(b)), 0)
        equal("capability", (a.value, b.value), (major, minor))
        equal("name", ml.nvmlDeviceGetName(device, text, 96), 0)
        cu.cuDeviceGetName(name, 96, index)
        equal("name", text.value, name.value)
        equal("a short name", ml.nvmlDeviceGetName(device, text, 3), SHORT)
        memory = (ctypes.c_ulonglong * 3)()
        equal("memory", ml.nvmlDeviceGetMemoryInfo(device, memory), 0)
        equal("memory", list(memory), [1 << 32, 1 << 32, 0])
        equal("UUID", ml.nvmlDeviceGetUUID(device, text, 96), 0)
        other = ctypes.c_void_p()
        equal("by UUID", (ml.nvmlDeviceGetHandleByUUID(text, ref(other)), other.value), (0, index + 1))
        cu.cuDeviceGetPCIBusId(text, 96, index)
        found = ml.nvmlDeviceGetHandleByPciBusId_v2(text, ref(other))
        equal("by bus", (found, other.value), (0, index + 1))
        equal("power", ml.nvmlDeviceGetPowerUsage(device, ref(number)), UNSUPPORTED)
    equal("no such UUID", ml.nvmlDeviceGetHandleByUUID(b"GPU-0", ref(device)), NOT_FOUND)
    ml.nvmlErrorString.restype = ctypes.c_char_p
    equal("words", ml.nvmlErrorString(UNSUPPORTED), b"Not Supported")
    equal("end", (ml.nvmlShutdown(), ml.nvmlShutdown()), (0, UNINITIALIZED))
    with open(ROWS, encoding="utf-8") as file:
        names = re.findall(r"^(?:ML|DEVICE|NONE)\((nvml\w+)", file.read(), re.MULTILINE)
    missing = [name for name in names if not hasattr(ml, name)]
    tally.check("every row is exported", names and not missing, str(missing))
    return tally.end()


def main():
    if sys.argv[1:] == ["devices"]:
        return devices()
    here = dict(os.environ, PTXVM_DEVICES="2", PTXVM_ARCH="sm_90,sm_80", PTXVM_LOG="off")
    here["PTXVM_MEMORY"] = str(1 << 32)
    if "san-" in BUILD:
        print("a sanitizer's runtime cannot be loaded into this interpreter")
        return 77
    ptxvm = os.path.join(BUILD, "bin", "ptxvm")
    listed = subprocess.run((ptxvm, "--devices"), capture_output=True, text=True, env=here)
    lines = listed.stdout.splitlines()[1:]
    wanted = (r"0 .* 9\.0 .* 4096 MiB", r"1 .* 8\.0 .* 4096 MiB")
    told = [re.search(*pair) for pair in zip(wanted, lines)]
    if listed.returncode or len(lines) != 2 or not all(told):
        print(f"FAIL ptxvm --devices: {listed.returncode}\n{listed.stdout}{listed.stderr}")
        return 1
    return subprocess.run((sys.executable, __file__, "devices"), env=here, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
