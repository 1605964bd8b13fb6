/*
 * print_decl.c - declarations, functions, directives and debug data as text.
 *
 * Every declarator gets a declaration of its own; the order of attributes is
 * the one that the grammar takes: space, alignment, attributes, vector, type.
 */
#include <inttypes.h>
#include <string.h>
#include "front/printer.h"

static void put_name(struct px_printer *p, const struct px_name *name)
{
    px_print_text(p, name ? name->text : "_");
}

static const char *linkage_text(uint8_t linkage)
{
    static const char *const texts[] = {"", ".extern ", ".visible ", ".weak ", ".common "};
    return texts[linkage];
}

static px_word space_word(uint8_t space)
{
    switch (space) {
    case PX_SPACE_REG: return PX_W_reg;
    case PX_SPACE_CONST: return PX_W_const;
    case PX_SPACE_GLOBAL: return PX_W_global;
    case PX_SPACE_LOCAL: return PX_W_local;
    case PX_SPACE_PARAM: return PX_W_param;
    case PX_SPACE_SHARED: return PX_W_shared;
    case PX_SPACE_TEX: return PX_W_tex;
    default: return PX_W_NONE;
    }
}

static void print_space(struct px_printer *p, const struct px_var *var)
{
    if (!space_word(var->space)) return;
    px_print_format(p, ".%s", px_word_text(space_word(var->space)));
    if (var->bank >= 0) px_print_format(p, "[%d]", var->bank);
    px_print_text(p, " ");
}

static void print_attributes(struct px_printer *p, const struct px_attribute *attrs, unsigned n)
{
    if (!n) return;
    px_print_text(p, ".attribute(");
    for (unsigned i = 0; i < n; i++) {
        px_print_format(p, "%s.%s", i ? ", " : "", px_word_text(attrs[i].word));
        if (attrs[i].n)
            px_print_format(p, "(%" PRIu64 ", %" PRIu64 ")", attrs[i].value[0], attrs[i].value[1]);
    }
    px_print_text(p, ") ");
}

static void print_ptr(struct px_printer *p, const struct px_var *var)
{
    if (!var->has_ptr) return;
    px_print_text(p, ".ptr");
    if (space_word(var->ptr_space)) px_print_format(p, " .%s", px_word_text(space_word(var->ptr_space)));
    if (var->ptr_type) px_print_format(p, " .%s", px_type_info((enum px_type)var->ptr_type)->name);
    if (var->ptr_has_align) px_print_format(p, " .align %" PRIu64, var->ptr_align);
    px_print_text(p, " ");
}

static void print_dims(struct px_printer *p, const struct px_var *var)
{
    if (var->has_range) px_print_format(p, "<%" PRIu64 ">", var->range);
    for (unsigned i = 0; i < var->ndims; i++) {
        if (i == 0 && var->unsized)
            px_print_text(p, "[]");
        else
            px_print_format(p, "[%" PRIu64 "]", var->dims[i]);
    }
}

void px_print_nameless(struct px_printer *p, const struct px_var *var)
{
    px_print_text(p, linkage_text(var->linkage));
    print_space(p, var);
    if (var->has_align) px_print_format(p, ".align %" PRIu64 " ", var->align);
    print_attributes(p, var->attrs, var->nattrs);
    if (var->vec > 1) px_print_format(p, ".v%u ", var->vec);
    px_print_format(p, ".%s ", px_type_info((enum px_type)var->type)->name);
}

void px_print_var(struct px_printer *p, const struct px_var *var)
{
    px_print_nameless(p, var);
    print_ptr(p, var);
    put_name(p, var->name);
    print_dims(p, var);
    if (var->init) {
        px_print_text(p, " = ");
        px_print_expr(p, var->init);
    }
}

/* ---- functions ---- */

static void print_params(struct px_printer *p, const struct px_var *vars, unsigned n)
{
    px_print_text(p, "(");
    for (unsigned i = 0; i < n; i++) {
        px_print_text(p, i ? ", " : "");
        px_print_var(p, &vars[i]);
    }
    px_print_text(p, ")");
}

static void print_quoted(struct px_printer *p, const char *text)
{
    px_print_text(p, "\"");
    px_print_text(p, text);
    px_print_text(p, "\"");
}

