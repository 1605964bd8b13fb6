/*
 * not_run.c - a module for each form of the instruction table that the VM does not run: not_run DIR
 *
 * DIR/N.ptx has kernel k with one instruction of form N; the lines of standard output say the form's number,
 * the line of the instruction and the form, with line 0 for a form of which none was found. Words, operands,
 * target and version are drawn until the checker takes them. test_not_run.py reads it.
 */
#include <stdlib.h>
#include "front/module.h"
#include "match/match.h"
#include "ptx.h"
#include "unit/instance.h"

enum { TRIES = 40000, TEXT = 16384 };

static uint32_t below(uint32_t n)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)((state >> 33) % n) : 0;
}

static bool fill(struct px_match *match, const struct px_form *form)
{
    px_word name;
    bool optional;
    unsigned min, max = px_form_opds(form, &min);
    *match = (struct px_match){.form = form};
    for (unsigned s = 0; px_form_slot(form, s, &name, &optional); s++) {
        unsigned n = 0;
        while (px_form_word(form, s, n)) n++;
        if (n && !(optional && below(2))) match->value[s] = px_form_word(form, s, below(n));
    }
    return px_match_choose(match, min + below(max - min + 1), below(2)) && px_match_types(match);
}

/* Any target that the form may have. */
static const char *target_for(const struct px_form *form)
{
    const struct px_since since = px_form_since(form);
    const uint64_t mask = px_since_targets(&since);
    size_t n = 0, i;
    while (px_target_name(n)) n++;
    do i = below((uint32_t)n);
    while (since.targets ? !(mask >> i & 1) : px_target_at(i).sm < since.min_sm);
    return px_target_name(i);
}

static unsigned version_for(const struct px_form *form)
{
    unsigned n = 0;
    while (px_version_at(n)) n++;
    const unsigned version = px_version_at(below(n));
    return version < px_form_since(form).min_ptx ? px_version_at(n - 1) : version;
}

static const char *opcode_of(unsigned form)
{
    uint16_t first;
    for (px_word w = 1; w <= px_word_count(); w++) {
        const unsigned n = px_word_is_opcode(w) ? px_forms_of(w, &first) : 0;
        if (n && form >= first && form < first + n) return px_word_text(w);
    }
    return "?";
}

/* The line that the instruction stands in. */
static unsigned write_module(char *to, const struct px_match *match, const char *opcode)
{
    struct expand_text out = {0};
    struct instance w = {.match = match, .out = &out};
    const unsigned version = version_for(match->form);
    expand_put(&out, "%s", opcode);
    expand_words(match, &out);
    expand_put(&out, " ");
    instance_operands(&w);
    int at = snprintf(to, TEXT, ".version %u.%u\n.target %s\n.address_size 64\n.visible .entry k()\n{\n",
                      version / 10, version % 10, target_for(match->form));
    unsigned line = 6;
    for (unsigned t = 0; t <= PX_T_LAST; t++)
        if (w.next[t]) {
            const char *type = px_type_info((enum px_type)t)->name;
            at += snprintf(to + at, (size_t)(TEXT - at), "    .reg .%s %%%s_<%u>;\n", type, type, w.next[t]);
            line++;
        }
    snprintf(to + at, (size_t)(TEXT - at), "    %s;\n    ret;\n}\n", out.at);
    return line;
}

/* Is the kernel's first instruction of a form that does not run? A text may fit one before the form it was
 * made of. */
static bool is_not_run(const ptx_module *module)
{
    struct px_match match;
    const struct px_block *body = NULL;
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.at[i]->func) body = module->functions.at[i]->func->body;
    for (uint32_t i = 0; body && i < body->n; i++)
        if (body->list[i]->kind == PX_S_INST)
            return px_match_inst(&body->list[i]->u.inst, &match) && !px_form_executable(match.form);
    return false;
}

static bool assembles(const char *text)
{
    const ptx_module_options options = {.file_name = "form.ptx", .profile = PTX_PROFILE_ALL};
    ptx_module *module = NULL;
    const bool fine =
        ptx_module_create(&options, text, strlen(text), &module) == PTX_OK && is_not_run(module);
    ptx_module_destroy(module);
    return fine;
}

static void find(unsigned number, const char *folder)
{
    const struct px_form *form = px_form_at((uint16_t)number);
    const char *opcode = opcode_of(number);
    char text[TEXT], path[1024];
    struct px_match match;
    unsigned line = 0;
    for (unsigned i = 0; i < TRIES && !line; i++) {
        if (!fill(&match, form)) continue;
        line = write_module(text, &match, opcode);
        if (!assembles(text)) line = 0;
    }
    printf("%u\t%u\t%s\n", number, line, px_form_syntax(form));
    if (!line) return;
    snprintf(path, sizeof path, "%s/%u.ptx", folder, number);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) exit(2);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    for (unsigned n = 1; px_form_at((uint16_t)n); n++)
        if (!px_form_executable(px_form_at((uint16_t)n))) find(n, argv[1]);
    return 0;
}
