/*
 * inst_opds.h - an operand held against its place in a form; shared by inst_opds.c, inst_scalar.c,
 * inst_vector.c and inst_address.c. Each px_held_ function is true when the operand suits, and else has noted
 * the fault.
 */
#ifndef PX_MATCH_INST_OPDS_H
#define PX_MATCH_INST_OPDS_H

#include "match/inst.h"

struct px_held {
    const struct ptx_module *module;
    const struct px_match *match;
    const struct px_inst *inst;
    struct px_fault *fault;
    unsigned argument;
    bool coordinates; /* inside of a texture's or tensor map's brackets */
    bool tensor;      /* of the latter */
};

static inline bool px_unfit(struct px_held *s, enum px_fault_kind kind, const struct px_operand *operand,
                            const struct px_opd *opd)
{
    *s->fault = (struct px_fault){kind, s->argument, operand, opd};
    return false;
}

/* Does ptxas treat the instruction, or this operand of it, as the quirk says? */
static inline bool px_held_quirk(const struct px_held *s, enum px_quirk quirk, const struct px_opd *opd)
{
    return px_match_quirk(s->match, quirk, opd);
}

/* inst_opds.c: a value, a vector or a scalar as the operand's type says. */
bool px_held_value(struct px_held *s, const struct px_opd *opd, const struct px_operand *o);

/* inst_scalar.c */
/* May a register of type `reg` hold a value of `type`? `flags` are those of the operand. */
bool px_register_fits(enum px_type type, enum px_type reg, uint32_t flags);
/* The same in this instruction. */
bool px_held_fits(const struct px_held *s, const struct px_opd *opd, enum px_type type, enum px_type reg);
/* Is the operand's type one that the modifiers name, not one of its own (the count of shl)? */
bool px_held_by_modifier(const struct px_held *s, const struct px_opd *opd, enum px_type type);
/* `element`: it stands in braces. */
bool px_held_scalar(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                    enum px_type type, bool element);

/* inst_vector.c: braces where a value of `type` should stand; any operand where `count` elements should. */
bool px_held_braces(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                    enum px_type type);
/* A vector register where a value of `type` should stand. */
bool px_held_loose_register(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                            enum px_type type);
bool px_held_overaligned(const struct px_held *s, const struct px_symbol *reg, bool element);
bool px_held_vector(struct px_held *s, const struct px_opd *opd, const struct px_operand *o, unsigned count);

/* inst_address.c */
bool px_held_address(struct px_held *s, const struct px_opd *opd, const struct px_operand *o);
bool px_held_tuple(struct px_held *s, const struct px_opd *opd, const struct px_operand *o);

#endif
