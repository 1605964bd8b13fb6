#!/usr/bin/env python3
"""Checks who knows whom: base <- isa <- front <- flow <- match <- check <- syntax <- lint <- link <- mem <-
approx <- tex <- gang <- ops <- code <- vm <- cdp <- san <- launches <- api <- run <- cuda <- tools.

By includes: a file of lib/ includes headers of its own folder, of folders to the left of it, the public
headers, and generated headers that belong to such a folder. The tools include the public headers and their
own, ptxvm also ptxas's excerpt.h. By symbols, when a build is there (build, or the folder named as
argument): no object refers to what is defined in a folder to its right. Prints one line for each breach;
exit code 1 when there is one.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAYERS = (
    "base isa front flow match check syntax lint link mem".split()
    + "approx tex gang ops code vm cdp san launches api run cuda tools".split()
)
PUBLIC = {
    "ptx.h",
    "ptxvm.h",
    "ptx_run.h",
    "ptx_tools.h",
    "ptx_syntax.h",
    "ptx_stream.h",
    "ptx_graph.h",
    "ptx_memory.h",
    "ptx_info.h",
    "ptx_watch.h",
    "ptx_trace.h",
    "ptx_check.h",
    "ptx_counts.h",
    "ptx_launches.h",
    "ptx_texture.h",
}
GENERATED = {
    "isa_words.h": "isa",
    "isa_ops.h": "isa",
    "isa_handler_ops.h": "isa",
    "isa_sregs.h": "isa",
    "isa_messages.h": "isa",
    "lowerings.inc": "code",
    "emissions.inc": "code",
    "x86_forms.inc": "code",
    "op_handlers.inc": "ops",
    "ptx_parser.h": "front",
    "handlers.inc": "ops",
    "cuda_told.h": "cuda",
    "cudart_told.h": "cuda",
}
TOOL_EXTRA = {"../ptxas/excerpt.h", "gen/run_parser.h"}


def layer_of(path):
    """The layer of a file: its folder in lib/, 'api' for files directly in lib/."""
    parts = path.split("/")
    if parts[0] != "lib":
        return "tools"
    return parts[1] if len(parts) > 2 else "api"


def layer_of_include(name):
    folder, _, base = name.rpartition("/")
    if base in GENERATED and folder in ("", "gen"):
        return GENERATED[base]
    if folder.split("/")[0] in LAYERS:
        return folder.split("/")[0]
    return None


def problem(path, name):
    """Why `path` must not include `name`, or None."""
    if name in PUBLIC:
        return None
    own = layer_of(path)
    if own == "tools":
        here = os.path.join(ROOT, os.path.dirname(path), name)
        return (
            None
            if (os.path.exists(here) and "/" not in name) or name in TOOL_EXTRA
            else "a tool uses only include/"
        )
    target = layer_of_include(name)
    if target is None and own == "api" and "/" not in name:
        return None
    if target is None:
        return "no layer is called so; write FOLDER/FILE.h"
    if LAYERS.index(target) > LAYERS.index(own):
        return f"{own} must not know {target}"
    return None


def layer_of_object(path):
    """The layer of an object file of the library; None for what belongs to no folder of lib/."""
    parts = path.split("/")
    if parts[0] == "obj" and parts[1] == "lib":
        return layer_of("/".join(parts[1:]))
    if parts[0] == "gen" and parts[-1].startswith("run_"):
        return None  # of ptxvm
    if parts[0] == "gen":
        return "ops" if "handlers" in parts[-1] else "isa" if "isa_" in parts[-1] else "front"
    return None


def objects(build):
    """(path below `build`, layer) of the library's objects."""
    for top in ("obj/lib", "gen"):
        for where, _, names in os.walk(os.path.join(build, top)):
            for base in sorted(names):
                path = os.path.relpath(os.path.join(where, base), build)
                source = re.sub(r"(_(portable|avx2|avx512|avx512vbmi))?\.o$", ".c", path[len("obj/") :])
                stale = top == "obj/lib" and not os.path.exists(os.path.join(ROOT, source))
                if base.endswith(".o") and layer_of_object(path) and not stale:
                    yield path, layer_of_object(path)


def calls_upwards(build):
    """Lines about references from a folder to one on its right."""
    defined, used, layers = {}, [], dict(objects(build))
    if not layers:
        return
    listed = subprocess.run(["nm", "-gA", *layers], cwd=build, capture_output=True, text=True, check=True)
    for line in listed.stdout.split("\n"):
        path, _, symbol = line.partition(":")
        fields = symbol.split()
        if len(fields) == 3:
            defined[fields[2]] = layers[path]
        elif len(fields) == 2 and fields[0] == "U":
            used.append((path, layers[path], fields[1]))
    for path, layer, symbol in used:
        target = defined.get(symbol, layer)
        if LAYERS.index(target) > LAYERS.index(layer):
            yield f"{path}: uses {symbol} of {target}: {layer} must not know {target}"


def main():
    bad = 0
    for line in calls_upwards(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build")):
        print(line)
        bad += 1
    for top in ("lib", "ptxas", "ptxvm"):
        for where, _, names in os.walk(os.path.join(ROOT, top)):
            for base in sorted(names):
                path = os.path.relpath(os.path.join(where, base), ROOT)
                if not base.endswith((".c", ".h", ".def")):
                    continue
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                        reason = problem(path, match[1]) if match else None
                        if reason:
                            print(f"{path}:{number}: includes {match[1]}: {reason}")
                            bad += 1
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
