/*
 * list.c - writes every combination of some opcodes as an instruction, for tests/isa/combinations.py to ask
 * the oracle about.
 *
 * A line is the key (unit/expand.h) and the operands, with registers named after their type: %u32_0, %pred_1.
 */
#include "unit/expand.h"

struct writer {
    const struct px_match *match;
    struct expand_text *out;
    unsigned next[PX_T_LAST + 1];
};

/* A register that nothing else in the instruction uses; `exact`: of the type itself where that can be
 * declared. */
static void put_register(struct writer *w, enum px_type type, bool exact)
{
    const struct px_type_info *t = px_type_info(type);
    enum px_type reg = exact && t->declarable ? type : (enum px_type)t->reg;
    expand_put(w->out, "%%%s_%u", px_type_info(reg)->name, w->next[reg]++);
}

static void put_vector(struct writer *w, const struct px_opd *opd, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        expand_put(w->out, i ? "," : "{");
        put_register(w, px_match_elem(w->match, opd, i), opd->flags & PX_OF_EXACT);
    }
    expand_put(w->out, "}");
}

static void put_operand(struct writer *w, const struct px_opd *opd);

static void put_tuple(struct writer *w, const struct px_opd *opd)
{
    enum px_type type = PX_T_U64;
    unsigned count;
    expand_put(w->out, "[");
    if (opd->flags & PX_OF_EXACT) px_match_opd_type(w->match, opd, &type, &count);
    put_register(w, type, false);
    for (unsigned i = 0; i < opd->nparts; i++) {
        expand_put(w->out, ",");
        put_operand(w, px_form_part(w->match->form, (unsigned)opd->part_first + i));
    }
    expand_put(w->out, "]");
}

static void put_operand(struct writer *w, const struct px_opd *opd)
{
    enum px_type type;
    unsigned count;
    px_match_opd_type(w->match, opd, &type, &count);
    switch (opd->kind) {
    case PX_OK_REG:
    case PX_OK_VEC:
        if (count)
            put_vector(w, opd, count);
        else
            put_register(w, type, opd->flags & PX_OF_EXACT);
        break;
    case PX_OK_PRED: put_register(w, PX_T_PRED, false); break;
    case PX_OK_IMM: expand_put(w->out, "%lld", (long long)(opd->flags & PX_OF_RANGE ? opd->lo : 0)); break;
    default: put_tuple(w, opd); break;
    }
    if (opd->partner >= 0 && w->match->pair) {
        expand_put(w->out, "|");
        put_register(w, PX_T_PRED, false);
    }
}

static void write_line(void *context, const struct px_match *match, uint32_t operands)
{
    struct expand_text out = {0};
    struct writer w = {.match = match, .out = &out};
    (void)context;
    (void)operands;
    expand_key(match, &out);
    expand_put(&out, "\t");
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(match->operands); i++) {
        expand_put(&out, i ? ", " : "");
        put_operand(&w, px_match_opd(match, i));
    }
    puts(out.at);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!expand_opcode(argv[i], write_line, NULL)) return 1;
    return 0;
}
