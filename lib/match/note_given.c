/*
 * note_given.c - what an instruction's form expects against what was written, in plain words.
 */
#include <stdlib.h>
#include <string.h>
#include "match/inst.h"
#include "match/note.h"

unsigned px_note_line(struct ptx_module *module, px_pos pos)
{
    return px_source_place(&module->source, pos).line;
}

/* ---- what was written ---- */

/* The range that the name is spelt like, and which of it. NULL: there is none. */
static const struct px_symbol *range_of(struct ptx_module *module, const struct px_name *name,
                                        const struct px_name **base, unsigned long long *index)
{
    uint32_t at = name->len;
    while (at > 1 && name->text[at - 1] >= '0' && name->text[at - 1] <= '9') at--;
    *base = at < name->len ? px_names_find(&module->names, name->text, at) : NULL;
    *index = strtoull(name->text + at, NULL, 10);
    for (const struct px_symbol *s = *base ? (*base)->bound : NULL; s; s = s->outer)
        if (s->kind == PX_SYM_RANGE && s->u.var->range) return s;
    return NULL;
}

const char *px_note_range_end(struct ptx_module *module, const struct px_name *name)
{
    const struct px_name *base;
    unsigned long long index;
    const struct px_symbol *s = range_of(module, name, &base, &index);
    if (!s || index < s->u.var->range) return NULL;
    return px_arena_printf(&module->arena, "the range %s<%llu>, declared in line %u, ends at %s%llu",
                           base->text, (unsigned long long)s->u.var->range, px_note_line(module, s->pos),
                           base->text, (unsigned long long)s->u.var->range - 1);
}

void px_note_declared(struct ptx_module *module, struct px_diag *diag, px_pos pos, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%";
    const size_t length = strspn(module->source.text + pos, letters);
    px_diag_relate(&module->diags, diag, pos, (uint32_t)length, "'%s' is declared here", name);
}

/* `base<N>` with more members; in the text the number may stand behind blanks. */
static void fix_range(struct ptx_module *module, struct px_diag *diag, const struct px_symbol *s,
                      unsigned long long index)
{
    struct px_arena *arena = &module->arena;
    const char *text = module->source.text, *at = text + s->pos + s->name->len;
    at += strspn(at, " \t");
    if (*at != '<') return;
    at += 1 + strspn(at + 1, " \t");
    const size_t digits = strspn(at, "0123456789");
    const char *more = px_arena_printf(arena, "%llu", index + 1);
    const char *title = px_arena_printf(arena, "declare %s<%s>", s->name->text, more);
    if (digits && at[digits + strspn(at + digits, " \t")] == '>' && index < UINT32_MAX)
        px_diag_fix(&module->diags, diag,
                    &(struct px_diag_fix){NULL, (px_pos)(at - text), (uint32_t)digits, title, more, false});
}

void px_note_relate_name(struct ptx_module *module, struct px_diag *diag, const struct px_name *name)
{
    const struct px_name *base;
    unsigned long long index;
    const struct px_symbol *s = name->bound ? name->bound : range_of(module, name, &base, &index);
    if (!s) return;
    px_note_declared(module, diag, s->pos, s->name->text);
    if (s != name->bound && s->pos < diag->pos && index >= s->u.var->range) fix_range(module, diag, s, index);
}

void px_note_relate(struct ptx_module *module, struct px_diag *diag, const struct px_operand *operand)
{
    const struct px_operand *o = operand->kind == PX_O_ADDR && operand->n ? &operand->u.list[0] : operand;
    if (o->kind != PX_O_NAME) return;
    if (o->symbol)
        px_note_declared(module, diag, o->symbol->pos, o->symbol->name->text);
    else if (!px_sreg_of_word(o->u.name->word))
        px_note_relate_name(module, diag, o->u.name);
}

const char *px_note_later(struct ptx_module *module, const struct px_name *name, px_pos use)
{
    const struct px_name *base;
    unsigned long long index;
    const struct px_symbol *s = name->bound;
    if (s && s->pos > use)
        return px_arena_printf(&module->arena, "%s is declared in line %u, behind this use", name->text,
                               px_note_line(module, s->pos));
    s = range_of(module, name, &base, &index);
    if (!s || index >= s->u.var->range || s->pos <= use) return NULL;
    return px_arena_printf(&module->arena, "%s<%llu> is declared in line %u, behind this use", base->text,
                           (unsigned long long)s->u.var->range, px_note_line(module, s->pos));
}

