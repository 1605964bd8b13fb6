/*
 * inst_note.c - the note below an instruction's message: what would have fitted.
 *
 * What was expected against what was written (note_given.c), for a misspelt opcode or modifier the nearest
 * word, and the nearest instruction that is legal in this module (draft.c).
 */
#include "match/draft.h"
#include "match/note.h"
#include <string.h>

enum { NEAR = PX_NEAR, LONGEST = 24, PROPOSALS_MAX = 8 };

unsigned px_note_distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *row = rows[2];
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST || n + NEAR < m || m + NEAR < n) return NEAR + 1;
    for (unsigned j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *free_row = before;
        before = above;
        above = row;
        row = free_row;
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned change = above[j - 1] + (a[i - 1] != b[j - 1]),
                     best = row[j - 1] < above[j] ? row[j - 1] + 1 : above[j] + 1;
            bool swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swap && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = change < best ? change : best;
        }
    }
    return row[m] < NEAR + 1 ? row[m] : NEAR + 1;
}

static unsigned common_prefix(const char *a, const char *b)
{
    unsigned n = 0;
    while (a[n] && a[n] == b[n]) n++;
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
 * The nearest opcode, or (with an opcode) the nearest modifier of it; NULL when none is near. Of several as
 * near, the one that begins as the text does; `alone`: there was no other.
 */
static const char *nearest(const struct px_why *why, const char *text, px_word opcode, bool *alone)
{
    const char *best = NULL;
    unsigned least = strlen(text) < 4 ? NEAR : NEAR + 1;
    for (px_word word = 1; word <= px_word_count(); word++) {
        const char *other = px_word_text(word);
        if (opcode ? !px_word_is_modifier(word) : !px_word_is_opcode(word)) continue;
        unsigned d = px_note_distance(text, other);
        bool nearer =
            d < least || (best && d == least && common_prefix(text, other) > common_prefix(text, best));
        if (!d || d > least || !is_known(why, word) || (opcode && !opcode_takes(opcode, word))) continue;
        *alone = d < least;
        if (nearer) {
            least = d;
            best = other;
        }
    }
    return best;
}

/* The first modifier that no form of the opcode takes; NULL when all are known to it. */
static const struct px_modifier *foreign_modifier(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (!opcode_takes(inst->opcode->word, inst->mods[i].name->word)) return &inst->mods[i];
    return NULL;
}

/* "sm_90a or sm_100a": a list too long to help ends in "...". */
static const char *target_list(struct px_arena *arena, uint64_t set)
{
    enum { MOST = 8 };
    const char *text = "";
    unsigned n = 0;
    for (size_t i = 0; px_target_name(i) && n <= MOST; i++)
        if (set >> i & 1)
            text = n++ == MOST
                       ? px_arena_printf(arena, "%s ...", text)
                       : px_arena_printf(arena, "%s%s%s", text, *text ? " or " : "", px_target_name(i));
    return text;
}

static const char *requirement(const struct px_why *why, const struct px_since *since)
{
    struct px_arena *arena = &why->module->arena;
    const char *target = since->targets ? target_list(arena, px_since_targets(since))
                                        : px_arena_printf(arena, "sm_%u", since->min_sm);
    return px_arena_printf(arena, "it needs PTX %u.%u and %s", since->min_ptx / 10u, since->min_ptx % 10u,
                           target);
}

static bool undeclared(const struct px_operand *o)
{
    const bool is_list = o->kind == PX_O_VEC || o->kind == PX_O_LIST || o->kind == PX_O_PAIR;
    const bool has_parts = is_list || o->kind == PX_O_ADDR || o->kind == PX_O_INDEX;
    for (unsigned i = 0; has_parts && i < o->n; i++)
        if (undeclared(&o->u.list[i])) return true;
    return o->kind == PX_O_NAME && !o->symbol && !px_sreg_of_word(o->u.name->word) &&
           o->u.name->word != PX_W_WARP_SZ;
}

/* A name that is not declared is told as such; what could stand there instead nobody knows. */
static bool has_undeclared(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++)
        if (undeclared(&inst->opds[i])) return true;
    return false;
}

