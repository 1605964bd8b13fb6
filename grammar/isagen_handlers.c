/*
 * isagen_handlers.c - from statements in the meaning column to lane handlers.
 *
 * A statement is C over d, e (results) and a, b, c (sources in order). `$slot`
 * is the word in a slot (0 or 1 for a literal that may be absent), `$t(slot)` a
 * text function. The slots that a statement or the types of its operands
 * mention are the ones it specialises on: one handler for each legal
 * combination, shared by every row whose types and text agree.
 */
#include "isagen.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct handler { const char *name, *types, *statement, *shapes; int nd, ns; bool cc; };

enum { MAX_HANDLERS = 8192 };
static struct handler handlers[MAX_HANDLERS];
int ig_nhandlers;
uint16_t ig_handler_pool[IG_POOL];
int ig_nhandler_pool;

/* One row being expanded: the words chosen for its slots, and what its statement uses. */
struct expansion {
    const struct ig_form *form;
    uint16_t value[IG_SLOTS];
    bool uses_e, uses[4];
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does the statement use `name` as a whole word? */
static bool mentions(const char *statement, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = statement; (s = strstr(s, name)); s += n)
        if ((s == statement || (!is_name(s[-1]) && s[-1] != '$')) && !is_name(s[n]))
            return true;
    return false;
}

static bool specialises(struct ig_form *form, int slot)
{
    for (int i = 0; i < form->nspec; i++)
        if (form->spec[i] == slot)
            return true;
    return false;
}

static void specialise(struct ig_form *form, int slot)
{
    if (!specialises(form, slot))
        form->spec[form->nspec++] = slot;
}

static void specialise_type(struct ig_form *form, const struct ig_tspec *t)
{
    if (t->kind == IG_T_SLOT)
        specialise(form, t->slot);
    for (int i = 0; t->kind == IG_T_FN && i < ig.fns[t->fn].nargs; i++)
        specialise(form, t->args[i]);
}

/* The name after a dollar sign; `${name}` ends it where more letters follow. Returns the end. */
static const char *dollar_name(const char *s, const char **name, size_t *n)
{
    while (*s == ' ')
        s++;
    bool braces = *s == '{';
    *name = s += braces;
    for (*n = 0; is_name(s[*n]);)
        ++*n;
    return s + *n + braces;
}

static void specialise_statement(struct ig_form *form)
{
    const char *name;
    size_t n;
    for (const char *s = form->statement; (s = strchr(s, '$'));) {
        s = dollar_name(s + 1, &name, &n);
        bool call = *s == '(' && ig_slot_find(form, name, n) < 0;
        do {
            if (call)
                s = dollar_name(s + 1, &name, &n);
            int slot = ig_slot_find(form, name, n);
            if (slot < 0)
                ig_error(form->at, "'%.*s' is no slot", (int)n, name);
            specialise(form, slot);
        } while (call && *s == ',');
    }
}

static const struct ig_entry *entry_of(const struct ig_fn *fn, const uint16_t *words)
{
    for (int i = 0; i < fn->n; i++) {
        const struct ig_entry *e = &fn->entries[i];
        int k = 0;
        while (k < fn->nargs && (!e->key[k] || e->key[k] == words[k] || (e->key[k] == -1 && !words[k])))
            k++;
        if (k == fn->nargs)
            return e;
    }
    return NULL;
}

/* enum px_type of an operand under the chosen words; 0: the combination is not legal. */
static int type_of(const struct expansion *x, const struct ig_tspec *t)
{
    uint16_t words[4] = {0};
    if (t->kind == IG_T_FIXED)
        return t->fixed.type[0];
    if (t->kind == IG_T_SLOT)
        return x->value[t->slot];
    if (t->kind != IG_T_FN)
        return 0;
    const struct ig_fn *fn = &ig.fns[t->fn];
    for (int i = 0; i < fn->nargs; i++)
        words[i] = x->value[t->args[i]];
    const struct ig_entry *e = entry_of(fn, words);
    if (!e)
        return 0;
    return e->value.type[0] ? e->value.type[0] : words[fn->nargs - 1];
}

static bool is_predicate(int type)
{
    return !strcmp(ig.types[type - 1].klass, "pred");
}

/* The C type of a lane: u32, s64, f32, pred; half and packed formats are their bits. */
static const char *lane_type(const struct ig_form *form, int type)
{
    const struct ig_type *t = &ig.types[type - 1];
    bool plain = !strchr(t->name, 'x') && strcmp(t->name, "tf32") && strncmp(t->name, "bf", 2);
    if (is_predicate(type))
        return "pred";
    if (form->video)
        return "s64";
    if (!strcmp(t->klass, "signed") && !form->bits && plain)
        return ig_format("s%d", t->bits);
    if (!strcmp(t->klass, "float") && !form->bits && plain && t->bits >= 32)
        return t->name;
    return ig_format("u%d", t->bits < 8 ? 32 : t->bits);
}

