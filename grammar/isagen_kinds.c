/*
 * isagen_kinds.c - kinds of modifiers, as messages speak of them.
 *
 * `kind NAME WORD... | TWICE | ILLEGAL` names the words of a kind (in a word, * stands for any text and # for
 * a digit) and what messages call the kind where an instruction has two of it, and where it may have none;
 * both may be empty. isa_words.h numbers the kinds (enum px_word_kind) in their order; types and state spaces
 * are kinds before them.
 */
#include "isagen.h"
#include <ctype.h>
#include <string.h>

static struct kind {
    const char *name, *twice, *illegal;
    char *words;
    struct ig_place at;
} kinds[IG_KINDS];
static int nkinds;

/* The text up to the next bar, which *rest then follows; without the blanks around it. */
static const char *field(struct ig_place at, char **rest)
{
    char *text = *rest, *bar = strchr(text, '|');
    if (!bar) ig_error(at, "kind NAME WORD... | TWICE | ILLEGAL is expected");
    *rest = bar + 1;
    text += strspn(text, " \t");
    while (bar > text && isblank((unsigned char)bar[-1])) bar--;
    return ig_text(text, (size_t)(bar - text));
}

void ig_read_kind(struct ig_place at, const char *line)
{
    char *rest = ig_format("%s |", line), *words;
    if (nkinds == IG_KINDS) ig_error(at, "more than %d kinds", IG_KINDS);
    struct kind *k = &kinds[nkinds++];
    words = (char *)field(at, &rest);
    k->at = at;
    k->twice = field(at, &rest);
    k->illegal = field(at, &rest);
    k->name = strtok(words, " \t");
    k->words = strtok(NULL, "");
    if (!k->name || !k->words) ig_error(at, "a kind has a name and words");
    for (int i = 0; i + 1 < nkinds; i++)
        if (!strcmp(kinds[i].name, k->name)) ig_error(at, "the kind %s is defined twice", k->name);
}

static bool fits(const char *pattern, const char *s)
{
    if (*pattern == '*') return fits(pattern + 1, s) || (*s && fits(pattern, s + 1));
    if (!*pattern || !*s) return *pattern == *s;
    return (*pattern == '#' ? isdigit((unsigned char)*s) : *pattern == *s) && fits(pattern + 1, s + 1);
}

static void mark(const struct kind *k, const char *pattern, uint8_t *kind_of)
{
    bool any = false;
    for (int i = 0; i < ig.words.n; i++) {
        if (!ig.words.modifier[i] || !fits(pattern, ig.words.text[i])) continue;
        any = true;
        if (kind_of[i]) ig_error(k->at, ".%s is of two kinds", ig.words.text[i]);
        kind_of[i] = (uint8_t)(k - kinds + 1);
    }
    if (!any) ig_error(k->at, "no row has the modifier .%s", pattern);
}

static uint8_t *find_kinds(void)
{
    uint8_t *kind_of = ig_alloc((size_t)ig.words.n + 1);
    for (int i = 0; i < nkinds; i++) {
        char *words = ig_text(kinds[i].words, strlen(kinds[i].words));
        for (const char *s = strtok(words, " \t"); s; s = strtok(NULL, " \t")) mark(&kinds[i], s, kind_of);
    }
    return kind_of;
}

void ig_emit_kind_names(FILE *out)
{
    fputs(
        "\n/* Kinds of modifiers. */\nenum px_word_kind {\n    PX_K_NONE,\n    PX_K_TYPE,\n    PX_K_SPACE,\n",
        out);
    for (int i = 0; i < nkinds; i++) fprintf(out, "    PX_K_%s,\n", kinds[i].name);
    fputs("    PX_K_COUNT\n};\n", out);
}

static void emit_text(FILE *out, const char *text)
{
    if (*text)
        fprintf(out, "\"%s\"", text);
    else
        fputs("0", out);
}

void ig_emit_kinds(FILE *out)
{
    const uint8_t *kind_of = find_kinds();
    fputs("const uint8_t px_isa_word_kinds[] = {0,", out);
    for (int i = 0; i < ig.words.n; i++)
        fprintf(out, "%s%d,", i % 40 ? "" : "\n    ", kind_of[i] ? kind_of[i] + 2 : 0);
    fputs("\n};\nconst struct px_isa_kind px_isa_kinds[] = {\n    {0, 0}, {0, 0}, {0, 0},\n", out);
    for (int i = 0; i < nkinds; i++) {
        fputs("    {", out);
        emit_text(out, kinds[i].twice);
        fputs(", ", out);
        emit_text(out, kinds[i].illegal);
        fprintf(out, "}, /* %s */\n", kinds[i].name);
    }
    fputs("};\n", out);
}
