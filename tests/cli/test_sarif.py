#!/usr/bin/env python3
"""The SARIF that ptxas prints follows the standard (SARIF 2.1.0, OASIS), and its places are right.

The schema below has of the standard what ptxas writes: which properties there are, which of them the standard
requires (chapter 3, "shall contain"), and their types; others are not allowed. SARIF_SCHEMA names a file with
the standard's own schema, which is asked too."""
import json
import os
import subprocess
import sys
import tempfile
from urllib.parse import unquote, urlsplit

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing: apt-get install python3-jsonschema")
    sys.exit(77)

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PTXAS = os.path.join(
    os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "ptxas"
)


def record(required, **properties):
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def several(items):
    return {"type": "array", "items": items}


TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 1}
MESSAGE = record("text", text=TEXT)
REGION = record("startLine", startLine=COUNT, startColumn=COUNT, endColumn=COUNT)
URI = {"type": "string", "pattern": r"^[A-Za-z0-9\-._~:/%]+$"}
PHYSICAL = record("artifactLocation", artifactLocation=record("uri", uri=URI), region=REGION)
LOGICAL = record("", fullyQualifiedName=TEXT, kind=TEXT)
LOCATION = record(
    "physicalLocation", physicalLocation=PHYSICAL, message=MESSAGE, logicalLocations=several(LOGICAL)
)
CONTENT = record("", text={"type": "string"})
REPLACEMENT = record("deletedRegion", deletedRegion=REGION, insertedContent=CONTENT)
CHANGE = record(
    "artifactLocation replacements",
    artifactLocation=record("uri", uri=URI),
    replacements=several(REPLACEMENT),
)
FIX = record("artifactChanges", description=MESSAGE, artifactChanges=several(CHANGE))
RULE = record("id", id=TEXT, shortDescription=MESSAGE, fullDescription=MESSAGE, help=MESSAGE)
RESULT = record(
    "message ruleId ruleIndex",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations=several(LOCATION),
    relatedLocations=several(LOCATION),
    fixes=several(FIX),
)
DRIVER = record("name rules", name=TEXT, version=TEXT, rules=several(RULE))
RUN = record(
    "tool results columnKind",
    tool=record("driver", driver=DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=several(RESULT),
)
LOG = record("version runs $schema", version={"const": "2.1.0"}, runs=several(RUN), **{"$schema": TEXT})

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
NAME = 'a b%#?"\u00e9:.ptx'


def schemas():
    yield LOG
    if os.environ.get("SARIF_SCHEMA"):
        with open(os.environ["SARIF_SCHEMA"], encoding="utf-8") as file:
            yield json.load(file)


def sarif(*arguments, text=None, folder=None):
    done = subprocess.run(
        [PTXAS, "--diagnostics=sarif", *arguments],
        input=text,
        capture_output=True,
        cwd=folder,
        timeout=60,
        check=False,
    )
    log = json.loads(done.stderr)
    for schema in schemas():
        jsonschema.validate(log, schema)
    return log["runs"][0]


def place(result):
    physical = result["locations"][0]["physicalLocation"]
    region = physical.get("region", {})
    columns = [region.get(name) for name in ("startLine", "startColumn", "endColumn")]
    return physical["artifactLocation"]["uri"], *columns


def check_rules(run):
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules), rules
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"], result
    for rule in rules:
        told = subprocess.run(
            [PTXAS, "--explain", rule["id"]], capture_output=True, text=True, check=True
        )
        assert rule["help"]["text"] in told.stdout, rule
        assert "%" not in rule["shortDescription"]["text"], rule


def test_nothing():
    run = sarif("-", text=(HEADER + ".visible .entry k() { ret; }\n").encode())
    assert run["results"] == [] and run["tool"]["driver"]["rules"] == []


def test_places():
    """Columns by hand: the wrong modifier begins in column 4 and is 7 bytes long."""
    text = HEADER + ".visible .entry k()\n{\n .reg .b32 %r;\n ld.gloabl.u32 %r, [%r];\n"
    run = sarif("-", text=(text + " ad.u32 %r, %r, %r;\n ad.u32 %r, %r, %r;\n}\n").encode())
    check_rules(run)
    assert place(run["results"][0]) == ("%3Cstdin%3E", 7, 4, 11), run["results"][0]
    assert [place(r)[1] for r in run["results"]][1:3] == [8, 9], run["results"]


def test_names(folder):
    """A name with everything that a URI cannot have comes back when it is decoded."""
    path = os.path.join(folder, NAME)
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEADER + ".visible .entry k()\n{\n ad;\n ret;\n}\n")
    uri = place(sarif(NAME, folder=folder)["results"][0])[0]
    assert unquote(uri) == NAME and not urlsplit(uri).scheme and not urlsplit(uri).query, uri
    uri = place(sarif(path)["results"][0])[0]
    assert urlsplit(uri).scheme == "file" and unquote(urlsplit(uri).path) == path, uri


def test_columns():
    """Columns count code points: the two bytes of an e with accent are one."""
    text = HEADER + ".visible .entry k()\n{\n /* \u00e9 */ ad;\n ret;\n}\n"
    run = sarif("-", text=text.encode())
    assert run["columnKind"] == "unicodeCodePoints"
    line = text.split("\n")[5]
    for result in run["results"]:
        _, number, first, end = place(result)
        assert number == 6 and line[first - 1 : end - 1] in ("\u00e9", "ad"), (result, line)
    assert run["results"]


def test_levels():
    text = HEADER + ".visible .entry k()\n{\n .reg .b32 %a;\n ret;\n}\n"
    for arguments, level in ((["--lint"], "warning"), (["--lint", "-Werror"], "error")):
        run = sarif(*arguments, "-", text=text.encode())
        check_rules(run)
        assert [r["level"] for r in run["results"]] == [level], run["results"]
        assert [r["ruleId"] for r in run["results"]] == ["W0601"], run["results"]


def test_no_place():
    run = sarif("missing.ptx")
    assert place(run["results"][0]) == ("missing.ptx", None, None, None), run


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_names(folder)
    tests = [test_nothing, test_places, test_columns, test_levels, test_no_place]
    for test in tests:
        test()
    print("%d passed, 0 failed" % (len(tests) + 1))


if __name__ == "__main__":
    main()
