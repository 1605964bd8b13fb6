/*
 * isagen_ops.c - operations that rows name with `@name`, and what is true of them whatever the row.
 *
 * `op NAME ... : FLAG ...` declares them. isa_ops.h numbers them and isa_tables.c has their flags;
 * lowerings.inc lists them, so that each needs its function in lib/code: one that is missing does not link.
 * So does emissions.inc with those that become records: `emit`, or `emit:NAME` for what several have.
 * `handler`: both are common ones, and op_handlers.inc lists the one function that the operation needs.
 * Passes never name such an operation: the highest numbers and a header of their own leave isa_ops.h as it
 * is.
 */
#include "isagen.h"
#include <ctype.h>
#include <string.h>

static const char *const flags[] = {
    "keeps",    "memory",   "unit",    "ends",      "waits",   "plain",   "pure",  "reads",   "writes",
    "fragment", "straight", "members", "exchanges", "varies",  "barrier", "alone", "offsets", "calls",
    "words",    "switches", "pauses",  "agrees",    "differs", "later",   "anew",  "places",  "several"};
enum { FLAGS = sizeof flags / sizeof *flags };

static int find(const char *s)
{
    for (int i = 0; i < ig.nops; i++)
        if (!strcmp(ig.ops[i].name, s)) return i;
    return -1;
}

static void declare(struct ig_place at, const char *s)
{
    if (find(s) >= 0) ig_error(at, "operation '%s' is declared twice", s);
    if (ig.nops == sizeof ig.ops / sizeof *ig.ops) ig_error(at, "more than %d operations", ig.nops);
    ig.ops[ig.nops].name = ig_text(s, strlen(s));
    ig.ops[ig.nops++].at = at;
}

static void set_emitter(int first, const char *name)
{
    for (int i = first; i < ig.nops; i++)
        ig.ops[i].emitter = *name ? ig_text(name, strlen(name)) : ig.ops[i].name;
}

static unsigned flag_of(struct ig_place at, const char *s)
{
    for (unsigned i = 0; i < FLAGS; i++)
        if (!strcmp(flags[i], s)) return 1u << i;
    ig_error(at, "'%s' is no flag of operations", s);
}

static void set_flag(struct ig_place at, int first, unsigned flag, const char *word)
{
    for (int i = first; i < ig.nops; i++) {
        if (ig.ops[i].flags & flag) ig_error(at, "'%s' stands twice", word);
        ig.ops[i].flags |= flag;
    }
}

void ig_read_ops(struct ig_place at, const char *line)
{
    char *text = ig_text(line, strlen(line));
    int first = ig.nops;
    bool names = true;
    for (char *word = strtok(text, " \t"); word; word = strtok(NULL, " \t")) {
        if (!strcmp(word, ":"))
            names = false;
        else if (names)
            declare(at, word);
        else if (!strcmp(word, "emit"))
            set_emitter(first, "");
        else if (!strncmp(word, "emit:", 5))
            set_emitter(first, word + 5);
        else if (!strcmp(word, "handler"))
            for (int i = first; i < ig.nops; i++) ig.ops[i].handler = true;
        else
            set_flag(at, first, flag_of(at, word), word);
    }
}

const char *ig_op_name(struct ig_place at, const char *s)
{
    const char *name = ig_text(s, strcspn(s, " \t"));
    int i = find(name);
    if (i < 0) ig_error(at, "operation '%s' is not declared (op %s : ...)", name, name);
    ig.ops[i].used = true;
    return ig.ops[i].name;
}

int ig_op_number(const char *name)
{
    int number = 1;
    const int op = find(name);
    for (int i = 0; i < ig.nops; i++)
        number += ig.ops[i].handler == ig.ops[op].handler ? i < op : ig.ops[op].handler;
    return number;
}

