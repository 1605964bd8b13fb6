/* align.c - the longest common subsequence of two lists.
 *
 * What both lists begin and end with is set aside; between these the greedy search of Myers finds the
 * shortest way from one to the other and keeps the front of each step to walk back. Its time and memory grow
 * with the number of differences, so the search ends after a few thousand; then the remaining lines count as
 * different where they are not alike one by one. */
#include "align.h"

#include <stdlib.h>
#include <string.h>
#include "options.h"

enum { MOST_STEPS = 2000 };

struct search {
    align_fn alike;
    const void *user;
    size_t from, n, m; /* what is left: from..from+n of the one, from..from+m of the other */
    uint32_t *other;
    long *fronts[MOST_STEPS + 1]; /* of step d: furthest x on diagonals -d..d */
};

static bool alike(const struct search *s, size_t x, size_t y)
{
    return s->alike(s->user, s->from + x, s->from + y);
}

/* Where diagonal k is reached from the front of step d-1: by a deletion or by an insertion. */
static bool comes_down(const long *before, long d, long k)
{
    return k == -d || (k != d && before[k - 1] < before[k + 1]);
}

static long follow(const struct search *s, long x, long y)
{
    while (x < (long)s->n && y < (long)s->m && alike(s, (size_t)x, (size_t)y)) {
        x++;
        y++;
    }
    return x;
}

/* The step that reaches the end; -1 when it takes too many. */
static long search(struct search *s)
{
    for (long d = 0; d <= MOST_STEPS; d++) {
        s->fronts[d] = must_grow(NULL, (size_t)(2 * d + 3) * sizeof(long));
        long *front = s->fronts[d] + d + 1;
        const long *before = d ? s->fronts[d - 1] + d : NULL;
        for (long k = -d; k <= d; k += 2) {
            const long x = !d ? 0 : comes_down(before, d, k) ? before[k + 1] : before[k - 1] + 1;
            front[k] = follow(s, x, x - k);
            if (front[k] >= (long)s->n && front[k] - k >= (long)s->m) return d;
        }
    }
    return -1;
}

static void walk_back(struct search *s, long d)
{
    long x = (long)s->n, y = (long)s->m;
    for (; d >= 0; d--) {
        const long k = x - y;
        const long *before = d ? s->fronts[d - 1] + d : NULL;
        const bool down = d && comes_down(before, d, k);
        const long from_x = !d ? 0 : down ? before[k + 1] : before[k - 1];
        const long start = !d ? 0 : down ? from_x : from_x + 1;
        while (x > start) {
            x--;
            y--;
            s->other[s->from + (size_t)x] = (uint32_t)(s->from + (size_t)y);
        }
        x = from_x;
        y = d ? from_x - (down ? k + 1 : k - 1) : 0;
    }
}

static void pair_up(struct search *s)
{
    for (size_t i = 0; i < s->n && i < s->m; i++)
        if (alike(s, i, i)) s->other[s->from + i] = (uint32_t)(s->from + i);
}

uint32_t *align_lines(size_t n, size_t m, align_fn is_alike, const void *user)
{
    struct search s = {.alike = is_alike, .user = user};
    s.other = must_grow(NULL, n * sizeof *s.other);
    for (size_t i = 0; i < n; i++) s.other[i] = ALIGN_NONE;
    for (; s.from < n && s.from < m && is_alike(user, s.from, s.from); s.from++)
        s.other[s.from] = (uint32_t)s.from;
    for (s.n = n - s.from, s.m = m - s.from; s.n && s.m && alike(&s, s.n - 1, s.m - 1); s.n--, s.m--)
        s.other[s.from + s.n - 1] = (uint32_t)(s.from + s.m - 1);
    const long steps = search(&s);
    if (steps >= 0)
        walk_back(&s, steps);
    else
        pair_up(&s);
    for (long d = 0; d <= MOST_STEPS && s.fronts[d]; d++) free(s.fronts[d]);
    return s.other;
}
