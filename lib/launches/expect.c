/*
 * expect.c - patterns of launches, and whether a list holds what they ask for (docs/launches.md).
 *
 *     pattern = "depth" range | { range "x" | "refused" } name [ shape ] [ parameters ] [ "from" name ]
 *     shape = "<<<" extent "," extent [ "," range [ "," stream ] ] ">>>"
 *     extent = range { "x" range }
 *     parameters = "(" [ parameter { "," parameter } ] ")"
 *     parameter = "..." | [ name "=" ] value
 *     range = "*" | number | [ number ] ".." [ number ]
 *
 * A pattern is read once, into offsets of its own text; each launch is then held against it, and what fails
 * last is told.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "launches/launches.h"

enum { PARAMS_MOST = 256 };

struct span {
    const char *at;
    size_t n;
};

struct range {
    uint64_t least, most;
};

struct wanted_param {
    struct span name, value; /* name.n 0: by position */
};

struct pattern {
    bool depth, refused, counted;
    struct range count;
    struct span name, from; /* from.n 0: any kernel */
    bool shaped, listed, open;
    struct range grid[3], block[3], shared;
    struct span stream; /* n 0: any */
    struct wanted_param params[PARAMS_MOST];
    uint32_t nparams;
};

/* ---- reading ---- */

struct reader {
    const char *text, *at, *wrong; /* wrong: what is expected at `at`; NULL: all is well */
};

static void blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool take(struct reader *r, const char *word)
{
    blanks(r);
    const size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0) return false;
    if (isalpha((unsigned char)*word) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')) return false;
    r->at += n;
    return true;
}

static void want(struct reader *r, const char *word)
{
    if (!r->wrong && !take(r, word)) r->wrong = word;
}

static bool read_number(struct reader *r, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)*r->at)) return false;
    *number = strtoull(r->at, &end, 10);
    r->at = end;
    return true;
}

static bool read_range(struct reader *r, struct range *range)
{
    *range = (struct range){0, UINT64_MAX};
    if (take(r, "*")) return true;
    blanks(r);
    const bool low = read_number(r, &range->least);
    if (!take(r, "..")) {
        range->most = range->least;
        return low;
    }
    const bool high = read_number(r, &range->most);
    return low || high;
}

static struct span read_word(struct reader *r, const char *stop)
{
    blanks(r);
    const char *from = r->at;
    while (*r->at && !strchr(stop, *r->at)) r->at++;
    const char *end = r->at;
    while (end > from && isspace((unsigned char)end[-1])) end--;
    return (struct span){from, (size_t)(end - from)};
}

static void read_extent(struct reader *r, struct range extent[3])
{
    extent[1] = extent[2] = (struct range){1, 1};
    blanks(r);
    if (*r->at == '*') extent[1] = extent[2] = (struct range){0, UINT64_MAX};
    for (int i = 0; i < 3 && !r->wrong; i++) {
        if (!read_range(r, &extent[i])) r->wrong = "a number of blocks or threads";
        if (i == 2 || *r->at != 'x') return;
        r->at++;
    }
}

static void read_shape(struct reader *r, struct pattern *p)
{
    p->shared = (struct range){0, UINT64_MAX};
    if (!take(r, "<<<")) return;
    p->shaped = true;
    read_extent(r, p->grid);
    want(r, ",");
    read_extent(r, p->block);
    if (take(r, ",") && !read_range(r, &p->shared)) r->wrong = "bytes of shared memory";
    if (take(r, ",")) p->stream = read_word(r, ">");
    want(r, ">>>");
}

static void read_param(struct reader *r, struct pattern *p)
{
    if (p->nparams == PARAMS_MOST) {
        r->wrong = "fewer parameters";
        return;
    }
    struct wanted_param *w = &p->params[p->nparams++];
    *w = (struct wanted_param){{NULL, 0}, read_word(r, "=,)")};
    if (*r->at == '=') {
        r->at++;
        w->name = w->value;
        w->value = read_word(r, ",)");
    }
    if (!w->value.n) r->wrong = "a value";
}

