/* names.h - what handlers are called (names.c), and records as text (print.c). */
#ifndef PX_CODE_EMIT_NAMES_H
#define PX_CODE_EMIT_NAMES_H

#include "code/ir/text.h"

struct px_handler_name {
    px_handler fn;
    const char *name;
};
/* Those that nobody else sees: lists up to one without fn. */
extern const struct px_handler_name px_emit_ctl_names[], px_emit_alu_names[], px_emit_mem_names[],
    px_emit_mode_names[];

/* False: it has none that is known here. */
bool px_handler_name(const struct px_level *level, px_handler fn, char *text, size_t size);

/* The records of a function that has just been emitted: both versions, and those of lanes that stand aside.
 */
void px_emit_print(struct px_ir_text *text, const struct px_irfn *f);

#endif
