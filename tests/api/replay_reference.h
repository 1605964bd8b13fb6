/* replay_reference.h - recorded kernels in the reference interpreter (tests/reference). */
#ifndef TESTS_API_REPLAY_REFERENCE_H
#define TESTS_API_REPLAY_REFERENCE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reference.h"

/* What a kernel's pointer, parameter number i, leads to: `bytes` at `host`. */
struct replay_piece {
    void *host;
    size_t bytes;
};

enum { REPLAY_PIECES = 4, REPLAY_ALIGN = 256 };

/* Kernel k of the text: its parameters are the addresses of the pieces, then `more`, 8 bytes. The pieces are
 * read and written. NULL, or what went wrong (valid until the next call). */
static inline const char *replay_reference(const char *text, unsigned ctas, unsigned threads, size_t shared,
                                           const struct replay_piece *pieces, unsigned n, const void *more)
{
    static char message[512];
    const uint64_t at = 0x7f0000000000u;
    uint64_t params[REPLAY_PIECES + 1];
    size_t bytes = 0;
    for (unsigned i = 0; i < n; i++) {
        params[i] = at + bytes;
        bytes += (pieces[i].bytes + REPLAY_ALIGN - 1) / REPLAY_ALIGN * REPLAY_ALIGN;
    }
    if (more) memcpy(&params[n], more, 8);
    uint8_t *buffer = malloc(bytes);
    if (!buffer) return "no memory";
    for (unsigned i = 0; i < n; i++) memcpy(buffer + (params[i] - at), pieces[i].host, pieces[i].bytes);
    const struct ref_launch launch = {.grid = {ctas, 1, 1},
                                      .block = {threads, 1, 1},
                                      .dynamic_smem = (uint32_t)shared,
                                      .buffer = buffer,
                                      .buffer_bytes = bytes,
                                      .buffer_address = at,
                                      .params = (const uint8_t *)params,
                                      .param_bytes = (n + (more != NULL)) * 8};
    const int failed = ref_run(text, strlen(text), &launch, message, sizeof message);
    for (unsigned i = 0; i < n; i++) memcpy(pieces[i].host, buffer + (params[i] - at), pieces[i].bytes);
    free(buffer);
    return failed ? message : NULL;
}

#endif
