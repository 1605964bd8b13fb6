/* lane.h - what the statements of the instruction table call, for one lane. */
#ifndef PX_OPS_LANE_H
#define PX_OPS_LANE_H

#include "ops/int.h"
#include "ops/float.h"
#include "ops/half.h"
#include "ops/narrow.h"
#include "ops/micro.h"
#include "ops/parts.h"

#endif
