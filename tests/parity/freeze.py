#!/usr/bin/env python3
"""Chooses the frozen verdicts of tests/verdicts from oracle runs (parity.py fills the same cache).

Balanced, not random: for every opcode a few accepted shapes and one module for each message it can draw; for
every
version or target step some of both; for declarations and directives one or two for each mutation and message;
and
every small module of the hand-written accept and reject folders.
"""
import argparse
import os
import random
import re
import sys
from collections import Counter, defaultdict

import mutate
import oracle
import parity

sys.path.insert(0, os.path.join(parity.ROOT, "tests", "verdicts"))
import frozen

FILES = {
    "corpus": "hand-written modules with one fault each, and the accepted ones beside them",
    "isa-accept": "accepted instructions: a few shapes of every opcode",
    "isa-reject": "instructions with one fault: every opcode, each of its messages",
    "versions": "instructions under other versions, targets and architectures",
    "front": "declarations, directives, functions, headers, lexical faults: one change each",
}


def bucket_of(case):
    if case.part == "files":
        return "corpus"
    if case.kind.startswith(("header_", "arch")):
        return "versions" if case.area == "isa" else "front"
    if case.area == "front":
        return "front"
    return "isa-accept" if case.want.accepts else "isa-reject"


def key_of(case, bucket):
    """cases with equal keys say the same thing; only a few of them are kept"""
    said = parity.template(parity.first(case.want).text) if not case.want.accepts else "accept"
    if bucket == "corpus":
        return case.name
    if bucket == "isa-accept":
        return case.opcode
    if bucket == "isa-reject":
        return case.opcode, re.sub(r"'\.\.'.*", "", said)
    if bucket == "versions":
        return case.opcode, said[:30] if case.want.accepts else re.sub(r"\d+", "", said)[:60]
    return case.kind, said


LIMIT = {"corpus": 1, "isa-accept": 4, "isa-reject": 1, "versions": 1, "front": 2}
FRONT_ACCEPTS = 8


def usable(case):
    if (
        case.want.crashed
        or case.options
        or re.search(r"\(-c\)|per-function compilation", parity.first(case.want).text)
        or b"\0" in as_bytes(case)
        or len(case.text) > (700 if case.part == "files" else 1500)
    ):
        return False
    try:
        text = as_bytes(case).decode("utf-8")
    except UnicodeDecodeError:
        return False
    d = case.want.first
    if not text.endswith("\n") or re.search(r"^(====|----) ", text, re.M) or (d and "FILE" in d.text):
        return False
    return True


def as_bytes(case):
    return case.text if isinstance(case.text, bytes) else case.text.encode("utf-8", "surrogateescape")


def choose(cases, most):
    """bucket -> chosen cases"""
    chosen, used = defaultdict(list), Counter()
    rng = random.Random(1)
    order = list(cases)
    rng.shuffle(order)
    order.sort(key=lambda c: len(c.text) > 500)
    for case in order:
        if not usable(case):
            continue
        bucket = bucket_of(case)
        key = (bucket, key_of(case, bucket))
        limit = FRONT_ACCEPTS if bucket == "front" and case.want.accepts else LIMIT[bucket]
        if used[key] < limit and len(chosen[bucket]) < most[bucket]:
            used[key] += 1
            chosen[bucket].append(case)
    return chosen


def frozen_case(case):
    text, d = as_bytes(case).decode("utf-8"), case.want.first
    return frozen.Case(
        frozen.make_id(case.arch, text),
        case.arch,
        case.area,
        "accept" if case.want.accepts else "reject",
        d.line if d else 0,
        d.severity if d else "",
        d.text if d else "",
        text,
    )


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build")
    p.add_argument("--facts", required=True)
    p.add_argument("--seed", default="1")
    p.add_argument("--mutants", type=int, default=20000)
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.set_defaults(part=None, only=None)
    args = p.parse_args()
    tool, release = oracle.find_oracle() or sys.exit("freeze: no NVIDIA ptxas here")
    folder = os.path.join(args.build, "parity")
    theirs = oracle.Runner(tool, folder, oracle.Cache(os.path.join(folder, "oracle.jsonl")), release)
    cases = parity.gather(args, theirs.ask)
    for c, v in zip(cases, parity.judge(cases, theirs, args.jobs, "oracle")):
        c.want = v
    most = {"corpus": 3000, "isa-accept": 900, "isa-reject": 2500, "versions": 900, "front": 1500}
    seen, total = set(), 0
    for bucket, chosen in choose(cases, most).items():
        out = []
        for c in map(frozen_case, chosen):
            if c.id not in seen:
                seen.add(c.id)
                out.append(c)
        path = os.path.join(frozen.HERE, bucket + ".txt")
        frozen.save(path, FILES[bucket] + " (ptxas %s)" % release, out)
        if sorted(frozen.load(path)) != sorted(out):
            sys.exit("freeze: %s does not read back the same" % path)
        accepts = sum(c.expected == "accept" for c in out)
        print("%-11s %5d cases, %d accepted, %d bytes" % (bucket, len(out), accepts, os.path.getsize(path)))
        total += len(out)
    print("total %d" % total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
