/* parsed.h - parses a text for a test: the parser alone, without the checker. */
#ifndef PARSED_H
#define PARSED_H

#include <string.h>
#include "front/parse.h"
#include "suite.h"

struct parsed {
    struct px_arena arena;
    struct px_names names;
    struct px_source source;
    struct px_diags diags;
    struct px_tree tree;
    jmp_buf failure;
};

static void parse(struct parsed *p, const char *text, size_t size)
{
    memset(p, 0, sizeof *p);
    px_arena_init(&p->arena, NULL, &p->failure);
    if (setjmp(p->failure)) fail_msg("out of memory");
    p->source = (struct px_source){.file = "test", .text = text, .size = size, .arena = &p->arena};
    p->diags.arena = &p->arena;
    px_names_init(&p->names, &p->arena, px_word_find);
    px_parse(&p->arena, &p->names, &p->source, &p->diags, &p->tree, NULL);
}

#endif
