/*
 * follow.c - which errors only follow from earlier ones.
 *
 * ptxas repeats itself: every use of an undeclared register is an error, and so
 * is every instruction that the register made unfit. Those are kept, for they
 * belong to its layout, and marked, so that other layouts show a fault once.
 * Three things make an error follow: an operand whose declaration was refused
 * or is missing, an earlier error about the words of the same instruction, and
 * the same text said before.
 */
#include <string.h>
#include "check/checker.h"

void px_follow_refused(struct px_checker *checker, struct px_name *name)
{
    if (!name || name->faulty) return;
    name->faulty = true;
    if (checker->function) px_vec_push(&checker->module->arena, &checker->refused, name);
}

void px_follow_end_function(struct px_checker *checker)
{
    for (uint32_t i = 0; i < checker->refused.n; i++) checker->refused.at[i]->faulty = false;
    checker->refused.n = 0;
}

/* ---- instructions ---- */

static bool is_faulty(const struct px_operand *operand)
{
    switch (operand->kind) {
    case PX_O_NAME:
        return operand->symbol ? operand->symbol->faulty : !px_is_special_register(operand->u.name);
    case PX_O_VEC:
    case PX_O_ADDR:
    case PX_O_LIST:
    case PX_O_PAIR:
    case PX_O_INDEX:
        for (uint16_t i = 0; i < operand->n; i++)
            if (is_faulty(&operand->u.list[i])) return true;
        return false;
    default: return false;
    }
}

static bool has_faulty_operand(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++)
        if (is_faulty(&inst->opds[i])) return true;
    return inst->guard && is_faulty(inst->guard);
}

/* Groups of codes, see diag.def. */
static bool is_in(enum px_diag_id id, const char *group)
{
    return strncmp(px_diag_code(id), group, strlen(group)) == 0;
}

static bool is_about_operands(enum px_diag_id id)
{
    return is_in(id, "E11") || is_in(id, "E04") || id == PX_D_UNKNOWN_FIELD;
}

static bool is_about_words(enum px_diag_id id)
{
    return is_in(id, "E10");
}

static bool is_requirement(enum px_diag_id id)
{
    return is_in(id, "E12") || is_in(id, "E012");
}

void px_follow_instruction(struct px_checker *checker, const struct px_inst *inst, uint32_t before)
{
    struct px_diags *diags = checker->diags;
    if (diags->list.n == before) return;
    bool faulty = has_faulty_operand(inst), words = false;
    for (uint32_t i = before; i < diags->list.n; i++) {
        struct px_diag *diag = &diags->list.at[i];
        diag->follows |= is_about_operands(diag->id) && (faulty || words);
        words |= is_about_words(diag->id);
    }
}

/* ---- the same again ---- */

static uint32_t hash_text(const char *text)
{
    uint32_t hash = 2166136261u;
    while (*text) hash = (hash ^ (unsigned char)*text++) * 16777619u;
    return hash;
}

/* The slot of `slots` (indices of diagnostics plus 1) that holds the text of `diag`, or the free one for it.
 */
static uint32_t *slot_of(const struct px_diags *diags, uint32_t *slots, uint32_t mask, const char *text)
{
    uint32_t i = hash_text(text) & mask;
    while (slots[i] && strcmp(diags->list.at[slots[i] - 1].message, text) != 0) i = (i + 1) & mask;
    return &slots[i];
}

static void note_count(struct px_diags *diags, struct px_diag *diag, uint32_t more)
{
    if (diag->note)
        px_diag_note(diags, diag, "%s; the same %u more time%s", diag->note, more, more == 1 ? "" : "s");
    else
        px_diag_note(diags, diag, "the same %u more time%s", more, more == 1 ? "" : "s");
}

static void mark_repeats(struct px_checker *checker, uint32_t from, bool (*counts)(enum px_diag_id))
{
    struct px_diags *diags = checker->diags;
    struct px_arena *arena = &checker->module->arena;
    uint32_t n = diags->list.n, mask = 15;
    while (mask < 2 * (n - from)) mask = mask * 2 + 1;
    uint32_t *slots = PX_NEW_N(arena, uint32_t, (size_t)mask + 1);
    uint32_t *more = PX_NEW_N(arena, uint32_t, (size_t)(n - from) + 1);
    for (uint32_t i = from; i < n; i++) {
        struct px_diag *diag = &diags->list.at[i];
        if (!counts(diag->id) || diag->follows) continue;
        uint32_t *slot = slot_of(diags, slots, mask, diag->message);
        diag->follows = *slot != 0;
        if (*slot)
            more[*slot - 1 - from]++;
        else
            *slot = i + 1;
    }
    for (uint32_t i = from; i < n; i++)
        if (more[i - from]) note_count(diags, &diags->list.at[i], more[i - from]);
}

static bool is_unknown_name(enum px_diag_id id)
{
    return id == PX_D_UNKNOWN_SYMBOL;
}

void px_follow_unknown(struct px_checker *checker, uint32_t from)
{
    if (checker->diags->list.n > from) mark_repeats(checker, from, is_unknown_name);
}

void px_follow_requirements(struct px_checker *checker)
{
    if (checker->diags->list.n) mark_repeats(checker, 0, is_requirement);
}
