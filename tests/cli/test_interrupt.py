#!/usr/bin/env python3
"""Ctrl-C, SIGTERM and the progress line of ptxvm, on a real terminal (a pty) and off it.

Nothing here is decided by a clock: an endless kernel says when it runs (by printf, or by ptxvm's progress
line), and only
then gets its interrupt; PATIENCE bounds what would otherwise wait for ever. Exit codes are those of
docs/ptxvm.md.
"""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tally import Tally  # noqa: E402

PTXVM = os.path.join(os.environ.get("BUILD", "build"), "bin", "ptxvm")
PATIENCE = 250
STOPPED = 5
HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
# Thread 0 of each block says "block N" and all spin; with a bound of 1, they end.
KERNEL = (
    HEADER
    + """
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[10] = {98, 108, 111, 99, 107, 32, 37, 117, 10, 0};
.visible .entry spin(.param .u32 bound)
{
    .local .align 8 .b8 arguments[8];
    .reg .pred %p<3>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra quiet;
    mov.u32 %r2, %ctaid.x;
    mov.u64 %rd1, arguments;
    cvta.local.u64 %rd2, %rd1;
    st.local.u32 [arguments], %r2;
    mov.u64 %rd3, format;
    {
        .param .b64 f;
        .param .b64 a;
        .param .b32 r;
        st.param.b64 [f], %rd3;
        st.param.b64 [a], %rd2;
        call.uni (r), vprintf, (f, a);
    }
quiet:
    ld.param.u32 %r3, [bound];
    mov.u32 %r4, 0;
again:
    add.u32 %r4, %r4, 1;
    setp.eq.u32 %p2, %r4, %r3;
    @!%p2 bra again;
    ret;
}
"""
)

# Sets the first word of its parameter and spins while the second one is 0.
HELD = (
    HEADER
    + """
.visible .entry held(.param .u64 words)
{
    .reg .pred %p;
    .reg .b32 %r;
    .reg .b64 %rd;
    ld.param.u64 %rd, [words];
    st.volatile.global.u32 [%rd], 1;
again:
    ld.volatile.global.u32 %r, [%rd+4];
    setp.eq.u32 %p, %r, 0;
    @%p bra again;
    ret;
}
"""
)
# A CUDA program that launches it twice, and says so once the second one, which does not end, runs.
PROGRAM = """
import ctypes, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
cu = ctypes.CDLL("libcuda.so.1")
def do(name, *arguments):
    error = getattr(cu, name)(*arguments)
    if error:
        sys.exit(f"{name}: {error}")
context, module, kernel, words = (ctypes.c_void_p() for _ in range(4))
do("cuInit", 0)
do("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
do("cuModuleLoad", ctypes.byref(module), sys.argv[1].encode())
do("cuModuleGetFunction", ctypes.byref(kernel), module, b"held")
do("cuMemHostAlloc", ctypes.byref(words), ctypes.c_size_t(8), 0)
word = (ctypes.c_uint32 * 2).from_address(words.value)
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(words))
for go_on in 1, 0:
    word[0], word[1] = 0, go_on
    do("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None)
    if go_on:
        do("cuCtxSynchronize")
while not word[0]:
    pass
print("it runs", flush=True)
print("it went on:", cu.cuCtxSynchronize(), flush=True)
"""


