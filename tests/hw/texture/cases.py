#!/usr/bin/env python3
"""Writes the list of cases that the texture recordings hold.

Each line is read by case.c. Sizes and numbers of channels go round, so that all meet all in the end."""
import itertools

SIZES = {
    "1d": ["1000", "4096", "7", "33000", "8192", "20000", "65536", "100", "1"],
    "2d": ["64x64", "37x21", "256x100", "1x9", "1000x16", "128x3"],
    "3d": ["16x16x16", "9x7x5", "32x4x2", "12x1x6"],
    "a1d": ["64 layers=5", "1000 layers=2", "9 layers=7"],
    "a2d": ["32x16 layers=3", "21x37 layers=2", "7x5 layers=9"],
    "cube": ["64x64", "7x7", "1x1", "16x16", "100x100"],
    "acube": ["16x16 layers=3", "9x9 layers=2"],
}
FLAT = ["1d", "2d", "3d", "a1d", "a2d"]
INTEGERS = ["u8", "u16", "u32", "s8", "s16", "s32"]
FILTERED = ["u8 read=1", "u16 read=1", "s8 read=1", "s16 read=1", "u8 read=1 srgb=1", "f16", "f32"]
MODES = ["wrap", "clamp", "mirror", "border"]
turn = {kind: itertools.cycle(sizes) for kind, sizes in SIZES.items()}
channels = itertools.cycle([1, 4, 2])
seen = {}


def line(kind, format, *words, size=None, count=None):
    count = count or (4 if "srgb" in format else next(channels))
    text = f"kind={kind} format={format} channels={count} size={size or next(turn[kind])} " + " ".join(words)
    seen[text] = seen.get(text, 0) + 1
    print(text + (f" seed={seen[text]}" if seen[text] > 1 else ""))


def addressed():
    for mode in MODES:
        yield f"address={mode} normalized=1"
    yield "address=clamp"
    yield "address=border"


def flat():
    for kind, address in itertools.product(FLAT, addressed()):
        for format in INTEGERS + FILTERED:
            line(kind, format, address, "filter=point", "border=0.3,0.7,-0.2,1.5")
        for format in FILTERED:
            line(kind, format, address, "filter=linear", "border=0.25,1,0.6,-0.4")
        for format, texels in itertools.product(["f16", "f32"], ["wide", "wild"]):
            line(kind, format, address, "filter=linear", f"texels={texels}")
    for kind in FLAT:
        line(kind, "f32", "address=wrap,mirror,border normalized=1 filter=linear")
        line(kind, "f32", "address=wrap,border,mirror normalized=1 filter=point")
        line(kind, "f32", "address=wrap filter=linear")
    sizes = [2, 3, 2047, 2049, 4095, 4097, 8191, 8193, 16384, 16385, 32767, 32768, 32769]
    for size in sizes + [50000, 65535, 100000]:
        line("1d", "f32", "address=wrap normalized=1 filter=linear texels=ramp", size=size, count=1)
        line("1d", "f32", "address=mirror normalized=1 filter=point texels=ramp", size=size, count=1)


def cubes():
    for kind, filter, seamless in itertools.product(["cube", "acube"], ["point", "linear"], [0, 1]):
        for format in FILTERED:
            line(kind, format, f"filter={filter} normalized=1 address=clamp seamless={seamless}")
        for mode in MODES:
            words = f"filter={filter} normalized=1 address={mode} seamless={seamless} border=2,3,4,5"
            line(kind, "f32", words)


def levels():
    for kind, filter, mip in itertools.product(SIZES, ["point", "linear"], ["point", "linear"]):
        size = {"1d": "256", "2d": "64x32", "3d": "32x16x8", "a1d": "64 layers=3", "a2d": "32x32 layers=3"}
        size = size.get(kind, "32x32") + (" layers=2" if kind == "acube" else "")
        words = f"levels=5 filter={filter} mip={mip} normalized=1 address=wrap op=level"
        for format in ["f32", "u8 read=1", "f16", "s8 read=1", "u8 read=1 srgb=1"]:
            line(kind, format, words, size=size)
        line(kind, "f32", words + " bias=0.37 min=0.6 max=3.3", size=size)
        line(kind, "f32", words + " bias=-1.2 texels=levels", size=size)
    for bias in [0.001, -0.001, 0.5, 2.99, -0.3, 20, -20]:
        level = f"levels=6 mip=linear op=level texels=levels normalized=1 bias={bias}"
        line("2d", "f32", level, size="64x64", count=1)
        words = "levels=6 mip=linear op=tex texels=levels normalized=1"
        line("2d", "f32", f"{words} bias={bias}", size="64x64", count=1)
        line("2d", "f32", f"{words} min={abs(bias)}", size="64x64", count=1)


