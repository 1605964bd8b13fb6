/*
 * print.c - the tree as canonical text: module, statements, instructions.
 *
 * One statement a line, four blanks a block. Constants are printed by value:
 * integers in decimal, floats as the bits of 0f and 0d, so that reading the
 * text back gives the very same tree.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "front/printer.h"

/* ---- output ---- */

void px_print_flush(struct px_printer *p)
{
    if (p->n && !p->status) p->status = p->write(p->user, p->text, p->n);
    p->n = 0;
}

static void put(struct px_printer *p, const char *s, size_t n)
{
    while (n) {
        size_t room = sizeof p->text - p->n, part = n < room ? n : room;
        memcpy(p->text + p->n, s, part);
        p->n += part;
        s += part;
        n -= part;
        if (p->n == sizeof p->text) px_print_flush(p);
    }
}

void px_print_text(struct px_printer *p, const char *s)
{
    put(p, s, strlen(s));
}

static void put_name(struct px_printer *p, const struct px_name *name)
{
    put(p, name->text, name->len);
}

/* For numbers and other short texts. */
void px_print_format(struct px_printer *p, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    px_print_text(p, text);
}

void px_print_indent(struct px_printer *p)
{
    enum { DEEPEST = 40 }; /* or the margin would outgrow the text */
    for (unsigned i = 0; i < p->depth && i < DEEPEST; i++) px_print_text(p, "    ");
}

/* ---- constants ---- */

/* A literal is .u64 when it ends in U or needs the top bit (PTX ISA 4.5.1). */
void px_print_int(struct px_printer *p, uint64_t bits, bool is_unsigned)
{
    if (is_unsigned)
        px_print_format(p, bits >> 63 ? "%" PRIu64 : "%" PRIu64 "U", bits);
    else if (bits == UINT64_C(1) << 63)
        px_print_format(p, "(.s64)%" PRIu64, bits);
    else
        px_print_format(p, "%" PRId64, (int64_t)bits);
}

static const char *operator_text(int op)
{
    switch (op) {
    case '+': return "+";
    case '-': return "-";
    case '*': return "*";
    case '/': return "/";
    case '%': return " % ";
    case '&': return "&";
    case '|': return "|";
    case '^': return "^";
    case '<': return "<";
    case '>': return ">";
    case '!': return "!";
    case '~': return "~";
    case PX_EOP_SHL: return "<<";
    case PX_EOP_SHR: return ">>";
    case PX_EOP_LE: return "<=";
    case PX_EOP_GE: return ">=";
    case PX_EOP_EQ: return "==";
    case PX_EOP_NE: return "!=";
    case PX_EOP_LAND: return "&&";
    default: return "||";
    }
}

static void print_list(struct px_printer *p, const struct px_expr *expr)
{
    px_print_text(p, "{");
    for (uint32_t i = 0; i < expr->n; i++) {
        px_print_text(p, i ? ", " : "");
        px_print_expr(p, expr->u.list[i]);
    }
    px_print_text(p, "}");
}

static bool holds_name(const struct px_expr *expr)
{
    return expr->kind == PX_E_NAME || expr->kind == PX_E_GENERIC ||
           (expr->kind == PX_E_BINARY && holds_name(expr->u.a));
}

/* name + constant stands bare; other trees exist only in modules with errors. */
static void print_binary(struct px_printer *p, const struct px_expr *expr)
{
    bool bare = holds_name(expr);
    px_print_text(p, bare ? "" : "(");
    px_print_expr(p, expr->u.a);
    px_print_text(p, operator_text(expr->op));
    px_print_expr(p, expr->u.b);
    px_print_text(p, bare ? "" : ")");
}

void px_print_expr(struct px_printer *p, const struct px_expr *expr)
{
    switch (expr->kind) {
    case PX_E_INT: px_print_int(p, expr->u.i, expr->is_unsigned); break;
    case PX_E_F32: px_print_format(p, "0f%08" PRIX32, (uint32_t)expr->u.i); break;
    case PX_E_F64: px_print_format(p, "0d%016" PRIX64, expr->u.i); break;
    case PX_E_NAME: put_name(p, expr->u.name); break;
    case PX_E_GENERIC:
        px_print_text(p, "generic(");
        put_name(p, expr->u.name);
        px_print_text(p, ")");
        break;
    case PX_E_MASK:
        px_print_format(p, "0x%" PRIX64 "(", expr->mask);
        px_print_expr(p, expr->u.a);
        px_print_text(p, ")");
        break;
    case PX_E_UNARY:
        px_print_text(p, operator_text(expr->op));
        px_print_expr(p, expr->u.a);
        break;
    case PX_E_BINARY: print_binary(p, expr); break;
    case PX_E_FIELD:
        px_print_expr(p, expr->u.a);
        px_print_text(p, " = ");
        px_print_expr(p, expr->u.b);
        break;
    case PX_E_LIST: print_list(p, expr); break;
    default: break;
    }
}

