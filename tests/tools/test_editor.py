#!/usr/bin/env python3
"""The extension for Visual Studio Code (docs/editors/vscode, make vscode): its files are valid and name one
another, its grammar colours PTX as the manual classifies it, and its client starts the server. The grammar's
patterns are tried as TextMate does, the first that matches at the earliest place; the client runs in node,
where there is one, with stand-ins for the editor.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from corpus import BUILD, PTXAS, ROOT, Tally, files  # noqa: E402

FOLDER = os.path.join(ROOT, "docs", "editors", "vscode")
GRAMMAR = os.path.join(BUILD, "gen", "ptx.tmLanguage.json")

# A line of PTX, and the scope that each piece of it must have (pieces in order).
LINES = (
    ("ld.global.v2.u32 {%r1, %r2}, [%rd1+8]; // add", (
        ("ld", "support.function.instruction"), (".global", "storage.modifier.space"),
        (".v2", "keyword.other.modifier"), (".u32", "storage.type"), ("%r1", "variable.other.register"),
        ("8", "constant.numeric"), (";", "punctuation.terminator"), ("// add", "comment.line"))),
    ("@!%p1 mov.u32 %r1, %tid.x;", (
        ("@!", "keyword.operator.guard"), ("%p1", "variable.other.predicate"),
        ("mov", "support.function.instruction"),
        ("%r1", "variable.other.register"), ("%tid.x", "variable.language.special-register"))),
    (".visible .entry add(.param .u64 p)", (
        (".visible", "keyword.control.directive"), (".entry", "keyword.control.directive"),
        ("add", "entity.name.function"), (".param", "storage.modifier.space"), (".u64", "storage.type"))),
    ("$L_1: bra.uni $L_1;", (
        ("$L_1", "entity.name.label"), ("bra", "support.function.instruction"),
        (".uni", "keyword.other.modifier"))),
    (".reg .f32 %tidy<4>;", (
        (".reg", "storage.modifier.space"), (".f32", "storage.type"), ("%tidy", "variable.other.register"))),
    ("st.shared::cta.b32 [a], 0f3F800000;", (
        (".shared::cta", "storage.modifier.space"), (".b32", "storage.type"),
        ("0f3F800000", "constant.numeric"))),
    (".maxntid 128, 1", ((".maxntid", "keyword.control.directive"), ("128", "constant.numeric"))),
    ('.file 1 "add.u32"', ((".file", "keyword.control.directive"), ('"', "string.quoted"))),
    ("ad.u32x %r1;", (("%r1", "variable.other.register"),)),
    ("# 12 \"x.cu\"", (("# 12", "meta.preprocessor"),)),
)  # fmt: skip


def pieces(patterns, line):
    """(text, scope) of what is coloured in a line."""
    at, found = 0, []
    while at < len(line):
        best = None
        for pattern in patterns:
            match = pattern["regex"].search(line, at)
            if match and match.end() > match.start() and (not best or match.start() < best[0].start()):
                best = (match, pattern)
        if not best:
            break
        match, pattern = best
        if "name" in pattern:
            found.append((match[0], pattern["name"]))
        for number, capture in pattern.get("captures", {}).items():
            found.append((match[int(number)], capture["name"]))
        at = match.end()
    return found


def read_grammar(counts):
    with open(GRAMMAR, encoding="utf-8") as file:
        grammar = json.load(file)
    counts.check("scope", grammar["scopeName"] == "source.ptx")
    for pattern in grammar["patterns"]:
        pattern["regex"] = re.compile(pattern.get("match") or pattern["begin"])
    return grammar["patterns"]


def check_grammar(counts):
    patterns = read_grammar(counts)
    for line, wanted in LINES:
        found = pieces(patterns, line)
        at = 0
        for text, scope in wanted:
            fits = [t.startswith(text) and s.startswith(scope) for t, s in found]
            where = [i for i, fact in enumerate(fits) if fact and i >= at]
            counts.check(line, where, f"{text} is no {scope}: {found}")
            at = where[0] + 1 if where else at
    found = pieces(patterns, "ad.u32x %r1;")
    counts.check("words that do not exist stay plain", [t for t, _ in found] == ["%r1", ";"], found)
    # every opcode and special register of the samples has its colour
    for path in files():
        if os.sep + "samples" + os.sep not in path:
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                opcode = re.match(r"\s+(?:@!?%\w+\s+)?([a-z]\w*)(?:\.[\w:]+)*\s+[%\[{][^:=]*;", line)
                if opcode:
                    scopes = [s for t, s in pieces(patterns, line) if t == opcode[1]]
                    counts.check(line.strip(), "support.function.instruction.ptx" in scopes, scopes)


def check_package(counts):
    with open(os.path.join(FOLDER, "package.json"), encoding="utf-8") as file:
        package = json.load(file)
    with open(os.path.join(FOLDER, "language-configuration.json"), encoding="utf-8") as file:
        configuration = json.load(file)
    re.compile(configuration["wordPattern"])
    counts.check("main", os.path.exists(os.path.join(FOLDER, package["main"])))
    language = package["contributes"]["languages"][0]
    counts.check("language", os.path.exists(os.path.join(FOLDER, language["configuration"])))
    counts.check("extension", language["extensions"] == [".ptx"])
    done = subprocess.run(
        ["make", "-s", "-C", ROOT, "vscode", f"B={BUILD}"], capture_output=True, text=True, check=False
    )
    counts.check("make vscode", done.returncode == 0, done.stderr)
    made = os.path.join(BUILD, "vscode")
    for path in (package["main"], package["contributes"]["grammars"][0]["path"], "package.json", "LICENSE"):
        counts.check("make vscode", os.path.exists(os.path.join(made, path)), path)


STAND_INS = {
    "vscode/index.js": """