/* The nearest instruction that is legal here; NULL when there is none near. */
static const char *proposal(const struct px_why *why, struct px_diag *diag, const char *meant)
{
    struct px_draft draft;
    if (why->module->diags.errors > PROPOSALS_MAX || has_undeclared(why->inst) ||
        !px_draft_find(why, meant ? px_word_find(meant, strlen(meant)) : 0, &draft))
        return NULL;
    const char *text = px_draft_text(why, &draft), *choices = meant ? NULL : px_draft_choices(why, &draft);
    struct px_arena *arena = &why->module->arena;
    if (text && !draft.needs && !meant) px_fix_instruction(why->module, diag, why->inst, text);
    if (text && draft.needs) text = px_arena_printf(arena, "%s with %s", text, draft.needs);
    return text && choices ? px_arena_printf(arena, "%s (or %s)", text, choices) : text;
}

static void append(struct px_arena *arena, const char **note, const char *part)
{
    if (part && *part) *note = px_arena_printf(arena, "%s%s%s", *note, **note ? "; " : "", part);
}

/* ".v3": none that is near was meant. */
static bool is_vector_size(const char *word)
{
    return word[0] == 'v' && word[1] && word[1 + strspn(word + 1, "0123456789")] == '\0';
}

static void fix_word(const struct px_why *why, struct px_diag *diag, const struct px_modifier *modifier,
                     const char *meant, bool alone)
{
    const struct px_inst *inst = why->inst;
    const char *written = modifier ? modifier->name->text : inst->opcode->text;
    alone &= px_note_distance(written, meant) == 1 && px_note_differs_in_letters(written, meant) &&
             !px_type_of_word(px_word_find(meant, strlen(meant)));
    if (modifier)
        px_fix_text(why->module, diag, modifier->pos, modifier->name->len + 1,
                    px_arena_printf(&why->module->arena, ".%s", meant), alone);
    else
        px_fix_text(why->module, diag, inst->pos, inst->opcode->len, meant, alone);
}

/* What the attempt that got furthest lacks: a version or a target, or another operand. */
static const char *fact(const struct px_why *why, const struct px_fit *best, struct px_diag *diag)
{
    if (best->stage == PX_FIT_OPERANDS && best->fault.operand)
        px_note_relate(why->module, diag, best->fault.operand);
    if (best->stage != PX_FIT_SINCE) return px_note_fact(why, best);
    px_fix_requirement(why->module, diag, &best->since);
    return requirement(why, &best->since);
}

/* `reg .b32 %r;` has lost its dot. */
static bool note_directive(const struct px_why *why, struct px_diag *diag)
{
    static const char *const directives[] = {"reg", "param", "shared", "local", "global", "const", "pragma"};
    const struct px_inst *inst = why->inst;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (strcmp(directives[i], inst->opcode->text) != 0) continue;
        px_diag_note(&why->module->diags, diag, "did you mean '.%s'?", directives[i]);
        px_diag_fix(&why->module->diags, diag,
                    &(struct px_diag_fix){NULL, inst->pos, 0, "insert '.'", ".", true});
        return true;
    }
    return false;
}

void px_inst_note(const struct px_why *why, const struct px_fit *best)
{
    struct px_diags *diags = &why->module->diags;
    struct px_arena *arena = &why->module->arena;
    const struct px_inst *inst = why->inst;
    struct px_diag *diag = diags->list.n ? &diags->list.at[diags->list.n - 1] : NULL;
    if (!diag || diag->note) return;
    const bool is_opcode = !px_word_is_opcode(inst->opcode->word);
    if (is_opcode && note_directive(why, diag)) return;
    const struct px_modifier *foreign = is_opcode ? NULL : foreign_modifier(inst);
    const char *word = is_opcode ? inst->opcode->text : foreign ? foreign->name->text : NULL, *note = "";
    const bool is_size = foreign && is_vector_size(word[0] == '.' ? word + 1 : word);
    bool alone = true;
    const char *meant =
        word && !is_size ? nearest(why, word, is_opcode ? 0 : inst->opcode->word, &alone) : NULL;
    append(arena, &note, fact(why, best, diag));
    if (is_size)
        append(arena, &note,
               "vectors have 2 or 4 elements (.v2, .v4), or, with 32-bit elements, PTX 8.8 and "
               "sm_100, 8 (.v8)");
    if (meant) {
        append(arena, &note, px_arena_printf(arena, "did you mean '%s%s'?", is_opcode ? "" : ".", meant));
        fix_word(why, diag, foreign, meant, alone);
    }
    const char *legal = is_opcode || is_size ? NULL : proposal(why, diag, meant);
    if (legal) append(arena, &note, px_arena_printf(arena, "legal here: %s", legal));
    if (*note) px_diag_note(diags, diag, "%s", note);
}
