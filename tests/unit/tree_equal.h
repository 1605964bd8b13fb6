/*
 * tree_equal.h - are two parsed modules the same, positions aside?
 *
 * Used by the tests that print a module and read it back. The trees have
 * different name tables, so names are compared by text.
 */
#ifndef TREE_EQUAL_H
#define TREE_EQUAL_H

#include <stdbool.h>
#include <string.h>
#include "front/ast.h"

static bool same_name(const struct px_name *a, const struct px_name *b)
{
    return !a == !b && (!a || strcmp(a->text, b->text) == 0);
}

static bool same_expr(const struct px_expr *a, const struct px_expr *b)
{
    if (!a || !b) return a == b;
    if (a->kind != b->kind || a->op != b->op || a->is_unsigned != b->is_unsigned || a->n != b->n)
        return false;
    switch (a->kind) {
    case PX_E_NAME:
    case PX_E_GENERIC: return same_name(a->u.name, b->u.name);
    case PX_E_MASK: return a->mask == b->mask && same_expr(a->u.a, b->u.a);
    case PX_E_UNARY: return same_expr(a->u.a, b->u.a);
    case PX_E_BINARY:
    case PX_E_FIELD: return same_expr(a->u.a, b->u.a) && same_expr(a->u.b, b->u.b);
    case PX_E_LIST:
        for (uint32_t i = 0; i < a->n; i++)
            if (!same_expr(a->u.list[i], b->u.list[i])) return false;
        return true;
    default: return a->u.i == b->u.i;
    }
}

static bool same_operand(const struct px_operand *a, const struct px_operand *b)
{
    if (a->kind != b->kind || a->negated != b->negated || a->minus != b->minus || a->unified != b->unified ||
        a->has_offset != b->has_offset || a->is_unsigned != b->is_unsigned || a->n != b->n ||
        a->selector != b->selector || a->offset != b->offset)
        return false;
    switch (a->kind) {
    case PX_O_NAME: return same_name(a->u.name, b->u.name);
    case PX_O_INT:
    case PX_O_F32:
    case PX_O_F64: return a->u.i == b->u.i;
    case PX_O_EXPR: return same_expr(a->u.expr, b->u.expr);
    default: break;
    }
    for (unsigned i = 0; i < a->n; i++)
        if (!same_operand(&a->u.list[i], &b->u.list[i])) return false;
    return true;
}

/* Modifiers as a set: the printer may have put them into the canonical order. */
static bool same_modifiers(const struct px_inst *a, const struct px_inst *b)
{
    bool used[256] = {false};
    if (a->nmods != b->nmods) return false;
    for (unsigned i = 0; i < a->nmods; i++) {
        unsigned j = 0;
        while (j < b->nmods && (used[j] || !same_name(a->mods[i].name, b->mods[j].name) ||
                                a->mods[i].bank != b->mods[j].bank))
            j++;
        if (j == b->nmods) return false;
        used[j] = true;
    }
    return true;
}

static bool same_inst(const struct px_inst *a, const struct px_inst *b)
{
    if (!same_name(a->opcode, b->opcode) || !same_modifiers(a, b) || a->nopds != b->nopds ||
        a->guard_negated != b->guard_negated || !a->guard != !b->guard)
        return false;
    if (a->guard && !same_operand(a->guard, b->guard)) return false;
    for (unsigned i = 0; i < a->nopds; i++)
        if (!same_operand(&a->opds[i], &b->opds[i])) return false;
    return true;
}

static bool same_attributes(const struct px_attribute *a, const struct px_attribute *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (a[i].word != b[i].word || a[i].n != b[i].n ||
            memcmp(a[i].value, b[i].value, sizeof a[i].value) != 0)
            return false;
    return true;
}

static bool same_var(const struct px_var *a, const struct px_var *b)
{
    return same_name(a->name, b->name) && a->space == b->space && a->type == b->type && a->vec == b->vec &&
           a->linkage == b->linkage && a->has_align == b->has_align && a->align == b->align &&
           a->has_ptr == b->has_ptr && a->ptr_has_align == b->ptr_has_align && a->ptr_align == b->ptr_align &&
           a->ptr_space == b->ptr_space && a->bank == b->bank && a->ndims == b->ndims &&
           a->unsized == b->unsized && a->has_range == b->has_range && a->range == b->range &&
           a->nattrs == b->nattrs && same_attributes(a->attrs, b->attrs, a->nattrs) &&
           same_expr(a->init, b->init) &&
           (!a->ndims || memcmp(a->dims, b->dims, a->ndims * sizeof *a->dims) == 0);
}

static bool same_vars(const struct px_var *a, const struct px_var *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!same_var(&a[i], &b[i])) return false;
    return true;
}

