/* sreg.h - special registers that differ from lane to lane, or from moment to moment. */
#ifndef PX_OPS_SREG_H
#define PX_OPS_SREG_H

#include "gang/gang.h"

/* Record: d = temporary row of in->bytes bytes an element, imm = what to read. */
enum px_lane_value {
    PX_LV_TID_X,
    PX_LV_TID_Y,
    PX_LV_TID_Z,
    PX_LV_LANEID,
    PX_LV_WARPID,
    PX_LV_MASK_EQ,
    PX_LV_MASK_LE,
    PX_LV_MASK_LT,
    PX_LV_MASK_GE,
    PX_LV_MASK_GT,
    PX_LV_CLOCK,
    PX_LV_CLOCK_HI,
    PX_LV_CLOCK64,
    PX_LV_TIMER,
    PX_LV_TIMER_LO,
    PX_LV_TIMER_HI
};
int px_sreg_read(struct px_gang *g, const struct px_insn *in);
int px_nanosleep(struct px_gang *g, const struct px_insn *in);

#endif
