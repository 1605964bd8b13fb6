/*
 * isagen_ignored.c - a statement must not ignore what its row lets a program write.
 *
 * Asked of every row with a statement: who looks at each selector, mask and optional modifier? The statement,
 * which mentions it; the mode, which has .rnd and .ftz; lowering, for rows whose attribute says so; or
 * nobody, where the row says [harmless NAME ...]. Anything else would be dropped in silence when the
 * instruction runs.
 */
#include "isagen.h"
#include <string.h>

static bool specialises(const struct ig_form *form, int slot)
{
    for (int i = 0; i < form->nspec; i++)
        if (form->spec[i] == slot) return true;
    return false;
}

static bool is_listed(const char *name, const char *list)
{
    size_t n = strlen(name);
    for (const char *s = list; s && (s = strstr(s, name)); s += n)
        if ((s == list || s[-1] == ' ') && (!s[n] || s[n] == ' ')) return true;
    return false;
}

/* Are all words of the slot among those of the mode (px_match_fp_mode)? */
static bool is_mode(const struct ig_slot *slot)
{
    for (int i = 0; i < slot->n; i++)
        if (!is_listed(ig.words.text[slot->values[i].word - 1], "rn rz rm rp ftz")) return false;
    return true;
}

static bool is_seen(const struct ig_form *form, int slot)
{
    const char *name = ig.words.text[form->slots[slot].name - 1];
    return specialises(form, slot) || is_listed(name, form->harmless) ||
           (ig_has_mode(form) && is_mode(&form->slots[slot])) || (form->compare && !strcmp(name, "BoolOp")) ||
           (form->video && !strcmp(name, "sat")) || (form->slots[slot].together && is_seen(form, slot - 1));
}

/* [harmless NAME ...]: optional slots, which nothing else looks at. */
static void check_harmless(const struct ig_form *form)
{
    for (const char *s = form->harmless; s && *s; s += strspn(s, " ")) {
        size_t n = strcspn(s, " ");
        int slot = ig_slot_find(form, s, n);
        if (slot < 0 || !form->slots[slot].optional)
            ig_error(form->at, "'%.*s' is no optional modifier of the row", (int)n, s);
        if (specialises(form, slot))
            ig_error(form->at, "the statement mentions .%.*s, which cannot be harmless", (int)n, s);
        s += n;
    }
}

static void check(const struct ig_form *form)
{
    check_harmless(form);
    for (int i = 0; i < form->nopds; i++)
        if (form->opds[i].flags & IG_F_SELECTOR && !form->video)
            ig_error(form->at, "the statement ignores what may follow operand %s; [video] applies it",
                     form->opds[i].name);
    for (int i = 0; i < form->nslots; i++)
        if (form->slots[i].optional && !is_seen(form, i))
            ig_error(form->at, "the statement ignores .%s", ig.words.text[form->slots[i].name - 1]);
}

void ig_check_ignored(void)
{
    for (int i = 0; i < ig.nforms; i++)
        if (ig.forms[i]->statement) check(ig.forms[i]);
}
