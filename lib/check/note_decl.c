/*
 * note_decl.c - notes below messages about calls, declarations, labels and whole modules.
 *
 * Each takes the number of diagnostics that were there before, and says something of those that came since.
 */
#include <string.h>
#include "check/checker.h"
#include "match/note.h"

/* The first diagnostic from `before` on without a note; NULL when none came, or it was dropped at the limit.
 */
static struct px_diag *newest(struct px_checker *checker, uint32_t before)
{
    struct px_diags *diags = checker->diags;
    while (before < diags->list.n && diags->list.at[before].note) before++;
    return before < diags->list.n ? &diags->list.at[before] : NULL;
}

/* ---- calls ---- */

static const char *formal_text(struct px_arena *arena, const struct px_var *formal)
{
    const char *type = px_type_info((enum px_type)formal->type)->name;
    const char *vec = formal->vec > 1 ? px_arena_printf(arena, ".v%u ", formal->vec) : "";
    const unsigned long long size = formal->ndims ? formal->dims[0] : 0;
    const char *array = size ? px_arena_printf(arena, "[%llu]", size) : formal->ndims ? "[]" : "";
    return px_arena_printf(arena, "%s.%s%s", vec, type, array);
}

void px_note_formal(struct px_checker *checker, uint32_t before, const struct px_var *formal,
                    const struct px_operand *given)
{
    struct ptx_module *module = checker->module;
    const char *text = newest(checker, before) ? px_note_given(module, given) : NULL;
    for (struct px_diag *diag = newest(checker, before); diag; diag = newest(checker, before)) {
        px_diag_note(checker->diags, diag, "the parameter is %s, declared in line %u%s%s",
                     formal_text(&module->arena, formal), px_note_line(module, formal->pos), text ? "; " : "",
                     text ? text : "");
        px_note_declared(module, diag, formal->pos, formal->name ? formal->name->text : "_");
        px_note_relate(module, diag, given);
    }
}

static const char *counted(struct px_arena *arena, unsigned n, const char *what)
{
    return px_arena_printf(arena, "%u %s%s", n, what, n == 1 ? "" : "s");
}

void px_note_arity(struct px_checker *checker, uint32_t before, px_pos declared, const unsigned wanted[2],
                   const unsigned given[2])
{
    struct px_arena *arena = &checker->module->arena;
    struct px_diag *diag = newest(checker, before);
    if (!diag) return;
    px_diag_note(checker->diags, diag,
                 "what is called, declared in line %u, has %s and %s; %u and %u are given",
                 px_note_line(checker->module, declared), counted(arena, wanted[0], "result"),
                 counted(arena, wanted[1], "parameter"), given[0], given[1]);
    px_diag_relate(checker->diags, diag, declared, 1, "what is called is declared here");
}

/* ---- declarations ---- */

/* Moves the caret to the last `text` of the declaration before its name. */
static const char *point_at(struct px_checker *checker, struct px_diag *diag, const struct px_var *var,
                            const char *text)
{
    const char *source = checker->module->source.text, *from = source + var->start, *found = NULL;
    const size_t n = strlen(text);
    for (const char *at = from; at + n <= source + var->pos; at++)
        if (!memcmp(at, text, n)) found = at;
    if (!found) return NULL;
    diag->pos = (px_pos)(found - source);
    diag->length = (uint32_t)n;
    return found + n;
}

static void note_alignment(struct px_checker *checker, struct px_diag *diag, const struct px_var *var)
{
    const char *after = point_at(checker, diag, var, ".align"), *source = checker->module->source.text;
    uint64_t below = 1;
    if (!after || !var->has_align || !var->align || var->align > UINT32_MAX) return;
    after += strspn(after, " \t");
    diag->pos = (px_pos)(after - source);
    diag->length = (uint32_t)strspn(after, "0123456789abcdefxABCDEFX");
    while (below * 2 <= var->align) below *= 2;
    px_diag_note(checker->diags, diag, "the nearest are %llu and %llu", (unsigned long long)below,
                 (unsigned long long)below * 2);
    for (uint64_t align = below; align <= 2 * below; align *= 2)
        px_fix_text(checker->module, diag, diag->pos, diag->length,
                    px_arena_printf(&checker->module->arena, "%llu", (unsigned long long)align), false);
}

static void note_type(struct px_checker *checker, struct px_diag *diag, const struct px_var *var)
{
    struct px_arena *arena = &checker->module->arena;
    const struct px_type_info *info = px_type_info((enum px_type)var->type);
    const char *holder = px_type_info((enum px_type)info->reg)->name;
    const char *found = point_at(checker, diag, var, px_arena_printf(arena, ".%s", info->name));
    px_diag_note(checker->diags, diag, "values of .%s are held by .%s variables", info->name, holder);
    if (found)
        px_fix_text(checker->module, diag, diag->pos, diag->length, px_arena_printf(arena, ".%s", holder),
                    true);
}

