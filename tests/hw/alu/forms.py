#!/usr/bin/env python3
"""forms.py DIR - writes DIR/alu_FAMILY.forms: which instruction forms are recorded (forms.h says what a line
means).

A form is one instruction, or a short sequence where one alone has no visible result. The lists follow
the PTX ISA manual; forms that sm_90 lacks are left out, .approx forms are recorded elsewhere.
"""
import os
import random
import sys

REG = {
    "u8": "b8",
    "u16": "b16",
    "u32": "b32",
    "u64": "b64",
    "f16": "b16",
    "bf16": "b16",
    "f16x2": "b32",
    "bf16x2": "b32",
    "u16x2": "b32",
    "f32": "b32",
    "f64": "b64",
}
INT = ["u16", "s16", "u32", "s32", "u64", "s64"]
RND = [".rn", ".rz", ".rm", ".rp"]
FAMILY = {}


def setof(t):
    """Operand set of an instruction type."""
    return "u" + t[1:] if t[0] in "sb" and t[1].isdigit() else t


def reg(t):
    return REG[setof(t)]


def form(family, ins, outs, code):
    lines = FAMILY.setdefault(family, [])
    lines.append("%s\t%s\t%s" % (",".join(ins), ",".join(outs), code.rstrip("; ") + ";"))


def op(family, name, types, out=None):
    """NAME %x, %a, %b, ... over operands of the given types."""
    args = ", ".join("%" + "abcd"[i] for i in range(len(types)))
    form(family, [setof(t) for t in types], [reg(out or types[0])], "%s %%x, %s" % (name, args))


def integer():
    f = "int"
    for t in INT:
        for o in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            op(f, "%s.%s" % (o, t), [t] * 2)
        for o in ("mad.lo", "mad.hi", "sad"):
            op(f, "%s.%s" % (o, t), [t] * 3)
    for t in ("s16", "s32", "s64"):
        op(f, "abs." + t, [t])
        op(f, "neg." + t, [t])
    for o in ("add.sat.s32", "sub.sat.s32", "min.relu.s32", "max.relu.s32"):
        op(f, o, ["s32"] * 2)
    op(f, "mad.hi.sat.s32", ["s32"] * 3)
    for t, w in (("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")):
        op(f, "mul.wide." + t, [t, t], w)
        op(f, "mad.wide." + t, [t, t, w], w)
    for t in ("u32", "s32"):
        for m in ("lo", "hi"):
            op(f, "mul24.%s.%s" % (m, t), [t] * 2)
            op(f, "mad24.%s.%s" % (m, t), [t] * 3)
    op(f, "mad24.hi.sat.s32", ["s32"] * 3)
    for o in (
        "add.u16x2",
        "add.s16x2",
        "min.u16x2",
        "max.u16x2",
        "min.s16x2",
        "max.s16x2",
        "min.relu.s16x2",
        "max.relu.s16x2",
    ):
        op(f, o, ["u16x2"] * 2)
    for a in ("u32", "s32"):
        for b in ("u32", "s32"):
            op(f, "dp4a.%s.%s" % (a, b), ["u32"] * 3)
            op(f, "dp2a.lo.%s.%s" % (a, b), ["u32"] * 3)
            op(f, "dp2a.hi.%s.%s" % (a, b), ["u32"] * 3)


def bits():
    f = "bits"
    for t in ("b16", "b32", "b64"):
        for o in ("and", "or", "xor"):
            op(f, "%s.%s" % (o, t), [t] * 2)
        op(f, "not." + t, [t])
        op(f, "cnot." + t, [t])
    for t in ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"):
        for o in ["shl", "shr"] if t[0] == "b" else ["shr"]:
            form(f, [setof(t), "sh"], [reg(t)], "%s.%s %%x, %%a, %%b" % (o, t))
    for t, counts in (("b16", (15, 16, 17)), ("b32", (31, 32, 33, 64)), ("b64", (32, 63, 64, 65))):
        for n in counts + (0xFFFFFFFF,):
            form(f, [setof(t)], [t, t], "shl.%s %%x, %%a, %d; shr.s%s %%y, %%a, %d" % (t, n, t[1:], n))
            form(f, [setof(t)], [t], "shr.u%s %%x, %%a, %d" % (t[1:], n))
    for start, length in ((0, 0), (0, 32), (31, 1), (31, 33), (32, 4), (4, 255), (8, 200), (255, 5)):
        if (
            start < 32
        ):  # ptxas folds bfe.s32 with a constant start beyond the register to -1; the chip differs
            form(
                f,
                ["u32"],
                ["b32", "b32"],
                "bfe.s32 %%x, %%a, %d, %d; bfe.u32 %%y, %%a, %d, %d" % (start, length, start, length),
            )
        form(f, ["u32", "u32"], ["b32"], "bfi.b32 %%x, %%a, %%b, %d, %d" % (start, length))
    for n in (0, 31, 32, 33, 64):
        form(
            f,
            ["u32", "u32"],
            ["b32", "b32"],
            "shf.l.clamp.b32 %%x, %%a, %%b, %d; shf.r.wrap.b32 %%y, %%a, %%b, %d" % (n, n),
        )
    for o in ("and", "or", "xor"):
        form(f, ["bit", "bit"], ["pred"], o + ".pred %x, %a, %b")
    form(f, ["bit"], ["pred"], "not.pred %x, %a")
    for t in ("b32", "b64"):
        for o in ("popc", "clz"):
            op(f, "%s.%s" % (o, t), [t], "u32")
        op(f, "brev." + t, [t])
        form(f, [setof(t), setof(t), "field", "field"], [t], "bfi.%s %%x, %%a, %%b, %%c, %%d" % t)
    for t in ("u32", "s32", "u64", "s64"):
        op(f, "bfind." + t, [t], "u32")
        op(f, "bfind.shiftamt." + t, [t], "u32")
        form(f, [setof(t), "field", "field"], [reg(t)], "bfe.%s %%x, %%a, %%b, %%c" % t)
    for m in ("clamp", "wrap"):
        for t in ("u32", "s32"):
            form(f, ["u32", "field"], ["b32"], "szext.%s.%s %%x, %%a, %%b" % (m, t))
        form(f, ["field", "field"], ["b32"], "bmsk.%s.b32 %%x, %%a, %%b" % m)
        for d in ("l", "r"):
            form(f, ["u32", "u32", "sh"], ["b32"], "shf.%s.%s.b32 %%x, %%a, %%b, %%c" % (d, m))
    form(f, ["u32", "lane", "small"], ["b32"], "and.b32 %t1, %b, 31; fns.b32 %x, %a, %t1, %c")
    for m in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        op(f, "prmt.b32" + m, ["u32"] * 3)
    for group in range(16):
        code = "mov.b32 %x, 0; "
        for i in range(16):
            code += "lop3.b32 %%t0, %%a, %%b, %%c, %d; mad.lo.s32 %%x, %%x, 33, %%t0; " % (group * 16 + i)
        form(f, ["u32"] * 3, ["b32"], code.strip())
    for o in ("or", "and"):
        for lut in (0x80, 0xE8, 0x1A, 0):
            form(
                f,
                ["u32", "u32", "u32", "bit"],
                ["b32", "pred"],
                "lop3.%s.b32 %%x|%%y, %%a, %%b, %%c, %d, %%d" % (o, lut),
            )
    form(f, ["u32"], ["b16", "b16"], "mov.b32 {%x, %y}, %a")
    form(f, ["u64"], ["b32", "b32"], "mov.b64 {%x, %y}, %a")
    form(f, ["u16", "u16"], ["b32"], "mov.b32 %x, {%a, %b}")
    form(f, ["u32", "u32"], ["b64"], "mov.b64 %x, {%a, %b}")
    form(f, ["u16", "u16", "u16", "u16"], ["b64"], "mov.b64 %x, {%a, %b, %c, %d}")


