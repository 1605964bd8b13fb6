/*
 * list.c - writes every combination of some opcodes as an instruction, for tests/isa/combinations.py to ask
 * the oracle about.
 *
 * A line is the key (unit/expand.h) and the operands (unit/instance.h).
 */
#include "unit/instance.h"

static void write_line(void *context, const struct px_match *match, uint32_t operands)
{
    struct expand_text out = {0};
    struct instance w = {.match = match, .out = &out};
    (void)context;
    (void)operands;
    expand_key(match, &out);
    expand_put(&out, "\t");
    instance_operands(&w);
    puts(out.at);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!expand_opcode(argv[i], write_line, NULL)) return 1;
    return 0;
}
