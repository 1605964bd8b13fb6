/*
 * isagen_handlers.c - from statements in the meaning column to lane handlers.
 *
 * A statement is C over d, e (results) and a, b, c (sources in order). `$slot`
 * is the word in a slot (0 or 1 for a literal that may be absent), `$t(slot)` a
 * text function. The slots that a statement or the types of its operands
 * mention are the ones it specialises on: one handler for each legal
 * combination, shared by every row whose types and text agree. Each of these rows gives it a name; the one
 * that it bears, and with it the family, does not depend on where a new row is put in: a name that a
 * `handlers` or `fuse` line says, else that of the row which came with the oldest version.
 */
#include "isagen.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/isa/hash.h"

enum { MAX_HANDLERS = 8192, MAX_NAMES = 4 * MAX_HANDLERS };
static struct ig_handler handlers[MAX_HANDLERS];
static struct name {
    const char *text;
    const struct ig_form *form;
    int handler, next; /* next: of the same hash; -1 */
    bool wanted;       /* a `fuse` line has it */
    struct ig_facts facts;
} names[MAX_NAMES];
static int nnames, names_by_hash[MAX_NAMES];
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
bool ig_mentions(const char *statement, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = statement; (s = strstr(s, name)); s += n)
        if ((s == statement || (!is_name(s[-1]) && s[-1] != '$')) && !is_name(s[n])) return true;
    return false;
}

static bool specialises(struct ig_form *form, int slot)
{
    for (int i = 0; i < form->nspec; i++)
        if (form->spec[i] == slot) return true;
    return false;
}

static void specialise(struct ig_form *form, int slot)
{
    if (!specialises(form, slot)) form->spec[form->nspec++] = slot;
}

static void specialise_type(struct ig_form *form, const struct ig_tspec *t)
{
    if (t->kind == IG_T_SLOT) specialise(form, t->slot);
    for (int i = 0; t->kind == IG_T_FN && i < ig.fns[t->fn].nargs; i++) specialise(form, t->args[i]);
}

/* The name after a dollar sign; `${name}` ends it where more letters follow. Returns the end. */
static const char *dollar_name(const char *s, const char **name, size_t *n)
{
    while (*s == ' ') s++;
    bool braces = *s == '{';
    *name = s += braces;
    for (*n = 0; is_name(s[*n]);) ++*n;
    return s + *n + braces;
}

/* A machine form may name the slots alone that tell one handler of the row from others. */
static void require(struct ig_form *form, int slot)
{
    if (!specialises(form, slot))
        ig_error(form->at, "the machine form depends on slot '%s', the statement does not",
                 ig.words.text[form->slots[slot].name - 1]);
}

static void each_slot(struct ig_form *form, const char *text, void (*visit)(struct ig_form *form, int slot))
{
    const char *name;
    size_t n;
    for (const char *s = text; (s = strchr(s, '$'));) {
        s = dollar_name(s + 1, &name, &n);
        bool call = *s == '(' && ig_slot_find(form, name, n) < 0;
        do {
            if (call) s = dollar_name(s + 1, &name, &n);
            int slot = ig_slot_find(form, name, n);
            if (slot < 0) ig_error(form->at, "'%.*s' is no slot", (int)n, name);
            visit(form, slot);
        } while (call && *s == ',');
    }
}

static const struct ig_entry *entry_of(const struct ig_fn *fn, const uint16_t *words)
{
    for (int i = 0; i < fn->n; i++) {
        const struct ig_entry *e = &fn->entries[i];
        int k = 0;
        while (k < fn->nargs && (!e->key[k] || e->key[k] == words[k] || (e->key[k] == -1 && !words[k]))) k++;
        if (k == fn->nargs) return e;
    }
    return NULL;
}