def carry():
    f = "carry"
    for w in ("32", "64"):
        u, b = "u" + w, "b" + w
        for o in ("add", "sub"):
            form(f, [u] * 4, [b, b], "%s.cc.u%s %%x, %%a, %%c; %sc.u%s %%y, %%b, %%d" % (o, w, o, w))
            form(f, [u] * 4, [b, b], "%s.cc.s%s %%x, %%a, %%c; %sc.s%s %%y, %%b, %%d" % (o, w, o, w))
            form(f, [u] * 2, [b, b], "%s.cc.u%s %%x, %%a, %%b; %sc.u%s %%y, 0, 0" % (o, w, o, w))
            form(
                f,
                [u] * 4,
                [b, b],
                "%s.cc.u%s %%x, %%a, %%c; %sc.cc.u%s %%x, %%b, %%d; %sc.u%s %%y, 0, 0" % (o, w, o, w, o, w),
            )
        # what the flag means across the two families
        form(f, [u] * 3, [b, b], "add.cc.u%s %%x, %%a, %%b; subc.u%s %%y, %%c, 0" % (w, w))
        form(f, [u] * 3, [b, b], "sub.cc.u%s %%x, %%a, %%b; addc.u%s %%y, %%c, 0" % (w, w))
        for m in ("lo", "hi"):
            form(f, [u] * 3, [b, b], "mad.%s.cc.u%s %%x, %%a, %%b, %%c; addc.u%s %%y, 0, 0" % (m, w, w))
            form(f, [u] * 3, [b, b], "mad.%s.cc.s%s %%x, %%a, %%b, %%c; addc.u%s %%y, 0, 0" % (m, w, w))
            form(f, [u] * 4, [b, b], "add.cc.u%s %%x, %%c, %%d; madc.%s.u%s %%y, %%a, %%b, %%c" % (w, m, w))
            form(
                f,
                [u] * 4,
                [b, b],
                "add.cc.u%s %%x, %%c, %%d; madc.%s.cc.u%s %%x, %%a, %%b, %%c; addc.u%s %%y, 0, 0"
                % (w, m, w, w),
            )
            form(
                f,
                [u] * 4,
                [b, b],
                "add.cc.u%s %%x, %%c, %%d; madc.%s.cc.s%s %%x, %%a, %%b, %%c; addc.u%s %%y, 0, 0"
                % (w, m, w, w),
            )
    form(
        f,
        ["u64", "u64"],
        ["b64", "b64"],
        "mul.lo.u64 %x, %a, %b; mad.hi.cc.u64 %l1, %a, %b, %x; addc.u64 %y, %l1, 0",
    )
    form(
        f,
        ["u32"] * 4,
        ["b32", "b32"],
        (
            "mul.lo.u32 %x, %a, %c; mul.hi.u32 %t1, %a, %c; mad.lo.cc.u32 %t1, %a, %d, %t1; madc.hi.u32 %t2,"
            " %a, %d, 0; mad.lo.cc.u32 %y, %b, %c, %t1; madc.hi.cc.u32 %t2, %b, %c, %t2; addc.u32 %t3, 0, 0;"
            " xor.b32 %t2, %t2, %t3; add.u32 %x, %x, %t2"
        ),
    )


def single():
    f = "f32"
    for ftz in ("", ".ftz"):
        for sat in ("", ".sat"):
            for o in ("add", "sub", "mul"):
                for r in [""] + RND:
                    op(f, o + r + ftz + sat + ".f32", ["f32"] * 2)
            for r in RND:
                op(f, "fma" + r + ftz + sat + ".f32", ["f32"] * 3)
                op(f, "mad" + r + ftz + sat + ".f32", ["f32"] * 3)
        for r in RND:
            op(f, "div" + r + ftz + ".f32", ["f32"] * 2)
            op(f, "rcp" + r + ftz + ".f32", ["f32"])
            op(f, "sqrt" + r + ftz + ".f32", ["f32"])
        for o in ("abs", "neg"):
            op(f, o + ftz + ".f32", ["f32"])
        for o in ("min", "max"):
            for n in ("", ".NaN"):
                for x in ("", ".xorsign.abs"):
                    op(f, o + ftz + n + x + ".f32", ["f32"] * 2)
    for o in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        form(f, ["f32"], ["pred"], "testp.%s.f32 %%x, %%a" % o)
    op(f, "copysign.f32", ["f32"] * 2)
    for k in ("7fc00000", "7fa12345", "ff812345", "00000001", "80000001", "3f800000", "7f7fffff", "33800000"):
        form(
            f,
            ["f32"],
            ["b32", "b32"],
            "add.f32 %%x, %%a, 0f%s; mul.ftz.f32 %%y, %%a, 0f%s" % (k.upper(), k.upper()),
        )
        form(
            f,
            ["f32"],
            ["b32", "b32"],
            "mov.f32 %%t1, 0f%s; max.f32 %%x, %%a, %%t1; fma.rz.f32 %%y, %%a, %%t1, %%t1" % k.upper(),
        )
    # the multiplication and the addition must stay two roundings when they are written with a rounding
    form(f, ["f32"] * 3, ["b32"], "mul.rn.f32 %t1, %a, %b; add.rn.f32 %x, %t1, %c")
    form(f, ["f32"] * 2, ["b32"], "neg.f32 %t1, %b; add.f32 %x, %a, %t1")
    form(f, ["f32"] * 2, ["b32"], "abs.f32 %t1, %b; mul.f32 %x, %a, %t1")
    form(f, ["f32"] * 3, ["b32"], "neg.f32 %t1, %c; fma.rn.f32 %x, %a, %b, %t1")
    form(f, ["f32"] * 2, ["b32"], "add.f32 %t1, %a, %b; neg.f32 %x, %t1")
    form(f, ["f32"] * 2, ["b32"], "add.f32 %t1, %a, %b; abs.f32 %t2, %t1; xor.b32 %x, %t2, 0x80000000")
    form(f, ["f32"] * 2, ["b32"], "mul.f32 %t1, %a, %b; copysign.f32 %x, %a, %t1")
    form(f, ["f32"] * 2, ["b32"], "min.f32 %t1, %a, %b; mov.b32 %x, %t1")
    form(f, ["f32", "f32", "bit"], ["b32"], "add.f32 %t1, %a, %b; selp.f32 %x, %t1, %a, %c")


def double():
    f = "f64"
    for r in [""] + RND:
        for o in ("add", "sub", "mul"):
            op(f, o + r + ".f64", ["f64"] * 2)
    for r in RND:
        op(f, "fma" + r + ".f64", ["f64"] * 3)
        op(f, "mad" + r + ".f64", ["f64"] * 3)
        op(f, "div" + r + ".f64", ["f64"] * 2)
        op(f, "rcp" + r + ".f64", ["f64"])
        op(f, "sqrt" + r + ".f64", ["f64"])
    op(f, "abs.f64", ["f64"])
    op(f, "neg.f64", ["f64"])
    op(f, "min.f64", ["f64"] * 2)
    op(f, "max.f64", ["f64"] * 2)
    op(f, "copysign.f64", ["f64"] * 2)
    for o in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        form(f, ["f64"], ["pred"], "testp.%s.f64 %%x, %%a" % o)
    for k in (
        "7FF8000000000000",
        "7FF4000012345678",
        "FFF0000000000001",
        "0000000000000001",
        "3FF0000000000000",
    ):
        if k[0:2] not in ("7F", "FF"):  # two NaNs: see inputs.h
            form(
                f, ["f64"], ["b64", "b64"], "add.f64 %%x, %%a, 0d%s; fma.rp.f64 %%y, %%a, 0d%s, %%a" % (k, k)
            )
        form(f, ["f64"], ["b64", "b64"], "min.f64 %%x, %%a, 0d%s; max.f64 %%y, %%a, 0d%s" % (k, k))
    form(f, ["f64"] * 3, ["b64"], "mul.rn.f64 %l1, %a, %b; add.rn.f64 %x, %l1, %c")
    form(f, ["f64"] * 2, ["b64"], "neg.f64 %l1, %b; add.f64 %x, %a, %l1")
    form(f, ["f64"] * 3, ["b64"], "neg.f64 %l1, %c; fma.rn.f64 %x, %a, %b, %l1")


