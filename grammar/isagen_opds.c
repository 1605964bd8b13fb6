/*
 * isagen_opds.c - the operand half of a row's syntax: "d{|p}, [a]{.unified}, b:u32{, c}".
 *
 * An operand is NAME[:TYPE]FLAGS. TYPE is a type, a slot, N*TYPE, vec(TYPE) or
 * a type function of slots; without one it is the slot `type`, or the only
 * type among the literal modifiers. The first operand is the destination when
 * it is called d, e, p or q.
 */
#include "isagen.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct ig_form *form;
    const char *s;
    bool optional;
};

static void blanks(struct parser *p)
{
    while (isblank((unsigned char)*p->s)) p->s++;
}

static bool take(struct parser *p, const char *token)
{
    blanks(p);
    if (strncmp(p->s, token, strlen(token))) return false;
    p->s += strlen(token);
    return true;
}

static void expect(struct parser *p, const char *token)
{
    if (!take(p, token)) ig_error(p->form->at, "'%s' is expected at '%s'", token, p->s);
}

static size_t name(struct parser *p, const char **start)
{
    blanks(p);
    *start = p->s;
    while (isalnum((unsigned char)*p->s) || *p->s == '_' || (p->s[0] == ':' && p->s[1] == ':' && ++p->s))
        p->s++;
    if (p->s == *start) ig_error(p->form->at, "a name is expected at '%s'", p->s);
    return (size_t)(p->s - *start);
}

static void parse_fn(struct parser *p, int fn, struct ig_tspec *t)
{
    t->kind = IG_T_FN;
    t->fn = fn;
    for (int i = 0; i < ig.fns[fn].nargs; i++) {
        const char *s;
        if (i) expect(p, ",");
        size_t n = name(p, &s);
        t->args[i] = ig_slot_find(p->form, s, n);
        if (t->args[i] < 0) ig_error(p->form->at, "'%.*s' is no slot", (int)n, s);
    }
    expect(p, ")");
}

static void fixed(struct ig_tspec *t, int type, int n, bool vector)
{
    t->kind = IG_T_FIXED;
    t->fixed.vector = vector;
    t->fixed.n = n;
    for (int i = 0; i < n && i < IG_ELEMS; i++) t->fixed.type[i] = type;
}

static void parse_type(struct parser *p, struct ig_tspec *t)
{
    const char *s;
    blanks(p);
    if (isdigit((unsigned char)*p->s) && p->s[strspn(p->s, "0123456789")] == '*') {
        int count = atoi(p->s);
        p->s += strspn(p->s, "0123456789") + 1;
        size_t n = name(p, &s);
        int type = ig_type_find(s, n);
        if (!type) ig_error(p->form->at, "'%.*s' is no type", (int)n, s);
        fixed(t, type, count, true);
        return;
    }
    size_t n = name(p, &s);
    if (take(p, "(")) {
        if (n == 3 && !strncmp(s, "vec", 3)) {
            parse_type(p, t);
            t->vec = true;
            expect(p, ")");
            return;
        }
        int fn = ig_fn_find(s, n);
        if (fn < 0) ig_error(p->form->at, "unknown type function '%.*s'", (int)n, s);
        parse_fn(p, fn, t);
        return;
    }
    int slot = ig_slot_find(p->form, s, n), type = ig_type_find(s, n);
    if (slot >= 0 && !p->form->slots[slot].literal) {
        t->kind = IG_T_SLOT;
        t->slot = slot;
    } else if (type) {
        fixed(t, type, 1, false);
    } else {
        ig_error(p->form->at, "'%.*s' is neither a type nor a slot", (int)n, s);
    }
}

/* Without a type: the slot `type`, else the one literal type of the modifiers. */
static void default_type(struct ig_form *form, struct ig_tspec *t)
{
    int found = 0;
    t->slot = ig_slot_find(form, "type", 4);
    if (t->slot >= 0) {
        t->kind = IG_T_SLOT;
        return;
    }
    for (int i = 0; i < form->nslots; i++) {
        const struct ig_slot *slot = &form->slots[i];
        if (slot->n != 1 || slot->values[0].word > ig.ntypes || slot->values[0].word == found) continue;
        if (found) return;
        found = slot->values[0].word;
    }
    if (found) fixed(t, found, 1, false);
}

