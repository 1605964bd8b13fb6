/*
 * isagen_rows.c - the reader of isa.tbl: definitions, and rows up to their slots.
 *
 * A row is five columns separated by " | ": syntax, slots, since, conditions,
 * meaning. Only the last may contain " | " itself, so columns are split from
 * the left. Operands are read by isagen_opds.c, conditions by isagen_where.c.
 */
#include "isagen.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *current_section = "";
static const struct ig_family *current_family;

static const char *skip(const char *s)
{
    while (isblank((unsigned char)*s)) s++;
    return s;
}

static size_t word_length(const char *s)
{
    size_t n = 0;
    bool ratio = !strncmp(s, "sp::", 4); /* sp::2:4 */
    while (isalnum((unsigned char)s[n]) || s[n] == '_' || (s[n] == ':' && s[n + 1] == ':' && ++n) ||
           (ratio && s[n] == ':'))
        n++;
    return n;
}

struct ig_set *ig_set_find(const char *s, size_t n)
{
    for (int i = 0; i < ig.nsets; i++)
        if (!strncmp(ig.sets[i].name, s, n) && !ig.sets[i].name[n]) return &ig.sets[i];
    return NULL;
}

int ig_fn_find(const char *s, size_t n)
{
    for (int i = 0; i < ig.nfns; i++)
        if (!strncmp(ig.fns[i].name, s, n) && !ig.fns[i].name[n]) return i;
    return -1;
}

int ig_slot_find(const struct ig_form *form, const char *s, size_t n)
{
    int word = ig_word_find(s, n);
    for (int i = 0; word && i < form->nslots; i++)
        if (form->slots[i].name == word) return i;
    return -1;
}

/* ---- since: "7.4 sm_80", "8.6 BLACKWELL_A", "1.0 sm_10..sm_62" ---- */

static uint64_t targets_from(int lo, int hi)
{
    uint64_t bits = 0;
    for (int i = 0; i < ig.ntargets; i++)
        if (ig.targets[i].sm >= lo && ig.targets[i].sm <= hi) bits |= 1ull << i;
    return bits;
}

static int target_set_index(const char *name, uint64_t bits)
{
    for (int i = 1; i < ig.ntarget_sets; i++)
        if (ig.target_sets[i].bits == bits && !strcmp(ig.target_sets[i].name, name))
            return i;                          /* (another list with the same targets keeps its own name) */
    if (!ig.ntarget_sets) ig.ntarget_sets = 1; /* 0: none */
    if (ig.ntarget_sets == 128) ig_error((struct ig_place){"isa.tbl", 0}, "more than 128 target lists");
    ig.target_sets[ig.ntarget_sets].name = name;
    ig.target_sets[ig.ntarget_sets].bits = bits;
    return ig.ntarget_sets++;
}

/* sm_90, sm_90a, sm_75..sm_89, sm_90+ */
static uint64_t target_range(struct ig_place at, const char *s, size_t n)
{
    size_t dots = 0;
    while (dots + 1 < n && strncmp(s + dots, "..", 2)) dots++;
    if (dots + 1 < n) return targets_from(atoi(s + 3), atoi(s + dots + 5));
    if (s[n - 1] == '+') return targets_from(atoi(s + 3), 9999);
    int i = ig_target_find(s, n);
    if (i < 0) ig_error(at, "unknown target '%.*s'", (int)n, s);
    return 1ull << i;
}

