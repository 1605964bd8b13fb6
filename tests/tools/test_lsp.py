#!/usr/bin/env python3
"""ptxas --lsp, driven by a scripted client: what an editor asks, in its order, and what an enemy sends.

Places are counted by hand in the texts below; the answers are those that the protocol (3.17) asks for and,
for the words of hover and completion, those of the PTX manual.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from corpus import TWICE  # noqa: E402
from lsp_client import PTXAS, Client  # noqa: E402

URI = "file:///tmp/a%20b.ptx"
TEXT = (
    """.version 8.0
.target sm_90
.address_size 64
.global .u32 table[4];
.visible .func """
    + TWICE
    + """.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<9>;
    .reg .pred %q;
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %q, %r1, 5;
    @%q bra DONE;
    mul.wide.u32 %r2, %r1, 4;
    mov.b32 %r3, 0f3F800000;
    mov.u32 %r4, table;
DONE:
    ret;
}
"""
)


def span(answer):
    """(line, character, end line, end character) of a range."""
    start, end = answer["start"], answer["end"]
    return start["line"], start["character"], end["line"], end["character"]


def between(line, character, end_line, end):
    """A range, as span takes it apart."""
    return {"start": {"line": line, "character": character}, "end": {"line": end_line, "character": end}}


def labels(items):
    return [item["label"] for item in items]


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def equal(self, what, given, wanted):
        if given == wanted:
            self.passed += 1
        else:
            self.failed += 1
            print(f"{what}: {given!r}, expected {wanted!r}")

    def true(self, what, fact, shown=""):
        self.equal(f"{what} {shown}", bool(fact), True)


def check_session(c):
    client = Client()
    offered = client.start()
    c.equal("encoding", offered["capabilities"]["positionEncoding"], "utf-16")
    c.equal("sync", offered["capabilities"]["textDocumentSync"], {"openClose": True, "change": 2})
    client.open(URI, TEXT)
    found = client.wait_for_diagnostics(URI, 1)
    # mul.wide.u32 wants a 64-bit register
    c.equal("places of errors", [d["range"]["start"]["line"] for d in found], [19])
    c.equal("span of the first", span(found[0]["range"]), (19, 17, 19, 20))
    c.equal("severity", [(d["severity"], d["source"]) for d in found], [(1, "ptxas")])

    # definition and references
    c.equal("definition of DONE", span(client.at("definition", URI, 18, 13)["range"]), (22, 0, 22, 4))
    c.equal("definition of %r1", span(client.at("definition", URI, 17, 21)["range"]), (14, 14, 14, 16))
    c.equal("at a name's end", span(client.at("definition", URI, 17, 23)["range"]), (14, 14, 14, 16))
    c.equal("definition of table", span(client.at("definition", URI, 21, 19)["range"]), (3, 13, 3, 18))
    c.equal("definition of nothing", client.at("definition", URI, 10, 5), None)
    uses = client.at("references", URI, 17, 21, context={"includeDeclaration": False})
    c.equal("references of %r1", [span(u["range"])[:2] for u in uses], [(16, 12), (17, 20), (19, 22)])
    uses = client.at("references", URI, 14, 15, context={"includeDeclaration": True})
    lines = [u["range"]["start"]["line"] for u in uses]
    c.equal("references of the range", lines, [14, 16, 17, 19, 19, 20, 21])
    uses = client.at("references", URI, 4, 17 + 13, context={"includeDeclaration": True})
    c.equal("references of a function", len(uses), 0 if TEXT.split("\n")[4][30] == " " else 1)

    # hover: the manual's section of the form that fits; forms of an opcode that fits none
    told = client.at("hover", URI, 8, 5)["contents"]["value"]
    c.true("hover add", "add.type d, a, b" in told and "9.7.1 Integer arithmetic" in told, told)
    c.true("hover add's types", "`.u32`" in told and "PTX 1.0" in told, told)
    c.true("hover mul", "mul.wide.type" in client.at("hover", URI, 19, 5)["contents"]["value"])
    c.true("hover a register", ".reg .b32 %r<9>;" in client.at("hover", URI, 16, 13)["contents"]["value"])
    c.true("hover %tid", "`.u32`" in client.at("hover", URI, 16, 18)["contents"]["value"])
    c.true("hover a float", "`.f32` 1" in client.at("hover", URI, 20, 20)["contents"]["value"])
    c.equal("hover a blank", client.at("hover", URI, 13, 1), None)

    # symbols
    tree = client.ask("textDocument/documentSymbol", textDocument={"uri": URI})
    c.equal("symbols", [(s["name"], s["kind"]) for s in tree], [("table", 13), ("twice", 12), ("k", 12)])
    c.equal("labels of k", [s["name"] for s in tree[2]["children"]], ["DONE"])
    c.equal("range of k", span(tree[2]["range"]), (12, 0, 24, 1))
    c.equal("name of k", span(tree[2]["selectionRange"]), (12, 16, 12, 17))

    # formatting: the text has the layout but for its missing empty lines
    edits = client.ask("textDocument/formatting", textDocument={"uri": URI}, options={"tabSize": 4})
    c.equal("one edit", len(edits), 1)
    c.equal("of all", span(edits[0]["range"]), (0, 0, 25, 0))
    c.equal("that separates functions", edits[0]["newText"].replace("\n\n", "\n"), TEXT)

    # a change that mends the text, piece by piece
    client.notify(
        "textDocument/didChange",
        textDocument={"uri": URI, "version": 2},
        contentChanges=[
            {"range": between(19, 4, 19, 16), "text": "mul.lo.u32"},
            {"range": between(21, 0, 22, 0), "text": ""},
        ],
    )
    c.equal("mended", client.wait_for_diagnostics(URI, 2), [])
    client.notify("textDocument/didClose", textDocument={"uri": URI})
    place = {"line": 0, "character": 0}
    answer = client.request("textDocument/hover", textDocument={"uri": URI}, position=place)
    c.equal("a closed file", answer["error"]["code"], -32602)
    c.equal("its diagnostics are gone", client.diagnostics[URI]["diagnostics"], [])
    c.equal("exit code", client.stop(), 0)


def complete(client, typed):
    """What is offered behind a statement that is being typed."""
    uri = "file:///typed.ptx"
    head = ".version 8.0\n.target sm_90\n.entry k()\n{\n"
    client.open(uri, head + typed)
    return client.at("completion", uri, 4, len(typed))


def check_broken(c):
    """Statements that are being typed: each is told, and the answers about the rest stay the same."""
    lines = TEXT.split("\n")
    lines[17] += " mul.wide.u32 %r5, [ ;"
    lines[20] += " add.u32 %r6,"
    lines.insert(12, ".global .u32 half[")
    client = Client()
    client.start()
    client.open(URI, "\n".join(lines))
    found = client.wait_for_diagnostics(URI, 1)
    c.equal("lines of errors", [d["range"]["start"]["line"] for d in found], [13, 18, 20, 22])
    c.equal("definition of DONE", span(client.at("definition", URI, 19, 13)["range"]), (23, 0, 23, 4))
    uses = client.at("references", URI, 18, 21, context={"includeDeclaration": False})
    c.equal("references of %r1", [span(u["range"])[:2] for u in uses], [(17, 12), (18, 20), (20, 22)])
    c.true("hover", "mul.wide.type" in client.at("hover", URI, 20, 5)["contents"]["value"])
    tree = client.ask("textDocument/documentSymbol", textDocument={"uri": URI})
    c.equal("symbols", [s["name"] for s in tree], ["table", "twice", "k"])
    c.equal("labels of k", [s["name"] for s in tree[2]["children"]], ["DONE"])
    client.open(URI + "2", TEXT.rstrip()[:-1], 2)  # the last brace is missing
    c.equal("an open body", len(client.wait_for_diagnostics(URI + "2", 2)), 2)
    tree = client.ask("textDocument/documentSymbol", textDocument={"uri": URI + "2"})
    c.equal("symbols of it", [s["name"] for s in tree], ["table", "twice", "k"])


MENDABLE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z1kIfEvPT_(.param .u64 p)
{
    .reg .b64 %rd1;
    .reg .f32 %f1;
    .loc 1 9 3
    ld.param.u64 %rd1, [p]
    .loc 2 3 5, function_name $L__info_string0, inlined_at 1 9 3
    ld.gloabl.f32 %f1, [%rd1];
    div.f32 %f1, %f1, %f1;
    add.f32 %rd1, %f1, %f1;
    ret;
}
.file 1 "/tmp/y.cu"
.file 2 "x.cu"
.section .debug_str
{
$L__info_string0:
.b8 0
}
"""


