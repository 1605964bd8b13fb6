"""What the kernels of a ptxvm.Device(check=...) did wrong: the rows of Device.findings."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

import ptxvm

RACE, RACE_VALUES, INIT, SYNC, LAUNCH = 1, 2, 4, 8, 16
ALL = RACE | RACE_VALUES | INIT | SYNC | LAUNCH
SEVERITIES = ["info", "warning", "error", "fatal"]


class SideStruct(Structure):
    _fields_ = [
        ("access", c_char_p),
        ("kernel", c_char_p),
        ("function", c_char_p),
        ("instruction", c_char_p),
        ("file", c_char_p),
        ("source", c_char_p),
        ("line", c_uint),
        ("column", c_uint),
        ("grid", c_uint64),
        ("cta", c_uint * 3),
        ("thread", c_uint * 3),
    ]


class FindingStruct(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("severity", c_int),
        ("code", c_char_p),
        ("message", c_char_p),
        ("help", c_char_p),
        ("nsides", c_uint),
        ("side", SideStruct * 2),
        ("shared", c_int),
        ("address", c_uint64),
        ("count", c_uint64),
        ("variable", c_char_p),
        ("memory", c_char_p),
        ("made", c_char_p),
        ("freed", c_char_p),
        ("caller", c_char_p),
    ]


FINDING = ctypes.CFUNCTYPE(None, c_void_p, POINTER(FindingStruct))


class Side:
    """One of the accesses that a finding is about: the fields of ptx_check_side (ptx_check.h)."""

    def __init__(self, c):
        for name, _ in SideStruct._fields_:
            setattr(self, name, ptxvm.plain(getattr(c, name)))
        self.cta, self.thread = tuple(self.cta), tuple(self.thread)


class Finding:
    """The fields of ptx_check_finding (ptx_check.h); severity is a word, sides are Side."""

    def __init__(self, c):
        for name in ("code", "message", "help", "address", "count"):
            setattr(self, name, ptxvm.plain(getattr(c, name)))
        for name in ("variable", "memory", "made", "freed", "caller"):
            setattr(self, name, ptxvm.plain(getattr(c, name)))
        self.severity = SEVERITIES[c.severity]
        self.shared = bool(c.shared)
        self.sides = [Side(side) for side in c.side[: c.nsides]]

    def __repr__(self):
        return f"<{self.severity}: {self.message} [{self.code}]>"


def findings(device):
    found = []
    tell = FINDING(lambda _user, finding: found.append(Finding(finding.contents)))
    ptxvm.check(ptxvm.library.ptx_device_findings(device.handle, tell, None))
    return found