static bool same_pragma(const struct px_pragma *a, const struct px_pragma *b)
{
    if (!a || !b) return a == b;
    if (a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (strcmp(a->strings[i], b->strings[i]) != 0) return false;
    return true;
}

static bool same_directives(const struct px_directive *a, const struct px_directive *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (a[i].word != b[i].word || a[i].n != b[i].n ||
            memcmp(a[i].value, b[i].value, sizeof a[i].value) != 0 || !same_pragma(a[i].pragma, b[i].pragma))
            return false;
    return true;
}

static bool same_proto(const struct px_proto *a, const struct px_proto *b)
{
    return same_name(a->label, b->label) && a->nrets == b->nrets && a->nparams == b->nparams &&
           a->ndirs == b->ndirs && same_vars(a->rets, b->rets, a->nrets) &&
           same_vars(a->params, b->params, a->nparams) && same_directives(a->dirs, b->dirs, a->ndirs);
}

static bool same_loc(const struct px_loc *a, const struct px_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column &&
           same_name(a->function, b->function) && a->function_offset == b->function_offset &&
           a->inlined_file == b->inlined_file && a->inlined_line == b->inlined_line &&
           a->inlined_column == b->inlined_column;
}

static bool same_targets(const struct px_stmt *a, const struct px_stmt *b)
{
    if (!same_name(a->u.targets.label, b->u.targets.label) || a->u.targets.n != b->u.targets.n) return false;
    for (uint32_t i = 0; i < a->u.targets.n; i++)
        if (!same_operand(&a->u.targets.list[i], &b->u.targets.list[i])) return false;
    return true;
}

static bool same_func(const struct px_func *a, const struct px_func *b);
static bool same_block(const struct px_block *a, const struct px_block *b);

static bool same_stmt(const struct px_stmt *a, const struct px_stmt *b)
{
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case PX_S_INST: return same_inst(&a->u.inst, &b->u.inst);
    case PX_S_LABEL: return same_name(a->u.label, b->u.label);
    case PX_S_NOTHING:
    case PX_S_VAR: return same_var(a->u.var, b->u.var);
    case PX_S_TARGET:
        return a->u.target.n == b->u.target.n && same_name(a->u.target.names[0], b->u.target.names[0]);
    case PX_S_BLOCK: return same_block(&a->u.block, &b->u.block);
    case PX_S_LOC: return same_loc(&a->u.loc, &b->u.loc);
    case PX_S_PRAGMA: return same_pragma(a->u.pragma, b->u.pragma);
    case PX_S_TARGETS:
    case PX_S_CALLTARGETS: return same_targets(a, b);
    case PX_S_PROTO: return same_proto(a->u.proto, b->u.proto);
    case PX_S_FUNC: return same_func(a->u.func, b->u.func);
    default: return false;
    }
}

static bool same_block(const struct px_block *a, const struct px_block *b)
{
    if (a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_stmt(a->list[i], b->list[i])) return false;
    return true;
}

static bool same_func(const struct px_func *a, const struct px_func *b)
{
    return same_name(a->name, b->name) && a->is_entry == b->is_entry && a->linkage == b->linkage &&
           a->params_given == b->params_given && a->nrets == b->nrets && a->nparams == b->nparams &&
           a->ndirs == b->ndirs && a->nattrs == b->nattrs && same_vars(a->rets, b->rets, a->nrets) &&
           same_vars(a->params, b->params, a->nparams) && same_directives(a->dirs, b->dirs, a->ndirs) &&
           same_attributes(a->attrs, b->attrs, a->nattrs) && !a->body == !b->body &&
           (!a->body || same_block(a->body, b->body));
}

static bool same_section(const struct px_section *a, const struct px_section *b)
{
    if (!same_name(a->name, b->name) || a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct px_section_line *x = &a->lines[i], *y = &b->lines[i];
        if (!same_name(x->label, y->label) || x->type != y->type || x->n != y->n) return false;
        for (uint32_t j = 0; j < x->n; j++)
            if (!same_expr(x->values[j], y->values[j])) return false;
    }
    return true;
}

static bool same_file(const struct px_file *a, const struct px_file *b)
{
    return a->index == b->index && strcmp(a->name, b->name) == 0 && a->has_time == b->has_time &&
           a->has_size == b->has_size && a->time == b->time && a->size == b->size;
}

static bool same_item(const struct px_item *a, const struct px_item *b)
{
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case PX_I_NOTHING:
    case PX_I_VAR: return same_var(a->u.var, b->u.var);
    case PX_I_FUNC: return same_func(a->u.func, b->u.func);
    case PX_I_FILE: return same_file(a->u.file, b->u.file);
    case PX_I_SECTION: return same_section(a->u.section, b->u.section);
    case PX_I_PRAGMA: return same_pragma(a->u.pragma, b->u.pragma);
    case PX_I_ALIAS:
        return same_name(a->u.alias->alias, b->u.alias->alias) &&
               same_name(a->u.alias->target, b->u.alias->target);
    case PX_I_DWARF: return strcmp(a->u.dwarf, b->u.dwarf) == 0;
    default: return false;
    }
}

/* Index of the first item that differs; -1 when the trees are the same, -2 when the headers or counts differ.
 */
static long tree_difference(const struct px_tree *a, const struct px_tree *b)
{
    if (a->version != b->version || a->address_size != b->address_size || a->target.n != b->target.n ||
        a->nitems != b->nitems)
        return -2;
    for (uint32_t i = 0; i < a->target.n; i++)
        if (!same_name(a->target.names[i], b->target.names[i])) return -2;
    for (uint32_t i = 0; i < a->nitems; i++)
        if (!same_item(&a->items[i], &b->items[i])) return (long)i;
    return -1;
}

#endif
