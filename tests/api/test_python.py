#!/usr/bin/env python3
"""lib/python/ptxvm.py: check, load, launch, globals, streams, faults and events, against what it promises.

The first argument, or B in the environment, is the folder of the build; a build with sanitizers cannot be
loaded into Python, and is skipped (exit code 77).
"""
import array
import json
import os
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, sys.argv[1] if len(sys.argv) > 1 else os.environ.get("B", "build"))
os.environ["PTXVM_LIBRARY"] = os.path.join(BUILD, "lib", "libptxvm.so")
if "san-" in BUILD or not os.path.exists(os.environ["PTXVM_LIBRARY"]):
    sys.exit(77)
sys.path.insert(0, os.path.join(ROOT, "lib", "python"))
import ptxvm  # noqa: E402

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TEXT = (
    HEAD
    + """.global .u32 total;
.visible .entry scale(.param .u64 p, .param .u8 small, .param .f32 factor) {
 .reg .u64 %a; .reg .u32 %t; .reg .f32 %f, %g; .reg .u64 %o;
 ld.param.u64 %a, [p]; ld.param.f32 %f, [factor]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4;
 add.u64 %a, %a, %o;
 ld.global.f32 %g, [%a]; mul.f32 %g, %g, %f; st.global.f32 [%a], %g;
 atom.global.add.u32 %t, [total], 1; ret; }
.visible .entry count() { .reg .u32 %t; atom.global.add.u32 %t, [total], 10; ret; }
"""
)


