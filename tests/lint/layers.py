#!/usr/bin/env python3
"""Checks who includes whom: base <- isa <- front <- flow <- check <- lint <- link <- vm <- code <- cdp <- san <- api <- shim <- tools.

A file of lib/ includes headers of its own folder, of folders to the left of it, the public headers, and generated
headers that belong to such a folder. The tools include the public headers and their own, ptxvm also ptxas's
excerpt.h. Prints one line for each include that breaks the rule; exit code 1 when there is one.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAYERS = "base isa front flow check lint link vm code cdp san api shim tools".split()
PUBLIC = {"ptx.h", "ptxvm.h"}
GENERATED = {"isa_words.h": "isa", "isa_ops.h": "isa", "lowerings.inc": "code", "ptx_parser.h": "front", "handlers.h": "vm", "handlers.inc": "vm"}
TOOL_EXTRA = {"../ptxas/excerpt.h"}


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
        return None if (os.path.exists(here) and "/" not in name) or name in TOOL_EXTRA else "a tool uses only include/"
    target = layer_of_include(name)
    if target is None and own == "api" and "/" not in name:
        return None
    if target is None:
        return "no layer is called so; write FOLDER/FILE.h"
    if LAYERS.index(target) > LAYERS.index(own):
        return f"{own} must not know {target}"
    return None


def main():
    bad = 0
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
