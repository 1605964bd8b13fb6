#!/usr/bin/env python3
"""Freezes which combinations of modifiers and operands NVIDIA's ptxas takes, with the least target and
version of each.

usage: combinations.py [--build DIR] [--dry] [OPCODE...]      all opcodes of combinations.txt without
arguments

Asks ptxas about every combination that a row of the table has (BUILD/tests/isa_list writes them) on every
target,
and for the lowest version on the lowest target. Then about their neighbours, drawn at random: one word
replaced,
added or removed, with several operand lists. A combination of ours that no target takes and a neighbour that
some
target takes are reported: the row is wrong. What was accepted is written to combinations.txt, which make test
holds
against the table. --dry writes nothing.
"""
import argparse
import collections
import functools
import itertools
import os
import random
import re
import subprocess
import sys

import judge

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FILE = os.path.join(HERE, "combinations.txt")
OPCODES = "ld st atom red setp set wgmma cp tcgen05 multimem".split()
# targets on which a neighbour is tried, by opcode
TRIED = {
    "wgmma": ["sm_90a"],
    "tcgen05": ["sm_100a", "sm_103a"],
    "cp": ["sm_100a", "sm_90a"],
    "multimem": ["sm_100a"],
}
VERSIONS = [
    10,
    11,
    12,
    13,
    14,
    15,
    20,
    21,
    22,
    23,
    30,
    31,
    32,
    40,
    41,
    42,
    43,
    50,
    51,
    60,
    61,
    62,
    63,
    64,
    65,
    70,
    71,
    72,
    73,
    74,
    75,
    76,
    77,
    78,
    80,
    81,
    82,
    83,
    84,
    85,
    86,
    87,
    88,
    90,
]
NEWEST = 90
# registers for types that cannot be declared
HELD = {
    "bf16": "b16",
    "bf16x2": "b32",
    "tf32": "b32",
    "u16x2": "b32",
    "s16x2": "b32",
    "f32x2": "b64",
    "e4m3": "b8",
    "e5m2": "b8",
    "e4m3x2": "b16",
    "e5m2x2": "b16",
    "e4m3x4": "b32",
    "e5m2x4": "b32",
    "b1": "b32",
}
DECLARED = set("pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 f32 f64".split())
# opcodes whose operands follow the type, the vector length and the cache hint
RESHAPED = "ld st atom red multimem".split()
VECTORS = {"v2": 2, "v4": 4, "v8": 8}
HINT = "L2::cache_hint"


def overlooked():
    """Words that ptxas takes on instructions of others and ignores there ("overlooked" lines of the
    table)."""
    with open(os.path.join(ROOT, "grammar", "isa.tbl")) as file:
        lines = [line.split() for line in file if line.startswith("overlooked ")]
    return {word for words in lines for word in words[1 : words.index("on") if "on" in words else len(words)]}


IGNORED = overlooked()

Target = collections.namedtuple("Target", "name version arch number")


def targets():
    """The targets of names.tbl; ptxas generates code for sm_75 and later, which takes modules of all earlier
    targets."""
    found = []
    with open(os.path.join(ROOT, "grammar", "names.tbl")) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["target"]:
                number = int(re.sub(r"\D", "", words[1]))
                arch = (
                    "sm_75"
                    if number < 75
                    else {"sm_101": "sm_103", "sm_101a": "sm_110a", "sm_101f": "sm_110"}.get(
                        words[1], words[1]
                    )
                )
                found.append(Target(words[1], int(words[2].replace(".", "")), arch, number))
    return [t for t in found if t.version <= NEWEST]


TARGETS = targets()


def module(version, target):
    return judge.Module(version, target.name, target.arch)


class Combination(collections.namedtuple("Combination", "opcode key operands")):
    """key: words and operand shape as in unit/expand.h"""

    __slots__ = ()

    @property
    def words(self):
        return tuple(self.key.split(" ")[0].split(".")[1:])

    @property
    def text(self):
        return self.opcode + self.key.split(" ")[0] + " " + self.operands


