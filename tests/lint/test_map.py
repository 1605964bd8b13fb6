#!/usr/bin/env python3
"""map.py: circles, arrows that follow from others, and that the page is compared."""
import map as rooms


def test_reduced():
    edges = {"a": set(), "b": {"a"}, "c": {"a", "b"}}
    assert rooms.reduced(edges) == [("b", "a"), ("c", "b")]


def test_circle():
    edges = {"a": {"b"}, "b": {"a"}, "c": {"a", "b"}, "d": {"c", "a"}}
    assert rooms.reduced(edges) == [("a", "b"), ("b", "a"), ("c", "a"), ("d", "c")]


def test_page():
    rooms.main()


if __name__ == "__main__":
    test_reduced()
    test_circle()
    test_page()
