/*
 * draft_opds.c - what could stand in place of an operand that does not fit.
 *
 * First what keeps most of the text: a sign taken away, brackets put around an address, elements added to a
 * vector, a constant moved into its range. Then a register of the right type, one that is declared where
 * there is one.
 */
#include <string.h>
#include "match/draft.h"
#include "match/inst_opds.h"

struct maker {
    const struct px_why *why;
    struct px_draft *draft;
    const struct px_match *match;
    const struct px_opd *opd;
    unsigned argument;
};

/* ---- registers ---- */

static const struct px_symbol *visible_register(const struct px_name *name)
{
    const struct px_symbol *symbol = name->bound;
    bool usable = symbol && symbol->space == PX_SPACE_REG && symbol->vec == 1 &&
                  (symbol->kind == PX_SYM_REG || (symbol->kind == PX_SYM_RANGE && symbol->u.var->range));
    return usable ? symbol : NULL;
}

static bool better(const struct px_symbol *a, const struct px_symbol *b, enum px_type wanted)
{
    if (!b || (a->type == wanted) != (b->type == wanted)) return !b || a->type == wanted;
    return a->pos != b->pos ? a->pos < b->pos : a->kind == PX_SYM_RANGE;
}

/* The first declared register, or range of them, that holds values of `type`. */
static const struct px_symbol *declared(const struct maker *m, enum px_type type)
{
    enum { NAMES_MAX = 100000 };
    const struct px_names *names = &m->why->module->names;
    const struct px_symbol *best = NULL;
    const enum px_type wanted = px_type_info(type)->declarable ? type : (enum px_type)px_type_info(type)->reg;
    if (names->n > NAMES_MAX) return NULL;
    for (uint32_t i = 0; i <= names->mask; i++)
        for (const struct px_name *name = names->buckets[i]; name; name = name->next) {
            const struct px_symbol *symbol = visible_register(name);
            if (symbol && px_register_fits(type, (enum px_type)symbol->type, m->opd->flags) &&
                better(symbol, best, wanted))
                best = symbol;
        }
    return best;
}

/* The digits at the end of the operand that stood there, else `otherwise`. */
static uint64_t number_of(const struct px_operand *given, uint64_t otherwise)
{
    if (!given || given->kind != PX_O_NAME || !given->u.name->len) return otherwise;
    const char *text = given->u.name->text;
    size_t at = given->u.name->len;
    uint64_t number = 0;
    while (at > 1 && text[at - 1] >= '0' && text[at - 1] <= '9') at--;
    if (!text[at] || strlen(text + at) > 6) return otherwise;
    for (; text[at]; at++) number = number * 10 + (uint64_t)(text[at] - '0');
    return number;
}

static struct px_name *free_name(struct px_arena *arena, const char *text)
{
    const size_t length = strlen(text);
    struct px_name *name = px_arena_node(arena, sizeof *name + length + 1);
    memset(name, 0, sizeof *name);
    name->len = (uint32_t)length;
    memcpy(name->text, text, length + 1);
    return name;
}

/* A register for a value of `type`, numbered as `given` was. */
static struct px_operand make_register(const struct maker *m, enum px_type type,
                                       const struct px_operand *given, unsigned nth)
{
    struct px_arena *arena = &m->why->module->arena;
    const struct px_symbol *found = declared(m, type);
    struct px_operand operand = {.kind = PX_O_NAME, .pos = m->why->inst->pos, .length = 1};
    struct px_symbol *symbol = PX_NEW(arena, struct px_symbol);
    const char *text;
    if (found && found->kind == PX_SYM_RANGE) {
        const uint64_t number = number_of(given, nth) % found->u.var->range;
        text = px_arena_printf(arena, "%s%llu", found->name->text, (unsigned long long)number);
    } else if (found) {
        text = found->name->text;
    } else {
        const enum px_type held =
            px_type_info(type)->declarable ? type : (enum px_type)px_type_info(type)->reg;
        const char *name = px_type_info(held)->name;
        text = px_arena_printf(arena, "%%%s", name);
        m->draft->needs = px_arena_printf(arena, "%s being a .%s register", text, name);
        *symbol = (struct px_symbol){.type = (uint8_t)held};
    }
    if (found) *symbol = *found;
    symbol->kind = PX_SYM_REG;
    symbol->space = PX_SPACE_REG;
    symbol->vec = 1;
    operand.u.name = symbol->name = free_name(arena, text);
    operand.symbol = symbol;
    return operand;
}

/* ---- constants ---- */

static struct px_operand make_constant(const struct maker *m, int64_t value)
{
    return (struct px_operand){
        .kind = PX_O_INT, .pos = m->why->inst->pos, .length = 1, .u.i = (uint64_t)value};
}