const char *px_note_unknown(struct ptx_module *module, const struct px_name *name)
{
    const char *end = px_note_range_end(module, name), *special = end ? NULL : px_note_special(module, name);
    if (special)
        return px_arena_printf(&module->arena, "%s is not declared; did you mean '%s'?", name->text, special);
    return px_arena_printf(&module->arena, "%s is not declared%s%s", name->text, end ? ": " : "",
                           end ? end : "");
}

/* The type as one declares it: ".v4 .f32". */
static const char *type_text(struct px_arena *arena, const struct px_symbol *symbol)
{
    const char *name = px_type_info((enum px_type)symbol->type)->name;
    return symbol->vec > 1 ? px_arena_printf(arena, ".v%u .%s", symbol->vec, name)
                           : px_arena_printf(arena, ".%s", name);
}

static const char *given_variable(struct ptx_module *module, const struct px_name *name,
                                  const struct px_symbol *symbol)
{
    static const char *const spaces[] = {
        [PX_SPACE_CONST] = ".const", [PX_SPACE_GLOBAL] = ".global", [PX_SPACE_LOCAL] = ".local",
        [PX_SPACE_PARAM] = ".param", [PX_SPACE_SHARED] = ".shared", [PX_SPACE_TEX] = ".tex"};
    const struct px_var *var = symbol->u.var;
    const char *space = symbol->space <= PX_SPACE_TEX && spaces[symbol->space] ? spaces[symbol->space] : "";
    return px_arena_printf(&module->arena, "%s is %s %s%s, declared in line %u", name->text, space,
                           type_text(&module->arena, symbol), var && var->ndims ? "[]" : "",
                           px_note_line(module, symbol->pos));
}

static const char *given_symbol(struct ptx_module *module, const struct px_name *name,
                                const struct px_symbol *symbol)
{
    struct px_arena *arena = &module->arena;
    const unsigned line = px_note_line(module, symbol->pos);
    switch (symbol->kind) {
    case PX_SYM_REG:
        return px_arena_printf(arena, "%s is %s, declared in line %u", name->text, type_text(arena, symbol),
                               line);
    case PX_SYM_VAR:
    case PX_SYM_PARAM: return given_variable(module, name, symbol);
    case PX_SYM_FUNC:
    case PX_SYM_ENTRY:
        return px_arena_printf(arena, "%s is a function, declared in line %u", name->text, line);
    case PX_SYM_LABEL: return px_arena_printf(arena, "%s is a label, in line %u", name->text, line);
    default: return NULL;
    }
}

static const char *given_name(struct ptx_module *module, const struct px_operand *o)
{
    const struct px_name *name = o->u.name;
    if (o->symbol) return given_symbol(module, name, o->symbol);
    const struct px_sreg *sreg = name->text[0] == '%' ? px_sreg_of_word(name->word) : NULL;
    if (sreg && sreg->components > 1 && !o->has_selector)
        return px_arena_printf(&module->arena, "%s is a vector: take %s.x, .y or .z", name->text, name->text);
    if (sreg)
        return px_arena_printf(&module->arena, "%s is a special register of type .%s, which mov reads",
                               name->text, px_type_info((enum px_type)sreg->type)->name);
    return px_note_unknown(module, name);
}

const char *px_note_given(struct ptx_module *module, const struct px_operand *o)
{
    switch (o->kind) {
    case PX_O_NAME: return given_name(module, o);
    case PX_O_INT:
    case PX_O_EXPR: return "an integer constant is given";
    case PX_O_F32:
    case PX_O_F64: return "a floating-point constant is given";
    case PX_O_VEC:
        return px_arena_printf(&module->arena, "%u element%s given", o->n, o->n == 1 ? " is" : "s are");
    case PX_O_ADDR: return "an address is given";
    case PX_O_SINK: return "_ is given";
    case PX_O_PAIR: return "two results are given";
    default: return NULL;
    }
}

/* ---- what is expected ---- */

/* "f16x2 (in a .b32 register)" */
static const char *held_type(struct px_arena *arena, enum px_type type)
{
    const struct px_type_info *info = px_type_info(type);
    return info->declarable ? info->name
                            : px_arena_printf(arena, "%s (in a .%s register)", info->name,
                                              px_type_info((enum px_type)info->reg)->name);
}

