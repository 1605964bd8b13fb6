/*
 * isagen_quirks.c - what ptxas takes more laxly or more strictly than the notation of rows says.
 *
 * `quirk NAME : SELECTOR ...` names the instructions that behave so, each OPCODE.WORD.!WORD:OPERAND:
 * modifiers that must be there and must not, and the operand meant. isa_words.h numbers the quirks (enum
 * px_quirk), so that the checker asks for behaviour and names no instruction.
 */
#include "isagen.h"
#include <string.h>

enum { WORDS = 3 };

struct rule {
    int quirk, opcode, with[WORDS], without[WORDS];
    const char *text, *operand;
    struct ig_place at;
};

static const char *quirks[IG_QUIRKS];
static struct rule rules[IG_QUIRK_RULES];
static int nquirks, nrules;

static int number_of(struct ig_place at, const char *name)
{
    for (int i = 0; i < nquirks; i++)
        if (!strcmp(quirks[i], name)) ig_error(at, "the quirk %s is defined twice", name);
    if (nquirks == IG_QUIRKS) ig_error(at, "more than %d quirks", IG_QUIRKS);
    quirks[nquirks++] = name;
    return nquirks - 1;
}

void ig_read_quirk(struct ig_place at, const char *line)
{
    char *text = ig_text(line, strlen(line));
    const char *name = strtok(text, " \t"), *colon = strtok(NULL, " \t");
    int first = nrules;
    if (!colon || strcmp(colon, ":") != 0) ig_error(at, "quirk NAME : INSTRUCTION ... is expected");
    int quirk = number_of(at, name);
    for (const char *s = strtok(NULL, " \t"); s; s = strtok(NULL, " \t")) {
        if (nrules == IG_QUIRK_RULES) ig_error(at, "more than %d instructions with quirks", IG_QUIRK_RULES);
        rules[nrules++] = (struct rule){.quirk = quirk, .text = s, .at = at};
    }
    if (first == nrules) ig_error(at, "the quirk %s has no instruction", name);
}

/* ---- once all rows are read ---- */

static bool has_operand(int opcode, const char *name)
{
    for (int f = 0; f < ig.nforms; f++)
        for (int i = 0; ig.forms[f]->opcode == opcode && i < ig.forms[f]->nopds; i++)
            if (!strcmp(ig.forms[f]->opds[i].name, name)) return true;
    return false;
}

static void add_word(const struct rule *rule, int *list, const char *s)
{
    int word = ig_word_find(s, strlen(s)), k = 0;
    if (!word || !ig.words.modifier[word - 1]) ig_error(rule->at, "no row has the modifier .%s", s);
    while (k < WORDS && list[k]) k++;
    if (k == WORDS) ig_error(rule->at, "more than %d modifiers in '%s'", WORDS, rule->text);
    list[k] = word;
}

static void resolve(struct rule *rule)
{
    char *text = ig_text(rule->text, strlen(rule->text)), *colon = strrchr(text, ':');
    if (colon && colon > text && colon[-1] != ':') {
        *colon = 0;
        rule->operand = colon + 1;
    }
    const char *word = strtok(text, ".");
    rule->opcode = word ? ig_word_find(word, strlen(word)) : 0;
    if (!rule->opcode || !ig.words.opcode[rule->opcode - 1])
        ig_error(rule->at, "'%s' is no instruction", word ? word : "");
    while ((word = strtok(NULL, ".")))
        add_word(rule, *word == '!' ? rule->without : rule->with, word + (*word == '!'));
    if (rule->operand && !has_operand(rule->opcode, rule->operand))
        ig_error(rule->at, "no row of '%s' has an operand %s", ig.words.text[rule->opcode - 1],
                 rule->operand);
}

void ig_resolve_quirks(void)
{
    for (int i = 0; i < nrules; i++) resolve(&rules[i]);
}

void ig_emit_quirk_names(FILE *out)
{
    fputs("\n/* What ptxas takes more laxly or strictly than the notation says. */\nenum px_quirk {\n", out);
    for (int i = 0; i < nquirks; i++) fprintf(out, "    PX_Q_%s,\n", quirks[i]);
    fputs("    PX_Q_COUNT\n};\n", out);
}

void ig_emit_quirks(FILE *out)
{
    fputs("const struct px_isa_quirk px_isa_quirks[] = {\n", out);
    for (int i = 0; i < nrules; i++) {
        const struct rule *r = &rules[i];
        fprintf(out, "    {%d, {%d, %d, %d}, {%d, %d, %d}, %u}, /* %s */\n", r->opcode, r->with[0],
                r->with[1], r->with[2], r->without[0], r->without[1], r->without[2],
                ig_name(r->operand ? r->operand : ""), r->text);
    }
    fputs("    {0}\n};\nconst uint16_t px_isa_quirk_first[] = {", out);
    for (int i = 0, quirk = -1; i < nrules; i++)
        if (rules[i].quirk != quirk) {
            fprintf(out, "%d, ", i);
            quirk = rules[i].quirk;
        }
    fprintf(out, "%d};\n", nrules);
}
