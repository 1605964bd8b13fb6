#!/usr/bin/env python3
"""Instructions of later targets against exact arithmetic, on special and random numbers.

The models are those of the manual: the section stands above each. tests/forms/exact_*.ptx are the kernels;
--write makes them anew.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import formats as f  # noqa: E402
from formats import FORMATS  # noqa: E402
from kernels import BUILD, Instruction, kernel, numbers, run  # noqa: E402
from tally import Tally  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDINGS = ("rn", "rz", "rm", "rp")


def parts(value, width, n):
    """n numbers of `width` bits, the lowest first."""
    return [value >> width * i & ((1 << width) - 1) for i in range(n)]


def joined(values, width):
    return sum(v << width * i for i, v in enumerate(values))


# ---- the numbers ----------------------------------------------------------------------------------------


def special_f32(rng):
    exponent = rng.choice([0, 1, 113, 112, 127, 126, 128, 142, 143, 254, 255, rng.randrange(256)])
    fraction = rng.choice([0, 1, 0x7FFFFF, 0x400000, 0x400001, 0x3FFFFF, rng.getrandbits(23)])
    # Numbers in the range of the small formats, with the bits around a tie.
    if rng.random() < 0.5:
        exponent = rng.randrange(105, 150)
        fraction = rng.getrandbits(5) << 18 | rng.choice([0, 1, 1 << 17, 0x3FFFF, rng.getrandbits(18)])
    return rng.getrandbits(1) << 31 | exponent << 23 | fraction


def special_half(rng, width):
    """Any bits, one at the end of a range, or an infinity or a NaN."""
    if rng.random() < 0.34:
        return rng.getrandbits(16)
    odd = [0, 1, 0x7FFF, (1 << 15) - (1 << width), (1 << 15) - (1 << width) + 1]
    return rng.getrandbits(1) << 15 | rng.choice(odd)


def draw(rng, kind):
    if kind == "f32":
        return special_f32(rng)
    if kind == "f32x2":
        return special_f32(rng) | special_f32(rng) << 32
    if kind in ("f16", "bf16"):
        return special_half(rng, FORMATS[kind].fraction)
    if kind in ("f16x2", "bf16x2"):
        return joined([special_half(rng, FORMATS[kind[:-2]].fraction) for _ in range(2)], 16)
    if kind == "scales":  # two ue8m0, often near 1
        some = [[0, 255, 254, rng.randrange(256), rng.randrange(115, 140)] for _ in range(2)]
        return joined([rng.choice(s) for s in some], 8)
    if kind == "near":  # four bytes at the ends of their ranges
        return joined([rng.choice([0, 1, 0x7F, 0x80, 0x81, 0xFF, rng.getrandbits(8)]) for _ in range(4)], 8)
    return rng.getrandbits(int(kind[1:]))


# ---- cvt to and from small formats (9.7.9.22, 5.2.3) ----------------------------------------------------


def packed(formats, relu=False, rounding="rn", scale=None, positive_zero=False):
    """Numbers, the upper first, as one."""
    fmt, width = formats

    def pack(items):
        codes = []
        for n in items:
            if scale is not None:
                n = f.quotient_by_power(n, f.ue8m0(scale))
            codes.append(fmt.code(n, rounding, finite=True, relu=relu, positive_zero=positive_zero))
        return joined(codes[::-1], width)

    return pack


def halves_of(kind, value):
    return [FORMATS[kind[:-2]].number(v) for v in parts(value, 16, 2)[::-1]]


def f32_of(value):
    return FORMATS["f32"].number(value & 0xFFFFFFFF)


def cell(small):
    return 4 if small == "e2m1" else 8


def to_small(small, source, relu, rounding="rn", scaled=False, pzo=False):
    """cvt.R.satfinite{.relu}.SMALLx2.SOURCE"""
    words = f"cvt.{rounding}.satfinite{'.relu' * relu}{'.pzo' * pzo}"
    words += f"{'.scaled::n1::ue8m0' * scaled}.{small}x2.{source}"
    result = 8 if small == "e2m1" else 16
    two = source == "f32"

    def model(*s):
        scale = s[-1] & 0xFF if scaled else None
        items = [f32_of(s[0]), f32_of(s[1])] if two else halves_of(source, s[0])
        return packed((FORMATS[small], cell(small)), relu, rounding, scale, pzo)(items)

    sources = [32, 32] if two else [32]
    kinds = ["f32", "f32"] if two else [source]
    return Instruction(words, result, sources + [8] * scaled, kinds + ["scales"] * scaled, model)


def from_small(small, relu):
    """cvt.rn{.relu}.f16x2.SMALLx2: exact."""

    def model(a):
        mask = (1 << FORMATS[small].bits) - 1
        items = [FORMATS[small].number(v & mask) for v in parts(a, cell(small), 2)]
        return joined([FORMATS["f16"].code(n, relu=relu) for n in items], 16)

    width = 8 if small == "e2m1" else 16
    return Instruction(f"cvt.rn{'.relu' * relu}.f16x2.{small}x2", 32, [width], [f"b{width}"], model)


def ue8m0_of(number, up, finite):
    kind, _, value = number
    if kind == f.NAN:
        return 0xFF
    if kind == f.INFINITE:
        return 0xFE if finite else 0xFF
    if value <= f.power(-127):
        return 0
    exponent = f.floor_log2(value)
    code = exponent + 127 + (up and value != f.power(exponent))
    return min(code, 0xFE) if finite else code


def to_ue8m0(source, rounding, finite):
    two = source == "f32"

    def model(*s):
        items = [f32_of(s[0]), f32_of(s[1])] if two else halves_of(source, s[0])
        return joined([ue8m0_of(n, rounding == "rp", finite) for n in items[::-1]], 8)

    words = f"cvt.{rounding}{'.satfinite' * finite}.ue8m0x2.{source}"
    return Instruction(words, 16, [32, 32] if two else [32], ["f32", "f32"] if two else [source], model)


def from_ue8m0():
    def model(a):
        return joined([FORMATS["bf16"].code(f.ue8m0(v)) for v in parts(a, 8, 2)], 16)

    return Instruction("cvt.rn.bf16x2.ue8m0x2", 32, [16], ["b16"], model)


def s2f6_of(number, rounding, relu):
    """A whole number of 64ths, clamped; NaN is the largest."""
    kind, sign, value = number
    if kind == f.NAN:
        return 0x7F
    if kind == f.INFINITE:
        whole = 1000
    else:
        units = value * 64
        whole, rest = units.numerator // units.denominator, units % 1
        if rounding == "rn" and (rest > f.Fraction(1, 2) or (rest == f.Fraction(1, 2) and whole & 1)):
            whole += 1
    whole = -min(whole, 128) if sign else min(whole, 127)
    return 0 if relu and whole < 0 else whole & 0xFF


def to_s2f6(source, rounding, relu, scaled):
    two = source == "f32"

    def model(*s):
        items = [f32_of(s[0]), f32_of(s[1])] if two else halves_of(source, s[0])
        scales = parts(s[-1], 8, 2)[::-1] if scaled else [127, 127]
        items = [f.quotient_by_power(n, f.ue8m0(c)) for n, c in zip(items, scales)]
        return joined([s2f6_of(n, rounding, relu) for n in items[::-1]], 8)

    words = f"cvt.{rounding}.satfinite{'.relu' * relu}{'.scaled::n2::ue8m0' * scaled}.s2f6x2.{source}"
    sources, kinds = ([32, 32], ["f32", "f32"]) if two else ([32], [source])
    return Instruction(words, 16, sources + [16] * scaled, kinds + ["scales"] * scaled, model)


def up_to_bf16(small, relu, finite, scaled):
    """cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.SMALLx2: converted, then multiplied."""

    def value(code):
        if small == "s2f6":
            return f.finite(f.Fraction(code - 256 if code > 127 else code, 64))
        return FORMATS[small].number(code & ((1 << FORMATS[small].bits) - 1))

    def model(a, scale=0x7F7F):
        scales = [f.ue8m0(c) for c in parts(scale, 8, 2)]
        items = [f.product(value(v), c) for v, c in zip(parts(a, cell(small), 2), scales)]
        return joined([FORMATS["bf16"].code(n, finite=finite, relu=relu) for n in items], 16)

    words = f"cvt.rn{'.satfinite' * finite}{'.relu' * relu}{'.scaled::n2::ue8m0' * scaled}.bf16x2.{small}x2"
    width = 8 if small == "e2m1" else 16
    return Instruction(words, 32, [width] + [16] * scaled, [f"b{width}"] + ["scales"] * scaled, model)


def stochastic_halves(half, relu, finite):
    """cvt.rs: 13 random bits of each half of rbits for f16, 16 for bf16."""
    bits = 13 if half == "f16" else 16

    def model(a, b, random):
        codes = [
            FORMATS[half].code(f32_of(v), (r & ((1 << bits) - 1), bits), finite=finite, relu=relu)
            for v, r in ((b, random & 0xFFFF), (a, random >> 16 & 0xFFFF))
        ]
        return joined(codes, 16)

    words = f"cvt.rs{'.relu' * relu}{'.satfinite' * finite}.{half}x2.f32"
    return Instruction(words, 32, [32, 32, 32], ["f32", "f32", "b32"], model)


def stochastic_four(small, relu):
    def model(a, b, e, g, random):
        if small == "e2m1":
            shares, bits = [random >> at & 0xFF for at in (24, 8, 16, 0)], 8
        else:
            shares, bits = [random >> 16 & 0xFFFF] * 2 + [random & 0xFFFF] * 2, 16
        codes = [
            FORMATS[small].code(f32_of(v), (r, bits), finite=True, relu=relu)
            for v, r in zip((a, b, e, g), shares)
        ]
        return joined(codes[::-1], cell(small))

    words = f"cvt.rs{'.relu' * relu}.satfinite.{small}x4.f32"
    result = 16 if small == "e2m1" else 32
    return Instruction(words, result, [32] * 5, ["f32"] * 4 + ["b32"], model, braces=4)


def to_tf32(rounding, relu, finite, pzo=False):
    tf32 = f.Format(10, -126, 18, 0x3FC00, 0x3FC00, 0x3FFFF)

    def model(a):
        return tf32.code(f32_of(a), rounding, finite=finite, relu=relu, positive_zero=pzo) << 13

    words = f"cvt.{rounding}{'.satfinite' * finite}{'.relu' * relu}{'.pzo' * pzo}.tf32.f32"
    return Instruction(words, 32, [32], ["f32"], model)


def to_half_pzo(half, rounding, relu, finite, two):
    def model(*s):
        codes = [
            FORMATS[half].code(f32_of(v), rounding, finite=finite, relu=relu, positive_zero=True)
            for v in s[::-1]
        ]
        return joined(codes, 16)

    words = f"cvt.{rounding}{'.relu' * relu}{'.satfinite' * finite}.pzo.{half}{'x2' * two}.f32"
    return Instruction(words, 32 if two else 16, [32] * (1 + two), ["f32"] * (1 + two), model)


def conversions():
    small = ("e2m1", "e2m3", "e3m2")
    out = [to_small(s, "f32", relu) for s in small for relu in (0, 1)]
    out += [to_small("e2m1", "f16x2", relu) for relu in (0, 1)]
    out += [from_small(s, relu) for s in small for relu in (0, 1)]
    out += [to_ue8m0(s, r, finite) for s in ("f32", "bf16x2") for r in ("rz", "rp") for finite in (0, 1)]
    out += [from_ue8m0()]
    out += [to_tf32(r, relu, True) for r in ("rn", "rz") for relu in (0, 1)]
    return out


def stochastic():
    out = [stochastic_halves(h, relu, fin) for h in ("f16", "bf16") for relu in (0, 1) for fin in (0, 1)]
    small = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")
    return out + [stochastic_four(s, relu) for s in small for relu in (0, 1)]


def conversions_9_2():
    out = [to_small(s, "bf16x2", relu) for s in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1") for relu in (0, 1)]
    out += [to_small(s, "f16x2", relu) for s in ("e2m3", "e3m2") for relu in (0, 1)]
    out += [
        to_s2f6(s, "rn", relu, scaled) for s in ("f32", "bf16x2") for relu in (0, 1) for scaled in (0, 1)
    ]
    out += [
        up_to_bf16(s, relu, fin, scaled)
        for s in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "s2f6")
        for relu, fin, scaled in ((0, 0, 0), (1, 0, 1), (0, 1, 1), (0, 0, 1), (1, 1, 0))
    ]
    return out


def conversions_9_4():
    out = [
        to_small(s, source, relu, rounding, scaled, pzo)
        for s in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")
        for source in ("f32", "f16x2", "bf16x2")
        for relu, rounding, scaled, pzo in (
            (0, "rz", 0, 0),
            (0, "rn", 1, 0),
            (1, "rz", 1, 1),
            (0, "rn", 0, 1),
        )
    ]
    out += [
        to_half_pzo(h, r, relu, fin, two)
        for h in ("f16", "bf16")
        for two in (0, 1)
        for r, relu, fin in (("rn", 0, 0), ("rz", 0, 1), ("rn", 1, 0))
    ]
    return out + [to_tf32(r, relu, fin, True) for r, relu, fin in (("rn", 0, 0), ("rz", 1, 1), ("rn", 0, 1))]


def conversions_s2f6_rz():
    return [to_s2f6(s, "rz", relu, scaled) for s in ("f32", "bf16x2") for relu in (0, 1) for scaled in (0, 1)]


# ---- packed and mixed floating point (9.7.3, 9.7.5) -----------------------------------------------------


def f32_code(number, rounding, ftz=False, sat=False):
    """.sat: to [0, 1], NaN to 0."""
    if ftz:
        number = flush_result(number, rounding)
    if sat:
        kind, sign, value = number
        if kind == f.NAN or sign:
            return 0
        if kind == f.INFINITE or value >= 1:
            return 0x3F800000
    return FORMATS["f32"].code(number, rounding)


def flush_result(number, rounding):
    """What rounds to less than the least normal number, were the exponent not bounded."""
    kind, sign, value = number
    if kind != f.FINITE or not value:
        return number
    free = f.Format(23, -100000, 60, 1 << 60)
    code = free.magnitude(value, sign, rounding)
    small = code < free.magnitude(f.power(-126), 0, "rn")
    return (f.FINITE, sign, f.Fraction(0)) if small else number


def operate(operation, rounding, numbers_of):
    if operation == "fma":
        return f.total(f.product(numbers_of[0], numbers_of[1]), numbers_of[2], rounding)
    if operation == "mul":
        return f.product(*numbers_of)
    second = f.negated(numbers_of[1]) if operation == "sub" else numbers_of[1]
    return f.total(numbers_of[0], second, rounding)


def packed_f32(operation, rounding, ftz):
    n = 3 if operation == "fma" else 2

    def model(*s):
        codes = []
        for lane in zip(*(parts(v, 32, 2) for v in s)):
            items = [FORMATS["f32"].number(v) for v in lane]
            if ftz:
                items = [f.flushed(i, "f32") for i in items]
            codes.append(f32_code(operate(operation, rounding, items), rounding, ftz))
        return joined(codes, 32)

    words = f"{operation}.{rounding}{'.ftz' * ftz}.f32x2"
    return Instruction(words, 64, [64] * n, ["f32x2"] * n, model)


def mixed_f32(operation, half, rounding, sat):
    """add.f32.f16 d, a, c; fma.f32.f16 d, a, b, c"""
    n = 3 if operation == "fma" else 2

    def model(*s):
        items = [FORMATS[half].number(v & 0xFFFF) for v in s[:-1]] + [f32_of(s[-1])]
        return f32_code(operate(operation, rounding, items), rounding, sat=sat)

    words = f"{operation}.{rounding}{'.sat' * sat}.f32.{half}"
    return Instruction(words, 32, [16] * (n - 1) + [32], [half] * (n - 1) + ["f32"], model)


def mixed_f32x2(operation, half, rounding):
    n = 3 if operation == "fma" else 2

    def model(*s):
        codes = []
        for lane in range(2):
            items = [FORMATS[half].number(parts(s[0], 16, 2)[lane])]
            items += [FORMATS["f32"].number(parts(v, 32, 2)[lane]) for v in s[1:]]
            codes.append(f32_code(operate(operation, rounding, items), rounding))
        return joined(codes, 32)

    words = f"{operation}.{rounding}.f32x2.{half}x2.f32x2{'.f32x2' * (n == 3)}"
    return Instruction(words, 64, [32] + [64] * (n - 1), [half + "x2"] + ["f32x2"] * (n - 1), model)


def cut_to_half(operation, half):
    """add.rz.ftz.f16x2.f32x2.f32x2, add.rz.bf16x2.f32x2.f32x2"""
    ftz = half == "f16"

    def model(a, b):
        codes = []
        for lane in zip(parts(a, 32, 2), parts(b, 32, 2)):
            items = [FORMATS["f32"].number(v) for v in lane]
            if ftz:
                items = [f.flushed(i, "f32") for i in items]
            code = FORMATS[half].code(operate(operation, "rz", items), "rz")
            codes.append(code & 0x8000 if ftz and not code & 0x7C00 else code)
        return joined(codes, 16)

    words = f"{operation}.rz{'.ftz' * ftz}.{half}x2.f32x2.f32x2"
    return Instruction(words, 32, [64, 64], ["f32x2", "f32x2"], model)


def two_halves(first, second):
    """mul.bf16x2.bf16x2.f16x2"""

    def model(a, b):
        items = [
            f.product(FORMATS[first].number(x), FORMATS[second].number(y))
            for x, y in zip(parts(a, 16, 2), parts(b, 16, 2))
        ]
        return joined([FORMATS[first].code(i) for i in items], 16)

    words = f"mul.{first}x2.{first}x2.{second}x2"
    return Instruction(words, 32, [32, 32], [first + "x2", second + "x2"], model)


def extreme(operation, ftz, nan, absolute):
    """min and max of three (9.7.3): NaN loses unless .NaN; -0 is less than +0."""

    def model(*s):
        items = [f32_of(v) for v in s]
        if ftz:
            items = [f.flushed(i, "f32") for i in items]
        if absolute:
            items = [(k, 0, v) for k, _, v in items]
        held = [i for i in items if i[0] != f.NAN]
        if not held or (nan and len(held) < 3):
            return 0x7FFFFFFF

        def order(number):
            kind, sign, value = number
            size = f.power(200) if kind == f.INFINITE else value
            return (-size if sign else size, -sign)

        return FORMATS["f32"].code((min if operation == "min" else max)(held, key=order))

    words = f"{operation}{'.ftz' * ftz}{'.NaN' * nan}{'.abs' * absolute}.f32"
    return Instruction(words, 32, [32] * 3, ["f32"] * 3, model)


def floats():
    out = [packed_f32(o, r, z) for o in ("add", "sub", "mul", "fma") for r in ROUNDINGS for z in (0, 1)]
    out += [
        mixed_f32(o, h, r, sat)
        for o in ("add", "sub", "fma")
        for h in ("f16", "bf16")
        for r in ROUNDINGS
        for sat in (0, 1)
    ]
    return out + [extreme(o, z, n, a) for o in ("min", "max") for z in (0, 1) for n in (0, 1) for a in (0, 1)]


def floats_9_4():
    out = [mixed_f32x2(o, h, r) for o in ("add", "sub", "fma") for h in ("f16", "bf16") for r in ROUNDINGS]
    out += [cut_to_half(o, h) for o in ("add", "sub", "mul") for h in ("f16", "bf16")]
    return out + [two_halves("bf16", "f16"), two_halves("f16", "bf16")]


# ---- packed integers (9.7.1, 9.7.7), products without carries -------------------------------------------


def integer(words, bits, is_signed, operation, n=2, clamp=False):
    """operation(*parts) of each part, modulo its width or clamped."""

    def value(v):
        return v - (1 << bits) if is_signed and v >> (bits - 1) else v

    def model(*s):
        out = []
        for lane in zip(*(parts(v, bits, 32 // bits) for v in s)):
            r = operation(*(value(v) for v in lane))
            if clamp:
                low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
                r = min(max(r, low), high)
            out.append(r & ((1 << bits) - 1))
        return joined(out, bits)

    return Instruction(words, 32, [32] * n, ["near"] * n, model)


def clmad(mode):
    def model(a, b, c):
        product = 0
        for bit in range(64):
            if b >> bit & 1:
                product ^= a << bit
        return (product >> 64 if mode == "hi" else product & ((1 << 64) - 1)) ^ c

    return Instruction(f"clmad.{mode}.u64", 64, [64] * 3, ["b64"] * 3, model)


def integers():
    out = []
    for name, is_signed in (("u8x4", 0), ("s8x4", 1)):
        for sat in (0, 1):
            out.append(integer(f"add{'.sat' * sat}.{name}", 8, is_signed, lambda a, b: a + b, clamp=sat))
            out.append(integer(f"sub{'.sat' * sat}.{name}", 8, is_signed, lambda a, b: a - b, clamp=sat))
        out.append(integer(f"min.{name}", 8, is_signed, min))
        out.append(integer(f"max.{name}", 8, is_signed, max))
    out.append(integer("min.relu.s8x4", 8, 1, lambda a, b: max(0, min(a, b))))
    out.append(integer("max.relu.s8x4", 8, 1, lambda a, b: max(0, a, b)))
    out.append(integer("neg.s8x4", 8, 1, lambda a: -a, n=1))
    out.append(integer("add.sat.u16x2", 16, 0, lambda a, b: a + b, clamp=True))
    out.append(integer("add.sat.s16x2", 16, 1, lambda a, b: a + b, clamp=True))
    return out + [integer("add.sat.u32", 32, 0, lambda a, b: a + b, clamp=True), clmad("lo"), clmad("hi")]


def comparisons():
    import operator as o

    names = {"eq": o.eq, "ne": o.ne, "lt": o.lt, "le": o.le, "gt": o.gt, "ge": o.ge}
    out = []
    for name, bits, is_signed in (("u8x4", 8, 0), ("u16x2", 16, 0), ("s8x4", 8, 1), ("s16x2", 16, 1)):
        mine = dict(names)
        if not is_signed:
            mine.update({"lo": o.lt, "ls": o.le, "hi": o.gt, "hs": o.ge})
        for word, compare in mine.items():
            out.append(integer(f"set.{word}.{name}", bits, is_signed, lambda a, b, c=compare: -int(c(a, b))))
    return out


# ---- the files ------------------------------------------------------------------------------------------

FILES = {
    "exact_conversions": ("9.0", "sm_100a", conversions),
    "exact_stochastic": ("9.0", "sm_100a", stochastic),
    "exact_floats": ("9.0", "sm_100a", floats),
    "exact_conversions_9_2": ("9.2", "sm_100a", conversions_9_2),
    "exact_conversions_9_4": ("9.4", "sm_107a", conversions_9_4),
    "exact_s2f6_9_4": ("9.4", "sm_120a", conversions_s2f6_rz),
    "exact_floats_9_4": ("9.4", "sm_107a", floats_9_4),
    "exact_integers_9_3": ("9.3", "sm_120a", integers),
    "exact_comparisons_9_4": ("9.4", "sm_107a", comparisons),
}


def check(tally, name, instructions, values, *options):
    got = run(os.path.join(HERE, name + ".ptx"), instructions, values, *options)
    for i, results, sources in zip(instructions, got, values):
        wrong = ""
        for t, result in enumerate(results):
            given = [s[t] & ((1 << w) - 1) for s, w in zip(sources, i.sources)]
            want = i.model(*given)
            if want != result:
                wrong = f"of {', '.join(map(hex, given))} comes {result:#x}, not {want:#x}"
                break
        tally.check(f"{name}: {i.text}", not wrong, wrong)


def main():
    tally = Tally()
    for name, (version, target, make) in FILES.items():
        instructions = make()
        path = os.path.join(HERE, name + ".ptx")
        text = kernel(version, target, instructions)
        if "--write" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            tally.check(f"{name}.ptx is what --write makes", file.read() == text)
        values = numbers(instructions, draw)
        try:
            check(tally, name, instructions, values)
        except RuntimeError as error:
            tally.check(name, False, str(error)[:2000])
    return tally.end()


if __name__ == "__main__":
    if not os.path.exists(BUILD):
        sys.exit(77)
    sys.exit(main())