def raises(kind, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


def test_launch(device):
    program = device.load(TEXT)
    data = device.array(array.array("f", [1, 2, 3, 4]))
    program["scale"][1, 4](data, 255, 2.5)
    assert struct.unpack("<4f", bytes(data)) == (2.5, 5, 7.5, 10)
    assert program.read("total") == struct.pack("<I", 4)
    program.write("total", struct.pack("<I", 100))
    program["count"][(3, 1), (2,)]()
    assert program.read("total") == struct.pack("<I", 160)
    raises(TypeError, program["scale"][1, 1], data)
    raises(OverflowError, program["scale"][1, 1], data, 256, 1.0)
    assert raises(ptxvm.Error, lambda: program["nothing"]).status == ptxvm.NOT_FOUND
    assert raises(ptxvm.Error, program["count"][1, 2000]).status == ptxvm.LAUNCH


IMAGES = (
    HEAD
    + """.global .texref picture;
.visible .entry invert(.param .texref t, .param .u64 s) {
 .reg .b32 %r<6>; .reg .b64 %s; .reg .b16 %h;
 ld.param.u64 %s, [s]; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y;
 tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [t, {%r0, %r1}];
 sub.u32 %r2, 255, %r2; cvt.u16.u32 %h, %r2; sust.b.2d.b8.trap [%s, {%r0, %r1}], %h; ret; }
.visible .entry sum(.param .u64 out) {
 .reg .b32 %r<6>; .reg .b64 %a;
 ld.param.u64 %a, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y;
 tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [picture, {%r0, %r1}];
 red.global.add.u32 [%a], %r2; red.global.add.u32 [%a], %r3; ret; }
"""
)


def test_images(device):
    program = device.load(IMAGES)
    texels = memoryview(bytes(range(12))).cast("B", (3, 4))
    texture = device.texture(texels, integers=True)
    surface = device.surface(memoryview(bytes(12)).cast("B", (3, 4)))
    program["invert"][1, (4, 3)](texture, surface)
    assert bytes(surface) == bytes(255 - i for i in range(12))
    assert bytes(texture) == bytes(range(12))
    out = device.array(4)
    fault = raises(ptxvm.Fault, program["sum"][1, (2, 3)], out)
    assert fault.cuda_error == 719 and "nothing is bound" in fault.message
    pairs = memoryview(array.array("H", range(12))).cast("B").cast("H", (3, 2, 2))
    program.bind("picture", device.texture(pairs, integers=True))
    program["sum"][1, (2, 3)](out)
    assert struct.unpack("<I", bytes(out)) == (66,)
    raises(TypeError, program.bind, "picture", surface)
    raises(TypeError, device.texture, texels, "3d")
    assert raises(ptxvm.Error, program.bind, "none", texture).status == ptxvm.NOT_FOUND
    handle = int(texture)
    del texture
    raises(ptxvm.Fault, program["invert"][1, (4, 3)], handle, surface)


def test_streams(device):
    program, stream = device.load(TEXT), device.stream()
    start, end, called = device.event(), device.event(), []
    start.record(stream)
    for _ in range(50):
        program["count"][1, 1, 0, stream]()
    stream.call(lambda: called.append(True))
    end.record(stream)
    stream.wait()
    assert called == [True] and stream.done() and end.since(start) >= 0
    assert program.read("total") == struct.pack("<I", 500)


OVERLAP = """.version 8.0
.target sm_90
.address_size 64
.visible .entry first(.param .u64 p) { .reg .u64 %p; .reg .u32 %x; .reg .pred %t; ld.param.u64 %p, [p];
 griddepcontrol.launch_dependents;
$poll: ld.acquire.gpu.u32 %x, [%p]; setp.eq.u32 %t, %x, 0; @%t bra $poll; st.global.u32 [%p+4], 42; ret; }
.visible .entry second(.param .u64 p) { .reg .u64 %p; .reg .u32 %x; ld.param.u64 %p, [p];
 st.release.gpu.u32 [%p], 1; griddepcontrol.wait; ld.global.u32 %x, [%p+4]; st.global.u32 [%p+8], %x; ret; }
"""


def test_launch_attributes(device):
    program, stream, data = device.load(OVERLAP), device.stream(), device.array(12)
    program["first"][1, 1, 0, stream](data, timeout_ms=60000)  # it ends only if the second begins meanwhile
    program["second"][1, 1, 0, stream](data, programmatic=True, priority=-1)
    stream.wait()
    assert struct.unpack("<3I", bytes(data)) == (1, 42, 42)
    many = program["second"][1000000, 1024, 0, stream]
    assert raises(ptxvm.Fault, lambda: many(data, cooperative=1)).cuda_error == 720


def test_diagnostics(_device):
    error = raises(ptxvm.AssemblyError, ptxvm.Module, HEAD + ".entry k() {\n ad.u32 1, 2; }\n", "x.ptx")
    first = error.diagnostics[0]
    assert (first.file, first.line, first.severity >= 2) == ("x.ptx", 5, True), vars(first)
    assert "x.ptx:5" in str(error)


def test_faults(device):
    program = device.load(TEXT)
    data = device.array(16)
    fault = raises(ptxvm.Fault, program["scale"][1, 5], data, 0, 1.0)
    assert fault.status == ptxvm.FAULT and fault.cuda_error == 700 and fault.thread == (4, 0, 0)
    assert fault.instruction.startswith("ld.global.f32") and "16-byte allocation" in fault.allocation
    assert "ld.global.f32" in str(fault) and "thread (4, 0, 0)" in str(fault)
    stream = device.stream()
    program["scale"][1, 5, 0, stream](data, 0, 1.0)
    assert raises(ptxvm.Fault, stream.wait).address == data.address + 16
    stream.wait()
    spin = device.load(HEAD + ".visible .entry spin() { L: bra L; }")
    assert raises(ptxvm.Fault, lambda: spin["spin"][1, 1](max_steps=1000)).status == ptxvm.LIMIT


def test_events(device):
    program, seen = device.load(TEXT), []
    device.watch(seen.append)
    program["count"][2, 3]()
    device.watch(None)
    program["count"][1, 1]()
    assert [(e.kind, e.kernel) for e in seen] == [("begin", "count"), ("end", "count")]
    assert seen[0].shape == (2, 1, 1) and seen[0].block == (3, 1, 1)


NEST = HEAD + """
.extern .func (.param .b64 b) __cudaCDP2GetParameterBufferV2(.param .b64 k, .param .align 4 .b8 g[12],
    .param .align 4 .b8 c[12], .param .b32 s);
.extern .func (.param .b32 e) __cudaCDP2LaunchDeviceV2(.param .b64 b, .param .b64 s);
.visible .entry nest(.param .u32 n) {
    .reg .b32 %n; .reg .b64 %k, %b; .reg .pred %p;
    .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 c[12]; .param .b32 s; .param .b64 b;
    .param .b64 t; .param .b32 e;
    ld.param.u32 %n, [n];
    setp.eq.u32 %p, %n, 0;
    @%p ret;
    mov.u64 %k, nest;
    st.param.b64 [k], %k;
    st.param.b32 [g+0], 2; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [c+0], 1; st.param.b32 [c+4], 1; st.param.b32 [c+8], 1;
    st.param.b32 [s], 0;
    call (b), __cudaCDP2GetParameterBufferV2, (k, g, c, s);
    ld.param.b64 %b, [b];
    sub.u32 %n, %n, 1;
    st.u32 [%b], %n;
    st.param.b64 [b], %b;
    st.param.b64 [t], 3;
    call (e), __cudaCDP2LaunchDeviceV2, (b, t);
    ret;
}
"""


def test_launches(_device):
    with ptxvm.Device(workers=1, launches=1 << 20) as device:
        device.load(NEST)["nest"][1, 1](2)
        root, *others = device.launches()
        assert root.parent is None and len(others) == 3 and len(root.children) == 1
        child = root.children[0]
        assert (child.kernel, child.shape, child.stream, child.depth) == ("nest", (2, 1, 1), "tail", 1)
        assert child.params["n"].text == "1" and child.params["n"].data == bytes((1, 0, 0, 0))
        assert child.call == "__cudaCDP2LaunchDeviceV2" and child.line and child.instructions > 0
        assert [c.cta for c in child.children] == [(0, 0, 0), (1, 0, 0)]
        assert root.begun == 1 and root.ended == 8
        device.expect_launch("2 x nest<<<2,1,0,tail>>>(n=0) from nest")
        device.expect_no_launch("nest(n=2)")
        device.expect_depth(2)
        assert "n is 1, not 7" in str(raises(AssertionError, device.expect_launch, "nest(n=7)"))
        assert "the end" in str(raises(ValueError, device.expect_launch, "nest nest"))
        assert device.launches_text().startswith("launches: 4 grids, 3 launched by kernels")
        assert len(json.loads(device.launches_text("json"))["launches"]) == 4
        device.clear_launches()
        device.expect_no_launch()
        assert device.launches() == []


RACY = (
    HEAD
    + """
.shared .b32 s[64];
.visible .entry racy()
{
    .reg .b32 %t, %a, %v;
    mov.u32 %t, %tid.x;
    mov.u32 %a, s;
    mad.lo.u32 %a, %t, 4, %a;
    st.shared.u32 [%a], %t;
    xor.b32 %a, %a, 128;
    ld.shared.u32 %v, [%a];
    ret;
}
"""
)


def test_findings(_device):
    import ptxvm_check

    with ptxvm.Device(workers=4, check=ptxvm_check.ALL) as device:
        program = device.load(RACY)
        program["racy"][1, 32]()
        assert [f.code for f in device.findings()] == ["init-shared"]
        program["racy"][(1, 2), 64]()
        found = {f.code: f for f in device.findings()}
        race = found["race-write-read"]
        assert set(found) == {"init-shared", "race-write-read"} and race.severity == "error"
        assert race.shared and race.count == 2 * 64 and "__syncthreads" in race.help
        write, read = race.sides
        assert write.instruction.startswith("st.shared.u32") and read.instruction.startswith("ld.shared.u32")
        assert (write.kernel, read.line - write.line, write.cta) == ("racy", 2, (0, 0, 0))
        assert write.thread[0] ^ read.thread[0] == 32 and len(found["init-shared"].sides) == 1
    assert raises(ptxvm.Error, _device.findings).status == ptxvm.INVALID_ARGUMENT


def test_counts(_device):
    with ptxvm.Device(workers=2, counts=True) as device:
        program = device.load(TEXT)
        data = device.array(16)
        program["scale"][1, 4](data, 0, 1.0)
        program["count"][(3, 1), (40,)]()
        by_kernel = {c.kernel: c for c in device.counts()}
        assert by_kernel["count"].threads == 2 * 120 and by_kernel["count"].warps == 2 * 6
        assert by_kernel["scale"].threads == 10 * 4
        assert by_kernel["scale"].read == {"global": 4 * 8, "param": 4 * 12}
        assert by_kernel["scale"].written == {"global": 4 * 8}
        adds = [c for c in device.counts("opcode") if c.opcode == "atom.global.add.u32"]
        assert sorted((c.kernel, c.threads) for c in adds) == [("count", 120), ("scale", 4)]
        assert {c.line for c in device.counts("line") if c.kernel == "count"} == {11}
        assert [c.opcode for c in device.counts("instruction") if c.kernel == "count"] == [
            "atom.global.add.u32",
            "ret",
        ]
        device.clear_counts()
        assert device.counts() == []
    assert raises(ptxvm.Error, _device.counts).status == ptxvm.INVALID_ARGUMENT


TICKETS = (
    HEAD
    + """.visible .entry k(.param .u64 p) { .reg .u64 %a, %b; .reg .u32 %t, %n;
 ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %b, %t, 4; add.u64 %b, %b, %a;
 atom.global.add.u32 %n, [%a], 1; st.global.u32 [%b+4], %n; ret; }
"""
)


def test_schedule(_device):
    def order(seed):
        with ptxvm.Device(workers=1, schedule=1, schedule_seed=seed) as device:
            data = device.array(4 * 65)
            device.load(TICKETS)["k"][1, 64](data)
            return struct.unpack("<65I", bytes(data))[1:]

    orders = [order(seed) for seed in range(16)]
    assert orders == [order(seed) for seed in range(16)]
    assert all(sorted(o) == list(range(64)) for o in orders) and len(set(orders)) > 4


def main():
    tests = [function for name, function in globals().items() if name.startswith("test_")]
    for test in tests:
        with ptxvm.Device(workers=2, timeout_ms=60000) as device:
            test(device)
    assert raises(ptxvm.Error, lambda: ptxvm.Device(arch="sm_1")).status == ptxvm.INVALID_ARGUMENT


if __name__ == "__main__":
    main()
