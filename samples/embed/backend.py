#!/usr/bin/env python3
"""A small compiler back end and its test: python3 backend.py

The back end makes PTX of "launch this kernel with these arguments". The test runs what it made, and says
which launches it expects; a mistake of the back end, planted here, is found by its own words.
"""
import ptxvm
import ptxvm_check

HEAD = """.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 b) __cudaCDP2GetParameterBufferV2(
    .param .b64 k, .param .align 4 .b8 g[12], .param .align 4 .b8 t[12], .param .b32 s);
.extern .func (.param .b32 e) __cudaCDP2LaunchDeviceV2(.param .b64 b, .param .b64 s);
.visible .entry child(.param .u64 p, .param .u32 n, .param .f32 f) { ret; }
"""

SIZES = {"u32": 4, "f32": 4, "u64": 8}


def launch(kernel, blocks, threads, arguments, stream=0, forget=()):
    """Statements that launch kernel<<<blocks, threads>>>(arguments), a list of (type, operand). forget: a
    mistake, the numbers of arguments that are not stored."""
    lines = [f"mov.u64 %k, {kernel};", "st.param.b64 [k], %k;", "st.param.b32 [s], 0;"]
    for name, size in (("g", blocks), ("t", threads)):
        for i, extent in enumerate((size, 1, 1)):
            lines.append(f"st.param.b32 [{name}+{4 * i}], {extent};")
    lines += ["call (b), __cudaCDP2GetParameterBufferV2, (k, g, t, s);", "ld.param.b64 %b, [b];"]
    offset = 0
    for i, (kind, operand) in enumerate(arguments):
        offset = -(-offset // SIZES[kind]) * SIZES[kind]
        if i not in forget:
            lines.append(f"st.{kind} [%b+{offset}], {operand};")
        offset += SIZES[kind]
    lines += ["st.param.b64 [b], %b;", f"st.param.b64 [r], {stream};"]
    lines.append("call (e), __cudaCDP2LaunchDeviceV2, (b, r);")
    return lines


def entry(name, *launches):
    """A kernel name(p) of launches; %p is its parameter, %i the thread's number."""
    params = (
        ".param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 t[12];",
        ".param .b32 s; .param .b64 b; .param .b64 r; .param .b32 e;",
        ".reg .b64 %k, %b, %p; .reg .b32 %i;",
        "ld.param.u64 %p, [p]; mov.u32 %i, %tid.x;",
    )
    body = "\n    ".join([*params, *(line for statements in launches for line in statements), "ret;"])
    return f".visible .entry {name}(.param .u64 p)\n{{\n    {body}\n}}\n"


def run(text, threads):
    device = ptxvm.Device(launches=1 << 20, check=ptxvm_check.LAUNCH)
    data = device.array(64)
    device.load(HEAD + text)["parent"][1, threads](data)
    return device


def test_arguments():
    arguments = [("u64", "%p"), ("u32", "%i"), ("f32", "0f3FC00000")]
    device = run(entry("parent", launch("child", 2, 64, arguments)), threads=3)
    device.expect_launch("3 x child<<<2,64>>>(p=+0, n=0..2, f=1.5) from parent")
    device.expect_launch("1 x child(n=2, ...)")
    device.expect_depth(1)
    assert device.findings() == []


def test_order():
    first = launch("child", 1, 1, [("u64", "%p"), ("u32", 1), ("f32", "0f00000000")], stream=3)
    then = launch("child", 1, 1, [("u64", "%p"), ("u32", 2), ("f32", "0f00000000")])
    device = run(entry("parent", first, then), threads=1)
    tail, plain = device.launches()[0].children
    assert tail.stream == "tail" and plain.ended < tail.begun


def test_mistake():
    arguments = [("u64", "%p"), ("u32", "%i"), ("f32", "0f3FC00000")]
    device = run(entry("parent", launch("child", 2, 64, arguments, forget=[1])), threads=1)
    try:
        device.expect_launch("child(n=0, f=0, ...)")
    except AssertionError as error:
        print(str(error).split(": ")[-1])
    print(*[finding.message for finding in device.findings()], sep="\n")


for test in (test_arguments, test_order, test_mistake):
    test()
print("all as expected")
