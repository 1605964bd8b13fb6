/* api/trace.c - the public function of ptx_trace.h. */
#include "ops/trace.h"

PTX_API int ptx_trace_stored(const ptx_trace_access *access, unsigned lane, void *value, void *memory)
{
    return access && lane < access->nlanes && px_trace_stored(access, lane, value, memory);
}
