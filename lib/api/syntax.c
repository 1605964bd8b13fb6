/*
 * api/syntax.c - the functions of ptx_syntax.h: they check arguments and forward. ptx_syntax_create holds the
 * setjmp under which all tables of a ptx_syntax are allocated.
 */
#include <string.h>
#include "isa/isa.h"
#include "ptx_syntax.h"
#include "syntax/syntax.h"

ptx_status ptx_syntax_create(const ptx_module *module, ptx_syntax **out)
{
    jmp_buf failure;
    if (!module || !out || module->check_only) return PTX_ERROR_INVALID_ARGUMENT;
    struct ptx_syntax *syntax = px_zalloc(&module->alloc, sizeof *syntax);
    if (!syntax) return PTX_ERROR_OUT_OF_MEMORY;
    syntax->module = (struct ptx_module *)module; /* immutable but for its count of references */
    px_module_retain(syntax->module);
    px_arena_init(&syntax->arena, &module->alloc, &failure);
    if (setjmp(failure)) {
        ptx_syntax_destroy(syntax);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    px_syntax_build(syntax);
    syntax->arena.on_failure = NULL;
    *out = syntax;
    return PTX_OK;
}

void ptx_syntax_destroy(ptx_syntax *syntax)
{
    if (!syntax) return;
    struct ptx_module *module = syntax->module;
    const ptx_allocator alloc = module->alloc;
    px_arena_free(&syntax->arena);
    px_free(&alloc, syntax, sizeof *syntax);
    px_module_release(module);
}

const char *ptx_syntax_text(const ptx_syntax *syntax, size_t *size)
{
    if (size) *size = syntax ? syntax->module->source.size : 0;
    return syntax ? syntax->module->source.text : "";
}

int ptx_syntax_complete(const ptx_syntax *syntax)
{
    return syntax && syntax->module->tree.complete;
}

/* A list of the tree: its length, and where it begins. */
#define PX_LIST_OF(name, type)                                                                               \
    size_t ptx_syntax_##name(const ptx_syntax *syntax, const type **name)                                    \
    {                                                                                                        \
        if (name) *name = syntax ? syntax->name.at : NULL;                                                   \
        return syntax ? syntax->name.n : 0;                                                                  \
    }
PX_LIST_OF(tokens, ptx_token)
PX_LIST_OF(parts, ptx_part)
PX_LIST_OF(symbols, ptx_symbol)
PX_LIST_OF(uses, ptx_use)

/* ---- the table of instructions ---- */

static bool in_profile(ptx_profile profile, unsigned version)
{
    return profile == PTX_PROFILE_ALL || version <= PTX_ISA_VERSION;
}

static bool form_in_profile(ptx_profile profile, const struct px_form *form)
{
    return in_profile(profile, px_form_since(form).min_ptx);
}

unsigned ptx_opcode_form(ptx_profile profile, const char *opcode, size_t length, size_t i)
{
    uint16_t first;
    const unsigned n = opcode ? px_forms_of(px_word_find(opcode, length), &first) : 0;
    for (unsigned f = 0; f < n; f++)
        if (form_in_profile(profile, px_form_at((uint16_t)(first + f))) && i-- == 0) return first + f;
    return 0;
}

/* The name of a list of targets is the first of them: the others follow it in the family. */
static const char *first_target(const struct px_since *since)
{
    const uint64_t set = px_since_targets(since);
    for (size_t i = 0; px_target_name(i); i++)
        if (set ? set >> i & 1 : px_target_at(i).sm == since->min_sm) return px_target_name(i);
    return "";
}

ptx_status ptx_form_about(unsigned form, ptx_form_info *info)
{
    const struct px_form *row = form <= UINT16_MAX ? px_form_at((uint16_t)form) : NULL;
    if (!row || !info) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_since since = px_form_since(row);
    *info = (ptx_form_info){.syntax = px_form_syntax(row),
                            .section = px_form_section(row),
                            .version = since.min_ptx,
                            .target = first_target(&since),
                            .executed = px_form_executable(row)};
    return PTX_OK;
}

const char *ptx_known_opcode(ptx_profile profile, size_t i)
{
    for (px_word word = 1; word <= px_word_count(); word++)
        if (px_word_is_opcode(word) && in_profile(profile, px_word_version(word)) && i-- == 0)
            return px_word_text(word);
    return NULL;
}

const char *ptx_form_words(unsigned form, unsigned slot, ptx_name_fn name, void *user)
{
    const struct px_form *row = form <= UINT16_MAX ? px_form_at((uint16_t)form) : NULL;
    px_word called, word;
    bool optional;
    if (!row || !px_form_slot(row, slot, &called, &optional)) return NULL;
    for (unsigned i = 0; name && (word = px_form_word(row, slot, i)); i++)
        if (name(user, px_word_text(word))) break;
    return px_word_text(called);
}

/* Splits "ld.global.v4" into words; false when one of them is no word of PTX. */
static bool split(const char *text, size_t length, px_word words[PX_MAX_SLOTS], unsigned *n)
{
    const char *end = text + length;
    for (*n = 0; text < end; text++) {
        const char *dot = memchr(text, '.', (size_t)(end - text));
        const size_t size = (size_t)((dot ? dot : end) - text);
        if (*n == PX_MAX_SLOTS || !(words[(*n)++] = px_word_find(text, size))) return false;
        text += size;
    }
    return *n > 0;
}

ptx_status ptx_next_modifiers(ptx_profile profile, const char *instruction, size_t length, ptx_name_fn name,
                              void *user)
{
    px_word words[PX_MAX_SLOTS], word;
    uint8_t seen[PX_W_LIMIT / 8] = {0};
    bool found = false;
    uint16_t first;
    unsigned n;
    if (!instruction || !name) return PTX_ERROR_INVALID_ARGUMENT;
    if (!split(instruction, length, words, &n)) return PTX_ERROR_NOT_FOUND;
    const unsigned forms = px_forms_of(words[0], &first);
    for (unsigned f = 0; f < forms; f++) {
        struct px_match match = {.form = px_form_at((uint16_t)(first + f))};
        if (!form_in_profile(profile, match.form)) continue;
        for (unsigned slot = 0; slot < px_form_slots(match.form); slot++)
            for (unsigned i = 0; (word = px_form_word(match.form, slot, i)); i++) {
                if (seen[word / 8] >> word % 8 & 1 || !in_profile(profile, px_word_version(word))) continue;
                if (!px_match_continues(&match, words + 1, n - 1, word)) continue;
                found = true;
                seen[word / 8] |= (uint8_t)(1 << word % 8);
                if (name(user, px_word_text(word))) return PTX_ERROR_INTERRUPTED;
            }
    }
    return found ? PTX_OK : PTX_ERROR_NOT_FOUND;
}

int ptx_special_register(const char *name, size_t length, const char **type, unsigned *components,
                         unsigned *version)
{
    const struct px_sreg *sreg =
        name && length > 1 && *name == '%' ? px_sreg_of_word(px_word_find(name + 1, length - 1)) : NULL;
    if (!sreg) return 0;
    if (type) *type = px_type_info((enum px_type)sreg->type)->name;
    if (components) *components = sreg->components;
    if (version) *version = sreg->min_ptx;
    return 1;
}
