#!/usr/bin/env python3
"""Do NVIDIA's ptxas and ours give the same verdicts?

Three parts about modules, each asked of both tools with `-arch=T -c`, one process a module:
  files   the folders accept, reject, reject-b and boundary of --facts DIR, with the -arch their index names
  lines   every instruction of the accepted files as a module of its own
  mutants seed modules of a handful of lines with one thing changed (mutate.py), chosen by --seed
  compilers  what nvcc, clang and llc make of committed sources, Triton's kernels (--triton), every form of
  mma and wgmma (compilers.py)
and `options`, the command line, which options.py explains. Printed are agreement, false accepts, false
rejects, the same first error line and text, and the worst opcodes,
messages and mutations, each with an example kept under build/parity/bad/.

Needs NVIDIA's ptxas ($NVIDIA_PTXAS, else PATH); says so and exits 0 when there is none.
"""
import argparse
import csv
import glob
import json
import os
import random
import re
import shutil
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

import compilers
import mutate
import options
import oracle
import seeds

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class Case:
    """One module to judge. `part` is files, lines or mutants; `area` front or isa; `kind` the corpus or the
    mutation."""

    def __init__(
        self, part, name, text, arch, kind, area="isa", options=(), opcode="", line=0, seed="", base=""
    ):
        self.part, self.name, self.text, self.arch, self.kind, self.area = part, name, text, arch, kind, area
        self.options, self.opcode, self.line, self.seed = tuple(options), opcode, line, seed
        self.base = base or opcode  # opcode of the seed
        self.want = self.got = None


# ---- corpora ----


