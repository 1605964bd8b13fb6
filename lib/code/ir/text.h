/*
 * text.h - the text form of the IR (docs/ir.md defines it): print.c makes it, dot.c draws it, read.c reads
 * it.
 *
 * Registers have the names of the text, so that dumps of two configurations can be compared line by line.
 */
#ifndef PX_CODE_IR_TEXT_H
#define PX_CODE_IR_TEXT_H

#include "code/ir/fn.h"

/* What only the text form needs to know of a function. */
struct px_ir_names {
    const char **regs; /* by register, for the first n; others are $NUMBER */
    uint32_t n;
    const char **origins; /* by origin, where the function was read from such a text; else NULL */
};

/* Text that grows in an arena. */
struct px_ir_text {
    struct px_arena *arena;
    PX_VEC(char) out;
};
void px_ir_text_add(struct px_ir_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Names of operations, by their number and small fact, and back. `fact` is left as it is where the name says
 * nothing of it. */
struct px_ir_spelling {
    const char *prefix, *name;
    bool fact; /* the name says it */
};
struct px_ir_spelling px_ir_spell(const struct px_level *level, px_irop op, uint16_t fact);
bool px_ir_spelled(const struct px_level *level, const char *name, size_t n, px_irop *op, uint16_t *fact);
/* The other words: a type, or "word" for those of parameters; a state space; a field of struct px_uniform
 * with an index behind it; how a source is read; a mode; what a term is made by. NULL: none. */
const char *px_ir_type_name(unsigned type);
bool px_ir_type_named(const char *name, size_t n, uint8_t *type);
const char *px_ir_space_name(unsigned space);
bool px_ir_space_named(const char *name, size_t n, uint8_t *space);
const char *px_ir_uniform_name(uint32_t at, char *text, size_t size);
bool px_ir_uniform_named(const char *name, size_t n, uint32_t *at);
enum { PX_IR_FUSE_NAMES = 3 };
extern const char *const px_ir_flag_names[8], *const px_ir_term_names[6],
                                                  *const px_ir_fuse_names[PX_IR_FUSE_NAMES];
const char *px_ir_mode_name(uint8_t fp, char text[16]);
bool px_ir_mode_named(const char *name, size_t n, uint8_t *fp);
uint32_t px_ir_elem_of(unsigned type); /* bytes of an element of the type */

/* Gives f->names: after lowering, whose lists it asks. */
void px_ir_name(struct px_irfn *f);
/* The register's name; valid until the next four. */
const char *px_ir_reg_name(const struct px_irfn *f, uint32_t reg, char text[24]);

/* The line that says which instruction of the text comes next. */
void px_ir_print_origin(struct px_ir_text *text, const struct px_irfn *f, uint32_t origin);
/* One instruction, without its place and without a newline. */
void px_ir_print_inst(struct px_ir_text *text, const struct px_irfn *f, const struct px_ir_inst *in);
/* The function as it is after the pass of this name. */
void px_ir_print(struct px_ir_text *text, const struct px_irfn *f, const char *after);
/* The same as a graph for dot. */
void px_ir_draw(struct px_ir_text *text, const struct px_irfn *f, const char *after);

/*
 * The function of a text, in the coder's scratch arena, with the fields set that passes from `uniform` to
 * `rows` ask for; where the text says that it is of a later pass than `blocks` its graph is made. NULL: *line
 * and *why say what is wrong.
 */
struct px_irfn *px_ir_read(struct px_coder *coder, const char *text, unsigned *line, const char **why);

#endif
