/*
 * inst_note.c - the note below an instruction's message: what would have fitted.
 *
 * For a misspelt opcode or modifier the nearest word, else the syntax of the
 * form that was nearest, with the requirement that is missing where there is one.
 */
#include "check/inst.h"
#include <string.h>

enum { NEAR = 2, LONGEST = 24 };

/* Edit distance of two short words, where a swap of neighbours is one edit; NEAR + 1 stands for "far". */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST || n + NEAR < m || m + NEAR < n)
        return NEAR + 1;
    for (unsigned j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *free_row = before;
        before = above;
        above = row;
        row = free_row;
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned change = above[j - 1] + (a[i - 1] != b[j - 1]), best = row[j - 1] < above[j] ? row[j - 1] + 1 : above[j] + 1;
            bool swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swap && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = change < best ? change : best;
        }
    }
    return row[m] < NEAR + 1 ? row[m] : NEAR + 1;
}

static unsigned common_prefix(const char *a, const char *b)
{
    unsigned n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

static bool opcode_takes(px_word opcode, px_word word)
{
    uint16_t first;
    unsigned n = px_forms_of(opcode, &first);
    return px_forms_accept(first, n, word);
}

static bool is_known(const struct px_why *why, px_word word)
{
    return why->module->profile == PTX_PROFILE_ALL || px_word_version(word) <= PTX_ISA_VERSION;
}

/*
 * The nearest opcode, or (with an opcode) the nearest modifier of it; NULL when none is near. Of several as near, the one
 * that begins as the text does.
 */
static const char *nearest(const struct px_why *why, const char *text, px_word opcode)
{
    const char *best = NULL;
    unsigned least = strlen(text) < 4 ? NEAR : NEAR + 1;
    for (px_word word = 1; word < PX_W_COUNT; word++) {
        const char *other = px_word_text(word);
        if (opcode ? !px_word_is_modifier(word) : !px_word_is_opcode(word))
            continue;
        unsigned d = distance(text, other);
        bool nearer = d < least || (best && d == least && common_prefix(text, other) > common_prefix(text, best));
        if (d && nearer && is_known(why, word) && (!opcode || opcode_takes(opcode, word))) {
            least = d;
            best = other;
        }
    }
    return best;
}

/* The first modifier that no form of the opcode takes; NULL when all are known to it. */
static const char *foreign_modifier(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (!opcode_takes(inst->opcode->word, inst->mods[i].name->word))
            return inst->mods[i].name->text;
    return NULL;
}

/* Without a form that took the words: the form that takes most of them. */
static const struct px_form *closest_form(const struct px_why *why)
{
    uint16_t first;
    unsigned n = px_inst_forms(why->module, why->inst->opcode->word, &first), most = 0;
    const struct px_form *best = n ? px_form_at(first) : NULL;
    for (unsigned f = 0; f < n; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        unsigned taken = 0, min, max = px_form_opds(form, &min);
        for (unsigned k = 0; k < why->nwords; k++)
            for (unsigned i = 0, hit = 0; i < px_form_slots(form) && !hit; i++)
                taken += hit = px_form_accepts(form, i, why->words[k]);
        taken = taken * 2 + (why->inst->nopds >= min && why->inst->nopds <= max);
        if (taken > most) {
            most = taken;
            best = form;
        }
    }
    return best;
}

/* "sm_90a or sm_100a": a list too long to help ends in "...". */
static const char *target_list(struct px_arena *arena, uint64_t set)
{
    enum { MOST = 8 };
    const char *text = "";
    unsigned n = 0;
    for (size_t i = 0; px_target_name(i) && n <= MOST; i++)
        if (set >> i & 1)
            text = n++ == MOST ? px_arena_printf(arena, "%s ...", text)
                               : px_arena_printf(arena, "%s%s%s", text, *text ? " or " : "", px_target_name(i));
    return text;
}

static const char *requirement(const struct px_why *why, const struct px_since *since)
{
    struct px_arena *arena = &why->module->arena;
    const char *target = since->targets ? target_list(arena, px_since_targets(since)) : px_arena_printf(arena, "sm_%u", since->min_sm);
    return px_arena_printf(arena, "; it needs PTX %u.%u and %s", since->min_ptx / 10u, since->min_ptx % 10u, target);
}

/* What was given: the register and its type, or "a constant". */
static const char *given(struct px_arena *arena, const struct px_operand *o)
{
    switch (o->kind) {
    case PX_O_NAME:
        if (!o->symbol)
            return o->u.name->text;
        if (o->symbol->kind == PX_SYM_REG)
            return px_arena_printf(arena, "%s (.%s)", o->u.name->text, px_type_info((enum px_type)o->symbol->type)->name);
        return o->u.name->text;
    case PX_O_INT: case PX_O_EXPR: return "an integer constant";
    case PX_O_F32: case PX_O_F64: return "a floating-point constant";
    case PX_O_VEC: return "a vector";
    case PX_O_ADDR: return "an address";
    default: return NULL;
    }
}

/* Which operand does not fit and what should stand there; "" when that is not known. */
static const char *misfit(const struct px_why *why, const struct px_fit *best)
{
    struct px_arena *arena = &why->module->arena;
    const struct px_fault *f = &best->fault;
    enum px_type type;
    unsigned count;
    if (best->stage != PX_FIT_OPERANDS || f->kind != PX_FAULT_MISMATCH || !f->operand || !f->opd)
        return "";
    const char *found = given(arena, f->operand);
    if (!found || !px_match_opd_type(&best->match, f->opd, &type, &count) || type == PX_T_NONE)
        return "";
    const struct px_type_info *info = px_type_info(type);
    const char *held = info->declarable ? "" : px_arena_printf(arena, " (in a .%s register)", px_type_info((enum px_type)info->reg)->name);
    return px_arena_printf(arena, "operand %u is %s where %s.%s%s is expected; ", f->argument + 1, found,
                           f->opd->kind == PX_OK_ADDR ? "an address of " : count ? "a vector of " : "", info->name, held);
}

void px_inst_note(const struct px_why *why, const struct px_fit *best)
{
    struct px_diags *diags = &why->module->diags;
    const struct px_inst *inst = why->inst;
    struct px_diag *diag = diags->list.n ? &diags->list.at[diags->list.n - 1] : NULL;
    if (!diag || diag->note)
        return;
    const char *word = px_word_is_opcode(inst->opcode->word) ? foreign_modifier(inst) : inst->opcode->text;
    const char *meant = word ? nearest(why, word, px_word_is_opcode(inst->opcode->word) ? inst->opcode->word : 0) : NULL;
    const struct px_form *form = best->stage > PX_FIT_WORDS ? best->match.form : closest_form(why);
    if (meant)
        px_diag_note(diags, diag, "did you mean '%s%s'?", word == inst->opcode->text ? "" : ".", meant);
    else if (form)
        px_diag_note(diags, diag, "%snearest form: %s%s", misfit(why, best), px_form_syntax(form),
                     best->stage == PX_FIT_SINCE ? requirement(why, &best->since) : "");
}
