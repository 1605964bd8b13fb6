/* diff.c - --diff A B: two modules compared as structure.
 *
 * Entities (functions, variables, ...) find one another by name, whatever their order. Their lines are
 * compared in two ways: with the local names as they are, and with any one-to-one renaming of them; the way
 * that finds less to show is shown. So a module with other register names is the same, and one that was only
 * changed in a place shows that place. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>
#include "align.h"
#include "messages.h"
#include "outline.h"

enum { CONTEXT = 2 };

struct side {
    const struct outline *outline;
    const struct outline_entity *entity;
};

static const struct outline_line *line_at(const struct side *side, size_t i)
{
    return &side->outline->lines[side->entity->first + i];
}

static bool same_bytes(const struct outline *a, size_t at, size_t n, const struct outline *b, size_t other,
                       size_t m)
{
    return n == m && memcmp(a->texts.at + at, b->texts.at + other, n) == 0;
}

static bool same_key(const struct side *a, const struct outline_line *x, const struct side *b,
                     const struct outline_line *y)
{
    return same_bytes(a->outline, x->key, x->key_length, b->outline, y->key, y->key_length);
}

static bool same_text(const struct side *a, const struct outline_line *x, const struct side *b,
                      const struct outline_line *y)
{
    return same_bytes(a->outline, x->text, x->text_length, b->outline, y->text, y->text_length);
}

/* ---- aligning ---- */

struct pair {
    const struct side *a, *b;
    bool renamed; /* names may differ */
};

static bool is_like(const void *user, size_t i, size_t k)
{
    const struct pair *pair = user;
    const struct outline_line *x = line_at(pair->a, i), *y = line_at(pair->b, k);
    return same_key(pair->a, x, pair->b, y) && (pair->renamed || same_text(pair->a, x, pair->b, y));
}

/* Names of a and b that stand for one another; the numbers of an outline begin with 1. */
struct renaming {
    uint32_t *to_b, *to_a; /* 0: free */
};

static bool rename_line(const struct renaming *renaming, const struct side *a, const struct outline_line *x,
                        const struct side *b, const struct outline_line *y)
{
    const uint32_t *p = a->outline->names + x->first, *q = b->outline->names + y->first;
    for (uint32_t i = 0; i < x->names; i++) {
        const uint32_t to = renaming->to_b[p[i]], from = renaming->to_a[q[i]];
        if (to ? to != q[i] : from != 0) return false;
        renaming->to_b[p[i]] = q[i];
        renaming->to_a[q[i]] = p[i];
    }
    return true;
}

/* Lines that are alike only by a renaming that contradicts an earlier one are different. */
static void drop_contradictions(const struct side *a, const struct side *b, uint32_t *other)
{
    const size_t na = (a->outline->last_name + 1) * sizeof(uint32_t);
    const size_t nb = (b->outline->last_name + 1) * sizeof(uint32_t);
    struct renaming renaming = {must_grow(NULL, na), must_grow(NULL, nb)};
    memset(renaming.to_b, 0, na);
    memset(renaming.to_a, 0, nb);
    for (size_t i = 0; i < a->entity->lines; i++)
        if (other[i] != ALIGN_NONE && !rename_line(&renaming, a, line_at(a, i), b, line_at(b, other[i])))
            other[i] = ALIGN_NONE;
    free(renaming.to_b);
    free(renaming.to_a);
}

static size_t count_differences(const struct side *a, const struct side *b, const uint32_t *other)
{
    size_t same = 0;
    for (size_t i = 0; i < a->entity->lines; i++) same += other[i] != ALIGN_NONE;
    return a->entity->lines + b->entity->lines - 2 * same;
}

