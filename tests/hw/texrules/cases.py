#!/usr/bin/env python3
"""cases.py >cases.txt - what tests/hw/texrules asks: rules of textures and surfaces that are no arithmetic.

A line a case, fields apart by tabs: name, resource, texture, handle, PTX.
  resource  KIND FORMATxCHANNELS WIDTHxHEIGHTxDEPTH LEVELS FLAGS; KIND 1d 2d 3d a1d a2d cube acube linear pitch
            (depth: slices, or layers); FLAGS of s (surface), g (gather), - (none)
  texture   words: point linear wrap clamp mirror border norm int srgb miplinear anisoN
  handle    object, reference, unbound, destroyed, gone (the array was destroyed), surface (as a texture),
            texture (as a surface), 0xNUMBER, create (nothing is launched)
  PTX       statements; %rd1 is the texture, %rd2 the surface, %r0 to %r3 are the results
"""
CASES = []


def case(name, resource, texture, handle, text=""):
    CASES.append("\t".join((name, resource, texture, handle, text)))


TEX = {
    "1d": "tex.1d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%rd1, {%r4}];",
    "2d": "tex.2d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%rd1, {%r4,%r5}];",
    "3d": "tex.3d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%rd1, {%r4,%r5,%r6,%r6}];",
    "a1d": "tex.a1d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%rd1, {%r6,%r4}];",
    "a2d": "tex.a2d.v4.u32.s32 {%r0,%r1,%r2,%r3}, [%rd1, {%r6,%r4,%r5,%r5}];",
    "cube": "tex.cube.v4.u32.f32 {%r0,%r1,%r2,%r3}, [%rd1, {%f4,%f5,%f6,%f6}];",
    "acube": "tex.acube.v4.u32.f32 {%r0,%r1,%r2,%r3}, [%rd1, {%r6,%f4,%f5,%f6}];",
}
RES = {
    "1d": "1d u8x4 16x0x0 1 s",
    "2d": "2d u8x4 16x8x0 1 s",
    "3d": "3d u8x4 16x8x4 1 s",
    "a1d": "a1d u8x4 16x0x4 1 s",
    "a2d": "a2d u8x4 16x8x4 1 s",
    "cube": "cube u8x4 8x8x6 1 s",
    "acube": "acube u8x4 8x8x12 1 s",
    "linear": "linear u8x4 64x0x0 1 -",
    "pitch": "pitch u8x4 16x8x0 1 -",
}
AT = "mov.u32 %r4, 3; mov.u32 %r5, 2; mov.u32 %r6, 1; mov.f32 %f4, 0f3F800000; mov.f32 %f5, 0f3E800000; mov.f32 %f6, 0fBE800000; "

# Which instruction goes with which image.
for res in RES:
    for tex in TEX:
        case(f"kind_{res}_by_{tex}", RES[res], "point clamp int", "object", AT + TEX[tex])

# Handles.
two = AT + TEX["2d"]
for handle in ("0x0", "0x1", "0x7fffffff", "0xdeadbeef", "0x123456789abcdef0", "0xffffffffffffffff", "destroyed", "gone", "surface"):
    case(f"tex_{handle}", RES["2d"], "point clamp int", handle, two)
suld = AT + "shl.b32 %r4, %r4, 2; suld.b.2d.b32.trap %r0, [%rd2, {%r4,%r5}];"
for handle in ("0x0", "0x1", "0x7fffffff", "0xdeadbeef", "destroyed", "gone", "texture"):
    case(f"suld_{handle}", RES["2d"], "point clamp int", handle, suld)
case("ref_unbound", RES["2d"], "point clamp int", "unbound", AT + TEX["2d"].replace("%rd1", "tr"))
case("ref_bound", RES["2d"], "point clamp int", "reference", AT + TEX["2d"].replace("%rd1", "tr"))
case("ref_address", RES["2d"], "point clamp int", "reference", AT + "mov.u64 %rd3, tr; " + TEX["2d"].replace("%rd1", "%rd3"))
case("surf_unbound", RES["2d"], "point clamp int", "unbound", suld.replace("%rd2", "sr"))
case("surf_bound", RES["2d"], "point clamp int", "reference", suld.replace("%rd2", "sr"))
case("surf_address", RES["2d"], "point clamp int", "reference", "mov.u64 %rd3, sr; " + suld.replace("%rd2", "%rd3"))
for what in ("texref", "samplerref", "surfref"):
    for reg in ("%rd1", "%rd2"):
        case(f"istypep_{what}_{reg[1:]}", RES["2d"], "point clamp int", "object", f"istypep.{what} %p0, {reg}; selp.u32 %r0, 1, 0, %p0;")
    for name in ("tr", "sr"):
        case(f"istypep_{what}_{name}", RES["2d"], "point clamp int", "reference",
             f"mov.u64 %rd3, {name}; istypep.{what} %p0, %rd3; selp.u32 %r0, 1, 0, %p0;")
    case(f"istypep_{what}_out", RES["2d"], "point clamp int", "object", f"istypep.{what} %p0, %rd0; selp.u32 %r0, 1, 0, %p0;")
