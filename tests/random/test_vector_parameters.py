#!/usr/bin/env python3
"""Functions whose parameters and results are vector registers, of random types and shapes.

Each function mixes the elements of its arguments into a number of 64 bits, and deals that out to the elements
of its results. Here the same is done with whole numbers, so every expectation is exact.
"""
import os
import random
import subprocess
import sys

PTXVM = os.path.join(os.environ["BUILD"], "bin", "ptxvm")
NAMES = "u8 s8 b8 u16 s16 f16 b16 u32 s32 b32 f32 f16x2 u64 s64 f64".split()
TYPES = {name: 32 if name == "f16x2" else int(name[1:]) for name in NAMES}
ENGINES = ["plain", "no-convergent", "verify", "no-uniform,no-affine", "no-fusion"]
LANES = 64
ALL = (1 << 64) - 1


class Shape:
    """A parameter: an element type and 1, 2 or 4 elements."""

    def __init__(self, r):
        self.type = r.choice(list(TYPES))
        self.bits = TYPES[self.type]
        self.n = r.choice([n for n in (1, 2, 2, 4, 4) if n * self.bits <= 128])

    def declaration(self, name):
        return f".reg {f'.v{self.n} ' if self.n > 1 else ''}.{self.type} {name}"

    def element(self, name, i):
        return f"{name}.{'xyzw'[i]}" if self.n > 1 else name

    def value(self, number):
        """What an element holds of a number of 64 bits, as its 64 bits are read back."""
        number &= (1 << self.bits) - 1
        negative = self.type[0] == "s" and number >> (self.bits - 1)
        return number - (1 << self.bits) & ALL if negative else number


def read(shape, element):
    """Instructions that make %t of an element."""
    kind = ("s" if shape.type[0] == "s" else "u") + str(shape.bits)
    if shape.bits == 64:
        return [f"mov.b64 %t, {element};"]
    if shape.bits == 8 or shape.type[0] in "us":
        return [f"cvt.{kind[0]}64.{kind} %t, {element};"]
    return [f"mov.b{shape.bits} %h{shape.bits}, {element};", f"cvt.u64.u{shape.bits} %t, %h{shape.bits};"]


def write(shape, element):
    """Instructions that make an element of %t."""
    if shape.bits == 64:
        return [f"mov.b64 {element}, %t;"]
    if shape.bits == 8 or shape.type[0] in "us":
        return [f"cvt.u{shape.bits}.u64 {element}, %t;"]
    return [f"cvt.u{shape.bits}.u64 %h{shape.bits}, %t;", f"mov.b{shape.bits} {element}, %h{shape.bits};"]


REGISTERS = "    .reg .b64 %t, %acc, %p<4>; .reg .b16 %h16; .reg .b32 %h32, %id; .reg .pred %on;"


class Function:
    def __init__(self, r, name):
        self.name = name
        self.rets = [Shape(r) for _ in range(r.choice([0, 1, 1, 1, 2]))]
        self.params = [Shape(r) for _ in range(r.randint(1, 5))]

    def header(self, names):
        rets = ", ".join(s.declaration(f"o{i}" if names else "_") for i, s in enumerate(self.rets))
        params = ", ".join(s.declaration(f"i{i}" if names else "_") for i, s in enumerate(self.params))
        return (f"({rets}) " if rets else "") + (self.name if names else "_") + f" ({params})"

    def text(self):
        lines = [f".func {self.header(True)}", "{", REGISTERS, "mov.b64 %acc, 7;"]
        for i, shape in enumerate(self.params):
            for k in range(shape.n):
                lines += read(shape, shape.element(f"i{i}", k))
                lines.append("mad.lo.u64 %acc, %acc, 0x9e3779b97f4a7c15, %t;")
        for i, shape in enumerate(self.rets):
            for k in range(shape.n):
                lines += [f"mul.lo.u64 %t, %acc, {2 * (4 * i + k) + 3};", "shr.u64 %t, %t, 11;"]
                lines += write(shape, shape.element(f"o{i}", k))
        return lines + ["ret;", "}"]

    def results(self, arguments):
        acc = 7
        for shape, elements in zip(self.params, arguments):
            for number in elements:
                acc = acc * 0x9E3779B97F4A7C15 + shape.value(number) & ALL
        deal = lambda i, k: (acc * (2 * (4 * i + k) + 3) & ALL) >> 11
        return [[s.value(deal(i, k)) for k in range(s.n)] for i, s in enumerate(self.rets)]


