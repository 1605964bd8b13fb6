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

/* Of one letter more or less. Digits are seldom misspelt: sm_89 is not meant by sm_99. */
static unsigned cost(char c)
{
    return isdigit((unsigned char)c) ? NEAR + 1 : 1;
}

static unsigned most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned change(char a, char b)
{
    return same(a, b) ? 0 : most(cost(a), cost(b));
}

static unsigned swap(char a, char b)
{
    return most(cost(a), cost(b));
}

/* Letters of either case are the same. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned rows[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++)
        for (size_t k = 0; k <= m; k++) {
            unsigned best = i || k ? FAR : 0;
            if (i) best = least(best, rows[i - 1][k] + cost(a[i - 1]));
            if (k) best = least(best, rows[i][k - 1] + cost(b[k - 1]));
            if (i && k) best = least(best, rows[i - 1][k - 1] + change(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
                best = least(best, rows[i - 2][k - 2] + swap(a[i - 1], a[i - 2]));
            rows[i][k] = best;
        }
    return rows[n][m];
}

void suggest_offer(struct suggestion *s, const char *word, size_t length)
{
    if (length > LONGEST || s->length > LONGEST || !length) return;
    const unsigned limit = s->length > 3 ? NEAR : 1;
    const unsigned edits = distance(s->written, s->length, word, length);
    if (edits > limit || (*s->best && edits >= s->edits)) return;
    memcpy(s->best, word, length);
    s->best[length] = '\0';
    s->edits = edits;
}

void suggest_print(const struct suggestion *s, const char *prefix)
{
    if (*s->best) fprintf(stderr, "        note: did you mean '%s%s'?\n", prefix, s->best);
}