struct ig_since ig_since_parse(struct ig_place at, const char *s)
{
    struct ig_since since = {10, 10, 0, NULL};
    for (s = skip(s); *s; s = skip(s)) {
        size_t n = strcspn(s, " \t");
        if (*s == '"') { /* the feature's name in messages */
            n = strcspn(s + 1, "\"") + 2;
            since.feature = ig_text(s + 1, n - 2);
        } else if (isdigit((unsigned char)*s)) {
            since.ptx = ig_version(at, s);
        } else if (!strncmp(s, "sm_", 3) && n == 3 + strspn(s + 3, "0123456789")) {
            if (ig_target_find(s, n) < 0) ig_error(at, "unknown target '%.*s'", (int)n, s);
            since.sm = atoi(s + 3);
        } else if (!strncmp(s, "sm_", 3)) {
            since.set = target_set_index(ig_text(s, n), target_range(at, s, n));
        } else {
            for (int i = 1; i < ig.ntarget_sets && !since.set; i++)
                if (ig.target_sets[i].name && !strncmp(ig.target_sets[i].name, s, n) &&
                    !ig.target_sets[i].name[n])
                    since.set = i;
            if (!since.set)
                ig_error(at, "'%.*s' is neither a version, a target nor a list of targets", (int)n, s);
        }
        s += n;
    }
    return since;
}

int ig_since_index(struct ig_since since)
{
    if (!ig.nsinces) ig.sinces[ig.nsinces++] = (struct ig_since){0, 0, 0, NULL};
    for (int i = 0; i < ig.nsinces; i++)
        if (ig.sinces[i].ptx == since.ptx && ig.sinces[i].sm == since.sm && ig.sinces[i].set == since.set &&
            !strcmp(ig.sinces[i].feature ? ig.sinces[i].feature : "", since.feature ? since.feature : ""))
            return i;
    if (ig.nsinces == 512) ig_error((struct ig_place){"isa.tbl", 0}, "more than 512 different requirements");
    ig.sinces[ig.nsinces] = since;
    return ig.nsinces++;
}

/* ---- values: "rn,rz,rm(sm_20),FCMP" ---- */

static void add_value(struct ig_set *set, struct ig_value value)
{
    struct ig_value *grown = ig_alloc((size_t)(set->n + 1) * sizeof *grown);
    for (int i = 0; i < set->n; i++) grown[i] = set->values[i];
    grown[set->n++] = value;
    set->values = grown;
    ig.words.modifier[value.word - 1] = true;
}

/* "m64n[16..256/16]k32": one word for every number of the range; returns the end. */
static const char *read_pattern(struct ig_place at, const char *s, size_t n, int since, struct ig_set *set)
{
    int lo, hi, step, used = 0;
    if (sscanf(s + n, "[%d..%d/%d]%n", &lo, &hi, &step, &used) < 3 || !used || step <= 0)
        ig_error(at, "[LO..HI/STEP] is expected at '%s'", s + n);
    const char *rest = s + n + used;
    size_t tail = word_length(rest);
    for (int v = lo; v <= hi; v += step) {
        char *word = ig_format("%.*s%d%.*s", (int)n, s, v, (int)tail, rest);
        add_value(set, (struct ig_value){ig_word(word, strlen(word)), since});
    }
    return rest + tail;
}

/* Reads values up to a blank; returns the end. `separator` is ',' in a row, ' ' in a definition. */
static const char *read_values(struct ig_place at, const char *s, char separator, struct ig_set *set)
{
    for (;; s++) {
        if (separator == ' ') s = skip(s);
        size_t n = word_length(s);
        if (!n) ig_error(at, "a value is expected at '%s'", s);
        const struct ig_set *named = ig_set_find(s, n);
        const char *word = s;
        int since = 0;
        if (s[n] == '[') {
            s = read_pattern(at, s, n, 0, set);
            if (*s != separator || !*skip(s)) return s;
            continue;
        }
        s += n;
        if (*s == '(') {
            size_t len = strcspn(s, ")");
            since = ig_since_index(ig_since_parse(at, ig_text(s + 1, len - 1)));
            s += len + 1;
        }
        if (!named) {
            add_value(set, (struct ig_value){ig_word(word, n), since});
            ig.words.value[ig_word(word, n) - 1] = true;
        }
        for (int i = 0; named && i < named->n; i++)
            add_value(set, (struct ig_value){named->values[i].word, since ? since : named->values[i].since});
        if (*s != separator || !*skip(s)) return s;
    }
}