def combinations(build, opcode):
    out = subprocess.run(
        [os.path.join(build, "tests", "isa_list"), opcode], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    found = {}
    for line in out.splitlines():
        key, operands = line.split("\t")
        found.setdefault(key, Combination(opcode, key, operands))
    return list(found.values())


# ---- what a combination needs ----


def on_targets(texts):
    """{text: set of target indices} with the newest version."""
    found = {t: set() for t in texts}
    for index, target in enumerate(TARGETS):
        refused = judge.refusals(module(NEWEST, target), texts)
        for t in texts:
            if t not in refused:
                found[t].add(index)
    return found


def lowest(indices):
    """The target that came first."""
    return min(indices, key=lambda i: (TARGETS[i].version, i))


def versions(where):
    """{text: lowest version on its first target}"""
    low = {t: VERSIONS.index(TARGETS[lowest(s)].version) for t, s in where.items()}
    high = {t: VERSIONS.index(NEWEST) for t in where}
    while any(low[t] < high[t] for t in where):
        groups = collections.defaultdict(list)
        for t in where:
            if low[t] < high[t]:
                groups[lowest(where[t]), (low[t] + high[t]) // 2].append(t)
        for (target, at), texts in groups.items():
            refused = judge.refusals(module(VERSIONS[at], TARGETS[target]), texts)
            for t in texts:
                if t in refused:
                    low[t] = at + 1
                else:
                    high[t] = at
    return {t: VERSIONS[i] for t, i in low.items()}


def targets_text(indices):
    """sm_70 for all from there on, else the list."""
    least = min(TARGETS[i].number for i in indices)
    if indices == {i for i, t in enumerate(TARGETS) if t.number >= least}:
        return f"sm_{least}"
    return ",".join(TARGETS[i].name for i in sorted(indices)) + ("," if len(indices) == 1 else "")


def needs(items):
    """{combination: "version targets"} of those that some target takes."""
    where = {t: s for t, s in on_targets([c.text for c in items]).items() if s}
    least = versions(where)
    return {
        c: f"{least[c.text] // 10}.{least[c.text] % 10} {targets_text(where[c.text])}"
        for c in items
        if c.text in where
    }


# ---- neighbours ----


def register_of(word):
    return word if word in DECLARED else HELD.get(word)


def kind_of(words, table):
    return next((w for w in words if w in table), None)


def data_type(words):
    return next((w for w in reversed(words) if register_of(w)), None)


def split(operands):
    """Operands at the commas outside of brackets."""
    return re.findall(r"(?:\{[^}]*\}|\[[^\]]*\]|[^,\[{])+", operands.replace(", ", ","))


def reshaped(origin, words):
    """The origin's operands with the type, the vector length and the policy that the words ask for."""
    old, new = register_of(data_type(origin.words) or "u32"), register_of(data_type(words) or "u32")
    count = VECTORS.get(kind_of(words, VECTORS), 1)
    operands = split(origin.operands)
    if HINT in origin.words:
        operands.pop()
    fresh = itertools.count()
    for i, operand in enumerate(operands):
        if re.match(r"\{?%" + old + r"_", operand):
            names = [f"%{new}_{next(fresh)}" for _ in range(count)]
            operands[i] = "{" + ",".join(names) + "}" if count > 1 else names[0]
    return ", ".join(operands + (["%b64_200"] if HINT in words else []))


@functools.lru_cache(None)
def shape(operands):
    """The shape of unit/expand.h, predicates counted as registers."""

    def one(operand):
        count = operand.count(",") + 1
        if operand[0] == "{":
            return f"{{{count}}}"
        if operand[0] == "[":
            return f"t{{{operand.count(',')}}}" if "{" in operand else "a"
        return "P" if "|" in operand else "r" if operand[0] == "%" else "i"

    return ",".join(one(o) for o in split(operands))


def meaning(words, operands):
    """What makes two texts the same combination: the order of words counts among types only."""
    return (
        tuple(sorted(w for w in words if not register_of(w))),
        tuple(w for w in words if register_of(w)),
        shape(operands),
    )


def orders(items):
    """Where a word stands on average, to place it in a list that has no place for it."""
    places = collections.defaultdict(list)
    for c in items:
        for i, word in enumerate(c.words):
            places[word].append((i + 1) / (len(c.words) + 1))
    return {word: sum(p) / len(p) for word, p in places.items() if word not in IGNORED}


def change(words, order, rng):
    """The list with one word replaced, added or removed; None when a word that is no type would stand
    twice."""
    at = rng.randrange(len(words) + 1)
    other = rng.choice([None, *order])
    if other in words and not register_of(other):
        return None
    new = (other,) if other else ()
    if at < len(words):
        return words[:at] + new + words[at + 1 :]
    place = next((i for i, w in enumerate(words) if other and order.get(w, 0) > order[other]), len(words))
    return words[:place] + new + words[place:]


def shapes(items):
    """[(words that all combinations with these operands have, operands)]"""
    common = {}
    for c in items:
        words = set(c.words)
        common[c.operands] = common[c.operands] & words if c.operands in common else words
    return sorted(((words, operands) for operands, words in common.items()), key=lambda x: -len(x[0]))


def neighbours(opcode, items, count, rng):
    """Texts next to the combinations, none of them a combination itself."""
    order, known = orders(items), {meaning(c.words, c.operands) for c in items}
    pool, seen, texts = shapes(items), {}, set()
    for _ in range(count):
        c = rng.choice(items)
        words = change(c.words, order, rng)
        if words is None:
            continue
        if words not in seen:
            mine = set(words)
            seen[words] = list(itertools.islice((o for need, o in pool if need <= mine), 2))
        offered = seen[words] + [
            c.operands,
            reshaped(c, words) if opcode in RESHAPED else c.operands,
            rng.choice(items).operands,
        ]
        texts.update((words, o) for o in offered)
    return [
        opcode + "".join("." + w for w in words) + " " + o
        for words, o in sorted(texts)
        if meaning(words, o) not in known
    ]


def accepted_neighbours(opcode, items, count, rng):
    texts = neighbours(opcode, items, count, rng)
    accepted = {}
    for name in TRIED.get(opcode, ["sm_100a"]):
        target = next(t for t in TARGETS if t.name == name)
        refused = judge.refusals(module(NEWEST, target), texts)
        taken = [t for t in texts if t not in refused]
        unmade = judge.not_compiled(module(NEWEST, target), taken) if taken else {}
        accepted.update((t, name) for t in taken if t not in unmade)
    return len(texts), accepted


# ---- the frozen file ----


def automaton(needed, classes):
    """The least automaton of the keys: a list of states, children first; the last one is the start."""
    tree = {}
    for c, need in needed.items():
        node = tree
        for word in c.words:
            node = node.setdefault("." + word, {})
        node[c.key.partition(" ")[2] or "-"] = classes.setdefault(need, len(classes))
    states, numbers = [], {}

    def number(node):
        edges = collections.defaultdict(list)
        for label, child in sorted(node.items()):
            edges[f"={child}" if isinstance(child, int) else f">{number(child)}"].append(label)
        text = " ".join(
            " ".join(labels) + " " + goal for goal, labels in sorted(edges.items(), key=lambda e: e[1])
        )
        if text not in numbers:
            numbers[text] = len(states)
            states.append(text)
        return numbers[text]

    number(tree)
    return states


def frozen():
    """What the file has: the requirements by number, and opcode -> (count, states)."""
    classes, bodies = [], {}
    with open(FILE) as file:
        for line in file:
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "class":
                classes.append(rest.partition(" ")[2])
            elif kind == "opcode":
                opcode, count = rest.split()
                bodies[opcode] = (int(count), [])
            elif kind != "#":
                bodies[opcode][1].append(rest)
    return classes, bodies


def write(results):
    """The new results; what the file has of other opcodes stays, and with it the numbers of the
    requirements."""
    old, kept = frozen() if os.path.exists(FILE) else ([], {})
    classes, bodies = {need: i for i, need in enumerate(old if set(kept) - set(results) else [])}, []
    for opcode in sorted(
        {*kept, *results}, key=lambda o: (OPCODES.index(o) if o in OPCODES else len(OPCODES), o)
    ):
        if opcode in results:
            count, states = len(results[opcode]), automaton(results[opcode], classes)
        else:
            count, states = kept[opcode]
        bodies.append(f"opcode {opcode} {count}\n" + "".join(f"{i} {s}\n" for i, s in enumerate(states)))
    with open(FILE, "w") as out:
        out.write(
            "# Made by combinations.py: every combination of modifiers and operands that ptxas 13.0 "
            "accepts, as the least automaton.\n"
            "# class N VERSION TARGETS: a requirement: the first version on the first target; sm_X: "
            "that and all later; a list, else\n"
            "# opcode NAME COUNT, then its states, the start last: STATE, then labels and >STATE, or "
            "labels and =CLASS at the end.\n"
        )
        out.write("".join(f"class {i} {need}\n" for need, i in classes.items()) + "".join(bodies))


def report(title, lines, most=40):
    print(f"  {title}: {len(lines)}")
    for line in lines[:most]:
        print("    " + line)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--neighbours", type=int, default=200000, help="changes to try for each opcode")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("opcodes", nargs="*", default=OPCODES)
    args = parser.parse_args()
    results, wrong = {}, 0
    for opcode in args.opcodes:
        items = combinations(args.build, opcode)
        needed = results[opcode] = needs(items)
        refused = [c.text for c in items if c not in needed]
        print(f"{opcode}: {len(items)} combinations, {len(needed)} accepted", flush=True)
        report("no target takes", refused)
        wrong += len(refused)
        asked, accepted = accepted_neighbours(opcode, items, args.neighbours, random.Random(args.seed))
        report(f"accepted neighbours of {asked}", [f"{name} {t}" for t, name in accepted.items()])
        wrong += len(accepted)
    if not args.dry:
        write(results)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