/* ---- operands ---- */

static void print_name(struct px_printer *p, const struct px_operand *operand)
{
    px_print_text(p, operand->minus ? "-" : operand->negated ? "!" : "");
    put_name(p, operand->u.name);
    if (operand->has_selector) px_print_format(p, ".%s", px_word_text(operand->selector));
    if (operand->has_offset) {
        px_print_text(p, "+");
        px_print_int(p, (uint64_t)operand->offset, false);
    }
}

static void print_parts(struct px_printer *p, const struct px_operand *operand, const char *open,
                        const char *between, const char *close)
{
    px_print_text(p, open);
    for (unsigned i = 0; i < operand->n; i++) {
        px_print_text(p, i ? between : "");
        px_print_operand(p, &operand->u.list[i]);
    }
    px_print_text(p, close);
}

void px_print_operand(struct px_printer *p, const struct px_operand *operand)
{
    switch (operand->kind) {
    case PX_O_NAME: print_name(p, operand); break;
    case PX_O_INT: px_print_int(p, operand->u.i, operand->is_unsigned); break;
    case PX_O_F32: px_print_format(p, "0f%08" PRIX32, (uint32_t)operand->u.i); break;
    case PX_O_F64: px_print_format(p, "0d%016" PRIX64, operand->u.i); break;
    case PX_O_EXPR: px_print_expr(p, operand->u.expr); break;
    case PX_O_SINK: px_print_text(p, "_"); break;
    case PX_O_VEC: print_parts(p, operand, "{", ", ", "}"); break;
    case PX_O_ADDR: print_parts(p, operand, "[", ", ", operand->unified ? "].unified" : "]"); break;
    case PX_O_LIST: print_parts(p, operand, "(", ", ", ")"); break;
    case PX_O_PAIR: print_parts(p, operand, "", "|", ""); break;
    case PX_O_INDEX: print_parts(p, operand, "", "[", "]"); break;
    default: break;
    }
}

/* ---- instructions ---- */

static void print_modifier(struct px_printer *p, const struct px_modifier *modifier)
{
    px_print_text(p, ".");
    put_name(p, modifier->name);
    if (modifier->bank) px_print_format(p, "[%u]", modifier->bank - 1u);
}

static void print_modifiers(struct px_printer *p, const struct px_inst *inst)
{
    uint8_t order[UINT8_MAX];
    bool ordered = p->order && p->order(inst, order);
    for (unsigned i = 0; i < inst->nmods; i++) print_modifier(p, &inst->mods[ordered ? order[i] : i]);
}

void px_print_instruction(struct px_printer *p, const struct px_inst *inst)
{
    if (inst->guard) {
        px_print_text(p, inst->guard_negated ? "@!" : "@");
        px_print_operand(p, inst->guard);
        px_print_text(p, " ");
    }
    put_name(p, inst->opcode);
    print_modifiers(p, inst);
    for (unsigned i = 0; i < inst->nopds; i++) {
        px_print_text(p, i ? ", " : " ");
        px_print_operand(p, &inst->opds[i]);
    }
    px_print_text(p, ";");
}

struct cut {
    char *at;
    size_t left;
};

static int write_cut(void *user, const char *text, size_t size)
{
    struct cut *cut = user;
    size_t n = size < cut->left ? size : cut->left;
    memcpy(cut->at, text, n);
    cut->at += n;
    cut->left -= n;
    return cut->left == 0;
}

void px_print_inst(const struct px_inst *inst, char *buf, size_t size)
{
    struct cut cut = {.at = buf, .left = size ? size - 1 : 0};
    struct px_printer p = {.write = write_cut, .user = &cut};
    if (!size) return;
    px_print_instruction(&p, inst);
    px_print_flush(&p);
    *cut.at = 0;
}

/* ---- statements ---- */

static void print_targets(struct px_printer *p, const struct px_stmt *stmt)
{
    put_name(p, stmt->u.targets.label);
    px_print_text(p, stmt->kind == PX_S_TARGETS ? ": .branchtargets " : ": .calltargets ");
    for (uint32_t i = 0; i < stmt->u.targets.n; i++) {
        const struct px_operand *target = &stmt->u.targets.list[i];
        px_print_text(p, i ? ", " : "");
        put_name(p, target->u.name);
        if (target->has_offset) px_print_format(p, "<%" PRId64 ">", target->offset);
    }
    px_print_text(p, ";");
}

