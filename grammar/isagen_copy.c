/*
 * isagen_copy.c - the meaning `copy SPACE[TO] <- SPACE[FROM], SIZE`, a block of bytes that moves by itself.
 *
 * Behind the size, which is an operand, may stand `READ`, an operand that says how many bytes are read (zeros
 * are written for the others), and `unless P`, a predicate that lets nothing be read. All of them are
 * operands of the row. What a state space is called stands in names.tbl. Such rows have the operation `copy`.
 */
#include "isagen.h"
#include <ctype.h>
#include <string.h>

struct reader {
    struct ig_form *form;
    const char *s; /* what is left of the text */
};

static void skip_blanks(struct reader *r)
{
    r->s += strspn(r->s, " \t");
}

static void expect(struct reader *r, const char *what)
{
    skip_blanks(r);
    if (strncmp(r->s, what, strlen(what)))
        ig_error(r->form->at, "'%s' expected in a copy before '%s'", what, r->s);
    r->s += strlen(what);
}

static bool take(struct reader *r, const char *what)
{
    skip_blanks(r);
    if (strncmp(r->s, what, strlen(what))) return false;
    r->s += strlen(what);
    return true;
}

static const char *name(struct reader *r)
{
    skip_blanks(r);
    size_t n = 0;
    while (isalnum((unsigned char)r->s[n]) || r->s[n] == '_' || (r->s[n] == ':' && n)) n++;
    if (!n) ig_error(r->form->at, "a name expected in a copy before '%s'", r->s);
    const char *text = ig_text(r->s, n);
    r->s += n;
    return text;
}

static int operand(struct reader *r)
{
    const char *s = name(r);
    for (int i = 0; i < r->form->nopds; i++)
        if (!strcmp(r->form->opds[i].name, s)) return i;
    ig_error(r->form->at, "'%s' is no operand of the row", s);
}

static int block(struct reader *r, const char **space)
{
    const char *s = name(r);
    for (int i = 0; i < ig.nspaces && !*space; i++)
        if (!strcmp(ig.spaces[i].name, s)) *space = ig.spaces[i].code;
    if (!*space) ig_error(r->form->at, "'%s' is no state space", s);
    expect(r, "[");
    int i = operand(r);
    expect(r, "]");
    if (r->form->opds[i].kind != IG_O_ADDR)
        ig_error(r->form->at, "operand '%s' is no address", r->form->opds[i].name);
    return i;
}

void ig_read_copy(struct ig_form *form, const char *text)
{
    struct reader r = {form, text};
    struct ig_copy c = {.read = -1, .unless = -1};
    c.to = block(&r, &c.to_space);
    expect(&r, "<-");
    c.from = block(&r, &c.from_space);
    expect(&r, ",");
    c.size = operand(&r);
    while (take(&r, ","))
        if (take(&r, "unless "))
            c.unless = operand(&r);
        else
            c.read = operand(&r);
    skip_blanks(&r);
    if (*r.s) ig_error(form->at, "'%s' after the end of a copy", r.s);
    if (ig.ncopies == sizeof ig.copies / sizeof *ig.copies)
        ig_error(form->at, "more than %d copies", ig.ncopies);
    ig.copies[ig.ncopies++] = c;
    form->copy = ig.ncopies;
    form->op = ig_op_name(form->at, "copy");
}

void ig_emit_copies(FILE *out)
{
    fputs("const struct px_copy_rule px_isa_copies[] = {\n    {0},\n", out);
    for (int i = 0; i < ig.ncopies; i++) {
        const struct ig_copy *c = &ig.copies[i];
        fprintf(out, "    {PX_SPACE_%s, PX_SPACE_%s, %d, %d, %d, %d, %d},\n", c->to_space, c->from_space,
                c->to, c->from, c->size, c->read & 255, c->unless & 255);
    }
    fputs("};\n", out);
}
