#!/usr/bin/env python3
"""Writes what NVIDIA's nvlink says of small programs into the frozen files beside this one.

usage: tests/link/freeze.py

Needs CUDA 13.0's ptxas and nvlink (PATH, or CUDA_HOME); the tests only read the files. variables.txt and
functions.txt: every declaration in one module with every declaration in another, as a table of letters.
cases.txt: programs of one to four modules. A module is its declarations behind the header of HEAD; it is
assembled with `ptxas -c`, and the objects are called a.o, b.o, c.o, d.o. What ptxas refuses cannot be asked.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
USE = "mov.u64 %rd2, {0}; st.global.u64 [%rd1], %rd2;"

KERNEL = (
    ".visible .entry k{0}(.param .u64 p) {{ .reg .pred %q; .reg .b32 %r<3>; .reg .b64 %rd<3>;"
    " ld.param.u64 %rd1, [p]; {1} ret; }}"
)

VARIABLES = """
.global .u32 x;|.global .u32 x = 5;|.visible .global .u32 x;|.visible .global .u32 x = 5;
.extern .global .u32 x;
.weak .global .u32 x;|.weak .global .u32 x = 5;|.common .global .u32 x;|.common .global .u32 x = 5;
.visible .global .u64 x;|.visible .global .f32 x;|.visible .global .b8 x[4];|.visible .global .b8 x[64];
.visible .global .b8 x[8] = {1, 2};|.weak .global .b8 x[8] = {1, 2};|.visible .global .align 64 .b8 x[4];
.extern .global .u64 x;|.extern .global .f32 x;|.extern .global .b8 x[4];|.extern .global .b8 x[];
.extern .global .b8 x[64];|.extern .global .align 64 .b8 x[4];|.weak .global .u64 x;|.weak .global .b8 x[64];
.common .global .u64 x;|.common .global .b8 x[64];|.common .global .align 64 .b8 x[4];
.visible .const .u32 x;|.visible .const .u32 x = 5;|.extern .const .u32 x;|.weak .const .u32 x;|.const .u32 x;
.extern .const .u64 x;|.extern .const .b8 x[];|.visible .shared .u32 x;|.shared .u32 x;
.extern .shared .u32 x;
.extern .shared .b8 x[];|.weak .shared .u32 x;|.visible .shared .u64 x;|.extern .shared .align 16 .b8 x[];
.visible .global .attribute(.managed) .u32 x;|.extern .global .attribute(.managed) .u32 x;
.visible .global .texref x;|.extern .global .texref x;|.extern .global .surfref x;
"""

# Results and parameters of a function; then how it is declared, and what the kernel does with it.
SIGNATURES = [
    ("", []),
    (".b32", [".b32"]),
    (".f32", [".f32"]),
    ("", [".b32"]),
    (".b32", [".b64"]),
    (".b64", [".b32"]),
    (".b32", [".b32", ".b32"]),
    (".b32", [".align 4 .b8 @[4]"]),
    (".b32", [".align 8 .b8 @[16]"]),
    (".b32", [".align 4 .b8 @[16]"]),
    (".b32", [".align 4 .b32 @[4]"]),
    (".b32", [".align 4 .f32 @[4]"]),
    (".align 4 .b8 @[4]", [".b32"]),
    (".u32", [".s32"]),
    ("", [".b128"]),
    ("", [".align 16 .b8 @[16]"]),
]
OTHERS = [
    (".visible .entry f() { ret; }", ""),
    (".visible .entry f() { ret; }", "address"),
    (".weak .entry f() { ret; }", ""),
    (".entry f() { ret; }", ""),
    (".extern .entry f();", "address"),
    (".extern .entry f();", ""),
    (".visible .entry f(.param .u32 a) { ret; }", "address"),
    (".extern .entry f(.param .u32 a);", "address"),
    (".extern .entry f(.param .u64 a);", "address"),
    (".weak .entry f(.param .u32 a) { ret; }", ""),
    (".visible .global .u64 f;", "address"),
    (".extern .global .u64 f;", "address"),
    (".weak .global .u64 f;", "address"),
    (".global .u64 f;", "address"),
    (".visible .const .u64 f;", "address"),
    (".visible .shared .u64 f;", "address"),
    (".common .global .u64 f;", "address"),
    (".extern .func f() .noreturn;", "call f, ();"),
    (".visible .func f() .noreturn { trap; }", "call f, ();"),
    (".visible .func g() { ret; } .visible .func f(); .alias f, g;", "call f, ();"),
    (".visible .func h() { ret; } .weak .func f(); .alias f, h;", ""),
]


def declared(kind, name):
    return ".param " + (kind.replace("@", name) if "@" in kind else kind + " " + name)


def functions():
    """(declarations, what the kernel says) of all kinds of f"""
    for i, (result, params) in enumerate(SIGNATURES):
        header = (
            (f"({declared(result, 'r')}) " if result else "")
            + "f("
            + ", ".join(declared(p, f"q{n}") for n, p in enumerate(params))
            + ")"
        )
        call = "{ " + "".join(declared(p, f"a{n}") + "; " for n, p in enumerate(params))
        call += f"{declared(result, 'r0')}; call (r0), f, (" if result else "call f, ("
        call += ", ".join(f"a{n}" for n in range(len(params))) + "); }"
        yield f".visible .func {header} {{ ret; }}", call
        yield f".extern .func {header};", call
        if i < 2:
            yield f".weak .func {header} {{ ret; }}", call
            yield f".func {header} {{ ret; }}", call
            yield f".extern .func {header};", "address"
            yield f".extern .func {header};", ""
    yield from OTHERS


def body(text):
    """A function of this body that has the registers of KERNEL."""
    return "{ .reg .b64 %rd<3>; mov.u64 %rd1, 0; " + text + " ret; }"


def calls(function, callee="x"):
    """A function that calls one of another module."""
    return ".extern .func %s(); %s " % (callee, function) + body("call %s, ();" % callee)


F = ".visible .func f() { ret; }|call f, ();"
USE_F = "|call f, ();"
G = calls(".visible .func g()")
X = USE.format("x")
SHARED = ".reg .b32 %v; ld.shared.u32 %v, [{0}]; st.shared.u32 [{0}+4], %v;"
CALL_BY_ADDRESS = "ld.global.u64 %rd2, [%rd1]; {0} call %rd2, (), L;"
CASES = [
    (
        "two names at once, and no word of the third module",
        [
            ".visible .global .u32 x; .visible .global .u32 y;|" + X,
            ".visible .global .u32 x; .visible .global .u32 y;|" + X,
            ".visible .global .u64 x;|" + X,
        ],
    ),
    (
        "two undefined variables",
        [
            ".extern .global .u32 x; .extern .global .u32 y;|" + X + USE.format("y"),
            ".extern .global .u32 x;|" + X,
        ],
    ),
    ("an undefined variable that nothing uses", [".extern .global .u32 x;|"]),
    (
        "an undefined variable in a function that nothing calls",
        [".extern .global .u32 x; .func g() " + body(X) + "|"],
    ),
    ("sizes differ, and nothing uses the name", [".extern .global .u64 x;|", ".visible .global .u32 x;|"]),
    ("an undefined function that nothing names", [".extern .func x();|"]),
    (
        "an undefined function, called in a static function that nothing calls",
        [calls(".func g()") + "|"],
    ),
    (
        "an undefined function, called in a visible function that nothing calls",
        [calls(".visible .func g()") + "|"],
    ),
    (
        "an undefined function, called in a weak function that nothing calls",
        [calls(".weak .func g()") + "|"],
    ),
    (
        "an undefined function, called in a static kernel",
        [calls(".entry g()") + "|"],
    ),
    ("an undefined function, called behind the end", [".extern .func x();|ret; call x, ();"]),
    ("an undefined function, called never", [".extern .func x();|setp.ne.u32 %q, 1, 1; @%q call x, ();"]),
    ("an undefined function, its address not used", [".extern .func x();|mov.u64 %rd2, x;"]),
    ("an undefined kernel, its address not used", [".extern .entry x();|mov.u64 %rd2, x;"]),
    (
        "an undefined function in a list of targets",
        [".extern .func x();|L: .calltargets x; " + CALL_BY_ADDRESS.format("")],
    ),
    ("an undefined function in a value of an unused variable", [".extern .func x(); .global .u64 t = x;|"]),
    (
        "an undefined function, called by one whose address is in a variable",
        [calls(".func g()") + " .global .u64 t = g;|"],
    ),
    (
        "an undefined function, called by one whose address an unused function takes",
        [calls(".func g()") + " .func h() " + body("mov.u64 %rd1, g;") + "|"],
    ),
    (
        "no kernel: a call of an undefined function",
        [calls(".visible .func g()")],
    ),
    (
        "no kernel: the address of an undefined function",
        [".extern .func x(); .visible .func g() " + body("mov.u64 %rd1, x;")],
    ),
    ("a chain through two modules that no kernel begins", [calls(".visible .func f()", "g") + "|", G]),
    ("a chain through two modules that a kernel begins", [calls(".visible .func f()", "g") + USE_F, G]),
    ("a weak function that gives way calls an undefined one", [F, calls(".weak .func f()") + USE_F]),
    ("a weak function that stays calls an undefined one", [F, calls(".weak .func g()") + "|call g, ();"]),
    (
        "a weak function that came first and gives way calls an undefined one",
        [calls(".weak .func f()") + USE_F, F],
    ),
    (
        "a weak function that gives way takes the address of an undefined one",
        [F, ".extern .func x(); .weak .func f() " + body("mov.u64 %rd1, x;") + USE_F],
    ),
    (
        "a call of another prototype where nothing comes to it",
        [
            ".visible .func x() { ret; }",
            ".extern .func x(.param .b32 q); .func g() " + body("{ .param .b32 v; call x, (v); }") + "|",
        ],
    ),
    (
        "another prototype in a list of targets",
        [
            ".visible .func x(.param .b32 q) { ret; }",
            ".extern .func x();|L: .calltargets x; " + CALL_BY_ADDRESS.format(""),
        ],
    ),
    (
        "a function that nothing names, and a variable",
        [".extern .func x();|", ".visible .global .u32 x;|" + X],
    ),
    (
        "values: a variable of another module",
        [".extern .global .u32 x; .visible .global .u64 y = x;|", ".visible .global .u32 x;"],
    ),
    ("values: an undefined variable", [".extern .global .u32 x; .visible .global .u64 y = x;|"]),
    (
        "values: an offset",
        [".extern .global .u32 x[4]; .visible .global .u64 y = x+4;|", ".visible .global .u32 x[4];"],
    ),
    (
        "values: generic addresses",
        [
            ".extern .global .u32 x[4]; .visible .global .u64 y[2] = {generic(x), generic(x)+8};|",
            ".visible .global .u32 x[4];",
        ],
    ),
    (
        "values: generic addresses of constants",
        [
            ".extern .const .u32 x[4]; .visible .global .u64 y[2] = {generic(x), generic(x)+8};|",
            ".visible .const .u32 x[4];",
        ],
    ),
    (
        "values: a function of another module",
        [".extern .func x(); .visible .global .u64 y = x;|", ".visible .func x() { ret; }"],
    ),
    ("values: an undefined function", [".extern .func x(); .visible .global .u64 y = x;|"]),
    (
        "values: a kernel of another module",
        [".extern .entry x(); .visible .global .u64 y = x;|", ".visible .entry x() { ret; }"],
    ),
    (
        "values: bytes of an address",
        [
            ".extern .global .u32 x; .visible .global .u8 y[2] = {0xff(x), 0xff00(x)};|",
            ".visible .global .u32 x;",
        ],
    ),
    (
        "values: functions of one name that are each module's own",
        [
            ".func x() { ret; } .visible .global .u64 y = x;|",
            ".func x() { ret; } .visible .global .u64 z = x;|",
        ],
    ),
    (
        "a name that is a module's own does not help another",
        [".global .u32 x;|" + X, ".extern .global .u32 x;|" + X],
    ),
    (
        "an alias called from another module",
        [".visible .func g() { ret; } .visible .func x(); .alias x, g;|", ".extern .func x();|call x, ();"],
    ),
    (
        "an alias and a definition",
        [
            ".visible .func g() { ret; } .visible .func x(); .alias x, g;|",
            ".visible .func x() { ret; }|call x, ();",
        ],
    ),
    (
        "a definition and an alias",
        [
            ".visible .func x() { ret; }|call x, ();",
            ".visible .func g() { ret; } .visible .func x(); .alias x, g;|",
        ],
    ),
    (
        "a weak alias and a definition",
        [
            ".visible .func g() { ret; } .weak .func x(); .alias x, g;|call x, ();",
            ".visible .func x() { ret; }|call x, ();",
        ],
    ),
    (
        "a weak alias and a weak definition",
        [".visible .func g() { ret; } .weak .func x(); .alias x, g;|", ".weak .func x() { ret; }"],
    ),
    (
        "two weak aliases",
        [
            ".visible .func g() { ret; } .weak .func x(); .alias x, g;|",
            ".visible .func h() { ret; } .weak .func x(); .alias x, h;",
        ],
    ),
    (
        "a call, then an alias",
        [".extern .func x();|call x, ();", ".visible .func g() { ret; } .visible .func x(); .alias x, g;|"],
    ),
    (
        "an alias of another prototype than the call",
        [
            ".visible .func g() { ret; } .visible .func x(); .alias x, g;|",
            ".extern .func x(.param .b32 q);|{ .param .b32 v; call x, (v); }",
        ],
    ),
    (
        "an alias of a function that is its module's own",
        [".func g() { ret; } .visible .func x(); .alias x, g;|", ".extern .func x();|call x, ();"],
    ),
    (
        "an alias without .visible",
        [".visible .func g() { ret; } .func x(); .alias x, g;|", ".extern .func x();|call x, ();"],
    ),
    ("one module twice", [".visible .global .u32 x;|" + X, "same"]),
    ("one module twice, all its own", [".global .u32 x; .entry k() " + body(X), "same"]),
    ("one kernel twice, weak", [".weak .entry k() { ret; }", "same"]),
    ("no kernel anywhere", [".visible .func x() { ret; }", ".visible .func y() { ret; }"]),
    (
        "vprintf, malloc, free and __assertfail are there",
        [
            ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b); .extern .func (.param .b64"
            " r) malloc(.param .b64 a); .extern .func free(.param .b64 a); .extern .func __assertfail(.param"
            " .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);|{ .param .b32 r; .param"
            " .b64 s; .param .b64 a; .param .b64 b; .param .b32 c; call (r), vprintf, (a, b); call (s),"
            " malloc, (a); call free, (s); call __assertfail, (a, a, c, a, a); }"
        ],
    ),
    (
        "vprintf defined",
        [
            ".visible .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b) { ret; }|"
            "{ .param .b32 r; .param .b64 a; .param .b64 b; call (r), vprintf, (a, b); }"
        ],
    ),
    ("constants of two modules", [".visible .const .b8 x[40000];|", ".visible .const .b8 y[40000];|"]),
    (
        "constants of two modules, all their own and not used",
        [".const .b8 x[40000];|", ".const .b8 x[40000];|"],
    ),
    ("constants that are one", [".weak .const .b8 x[40000];|", ".weak .const .b8 x[40000];|"]),
    ("constants of 65536 bytes", [".visible .const .b8 x[65530];|", ".visible .const .b8 y[6];|"]),
    ("constants of 65537 bytes", [".visible .const .b8 x[65530];|", ".visible .const .b8 y[7];|"]),
    (
        "shared memory of two modules",
        [
            ".shared .b8 s[30000]; .visible .func g() { " + SHARED.format("s") + " ret; }",
            ".extern .func g(); .shared .b8 s[30000];|" + SHARED.format("s") + " call g, ();",
        ],
    ),
    (
        "shared memory that the kernel does not come to",
        [
            ".shared .b8 s[30000]; .visible .func g() { " + SHARED.format("s") + " ret; }",
            ".extern .func g(); .shared .b8 s[30000];|" + SHARED.format("s"),
        ],
    ),
    (
        "shared memory of a function called by address",
        [
            ".visible .func g() { .shared .b8 s[30000]; " + SHARED.format("s") + " ret; }",
            ".extern .func g(); .visible .global .u64 fp = g; .shared .b8 s[30000];|"
            + SHARED.format("s")
            + " ld.global.u64 %rd2, [fp]; P: .callprototype _ (); call %rd2, (), P;",
        ],
    ),
    ("shared memory of 48 KiB", [".shared .b8 s[49152];|" + SHARED.format("s")]),
    ("shared memory of 48 KiB and a byte", [".shared .b8 s[49153];|" + SHARED.format("s")]),
    (
        "two kernels with shared memory of their own",
        [
            ".shared .b8 s[30000]; .shared .b8 t[30000]; .visible .entry h() { "
            + SHARED.format("t")
            + " ret; }|"
            + SHARED.format("s")
        ],
    ),
    (
        "a large .common variable and a value",
        [".common .global .b8 x[16];|" + X, ".visible .global .b8 x[4] = {1,2,3,4};|" + X],
    ),
    (
        "a value and a large .common variable",
        [".visible .global .b8 x[4] = {1,2,3,4};|" + X, ".common .global .b8 x[16];|" + X],
    ),
    (
        "a small .common variable and a value",
        [".common .global .b8 x[4];|" + X, ".visible .global .b8 x[16] = {1,2,3,4};|" + X],
    ),
    (
        "an array without a size, then two sizes",
        [".extern .global .b8 x[];|" + X, ".extern .global .u64 x;|" + X, ".visible .global .u32 x;|" + X],
    ),
    (
        "a .common variable that grew",
        [".common .global .u32 x;|" + X, ".common .global .u64 x;|" + X, ".visible .global .u32 x;|" + X],
    ),
    (
        "a .common variable that grew to the size",
        [".common .global .u32 x;|" + X, ".common .global .u64 x;|" + X, ".visible .global .u64 x;|" + X],
    ),
    (
        "two weak, then two strong",
        [
            ".weak .global .u32 x;|" + X,
            ".weak .global .u32 x;|" + X,
            ".visible .global .u32 x = 7;|" + X,
            ".visible .global .u32 x = 7;|" + X,
        ],
    ),
    (
        "functions that call one another across modules",
        [
            ".extern .func g(); .visible .func h() { call g, (); ret; }",
            ".extern .func h(); .visible .func g() { call h, (); ret; }|call g, ();",
        ],
    ),
    (
        "types of parameters: signs",
        [
            ".visible .func x(.param .u64 q) { ret; }",
            ".extern .func x(.param .s64 q);|{ .param .b64 v; call x, (v); }",
        ],
    ),
    (
        "types of parameters: floats",
        [
            ".visible .func x(.param .b64 q) { ret; }",
            ".extern .func x(.param .f64 q);|{ .param .f64 v; call x, (v); }",
        ],
    ),
    (
        "types of parameters: registers",
        [
            ".visible .func x(.reg .b32 q) { ret; }",
            ".extern .func x(.param .b32 q);|{ .param .b32 v; call x, (v); }",
        ],
    ),
    (
        "types of parameters: alignment",
        [
            ".visible .func x(.param .align 8 .b8 q[4]) { ret; }",
            ".extern .func x(.param .align 1 .b8 q[4]);|{ .param .align 1 .b8 v[4]; call x, (v); }",
        ],
    ),
    (
        "types of parameters: an array of one",
        [
            ".visible .func x(.param .b32 q[1]) { ret; }",
            ".extern .func x(.param .b32 q);|{ .param .b32 v; call x, (v); }",
        ],
    ),
    (
        "types of parameters: no size",
        [
            ".visible .func x(.param .b8 q[]) { ret; }",
            ".extern .func x(.param .b8 q[4]);|{ .param .b8 v[4]; call x, (v); }",
        ],
    ),
]


def tool(name):
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    path = os.path.join(home, "bin", name)
    return path if os.path.exists(path) else name


def module(text, letter):
    """the text of a module: declarations, and after a bar what its kernel does"""
    declarations, bar, use = text.partition("|")
    return HEAD + declarations + ("\n" + KERNEL.format(letter, use) if bar else "") + "\n"


def assemble(text, folder, letter):
    """0 when ptxas takes it"""
    source, made = os.path.join(folder, "source.ptx"), os.path.join(folder, letter + ".o")
    with open(source, "w", encoding="ascii") as f:
        f.write(text)
    return subprocess.run(
        [tool("ptxas"), "-c", "-arch=sm_90", source, "-o", made],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ).returncode


def nvlink(folder, letters):
    """what nvlink says: 'ok', or the first error; 'crash' when it ends by a signal without a word"""
    r = subprocess.run(
        [tool("nvlink"), "-arch=sm_90", *[c + ".o" for c in letters], "-o", "linked.cubin"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    errors = [
        line.split(": ", 1)[1]
        for line in r.stdout.splitlines()
        if line.startswith(("nvlink error", "nvlink fatal"))
    ]
    if errors:
        return errors[0]
    return "crash" if r.returncode < 0 else "ok" if r.returncode == 0 else "silent"


def table(name, kinds):
    """every kind in one module with every kind in another"""
    folders = []
    with tempfile.TemporaryDirectory() as root:
        kept = []
        for text in kinds:
            folder = os.path.join(root, str(len(kept)))
            os.mkdir(folder)
            if (
                assemble(module(text, "a"), folder, "a") == 0
                and assemble(module(text, "b"), folder, "b") == 0
            ):
                kept.append(text)
                folders.append(folder)
            else:
                print(f"{name}: ptxas refuses {text}", file=sys.stderr)
                for f in os.listdir(folder):
                    os.unlink(os.path.join(folder, f))
                os.rmdir(folder)
        letters, rows = {}, []
        both = os.path.join(root, "both")
        os.mkdir(both)
        for a in folders:
            row = ""
            for b in folders:
                for folder, object_name in ((a, "a.o"), (b, "b.o")):
                    link = os.path.join(both, object_name)
                    if os.path.lexists(link):
                        os.unlink(link)
                    os.symlink(os.path.join(folder, object_name), link)
                said = nvlink(both, "ab")
                row += letters.setdefault(
                    said, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[len(letters)]
                )
            rows.append(row)
    with open(os.path.join(HERE, name), "w", encoding="ascii") as f:
        f.write("# What nvlink 13.0 says of row | column as a.o and b.o; written by freeze.py.\n")
        f.writelines(f"said {letter} {said}\n" for said, letter in letters.items())
        f.writelines(f"module {text}\n" for text in kept)
        f.writelines(f"row {row}\n" for row in rows)


def cases(name):
    with open(os.path.join(HERE, name), "w", encoding="ascii") as f, tempfile.TemporaryDirectory() as folder:
        f.write("# What nvlink 13.0 says of programs; written by freeze.py.\n")
        for title, texts in CASES:
            texts = [texts[0] if t == "same" else t for t in texts]
            own = title.startswith("one module twice")
            letters = "abcd"[: len(texts)]
            modules = [module(t, "a" if own else c) for t, c in zip(texts, letters)]
            refused = [c for t, c in zip(modules, letters) if assemble(t, folder, c)]
            if refused:
                sys.exit(f"{title}: ptxas refuses {refused}")
            f.write(f"case {title}\n")
            f.writelines(f"module {t}\n" for t in texts)
            f.write(f"said {nvlink(folder, letters)}\n")


def main():
    table("variables.txt", [v + "|" + X for line in VARIABLES.strip().splitlines() for v in line.split("|")])
    address = USE.format("f")
    table("functions.txt", [d + "|" + (address if use == "address" else use) for d, use in functions()])
    cases("cases.txt")


if __name__ == "__main__":
    main()
