#!/usr/bin/env python3
"""layers.py finds a planted call from base to vm, by the symbols of two objects, and planted includes."""
import os
import subprocess
import sys
import tempfile

import layers

CALLER = "void px_planted(void);\nvoid px_caller(void)\n{\n    px_planted();\n}\n"
CALLED = "void px_planted(void)\n{\n}\n"


def compile_to(folder, path, text):
    """An object at this place of a build, under the name of a source that there is."""
    out = os.path.join(folder, path)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    cc = os.environ.get("CC", "gcc")
    subprocess.run([cc, "-x", "c", "-c", "-o", out, "-"], input=text.encode(), check=True)


def check(build):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.py")
    done = subprocess.run([sys.executable, script, build], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_symbols():
    with tempfile.TemporaryDirectory() as build:
        compile_to(build, "obj/lib/vm/run/cta.o", CALLER)
        compile_to(build, "obj/lib/base/arena.o", CALLED)
        code, text = check(build)
        assert code == 0 and not text, text
        compile_to(build, "obj/lib/base/arena.o", CALLER)
        compile_to(build, "obj/lib/vm/run/cta.o", CALLED)
        code, text = check(build)
        assert code == 1, text
        assert "obj/lib/base/arena.o: uses px_planted of vm: base must not know vm" in text, text


def test_includes():
    assert layers.problem("lib/vm/run/cta.c", "base/arena.h") is None
    assert layers.problem("lib/base/arena.c", "vm/run/exec.h")
    assert layers.problem("lib/flow/live.c", "code/ir/ir.h")
    assert layers.problem("ptxvm/main.c", "vm/run/exec.h")


if __name__ == "__main__":
    test_symbols()
    test_includes()