class Run:
    """ptxvm with its output on a terminal; `text` is all that it wrote so far. Standard error may go to a
    file instead."""

    def __init__(self, arguments, errors=None):
        self.read, write = pty.openpty()
        self.text = ""
        self.process = subprocess.Popen(
            [PTXVM] + arguments, stdin=subprocess.DEVNULL, stdout=write, stderr=errors or write
        )
        os.close(write)

    def more(self, until):
        """Reads what comes; False at the end, or when nothing more may be waited for."""
        ready, _, _ = select.select([self.read], [], [], max(0, until - time.monotonic()))
        try:
            data = os.read(self.read, 65536) if ready else b""
        except OSError:  # a terminal whose last writer is gone
            data = b""
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def wait_for(self, pattern):
        until = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text, re.S):
            if not self.more(until):
                return False
        return True

    def finish(self):
        """The exit code; negative for a signal."""
        until = time.monotonic() + PATIENCE
        while self.more(until):
            pass
        try:
            return self.process.wait(max(1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            os.close(self.read)


def stands(code, text, blocks):
    """What is wrong with the end of an interrupted run, or None."""
    if code != STOPPED:
        return f"exit code {code}, expected {STOPPED}\n{text}"
    wanted = ["interrupted", "where every block stands"] + [
        rf"block \({i},0,0\).*spin" for i in range(blocks)
    ]
    missing = [pattern for pattern in wanted if not re.search(pattern, text)]
    return f"no '{missing[0]}' in\n{text}" if missing else None


def off_terminal(path, number=signal.SIGINT):
    """Every block has begun: a signal says where each stands; no progress line, however long it takes."""
    with tempfile.TemporaryFile("w+") as errors:
        run = Run([path, "-k", "spin", "-g", "3", "-b", "64", "-a", "0", "--threads", "3"], errors)
        begun = run.wait_for("^(?=.*block 0)(?=.*block 1)(?=.*block 2)")
        run.process.send_signal(number)
        code = run.finish()
        errors.seek(0)
        run.text += errors.read()
    if not begun:
        return "the blocks did not all begin\n" + run.text
    return stands(code, run.text, 3) or (
        "a progress line off a terminal" if "thread-instructions" in run.text else None
    )


def terminated(path):
    return off_terminal(path, signal.SIGTERM)


def counted(path):
    """What was executed until the interrupt is told: once the store of the kernel's thread, no return."""
    run = Run([path, "-k", "spin", "-g", "1", "-b", "32", "-a", "0", "--counts"])
    begun = run.wait_for("block 0")
    run.process.send_signal(signal.SIGTERM)
    wrong = stands(run.finish(), run.text, 1)
    if not begun or wrong:
        return wrong or "the block did not begin\n" + run.text
    if not re.search(r"\n +1 +1 +0 +0 +0 +4  st\.local\.u32", run.text):
        return "no store in\n" + run.text
    return "a return in\n" + run.text if re.search(r"\d  ret", run.text) else None


def program(number, folder):
    """A CUDA program that a signal ends: the report has both launches, and what the second one did."""
    report, kernel = os.path.join(folder, "report.json"), os.path.join(folder, "held.ptx")
    with open(kernel, "w") as file:
        file.write(HELD)
    run = Run(["--counts", "--report", report, "--exec", sys.executable, "-c", PROGRAM, kernel])
    begun = run.wait_for("it runs")
    run.process.send_signal(number)
    code = run.finish()
    if not begun or code != 128 + number:
        return f"exit code {code}\n{run.text}"
    if "it went on" in run.text:
        return "the program went on\n" + run.text
    with open(report) as file:
        told = json.load(file)
    opcodes = {one["opcode"]: one["threads"] for one in told["opcodes"]}
    if told["kernels"] != [{"name": "held", "launches": 2}] or told["launches"] != 2:
        return f"launches: {told}"
    if opcodes.get("st.volatile.global.u32") != 2 or opcodes.get("ret") != 1:
        return f"opcodes: {opcodes}"
    if told["instructions"] != sum(opcodes.values()):
        return f"{told['instructions']} instructions, {opcodes}"
    return None if "counts: 2 launches" in run.text else "no counts\n" + run.text


def program_interrupted(path):
    return program(signal.SIGINT, os.path.dirname(path))


def program_terminated(path):
    return program(signal.SIGTERM, os.path.dirname(path))


def on_terminal(path):
    """An endless run shows its progress; after the interrupt that line is cleared."""
    run = Run([path, "-k", "spin", "-g", "2", "-b", "64", "-a", "0", "--threads", "2"])
    shown = run.wait_for(r"\r\x1b\[K0 of 2 blocks, [0-9.]+ G thread-instructions")
    run.process.send_signal(signal.SIGINT)
    wrong = stands(run.finish(), run.text, 2)
    if not shown:
        return "no progress line on a terminal\n" + run.text
    rest = run.text[run.text.rindex("thread-instructions") :]
    return wrong or (
        None
        if "\r\x1b[K" in rest.split("interrupted")[0]
        else "the progress line is not cleared\n" + run.text
    )


def by_key(path):
    """The key itself: a terminal turns it into SIGINT for whoever it controls."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(PTXVM, [PTXVM, path, "-k", "spin", "-g", "1", "-b", "32", "-a", "0"])
    run = Run.__new__(Run)
    run.read, run.text = terminal, ""
    begun = run.wait_for("block 0")
    os.write(terminal, b"\x03")
    until = time.monotonic() + PATIENCE
    while run.more(until):
        pass
    if time.monotonic() >= until:
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    return stands(code, run.text, 1) if begun else "the block did not begin\n" + run.text


def short_run(path):
    """A run of less than a second has no progress line; how long it took, ptxvm says itself."""
    run = Run([path, "-k", "spin", "-g", "1", "-b", "32", "-a", "1", "--json"])
    code = run.finish()
    text = run.text.replace("\r\n", "\n")
    if code != 0:
        return f"exit code {code}\n{text}"
    seconds = json.loads(text[text.index("{") : text.rindex("}") + 1])["counts"]["seconds"]
    return f"a progress line within {seconds} s" if seconds < 1 and "\x1b" in text else None


def main():
    tally = Tally()
    tests = [off_terminal, terminated, counted]
    if "san-" not in PTXVM:  # --exec preloads before a sanitizer's runtime
        tests += [program_interrupted, program_terminated]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spin.ptx")
        with open(path, "w") as file:
            file.write(KERNEL)
        for test in [*tests, on_terminal, by_key, short_run]:
            wrong = test(path)
            tally.check(test.__name__, not wrong, wrong)
    sys.exit(tally.end())


if __name__ == "__main__":
    main()
