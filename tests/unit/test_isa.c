/*
 * test_isa.c - the instruction table against the oracle's frozen verdicts.
 *
 * Every row of an opcode is expanded to all combinations of words that its
 * conditions allow. For opcodes marked `exact` in tests/isa/forms.txt the set
 * must be the accepted one, no more and no less; for `sample` it must contain
 * it. For the opcodes of tests/isa/combinations.txt operands count too, and
 * each combination must need the version and targets that it needs in ptxas.
 * tests/isa/neighbours.txt holds single instructions next to legal forms with
 * their verdicts, checked as whole modules.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unit/expand.h"
#include "ptx.h"
#include "suite.h"

/* ---- a set of strings ---- */

struct set {
    char **at;
    size_t n, cap;
};

static void add(struct set *s, const char *text)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 256;
        s->at = realloc(s->at, s->cap * sizeof *s->at);
    }
    s->at[s->n++] = strdup(text);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_unique(struct set *s)
{
    size_t n = 0;
    if (s->n) qsort(s->at, s->n, sizeof *s->at, compare);
    for (size_t i = 0; i < s->n; i++)
        if (n && !strcmp(s->at[n - 1], s->at[i]))
            free(s->at[i]);
        else
            s->at[n++] = s->at[i];
    s->n = n;
}

static bool has(const struct set *s, const char *text)
{
    return s->n && bsearch(&text, s->at, s->n, sizeof *s->at, compare);
}

static void clear(struct set *s)
{
    for (size_t i = 0; i < s->n; i++) free(s->at[i]);
    free(s->at);
    *s = (struct set){0};
}

/* ---- expansion ---- */

static void add_words(void *out, const struct px_match *match, uint32_t operands)
{
    struct expand_text text = {0};
    (void)operands;
    expand_words(match, &text);
    add(out, text.at);
}

static void set_true(void *found, const struct px_match *match, uint32_t operands)
{
    (void)match;
    (void)operands;
    *(bool *)found = true;
}

/* Is the list, in any order that may be written, a combination of some form? Its canonical text goes to out.
 */
static bool canonical(const char *opcode, const char *mods, struct expand_text *out)
{
    px_word words[PX_MAX_SLOTS + 1];
    unsigned n = 0;
    uint16_t first;
    for (const char *s = mods; *s && n <= PX_MAX_SLOTS; n++) {
        size_t len = strcspn(++s, ".");
        words[n] = px_word_find(s, len);
        s += len;
    }
    unsigned forms = px_forms_of(px_word_find(opcode, strlen(opcode)), &first);
    for (unsigned i = 0; i < forms; i++) {
        struct px_match match = {.form = px_form_at((uint16_t)(first + i))};
        bool found = false;
        if (px_form_since(match.form).min_ptx <= expand_oracle && px_match_deal(&match, words, n))
            expand_operands(&match, set_true, &found);
        if (!found) continue;
        *out = (struct expand_text){0};
        expand_words(&match, out);
        return true;
    }
    return false;
}

/* ---- forms.txt ---- */

static unsigned faults;

static void compare_opcode(const char *opcode, bool exact, struct set *accepted)
{
    struct set ours = {0}, theirs = {0};
    struct expand_text text;
    if (!accepted->n) return;
    for (size_t i = 0; i < accepted->n; i++)
        if (canonical(opcode, accepted->at[i], &text)) {
            add(&theirs, text.at);
        } else {
            faults++;
            print_error("%s%s: no row\n", opcode, accepted->at[i]);
        }
    sort_unique(&theirs);
    if (exact) {
        assert_true(expand_opcode(opcode, add_words, &ours));
        sort_unique(&ours);
        for (size_t i = 0; i < ours.n; i++)
            if (!has(&theirs, ours.at[i])) {
                faults++;
                print_error("%s%s: a row has it, ptxas does not\n", opcode, ours.at[i]);
            }
        assert_true(ours.n > 0);
    }
    clear(&ours);
    clear(&theirs);
    clear(accepted);
}

/* The next line that is no remark, without its end. */
static bool next_line(FILE *f, char *line, int size)
{
    while (fgets(line, size, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] != '#') return true;
    }
    return false;
}

TEST(test_forms)
{
    FILE *f = fopen("tests/isa/forms.txt", "r");
    char line[1024], last[1024] = "", opcode[64] = "", kind[16] = "";
    struct set accepted = {0};
    assert_non_null(f);
    faults = 0;
    while (next_line(f, line, sizeof line)) {
        if (line[0] != ' ') {
            compare_opcode(opcode, !strcmp(kind, "exact"), &accepted);
            assert_int_equal(sscanf(line, "%63s %15s", opcode, kind), 2);
            last[0] = 0;
            continue;
        }
        char *rest;
        size_t same = strtoul(line + 1, &rest, 10);
        snprintf(last + same, sizeof last - same, "%s", rest + 1);
        add(&accepted, last);
    }
    compare_opcode(opcode, !strcmp(kind, "exact"), &accepted);
    fclose(f);
    assert_int_equal(faults, 0);
}

