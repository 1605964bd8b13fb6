#!/usr/bin/env python3
"""Broken input of every kind: the tools must answer with an error or success, never crash or hang.

Cut and mutated copies of real modules, random bytes, NUL bytes, CRLF, bytes that are no ASCII, deep nesting,
long
lines and names. All of it is made from fixed seeds, so a failure can be repeated: it is kept in the temporary
folder
that the failure names.
"""
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
ROOT = os.environ.get("ROOT", ".")
PTXAS = os.path.join(BUILD, "bin", "ptxas")
PTXVM = os.path.join(BUILD, "bin", "ptxvm")
TIME_LIMIT = 200
HEADER = b".version 8.0\n.target sm_80\n.address_size 64\n"
ALPHABET = b"{}()[];,.@!%<>=+-*/&|^~?:\"'\\ \n\t\0\x80\xff0123456789abcfinrstuxz_$"


def sources():
    found = []
    for name in (
        "samples/first.ptx",
        "samples/reduce.ptx",
        "samples/parent_child.ptx",
        "tests/cli/struct.ptx",
        "tests/exec/bad/assertion.ptx",
    ):
        with open(os.path.join(ROOT, name), "rb") as file:
            found.append(file.read())
    return found


def mutated(random_bytes, text):
    """A copy with a few bytes, words or lines changed, dropped, doubled or moved."""
    data = bytearray(text)
    for _ in range(random_bytes.randint(1, 4)):
        at = random_bytes.randrange(len(data))
        length = random_bytes.choice((1, 1, 2, 5, 40))
        what = random_bytes.randrange(4)
        if what == 0:
            data[at : at + 1] = bytes([random_bytes.choice(ALPHABET)])
        elif what == 1:
            del data[at : at + length]
        elif what == 2:
            data[at:at] = data[at : at + length]
        else:
            to = random_bytes.randrange(len(data))
            data[to:to] = data[at : at + length]
    return bytes(data)


def body(text):
    return HEADER + b".visible .entry k()\n{\n" + text + b"\n    ret;\n}\n"