module.exports = {
    workspace: { getConfiguration: () => ({ get: (key, other) =>
                     ({ "server.path": process.env.PTXAS, "server.arguments": ["--lint"] })[key] ?? other }),
                 onDidChangeConfiguration: () => ({}) },
    commands: { registerCommand: () => ({}) },
    window: { showErrorMessage: (text) => console.log("error " + text) },
};""",
    "vscode-languageclient/node.js": """
const { spawn } = require("child_process");
exports.LanguageClient = class {
    constructor(id, name, server, client) { Object.assign(this, { server, client }); }
    needsStop() { return true; }
    start() {
        return new Promise((resolve, reject) => {
            this.child = spawn(this.server.command, this.server.args);
            this.child.on("error", reject);
            this.child.stdout.on("data", (data) => { console.log(String(data)); resolve(); });
            const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
            this.child.stdin.write(`Content-Length: ${body.length}\\r\\n\\r\\n${body}`);
        });
    }
    stop() { this.child.stdin.end(); }
};""",
    "run.js": """
const extension = require(process.env.EXTENSION);
extension.activate({ subscriptions: [] }).then(() => extension.deactivate());""",
}


def check_client(counts):
    if not shutil.which("node"):
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, text in STAND_INS.items():
            path = os.path.join(folder, name if name == "run.js" else os.path.join("node_modules", name))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        shutil.copy(os.path.join(FOLDER, "extension.js"), folder)
        servers = ((PTXAS, '"hoverProvider":true'), ("/none/ptxas", 'error PTX: "/none/ptxas --lsp"'))
        for server, wanted in servers:
            done = subprocess.run(
                ["node", os.path.join(folder, "run.js")],
                env=dict(os.environ, PTXAS=server, EXTENSION=os.path.join(folder, "extension.js")),
                capture_output=True,
                text=True,
                check=False,
                timeout=250,
            )
            shown = done.stdout + done.stderr
            counts.check(f"the client with {server}", wanted in shown and done.returncode == 0, shown)


def main():
    counts = Tally()
    check_grammar(counts)
    check_package(counts)
    check_client(counts)
    return counts.end()


if __name__ == "__main__":
    sys.exit(main())
