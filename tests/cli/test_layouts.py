#!/usr/bin/env python3
"""Every layout tells the same place: the modules of tests/messages in each, held against the json layout line
by line and column by column, and the carets against the text above them. carets.test has places found by
hand."""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PTXAS = os.path.join(
    os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "ptxas"
)


def said(layout, path):
    done = subprocess.run(
        [PTXAS, "--lint=all", "--diagnostics=" + layout, path],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stderr


def of_json(path):
    found = [d for d in json.loads(said("json", path)) if d["line"]]
    return [(d["line"], d["column"], max(d["length"], 1)) for d in found]


def of_sarif(path):
    for result in json.loads(said("sarif", path))["runs"][0]["results"]:
        region = result["locations"][0]["physicalLocation"].get("region")
        if region:
            yield region["startLine"], region["startColumn"], region["endColumn"] - region["startColumn"]


def of_github(path):
    command = r"^::\w+ file=[^,]*,line=(\d+),col=(\d+),endColumn=(\d+)"
    for line, first, end in re.findall(command, said("github", path), re.M):
        yield int(line), int(first), int(end) - int(first)


def of_gcc(path):
    found = re.findall(r"^[^:\n]+:(\d+):(\d+): (?!note)", said("gcc", path), re.M)
    return [(int(line), int(column)) for line, column in found]


def carets(text):
    """(line, column, length) of each excerpt, the length as far as the caret's line shows it"""
    excerpt = r"^ +(\d+) \| (.*)\n +\| ( *)(\^~*)$"
    return [(int(n), len(blank) + 1, len(mark)) for n, _, blank, mark in re.findall(excerpt, text, re.M)]


def wrong(path):
    places = of_json(path)
    short = [place[:2] for place in places]
    if list(of_sarif(path)) != places:
        return "sarif: %s, json: %s" % (list(of_sarif(path)), places)
    if list(of_github(path)) != places:
        return "github: %s, json: %s" % (list(of_github(path)), places)
    lines = [p for p in of_gcc(path) if p in short or p != (1, 1)]
    if lines != short:
        return "gcc: %s, json: %s" % (lines, short)
    shown = carets(said("caret", path))
    if shown != places:
        return "caret: %s, json: %s" % (shown, places)
    if not set(places) <= set(carets(said("ptxas", path))):
        return "ptxas: %s, json: %s" % (carets(said("ptxas", path)), places)
    return None


def main():
    paths = sorted(glob.glob(os.path.join(ROOT, "tests", "messages", "*.ptx")))
    bad = 0
    for path in paths:
        complaint = wrong(path)
        bad += complaint is not None
        if complaint:
            print("%s: %s" % (os.path.relpath(path, ROOT), complaint))
    print("%d passed, %d failed" % (len(paths) - bad, bad))
    return 1 if bad or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
