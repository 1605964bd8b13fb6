#!/usr/bin/env python3
"""The driver through ctypes, in the order in which Triton's runtime calls it: the primary context, a kernel
of PTX text
with its attributes (registers, spills, shared memory raised above 48 KiB), a launch by cuLaunchKernelEx with
attributes
on a stream of its own, parameters as an array of pointers, and what is answered when memory or threads are
too many.

usage: launcher.py LIBCUDA. Prints what a chip prints (launcher.out)."""
import ctypes
import struct
import sys

PTX = b"""
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 global_smem[];
.visible .entry add_kernel(.param .u64 .ptr .global .align 1 a, .param .u64 .ptr .global .align 1 b,
    .param .u64 .ptr .global .align 1 c, .param .u32 n, .param .u64 .ptr .global .align 1 scratch)
.reqntid 128
{
    .reg .pred %p<3>; .reg .b32 %r<12>; .reg .f32 %f<5>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r2, 7; mov.u32 %r4, %tid.x; or.b32 %r5, %r3, %r4;
    setp.lt.s32 %p1, %r5, %r1;
    mul.wide.s32 %d4, %r5, 4; add.s64 %d5, %d1, %d4; add.s64 %d6, %d2, %d4; add.s64 %d7, %d3, %d4;
    mov.u32 %r6, 0x0; @%p1 ld.global.b32 { %r6 }, [ %d5 + 0 ];
    mov.u32 %r7, 0x0; @%p1 ld.global.b32 { %r7 }, [ %d6 + 0 ];
    mov.b32 %f1, %r6; mov.b32 %f2, %r7; add.f32 %f3, %f1, %f2;
    shl.b32 %r8, %r4, 2; mov.u32 %r9, global_smem; add.s32 %r10, %r9, %r8;
    st.shared.f32 [%r10+65536], %f3; bar.sync 0; ld.shared.b32 %r11, [%r10+65536];
    @%p1 st.global.b32 [ %d7 + 0 ], { %r11 };
    ret;
}
"""
SHARED = 65536 + 512


class Dim(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("x", "y", "z")]


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_char * 64)]


class Config(ctypes.Structure):
    _fields_ = [
        ("grid", Dim),
        ("block", Dim),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    ]


def main():
    cuda = ctypes.CDLL(sys.argv[1])

    def name(error):
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(error, ctypes.byref(text))
        return text.value.decode()

    def do(function, *words):
        error = getattr(cuda, function)(*words)
        if error:
            sys.exit(f"{function}: {name(error)}")

    def value(kind, function, *words):
        got = kind()
        do(function, ctypes.byref(got), *words)
        return got

    do("cuInit", 0)
    device = value(ctypes.c_int, "cuDeviceGet", 0)
    context = value(ctypes.c_void_p, "cuCtxGetCurrent")
    print("context", context.value)
    context = value(ctypes.c_void_p, "cuDevicePrimaryCtxRetain", device)
    do("cuCtxSetCurrent", context)
    for number in (8, 10, 75, 76, 97):
        print(number, value(ctypes.c_int, "cuDeviceGetAttribute", number, device).value)
    module = value(ctypes.c_void_p, "cuModuleLoadData", PTX)
    kernel = value(ctypes.c_void_p, "cuModuleGetFunction", module, b"add_kernel")
    print("local", value(ctypes.c_int, "cuFuncGetAttribute", 3, kernel).value)
    print("threads", value(ctypes.c_int, "cuFuncGetAttribute", 0, kernel).value)
    most = value(ctypes.c_int, "cuDeviceGetAttribute", 97, device).value
    static = value(ctypes.c_int, "cuFuncGetAttribute", 1, kernel).value
    do("cuFuncSetCacheConfig", kernel, 1)
    do("cuFuncSetAttribute", kernel, 8, most - static)
    stream = value(ctypes.c_void_p, "cuStreamCreate", 1)
    n = 1000
    data = [struct.pack(f"{n}f", *(k * (i % 97) for i in range(n))) for k in (0.5, 3.0)]
    a, b, c = (value(ctypes.c_uint64, "cuMemAlloc_v2", ctypes.c_size_t(4 * n)) for _ in range(3))
    for pointer, text in zip((a, b), data):
        do("cuMemcpyHtoDAsync_v2", pointer, text, ctypes.c_size_t(len(text)), stream)
    do("cuMemsetD8Async", c, 0, ctypes.c_size_t(4 * n), stream)
    arguments = [a, b, c, ctypes.c_int(n), ctypes.c_uint64(0)]
    pointers = (ctypes.c_void_p * 5)(*(ctypes.addressof(x) for x in arguments))
    attributes = (Attribute * 2)()
    attributes[0].id, attributes[1].id = 6, 2  # programmatic stream serialization, cooperative
    attributes[0].value = struct.pack("i", 1)
    attributes[1].value = struct.pack("i", 1)
    for count in (0, 1, 2):
        config = Config(Dim((n + 127) // 128, 1, 1), Dim(128, 1, 1), SHARED, stream, attributes, count)
        do("cuLaunchKernelEx", ctypes.byref(config), kernel, pointers, None)
    out = ctypes.create_string_buffer(4 * n)
    do("cuMemcpyDtoHAsync_v2", out, c, ctypes.c_size_t(4 * n), stream)
    do("cuStreamSynchronize", stream)
    got = struct.unpack(f"{n}f", out.raw)
    print(sum(got), got[5], got[n - 1])
    for what, block, shared in (("shared", 128, 300000), ("threads", 256, SHARED)):
        config = Config(Dim(1, 1, 1), Dim(block, 1, 1), shared, stream, attributes, 0)
        print(what, name(cuda.cuLaunchKernelEx(ctypes.byref(config), kernel, pointers, None)))
    kind = value(ctypes.c_uint, "cuPointerGetAttribute", 2, c).value
    seen = value(ctypes.c_uint64, "cuPointerGetAttribute", 3, c)
    print("memory", kind, seen.value == c.value)
    blocks = value(
        ctypes.c_int, "cuOccupancyMaxActiveBlocksPerMultiprocessor", kernel, 128, ctypes.c_size_t(SHARED)
    )
    print("blocks", blocks.value)
    do("cuModuleUnload", module)
    do("cuStreamDestroy_v2", stream)


if __name__ == "__main__":
    main()
