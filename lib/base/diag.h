/*
 * diag.h - diagnostics as data.
 *
 * Each message is a row of diag.def: code, severity, text, explanation. A
 * diagnostic is appended to a list with its span and arguments; checking goes
 * on. Printing is the tool's business.
 */
#ifndef PX_BASE_DIAG_H
#define PX_BASE_DIAG_H

#include <stdbool.h>
#include "base/source.h"
#include "base/vec.h"

enum px_diag_id {
#define PX_DIAG(id, code, severity, text, explanation) PX_D_##id,
#include "base/diag.def"
#undef PX_DIAG
    PX_D_COUNT
};

/* Another place that a diagnostic is about, and what stands there. */
struct px_diag_place {
    struct px_diag_place *next;
    px_pos pos;
    uint32_t length;
    const char *text;
};

/* An edit that would mend the fault: `text` in place of `length` bytes at `pos`. */
struct px_diag_fix {
    struct px_diag_fix *next;
    px_pos pos;
    uint32_t length;
    const char *title, *text;
    bool certain; /* nothing else can have been meant */
};

struct px_diag {
    enum px_diag_id id;
    ptx_severity severity;
    px_pos pos;
    px_pos told;                  /* the place whose line ptxas names: pos, or where its parser stood */
    uint32_t length;              /* bytes; at least one is shown */
    bool follows;                 /* from an earlier error: no news, though ptxas repeats it */
    const char *message;          /* in the arena */
    const char *note;             /* in the arena, or NULL */
    struct px_diag_place *places; /* in the arena, in the order in which they were added; NULL: none */
    struct px_diag_fix *fixes;    /* the same */
};

struct px_diags {
    struct px_arena *arena;
    PX_VEC(struct px_diag) list;
    unsigned errors;     /* severity error or fatal */
    unsigned max_errors; /* 0: no limit; past it errors are counted, not kept */
};

enum { PX_NO_PLACE = UINT32_MAX }; /* px_pos of a message about the whole module */

static inline bool px_diag_has_place(const struct px_diag *diag)
{
    return diag->pos != PX_NO_PLACE;
}

/*
 * Appends a diagnostic about `length` bytes at `pos` (PX_NO_PLACE: no place). The
 * variable arguments fill the printf-like holes of the text in diag.def.
 * Returns the diagnostic so that a note can be added with px_diag_note.
 */
struct px_diag *px_diag_add(struct px_diags *diags, enum px_diag_id id, px_pos pos, uint32_t length, ...);
void px_diag_note(struct px_diags *diags, struct px_diag *diag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void px_diag_relate(struct px_diags *diags, struct px_diag *diag, px_pos pos, uint32_t length,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
/* An edit; `title` is what it does ("insert ';'"). Texts stay the caller's, in the arena. */
void px_diag_fix(struct px_diags *diags, struct px_diag *diag, const struct px_diag_fix *fix);

void px_diags_sort(struct px_diags *diags); /* in the order of their places; those without one come last */

const char *px_diag_code(enum px_diag_id id);
const char *px_diag_explain(const char *code); /* in any letter case; NULL when unknown */
const char *px_diag_known(size_t index,
                          const char **text); /* the index-th code and its text; NULL past the end */
/* A module that draws the message, or `right` one that does not, and ptxas's options for both; NULL: none. */
const char *px_diag_example(const char *code, bool right, const char **options);

#endif
