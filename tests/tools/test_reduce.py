#!/usr/bin/env python3
"""ptxas --reduce: a fault is planted among many functions, and what is left must be the fault and what it
needs to be legal PTX; an interruption keeps the best text so far. What the command was given is written
down by the command itself."""
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from corpus import PTXAS, Tally, ptxas  # noqa: E402

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
FUNCTION = """// function %d
.visible .entry f%d(.param .u64 p, .param .u32 n)
.maxntid 256
{
    .reg .b32 %%r<20>;
    .reg .b64 %%rd<5>;
    .reg .pred %%q;
    ld.param.u64 %%rd1, [p];
    mov.u32 %%r1, %%tid.x;
    setp.gt.u32 %%q, %%r1, 5;
    @%%q bra DONE;
    { // a block
        .reg .b32 %%inner;
        add.u32 %%inner, %%r1, %d;
        %s
    }
    st.global.u32 [%%rd1+16], %%r2;
DONE:
    ret;
}
"""


def program(n, planted):
    """n kernels; the one in the middle has the planted instruction."""
    functions = (FUNCTION % (i, i, i, planted if i == n // 2 else "mov.b32 %r2, %inner;") for i in range(n))
    return HEAD + ".global .u32 unused[4] = {1, 2, 3, 4};\n" + "".join(functions)


class Folder:
    """A folder with an input, and a command that notes each text that it sees."""

    def __init__(self, text, test, wait=""):
        self.folder = tempfile.TemporaryDirectory()
        self.input, self.output, self.command, self.seen = (
            os.path.join(self.folder.name, name) for name in ("input.ptx", "out put.ptx", "command", "seen")
        )
        os.mkdir(self.seen)
        with open(self.input, "w", encoding="utf-8") as file:
            file.write(text)
        with open(self.command, "w", encoding="utf-8") as file:
            file.write(
                "#!/bin/sh\necho noise; echo noise >&2\n"
                f'cp "$1" "$(mktemp {shlex.quote(self.seen)}/XXXXXX)"\n{wait}\n{test}\n'
            )
        os.chmod(self.command, stat.S_IRWXU)

    def texts(self):
        for name in os.listdir(self.seen):
            with open(os.path.join(self.seen, name), "rb") as file:
                yield file.read()

    def result(self):
        with open(self.output, "rb") as file:
            return file.read()


def temporary(where):
    return [name for name in os.listdir(where) if name.startswith("ptxas-reduce")]


def check_planted(counts):
    """Only the fault is left, and every candidate was legal."""
    f = Folder(program(12, "popc.b32 %r2, %inner;"), 'grep -q popc "$1"')
    code, out, words = ptxas("--reduce", f.command, "-o", f.output, f.input)
    text = f.result().decode()
    counts.check("exit code", code == 0 and not out, words)
    statements = re.findall(r"[^;{}]+;", text.split("{", 1)[1])
    counts.check("it is left", sum("popc" in s for s in statements) == 1, text)
    counts.check("and a register", len(statements) <= 2, text)
    counts.check("one function", text.count(".entry") == 1, text)
    counts.check("no comment, no variable", "//" not in text and "unused" not in text, text)
    counts.check("its head is bare", ".param" not in text and ".maxntid" not in text, text)
    counts.check("the source is a constant", re.search(r"popc\.b32 %?\w+, 0;", text), text)
    counts.check("it is legal", ptxas(f.output)[0] == 0, text)
    counts.check("progress", re.search(rb"ptxas reduce: \d+ bytes after \d+ runs \(done\)", words), words)
    counts.check("the command is silent", b"noise" not in words, words)
    seen = list(f.texts())
    counts.check("few runs", len(seen) < 120, len(seen))
    wrong = [text for text in seen if ptxas("-", text=text)[0]]
    counts.check("every candidate is legal", not wrong, wrong[:1])


def check_places(counts):
    """The file's name: as {} in the command, or behind it; the result on standard output."""
    text = program(1, "popc.b32 %r2, %inner;")
    for command in ("grep -q popc", "grep -q popc {}", "grep -q popc < {} && test -s {}"):
        code, out, words = ptxas("--reduce", command, "-", text=text.encode())
        counts.check(command, code == 0 and b"popc" in out and len(out) < 150, (code, out, words))


def check_any(counts):
    """A text that is no legal PTX: refused, or reduced by parts, or by lines when it cannot be read."""
    for text, test, most in (
        (program(3, "popc.b64 %r2, %inner;"), "popc.b64", 200),
        (program(3, "popc.b32 %r2 %inner;"), "popc.b32 %r2 %inner", 120),
        ("never\nany\nPTX\n", "PTX", 4),
    ):
        f = Folder(text, f'grep -q {shlex.quote(test)} "$1"')
        code, out, words = ptxas("--reduce", f.command, f.input)
        counts.check(f"{test}: refused", code == 255 and not out and b"--reduce-any" in words, words)
        code, out, words = ptxas("--reduce", f.command, "--reduce-any", f.input)
        counts.check(f"{test}: reduced", code == 0 and test.encode() in out and len(out) <= most, (code, out))


def check_refusals(counts):
    f = Folder(program(1, "popc.b32 %r2, %inner;"), "exit 1")
    code, out, words = ptxas("--reduce", f.command, "-o", f.output, f.input)
    counts.check("a command that fails", code == 255 and b"does not succeed" in words, words)
    counts.check("no output then", not os.path.exists(f.output))
    for arguments in ([], [f.input, f.input], ["/none"], ["--lsp", f.input], ["-o", "/none/x", f.input]):
        code, out, words = ptxas("--reduce", "true", *arguments)
        counts.check(f"{arguments}", code == 255 and b"fatal" in words and not out, (code, words))


def check_interruption(counts, number, to_file):
    """Stopped after its first success: what it has is legal, pleases the command, and is smaller."""
    f = Folder(program(30, "popc.b32 %r2, %inner;"), 'grep -q popc "$1"', "sleep 0.05")
    whole = os.path.getsize(f.input)
    with tempfile.TemporaryDirectory() as where:
        process = subprocess.Popen(
            [PTXAS, "--reduce", f.command, *(["-o", f.output] if to_file else []), f.input],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, TMPDIR=where),
        )
        process.stderr.readline()
        process.stderr.readline()
        process.send_signal(number)
        out, _ = process.communicate(timeout=250)
        left = temporary(where)
    name = f"{signal.Signals(number).name} {'file' if to_file else 'output'}"
    text = f.result() if to_file else out
    wanted = -number if number == signal.SIGKILL else 255
    counts.check(name, process.returncode == wanted, process.returncode)
    counts.check(name + ": smaller", 0 < len(text) < whole, len(text))
    counts.check(name + ": pleases", b"popc" in text and ptxas("-", text=text)[0] == 0, text)
    counts.check(name + ": nothing is left behind", number == signal.SIGKILL or not left, left)


def main():
    counts = Tally()
    check_planted(counts)
    check_places(counts)
    check_any(counts)
    check_refusals(counts)
    check_interruption(counts, signal.SIGINT, True)
    check_interruption(counts, signal.SIGTERM, False)
    check_interruption(counts, signal.SIGKILL, True)
    return counts.end()


if __name__ == "__main__":
    sys.exit(main())
