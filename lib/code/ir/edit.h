/*
 * edit.h - how a pass replaces instructions: it goes through the list and appends what is to be there
 * instead.
 *
 * The first instruction appended for those of an instruction of the text gets its PX_IR_INST_FIRST; labels
 * follow the instructions that they stood before.
 */
#ifndef PX_CODE_IR_EDIT_H
#define PX_CODE_IR_EDIT_H

#include "code/ir/fn.h"

struct px_ir_edit {
    struct px_irfn *f;
    PX_VEC(struct px_ir_inst) out;
    uint32_t *place; /* by instruction of before, and their end: in `out` */
    uint32_t origin;
    bool first; /* nothing was appended yet for what had PX_IR_INST_FIRST */
};

void px_ir_edit_begin(struct px_ir_edit *e, struct px_irfn *f);
/* Now comes instruction i of before, whose place it gives. */
const struct px_ir_inst *px_ir_edit_at(struct px_ir_edit *e, uint32_t i);
void px_ir_edit_keep(struct px_ir_edit *e, const struct px_ir_inst *in);
/*
 * Another instruction at the place of `like`, without guard and facts; of the operands the first is written.
 * Valid until the next one.
 */
struct px_ir_inst *px_ir_edit_add(struct px_ir_edit *e, const struct px_ir_inst *like, px_irop op,
                                  const struct px_ir_opd *opds, uint32_t n);
/* Takes the last one back. */
void px_ir_edit_drop(struct px_ir_edit *e);
void px_ir_edit_end(struct px_ir_edit *e);

/* A register, or a temporary of the instruction of the text that is worked on. */
struct px_ir_opd px_ir_edit_register(struct px_irfn *f, enum px_type type, bool temp);

#endif