static void read_slot_values(struct ig_form *form, const char *s)
{
    for (s = skip(s); *s; s = skip(s)) {
        size_t n = *s == '.' ? word_length(s + 1) : 0;
        int i = n ? ig_slot_find(form, s + 1, n) : -1;
        if (i < 0) ig_error(form->at, "'%s' names no slot of the syntax", s);
        struct ig_slot *slot = &form->slots[i];
        struct ig_set set = {.at = form->at};
        s += n + 1;
        if (*s == '=') {
            s = read_values(form->at, s + 1, ',', &set);
            slot->literal = false;
        } else if (*s == '(') { /* a literal with a requirement */
            size_t len = strcspn(s, ")");
            int since = ig_since_index(ig_since_parse(form->at, ig_text(s + 1, len - 1)));
            add_value(&set, (struct ig_value){slot->name, since});
            s += len + 1;
        }
        slot->values = set.values;
        slot->n = set.n;
    }
}

/* ---- syntax ---- */

static struct ig_slot *add_slot(struct ig_form *form, const char *s, size_t n, bool optional)
{
    if (form->nslots == IG_SLOTS) ig_error(form->at, "more than %d modifiers", IG_SLOTS);
    struct ig_slot *slot = &form->slots[form->nslots++];
    slot->name = ig_word(s, n);
    slot->optional = optional;
    slot->literal = true;
    return slot;
}

/* "add{.rnd}{.ftz}.f32 d, a, b": opcode and slots; returns the operands. Grouped literals become one
 * condition. */
static const char *read_modifiers(struct ig_form *form, const char *s, char **group)
{
    size_t n = word_length(s);
    form->opcode = ig_word(s, n);
    ig.words.opcode[form->opcode - 1] = true;
    for (s += n; *s == '.' || *s == '{';) {
        bool optional = *s == '{';
        s += optional;
        int first = form->nslots;
        while (*s == '.') {
            n = word_length(s + 1);
            if (!n) ig_error(form->at, "a modifier is expected at '%s'", s);
            add_slot(form, s + 1, n, optional);
            s += n + 1;
        }
        if (optional && *s++ != '}') ig_error(form->at, "'}' is missing in the modifiers");
        for (int i = first + 1; optional && i < form->nslots; i++) {
            form->slots[i].together = true;
            *group = ig_format("%s; %s iff %s", *group, ig.words.text[form->slots[first].name - 1],
                               ig.words.text[form->slots[i].name - 1]);
        }
    }
    if (*s && !isblank((unsigned char)*s))
        ig_error(form->at, "a blank is expected before the operands at '%s'", s);
    return skip(s);
}

static void finish_slots(struct ig_form *form)
{
    for (int i = 0; i < form->nslots; i++) {
        struct ig_slot *slot = &form->slots[i];
        if (slot->values) {
            ig.words.slot[slot->name - 1] |= !slot->literal;
            continue;
        }
        slot->values = ig_alloc(sizeof *slot->values);
        slot->values[0].word = slot->name;
        slot->n = 1;
        ig.words.modifier[slot->name - 1] = true;
    }
}

/* ---- operand formats: "format policy = {, policy:u64}", and %policy where a row's operands have it ---- */

static const char *format_text(struct ig_place at, const char *s, size_t n)
{
    for (int i = 0; i < ig.nformats; i++)
        if (!strncmp(ig.formats[i].name, s, n) && !ig.formats[i].name[n]) return ig.formats[i].text;
    ig_error(at, "no format is called '%.*s'", (int)n, s);
}

/* The text with its formats written out; a % that no name follows is the flag of an operand. */
static char *expand_formats(struct ig_place at, const char *s)
{
    const char *percent = s;
    while ((percent = strchr(percent, '%')) && !isalpha((unsigned char)percent[1])) percent++;
    if (!percent) return ig_text(s, strlen(s));
    size_t n = word_length(percent + 1);
    return ig_format("%.*s%s%s", (int)(percent - s), s, format_text(at, percent + 1, n),
                     expand_formats(at, percent + 1 + n));
}

