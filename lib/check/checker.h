/*
 * checker.h - the state of one run of px_check, shared by the files of lib/check.
 *
 * Checking follows the text, as ptxas does, so that messages come in its order:
 * a name is known from its declaration on; names that stay unknown are reported
 * at the end of their function. A fatal message stops the run.
 */
#ifndef PX_CHECK_CHECKER_H
#define PX_CHECK_CHECKER_H

#include "base/diag.h"
#include "check/check.h"
#include "match/memo.h"
#include "check/scope.h"
#include "front/constant.h"

struct px_unknown {
    struct px_name *name;
    px_pos pos;
};
struct px_use {
    struct px_function *by; /* NULL: an initialiser of the module */
    struct px_symbol *symbol;
    bool taken; /* its address, of a function */
};

/* One of a function, or through a pointer; or a function whose address is taken. */
struct px_call {
    const struct px_symbol *by, *callee; /* NULL: an address is taken; through a pointer */
    const char *through;                 /* the prototype or table, where one of both is NULL */
};

/* Functions of a .calltargets, one of each signature first. */
struct px_call_table {
    const struct px_symbol **functions;
    uint32_t n, signatures;
    const char *name; /* stacks.c: once a call through it was noted */
};

struct px_checker {
    struct ptx_module *module;
    struct px_diags *diags;
    struct px_scope scope;
    struct px_memo memo;
    struct px_function *function;     /* being checked; NULL at module scope */
    PX_VEC(struct px_reg) spare_regs; /* where the next function's registers gather */
    PX_VEC(struct px_symbol *) spare_vars;
    PX_VEC(struct px_unknown) unknown;         /* names without a symbol in this function */
    PX_VEC(struct px_name *) refused;          /* names of this function whose declaration was refused */
    PX_VEC(struct px_use) uses;                /* uses.c */
    PX_VEC(struct px_use) addresses;           /* uses.c: functions without a body */
    PX_VEC(struct px_call) calls;              /* stacks.c */
    PX_VEC(struct px_call_table) call_tables;  /* call.c: those that calls have gone through */
    unsigned version;                          /* .version as major*10+minor; PTX_ISA_VERSION when missing */
    px_pos target_pos;                         /* of the architecture in .target */
    unsigned target_min_ptx;                   /* what it asks of .version */
    struct px_diags late;                      /* messages for a module without errors only */
    struct px_debug *debug;                    /* debug.c */
    uint32_t nitems;                           /* items of the module checked so far */
    uint32_t searched;                         /* names for which the text was searched */
    bool begun;                                /* the header was checked */
    bool stopped;                              /* by a fatal message */
    const struct px_construct *program_pragma; /* that -c refuses; NULL: none was met */
    bool unified;                              /* .attribute(.unified) was met */
    bool module_locals;                        /* a .reg or .local variable stands at module scope */
    bool target_debug;                         /* named by .target */
    bool small_params, small_returns;          /* a call passes what the calling convention lacks (whole.c) */
    uint8_t cta_groups;            /* of the tensor instructions in this function: 1, 2, or both bits */
    bool const_cvta;               /* cvta.const was met */
    bool written_out;              /* an instruction is there that ptxas writes out as a macro (whole.c) */
    struct px_unknown specific[4]; /* opcodes that need the a or f target of the module */
    uint8_t nspecific;
    bool narrow_address; /* a 32-bit address was used; told once */
};

/* A fatal message ends what it is about, and for ptxas the text. */
static inline void px_go_on(struct px_checker *checker)
{
    if (checker->module->recovers) checker->stopped = false;
}