static void read_params(struct reader *r, struct pattern *p)
{
    if (!take(r, "(")) return;
    p->listed = true;
    if (take(r, ")")) return;
    do {
        if (take(r, "..."))
            p->open = true;
        else
            read_param(r, p);
    } while (!r->wrong && take(r, ","));
    want(r, ")");
}

static void read_pattern(struct reader *r, struct pattern *p)
{
    *p = (struct pattern){0};
    if (take(r, "depth")) {
        p->depth = true;
        if (!read_range(r, &p->count)) r->wrong = "a depth";
    } else {
        p->refused = take(r, "refused");
        const char *from = r->at;
        p->counted = read_range(r, &p->count) && take(r, "x");
        if (!p->counted) r->at = from, p->count = (struct range){1, UINT64_MAX};
        p->refused |= take(r, "refused");
        p->name = read_word(r, "<( \t\n");
        if (!p->name.n) r->wrong = "the name of a kernel";
        read_shape(r, p);
        read_params(r, p);
        if (!r->wrong && take(r, "from")) p->from = read_word(r, " \t\n");
    }
    blanks(r);
    if (!r->wrong && *r->at) r->wrong = "the end";
}

/* ---- matching ---- */

static bool in(const struct range *range, uint64_t value)
{
    return value >= range->least && value <= range->most;
}

/* `*` stands for anything. */
static bool fits(struct span pattern, const char *text)
{
    const char *p = pattern.at, *end = p + pattern.n, *star = NULL, *back = NULL;
    while (*text) {
        if (p < end && *p == '*') {
            star = ++p;
            back = text;
        } else if (p < end && *p == *text) {
            p++, text++;
        } else if (star) {
            p = star;
            text = ++back;
        } else {
            return false;
        }
    }
    while (p < end && *p == '*') p++;
    return p == end;
}

static bool is_called(struct px_arena *arena, struct span pattern, const struct px_launch *r)
{
    return r->kernel && (fits(pattern, r->kernel->name) || fits(pattern, px_launch_kernel_name(arena, r)));
}

static bool is_from(struct px_arena *arena, const struct pattern *p, const struct px_launch *r)
{
    const bool host = p->from.n == 4 && strncmp(p->from.at, "host", 4) == 0;
    if (!r->place) return host;
    if (!p->from.n) return true;
    return !host && r->parent && is_called(arena, p->from, r->parent);
}

static bool extent_fits(const struct range extent[3], const struct px_shape *s)
{
    return in(&extent[0], s->x) && in(&extent[1], s->y) && in(&extent[2], s->z);
}

/* `text` as the parameter's type has it. */
static double rounded(const char *text, const struct px_launched_param *p, bool *ok)
{
    char *end;
    const double value = strtod(text, &end);
    *ok &= end > text && !*end;
    return p->size == 8 ? value : (double)(float)value;
}

static bool real_fits(struct px_arena *arena, const char *text, const struct px_launched_param *p,
                      double value)
{
    const char *dots = strstr(text, "..");
    bool ok = true;
    if (!dots) return rounded(text, p, &ok) == value && ok;
    const char *low = px_arena_text(arena, text, (size_t)(dots - text));
    const bool inside = value >= rounded(low, p, &ok) && value <= rounded(dots + 2, p, &ok);
    return inside && ok;
}

static bool number_fits(const char *text, const struct px_launched_param *p, int64_t value)
{
    char *end;
    const int64_t low = *text == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
    const uint64_t mask = p->size >= 8 ? UINT64_MAX : (1ull << 8 * p->size) - 1;
    if (strncmp(end, "..", 2) == 0) {
        const int64_t high = strtoll(end + 2, &end, 0);
        return !*end && value >= low && value <= high;
    }
    return end > text && !*end && ((uint64_t)value & mask) == ((uint64_t)low & mask);
}