/* ---- rows ---- */

static const char *column(char **rest)
{
    char *start = *rest, *bar = strstr(start, " | ");
    if (start[0] == '|' && (start[1] == ' ' || !start[1])) { /* an empty column */
        *rest = start + (start[1] ? 2 : 1);
        return "";
    }
    if (!bar) {
        *rest = start + strlen(start);
    } else {
        *bar = 0;
        *rest = bar + 3;
    }
    start += skip(start) - start;
    for (size_t n = strlen(start); n && isblank((unsigned char)start[n - 1]);) start[--n] = 0;
    return start;
}

/* The entries of [hot ENTRY ...]. */
static void read_hot(struct ig_form *form, const char *s)
{
    int n = 0;
    form->hot = ig_alloc((strlen(s) + 1) * sizeof *form->hot);
    form->hot_used = ig_alloc(strlen(s) + 1);
    for (s = skip(s); *s; s = skip(s)) {
        size_t len = strcspn(s, " \t");
        form->hot[n++] = ig_text(s, len);
        s += len;
    }
}

/* The attribute without arguments of this name, or NULL. */
static bool *flag_named(struct ig_form *form, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"bits", &form->bits},       {"wide", &form->wide},   {"video", &form->video},
                 {"compare", &form->compare}, {"swaps", &form->swaps}, {"home", &form->home},
                 {"mode", &form->mode},       {"vec", &form->vector}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(flags[i].name, name)) return flags[i].flag;
    return NULL;
}

static void read_meaning(struct ig_form *form, const char *s)
{
    form->meaning = s;
    while (*s == '[') { /* attributes */
        size_t n = strcspn(s, "]");
        const char *attr = ig_text(s + 1, n - 1);
        bool *flag = flag_named(form, attr);
        if (flag)
            *flag = true;
        else if (!strncmp(attr, "harmless ", 9))
            form->harmless = attr + 9;
        else if (!strncmp(attr, "shapes ", 7))
            form->shapes = attr + 7;
        else if (!strncmp(attr, "x86 ", 4))
            form->x86 = attr + 4;
        else if (!strcmp(attr, "hot") || !strncmp(attr, "hot ", 4))
            read_hot(form, attr + 3);
        else
            ig_error(form->at, "unknown attribute [%s]", attr);
        s = skip(s + n + 1);
    }
    form->executable = *s;
    if (*s == '@')
        form->op = ig_op_name(form->at, s + 1);
    else if (!strncmp(s, "copy ", 5))
        ig_read_copy(form, s + 5);
    else if (*s)
        form->statement = s;
}

/* What the oracle knows, and where rows stand that it does not. */
enum { VERIFIED_PTX = 90 };
#define UNVERIFIED "_x_unverified.tbl"

static void read_row(struct ig_place at, char *text)
{
    if (ig.nforms == IG_FORMS) ig_error(at, "more than %d forms", IG_FORMS);
    struct ig_form *form = ig.forms[ig.nforms++] = ig_alloc(sizeof *form);
    char *rest = ig_format("%s ", text), *group = ig_text("", 0);
    *form = (struct ig_form){.at = at, .section = current_section, .family = current_family};
    form->syntax = expand_formats(at, column(&rest));
    const char *slots = column(&rest), *since = column(&rest), *where = column(&rest);
    const char *operands = read_modifiers(form, form->syntax, &group);
    read_slot_values(form, slots);
    finish_slots(form);
    form->since = ig_since_parse(at, since);
    if (form->since.ptx > VERIFIED_PTX && !strstr(at.file, UNVERIFIED))
        ig_error(at, "a row after %d.%d stands in *" UNVERIFIED ", which no assembler has verified",
                 VERIFIED_PTX / 10, VERIFIED_PTX % 10);
    ig_parse_operands(form, operands);
    ig_parse_clauses(form, *group ? ig_format("%s%s%s", group + 2, *where ? "; " : "", where) : where);
    read_meaning(form, skip(rest));
    ig_check_op_operands(form);
}

