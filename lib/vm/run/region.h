/* region.h - running a loop as machine code (gang/region.h, docs/regions.md). */
#ifndef PX_VM_RUN_REGION_H
#define PX_VM_RUN_REGION_H

#include "gang/gang.h"
#include "gang/region.h"

/* Where the lanes stand that were inside. */
struct px_region_left {
    struct px_lanes head; /* at the head: the turns were spent */
    struct px_lanes site[PX_REGION_SITES];
    bool together; /* all of them at one place, and what they share is in the frame's slots */
    uint32_t pc;   /* that place */
};

/* The region that begins at pc; NULL: none does. */
const struct px_region *px_region_at(const struct px_fcode *code, uint32_t pc);

/* Can the running entry begin it now? `together`: it runs convergent code; else what lanes share in the
 * region must be shared by those of the entry, and is put into the frame's slots. */
bool px_region_fits(struct px_gang *g, const struct px_region *r, bool together);

/*
 * Runs it for `lanes` of the running entry, which stand at its head: at most so many turns for each. Returns
 * how many turns there were; *left says where they are now. Instructions are counted.
 */
uint64_t px_region_run(struct px_gang *g, const struct px_region *r, const struct px_lanes *lanes,
                       uint64_t fuel, struct px_region_left *left);

#endif