case("predicate", RES["2d"], "point clamp int", "object",
     AT + "tex.2d.v4.u32.s32 {%r0,%r1,%r2,%r3}|%p0, [%rd1, {%r4,%r5}]; selp.u32 %r3, 1, 0, %p0;")
case("predicate_out", RES["2d"], "point clamp int", "object",
     AT + "mov.u32 %r4, 1000; tex.2d.v4.u32.s32 {%r0,%r1,%r2,%r3}|%p0, [%rd1, {%r4,%r5}]; selp.u32 %r3, 1, 0, %p0;")

# Queries.
FORMATS = ("u8", "u16", "u32", "s8", "s16", "s32", "f16", "f32")
for res in RES:
    for i, qs in enumerate((("width", "height", "depth", "array_size"), ("num_mipmap_levels", "num_samples", "normalized_coords", "channel_order"))):
        case(f"txq_{res}_{i}", RES[res], "point clamp int", "object",
             " ".join(f"txq.{q}.b32 %r{k}, [%rd1];" for k, q in enumerate(qs)))
    if res not in ("linear", "pitch"):
        case(f"suq_{res}_0", RES[res], "point clamp int", "object",
             " ".join(f"suq.{q}.b32 %r{k}, [%rd2];" for k, q in enumerate(("width", "height", "depth", "array_size"))))
        case(f"suq_{res}_1", RES[res], "point clamp int", "object",
             " ".join(f"suq.{q}.b32 %r{k}, [%rd2];" for k, q in enumerate(("memory_layout", "channel_order", "channel_data_type"))))
for f in FORMATS:
    for c in (1, 2, 4):
        case(f"txq_format_{f}x{c}", f"2d {f}x{c} 16x8x0 1 s", "point clamp int", "object",
             "txq.channel_data_type.b32 %r0, [%rd1]; txq.channel_order.b32 %r1, [%rd1]; suq.channel_data_type.b32 %r2, [%rd2]; suq.channel_order.b32 %r3, [%rd2];")
    case(f"txq_ref_format_{f}", f"2d {f}x4 16x8x0 1 s", "point clamp int", "reference",
         "txq.channel_data_type.b32 %r0, [tr]; txq.channel_order.b32 %r1, [tr]; suq.channel_data_type.b32 %r2, [sr]; suq.channel_order.b32 %r3, [sr];")
case("txq_ref_shape", "2d u8x4 16x8x0 1 s", "linear wrap norm", "reference",
     "txq.width.b32 %r0, [tr]; txq.height.b32 %r1, [tr]; txq.normalized_coords.b32 %r2, [tr]; suq.width.b32 %r3, [sr];")
for t in ("point clamp int", "linear clamp norm", "linear wrap norm", "linear mirror norm", "linear border norm"):
    case("txq_sampler_" + t.replace(" ", "_"), "2d u8x4 16x8x0 1 s", t, "object",
         "txq.filter_mode.b32 %r0, [%rd1]; txq.addr_mode_0.b32 %r1, [%rd1]; txq.addr_mode_1.b32 %r2, [%rd1]; txq.normalized_coords.b32 %r3, [%rd1];")
    case("txq_ref_sampler_" + t.replace(" ", "_"), "2d u8x4 16x8x0 1 s", t, "reference",
         "txq.filter_mode.b32 %r0, [tr]; txq.addr_mode_0.b32 %r1, [tr]; txq.addr_mode_1.b32 %r2, [tr]; txq.addr_mode_2.b32 %r3, [tr];")
