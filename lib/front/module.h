/*
 * module.h - the IR of one module: the tree, resolved and checked.
 *
 * `struct ptx_module` is the object behind the public handle. It owns one
 * arena that holds text, names, tree, symbols and tables; after px_check it is
 * immutable, so any number of programs and threads may read it. Programs keep
 * it alive by counting references.
 */
#ifndef PX_FRONT_MODULE_H
#define PX_FRONT_MODULE_H

#include <stdatomic.h>
#include "base/diag.h"
#include "front/ast.h"

enum px_symbol_kind {
    PX_SYM_REG,   /* register; of a range name<N>, one symbol for each number that is used */
    PX_SYM_VAR,   /* .global .const .shared .local variable, and .param inside a body */
    PX_SYM_PARAM, /* formal parameter or return value of a function in .param space */
    PX_SYM_FUNC,
    PX_SYM_ENTRY,
    PX_SYM_LABEL,
    PX_SYM_PROTO,
    PX_SYM_BRANCH_TARGETS,
    PX_SYM_CALL_TARGETS,
    PX_SYM_SECTION_LABEL,
    PX_SYM_RANGE /* name<N>: stands for its numbered members, never for itself */
};

struct px_symbol {
    uint8_t kind;    /* enum px_symbol_kind */
    uint8_t space;   /* enum px_space */
    uint8_t type;    /* enum px_type of an element */
    uint8_t vec;     /* 1, 2, 4 */
    uint8_t linkage; /* enum px_linkage */
    bool is_return;  /* PARAM: a return value */
    bool is_entry_param;
    uint32_t index; /* module scope: dense number in the module; REG: in the function; LABEL: in the function;
                       VAR and PARAM of a function: in px_function.vars */
    uint32_t align; /* bytes */
    uint64_t size;  /* bytes; 0 for an incomplete array */
    uint64_t offset; /* PARAM: in its parameter list; others: not used */
    struct px_name *name;
    px_pos pos;     /* of the definition */
    uint16_t level; /* [scope] 0 module, 1 parameters and body of a function, 2 a block of it, ... */
    bool faulty;    /* its declaration drew an error: errors where it is used only follow */
    bool defined;   /* LABEL: its statement was passed; FUNC: it has a body */
    union {
        struct px_var *var;
        struct px_function *func; /* FUNC, ENTRY */
        struct px_stmt *stmt;     /* LABEL and tables: the statement */
        struct px_proto *proto;
    } u;
    struct px_symbol *alias_of; /* FUNC named by .alias */
    struct px_symbol *outer;    /* [scope] what the name denoted before; NULL */
    struct px_symbol *sibling;  /* [scope] the symbol bound before it in the same scope */
};

struct px_reg {
    uint8_t type, vec;
    struct px_symbol *symbol;
}; /* one register of a function (a vector counts once) */

/* One function or kernel of a module; the body is walked through func->body. */
struct px_function {
    struct px_func *func; /* the definition; the first declaration when there is no body */
    struct px_symbol *symbol;
    PX_VEC(struct px_reg) regs;
    PX_VEC(struct px_symbol *) vars;   /* .shared .local .param .global .const variables declared inside */
    struct px_symbol **params, **rets; /* func->nparams, func->nrets */
    uint64_t param_bytes, ret_bytes;   /* of the .param lists, laid out (PTX ISA 5.1.6, 7.1) */
    uint32_t nlabels;
    uint32_t reqntid[3], maxntid[3]; /* 0 when not given */
    uint32_t maxnreg, minnctapersm;  /* the same */
};

struct ptx_module {
    ptx_allocator alloc;
    atomic_uint references;
    struct px_arena arena;
    struct px_source source;
    struct px_names names;
    struct px_diags diags;
    struct px_tree tree;
    PX_VEC(struct px_function *)
    functions;                            /* every function and kernel, defined or declared, in text order */
    PX_VEC(struct px_function *) kernels; /* those of them that are defined kernels, once all is checked */
    PX_VEC(struct px_symbol *) symbols;   /* module scope, by index */
    struct px_target target;  /* of .target, or of the requested architecture when that is newer */
    const char *target_text;  /* "sm_90" */
    bool texmode_independent; /* named by .target */
    const char *arch;         /* the architecture asked for ("sm_90"), or NULL */
    const char *arch_text;    /* the same as it was named ("compute_90") */
    bool is_virtual;          /* it is compute_90 or lto_90: the module is read, and no code is asked of it */
    struct px_origins *origins; /* of diagnostics; NULL: there is no line information, or none was needed */
    unsigned max_errors;
    bool recovers;       /* it is read to its end, whatever its syntax errors */
    bool check_only;     /* functions have empty bodies: they were dropped after their check */
    uint8_t compilation; /* ptx_compilation */
    uint8_t fmad;        /* ptx_fmad */
    uint8_t stacks;      /* ptx_stacks */
    bool target_debug;   /* .target debug: assembled without optimisation */
    ptx_profile profile;
    const char *unrunnable;           /* what it does that the VM cannot: "uses 32-bit addresses"; NULL */
    const ptx_module *const *earlier; /* while it is checked: modules of the same program, the caller's */
    size_t nearlier;
};

void px_module_retain(struct ptx_module *module);
void px_module_release(struct ptx_module *module); /* destroys at the last reference */

#endif