/* The allowed number next to the one that was given. */
static int64_t into_range(const struct px_opd *opd, int64_t v)
{
    if (!(opd->flags & PX_OPERAND_RANGE)) return 0;
    v = v < opd->lo ? opd->lo : v > opd->hi ? opd->hi : v;
    if (opd->step > 1) v -= (v - opd->lo) % opd->step;
    if (opd->step < 0)
        while (v & (v - 1)) v &= v - 1;
    return v ? v : opd->lo;
}

/* The same number as a floating-point constant. */
static bool as_float(const struct px_operand *given, enum px_type type, struct px_operand *out)
{
    if (!given || given->kind != PX_O_INT || type != PX_T_F32) return false;
    const float value = (float)(int64_t)given->u.i;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    *out = *given;
    out->kind = PX_O_F32;
    out->u.i = bits;
    return true;
}

/* ---- whole operands ---- */

static struct px_operand braces(const struct maker *m, const struct px_operand *given, unsigned count,
                                bool keep)
{
    struct px_operand vector = {
        .kind = PX_O_VEC, .pos = m->why->inst->pos, .length = 1, .n = (uint16_t)count};
    const unsigned kept = keep && given && given->kind == PX_O_VEC ? given->n : 0;
    const struct px_operand *first = kept ? &given->u.list[0] : given;
    const uint64_t base = number_of(first, 0);
    vector.u.list = PX_NEW_N(&m->why->module->arena, struct px_operand, count);
    for (unsigned i = 0; i < count; i++)
        vector.u.list[i] =
            i < kept ? given->u.list[i]
                     : make_register(m, px_match_elem(m->match, m->opd, i), NULL, (unsigned)(base + i));
    if (keep && given && given->kind == PX_O_NAME && count) vector.u.list[0] = *given;
    return vector;
}

static struct px_operand address(const struct maker *m, const struct px_operand *given, bool keep)
{
    struct px_operand out = {.kind = PX_O_ADDR, .pos = m->why->inst->pos, .length = 1, .n = 1};
    const bool wrap = keep && given && given->kind == PX_O_NAME && given->symbol;
    const struct px_operand *base = given && given->kind == PX_O_ADDR ? &given->u.list[0] : given;
    out.u.list = PX_NEW(&m->why->module->arena, struct px_operand);
    out.u.list[0] = wrap ? *given : make_register(m, PX_T_B64, base, m->argument);
    return out;
}

/* What keeps the text but for a sign, a negation or the part after the bar. */
static bool without_sign(const struct px_operand *given, struct px_operand *out)
{
    if (!given || !(given->minus || given->negated || given->kind == PX_O_PAIR)) return false;
    *out = given->kind == PX_O_PAIR ? given->u.list[0] : *given;
    out->minus = out->negated = false;
    return true;
}

/* %tid.x of %tid */
static bool component(const struct px_operand *given, struct px_operand *out)
{
    const bool is_special = given && given->kind == PX_O_NAME && !given->symbol && !given->has_selector;
    const struct px_sreg *sreg = is_special ? px_sreg_of_word(given->u.name->word) : NULL;
    if (!sreg || sreg->components < 2) return false;
    *out = *given;
    out->has_selector = true;
    out->selector = PX_W_x;
    return true;
}

static bool value(const struct maker *m, const struct px_operand *given, bool keep, struct px_operand *out)
{
    enum px_type type;
    unsigned count;
    if (!px_match_opd_type(m->match, m->opd, &type, &count) || type == PX_T_NONE) return false;
    if (keep && (without_sign(given, out) || component(given, out))) return true;
    if (keep && m->opd->flags & PX_OPERAND_CONSTANT && as_float(given, type, out)) return true;
    if (count)
        *out = braces(m, given, count, keep);
    else if (m->opd->kind == PX_OK_IMM ||
             (given && given->kind == PX_O_INT && keep && m->opd->flags & PX_OPERAND_RANGE))
        *out =
            make_constant(m, into_range(m->opd, given && given->kind == PX_O_INT ? (int64_t)given->u.i : 0));
    else
        *out = make_register(m, type, given, m->argument);
    return true;
}

bool px_draft_operand(const struct px_why *why, struct px_draft *draft, const struct px_match *match,
                      const struct px_fault *fault)
{
    struct maker m = {why, draft, match, fault->opd, fault->argument};
    const struct px_operand *given = fault->operand ? &draft->opds[fault->argument] : NULL;
    struct px_operand made;
    if (!fault->opd) return false;
    switch (fault->opd->kind) {
    case PX_OK_REG:
    case PX_OK_PRED:
    case PX_OK_VEC:
    case PX_OK_IMM:
        if (!value(&m, given, !draft->tried[fault->argument], &made)) return false;
        break;
    case PX_OK_ADDR: made = address(&m, given, !draft->tried[fault->argument]); break;
    default: return false;
    }
    draft->opds[fault->argument] = made;
    return true;
}
