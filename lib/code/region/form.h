/* form.h - machine forms of statements, as the table of instructions has them (docs/isa-table.md). */
#ifndef PX_CODE_REGION_FORM_H
#define PX_CODE_REGION_FORM_H

#include "code/region/x86.h"

/* Operands of the statement, what lies between its steps, a constant. */
enum px_form_operand {
    PX_FORM_NONE,
    PX_FORM_D,
    PX_FORM_A,
    PX_FORM_B,
    PX_FORM_C,
    PX_FORM_T,
    PX_FORM_U,
    PX_FORM_CONSTANT
};
enum { PX_FORM_STEPS = 4, PX_FORM_OPERANDS = 4 };

struct px_form_step {
    uint8_t insn;                  /* enum px_x86_insn */
    uint8_t opd[PX_FORM_OPERANDS]; /* enum px_form_operand, the result first */
    uint8_t mask;                  /* the predicate that says for which lanes; 0: all */
    uint8_t imm;
};

/* Only the last step writes d. */
struct px_machine_form {
    uint16_t handler; /* as px_level.sets has it */
    uint8_t n;
    struct px_form_step step[PX_FORM_STEPS];
    uint64_t constant;
    const char *text; /* "vpaddd d,a,b" */
};

const struct px_machine_form *px_machine_form(unsigned handler); /* NULL: it has none */
/* All of them; *n is how many. */
const struct px_machine_form *px_machine_forms(unsigned *n);

#endif
