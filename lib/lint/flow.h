/*
 * flow.h - the body of one function as the analyses see it.
 *
 * Instructions (items) in text order, the registers they read and write
 * (references), and lib/flow's graph of the blocks, which everything that leaves
 * the function leaves for the end. A register here is one component of a .reg:
 * vectors count by component.
 */
#ifndef PX_LINT_FLOW_H
#define PX_LINT_FLOW_H

#include "check/check.h"
#include "flow/dominators.h"
#include "lint/lint.h"

struct px_lint_ref {
    const struct px_operand *operand;
    uint32_t reg;
    uint32_t item;
    bool is_def;
};

struct px_lint_item {
    const struct px_inst *inst;
    uint32_t first; /* of its references: reads, then writes; they end where those of the next item begin */
    uint8_t op;     /* px_op */
    uint8_t result; /* enum px_result */
    bool ends;      /* leaves the block */
};

struct px_lint_flow {
    struct ptx_module *module;
    const struct px_function *function;
    struct px_arena *arena; /* scratch */
    const struct px_lint_wanted *wanted;

    struct px_lint_item *items; /* nitems + 1: the last one only ends the references */
    uint32_t nitems;
    struct px_lint_ref *refs;
    uint32_t nrefs;
    uint32_t *reg_base;        /* by number of the .reg: its first component */
    uint32_t nregs;            /* components */
    struct px_flow_lists defs; /* of a register: numbers of the references that write it, in text order */

    struct px_flow_graph graph;
    struct px_flow_order order;
    bool *reached; /* by node */
    struct px_flow_tree dominators, post;
    bool *lanes_part; /* by item: told of as .aligned where lanes part */
};

/*
 * Fills `flow` for a function that has a body. False, and only items and references are there, when branches
 * through large tables make a graph that is far larger than the code.
 */
bool px_lint_flow(struct px_lint_flow *flow, struct ptx_module *module, const struct px_function *function,
                  struct px_arena *scratch, const struct px_lint_wanted *wanted);

/* Line of a place, for notes. */
unsigned px_lint_line(const struct px_lint_flow *flow, px_pos pos);
static inline unsigned px_lint_item_line(const struct px_lint_flow *flow, uint32_t item)
{
    return px_lint_line(flow, flow->items[item].inst->pos);
}

/* What a name of an operand stands for, when it is a register of this function; else NULL. */
const struct px_symbol *px_lint_register(const struct px_operand *operand);
/* The register that guards an item; PX_FLOW_NONE without a guard. */
uint32_t px_lint_guard(const struct px_lint_flow *flow, uint32_t item);
/* What is true of an item's operation: PX_OPERATION_. */
static inline unsigned px_lint_flags(const struct px_lint_item *item)
{
    return px_op_flags((px_op)item->op);
}

/* The function that a call names; NULL for an indirect one. */
const struct px_symbol *px_lint_callee(const struct px_inst *inst);

/* Appends a warning about an operand or an instruction. */
#define px_lint_say(flow, id, pos, length, ...)                                                              \
    px_diag_add(&(flow)->module->diags, PX_D_##id, (pos), (length), ##__VA_ARGS__)

/* Says of an item, or of a symbol's declaration, why the warning names it too. */
#define px_lint_relate(flow, diag, item, ...)                                                                \
    px_diag_relate(&(flow)->module->diags, (diag), (flow)->items[item].inst->pos,                            \
                   (flow)->items[item].inst->opcode->len, __VA_ARGS__)
#define px_lint_relate_symbol(flow, diag, symbol)                                                            \
    px_diag_relate(&(flow)->module->diags, (diag), (symbol)->pos, (symbol)->name->len,                       \
                   "'%s' is declared here", (symbol)->name->text)

struct px_lint_values;
struct px_lint_numbers;

/* The rules, one a file. */
void px_lint_registers(struct px_lint_flow *flow); /* registers.c: declared or written for nothing */
void px_lint_assigned(struct px_lint_flow *flow);  /* assigned.c: read before they are written */
void px_lint_reached(struct px_lint_flow *flow);   /* reached.c */
void px_lint_async(struct px_lint_flow *flow);     /* async.c: work that nothing waits for */
void px_lint_products(struct px_lint_flow *flow);  /* products.c: accumulators used before a wait */
/* spaces.c: generic accesses, pointers passed to child kernels */
void px_lint_spaces(struct px_lint_flow *flow, const struct px_lint_values *values);
/* places.c: accesses outside or misaligned to their variable */
void px_lint_places(struct px_lint_flow *flow, const struct px_lint_numbers *numbers);
/* counts.c: threads of barriers */
void px_lint_counts(struct px_lint_flow *flow, const struct px_lint_numbers *numbers);
/* exchanges.c: masks, lanes and clamps */
void px_lint_exchanges(struct px_lint_flow *flow, const struct px_lint_numbers *numbers);
/* aligned.c: .aligned where lanes have parted */
void px_lint_aligned(struct px_lint_flow *flow, const struct px_lint_numbers *numbers);
/* mbarriers.c: objects that are never initialised */
void px_lint_mbarriers(struct px_lint_flow *flow, const struct px_lint_numbers *numbers);
/* barriers.c: barriers where threads may have parted */
void px_lint_barriers(struct px_lint_flow *flow, const struct px_lint_numbers *numbers);
void px_lint_prototypes(struct ptx_module *module, px_lint_find *find); /* prototypes.c */

#endif