void px_print_pragma(struct px_printer *p, const struct px_pragma *pragma)
{
    px_print_text(p, ".pragma ");
    for (uint32_t i = 0; i < pragma->n; i++) {
        px_print_text(p, i ? ", " : "");
        print_quoted(p, pragma->strings[i]);
    }
    px_print_text(p, ";");
}

static void print_values(struct px_printer *p, const struct px_value *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        px_print_text(p, i ? ", " : " ");
        if (values[i].text)
            print_quoted(p, values[i].text);
        else
            px_print_format(p, "%" PRIu64, values[i].number);
    }
}

static void print_directives(struct px_printer *p, const struct px_directive *dirs, unsigned n,
                             const char *before)
{
    for (unsigned i = 0; i < n; i++) {
        px_print_text(p, before);
        if (dirs[i].pragma) {
            px_print_pragma(p, dirs[i].pragma);
            continue;
        }
        px_print_format(p, ".%s", px_word_text(dirs[i].word));
        for (unsigned j = 0; j < dirs[i].n; j++)
            px_print_format(p, "%s%" PRIu64, j ? ", " : " ", dirs[i].value[j]);
        print_values(p, dirs[i].list, dirs[i].nlist);
    }
}

void px_print_func(struct px_printer *p, const struct px_func *func)
{
    px_print_text(p, linkage_text(func->linkage));
    px_print_text(p, func->is_entry ? ".entry " : ".func ");
    print_attributes(p, func->attrs, func->nattrs);
    if (func->nrets) {
        print_params(p, func->rets, func->nrets);
        px_print_text(p, " ");
    }
    put_name(p, func->name);
    if (func->params_given) print_params(p, func->params, func->nparams);
    print_directives(p, func->dirs, func->ndirs, "\n    ");
    if (!func->body) {
        px_print_text(p, ";");
        return;
    }
    px_print_text(p, "\n");
    px_print_block(p, func->body);
}

void px_print_proto(struct px_printer *p, const struct px_proto *proto)
{
    put_name(p, proto->label);
    px_print_text(p, ": .callprototype ");
    if (proto->nrets) {
        print_params(p, proto->rets, proto->nrets);
        px_print_text(p, " ");
    }
    px_print_text(p, "_ ");
    print_params(p, proto->params, proto->nparams);
    print_directives(p, proto->dirs, proto->ndirs, " ");
    px_print_text(p, ";");
}

/* ---- debug data ---- */

void px_print_source(struct px_printer *p, const struct px_source_section *source)
{
    px_print_text(p, ".nv_intermediate_source_section {\n");
    for (uint32_t i = 0; i < source->n; i++) {
        const struct px_code_block *block = &source->blocks[i];
        px_print_text(p, "    .code_block {\n        .ir_name: ");
        print_quoted(p, block->name);
        px_print_format(p, "\n        .sourceFileName: %" PRIu64 "\n        .source_begin", block->file);
        px_print_text(p, block->text);
        px_print_text(p, ".source_end\n    }\n");
    }
    px_print_text(p, "}");
}

void px_print_file(struct px_printer *p, const struct px_file *file)
{
    px_print_format(p, ".file %" PRIu64 " \"", file->index);
    px_print_text(p, file->name);
    px_print_text(p, "\"");
    if (file->has_time) px_print_format(p, ", %" PRIu64, file->time);
    if (file->has_size) px_print_format(p, ", %" PRIu64, file->size);
}

static void print_line(struct px_printer *p, const struct px_section_line *line)
{
    if (line->label) {
        px_print_text(p, line->label->text);
        px_print_text(p, ":\n");
        return;
    }
    px_print_format(p, "    .%s ", px_word_text(line->type));
    for (uint32_t i = 0; i < line->n; i++) {
        px_print_text(p, i ? ", " : "");
        px_print_expr(p, line->values[i]);
    }
    px_print_text(p, "\n");
}

void px_print_section(struct px_printer *p, const struct px_section *section)
{
    px_print_text(p, ".section .");
    px_print_text(p, section->name->text);
    px_print_text(p, "\n{\n");
    for (uint32_t i = 0; i < section->n && !p->status; i++) print_line(p, &section->lines[i]);
    px_print_text(p, "}");
}
