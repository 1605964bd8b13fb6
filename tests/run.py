#!/usr/bin/env python3
"""Runs the tests: one line for each failure, and at the end "N passed, N failed, N skipped".

usage: tests/run.py [--build DIR] [--fuzz SECONDS] [--only SUITE[,SUITE]] [--jobs N] [--threads N,N] [--small]
[--verbose]
                    [WORD...]

A WORD keeps the tests whose name holds it. Exit code 1 when a test fails. Suites:
  unit     build/tests/test_*: cmocka programs, one verdict for each test function
  asm      tests/asm/**/*.ptx: ptxas must say what the "// EXPECT:" comments of the file say
  exec     tests/exec/**/*.ptx: ptxvm --test, with one worker and with eight
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
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIME_LIMIT = 300  # seconds a process; five times as long for builds with sanitizers
FUZZ_RUNS = 200000  # of one process, at most


class Verdicts:
    """Counts of a task, and a text for each failure."""

    def __init__(self):
        self.passed = self.skipped = 0
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
    def __init__(self, build, threads, fuzz_seconds, small):
        self.build = os.path.abspath(build)
        self.small = small
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

    def unit(self, path):
        verdicts = Verdicts()
        name = os.path.basename(path)
        done = self.run([path], env=dict(self.env, CMOCKA_MESSAGE_OUTPUT="TAP"), stderr=subprocess.STDOUT)
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

    def sample(self, command):
        verdicts = Verdicts()
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
        return verdicts

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

    def preload(self):
        """A sanitized library needs its runtime in the interpreter that loads it; the interpreter's leaks are
        its own."""
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

    def python(self, path):
        verdicts = Verdicts()
        preload = self.preload()
        env = dict(self.env, **preload)
        if preload and self.run([sys.executable, "-c", ""], env=env).returncode:
            verdicts.skip(self.name(path), f"{sys.executable} does not start with {preload['LD_PRELOAD']}")
            return verdicts
        done = self.run([sys.executable, path], env=env)
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
        share, shares = (10, 2) if self.small else (50, 6)
        every += [
            ("random", f"programs from seed {1 + share * k}", self.random, (share, 1 + share * k))
            for k in range(shares)
        ]
        every += self.fuzz_tasks()
        every += [("python", self.name(p), self.python, p) for p in scripts]
        every += [("samples", c, self.sample, c) for c in self.sample_commands()]
        every += [("unit", os.path.basename(p), self.unit, p) for p in units]
        every += [("cli", self.name(p), self.cli, p) for p in self.files("tests/cli", ".test", False)]
        every += [("exec", self.name(p), self.exec, p) for p in self.files("tests/exec", ".ptx")]
        every += [("asm", self.name(p), self.asm, p) for p in self.files("tests/asm", ".ptx")]
        return every


def safely(function, argument):
    try:
        return function(argument)
    except Exception as error:  # a broken test must not end the others
        verdicts = Verdicts()
        verdicts.check(str(argument), f"{type(error).__name__}: {error}")
        return verdicts


def run_all(tasks, jobs, verbose):
    """Counts by suite; prints failures as they come."""
    counts = {}
    terminal = sys.stdout.isatty()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {
            pool.submit(safely, function, argument): (suite, name)
            for suite, name, function, argument in tasks
        }
        for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
            suite, name = futures[future]
            verdicts = future.result()
            if terminal:
                print(f"\r\033[K{number}/{len(tasks)} {name[:90]}", end="", flush=True)
            if terminal and (verdicts.failures or verbose):
                print("\r\033[K", end="")
            for failure in verdicts.failures:
                print(f"FAIL {failure}", flush=True)
            if verbose:
                for reason in verdicts.reasons:
                    print(f"SKIP {reason}", flush=True)
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
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    start = time.time()
    runner = Runner(options.build, options.threads.split(","), options.fuzz, options.small)
    suites = [name for name in options.only.split(",") if name]
    tasks = [task for task in runner.tasks() if not suites or task[0] in suites]
    tasks = [task for task in tasks if all(word in task[1] for word in options.words)]
    if not tasks:
        sys.exit("no such test")
    counts = run_all(tasks, options.jobs, options.verbose)
    for suite, (passed, failed, skipped) in sorted(counts.items()):
        print(f"{suite:8} {passed:6} passed {failed:5} failed {skipped:5} skipped")
    total = [sum(row[i] for row in counts.values()) for i in range(3)]
    print(f"{time.time() - start:.1f} seconds")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] else 0)


if __name__ == "__main__":
    main()
