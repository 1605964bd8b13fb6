#!/usr/bin/env python3
"""Each refusal that docs/device-runtime.md lists, as text and as JSON: the same reason, call and error.


usage: refusals.py FOLDER      run by refused.test; FOLDER holds the kernels"""
import json
import os
import subprocess
import sys

FOLDER = sys.argv[1]
PARENT = ["refused.ptx", "-k", "parent", "-a", "u32[1]"]
FIRST = os.path.join("..", "exec", "checks", "launch_first.ptx")


def parent(kernel=0, grid=1, block=32, shared=0, stream=0, launches=1):
    values = (kernel, grid, block, shared, stream, launches)
    return PARENT + [word for value in values for word in ("-a", str(value))]


CASES = {  # reason: command
    "grid 0x1x1: each at least 1, at most 2147483647, 65535 and 65535": parent(grid=0),
    "block 2048x1x1: 2048 threads, at most 1024": parent(block=2048),
    "block 0x1x1: each at least 1, at most 1024, 1024 and 64": parent(block=0),
    "300000 bytes of shared memory, static and dynamic, at most 232448": parent(shared=300000),
    "block 64x1x1: .reqntid wants 32, 1, 1": parent(kernel=1, block=64),
    "not a kernel": parent(kernel=2),
    "depth 3, at most 2 (launch_depth)": ["launches.ptx", "-k", "chain", "-a", "3", "--launch-depth", "2"],
    "there is no stream 0x4d": parent(stream=77),
    "more than 4 launches are pending (pending_launches)": ["launches.ptx", "-k", "fan", "-b", "8"]
    + ["-a", "u32[8]=zeros", "-a", "3", "--pending-launches", "4"],
    "is no parameter buffer with a kernel, or was launched already": parent(launches=2),
    "buffer of 8 bytes for 12 bytes of parameters": [FIRST, "-k", "too_small"],
    "the kernel names a texture of its program": ["refused_texture.ptx", "-k", "parent"]
    + ["--set", "image=texture1d:f32[4]=iota"],
}


def run(words, *more):
    command = ["ptxvm", os.path.join(FOLDER, words[0]), *words[1:], *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    wrong = 0
    for reason, words in CASES.items():
        text = run(words).stderr
        report = json.loads(run(words, "--json", "--strict").stdout)
        (one,) = report["refused"]
        holds = one["reason"].endswith(reason) and f"refused: {one['reason']}\n" in text
        holds = holds and f"{one['call']}: error {one['cuda_error']}" in text
        holds = holds and report["exit_code"] == 4 and f"launched by  {one['launched_by']}\n" in text
        if not holds:
            print(f"{reason}\n{text}\n{one}")
            wrong += 1
    print(len(CASES), "refusals,", wrong, "wrong")


main()