def table(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def options_of(row, key):
    flags = row.get(key) or "-"
    return [] if flags == "-" else [f for f in flags.split() if f != "-c"]


def fact_files(facts):
    """(folder, name, path, arch, options) of every file that an index of the facts names"""
    for index, key in (("accept/index-a.tsv", None), ("accept/index-b.tsv", "flags")):
        for r in table(os.path.join(facts, index)):
            yield "accept", r["file"], os.path.join(facts, "accept", r["file"]), r["arch"], options_of(r, key)
    for r in table(os.path.join(facts, "rejects-b.tsv")):
        yield "reject-b", os.path.basename(r["file"]), os.path.join(facts, r["file"]), r["arch"], options_of(
            r, "flags"
        )
    for index, folder in (
        ("reject/index.tsv", "reject"),
        ("reject/warnings.tsv", "reject"),
        ("boundary.tsv", "boundary"),
    ):
        for r in table(os.path.join(facts, index)):
            yield folder, r["file"], os.path.join(facts, folder, r["file"]), r["arch"], options_of(
                r, "options"
            )


def file_cases(facts):
    for folder, name, path, arch, options in fact_files(facts):
        area = "front" if re.match(r"(ct|decl|dir|fn|hdr|lex|v)_|b_(dir|lim|opq|sp)", name) else "isa"
        yield Case("files", folder + "/" + name, read(path), arch, folder, area, options)


def text_of(path):
    return read(path).decode("utf-8", "replace")


def local_files():
    for pattern in ("samples/*.ptx", "tests/nvcc/ptx/*.ptx", "tests/asm/*.ptx", "tests/exec/*.ptx"):
        yield from sorted(glob.glob(os.path.join(ROOT, pattern)))


def frozen_accepts():
    """the accepted modules of the frozen verdicts: every opcode, when no facts are at hand"""
    sys.path.insert(0, os.path.join(ROOT, "tests", "verdicts"))
    import frozen

    for case in frozen.load_all():
        if case.expected == "accept":
            yield case


class Seed:
    def __init__(self, name, text, arch, family):
        self.name, self.text, self.arch, self.family = name, text, arch, family
        at = [l for l in text.split("\n") if mutate.line_kind(l) == "inst"]
        self.opcode = mutate.opcode_of(at[0]) if at else ""
        self.shape = at[0].split()[0] if at else ""


def instruction_seeds(path, name, arch, ask):
    """every instruction of a file as a module that the oracle accepts, each text once"""
    module = seeds.Module(text_of(path))
    for f in module.functions:
        for k in range(len(f.body or [])):
            for everything in (False, True):
                text = seeds.cut_statement(module, f, k, everything)
                if text is None:
                    break
                if ask(text, arch).accepts:
                    yield Seed("%s#%s.%d" % (name, f.name, k), text, arch, "inst")
                    break


PER_OPCODE = 5


def emitted_cuts(emitted):
    """(name, text, arch, family) of what compilers made: each signature once, PER_OPCODE of an opcode with
    its modifiers, and each kind of declaration and function head"""
    seen, shapes = set(), Counter()

    def wanted(statement):
        sign = seeds.signature(statement)
        shape = sign.replace("@ ", "", 1).split(" ")[0]
        if len(statement) > 1000 or sign in seen or shapes[shape] >= PER_OPCODE:
            return False
        seen.add(sign)
        shapes[shape] += 1
        return True

    for name, text, arch in emitted:
        if all(seeds.signature(line) in seen for line in text.split("\n") if line.endswith(";")):
            continue
        module = seeds.Module(text)
        for f in module.functions:
            for k, statement in enumerate(f.body or []):
                cut = None
                if not seeds.is_declaration(statement) and wanted(statement):
                    cut = seeds.cut_statement(module, f, k)
                if cut:
                    yield "%s#%s.%d" % (name, f.name, k), cut, arch, "inst"
        for i, cut in enumerate(seeds.cut_declarations(module)):
            if wanted("\n".join(cut.split("\n")[3:])):
                yield "%s#d%d" % (name, i), cut, arch, "decl"


def emitted_seeds(emitted, ask, jobs):
    cuts = list(emitted_cuts(emitted))
    with ThreadPoolExecutor(jobs) as pool:
        for cut, verdict in zip(cuts, pool.map(lambda c: ask(c[1], c[2]), cuts)):
            if verdict.accepts:
                yield Seed(*cut)


def fixed_rejects(facts, ask):
    """the rejected modules with their recorded fix applied: accepted ones one step from an error"""
    for r in table(os.path.join(facts, "reject", "index.tsv")):
        if " => " not in r["fix"] or r["options"] not in ("", "-"):
            continue
        old, new = r["fix"].split(" => ", 1)
        text = seeds.tidy(text_of(os.path.join(facts, "reject", r["file"])))
        if old == "(nothing)" or len(text) > 3000:
            continue
        new, arch = "" if new == "(nothing)" else new, r["arch"]
        if new.startswith(".target sm_") and new.split()[1] in mutate.ARCHS:
            arch = new.split()[1]
        for m in re.finditer(re.escape(old), text):
            fixed = text[: m.start()] + new + text[m.end() :]
            if ask(fixed, arch).accepts:
                yield Seed("reject/" + r["file"], fixed, arch, "decl")
                break


def whole_seeds(facts, ask):
    for folder, name, path, arch, options in fact_files(facts):
        if os.path.getsize(path) > 3000 or options or folder.startswith("reject"):
            continue
        text = seeds.tidy(text_of(path))
        if text.count("\n") <= 40 and ask(text, arch).accepts:
            yield Seed(
                folder + "/" + name,
                text,
                arch,
                "decl" if re.match(r"b_(dir|lim|opq|sp)|[a-z]", name) else "inst",
            )


def collect_seeds(facts, ask, jobs, emitted, own):
    """(instruction seeds, declaration seeds), each text once; emitted: by compilers; own: also ours"""
    out, seen = {"inst": [], "decl": []}, set()

    def add(found):
        for s in found:
            if s.text not in seen:
                seen.add(s.text)
                out[s.family].append(s)

    add(emitted_seeds(emitted, ask, jobs))
    if not own:
        return out
    if facts:
        for folder, name, path, arch, options in fact_files(facts):
            if folder == "accept" and not options and not re.match(r"b_(dir|lim|opq|sp_)", name):
                add(instruction_seeds(path, name, arch, ask))
        add(whole_seeds(facts, ask))
        add(fixed_rejects(facts, ask))
    else:
        for case in frozen_accepts():
            add([Seed(case.id, case.text, case.arch, "inst" if case.area == "isa" else "decl")])
    for path in local_files():
        text, name = text_of(path), os.path.relpath(path, ROOT)
        target = seeds.target_of(text)
        arch = target if target in mutate.ARCHS else "sm_75"
        add(instruction_seeds(path, name, arch, ask))
        for i, t in enumerate(seeds.cut_declarations(seeds.Module(text))):
            if ask(t, arch).accepts:
                add([Seed("%s#d%d" % (name, i), t, arch, "decl")])
    return out


def line_cases(found):
    for s in found["inst"]:
        yield Case("lines", s.name, s.text, s.arch, "line", "isa", opcode=s.opcode, seed=s.name)


ISA_KINDS = ("inst_", "header_version", "header_target", "arch")


def mutants(found, seed, count):
    """count different single-change modules; the same for the same seed number and seed modules"""
    voc, groups = mutate.Vocabulary(), defaultdict(lambda: defaultdict(list))
    for s in found["inst"]:
        voc.learn(s.text)
        groups[s.opcode][s.shape].append(s)
    opcodes = sorted(groups)
    weights = [sum(len(v) for v in groups[o].values()) ** 0.5 for o in opcodes]
    seen, n = set(), 0
    for attempt in range(count * 4):
        if n >= count:
            break
        rng = random.Random("%s:%d" % (seed, attempt))
        if rng.random() < 0.75 or not found["decl"]:
            shapes = groups[rng.choices(opcodes, weights)[0]]
            base = rng.choice(shapes[rng.choice(sorted(shapes))])
        else:
            base = rng.choice(found["decl"])
        got, arch = mutate.mutate(rng, base.text, base.family, voc), base.arch
        if not got:
            continue
        kind, at, text = got
        if kind == "header_target":
            target = seeds.target_of(text)
            arch = target if target in mutate.ARCHS and rng.random() < 0.9 else arch
        if rng.random() < 0.02:
            kind, text, arch = "arch", base.text, rng.choice(mutate.ARCHS)
        if (text, arch) in seen:
            continue
        seen.add((text, arch))
        n += 1
        lines = text.split("\n")
        opcode = base.opcode if not kind.startswith("inst_") else mutate.opcode_of(lines[at])
        area = (
            "isa"
            if kind.startswith(ISA_KINDS) and base.family == "inst" or kind.startswith("inst_")
            else "front"
        )
        yield Case(
            "mutants",
            "m%06d" % attempt,
            text,
            arch,
            kind,
            area,
            opcode=opcode,
            line=at + 1,
            seed=base.name,
            base=base.opcode,
        )


# ---- judging and reporting ----


def outcome(case):
    if case.want.crashed:
        return "oracle crash"
    if case.got.crashed:
        return "OUR CRASH"
    if case.want.accepts != case.got.accepts:
        return "false reject" if case.want.accepts else "false accept"
    return "agree"


def template(text):
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'..'", text))[:110]


def judge(cases, asker, jobs, label):
    """fills in one tool's verdicts, several at a time, and prints how fast that went"""
    begin, runs = time.time(), asker.runs

    def one(case):
        return asker.ask(case.text, case.arch, case.options)

    with ThreadPoolExecutor(jobs) as pool:
        verdicts = list(pool.map(one, cases, chunksize=1))
    if asker.cache:
        asker.cache.flush()
    spent, ran = time.time() - begin, asker.runs - runs
    print(
        "%s: %d modules, %d runs in %.0f s (%.0f a second)"
        % (label, len(cases), ran, spent, ran / max(spent, 1e-3)),
        flush=True,
    )
    return verdicts


class Report:
    def __init__(self, folder):
        self.bad = os.path.join(folder, "bad")
        shutil.rmtree(self.bad, ignore_errors=True)
        os.makedirs(self.bad)
        self.examples = Counter()
        self.summary = {}

    def example(self, key, case):
        """keeps up to three files a key; returns the path of this one or None"""
        self.examples[key] += 1
        if self.examples[key] > 3:
            return
        name = "%s.%s.%s.ptx" % (
            re.sub(r"\W+", "_", key)[:60],
            case.name.replace("/", "_").replace("#", "_"),
            case.arch,
        )
        data = case.text if isinstance(case.text, bytes) else case.text.encode("utf-8", "surrogateescape")
        note = "\n// oracle: %s\n// ours:   %s\n// seed %s, %s, line %d\n" % (
            describe(case.want),
            describe(case.got),
            case.seed,
            case.kind,
            case.line,
        )
        with open(os.path.join(self.bad, name), "wb") as f:
            f.write(data + note.encode("utf-8", "surrogateescape"))

    def part(self, title, cases):
        total = Counter(outcome(c) for c in cases)
        judged = [c for c in cases if outcome(c) in ("agree", "false accept", "false reject")]
        both = [c for c in judged if not c.want.accepts and not c.got.accepts]
        line = sum(first(c.want).line == first(c.got).line for c in both)
        text = sum(first(c.want) == first(c.got) for c in both)
        n = len(judged) or 1
        self.summary[title] = dict(
            modules=len(cases),
            judged=len(judged),
            agree=total["agree"],
            false_accept=total["false accept"],
            false_reject=total["false reject"],
            our_crash=total["OUR CRASH"],
            oracle_crash=total["oracle crash"],
            rejects=len(both),
            same_line=line,
            same_text=text,
        )
        print(
            "%-18s %6d modules: agreement %.3f %%, false accepts %d, false rejects %d, our crashes %d, oracle"
            " crashes %d; of %d refused by both: same first line %.2f %%, same text %.2f %%"
            % (
                title,
                len(cases),
                100 * total["agree"] / n,
                total["false accept"],
                total["false reject"],
                total["OUR CRASH"],
                total["oracle crash"],
                len(both),
                100 * line / (len(both) or 1),
                100 * text / (len(both) or 1),
            )
        )

    def worst(self, title, cases, key, limit=25):
        groups = defaultdict(list)
        for c in cases:
            groups[key(c)].append(c)
        print("\n%s" % title)
        for k, members in sorted(groups.items(), key=lambda kv: -len(kv[1]))[:limit]:
            print("  %5d  %s   e.g. %s" % (len(members), k, members[0].name))


NO_DIAG = oracle.Diag(-1, "", "(none)")


def first(verdict):
    return verdict.first or NO_DIAG


def describe(verdict):
    d = verdict.first
    return "status %d" % verdict.status + (", line %d %s: %s" % d if d else "")


def missing_opcodes(cases):
    """opcodes of which hardly any accepted instruction is accepted: not written yet, and noise elsewhere"""
    total, wrong = Counter(), Counter()
    for c in cases:
        if c.part == "lines":
            total[c.opcode] += 1
            wrong[c.opcode] += outcome(c) == "false reject"
    return {o: n for o, n in total.items() if n and wrong[o] >= 0.98 * n}


def findings(path, cases, limit=60):
    """disagreements grouped by area and message, most frequent first, with the smallest module as example"""
    missing = missing_opcodes(cases)
    cases = [c for c in cases if c.base not in missing and c.opcode not in missing]
    with open(path, "w") as f:
        f.write("# Parity findings, %s\n\n" % time.strftime("%F %H:%M"))
        f.write(
            "opcodes refused throughout (left out below): %s\n\n"
            % " ".join("%s(%d)" % kv for kv in sorted(missing.items()))
        )
        for area in ("front", "isa"):
            groups = defaultdict(list)
            for c in cases:
                if c.area != area or c.want.crashed:
                    continue
                what = outcome(c)
                if what == "agree":
                    if (
                        c.want.accepts
                        or first(c.want).line == first(c.got).line
                        and first(c.want).text == first(c.got).text
                    ):
                        continue
                    what = "wrong line" if first(c.want).line != first(c.got).line else "wrong text"
                said = first(c.got if what == "false reject" else c.want).text
                more = " / ours: " + template(first(c.got).text) if what.startswith("wrong") else ""
                groups[
                    what,
                    (c.opcode if area == "isa" and what == "false reject" else ""),
                    template(said) + more,
                ].append(c)
            order = {"OUR CRASH": 0, "false reject": 1, "false accept": 2, "wrong line": 3, "wrong text": 4}
            for what in sorted(order, key=order.get):
                chosen = sorted(
                    ((k, v) for k, v in groups.items() if k[0] == what), key=lambda kv: -len(kv[1])
                )
                if not chosen:
                    continue
                f.write(
                    "## %s: %s, %d modules in %d groups\n\n"
                    % (area, what, sum(len(v) for _, v in chosen), len(chosen))
                )
                for k, v in chosen[:limit]:
                    c = min(v, key=lambda c: len(c.text))
                    text = c.text if isinstance(c.text, str) else c.text.decode("utf-8", "replace")
                    lines = text.rstrip("\n").split("\n")
                    at = first(c.want if first(c.want).line > 0 else c.got).line or c.line
                    shown = lines[at - 1].strip() if 0 < at <= len(lines) else ""
                    f.write(
                        "- %d x %s `%s` [%s; %s]\n  - `%s` in %s (-arch %s), oracle: %s | ours: %s\n"
                        % (
                            len(v),
                            k[1],
                            k[2],
                            ", ".join(k for k, _ in Counter(c.kind for c in v).most_common(3)),
                            " ".join(k for k, _ in Counter(c.opcode for c in v).most_common(8)),
                            shown[:160],
                            c.name,
                            c.arch,
                            describe(c.want),
                            describe(c.got),
                        )
                    )
                    if (
                        area == "front"
                        and what in ("false reject", "false accept", "OUR CRASH")
                        and len(text) < 600
                    ):
                        f.write("".join("        %s\n" % l for l in lines))
                f.write("\n")


def dump(path, cases):
    """every case that differs in verdict, line or text, one row each"""
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        for c in cases:
            what, w, g = outcome(c), first(c.want), first(c.got)
            if what == "agree" and (c.want.accepts or w == g):
                continue
            lines = (c.text if isinstance(c.text, str) else c.text.decode("utf-8", "replace")).split("\n")
            at = c.line or max(w.line, g.line)
            if what == "agree":
                what = "line" if w.line != g.line else "text"
            f.write(
                "\t".join(
                    (
                        what,
                        c.area,
                        c.kind,
                        c.name,
                        c.arch,
                        "%d %s" % (w.line, w.text),
                        "%d %s" % (g.line, g.text),
                        repr(lines[at - 1].strip()) if 0 < at <= len(lines) else "",
                    )
                )
                + "\n"
            )


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument(
        "--build", default="build", help="build folder; ours is BUILD/bin/ptxas, results go to BUILD/parity"
    )
    p.add_argument("--ours", help="our ptxas, when it is elsewhere")
    p.add_argument("--facts", help="folder with accept, reject, reject-b, boundary and their indexes")
    p.add_argument("--seed", default="1")
    p.add_argument("--mutants", type=int, default=20000)
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    p.add_argument(
        "--part",
        choices=("files", "lines", "mutants", "compilers", "options"),
        action="append",
        help="only these parts",
    )
    p.add_argument(
        "--compilers", default="forms,triton,llc,clang,nvcc", help="which of these the part compilers has"
    )
    p.add_argument(
        "--seeds",
        choices=("own", "compilers", "both"),
        default="both",
        help="what the mutants start from: files of the repository and --facts, what compilers made, or both",
    )
    p.add_argument("--triton", help="an archive of recorded kernels for the part compilers")
    p.add_argument("--oracle-only", action="store_true", help="fill the cache and stop")
    p.add_argument("--findings", help="write the disagreements, grouped, to this file")
    p.add_argument("--only", help="judge only cases whose name or opcode matches this expression")
    return p.parse_args()


def compiler_cases(args, ask):
    for name, text, arch in compilers.cases(
        args.build, args.jobs, ask, args.triton, args.compilers.split(",")
    ):
        yield Case("compilers", name, text, arch, name.split("/")[0].split()[0], seed=name)


def gather(args, ask):
    parts = args.part or ("files", "lines", "mutants", "compilers")
    cases = list(file_cases(args.facts)) if args.facts and "files" in parts else []
    emitted = list(compiler_cases(args, ask)) if "compilers" in parts else []
    cases += emitted
    if "lines" in parts or "mutants" in parts:
        made = (
            [(c.name, c.text, c.arch) for c in emitted or compiler_cases(args, ask)]
            if args.seeds != "own"
            else []
        )
        found = collect_seeds(args.facts, ask, args.jobs, made, args.seeds != "compilers")
        print(
            "seeds: %d instructions of %d opcodes, %d declaration modules"
            % (len(found["inst"]), len(set(s.opcode for s in found["inst"])), len(found["decl"])),
            flush=True,
        )
        cases += line_cases(found) if "lines" in parts else []
        cases += mutants(found, args.seed, args.mutants) if "mutants" in parts else []
    if args.only:
        cases = [c for c in cases if re.search(args.only, c.name + " " + c.opcode)]
    return cases


def print_results(cases, report):
    for c in cases:
        what = outcome(c)
        if what not in ("agree", "oracle crash"):
            report.example(
                "%s %s %s"
                % (what, c.opcode, template(first(c.got if what == "false reject" else c.want).text)),
                c,
            )
        elif what == "agree" and not c.want.accepts and first(c.want).line != first(c.got).line:
            report.example("line %s" % template(first(c.want).text), c)
    for kind in ("accept", "reject", "reject-b", "boundary"):
        chosen = [c for c in cases if c.part == "files" and c.kind == kind]
        if chosen:
            report.part(kind, chosen)
    for part in ("lines", "compilers", "mutants"):
        chosen = [c for c in cases if c.part == part]
        if chosen:
            report.part(part, chosen)
    for area in ("isa", "front"):
        chosen = [c for c in cases if c.part == "mutants" and c.area == area]
        if chosen:
            report.part("mutants " + area, chosen)
    wrong = [c for c in cases if outcome(c) not in ("agree", "oracle crash")]
    report.worst("worst opcodes", wrong, lambda c: "%s %s" % (outcome(c), c.opcode))
    report.worst(
        "worst messages",
        wrong,
        lambda c: "%s: %s" % (outcome(c), template(first(c.got if c.want.accepts else c.want).text)),
        40,
    )
    report.worst("worst mutations", wrong, lambda c: "%s %s" % (outcome(c), c.kind))


def main():
    args = parse_arguments()
    theirs = oracle.open_oracle(args.build, "parity")
    folder = os.path.join(args.build, "parity")
    print("oracle: ptxas %s, %d verdicts known" % (theirs.release, len(theirs.cache.known)), flush=True)
    if not args.oracle_only and not args.only and "options" in (args.part or ("options",)):
        ours = args.ours or os.path.join(args.build, "bin", "ptxas")
        options.judge((theirs.tool, theirs.release), ours, args.jobs)
    if args.part == ["options"]:
        return 0
    cases = gather(args, theirs.ask)
    for c, v in zip(cases, judge(cases, theirs, args.jobs, "oracle")):
        c.want = v
    status = Counter(
        (c.part, "accepts" if c.want.accepts else "crashes" if c.want.crashed else "refuses") for c in cases
    )
    print(", ".join("%s %s %d" % (p, v, n) for (p, v), n in sorted(status.items())), flush=True)
    if args.oracle_only:
        return 0
    ours = oracle.Runner(args.ours or os.path.join(args.build, "bin", "ptxas"), folder)
    if not os.path.exists(ours.tool):
        sys.exit("parity: no %s; run make first" % ours.tool)
    for c, v in zip(cases, judge(cases, ours, args.jobs, "ours")):
        c.got = v
    report = Report(folder)
    print_results(cases, report)
    dump(os.path.join(folder, "differences.tsv"), cases)
    if args.findings:
        findings(args.findings, cases)
    with open(os.path.join(folder, "summary.json"), "w") as f:
        json.dump(
            dict(
                release=theirs.release,
                seed=args.seed,
                date=time.strftime("%F %H:%M"),
                parts=report.summary,
            ),
            f,
            indent=1,
        )
    print("\nexamples: %s" % report.bad)
    return 0


if __name__ == "__main__":
    sys.exit(main())