for lev in range(6):
    case(f"txq_level_{lev}", "2d u8x4 16x8x0 4 s", "point clamp norm", "object",
         f"mov.u32 %r4, {lev}; txq.level.width.b32 %r0, [%rd1], %r4; txq.level.height.b32 %r1, [%rd1], %r4; txq.num_mipmap_levels.b32 %r2, [%rd1];")

# Results of another type than the texture's.
for f in FORMATS:
    for how in ("point clamp int", "linear clamp norm"):
        for d in ("u32", "f32"):
            rs = "{%r0,%r1,%r2,%r3}" if d == "u32" else "{%f0,%f1,%f2,%f3}"
            back = "" if d == "u32" else " mov.b32 %r0, %f0; mov.b32 %r1, %f1; mov.b32 %r2, %f2; mov.b32 %r3, %f3;"
            case(f"type_{f}_{how.split()[2]}_{d}", f"2d {f}x4 16x8x0 1 s", how, "object",
                 f"mov.u32 %r4, 3; mov.u32 %r5, 2; tex.2d.v4.{d}.s32 {rs}, [%rd1, {{%r4,%r5}}];" + back)
        case(f"type_{f}_{how.split()[2]}_f16", f"2d {f}x4 16x8x0 1 s", how, "object",
             "mov.u32 %r4, 3; mov.u32 %r5, 2; tex.2d.v4.f16.s32 {%h0,%h1,%h2,%h3}, [%rd1, {%r4,%r5}]; mov.b32 %r0, {%h0,%h1}; mov.b32 %r1, {%h2,%h3};"
             " tex.2d.v2.f16x2.s32 {%r2,%r3}, [%rd1, {%r4,%r5}];")

# Surfaces: out of range, misaligned, other sizes than the format's, formatted stores, reductions.
COORD = {"1d": "{%r4}", "2d": "{%r4,%r5}", "3d": "{%r4,%r5,%r6,%r6}", "a1d": "{%r6,%r4}", "a2d": "{%r6,%r4,%r5,%r5}"}
PAST = {"1d": [(64, 0, 0), (-4, 0, 0), (2, 0, 0)], "2d": [(64, 2, 0), (8, 8, 0), (8, -1, 0), (6, 1, 0)],
        "3d": [(64, 2, 1), (8, 8, 1), (8, 2, 4), (8, 2, -1)], "a1d": [(64, 0, 1), (8, 0, 4), (8, 0, -1)],
        "a2d": [(64, 2, 1), (8, 8, 1), (8, 2, 4), (8, 2, -1)]}
for g, places in PAST.items():
    for n, (x, y, z) in enumerate(places):
        at = f"mov.u32 %r4, {x}; mov.u32 %r5, {y}; mov.u32 %r6, {z}; mov.u32 %r1, 0x01020304; "
        for clamp in ("trap", "clamp", "zero"):
            case(f"suld_{g}_{n}_{clamp}", RES[g], "point clamp int", "object", at + f"suld.b.{g}.b32.{clamp} %r0, [%rd2, {COORD[g]}];")
            back = f" suld.b.{g}.b32.clamp %r0, [%rd2, {COORD[g]}];"
            case(f"sust_{g}_{n}_{clamp}", RES[g], "point clamp int", "object", at + f"sust.b.{g}.b32.{clamp} [%rd2, {COORD[g]}], %r1;" + back)
            if g in ("1d", "2d", "3d"):
                case(f"sured_{g}_{n}_{clamp}", RES[g].replace("u8x4", "u32x1"), "point clamp int", "object",
                     at + f"sured.b.add.{g}.u32.{clamp} [%rd2, {COORD[g]}], %r1;" + back)
for f in ("u8x1", "u8x4", "u16x2", "f16x4", "u32x2", "f32x4"):
    at = "mov.u32 %r4, 16; mov.u32 %r5, 2; "
    for size, d in (("b8", "%h0"), ("b16", "%h0"), ("b32", "%r0"), ("b64", "%rd3")):
        back = {"b8": " cvt.u32.u16 %r0, %h0;", "b16": " cvt.u32.u16 %r0, %h0;", "b32": "", "b64": " mov.b64 {%r0,%r1}, %rd3;"}[size]
        case(f"suld_size_{f}_{size}", f"2d {f} 16x8x0 1 s", "point clamp int", "object", at + f"suld.b.2d.{size}.trap {d}, [%rd2, {{%r4,%r5}}];" + back)
    case(f"suld_size_{f}_v4b32", f"2d {f} 16x8x0 1 s", "point clamp int", "object", at + "suld.b.2d.v4.b32.trap {%r0,%r1,%r2,%r3}, [%rd2, {%r4,%r5}];")
    last = "mov.u32 %r4, %s; mov.u32 %r5, 2; "
