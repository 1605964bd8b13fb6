/* cluster.c - whose shared memory a place lies in. */
#include "gang/cluster.h"

struct px_cta *px_unit_of_shared(struct px_cta *cta, const uint8_t *host)
{
    for (uint32_t i = 0; i < px_unit_n(cta); i++) {
        struct px_cta *c = px_unit_at(cta, i);
        if ((uintptr_t)host - (uintptr_t)c->shared < c->shared_bytes) return c;
    }
    return NULL;
}
