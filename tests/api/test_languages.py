#!/usr/bin/env python3
"""The library from C++ and Fortran, and the samples of samples/embed, where the compilers are.

The first argument, or B in the environment, is the folder of the build; a build with sanitizers, which wants
its runtime in every program, is skipped (exit code 77).
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, sys.argv[1] if len(sys.argv) > 1 else os.environ.get("B", "build"))
LINK = [f"-L{BUILD}/lib", "-lptxvm", f"-Wl,-rpath,{BUILD}/lib"]
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-missing-field-initializers"]
SAMPLES = os.path.join(ROOT, "samples", "embed")
LAUNCHES = os.path.join(SAMPLES, "launches.ptx")
REFUSED = "refused: buffer of 8 bytes for 12 bytes of parameters\nall as expected\n"
BACKEND_C = "the buffer was got for 24 bytes; the parameters of child are 12\nall as expected\n"
BACKEND_PYTHON = """f is 1.5, not 0
parameter 'n' of child (.u32, bytes 8 to 11) was never stored
all as expected
"""
EMBED_FORTRAN = """line 4, column 14: Not a name of any known instruction: 'ad'
.0 .5 1.0 1.5
CUDA_ERROR_ILLEGAL_ADDRESS: thread 4, st.global.f64 [%at], %x;
"""
COMPILED = [  # compiler, options, source, arguments, output
    ("cc", ["-std=c99", "-Iinclude"], "samples/embed/launches.c", [LAUNCHES], REFUSED),
    ("cc", ["-std=c99", "-Iinclude"], "samples/embed/backend.c", [], BACKEND_C),
    ("g++", ["-std=c++17", "-Iinclude", "-pthread"], "tests/api/cpp/ptxvm.cpp", [], "all as expected\n"),
    ("g++", ["-std=c++20", "-Iinclude", "-pthread"], "tests/api/cpp/ptxvm.cpp", [], "all as expected\n"),
    ("clang++", ["-std=c++17", "-Iinclude", "-pthread"], "tests/api/cpp/ptxvm.cpp", [], "all as expected\n"),
    ("gfortran", ["-std=f2008"], "samples/embed/embed.f90", [], EMBED_FORTRAN),
]


def output_of(command, folder, **more):
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    if done.returncode:
        return f"exit code {done.returncode} of {' '.join(command)}\n{done.stdout}"
    return done.stdout


def compiled(folder, compiler, options, source, arguments):
    program = os.path.join(folder, "program")
    options = [
        option.replace("-I", f"-I{ROOT}/", 1) if option.startswith("-I") else option for option in options
    ]
    warn = [w for w in WARN if compiler != "gfortran" or w != "-Wno-missing-field-initializers"]
    made = output_of(
        [compiler, *options, "-g", *warn, "-o", program, os.path.join(ROOT, source), *LINK], folder
    )
    return made or output_of([program, *arguments], folder)


def main():
    library = os.path.join(BUILD, "lib", "libptxvm.so")
    if "san-" in BUILD or not os.path.exists(library):
        print("a build with sanitizers" if "san-" in BUILD else f"no {library}")
        sys.exit(77)
    passed, failed, skipped = 0, 0, 0
    env = dict(os.environ, PTXVM_LIBRARY=library, PYTHONPATH=os.path.join(ROOT, "lib", "python"))
    with tempfile.TemporaryDirectory() as folder:
        results = [
            (output_of([sys.executable, f"{SAMPLES}/launches.py", LAUNCHES], folder, env=env), REFUSED),
            (output_of([sys.executable, f"{SAMPLES}/backend.py"], folder, env=env), BACKEND_PYTHON),
        ]
        for compiler, options, source, arguments, wanted in COMPILED:
            if not shutil.which(compiler):
                print(f"{source}: skipped, there is no {compiler}")
                skipped += 1
                continue
            results.append((compiled(folder, compiler, options, source, arguments), wanted))
    for found, wanted in results:
        passed += found == wanted
        failed += found != wanted
        if found != wanted:
            print(f"wanted:\n{wanted}found:\n{found}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