static void emit_numbers(FILE *out, bool handler)
{
    const char *guard = handler ? "PX_ISA_HANDLER_OPS_H" : "PX_ISA_OPS_H";
    fprintf(out,
            "/* Made by isagen: operations that isa.tbl names, %s `handler`. */\n#ifndef %s\n#define %s\n\n",
            handler ? "with" : "without", guard, guard);
    fputs("enum {\n", out);
    for (int i = 0; i < ig.nops; i++) {
        if (!ig.ops[i].used) ig_error(ig.ops[i].at, "no row names operation '%s'", ig.ops[i].name);
        if (ig.ops[i].handler == handler)
            fprintf(out, "    PX_OP_%s = %d,\n", ig.ops[i].name, ig_op_number(ig.ops[i].name));
    }
    fputs("};\n\n#endif\n", out);
}

void ig_emit_ops(FILE *out)
{
    emit_numbers(out, false);
}

void ig_emit_handler_ops(FILE *out)
{
    emit_numbers(out, true);
}

void ig_emit_op_flag_names(FILE *out)
{
    fputs("\n/* What is true of an operation (px_op_flags). */\nenum px_operation_flag {\n", out);
    for (int i = 0; i < FLAGS; i++) fprintf(out, "    PX_OPERATION_%s = %d,\n", flags[i], 1 << i);
    fputs("};\n", out);
}

void ig_emit_op_flags(FILE *out)
{
    fputs("const uint32_t px_isa_op_flags[] = {\n    0,\n", out);
    for (int i = 0; i < ig.nops; i++)
        fprintf(out, "    [%d] = %u, /* %s */\n", ig_op_number(ig.ops[i].name), ig.ops[i].flags,
                ig.ops[i].name);
    fputs("};\n\n", out);
}

void ig_emit_lowerings(FILE *out)
{
    fputs("/* Made by isagen: PX_LOWERING(number, name) for each operation with a lowering of its own. */\n",
          out);
    for (int i = 0; i < ig.nops; i++)
        if (!ig.ops[i].handler)
            fprintf(out, "PX_LOWERING(%d, %s)\n", ig_op_number(ig.ops[i].name), ig.ops[i].name);
}

void ig_emit_emissions(FILE *out)
{
    fputs("/* Made by isagen: PX_EMISSION(number, name, function) for each operation that becomes records of "
          "its "
          "own. */\n",
          out);
    for (int i = 0; i < ig.nops; i++)
        if (ig.ops[i].emitter)
            fprintf(out, "PX_EMISSION(%d, %s, %s)\n", ig_op_number(ig.ops[i].name), ig.ops[i].name,
                    ig.ops[i].emitter);
}

void ig_emit_op_handlers(FILE *out)
{
    fputs("/* Made by isagen: PX_NAMED_HANDLER(number, name) for each operation whose handler is all of it. "
          "*/\n",
          out);
    for (int i = 0; i < ig.nops; i++)
        if (ig.ops[i].handler)
            fprintf(out, "PX_NAMED_HANDLER(%d, %s)\n", ig_op_number(ig.ops[i].name), ig.ops[i].name);
}

/* What the common lowering makes operands of: values, vectors of them, one address, or `several`. */
void ig_check_op_operands(const struct ig_form *form)
{
    const int i = form->op ? find(form->op) : -1;
    int addresses = 0;
    if (i < 0 || !ig.ops[i].handler) return;
    const bool several = ig.ops[i].flags & flag_of(form->at, "several");
    for (int k = 0; k < form->nopds; k++) {
        const struct ig_opd *o = &form->opds[k];
        addresses += o->kind == IG_O_ADDR;
        if ((o->kind != IG_O_REG && o->kind != IG_O_PRED && o->kind != IG_O_IMM && o->kind != IG_O_VEC &&
             o->kind != IG_O_ADDR && o->kind != IG_O_OTHER && !(several && o->kind == IG_O_TENSOR)) ||
            o->partner >= 0 || (addresses > 1 && !several))
            ig_error(form->at,
                     "operand %s of '%s': an operation with `handler` takes values, vectors and one address",
                     o->name, form->op);
    }
}
