"""Modules of single instructions that no installed compiler emits, from the syntax that the manual gives:
every shape,
type and qualifier of mma, wgmma, ldmatrix and stmatrix, with constants and registers in the places that take
both.

Nothing here reads our instruction table: a row that the table lacks must show. Whether a line is legal at all
is for the
oracle to say.
"""
from itertools import product

HEAD = """.version 9.0
.target %s
.address_size 64
.shared .align 128 .b8 sm[4096];
.visible .entry k(.param .u64 kp)
{
\t.reg .pred %%p<4>; .reg .b16 %%h<9>; .reg .b32 %%r<300>;
\t.reg .f32 %%f<300>; .reg .f64 %%fd<9>; .reg .b64 %%rd<9>;
"""


def registers(kind, n, first=0):
    return "{%s}" % ", ".join("%%%s%d" % (kind, first + i) for i in range(n))


# ---- wgmma ----

WG_NARROW = [8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256]
WG_TYPES = [("f16", "f16", 16, ("f16", "f32")), ("bf16", "bf16", 16, ("f32",)), ("tf32", "tf32", 8, ("f32",))]
WG_TYPES += [(a, b, 32, ("f16", "f32")) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
WG_TYPES += [(a, b, 32, ("s32",)) for a in ("s8", "u8") for b in ("s8", "u8")] + [("b1", "b1", 256, ("s32",))]


def wgmma_tails(a, from_registers):
    """scale-d, then what the types take of scales and transpositions"""
    for scale in ("%p1", "!%p1", "0", "1"):
        if a in ("s8", "u8", "b1"):
            yield scale
            continue
        for scales in (("1", "1"), ("-1", "1"), ("1", "-1")):
            if a not in ("f16", "bf16"):
                yield ", ".join((scale,) + scales)
            elif scales == ("1", "1"):
                for trans in product("01", repeat=1 if from_registers else 2):
                    yield ", ".join((scale,) + scales + trans)
            else:
                yield ", ".join((scale,) + scales + (("0",) if from_registers else ("0", "0")))


def wgmma():
    for (a, b, k, kinds), sparse in product(WG_TYPES, (False, True)):
        if sparse and a == "b1":
            continue
        whole = kinds == ("s32",)
        for d, n, sat in product(
            kinds,
            WG_NARROW if whole else range(8, 257, 8),
            ("", ".satfinite") if a in ("s8", "u8") else ("",),
        ):
            name = "wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s" % (
                ".sp" if sparse else "",
                n,
                2 * k if sparse else k,
                sat,
                d,
                a,
                b,
                ".and.popc" if a == "b1" else "",
            )
            out = registers("f" if d == "f32" else "r", n // 4 if d == "f16" else n // 2)
            for from_registers in (False, True):
                given = [out, registers("r", 4, 280) if from_registers else "%rd1", "%rd2"] + (
                    ["%r290", "0"] if sparse else []
                )
                tails = list(wgmma_tails(a, from_registers))
                for tail in tails if n in (8, 64, 256) else tails[n // 8 % len(tails) :][:1]:
                    yield "%s %s, %s;" % (name, ", ".join(given), tail)


# ---- mma ----


def fragment(kind, elements):
    """registers of one operand: elements of a type in a warp of 32"""
    bits = {
        "f64": 64,
        "f32": 32,
        "tf32": 32,
        "s32": 32,
        "f16": 16,
        "bf16": 16,
        "b1": 1,
        "s4": 4,
        "u4": 4,
    }.get(kind, 8)
    if kind in ("f64", "f32"):
        return {"f64": "fd", "f32": "f"}[kind], elements // 32
    return "r", max(elements * bits // 32 // 32, 1)


def mma_line(name, shape, kinds, extra="", sparse=False, accumulator=None):
    m, n, k = shape
    d, a, b, c = kinds
    parts = [
        fragment(d, m * n),
        fragment(a, m * k // (2 if sparse else 1)),
        fragment(b, k * n),
        fragment(c, m * n),
    ]
    given = ", ".join(
        registers(kind, count, 20 * i if kind != "fd" else 0) for i, (kind, count) in enumerate(parts)
    )
    return "%s %s%s;" % (name, given, extra)


MMA = [
    (
        (8, 8, 4),
        "f16 f16 f16 f16|f32 f16 f16 f16|f32 f16 f16 f32",
        ("row.row", "row.col", "col.row", "col.col"),
    ),
    ((16, 8, 8), "f16 f16 f16 f16|f32 f16 f16 f32|f32 bf16 bf16 f32|f32 tf32 tf32 f32", ("row.col",)),
    ((16, 8, 16), "f16 f16 f16 f16|f32 f16 f16 f32|f32 bf16 bf16 f32", ("row.col",)),
    ((16, 8, 4), "f32 tf32 tf32 f32", ("row.col",)),
    ((8, 8, 4), "f64 f64 f64 f64", ("row.col",)),
    ((16, 8, 4), "f64 f64 f64 f64", ("row.col",)),
    ((16, 8, 8), "f64 f64 f64 f64", ("row.col",)),
    ((16, 8, 16), "f64 f64 f64 f64", ("row.col",)),
]
INTEGERS = [
    (shape, a, b)
    for shapes, kinds in (
        (((8, 8, 16), (16, 8, 16), (16, 8, 32)), ("s8", "u8")),
        (((8, 8, 32), (16, 8, 32), (16, 8, 64)), ("s4", "u4")),
    )
    for shape in shapes
    for a in kinds
    for b in kinds
]
SPARSE = [
    ((16, 8, 16), "f16 f16 f16 f16|f32 f16 f16 f32|f32 bf16 bf16 f32|f32 tf32 tf32 f32"),
    ((16, 8, 32), "f16 f16 f16 f16|f32 f16 f16 f32|f32 bf16 bf16 f32"),
    ((16, 8, 8), "f32 tf32 tf32 f32"),
    ((16, 8, 32), "s32 s8 u8 s32|s32 u8 u8 s32|s32 s8 s8 s32"),
    ((16, 8, 64), "s32 s8 u8 s32|s32 u8 s8 s32|s32 s4 u4 s32"),
    ((16, 8, 128), "s32 s4 u4 s32|s32 u4 u4 s32"),
    ((16, 8, 64), "f32 e4m3 e5m2 f32|f32 e5m2 e5m2 f32|f16 e4m3 e4m3 f16|f16 e5m2 e4m3 f16"),
]
NARROW = "e4m3 e5m2 e3m2 e2m3 e2m1".split()


def named(prefix, shape, middle, kinds):
    return "%s.m%dn%dk%d.%s.%s" % ((prefix,) + shape + (middle, ".".join(kinds)))


def mma():
    for shape, texts, layouts in MMA:
        for kinds, layout in product([t.split() for t in texts.split("|")], layouts):
            yield mma_line(named("mma.sync.aligned", shape, layout, kinds), shape, kinds)
    for (shape, a, b), sat in product(INTEGERS, ("", ".satfinite")):
        kinds = ["s32", a, b, "s32"]
        yield mma_line(named("mma.sync.aligned", shape, "row.col" + sat, kinds), shape, kinds)
    for shape, operation in product(((8, 8, 128), (16, 8, 128), (16, 8, 256)), ("xor", "and")):
        kinds = ["s32", "b1", "b1", "s32"]
        yield mma_line(
            named("mma.sync.aligned", shape, "row.col", kinds) + ".%s.popc" % operation, shape, kinds
        )
    for (shape, texts), order, selector in product(SPARSE, ("sp", "sp::ordered_metadata"), "0123"):
        for kinds in (t.split() for t in texts.split("|")):
            yield mma_line(
                named("mma.%s.sync.aligned" % order, shape, "row.col", kinds),
                shape,
                kinds,
                ", %%r200, 0x%s" % selector,
                True,
            )
    for (a, b), k, wide in product(product(NARROW, NARROW), (16, 32), ("f16", "f32")):
        kinds = [wide, a, b, wide]
        yield mma_line(named("mma.sync.aligned", (16, 8, k), "row.col", kinds), (16, 8, k), kinds)
        if k == 32:
            yield mma_line(
                named("mma.sync.aligned", (16, 8, k), "row.col.kind::f8f6f4", kinds), (16, 8, k), kinds
            )
            yield mma_line(
                named("mma.sp::ordered_metadata.sync.aligned", (16, 8, 64), "row.col.kind::f8f6f4", kinds),
                (16, 8, 64),
                kinds,
                ", %r200, 0",
                True,
            )
    yield from block_scaled()


def block_scaled():
    scales = (
        "%r201, {%h1, %h2}, %r202, {%h3, %h4}",
        "%r201, {0, 0}, %r202, {0, 0}",
        "%r201, {2, 1}, %r202, {0, 3}",
    )
    kinds = [
        ("mxf8f6f4", v, 32, a, b, "ue8m0") for v in ("", ".scale_vec::1X") for a in NARROW for b in NARROW
    ]
    kinds += [("mxf4", v, 64, "e2m1", "e2m1", "ue8m0") for v in ("", ".scale_vec::2X")]
    kinds += [
        ("mxf4nvf4", v, 64, "e2m1", "e2m1", s)
        for v in (".scale_vec::2X", ".scale_vec::4X")
        for s in ("ue8m0", "ue4m3")
    ]
    for (kind, vector, k, a, b, scale), given, sparse in product(kinds, scales, (False, True)):
        name = "mma%s.sync.aligned.m16n8k%d.row.col.kind::%s.block_scale%s.f32.%s.%s.f32.%s" % (
            ".sp::ordered_metadata" if sparse else "",
            2 * k if sparse else k,
            kind,
            vector,
            a,
            b,
            scale,
        )
        bits = 16 * k * (4 if k == 64 else 8)
        parts = [
            registers("f", 4),
            registers("r", bits // 1024),
            registers("r", bits // (1024 if sparse else 2048), 20),
            registers("f", 4, 8),
        ]
        yield "%s %s%s, %s;" % (name, ", ".join(parts), ", %r200, 0" if sparse else "", given)


# ---- matrices in shared memory ----


def matrices():
    for n, trans, space in product((1, 2, 4), ("", ".trans"), (".shared", ".shared::cta", "")):
        address = "[sm]" if space else "[%rd1]"
        yield "ldmatrix.sync.aligned.m8n8.x%d%s%s.b16 %s, %s;" % (n, trans, space, registers("r", n), address)
        yield "stmatrix.sync.aligned.m8n8.x%d%s%s.b16 %s, %s;" % (n, trans, space, address, registers("r", n))
    for n, form in product(
        (1, 2, 4),
        (
            "m8n16.x%d.shared.b8x16.b6x16_p32",
            "m8n16.x%d.shared.b8x16.b4x16_p64",
            "m16n16.x%d.trans.shared.b8",
            "m16n16.x%d.trans.shared.b8x16.b6x16_p32",
        ),
    ):
        if n < 4 or "m8n16" in form:
            yield "ldmatrix.sync.aligned.%s %s, [sm];" % (
                form % n,
                registers("r", 2 * n if "m16n16" in form else n),
            )
    for n, trans in product((1, 2, 4), (".trans",)):
        yield "stmatrix.sync.aligned.m16n8.x%d%s.shared.b8 [sm], %s;" % (n, trans, registers("r", n))
    yield "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;"


GROUP = 150


def module(arch, lines):
    return HEAD % arch + "".join("\t%s\n" % l for l in lines) + "\tret;\n}\n"


def legal(arch, lines, ask):
    """the lines that the oracle takes, asked until it has nothing to say"""
    base = HEAD.count("\n")
    while lines:
        verdict = ask(module(arch, lines), arch)
        refused = {d.line - base - 1 for d in verdict.diags if d.severity in ("error", "fatal")}
        kept = [l for i, l in enumerate(lines) if i not in refused]
        if verdict.accepts:
            return lines
        if len(kept) == len(lines):
            return (
                [l for half in (lines[::2], lines[1::2]) for l in legal(arch, half, ask)]
                if len(lines) > 1
                else []
            )
        lines = kept
    return []


def modules(ask):
    """(name, text, arch): the legal ones of all, some to a module"""
    for name, found, archs in (
        ("wgmma", wgmma(), ("sm_90a",)),
        ("mma", mma(), ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a")),
        ("matrices", matrices(), ("sm_75", "sm_90", "sm_100a", "sm_120a")),
    ):
        lines = list(dict.fromkeys(found))
        for i, arch in ((i, arch) for i in range(0, len(lines), GROUP) for arch in archs):
            kept = legal(arch, lines[i : i + GROUP], ask)
            if kept:
                yield "forms/%s%d %s" % (name, i, arch), module(arch, kept), arch
