#!/usr/bin/env python3
"""The recipes of docs/ci.md, run as they stand there: the programs' commands of the GitHub and GitLab jobs as
shell scripts, CMake and ctest with CMAKE_CROSSCOMPILING_EMULATOR, LLVM's lit, and what "Without --exec" sets.

Skipped, with a word, is what needs a tool that is not here: nvcc, cmake, lit."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
PTXVM = os.path.join(BUILD, "bin", "ptxvm")
LIB = os.path.join(BUILD, "lib")
TOOLKIT = os.environ.get("CUDA_HOME", "/usr/local/cuda")
# argv[1] "wild": writes where nothing is, and ignores the error.
PROGRAM = r"""
#include <cstdio>
__global__ void saxpy(float a, const float *x, float *y) { y[threadIdx.x] += a * x[threadIdx.x]; }
int main(int count, char **)
{
    float *x;
    if (cudaMallocManaged(&x, 64 * sizeof *x) != cudaSuccess) return 2;
    for (int i = 0; i < 64; i++) x[i] = i;
    saxpy<<<1, 32>>>(2, x, count > 1 ? (float *)8 : x + 32);
    cudaDeviceSynchronize();
    printf("y[31] = %g\n", x[63]);
    return 0;
}
"""
RIGHT = "y[31] = 125\n"  # 2 * 31 + 63
CMAKE = """
cmake_minimum_required(VERSION 3.18)
project(recipe LANGUAGES CUDA)
enable_testing()
add_executable(saxpy tests.cu)
add_test(NAME fine COMMAND saxpy)
add_test(NAME wild COMMAND saxpy wild)
add_test(NAME command COMMAND ${PTXVM} --exec $<TARGET_FILE:saxpy>)
set_tests_properties(wild PROPERTIES WILL_FAIL TRUE)
"""

passed = failed = skipped = 0


def check(name, good, why=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"FAIL {name}: {why}")


def skip(name, why):
    global skipped
    skipped += 1
    print(f"skip {name}: {why}")


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def run(*command, **more):
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=250, stdin=subprocess.DEVNULL, check=False, **more
    )
    return done.returncode, done.stdout, done.stderr


def section(title):
    """The code blocks of a chapter of docs/ci.md."""
    with open(os.path.join(ROOT, "docs", "ci.md"), encoding="utf-8") as file:
        text = file.read()
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return re.findall(r"^```\w*\n(.*?)^```", found[1], re.M | re.S)


def here(command):
    """A command of the documentation with the paths of this build."""
    return command.replace("/usr/local/bin/ptxvm", PTXVM).replace("PREFIX/lib/ptxvm", LIB)


def job(name, lines):
    """The commands that compile and run the program, in a shell that stops at the first that fails."""
    script = "set -e\n" + here("\n".join(lines)) + "\n"
    code, out, error = run("sh", "-c", script, env=PATHS)
    check(f"{name}: the program", (code, out) == (0, RIGHT), f"{code} {out}{error}{script}")
    with open("report.json", encoding="utf-8") as file:
        report = file.read()
    good = '"name": "_Z5saxpy' in report and '"exit_code": 0' in report
    check(f"{name}: the report", good, report)
    code, out, error = run("sh", "-c", script.rstrip("\n") + " wild\n", env=PATHS)
    check(f"{name}: a fault that the program ignores", code == 4, f"{code} {out}{error}")
    os.remove("report.json")


def of_yaml(text, words):
    """Commands of list items that begin with one of the words."""
    items = re.findall(r"^\s*- (?:run: )?(.*)$", text, re.M)
    return [item for item in items if item.split()[0] in words]


def jobs():
    for title in ("GitHub Actions", "GitLab"):
        lines = of_yaml(section(title)[0], ("nvcc", "ptxvm"))
        check(f"{title}: commands", [line.split()[0] for line in lines] == ["nvcc", "ptxvm"], lines)
        job(title, lines)


def cmake():
    if not shutil.which("cmake") or not shutil.which("ctest"):
        skip("CMake", "there is no cmake")
        return
    write("CMakeLists.txt", CMAKE.replace("${PTXVM}", PTXVM))
    code, out, error = run("sh", "-e", "-c", here(section("CMake and ctest")[0]), env=PATHS)
    good = code == 0 and "100% tests passed, 0 tests failed out of 3" in out
    check("CMake and ctest", good, f"{code}\n{out[-3000:]}{error[-2000:]}")


def find_lit():
    found = shutil.which("lit") or shutil.which("llvm-lit")
    places = sorted(glob.glob("/usr/lib/llvm-*/build/utils/lit/lit.py"))
    return [found] if found else [sys.executable, places[-1]] if places else None


def lit():
    command = find_lit()
    if not command:
        skip("lit", "there is no lit")
        return
    os.makedirs("lit")
    config = section("LLVM lit")[0].replace('"ptxvm ', f'"{PTXVM} ')
    lines = "import lit.formats\nconfig.name = 'recipe'\nconfig.suffixes = ['.cu']\n"
    lines += "config.test_format = lit.formats.ShTest(True)\n"
    lines += f"config.environment['PATH'] = {PATHS['PATH']!r}\n"
    write(os.path.join("lit", "lit.cfg.py"), lines + textwrap.dedent(config))
    build = "// RUN: nvcc -arch=sm_80 -o %t %s\n"
    write(os.path.join("lit", "fine.cu"), build + f"// RUN: %run %t | grep -F '{RIGHT.strip()}'\n" + PROGRAM)
    write(os.path.join("lit", "wild.cu"), build + "// RUN: %run %t wild\n// XFAIL: *\n" + PROGRAM)
    code, out, error = run(*command, "-v", "lit", env=PATHS)
    counts = re.findall(r"(Passed|Expectedly Failed|Failed) *: (\d)", out)
    good = code == 0 and counts == [("Passed", "1"), ("Expectedly Failed", "1")]
    check("lit", good, f"{code}\n{out[-3000:]}{error[-2000:]}")


def without_exec():
    """Nothing but the variables."""
    text = section("Without --exec")
    check("Without --exec: a block of variables", len(text) == 1, text)
    words = dict(re.findall(r"^export (\w+)=(.*)$", here(text[0]), re.M))
    for runtime in ("shared", "static"):
        code, _, error = run("nvcc", "-arch=sm_80", "-cudart", runtime, "-o", runtime, "tests.cu", env=PATHS)
        check(f"nvcc {runtime}", code == 0, error)
        ran = run("./" + runtime, env=dict(PATHS, **words))
        check(f"without --exec: {runtime}", ran[:2] == (0, RIGHT), ran)


def main():
    if "san-" in BUILD:
        skip("recipes", "a build with sanitizers cannot be put into other programs")
    elif not shutil.which("nvcc", path=PATHS["PATH"]):
        skip("recipes", "there is no nvcc")
    else:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            write("tests.cu", PROGRAM)
            jobs()
            cmake()
            lit()
            without_exec()
            os.chdir(ROOT)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


PATHS = dict(os.environ)
PATHS["PATH"] = os.pathsep.join([os.path.join(BUILD, "bin"), PATHS["PATH"], os.path.join(TOOLKIT, "bin")])
if __name__ == "__main__":
    sys.exit(main())
