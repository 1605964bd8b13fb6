/*
 * test_forms.c - how far each form of the instruction table is held, and by what: test_forms
 * [--write|--counts]
 *
 * A form is held by hardware when an instruction of it was run on a chip and is replayed (tests/hw), by exact
 * arithmetic when a test of tests/exec or tests/forms or a sample runs one and says what must come out, by
 * the manual when it is executed and neither is true, and otherwise it does not run. docs/fidelity-forms.md
 * is made of that
 * (--write) and must be what the table and the recordings give; tests/fidelity/bounds.txt says how many forms
 * hardware and arithmetic hold at least, and how many rest on the manual or do not run at most. It is edited
 * by hand.
 */
#include <glob.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fidelity.h"
#include "front/module.h"
#include "isa/isa.h"
#include "match/match.h"
#include "ptx.h"

enum held { NOT_RUN, MANUAL, EXACT, HARDWARE, HELD };
enum { FORMS_MAX = 2048 };

static const char *const held_name[HELD] = {"not run", "by the manual", "exact arithmetic", "hardware"};
static enum held held_by[FORMS_MAX];
static enum held looking_for; /* what a form that is found is held by */
static unsigned counts[HELD], refused;

/* ---- which forms a text has ---- */

static void look_at(const struct px_block *block)
{
    struct px_match match;
    for (uint32_t i = 0; i < block->n; i++) {
        const struct px_stmt *s = block->list[i];
        if (s->kind == PX_S_BLOCK) look_at(&s->u.block);
        if (s->kind != PX_S_INST || !px_match_inst(&s->u.inst, &match)) continue;
        const uint16_t number = px_form_number(match.form);
        if (held_by[number] != NOT_RUN && held_by[number] < looking_for) held_by[number] = looking_for;
    }
}

static void look(const char *text)
{
    ptx_module *module = NULL;
    const ptx_module_options every = {.struct_size = sizeof every, .profile = PTX_PROFILE_ALL};
    if (ptx_module_create(&every, text, strlen(text), &module) == PTX_OK)
        for (uint32_t i = 0; i < module->functions.n; i++) {
            const struct px_function *f = module->functions.at[i];
            if (f->func && f->func->body) look_at(f->func->body);
        }
    else if (looking_for == HARDWARE)
        refused++;
    ptx_module_destroy(module);
}

static char *whole_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    rewind(f);
    text = calloc(1, (size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, f) != (size_t)size) text[0] = 0;
    fclose(f);
    return text;
}

/* Files whose first lines say what must come out; those under bad/ hold faults. */
static void look_at_files(const char *root, const char *what)
{
    char pattern[1200];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%s", root, what);
    if (glob(pattern, 0, NULL, &found)) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *text = whole_file(found.gl_pathv[i]);
        if (text) look(text);
        free(text);
    }
    globfree(&found);
}

/* The approximate units, whose recordings are checksums of all inputs. */
static void look_at_units(void)
{
    enum { F32, DIV, F64, H16 };
    static const struct {
        int kind;
        const char *name;
    } units[] = {
#define UNIT(name, kind, instruction) {kind, instruction},
#include "hw/approx/units.def"
    };
    static const char *const operands[] = {"%r1, %r2", "%r1, %r2, %r3", "%d1, %d2", "%h1, %h2"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() {\n .reg .b32 %%r<4>; "
                 ".reg .b64 "
                 "%%d<3>; .reg .b16 %%h<3>;\n %s %s;\n ret;\n}\n",
                 units[i].name, operands[units[i].kind]);
        look(text);
    }
}

/* ---- the page ---- */

static unsigned form_count(void)
{
    unsigned n = 0;
    while (px_form_at((uint16_t)(n + 1))) n++;
    return n;
}

static bool on_sm_90(const struct px_form *form)
{
    const struct px_since since = px_form_since(form);
    const uint64_t targets = px_since_targets(&since);
    if (since.min_ptx > PTX_ISA_VERSION) return false;
    if (!since.targets) return since.min_sm <= 90;
    for (size_t i = 0; px_target_name(i); i++)
        if (targets >> i & 1 && (!strcmp(px_target_name(i), "sm_90") || !strcmp(px_target_name(i), "sm_90a")))
            return true;
    return false;
}

/* Why a form that sm_90 has does not run. */
static const char *reason(const struct px_form *form)
{
    const char *syntax = px_form_syntax(form), *section = px_form_section(form);
    if (strstr(section, "Texture") || strstr(section, "Surface") || !strncmp(syntax, "istypep", 7))
        return "textures and surfaces";
    if (!strncmp(syntax, "multimem", 8)) return "memory of several devices";
    if (!strncmp(syntax, "st.async", 8) || !strncmp(syntax, "red.async", 9))
        return "no form of the manual; the assembler makes no instruction of it";
    if (!strncmp(syntax, "fma", 3)) return "no form of the manual; the assembler takes the numbers for f16";
    return "needs a later target";
}

static char *page_end;

static void __attribute__((format(printf, 2, 3))) put(char **at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    *at += vsnprintf(*at, (size_t)(page_end - *at), format, list);
    va_end(list);
}

static void put_form(char **at, const struct px_form *form)
{
    const enum held held = held_by[px_form_number(form)];
    const char *why = held == NOT_RUN && on_sm_90(form) ? reason(form) : "";
    put(at, "- `%s`: %s%s%s\n", px_form_syntax(form), held_name[held], *why ? ", " : "", why);
}

static void count(void)
{
    for (unsigned n = 1; n <= form_count(); n++) counts[held_by[n]]++;
}

