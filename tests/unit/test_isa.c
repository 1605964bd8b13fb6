/*
 * test_isa.c - the instruction table against the oracle's frozen verdicts.
 *
 * Every row of an opcode is expanded to all combinations of words that its
 * conditions allow. For opcodes marked `exact` in tests/isa/forms.txt the set
 * must be the accepted one, no more and no less; for `sample` it must contain
 * it. tests/isa/neighbours.txt holds single instructions next to legal forms
 * with their verdicts, checked as whole modules.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "isa/isa.h"
#include "ptx.h"

/* ---- a set of strings ---- */

struct set { char **at; size_t n, cap; };

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
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, compare);
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
    for (size_t i = 0; i < s->n; i++)
        free(s->at[i]);
    free(s->at);
    *s = (struct set){0};
}

/* ---- expansion ---- */

/* The levels at which forms are expanded: today's, and those of forms that were withdrawn. */
static const struct px_module_level levels[] = {{90, 100, false}, {63, 60, false}, {31, 20, false}, {13, 13, false}};

/* Does any choice of optional operands satisfy the conditions? */
static bool possible(struct px_match *match)
{
    unsigned min, max = px_form_opds(match->form, &min);
    int partner = max ? px_form_opd(match->form, 0)->partner : -1;
    uint8_t message;
    for (unsigned n = min; n <= max; n++)
        for (unsigned nth = 0; px_match_choose(match, n, nth); nth++)
            for (unsigned pair = 0; pair < 2; pair++)
                for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
                    uint32_t operands = match->operands | (partner >= 0 && pair ? 1u << (16 + partner) : 0);
                    if (px_match_types(match) && px_match_where(match, operands, levels[l], &message))
                        return true;
                }
    return false;
}

static void text_of(const struct px_match *match, char *buf, size_t size)
{
    px_word words[PX_MAX_SLOTS];
    size_t n = px_form_canonical(match, words), at = 0;
    buf[0] = 0;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(buf + at, size - at, ".%s", px_word_text(words[i]));
}

static void expand(struct px_match *match, unsigned slot, struct set *out)
{
    px_word name;
    bool optional;
    char buf[512];
    if (!px_form_slot(match->form, slot, &name, &optional)) {
        if (possible(match)) {
            text_of(match, buf, sizeof buf);
            add(out, buf);
        }
        return;
    }
    match->value[slot] = 0;
    if (optional)
        expand(match, slot + 1, out);
    for (unsigned i = 0; (match->value[slot] = px_form_word(match->form, slot, i)); i++)
        expand(match, slot + 1, out);
}

/* All modifier lists of an opcode, in canonical order. */
/* The files are of ptxas 13.0; what came later was never held against it. */
static bool has_oracle(const struct px_form *form)
{
    return px_form_since(form).min_ptx <= PTX_ISA_VERSION;
}

static void expand_opcode(const char *opcode, struct set *out)
{
    uint16_t first;
    unsigned n = px_forms_of(px_word_find(opcode, strlen(opcode)), &first);
    assert_true(n > 0);
    for (unsigned i = 0; i < n; i++) {
        struct px_match match = {.form = px_form_at((uint16_t)(first + i))};
        if (has_oracle(match.form))
            expand(&match, 0, out);
    }
    sort_unique(out);
}

/* Is the list, in any order that may be written, a combination of some form? Its canonical text goes to buf. */
static bool canonical(const char *opcode, const char *mods, char *buf, size_t size)
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
        if (!has_oracle(match.form) || !px_match_deal(&match, words, n) || !possible(&match))
            continue;
        text_of(&match, buf, size);
        return true;
    }
    return false;
}

/* ---- forms.txt ---- */

static unsigned faults;

static void compare_opcode(const char *opcode, bool exact, struct set *accepted)
{
    struct set ours = {0}, theirs = {0};
    char buf[512];
    if (!accepted->n)
        return;
    for (size_t i = 0; i < accepted->n; i++)
        if (canonical(opcode, accepted->at[i], buf, sizeof buf)) {
            add(&theirs, buf);
        } else {
            faults++;
            print_error("%s%s: no row\n", opcode, accepted->at[i]);
        }
    sort_unique(&theirs);
    if (exact) {
        expand_opcode(opcode, &ours);
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

static void test_forms(void **state)
{
    FILE *f = fopen("tests/isa/forms.txt", "r");
    char line[1024], last[1024] = "", opcode[64] = "", kind[16] = "";
    struct set accepted = {0};
    (void)state;
    assert_non_null(f);
    faults = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#')
            continue;
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

/* ---- neighbours.txt ---- */

/* Declares the registers %r_TYPE_N that `text` names (B8 is .b8). */
static void declare(const char *text, char *out, size_t size)
{
    static const char *const types[] = {"pred", "b8", "u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "f16x2",
                                        "b64", "u64", "s64", "f64", "b128", "u16x2", "f32x2", "bf16"};
    char name[32];
    size_t at = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        snprintf(name, sizeof name, "%%r_%s_", types[i]);
        if (strstr(text, name))
            at += (size_t)snprintf(out + at, size - at, "\t.reg .%s %s<64>;\n", types[i], name);
    }
    if (strstr(text, "%r_B8_"))
        at += (size_t)snprintf(out + at, size - at, "\t.reg .b8 %%r_B8_<64>;\n");
    out[at < size ? at : size - 1] = 0;
}

static bool accepts(const char *target, const char *version, const char *text)
{
    char regs[2048] = "", source[6144];
    declare(text, regs, sizeof regs);
    int n = snprintf(source, sizeof source,
                     ".version %s\n.target %s\n.address_size 64\n.global .align 128 .b8 gv[4096];\n.const .align 128 .b8 cv[256];\n"
                     ".shared .align 128 .b8 sv[4096];\n.entry k(.param .align 16 .b8 kp[64])\n{\n%s\t%s\n\tret;\n}\n",
                     version, target, regs, text);
    ptx_module *module = NULL;
    ptx_status status = ptx_module_create(NULL, source, (size_t)n, &module);
    ptx_module_destroy(module);
    return status == PTX_OK;
}

static void test_neighbours(void **state)
{
    FILE *f = fopen("tests/isa/neighbours.txt", "r");
    char line[1024], target[16], version[8], verdict[16];
    int used;
    (void)state;
    assert_non_null(f);
    faults = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#')
            continue;
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_neighbours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