/* enum px_type of an operand under the chosen words; 0: the combination is not legal. */
static int type_of(const struct expansion *x, const struct ig_tspec *t)
{
    uint16_t words[4] = {0};
    if (t->kind == IG_T_FIXED) return t->fixed.type[0];
    if (t->kind == IG_T_SLOT) return x->value[t->slot];
    if (t->kind != IG_T_FN) return 0;
    const struct ig_fn *fn = &ig.fns[t->fn];
    for (int i = 0; i < fn->nargs; i++) words[i] = x->value[t->args[i]];
    const struct ig_entry *e = entry_of(fn, words);
    if (!e) return 0;
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
    if (is_predicate(type)) return "pred";
    if (form->video) return "s64";
    if (!strcmp(t->klass, "signed") && !form->bits && plain) return ig_format("s%d", t->bits);
    if (!strcmp(t->klass, "float") && !form->bits && plain && t->bits >= 32) return t->name;
    return ig_format("u%d", t->bits < 8 ? 32 : t->bits);
}

/* What a source of a [wide] row is by the time the statement sees it. */
static const char *wide_type(int type)
{
    const struct ig_type *t = &ig.types[type - 1];
    return strcmp(t->klass, "float") ? "f64" : t->bits == 16 ? "f32" : t->name;
}

/* ---- substitution ---- */