/* What a source of a [wide] row is by the time the statement sees it. */
static const char *wide_type(int type)
{
    const struct ig_type *t = &ig.types[type - 1];
    return strcmp(t->klass, "float") ? "f64" : t->bits == 16 ? "f32" : t->name;
}

/* ---- substitution ---- */

static const char *substitute(const struct expansion *x)
{
    char out[4096];
    size_t n = 0;
    const struct ig_form *form = x->form;
    for (const char *s = form->statement; *s;) {
        if (n > sizeof out - 512)
            ig_error(form->at, "the statement is too long");
        if (*s != '$') {
            out[n++] = *s++;
            continue;
        }
        const char *text, *name;
        size_t len;
        s = dollar_name(s + 1, &name, &len);
        if (*s == '(' && ig_slot_find(form, name, len) < 0) {
            uint16_t words[4] = {0};
            int k = 0, fn = ig_fn_find(name, len);
            if (fn < 0 || !ig.fns[fn].is_text)
                ig_error(form->at, "unknown text function '%.*s'", (int)len, name);
            while (*s != ')') {
                s = dollar_name(s + 1, &name, &len);
                words[k++] = x->value[ig_slot_find(form, name, len)];
            }
            const struct ig_entry *e = entry_of(&ig.fns[fn], words);
            if (!e)
                return NULL;
            text = e->text;
            s++;
        } else {
            int slot = ig_slot_find(form, name, len);
            const struct ig_slot *sl = &form->slots[slot];
            text = sl->n == 1 && sl->values[0].word == sl->name ? (x->value[slot] ? "1" : "0")
                   : x->value[slot] ? ig.words.text[x->value[slot] - 1] : "none";
        }
        n += (size_t)snprintf(out + n, sizeof out - n, "%s", text);
    }
    return ig_text(out, n);
}

/* The statement without its assignments to e: for a destination pair of which only the first is written. */
static const char *without_e(const char *statement)
{
    char *out = ig_text("", 0);
    while (*statement) {
        statement += strspn(statement, " ");
        size_t n = strcspn(statement, ";");
        if (strncmp(statement, "e =", 3))
            out = ig_format("%s%s%.*s", out, *out ? "; " : "", (int)n, statement);
        statement += n + (statement[n] == ';');
    }
    return out;
}

static const char *handler_name(const struct expansion *x)
{
    const struct ig_form *form = x->form;
    char *name = ig_format("%s", ig.words.text[form->opcode - 1]);
    for (int i = 0; i < form->nslots; i++) {
        const struct ig_slot *slot = &form->slots[i];
        bool fixed = slot->n == 1 && !slot->optional;
        if (!fixed && !specialises((struct ig_form *)form, i))
            continue;
        if (x->value[i])
            name = ig_format("%s_%s", name, ig.words.text[x->value[i] - 1]);
    }
    for (char *c = name; *c; c++)
        if (!is_name(*c))
            *c = '_';
    return name;
}

static bool name_taken(const char *name)
{
    for (int i = 0; i < ig_nhandlers; i++)
        if (!strcmp(handlers[i].name, name))
            return true;
    return false;
}

static const char *default_shapes(const struct ig_form *form, int ns)
{
    if (form->video)
        return ns == 3 ? "rrr" : "rr";
    return ns == 0 ? "none" : ns == 1 ? "r" : ns == 2 ? "rr_rs" : "rrr_rrs_rsr";
}

/* Number of the handler for the chosen words, made when new; -1 when the combination means nothing. */
static int handler_for(struct expansion *x, bool with_e)
{
    const struct ig_form *form = x->form;
    const char *statement = substitute(x), *types = "", *source[3] = {"none", "none", "none"};
    const char *d = "none", *e = "none";
    int ns = 0;
    if (!statement)
        return -1;
    for (int i = 0; i < form->nopds; i++) {
        const struct ig_opd *o = &form->opds[i];
        int type = type_of(x, &o->type);
        if (!type)
            return -1;
        if (form->compare && !(o->flags & IG_F_DST) && is_predicate(type))
            continue;
        if (form->video && !mentions(statement, o->name))
            continue; /* lowering has c */
        if (o->flags & IG_F_DST) {
            d = form->compare ? "pred" : lane_type(form, type);
            if (form->compare)
                e = "pred";
            else if (o->partner >= 0)
                e = lane_type(form, type_of(x, &form->parts[o->partner].type));
        } else if (ns == 3) {
            ig_error(form->at, "a statement has at most three sources; name a meaning function");
        } else {
            source[ns++] = form->wide ? wide_type(type) : lane_type(form, type);
        }
    }
    if (!with_e || !mentions(statement, "e")) {
        statement = without_e(statement);
        e = "none";
    }
    types = ig_format("%s, %s, %s, %s, %s", d, e, source[0], source[1], source[2]);
    const char *shapes = form->shapes ? form->shapes : default_shapes(form, ns);
    for (int i = 0; i < ig_nhandlers; i++)
        if (!strcmp(handlers[i].types, types) && !strcmp(handlers[i].statement, statement))
            return i;
    if (ig_nhandlers == MAX_HANDLERS)
        ig_error(form->at, "more than %d handlers", MAX_HANDLERS);
    const char *name = handler_name(x);
    if (strcmp(e, "none"))
        name = ig_format("%s_pair", name);
    if (name_taken(name))
        name = ig_format("%s_%d", name, ns);
    if (name_taken(name))
        ig_error(form->at, "handler %s has two meanings", name);
    handlers[ig_nhandlers] = (struct handler){.name = name, .types = types, .statement = statement, .shapes = shapes,
        .nd = 1 + (strcmp(e, "none") != 0), .ns = ns, .cc = mentions(statement, "cc")};
    return ig_nhandlers++;
}