def gathers():
    for kind, component in itertools.product(["2d", "a2d", "cube", "acube"], range(4)):
        for mode in MODES:
            line(kind, "f32", f"op=gather component={component} normalized=1 address={mode}", count=4)
        for format in ["u8", "s16", "u8 read=1", "f16"]:
            line(kind, format, f"op=gather component={component} normalized=1 address=clamp", count=4)
    for format in ["u8", "f32"]:
        line("2d", format, "op=gather component=1 normalized=0 address=border border=1,2,3,4", count=1)


def others():
    for format in INTEGERS + FILTERED:
        line("1d", format, "op=int linear=1")
        line("2d", format, "pitched=1 filter=point address=clamp")
    for format in FILTERED:
        line("2d", format, "pitched=1 filter=linear address=border border=0.5,0.25,1,1")
    for kind, mode in itertools.product(FLAT, MODES):
        line(kind, "f32", f"op=int address={mode} normalized=1 border=1,2,3,4")
        line(kind, "u8 read=1", f"op=int address={mode} border=1,2,3,4")
        for filter in ["point", "linear"]:
            line(kind, "f32", f"op=offset address={mode} normalized=1 filter={filter} border=1,2,3,4")
    for kind, size in [("1d", "64"), ("2d", "64x16"), ("3d", "16x16x16")]:
        for mode in MODES:
            line(kind, "f32", f"op=intlevel levels=4 address={mode} normalized=1 border=1,2,3,4", size=size)
            line(kind, "f32", f"op=intlevel address={mode} normalized=1 border=1,2,3,4", size=size)
            line(kind, "f32", f"op=int levels=4 address={mode} normalized=1 border=1,2,3,4", size=size)
    for texels, filter in itertools.product(["random", "wide", "wild"], ["point", "linear"]):
        line("2d", "f32", f"op=halves texels={texels} filter={filter} address=clamp")
        line("2d", "f16", f"op=halves texels={texels} filter={filter} address=clamp")
    for format in INTEGERS + ["u8 read=1", "u16 read=1", "s8 read=1", "s16 read=1"]:
        line("2d", format, "op=halves address=clamp")
    for format in FILTERED:
        for border in ["0.998,0.002,-0.998,-0.002", "2,-2,0.1,0.9", "0.4999,0.5001,-0.4999,-0.5001"]:
            line("2d", format, f"address=border filter=point border={border}", count=4)
            line("2d", format, f"address=border filter=linear border={border}", count=4)


def rare():
    """Offsets of any size, comparisons, texel numbers with a level, directions of subnormal numbers."""
    for kind, size in [("2d", "37x21"), ("a2d", "21x37 layers=3")]:
        for mode in MODES:
            words = f"address={mode} normalized=1 border=1,2,3,4"
            line(kind, "f32", f"op=gatheroffset far=1 {words}", size=size)
            line(kind, "f32", f"op=offset far=1 filter=linear {words}", size=size)
    line("3d", "f32", "op=offset far=1 filter=linear normalized=1 address=wrap")
    for kind in ["2d", "a2d", "cube", "acube"]:
        for filter in ["point", "linear"]:
            line(kind, "f32", f"op=compare filter={filter} normalized=1 address=clamp")
            line(kind, "u8 read=1", f"op=compare filter={filter} normalized=1 address=clamp")
        if kind in ["2d", "cube"]:
            line(kind, "f32", "op=gathercompare normalized=1 address=clamp")
            line(kind, "u8 read=1", "op=gathercompare normalized=1 address=clamp")
    for kind, size in [("a1d", "64 layers=3"), ("a2d", "64x16 layers=3")]:
        for mode in ["wrap", "border"]:
            for levels in [1, 4]:
                words = f"op=intlevel levels={levels} address={mode} normalized=1 border=1,2,3,4"
                line(kind, "f32", words, size=size)
    line("1d", "f32", "op=intlevel linear=1")
    line("1d", "u8", "op=intlevel linear=1")
    for kind in ["cube", "acube"]:
        for mode in MODES:
            for filter in ["point", "linear"]:
                words = f"tiny=1 normalized=1 address={mode} border=2,3,4,5 filter={filter}"
                line(kind, "f32", words)
                if filter == "linear":
                    line(kind, "f32", words + " seamless=1")
        line(kind, "f32", "op=gather tiny=1 normalized=1 address=mirror")


def gradients():
    for kind in SIZES:
        size = {"1d": "256", "2d": "64x32", "3d": "32x16x8", "a1d": "64 layers=3", "a2d": "32x32 layers=3"}
        size = size.get(kind, "32x32") + (" layers=2" if kind == "acube" else "")
        words = "levels=5 texels=levels filter=linear mip=linear normalized=1 op=grad"
        line(kind, "f32", words, size=size, count=1)


if __name__ == "__main__":
    flat()
    cubes()
    levels()
    gathers()
    others()
    gradients()
    rare()