/* ---- combinations.txt ---- */

struct combination {
    char *key;
    struct expand_need need;
};
struct combinations {
    struct combination *at;
    size_t n, cap;
};

static void push(struct combinations *list, const char *key, struct expand_need need)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 1024;
        list->at = realloc(list->at, list->cap * sizeof *list->at);
    }
    list->at[list->n++] = (struct combination){strdup(key), need};
}

static void drop(struct combinations *list)
{
    for (size_t i = 0; i < list->n; i++) free(list->at[i].key);
    free(list->at);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct combination *)a)->key, ((const struct combination *)b)->key);
}

static void push_ours(void *out, const struct px_match *match, uint32_t operands)
{
    struct expand_text key = {0};
    expand_key(match, &key);
    push(out, key.at, expand_need_of(match, operands));
}

/* The target of a set that came first. */
static size_t first_target(uint64_t targets)
{
    size_t best = expand_max_targets;
    for (size_t i = 0; i < expand_max_targets && px_target_name(i); i++)
        if (targets >> i & 1 &&
            (best == expand_max_targets || px_target_min_ptx(i) < px_target_min_ptx(best)))
            best = i;
    return best;
}

/* What n forms with one key need: the targets of any, and the least version on the first of them. */
static struct expand_need merged(const struct combination *c, size_t n)
{
    struct expand_need need = {UINT32_MAX, 0};
    for (size_t i = 0; i < n; i++) need.targets |= c[i].need.targets;
    size_t target = first_target(need.targets);
    for (size_t i = 0; i < n; i++) {
        unsigned version = c[i].need.version, least = px_target_min_ptx(target);
        version = version > least ? version : least;
        if (target < expand_max_targets && c[i].need.targets >> target & 1 && version < need.version)
            need.version = version;
    }
    return need;
}

static void merge(struct combinations *list)
{
    size_t n = 0;
    qsort(list->at, list->n, sizeof *list->at, by_key);
    for (size_t i = 0, end; i < list->n; i = end) {
        for (end = i + 1; end < list->n && !by_key(&list->at[i], &list->at[end]); end++)
            ;
        struct combination one = {list->at[i].key, merged(&list->at[i], end - i)};
        for (size_t k = i + 1; k < end; k++) free(list->at[k].key);
        list->at[n++] = one;
    }
    list->n = n;
}

/* The frozen automaton of one opcode (its lines without their numbers) and the requirements of all. */
struct frozen {
    char *state[8192];
    unsigned nstates;
    struct expand_need need[512];
    unsigned nneeds;
};

/* "sm_70" and all later ones, or names each followed by a comma. */
static uint64_t targets_of(const char *text)
{
    uint64_t targets = 0;
    bool list = strchr(text, ',');
    while (*text) {
        size_t n = strcspn(text, ",");
        int index = px_target_find(text, n);
        assert_true(index >= 0);
        for (size_t i = 0; i < expand_max_targets && px_target_name(i); i++)
            if (list ? i == (size_t)index
                     : px_target_at(i).sm >= px_target_at((size_t)index).sm &&
                           px_target_min_ptx(i) <= expand_oracle)
                targets |= (uint64_t)1 << i;
        text += n + (text[n] == ',');
    }
    return targets;
}

/* Every path from a state to the end. */
static void walk(const struct frozen *frozen, const char *state, struct expand_text *text,
                 struct combinations *out)
{
    while (*state) {
        const char *goal = state + strcspn(state, ">=");
        unsigned number = (unsigned)strtoul(goal + 1, NULL, 10);
        for (const char *label = state; label < goal; label += strcspn(label, " ") + 1) {
            size_t n = text->n;
            if (*label != '-')
                expand_put(text, "%s%.*s", *label == '.' ? "" : " ", (int)strcspn(label, " "), label);
            if (*goal == '>')
                walk(frozen, frozen->state[number], text, out);
            else
                push(out, text->at, frozen->need[number]);
            text->at[text->n = n] = 0;
        }
        state = goal + 1 + strspn(goal + 1, "0123456789 ");
    }
}

static void differ(const char *opcode, const struct combination *c, const char *what)
{
    if (faults++ < 50) print_error("%s%s: %s\n", opcode, c->key, what);
}

static void compare_needs(const char *opcode, const struct combination *ours,
                          const struct combination *theirs)
{
    struct expand_need a = ours->need, b = theirs->need;
    if (a.targets == b.targets && a.version == b.version) return;
    differ(opcode, ours, "needs something else in ptxas");
    size_t x = first_target(a.targets), y = first_target(b.targets);
    if (faults <= 50)
        print_error("    ours %u %s (%llx), ptxas %u %s (%llx)\n", a.version,
                    x < expand_max_targets ? px_target_name(x) : "no target", (unsigned long long)a.targets,
                    b.version, px_target_name(y), (unsigned long long)b.targets);
}