/* ---- definitions ---- */

static void read_elems(struct ig_fn *fn, const char *s, struct ig_elems *e)
{
    bool braces = *s == '{';
    s += braces;
    e->vector = braces;
    for (;; s++) {
        long repeat = 1;
        size_t digits = strspn(s, "0123456789");
        if (digits && s[digits] == '*') {
            repeat = atol(s);
            e->vector = true;
            s += digits + 1;
        }
        size_t n = *s == '$' ? 1 : word_length(s);
        int type = *s == '$' ? 0 : ig_type_find(s, n);
        if (*s != '$' && !type) ig_error(fn->at, "'%.*s' is no type", (int)n, s);
        while (repeat--) {
            if (e->n == IG_ELEMS) break; /* longer lists are all of one type */
            e->type[e->n++] = type;
        }
        s += n;
        if (*s != ',') break;
    }
    if (braces && *s++ != '}') ig_error(fn->at, "'}' is missing");
}

static const char *read_entry(struct ig_fn *fn, const char *s)
{
    struct ig_entry *e = &fn->entries[fn->n++];
    for (int k = 0;; k++, s++) {
        size_t n = word_length(s);
        if (!n || k == 4) ig_error(fn->at, "a key is expected at '%s'", s);
        e->key[k] = n == 1 && *s == '_' ? -1 : ig_word(s, n); /* _: the slot is empty */
        s += n;
        if (*s != '.') break;
    }
    if (*s++ != ':') ig_error(fn->at, "':' is expected at '%s'", s - 1);
    if (!fn->is_text) {
        size_t n = strcspn(s, " \t");
        const char *count = s;
        if (s[0] == 'n' && s[1] == '/' && isdigit((unsigned char)s[2]) &&
            s[3] == '*') { /* by the number after 'n' of the last word */
            read_elems(fn, s + 4, &e->value);
            e->value.n = 0;
            e->value.divisor = s[2] - '0';
            return s + n;
        }
        read_elems(fn, s, &e->value);
        if (isdigit((unsigned char)*count)) e->value.n = atoi(count);
        return s + n;
    }
    if (*s != '"') ig_error(fn->at, "a text in quotes is expected");
    size_t n = strcspn(s + 1, "\"");
    e->text = ig_text(s + 1, n);
    return s + n + 2;
}

static void read_fn(struct ig_place at, const char *s, bool is_text)
{
    struct ig_fn *fn = &ig.fns[ig.nfns];
    size_t n = word_length(s);
    if (ig.nfns == 256 || ig_fn_find(s, n) >= 0)
        ig_error(at, "too many functions, or '%.*s' is defined twice", (int)n, s);
    ig.nfns++;
    *fn = (struct ig_fn){.name = ig_text(s, n), .at = at, .is_text = is_text, .nargs = 1};
    fn->entries = ig_alloc(512 * sizeof *fn->entries);
    s += n;
    for (; *s && *s != '='; s++) fn->nargs += *s == ',';
    if (!*s++) ig_error(at, "'=' is missing");
    for (s = skip(s); *s; s = skip(s)) {
        if (fn->n == 512) ig_error(at, "more than 512 entries");
        s = read_entry(fn, s);
    }
}

/* "NAME = rest": the name, and the rest in *s. */
static const char *definition(struct ig_place at, const char **s)
{
    size_t n = word_length(*s);
    const char *name = ig_text(*s, n), *rest = skip(*s + n);
    if (!n || *rest != '=') ig_error(at, "NAME = ... is expected");
    *s = skip(rest + 1);
    return name;
}

