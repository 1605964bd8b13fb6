/*
 * exchanges.c - instructions between the lanes of a warp whose constants cannot be meant.
 *
 * A member mask without members; and a shfl that is worked out for all 32 lanes as the manual defines it (PTX
 * ISA, shfl.sync): one whose lane number or clamp has bits that are not looked at, by which no lane gets the
 * value of another, or by which every lane reads from one that the mask leaves out.
 */
#include "lint/flow.h"
#include "lint/numbers.h"
#include "lint/words.h"

/* ---- member masks ---- */

/* The operand that is the member mask; NULL when the instruction has none. */
static const struct px_operand *member_mask(const struct px_lint_item *item)
{
    if (!(px_lint_flags(item) & PX_OPERATION_members) || !px_lint_has_word(item->inst, PX_W_sync))
        return NULL;
    return &item->inst->opds[item->inst->nopds - 1];
}

static void check_mask(const struct px_lint_numbers *numbers, uint32_t i)
{
    const struct px_lint_item *item = &numbers->flow->items[i];
    const struct px_operand *operand = member_mask(item);
    if (!operand) return;
    const struct px_lint_number mask = px_lint_number_of(numbers, i, operand);
    if (px_lint_is_constant(mask) && !(uint32_t)mask.value)
        px_lint_say(numbers->flow, LINT_MASK, operand->pos, operand->length, item->inst->opcode->text);
}

/* ---- shfl ---- */

struct shuffle {
    px_word mode;
    uint32_t by, clamp, members;
};

/* The lane whose value `lane` gets; itself when the source is out of its segment. */
static unsigned source_of(const struct shuffle *s, unsigned lane)
{
    const unsigned segment = s->clamp >> 8 & 31, clamp = s->clamp & 31, by = s->by & 31;
    const unsigned last = (lane & segment) | (clamp & ~segment & 31), first = lane & segment;
    unsigned from;
    switch (s->mode) {
    case PX_W_up: return (int)(lane - by) >= (int)last ? lane - by : lane;
    case PX_W_down: from = lane + by; break;
    case PX_W_bfly: from = lane ^ by; break;
    default: from = first | (by & ~segment & 31); break;
    }
    return from <= last ? from : lane;
}

static bool moves_nothing(const struct shuffle *s)
{
    for (unsigned lane = 0; lane < 32; lane++)
        if (source_of(s, lane) != lane) return false;
    return true;
}

/* In a butterfly lanes exchange; a clamp that is not 31 can let one give and not take. */
static bool is_lopsided(const struct shuffle *s)
{
    if (s->mode != PX_W_bfly || (s->clamp & 31) == 31) return false;
    for (unsigned lane = 0; lane < 32; lane++)
        if (source_of(s, source_of(s, lane)) != lane) return true;
    return false;
}

static bool reads_outsiders(const struct shuffle *s)
{
    bool any = false;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(s->members >> lane & 1)) continue;
        const unsigned from = source_of(s, lane);
        if (from == lane || s->members >> from & 1) return false;
        any = true;
    }
    return any;
}

static px_word mode_of(const struct px_inst *inst)
{
    static const px_word modes[] = {PX_W_up, PX_W_down, PX_W_bfly};
    for (unsigned i = 0; i < 3; i++)
        if (px_lint_has_word(inst, modes[i])) return modes[i];
    return PX_W_idx;
}

static void say(const struct px_lint_flow *flow, const struct px_operand *operand, const char *what)
{
    struct px_diag *diag = px_lint_say(flow, LINT_SHUFFLE, operand->pos, operand->length);
    px_diag_note(&flow->module->diags, diag, "%s", what);
}

static void check_shuffle(const struct px_lint_numbers *numbers, uint32_t i)
{
    const struct px_lint_flow *flow = numbers->flow;
    const struct px_inst *inst = flow->items[i].inst;
    const bool sync = px_lint_has_word(inst, PX_W_sync);
    if (!px_inst_in(inst, PX_SET_shuffle) || inst->nopds < 4u + sync) return;
    const struct px_operand *opds = inst->opds;
    const struct px_lint_number by = px_lint_number_of(numbers, i, &opds[2]);
    const struct px_lint_number clamp = px_lint_number_of(numbers, i, &opds[3]);
    struct px_lint_number members = {.value = UINT32_MAX, .bits = PX_LINT_EXACT, .seen = true};
    if (sync) members = px_lint_number_of(numbers, i, &opds[4]);
    const struct shuffle s = {mode_of(inst), (uint32_t)by.value, (uint32_t)clamp.value,
                              (uint32_t)members.value};
    if (px_lint_is_constant(by) && s.by > 31)
        say(flow, &opds[2],
            px_arena_printf(flow->arena, "only its low five bits count: this is %u", s.by & 31));
    else if (px_lint_is_constant(clamp) && s.clamp & ~0x1f1fu)
        say(flow, &opds[3], "only bits 0 to 4 (the last lane) and 8 to 12 (the segment) count");
    else if (!px_lint_is_constant(by) || !px_lint_is_constant(clamp))
        return;
    else if (s.mode != PX_W_idx && s.by && moves_nothing(&s))
        say(flow, &opds[3],
            s.mode == PX_W_up
                ? "no lane gets the value of another; in mode .up the clamp is the first lane, often 0"
                : "no lane gets the value of another; the clamp is the last lane, often 31");
    else if (is_lopsided(&s))
        say(flow, &opds[3], "some lanes give and do not take; the clamp is the last lane, often 31");
    else if (px_lint_is_constant(members) && reads_outsiders(&s))
        say(flow, &opds[4], "every member reads from a lane that is no member, whose value is undefined");
}

void px_lint_exchanges(struct px_lint_flow *flow, const struct px_lint_numbers *numbers)
{
    for (uint32_t i = 0; i < flow->nitems; i++) {
        if (!flow->reached[flow->graph.node_of[i]]) continue;
        check_mask(numbers, i);
        check_shuffle(numbers, i);
    }
}
