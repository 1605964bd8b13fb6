#!/usr/bin/env python3
"""Writes small fat binaries, plain and compressed, into the folder given: seeds of fuzz_fatbin."""
import os
import struct
import sys

TEXT = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n\0"


def lz4(data):
    """One raw block of literals."""
    length = len(data)
    if length < 15:
        return bytes([length << 4]) + data
    more = length - 15
    return b"\xf0" + b"\xff" * (more // 255) + bytes([more % 255]) + data


def zstd(data):
    """One frame with one raw block."""
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(data)]) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def entry(kind, arch, payload, flags=0, plain=0):
    padded = payload + b"\0" * (-len(payload) % 8)
    packed = len(payload) if plain else 0
    head = struct.pack("<HHIQII", kind, 0x101, 0x40, len(padded), packed, 0)
    head += struct.pack("<HHIIIQQQ", 0, 8, arch, 0, 0, flags | 0x11, 0, plain)
    return head + padded


def fatbin(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    plain = entry(1, 80, TEXT)
    files = {
        "plain": fatbin(plain),
        "lz4": fatbin(entry(1, 80, lz4(TEXT), 0x2000, len(TEXT))),
        "zstd": fatbin(entry(1, 90, zstd(TEXT), 0x8000 | 0x100000, len(TEXT))),
        "several": fatbin(entry(2, 80, b"\x7fELF code"), plain, entry(8, 90, b"lto", 0x10000)),
        "empty": fatbin(),
        "row": fatbin(plain) + fatbin(plain),
    }
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
