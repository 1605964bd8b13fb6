/* kept.h - registers that convergent code keeps as scalars (px_fcode.kept), between scalar and row. */
#ifndef PX_VM_RUN_KEPT_H
#define PX_VM_RUN_KEPT_H

#include "gang/gang.h"

/* Lanes of the running frame are about to stand at pc by themselves: their scalars become rows. The caller
 * sets px_frame.rows once it has told of all of them. */
void px_kept_part(struct px_gang *g, uint32_t pc, struct px_lanes lanes);
/* Only some of the lanes that called f together return from it. */
void px_kept_caller(struct px_gang *g, const struct px_frame *f);
/* May f go on at pc in convergent code? `together`: all of its lanes stand there. The running frame is f. */
bool px_kept_enter(struct px_gang *g, struct px_frame *f, uint32_t pc, bool together);
/* No survey of an address row holds. */
void px_kept_forget(const struct px_frame *f);

/* Rows of terms (px_lane_term), and what is known of them, unless the frame holds those of the gang's threads
 * in this grid already. */
void px_terms_fill(const struct px_gang *g, struct px_frame *f);

#endif
