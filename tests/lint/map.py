#!/usr/bin/env python3
"""The map of lib/ in docs/architecture.md, made from the includes: who knows whom.

A room is a folder of lib/, or a folder of one of those. An arrow leads from a room to one whose headers it
includes; an arrow that follows from others is left out. Rooms that know each other stand in one box. Without
arguments the script compares the page with the tree and says how to mend it (exit code 1); with --write it
writes the map into the page.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "architecture.md")
BEGIN, END = "<!-- map: made by tests/lint/map.py --write -->\n", "<!-- end of the map -->\n"


def rooms_of(lib):
    """{room: files} of all sources and headers below `lib`."""
    rooms = {}
    for where, _, names in os.walk(lib):
        sources = [os.path.join(where, n) for n in names if n.endswith((".c", ".h", ".def"))]
        if sources:
            rooms[os.path.relpath(where, lib)] = sources
    return rooms


def edges_of(rooms):
    """{room: rooms whose headers its files include}."""
    edges = {room: set() for room in rooms}
    for room, files in rooms.items():
        for path in files:
            with open(path, encoding="utf-8") as file:
                for name in re.findall(r'^\s*#\s*include\s+"([^"]+)/[^"/]+"', file.read(), flags=re.M):
                    if name in rooms and name != room:
                        edges[room].add(name)
    return edges


def reached(edges, start, without=None):
    """What can be reached from `start`, not by the direct edge to `without`."""
    seen, todo = set(), [e for e in edges[start] if e != without]
    while todo:
        room = todo.pop()
        if room not in seen:
            seen.add(room)
            todo += edges[room]
    return seen


def reduced(edges):
    """The edges that do not follow from others; inside a circle all of them."""
    below = {room: reached(edges, room) for room in edges}
    circle = {room: frozenset({room} | {e for e in below[room] if room in below[e]}) for room in edges}
    outer = {circle[room]: set() for room in edges}
    first = {}
    for room in sorted(edges):
        for other in sorted(edges[room]):
            if circle[room] != circle[other]:
                outer[circle[room]].add(circle[other])
                first.setdefault((circle[room], circle[other]), (room, other))
    kept = [(a, b) for a in edges for b in edges[a] if circle[a] == circle[b]]
    kept += [first[a, b] for a in outer for b in outer[a] if b not in reached(outer, a, b)]
    return sorted(kept)


def mermaid(lib):
    edges = edges_of(rooms_of(lib))
    tops = sorted({room.split("/")[0] for room in edges if "/" in room})
    lines = ["```mermaid", "graph BT"]
    for top in tops:
        lines.append(f"  subgraph {top}")
        lines += [f'    {r.replace("/", "_")}["{r}"]' for r in sorted(edges) if r.split("/")[0] == top]
        lines.append("  end")
    lines += [f'  {a.replace("/", "_")} --> {b.replace("/", "_")}' for a, b in reduced(edges)]
    return "\n".join(lines + ["```"]) + "\n"


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    wanted = head + BEGIN + mermaid(os.path.join(ROOT, "lib")) + END + tail
    if "--write" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(wanted)
    elif wanted != page:
        sys.exit("docs/architecture.md: the map is not that of lib/; run tests/lint/map.py --write")


if __name__ == "__main__":
    main()