static unsigned count_sm_90(bool run)
{
    unsigned k = 0;
    for (unsigned n = 1; n <= form_count(); n++)
        k += on_sm_90(px_form_at((uint16_t)n)) && (held_by[n] != NOT_RUN) == run;
    return k;
}

static bool is_first_of_section(unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        if (!strcmp(px_form_section(px_form_at((uint16_t)i)), px_form_section(px_form_at((uint16_t)n))))
            return false;
    return true;
}

static void put_section(char **at, const char *section)
{
    put(at, "\n## %s\n\n", section);
    for (unsigned n = 1; n <= form_count(); n++)
        if (!strcmp(section, px_form_section(px_form_at((uint16_t)n)))) put_form(at, px_form_at((uint16_t)n));
}

static char *page(void)
{
    enum { ROOM = 1 << 20 };
    char *text = malloc(ROOM), *at = text;
    if (!text) exit(2);
    page_end = text + ROOM;
    put(&at, "# Fidelity, form by form\n\n"
             "Made by `build/tests/test_forms --write` from the instruction table and the recordings; "
             "[fidelity.md](fidelity.md) says what was recorded and how.\n\n"
             "| held by | forms | |\n|---|---|---|\n");
    put(&at,
        "| hardware | %u | an instruction of the form was run on a chip and its results are replayed |\n",
        counts[HARDWARE]);
    put(&at,
        "| exact arithmetic | %u | a test or a sample runs one, and what must come out was computed apart "
        "|\n",
        counts[EXACT]);
    put(&at, "| by the manual | %u | executed as the manual says, held by neither |\n", counts[MANUAL]);
    put(&at,
        "| not run | %u | checked; a fault where it is reached, with the place; `--coverage` names it before "
        "|\n\n",
        counts[NOT_RUN]);
    put(&at, "Of the forms that sm_90 and sm_90a have in PTX 9.0, %u run and %u do not.\n", count_sm_90(true),
        count_sm_90(false));
    for (unsigned n = 1; n <= form_count(); n++)
        if (is_first_of_section(n)) put_section(&at, px_form_section(px_form_at((uint16_t)n)));
    return text;
}

/* ---- the test ---- */

static enum held held_named(const char *name)
{
    enum held h = NOT_RUN;
    while (h < HELD && strcmp(held_name[h], name)) h++;
    return h;
}

/* Each line of the bounds holds, and there is one for each way to be held. */
static bool fits(const char *root)
{
    char path[1100], side[8], name[40];
    unsigned bound, bounded = 0;
    bool ok = true;
    snprintf(path, sizeof path, "%s/fidelity/bounds.txt", root);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    while (fscanf(f, "%7s %u %39[^\n]", side, &bound, name) == 3) {
        const enum held h = held_named(name);
        const bool least = !strcmp(side, "least");
        if (h == HELD || least != (h >= EXACT)) break;
        bounded |= 1u << h;
        if (least ? counts[h] >= bound : counts[h] <= bound) continue;
        fprintf(stderr, "test_forms: %u forms are held by: %s; bounds.txt says at %s %u\n", counts[h], name,
                side, bound);
        ok = false;
    }
    if (bounded != (1u << HELD) - 1) {
        fprintf(stderr, "test_forms: bounds.txt does not bound each count once, from the right side\n");
        ok = false;
    }
    fclose(f);
    return ok;
}

static bool same_page(const char *root, const char *text, bool write)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/../docs/fidelity-forms.md", root);
    if (write) {
        FILE *f = fopen(path, "w");
        return f && fputs(text, f) >= 0 && fclose(f) == 0;
    }
    char *have = whole_file(path);
    const bool same = have && !strcmp(have, text);
    free(have);
    if (!same) fprintf(stderr, "test_forms: docs/fidelity-forms.md is not what --write gives\n");
    return same;
}

static bool collect(const char *root)
{
    char hw[1100], samples[1100];
    snprintf(hw, sizeof hw, "%s/hw", root);
    snprintf(samples, sizeof samples, "%s/..", root);
    for (unsigned n = 1; n <= form_count(); n++)
        held_by[n] = px_form_executable(px_form_at((uint16_t)n)) ? MANUAL : NOT_RUN;
    looking_for = EXACT;
    look_at_files(root, "exec/*.ptx");
    look_at_files(root, "exec/link/*.ptx");
    look_at_files(root, "forms/*.ptx");
    look_at_files(samples, "samples/*.ptx");
    looking_for = HARDWARE;
    look_at_units();
    return recorded_alu(hw, look) && recorded_async(hw, look) && recorded_matrix(hw, look) &&
           recorded_wgmma(hw, look) && recorded_texrules(hw, look) && recorded_texture(hw, look);
}

int main(int argc, char **argv)
{
    char root[1024];
    const char *slash = strrchr(__FILE__, '/');
    const bool write = argc > 1 && !strcmp(argv[1], "--write"),
               tell = argc > 1 && !strcmp(argv[1], "--counts");
    snprintf(root, sizeof root, "%.*s/..", (int)(slash - __FILE__), __FILE__);
    if (!collect(root)) return fprintf(stderr, "test_forms: a recording cannot be read\n"), 2;
    count();
    if (tell)
        return printf("forms: %u held by hardware, %u by exact arithmetic, %u by the manual, %u not run\n",
                      counts[HARDWARE], counts[EXACT], counts[MANUAL], counts[NOT_RUN]) < 0;
    char *text = page();
    if (refused) fprintf(stderr, "test_forms: %u recorded texts are refused\n", refused);
    const bool ok = same_page(root, text, write) && fits(root) && !refused;
    free(text);
    printf("1..1\n%sok 1 - forms\n", ok ? "" : "not ");
    return !ok;
}
