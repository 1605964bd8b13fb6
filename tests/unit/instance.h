/*
 * instance.h - an instruction of a combination of the table (expand.h): its operands, each a register of its
 * own that is named after its type, %u32_0, %pred_1, or the least constant.
 */
#ifndef PX_TEST_INSTANCE_H
#define PX_TEST_INSTANCE_H

#include "unit/expand.h"

struct instance {
    const struct px_match *match;
    struct expand_text *out;
    unsigned next[PX_T_LAST + 1]; /* registers so far, by type */
};

/* A register that nothing else in the instruction uses; `exact`: of the type itself where that can be
 * declared. */
static void instance_register(struct instance *w, enum px_type type, bool exact)
{
    const struct px_type_info *t = px_type_info(type);
    enum px_type reg = exact && t->declarable ? type : (enum px_type)t->reg;
    expand_put(w->out, "%%%s_%u", px_type_info(reg)->name, w->next[reg]++);
}

static void instance_vector(struct instance *w, const struct px_opd *opd, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        expand_put(w->out, i ? "," : "{");
        instance_register(w, px_match_elem(w->match, opd, i), opd->flags & PX_OPERAND_EXACT);
    }
    expand_put(w->out, "}");
}

static void instance_operand(struct instance *w, const struct px_opd *opd);

static void instance_tuple(struct instance *w, const struct px_opd *opd)
{
    enum px_type type = PX_T_U64;
    unsigned count;
    expand_put(w->out, "[");
    if (opd->flags & PX_OPERAND_EXACT) px_match_opd_type(w->match, opd, &type, &count);
    instance_register(w, type, false);
    for (unsigned i = 0; i < opd->nparts; i++) {
        expand_put(w->out, ",");
        instance_operand(w, px_form_part(w->match->form, (unsigned)opd->part_first + i));
    }
    expand_put(w->out, "]");
}

static void instance_operand(struct instance *w, const struct px_opd *opd)
{
    enum px_type type;
    unsigned count;
    px_match_opd_type(w->match, opd, &type, &count);
    switch (opd->kind) {
    case PX_OK_REG:
    case PX_OK_VEC:
        if (count)
            instance_vector(w, opd, count);
        else
            instance_register(w, type, opd->flags & PX_OPERAND_EXACT);
        break;
    case PX_OK_PRED: instance_register(w, PX_T_PRED, false); break;
    case PX_OK_IMM:
        expand_put(w->out, "%lld", (long long)(opd->flags & PX_OPERAND_RANGE ? opd->lo : 0));
        break;
    case PX_OK_OTHER: expand_put(w->out, "_"); break;
    default: instance_tuple(w, opd); break;
    }
    if (opd->partner >= 0 && w->match->pair) {
        expand_put(w->out, "|");
        instance_register(w, PX_T_PRED, false);
    }
}

static void instance_operands(struct instance *w)
{
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(w->match->operands); i++) {
        expand_put(w->out, i ? ", " : "");
        instance_operand(w, px_match_opd(w->match, i));
    }
}

#endif