static void read_targets(struct ig_place at, const char *s)
{
    const char *name = definition(at, &s);
    uint64_t bits = 0;
    for (; *s; s = skip(s)) {
        size_t n = strcspn(s, " \t");
        bits |= target_range(at, s, n);
        s += n;
    }
    target_set_index(name, bits);
}

/* "cp.async.bulk": the words of an instruction's name. */
static void read_names(struct ig_place at, const char *s, bool loose)
{
    for (; *s; s = skip(s)) {
        if (ig.nnames == 512) ig_error(at, "more than 512 names");
        for (int k = 0;; s++) {
            size_t n = word_length(s);
            if (!n || k == 6) ig_error(at, "a name of at most 6 words is expected at '%s'", s);
            ig.names[ig.nnames].words[k++] = ig_word(s, n);
            s += n;
            if (*s != '.') break;
        }
        ig.names[ig.nnames++].loose = loose;
    }
}

/* Opcodes of which ptxas says "Instruction 'x' requires"; of all others "Feature 'x' requires". */
static void read_plain_names(const char *s)
{
    for (size_t n; (n = word_length(s)) > 0; s = skip(s + n)) ig.words.plain_name[ig_word(s, n) - 1] = true;
}

/* Modifiers that ptxas takes twice. */
static void read_repeated(const char *s)
{
    for (size_t n; (n = word_length(s)) > 0; s = skip(s + n)) ig.words.repeated[ig_word(s, n) - 1] = true;
}

/* "WORD ... on NAME ...", "WORD ... on all but NAME ..." */
static void read_overlooked(struct ig_place at, const char *s)
{
    struct ig_overlooked *o = &ig.overlooked[ig.noverlooked++];
    if (ig.noverlooked == 16) ig_error(at, "more than 15 lines of overlooked words");
    for (size_t n; (n = word_length(s)) > 0 && strncmp(s, "on ", 3); s = skip(s + n)) {
        if (o->nwords == 32) ig_error(at, "more than 32 overlooked words in a line");
        o->words[o->nwords++] = ig_word(s, n);
    }
    if (strncmp(s, "on ", 3)) ig_error(at, "'on' is expected after the words");
    s = skip(s + 3);
    o->all_but = !strncmp(s, "all but ", 8);
    o->names = ig_format(" %s ", skip(s + (o->all_but ? 8 : 0)));
}

/* Of two definitions of a name the first would be used, and nobody would see which. */
static void read_set(struct ig_place at, const char *s)
{
    struct ig_set set = {.at = at};
    set.name = definition(at, &s);
    const struct ig_set *older = ig_set_find(set.name, strlen(set.name));
    const char *file = older ? strrchr(older->at.file, '/') : NULL;
    if (older)
        ig_error(at, "the values %s stand at %s:%d already", set.name, file ? file + 1 : older->at.file,
                 older->at.line);
    if (ig.nsets == IG_SETS) ig_error(at, "more than %d lists of values", IG_SETS);
    read_values(at, s, ' ', &set);
    ig.sets[ig.nsets++] = set;
}

/* A text with a name in a list that has room for so many; the definition that it is, so far without its text.
 */
static struct ig_named *new_named(struct ig_place at, struct ig_named *list, int *n, int room,
                                  const char *what, const char **s)
{
    const char *name = definition(at, s);
    for (int i = 0; i < *n; i++)
        if (!strcmp(list[i].name, name)) ig_error(at, "the %s %s is defined twice", what, name);
    if (*n == room) ig_error(at, "more than %d %ss", room, what);
    list[*n].name = name;
    return &list[(*n)++];
}

static void read_format(struct ig_place at, const char *s)
{
    struct ig_named *format = new_named(at, ig.formats, &ig.nformats, IG_FORMATS, "format", &s);
    format->text = expand_formats(at, s);
}

static void read_condition(struct ig_place at, const char *s)
{
    struct ig_named *condition = new_named(at, ig.conds, &ig.nconds, IG_CONDITIONS, "condition", &s);
    condition->text = s;
}