def payload():
    """Which NaN of several gives its sign and payload to a result of f64."""
    f = "payload"
    k, m = "0dFFF8000000ABCDEF", "0d7FF4000000123456"

    def seq(code):
        ins = ["nan64"] * (1 + max("abc".find(c) for c in "abc" if "%" + c in code))
        form(f, ins, ["b64"], code)

    two = [o + r for r in [""] + RND for o in ("add", "sub", "mul")] + ["min", "max", "div.rn", "div.rp"]
    for o in two:
        same = () if o in ("min", "max") else ("%a, %a",)  # that is a move
        for operands in ("%a, %b", "%a, " + k, k + ", %a") + same:
            seq("%s.f64 %%x, %s" % (o, operands))
    for o in ("fma.rn", "fma.rz", "mad.rn", "mad.rp"):
        for a in ("%a", k):
            for b in ("%b", m):
                for c in ("%c", "0d7FF0000000000777"):
                    names = [n for n in (a, b, c) if n[0] == "%"]
                    code = "%s.f64 %%x, %s, %s, %s" % (o, a, b, c)
                    for to, name in zip("abc", names):
                        code = code.replace(name + ",", "%" + to + ",")
                        code = code if not code.endswith(name) else code[: -len(name)] + "%" + to
                    if names:
                        seq(code)
        for operands in ("%a, %a, %b", "%a, %b, %a", "%a, %b, %b"):
            seq("%s.f64 %%x, %s" % (o, operands))
    for r in ("", ".rn"):  # contracted, and not
        for c in ("%c", k):
            for first in ("%a, %b", "%a, " + m, "%b, %a"):
                for o in ("add", "sub"):
                    for operands in ("%l1, " + c, c + ", %l1"):
                        seq("mul%s.f64 %%l1, %s; %s%s.f64 %%x, %s" % (r, first, o, r, operands))
    for o1 in ("add", "sub", "min", "div.rn"):
        for o2 in ("add", "sub", "mul", "max", "div.rn"):
            for operands in ("%l1, %c", "%c, %l1"):
                seq("%s.f64 %%l1, %%a, %%b; %s.f64 %%x, %s" % (o1, o2, operands))
    for sign in ("neg", "abs"):
        for o in ("add", "sub", "mul", "min"):
            for which, operands in (("%a", "%l1, %b"), ("%b", "%a, %l1")):
                seq("%s.f64 %%l1, %s; %s.f64 %%x, %s" % (sign, which, o, operands))
        for which, operands in (("%a", "%l1, %b, %c"), ("%b", "%a, %l1, %c"), ("%c", "%a, %b, %l1")):
            seq("%s.f64 %%l1, %s; fma.rn.f64 %%x, %s" % (sign, which, operands))
    seq("mul.f64 %l1, %a, %b; neg.f64 %l2, %l1; add.f64 %x, %l2, %c")
    seq("neg.f64 %l1, %a; mul.f64 %l2, %l1, %b; add.f64 %x, %l2, %c")


def half():
    for t in ("f16", "f16x2"):
        for ftz in ("", ".ftz"):
            for sat in ("", ".sat"):
                for o in ("add", "sub", "mul"):
                    for r in ("", ".rn"):
                        op("half", o + r + ftz + sat + "." + t, [t] * 2)
            for sat in ("", ".sat", ".relu"):
                op("half", "fma.rn" + ftz + sat + "." + t, [t] * 3)
            for o in ("neg", "abs"):
                op("half", o + ftz + "." + t, [t])
            for o in ("min", "max"):
                for n in ("", ".NaN"):
                    for x in ("", ".xorsign.abs"):
                        op("half", o + ftz + n + x + "." + t, [t] * 2)
    for t in ("bf16", "bf16x2"):
        for o in ("add", "sub", "mul"):
            for r in ("", ".rn"):
                op("bf16", o + r + "." + t, [t] * 2)
        for relu in ("", ".relu"):
            op("bf16", "fma.rn" + relu + "." + t, [t] * 3)
        op("bf16", "neg." + t, [t])
        op("bf16", "abs." + t, [t])
        for o in ("min", "max"):
            for n in ("", ".NaN"):
                for x in ("", ".xorsign.abs"):
                    op("bf16", o + n + x + "." + t, [t] * 2)
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        for relu in ("", ".relu"):
            op("half" if t[0] == "f" else "bf16", "fma.rn.oob" + relu + "." + t, [t] * 3)


CMP = {"b": ["eq", "ne"], "s": ["eq", "ne", "lt", "le", "gt", "ge"]}
CMP["u"] = CMP["s"] + ["lo", "ls", "hi", "hs"]
CMP["f"] = CMP["s"] + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]


def compare_int():
    f = "cmp_int"
    for t in ("b16", "b32", "b64") + tuple(INT):
        for c in CMP[t[0]]:
            form(f, [setof(t)] * 2, ["pred", "pred"], "setp.%s.%s %%x|%%y, %%a, %%b" % (c, t))
        form(
            f,
            [setof(t)] * 2,
            ["b32", "b32"],
            "set.%s.u32.%s %%x, %%a, %%b; set.%s.f32.%s %%y, %%a, %%b" % (CMP[t[0]][-1], t, CMP[t[0]][-2], t),
        )
        form(
            f,
            [setof(t)] * 2,
            ["b16", "b16"],
            "set.%s.f16.%s %%x, %%a, %%b; set.%s.bf16.%s %%y, %%a, %%b"
            % (CMP[t[0]][-1], t, CMP[t[0]][-2], t),
        )
        for b in ("and", "or", "xor"):
            c = CMP[t[0]][("and", "or", "xor").index(b) % len(CMP[t[0]])]
            n = "!" if b == "or" else ""
            form(
                f,
                [setof(t), setof(t), "bit"],
                ["pred", "pred"],
                "setp.%s.%s.%s %%x|%%y, %%a, %%b, %s%%c" % (c, b, t, n),
            )
            form(
                f,
                [setof(t), setof(t), "bit"],
                ["b32"],
                "set.%s.%s.s32.%s %%x, %%a, %%b, %s%%c" % (c, b, t, n),
            )
    for t in ("b16", "b32", "b64") + tuple(INT) + ("f32", "f64"):
        form(f, [setof(t), setof(t), "bit"], [reg(t)], "selp.%s %%x, %%a, %%b, %%c" % t)
        form(f, [setof(t), setof(t), "u32"], [reg(t)], "slct.%s.s32 %%x, %%a, %%b, %%c" % t)
        form(f, [setof(t), setof(t), "f32"], [reg(t)], "slct.%s.f32 %%x, %%a, %%b, %%c" % t)
        form(f, [setof(t), setof(t), "f32"], [reg(t)], "slct.ftz.%s.f32 %%x, %%a, %%b, %%c" % t)


def compare_float():
    f = "cmp_float"
    for t in ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2"):
        two = t in ("f32", "f64", "f16x2", "bf16x2")
        half_type = t not in ("f32", "f64")
        dst = ["pred", "pred"] if two else ["pred"]
        d = "%x|%y" if two else "%x"
        for ftz in ("", ".ftz") if t in ("f32", "f16", "f16x2") else ("",):
            for c in CMP["f"]:
                form(f, [t] * 2, dst, "setp.%s%s.%s %s, %%a, %%b" % (c, ftz, t, d))
                if t in ("f32", "f64"):
                    form(
                        f,
                        [t] * 2,
                        ["b32", "b32"],
                        "set.%s%s.u32.%s %%x, %%a, %%b; set.%s%s.f32.%s %%y, %%a, %%b"
                        % (c, ftz, t, c, ftz, t),
                    )
                elif two:
                    form(
                        f,
                        [t] * 2,
                        ["b32", "b32"],
                        "set.%s%s.%s.%s %%x, %%a, %%b; set.%s%s.u32.%s %%y, %%a, %%b"
                        % (c, ftz, t, t, c, ftz, t),
                    )
                else:
                    form(
                        f,
                        [t] * 2,
                        ["b16", "b16"],
                        (
                            "set.%s%s.%s.%s %%x, %%a, %%b; set.%s%s.u16.%s %%y, %%a, %%b"
                            % (c, ftz, t if t == "f16" else "bf16", t if t == "f16" else "f32", c, ftz, t)
                            if t == "f16"
                            else "set.%s.s16.%s %%x, %%a, %%b; set.%s.u16.%s %%y, %%a, %%b" % (c, t, c, t)
                        ),
                    )
            for b, c in (("and", "ltu"), ("or", "eq"), ("xor", "ge"), ("and", "nan")):
                n = "!" if b == "xor" else ""
                form(f, [t, t, "bit"], dst, "setp.%s.%s%s.%s %s, %%a, %%b, %s%%c" % (c, b, ftz, t, d, n))
                out = t if half_type and two else "u16" if half_type else "f32"
                form(
                    f,
                    [t, t, "bit"],
                    [reg(out)],
                    "set.%s.%s%s.%s.%s %%x, %%a, %%b, %s%%c" % (c, b, ftz, out, t, n),
                )


WIDTH = {"8": "8", "6": "16", "2": "32", "4": "64"}
ALL_INT = ["u8", "s8"] + INT


def wide(t):
    """Register set in which nvcc keeps an integer type: 8-bit values live in 16-bit registers."""
    return "u16" if t[1:] == "8" else setof(t)


