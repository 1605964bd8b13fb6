/*
 * diag.c - appends diagnostics and looks up their rows.
 *
 * The rows of diag.def become one constant array; a diagnostic's text is
 * formatted at once into the arena, because its arguments may not live long.
 */
#include "base/diag.h"
#include <stdarg.h>
#include <string.h>
#include <strings.h>

struct row {
    const char *code, *text, *explanation;
    ptx_severity severity;
};

static const struct row rows[] = {
#define PX_DIAG(id, code, severity, text, explanation) {code, text, explanation, severity},
#include "base/diag.def"
#undef PX_DIAG
};

/* diag_examples.def; by id. The parts of a module are one literal each. */
struct example {
    const char *options, *wrong, *right;
};

static const struct example examples[PX_D_COUNT] = {
#define PX_EXAMPLE(id, options, before, wrong, right, after)                                                 \
    [PX_D_##id] = {options, before wrong after, before right after},
#include "base/diag_examples.def"
#undef PX_EXAMPLE
};

/* Severities of `diag` that count as errors go past the limit without being kept. */
static bool keep(struct px_diags *diags, ptx_severity severity)
{
    if (severity < PTX_ERROR) return true;
    diags->errors++;
    return !diags->max_errors || diags->errors <= diags->max_errors;
}

struct px_diag *px_diag_add(struct px_diags *diags, enum px_diag_id id, px_pos pos, uint32_t length, ...)
{
    struct px_diag diag = {
        .id = id, .severity = rows[id].severity, .pos = pos, .told = pos, .length = length};
    va_list args;
    va_start(args, length);
    diag.message = px_arena_vprintf(diags->arena, rows[id].text, args);
    va_end(args);
    if (!keep(diags, diag.severity)) {
        struct px_diag *dropped = PX_NEW(diags->arena, struct px_diag);
        *dropped = diag;
        return dropped;
    }
    px_vec_push(diags->arena, &diags->list, diag);
    return &diags->list.at[diags->list.n - 1];
}

void px_diag_note(struct px_diags *diags, struct px_diag *diag, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag->note = px_arena_vprintf(diags->arena, format, args);
    va_end(args);
}

void px_diag_relate(struct px_diags *diags, struct px_diag *diag, px_pos pos, uint32_t length,
                    const char *format, ...)
{
    struct px_diag_place **last = &diag->places;
    while (*last) last = &(*last)->next;
    va_list args;
    va_start(args, format);
    *last = PX_NEW(diags->arena, struct px_diag_place);
    **last = (struct px_diag_place){NULL, pos, length, px_arena_vprintf(diags->arena, format, args)};
    va_end(args);
}

void px_diag_fix(struct px_diags *diags, struct px_diag *diag, const struct px_diag_fix *fix)
{
    struct px_diag_fix **last = &diag->fixes;
    while (*last) last = &(*last)->next;
    *last = PX_NEW(diags->arena, struct px_diag_fix);
    **last = *fix;
    (*last)->next = NULL;
}

/* Parts of a sorted list that are sorted themselves become one. */
static void merge(const struct px_diag *from, struct px_diag *to, uint32_t begin, uint32_t middle,
                  uint32_t end)
{
    uint32_t a = begin, b = middle;
    for (uint32_t i = begin; i < end; i++) {
        const bool first = a < middle && (b >= end || from[a].pos <= from[b].pos);
        to[i] = from[first ? a++ : b++];
    }
}

static uint32_t least(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/* Stable, and no deeper for many: parts of one, of two, of four ... are merged. */
void px_diags_sort(struct px_diags *diags)
{
    const uint32_t n = diags->list.n;
    struct px_diag *from = diags->list.at, *to = n ? PX_NEW_N(diags->arena, struct px_diag, n) : NULL;
    for (uint64_t size = 1; size < n; size *= 2) {
        for (uint64_t i = 0; i < n; i += 2 * size)
            merge(from, to, (uint32_t)i, least(i + size, n), least(i + 2 * size, n));
        struct px_diag *sorted = to;
        to = from;
        from = sorted;
    }
    if (n && from != diags->list.at) memcpy(diags->list.at, from, n * sizeof *from);
}

const char *px_diag_code(enum px_diag_id id)
{
    return rows[id].code;
}

static const struct row *find_row(const char *code)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcasecmp(rows[i].code, code) == 0) return &rows[i];
    return NULL;
}

const char *px_diag_known(size_t index, const char **text)
{
    if (index >= sizeof rows / sizeof *rows) return NULL;
    *text = rows[index].text;
    return rows[index].code;
}

const char *px_diag_explain(const char *code)
{
    const struct row *row = find_row(code);
    return row ? row->explanation : NULL;
}

const char *px_diag_example(const char *code, bool right, const char **options)
{
    const struct row *row = find_row(code);
    if (!row) return NULL;
    const struct example *example = &examples[row - rows];
    *options = example->options;
    return right ? example->right : example->wrong;
}
