/* align.h - the longest common subsequence of two lists, as far as it is worth the time. */
#ifndef PTXAS_ALIGN_H
#define PTXAS_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALIGN_NONE UINT32_MAX

/* Are entry i of the first list and entry k of the second alike? */
typedef bool (*align_fn)(const void *user, size_t i, size_t k);

/* For each entry of the first list its like in the second, in rising order, or ALIGN_NONE; the caller frees
 * it. */
uint32_t *align_lines(size_t n, size_t m, align_fn alike, const void *user);

#endif
