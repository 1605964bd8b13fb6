/*
 * nearest.c - the visible name most like one that is not declared.
 *
 * Two names are near when one insertion, deletion, change or swap of neighbours
 * makes one from the other; a different case of letters counts as near, too.
 */
#include <ctype.h>
#include <string.h>
#include "check/checker.h"

static bool same_but_case(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* What is left of the longer name without its first byte equals the shorter; or one byte, or two neighbours,
 * differ. */
static bool one_edit(const char *a, size_t n, const char *b, size_t m)
{
    size_t i = 0;
    while (i < n && i < m && a[i] == b[i]) i++;
    if (n > m) return n == m + 1 && strcmp(a + i + 1, b + i) == 0;
    if (m > n) return m == n + 1 && strcmp(a + i, b + i + 1) == 0;
    if (i == n || strcmp(a + i + 1, b + i + 1) == 0) return true;
    return a[i] == b[i + 1] && a[i + 1] == b[i] && strcmp(a + i + 2, b + i + 2) == 0;
}

static bool is_visible(const struct px_name *name)
{
    const struct px_symbol *symbol = name->bound;
    return symbol && symbol->kind != PX_SYM_RANGE;
}

const struct px_name *px_nearest_name(const struct px_names *names, const struct px_name *name, bool *alone)
{
    enum { NAMES_MAX = 100000 };
    const struct px_name *best = NULL;
    *alone = true;
    if (names->n > NAMES_MAX || name->len < 2) return NULL;
    for (uint32_t i = 0; i <= names->mask; i++)
        for (const struct px_name *other = names->buckets[i]; other; other = other->next) {
            if (other == name || !is_visible(other)) continue;
            if (same_but_case(name->text, other->text)) return other;
            if (!one_edit(name->text, name->len, other->text, other->len)) continue;
            *alone = !best;
            best = best && strcmp(best->text, other->text) < 0 ? best : other;
        }
    return best;
}