static void print_loc(struct px_printer *p, const struct px_loc *loc)
{
    px_print_format(p, "%s %" PRIu32 " %" PRIu32 " %" PRIu32,
                    loc->intermediate ? ".loc_intermediate" : ".loc", loc->file, loc->line, loc->column);
    if (!loc->function) return;
    px_print_text(p, ", function_name ");
    put_name(p, loc->function);
    if (loc->function_offset) px_print_format(p, "+%" PRIu64, (uint64_t)loc->function_offset);
    px_print_format(p, ", inlined_at %" PRIu32 " %" PRIu32 " %" PRIu32, loc->inlined_file, loc->inlined_line,
                    loc->inlined_column);
}

static void print_target(struct px_printer *p, const struct px_target_list *target)
{
    px_print_text(p, ".target ");
    for (uint32_t i = 0; i < target->n; i++) {
        px_print_text(p, i ? ", " : "");
        put_name(p, target->names[i]);
    }
}

static void print_declaration(struct px_printer *p, void (*print)(struct px_printer *, const struct px_var *),
                              const struct px_var *var)
{
    print(p, var);
    px_print_text(p, ";");
}

static void print_stmt(struct px_printer *p, const struct px_stmt *stmt)
{
    switch (stmt->kind) {
    case PX_S_INST: px_print_instruction(p, &stmt->u.inst); break;
    case PX_S_LABEL:
        put_name(p, stmt->u.label);
        px_print_text(p, ":");
        break;
    case PX_S_VAR: print_declaration(p, px_print_var, stmt->u.var); break;
    case PX_S_NOTHING: print_declaration(p, px_print_nameless, stmt->u.var); break;
    case PX_S_BLOCK: px_print_block(p, &stmt->u.block); break;
    case PX_S_LOC: print_loc(p, &stmt->u.loc); break;
    case PX_S_PRAGMA: px_print_pragma(p, stmt->u.pragma); break;
    case PX_S_TARGETS:
    case PX_S_CALLTARGETS: print_targets(p, stmt); break;
    case PX_S_PROTO: px_print_proto(p, stmt->u.proto); break;
    case PX_S_FUNC: px_print_func(p, stmt->u.func); break;
    case PX_S_TARGET: print_target(p, &stmt->u.target); break;
    default: break;
    }
}

void px_print_block(struct px_printer *p, const struct px_block *block)
{
    px_print_text(p, "{\n");
    p->depth++;
    for (uint32_t i = 0; i < block->n && !p->status; i++) {
        if (block->list[i]->kind != PX_S_LABEL) px_print_indent(p);
        print_stmt(p, block->list[i]);
        px_print_text(p, "\n");
    }
    p->depth--;
    px_print_indent(p);
    px_print_text(p, "}");
}

/* ---- module ---- */

static void print_header(struct px_printer *p, const struct px_tree *tree)
{
    px_print_text(p, ".version ");
    px_print_text(p, tree->version_text);
    px_print_text(p, "\n");
    print_target(p, &tree->target);
    px_print_text(p, "\n");
    if (tree->address_size) px_print_format(p, ".address_size %u\n", tree->address_size);
}

static void print_item(struct px_printer *p, const struct px_item *item)
{
    switch (item->kind) {
    case PX_I_VAR: print_declaration(p, px_print_var, item->u.var); break;
    case PX_I_NOTHING: print_declaration(p, px_print_nameless, item->u.var); break;
    case PX_I_FUNC: px_print_func(p, item->u.func); break;
    case PX_I_FILE: px_print_file(p, item->u.file); break;
    case PX_I_SECTION: px_print_section(p, item->u.section); break;
    case PX_I_SOURCE: px_print_source(p, item->u.source); break;
    case PX_I_PRAGMA: px_print_pragma(p, item->u.pragma); break;
    case PX_I_ALIAS:
        px_print_text(p, ".alias ");
        put_name(p, item->u.alias->alias);
        px_print_text(p, ", ");
        put_name(p, item->u.alias->target);
        px_print_text(p, ";");
        break;
    case PX_I_DWARF: px_print_text(p, item->u.dwarf); break;
    default: break;
    }
    px_print_text(p, "\n");
}

int px_print(const struct px_tree *tree, px_order_fn order, ptx_write_fn write, void *user)
{
    struct px_printer p = {.write = write, .user = user, .order = order};
    print_header(&p, tree);
    for (uint32_t i = 0; i < tree->nitems && !p.status; i++) print_item(&p, &tree->items[i]);
    px_print_flush(&p);
    return p.status;
}
