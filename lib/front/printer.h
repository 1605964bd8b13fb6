/*
 * printer.h - shared by the files that print a tree.
 *
 * Text gathers in a small buffer and goes to the write function when that is
 * full; after the function refused once nothing more is written.
 */
#ifndef PX_FRONT_PRINTER_H
#define PX_FRONT_PRINTER_H

#include "front/print.h"

struct px_printer {
    ptx_write_fn write;
    void *user;
    px_order_fn order; /* NULL: modifiers as written */
    int status;        /* first nonzero result of write */
    unsigned depth;    /* of blocks */
    size_t n;
    char text[2048];
};

void px_print_flush(struct px_printer *p);
void px_print_text(struct px_printer *p, const char *s);
void px_print_format(struct px_printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void px_print_indent(struct px_printer *p);
void px_print_int(struct px_printer *p, uint64_t bits, bool is_unsigned); /* as a constant expression */
void px_print_expr(struct px_printer *p, const struct px_expr *expr);
void px_print_operand(struct px_printer *p, const struct px_operand *operand);
void px_print_instruction(struct px_printer *p, const struct px_inst *inst);

/* print_decl.c */
void px_print_var(struct px_printer *p, const struct px_var *var);      /* without semicolon */
void px_print_nameless(struct px_printer *p, const struct px_var *var); /* up to the type */
void px_print_func(struct px_printer *p, const struct px_func *func);
void px_print_proto(struct px_printer *p, const struct px_proto *proto);
void px_print_pragma(struct px_printer *p, const struct px_pragma *pragma);
void px_print_section(struct px_printer *p, const struct px_section *section);
void px_print_source(struct px_printer *p, const struct px_source_section *source);
void px_print_file(struct px_printer *p, const struct px_file *file);

/* print.c */
void px_print_block(struct px_printer *p, const struct px_block *block);

#endif
