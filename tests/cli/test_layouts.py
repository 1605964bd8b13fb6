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
        cwd=ROOT,
    )
    return done.stderr


def of_json(path):
    found = [d for d in json.loads(said("json", path)) if d["line"]]
    return [(d["line"], d["column"], max(d["length"], 1)) for d in found]


def facts(path):
    """what json tells beside the places: (other places, fixes, places in the source, functions)"""
    found = json.loads(said("json", path))
    places = [place for d in found for place in d.get("related", [])]
    edits = [edit for d in found for edit in d.get("fixes", [])]
    others = [(p["line"], p["column"], p["length"], p["message"]) for p in places]
    fixes = [(e["line"], e["column"], e["length"], e["text"], e["title"]) for e in edits]
    origins = [(o["file"], o["line"], o["column"]) for d in found for o in d.get("origin", [])]
    return others, fixes, origins, [d["function"] for d in found if "function" in d]


def facts_of_sarif(path):
    others, fixes, origins, functions = [], [], [], []
    for result in json.loads(said("sarif", path))["runs"][0]["results"]:
        for place in result.get("relatedLocations", []):
            physical, words = place["physicalLocation"], place["message"]["text"]
            at = physical["region"]
            if words in ("the source of this", "inlined here"):
                name = physical["artifactLocation"]["uri"]
                origins.append((name, at["startLine"], at["startColumn"]))
            else:
                size = at["endColumn"] - at["startColumn"]
                others.append((at["startLine"], at["startColumn"], size, words))
        for fix in result.get("fixes", []):
            change = fix["artifactChanges"][0]["replacements"][0]
            at, text = change["deletedRegion"], change["insertedContent"]["text"]
            size = at["endColumn"] - at["startColumn"]
            fixes.append((at["startLine"], at["startColumn"], size, text, fix["description"]["text"]))
        for place in result["locations"]:
            functions += [one["fullyQualifiedName"] for one in place.get("logicalLocations", [])]
    return others, fixes, origins, functions


def origin_lines(path):
    """the line of each message that tells of the source"""
    for d in json.loads(said("json", path)):
        places = ["%s:%d" % (o["file"], o["line"]) for o in d.get("origin", [])]
        if places:
            yield "from " + ", inlined at ".join(places) + ", in " + d["function"]


def untold(path):
    """what of the facts a layout leaves out"""
    others, fixes, origins, functions = facts(path)
    if facts_of_sarif(path) != (others, fixes, origins, functions):
        return "sarif: %s, json: %s" % (facts_of_sarif(path), facts(path))
    name = os.path.relpath(path, ROOT)
    gcc, caret, github = (said(layout, name) for layout in ("gcc", "caret", "github"))
    for line, column, _, words in others:
        if "%s:%d:%d: note: %s\n" % (name, line, column, words) not in gcc:
            return "gcc leaves out: " + words
        if "%s:%d:%d: note: %s\n" % (name, line, column, words) not in caret:
            return "caret leaves out: " + words
        if "%%0A%s, line %d: %s" % (name, line, words.replace("%", "%25")) not in github:
            return "github leaves out: " + words
    for line, column, size, text, title in fixes:
        edit = 'fix-it:"%s":{%d:%d-%d:%d}:"%s"' % (name, line, column, line, column + size, text)
        if edit.replace("\n", "\\n") not in gcc and "note: or " + title not in gcc:
            return "gcc leaves out: " + title
        if "fix: " + title not in caret or "%0Afix: " + title.replace("%", "%25") not in github:
            return "caret or github leaves out: " + title
    for file, line, column in origins:
        if "%s:%d:%d: note: " % (file, line, column) not in gcc:
            return "gcc leaves out %s" % file
    for words in origin_lines(path):
        if words not in caret or "%0A" + words not in github or words not in said("ptxas", name):
            return "a layout leaves out: " + words
    return None


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
    both = [
        (d["line"], d["column"], max(d["length"], 1))
        for m in json.loads(said("json", path))
        for d in [m, *m.get("related", [])]
        if d["line"]
    ]
    if shown != both:
        return "caret: %s, json: %s" % (shown, both)
    if not set(places) <= set(carets(said("ptxas", path))):
        return "ptxas: %s, json: %s" % (carets(said("ptxas", path)), places)
    return untold(path)


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
