/* link.h - what the steps of a link share. */
#ifndef PX_LINK_LINK_H
#define PX_LINK_LINK_H

#include "base/vec.h"
#include "link/program.h"

/* Facts of a function that only the link needs; parallel to px_linked.funcs. */
struct px_link_func {
    PX_VEC(uint32_t) calls;  /* functions called by name */
    PX_VEC(uint32_t) shared; /* .shared variables referenced */
    bool weak, local;
    bool address_taken;
    bool calls_indirectly;
    const struct ptx_module *user_module; /* first reference: where, for messages */
    const struct px_function *user;
    px_pos used_at;
};

struct px_link_var {
    bool weak, local, common;
    bool defined;
    bool dynamic; /* .extern .shared x[]: begins behind the static bytes */
    uint64_t align;
};

struct px_global {
    const char *name;
    bool is_func;
    uint32_t index;
    struct px_global *next;
};

struct px_link_maps {
    const struct px_symbol **keys; /* open addressing, `mask` + 1 slots */
    uint32_t *values;              /* index in funcs or vars, by the symbol's kind */
    uint32_t mask;
    struct px_global **buckets; /* names that reach across modules */
    uint32_t bucket_mask;
};

struct px_link {
    struct px_linked *out;
    struct px_arena *arena;
    PX_VEC(struct px_lfunc) funcs;
    PX_VEC(struct px_link_func) ifuncs;
    PX_VEC(struct px_lvar) vars;
    PX_VEC(struct px_link_var) ivars;
    px_builtin_find builtins;
    const ptx_program_options *options;
    jmp_buf failure;
};

/* Ends the link with PTX_ERROR_LINK. */
_Noreturn void px_link_fail(struct px_link *link, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void px_link_bind(struct px_link_maps *maps, const struct px_symbol *symbol, uint32_t index);
/* Index the symbol was bound to; UINT32_MAX when it was not. */
uint32_t px_link_index(const struct px_link_maps *maps, const struct px_symbol *symbol);
/* Line of `pos` in the module's text. */
unsigned px_link_line(const struct ptx_module *module, px_pos pos);

void px_link_resolve(struct px_link *link);       /* resolve.c: names across modules */
void px_link_references(struct px_link *link);    /* refs.c: who calls and uses what */
void px_link_check_externs(struct px_link *link); /* resolve.c: builtin, host function, or an error */
void px_link_layout(struct px_link *link);        /* layout.c: offsets */

#endif
