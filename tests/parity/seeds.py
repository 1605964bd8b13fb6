"""Cuts PTX files into tiny accepted modules: one instruction (or one call block) with just the declarations
it names.

The split is shallow on purpose: statements, braces and names, no knowledge of instructions. Whether a cut is
right is decided by the oracle: a seed that it does not accept is tried again with every declaration of its
file and then dropped.
"""
import re

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|(\"(?:[^\"\n])*\")", re.S)
NAME = re.compile(r"[A-Za-z_$%][\w$]*")
LINE_DIRECTIVE = re.compile(r"\s*(\.version|\.target|\.address_size|\.file|\.loc|@@DWARF)\b[^\n;]*(\n|$)")
LABEL = re.compile(r"\s*([A-Za-z_$%][\w$]*)\s*:(?!:)")


def strip_comments(text):
    return COMMENT.sub(lambda m: m[1] if m[1] else " ", text)


def balanced(text, start):
    """index after the bracket that closes the one at `start`"""
    depth, i = 0, start
    while i < len(text):
        if text[i] == '"':
            i = text.find('"', i + 1)
            if i < 0:
                return len(text)
        elif text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return len(text)


def split_statements(text):
    """the statements of a body (or the items of a module), each a stripped string; labels apart"""
    out, i = [], 0
    while i < len(text):
        m = LINE_DIRECTIVE.match(text, i)
        if m:
            out.append(" ".join(m[0].split()))
            i = m.end()
            continue
        m = re.compile(r"\s+").match(text, i)
        if m:
            i = m.end()
            continue
        m = LABEL.match(text, i)
        if m and not re.match(
            r"\s*\.(callprototype|branchtargets|calltargets)", text[m.end() : m.end() + 40]
        ):
            out.append(m[1] + ":")
            i = m.end()
            continue
        j = i
        while j < len(text) and text[j] != ";":
            if text[j] == '"':
                j = max(text.find('"', j + 1), j)
            if text[j] == "{":
                head = text[i:j]
                end = balanced(text, j)
                if not head.strip() or re.search(r"\.(entry|func|section)\b", head):
                    j = end - 1
                    break
                j = end - 1
            j += 1
        out.append(text[i : j + 1].strip())
        i = j + 1
    return [s for s in out if s]


def squash(statement):
    return " ".join(statement.split())


class Function:
    def __init__(self, text):
        brace = text.find("{")
        self.head = squash(text[:brace] if brace >= 0 else text.rstrip(";"))
        self.body = split_statements(text[brace + 1 : text.rindex("}")]) if brace >= 0 else None
        m = re.search(
            r"\.(?:entry|func)\b(?:\s*\.attribute\s*\([^;{]*?\)\s*\))?\s*(\([^)]*\))?\s*([A-Za-z_$%][\w$]*)",
            self.head,
        )
        self.name = m[2] if m else "?"
        body = self.body or []
        self.declarations = [t for t in body if is_declaration(t)]
        self.tables = [t for t in body if re.match(r"[\w$%]+\s*:\s*\.", t)]
        self.labels = set(t[:-1] for t in body if t.endswith(":"))


class Module:
    """header lines, items between functions, functions"""

    def __init__(self, text):
        self.header, self.items, self.functions = [], [], []
        for s in split_statements(strip_comments(text)):
            if s.startswith((".version", ".target", ".address_size")) and not self.functions:
                self.header.append(s)
            elif re.search(r"\.(entry|func)\b", s.split("{")[0].split("=")[0]) and not s.startswith(
                ".section"
            ):
                self.functions.append(Function(s))
            else:
                self.items.append(s if s.startswith((".section", "@@DWARF")) else squash(s))


def is_declaration(s):
    return (
        re.match(r"(\.(visible|extern|weak|common)\s+)?\.(reg|global|const|shared|local|param|tex)\b", s)
        is not None
    )


def names_declared(s):
    """(plain names, prefixes of name<N>) that a declaration makes known"""
    s = s.split("=")[0]
    s = re.sub(r"\.attribute\s*\([^;]*?\)\s*\)|\.align\s+\d+|\.[a-z]\w*(::\w+)?", " ", s)
    return (
        set(NAME.findall(re.sub(r"[\w$%]+\s*<", "<", s))),
        set(m for m in re.findall(r"([\w$%]+)\s*<", s)),
    )


