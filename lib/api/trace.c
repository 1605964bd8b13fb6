/* api/trace.c - the public function of ptx_trace.h. */
#include "ops/trace.h"
#include "vm/device/device.h"

PTX_API int ptx_trace_stored(const ptx_trace_access *access, unsigned lane, void *value, void *memory)
{
    return access && lane < access->nlanes && px_trace_stored(access, lane, value, memory);
}

PTX_API void ptx_trace_where(const ptx_trace_access *access, ptx_address address, char *words, size_t size)
{
    if (!words || !size) return;
    *words = 0;
    if (access)
        px_variable_text(px_trace_grid(access), access->reached == PTX_COUNT_SHARED, address, words, size);
}
