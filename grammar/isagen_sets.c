/*
 * isagen_sets.c - sets of instructions of which something is true that their rows do not say.
 *
 * A line is KEYWORD NAME : SELECTOR ..., each selector OPCODE.WORD.!WORD:OPERAND: modifiers that must be
 * there and must not, and the operand meant. `quirk` says what ptxas takes more laxly or more strictly than
 * the notation; `set` what passes and rules ask; `result` what the result is of the sources. isa_words.h
 * numbers them (enum px_quirk, px_set, px_result), so that who asks names no instruction. Sets are numbered
 * behind quirks; results are looked up by opcode.
 */
#include "isagen.h"
#include <string.h>

enum { WORDS = 3, GROUPS = IG_RESULT + 1 };

struct rule {
    enum ig_set_group group;
    int number, opcode, with[WORDS], without[WORDS];
    const char *text, *operand;
    struct ig_place at;
};

static const char *const keywords[GROUPS] = {"quirk", "set", "result"};
static const char *names[GROUPS][IG_QUIRKS];
static int nnames[GROUPS];
static struct rule rules[IG_QUIRK_RULES];
static int nrules;

static int number_of(struct ig_place at, enum ig_set_group group, const char *name)
{
    for (int i = 0; i < nnames[group]; i++)
        if (!strcmp(names[group][i], name)) ig_error(at, "the %s %s is defined twice", keywords[group], name);
    if (nnames[group] == IG_QUIRKS) ig_error(at, "more than %d %ss", IG_QUIRKS, keywords[group]);
    names[group][nnames[group]] = name;
    return nnames[group]++;
}

