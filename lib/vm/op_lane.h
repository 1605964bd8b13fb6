/* op_lane.h - what the statements of the instruction table call, for one lane. */
#ifndef PX_VM_OP_LANE_H
#define PX_VM_OP_LANE_H

#include "vm/op_int.h"
#include "vm/op_float.h"
#include "vm/op_half.h"
#include "vm/op_narrow.h"

#endif
