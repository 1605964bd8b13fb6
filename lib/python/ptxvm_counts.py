"""What the kernels of a ptxvm.Device(counts=True) have executed: the rows of Device.counts."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_size_t, c_uint, c_uint64, c_void_p

import ptxvm

COUNT_SPACES = ["generic", "global", "shared", "local", "const", "param"]


class CountStruct(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kernel", c_char_p),
        ("function", c_char_p),
        ("opcode", c_char_p),
        ("file", c_char_p),
        ("line", c_uint),
        ("source", c_char_p),
        ("source_line", c_uint),
        ("threads", c_uint64),
        ("warps", c_uint64),
        ("divided", c_uint64),
        ("waits", c_uint64),
        ("read", c_uint64 * len(COUNT_SPACES)),
        ("written", c_uint64 * len(COUNT_SPACES)),
    ]


COUNT = ctypes.CFUNCTYPE(None, c_void_p, POINTER(CountStruct))
COUNT_BY = ["kernel", "opcode", "line", "instruction"]


class Count:
    """What was executed of a kernel, an opcode, a line or an instruction: the fields of ptx_count
    (ptx_counts.h); read and written are {space: bytes}, of spaces that were touched."""

    def __init__(self, c):
        for name, _ in CountStruct._fields_[1:]:
            setattr(self, name, ptxvm.plain(getattr(c, name)))
        self.read = {space: n for space, n in zip(COUNT_SPACES, self.read) if n}
        self.written = {space: n for space, n in zip(COUNT_SPACES, self.written) if n}

    def __repr__(self):
        return f"<{self.kernel} {self.opcode or self.line}: {self.threads}>"


def counts(device, by):
    found = []
    tell = COUNT(lambda _user, count: found.append(Count(count.contents)))
    ptxvm.check(ptxvm.library.ptx_device_counts(device.handle, COUNT_BY.index(by), tell, None))
    return found
