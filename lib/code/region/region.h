/* region.h - loops that become machine code (docs/regions.md). */
#ifndef PX_CODE_REGION_REGION_H
#define PX_CODE_REGION_REGION_H

#include "code/emit/emit.h"
#include "code/ir/text.h"
#include "gang/region.h"

/* Is any loop to become a region? */
bool px_regions_wanted(const struct px_coder *coder);

/* Makes the regions of a function, behind its records: `end_of` is the pc behind those of each node. Their
 * code is in the coder until px_regions_place. */
void px_regions_make(struct px_emitter *e, const uint32_t *end_of);

/* The code of all functions of a kernel becomes memory that is run. Where the host refuses that there are no
 * regions. */
void px_regions_place(struct px_coder *coder, struct px_code *code);

/* What --dump-ir=regions shows of a function. */
void px_regions_print(struct px_ir_text *t, const struct px_irfn *f);

#endif