def convert_int():
    f = "cvt_int"
    for a in ALL_INT:
        for d in ALL_INT:
            lo = {"u": 0, "s": 1}
            wa, wd = int(a[1:]), int(d[1:])
            fits = (a[0] == d[0] and wd >= wa) or (a[0] == "u" and d[0] == "s" and wd > wa)
            for sat in ("",) if fits else ("", ".sat"):
                form(f, [wide(a)], [reg(wide(d))], "cvt%s.%s.%s %%x, %%a" % (sat, d, a))
            if wa <= 16 or wd <= 16:  # registers wider than the types: what the rest of them holds
                form(
                    f,
                    ["u32" if wa < 32 else wide(a)],
                    ["b32" if wd < 32 else reg(wide(d))],
                    "cvt.%s.%s %%x, %%a" % (d, a),
                )
    for t in ("u16", "s16"):
        form(f, ["u32", "u32"], ["b32"], "cvt.pack.sat.%s.s32 %%x, %%a, %%b" % t)
    for t in ("u2", "s2", "u4", "s4", "u8", "s8"):
        form(f, ["u32"] * 3, ["b32"], "cvt.pack.sat.%s.s32.b32 %%x, %%a, %%b, %%c" % t)
    for t in ("u8", "s8", "u16", "s16"):
        form(f, ["u64"], ["b64"], "cvt.%s.u64 %%x, %%a" % t)
        form(f, ["u64"], ["b64"], "cvt.s64.%s %%x, %%a" % t)


def convert_float_int():
    f = "cvt_fi"
    for d in ALL_INT:
        for r in (".rni", ".rzi", ".rmi", ".rpi"):
            for sat in ("", ".sat"):
                for a in ("f16", "f64"):
                    form(f, [a], [reg(wide(d))], "cvt%s%s.%s.%s %%x, %%a" % (r, sat, d, a))
                for ftz in ("", ".ftz"):
                    form(f, ["f32"], [reg(wide(d))], "cvt%s%s%s.%s.f32 %%x, %%a" % (r, ftz, sat, d))
            form(f, ["bf16"], [reg(setof(d))], "cvt%s.%s.bf16 %%x, %%a" % (r, d))
        if d[1:] in ("8", "16"):
            for a in ("f16", "f32", "f64"):
                form(f, [a], ["b32"], "cvt.rzi.%s.%s %%x, %%a" % (d, a))
                form(f, [a], ["b64"], "cvt.rni.%s.%s %%x, %%a" % (d, a))
        elif d[1:] == "32":
            form(f, ["f32"], ["b64"], "cvt.rzi.%s.f32 %%x, %%a" % d)


def convert_int_float():
    f = "cvt_if"
    for a in ALL_INT:
        for r in RND:
            for sat in ("", ".sat"):
                for d in ("f16", "f64"):
                    form(f, [wide(a)], [reg(d)], "cvt%s%s.%s.%s %%x, %%a" % (r, sat, d, a))
                for ftz in ("", ".ftz"):
                    form(f, [wide(a)], ["b32"], "cvt%s%s%s.f32.%s %%x, %%a" % (r, ftz, sat, a))
            form(f, [setof(a)], ["b16"], "cvt%s.bf16.%s %%x, %%a" % (r, a))
        if a[1:] in ("8", "16"):
            for d in ("f16", "f32", "f64"):
                form(f, ["u32"], [reg(d)], "cvt.rn.%s.%s %%x, %%a" % (d, a))


def convert_float():
    f = "cvt_ff"
    for r in RND:
        for sat in ("", ".sat"):
            op(f, "cvt%s%s.f16.f64" % (r, sat), ["f64"], "f16")
            for ftz in ("", ".ftz"):
                op(f, "cvt%s%s%s.f16.f32" % (r, ftz, sat), ["f32"], "f16")
                op(f, "cvt%s%s%s.f32.f64" % (r, ftz, sat), ["f64"], "f32")
        op(f, "cvt%s.bf16.f64" % r, ["f64"], "bf16")
        op(f, "cvt%s.bf16.f32" % r, ["f32"], "bf16")
        op(f, "cvt%s.ftz.bf16.f32" % r, ["f32"], "bf16")
    for r in [""] + RND:
        op(f, "cvt%s.bf16.f16" % r, ["f16"], "bf16")
        op(f, "cvt%s.f16.bf16" % r, ["bf16"], "f16")
        op(f, "cvt%s.f64.bf16" % r, ["bf16"], "f64")
        op(f, "cvt%s.f32.bf16" % r, ["bf16"], "f32")
        op(f, "cvt%s.ftz.f32.bf16" % r, ["bf16"], "f32")
    for sat in ("", ".sat"):
        op(f, "cvt%s.f64.f16" % sat, ["f16"], "f64")
        for ftz in ("", ".ftz"):
            op(f, "cvt%s%s.f32.f16" % (ftz, sat), ["f16"], "f32")
            op(f, "cvt%s%s.f64.f32" % (ftz, sat), ["f32"], "f64")
        for r in ("", ".rni", ".rzi", ".rmi", ".rpi"):
            for t in ("f16", "f64"):
                op(f, "cvt%s%s.%s.%s" % (r, sat, t, t), [t])
            for ftz in ("", ".ftz"):
                op(f, "cvt%s%s%s.f32.f32" % (r, ftz, sat), ["f32"])
    for r in ("", ".rni", ".rzi", ".rmi", ".rpi"):
        op(f, "cvt%s.bf16.bf16" % r, ["bf16"])
    for r in (".rn", ".rz"):
        for relu in ("", ".relu"):
            for fin in ("", ".satfinite"):
                if relu or fin:
                    op(f, "cvt%s%s%s.f16.f32" % (r, relu, fin), ["f32"], "f16")
                    op(f, "cvt%s%s%s.bf16.f32" % (r, relu, fin), ["f32"], "bf16")
                op(f, "cvt%s%s%s.f16x2.f32" % (r, relu, fin), ["f32", "f32"], "f16x2")
                op(f, "cvt%s%s%s.bf16x2.f32" % (r, relu, fin), ["f32", "f32"], "bf16x2")
            op(f, "cvt%s%s.tf32.f32" % (r, relu), ["f32"])
    op(f, "cvt.rna.tf32.f32", ["f32"])
    op(f, "cvt.rna.satfinite.tf32.f32", ["f32"])
    for relu in ("", ".relu"):
        for t in ("e4m3x2", "e5m2x2"):
            form(f, ["f32", "f32"], ["b16"], "cvt.rn.satfinite%s.%s.f32 %%x, %%a, %%b" % (relu, t))
            form(f, ["f16x2"], ["b16"], "cvt.rn.satfinite%s.%s.f16x2 %%x, %%a" % (relu, t))
            form(f, ["u16"], ["b32"], "cvt.rn%s.f16x2.%s %%x, %%a" % (relu, t))


