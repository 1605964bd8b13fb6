#!/usr/bin/env python3
"""operations.py finds operations that are named by number, opcodes that are compared, and nothing else."""
import operations

ONLY = {"mov", "bar"}


def found(text):
    return [what for _, what in operations.breaches(text, ONLY)]


def test_breaches():
    assert found("if (item->op == PX_OP_ld) x();") == ["PX_OP_ld"]
    assert found("return PX_OP_NONE; /* PX_OP_ld */") == []
    assert found("if (inst->opcode->word == PX_W_add) x();") == ["PX_W_add"]
    assert found("if (word != PX_W_mov) x();") == ["PX_W_mov"]
    assert found("if (px_match_has(match, PX_W_add)) x();") == []
    switch = "switch (inst->opcode->word) {\ncase PX_W_add: return 1;\n}\nx(PX_W_add);"
    assert list(operations.breaches(switch, ONLY)) == [(2, "PX_W_add")]


def test_tables():
    opcodes, others = operations.words_of_tables()
    assert {"mov", "add", "bar", "call"} <= opcodes
    assert "mov" not in others and {"add", "min", "cta"} <= others


def test_list():
    assert operations.is_listed("lib/code/lower/mem.c", "lib/code/lower/*.c")
    assert not operations.is_listed("lib/code/ir/values.c", "lib/code/lower/*.c")


if __name__ == "__main__":
    test_breaches()
    test_tables()
    test_list()