/* "0..15", "24..256/8", "1..1024/pow2", "128": what a constant may be. */
static void parse_range(struct parser *p, struct ig_opd *o)
{
    char *end;
    if (!isdigit((unsigned char)*p->s) && *p->s != '-') return;
    o->flags |= IG_F_RANGE;
    o->lo = o->hi = strtoll(p->s, &end, 0);
    p->s = end;
    if (take(p, "..")) {
        o->hi = strtoll(p->s, &end, 0);
        p->s = end;
    }
    if (take(p, "/pow2"))
        o->step = -1;
    else if (take(p, "/")) {
        o->step = (int)strtol(p->s, &end, 0);
        p->s = end;
    }
}

static void parse_flags(struct parser *p, struct ig_opd *o)
{
    static const struct {
        char c;
        unsigned flag;
    } flags[] = {{'*', IG_F_SINK}, {'~', IG_F_WIDER},     {'=', IG_F_EXACT}, {'%', IG_F_SREG},
                 {'@', IG_F_VAR},  {'?', IG_F_WIDTH3264}, {'^', IG_F_LOOSE}, {'&', IG_F_UNTYPED}};
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            if (*p->s == flags[i].c) {
                o->flags |= flags[i].flag;
                p->s++;
                more = true;
            }
        if (*p->s == '!') {
            o->flags &= ~(unsigned)IG_F_IMM;
            p->s++;
            more = true;
        }
        if (*p->s == '#') { /* constant only */
            p->s++;
            o->kind = IG_O_IMM;
            o->flags |= IG_F_IMM;
            parse_range(p, o);
            more = true;
        }
        if (*p->s == '<') { /* a register, or a constant in a range */
            p->s++;
            parse_range(p, o);
            expect(p, ">");
            more = true;
        }
    }
}

static int kind_of_name(const char *s, size_t n)
{
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {{"label", IG_O_LABEL}, {"table", IG_O_LABEL}, {"proto", IG_O_LABEL},
                 {"func", IG_O_FUNC},   {"list", IG_O_LIST},   {"sink", IG_O_OTHER}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == n && !strncmp(kinds[i].name, s, n)) return kinds[i].kind;
    return -1;
}

/* {.sel} and the like: which words may follow the register (px_selector_fits). */
static void parse_selector(struct parser *p, struct ig_opd *o)
{
    static const char *const selectors[] = {"{.sel}", "{.sel2}", "{.sel4}", "{.mask2}", "{.mask4}"};
    for (int i = 0; i < 5; i++)
        if (take(p, selectors[i])) {
            o->flags |= IG_F_SELECTOR;
            o->step = i + 1;
        }
}

static void parse_spec(struct parser *p, struct ig_opd *o)
{
    if (take(p, ":")) {
        blanks(p);
        size_t n = strspn(p->s, "abcdefghijklmnopqrstuvwxyz0123456789_");
        int kind = kind_of_name(p->s, n);
        if (kind >= 0) {
            o->kind = kind;
            o->lo = !strncmp(p->s, "table", 5) ? 1 : !strncmp(p->s, "proto", 5) ? 2 : 0;
            p->s += n;
        } else {
            parse_type(p, &o->type);
        }
    } else {
        default_type(p->form, &o->type);
    }
    parse_flags(p, o);
    parse_selector(p, o);
    if (o->kind == IG_O_REG && (o->type.vec || (o->type.kind == IG_T_FIXED && o->type.fixed.vector)))
        o->kind = IG_O_VEC;
}

static struct ig_opd *add_part(struct parser *p)
{
    if (p->form->nparts == IG_OPDS) ig_error(p->form->at, "too many operands inside brackets");
    struct ig_opd *o = &p->form->parts[p->form->nparts++];
    o->partner = o->space = -1;
    return o;
}

