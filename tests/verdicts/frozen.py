"""Reads and writes the frozen verdicts.

A file holds cases. Cases that begin or end alike share that text:

    ---- prefix             the lines up to the next mark begin every following module
    ---- suffix             and these end it
    ==== ID ARCH AREA accept
    ==== ID ARCH AREA reject LINE SEVERITY TEXT
    ...                     the lines of the module between prefix and suffix

LINE and TEXT are those of the first error or fatal line of NVIDIA's ptxas 13.0 for `ptxas -arch=ARCH -c`;
LINE 0 is a
message without a place. ID is the start of a hash of ARCH and the module, so it stays the same when files are
made anew.
AREA is isa or front.
"""
import glob
import hashlib
import os
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
Case = namedtuple("Case", "id arch area expected line severity message text")


def make_id(arch, text):
    return hashlib.sha1(("%s\n%s" % (arch, text)).encode("utf-8", "surrogateescape")).hexdigest()[:10]


def load(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
        lines = f.read().split("\n")
    prefix, suffix, head, body, into, out = [], [], None, [], None, []

    def close():
        if head:
            p = head[5:].split(" ", 6) + ["", "", ""]
            text = "".join(l + "\n" for l in prefix + body + suffix)
            out.append(Case(p[0], p[1], p[2], p[3], int(p[4] or 0), p[5], p[6], text))

    for line in lines[:-1]:
        if line.startswith("---- ") or line.startswith("==== "):
            close()
            head = None
            if line == "---- prefix":
                prefix = into = []
                suffix = []
            elif line == "---- suffix":
                suffix = into = []
            else:
                head, body = line, []
                into = body
        elif into is not None:
            into.append(line)
    close()
    return out


def load_all():
    return [c for path in sorted(glob.glob(os.path.join(HERE, "*.txt"))) for c in load(path)]


def common(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


SUFFIX = ["\tret;", "}"]


def save(path, title, cases):
    """cases sorted so that modules with the same beginning stand together"""
    cases = sorted(
        cases,
        key=lambda c: (c.text.split("\n")[:-3] if c.text.endswith("\tret;\n}\n") else ["~"], c.arch, c.id),
    )
    lines = [c.text.split("\n")[:-1] for c in cases]
    out, prefix, suffix = ["# " + title], None, None
    for i, c in enumerate(cases):
        mine = lines[i]
        end = SUFFIX if mine[-2:] == SUFFIX else []
        top = mine[: len(mine) - len(end)]
        if prefix is None or suffix != end or top[: len(prefix)] != prefix or len(prefix) == 0:
            following = lines[i + 1] if i + 1 < len(lines) else []
            prefix = top[: max(common(top, following), 0)]
            prefix = prefix[: min(len(prefix), len(top))] if len(prefix) >= 3 else []
            suffix = end
            out += ["---- prefix"] + prefix + (["---- suffix"] + suffix if suffix else [])
        what = "accept" if c.expected == "accept" else "reject %d %s %s" % (c.line, c.severity, c.message)
        out.append("==== %s %s %s %s" % (c.id, c.arch, c.area, what))
        out += top[len(prefix) :]
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
        f.write("\n".join(out) + "\n")
