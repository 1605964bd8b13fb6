/* arrange.h - which tokens begin a line, and what stands between the others: the decisions of --format. */
#ifndef PTXAS_ARRANGE_H
#define PTXAS_ARRANGE_H

#include "document.h"

struct line_start {
    bool starts;     /* the token begins a line */
    bool continues;  /* one that goes on with a statement, one step further in than the line before */
    bool blank;      /* an empty line comes before it */
    uint16_t indent; /* of the line, in steps */
};

struct arrangement {
    const struct document *document;
    struct line_start *starts; /* by token, owned */
    uint32_t *parts;           /* by token, owned: the innermost part; PTX_NOTHING without */
    uint16_t *depths;          /* by part, owned */
};

void arrange_make(struct arrangement *layout, const struct document *document);
void arrange_free(struct arrangement *layout);

static inline bool arrange_starts_line(const struct arrangement *layout, size_t token)
{
    return layout->starts[token].starts;
}

/* Is there a blank between the token and the one before it on its line? */
bool arrange_has_blank(const struct arrangement *layout, size_t token);

#endif
