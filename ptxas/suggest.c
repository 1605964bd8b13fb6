/* suggest.c - distances between short words: letters changed, left out, too many, or swapped. */
#include "suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63, NEAR = 2, FAR = 99 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Letters of either case are the same. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned rows[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++)
        for (size_t k = 0; k <= m; k++) {
            if (!i || !k) {
                rows[i][k] = (unsigned)(i + k);
                continue;
            }
            rows[i][k] = least(rows[i - 1][k - 1] + !same(a[i - 1], b[k - 1]),
                               least(rows[i - 1][k], rows[i][k - 1]) + 1);
            if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
                rows[i][k] = least(rows[i][k], rows[i - 2][k - 2] + 1);
        }
    return rows[n][m];
}

void suggest_offer(struct suggestion *s, const char *word, size_t length)
{
    if (length > LONGEST || s->length > LONGEST || !length) return;
    const unsigned most = s->most ? s->most : s->length > 3 ? NEAR : 1;
    const unsigned edits = distance(s->written, s->length, word, length);
    if (edits > most || (*s->best && edits >= s->edits)) return;
    memcpy(s->best, word, length);
    s->best[length] = '\0';
    s->edits = edits;
}

void suggest_print(const struct suggestion *s, const char *prefix)
{
    if (*s->best) fprintf(stderr, "        note: did you mean '%s%s'?\n", prefix, s->best);
}