/* ---- expansion over the words of a row ---- */

static int radix(const struct ig_form *form)
{
    int n = 1;
    for (int i = 0; i < form->nspec; i++)
        n *= form->slots[form->spec[i]].n + 1;
    return n;
}

/* Position of the chosen words among the combinations of the specialising slots (as px_match_handler computes it). */
static int position(const struct expansion *x, const int *choice)
{
    int at = 0;
    for (int i = 0; i < x->form->nspec; i++)
        at = at * (x->form->slots[x->form->spec[i]].n + 1) + choice[x->form->spec[i]];
    return at;
}

static void expand_slot(struct expansion *x, int slot, int *choice, int size, bool pair)
{
    const struct ig_form *form = x->form;
    if (slot == form->nslots) {
        int at = form->handler_first + position(x, choice);
        if (ig_handler_pool[at] != UINT16_MAX || !ig_clauses_hold(form, x->value))
            return;
        int h = handler_for(x, true);
        if (h >= 0)
            ig_handler_pool[at] = (uint16_t)h;
        if (pair && h >= 0)
            ig_handler_pool[at + size] = (uint16_t)handler_for(x, false);
        return;
    }
    const struct ig_slot *s = &form->slots[slot];
    for (int i = s->optional ? 0 : 1; i <= s->n; i++) {
        choice[slot] = i;
        x->value[slot] = i ? (uint16_t)s->values[i - 1].word : 0;
        expand_slot(x, slot + 1, choice, size, pair);
    }
}

static void expand(struct ig_form *form)
{
    int choice[IG_SLOTS] = {0};
    struct expansion x = {.form = form};
    specialise_statement(form);
    for (int i = 0; i < form->nopds && !form->video; i++)
        specialise_type(form, &form->opds[i].type);
    bool pair = form->nopds && form->opds[0].flags & IG_F_PAIR_OPTIONAL;
    int size = radix(form);
    form->handler_first = ig_nhandler_pool;
    ig_nhandler_pool += size * (pair ? 2 : 1);
    if (ig_nhandler_pool > IG_POOL)
        ig_error(form->at, "the statements specialise on too much");
    memset(ig_handler_pool + form->handler_first, 0xff, (size_t)size * (pair ? 2 : 1) * sizeof *ig_handler_pool);
    expand_slot(&x, 0, choice, size, pair);
}

void ig_expand_handlers(void)
{
    for (int i = 0; i < ig.nforms; i++)
        if (ig.forms[i]->statement)
            expand(ig.forms[i]);
}

static int shape_count(const char *shapes)
{
    int n = 1;
    for (; *shapes; shapes++)
        n += *shapes == '_';
    return n;
}

void ig_emit_handlers(FILE *inc, FILE *header)
{
    int instances = 0;
    fputs("/*\n * Made by isagen. PX_ALU(name, nd, ns, TD, TE, TA, TB, TC, shapes, { statement }); PX_ALU_CC when the\n"
          " * statement uses the carry flag cc. Types: u8..u64 s8..s64 f32 f64 pred none. Shapes: one letter a source,\n"
          " * r a row and s a scalar, joined by _ (rr_rs: row row and row scalar).\n */\n", inc);
    fputs("/* Made by isagen. */\n#ifndef PX_HANDLERS_H\n#define PX_HANDLERS_H\n\nenum px_hid {\n", header);
    for (int i = 0; i < ig_nhandlers; i++) {
        const struct handler *h = &handlers[i];
        size_t n = strlen(h->statement);
        instances += shape_count(h->shapes);
        fprintf(inc, "PX_ALU%s(%s, %d, %d, %s, %s, { %s%s })\n", h->cc ? "_CC" : "", h->name, h->nd, h->ns, h->types,
                h->shapes, h->statement, n && strchr(";}", h->statement[n - 1]) ? "" : ";");
        fprintf(header, "    PX_H_%s,\n", h->name);
    }
    fputs("    PX_H_COUNT\n};\n\n#endif\n", header);
    printf("isagen: %d forms, %d words, %d handlers, %d instances a SIMD level\n", ig.nforms, ig.words.n, ig_nhandlers, instances);
    if (instances > 5000)
        ig_error((struct ig_place){"isa.tbl", 0}, "more than 5,000 handler instances");
}