/* NULL: the table knows no type for the operand. */
static const char *expected(const struct px_why *why, const struct px_match *match, const struct px_opd *opd)
{
    struct px_arena *arena = &why->module->arena;
    enum px_type type;
    unsigned count;
    if (opd->kind == PX_OK_ADDR) return "an address in brackets";
    if (!px_match_opd_type(match, opd, &type, &count) || type == PX_T_NONE) return NULL;
    if (count)
        return px_arena_printf(arena, "%u elements in braces, each .%s", count,
                               held_type(arena, px_match_elem(match, opd, 0)));
    if (opd->kind == PX_OK_IMM && opd->flags & PX_OPERAND_RANGE)
        return opd->lo == opd->hi ? px_arena_printf(arena, "the constant %lld", (long long)opd->lo)
                                  : px_arena_printf(arena, "a constant from %lld to %lld", (long long)opd->lo,
                                                    (long long)opd->hi);
    if (opd->kind == PX_OK_IMM) return "a constant";
    return px_arena_printf(arena, ".%s", held_type(arena, type));
}

/* Faults where the type that the form wants says what is wrong. */
static bool about_type(enum px_fault_kind kind)
{
    switch (kind) {
    case PX_FAULT_MISMATCH:
    case PX_FAULT_SIZE:
    case PX_FAULT_ILLEGAL_SIZE:
    case PX_FAULT_RESULT_VECTOR:
    case PX_FAULT_VECTOR_NEEDED:
    case PX_FAULT_VECTOR:
    case PX_FAULT_WIDTHS:
    case PX_FAULT_CLASSES:
    case PX_FAULT_PREDICATE:
    case PX_FAULT_MUST_REGISTER:
    case PX_FAULT_SREG:
    case PX_FAULT_RESULT: return true;
    default: return false;
    }
}

static const struct px_operand *base_of(const struct px_operand *o)
{
    return o->kind == PX_O_ADDR && o->n ? &o->u.list[0] : o;
}

static const char *operand_fact(const struct px_why *why, const struct px_fit *best)
{
    struct px_arena *arena = &why->module->arena;
    const struct px_fault *f = &best->fault;
    if (!f->operand || !f->opd) return "";
    const char *given = px_note_given(why->module, f->operand);
    if (f->kind == PX_FAULT_ADDRESS_SPACE || f->kind == PX_FAULT_ADDRESS_TYPE) {
        given = px_note_given(why->module, base_of(f->operand));
        return given ? px_arena_printf(arena, "%s", given) : "";
    }
    const char *wanted = about_type(f->kind) ? expected(why, &best->match, f->opd) : NULL;
    if (f->kind == PX_FAULT_RESULT_VECTOR && wanted && wanted[0] == '.') wanted = NULL;
    return given && wanted
               ? px_arena_printf(arena, "operand %u must be %s; %s", f->argument + 1, wanted, given)
               : "";
}

static const char *count_fact(const struct px_why *why, const struct px_fit *best)
{
    struct px_arena *arena = &why->module->arena;
    unsigned min, max = px_form_opds(best->match.form, &min), n = why->inst->nopds;
    if (n >= min && n <= max) return "";
    const char *wanted =
        min == max ? px_arena_printf(arena, "%u", min) : px_arena_printf(arena, "%u to %u", min, max);
    return px_arena_printf(arena, "%s operand%s expected here; %u %s given", wanted,
                           max == 1 ? " is" : "s are", n, n == 1 ? "is" : "are");
}

const char *px_note_fact(const struct px_why *why, const struct px_fit *best)
{
    if (best->stage == PX_FIT_COUNT) return count_fact(why, best);
    return best->stage == PX_FIT_OPERANDS ? operand_fact(why, best) : "";
}

/* ---- special registers ---- */

const char *px_note_special(struct ptx_module *module, const struct px_name *name)
{
    const char *best = NULL;
    unsigned least = name->len < 5 ? PX_NEAR : PX_NEAR + 1;
    if (name->text[0] != '%') return NULL;
    for (px_word word = 1; word <= px_word_count(); word++) {
        if (!px_sreg_of_word(word)) continue;
        const char *text = px_word_text(word);
        const unsigned d = px_note_distance(name->text + (text[0] != '%'), text);
        if (d >= least) continue;
        least = d;
        best = text;
    }
    return !best || best[0] == '%' ? best : px_arena_printf(&module->arena, "%%%s", best);
}