static void note_register_array(struct px_checker *checker, struct px_diag *diag, const struct px_var *var)
{
    const unsigned long long n = var->ndims ? var->dims[0] : 0;
    const char *type = px_type_info((enum px_type)var->type)->name, *name = var->name->text;
    if (var->ndims == 1 && n && var->vec == 1)
        px_diag_note(checker->diags, diag, ".reg .%s %s<%llu>; declares %s0 to %s%llu", type, name, n, name,
                     name, n - 1);
}

void px_note_declaration(struct px_checker *checker, uint32_t before, const struct px_var *var)
{
    struct px_diags *diags = checker->diags;
    for (uint32_t i = before; i < diags->list.n && var->name; i++) {
        struct px_diag *diag = &diags->list.at[i];
        if (diag->note || diag->pos != var->pos) continue;
        switch ((int)diag->id) {
        case PX_D_ALIGN_POWER: note_alignment(checker, diag, var); break;
        case PX_D_INSTRUCTION_TYPE: note_type(checker, diag, var); break;
        case PX_D_REG_ARRAY: note_register_array(checker, diag, var); break;
        case PX_D_INCOMPLETE:
            px_diag_note(diags, diag, "give it a size, as in %s[16], or declare it .extern", var->name->text);
            break;
        default: break;
        }
    }
}

void px_note_duplicate(struct px_checker *checker, uint32_t before, const struct px_symbol *earlier)
{
    struct px_diag *diag = newest(checker, before);
    if (diag && earlier) px_note_earlier(checker, diag, earlier);
}

/* ---- 32-bit addresses ---- */

static const struct px_operand *narrow_register(const struct px_operand *o)
{
    if (o->kind == PX_O_ADDR && o->n) o = &o->u.list[0];
    const struct px_symbol *s = o->kind == PX_O_NAME ? o->symbol : NULL;
    return s && s->kind == PX_SYM_REG && px_type_info((enum px_type)s->type)->bits == 32 ? o : NULL;
}

/* ptxas names no file for it, and the line inside its text; the place is that of the register. */
void px_note_narrow(struct px_checker *checker, struct px_diag *diag, const struct px_inst *inst)
{
    const struct px_operand *found = NULL;
    for (unsigned i = 0; i < inst->nopds; i++) {
        const struct px_operand *o = &inst->opds[i];
        if (narrow_register(o) && (!found || o->kind == PX_O_ADDR)) found = narrow_register(o);
    }
    if (!found) return;
    diag->pos = found->pos;
    diag->length = found->length;
    px_diag_note(&checker->late, diag,
                 "%s; addresses of .global memory and generic ones need a 64-bit register",
                 px_note_given(checker->module, found));
    px_note_relate(checker->module, diag, found);
}

/* ---- a module for another target ---- */

static bool is_specific(const struct px_inst *inst)
{
    const struct px_form *form = px_form_at(inst->form);
    struct px_since since = px_form_since(form);
    struct px_match match;
    if (since.targets) return true;
    if (!px_match_inst(inst, &match)) return false;
    for (unsigned i = 0; i < px_form_slots(form); i++)
        if (match.value[i] && px_match_value_since(&match, i).targets) return true;
    return false;
}

void px_note_specific(struct px_checker *checker, const struct px_inst *inst)
{
    const unsigned most = sizeof checker->specific / sizeof *checker->specific;
    if (!checker->module->arch || !checker->module->target.suffix || checker->nspecific == most ||
        !inst->form)
        return;
    for (unsigned i = 0; i < checker->nspecific; i++)
        if (checker->specific[i].name == inst->opcode) return;
    if (is_specific(inst))
        checker->specific[checker->nspecific++] = (struct px_unknown){inst->opcode, inst->pos};
}

void px_note_target(struct px_checker *checker, uint32_t before)
{
    struct ptx_module *module = checker->module;
    struct px_diag *diag = newest(checker, before);
    const char *list = "";
    for (unsigned i = 0; i < checker->nspecific; i++)
        list =
            px_arena_printf(&module->arena, "%s%s'%s' (line %u)", list, i ? ", " : "",
                            checker->specific[i].name->text, px_note_line(module, checker->specific[i].pos));
    for (unsigned i = 0; diag && i < checker->nspecific; i++)
        px_diag_relate(checker->diags, diag, checker->specific[i].pos, checker->specific[i].name->len,
                       "'%s' needs %s", checker->specific[i].name->text, module->target_text);
    if (diag && checker->nspecific)
        px_diag_note(checker->diags, diag, "instructions that need %s: %s", module->target_text, list);
    else if (diag && module->target.suffix)
        px_diag_note(checker->diags, diag, "no instruction needs %s: .target sm_%u would do",
                     module->target_text, module->target.sm);
}
