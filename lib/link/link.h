/* link.h - what the steps of a link share. */
#ifndef PX_LINK_LINK_H
#define PX_LINK_LINK_H

#include "link/program.h"

/* ---- survey.c: what each module does with its names ---- */

/* A place in a body or an initialiser that names a function or a variable. */
struct px_ref {
    const struct px_symbol *symbol;
    px_pos pos;
    bool call; /* the target of a call; else the address is taken */
};

/* One symbol of a module's scope. */
struct px_use {
    bool called, taken;
    px_pos at;                      /* the first place that names it, when one of the two is set */
    const struct px_function *user; /* the function around that place; NULL for an initialiser */
    px_pos taken_at;                /* the first place that takes its address */
    const struct px_function *taker;
    bool calls_indirectly;      /* a function whose body calls by address */
    PX_VEC(struct px_ref) refs; /* of the body: functions called, .shared variables */
};

/* ---- merge.c: names that reach across modules ---- */

/* A symbol of a module's scope where the module declares it. */
struct px_mention {
    const struct ptx_module *module; /* NULL: none */
    const struct px_symbol *symbol;
    const struct px_use *use;
};

/* In this order a definition takes the place of another. */
enum px_link_state {
    PX_LINK_OPEN,   /* declared only */
    PX_LINK_COMMON, /* .common without a value */
    PX_LINK_WEAK,
    PX_LINK_STRONG
};

/* Facts of a function that only the link needs; parallel to px_linked.funcs. */
struct px_link_func {
    uint8_t state; /* enum px_link_state */
    bool local;    /* its name is its module's own */
    bool calls_indirectly;
    struct px_mention header; /* the first one that counts: what the others are held against */
    struct px_mention made;   /* the definition that counts; the header while there is none */
    PX_VEC(uint32_t) calls;   /* functions called by name */
    PX_VEC(uint32_t) shared;  /* .shared variables referenced */
};

struct px_link_var {
    uint8_t state;
    bool dynamic;             /* .extern .shared x[]: begins behind the static bytes */
    struct px_mention header; /* the declaration that fixed the size; the definition, once there is one */
    uint64_t align;
};

struct px_global {
    const char *name;
    bool is_func, local;
    uint32_t index;
    struct px_global *next;
};

struct px_link_maps {
    const struct px_symbol **keys; /* open addressing, `mask` + 1 slots */
    uint32_t *values;              /* index in funcs or vars, by the symbol's kind */
    uint32_t mask;
    struct px_global **buckets; /* names of module scope; as many */
};

struct px_link {
    struct px_linked *out;
    struct px_arena *arena;
    struct px_use **uses; /* by module, then by px_symbol.index */
    PX_VEC(struct px_lfunc) funcs;
    PX_VEC(struct px_link_func) ifuncs;
    PX_VEC(struct px_lvar) vars;
    PX_VEC(struct px_link_var) ivars;
    px_builtin_find builtins;
    const ptx_program_options *options;
    jmp_buf failure;
};

/* link.c */
void px_link_bind(struct px_link_maps *maps, const struct px_symbol *symbol, uint32_t index);
/* Index the symbol was bound to; UINT32_MAX when it was not. */
uint32_t px_link_index(const struct px_link_maps *maps, const struct px_symbol *symbol);
/* The name as modules share it; of names that are their module's own, with `local`, the first module's. */
struct px_global *px_link_name(const struct px_link_maps *maps, const char *name, bool is_func, bool local);

/*
 * Appends a diagnostic of diag.def about `length` bytes at `pos` of `module` (NULL: about the program), which
 * does not go with the declaration `first` (a px_mention; without module: there is none).
 */
#define px_link_say(link, id, module, pos, length, first, ...)                                               \
    px_link_places(link, px_diag_add(&(link)->out->diags, PX_D_##id, pos, length, ##__VA_ARGS__), module,    \
                   first)
/* The same at a symbol's declaration; the first argument of the text is its name. */
#define px_link_say_at(link, id, here, first, ...)                                                           \
    px_link_say(link, id, (here).module, (here).symbol->pos, (here).symbol->name->len, first,                \
                (here).symbol->name->text, ##__VA_ARGS__)
struct px_diag *px_link_places(struct px_link *link, struct px_diag *diag, const struct ptx_module *module,
                               struct px_mention first);

/* reach.c: which kernels can come to code that names a .shared variable. */
struct px_reach {
    uint32_t *kernels; /* ids of the kernels with code */
    uint32_t nkernels;
    PX_VEC(uint32_t) * of_var; /* by variable: which kernels (index in `kernels`), rising */
};
void px_link_reach(struct px_link *link, struct px_reach *reach);

/* The steps, in this order. */
void px_link_survey(struct px_link *link); /* survey.c */
void px_link_merge(struct px_link *link);  /* merge.c: names across modules */
/* merge.c: a variable of its own for a symbol; `fn` is the function that declares it, or NULL. Its number. */
uint32_t px_link_variable(struct px_link *link, struct px_mention here, const struct px_function *fn);
void px_link_bodies(struct px_link *link); /* bodies.c: variables of functions, who calls and uses what */
void px_link_externs(
    struct px_link *link); /* externs.c: what undefined names are: builtin, host function, an error */
void px_link_layout(struct px_link *link); /* layout.c: offsets */

#endif
