/* facts.c - statements by their rows of the table, approximate units by those of approx/row_units.def. */
#include "code/ir/facts.h"
#include "approx/levels.h"
#include "gang/fpmode.h"

static const struct unit {
    uint8_t result;
    bool flushes;
    struct px_ir_factors factors;
} units[PX_UNIT_COUNT] = {
#define PX_UNIT(name, is, flush) [PX_UNIT_##name] = {.result = PX_RESULT_##is, .flushes = flush},
#define PX_UNIT_QUOTIENT(name, is, flush, top, bottom)                                                       \
    [PX_UNIT_##                                                                                              \
        name] = {.result = PX_RESULT_##is, .flushes = flush, .factors = {PX_UNIT_##top, PX_UNIT_##bottom}},
#include "approx/row_units.def"
};

static const struct px_statement *statement_of(const struct px_ir_inst *in)
{
    return px_ir_kind_of(in->op) == PX_IR_STATEMENT ? px_statement(in->op) : NULL;
}

enum px_result px_ir_result(const struct px_ir_inst *in)
{
    const struct px_statement *s = statement_of(in);
    if (s) return (enum px_result)s->result;
    if (in->op == PX_IR_COPY) return PX_RESULT_copy;
    return in->op == PX_IR_UNIT ? (enum px_result)units[in->fact].result : PX_RESULT_NONE;
}

bool px_ir_has(const struct px_ir_inst *in, px_word word)
{
    const struct px_statement *s = statement_of(in);
    return s && px_statement_has(s, word);
}

unsigned px_ir_whole(const struct px_ir_inst *in, unsigned operand)
{
    const struct px_statement *s = statement_of(in);
    const enum px_type type = s ? (enum px_type)s->types[operand] : PX_T_NONE;
    const struct px_type_info *info = px_type_info(type);
    const bool whole = px_type_is_integer(info) || info->klass == PX_TC_BITS;
    return whole && info->reg == type ? info->bits : 0; /* two in one are held as bits */
}

unsigned px_ir_wraps(const struct px_ir_inst *in)
{
    const struct px_statement *s = statement_of(in);
    for (unsigned i = 0; s && i < PX_STATEMENT_WORDS; i++)
        if (s->words[i] == PX_W_sat || s->words[i] == PX_W_hi || s->words[i] == PX_W_cc) return 0;
    return px_ir_whole(in, 0);
}

bool px_ir_signed(const struct px_ir_inst *in, unsigned operand)
{
    const struct px_statement *s = statement_of(in);
    return s && px_type_info((enum px_type)s->types[operand])->klass == PX_TC_SIGNED;
}

bool px_ir_flushes(const struct px_ir_inst *in)
{
    if (in->op == PX_IR_UNIT) return units[in->fact].flushes;
    return px_ir_has(in, PX_W_ftz) || (in->fp < PX_IR_FP_NEAREST && in->fp & PX_FP_FTZ);
}

bool px_ir_is_pure(const struct px_ir_inst *in)
{
    switch (px_ir_kind_of(in->op)) {
    case PX_IR_STATEMENT:
    case PX_IR_FIXED: return true;
    case PX_IR_TABLE:
        return px_ir_flags(in->op) & (PX_OPERATION_plain | PX_OPERATION_pure | PX_OPERATION_unit);
    default:
        return in->op == PX_IR_NOTHING || in->op == PX_IR_COPY || in->op == PX_IR_CANON ||
               in->op == PX_IR_SREG || in->op == PX_IR_UNIT;
    }
}

struct px_ir_factors px_ir_factors(const struct px_ir_inst *in)
{
    return units[in->fact].factors;
}

uint16_t px_ir_unit_find(enum px_result result, bool flushes)
{
    uint16_t at = 0;
    while (at < PX_UNIT_COUNT - 1 && (units[at].result != result || units[at].flushes != flushes)) at++;
    return at;
}

bool px_ir_is_served(const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    return px_ir_flags(in->op) & PX_OPERATION_offsets && in->guard == PX_NONE32 && o->kind == PX_IR_ADDRESS &&
           o->base == PX_IR_REG && o->type != PX_SPACE_LOCAL;
}
