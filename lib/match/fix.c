/*
 * fix.c - edits that would mend a fault, beside the note that says so in words.
 *
 * An instruction that would be legal becomes the smallest edit: what it has in common with the text, blanks
 * aside, stays. An edit is certain where the text can have meant nothing else.
 */
#include <ctype.h>
#include <string.h>
#include "match/inst.h"
#include "match/note.h"

void px_fix_text(struct ptx_module *module, struct px_diag *diag, px_pos pos, uint32_t length,
                 const char *text, bool certain)
{
    const char *title = px_arena_printf(&module->arena, "replace it by '%s'", text);
    px_diag_fix(&module->diags, diag, &(struct px_diag_fix){NULL, pos, length, title, text, certain});
}

bool px_note_differs_in_letters(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return !isdigit((unsigned char)*a) && !isdigit((unsigned char)*b);
}

/* ---- an instruction ---- */

/* A text and the part of it that is left, without what both have in common. */
struct part {
    const char *from, *to;
};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static void skip_blanks(struct part *part)
{
    while (part->from < part->to && isspace((unsigned char)*part->from)) part->from++;
}

static void drop_blanks(struct part *part)
{
    while (part->from < part->to && isspace((unsigned char)part->to[-1])) part->to--;
}

/* Is a word cut in two? */
static bool tears(struct part a, struct part b, bool end)
{
    if (end) return (a.from < a.to && in_word(a.to[-1])) || (b.from < b.to && in_word(b.to[-1]));
    return (a.from < a.to && in_word(*a.from)) || (b.from < b.to && in_word(*b.from));
}

/* Words are kept whole. */
static void drop_beginning(struct part *a, struct part *b)
{
    const struct part whole_a = *a, whole_b = *b;
    struct part x = *a, y = *b;
    while (x.from < x.to && y.from < y.to && *x.from == *y.from) {
        x.from++;
        y.from++;
        *a = x;
        *b = y;
        skip_blanks(&x);
        skip_blanks(&y);
    }
    if (x.from > a->from && y.from > b->from) {
        *a = x;
        *b = y;
    }
    while (tears(*a, *b, false) && a->from > whole_a.from && b->from > whole_b.from && in_word(a->from[-1]) &&
           a->from[-1] == b->from[-1]) {
        a->from--;
        b->from--;
    }
}

static void drop_end(struct part *a, struct part *b)
{
    const struct part whole_a = *a, whole_b = *b;
    struct part x = *a, y = *b;
    drop_blanks(&y);
    while (x.from < x.to && y.from < y.to && x.to[-1] == y.to[-1]) {
        x.to--;
        y.to--;
        *a = x;
        *b = y;
        drop_blanks(&x);
        drop_blanks(&y);
    }
    while (tears(*a, *b, true) && a->to < whole_a.to && b->to < whole_b.to && in_word(*a->to) &&
           *a->to == *b->to) {
        a->to++;
        b->to++;
    }
}

/* Without the guard, which stays. */
static const char *behind_guard(const char *text)
{
    return *text == '@' ? text + strcspn(text, " ") + 1 : text;
}

static bool is_integer(struct part part)
{
    const char *digits = part.from + (part.from < part.to && *part.from == '-');
    for (const char *c = digits; c < part.to; c++)
        if (!isdigit((unsigned char)*c)) return false;
    return digits < part.to;
}

/* A constant in the form of its type, and brackets around an address, change nothing of the meaning. */
static bool is_certain(struct part old, struct part new)
{
    const size_t n = (size_t)(old.to - old.from), m = (size_t)(new.to - new.from);
    if (m == n + 2 && n && new.from[0] == '[' && new.to[-1] == ']') return !memcmp(new.from + 1, old.from, n);
    return is_integer(old) && m > 2 && new.from[0] == '0' && (new.from[1] == 'f' || new.from[1] == 'd');
}

void px_fix_instruction(struct ptx_module *module, struct px_diag *diag, const struct px_inst *inst,
                        const char *text)
{
    const char *source = module->source.text, *plain = behind_guard(text);
    struct part old = {source + inst->pos, source + inst->end}, new = {plain, plain + strlen(plain)};
    drop_blanks(&old);
    drop_beginning(&old, &new);
    drop_end(&old, &new);
    const size_t n = (size_t)(old.to - old.from);
    if (memchr(old.from, '/', n)) return; /* a comment would be lost */
    const char *title = px_arena_printf(&module->arena, "write '%s'", text);
    px_diag_fix(&module->diags, diag,
                &(struct px_diag_fix){NULL, (px_pos)(old.from - source), (uint32_t)n, title,
                                      px_arena_text(&module->arena, new.from, (size_t)(new.to - new.from)),
                                      is_certain(old, new)});
}

/* ---- versions and targets ---- */

static void fix_version(struct ptx_module *module, struct px_diag *diag, unsigned version, bool certain)
{
    struct px_arena *arena = &module->arena;
    const char *text = px_arena_printf(arena, "%u.%u", version / 10, version % 10);
    const char *title = px_arena_printf(arena, "write .version %s", text);
    px_diag_fix(&module->diags, diag,
                &(struct px_diag_fix){NULL, module->tree.version_pos,
                                      (uint32_t)strlen(module->tree.version_text), title, text, certain});
}

void px_fix_version(struct ptx_module *module, struct px_diag *diag, unsigned version)
{
    if (module->tree.version && version <= PTX_ISA_VERSION) fix_version(module, diag, version, true);
}

/* The first of the targets that would do; -1: there is none. */
static int first_target(const struct px_since *since)
{
    const uint64_t set = px_since_targets(since);
    for (int i = 0; px_target_name((size_t)i); i++)
        if (set ? set >> i & 1 : px_target_at((size_t)i).sm >= since->min_sm) return i;
    return -1;
}

void px_fix_requirement(struct ptx_module *module, struct px_diag *diag, const struct px_since *since)
{
    const struct px_since of_target = {.min_sm = since->min_sm, .targets = since->targets};
    const struct px_target_list *list = &module->tree.target;
    const bool has_target = px_since_met(module, &of_target);
    const int target = first_target(since);
    if (module->tree.version && module->tree.version < since->min_ptx && since->min_ptx <= PTX_ISA_VERSION)
        fix_version(module, diag, since->min_ptx, has_target);
    if (has_target || module->arch || target < 0 || !list->n) return;
    const char *name = px_target_name((size_t)target);
    px_diag_fix(&module->diags, diag,
                &(struct px_diag_fix){NULL, list->poses[0], list->names[0]->len,
                                      px_arena_printf(&module->arena, "write .target %s", name), name,
                                      false});
}
