/*
 * program.h - several modules as one resolved program.
 *
 * link/ gives every function an address, every variable a space and an
 * address, and every undefined function a meaning: a device-runtime function,
 * a definition in another module, or a native host function. The result is
 * immutable but for the bytes of the variables themselves, which live in
 * device memory. Modules are never written: they may be part of other programs.
 */
#ifndef PX_LINK_PROGRAM_H
#define PX_LINK_PROGRAM_H

#include "front/module.h"
#include "ptxvm.h"

struct px_call; /* vm/run/extern.h */

/* What an extern function did for one lane. */
enum px_ext { PX_EXT_DONE, PX_EXT_PARK /* ask this lane again later */, PX_EXT_TRAP /* fault is set */ };
typedef enum px_ext (*px_ext_fn)(struct px_call *call);

/* One function that the VM provides by itself. Layout of arguments: as .param lists are laid out. */
struct px_builtin {
    const char *name; /* "cudaLaunchDeviceV2" */
    px_ext_fn fn;
    uint16_t ret_bytes; /* 0 for none */
    uint16_t arg_bytes;
    bool over_definitions; /* used even when a module defines the name (a linked device-runtime library) */
};

/* Finds a builtin by name; NULL when there is none. cdp/ supplies the table; vm/ and link/ do not know cdp/.
 */
typedef const struct px_builtin *(*px_builtin_find)(const char *name);

enum px_lfunc_kind {
    PX_FUNCTION_CODE,
    PX_FUNCTION_BUILTIN,
    PX_FUNCTION_HOST,
    PX_FUNCTION_UNDEFINED /* declared, never called */
};

struct px_lfunc {
    uint8_t kind; /* enum px_lfunc_kind */
    bool is_entry;
    bool taken;  /* its address is taken somewhere: a call by address may reach it */
    uint32_t id; /* index in px_linked.funcs */
    const char *name;
    const struct px_function *fn;    /* definition; for BUILTIN and HOST the declaration (its .param list) */
    const struct ptx_module *module; /* of fn */
    const struct px_builtin *builtin;
    ptx_host_fn host;
    ptx_address address;    /* what mov.u64 %rd, name gives */
    uint32_t static_shared; /* entry: bytes of static shared memory that it and its callees use */
};

struct px_lvar {
    const struct px_symbol *symbol;
    const struct ptx_module *module;
    const struct px_function *fn; /* the function that declares it; NULL at module scope */
    uint8_t space;                /* PX_SPACE_TEX: opaque, whatever the space it is declared in */
    uint64_t size;                /* opaque: 8 each */
    uint64_t
        address; /* in its state space: .global: device address; .const, .shared: offset; opaque: handle */
    const uint32_t *kernels; /* .shared: ids of the kernels that can reach it */
    uint32_t nkernels;
};

/* Where a diagnostic of a link belongs. */
struct px_link_place {
    const struct ptx_module *module, *first_module; /* NULL: no place */
    px_pos first;                                   /* the declaration in another module that it goes with */
    uint32_t first_length;
};

struct px_linked {
    struct px_arena arena;
    struct ptx_module **modules;
    uint32_t nmodules;
    struct px_lfunc *funcs;
    uint32_t nfuncs;
    struct px_lvar *vars;
    uint32_t nvars;
    uint64_t global_bytes, const_bytes; /* of the two images */
    uint64_t opaque_bytes;              /* 8 for each texture, sampler and surface variable */
    uint64_t shared_max;
    ptx_address global_base, const_base; /* see px_link_place */
    struct px_link_maps *maps;           /* link.c: what each symbol became */
    struct px_diags diags;               /* what is wrong; positions are of the texts of `places` */
    PX_VEC(struct px_link_place) places; /* by diagnostic */
};

/*
 * Links. Addresses of .global variables are offsets, and functions have none,
 * until px_link_place is told where the images lie: `const_base` is what
 * generic() adds to the offset of a .const variable; function i is at
 * func_base + 16 * i; opaque variables have handles from opaque_base on. Returns PTX_OK, PTX_ERROR_LINK
 * (linked->diags says why, all at once) or PTX_ERROR_OUT_OF_MEMORY.
 */
ptx_status px_link(struct px_linked *linked, const ptx_allocator *alloc, ptx_module *const *modules,
                   uint32_t n, px_builtin_find builtins, const ptx_program_options *options);
void px_link_place(struct px_linked *linked, ptx_address global_base, ptx_address const_base,
                   ptx_address func_base, uint64_t opaque_base);
/*
 * Writes the initial bytes of both images (their sizes are in `linked`), addresses of symbols included. NULL,
 * or the variable whose initialiser has no value.
 */
const struct px_lvar *px_link_initialise(const struct px_linked *linked, uint8_t *global_image,
                                         uint8_t *const_image);
void px_link_free(struct px_linked *linked);

/* The kernel, or the .global or .const variable, of this name that modules share, else the first module's
 * own; NULL. */
const struct px_lfunc *px_link_kernel_named(const struct px_linked *linked, const char *name);
const struct px_lvar *px_link_var_named(const struct px_linked *linked, const char *name);
/* The same of .texref, .samplerref and .surfref. */
const struct px_lvar *px_link_opaque_named(const struct px_linked *linked, const char *name);

/* What module number `module` calls by this name at its scope; NULL when that is nothing, or there is no such
 * module. */
const struct px_symbol *px_link_symbol(const struct px_linked *linked, size_t module, const char *name);

/* .attribute(.managed) */
bool px_link_managed(const struct px_symbol *symbol);
/* What a module-scope symbol (or a variable of a function) became; NULL when it became nothing. */
const struct px_lfunc *px_link_func(const struct px_linked *linked, const struct px_symbol *symbol);
const struct px_lvar *px_link_var(const struct px_linked *linked, const struct px_symbol *symbol);

#endif