/* Appends a message and remembers whether it was fatal. */
#define px_complain(checker, id, pos, length, ...)                                                           \
    ((checker)->stopped |=                                                                                   \
     px_diag_add((checker)->diags, PX_D_##id, (pos), (length), ##__VA_ARGS__)->severity == PTX_FATAL)

/* The same, where ptxas has found it at `at`, further on in the text, or names no place (PX_NO_PLACE). */
#define px_complain_at(checker, at, id, pos, length, ...)                                                    \
    do {                                                                                                     \
        struct px_diag *told_ = px_diag_add((checker)->diags, PX_D_##id, (pos), (length), ##__VA_ARGS__);    \
        told_->told = (at);                                                                                  \
        (checker)->stopped |= told_->severity == PTX_FATAL;                                                  \
    } while (0)

/* The same for a message that is given only when nothing else was wrong. */
#define px_complain_late(checker, id, ...)                                                                   \
    ((void)px_diag_add(&(checker)->late, PX_D_##id, PX_NO_PLACE, 0, ##__VA_ARGS__))

/* The same with a place, which ptxas does not name. */
#define px_complain_late_at(checker, id, pos, length, ...)                                                   \
    ((void)(px_diag_add(&(checker)->late, PX_D_##id, (pos), (length), ##__VA_ARGS__)->told = PX_NO_PLACE))

/* directives.c */
enum px_pragma_place { PX_PRAGMA_MODULE, PX_PRAGMA_ENTRY, PX_PRAGMA_STATEMENT };
void px_check_header(struct px_checker *checker);
void px_check_target(struct px_checker *checker, const struct px_target_list *list);
void px_check_target_version(struct px_checker *checker);
void px_check_arch(struct px_checker *checker); /* after the module: may it run where it was asked to? */
/* Complains when the module's version or target is too old for what a row of names.tbl describes. */
bool px_needs(struct px_checker *checker, const struct px_construct *construct, px_pos pos, uint32_t length);
bool px_requires(struct px_checker *checker, enum px_need need, px_pos pos, uint32_t length);
bool px_needs_feature(struct px_checker *checker, const char *feature, unsigned ptx, unsigned sm, px_pos pos,
                      uint32_t length); /* 0: no requirement */
/* The same for a feature that ended before `ptx`. */
bool px_withdrawn(struct px_checker *checker, const char *feature, unsigned ptx, px_pos pos, uint32_t length);
void px_check_directives(struct px_checker *checker, struct px_function *function,
                         const struct px_func *func);
void px_check_directive_pairs(struct px_checker *checker,
                              const struct px_func *func); /* at the end of the body */
void px_check_proto_directives(struct px_checker *checker, const struct px_proto *proto);
bool px_has_directive(const struct px_func *func, px_word word);

/* pragma.c */
void px_check_pragma(struct px_checker *checker, const struct px_pragma *pragma, enum px_pragma_place place);

/* debug.c */
void px_check_file(struct px_checker *checker, const struct px_file *file);
void px_check_section(struct px_checker *checker, const struct px_section *section);
void px_check_source(struct px_checker *checker, const struct px_source_section *source);
/* `before` is the statement in front of it, or NULL. */
void px_check_loc(struct px_checker *checker, const struct px_stmt *stmt, const struct px_stmt *before);
void px_check_debug(struct px_checker *checker); /* after the module */

/* whole.c: what is asked of modules without errors only */
bool px_small(const struct px_var *vars, unsigned n); /* predicates and small integers among parameters */
void px_note_written_out(struct px_checker *checker, const struct px_inst *inst);
void px_note_tensor(struct px_checker *checker, const struct px_inst *inst); /* one of tcgen05 */
void px_note_function(struct px_checker *checker);                           /* at its end */
void px_check_whole(struct px_checker *checker);

/* uses.c */
bool px_lacks_body(const struct px_symbol *function); /* and nobody else may give one */
void px_note_use(struct px_checker *checker, struct px_symbol *symbol);
/* Refuses what the device runtime has no more from sm_90 on. */
void px_check_withdrawn(struct px_checker *checker, const struct px_symbol *symbol, px_pos pos);
/* Of an instruction, whose use was noted just before, or an initialiser. */
void px_note_address(struct px_checker *checker, struct px_symbol *function);
void px_check_uses(struct px_checker *checker); /* after the module */

/* stacks.c */
void px_note_call(struct px_checker *checker, const struct px_symbol *callee);
void px_note_call_through(struct px_checker *checker, const struct px_proto *proto);
void px_note_call_table(struct px_checker *checker, struct px_call_table *table);
void px_note_reachable(struct px_checker *checker,
                       const struct px_symbol *function); /* its address is taken */
void px_check_stacks(struct px_checker *checker);         /* after the module */

/* decl.c */
struct px_symbol *px_symbol_new(struct px_checker *checker, enum px_symbol_kind kind, struct px_name *name,
                                px_pos pos);
void px_declare_var(struct px_checker *checker, struct px_var *var); /* var->symbol: NULL when refused */
/* What an earlier module of the program calls so, and shares; NULL if nothing. */
const struct px_symbol *px_find_earlier(const struct px_checker *checker, const struct px_name *name);
/* A formal parameter, not bound yet; `func` is NULL for one of a prototype. */
struct px_symbol *px_declare_param(struct px_checker *checker, struct px_var *var, const struct px_func *func,
                                   bool is_return);
uint64_t px_var_elements(const struct px_var *var);
uint64_t px_var_element_size(const struct px_var *var);
void px_add_register(struct px_checker *checker, struct px_symbol *symbol);
/* A register of module scope (PTX before 3.0) as one of the function, made at its first use there. */
struct px_symbol *px_register_here(struct px_checker *checker, struct px_symbol *symbol);
void px_range_member(struct px_checker *checker, struct px_symbol *member); /* numbers a member just made */
void px_note_earlier(struct px_checker *checker, struct px_diag *diag, const struct px_symbol *old);

/* decl_rules.c: what may be declared where; px_check_place is false when nothing can be declared */
bool px_check_place(struct px_checker *checker, const struct px_var *var);
/* Before PTX 2.0, .param variables are parameters of kernels and nothing else. */
void px_check_old_param(struct px_checker *checker, const struct px_var *var, bool in_entry, bool in_body);
void px_check_type(struct px_checker *checker, const struct px_var *var);
void px_check_param(struct px_checker *checker, const struct px_var *var, const struct px_func *func,
                    bool is_return);
void px_check_nameless(struct px_checker *checker, const struct px_var *var); /* a type without declarators */
void px_check_attributes(struct px_checker *checker, const struct px_attribute *attrs, unsigned n,
                         const struct px_var *var);

/* init.c, opaque.c */
struct px_const px_evaluate(struct px_checker *checker, const struct px_expr *expr); /* without names */
void px_evaluate_integer(struct px_checker *checker, const struct px_expr *expr);    /* a float is a fault */
void px_check_opaque_init(struct px_checker *checker, const struct px_var *var, const struct px_expr *init);
void px_check_field_value(struct px_checker *checker, const struct px_expr *value);
void px_check_init(struct px_checker *checker, struct px_var *var);

/* function.c */
/* Is an outermost variable of `func` one of its parameters, as before PTX 1.4? */
bool px_is_body_param(const struct px_checker *checker, const struct px_func *func, const struct px_var *var);
void px_declare_func(struct px_checker *checker, struct px_func *func);
void px_check_alias(struct px_checker *checker, const struct px_alias *alias);
void px_check_resolved(struct px_checker *checker); /* after the module: functions without a body */
void px_layout_params(struct px_symbol **symbols, unsigned n, uint64_t *bytes);
void px_check_signature(struct px_checker *checker, const struct px_func *func, struct px_var *rets,
                        unsigned nrets, struct px_var *params, unsigned nparams);

/* body.c */
void px_check_body(struct px_checker *checker, const struct px_block *body);
struct px_symbol *px_resolve(struct px_checker *checker, struct px_name *name,
                             px_pos pos);        /* NULL: noted as unknown */
bool px_was_unknown(const struct px_name *name); /* used before in this function */
bool px_is_special_register(const struct px_name *name);

/* follow.c: errors that only follow from others */
void px_follow_refused(struct px_checker *checker, struct px_name *name); /* a declaration left it unbound */
void px_follow_end_function(struct px_checker *checker);
/* Marks among the diagnostics from `before` on, which one instruction drew. */
void px_follow_instruction(struct px_checker *checker, const struct px_inst *inst, uint32_t before);
void px_follow_unknown(struct px_checker *checker, uint32_t from); /* unknown names told more than once */
void px_follow_requirements(struct px_checker *checker);           /* after the module */

/* nearest.c: the visible name most like `name`; NULL when none is near */
const struct px_name *px_nearest_name(const struct px_names *names, const struct px_name *name,
                                      bool *alone); /* none is as near */

/* address.c */
bool px_inst_has(const struct px_inst *inst, px_word word); /* among its modifiers */
void px_check_address_width(struct px_checker *checker, const struct px_inst *inst);
void px_check_address_size(struct px_checker *checker); /* after the module */

/* note_decl.c: notes for the diagnostics from `before` on; wanted and given are numbers of results and
 * parameters */
void px_note_formal(struct px_checker *checker, uint32_t before, const struct px_var *formal,
                    const struct px_operand *given);
void px_note_arity(struct px_checker *checker, uint32_t before, px_pos declared, const unsigned wanted[2],
                   const unsigned given[2]);
void px_note_declaration(struct px_checker *checker, uint32_t before, const struct px_var *var);
void px_note_duplicate(struct px_checker *checker, uint32_t before, const struct px_symbol *earlier);
void px_note_narrow(struct px_checker *checker, struct px_diag *diag, const struct px_inst *inst);
void px_note_specific(struct px_checker *checker,
                      const struct px_inst *inst); /* remembers what needs an a or f target */
void px_note_target(struct px_checker *checker, uint32_t before);

/* selector.c */
void px_check_selector(struct px_checker *checker, const struct px_operand *operand);

/* call.c */
void px_check_call(struct px_checker *checker, const struct px_inst *inst);
void px_check_targets(struct px_checker *checker, const struct px_stmt *stmt);
void px_check_proto(struct px_checker *checker, const struct px_proto *proto);
void px_check_param_access(struct px_checker *checker,
                           const struct px_inst *inst); /* ld, st, mov of parameters */
uint64_t px_formal_align(const struct px_var *formal);

#endif