static void compare_combinations(const char *opcode, struct frozen *frozen, size_t count)
{
    struct combinations ours = {0}, theirs = {0};
    struct expand_text text = {0};
    if (!frozen->nstates) return;
    walk(frozen, frozen->state[frozen->nstates - 1], &text, &theirs);
    assert_int_equal(theirs.n, count);
    qsort(theirs.at, theirs.n, sizeof *theirs.at, by_key);
    assert_true(expand_opcode(opcode, push_ours, &ours));
    merge(&ours);
    for (size_t i = 0, k = 0; i < ours.n || k < theirs.n;) {
        int order = i == ours.n ? 1 : k == theirs.n ? -1 : by_key(&ours.at[i], &theirs.at[k]);
        if (order < 0)
            differ(opcode, &ours.at[i++], "a row has it, ptxas does not");
        else if (order > 0)
            differ(opcode, &theirs.at[k++], "ptxas has it, no row does");
        else
            compare_needs(opcode, &ours.at[i++], &theirs.at[k++]);
    }
    drop(&ours);
    drop(&theirs);
    for (unsigned i = 0; i < frozen->nstates; i++) free(frozen->state[i]);
    frozen->nstates = 0;
}

/* Each combination that a row has is one that ptxas accepts, and the reverse; and needs the same version and
 * targets. */
TEST(test_combinations)
{
    static struct frozen frozen;
    FILE *f = fopen("tests/isa/combinations.txt", "r");
    char *line = NULL, opcode[64] = "", targets[512];
    size_t size = 0, count = 0;
    unsigned number, major, minor;
    assert_non_null(f);
    faults = 0;
    while (getline(&line, &size, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "class %u %u.%u %511s", &number, &major, &minor, targets) == 4) {
            assert_true(number == frozen.nneeds && number < sizeof frozen.need / sizeof *frozen.need);
            frozen.need[frozen.nneeds++] = (struct expand_need){major * 10 + minor, targets_of(targets)};
        } else if (line[0] == 'o') {
            compare_combinations(opcode, &frozen, count);
            assert_int_equal(sscanf(line, "opcode %63s %zu", opcode, &count), 2);
        } else if (line[0] != '#') {
            assert_true(frozen.nstates < sizeof frozen.state / sizeof *frozen.state);
            frozen.state[frozen.nstates++] = strdup(line + strcspn(line, " ") + 1);
        }
    }
    compare_combinations(opcode, &frozen, count);
    free(line);
    fclose(f);
    assert_true(count > 0);
    assert_int_equal(faults, 0);
}

/* ---- neighbours.txt ---- */

/* Declares the registers %r_TYPE_N that `text` names (B8 is .b8). */
static void declare(const char *text, char *out, size_t size)
{
    static const char *const types[] = {"pred", "b8",  "u8",  "s8",   "b16",   "u16",   "s16",
                                        "f16",  "b32", "u32", "s32",  "f32",   "f16x2", "b64",
                                        "u64",  "s64", "f64", "b128", "u16x2", "f32x2", "bf16"};
    char name[32];
    size_t at = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        snprintf(name, sizeof name, "%%r_%s_", types[i]);
        if (strstr(text, name))
            at += (size_t)snprintf(out + at, size - at, "\t.reg .%s %s<64>;\n", types[i], name);
    }
    if (strstr(text, "%r_B8_")) at += (size_t)snprintf(out + at, size - at, "\t.reg .b8 %%r_B8_<64>;\n");
    out[at < size ? at : size - 1] = 0;
}

static bool accepts(const char *target, const char *version, const char *text)
{
    char regs[2048] = "", source[6144];
    declare(text, regs, sizeof regs);
    int n = snprintf(
        source, sizeof source,
        ".version %s\n.target %s\n.address_size 64\n.global .align 128 .b8 gv[4096];\n.const .align 128 .b8 "
        "cv[256];\n"
        ".shared .align 128 .b8 sv[4096];\n.entry k(.param .align 16 .b8 kp[64])\n{\n%s\t%s\n\tret;\n}\n",
        version, target, regs, text);
    ptx_module *module = NULL;
    ptx_status status = ptx_module_create(NULL, source, (size_t)n, &module);
    ptx_module_destroy(module);
    return status == PTX_OK;
}

TEST(test_neighbours)
{
    FILE *f = fopen("tests/isa/neighbours.txt", "r");
    char line[1024], target[16], version[8], verdict[16];
    int used;
    assert_non_null(f);
    faults = 0;
    while (next_line(f, line, sizeof line)) {
        assert_int_equal(sscanf(line, "%15s %7s %15s %n", target, version, verdict, &used), 3);
        bool want = !strcmp(verdict, "accepted");
        if (accepts(target, version, line + used) != want) {
            faults++;
            print_error("ptxas %s on %s: %s\n", want ? "accepts" : "refuses", target, line + used);
        }
    }
    fclose(f);
    assert_int_equal(faults, 0);
}

int main(void)
{
    return run_suite();
}
