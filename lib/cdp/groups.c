/*
 * groups.c - the barrier of a cooperative grid as older compilers call it.
 *
 * cudaCGGetIntrinsicHandle(1) tells the grid's workspace, which newer ones find in %envreg1 and %envreg2; 0
 * where the launch is not cooperative. The barrier itself is vm/cooperative.c's.
 */
#include "cdp/state.h"
#include "vm/cooperative.h"

enum { SCOPE_GRID = 1 }; /* cudaCGScope; 2, of several devices, went with CUDA 13 */

enum px_ext cdp_group_handle(struct px_call *call)
{
    cdp_return64(call, cdp_arg32(call, 0) == SCOPE_GRID ? call->grid->workspace : 0);
    return PX_EXT_DONE;
}

enum px_ext cdp_group_synchronize(struct px_call *call)
{
    const uint64_t handle = cdp_arg64(call, 0);
    if (!handle || handle != call->grid->workspace) return cdp_answer_only(call, PX_CUDA_INVALID_VALUE);
    return px_cooperative_meet(call->cta, &call->state) ? cdp_answer_only(call, PX_CUDA_OK) : PX_EXT_PARK;
}