def large_inputs():
    """8 MB of one thing, a million of another. `make bench` times ten and a hundred megabytes
    (tests/bench/check.py)."""
    mega = 1 << 20
    yield body(b".reg .f32 f; .reg .b64 d; " + b"st.v4.f32 [d], {f, f, f, f};" * (8 * mega // 28))
    yield body(b"/*" + b"x" * (8 * mega) + b"*/")
    yield body(b"//" + b"x" * (8 * mega))
    yield body(b"x" * (8 * mega))
    yield body(b"mov.b32 %r1, " + b"1 + " * (2 * mega) + b"1;")
    yield body(b"add.u32 " + b"%r1, " * mega + b"%r2;")
    yield HEADER + b".global .b8 x[] = {" + b"1, " * (2 * mega) + b"1};\n"
    yield HEADER + b"".join(b".global .b32 a%d;\n" % i for i in range(mega))
    yield HEADER + b"".join(b".func f%d() { ret; }\n" % i for i in range(mega // 4))
    yield body(b"".join(b".reg .b32 a%d;\n" % i for i in range(mega)))
    yield body(b"".join(b"L%d: bra L%d;\n" % (i, i) for i in range(mega // 2)))
    yield body(
        b".reg .b32 r<4294967295>;" + b"".join(b"mov.b32 r%d, r%d;\n" % (i, i + 1) for i in range(mega // 4))
    )
    yield body(b"{ .reg .b32 a<4>; mov.b32 a1, a2;\n" * 1600 + b"}" * 1600)
    yield body(b"".join(b"mov.b32 %%r1, x%d;\n" % i for i in range(mega // 16)))  # as many errors


def special_inputs():
    yield from large_inputs()
    yield b""
    yield b"\0"
    yield b"\0" * 100000
    yield b"\xff\xfe" + HEADER
    yield HEADER
    yield HEADER.replace(b"\n", b"\r\n") + b"\r\n"
    yield HEADER + b"// caf\xc3\xa9\n"
    yield body(b"// \xff\xfe is no UTF-8")
    yield body(b"/* \xc3( \x80 */")
    yield body(b"// \0 in a comment")
    yield body(b"ret;\0ret;")
    yield body(b"ret; // one\rret; // two\r\n").replace(b"\n", b"\r\n")
    yield HEADER + b"/* never closed"
    yield HEADER + b'.file 1 "never closed'
    yield HEADER + b".global .u32 x[" + b"1 + " * 100000 + b"1];\n"
    yield HEADER + b".global .u32 x[" + b"(" * 100000 + b"1" + b")" * 100000 + b"];\n"
    yield HEADER + b".global .u32 x = " + b"-" * 100000 + b"1;\n"
    yield HEADER + b".global .u32 x[2] = " + b"{" * 100000
    yield HEADER + b".global .b8 " + b"x" * 1000000 + b";\n"
    yield HEADER + b".global .b8 x[0xffffffffffffffff];\n"
    yield HEADER + b".global .b8 x[4294967296][4294967296];\n"
    yield HEADER + b".global .align 18446744073709551615 .b8 x;\n"
    yield HEADER + b".shared .b8 x[9223372036854775807];\n"
    yield body(b"{" * 100000)
    yield body(b"{" * 1000 + b"}" * 1000)
    yield body(b".reg .b32 %r<4294967295>;")
    yield body(b".reg .b32 %r<18446744073709551616>;")
    yield body(b"add" + b".x" * 100000 + b" %r1, %r2;")
    yield body(b"add.u32 " + b"%r1, " * 100000 + b"%r2;")
    yield body(b"mov.u32 {" * 50000)
    yield body(b"a" * 5000000)
    yield body(b"\n" * 2000000)
    yield body(b"".join(b"l%d: bra l%d;\n" % (i, i + 1) for i in range(20000)))
    yield body(b"call (" * 20000)
    yield HEADER + b".func f" + b"(.param .b32 x)" * 1000 + b";\n"
    yield b".version 99999999999999999999.99999999999999999\n.target sm_80\n"
    yield b".version 8.0\n.target " + b"sm_80, " * 10000 + b"sm_80\n"
    yield b"\x7fELF" + b"\0" * 60


def inputs():
    generator = random.Random(20261121)
    originals = sources()
    yield from special_inputs()
    for _ in range(60):
        yield bytes(generator.randrange(256) for _ in range(generator.choice((1, 10, 1000))))
    for _ in range(60):
        yield HEADER + bytes(generator.choice(ALPHABET) for _ in range(generator.choice((10, 300))))
    for text in originals:
        for _ in range(25):
            yield text[: generator.randrange(len(text))]
        for _ in range(60):
            yield mutated(generator, text)


def run(command):
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=TIME_LIMIT,
        )
    except subprocess.TimeoutExpired:
        return "no end in %d seconds" % TIME_LIMIT, b""
    return done.returncode, done.stderr


def judge(path):
    """What is wrong with the answers to one input, or None."""
    code, said = run([PTXAS, path])
    if code not in (0, 255):
        return "ptxas: %s\n%s" % (code, said[-2000:].decode("utf-8", "replace"))
    if code == 255 and not said:
        return "ptxas: exit code 255 without a message"
    if os.path.getsize(path) > 100000:
        return None
    vm, errors = run([PTXVM, path, "--max-steps", "20000", "--timeout", "5", "--quiet"])
    if vm not in (0, 2, 3, 4, 5):
        return "ptxvm: %s\n%s" % (vm, errors[-2000:].decode("utf-8", "replace"))
    if code == 255 and vm != 3 and b"aborted due to errors" in said:  # else it asks more of a whole program
        return "ptxas refuses what ptxvm takes (exit code %s)" % vm
    return None


def main():
    folder = tempfile.mkdtemp(prefix="junk-")
    failures = total = 0
    paths = []
    for number, data in enumerate(inputs()):
        path = os.path.join(folder, "%d.ptx" % number)
        with open(path, "wb") as file:
            file.write(data)
        paths.append(path)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, wrong in zip(paths, pool.map(judge, paths)):
            total += 1
            if wrong:
                failures += 1
                print("%s: %s" % (path, wrong))
            else:
                os.remove(path)
    if not failures:
        shutil.rmtree(folder)
    print("%d passed, %d failed" % (total - failures, failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