/* "[a.space:type, b, c]": an address, or a bracketed tuple. */
static void parse_address(struct parser *p, struct ig_opd *o)
{
    const char *s;
    size_t n = name(p, &s);
    struct ig_form *form = p->form;
    o->name = ig_text(s, n);
    o->kind = IG_O_ADDR;
    static const char *const defaults[] = {
        "ss", "space", "global", "shared::cluster", "shared::cta", "shared", "const", "param", "local"};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults && o->space < 0; i++)
        o->space = ig_slot_find(form, defaults[i], strlen(defaults[i]));
    if (take(p, ".")) {
        n = name(p, &s);
        o->space = ig_slot_find(form, s, n);
        if (o->space < 0 && (n != 7 || strncmp(s, "generic", 7)))
            ig_error(form->at, "'%.*s' is no slot of this row", (int)n, s);
    }
    if (take(p, ":"))
        parse_type(p, &o->type);
    else
        default_type(form, &o->type);
    o->flags |= take(p, "=") ? IG_F_EXACT : take(p, "~") ? IG_F_WIDER : 0;
    o->type.vec |= ig_slot_find(form, "vec", 3) >= 0;
    bool opaque = o->type.kind == IG_T_FIXED && o->type.fixed.type[0] &&
                  !strcmp(ig.types[o->type.fixed.type[0] - 1].klass, "opaque");
    o->kind = opaque ? IG_O_TEXADDR : IG_O_ADDR;
    o->part_first = form->nparts;
    if (take(p, "{, ")) { /* [a:texref{, b}, c]: a sampler */
        name(p, &s);
        expect(p, "}");
        o->flags |= IG_F_SAMPLER;
    }
    while (take(p, ",")) {
        struct ig_opd *part = add_part(p);
        n = name(p, &s);
        part->name = ig_text(s, n);
        part->flags |= IG_F_IMM;
        parse_spec(p, part);
        o->kind = opaque ? IG_O_TEXADDR : IG_O_TENSOR;
        o->nparts++;
    }
    expect(p, "]");
    if (take(p, "{.unified}")) o->flags |= IG_F_UNIFIED;
}

static void parse_pair(struct parser *p, struct ig_opd *o)
{
    bool optional = take(p, "{|");
    if (!optional && !take(p, "|")) return;
    const char *s;
    o->partner = p->form->nparts;
    struct ig_opd *part = add_part(p);
    size_t n = name(p, &s);
    part->name = ig_text(s, n);
    fixed(&part->type, ig_type_find("pred", 4), 1, false);
    part->flags |= IG_F_DST;
    if (*p->s == ':' || *p->s == '*') parse_spec(p, part);
    o->flags |= optional ? IG_F_PAIR | IG_F_PAIR_OPTIONAL : IG_F_PAIR;
    if (optional) expect(p, "}");
}

static void parse_operand(struct parser *p)
{
    struct ig_form *form = p->form;
    if (form->nopds == IG_OPDS) ig_error(form->at, "more than %d operands", IG_OPDS);
    struct ig_opd *o = &form->opds[form->nopds++];
    *o = (struct ig_opd){.partner = -1, .space = -1, .flags = p->optional ? IG_F_OPTIONAL : 0};
    form->min_opds += !p->optional;
    if (take(p, "[")) {
        parse_address(p, o);
        return;
    }
    bool negated = take(p, "{!}");
    if (take(p, "{-}")) o->flags |= IG_F_MINUS;
    const char *s;
    size_t n = name(p, &s);
    o->name = ig_text(s, n);
    if (form->nopds == 1 && n == 1 && strchr("depq", *s))
        o->flags |= IG_F_DST;
    else
        o->flags |= IG_F_IMM;
    if (negated && *p->s != ':') {
        fixed(&o->type, ig_type_find("pred", 4), 1, false);
        o->kind = IG_O_PRED;
    } else {
        parse_spec(p, o);
    }
    if (negated) o->flags |= IG_F_NEG;
    parse_pair(p, o);
}

static void check_types(const struct ig_form *form)
{
    for (int i = 0; i < form->nopds; i++) {
        const struct ig_opd *o = &form->opds[i];
        if (o->type.kind == IG_T_NONE && (o->kind == IG_O_REG || o->kind == IG_O_VEC))
            ig_error(form->at, "operand %s needs a type", o->name);
    }
}

void ig_parse_operands(struct ig_form *form, const char *s)
{
    struct parser p = {form, s, false};
    blanks(&p);
    while (*p.s) {
        p.optional = take(&p, "{,");
        if (!p.optional && form->nopds) expect(&p, ",");
        parse_operand(&p);
        if (p.optional) expect(&p, "}");
        blanks(&p);
    }
    check_types(form);
}
