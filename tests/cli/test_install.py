#!/usr/bin/env python3
"""What make install puts down is what the documents say: a program is built with pkg-config libptxvm, shared
and static,
and ptxvm(1) names the page that ptxas got. Needs pkg-config; builds with sanitizers are not installed.
"""
import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ROOT = os.path.abspath(os.environ.get("ROOT", "."))
SQUARES = "0 1 4 9 16 25 36 49"


def run(command, **environment):
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=ROOT,
        env=dict(os.environ, **environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    assert done.returncode == 0, "%s\n%s" % (command, done.stdout)
    return done.stdout


def main():
    with open(os.path.join(BUILD, "bin", "ptxvm"), "rb") as file:
        program = file.read()
    if (
        not shutil.which("pkg-config")
        or b"__asan_init" in program
        or b"__tsan_init" in program
        or b"__ubsan" in program
    ):
        return 77
    with tempfile.TemporaryDirectory() as prefix:
        run("make -s B=%s PREFIX=%s PTXAS_NAME=ours install" % (os.path.relpath(BUILD, ROOT), prefix))
        packages = {"PKG_CONFIG_PATH": os.path.join(prefix, "lib", "pkgconfig"), "TMP": prefix}
        run(
            (
                "cc -o $TMP/shared samples/embed/embed.c $(pkg-config --cflags --libs libptxvm)"
                " -Wl,-rpath,$TMP/lib"
            ),
            **packages
        )
        run(
            (
                "cc -o $TMP/static samples/embed/embed.c $(pkg-config --cflags libptxvm) -Wl,-Bstatic"
                " $(pkg-config --libs libptxvm) -Wl,-Bdynamic $(pkg-config --static --libs libptxvm | sed"
                " s/-lptxvm//)"
            ),
            **packages
        )
        for name in ("shared", "static"):
            assert SQUARES in run(os.path.join(prefix, name)), name
        with open(os.path.join(prefix, "share", "man", "man1", "ptxvm.1")) as page:
            assert ".BR ours (1)" in page.read()
        for path in (
            "share/man/man1/ours.1",
            "share/doc/ptxvm/instructions.md",
            "bin/ours",
            "bin/ptxvm",
            "include/ptx.h",
        ):
            assert os.path.exists(os.path.join(prefix, path)), path
        assert "ptxvm" in run(os.path.join(prefix, "bin", "ptxvm") + " --version")
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
