#!/usr/bin/env python3
"""Runs the tests: one line for each failure, and at the end "N passed, N failed, N skipped".

usage: tests/run.py [--build DIR] [--fuzz SECONDS] [--only SUITE[,SUITE]] [--jobs N] [--threads N,N] [--small]
                    [--changed] [--sample] [--verbose] [WORD...]

A WORD keeps the tests whose name holds it. --changed leaves out tasks whose program and inputs are those of
their last pass (BUILD/tests.json remembers them); --sample runs fewer random programs. The tasks that took
longest the last time come first. --verbose shows the seconds of each task, else the slowest are shown. Exit
code 1 when a test fails. Suites:
  unit     build/tests/test_*: cmocka programs, one verdict for each test function
  asm      tests/asm/**/*.ptx: ptxas must say what the "// EXPECT:" comments of the file say
  exec     tests/exec/**/*.ptx, tests/runs, samples/*.run: ptxvm --test, with one worker and with eight
  cli      tests/cli/*.test: command lines with their exit code and output
  samples  the commands of samples/README.md
  bench    the workloads of tests/bench against their plain C reference, with 1, 2 and 8 workers; with --small
           (builds with sanitizers) their small sizes
  random   random programs of tests/random: the engine in every configuration against the reference
  approx   the approximate units against checksums recorded on a GPU, 2^24 inputs each
  fuzz     build/fuzz/fuzz_*: nothing may crash; two processes a target, from fixed seeds, for --fuzz seconds
  in all (0)
  python   tests/*/test_*.py: exit code 0, or 77 for "cannot run here"

EXPECT comments: "// EXPECT: ok", or one line for each diagnostic wanted, "// EXPECT: LINE CODE [part of the
text]";
LINE may be - (any) and CODE too. Every error must be expected; warnings only where one is. "// ARGS: ..."
adds
options for ptxas.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIME_LIMIT = 300  # seconds a process; five times as long for builds with sanitizers
FUZZ_RUNS = 200000  # of one process, at most
SLOWEST = 8  # tasks whose seconds are shown
# Programs that run in parts, side by side: `--parts` lists them, `--part NAME` runs one.
IN_PARTS = {"test_wgmma", "test_golden", "test_reference.py", "test_exec.py", "test_algorithms.py"}
# What tests find, or do without.
TOOLS = ("gcc", "clang", "nvcc", "nvlink", "cuobjdump", "gdb", "lldb", "node", "llc")
SOURCES = (".c", ".h", ".cu", ".py", ".md")  # of programs, which are hashed themselves


class Verdicts:
    """Counts of a task, and a text for each failure."""

    def __init__(self):
        self.passed = self.skipped = self.seconds = 0
        self.failures = []
        self.reasons = []

    def check(self, name, wrong):
        if wrong:
            self.failures.append(f"{name}: {wrong}")
        else:
            self.passed += 1

    def skip(self, name, reason):
        self.skipped += 1
        self.reasons.append(f"{name}: {reason}")


def text_of(data):
    return data.decode("utf-8", "replace")


def tail(text, lines=12):
    kept = text.rstrip().splitlines()
    return "\n".join("      " + line for line in kept[-lines:])


class Runner:
    def __init__(self, build, threads, fuzz_seconds, small, sample):
        self.build = os.path.abspath(build)
        self.small = small
        self.sampled = sample
        self.threads = threads
        self.fuzz_seconds = fuzz_seconds
        self.ptxas = os.path.join(self.build, "bin", "ptxas")
        self.ptxvm = os.path.join(self.build, "bin", "ptxvm")
        self.env = dict(
            os.environ,
            BUILD=self.build,
            ROOT=ROOT,
            LC_ALL="C.UTF-8",
            PTXVM_LIBRARY=os.path.join(self.build, "lib", "libptxvm.so"),
            PATH=os.path.join(self.build, "bin") + os.pathsep + os.environ.get("PATH", ""),
        )

    def run(self, command, **more):
        """A finished process, or None when it did not end in time."""
        options = dict(
            cwd=ROOT,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=5 * TIME_LIMIT if self.small else TIME_LIMIT,
        )
        options.update(more)
        try:
            return subprocess.run(command, **options)
        except subprocess.TimeoutExpired:
            return None

    def name(self, path):
        return os.path.relpath(path, ROOT)

    # ---- the kinds of tests ----

    def unit(self, program):
        path, *part = program
        verdicts = Verdicts()
        name = " ".join([os.path.basename(path), *part[1:]])
        env = dict(self.env, CMOCKA_MESSAGE_OUTPUT="TAP")
        done = self.run([path, *part], env=env, stderr=subprocess.STDOUT)
        if done is None:
            verdicts.check(name, "did not end in time")
            return verdicts
        output = text_of(done.stdout)
        bad = 0
        # What a test has to say stands before its line, or behind it after a '#'.
        parts = re.split(r"^((?:ok|not ok) \d+ - .*(?:\n#.*)*)\n", output, flags=re.M)
        for said, verdict in zip(parts[::2], parts[1::2]):
            word, case, note = re.match(r"(ok|not ok) \d+ - ([\w.-]+)(.*)", verdict).groups()
            if "SKIP" in note.upper():
                verdicts.skip(f"{name} {case}", note.strip(" #:"))
            elif word == "ok":
                verdicts.passed += 1
            else:
                bad += 1
                verdicts.check(f"{name} {case}", "failed\n" + tail(said + verdict))
        if done.returncode and not bad:
            verdicts.check(name, f"exit code {done.returncode}\n" + tail(output))
        elif not done.returncode and verdicts.passed + verdicts.skipped == 0:
            verdicts.passed += 1
        return verdicts

    def asm(self, path):
        verdicts = Verdicts()
        with open(path, "rb") as file:
            source = text_of(file.read())
        wanted = re.findall(r"//\s*EXPECT:\s*(.*?)\s*$", source, re.M)
        arguments = [
            word for line in re.findall(r"//\s*ARGS:\s*(.*?)\s*$", source, re.M) for word in shlex.split(line)
        ]
        if not wanted:
            verdicts.check(self.name(path), "has no // EXPECT: line")
            return verdicts
        done = self.run([self.ptxas, "--diagnostics=json"] + arguments + [path])
        verdicts.check(self.name(path), self.judge_diagnostics(wanted, done))
        return verdicts

    @staticmethod
    def judge_diagnostics(wanted, done):
        if done is None:
            return "did not end in time"
        if done.returncode not in (0, 255):
            return f"exit code {done.returncode}\n" + tail(text_of(done.stderr))
        try:
            found = json.loads(done.stderr)
        except ValueError:
            return "standard error is no JSON\n" + tail(text_of(done.stderr))
        shown = "\n".join(f"      {d['line']} {d['code']} {d['message']}" for d in found)
        left = list(found)
        for line in wanted:
            if line == "ok":
                continue
            place, code, *rest = line.split(None, 2) + [""] * 2
            part = rest[0]
            fits = [
                d
                for d in left
                if (place == "-" or place == str(d["line"]))
                and (code == "-" or code == d["code"])
                and part in d["message"] + " " + d.get("note", "")
            ]
            if not fits:
                return f"no diagnostic '{line}'; found\n{shown}"
            left.remove(fits[0])
        extra = [d for d in left if d["severity"] in ("error", "fatal")]
        if extra:
            return f"unexpected {extra[0]['code']} on line {extra[0]['line']}; found\n{shown}"
        bad = any(d["severity"] in ("error", "fatal") for d in found)
        return None if (done.returncode == 255) == bad else f"exit code {done.returncode}; found\n{shown}"

    def exec(self, path):
        verdicts = Verdicts()
        for threads in self.threads:
            done = self.run([self.ptxvm, "--test", path, "--threads", threads, "--engine", "verify"])
            output = text_of(done.stdout + done.stderr) if done else ""
            summary = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", output, re.M)
            if not summary:
                verdicts.check(self.name(path), "no summary line\n" + tail(output))
                continue
            verdicts.passed += int(summary[1])
            if int(summary[3]):
                verdicts.skip(self.name(path), "no line says // PTXVM:")
            if int(summary[2]):
                bad = re.split(r"^(?=FAIL |PASS |SKIP |\d+ passed)", output, flags=re.M)
                for text in bad:
                    if text.startswith("FAIL "):
                        first, _, more = text[5:].partition("\n")
                        first = first.replace(path, self.name(path))
                        verdicts.check(first + f" (--threads {threads})", "\n" + tail(more) if more else " ")
        return verdicts

    def cli(self, path):
        verdicts = Verdicts()
        with open(path, encoding="utf-8") as file:
            blocks = re.split(r"^(?=\$ )", file.read(), flags=re.M)[1:]
        with tempfile.TemporaryDirectory() as folder:
            for number, block in enumerate(blocks, 1):
                self.cli_block(f"{self.name(path)} ({number})", block.splitlines(), path, folder, verdicts)
        return verdicts

    def cli_block(self, name, lines, path, folder, verdicts):
        """One command ("$ ..."; further lines of it begin with "> ") and what it must do."""
        command, code, wanted = lines[0][2:], 0, []
        for line in lines[1:]:
            if line.startswith("> "):
                command += "\n" + line[2:]
            elif line.startswith("exit "):
                code = int(line[5:])
            elif line.startswith("needs "):
                if self.run(["sh", "-c", f"command -v {line[6:]}"]).returncode:
                    verdicts.skip(name, f"no {line[6:]}")
                    return
            elif line and not line.startswith("#"):
                wanted.append(line)
        done = self.run(["sh", "-c", command], cwd=folder, env=dict(self.env, T=os.path.dirname(path)))
        verdicts.check(name, self.judge_output(command, code, wanted, done))

    @staticmethod
    def judge_output(command, code, wanted, done):
        if done is None:
            return f"'{command}' did not end in time"
        streams = {"out": text_of(done.stdout), "err": text_of(done.stderr)}
        shown = "\n" + tail("\n".join(streams.values()))
        if done.returncode != code:
            return f"'{command}': exit code {done.returncode}, expected {code}{shown}"
        for line in wanted:
            kind, _, part = line.partition(": ")
            match = re.fullmatch(r"(no )?(out|err)( is| like)?", kind)
            if not match:
                return f"line not understood: {line}"
            output = streams[match[2]]
            if match[3] == " is":
                holds = output.rstrip("\n") == part
            elif match[3] == " like":
                holds = re.search(part, output, re.M) is not None
            else:
                holds = part in output
            if holds == bool(match[1]):
                return f"'{command}': not so: {line}{shown}"
        return None

    def samples(self, commands):
        verdicts = Verdicts()
        for command in commands:
            self.sample(command, verdicts)
        return verdicts

    def sample(self, command, verdicts):
        words = shlex.split(command)
        name = " ".join(words[:4])
        words[0] = self.ptxvm
        words = [re.sub(r"(^|[=:])build/", lambda m: m[1] + self.build + "/", word) for word in words]
        words = [re.sub(r"=([a-z]+\.png)$", "=" + self.build + r"/samples/\1", word) for word in words]
        done = self.run(words)
        if done is None:
            verdicts.check(name, "did not end in time")
        elif done.returncode:
            verdicts.check(name, f"exit code {done.returncode}\n" + tail(text_of(done.stdout + done.stderr)))
        else:
            verdicts.check(name, self.judge_sample(words, text_of(done.stdout)))

    def judge_sample(self, words, output):
        """What --expect cannot say: the text that samples print."""
        if words[1].endswith("first.ptx"):
            good = "2^10 = 1024, seen by thread 0 of block 0\n"
            return None if output == good else "wrong output\n" + tail(output)
        if words[1].endswith("hello.ptx"):
            with open(os.path.join(self.build, "samples", "hello.txt"), encoding="utf-8") as file:
                good = sorted(file.read().splitlines())
            lines = output.splitlines()
            if sorted(lines) != good or not lines[-1].startswith("tail:"):
                return "wrong output\n" + tail(output)
        return None

    def bench(self, workers):
        verdicts = Verdicts()
        table = "workloads-small.tsv" if self.small else "workloads.tsv"
        done = self.run([os.path.join(self.build, "tests", "bench"), "--check", workers, "--table", table])
        output = text_of(done.stdout + done.stderr) if done else "did not end in time"
        rows = re.findall(r"^(right|WRONG) (.*)$", output, re.M)
        for verdict, row in rows:
            verdicts.check(f"workload {row}", None if verdict == "right" else "wrong result")
        if not done or not rows or (done.returncode and not verdicts.failures):
            verdicts.check(f"workloads, {workers} workers", "\n" + tail(output))
        return verdicts

    def networks(self, _):
        verdicts = Verdicts()
        done = self.run([os.path.join(self.build, "tests", "bench_networks"), "--check"])
        output = text_of(done.stdout + done.stderr) if done else "did not end in time"
        rows = re.findall(r"^(right|WRONG) (.*)$", output, re.M)
        for verdict, row in rows:
            verdicts.check(f"kernel {row}", None if verdict == "right" else "\n" + tail(output))
        if not done or not rows or (done.returncode and not verdicts.failures):
            verdicts.check("kernels of neural networks", "\n" + tail(output))
        return verdicts

    def random(self, part):
        """One share of the programs: their number and the first seed."""
        count, seed = part
        verdicts = Verdicts()
        with tempfile.TemporaryDirectory() as found:
            done = self.run(
                [
                    os.path.join(self.build, "tests", "random"),
                    "--spread",
                    "--size",
                    "16",
                    "--count",
                    str(count),
                    "--seed",
                    str(seed),
                    "--shrink",
                    "20",
                    "--stop",
                    "2",
                    "--keep",
                    found,
                ]
            )
        output = text_of(done.stdout) if done else "did not end in time"
        ended = re.search(r"^(\d+) programs, .*: 0 failed$", output, re.M)
        verdicts.check(
            f"random programs from seed {seed}",
            None if ended and int(ended[1]) == count else "\n" + tail(output, 60),
        )
        return verdicts

    def approx(self, folder):
        verdicts = Verdicts()
        done = self.run([os.path.join(self.build, "tests", "approx_check"), "--quick", folder])
        output = text_of(done.stdout + done.stderr) if done else "did not end in time"
        verdicts.check(
            f"approximate units, {folder}", None if done and done.returncode == 0 else "\n" + tail(output)
        )
        return verdicts

    def fuzz(self, run):
        """One process of a target; it ends after its share of the time, and at the latest after RUNS
        inputs."""
        target, seed, seconds = run
        verdicts = Verdicts()
        if not target:
            verdicts.skip("fuzz", "no clang with libFuzzer")
            return verdicts
        name = os.path.basename(target)[len("fuzz_") :]
        folders = [
            os.path.join(self.build, "fuzz", "seeds", name),
            os.path.join(ROOT, "tests", "fuzz", "crashes", name),
        ]
        with tempfile.TemporaryDirectory() as found:
            done = self.run(
                [
                    target,
                    f"-seed={seed}",
                    f"-runs={FUZZ_RUNS}",
                    f"-max_total_time={seconds}",
                    "-max_len=4096",
                    "-timeout=20",
                    "-dict=" + os.path.join(self.build, "gen", "ptx.dict"),
                    "-artifact_prefix=" + os.path.join(self.build, "fuzz", ""),
                    found,
                ]
                + [folder for folder in folders if os.path.isdir(folder)],
                stderr=subprocess.STDOUT,
            )
        output = text_of(done.stdout) if done else ""
        ended = re.search(r"^Done \d+ runs", output, re.M)
        verdicts.check(
            f"fuzz {name}, seed {seed}",
            (
                None
                if done and not done.returncode and ended
                else "did not end in time" if not done else "\n" + tail(output, 40)
            ),
        )
        return verdicts

    def fuzz_tasks(self):
        folder = os.path.join(self.build, "fuzz")
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        targets = [os.path.join(folder, name) for name in names if name.startswith("fuzz_")]
        if not self.fuzz_seconds:
            return []
        share = max(1, self.fuzz_seconds // max(1, 2 * len(targets)))
        runs = [(target, seed, share) for target in targets for seed in (1, 2)] or [("", 0, 0)]
        return [("fuzz", f"{os.path.basename(run[0])}, seed {run[1]}", self.fuzz, run) for run in runs]

    def preload(self, script):
        """A sanitized library needs its runtime in the interpreter that loads it, whose leaks are its own.
        Shells do not always start with it: scripts that load no library go without."""
        with open(script, encoding="utf-8") as file:
            if not re.search(r"ctypes|import ptxvm|lib(cuda|cudart|ptxvm)\b", file.read()):
                return {}
        try:
            with open(self.env["PTXVM_LIBRARY"], "rb") as file:
                library = file.read()
        except OSError:
            return {}
        for mark, runtime in ((b"__asan_init", "libasan.so"), (b"__tsan_init", "libtsan.so")):
            if mark in library:
                found = self.run([*shlex.split(os.environ.get("CC", "gcc")), f"-print-file-name={runtime}"])
                return {
                    "LD_PRELOAD": text_of(found.stdout).strip(),
                    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
                }
        return {}

    def python(self, script):
        path, *part = script
        verdicts = Verdicts()
        preload = self.preload(path)
        env = dict(self.env, **preload)
        if preload and self.run([sys.executable, "-c", ""], env=env).returncode:
            verdicts.skip(self.name(path), f"{sys.executable} does not start with {preload['LD_PRELOAD']}")
            return verdicts
        done = self.run([sys.executable, path, *part], env=env)
        if done is None:
            verdicts.check(self.name(path), "did not end in time")
            return verdicts
        output = text_of(done.stdout + done.stderr)
        counts = re.search(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", output, re.M)
        if done.returncode == 77:
            verdicts.skip(
                self.name(path), output.strip().splitlines()[-1] if output.strip() else "cannot run here"
            )
        elif done.returncode:
            verdicts.check(self.name(path), f"exit code {done.returncode}\n" + tail(output, 20))
        else:
            verdicts.passed += int(counts[1]) if counts else 1
            verdicts.skipped += int(counts[3] or 0) if counts else 0
        return verdicts

    # ---- what there is ----

    def files(self, folder, ending, deep=True):
        found = []
        for where, folders, names in os.walk(os.path.join(ROOT, folder)):
            if not deep:
                folders.clear()
            found += [os.path.join(where, name) for name in names if name.endswith(ending)]
        return sorted(found)

    def sample_commands(self):
        with open(os.path.join(ROOT, "samples", "README.md"), encoding="utf-8") as file:
            text = re.sub(r"\\\n\s*", "", file.read())
        return re.findall(r"^    (ptxvm .*)$", text, re.M)

    def sample_tasks(self):
        """Lists of commands: one that reads a picture stands behind the one that makes it."""
        tasks = []
        for command in self.sample_commands():
            read = re.findall(r":([\w/]+\.png)", command)
            makers = [t for t in tasks if any(f"={name}" in c for c in t for name in read)]
            if makers:
                makers[0].append(command)
            else:
                tasks.append([command])
        return tasks

    def in_parts(self, suite, path):
        """Names and arguments of the tasks that a program or script is: one, or one a part."""
        name = self.name(path) if suite == "python" else os.path.basename(path)
        if os.path.basename(path) not in IN_PARTS:
            return [(name, (path,))]
        launch = [sys.executable, path] if suite == "python" else [path]
        parts = text_of(self.run([*launch, "--parts"]).stdout).split()
        return [(f"{name} {part}", (path, "--part", part)) for part in parts]

    def tasks(self):
        """(suite, name, function, argument) of every task."""
        tests = os.path.join(self.build, "tests")
        names = sorted(os.listdir(tests)) if os.path.isdir(tests) else []
        units = [os.path.join(tests, n) for n in names if re.fullmatch(r"test_\w+", n)]
        scripts = [p for p in self.files("tests", ".py") if os.path.basename(p).startswith("test_")]
        every = [
            ("bench", "workloads", self.bench, "1,2,8"),
            ("bench", "networks", self.networks, None),
            ("approx", "units", self.approx, os.path.join("tests", "hw", "golden")),
        ]
        share, shares = (10, 2) if self.small else (50, 2) if self.sampled else (50, 6)
        every += [
            ("random", f"programs from seed {1 + share * k}", self.random, (share, 1 + share * k))
            for k in range(shares)
        ]
        every += self.fuzz_tasks()
        every += [("python", name, self.python, a) for p in scripts for name, a in self.in_parts("python", p)]
        every += [("samples", t[0], self.samples, t) for t in self.sample_tasks()]
        every += [("unit", name, self.unit, a) for p in units for name, a in self.in_parts("unit", p)]
        every += [("cli", self.name(p), self.cli, p) for p in self.files("tests/cli", ".test", False)]
        runs = [("tests/exec", ".ptx"), ("tests/runs", ".ptx"), ("tests/runs", ".run"), ("samples", ".run")]
        tests = [p for where, kind in runs for p in self.files(where, kind)]
        every += [("exec", self.name(p), self.exec, p) for p in tests]
        every += [("asm", self.name(p), self.asm, p) for p in self.files("tests/asm", ".ptx")]
        return every


class Memory:
    """What tasks did the last time: their seconds, and after a pass the hash of their program and inputs."""

    def __init__(self, runner):
        self.runner = runner
        self.path = os.path.join(runner.build, "tests.json")
        try:
            with open(self.path, encoding="utf-8") as file:
                self.tasks = json.load(file)
        except (OSError, ValueError):
            self.tasks = {}

    def save(self):
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.tasks, file, indent=0)
        os.replace(self.path + ".new", self.path)

    def seconds(self, task):
        return self.tasks.get(self.key(task), {}).get("seconds", 0)

    def passed_before(self, task):
        return self.tasks.get(self.key(task), {}).get("hash") == self.hash(task)

    def note(self, task, verdicts, digest):
        self.tasks[self.key(task)] = {
            "seconds": round(verdicts.seconds, 2),
            "hash": None if verdicts.failures else digest,
        }

    @staticmethod
    def key(task):
        return f"{task[0]} {task[1]}"

    # ---- hashes ----

    @functools.lru_cache(None)
    def file(self, path):
        try:
            with open(path, "rb") as file:
                return hashlib.sha256(file.read()).hexdigest()
        except OSError:
            return "none"

    @functools.lru_cache(None)
    def folder(self, path, left_out=()):
        """Of all files below, with their names."""
        total = hashlib.sha256()
        for where, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                if not name.endswith(left_out):
                    inner = os.path.join(where, name)
                    total.update(f"{inner} {self.file(inner)}\n".encode())
        return total.hexdigest()

    @functools.lru_cache(None)
    def surroundings(self):
        """The runner, its options, and what else tests look at."""
        runner = self.runner
        ours = ("PTX", "CUDA", "NV", "ASAN")
        chosen = sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith(ours))
        return repr(
            [self.file(__file__), runner.threads, runner.small, runner.sampled, runner.fuzz_seconds, chosen]
            + [sys.version, [shutil.which(tool) for tool in TOOLS]]
        )

    @functools.lru_cache(None)
    def products(self):
        build = self.runner.build
        return [self.folder(os.path.join(build, inner)) for inner in ("bin", "lib", "samples")] + [
            self.file(os.path.join(build, "libhostfn.so"))
        ]

    @functools.lru_cache(None)
    def data(self):
        """What programs may read: all of tests and samples but their sources."""
        return [self.folder(os.path.join(ROOT, inner), SOURCES) for inner in ("tests", "samples")]

    @functools.lru_cache(None)
    def everything(self):
        build = self.runner.build
        inner = ("tests", "samples", "docs", "grammar", "include", "lib", "ptxas", "ptxvm")
        return [self.folder(os.path.join(ROOT, name)) for name in inner] + [
            self.folder(os.path.join(build, "tests")),
            self.file(os.path.join(build, "isagen")),
            self.folder(os.path.join(build, "gen"), (".o", ".d")),
        ]

    def inputs(self, task):
        suite, _, _, argument = task
        tests = os.path.join(self.runner.build, "tests")
        if suite in ("asm", "exec"):
            tool = self.runner.ptxas if suite == "asm" else self.runner.ptxvm
            beside = self.folder(os.path.dirname(argument), (".ptx", ".run"))
            return [self.file(tool), self.file(argument), beside]
        if suite == "unit":
            return [self.file(argument[0]), self.data()]
        if suite == "fuzz":
            seeds = os.path.join(self.runner.build, "fuzz", "seeds")
            return [self.file(argument[0]), self.data(), self.folder(seeds)]
        programs = {"bench": ("bench", "bench_networks"), "random": ("random",), "approx": ("approx_check",)}
        if suite in programs:
            return [self.file(os.path.join(tests, name)) for name in programs[suite]] + [self.data()]
        if suite in ("cli", "samples"):
            return [self.products(), self.data(), self.folder(os.path.join(ROOT, "samples"))]
        return [self.products(), self.everything()]

    def hash(self, task):
        told = repr([self.surroundings(), task[0], task[1], str(task[3]), self.inputs(task)])
        return hashlib.sha256(told.encode()).hexdigest()


def safely(function, argument):
    started = time.time()
    try:
        verdicts = function(argument)
    except Exception as error:  # a broken test must not end the others
        verdicts = Verdicts()
        verdicts.check(str(argument), f"{type(error).__name__}: {error}")
    verdicts.seconds = time.time() - started
    return verdicts


def run_all(tasks, memory, jobs, verbose):
    """Counts by suite; prints failures as they come."""
    counts = {}
    digests = {memory.key(task): memory.hash(task) for task in tasks}
    terminal = sys.stdout.isatty()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(safely, task[2], task[3]): task for task in tasks}
        for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
            suite, name, _, _ = task = futures[future]
            verdicts = future.result()
            memory.note(task, verdicts, digests[memory.key(task)])
            if terminal:
                print(f"\r\033[K{number}/{len(tasks)} {name[:90]}", end="", flush=True)
            if terminal and (verdicts.failures or verbose):
                print("\r\033[K", end="")
            for failure in verdicts.failures:
                print(f"FAIL {failure}", flush=True)
            if verbose:
                for reason in verdicts.reasons:
                    print(f"SKIP {reason}", flush=True)
                print(f"{verdicts.seconds:7.1f} s {suite} {name}", flush=True)
            row = counts.setdefault(suite, [0, 0, 0])
            row[0] += verdicts.passed
            row[1] += len(verdicts.failures)
            row[2] += verdicts.skipped
    if terminal:
        print("\r\033[K", end="")
    return counts


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n\n")[1][7:],
        description=__doc__.split("\n\n", 2)[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--fuzz", type=int, default=0)
    parser.add_argument("--threads", default="1,8")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    start = time.time()
    runner = Runner(options.build, options.threads.split(","), options.fuzz, options.small, options.sample)
    suites = [name for name in options.only.split(",") if name]
    tasks = [task for task in runner.tasks() if not suites or task[0] in suites]
    tasks = [task for task in tasks if all(word in task[1] for word in options.words)]
    if not tasks:
        sys.exit("no such test")
    memory = Memory(runner)
    unchanged = len(tasks)
    if options.changed:
        tasks = [task for task in tasks if not memory.passed_before(task)]
    unchanged -= len(tasks)
    tasks.sort(key=memory.seconds, reverse=True)
    counts = run_all(tasks, memory, options.jobs, options.verbose)
    memory.save()
    for task in sorted(tasks, key=memory.seconds, reverse=True)[: 0 if options.verbose else SLOWEST]:
        if memory.seconds(task) >= 1:
            print(f"{memory.seconds(task):7.1f} s {memory.key(task)[:90]}")
    for suite, (passed, failed, skipped) in sorted(counts.items()):
        print(f"{suite:8} {passed:6} passed {failed:5} failed {skipped:5} skipped")
    total = [sum(row[i] for row in counts.values()) for i in range(3)]
    if unchanged:
        print(f"{unchanged} tasks left out: their programs and inputs passed before")
    print(f"{time.time() - start:.1f} seconds")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] else 0)


if __name__ == "__main__":
    main()