def program(seed):
    """A program, and the numbers that it stores for each lane."""
    r = random.Random(seed)
    functions = [Function(r, f"f{i}") for i in range(3)]
    calls = [(r.choice(functions), r.random() < 0.4, r.random() < 0.3) for _ in range(4)]
    lines = [".version 8.0", ".target sm_80", ".address_size 64"]
    for function in functions:
        lines += function.text()
    lines += [".visible .entry k(.param .u64 out)", "{", REGISTERS]
    lines += ["mov.u32 %id, %tid.x;", "ld.param.u64 %p1, [out];"]
    stores, expected = 0, [[] for _ in range(LANES)]
    body = []
    for c, (function, indirect, guarded) in enumerate(calls):
        seeds = [[r.getrandbits(64) for _ in range(s.n)] for s in function.params]
        for i, shape in enumerate(function.params):
            lines.append(f"{shape.declaration(f'a{c}_{i}')};")
            for k in range(shape.n):
                body += ["cvt.u64.u32 %t, %id;", f"mad.lo.u64 %t, %t, {2 * k + 1}, {seeds[i][k]};"]
                body += write(shape, shape.element(f"a{c}_{i}", k))
        for i, shape in enumerate(function.rets):
            lines.append(f"{shape.declaration(f'r{c}_{i}')};")
            for k in range(shape.n):
                body += ["mov.u64 %t, 0;"] + write(shape, shape.element(f"r{c}_{i}", k))
        rets = ", ".join(f"r{c}_{i}" for i in range(len(function.rets)))
        args = ", ".join(f"a{c}_{i}" for i in range(len(function.params)))
        guard = ""
        if guarded:
            body.append(f"setp.lt.u32 %on, %id, {LANES // 3};")
            guard = "@%on "
        if indirect:
            lines.append(f"P{c}: .callprototype {function.header(False)};")
            body += [f"mov.u64 %p3, {function.name};"]
        callee = "%p3" if indirect else function.name
        results, prototype = f"({rets}), " if rets else "", f", P{c}" if indirect else ""
        body.append(f"{guard}call {results}{callee}, ({args}){prototype};")
        for i, shape in enumerate(function.rets):
            for k in range(shape.n):
                body += read(shape, shape.element(f"r{c}_{i}", k))
                body += [f"mad.wide.u32 %p2, %id, 8, %p1;", f"st.global.u64 [%p2+{stores * 8 * LANES}], %t;"]
                stores += 1
        for lane in range(LANES):
            arguments = [
                [seeds[i][k] + lane * (2 * k + 1) for k in range(s.n)] for i, s in enumerate(function.params)
            ]
            done = function.results(arguments)
            if guarded and lane >= LANES // 3:
                done = [[0] * s.n for s in function.rets]
            expected[lane] += [number for elements in done for number in elements]
    lines += body + ["ret;", "}"]
    return "\n".join(lines) + "\n", [expected[lane][s] for s in range(stores) for lane in range(LANES)]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    passed, failed = 0, 0
    for seed in range(count):
        text, expected = program(seed)
        if not expected:
            continue
        for engine in [None, ENGINES[seed % len(ENGINES)]]:
            options = ["--engine", engine] if engine else []
            wanted = ",".join(map(str, expected))
            command = [PTXVM, *options, "-b", str(LANES), "-a", f"out=u64[{len(expected)}]=zeros"]
            command += ["--expect", f"out={wanted}", "/dev/stdin"]
            done = subprocess.run(command, input=text, capture_output=True, text=True)
            passed += done.returncode == 0
            if done.returncode:
                failed += 1
                print(f"program {seed}, engine {engine}:\n{(done.stdout + done.stderr)[:2000]}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
