#!/usr/bin/env python3
"""What each instruction form costs: runs bench_forms at each SIMD level, writes docs/performance-forms.md.

Each form is measured in every round; the least counts. forms_rules.tsv has the classes with their limits and
the reasons beside slow forms; the numbers before come from forms_before.tsv.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "performance-forms.md")
LEVELS = ["avx512", "avx2", "portable"]
SLOW = 10


def rows(name):
    with open(os.path.join(HERE, name)) as lines:
        return [line.rstrip("\n").split("\t") for line in lines if line.strip() and not line.startswith("#")]


def measure(bench, level, only):
    """{(form, variant): ns}, in the order of the table; what bench_forms says besides."""
    command = [bench, "--level", level] + (["--only", only] if only else [])
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 3:
        return {}, ""
    if run.returncode:
        sys.exit(run.stderr)
    found = {}
    for line in run.stdout.splitlines():
        form, variant, ns = line.split("\t")
        found[form, variant] = float(ns)
    return found, run.stderr


def least(a, b):
    return {key: min(a.get(key, b[key]), b[key]) for key in b} if b else a


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path) as lines:
        return {(f, v): float(ns) for f, v, ns in (line.rstrip("\n").split("\t") for line in lines)}


def write(path, found):
    with open(path, "w") as out:
        out.writelines(f"{form}\t{variant}\t{ns:.1f}\n" for (form, variant), ns in found.items())


def classes(found):
    """[(name, limit, {ns of its forms})] by the first class of the table that fits."""
    table = [
        (re.compile(pattern), set(variants.split(",")), name, int(limit))
        for _, pattern, variants, name, limit in (r for r in rows("forms_rules.tsv") if r[0] == "class")
    ]
    members = {}
    for (form, variant), ns in found.items():
        for pattern, variants, name, limit in table:
            if variant in variants and pattern.fullmatch(form):
                members.setdefault(name, (limit, {}))[1][f"{form} ({variant})"] = ns
                break
    return {name: members[name] for _, _, name, _ in table if name in members}


def summary(cells):
    values = sorted(cells.values())
    return values[len(values) // 2], values[-1]


def class_table(found, before):
    now = {level: classes(found[level]) for level in LEVELS if found[level]}
    yield "| class | forms | at most | before | AVX-512 | over | AVX2 | portable |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, (limit, cells) in now["avx512"].items():
        middle, most = summary(cells)
        over = sum(ns > limit for ns in cells.values())
        old = ", ".join(before.get(name, []))
        others = [now[level][name][1] for level in LEVELS[1:] if name in now.get(level, {})]
        tail = " | ".join("{:.0f}, {:.0f}".format(*summary(other)) for other in others)
        now_text = f"{middle:.0f}, {most:.0f}"
        yield f"| {name} | {len(cells)} | {limit} | {old} | {now_text} | {over} | {tail} |"


def reason_of(form, reasons):
    return next(text for pattern, text in reasons if pattern.fullmatch(form))


def form_table(found):
    best = found["avx512"]
    base = best["add.f32", "ordinary"]
    reasons = [(re.compile(row[1]), row[2]) for row in rows("forms_rules.tsv") if row[0] == "reason"]
    slow = [form for (form, _), ns in best.items() if ns > SLOW * base]
    names = list(dict.fromkeys(reason_of(form, reasons) for form in slow))
    yield from (f"{i + 1}. {text}" for i, text in enumerate(names))
    yield ""
    yield "| form | ns | x | special | half | strided | scattered | same | AVX2 | portable | why |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for form in dict.fromkeys(form for form, _ in best):
        cells = [best.get((form, v)) for v in ("ordinary", "special", "half", "strided", "scattered", "same")]
        cells += [found[level].get((form, "ordinary")) for level in LEVELS[1:]]
        texts = ["" if ns is None or ns < 0 else f"{ns:.0f}" for ns in cells]
        ratio = cells[0] / base
        is_slow = max(ns for ns in cells[:6] if ns is not None) > SLOW * base
        why = str(names.index(reason_of(form, reasons)) + 1) if is_slow else ""
        yield f"| {form} | {texts[0]} | {ratio:.1f} | " + " | ".join(texts[1:]) + f" | {why} |"


HEAD = """# What each instruction form costs

For whoever wants to know why a kernel is slow, and for whoever makes an instruction faster.
`make bench-forms` measures all forms that run and writes this page.

A form is a row of the instruction table with words that lead to a handler of their own.
Loads, stores and atomics count once for each state space, width, vector and operation.
The list is made from the table, so a new row appears by itself.
A number is nanoseconds for 256 lanes, the best of several launches in processor time.
The kernel has one block of 256 threads and a loop in which eight independent instructions stand four times.

- *special*: sources are zeros, infinities, NaNs, subnormal numbers, least and greatest integers;
- *half*: every other lane takes part, by a guard or, where warps work together, by a branch;
- loads, stores and atomics go to neighbours, *strided* ones to places four elements apart,
  *scattered* ones to places in no order, those of *same* to one place;
- *x*: *ordinary* values at AVX-512, divided by the time of `add.f32`;
- *AVX2*, *portable*: ordinary values at the other SIMD levels.
"""


def page(found, notes):
    before = {name: (middle, most) for name, middle, most in rows("forms_before.tsv")}
    yield HEAD
    yield f"Measured on {cpu()}."
    lines = notes.splitlines()
    names = sorted({re.split(r"[. ]", line.split(": ")[1])[0] for line in lines[:-1]})
    yield f"{lines[-1]}: matrices, textures, barriers, branches, calls."
    yield f"Some forms of {', '.join(names)} do not run alone in such a kernel."
    yield "\n## Classes\n"
    yield "Median and most of the class; *over*: how many of its forms take longer than the limit."
    yield "*before*: AVX-512 when this page began.\n"
    yield from class_table(found, before)
    yield f"\n## Forms\n\nWhy a form takes more than {SLOW} times as long as `add.f32`:\n"
    yield from form_table(found)


def cpu():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "an unknown machine"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build", metavar="DIR", help="where the build is (build)")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="how often all is measured (1)")
    parser.add_argument("--only", metavar="WORD", help="only forms whose opcode begins so; needs --keep")
    parser.add_argument("--keep", metavar="DIR", help="measurements are kept there")
    parser.add_argument("--begin", action="store_true", help="write forms_before.tsv, not the page")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page from --keep")
    args = parser.parse_args()
    if args.only and not args.keep:
        parser.error("--only needs --keep")
    bench = os.path.join(args.build, "tests", "bench_forms")
    found, notes = {}, ""
    for level in LEVELS:
        path = os.path.join(args.keep, level + ".tsv") if args.keep else ""
        found[level] = read(path)
        for turn in range(0 if args.page else args.rounds):
            more, said = measure(bench, level, args.only)
            found[level] = {**found[level], **(least(found[level], more) if turn else more)}
            notes = said or notes
        if path:
            write(path, found[level])
    notes = notes if not args.only and not args.page else open(os.path.join(args.keep, "notes.txt")).read()
    if args.keep:
        with open(os.path.join(args.keep, "notes.txt"), "w") as out:
            out.write(notes)
    if args.begin:
        with open(os.path.join(HERE, "forms_before.tsv"), "w") as out:
            out.write("# Median and most ns of each class when docs/performance-forms.md began.\n")
            for name, (_, cells) in classes(found["avx512"]).items():
                out.write("{}\t{:.0f}\t{:.0f}\n".format(name, *summary(cells)))
        return
    with open(PAGE, "w") as out:
        out.writelines(line + "\n" for line in page(found, notes))


if __name__ == "__main__":
    main()
