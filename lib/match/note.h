/*
 * note.h - facts for the notes below messages, as text in the module's arena; "" or NULL where nothing can be
 * said.
 */
#ifndef PX_MATCH_NOTE_H
#define PX_MATCH_NOTE_H

#include "match/match.h"

struct px_why;
struct px_fit;

/* Which operand, or how many, the nearest form has, against what was written. */
const char *px_note_fact(const struct px_why *why, const struct px_fit *best);
/* "%r4 is .b32, declared in line 7": what an operand is; NULL when there is nothing to add to its text. */
const char *px_note_given(struct ptx_module *module, const struct px_operand *operand);
/* "the range %r<8> ends at %r7"; NULL when the name is no number past a range. */
const char *px_note_range_end(struct ptx_module *module, const struct px_name *name);
/* The name, or the range that has it, is declared behind `use`; NULL: it is not. */
const char *px_note_later(struct ptx_module *module, const struct px_name *name, px_pos use);
/* "%r8 is not declared", with the range that it just misses or the special register that it resembles. */
const char *px_note_unknown(struct ptx_module *module, const struct px_name *name);
/* The special register most like the name; NULL when none is near. */
const char *px_note_special(struct ptx_module *module, const struct px_name *name);
/* Says where a name is declared, as another place of a diagnostic. */
void px_note_declared(struct ptx_module *module, struct px_diag *diag, px_pos pos, const char *name);
/* The same of what an operand names, and of the range that it just misses. */
void px_note_relate(struct ptx_module *module, struct px_diag *diag, const struct px_operand *operand);
/* The same of a name that is not known; a range that ends before it can be made longer. */
void px_note_relate_name(struct ptx_module *module, struct px_diag *diag, const struct px_name *name);
/* Do two names differ in other letters than digits? %r1 for %r2 is no slip of the pen. */
bool px_note_differs_in_letters(const char *a, const char *b);

/* fix.c: edits, as fixes of a diagnostic. */
void px_fix_text(struct ptx_module *module, struct px_diag *diag, px_pos pos, uint32_t length,
                 const char *text, bool certain);
/* `text`, which is PTX, in place of an instruction. */
void px_fix_instruction(struct ptx_module *module, struct px_diag *diag, const struct px_inst *inst,
                        const char *text);
void px_fix_version(struct ptx_module *module, struct px_diag *diag, unsigned version);
/* The version and the target that something needs. */
void px_fix_requirement(struct ptx_module *module, struct px_diag *diag, const struct px_since *since);

unsigned px_note_line(struct ptx_module *module, px_pos pos);

/* Edit distance of two short words, where a swap of neighbours is one edit; PX_NEAR + 1 stands for "far". */
enum { PX_NEAR = 2 };
unsigned px_note_distance(const char *a, const char *b);

#endif
