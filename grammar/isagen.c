/*
 * isagen.c - from grammar/isa.tbl and grammar/names.tbl to build/gen.
 *
 *   isagen ISA.tbl... NAMES.tbl LANE.i OUTDIR
 *
 * The last table named is names.tbl; it is read first, since every row of the
 * others refers to it. docs/isa-table.md defines both notations. LANE.i is
 * lib/ops/lane.h, preprocessed: what statements may call.
 */
#include "isagen.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct ig ig;

void ig_error(struct ig_place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: error: ", at.file, at.line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

void *ig_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p) {
        fputs("isagen: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

char *ig_text(const char *s, size_t n)
{
    char *p = ig_alloc(n + 1);
    memcpy(p, s, n);
    return p;
}

char *ig_format(const char *format, ...)
{
    char buf[4096];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(buf, sizeof buf, format, args);
    va_end(args);
    return ig_text(buf, n < (int)sizeof buf ? (size_t)n : sizeof buf - 1);
}

static FILE *open_out(const char *dir, const char *name)
{
    char *path = ig_format("%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (!f) ig_error((struct ig_place){path, 0}, "%s", strerror(errno));
    return f;
}

static void emit(const char *dir, const char *name, void (*emitter)(FILE *out))
{
    FILE *f = open_out(dir, name);
    emitter(f);
    if (fclose(f)) ig_error((struct ig_place){name, 0}, "%s", strerror(errno));
}

/* The files of one family of handlers. */
static void emit_family(const char *dir, const struct ig_family *family)
{
    FILE *cool = open_out(dir, ig_format("handlers_%s.c", family->name));
    FILE *alone = open_out(dir, ig_format("handlers_alone_%s.c", family->name));
    FILE *hot = family->hot ? open_out(dir, ig_format("handlers_hot_%s.c", family->name)) : NULL;
    ig_emit_loops(cool, family, false);
    ig_emit_alone(alone, family);
    if (hot) ig_emit_loops(hot, family, true);
    if (fclose(cool) || fclose(alone) || (hot && fclose(hot)))
        ig_error((struct ig_place){"handlers", 0}, "%s", strerror(errno));
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: isagen ISA.tbl... NAMES.tbl LANE.i OUTDIR\n", stderr);
        return 2;
    }
    const char *dir = argv[argc - 1];
    ig_read_helpers(argv[argc - 2]);
    ig_read_names(argv[argc - 3]);
    for (int i = 1; i < argc - 3; i++) ig_read_rows(argv[i]);
    ig_resolve_sets();
    ig_expand_handlers();
    ig_check_ignored();
    emit(dir, "instructions.md", ig_emit_docs); /* in the order of the table */
    ig_sort_forms();
    emit(dir, "isa_words.h", ig_emit_words);
    emit(dir, "isa_sregs.h", ig_emit_sregs);
    emit(dir, "isa_messages.h", ig_emit_messages);
    emit(dir, "isa_ops.h", ig_emit_ops);
    emit(dir, "isa_handler_ops.h", ig_emit_handler_ops);
    emit(dir, "lowerings.inc", ig_emit_lowerings);
    emit(dir, "emissions.inc", ig_emit_emissions);
    emit(dir, "op_handlers.inc", ig_emit_op_handlers);
    emit(dir, "isa_tables.c", ig_emit_tables);
    emit(dir, "ptx.dict", ig_emit_dict);
    emit(dir, "ptx.tmLanguage.json", ig_emit_textmate);
    emit(dir, "handlers_fused.c", ig_emit_fused);
    emit(dir, "handlers_table.c", ig_emit_loop_table);
    for (int i = 0; i < ig.nfamilies; i++) emit_family(dir, &ig.families[i]);
    emit(dir, "handlers.inc", ig_emit_handlers);
    emit(dir, "x86_forms.inc", ig_emit_x86);
    ig_check_handlers();
    ig_check_numbered();
}
