#!/usr/bin/env python3
"""A back end's test of device-side launch, as launches.c, in Python: python3 launches.py launches.ptx"""
import struct
import sys

import ptxvm


def events_of(device, kernel, *arguments):
    """What happens to grids while kernel<<<1, 1>>>(arguments) runs."""
    seen = []
    device.watch(seen.append)
    kernel[1, 1](*arguments)
    device.watch(None)
    return [event for event in seen if event.kind in ("begin", "end", "refused")]


def test_launch(device, program):
    data = device.array(800)
    events = events_of(device, program["start"], data, 200)
    assert [(e.kind, e.kernel) for e in events] == [
        ("begin", "start"),
        ("begin", "fill"),
        ("end", "fill"),
        ("end", "start"),
    ]
    child = events[1]
    assert child.parent_kernel == "start" and child.depth == 1 and child.parent == events[0].grid
    assert child.shape == (4, 1, 1) and child.block == (64, 1, 1)
    assert struct.unpack_from("<QI", child.params) == (data.address, 200)
    assert struct.unpack("<200I", bytes(data)) == tuple(range(200, 0, -1))


def test_refused(device, program):
    data = device.array(800)
    events = events_of(device, program["start_short"], data, 200)
    assert [e.kind for e in events] == ["begin", "refused", "end"]
    refused = events[1]
    assert (refused.kernel, refused.parent_kernel) == ("fill", "start_short")
    assert refused.reason == "buffer of 8 bytes for 12 bytes of parameters" and refused.cuda_error == 1
    print(f"refused: {refused.reason}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    for test in (test_launch, test_refused):
        with ptxvm.Device(deterministic=1) as device:
            test(device, device.load(text))
    print("all as expected")


if __name__ == "__main__":
    main()
