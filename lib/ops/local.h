/* local.h - local memory at places of its lanes' own: one place of all lanes is rows (reach.h). */
#ifndef PX_OPS_LOCAL_H
#define PX_OPS_LOCAL_H

#include "ops/mem.h"

/*
 * The load or store of these lanes, all of which name aligned places inside their own local memory. False:
 * they do not, and nothing has been done. The rows are those of f's elements.
 */
bool px_local_load(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                   const uint32_t to[4], struct px_form f);
bool px_local_store(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                    const uint32_t from[4], struct px_form f);

#endif