/* By line of a its like in b; the caller frees it. */
static uint32_t *align(const struct side *a, const struct side *b, size_t *differences)
{
    struct pair pair = {a, b, false};
    uint32_t *exact = align_lines(a->entity->lines, b->entity->lines, is_like, &pair);
    *differences = count_differences(a, b, exact);
    if (*differences == 0) return exact;
    pair.renamed = true;
    uint32_t *renamed = align_lines(a->entity->lines, b->entity->lines, is_like, &pair);
    drop_contradictions(a, b, renamed);
    const size_t others = count_differences(a, b, renamed);
    const bool better = others < *differences;
    if (better) *differences = others;
    free(better ? exact : renamed);
    return better ? renamed : exact;
}

/* ---- showing ---- */

static void show_line(struct text *out, char sign, const struct side *side, size_t i)
{
    const struct outline_line *line = line_at(side, i);
    if (line->number)
        text_print(out, "%c%6u  ", sign, line->number);
    else
        text_print(out, "%c        ", sign);
    for (unsigned d = 0; d < line->depth && d < 20; d++) text_put(out, "    ");
    text_add(out, side->outline->texts.at + line->text, line->text_length);
    text_put(out, "\n");
}

static void show_types(struct text *out, const struct side *side, size_t i)
{
    const struct outline_line *line = line_at(side, i);
    text_put(out, "         // ");
    text_add(out, side->outline->texts.at + line->key, line->key_length);
    text_put(out, "\n");
}

static const char *kind_name(char kind)
{
    switch (kind) {
    case 'f': return "function ";
    case 'd': return "declaration of ";
    case 'v': return "variable ";
    case 'a': return "alias ";
    case 'p': return "pragma";
    default: return "header";
    }
}

static void show_heading(struct text *out, const struct outline_entity *entity, const char *what)
{
    text_print(out, "@@ %s%.*s%s @@\n", kind_name(entity->kind), (int)entity->length, entity->name, what);
}

/* Do lines differ that look alike? Then it is the types of their registers. */
static bool look_alike(const struct side *a, const struct side *b, const uint32_t *other)
{
    size_t i = 0, k = 0;
    while (i < a->entity->lines && k < b->entity->lines) {
        const bool gone = other[i] == ALIGN_NONE, come = gone || other[i] != k;
        if (gone && same_text(a, line_at(a, i), b, line_at(b, k))) return true;
        i += gone || !come;
        k++;
    }
    return false;
}

static void show_change(struct text *out, char sign, const struct side *side, size_t i, bool types)
{
    show_line(out, sign, side, i);
    if (types) show_types(out, side, i);
}

/* Is there a difference in the lines behind i of a and k of b, which are alike? */
static bool is_near(const struct side *a, size_t i, const struct side *b, size_t k, const uint32_t *other)
{
    for (size_t d = 1; d <= CONTEXT; d++) {
        const bool end_a = i + d >= a->entity->lines, end_b = k + d >= b->entity->lines;
        if (end_a || end_b) return end_a != end_b;
        if (other[i + d] != k + d) return true;
    }
    return false;
}

/* Lines that differ, and those near them. */
static void show(const struct side *a, const struct side *b, const uint32_t *other, struct text *out)
{
    const bool types = look_alike(a, b, other);
    size_t i = 0, k = 0, after = 0;
    show_heading(out, a->entity, "");
    while (i < a->entity->lines || k < b->entity->lines) {
        if (i < a->entity->lines && other[i] == ALIGN_NONE) {
            show_change(out, '-', a, i++, types);
            after = CONTEXT;
        } else if (k < b->entity->lines && (i == a->entity->lines || other[i] != k)) {
            show_change(out, '+', b, k++, types);
            after = CONTEXT;
        } else {
            if (after || is_near(a, i, b, k, other)) show_line(out, ' ', a, i);
            after -= after > 0;
            i++;
            k++;
        }
    }
}

static void show_all(struct text *out, char sign, const struct outline *outline,
                     const struct outline_entity *entity)
{
    const struct side side = {outline, entity};
    show_heading(out, entity, sign == '-' ? " only in the first" : " only in the second");
    for (size_t i = 0; i < entity->lines; i++) show_line(out, sign, &side, i);
}

/* ---- entities ---- */