def video():
    f = "video"
    rnd = random.Random(20261121)
    sel = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
    kinds = ["u32", "s32"]
    for o in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for d in kinds:
            for a in kinds:
                for b in kinds:
                    form(f, ["u32"] * 2, ["b32"], "%s.%s.%s.%s %%x, %%a, %%b" % (o, d, a, b))
                    form(
                        f,
                        ["u32"] * 2,
                        ["b32"],
                        "%s.%s.%s.%s.sat %%x, %%a%s, %%b%s" % (o, d, a, b, rnd.choice(sel), rnd.choice(sel)),
                    )
                    form(
                        f,
                        ["u32"] * 3,
                        ["b32"],
                        "%s.%s.%s.%s%s.%s %%x, %%a%s, %%b%s, %%c"
                        % (
                            o,
                            d,
                            a,
                            b,
                            rnd.choice(["", ".sat"]),
                            rnd.choice(["add", "min", "max"]),
                            rnd.choice(sel),
                            rnd.choice(sel),
                        ),
                    )
                    form(
                        f,
                        ["u32"] * 3,
                        ["b32"],
                        "%s.%s.%s.%s.sat %%x%s, %%a%s, %%b%s, %%c"
                        % (o, d, a, b, rnd.choice(sel[1:]), rnd.choice(sel), rnd.choice(sel)),
                    )
    for o in ("vshl", "vshr"):
        for d in kinds:
            for a in kinds:
                for m in ("clamp", "wrap"):
                    for sat in ("", ".sat"):
                        form(
                            f,
                            ["u32", "sh"],
                            ["b32"],
                            "%s.%s.%s.u32%s.%s %%x, %%a%s, %%b%s"
                            % (o, d, a, sat, m, rnd.choice(sel), rnd.choice(["", ".b0", ".h0"])),
                        )
                    form(
                        f,
                        ["u32", "sh", "u32"],
                        ["b32"],
                        "%s.%s.%s.u32.%s.%s %%x, %%a%s, %%b, %%c"
                        % (o, d, a, m, rnd.choice(["add", "min", "max"]), rnd.choice(sel)),
                    )
    for a in kinds:
        for b in kinds:
            for c in ("eq", "ne", "lt", "le", "gt", "ge"):
                form(
                    f,
                    ["u32"] * 2,
                    ["b32"],
                    "vset.%s.%s.%s %%x, %%a%s, %%b%s" % (a, b, c, rnd.choice(sel), rnd.choice(sel)),
                )
            form(f, ["u32"] * 3, ["b32"], "vset.%s.%s.lt.add %%x, %%a, %%b, %%c" % (a, b))
            form(f, ["u32"] * 3, ["b32"], "vset.%s.%s.gt %%x.h1, %%a.h0, %%b.h1, %%c" % (a, b))
    for a in kinds:
        for b in kinds:
            d = "u32" if a == b == "u32" else "s32"
            for s in ("", ".sat", ".shr7", ".sat.shr15"):
                form(
                    f,
                    ["u32"] * 3,
                    ["b32"],
                    "vmad.%s.%s.%s%s %%x, %%a%s, %%b%s, %%c" % (d, a, b, s, rnd.choice(sel), rnd.choice(sel)),
                )
            form(f, ["u32"] * 3, ["b32"], "vmad.%s.%s.%s.po %%x, %%a.h0, %%b.h1, %%c" % (d, a, b))
    form(f, ["u32"] * 3, ["b32"], "vmad.s32.s32.s32 %x, -%a.h0, %b.h1, %c")
    form(f, ["u32"] * 3, ["b32"], "vmad.s32.s32.s32 %x, %a.h0, %b.h1, -%c")
    for n, masks in (("2", ["", ".h0", ".h1", ".h10"]), ("4", ["", ".b0", ".b3", ".b20", ".b3210"])):
        for o in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for d in kinds:
                for a, b in (("u32", "u32"), ("s32", "s32"), ("u32", "s32")):
                    form(
                        f,
                        ["u32"] * 3,
                        ["b32"],
                        "%s%s.%s.%s.%s %%x%s, %%a, %%b, %%c" % (o, n, d, a, b, rnd.choice(masks)),
                    )
                    form(
                        f,
                        ["u32"] * 3,
                        ["b32"],
                        "%s%s.%s.%s.%s.sat %%x%s, %%a, %%b, %%c" % (o, n, d, a, b, rnd.choice(masks)),
                    )
                    form(
                        f,
                        ["u32"] * 3,
                        ["b32"],
                        "%s%s.%s.%s.%s.add %%x%s, %%a, %%b, %%c" % (o, n, d, a, b, rnd.choice(masks)),
                    )
        for a in kinds:
            for b in kinds:
                for c in ("eq", "lt", "ge"):
                    form(
                        f,
                        ["u32"] * 3,
                        ["b32"],
                        "vset%s.%s.%s.%s %%x%s, %%a, %%b, %%c" % (n, a, b, c, rnd.choice(masks)),
                    )
                form(f, ["u32"] * 3, ["b32"], "vset%s.%s.%s.ne.add %%x, %%a, %%b, %%c" % (n, a, b))
    lanes = ".b%d%d%d%d"
    for i in range(6):
        s = lanes % tuple(rnd.randrange(8) for _ in range(4))
        t = lanes % tuple(rnd.randrange(8) for _ in range(4))
        form(f, ["u32"] * 3, ["b32"], "vadd4.s32.s32.s32.sat %%x, %%a%s, %%b%s, %%c" % (s, t))
        s, t = (".h%d%d" % (rnd.randrange(4), rnd.randrange(4)) for _ in range(2))
        form(f, ["u32"] * 3, ["b32"], "vsub2.s32.s32.u32 %%x, %%a%s, %%b%s, %%c" % (s, t))


def warp():
    f = "warp"
    for m in ("up", "down", "bfly", "idx"):
        form(
            f,
            ["u32", "lane", "seg"],
            ["b32", "pred"],
            "shfl.sync.%s.b32 %%x|%%y, %%a, %%b, %%c, 0xffffffff" % m,
        )
        form(
            f,
            ["u32"],
            ["b32", "b32"],
            "shfl.sync.%s.b32 %%x, %%a, 3, 0x1f, -1; shfl.sync.%s.b32 %%y, %%a, 17, 0x181f, -1" % (m, m),
        )
        form(
            f,
            ["u32"],
            ["b32"],
            "shfl.sync.%s.b32 %%x|%%q0, %%a, 1, 0, 0xffffffff; @%%q0 add.u32 %%x, %%x, 1" % m,
        )
    for mask in (0xFFFFFFFF, 0x0F0F00FF, 0x80000001):
        inside = "shr.u32 %%t0, 0x%x, %%lane; and.b32 %%t0, %%t0, 1; setp.ne.s32 %%q0, %%t0, 0; " % mask
        zero = "mov.b32 %x, 0; "
        for o in ("all", "any", "uni"):
            form(
                f,
                ["fewbit"],
                ["b32"],
                (
                    zero + inside + "@%%q0 vote.sync.%s.pred %%q1, %%a, 0x%x; and.pred %%q1, %%q1, %%q0; "
                    "selp.b32 %%x, 1, 0, %%q1;" % (o, mask)
                    if mask == 0xFFFFFFFF
                    else zero
                    + inside
                    + "setp.ne.s32 %%q1, %%t0, %%t0; @%%q0 vote.sync.%s.pred %%q1, !%%a, 0x%x; selp.b32 %%x,"
                    " 1, 0, %%q1;" % (o, mask)
                ),
            )
        form(f, ["fewbit"], ["b32"], zero + inside + "@%%q0 vote.sync.ballot.b32 %%x, %%a, 0x%x" % mask)
        for w, s in (("b32", "few"), ("b64", "few64")):
            form(f, [s], ["b32"], zero + inside + "@%%q0 match.any.sync.%s %%x, %%a, 0x%x" % (w, mask))
            form(
                f,
                [s],
                ["b32"],
                zero + inside + "setp.ne.s32 %%q1, %%t0, %%t0; @%%q0 match.all.sync.%s %%x|%%q1, %%a, 0x%x; "
                "@%%q1 xor.b32 %%x, %%x, 0x5a5a" % (w, mask),
            )
        for o in ("add", "min", "max"):
            for t in ("u32", "s32"):
                form(
                    f,
                    ["u32", "few"],
                    ["b32"],
                    zero
                    + inside
                    + "xor.b32 %%t1, %%a, %%b; @%%q0 redux.sync.%s.%s %%x, %%t1, 0x%x" % (o, t, mask),
                )
        for o in ("and", "or", "xor"):
            form(
                f,
                ["u32", "few"],
                ["b32"],
                zero + inside + "or.b32 %%t1, %%a, %%b; @%%q0 redux.sync.%s.b32 %%x, %%t1, 0x%x" % (o, mask),
            )
        form(
            f,
            ["few"],
            ["b32", "b32"],
            zero
            + "mov.b32 %y, 0; "
            + inside
            + "setp.ne.s32 %%q1, %%t0, %%t0; @%%q0 elect.sync %%x|%%q1, 0x%x; @%%q1 mov.b32 %%y, 1" % mask,
        )


def atomic():
    f = "atom"
    ops = [
        (o, t)
        for t in ("u32", "s32", "u64", "s64")
        for o in ("add", "min", "max")
        if (o, t) != ("add", "s64")
    ]
    ops += [(o, t) for t in ("b32", "b64") for o in ("and", "or", "xor", "exch")] + [
        ("inc", "u32"),
        ("dec", "u32"),
    ]
    ops += [
        ("add", "f32"),
        ("add", "f64"),
        ("add.noftz", "f16"),
        ("add.noftz", "f16x2"),
        ("add.noftz", "bf16"),
        ("add.noftz", "bf16x2"),
    ]
    for space, at in (("global", "%g"), ("shared", "%s")):
        for o, t in ops:
            u, r = setof(t), reg(t)
            tmp = {"b16": "%h1", "b32": "%t5", "b64": "%l5"}[r]
            fetch = (
                ""
                if space == "global"
                else "ld.shared.%s %s, [%%s]; st.global.%s [%%g], %s" % (r, tmp, r, tmp)
            )
            st = "st.%s.%s [%s], %%b; " % (space, r, at)
            form(f, [u, u], [r, "cell"], st + "atom.%s.%s.%s %%x, [%s], %%a; " % (space, o, t, at) + fetch)
            if o != "exch":
                form(
                    f,
                    [u, u],
                    ["b32", "cell"],
                    "mov.b32 %x, 0; " + st + "red.%s.%s.%s [%s], %%a; " % (space, o, t, at) + fetch,
                )
        for t in ("b16", "b32", "b64"):
            u = setof(t)
            tmp = {"b16": "%h1", "b32": "%t5", "b64": "%l5"}[t]
            fetch = (
                ""
                if space == "global"
                else "ld.shared.%s %s, [%%s]; st.global.%s [%%g], %s" % (t, tmp, t, tmp)
            )
            form(
                f,
                [u, u],
                [t, "cell"],
                (
                    "st.%s.%s [%s], %%b; atom.%s.cas.%s %%x, [%s], %%a, 77; " % (space, t, at, space, t, at)
                    + fetch
                    if t != "b16"
                    else "st.%s.b16 [%s], %%b; mov.b16 %%h2, 77; atom.%s.cas.b16 %%x, [%s], %%a, %%h2; "
                    % (space, at, space, at)
                    + fetch
                ),
            )
            form(
                f,
                [u, u],
                [t, "cell"],
                "st.%s.%s [%s], %%b; atom.%s.cas.%s %%x, [%s], %%b, %%a; " % (space, t, at, space, t, at)
                + fetch,
            )
    for t in ("f32", "f64"):
        u, r = setof(t), reg(t)
        form(
            f,
            [u, u],
            [r, "cell"],
            "st.global.%s [%%g], %%b; cvta.global.u64 %%l1, %%g; atom.add.%s %%x, [%%l1], %%a" % (r, t),
        )
        form(
            f,
            [u, u],
            [r, "cell"],
            "st.global.%s [%%g], %%b; atom.acq_rel.gpu.global.add.%s %%x, [%%g], %%a" % (r, t),
        )
    form(
        f,
        ["f32"] * 4,
        ["b32", "cell"],
        (
            "st.global.v2.b32 [%g], {%a, %b}; atom.global.add.v2.f32 {%t1, %t2}, [%g], {%c, %d}; xor.b32 %x,"
            " %t1, %t2"
        ),
    )
    for t, b, r in (("f16x2", "b32", "t"), ("bf16x2", "b32", "t"), ("f16", "b16", "h"), ("bf16", "b16", "h")):
        for o in ("add", "min", "max"):
            form(
                f,
                [t] * 4,
                [b, "cell"],
                f"st.global.v2.{b} [%g], {{%a, %b}}; atom.global.{o}.noftz.v2.{t} {{%{r}1, %{r}2}}, [%g],"
                f" {{%c, %d}}; xor.{b} %x, %{r}1, %{r}2",
            )