for f in FORMATS:
    for c in (1, 2, 4):
        size = int(f[1:]) * c // 32 or 1
        v = "v4." if size == 4 else "v2." if size == 2 else ""
        rs = "{%r0,%r1,%r2,%r3}" if size == 4 else "{%r0,%r1}" if size == 2 else "%r0"
        b = "b32" if int(f[1:]) * c >= 32 else "b16" if int(f[1:]) * c == 16 else "b8"
        if b != "b32":
            rs = "%h0"
        byte = 3 * int(f[1:]) * c // 8
        for vec, src in (("", "%r8"), ("v2.", "{%r8,%r9}"), ("v4.", "{%r8,%r9,%r10,%r11}")):
            case(f"sust_p_{f}x{c}_{vec[:2] or 'v1'}", f"2d {f}x{c} 16x8x0 1 s", "point clamp int", "object",
                 "mov.u32 %r4, 3; mov.u32 %r5, 2; mov.u32 %r8, 0x3f400000; mov.u32 %r9, 0x00012345; mov.u32 %r10, 0xfffffffb; mov.u32 %r11, 0x7f123456; "
                 f"sust.p.2d.{vec}b32.trap [%rd2, {{%r4,%r5}}], {src}; mov.u32 %r4, {byte}; suld.b.2d.{v}{b}.trap {rs}, [%rd2, {{%r4,%r5}}];"
                 + (" cvt.u32.u16 %r0, %h0;" if rs == "%h0" else ""))
for op in ("add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32"):
    o, t = op.split(".")
    case(f"sured_b_{o}_{t}", "2d u32x1 16x8x0 1 s", "point clamp int", "object",
         f"mov.u32 %r4, 12; mov.u32 %r5, 2; mov.u32 %r8, 0x80a0b0c0; suld.b.2d.b32.trap %r0, [%rd2, {{%r4,%r5}}]; sured.b.{o}.2d.{t}.trap [%rd2, {{%r4,%r5}}], %r8;"
         " suld.b.2d.b32.trap %r1, [%rd2, {%r4,%r5}];")
for o in ("add", "min", "max", "and", "or"):
    case(f"sured_p_{o}", "2d s32x1 16x8x0 1 s", "point clamp int", "object",
         f"mov.u32 %r4, 3; mov.u32 %r5, 2; mov.u32 %r8, 0x80a0b0c0; sured.p.{o}.2d.b32.trap [%rd2, {{%r4,%r5}}], %r8;"
         " mov.u32 %r4, 12; suld.b.2d.b32.trap %r1, [%rd2, {%r4,%r5}];")
for o in ("add.u64", "min.u64", "max.u64", "min.s64", "max.s64"):
    o, t = o.split(".")
    case(f"sured_b_{o}_{t}", "2d u32x2 16x8x0 1 s", "point clamp int", "object",
         f"mov.u32 %r4, 24; mov.u32 %r5, 2; mov.u64 %rd3, 0x80a0b0c0d0e0f001; sured.b.{o}.2d.{t}.trap [%rd2, {{%r4,%r5}}], %rd3;"
         " suld.b.2d.v2.b32.trap {%r0,%r1}, [%rd2, {%r4,%r5}];")
case("sured_u8x4", "2d u8x4 16x8x0 1 s", "point clamp int", "object",
     "mov.u32 %r4, 12; mov.u32 %r5, 2; mov.u32 %r8, 1; sured.b.add.2d.u32.trap [%rd2, {%r4,%r5}], %r8; suld.b.2d.b32.trap %r1, [%rd2, {%r4,%r5}];")