void ig_read_set(struct ig_place at, enum ig_set_group group, const char *line)
{
    char *text = ig_text(line, strlen(line));
    const char *name = strtok(text, " \t"), *colon = strtok(NULL, " \t");
    int first = nrules;
    if (!colon || strcmp(colon, ":") != 0)
        ig_error(at, "%s NAME : INSTRUCTION ... is expected", keywords[group]);
    int number = number_of(at, group, name);
    for (const char *s = strtok(NULL, " \t"); s; s = strtok(NULL, " \t")) {
        if (nrules == IG_QUIRK_RULES) ig_error(at, "more than %d instructions in sets", IG_QUIRK_RULES);
        rules[nrules++] = (struct rule){.group = group, .number = number, .text = s, .at = at};
    }
    if (first == nrules) ig_error(at, "the %s %s has no instruction", keywords[group], name);
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

static bool any(const int *words)
{
    return words[0] != 0;
}

/* Is a word of the one ruled out by the other? */
static bool parted(const struct rule *a, const struct rule *b)
{
    for (int i = 0; i < WORDS; i++)
        for (int k = 0; k < WORDS; k++)
            if (a->with[i] && a->with[i] == b->without[k]) return true;
    return false;
}

/* One instruction has one result: rules of an opcode differ in the words that they ask for. */
static void check_result(const struct rule *rule)
{
    if (rule->operand)
        ig_error(rule->at, "a result is of an instruction, not of an operand: '%s'", rule->text);
    for (const struct rule *r = rules; r < rule; r++) {
        if (r->group != IG_RESULT || r->opcode != rule->opcode) continue;
        const bool differ = any(r->with) && any(rule->with) && strcmp(r->text, rule->text) != 0;
        if (!differ && !parted(r, rule) && !parted(rule, r))
            ig_error(rule->at, "'%s' has two results, here and as '%s'", rule->text, r->text);
    }
}

void ig_resolve_sets(void)
{
    for (int i = 0; i < nrules; i++) {
        resolve(&rules[i]);
        if (rules[i].group == IG_RESULT) check_result(&rules[i]);
    }
}

static bool has_word(const uint16_t *words, int n, int word)
{
    for (int i = 0; i < n; i++)
        if (words[i] == word) return true;
    return false;
}

int ig_result_of(int opcode, const uint16_t *words, int n)
{
    for (int i = 0; i < nrules; i++) {
        const struct rule *r = &rules[i];
        bool holds = r->group == IG_RESULT && r->opcode == opcode;
        for (int k = 0; k < WORDS && holds; k++)
            holds = (!r->with[k] || has_word(words, n, r->with[k])) &&
                    !(r->without[k] && has_word(words, n, r->without[k]));
        if (holds) return r->number + 1;
    }
    return 0;
}

/* ---- output ---- */

static void emit_enum(FILE *out, enum ig_set_group group, const char *head, const char *prefix)
{
    fputs(head, out);
    for (int i = 0; i < nnames[group]; i++) fprintf(out, "    %s_%s,\n", prefix, names[group][i]);
}

void ig_emit_set_names(FILE *out)
{
    emit_enum(out, IG_QUIRK,
              "\n/* What ptxas takes more laxly or strictly than the notation says. */\nenum px_quirk {\n",
              "PX_Q");
    fputs("    PX_Q_COUNT\n};\n", out);
    emit_enum(
        out, IG_SET,
        "\n/* Sets of instructions and operands. */\nenum px_set {\n    PX_SET_FIRST = PX_Q_COUNT - 1,\n",
        "PX_SET");
    fputs("};\n", out);
    emit_enum(out, IG_RESULT,
              "\n/* What the result is of the sources. */\nenum px_result {\n    PX_RESULT_NONE,\n",
              "PX_RESULT");
    fputs("};\n", out);
}

/* Its number in enum px_quirk, which enum px_set goes on with, or in enum px_result. */
static int emitted_number(const struct rule *r)
{
    return r->number + (r->group == IG_SET ? nnames[IG_QUIRK] : r->group == IG_RESULT);
}

static void emit_rule(FILE *out, const struct rule *r)
{
    fprintf(out, "    {%d, {%d, %d, %d}, {%d, %d, %d}, %u, %d}, /* %s */\n", r->opcode, r->with[0],
            r->with[1], r->with[2], r->without[0], r->without[1], r->without[2],
            ig_name(r->operand ? r->operand : ""), emitted_number(r), r->text);
}

/* By opcode, in ascending order; then by word where those of an opcode begin, 0: it has none. */
static void emit_rules(FILE *out, bool results, const char *what)
{
    int *first = ig_alloc(((size_t)ig.words.n + 1) * sizeof *first), at = 1;
    fprintf(out, "const struct px_isa_set px_isa_%ss[] = {\n    {0},\n", what);
    for (int opcode = 1; opcode <= ig.words.n; opcode++)
        for (int i = 0; i < nrules; i++) {
            if ((rules[i].group == IG_RESULT) != results || rules[i].opcode != opcode) continue;
            if (!first[opcode]) first[opcode] = at;
            emit_rule(out, &rules[i]);
            at++;
        }
    fprintf(out, "    {0}\n};\nconst uint16_t px_isa_%s_first[] = {", what);
    for (int i = 0; i <= ig.words.n; i++) fprintf(out, "%s%d,", i % 40 ? "" : "\n    ", first[i]);
    fputs("\n};\n", out);
}

/* By word: in which sets it is at all. */
static void emit_bits(FILE *out)
{
    uint64_t(*bits)[2] = ig_alloc(((size_t)ig.words.n + 1) * sizeof *bits);
    for (int i = 0; i < nrules; i++) {
        const int number = emitted_number(&rules[i]);
        if (number >= 128) ig_error(rules[i].at, "more than 128 sets");
        if (rules[i].group != IG_RESULT) bits[rules[i].opcode][number / 64] |= 1ull << number % 64;
    }
    fputs("const uint64_t px_isa_set_bits[][2] = {\n", out);
    for (int i = 0; i <= ig.words.n; i++)
        fprintf(out, "{0x%llx,0x%llx},%s", (unsigned long long)bits[i][0], (unsigned long long)bits[i][1],
                i % 8 == 7 ? "\n" : "");
    fputs("};\n", out);
}

void ig_emit_sets(FILE *out)
{
    emit_bits(out);
    emit_rules(out, false, "set");
    emit_rules(out, true, "result");
}
