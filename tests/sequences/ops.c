/*
 * ops.c - operations: as they are submitted, as nodes, and as what they make of the values.
 */
#include "sequences/model.h"
#include <string.h>

const char *op_name(enum kind kind)
{
    static const char *const names[] = {"step",  "call", "constant", "mix",   "copy",  "fill",
                                        "write", "host", "empty",    "child", "alloc", "branch"};
    return names[kind];
}

uint64_t op_cells(const struct op *op)
{
    uint64_t cells = op->touched;
    if (op->a >= 0) cells |= 1ull << op->a;
    if (op->b >= 0) cells |= 1ull << op->b;
    return cells;
}

static int live_program(const struct model *m, uint32_t pick)
{
    for (uint32_t i = 0; i < PROGRAMS; i++)
        if (m->programs[(pick + i) % PROGRAMS].live) return (int)((pick + i) % PROGRAMS);
    return -1;
}

bool op_draw(struct model *m, const uint32_t pick[PICKS], struct op *op)
{
    static const enum kind kinds[] = {OP_STEP, OP_STEP, OP_CALL,  OP_CONST, OP_MIX,
                                      OP_COPY, OP_FILL, OP_WRITE, OP_HOST,  OP_EMPTY};
    const uint32_t n = sizeof kinds / sizeof *kinds;
    *op = (struct op){.kind = kinds[pick[0] % n], .a = -1, .b = -1, .add = pick[1] % 1000};
    if (op->kind == OP_EMPTY) return true;
    op->a = cell_of(m, pick[2], op->kind != OP_HOST && op->kind != OP_COPY);
    if (op->a < 0 || (op->kind == OP_HOST && !m->cells[op->a].host)) return false;
    if (op->kind == OP_MIX || op->kind == OP_COPY) op->b = cell_of(m, pick[3], op->kind == OP_MIX);
    if ((op->kind == OP_MIX || op->kind == OP_COPY) && (op->b < 0 || op->b == op->a)) return false;
    if (op->kind > OP_MIX) return true;
    op->program = live_program(m, pick[3] >> 8);
    if (op->program < 0) return false;
    const struct program *p = &m->programs[op->program];
    op->kernel = p->kernels[op->kind];
    op->constant = p->constant;
    op->counted = p->counted;
    return true;
}

/* ---- as it is submitted ---- */

struct call_of_host {
    uint32_t *word;
    uint32_t add;
};

static void on_host(void *user)
{
    struct call_of_host *c = user;
    *c->word = 2 * *c->word + c->add;
}

/* Lives as long as the process: nodes keep it. */
static struct call_of_host *host_call(const struct cell *a, uint32_t add)
{
    static _Thread_local struct call_of_host calls[4096];
    static _Thread_local unsigned next;
    struct call_of_host *c = &calls[next++ % 4096];
    *c = (struct call_of_host){a->word, add};
    return c;
}

static ptx_place place_of(const struct cell *c)
{
    return c->host ? (ptx_place){.host = c->word} : (ptx_place){.address = c->at};
}

ptx_node_config op_config(struct model *m, const struct op *op, struct op_room *room)
{
    static const ptx_node_kind kinds[] = {PTX_NODE_KERNEL, PTX_NODE_KERNEL, PTX_NODE_KERNEL, PTX_NODE_KERNEL,
                                          PTX_NODE_COPY,   PTX_NODE_FILL,   PTX_NODE_VALUES, PTX_NODE_HOST,
                                          PTX_NODE_EMPTY,  PTX_NODE_CHILD,  PTX_NODE_ALLOC,  PTX_NODE_BRANCH};
    const struct cell *a = op->a >= 0 ? &m->cells[op->a] : NULL, *b = op->b >= 0 ? &m->cells[op->b] : NULL;
    ptx_node_config config = {.struct_size = sizeof config, .kind = kinds[op->kind]};
    *room = (struct op_room){.params = {a ? a->at : 0, b ? b->at : 0, op->add, op->add % 7}};
    room->launch = (ptx_launch_config){.struct_size = sizeof room->launch,
                                       .grid = {1},
                                       .block = {1},
                                       .params = &room->params,
                                       .param_bytes = sizeof room->params};
    if (op->kind == OP_COPY)
        room->copy =
            (ptx_copy){.struct_size = sizeof room->copy, .to = place_of(a), .from = place_of(b), .width = 4};
    if (op->kind == OP_FILL)
        room->fill = (ptx_fill){
            .struct_size = sizeof room->fill, .to = a->at, .width = 1, .value = op->add, .element = 4};
    if (op->kind == OP_WRITE) room->value = (ptx_value){PTX_VALUE_WRITE, 4, a->at, op->add};
    config.kernel = op->kernel;
    config.launch = &room->launch;
    config.copy = &room->copy;
    config.fill = &room->fill;
    config.values = &room->value;
    config.nvalues = 1;
    config.host = on_host;
    if (op->kind == OP_HOST) config.user = host_call(a, op->add);
    return config;
}

ptx_status op_submit(struct model *m, const struct op *op, ptx_stream stream)
{
    struct op_room room;
    const ptx_node_config c = op_config(m, op, &room);
    switch (op->kind) {
    case OP_COPY: return ptx_stream_copy(m->device, c.copy, stream);
    case OP_FILL: return ptx_stream_fill(m->device, c.fill, stream);
    case OP_WRITE: return ptx_stream_values(m->device, c.values, 1, stream);
    case OP_HOST: return ptx_stream_host(m->device, stream, c.host, c.user);
    default: return ptx_kernel_submit(c.kernel, c.launch, stream, NULL);
    }
}

/* ---- what it makes of the values ---- */

void op_apply(struct model *m, const struct op *op)
{
    uint32_t *a = op->a >= 0 ? &m->cells[op->a].value : NULL;
    const uint32_t b = op->b >= 0 ? m->cells[op->b].value : 0;
    switch (op->kind) {
    case OP_STEP:
    case OP_CALL:
    case OP_HOST: *a = 2 * *a + op->add; break;
    case OP_CONST:
        *a = 2 * *a + op->add + op->constant;
        ++*op->counted;
        break;
    case OP_MIX: *a += 3 * b; break;
    case OP_COPY: *a = b; break;
    case OP_FILL:
    case OP_WRITE: *a = op->add; break;
    case OP_ALLOC: *a += 3 * op->add; break; /* 2 * 0 + add is mixed into it */
    case OP_CHILD: ops_apply(m, op->child); break;
    case OP_EMPTY:
    case OP_BRANCH: break;
    }
}

static void body_apply(struct model *m, const struct node *node, unsigned i)
{
    for (unsigned k = 0; k < node->op.nbody[i]; k++) op_apply(m, &node->body[i][k]);
}

void node_apply(struct model *m, const struct node *node)
{
    const struct op *op = &node->op;
    const uint32_t value = op->condition;
    if (node->off) return;
    if (op->kind != OP_BRANCH) {
        op_apply(m, op);
    } else if (op->branch == PTX_BRANCH_SWITCH) {
        if (value < op->nbodies) body_apply(m, node, value);
    } else if (op->branch == PTX_BRANCH_WHILE) {
        for (uint32_t i = 0; i < value; i++) body_apply(m, node, 0);
    } else if (value) {
        body_apply(m, node, 0);
    } else if (op->nbodies > 1) {
        body_apply(m, node, 1);
    }
}