def applied(text, edits):
    """The text after edits that do not touch one another, from the last to the first."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(edits, key=lambda e: span(e["range"]), reverse=True):
        line, character, end_line, end = span(edit["range"])
        text = text[: starts[line] + character] + edit["newText"] + text[starts[end_line] + end :]
    return text


def actions(client, line, *only):
    context = {"diagnostics": [], **({"only": list(only)} if only else {})}
    where = {"textDocument": {"uri": URI}, "range": between(line, 0, line, 99), "context": context}
    return client.ask("textDocument/codeAction", **where)


def edits_of(action):
    return action["edit"]["changes"][URI]


def check_actions(c):
    """Fixes as edits, and other places as places."""
    client = Client()
    client.start()
    client.open(URI, MENDABLE)
    found = client.wait_for_diagnostics(URI, 1)
    c.equal("lines", [d["range"]["start"]["line"] for d in found], [9, 10, 11, 12])
    places = [(r["location"]["uri"], r["message"]) for r in found[1]["relatedInformation"]]
    c.equal("the source", places, [("x.cu", "the source of this"), ("file:///tmp/y.cu", "inlined here")])
    at = found[1]["relatedInformation"][0]["location"]["range"]["start"]
    c.equal("its place", at, {"line": 2, "character": 4})
    other = [r for r in found[3]["relatedInformation"] if r["location"]["uri"] == URI][0]
    c.equal("a declaration", span(other["location"]["range"]), (5, 14, 5, 18))
    c.equal("its words", other["message"], "'%rd1' is declared here")
    (semicolon,) = actions(client, 9, "quickfix")
    c.equal("a preferred one", (semicolon["title"], semicolon["isPreferred"]), ("insert ';'", True))
    c.equal("its place", span(edits_of(semicolon)[0]["range"]), (8, 26, 8, 26))
    c.equal("what it mends", [d["code"] for d in semicolon["diagnostics"]], ["E0001"])
    (proposal,) = actions(client, 11, "quickfix")
    c.equal("a proposal", proposal["isPreferred"], False)
    c.equal("none where no fault is", actions(client, 13, "quickfix"), [])
    c.equal("all kinds", [a["kind"] for a in actions(client, 9)], ["quickfix", "source.fixAll"])
    (everything,) = actions(client, 0, "source")
    text = applied(MENDABLE, edits_of(everything))
    wanted = MENDABLE.replace("[p]", "[p];").replace("gloabl", "global")
    c.equal("all certain ones", text, wanted)
    client.open(URI, applied(text, edits_of(proposal)), 2)
    left = client.wait_for_diagnostics(URI, 2)
    c.equal("what is left", [d["range"]["start"]["line"] for d in left], [12])
    c.equal("exit code", client.stop(), 0)


def check_completion(c):
    client = Client()
    client.start()
    offered = labels(complete(client, "    mul."))
    c.true("of mul: its kinds", {"lo", "hi", "wide", "rn", "f32"} <= set(offered), offered)
    c.true("but no types of integers", "u32" not in offered, offered)
    c.equal("of mul.wide", sorted(labels(complete(client, "    mul.wide."))), ["s16", "s32", "u16", "u32"])
    c.equal("begun", sorted(labels(complete(client, "  @!%p1 mul.wide.s"))), ["s16", "s32"])
    offered = labels(complete(client, "L: ld.global."))
    c.true("of a load", {"v2", "v4", "u32", "nc", "relaxed"} <= set(offered), offered)
    c.true("no second space", "global" not in offered, offered)
    offered = labels(complete(client, "  ld.shared::"))
    c.equal("words with colons", offered, ["shared::cta", "shared::cluster"])
    c.equal("of what is no opcode", complete(client, "  foo."), [])
    c.equal("among operands", complete(client, "  add.u32 %r1, %r"), [])
    c.true("opcodes", {"mul", "mul24"} <= set(labels(complete(client, "  mu"))))
    item = complete(client, "  mul.wide.s1")[0]
    c.equal("an edit", span(item["textEdit"]["range"]), (4, 11, 4, 13))
    c.equal("its text", item["textEdit"]["newText"], "s16")
    c.equal("exit code", client.stop(), 0)


def check_encodings(c):
    """Columns count UTF-16 units: the clef before the error has two of them, and four bytes."""
    text = ".version 8.0\n.target sm_90\n/* \U0001d11e\u00e4 */ .entry k() { }\n"
    edit = {"range": {"start": {"line": 2, "character": 3}, "end": {"line": 2, "character": 6}}, "text": "a"}
    for encodings, columns, name in ((["utf-16"], 3, "utf-16"), (["utf-32", "utf-8"], 6, "utf-8")):
        client = Client()
        offered = client.start(general={"positionEncodings": encodings})
        c.equal("encoding", offered["capabilities"]["positionEncoding"], name)
        client.open(URI, text)
        found = client.wait_for_diagnostics(URI, 1)  # PTX is ASCII
        c.equal("an error", len(found), 1)
        change = json.loads(json.dumps(edit))
        change["range"]["end"]["character"] = 3 + columns
        changed = {"uri": URI, "version": 2}
        client.notify("textDocument/didChange", textDocument=changed, contentChanges=[change])
        c.equal(f"{name} mended", client.wait_for_diagnostics(URI, 2), [])
        tree = client.ask("textDocument/documentSymbol", textDocument={"uri": URI})
        c.equal("symbols", tree[0]["name"], "k")
        c.equal("exit code", client.stop(), 0)


def check_options(c):
    """The options of the command line hold for all files."""
    client = Client("-arch=sm_75", "--lint")
    client.start()
    body = "{ .reg .b32 %unread; mov.b32 %unread, 1; ret; }"
    client.open(URI, ".version 8.0\n.target sm_75\n.entry k() " + body)
    c.true("lint", any(d["severity"] == 2 for d in client.wait_for_diagnostics(URI, 1)))
    client.open(URI, ".version 8.0\n.target sm_90\n.entry k() { ret; }\n", 2)
    c.true("-arch", any(d["severity"] == 1 for d in client.wait_for_diagnostics(URI, 2)))
    c.equal("exit code", client.stop(), 0)


def check_protocol(c):
    """What a client may do wrong, and what goes on after it."""
    client = Client()
    c.equal("before initialize", client.request("textDocument/hover")["error"]["code"], -32002)
    client.start()
    c.equal("twice", client.request("initialize", capabilities={})["error"]["code"], -32600)
    c.equal("an unknown request", client.request("textDocument/rename")["error"]["code"], -32601)
    client.notify("$/cancelRequest", id=1)
    client.notify("workspace/didChangeConfiguration", settings=None)
    for body, code in (
        (b"{nonsense", -32700),
        (b"[1, 2]", -32600),
        (b'"text"', -32700),  # an array or an object is wanted
        (b"{}", -32600),
        (b'{"id": {}, "method": "shutdown"}', -32600),
        (b"[" * 100000, -32700),
        (b'{"method": 7, "id": 1}', -32600),
    ):
        client.send_bytes(b"Content-Length: %d\r\nContent-Type: x\r\n\r\n%s" % (len(body), body))
        c.equal(f"{body[:20]!r}", client.receive().get("error", {}).get("code"), code)
    for params in (
        {},
        {"textDocument": []},
        {"textDocument": {"uri": 7}, "position": {"line": 0, "character": 0}},
        {"textDocument": {"uri": "file:///none"}, "position": {"line": 0, "character": 0}},
    ):
        c.equal(f"{params}", client.request("textDocument/hover", **params)["error"]["code"], -32602)
    client.open(URI, TEXT)
    for place in ({"line": -1, "character": 0}, {"line": 0}, {"line": "0", "character": 0}, 7):
        answer = client.request("textDocument/definition", textDocument={"uri": URI}, position=place)
        c.equal(f"{place}", answer["error"]["code"], -32602)
    far = {"line": 10**9, "character": 10**9}
    for method in ("hover", "definition", "completion", "references"):
        answer = client.request("textDocument/" + method, textDocument={"uri": URI}, position=far)
        c.true(f"{method} far behind the end", "result" in answer)
    backwards = {"start": far, "end": {"line": 0, "character": 0}}
    for change in ({}, {"text": 7}, {"text": "", "range": backwards}):
        client.notify(
            "textDocument/didChange", textDocument={"uri": URI, "version": 3}, contentChanges=[change, 5]
        )
    tree = client.ask("textDocument/documentSymbol", textDocument={"uri": URI})
    c.equal("the text is as it was", len(tree), 3)
    client.ask("shutdown")
    c.equal("after shutdown", client.request("textDocument/hover")["error"]["code"], -32600)
    client.notify("exit")
    c.equal("exit code", client.process.wait(60), 0)


def check_ends(c):
    """Inputs that end the server."""
    for data in (
        b"",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n{}",
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: 50\r\n\r\n{}",
        b"nonsense\r\n\r\n{}",
        b"x" * 100000,
        b"\0" * 100,
    ):
        client = Client()
        try:
            client.send_bytes(data)
        except BrokenPipeError:
            pass  # it may end before it has read all
        client.process.stdin.close()
        c.equal(f"exit code after {data[:30]!r}", client.process.wait(60), 1)
    client = Client()
    client.start()
    client.notify("exit")
    c.equal("exit without shutdown", client.process.wait(60), 1)


def check_states(c):
    """Every prefix of a text, as if it were typed: no request may fail or hang."""
    client = Client()
    client.start()
    for n in range(0, len(TEXT), 7):
        client.open(URI, TEXT[:n], n + 1)
        for method in ("documentSymbol", "formatting"):
            client.ask("textDocument/" + method, textDocument={"uri": URI}, options={})
        actions(client, TEXT[:n].count("\n"))
        lines = TEXT[:n].split("\n")
        place = (len(lines) - 1, len(lines[-1]))
        for method in ("hover", "definition", "completion"):
            client.at(method, URI, *place)
        client.at("references", URI, *place, context={"includeDeclaration": True})
    c.equal("exit code", client.stop(), 0)


def check_large(c):
    """Twenty thousand functions, and one line of a million bytes."""
    functions = "".join(f".func f{i}() {{ .reg .b32 %r<2>; mov.b32 %r1, {i}; ret; }}\n" for i in range(20000))
    line = "add.u32 %r0, %r0, 1; " * 50000
    for text, n in ((functions, 20000), (".entry k() { .reg .b32 %r<1>; " + line + "}", 1)):
        client = Client()
        client.start()
        client.open(URI, ".version 8.0\n.target sm_90\n" + text)
        c.equal("errors", client.wait_for_diagnostics(URI, 1), [])
        c.equal("symbols", len(client.ask("textDocument/documentSymbol", textDocument={"uri": URI})), n)
        edits = client.ask("textDocument/formatting", textDocument={"uri": URI}, options={})
        c.equal("edits", len(edits), 1)
        c.equal("exit code", client.stop(), 0)


def main():
    if not os.path.exists(PTXAS):
        print(f"no {PTXAS}")
        return 1
    checks = Checks()
    for check in (
        check_session,
        check_broken,
        check_actions,
        check_completion,
        check_encodings,
        check_options,
        check_protocol,
        check_ends,
        check_states,
        check_large,
    ):
        try:
            check(checks)
        except (AssertionError, EOFError, TimeoutError, BrokenPipeError) as fault:
            checks.failed += 1
            print(f"{check.__name__}: {type(fault).__name__}: {fault}")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