# What can be created.
for name, res, tex in (
    ("array_0", "2d u8x4 0x8x0 1 s", ""), ("array_1d_131072", "1d u8x1 131072x0x0 1 -", ""), ("array_1d_131073", "1d u8x1 131073x0x0 1 -", ""),
    ("array_2d_131072x8", "2d u8x1 131072x8x0 1 -", ""), ("array_2d_131073x8", "2d u8x1 131073x8x0 1 -", ""), ("array_2d_8x65536", "2d u8x1 8x65536x0 1 -", ""),
    ("array_2d_8x65537", "2d u8x1 8x65537x0 1 -", ""), ("array_3d_16384", "3d u8x1 16384x1x1 1 -", ""), ("array_3d_16385", "3d u8x1 16385x1x1 1 -", ""),
    ("array_3d_1x1x16385", "3d u8x1 1x1x16385 1 -", ""), ("array_a1d_32768x2048", "a1d u8x1 32768x0x2048 1 -", ""), ("array_a1d_32769", "a1d u8x1 32769x0x2 1 -", ""),
    ("array_a1d_layers_2049", "a1d u8x1 32x0x2049 1 -", ""), ("array_a2d_32769", "a2d u8x1 32769x2x2 1 -", ""), ("array_a2d_layers_2049", "a2d u8x1 8x8x2049 1 -", ""),
    ("array_cube_32769", "cube u8x1 32769x32769x6 1 -", ""), ("array_cube_8x9", "cube u8x1 8x9x6 1 -", ""), ("array_cube_5", "cube u8x1 8x8x5 1 -", ""),
    ("array_acube_8", "acube u8x1 8x8x8 1 -", ""), ("array_acube_2046", "acube u8x1 8x8x2046 1 -", ""), ("array_acube_2052", "acube u8x1 8x8x2052 1 -", ""),
    ("array_channels_3", "2d u8x3 8x8x0 1 -", ""), ("array_channels_5", "2d u8x5 8x8x0 1 -", ""), ("array_gather_3d", "3d u8x1 8x8x8 1 g", ""),
    ("levels_4", "2d u8x4 16x8x0 4 -", ""), ("levels_5", "2d u8x4 16x8x0 5 -", ""), ("levels_6", "2d u8x4 16x8x0 6 -", ""), ("levels_20", "2d u8x4 16x8x0 20 -", ""),
    ("surface_of_plain", "2d u8x4 16x8x0 1 -S", ""), ("surface_of_levels", "2d u8x4 16x8x0 4 sM", ""),
    ("linear_u32_linear", "2d u32x1 16x8x0 1 -", "linear clamp int"), ("linear_u8_int", "2d u8x1 16x8x0 1 -", "linear clamp int"), ("linear_u8_norm", "2d u8x1 16x8x0 1 -", "linear clamp"),
    ("linear_s32_norm", "2d s32x1 16x8x0 1 -", "linear clamp"), ("point_u32", "2d u32x1 16x8x0 1 -", "point clamp"), ("wrap_unnormalised", "2d u8x1 16x8x0 1 -", "point wrap int"),
    ("mip_unnormalised", "2d u8x4 16x8x0 4 -", "point clamp int"), ("srgb_u16", "2d u16x4 16x8x0 1 -", "linear clamp norm srgb"), ("srgb_f32", "2d f32x4 16x8x0 1 -", "linear clamp norm srgb"), ("aniso_16", "2d u8x4 16x8x0 1 -", "linear clamp norm aniso16"),
    ("aniso_17", "2d u8x4 16x8x0 1 -", "linear clamp norm aniso17"), ("linear_memory_filter", "linear u8x4 64x0x0 1 -", "linear clamp"),
    ("linear_memory_norm", "linear u8x4 64x0x0 1 -", "point clamp norm int"), ("linear_memory_offset16", "linear u8x4 64x0x0 1 o", "point clamp int"),
    ("linear_memory_0", "linear u8x4 0x0x0 1 -", "point clamp int"), ("linear_memory_big", "linear u8x1 268435457x0x0 1 -", "point clamp int"),
    ("linear_memory_past", "linear u8x4 64x0x0 1 p", "point clamp int"),
    ("pitch_33", "pitch u8x1 33x8x0 1 t", "point clamp int"), ("pitch_131073", "pitch u8x1 131073x2x0 1 -", "point clamp int"), ("pitch_offset", "pitch u8x4 16x8x0 1 o", "point clamp int"),
    ("pitch_past", "pitch u8x4 16x8x0 1 p", "point clamp int"), ("pitch_65001", "pitch u8x1 32x65001x0 1 -", "point clamp int"), ("pitch_norm", "pitch u8x4 16x8x0 1 -", "linear wrap norm"),
):
    case("create_" + name, res, tex, "create")

if __name__ == "__main__":
    print("\n".join(CASES))
