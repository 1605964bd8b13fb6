/* outline.h - a module as what --diff compares: entities with lines, freed of layout and of local names. */
#ifndef PTXAS_OUTLINE_H
#define PTXAS_OUTLINE_H

#include "document.h"

/* One statement in canonical form. */
struct outline_line {
    size_t text, text_length; /* bytes of outline.texts: as it is shown */
    size_t key, key_length;   /* bytes of outline.texts: with kind and type for every local name */
    uint32_t first, names;    /* outline.names: its local names in their order */
    unsigned number;          /* line of the text that it was read from; 0: unknown */
    unsigned depth;
};

/* The header lines together, a function, a variable, a pragma or an alias. */
struct outline_entity {
    const char *name; /* in outline.canonical's text, by which entities of two modules find one another */
    size_t length;
    char kind; /* 'h'eader, 'd'eclared or defined 'f'unction, 'v'ariable, 'p'ragma, 'a'lias */
    size_t first, lines;
};

struct outline {
    const struct document *document; /* the caller's */
    struct document canonical;       /* owned, like what follows */
    struct text texts;
    struct outline_line *lines;
    size_t nlines, line_room;
    struct outline_entity *entities;
    size_t nentities, entity_room;
    uint32_t *names; /* numbers of local names: the same number is the same thing */
    size_t nnames, name_room;
    uint32_t last_name;
};

/* False when there is no memory or the document has errors. */
bool outline_make(struct outline *outline, const struct document *document);
void outline_free(struct outline *outline);

#endif