/* The entity of b that is called like this one; `next` is where the last one was found, for modules in the
 * same order are compared without a search. */
static size_t find_entity(const struct outline *b, const struct outline_entity *wanted, const bool *taken,
                          size_t next)
{
    for (size_t i = 0; i < b->nentities; i++) {
        const size_t k = (next + i) % b->nentities;
        const struct outline_entity *entity = &b->entities[k];
        if (!taken[k] && entity->kind == wanted->kind && entity->length == wanted->length &&
            memcmp(entity->name, wanted->name, wanted->length) == 0)
            return k;
    }
    return SIZE_MAX;
}

/* A declaration beside a definition in the same module says nothing new. */
static bool is_told(const struct outline *outline, const struct outline_entity *entity)
{
    for (size_t i = 0; entity->kind == 'd' && i < outline->nentities; i++) {
        const struct outline_entity *other = &outline->entities[i];
        if (other->kind == 'f' && other->length == entity->length &&
            memcmp(other->name, entity->name, entity->length) == 0)
            return true;
    }
    return false;
}

static bool compare_entities(const struct outline *a, const struct outline_entity *x, const struct outline *b,
                             const struct outline_entity *y, struct text *out)
{
    const struct side left = {a, x}, right = {b, y};
    size_t differences;
    uint32_t *other = align(&left, &right, &differences);
    if (differences && out) show(&left, &right, other, out);
    free(other);
    return differences == 0;
}

static bool compare(const struct outline *a, const struct outline *b, struct text *out)
{
    bool *taken = must_grow(NULL, b->nentities), same = true;
    size_t next = 0;
    memset(taken, 0, b->nentities);
    for (size_t i = 0; i < a->nentities; i++) {
        const size_t k = find_entity(b, &a->entities[i], taken, next);
        if (k != SIZE_MAX) {
            taken[k] = true;
            next = k + 1;
            same &= compare_entities(a, &a->entities[i], b, &b->entities[k], out);
        } else if (!is_told(a, &a->entities[i])) {
            same = false;
            if (out) show_all(out, '-', a, &a->entities[i]);
        }
    }
    for (size_t k = 0; k < b->nentities; k++)
        if (!taken[k] && !is_told(b, &b->entities[k])) {
            same = false;
            if (out) show_all(out, '+', b, &b->entities[k]);
        }
    free(taken);
    return same;
}

enum diff_verdict diff_documents(const struct document *a, const struct document *b, struct text *out)
{
    struct outline x = {0}, y = {0};
    enum diff_verdict verdict = DIFF_TROUBLE;
    if (outline_make(&x, a) && outline_make(&y, b))
        verdict = compare(&x, &y, out) ? DIFF_SAME : DIFF_DIFFERENT;
    outline_free(&x);
    outline_free(&y);
    return verdict;
}

/* ---- the command ---- */

static enum diff_verdict compare_files(const struct options *options, struct text *out)
{
    struct document documents[2] = {{0}, {0}};
    enum diff_verdict verdict = DIFF_SAME;
    for (int i = 0; i < 2; i++)
        if (!document_open_file(&documents[i], options->files.at[i], options) ||
            document_refused(&documents[i], options))
            verdict = DIFF_TROUBLE;
    if (verdict == DIFF_SAME) {
        text_print(out, "--- %s\n+++ %s\n", documents[0].name, documents[1].name);
        verdict = diff_documents(&documents[0], &documents[1], out);
    }
    for (int i = 0; i < 2; i++) document_close(&documents[i]);
    return verdict;
}

int diff_run(const struct options *options)
{
    struct text out = {0};
    if (options->files.n != 2) {
        message_plain(PTX_FATAL, "--diff compares two files; %zu are given", options->files.n);
        return DIFF_TROUBLE;
    }
    enum diff_verdict verdict = compare_files(options, &out);
    if (verdict == DIFF_DIFFERENT && !text_write_file(options->output, out.at, out.n)) verdict = DIFF_TROUBLE;
    text_free(&out);
    return (int)verdict;
}