/* "NAME [hot]": the family of the rows behind it; the Makefile finds these lines as well. */
static const struct ig_family *read_family(struct ig_place at, const char *s)
{
    const size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz");
    const bool hot = !strcmp(s + n, " hot");
    if (!n || (s[n] && !hot)) ig_error(at, "family NAME [hot] is expected");
    for (int i = 0; i < ig.nfamilies; i++)
        if (strlen(ig.families[i].name) == n && !strncmp(ig.families[i].name, s, n)) {
            if (ig.families[i].hot != hot) ig_error(at, "family %.*s stands with and without hot", (int)n, s);
            return &ig.families[i];
        }
    if (ig.nfamilies == sizeof ig.families / sizeof *ig.families)
        ig_error(at, "more than %d families", ig.nfamilies);
    ig.families[ig.nfamilies] = (struct ig_family){ig_text(s, n), hot};
    return &ig.families[ig.nfamilies++];
}

static void read_line(struct ig_place at, char *text)
{
    const char *rest = skip(text + strcspn(text, " \t"));
    if (!strncmp(text, "values ", 7)) {
        read_set(at, rest);
    } else if (!strncmp(text, "fn ", 3)) {
        read_fn(at, rest, false);
    } else if (!strncmp(text, "text ", 5)) {
        read_fn(at, rest, true);
    } else if (!strncmp(text, "cond ", 5)) {
        read_condition(at, rest);
    } else if (!strncmp(text, "format ", 7)) {
        read_format(at, rest);
    } else if (!strncmp(text, "names ", 6)) {
        read_names(at, rest, false);
    } else if (!strncmp(text, "instructions ", 13)) {
        read_plain_names(rest);
    } else if (!strncmp(text, "features ", 9)) {
        read_values(at, rest, ' ', &ig.features);
    } else if (!strncmp(text, "repeated ", 9)) {
        read_repeated(rest);
    } else if (!strncmp(text, "overlooked ", 11)) {
        read_overlooked(at, rest);
    } else if (!strncmp(text, "quirk ", 6)) {
        ig_read_set(at, IG_QUIRK, rest);
    } else if (!strncmp(text, "set ", 4)) {
        ig_read_set(at, IG_SET, rest);
    } else if (!strncmp(text, "result ", 7)) {
        ig_read_set(at, IG_RESULT, rest);
    } else if (!strncmp(text, "kind ", 5)) {
        ig_read_kind(at, rest);
    } else if (!strncmp(text, "fuse ", 5)) {
        ig_read_fuse(at, rest);
    } else if (!strncmp(text, "op ", 3)) {
        ig_read_ops(at, rest);
    } else if (!strncmp(text, "called ", 7)) {
        read_names(at, rest, true);
    } else if (!strncmp(text, "targets ", 8)) {
        read_targets(at, rest);
    } else if (!strncmp(text, "family ", 7)) {
        current_family = read_family(at, rest);
    } else if (!strncmp(text, "section ", 8)) {
        current_section = ig_text(rest, strlen(rest));
    } else {
        read_row(at, text);
    }
}

/* A slot's name as a literal elsewhere is nearly always a row that forgot its values. */
static void check_literals(void)
{
    for (int f = 0; f < ig.nforms; f++)
        for (int i = 0; i < ig.forms[f]->nslots; i++) {
            const struct ig_slot *slot = &ig.forms[f]->slots[i];
            if (slot->literal && ig.words.slot[slot->name - 1] && !ig.words.value[slot->name - 1])
                ig_error(ig.forms[f]->at, "slot .%s has no values", ig.words.text[slot->name - 1]);
        }
}

void ig_read_rows(const char *file)
{
    current_family = NULL;
    ig_since_index((struct ig_since){0, 0, 0, NULL});
    ig_read_lines(file, read_line);
    check_literals();
}
