#!/usr/bin/env python3
"""What do compilers emit, and does the generator? Counts shapes and forms in PTX.

Each group is a name and PTX files (folders are searched); the group `random` is made of --count programs of
build/tests/random. Prints, for each shape below, the functions of each group that have it, per thousand;
with --forms the opcodes with their modifiers that some group has and the random programs have not.

usage: tests/random/shapes.py [--count N] [--seed N] [--random PROGRAM] [--forms] [NAME=FILE|DIR...]

A shape is what an engine's passes may treat specially: how values reach addresses, branches and calls. It
is found in the text by its definitions and uses, without liveness, so the numbers are estimates; what
counts is whether a column is zero.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REGISTER = re.compile(r"%[A-Za-z_$][\w$]*")
SPECIAL = re.compile(r"%(n?tid|n?ctaid|laneid|warpid|clock|lanemask|envreg|smid|globaltimer|cluster|dynamic)")
NO_RESULT = set("st red bar barrier bra brx ret exit trap prefetch membar fence call".split())


class Inst:
    """An instruction: guard, opcode, modifiers, what it writes and reads, its place."""

    def __init__(self, text, block):
        match = re.match(r"(?:@(!?)(%[\w$]+)\s+)?([a-z]\w*)((?:\.[\w:]+)*)\s*(.*)$", text, re.S)
        self.ok = bool(match)
        if not match:
            return
        self.negated, self.guard, self.opcode, mods, self.rest = match.groups()
        self.mods = mods.split(".")[1:]
        self.form = self.opcode + mods
        self.block = block
        parts = split_operands(self.rest)
        writes = self.opcode not in NO_RESULT and not (self.opcode == "cp" or self.opcode == "wgmma")
        first = parts[0] if parts else ""
        if self.opcode == "call":
            writes = first.startswith("(")
        self.dst = [r for r in REGISTER.findall(first)] if writes and "[" not in first else []
        others = parts[1:] if self.dst else parts
        self.parts = parts
        self.src = [r for p in others for r in REGISTER.findall(p) if not SPECIAL.match(r)]
        self.address = [r for p in parts if "[" in p for r in REGISTER.findall(p)]
        self.memory = self.opcode in ("ld", "st", "atom", "red", "ldu")


def split_operands(text):
    parts, depth, now = [], 0, ""
    for c in text:
        depth += c in "({["
        depth -= c in ")}]"
        if c == "," and not depth:
            parts.append(now.strip())
            now = ""
        else:
            now += c
    return parts + ([now.strip()] if now.strip() else [])


class Function:
    """A function: its instructions in blocks, labels, definitions and uses."""

    def __init__(self, header, body):
        self.header, self.body = header, body
        self.entry = ".entry" in header
        self.insts, self.labels = [], {}
        block = 0
        for text in re.split(r"[;{}](?![^\[]*\])|(?<=:)(?=\s)", re.sub(r"\{([^{};]*)\}", r"<\1>", body)):
            text = text.strip().replace("<", "{").replace(">", "}")
            label = re.match(r"([\w$]+):$", text)
            if label:
                block += 1
                self.labels[label[1]] = len(self.insts)
                continue
            if not text or text.startswith("."):
                continue
            inst = Inst(text, block)
            if not inst.ok:
                continue
            self.insts.append(inst)
            if inst.opcode in ("bra", "brx", "ret", "exit"):
                block += 1
        self.defs, self.uses = collections.defaultdict(list), collections.defaultdict(list)
        for at, inst in enumerate(self.insts):
            for r in inst.dst:
                self.defs[r].append(at)
            for r in inst.src + ([inst.guard] if inst.guard else []):
                self.uses[r].append(at)
        self.loops = []
        for at, inst in enumerate(self.insts):
            target = self.labels.get(inst.rest.strip()) if inst.opcode == "bra" else None
            if target is not None and target <= at:
                self.loops.append((target, at))

    def only(self, r):
        """The one instruction that defines the register, or None."""
        return self.insts[self.defs[r][0]] if len(self.defs[r]) == 1 else None

    def has(self, test):
        return any(test(i) for i in self.insts)


# ---- shapes ----

SHAPES = []


def shape(name):
    def add(test):
        SHAPES.append((name, test))
        return test

    return add


def forms(name, pattern):
    SHAPES.append((name, lambda f, p=re.compile(pattern): f.has(lambda i: p.match(i.form))))


@shape("structure as a kernel's parameter")
def _(f):
    loads = f.has(lambda i: i.form.startswith("ld.param"))
    return f.entry and loads and bool(re.search(r"\.b8\s+\w+\[", f.header))


@shape("pointer inside a structure parameter")
def _(f):
    names = set(re.findall(r"\.b8\s+([\w$]+)\[", f.header))
    for i in f.insts:
        at = re.search(r"\[([\w$]+)(?:\+\d+)?\]", i.rest)
        wide = i.form in ("ld.param.u64", "ld.param.b64")
        if wide and at and at[1] in names and reaches_address(f, i.dst[0]):
            return f.entry
    return False


def reaches_address(f, r, depth=4):
    for at in f.uses[r]:
        i = f.insts[at]
        if r in i.address or (depth and i.dst and i.opcode in ("add", "mov", "cvta", "mad") and
                              reaches_address(f, i.dst[0], depth - 1)):
            return True
    return False


@shape("parameter's address in a register")
def _(f):
    names = set(re.findall(r"\.param[^,()]*?([\w$]+)(?:\[\d+\])?\s*(?=[,)])", f.header))
    return f.has(lambda i: i.opcode == "mov" and i.parts[-1] in names)


@shape("vector load of parameters")
def _(f):
    return f.has(lambda i: i.form.startswith("ld.param.v"))


@shape("structure passed to or from a function")
def _(f):
    return not f.entry and ".b8 " in f.header and "[" in f.header


@shape("function without a result")
def _(f):
    return not f.entry and bool(re.match(r"[^(]*\.func\s+[\w$]", f.header))


@shape("call in a loop")
def _(f):
    return any(f.insts[k].opcode == "call" for a, b in f.loops for k in range(a, b))


@shape("address of a local variable passed to a call")
def _(f):
    if not f.has(lambda i: i.opcode == "call"):
        return False
    return f.has(lambda i: i.form.startswith("st.param.b64") and comes_from(f, i.src[-1:], "cvta"))


def comes_from(f, registers, opcode, depth=4):
    for r in registers:
        for at in f.defs[r]:
            i = f.insts[at]
            if i.opcode == opcode and "to" not in i.mods:
                return True
            if depth and i.opcode in ("add", "mov") and comes_from(f, i.src, opcode, depth - 1):
                return True
    return False


@shape("loop by an index of 64 bits")
def _(f):
    for a, b in f.loops:
        guard = f.insts[b].guard
        for at in f.defs[guard] if guard else []:
            if a <= at <= b and f.insts[at].opcode == "setp" and f.insts[at].mods[-1] in ("s64", "u64"):
                return True
    return False


def stepped(f, r):
    """Places where r = r + something."""
    return [at for at in f.defs[r] if f.insts[at].opcode == "add" and r in f.insts[at].src]


@shape("an index that grows by a register that stays in the loop")
def _(f):
    for a, b in f.loops:
        for at in range(a, b + 1):
            i = f.insts[at]
            if i.opcode != "add" or not i.dst or i.dst[0] not in i.src:
                continue
            other = [r for r in i.src if r != i.dst[0]]
            if other and all(not any(a <= d <= b for d in f.defs[r]) for r in other):
                return True
    return False


@shape("several arrays by one stepped offset")
def _(f):
    for r in list(f.defs):
        if not stepped(f, r):
            continue
        sums = [at for at in f.uses[r] if f.insts[at].opcode == "add" and f.insts[at].dst[0] != r]
        if sum(any(f.insts[at].dst[0] in i.address for i in f.insts) for at in sums) >= 2:
            return True
    return False


@shape("a stepped offset that no load or store goes through")
def _(f):
    for r in list(f.defs):
        if stepped(f, r) and not any(r in i.address for i in f.insts) and len(f.defs[r]) > len(stepped(f, r)):
            for at in f.uses[r]:
                i = f.insts[at]
                if i.form in ("add.s64", "add.u64") and i.dst[0] != r and reaches_address(f, i.dst[0], 1):
                    return True
    return False


@shape("an address is changed after its use, in one block")
def _(f):
    for at, i in enumerate(f.insts):
        for r in i.address if i.memory else []:
            if any(d > at and f.insts[d].block == i.block for d in f.defs[r]):
                return True
    return False


@shape("two loops with different numbers of loads")
def _(f):
    steps = collections.Counter()
    for a, b in f.loops:
        loads = sum(f.insts[k].opcode == "ld" for k in range(a, b))
        steps[min(loads, 4)] += 1
    return len([k for k in steps if k]) > 1


@shape("division chosen by high halves")
def _(f):
    return f.has(lambda i: i.form == "and.b64" and "-4294967296" in i.rest)


@shape("high half by a shift or an unpacking move")
def _(f):
    def is_half(i):
        shift = i.opcode == "shr" and i.rest.strip().endswith(" 32")
        return shift or (i.form == "mov.b64" and i.parts and i.parts[0].startswith("{"))

    return f.has(is_half)


@shape("unpacking with a sink")
def _(f):
    return f.has(lambda i: i.opcode == "mov" and i.parts and bool(re.match(r"\{.*\b_\b", i.parts[0])))


@shape("read before it is written")
def _(f):
    formal = set(REGISTER.findall(f.header))
    return any(f.uses[r] and not f.defs[r] and r not in formal for r in list(f.uses))


@shape("register with several definitions that meet")
def _(f):
    return any(len({f.insts[at].block for at in d}) > 1 for d in f.defs.values())


@shape("chain of selp, three and more")
def _(f):
    for i in f.insts:
        depth = 0
        while i and i.opcode == "selp" and depth < 3:
            depth += 1
            i = next((f.only(r) for r in i.src if f.only(r) and f.only(r).opcode == "selp"), None)
        if depth == 3:
            return True
    return False


@shape("predicate of and.pred, or.pred, not.pred to a branch")
def _(f):
    ops = ("and.pred", "or.pred", "not.pred", "xor.pred")
    guards = {i.guard for i in f.insts if i.opcode == "bra" and i.guard}
    return any(f.insts[d].form in ops for guard in guards for d in f.defs[guard])


@shape("store under a predicate")
def _(f):
    return f.has(lambda i: i.opcode == "st" and i.guard)


@shape("vector load under a predicate, over zeros")
def _(f):
    return f.has(lambda i: i.opcode == "ld" and i.guard and {"v2", "v4"} & set(i.mods) and
                 all(len(f.defs[r]) > 1 for r in i.dst))


@shape("brx.idx behind a bound")
def _(f):
    for at, i in enumerate(f.insts):
        if i.opcode == "brx":
            return any(j.opcode == "bra" and j.guard for j in f.insts[max(0, at - 3):at])
    return False


@shape("loop with several ways out")
def _(f):
    for a, b in f.loops:
        out = sum(1 for k in range(a, b) if f.insts[k].opcode == "bra" and
                  f.labels.get(f.insts[k].rest.strip(), a) > b)
        if out >= 2:
            return True
    return False


@shape("return or exit in a loop")
def _(f):
    return any(f.insts[k].opcode in ("ret", "exit") for a, b in f.loops for k in range(a, b))


@shape("nested loops, three deep")
def _(f):
    return any(sum(a <= c and d <= b for c, d in f.loops if (c, d) != (a, b) and
                   any(c <= e and g <= d for e, g in f.loops if (e, g) != (c, d))) for a, b in f.loops)


@shape("barrier in a loop")
def _(f):
    return any(f.insts[k].opcode in ("bar", "barrier") for a, b in f.loops for k in range(a, b))


@shape("loop that halves or doubles its step")
def _(f):
    return any(f.insts[k].opcode in ("shr", "shl") and f.insts[k].dst and f.insts[k].dst[0] in f.insts[k].src
               for a, b in f.loops for k in range(a, b + 1))


@shape("loop as long as loaded numbers say")
def _(f):
    for a, b in f.loops:
        guard = f.insts[b].guard
        for at in f.defs[guard] if guard else []:
            for r in f.insts[at].src:
                if any(f.insts[d].opcode == "ld" and "param" not in f.insts[d].mods for d in f.defs[r]):
                    return True
    return False


@shape("local array at a computed place")
def _(f):
    for i in f.insts:
        if i.memory and i.address and ("local" in i.mods or comes_from(f, i.address, "cvta")):
            made = [f.insts[d] for r in i.address for d in f.defs[r]]
            if any(j.opcode in ("add", "mad") and len(j.src) > 1 for j in made):
                return True
    return False


@shape("cvta there and back")
def _(f):
    return f.has(lambda i: i.opcode == "cvta" and "to" in i.mods and comes_from(f, i.src, "cvta"))


@shape("load whose address was loaded")
def _(f):
    return f.has(lambda i: i.memory and any(f.only(r) and f.only(r).opcode == "ld" and
                                            "param" not in f.only(r).mods for r in i.address))


@shape("add, sub, mul, shr of 16 bits")
def _(f):
    return f.has(lambda i: i.opcode in ("mul", "add", "sub", "shr") and i.mods[-1] in ("s16", "u16"))


forms("mul.wide and mad.wide", r"(mul|mad)\.wide")
forms("shf, funnel shift", r"shf")
forms("bfe, bfi", r"bf[ei]")
forms("atom.cas", r"atom.*\.cas")
forms("vector load or store", r"(ld|st)\..*\.v[248]")
forms("shuffle", r"shfl")
forms("mma or wgmma", r"(mma|wgmma)")
forms("ldmatrix", r"ldmatrix")
forms("cp.async.wait_group", r"cp\.async\.wait_group")
forms("alloca, stacksave", r"(alloca|stacksave)")


@shape("call of a function whose address was loaded")
def _(f):
    for i in f.insts:
        callee = [p for p in i.parts if p.startswith("%")] if i.opcode == "call" else []
        made = [f.insts[d] for r in callee[:1] for d in f.defs[r]]
        if any(j.opcode == "ld" and "param" not in j.mods for j in made):
            return True
    return False


# ---- groups ----


def functions_of(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^\s*\.(loc|file|pragma)\b[^\n]*", "", text, flags=re.S | re.M)
    at = 0
    while True:
        head = re.compile(r"\.(entry|func)\b").search(text, at)
        if not head:
            return
        brace, end = text.find("{", head.end()), text.find(";", head.end())
        if brace < 0:
            return
        if 0 <= end < brace:
            at = end
            continue
        depth, k = 0, brace
        while k < len(text):
            depth += text[k] == "{"
            depth -= text[k] == "}"
            k += 1
            if not depth:
                break
        yield Function(text[head.start():brace], text[brace + 1:k - 1])
        at = k


def texts_of(group, options):
    name, _, where = group.partition("=")
    if name == "random" and not where:
        for seed in range(options.seed, options.seed + options.count):
            yield subprocess.run(
                [options.random, "--emit", "--seed", str(seed)], capture_output=True, text=True, check=True
            ).stdout
        return
    files = [where]
    if os.path.isdir(where):
        files = sorted(os.path.join(w, n) for w, _, names in os.walk(where) for n in names)
        files = [name for name in files if name.endswith(".ptx")]
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as opened:
            yield opened.read()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", default=os.path.join(ROOT, "build", "tests", "random"))
    parser.add_argument("--forms", action="store_true")
    parser.add_argument("groups", nargs="*")
    options = parser.parse_args()
    groups = options.groups + ["random"]
    table, used, total = {}, {}, {}
    for group in groups:
        name = group.partition("=")[0]
        counts, kinds, n = collections.Counter(), collections.Counter(), 0
        for text in texts_of(group, options):
            for f in functions_of(text):
                n += 1
                for title, test in SHAPES:
                    counts[title] += bool(test(f))
                kinds.update({i.form for i in f.insts})
        table[name], used[name], total[name] = counts, kinds, n
    names = list(table)
    print(f"{'functions':60}" + "".join(f"{total[n]:>9}" for n in names))
    print(f"{'of a thousand':60}" + "".join(f"{n:>9}" for n in names))
    for title, _ in SHAPES:
        print(f"{title:60}" + "".join(f"{1000 * table[n][title] / max(total[n], 1):9.0f}" for n in names))
    if options.forms:
        every = collections.Counter()
        for name in names[:-1]:
            every.update(used[name])
        for form, n in every.most_common():
            if form not in used["random"]:
                print(f"form: {form} {n}: {' '.join(k for k in names[:-1] if used[k][form])}")


if __name__ == "__main__":
    sys.exit(main())