/* NULL: a text function has no entry for the words. */
static const char *substitute(const struct expansion *x, const char *statement)
{
    char out[4096];
    size_t n = 0;
    const struct ig_form *form = x->form;
    for (const char *s = statement; *s;) {
        if (n > sizeof out - 512) ig_error(form->at, "the statement is too long");
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
            if (!e) return NULL;
            text = e->text;
            s++;
        } else {
            int slot = ig_slot_find(form, name, len);
            const struct ig_slot *sl = &form->slots[slot];
            text = sl->n == 1 && sl->values[0].word == sl->name ? (x->value[slot] ? "1" : "0")
                   : x->value[slot]                             ? ig.words.text[x->value[slot] - 1]
                                                                : "none";
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

/* The words that tell this combination from others: those of slots that the statement depends on and those
 * always there. */
static const char *telling_words(const struct expansion *x)
{
    const struct ig_form *form = x->form;
    const char *words = "";
    for (int i = 0; i < form->nslots; i++) {
        const struct ig_slot *slot = &form->slots[i];
        bool fixed = slot->n == 1 && !slot->optional;
        if (!fixed && !specialises((struct ig_form *)form, i)) continue;
        if (x->value[i])
            words = ig_format("%s%s%s", words, *words ? "." : "", ig.words.text[x->value[i] - 1]);
    }
    return words;
}

/* ---- names ---- */

static int *chain_of(const char *text)
{
    return &names_by_hash[px_word_hash(text, strlen(text), 0) % MAX_NAMES];
}

/* Number of the name; -1. */
static int name_find(const char *text)
{
    int at = *chain_of(text) - 1;
    while (at >= 0 && strcmp(names[at].text, text)) at = names[at].next;
    return at;
}

static void name_add(struct name name)
{
    int *chain = chain_of(name.text);
    if (nnames == MAX_NAMES) ig_error(name.form->at, "more than %d names of handlers", MAX_NAMES);
    name.next = *chain - 1;
    names[nnames] = name;
    *chain = ++nnames;
}

static const char *handler_name(const struct expansion *x)
{
    const char *words = telling_words(x);
    char *name = ig_format("%s%s%s", ig.words.text[x->form->opcode - 1], *words ? "_" : "", words);
    for (char *c = name; *c; c++)
        if (!is_name(*c)) *c = '_';
    return name;
}

static bool is_free(const char *text, int handler)
{
    const int at = name_find(text);
    return at < 0 || names[at].handler == handler;
}

/* What passes over the IR may ask of a statement with these words. */
static struct ig_facts facts_of(const struct expansion *x)
{
    const struct ig_form *form = x->form;
    struct ig_facts facts = {.opcode = form->opcode,
                             .result = ig_result_of(form->opcode, x->value, form->nslots)};
    int n = 0;
    for (int i = 0; i < form->nopds && i < 4; i++) facts.types[i] = type_of(x, &form->opds[i].type);
    for (int i = 0; i < form->nslots; i++) {
        const struct ig_slot *slot = &form->slots[i];
        const bool fixed = slot->n == 1 && !slot->optional;
        if (!x->value[i] || (!fixed && !specialises((struct ig_form *)form, i))) continue;
        if (n == IG_STATEMENT_WORDS) ig_error(form->at, "a statement with more than %d words", n);
        facts.words[n++] = x->value[i];
    }
    return facts;
}

/* What the row calls the handler; a new one must get a name. */
static void give_name(const struct expansion *x, int handler, bool is_new)
{
    const struct ig_handler *h = &handlers[handler];
    const char *text = handler_name(x);
    if (h->e) text = ig_format("%s_pair", text);
    if (!is_free(text, handler)) text = ig_format("%s_%d", text, h->ns);
    if (!is_free(text, handler) && is_new) ig_error(x->form->at, "handler %s has two meanings", text);
    if (name_find(text) < 0)
        name_add((struct name){.text = text, .form = x->form, .handler = handler, .facts = facts_of(x)});
}

static void want(const char *text)
{
    const int at = name_find(text);
    if (at >= 0) names[at].wanted = true;
}

/* Is the name better than another one of the same handler? */
static bool is_better(const struct name *a, const struct name *b)
{
    const struct ig_since *x = &a->form->since, *y = &b->form->since;
    if (a->wanted != b->wanted) return a->wanted;
    return x->ptx != y->ptx ? x->ptx < y->ptx : x->sm < y->sm;
}

static void choose_names(void)
{
    const struct name **best = ig_alloc((size_t)ig_nhandlers * sizeof *best);
    ig_each_fused(want);
    for (int i = 0; i < nnames; i++) {
        const struct name **b = &best[names[i].handler];
        if (!*b || is_better(&names[i], *b)) *b = &names[i];
    }
    for (int i = 0; i < ig_nhandlers; i++) {
        handlers[i].name = best[i]->text;
        handlers[i].family = best[i]->form->family;
        handlers[i].facts = best[i]->facts;
    }
}

const struct ig_handler *ig_handler_find(const char *name)
{
    const int at = name_find(name);
    return at < 0 ? NULL : &handlers[names[at].handler];
}

/* ---- [hot] ---- */

/* Does the word (its end: a dot or NUL) stand in the alternatives of a part of an entry: u32,u64? */
static bool among(const char *part, size_t n, const char *word)
{
    size_t len = strcspn(word, ".");
    for (const char *s = part; s < part + n; s += strcspn(s, ",. ") + 1)
        if (strcspn(s, ",. ") == len && !strncmp(s, word, len)) return true;
    return false;
}

/* Does one entry of the list, words with alternatives joined by dots (lt,le.u32), stand for these words? */
static bool entry_fits(const char *entry, const char *words)
{
    for (;;) {
        size_t n = strcspn(entry, ". ");
        if (!among(entry, n, words)) return false;
        entry += n;
        words += strcspn(words, ".");
        if (*entry != '.' || *words != '.') return *entry != '.' && !*words;
        entry++, words++;
    }
}

static bool is_hot(const struct expansion *x)
{
    const struct ig_form *form = x->form;
    bool found = false;
    if (!form->hot) return false;
    for (int i = 0; form->hot[i]; i++)
        if (entry_fits(form->hot[i], telling_words(x))) form->hot_used[i] = found = true;
    return found || !form->hot[0];
}

static void check_hot(const struct ig_form *form)
{
    for (int i = 0; form->hot && form->hot[i]; i++)
        if (!form->hot_used[i]) ig_error(form->at, "no handler of the row is '%s'", form->hot[i]);
}

/* ---- handlers ---- */

static const char *default_shapes(const struct ig_form *form, int ns)
{
    if (form->video) return ns == 3 ? "rrr" : "rr";
    return ns == 0 ? "none" : ns == 1 ? "r" : ns == 2 ? "rr_rs" : "rrr_rrs_rsr_rss";
}

/* The lane types of the operands under the chosen words; false when the combination means nothing. */
static bool lane_types(const struct expansion *x, struct ig_handler *h)
{
    const struct ig_form *form = x->form;
    for (int i = 0; i < form->nopds; i++) {
        const struct ig_opd *o = &form->opds[i];
        int type = type_of(x, &o->type);
        if (!type) return false;
        if (form->compare && !(o->flags & IG_F_DST) && is_predicate(type)) continue;
        if (form->video && !ig_mentions(h->statement, o->name)) continue; /* lowering has c */
        if (o->flags & IG_F_DST) {
            h->d = form->compare ? "pred" : lane_type(form, type);
            if (form->compare)
                h->e = "pred";
            else if (o->partner >= 0)
                h->e = lane_type(form, type_of(x, &form->parts[o->partner].type));
        } else if (h->ns == 3) {
            ig_error(form->at, "a statement has at most three sources; name a meaning function");
        } else {
            h->sources[h->ns++] = form->wide ? wide_type(type) : lane_type(form, type);
        }
    }
    return true;
}

static const char *or_none(const char *type)
{
    return type ? type : "none";
}

/* The types as they stand in handlers.inc. */
static const char *types_of(const struct ig_handler *h)
{
    return ig_format("%s, %s, %s, %s, %s", or_none(h->d), or_none(h->e), or_none(h->sources[0]),
                     or_none(h->sources[1]), or_none(h->sources[2]));
}

static int find_same(const struct ig_handler *h)
{
    for (int i = 0; i < ig_nhandlers; i++)
        if (!strcmp(types_of(&handlers[i]), types_of(h)) && !strcmp(handlers[i].statement, h->statement))
            return i;
    return -1;
}

static const char *finished(const char *statement)
{
    size_t n = strlen(statement);
    while (n && statement[n - 1] == ' ') n--;
    statement = ig_text(statement, n);
    return n && strchr(";}", statement[n - 1]) ? statement : ig_format("%s;", statement);
}

/* A comparison whose sources may change places. */
static bool is_symmetric(const char *name)
{
    static const char *const ops[] = {"setp_eq_",  "setp_ne_",  "setp_equ_",
                                      "setp_neu_", "setp_num_", "setp_nan_"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strncmp(name, ops[i], strlen(ops[i]))) return true;
    return false;
}

/* Rows that share a handler have one machine form, or none. */
static void give_machine_form(const struct expansion *x, struct ig_handler *h)
{
    const char *x86 = x->form->x86 ? substitute(x, x->form->x86) : NULL;
    if (x86 && h->x86 && strcmp(x86, h->x86))
        ig_error(x->form->at, "the handler has another machine form already: %s", h->x86);
    if (x86) h->x86 = x86;
}

/* Number of the handler for the chosen words, made when new; -1 when the combination means nothing. */
static int handler_for(struct expansion *x, bool with_e)
{
    const struct ig_form *form = x->form;
    struct ig_handler h = {.at = form->at, .statement = substitute(x, form->statement)};
    if (!h.statement || !lane_types(x, &h)) return -1;
    if (!with_e || !ig_mentions(h.statement, "e")) {
        h.statement = without_e(h.statement);
        h.e = NULL;
    }
    h.statement = finished(h.statement);
    int found = find_same(&h);
    const bool is_new = found < 0;
    if (is_new) {
        if (ig_nhandlers == MAX_HANDLERS) ig_error(form->at, "more than %d handlers", MAX_HANDLERS);
        h.shapes = form->shapes ? form->shapes : default_shapes(form, h.ns);
        h.cc = ig_mentions(h.statement, "cc");
        ig_check_statement(&h);
        handlers[found = ig_nhandlers++] = h;
    }
    give_name(x, found, is_new);
    handlers[found].hot |= is_hot(x);
    give_machine_form(x, &handlers[found]);
    handlers[found].vector |= form->vector;
    handlers[found].swaps |= form->swaps || is_symmetric(handler_name(x));
    return found;
}

const struct ig_handler *ig_handler(int number)
{
    return &handlers[number];
}

/* ---- expansion over the words of a row ---- */

static int radix(const struct ig_form *form)
{
    int n = 1;
    for (int i = 0; i < form->nspec; i++) n *= form->slots[form->spec[i]].n + 1;
    return n;
}

/* Position of the chosen words among the combinations of the specialising slots (as px_match_handler computes
 * it). */
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
        if (ig_handler_pool[at] != UINT16_MAX || !ig_clauses_hold(form, x->value)) return;
        int h = handler_for(x, true);
        if (h >= 0) ig_handler_pool[at] = (uint16_t)h;
        if (pair && h >= 0) ig_handler_pool[at + size] = (uint16_t)handler_for(x, false);
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
    each_slot(form, form->statement, specialise);
    for (int i = 0; i < form->nopds && !form->video; i++) specialise_type(form, &form->opds[i].type);
    if (form->x86) each_slot(form, form->x86, require);
    bool pair = form->nopds && form->opds[0].flags & IG_F_PAIR_OPTIONAL;
    int size = radix(form);
    form->handler_first = ig_nhandler_pool;
    ig_nhandler_pool += size * (pair ? 2 : 1);
    if (ig_nhandler_pool > IG_POOL) ig_error(form->at, "the statements specialise on too much");
    memset(ig_handler_pool + form->handler_first, 0xff,
           (size_t)size * (pair ? 2 : 1) * sizeof *ig_handler_pool);
    expand_slot(&x, 0, choice, size, pair);
    check_hot(form);
}

void ig_check_handlers(void)
{
    for (int i = 0; i < ig_nhandlers; i++) {
        const struct ig_handler *h = &handlers[i];
        if (!h->family) ig_error(h->at, "no `family` line stands before a row with a statement");
        if (h->hot && !h->family->hot) ig_error(h->at, "[hot] in family %s, which is not", h->family->name);
        if (h->vector && (h->e || h->cc)) ig_error(h->at, "[vec] with a second result or the carry flag");
    }
}

void ig_expand_handlers(void)
{
    for (int i = 0; i < ig.nforms; i++)
        if (ig.forms[i]->statement) expand(ig.forms[i]);
    choose_names();
}

/* By number of the handler. */
void ig_emit_statements(FILE *out)
{
    fputs("const struct px_statement px_isa_statements[] = {\n", out);
    for (int i = 0; i < ig_nhandlers; i++) {
        const struct ig_facts *facts = &handlers[i].facts;
        fprintf(out, "    {%d, %d, {", facts->opcode, facts->result);
        for (int k = 0; k < 4; k++) fprintf(out, "%d, ", facts->types[k]);
        fputs("}, {", out);
        for (int k = 0; k < IG_STATEMENT_WORDS; k++) fprintf(out, "%d, ", facts->words[k]);
        fprintf(out, "}}, /* %s */\n", handlers[i].name);
    }
    fputs("};\nconst uint16_t px_isa_nstatements = sizeof px_isa_statements / sizeof *px_isa_statements;\n",
          out);
}

void ig_emit_handlers(FILE *inc)
{
    int instances = 0;
    fputs("/*\n * Made by isagen, in the order of their numbers. PX_ALU(name, nd, ns, TD, TE, TA, TB, TC, "
          "shapes, { statement }); PX_ALU_CC "
          "when the\n"
          " * statement uses the carry flag cc. Types: u8..u64 s8..s64 f32 f64 pred none. Shapes: one letter "
          "a source,\n"
          " * r a row and s a scalar, joined by _ (rr_rs: row row and row scalar).\n */\n",
          inc);
    for (int i = 0; i < ig_nhandlers; i++) {
        const struct ig_handler *h = &handlers[i];
        instances += ig_count_instances(h);
        fprintf(inc, "PX_ALU%s(%s, %d, %d, %s, %s, { %s })\n", h->cc ? "_CC" : "", h->name, h->e ? 2 : 1,
                h->ns, types_of(h), h->shapes, h->statement);
    }
    printf("isagen: %d forms, %d words, %d handlers, %d instances a SIMD level\n", ig.nforms, ig.words.n,
           ig_nhandlers, instances);
    if (instances > 5000) ig_error((struct ig_place){"isa.tbl", 0}, "more than 5,000 handler instances");
}
