"""Runs a module through NVIDIA's ptxas and through ours, and remembers what NVIDIA's said.

A verdict is small: the exit status and the diagnostics in ptxas's layout, without the file name. The oracle
never changes its mind, so its verdicts are kept in one append-only file keyed by a hash of release, options
and
text; ours are never kept.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import namedtuple

Diag = namedtuple("Diag", "line severity text")
DIAG = re.compile(r"^ptxas (?:(.*?), line (\d+); )?(warning|error|fatal|info)\s*: ?(.*)$", re.M)
ABORTED = "Ptx assembly aborted due to errors"
TIMEOUT = 124


class Verdict:
    """status: 0 accepted, 255 refused, negative: died of a signal, 124: took too long."""

    def __init__(self, status, diags):
        self.status, self.diags = status, [Diag(*d) for d in diags]

    @property
    def accepts(self):
        return self.status == 0

    @property
    def crashed(self):
        return self.status not in (0, 255)

    @property
    def first(self):
        """the first error or fatal line, None when there is none"""
        for d in self.diags:
            if d.severity in ("error", "fatal") and d.text != ABORTED:
                return d
        return None


def parse_output(text):
    """the diagnostics of ptxas's output; a temporary file name inside a message is made neutral"""
    return [
        Diag(int(m[1]) if m[1] else 0, m[2], re.sub(r"[^\s']*\.parity\.ptx", "FILE", m[3]).rstrip())
        for m in DIAG.findall(text)
    ]


def run_tool(tool, arch, options, path, timeout=20):
    try:
        done = subprocess.run(
            [tool, "-arch=" + arch, "-c", *options, "-o", os.devnull, path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return Verdict(TIMEOUT, [])
    return Verdict(done.returncode, parse_output(done.stdout.decode("utf-8", "replace")))


def find_oracle():
    """(path, release) of NVIDIA's ptxas: $NVIDIA_PTXAS, else PATH, else the toolkit's usual place; or None"""
    for path in (os.environ.get("NVIDIA_PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"):
        if not path or not os.path.exists(path):
            continue
        said = subprocess.run(
            [path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ).stdout
        release = re.search(r"V\d+\.\d+\.\d+", said)
        if "NVIDIA (R) Ptx optimizing assembler" in said and release:
            return path, release[0]
    return None


class Cache:
    """key -> verdict, one JSON line each"""

    def __init__(self, path):
        self.lock, self.known = threading.Lock(), {}
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            with open(path) as f:
                for line in f:
                    try:
                        key, status, diags = json.loads(line)
                    except ValueError:
                        continue  # a run was cut off in the middle of a line
                    self.known[key] = (status, diags)
        self.file = open(path, "a")

    def get(self, key):
        got = self.known.get(key)
        return Verdict(*got) if got else None

    def put(self, key, verdict):
        with self.lock:
            self.known[key] = (verdict.status, verdict.diags)
            self.file.write(json.dumps([key, verdict.status, verdict.diags]) + "\n")

    def flush(self):
        with self.lock:
            self.file.flush()


def open_oracle(build, who):
    """A runner of NVIDIA's ptxas that keeps its verdicts below the build folder; without one here the program
    ends, saying so: nothing was compared."""
    found = find_oracle()
    if not found:
        print("%s: no NVIDIA ptxas here (set NVIDIA_PTXAS); nothing was compared" % who)
        sys.exit(0)
    folder = os.path.join(build, "parity")
    return Runner(found[0], folder, Cache(os.path.join(folder, "oracle.jsonl")), found[1])


class Runner:
    """Writes each module to a scratch file and asks one tool, or the cache."""

    def __init__(self, tool, folder, cache=None, release=""):
        self.tool, self.cache, self.release = tool, cache, release
        self.folder = os.path.join(folder, "tmp")
        self.local, self.runs = threading.local(), 0
        os.makedirs(self.folder, exist_ok=True)

    def scratch(self):
        if not hasattr(self.local, "path"):
            self.local.path = os.path.join(
                self.folder, "%d.%d.parity.ptx" % (os.getpid(), threading.get_ident())
            )
        return self.local.path

    def ask(self, text, arch, options=()):
        """text: bytes or str"""
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        key = None
        if self.cache is not None:
            key = hashlib.sha1(
                b"%s %s %s\n%s" % (self.release.encode(), arch.encode(), " ".join(options).encode(), data)
            ).hexdigest()
            got = self.cache.get(key)
            if got:
                return got
        with open(self.scratch(), "wb") as f:
            f.write(data)
        verdict = run_tool(self.tool, arch, options, self.scratch())
        self.runs += 1
        if key:
            self.cache.put(key, verdict)
        return verdict