static bool value_fits(struct px_arena *arena, struct span wanted, const struct px_launch *r, uint32_t i)
{
    const struct px_launched_param *p = &r->kernel->params[i];
    const struct px_launched_pointer *pointer = r->pointers && r->pointers[i].bytes ? &r->pointers[i] : NULL;
    const char *text = px_arena_text(arena, wanted.at, wanted.n), *is = px_launch_value(arena, r, i);
    int64_t number;
    double real;
    if (strcmp(text, "*") == 0 || strcmp(text, is) == 0) return true;
    if (px_launch_real(r, i, &real)) return real_fits(arena, text, p, real);
    if (!px_launch_number(r, i, &number)) return false;
    if (!pointer) return number_fits(text, p, number);
    if (*text == '+') return number_fits(text + 1, p, number);
    if (pointer->variable && number == 0 && strcmp(text, pointer->variable) == 0) return true;
    return number_fits(text, p, (int64_t)pointer->block + number);
}

/* The parameter that is wanted: by its name, as a whole or behind the kernel's, or by its position. */
static int64_t param_of(const struct px_launch *r, const struct wanted_param *w, uint32_t position)
{
    if (!w->name.n) return position < r->kernel->nparams ? (int64_t)position : -1;
    for (uint32_t i = 0; i < r->kernel->nparams; i++)
        if (fits(w->name, r->kernel->params[i].name) || fits(w->name, px_launch_param_name(r, i))) return i;
    return -1;
}

/* Why the parameters are not those; NULL: they are. *rank: how many fit. */
static const char *params_differ(struct px_arena *arena, const struct pattern *p, const struct px_launch *r,
                                 unsigned *rank)
{
    if (!p->listed) return NULL;
    for (uint32_t i = 0; i < p->nparams; i++) {
        const struct wanted_param *w = &p->params[i];
        const int64_t at = param_of(r, w, i);
        if (at < 0 && !w->name.n) return px_arena_printf(arena, "it has %u parameters", r->kernel->nparams);
        if (at < 0) return px_arena_printf(arena, "it has no parameter '%.*s'", (int)w->name.n, w->name.at);
        if (!value_fits(arena, w->value, r, (uint32_t)at))
            return px_arena_printf(arena, "%s is %s, not %.*s", px_launch_param_name(r, (uint32_t)at),
                                   px_launch_value(arena, r, (uint32_t)at), (int)w->value.n, w->value.at);
        ++*rank;
    }
    if (p->open || p->nparams == r->kernel->nparams) return NULL;
    return px_arena_printf(arena, "it has %u parameters, not %u", r->kernel->nparams, p->nparams);
}

/* Why a launch is not what is wanted; NULL: it is. *rank: how near it comes. */
static const char *differs(struct px_arena *arena, const struct pattern *p, const struct px_launch *r,
                           unsigned *rank)
{
    *rank = 1;
    if (!is_from(arena, p, r))
        return px_arena_printf(arena, "it is launched by %s",
                               r->parent ? px_launch_kernel_name(arena, r->parent) : "the host");
    ++*rank;
    if ((r->error != 0) != p->refused) return r->error ? "it was refused" : "it was not refused";
    ++*rank;
    if (p->shaped && (!extent_fits(p->grid, &r->shape) || !extent_fits(p->block, &r->block)))
        return px_arena_printf(arena, "its shape is %s", px_launch_shape(arena, r));
    ++*rank;
    if (p->shaped && !in(&p->shared, r->shared))
        return px_arena_printf(arena, "it has %u bytes of dynamic shared memory", r->shared);
    ++*rank;
    if (p->stream.n && !fits(p->stream, px_launch_stream(arena, r)))
        return px_arena_printf(arena, "its stream is '%s'", px_launch_stream(arena, r));
    ++*rank;
    return r->error ? NULL : params_differ(arena, p, r, rank);
}

/* ---- verdicts ---- */

struct verdict {
    uint64_t fitting, named;
    const struct px_launch *nearest;
    const char *why; /* the nearest is none */
    unsigned rank;
};

static struct verdict judge(struct px_arena *arena, const struct pattern *p, const struct px_launches *l)
{
    struct verdict v = {0};
    for (const struct px_launch *r = l->first; r; r = r->next) {
        unsigned rank;
        if (!is_called(arena, p->name, r)) continue;
        const char *why = differs(arena, p, r, &rank);
        v.named++;
        v.fitting += !why;
        if (!why || rank <= v.rank) continue;
        v.rank = rank;
        v.why = why;
        v.nearest = r;
    }
    return v;
}

