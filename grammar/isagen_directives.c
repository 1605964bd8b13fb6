/*
 * isagen_directives.c - the lines of names.tbl about what is no instruction: directives, pragmas, languages,
 * and other constructs that came with a version. They become arrays that lib/isa/directives.c looks things up
 * in, with their texts inside, so that these need no relocation either.
 */
#include "isagen.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *code;
} shapes[] = {{"none", "PX_DS_NONE"},       {"one", "PX_DS_ONE"},           {"three", "PX_DS_THREE"},
              {"list", "PX_DS_LIST"},       {"noreturn", "PX_DS_NORETURN"}, {"abi", "PX_DS_ABI"},
              {"maxnreg", "PX_DS_MAXNREG"}, {"place", "PX_DS_PLACE"},       {"source", "PX_DS_SOURCE"}};

static const struct {
    const char *name, *code;
} pragma_flags[] = {{"number", "PX_PRAGMA_NUMBER"},
                    {"kernel", "PX_PRAGMA_KERNEL"},
                    {"body", "PX_PRAGMA_BODY"},
                    {"program", "PX_PRAGMA_PROGRAM"}};

/* The requirement in words 0 and 1: version and lowest target, of which sm_10 is none. */
static void read_since(struct ig_place at, char **w, struct ig_construct *c)
{
    int target = ig_target_find(w[1], strlen(w[1]));
    if (target < 0 || ig.targets[target].suffix) ig_error(at, "unknown target '%s'", w[1]);
    c->ptx = ig_version(at, w[0]);
    c->sm = ig.targets[target].sm > 10 ? ig.targets[target].sm : 0;
}

static struct ig_construct *more(struct ig_place at, struct ig_construct *list, int *n)
{
    if (*n == IG_CONSTRUCTS) ig_error(at, "more than %d of a kind", IG_CONSTRUCTS);
    return &list[(*n)++];
}

void ig_read_directive(struct ig_place at, char **w, int n, const char *quoted)
{
    struct ig_construct *d = more(at, ig.directives, &ig.ndirectives);
    if (n < 5) ig_error(at, "directive NAME SHAPE PTX TARGET [positive] [\"TEXT\"]");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(shapes[i].name, w[2])) d->code = shapes[i].code;
    if (!d->code) ig_error(at, "'%s' is no shape of a directive", w[2]);
    d->name = w[1];
    d->text = quoted ? quoted : ig_format(".%s", w[1]);
    d->positive = n > 5 && !strcmp(w[5], "positive");
    read_since(at, w + 3, d);
    ig_word(w[1], strlen(w[1]));
}

void ig_read_pragma(struct ig_place at, char **w, int n)
{
    struct ig_construct *p = more(at, ig.pragmas, &ig.npragmas);
    if (n < 4) ig_error(at, "pragma NAME PTX TARGET [FLAG...]");
    p->name = p->text = w[1];
    p->code = "0";
    read_since(at, w + 2, p);
    for (int i = 4; i < n; i++) {
        const char *flag = NULL;
        for (size_t k = 0; k < sizeof pragma_flags / sizeof *pragma_flags; k++)
            if (!strcmp(pragma_flags[k].name, w[i])) flag = pragma_flags[k].code;
        if (!flag) ig_error(at, "'%s' is no flag of a pragma", w[i]);
        p->code = ig_format("%s | %s", p->code, flag);
    }
}

void ig_read_construct(struct ig_place at, char **w, int n, const char *quoted)
{
    struct ig_construct *c = more(at, ig.constructs, &ig.nconstructs);
    if (n < 5 || !quoted) ig_error(at, "construct NAME PTX TARGET \"TEXT\"");
    c->name = w[1];
    c->text = quoted;
    read_since(at, w + 2, c);
}

void ig_read_language(struct ig_place at, char **w, int n)
{
    struct ig_construct *l = more(at, ig.languages, &ig.nlanguages);
    if (n < 3) ig_error(at, "language CODE TEXT");
    l->ptx = atoi(w[1]);
    l->text = w[2];
    for (int i = 3; i < n; i++) l->text = ig_format("%s %s", l->text, w[i]);
}

void ig_read_intermediate(struct ig_place at, char **w, int n)
{
    if (n != 2) ig_error(at, "intermediate NAME");
    more(at, ig.intermediates, &ig.nintermediates)->text = w[1];
}

void ig_emit_needs(FILE *out)
{
    fputs("\n/* Constructs that a version or a target brought: the `construct` lines. */\nenum px_need {\n",
          out);
    for (int i = 0; i < ig.nconstructs; i++) fprintf(out, "    PX_NEED_%s,\n", ig.constructs[i].name);
    fputs("    PX_NEED_COUNT\n};\n", out);
}

static void emit_list(FILE *out, const char *name, const struct ig_construct *list, int n)
{
    fprintf(out, "const struct px_construct px_isa_%s[] = {\n", name);
    for (int i = 0; i < n; i++) {
        const struct ig_construct *c = &list[i];
        int word = c->name ? ig_word_find(c->name, strlen(c->name)) : 0;
        if (strlen(c->text) >= IG_CONSTRUCT_TEXT)
            ig_error((struct ig_place){"names.tbl", 0}, "'%s' is longer than %d", c->text,
                     IG_CONSTRUCT_TEXT - 1);
        fprintf(out, "    {\"%s\", %d, %d, %d, %s, %d},\n", c->text, word, c->ptx, c->sm,
                c->code ? c->code : "0", c->positive);
    }
    fprintf(out, "    {\"\", 0, 0, 0, 0, 0}\n};\nconst uint16_t px_isa_n%s = %d;\n", name, n);
}

void ig_emit_directives(FILE *out)
{
    emit_list(out, "directives", ig.directives, ig.ndirectives);
    emit_list(out, "pragmas", ig.pragmas, ig.npragmas);
    emit_list(out, "constructs", ig.constructs, ig.nconstructs);
    emit_list(out, "languages", ig.languages, ig.nlanguages);
    emit_list(out, "intermediates", ig.intermediates, ig.nintermediates);
    uint16_t *of_word = ig_alloc((size_t)(ig.words.n + 1) * sizeof *of_word);
    for (int i = 0; i < ig.ndirectives; i++)
        of_word[ig_word_find(ig.directives[i].name, strlen(ig.directives[i].name))] = (uint16_t)(i + 1);
    fputs("const uint8_t px_isa_word_directive[] = {", out);
    for (int i = 0; i <= ig.words.n; i++) fprintf(out, "%s%d,", i % 40 ? "" : "\n    ", of_word[i]);
    fputs("\n};\n", out);
}