def memory():
    f = "mem"
    for space, at in (("global", "%g"), ("shared", "%s")):
        for t in ("u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32"):
            w = int(t[1:])
            for r, x in (("16", "b16"), ("32", "b32"), ("64", "b64")):
                if int(r) < w:
                    continue
                clean = "" if space == "global" else "st.global.b64 [%g], %a;"
                form(
                    f,
                    ["u64"],
                    [x, "cell"],
                    "st.%s.b64 [%s], %%a; ld.%s.%s %%x, [%s+%d]; %s"
                    % (space, at, space, t, at, w // 8, clean),
                )
        for t in ("u8", "s8", "u16", "s32", "b32"):
            w = int(t[1:])
            fetch = "" if space == "global" else "ld.shared.b64 %l5, [%s]; st.global.b64 [%g], %l5"
            form(
                f,
                ["u64", "u64"],
                ["b32", "cell"],
                "mov.b32 %%x, 0; st.%s.b64 [%s], %%b; st.%s.%s [%s+%d], %%a; %s"
                % (space, at, space, t, at, w // 8, fetch),
            )
        fetch = "" if space == "global" else "ld.shared.b64 %l5, [%s]; st.global.b64 [%g], %l5"
        form(
            f,
            ["u16"] * 4,
            ["b16", "cell"],
            "st.%s.v4.b16 [%s], {%%a, %%b, %%c, %%d}; ld.%s.v2.b16 {%%h1, %%h2}, [%s+4]; xor.b16 %%x, %%h1,"
            " %%h2; %s" % (space, at, space, at, fetch),
        )
        form(
            f,
            ["u16"] * 4,
            ["b32", "cell"],
            "st.%s.v4.b8 [%s], {%%a, %%b, %%c, %%d}; ld.%s.v2.s8 {%%h1, %%h2}, [%s+2]; mov.b32 %%x, {%%h1,"
            " %%h2}; ld.%s.b32 %%t1, [%s]; cvt.u64.u32 %%l1, %%t1; st.global.b64 [%%g], %%l1"
            % (space, at, space, at, space, at),
        )
    # bits survive moves, loads and stores of float types
    for t, b in (("f32", "b32"), ("f64", "b64")):
        tmp = "%t1" if t == "f32" else "%l1"
        form(
            f,
            [t],
            [b, "cell"],
            "mov.%s %s, %%a; st.global.%s [%%g], %s; ld.global.%s %%x, [%%g]" % (t, tmp, t, tmp, t),
        )
        form(f, [t, t, "bit"], [b], "selp.%s %s, %%a, %%b, %%c; mov.%s %%x, %s" % (t, tmp, t, tmp))
    # .local, through an address that varies
    form(
        f,
        ["u32", "u32"],
        ["b32"],
        (
            ".local .align 8 .b8 %buf[64]; mov.u64 %l1, %buf; and.b32 %t1, %b, 15; mul.wide.u32 %l2, %t1, 4;"
            " st.local.b32 [%l1], 7; st.local.b32 [%l1+4], 8; st.local.b32 [%l1+60], 9; add.s64 %l3, %l1,"
            " %l2; st.local.u32 [%l3], %a; ld.local.u32 %t2, [%l1]; ld.local.u16 %t3, [%l1+62]; ld.local.s8"
            " %t4, [%l3+3]; mad.lo.s32 %x, %t2, 31, %t3; mad.lo.s32 %x, %x, 31, %t4;"
        ),
    )
    # generic addresses to shared and local
    form(
        f,
        ["u32"],
        ["b32"],
        "cvt.u64.u32 %l1, %s; cvta.shared.u64 %l2, %l1; st.u32 [%l2], %a; ld.shared.u16 %x, [%s+2]",
    )


def edges():
    """What the first recording left open: where subnormal begins, order of operands, corners."""
    f = "edge"
    for ftz in ("", ".ftz"):
        for r in RND:
            form(f, ["tiny", "tiny"], ["b32"], "mul%s%s.f32 %%x, %%a, %%b" % (r, ftz))
            form(
                f,
                ["tiny", "tiny"],
                ["b32", "b32"],
                "mul%s%s.sat.f32 %%x, %%a, %%b; fma%s%s.f32 %%y, %%a, %%b, 0f80000000" % (r, ftz, r, ftz),
            )
            form(
                f,
                ["micro", "micro"],
                ["b32", "b32"],
                "fma%s%s.f32 %%x, %%a, %%b, 0f00800000; fma%s%s.f32 %%y, %%a, %%b, 0f80800000"
                % (r, ftz, r, ftz),
            )
            form(
                f,
                ["tiny", "one"],
                ["b32"],
                "mul.f32 %%t1, %%a, 0f20000000; div%s%s.f32 %%x, %%t1, %%b" % (r, ftz),
            )
            form(
                f,
                ["tiny", "tiny"],
                ["b32"],
                "mov.b32 %%t1, 0x7f000000; sub.s32 %%t2, %%t1, %%b; div%s%s.f32 %%x, %%a, %%t2" % (r, ftz),
            )
            form(f, ["one"], ["b32"], "mul.f32 %%t1, %%a, 0f7e800000; rcp%s%s.f32 %%x, %%t1" % (r, ftz))
            form(f, ["one"], ["b32"], "and.b32 %%t1, %%a, 0x7fffffff; sqrt%s%s.f32 %%x, %%t1" % (r, ftz))
        for sat in ("", ".sat"):
            form(f, ["tiny16", "tiny16"], ["b16"], "mul.rn%s%s.f16 %%x, %%a, %%b" % (ftz, sat))
            form(f, ["tiny16", "tiny16", "f16"], ["b16"], "fma.rn%s%s.f16 %%x, %%a, %%b, %%c" % (ftz, sat))
        form(
            f,
            ["tiny16", "tiny16"],
            ["b32"],
            "mov.b32 %%t1, {%%a, %%b}; mov.b32 %%t2, {%%b, %%a}; mul.rn%s.f16x2 %%x, %%t1, %%t2" % ftz,
        )
    for t, one in (("f16", "0x3c00"), ("bf16", "0x3f80")):
        for sign in (0, 0x8000):  # which NaN is the one that .oob means
            for low in range(4 if t == "f16" else 0):
                form(
                    f,
                    ["u8"],
                    ["b16"],
                    "mov.b16 %%h2, 0x3c00; mov.b16 %%h3, 0x4000; cvt.u16.u8 %%h1, %%a; shl.b16 %%h1, %%h1, 2;"
                    " or.b16 %%h1, %%h1, %d; fma.rn.oob.f16 %%x, %%h1, %%h2, %%h3" % (0x7C00 + low + sign),
                )
            if t == "bf16":
                form(
                    f,
                    ["u8"],
                    ["b16"],
                    "mov.b16 %%h2, 0x3f80; mov.b16 %%h3, 0x4000; cvt.u16.u8 %%h1, %%a; and.b16 %%h1, %%h1,"
                    " 127; or.b16 %%h1, %%h1, %d; fma.rn.oob.bf16 %%x, %%h1, %%h2, %%h3" % (0x7F80 + sign),
                )
        for relu in ("", ".relu"):
            form(
                f,
                [t, t],
                ["b16", "b16"],
                "mov.b16 %%h1, 0xffff; fma.rn.oob%s.%s %%x, %%a, %%h1, %%b; fma.rn.oob%s.%s %%y, %%h1,"
                " %%a, %%b" % (relu, t, relu, t),
            )
            form(f, [t, t], ["b16"], "mov.b16 %%h1, 0xffff; fma.rn.oob%s.%s %%x, %%a, %%b, %%h1" % (relu, t))
            form(
                f,
                [t + "x2"] * 2,
                ["b32"],
                "mov.b32 %%t1, 0xffff%s; fma.rn.oob%s.%sx2 %%x, %%a, %%t1, %%b" % (one[2:], relu, t),
            )
            form(
                f,
                [t + "x2"] * 2,
                ["b32"],
                "mov.b32 %%t1, 0x%sffff; fma.rn.oob%s.%sx2 %%x, %%t1, %%a, %%b" % (one[2:], relu, t),
            )
    # a NaN that arithmetic made, seen through everything that shows bits; and NaNs from memory beside it
    nan = "mul.f32 %t1, %a, %b; "
    two = ["f32", "f32"]
    form(f, two, ["b32", "cell"], nan + "st.global.f32 [%g], %t1; mov.b32 %x, %t1")
    form(
        f, two, ["b32", "cell"], nan + "sub.f32 %t2, %a, %b; st.global.v2.f32 [%g], {%t1, %t2}; mov.b32 %x, 0"
    )
    form(f, two, ["b64"], nan + "sub.f32 %t2, %a, %b; mov.b64 %x, {%t1, %t2}")
    form(f, two, ["b16", "b16"], nan + "mov.b32 {%x, %y}, %t1")
    form(f, two, ["b32"], nan + "st.shared.f32 [%s], %t1; ld.shared.b32 %x, [%s]")
    form(f, two, ["b32"], ".local .f32 %slot; " + nan + "st.local.f32 [%slot], %t1; ld.local.b32 %x, [%slot]")
    form(f, two, ["b32"], nan + "shfl.sync.bfly.b32 %x, %t1, 5, 31, -1")
    form(f, two, ["pred", "pred"], nan + "setp.eq.b32 %x, %t1, 0x7fffffff; setp.lt.s32 %y, %t1, 0")
    form(f, two, ["b32", "cell"], nan + "st.global.b32 [%g], 0; atom.global.exch.b32 %x, [%g], %t1")
    form(f, two, ["b32", "cell"], nan + "st.global.b32 [%g], %b; atom.global.add.f32 %x, [%g], %t1")
    form(f, two, ["b32", "b32"], nan + "neg.f32 %x, %t1; abs.f32 %y, %t1")
    form(f, two, ["b32", "b32"], nan + "copysign.f32 %x, %t1, %b; copysign.f32 %y, %b, %t1")
    form(f, two, ["b64", "b16"], nan + "cvt.f64.f32 %x, %t1; cvt.rn.f16.f32 %y, %t1")
    form(f, two, ["b32", "b16"], nan + "cvt.f32.f32 %x, %t1; cvt.rn.bf16.f32 %y, %t1")
    form(f, two, ["b32", "b32"], nan + "cvt.rni.s32.f32 %x, %t1; cvt.rni.f32.f32 %y, %t1")
    form(f, two + ["bit"], ["b32", "b32"], nan + "selp.f32 %x, %t1, %b, %c; selp.b32 %y, %b, %t1, %c")
    form(f, ["f32"] * 3, ["b32", "b32"], nan + "slct.f32.f32 %x, %t1, %b, %c; slct.f32.f32 %y, %b, %a, %t1")
    form(f, two, ["b32", "b32"], nan + "min.f32 %x, %t1, %b; max.f32 %y, %b, %t1")
    form(
        f,
        two,
        ["b32", "b32"],
        nan + "mov.f32 %t2, %t1; mov.b32 %t3, %t2; xor.b32 %x, %t3, 0x80000000; prmt.b32 %y, %t2, 0, 0x0123",
    )
    form(f, two + ["bit"], ["b32"], nan + "mov.b32 %x, 0; @%c mov.f32 %x, %t1")
    form(f, two + ["bit"], ["b32"], nan + "mov.f32 %x, 0f3F800000; @%c fma.rn.f32 %x, %t1, %a, %b")
    form(f, ["u32", "lane"], ["b32"], "and.b32 %t1, %b, 31; fns.b32 %x, %a, %t1, 0x80000000")
    form(f, ["u32", "lane"], ["b32"], "and.b32 %t1, %b, 31; fns.b32 %x, %a, %t1, -2147483647")
    form(f, ["u32", "u32", "small"], ["b32"], "fns.b32 %x, %a, %b, %c")
    form(
        f,
        ["fewbit"],
        ["b32", "pred"],
        "barrier.cta.red.popc.aligned.u32 %x, 0, %a; barrier.cta.red.or.aligned.pred %y, 0, %a",
    )
    form(f, ["fewbit"], ["pred"], "barrier.cta.red.and.aligned.pred %x, 1, !%a")
    form(f, ["fewbit"], ["b32"], "activemask.b32 %x; @%a activemask.b32 %x")
    for reg_name in (
        "laneid",
        "lanemask_eq",
        "lanemask_le",
        "lanemask_lt",
        "lanemask_ge",
        "lanemask_gt",
        "tid.x",
        "ntid.x",
        "ctaid.x",
        "tid.y",
    ):
        form(f, ["lane"], ["b32"], "mov.u32 %%x, %%%s" % reg_name)
    form(f, ["lane"], ["b32"], "mov.u32 %x, WARP_SZ")
    form(
        f,
        ["u32"],
        ["pred", "pred"],
        "cvt.u64.u32 %l1, %s; cvta.shared.u64 %l2, %l1; isspacep.shared %x, %l2; isspacep.global %y, %l2",
    )
    form(
        f,
        ["u32"],
        ["pred", "pred"],
        "cvta.global.u64 %l2, %g; isspacep.global %x, %l2; isspacep.local %y, %l2",
    )
    form(
        f,
        ["u32"],
        ["pred", "b32"],
        (
            ".local .b32 %slot; mov.u64 %l1, %slot; cvta.local.u64 %l2, %l1; isspacep.local %x, %l2; st.u32"
            " [%l2], %a; ld.local.u32 %y, [%l1]"
        ),
    )


def nans():
    """Words that look like NaNs in registers that also hold floats, and NaNs of arithmetic where bits are
    looked at."""
    f, two, guarded = "nan", ["f32", "f32"], ["f32", "f32", "bit"]
    words = ("0xffffffff", "0x7fc00001", "0xffc00000")
    number = "fma.rn.f32 %t1, %a, %b, %b; "
    for word in words:
        form(
            f,
            guarded,
            ["b32", "b32"],
            "mov.b32 %%x, %s; @%%c add.f32 %%x, %%a, %%b; mov.b32 %%y, %s; @!%%c mul.ftz.f32 %%y, %%a, %%b"
            % (word, word),
        )
        form(
            f,
            guarded,
            ["b32", "b32"],
            number + "selp.b32 %%x, %%t1, %s, %%c; selp.f32 %%y, %%t1, 0f%s, %%c" % (word, word[2:]),
        )
        form(f, ["f32", "f32", "u32"], ["b32"], number + "slct.u32.s32 %%x, %%t1, %s, %%c" % word)
        form(
            f,
            two,
            ["b32", "b32"],
            number + "slct.f32.f32 %%x, %%t1, 0f%s, %%a; slct.b32.f32 %%y, %s, %%t1, %%t1" % (word[2:], word),
        )
        form(
            f, guarded, ["b32"], "add.f32 %%x, %%a, %%b; @%%c mov.b32 %%x, %s; @!%%c mov.b32 %%x, %%x" % word
        )
        form(
            f,
            guarded,
            ["b32", "b32"],
            "mov.b32 %%t2, %s; @%%c sub.f32 %%t2, %%a, %%b; mov.f32 %%x, %%t2; add.f32 %%y, %%t2, %%t2"
            % word,
        )
        form(
            f,
            guarded,
            ["b32"],
            "mov.b32 %%t2, %s; @!%%c bra NUMBER_%s; min.f32 %%t2, %%a, %%b; NUMBER_%s: mov.b32 %%x, %%t2"
            % (word, word, word),
        )
        form(
            f,
            guarded,
            ["b32", "b32"],
            number + "@%%c mov.b32 %%t1, %s; mov.b64 %%l1, {%%t1, %%a}; mov.b64 {%%x, %%y}, %%l1" % word,
        )
    form(
        f,
        guarded,
        ["b32", "b32"],
        "mov.b32 %x, %a; @%c add.f32 %x, %x, %b; mov.b32 %y, %b; @!%c sqrt.rn.f32 %y, %a",
    )
    form(
        f,
        guarded,
        ["b32", "b32"],
        number + "mov.b32 %t2, %t1; @%c mov.b32 %t2, %a; mov.b32 %x, %t2; selp.f32 %y, %t2, %b, %c",
    )
    form(f, guarded, ["b32"], "@%c add.f32 %t1, %a, %b; @!%c sub.u32 %t1, %a, 1; mov.b32 %x, %t1")
    form(
        f, guarded, ["b32", "pred"], number + "@!%c not.b32 %t1, %a; mov.b32 %x, %t1; setp.eq.s32 %y, %t1, %a"
    )
    form(f, two, ["b64"], number + "mov.b64 %x, {%t1, %a}")
    form(f, two, ["b32"], number + "mov.b32 {%h1, %h2}, %t1; mov.b32 %x, {%h2, %h1}")
    # ptxas makes a move of mul by 1 (without .ftz), of min and max of a register with itself and of two neg
    # in a row.
    for code in (
        "mul.ftz.f32 %x, %a, 0f3F800000",
        "mul.f32 %x, %a, 0fBF800000",
        "add.f32 %x, %a, 0f80000000",
        "add.f32 %x, %a, 0f00000000",
        "sub.f32 %x, %a, 0f00000000",
        "sub.f32 %x, 0f80000000, %a",
        "fma.rn.f32 %x, %a, 0f3F800000, 0f80000000",
        "div.rn.f32 %x, %a, 0f3F800000",
        "max.NaN.f32 %x, %a, %a",
        "max.f32 %x, %a, 0fFF800000",
        "min.f32 %x, %a, 0f7F800000",
        "neg.f32 %t1, %a; abs.f32 %x, %t1",
        "abs.f32 %t1, %a; neg.f32 %x, %t1",
        "abs.f32 %t1, %a; abs.f32 %x, %t1",
        "copysign.f32 %x, %a, %a",
        "cvt.f32.f32 %x, %a",
        "cvt.ftz.f32.f32 %x, %a",
        "cvt.sat.f32.f32 %x, %a",
        "cvt.f64.f32 %l1, %a; cvt.rn.f32.f64 %x, %l1",
    ):
        form(f, ["f32"], ["b32"], code)
    for t, one in (("f16", "0x3c00"), ("bf16", "0x3f80")):
        form(f, [t], ["b16"], "mov.b16 %%h1, %s; fma.rn.%s %%x, %%a, %%h1, %%h1" % (one, t))
        form(f, [t], ["b16"], "neg.%s %%h1, %%a; abs.%s %%x, %%h1" % (t, t))
        form(f, [t, "bit"], ["b16"], "mov.b16 %%x, 0xffff; @%%b fma.rn.%s %%x, %%a, %%a, %%a" % t)
        form(f, [t, "bit"], ["b16"], "fma.rn.%s %%h1, %%a, %%a, %%a; selp.b16 %%x, %%h1, 0xfc01, %%b" % t)
        form(f, [t], ["b16", "b32"], "cvt.f32.%s %%y, %%a; cvt.rn.%s.f32 %%x, %%y" % (t, t))


def odd():
    """What the assembler takes beyond the manual."""
    f = "odd"
    for o in ("add", "sub"):
        for t in ("u16", "s16"):
            form(
                f,
                ["u32", "u32", "u16", "u16"],
                ["b16"],
                "%s.cc.u32 %%t1, %%a, %%b; %sc.%s %%x, %%c, %%d" % (o, o, t),
            )
        form(f, ["u32"] * 4, ["b32"], "%s.cc.u32 %%t1, %%a, %%b; %sc.sat.s32 %%x, %%c, %%d" % (o, o))
    flag = "selp.b32 %t1, 1, 0, %d; add.cc.u32 %t2, %t1, 0xffffffff; "
    for m in ("lo", "hi"):
        for t in ("u16", "s16"):
            form(f, ["u16", "u16", "u16", "bit"], ["b16"], flag + "madc.%s.%s %%x, %%a, %%b, %%c" % (m, t))
    form(f, ["u32", "u32", "u32", "bit"], ["b32"], flag + "madc.hi.sat.s32 %x, %a, %b, %c")
    for t in ("f32", "f64"):
        form(f, [t], ["pred"], "testp.%s %%x, %%a" % t)
    for t in ("f16", "f16x2"):
        form(f, [t] * 3, [reg(t)], "fma.rn.oob.sat.%s %%x, %%a, %%b, %%c" % t)
    for t in ("bf16", "bf16x2"):
        for r in ("rz", "rm", "rp"):
            for m in ("", ".relu", ".oob", ".oob.relu"):
                form(f, [t] * 3, [reg(t)], "fma.%s%s.%s %%x, %%a, %%b, %%c" % (r, m, t))
    for t in ("f16x2", "bf16x2"):
        for c in "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split():
            form(f, [t, t], ["pred"], "setp.%s.%s %%x, %%a, %%b" % (c, t))
            for b in ("and", "or", "xor"):
                form(f, [t, t, "bit"], ["pred"], "setp.%s.%s.%s %%x, %%a, %%b, %%c" % (c, b, t))
    form(f, ["f16x2", "f16x2"], ["pred"], "setp.lt.ftz.f16x2 %x, %a, %b")
    # in shared memory the driver's assembler ends with these
    for o in ("and", "or", "xor", "exch"):
        form(
            f,
            ["u32", "u32", "u32"],
            ["b32", "cell"],
            "st.global.b32 [%%g], %%b; atom.global.%s.b32 %%x, [%%g], %%a, %%c" % o,
        )


def second():
    """Every second operation of scalar video instructions, with all signs and .sat; sums of SIMD ones."""
    f = "second"
    rnd = random.Random(20261124)
    sel = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
    kinds = ("u32", "s32")
    three = ["signs"] * 3
    for a, b in ((a, b) for a in kinds for b in kinds):
        for op2 in ("add", "min", "max"):
            for d, sat in ((d, sat) for d in kinds for sat in ("", ".sat")):
                for o in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
                    name = "%s.%s.%s.%s%s.%s" % (o, d, a, b, sat, op2)
                    form(f, three, ["b32"], name + " %x, %a, %b, %c")
                    parts = " %%x, %%a%s, %%b%s, %%c" % (rnd.choice(sel), rnd.choice(sel))
                    form(f, three, ["b32"], name + parts)
                for o, m in ((o, m) for o in ("vshl", "vshr") for m in ("clamp", "wrap") if b == "u32"):
                    name = "%s.%s.%s.u32%s.%s.%s" % (o, d, a, sat, m, op2)
                    shifted = ["signs", "sh", "signs"]
                    form(f, shifted, ["b32"], name + " %x, %a, %b, %c")
                    form(f, shifted, ["b32"], name + " %%x, %%a%s, %%b, %%c" % rnd.choice(sel))
            for c in ("eq", "ne", "lt", "le", "gt", "ge"):
                form(f, three, ["b32"], "vset.%s.%s.%s.%s %%x, %%a, %%b, %%c" % (a, b, c, op2))
        for n, mask in (("2", ".h1"), ("4", ".b31")):
            ops = ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax")
            for d, o in ((d, o) for d in kinds for o in ops):
                name = "%s%s.%s.%s.%s" % (o, n, d, a, b)
                form(f, three, ["b32"], name + ".add %x, %a, %b, %c")
                form(f, three, ["b32"], name + ".add %%x%s, %%a, %%b, %%c" % mask)
            for c in ("eq", "ne", "lt", "le", "gt", "ge"):
                form(f, three, ["b32"], "vset%s.%s.%s.%s.add %%x, %%a, %%b, %%c" % (n, a, b, c))


def main():
    integer(), bits(), carry(), single(), double(), half(), compare_int(), compare_float()
    convert_int(), convert_float_int(), convert_int_float(), convert_float()
    video(), warp(), atomic(), memory(), edges(), nans(), odd(), second(), payload()
    os.makedirs(sys.argv[1], exist_ok=True)
    for family, lines in FAMILY.items():
        with open(os.path.join(sys.argv[1], "alu_%s.forms" % family), "w") as out:
            out.write("\n".join(dict.fromkeys(lines)) + "\n")
        print(family, len(dict.fromkeys(lines)))


if __name__ == "__main__":
    main()
