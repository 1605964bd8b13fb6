/*
 * origin.c - reads .file and .loc directives from the text (origin.h).
 *
 * A .loc holds from its place on to the next one. One that was inlined names the place of the call, which is
 * that of an earlier .loc: following those gives the chain of calls.
 */
#include "front/origin.h"

#include <stdlib.h>
#include <string.h>
#include "front/parser.h"

struct loc {
    px_pos pos;
    uint32_t at[3], inlined[3]; /* file, line, column; line 0: not inlined */
};

struct file {
    uint32_t index;
    const char *name;
};

struct px_origins {
    PX_VEC(struct loc) locs; /* in text order */
    PX_VEC(struct file) files;
};

static const char *blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Three numbers; what is behind them. */
static const char *numbers(const char *at, uint32_t of[3])
{
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        of[i] = (uint32_t)strtoul(blanks(at), &end, 10);
        at = end;
    }
    return at;
}

static void add_loc(struct px_arena *arena, struct px_origins *origins, px_pos pos, const char *at)
{
    static const char key[] = "inlined_at";
    struct loc loc = {.pos = pos};
    at = numbers(at, loc.at);
    const char *inlined = strstr(at, key), *end = at + strcspn(at, "\n");
    if (inlined && inlined < end) numbers(inlined + strlen(key), loc.inlined);
    px_vec_push(arena, &origins->locs, loc);
}

/* .file 1 "x.cu" */
static void add_file(struct px_arena *arena, struct px_origins *origins, const char *at)
{
    char *end;
    const uint32_t index = (uint32_t)strtoul(blanks(at), &end, 10);
    const char *name = blanks(end);
    if (*name++ != '"') return;
    px_vec_push(arena, &origins->files,
                ((struct file){index, px_arena_text(arena, name, strcspn(name, "\"\n"))}));
}

/* The directive that begins at `at`, with its length; 0: another text. */
static size_t is_directive(const char *at, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(at, name, n) == 0 && (at[n] == ' ' || at[n] == '\t') ? n : 0;
}

struct px_origins *px_origins_find(struct px_arena *arena, const struct px_source *source)
{
    size_t n;
    if (!strstr(source->text, ".loc")) return NULL;
    struct px_origins *origins = PX_NEW(arena, struct px_origins);
    for (const char *at = source->text; *at; at = px_parser_skip(at)) {
        if (*at != '.') continue;
        if ((n = is_directive(at, ".loc"))) add_loc(arena, origins, (px_pos)(at - source->text), at + n);
        if ((n = is_directive(at, ".file"))) add_file(arena, origins, at + n);
    }
    return origins->locs.n ? origins : NULL;
}

static const char *file_name(const struct px_origins *origins, uint32_t index)
{
    for (uint32_t i = 0; i < origins->files.n; i++)
        if (origins->files.at[i].index == index) return origins->files.at[i].name;
    return "?";
}

/* How many stand in front of a place. */
static uint32_t count_before(const struct px_origins *origins, px_pos pos)
{
    uint32_t low = 0, high = origins->locs.n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (origins->locs.at[middle].pos <= pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last .loc in front of the n-th that is the place of the call it was inlined at; NULL: none, and then
 * the call was not inlined itself. */
static const struct loc *outer(const struct px_origins *origins, const struct loc *loc, px_pos start)
{
    for (const struct loc *l = loc; l > origins->locs.at && l[-1].pos >= start; l--)
        if (memcmp(l[-1].at, loc->inlined, sizeof loc->inlined) == 0) return &l[-1];
    return NULL;
}

bool px_origin_at(const struct px_origins *origins, px_pos start, px_pos pos, unsigned i,
                  struct px_loc_place *origin)
{
    const uint32_t n = count_before(origins, pos);
    const struct loc *loc = n && origins->locs.at[n - 1].pos >= start ? &origins->locs.at[n - 1] : NULL;
    const uint32_t *at = loc ? loc->at : NULL;
    for (; i && at; i--) {
        at = loc && loc->inlined[1] ? loc->inlined : NULL;
        loc = at ? outer(origins, loc, start) : NULL;
    }
    if (!at) return false;
    *origin = (struct px_loc_place){file_name(origins, at[0]), at[1], at[2]};
    return true;
}