def wants(names, s):
    plain, ranges = names_declared(s)
    return bool(plain & names) or any(re.fullmatch(re.escape(r) + r"\d+", n) for r in ranges for n in names)


def block_lines(s, indent="\t"):
    """a statement as lines; a nested block is opened up"""
    if s.startswith("{"):
        inner = [l for t in split_statements(s[1 : s.rindex("}")]) for l in block_lines(t, indent + "\t")]
        return [indent + "{"] + inner + [indent + "}"]
    return [indent + squash(s)]


def cut_statement(module, function, k, everything=False):
    """the module reduced to statement k of a function; None when that is no instruction"""
    s = function.body[k]
    if (
        is_declaration(s)
        or s.endswith(":")
        or s.startswith((".loc", ".pragma"))
        or not s.endswith((";", "}"))
    ):
        return None
    names = set(NAME.findall(s))
    heads, local = [], []
    for t in reversed(function.declarations):
        if everything or wants(names, t):
            local.insert(0, t)
            names |= set(NAME.findall(t.split("=")[1])) if "=" in t else set()
    for t in function.tables:
        if NAME.match(t)[0] in names and t is not s:
            local.append(t)
            names |= set(NAME.findall(t))
    labels = [name + ":" for name in sorted(names & function.labels)]
    params = set(NAME.findall(function.head)) - {function.name}
    keep_head = everything or bool(params & set(NAME.findall(s)))
    items = []
    for t in reversed(module.items):
        if everything or (is_declaration(t) and wants(names, t)):
            items.insert(0, t)
            names |= set(NAME.findall(t))
    for f in module.functions:
        if f is not function and f.name in names:
            body = " { ret; }" if f.body is not None else ";"
            if f.body is not None and len(f.body) <= 3:
                body = " { " + " ".join(squash(b) for b in f.body) + " }"
            heads.append(f.head + body)
    head = function.head if keep_head else ".entry k()"
    lines = module.header + items + heads + [head, "{"]
    for t in local:
        lines += ["\t" + squash(t)]
    lines += block_lines(s)
    lines += labels
    if not re.match(r"(ret|exit)\b", s):
        lines.append("\tret;")
    return "\n".join(lines + ["}"]) + "\n"


def cut_declarations(module):
    """small modules about declarations: each item alone, each function's head with an empty body"""
    for t in module.items:
        if is_declaration(t) and len(t) < 200:
            names = set(NAME.findall(t.split("=", 1)[1])) if "=" in t else set()
            more = [u for u in module.items if u is not t and is_declaration(u) and names and wants(names, u)]
            yield "\n".join(module.header + more + [t, ".entry k()", "{", "\tret;", "}"]) + "\n"
    for f in module.functions:
        if len(f.head) < 300:
            tail = ["{", "\tret;", "}"] if f.body is not None else [";"]
            yield "\n".join(module.header + [f.head] + tail) + "\n"
            for t in f.body or []:
                if is_declaration(t) and len(t) < 200:
                    yield "\n".join(
                        module.header + [".entry k()", "{", "\t" + squash(t), "\tret;", "}"]
                    ) + "\n"


def signature(statement):
    """opcode, modifiers and kinds of operands: statements of one signature are one seed"""
    guard, opcode, rest = re.match(r"(@!?[%\w$]+\s+)?(\S*)(.*)", squash(statement)).groups()
    rest = re.sub(r"(?<![\w$%.])(0[fdFDxX][0-9A-Fa-f]+|\d+)\b", "0", rest)
    rest = re.sub(r"(?<![\w$%.])[A-Za-z_$][\w$]*", "n", rest)
    return ("@ " if guard else "") + opcode + re.sub(r"(?<=[A-Za-z])\d+\b(?!\.)", "", rest)


def tidy(text):
    """a whole small file, comments away, one line per line"""
    lines = [l.rstrip() for l in strip_comments(text).split("\n")]
    return "\n".join(l for l in lines if l.strip()) + "\n"


def target_of(text):
    m = re.search(r"\.target\s+(sm_\w+)", text)
    return m[1] if m else "sm_75"
