/*
 * rtc.c - NVRTC's cubin is the PTX that it made of the same program.
 *
 * Asked for a real architecture NVRTC makes machine code and keeps the PTX before it. The machine code cannot
 * be run here; the PTX is what a driver takes in its place. Asked for a virtual one it has no cubin, and says
 * so itself.
 */
#include <stddef.h>
#include "cuda/redirect/vendor.h"

typedef int size_fn(void *program, size_t *size);
typedef int text_fn(void *program, char *text);

#define SIZE_OF(copy, name) ((size_fn *)px_vendor_theirs[copy][name])
#define TEXT_OF(copy, name) ((text_fn *)px_vendor_theirs[copy][name])

/* Bytes of the PTX of a program that has machine code, too; 0: it has none of one. An empty text is a NUL. */
static size_t ptx_size(unsigned copy, void *program)
{
    size_t code = 0, ptx = 0;
    if (SIZE_OF(copy, PX_nvrtcGetCUBINSize)(program, &code) != 0 || !code) return 0;
    if (SIZE_OF(copy, PX_nvrtcGetPTXSize)(program, &ptx) != 0) return 0;
    return ptx > 1 ? ptx : 0;
}

static int cubin_size(unsigned copy, void *program, size_t *size)
{
    const size_t ptx = size ? ptx_size(copy, program) : 0;
    if (!ptx) return SIZE_OF(copy, PX_nvrtcGetCUBINSize)(program, size);
    *size = ptx;
    return 0;
}

static int cubin(unsigned copy, void *program, char *to)
{
    const enum px_vendor from = to && ptx_size(copy, program) ? PX_nvrtcGetPTX : PX_nvrtcGetCUBIN;
    return TEXT_OF(copy, from)(program, to);
}

PX_VENDOR_EACH(nvrtcGetCUBINSize, (void *program, size_t *size), cubin_size(copy, program, size))
PX_VENDOR_EACH(nvrtcGetCUBIN, (void *program, char *to), cubin(copy, program, to))
