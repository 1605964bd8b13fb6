"""Which kernels launched which, of a ptxvm.Device(launches=...): Device.launches, Device.expect_launch."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

import ptxvm

FORMS = ["text", "json", "svg", "dot", "timeline"]
HOST = ctypes.c_size_t(-1).value


class ParamStruct(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("type", c_char_p),
        ("size", c_size_t),
        ("count", c_size_t),
        ("bytes", c_void_p),
        ("text", c_char_p),
        ("block", c_uint64),
        ("block_bytes", c_uint64),
        ("variable", c_char_p),
    ]


class RecordStruct(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("number", c_size_t),
        ("parent", c_size_t),
        ("grid", c_uint64),
        ("kernel", c_char_p),
        ("shape", c_uint * 3),
        ("block", c_uint * 3),
        ("shared_bytes", c_uint),
        ("depth", c_uint),
        ("params", POINTER(ParamStruct)),
        ("param_count", c_size_t),
        ("stream", c_char_p),
        ("api", c_char_p),
        ("graph", c_uint64),
        ("call", c_char_p),
        ("function", c_char_p),
        ("file", c_char_p),
        ("line", c_uint),
        ("column", c_uint),
        ("source", c_char_p),
        ("cta", c_uint * 3),
        ("thread", c_uint * 3),
        ("begun", c_uint64),
        ("ended", c_uint64),
        ("begin_ns", c_uint64),
        ("end_ns", c_uint64),
        ("blocks", c_uint64),
        ("instructions", c_uint64),
        ("cuda_error", c_int),
        ("reason", c_char_p),
    ]


LAUNCH = ctypes.CFUNCTYPE(None, c_void_p, POINTER(RecordStruct))


class Param:
    """name, type, size, count, text (the value in words), data (its bytes); of an address block,
    block_bytes and variable."""

    def __init__(self, c):
        for name, _ in ParamStruct._fields_[1:]:
            setattr(self, name, ptxvm.plain(getattr(c, name)))
        self.data = ctypes.string_at(c.bytes, c.size)
        del self.bytes


class Launch:
    """The fields of ptx_launch_record (ptx_launches.h). parent is another Launch, or None: the host
    launched it; children are those that it launched; params is {name: Param}, in order."""

    def __init__(self, c, earlier):
        for name, _ in RecordStruct._fields_[1:]:
            if name != "params":
                setattr(self, name, ptxvm.plain(getattr(c, name)))
        self.parent = None if c.parent == HOST else earlier[c.parent]
        self.children = []
        if self.parent:
            self.parent.children.append(self)
        self.params = {p.name: p for p in map(Param, c.params[: c.param_count])} if c.param_count else {}

    def __repr__(self):
        values = ", ".join(f"{p.name}={p.text}" for p in self.params.values())
        return f"<{self.kernel} {self.shape} {self.block} ({values}) {self.reason}>"


def launches(device):
    found = []
    tell = LAUNCH(lambda _user, record: found.append(Launch(record.contents, found)))
    ptxvm.check(ptxvm.library.ptx_device_launches(device.handle, tell, None))
    return found


def text(device, form):
    pieces = []

    def write(_user, data, size):
        pieces.append(ctypes.string_at(data, size))
        return 0

    call = ptxvm.WRITE(write)
    ptxvm.check(ptxvm.library.ptx_device_launches_write(device.handle, FORMS.index(form), call, None))
    return b"".join(pieces).decode(errors="replace")


def expect(device, pattern):
    why = ctypes.create_string_buffer(4096)
    call = ptxvm.library.ptx_device_expect_launch
    status = call(device.handle, pattern.encode(), why, len(why))
    if status == ptxvm.NOT_FOUND:
        raise AssertionError(why.value.decode(errors="replace"))
    if status == ptxvm.INVALID_ARGUMENT and why.value:
        raise ValueError(why.value.decode(errors="replace"))
    ptxvm.check(status)
