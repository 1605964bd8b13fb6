"""Asks NVIDIA's ptxas about many instructions at once.

ptxas reports every wrong line of a module, so one run judges thousands of instructions. A last line that is
always
wrong keeps it from generating code, which would take far longer and dies of some combinations that its
checker
takes. `compiles` does generate code, for what the checker alone accepts. Nothing here asks the project's own
tools.
"""
import collections
import functools
import os
import re
import subprocess
import tempfile

PTXAS = os.environ.get("PTXAS", "/usr/local/cuda/bin/ptxas")
BATCH = 20000  # instructions a module
KERNEL = 400  # instructions a function
ERROR = re.compile(r"line (\d+); (?:error|fatal)\s*: ?(.*)")
REGISTER = re.compile(r"%([a-z][0-9a-z]*)_\d+")
ALWAYS_WRONG = "bra NOWHERE;"

Module = collections.namedtuple("Module", "version target arch")


def is_device(text):
    """Loads of a function's own parameters are legal in device functions only."""
    return text.startswith("ld") and ".param::func" in text


def based(text):
    """The instruction with a parameter for its address where it works on parameters: ptxas dies of a register
    there."""
    if ".param" not in text:
        return text + ";"
    return text.replace("[%u64_0]", "[given]" if text.startswith("ld") else "[passed]") + ";"


def function(first, texts):
    """The lines of one function around the texts: before and after them."""
    params = any(".param" in t for t in texts)
    kind = ".func" if is_device(texts[0]) else ".entry"
    before = [f"{kind} k{first}({'.param .align 16 .b8 given[64]' if params else ''})", "{"]
    before += (
        [".param .align 16 .b8 passed[64];"]
        if any(".param" in t and t.startswith("st") for t in texts)
        else []
    )
    before += [f".reg .{t} %{t}_<256>;" for t in sorted(set(REGISTER.findall("\n".join(texts))))]
    return before, ["ret;", "}"]


def chunks(texts):
    """Runs of at most KERNEL instructions that may share a function."""
    for device in (False, True):
        some = [i for i, t in enumerate(texts) if is_device(t) == device]
        for first in range(0, len(some), KERNEL):
            yield some[first : first + KERNEL]


@functools.lru_cache(16)
def body(texts, checked_only):
    """The functions with these instructions, and the index of the instruction on each of their lines."""
    lines, owner = [], {}
    for number, chunk in enumerate(chunks(texts)):
        before, after = function(number, [texts[i] for i in chunk])
        lines += before
        owner.update((len(lines) + k, i) for k, i in enumerate(chunk))
        lines += [based(texts[i]) for i in chunk] + after
    if checked_only:
        lines[-2:] = [ALWAYS_WRONG, "}"]
    return "\n".join(lines) + "\n", owner, len(lines) - 2


def source(module, texts, checked_only):
    """A module with these instructions; what `body` says; the number of its first line."""
    lines = [f".version {module.version // 10}.{module.version % 10}", f".target {module.target}"]
    lines += [".address_size 64"] if module.version >= 23 else []
    text, owner, last = body(tuple(texts), checked_only)
    return "\n".join(lines) + "\n" + text, owner, last, len(lines) + 1


def run(text, arch):
    """Exit status and output of ptxas."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        try:
            done = subprocess.run(
                [PTXAS, "-arch=" + arch, "-o", os.devnull, file.name],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=600,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            return 124, ""
    return done.returncode, done.stdout


def refusals(module, texts):
    """{refused text: message}, by the checker alone."""
    found = {}
    for first in range(0, len(texts), BATCH):
        live = texts[first : first + BATCH]
        while live:
            text, owner, last, first_line = source(module, live, True)
            status, output = run(text, module.arch)
            errors = [(int(line) - first_line, message) for line, message in ERROR.findall(output)]
            wrong = {owner[line]: message for line, message in reversed(errors) if line in owner}
            found.update((live[i], message) for i, message in wrong.items())
            live = [t for i, t in enumerate(live) if i not in wrong]
            if any(line == last for line, _ in errors):
                break
            if not wrong:
                raise RuntimeError(f"{module} status {status}: {output[-400:]}")
    return found


def not_compiled(module, texts):
    """{text: why} of instructions that the checker takes and the code generator refuses or dies of."""
    status, output = run(source(module, texts, False)[0], module.arch)
    if status == 0:
        return {}
    if len(texts) == 1:
        return {texts[0]: output.strip().split("\n")[0] or f"status {status}"}
    half = len(texts) // 2
    return not_compiled(module, texts[:half]) | not_compiled(module, texts[half:])
