#!/usr/bin/env python3
"""Every diagnostic in six texts that a rule makes of its example: what is said beside the message is true.

The examples are those of ptxas --explain. The rules change everything but the fault: where it stands, how the
text is laid out, what things are called. In each text
  - the same codes are drawn;
  - a place that a note or another place names holds what is said to stand there;
  - what a note says would help, helps: a version, an option, a legal instruction;
  - each fix takes its message away, and a certain one brings no new one;
  - NVIDIA's ptxas, where it is installed, refuses the text and takes what a certain fix makes of it (for one
    of the texts, and where it refuses the example and takes its right form).
"""
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PTXAS = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "ptxas")
ORACLE = os.environ.get("CUDA_PTXAS", "/usr/local/cuda/bin/ptxas")

SLIPS = int(os.environ.get("SLIPS", "3"))
KERNEL = ".visible .entry %s()\n{\n\t.reg .b32 %%other;\n\tmov.b32 %%other, 1;\n\tret;\n}\n"


def run(arguments, text, tool=PTXAS):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as file:
        file.write(text)
    try:
        return subprocess.run(
            [tool, *arguments, file.name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.unlink(file.name)


def said(arguments, text):
    return json.loads(run(["--diagnostics=json", *arguments], text).stderr)


# ---- the ways: each makes another text of one, or None where it cannot ----


def moved(text):
    return "// a comment {\n\n/* and\nanother ; */\n" + text


def spread(text):
    if re.search(r'"[^"\n]*,|//|^[#@.]\S*line|@@|\.loc|\.section|\.pragma|\.source', text, re.M):
        return None
    return re.sub(r",[ \t]*", ",\n    ", text)


def renamed(text):
    names = set(re.findall(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([A-Za-z]\w*)", text)) 
    names = {name for name in names if not re.match(r"cuda|_|v?printf|malloc|free", name)}
    if not names or re.search(r"\.alias|\.section", text):
        return None
    return re.sub(r"(?<![\w.%$])(" + "|".join(sorted(names)) + r")(?![\w$])", r"\1_as_called", text)


def preceded(text):
    found = re.search(r"^[ \t]*\.(visible|weak|extern|entry|func)\b", text, re.M)
    head = text[: found.start()] if found else ""
    if not found or not re.search(r"\.version.*\.target.*\.address_size", head, re.S):
        return None
    return head + KERNEL % "before_it" + text[found.start() :]


def followed(text):
    return text + KERNEL % "behind_it"


def tabbed(text):
    return re.sub(r"^[ ]+", "\t\t", text, flags=re.M).replace("\n", " \n")


WAYS = [str, moved, spread, renamed, preceded, followed, tabbed]

# A kernel in front of or behind the fault is no neutral change where the rule is about the whole module, or
# where the fault ends or swallows the text.
ALONE = set(
    "E0001 E0002 E0101 E0102 E0103 E0105 E0114 E0116 E0117 E0110 W0101 W0102 E0411 E0527 E0528 W0510".split()
)

# ---- what is true ----


def line_of(text, number):
    lines = text.split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else None


def holds(text, number, name):
    """Does the line hold the name, or the range that has it?"""
    line = line_of(text, number)
    return line is not None and (name in line or re.sub(r"\d+$", "", name) + "<" in line.replace(" ", ""))


def named_lines(note, text):
    """What notes say of lines."""
    for name, number in re.findall(r"(\S+) is [^;]*?declared (?:in|on) line (\d+)", note):
        if not holds(text, int(number), name.strip("'")) and name not in ("parameter", "what"):
            yield "line %s does not declare %s" % (number, name)
    for base, size, number, last in re.findall(
        r"the range (\S+)<(\d+)>, declared in line (\d+), ends at (\S+)", note
    ):
        if base + "<" + size + ">" not in (line_of(text, int(number)) or "").replace(" ", ""):
            yield "line %s has no %s<%s>" % (number, base, size)
        if last.rstrip(";") != base + str(int(size) - 1):
            yield "%s<%s> does not end at %s" % (base, size, last)
    for number in re.findall(r"the '\{' of line (\d+)", note):
        if "{" not in (line_of(text, int(number)) or ""):
            yield "line %s has no brace" % number
    for what, number in re.findall(r"'([a-z][\w.]*)[^']*' (?:\()?(?:on )?line (\d+)", note):
        if what not in (line_of(text, int(number)) or ""):
            yield "line %s has no %s" % (number, what)
    for number in re.findall(r"line (\d+)", note):
        if not (line_of(text, int(number)) or "").strip():
            yield "line %s is empty" % number


def key(diagnostic):
    return diagnostic["code"], diagnostic["message"]


def count(found, diagnostic):
    return sum(key(d) == key(diagnostic) for d in found)


def helps(note, diagnostic, arguments, text):
    """Remedies that a note names and no fix carries."""
    before = count(said(arguments, text), diagnostic)
    remedies = {"-c": "with -c names of other modules", "--profile=all": "--profile=all knows it"}
    for option, words in remedies.items():
        if words in note and count(said([*arguments, option], text), diagnostic) >= before:
            yield "%s does not help" % option


def untrue_places(diagnostic, text):
    for place in diagnostic.get("related", []):
        line = (line_of(text, place["line"]) or "").encode()
        shown = line[place["column"] - 1 : place["column"] - 1 + place["length"]].decode()
        quoted = re.match(r"'(.*?)' (?:is declared here|needs)|the label '(.*?)' is here", place["message"])
        name = quoted and (quoted[1] or quoted[2])
        if not shown.strip() or (name and shown not in (name, re.sub(r"\d+$", "", name))):
            yield "another place holds '%s', said is: %s" % (shown, place["message"])


def untrue_fixes(diagnostic, found, arguments, text):
    data = text.encode()
    for fix in diagnostic.get("fixes", []):
        mended = data[: fix["offset"]] + fix["text"].encode() + data[fix["offset"] + fix["length"] :]
        after = said(arguments, mended.decode())
        more = "more time" in diagnostic.get("note", "")  # what is told once stands there again
        if count(after, diagnostic) >= count(found, diagnostic) and not more:
            yield "the fix does not help: %s" % fix["title"]
        news = {d["code"] for d in after} - {d["code"] for d in found}
        # A name that is not known hides what it is not, and a newer version has withdrawn things.
        hidden = diagnostic["code"] in ("E0001", "E0301", "E1001", "E0107")
        if fix["certain"] and news and not hidden:
            yield "the certain fix brings %s: %s" % (", ".join(sorted(news)), fix["title"])


def untrue(diagnostic, found, arguments, text):
    note = diagnostic.get("note", "")
    yield from named_lines(note, text)
    yield from helps(note, diagnostic, arguments, text)
    yield from untrue_places(diagnostic, text)
    yield from untrue_fixes(diagnostic, found, arguments, text)


# ---- slips: one token of a legal text dropped, doubled, changed in a letter or a digit ----


def slip(text, chance):
    head = re.match(r"(?s).*?\.address_size 64", text)
    begin = head.end() if head and text[head.end() :].strip() else 0
    tokens = [t for t in re.finditer(r"[\w$%]+|\.\w+|[^\w\s]", text[begin:])]
    token = chance.choice(tokens)
    old = token[0]
    letter = chance.randrange(len(old))
    changes = ["", old + " " + old, old[:letter] + old[letter + 1 :], old[: letter + 1] + old[letter:]]
    changes.append(old[:letter] + chance.choice("0123456789abdefpqrsux") + old[letter + 1 :])
    changes.append(re.sub(r"\d+", lambda n: str(int(n[0]) + chance.choice((1, 8, 64))), old))
    return text[: begin + token.start()] + chance.choice(changes) + text[begin + token.end() :]


def judge_slips(code):
    """What slips of the pen in the right form of a code's example draw."""
    made = example(code)
    complaints = []
    if not made or "--cpp" in made[0]:
        return 0, []
    for number in range(SLIPS):
        text = slip(made[2], random.Random("%s %d" % (code, number)))
        found = said(made[0], text)
        faults = [fault for d in found for fault in untrue(d, found, made[0], text)]
        complaints += ["slip %d of %s: %s" % (number, code, fault) for fault in faults]
    return SLIPS, complaints


# ---- one code ----


def example(code):
    told = subprocess.run([PTXAS, "--explain", code], capture_output=True, text=True, check=True).stdout
    parts = re.search(r"^Wrong(?: \(ptxas (.*)\))?:\n(.*?)^Right:\n(.*)", told, re.M | re.S)
    if not parts:
        return None
    wrong, right = (re.sub("^    ", "", part, flags=re.M) for part in parts.groups()[1:])
    return (parts[1] or "").split(), wrong, right


def oracle_takes(arguments, text):
    target = re.search(r"\bsm_\w+", text)
    plain = [a for a in arguments if not a.startswith("--")]
    chosen = [] if any("arch" in a for a in plain) or not target else ["-arch=" + target[0]]
    return run([*plain, *chosen, "-o", "/dev/null"], text, ORACLE).returncode == 0


def oracle_faults(arguments, text, right, found):
    """A certain fix of the only error makes a text that NVIDIA's tool takes."""
    errors = [d for d in found if d["severity"] in ("error", "fatal")]
    fixes = [f for d in errors for f in d.get("fixes", [])[:1] if f["certain"]]
    if len(errors) != 1 or len(fixes) != 1 or not oracle_takes(arguments, right):
        return
    if oracle_takes(arguments, text):
        return
    data, fix = text.encode(), fixes[0]
    mended = data[: fix["offset"]] + fix["text"].encode() + data[fix["offset"] + fix["length"] :]
    if not oracle_takes(arguments, mended.decode()):
        yield "NVIDIA's ptxas refuses what the certain fix makes: %s" % fix["title"]


def judge(code):
    """(how many texts were made, what is wrong)"""
    made = example(code)
    complaints, texts = [], set()
    if not made or "--cpp" in made[0]:
        return 0, []
    arguments, wrong, right = made
    arguments = arguments if "--link" not in arguments else arguments
    plain = {d["code"] for d in said(arguments, wrong)}
    for way in WAYS:
        if code in ALONE and way in (preceded, followed):
            continue
        text = way(wrong)
        if text is None or text in texts:
            continue
        texts.add(text)
        found = said(arguments, text)
        faults = [f for d in found for f in untrue(d, found, arguments, text)]
        codes = {d["code"] for d in found}
        if not plain <= codes or (way not in (preceded, followed) and codes != plain):
            faults.append("draws %s, not %s" % (sorted(codes), sorted(plain)))
        if way is str and os.access(ORACLE, os.X_OK):
            faults += oracle_faults(arguments, text, right, found)
        complaints += ["%s, %s: %s" % (code, way.__name__, fault) for fault in faults]
    return len(texts), complaints


def main():
    listed = subprocess.run([PTXAS, "--explain"], capture_output=True, text=True, check=True).stdout
    codes = sys.argv[1:] or [line.split()[0] for line in listed.splitlines()]
    texts, failed, few, slips = 0, 0, [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for code, (made, complaints) in zip(codes, pool.map(judge, codes)):
            texts += made
            failed += bool(complaints)
            few += [code] if 0 < made < 4 else []
            for complaint in complaints:
                print(complaint)
        for made, complaints in pool.map(judge_slips, codes):
            slips += made
            failed += bool(complaints)
            for complaint in complaints:
                print(complaint)
    print("%d texts of %d codes; fewer than four of: %s" % (texts, len(codes), " ".join(few) or "none"))
    print("%d slips" % slips)
    print("%d passed, %d failed" % (2 * len(codes) - failed, failed))
    return 1 if failed or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
