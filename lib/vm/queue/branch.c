/*
 * branch.c - conditions and bodies.
 *
 * The task of a branch runs no grid. When its turn comes it reads the condition and launches a body, whose
 * last mark brings it back here: to read again (WHILE), or to end.
 */
#include "vm/queue/branch.h"
#include "vm/queue/capture.h"

/* ---- conditions ---- */

struct px_condition *px_condition_new(struct ptx_device *device, uint32_t value, bool reset)
{
    struct px_condition *c = px_zalloc(&device->alloc, sizeof *c);
    if (!c || !px_device_alloc(device, sizeof value, 16, &c->va)) {
        px_free(&device->alloc, c, sizeof *c);
        return NULL;
    }
    c->refs = 1;
    c->value = value;
    c->reset = reset;
    *(uint32_t *)px_mem_host(&device->mem, c->va, sizeof value) = value;
    c->more = device->conditions;
    device->conditions = c;
    return c;
}

void px_condition_release(struct ptx_device *device, struct px_condition *c)
{
    if (!c || --c->refs) return;
    struct px_condition **at = &device->conditions;
    while (*at != c) at = &(*at)->more;
    *at = c->more;
    px_device_drop(device, c->va);
    px_free(&device->alloc, c, sizeof *c);
}

struct px_condition *px_condition_find(const struct ptx_device *device, uint64_t va)
{
    struct px_condition *c = device->conditions;
    while (c && c->va != va) c = c->more;
    return c;
}

/* ---- branches ---- */

static struct px_branch *empty_branch(struct ptx_device *device, ptx_branch_kind kind, struct px_condition *c,
                                      uint32_t n)
{
    struct px_branch *b = px_zalloc(&device->alloc, sizeof *b);
    if (!b) return NULL;
    *b = (struct px_branch){.refs = 1, .kind = kind, .condition = c, .n = n};
    c->refs++;
    return b;
}

struct px_branch *px_branch_new(struct ptx_device *device, ptx_branch_kind kind, struct px_condition *c,
                                uint32_t n)
{
    struct px_branch *b = empty_branch(device, kind, c, n);
    if (!b) return NULL;
    b->graphs = px_zalloc(&device->alloc, n * sizeof *b->graphs);
    bool ok = b->graphs != NULL;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = (b->graphs[i] = px_graph_new(device)) && px_graph_lend(device, b->graphs[i]);
    if (ok) return b;
    px_branch_release(device, b);
    return NULL;
}

ptx_status px_branch_instance(struct ptx_device *device, const struct px_branch *branch,
                              struct px_branch **made)
{
    struct px_branch *b = empty_branch(device, branch->kind, branch->condition, branch->n);
    ptx_status status = PTX_ERROR_OUT_OF_MEMORY;
    if (b) b->execs = px_zalloc(&device->alloc, b->n * sizeof *b->execs);
    if (b && b->execs) status = PTX_OK;
    for (uint32_t i = 0; status == PTX_OK && i < b->n; i++)
        status = px_exec_make(device, branch->graphs[i], &b->execs[i]);
    if (status == PTX_OK)
        *made = b;
    else
        px_branch_release(device, b);
    return status;
}

void px_branch_release(struct ptx_device *device, struct px_branch *b)
{
    if (!b || --b->refs) return;
    for (uint32_t i = 0; b->graphs && i < b->n; i++) px_graph_free(device, b->graphs[i]);
    for (uint32_t i = 0; b->execs && i < b->n; i++)
        if (b->execs[i]) px_exec_free(device, b->execs[i]);
    px_free(&device->alloc, b->graphs, b->n * sizeof *b->graphs);
    px_free(&device->alloc, b->execs, b->n * sizeof *b->execs);
    px_condition_release(device, b->condition);
    px_free(&device->alloc, b, sizeof *b);
}

/* ---- running ---- */

/* The body that is next; NULL: none. */
static struct px_exec *choose(const struct px_task *task, uint32_t value)
{
    const struct px_branch *b = task->branch;
    if (task->rounds && b->kind != PTX_BRANCH_WHILE) return NULL;
    if (b->kind == PTX_BRANCH_SWITCH) return value < b->n ? b->execs[value] : NULL;
    if (value) return b->execs[0];
    return b->kind == PTX_BRANCH_IF && b->n > 1 ? b->execs[1] : NULL;
}

static void body_over(struct px_task *last, void *user)
{
    struct px_task *task = user;
    (void)last;
    px_branch_run(task);
    px_task_release(task);
}

void px_branch_run(struct px_task *task)
{
    struct ptx_device *device = task->device;
    const uint32_t *word = px_mem_host(&device->mem, task->branch->condition->va, sizeof *word);
    ptx_status status = px_task_refused(task);
    struct px_exec *body =
        status == PTX_OK && word ? choose(task, __atomic_load_n(word, __ATOMIC_ACQUIRE)) : NULL;
    if (body && task->branch->kind == PTX_BRANCH_WHILE && !px_exec_works(body))
        status = PTX_ERROR_DEADLOCK; /* nothing there could change the condition */
    else if (body) {
        task->rounds++;
        task->refs++;
        status = px_exec_begin(device, body, task->stream, body_over, task);
        if (status == PTX_OK) return;
        px_task_release(task);
    }
    px_task_end(task, status);
}
