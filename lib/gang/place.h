/* place.h - where an instruction stands, in words: PTX line, line of the source by .loc, and who called. */
#ifndef PX_GANG_PLACE_H
#define PX_GANG_PLACE_H

#include <stddef.h>
#include <stdint.h>

struct px_frame;
struct px_inst;
struct px_lfunc;
struct ptx_module;

/* One call that has not returned: the instruction in its caller. */
struct px_call_at {
    const struct px_lfunc *caller;
    const struct px_inst *inst; /* NULL: unknown */
};
enum { PX_CALLS_TOLD = 8 };

/* The calls that led to `frame`, innermost first, at most PX_CALLS_TOLD; and how many there are. */
uint32_t px_place_calls(const struct px_frame *frame, struct px_call_at calls[PX_CALLS_TOLD]);

/* The name of a .file of the module; "?" when there is none of that number. */
const char *px_place_file(const struct ptx_module *module, uint32_t index);
/* "x.cu:12 (inlined at y.cu:40)"; "" when no .loc stands before the instruction. */
void px_place_source(const struct px_lfunc *func, const struct px_inst *inst, char *buf, size_t size);
/* "x.ptx:12", and " (x.cu:5)" behind it where .loc tells. */
void px_place_line(const struct px_lfunc *func, const struct px_inst *inst, char *buf, size_t size);
/* "called from g at x.ptx:30 (x.cu:12), called from k at x.ptx:55", of `depth` calls; "" when there is none.
 */
void px_place_chain(const struct px_call_at calls[PX_CALLS_TOLD], uint32_t depth, char *buf, size_t size);

#endif
