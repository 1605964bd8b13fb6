/*
 * groups.c - the barrier of a cooperative grid as older compilers call it.
 *
 * cudaCGGetIntrinsicHandle(1) tells the grid's workspace, which newer ones find in %envreg1 and %envreg2; 0
 * where the launch is not cooperative. The barrier itself is vm/sched/cooperative.c's.
 */
#include "cdp/state.h"
#include "gang/gang.h"
#include "ops/trace.h"
#include "vm/sched/cooperative.h"

enum { SCOPE_GRID = 1 }; /* cudaCGScope; 2, of several devices, went with CUDA 13 */

enum px_ext cdp_group_handle(struct px_call *call)
{
    cdp_return64(call, cdp_arg32(call, 0) == SCOPE_GRID ? call->grid->workspace : 0);
    return PX_EXT_DONE;
}

static bool knows(const struct px_call *call, uint64_t handle)
{
    return handle && handle == call->grid->workspace;
}

/* Two numbers to where the first two arguments say (0: nowhere), for the handle that is the third; zeros for
 * another. */
static enum px_ext tell(struct px_call *call, uint32_t first, uint32_t second)
{
    const uint64_t to = cdp_arg64(call, 0), then = cdp_arg64(call, 8);
    const bool known = knows(call, cdp_arg64(call, 16));
    if (!known) first = second = 0;
    if ((to && !px_call_write(call, to, &first, sizeof first)) ||
        (then && !px_call_write(call, then, &second, sizeof second)))
        return cdp_answer_only(call, PX_CUDA_INVALID_VALUE);
    return cdp_answer_only(call, known ? PX_CUDA_OK : CDP_UNKNOWN);
}

/* Threads of the grid, and how many grids there are. */
enum px_ext cdp_group_size(struct px_call *call)
{
    return tell(call, (uint32_t)call->grid->ctas * call->cta->threads, 1);
}

/* The thread in the grid, and the number that an H200 gives the only grid. */
enum px_ext cdp_group_rank(struct px_call *call)
{
    return tell(call, (uint32_t)call->cta->number * call->cta->threads + call->thread, 1);
}

enum px_ext cdp_group_synchronize(struct px_call *call)
{
    if (!knows(call, cdp_arg64(call, 0))) return cdp_answer_only(call, CDP_UNKNOWN);
    if (!call->state) px_trace_thread(call->cta, call->worker, PTX_TRACE_GRID_ARRIVE, call->thread);
    if (!px_cooperative_meet(call->cta, &call->state)) return PX_EXT_PARK;
    px_trace_thread(call->cta, call->worker, PTX_TRACE_GRID_LEAVE, call->thread);
    return cdp_answer_only(call, PX_CUDA_OK);
}
