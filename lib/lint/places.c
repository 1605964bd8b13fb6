/*
 * places.c - accesses whose place in a variable is known: do they stay inside, are they aligned?
 *
 * An access needs a number of bytes and an alignment. The place is a variable and what numbers.c knows of the
 * distance from its beginning: all of it, which tells whether the access ends inside; or its low bits, which
 * are enough to tell that no execution can be aligned.
 */
#include "lint/flow.h"
#include "lint/numbers.h"
#include "lint/words.h"
#include "match/match.h"

struct need {
    uint64_t bytes; /* 0: not known */
    uint32_t align; /* 0: nothing is asked */
};

/* ---- what an instruction asks of an address ---- */

static struct need object(uint64_t bytes)
{
    return (struct need){bytes, (uint32_t)bytes};
}

static struct need need_of_copy(const struct px_lint_numbers *numbers, uint32_t item)
{
    const struct px_inst *inst = numbers->flow->items[item].inst;
    if (inst->nopds < 3 || px_lint_has_word(inst, PX_W_tensor) || px_lint_has_word(inst, PX_W_prefetch))
        return (struct need){0};
    const struct px_lint_number size = px_lint_number_of(numbers, item, &inst->opds[2]);
    const bool known = px_lint_is_constant(size);
    if (px_lint_has_word(inst, PX_W_bulk)) return (struct need){known ? size.value : 0, 16};
    return object(known ? size.value : 0);
}

/* Bytes of a load, store or atomic: the elements of its value, which is the operand beside the address. */
static struct need need_of_value(const struct px_inst *inst, unsigned operand)
{
    struct px_match match;
    if (operand > 1 || !px_match_inst(inst, &match)) return (struct need){0};
    return object(px_type_info(match.type[!operand])->bits / 8u * match.vec);
}

static struct need need_of(const struct px_lint_numbers *numbers, uint32_t item, unsigned operand)
{
    const struct px_inst *inst = numbers->flow->items[item].inst;
    const unsigned flags = px_lint_flags(&numbers->flow->items[item]);
    if (px_lint_is_mbarrier(inst, operand)) return object(8);
    if (px_inst_in(inst, PX_SET_copy)) return need_of_copy(numbers, item);
    if (flags & PX_OPERATION_fragment || px_inst_in(inst, PX_SET_matrix_rows)) return object(16);
    if (!(flags & (PX_OPERATION_reads | PX_OPERATION_writes)) && !px_inst_in(inst, PX_SET_access))
        return (struct need){0};
    if (px_lint_has_word(inst, PX_W_bulk)) return (struct need){0, 8};
    return operand > 1 ? object(8) : need_of_value(inst, operand);
}

/* ---- what is told ---- */

static const char *given(const struct px_lint_flow *flow, struct px_lint_number place)
{
    const long long distance = (long long)place.value;
    if (place.bits < PX_LINT_EXACT)
        return px_arena_printf(flow->arena, "%s + %llu + a multiple of %llu", place.symbol->name->text,
                               (unsigned long long)place.value, 1ull << place.bits);
    if (!distance) return place.symbol->name->text;
    return px_arena_printf(flow->arena, "%s%+lld", place.symbol->name->text, distance);
}

static void note_declaration(const struct px_lint_flow *flow, struct px_diag *diag,
                             const struct px_symbol *symbol, const char *more)
{
    px_diag_note(&flow->module->diags, diag, "%s is declared on line %u with %llu bytes, aligned to %u%s",
                 symbol->name->text, px_lint_line(flow, symbol->pos), (unsigned long long)symbol->size,
                 symbol->align, more);
    px_lint_relate_symbol(flow, diag, symbol);
}

static void say_outside(const struct px_lint_flow *flow, const struct px_operand *base,
                        struct px_lint_number place, struct need need)
{
    struct px_diag *diag = px_lint_say(flow, LINT_OUTSIDE, base->pos, base->length,
                                       (unsigned long long)need.bytes, given(flow, place));
    note_declaration(flow, diag, place.symbol, "");
}

/* Is the place misaligned wherever the variable lies, or only where the variable has no luck? */
static void check_alignment(const struct px_lint_flow *flow, const struct px_operand *base,
                            struct px_lint_number place, uint32_t align)
{
    const uint32_t promised = place.symbol->align ? place.symbol->align : 1;
    const uint64_t sure = align < promised ? align : promised;
    const uint64_t known = place.bits < 64 ? 1ull << place.bits : 0;
    if (place.value & (known && known < sure ? known - 1 : sure - 1)) {
        struct px_diag *diag =
            px_lint_say(flow, LINT_MISALIGNED, base->pos, base->length, given(flow, place), align);
        note_declaration(flow, diag, place.symbol, "");
    } else if (promised < align && (!known || known >= align)) {
        struct px_diag *diag =
            px_lint_say(flow, LINT_UNPROMISED, base->pos, base->length, given(flow, place), align);
        note_declaration(flow, diag, place.symbol, "; a linker may put it anywhere that suits this");
    }
}

static bool is_power(uint32_t n)
{
    return n && !(n & (n - 1));
}

static void check_access(const struct px_lint_numbers *numbers, uint32_t item, unsigned operand)
{
    const struct px_lint_flow *flow = numbers->flow;
    const struct px_operand *base = flow->items[item].inst->opds[operand].u.list;
    const struct px_lint_number place = px_lint_number_of(numbers, item, base);
    if (!place.seen || !place.symbol) return;
    const struct need need = need_of(numbers, item, operand);
    const uint64_t size = place.symbol->size;
    if (need.bytes && size && place.bits == PX_LINT_EXACT &&
        (place.value > size || size - place.value < need.bytes))
        say_outside(flow, base, place, need);
    else if (is_power(need.align))
        check_alignment(flow, base, place, need.align);
}

void px_lint_places(struct px_lint_flow *flow, const struct px_lint_numbers *numbers)
{
    for (uint32_t i = 0; i < flow->nitems; i++) {
        const struct px_inst *inst = flow->items[i].inst;
        if (!flow->reached[flow->graph.node_of[i]]) continue;
        for (unsigned k = 0; k < inst->nopds; k++)
            if (inst->opds[k].kind == PX_O_ADDR && inst->opds[k].n) check_access(numbers, i, k);
    }
}
