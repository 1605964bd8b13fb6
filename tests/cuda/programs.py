"""The programs of tests/cuda and how they are built: what record.py and test_cuda.py share.

NAME.cu is a program of the runtime, built by nvcc in every way of WAYS; "// nvcc: ..." in it names further
flags and files
(NAME.part.cu is such a file). drv_*.c and ../clients/nvrtc.c use the driver interface alone and need no nvcc
but cuda.h, or
our header. A built program is kept in a cache, under the hash of all that it is made of."""
import glob
import hashlib
import os
import re
import shlex
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ARCH = "sm_90"
# A way: optimisation, and how the runtime gets in.
WAYS = [(level, runtime) for level in ("O3", "G") for runtime in ("shared", "static")]


def find_nvcc():
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def runtime_programs():
    names = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(HERE, "*.cu")))
    return [name for name in names if not name.endswith(".part")]


def driver_programs():
    return sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(HERE, "drv_*.c")))


def flags_of(name):
    text = read(os.path.join(HERE, name + ".cu")).decode()
    found = re.search(r"^// nvcc: (.*)$", text, re.M)
    return shlex.split(found.group(1)) if found else []


def arch_of(name):
    """What nvcc compiles for: ARCH, unless the program names it."""
    return [] if "-gencode" in flags_of(name) else [f"-arch={ARCH}"]


def quiet(command):
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(" ".join(command) + "\n" + (done.stdout + done.stderr)[-3000:])


def objects(nvcc, name, level, folder):
    """Compiles the files of a program once; both runtimes are linked with these objects."""
    words = flags_of(name)
    sources = [name + ".cu"] + [word for word in words if word.endswith(".cu")]
    options = [word for word in words if not word.endswith(".cu") and not word.startswith("-l")]
    made = []
    for source in sources:
        path = os.path.join(folder, f"{source}.{level}.o")
        flags = ["-G"] if level == "G" else ["-O3"]
        quiet(
            [
                nvcc,
                "-c",
                *flags,
                *arch_of(name),
                "-std=c++17",
                "-diag-suppress",
                "177,550",
                *options,
                source,
                "-o",
                path,
            ]
        )
        made.append(path)
    return made


def link(nvcc, name, runtime, made, output):
    words = [word for word in flags_of(name) if not word.endswith(".cu")]
    stubs = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "lib64", "stubs")
    quiet([nvcc, *arch_of(name), "-cudart", runtime, *made, f"-L{stubs}", *words, "-o", output])


def key(name, *more):
    """The hash of a program's sources and of what they include from this folder."""
    digest = hashlib.sha256(repr(more).encode())
    for path in sorted(
        glob.glob(os.path.join(HERE, name + ".*"))
        + [os.path.join(HERE, header) for header in ("say.h", "words.h")]
    ):
        digest.update(os.path.basename(path).encode() + read(path))
    return digest.hexdigest()[:20]


def built(nvcc, name, level, runtime, cache):
    """The path of a program built in one way, from the cache where it is there."""
    path = os.path.join(cache, f"{name}.{level}.{runtime}.{key(name)}")
    if not os.path.exists(path):
        folder = f"{path}.{os.getpid()}.tmp"
        os.makedirs(folder)
        try:
            made = objects(nvcc, name, level, folder)
            for each in ("shared", "static"):
                target = os.path.join(cache, f"{name}.{level}.{each}.{key(name)}")
                link(nvcc, name, each, made, os.path.join(folder, each))
                os.replace(os.path.join(folder, each), target)
        finally:
            shutil.rmtree(folder)
    return path