static const char *range_text(struct px_arena *arena, const struct range *r)
{
    if (r->least == r->most) return px_arena_printf(arena, "%" PRIu64, r->least);
    if (r->most == UINT64_MAX) return px_arena_printf(arena, "at least %" PRIu64, r->least);
    return px_arena_printf(arena, "%" PRIu64 " to %" PRIu64, r->least, r->most);
}

/* "child (3), other (1)": the kernels that kernels launched. */
static const char *launched_text(struct px_arena *arena, const struct px_launches *l)
{
    const char *text = "";
    for (const struct px_launch *r = l->first, *s; r; r = r->next) {
        uint64_t n = 0;
        if (!r->place || !r->kernel) continue;
        for (s = l->first; s != r && (s->kernel != r->kernel || !s->place); s = s->next) continue;
        if (s != r) continue;
        for (; s; s = s->next) n += s->kernel == r->kernel && s->place;
        text = px_arena_printf(arena, "%s%s%s (%" PRIu64 ")", text, *text ? ", " : "",
                               px_launch_kernel_name(arena, r), n);
    }
    return *text ? px_arena_printf(arena, "kernels launched %s", text) : "kernels launched nothing";
}

static const char *nearest_text(struct px_arena *arena, const struct verdict *v)
{
    const struct px_launch *r = v->nearest;
    const char *place = px_launch_place_text(arena, r), *params = "";
    for (uint32_t i = 0; r->params && i < r->kernel->nparams; i++)
        params = px_arena_printf(arena, "%s%s%s=%s", params, i ? ", " : "", px_launch_param_name(r, i),
                                 px_launch_value(arena, r, i));
    return px_arena_printf(arena, "%s%s(%s)%s%s: %s", px_launch_kernel_name(arena, r),
                           px_launch_shape(arena, r), params, *place ? " at " : "", place, v->why);
}

static ptx_status expect_depth(struct px_arena *arena, const struct pattern *p, const struct px_launches *l,
                               const char **why)
{
    const ptx_launch_totals totals = px_launch_totals(l);
    if (in(&p->count, totals.depth)) return PTX_OK;
    *why = px_arena_printf(arena, "the deepest nesting is %u, not %s", totals.depth,
                           range_text(arena, &p->count));
    return PTX_ERROR_NOT_FOUND;
}

static ptx_status expect(struct px_arena *arena, const struct pattern *p, const struct px_launches *l,
                         const char *text, const char **why)
{
    if (p->depth) return expect_depth(arena, p, l, why);
    const struct verdict v = judge(arena, p, l);
    if (in(&p->count, v.fitting)) return PTX_OK;
    *why = px_arena_printf(arena, "%s: %" PRIu64 " launch%s, expected %s", text, v.fitting,
                           v.fitting == 1 ? "" : "es", range_text(arena, &p->count));
    if (!v.named)
        *why = px_arena_printf(arena, "%s; %s", *why, launched_text(arena, l));
    else if (v.nearest && v.fitting < p->count.least)
        *why = px_arena_printf(arena, "%s; nearest: %s", *why, nearest_text(arena, &v));
    if (l->lost) *why = px_arena_printf(arena, "%s (%" PRIu64 " had no room in the list)", *why, l->lost);
    return PTX_ERROR_NOT_FOUND;
}

ptx_status px_launches_expect(struct px_arena *arena, const struct px_launches *l, const char *text,
                              const char **why)
{
    struct reader r = {.text = text, .at = text};
    struct pattern *p = PX_NEW(arena, struct pattern);
    *why = "";
    read_pattern(&r, p);
    if (!r.wrong) return expect(arena, p, l, text, why);
    *why = px_arena_printf(arena, "'%s' at '%.20s': %s is expected there", text, r.at, r.wrong);
    return PTX_ERROR_INVALID_ARGUMENT;
}
