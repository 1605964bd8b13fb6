/*
 * instance.c - graphs that can be launched: steps in an order in which each comes behind what it comes after.
 *
 * A child graph's nodes stand among the others, between two empty steps: one
 * that its first nodes come after, one that comes after its last. A launch makes
 * a task of each step, and two marks around them.
 */
#include "vm/queue/branch.h"
#include "vm/queue/capture.h"
#include "vm/device/device.h"
#include <string.h>

/* ---- order ---- */

/* A node while a graph is put in order; the nodes being visited are a stack. */
struct visit {
    struct px_node *node, *below;
    uint32_t seen; /* edges */
    enum { NOT_SEEN, ON_STACK, DONE } state;
};

static void begin_visit(struct visit *v, struct px_node *node, struct px_node *below)
{
    *v = (struct visit){node, below, 0, ON_STACK};
}

/* Visits a node and what it comes after; `list` gets each when all that it comes after is there. False: there
 * is a circle. */
static bool visit(struct visit *visits, struct px_node *node, struct px_node **list, uint32_t *n)
{
    struct visit *top = &visits[node->place];
    begin_visit(top, node, NULL);
    while (top) {
        struct px_node *before = top->seen < top->node->nafter ? top->node->after[top->seen++] : NULL;
        if (!before) {
            top->state = DONE;
            list[(*n)++] = top->node;
            top = top->below ? &visits[top->below->place] : NULL;
        } else if (visits[before->place].state == ON_STACK) {
            return false;
        } else if (visits[before->place].state == NOT_SEEN) {
            begin_visit(&visits[before->place], before, top->node);
            top = &visits[before->place];
        }
    }
    return true;
}

/* Nodes behind what they come after; `list` has room for all. */
static ptx_status put_in_order(struct ptx_device *device, const struct px_graph *graph, struct px_node **list)
{
    uint32_t n = 0;
    struct visit *visits = px_zalloc(&device->alloc, graph->n * sizeof *visits);
    if (!visits) return PTX_ERROR_OUT_OF_MEMORY;
    bool ok = true;
    for (uint32_t i = 0; ok && i < graph->n; i++)
        if (visits[i].state == NOT_SEEN) ok = visit(visits, graph->nodes[i], list, &n);
    px_free(&device->alloc, visits, graph->n * sizeof *visits);
    return ok ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

/* ---- steps ---- */

struct making {
    struct ptx_device *device;
    struct px_plan *plan;
    ptx_status status;
};

static uint32_t count_steps(const struct px_graph *graph)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->n; i++) {
        const struct px_work *op = &graph->nodes[i]->op;
        n += op->kind == PX_WORK_CHILD ? 2 + count_steps(op->child) : 1;
    }
    return n;
}

/* Bodies become instances of their own. */
static ptx_status keep_op(struct ptx_device *device, struct px_work *to, const struct px_work *op)
{
    if (op->kind != PX_WORK_BRANCH) return px_work_keep(device, to, op) ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
    *to = *op;
    return px_branch_instance(device, op->branch, &to->branch);
}

static struct px_stage *new_step(struct making *m, const struct px_work *op, uint64_t origin, uint32_t nafter)
{
    struct px_stage *step = &m->plan->steps[m->plan->n];
    step->after = px_alloc(&m->device->alloc, nafter * sizeof *step->after);
    if (!step->after) m->status = PTX_ERROR_OUT_OF_MEMORY;
    if (m->status == PTX_OK) m->status = keep_op(m->device, &step->op, op);
    if (m->status != PTX_OK) {
        px_free(&m->device->alloc, step->after, nafter * sizeof *step->after);
        return NULL;
    }
    step->nafter = nafter;
    step->origin = origin;
    step->last = true;
    m->plan->n++;
    return step;
}

static void set_after(struct making *m, struct px_stage *step, uint32_t k, uint32_t before)
{
    step->after[k] = before;
    m->plan->steps[before].last = false;
}

#define NO_STEP UINT32_MAX

static void add_graph(struct making *m, const struct px_graph *graph, uint32_t entry);

/* The step that those behind the child come after: it comes after all of the child that nothing comes after.
 */
static void add_child(struct making *m, const struct px_graph *child)
{
    static const struct px_work empty = {.kind = PX_WORK_EMPTY};
    const uint32_t first = m->plan->n - 1;
    uint32_t open = 0;
    add_graph(m, child, first);
    if (m->status != PTX_OK) return;
    const uint32_t end = m->plan->n;
    for (uint32_t i = first; i < end; i++) open += m->plan->steps[i].last;
    struct px_stage *step = new_step(m, &empty, 0, open);
    for (uint32_t i = first, k = 0; step && i < end; i++)
        if (m->plan->steps[i].last) set_after(m, step, k++, i);
}

/* `end`: of each node of the graph, by place, the number of its last step. */
static void add_node(struct making *m, const struct px_node *node, uint32_t entry, uint32_t *end)
{
    static const struct px_work empty = {.kind = PX_WORK_EMPTY};
    const bool child = node->op.kind == PX_WORK_CHILD, alone = !node->nafter && entry != NO_STEP;
    struct px_stage *step = new_step(m, child ? &empty : &node->op, node->number, alone ? 1 : node->nafter);
    if (!step) return;
    for (uint32_t i = 0; i < node->nafter; i++) set_after(m, step, i, end[node->after[i]->place]);
    if (alone) set_after(m, step, 0, entry);
    if (child) add_child(m, node->op.child);
    end[node->place] = m->plan->n - 1;
}

static void add_graph(struct making *m, const struct px_graph *graph, uint32_t entry)
{
    const ptx_allocator *alloc = &m->device->alloc;
    struct px_node **list = px_alloc(alloc, graph->n * sizeof *list);
    uint32_t *end = px_alloc(alloc, graph->n * sizeof *end);
    m->status = list && end ? put_in_order(m->device, graph, list) : PTX_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; m->status == PTX_OK && i < graph->n; i++) add_node(m, list[i], entry, end);
    px_free(alloc, end, graph->n * sizeof *end);
    px_free(alloc, list, graph->n * sizeof *list);
}

void px_plan_release(struct ptx_device *device, struct px_plan *plan)
{
    if (!plan || --plan->refs) return;
    for (uint32_t i = 0; i < plan->n; i++) {
        px_free(&device->alloc, plan->steps[i].after, plan->steps[i].nafter * sizeof *plan->steps[i].after);
        px_work_drop(device, &plan->steps[i].op);
    }
    px_free(&device->alloc, plan->steps, plan->room * sizeof *plan->steps);
    for (uint32_t i = 0; i < plan->nconditions; i++) px_condition_release(device, plan->conditions[i]);
    px_free(&device->alloc, plan->conditions, plan->nconditions * sizeof *plan->conditions);
    px_free(&device->alloc, plan, sizeof *plan);
}

void px_exec_free(struct ptx_device *device, struct px_exec *exec)
{
    px_plan_release(device, exec->plan);
    px_task_release(exec->last);
    px_free(&device->alloc, exec, sizeof *exec);
}

/* A step that gives conditions their values, before all others; NO_STEP: there are none. */
static uint32_t add_resets(struct making *m, const struct px_graph *graph)
{
    const ptx_allocator *alloc = &m->device->alloc;
    uint32_t n = 0, i = 0;
    for (const struct px_condition *c = graph->conditions; c; c = c->next) n += c->reset;
    if (!n) return NO_STEP;
    ptx_value *values = px_alloc(alloc, n * sizeof *values);
    m->plan->conditions = px_alloc(alloc, n * sizeof *m->plan->conditions);
    if (!values || !m->plan->conditions) m->status = PTX_ERROR_OUT_OF_MEMORY;
    for (struct px_condition *c = graph->conditions; m->status == PTX_OK && c; c = c->next) {
        if (!c->reset) continue;
        values[i] = (ptx_value){PTX_VALUE_WRITE, sizeof c->value, c->va, c->value};
        m->plan->conditions[i++] = c;
        c->refs++;
    }
    const struct px_work op = {.kind = PX_WORK_VALUES, .values = values, .nvalues = n};
    if (m->status == PTX_OK) {
        m->plan->nconditions = n;
        new_step(m, &op, 0, 0);
    } else {
        px_free(alloc, m->plan->conditions, n * sizeof *m->plan->conditions);
        m->plan->conditions = NULL;
    }
    px_free(alloc, values, n * sizeof *values);
    return 0;
}

static ptx_status make_plan(struct ptx_device *device, const struct px_graph *graph, struct px_plan **out)
{
    struct making m = {.device = device, .plan = px_zalloc(&device->alloc, sizeof *m.plan)};
    if (!m.plan) return PTX_ERROR_OUT_OF_MEMORY;
    m.plan->refs = 1;
    m.plan->room = count_steps(graph) + 1;
    m.plan->steps = px_zalloc(&device->alloc, m.plan->room * sizeof *m.plan->steps);
    if (!m.plan->steps) {
        m.plan->room = 0;
        m.status = PTX_ERROR_OUT_OF_MEMORY;
    }
    const uint32_t first = m.status == PTX_OK ? add_resets(&m, graph) : NO_STEP;
    if (m.status == PTX_OK) add_graph(&m, graph, first);
    if (m.status == PTX_OK)
        *out = m.plan;
    else
        px_plan_release(device, m.plan);
    return m.status;
}

ptx_status px_exec_make(struct ptx_device *device, const struct px_graph *graph, struct px_exec **out)
{
    struct px_exec *exec = px_zalloc(&device->alloc, sizeof *exec);
    const ptx_status status = exec ? make_plan(device, graph, &exec->plan) : PTX_ERROR_OUT_OF_MEMORY;
    if (status == PTX_OK)
        *out = exec;
    else
        px_free(&device->alloc, exec, sizeof *exec);
    return status;
}

/* ---- launches ---- */

static bool follow_steps(const struct px_plan *plan, struct px_stage *step, struct px_task *entry)
{
    bool ok = step->nafter || px_task_follow(step->task, entry);
    const bool overlap = step->op.kind == PX_WORK_KERNEL && step->op.config.flags & PTX_LAUNCH_PROGRAMMATIC;
    for (uint32_t i = 0; ok && i < step->nafter; i++)
        ok = (overlap ? px_task_overlap : px_task_follow)(step->task, plan->steps[step->after[i]].task);
    return ok;
}

/* An event that is gone is nobody's any more. */
static bool follow_event(struct ptx_device *device, struct px_stage *step)
{
    struct px_event *e = px_handle_get(&device->handles, PX_HANDLE_EVENT, step->op.event);
    if (!e) return true;
    if (step->op.kind == PX_WORK_WAIT) return px_task_follow(step->task, e->task);
    px_event_leave_capture(device, e);
    px_task_release(e->task);
    e->task = step->task;
    e->task->refs++;
    return true;
}

static ptx_status make_task(struct ptx_device *device, const struct px_plan *plan, struct px_stage *step,
                            struct px_stream *s, struct px_task *entry, uint64_t number)
{
    static const struct px_work nothing = {.kind = PX_WORK_EMPTY};
    struct px_grid *grid;
    const ptx_status status = px_work_grid(device, step->off ? &nothing : &step->op, &grid);
    if (status != PTX_OK) return status;
    if (grid) grid->graph = number;
    struct px_task *task = step->task = px_task_new(device, grid);
    if (!task) {
        if (grid) px_grid_free(grid);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    if (step->op.kind == PX_WORK_BRANCH) {
        task->branch = step->op.branch;
        task->branch->refs++;
    }
    task->stream = s;
    s->refs++;
    task->priority = -s->priority;
    task->max_steps = device->config.max_steps;
    task->timeout_ns = 1000000 * device->config.timeout_ms;
    if (step->op.kind == PX_WORK_KERNEL) px_task_configure(task, &step->op.config);
    if (!follow_steps(plan, step, entry)) return PTX_ERROR_OUT_OF_MEMORY;
    if (step->op.kind != PX_WORK_RECORD && step->op.kind != PX_WORK_WAIT) return PTX_OK;
    return follow_event(device, step) ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

/* The mark behind all; it takes the place of the tail of the stream, if it is in one. */
static ptx_status close_launch(struct ptx_device *device, struct px_exec *exec, struct px_stream *s,
                               struct px_task *entry, const struct px_task *like)
{
    struct px_task *exit = px_task_new(device, NULL);
    if (!exit) return PTX_ERROR_OUT_OF_MEMORY;
    exit->finished = like->finished;
    exit->user = like->user;
    const struct px_plan *plan = exec->plan;
    bool ok = px_task_follow(exit, entry);
    for (uint32_t i = 0; ok && i < plan->n; i++)
        if (plan->steps[i].last) ok = px_task_follow(exit, plan->steps[i].task);
    if (ok) {
        exit->plan = exec->plan;
        exit->plan->refs++;
        px_task_release(exec->last);
        exec->last = exit;
        exit->refs++;
    } else {
        exit->finished = NULL;
    }
    if (ok && s) {
        px_task_release(s->tail);
        s->tail = exit;
        exit->refs++;
    }
    px_task_submit(exit);
    px_task_release(exit);
    return ok ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

/* Tasks of all steps behind `entry`, which is given away. */
static ptx_status submit(struct ptx_device *device, struct px_exec *exec, struct px_stream *told,
                         struct px_stream *s, struct px_task *entry, const struct px_task *like)
{
    struct px_plan *plan = exec->plan;
    ptx_status status = PTX_OK;
    plan->refs++; /* until here: the last task may be done before this returns */
    for (uint32_t i = 0; i < plan->n; i++) plan->steps[i].task = NULL;
    for (uint32_t i = 0; status == PTX_OK && i < plan->n; i++)
        status = make_task(device, plan, &plan->steps[i], told, entry, exec->number);
    if (status == PTX_OK) status = close_launch(device, exec, s, entry, like);
    for (uint32_t i = 0; i < plan->n && plan->steps[i].task; i++) {
        struct px_task *task = plan->steps[i].task;
        task->cancelled = status != PTX_OK; /* what was made goes through the queue all the same */
        plan->steps[i].task = NULL;
        px_task_submit(task);
        px_task_release(task);
    }
    px_plan_release(device, plan);
    px_task_submit(entry);
    px_task_release(entry);
    return status;
}

bool px_exec_works(const struct px_exec *exec)
{
    const struct px_stage *steps = exec->plan->steps;
    for (uint32_t i = 0; i < exec->plan->n; i++)
        if (steps[i].op.kind != PX_WORK_EMPTY && steps[i].op.kind != PX_WORK_RECORD &&
            steps[i].op.kind != PX_WORK_WAIT && !steps[i].off)
            return true;
    return false;
}

ptx_status px_exec_begin(struct ptx_device *device, struct px_exec *exec, struct px_stream *stream,
                         void (*finished)(struct px_task *task, void *user), void *user)
{
    const struct px_task like = {.finished = finished, .user = user};
    struct px_task *entry = px_task_new(device, NULL);
    if (!entry) return PTX_ERROR_OUT_OF_MEMORY;
    if (px_task_follow(entry, exec->last)) return submit(device, exec, stream, NULL, entry, &like);
    px_task_submit(entry);
    px_task_release(entry);
    return PTX_ERROR_OUT_OF_MEMORY;
}

ptx_status px_exec_launch(struct ptx_device *device, struct px_exec *exec, ptx_stream stream)
{
    struct px_stream *s = px_stream_find(device, stream);
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    if (s->capture) return PTX_ERROR_CAPTURE;
    if (device->tasks.lost != PTX_OK) return device->tasks.lost;
    struct px_task *entry = px_stream_put(s, NULL, exec->last, false);
    if (!entry) return PTX_ERROR_OUT_OF_MEMORY;
    const struct px_task plain = {0};
    const ptx_status status = submit(device, exec, s, s, entry, &plain);
    px_stream_go(device, false);
    return status;
}

/* ---- what the embedder asks; the lock is held ---- */

static struct px_exec *exec_at(struct ptx_device *device, ptx_instance number)
{
    return px_handle_get(&device->handles, PX_HANDLE_EXEC, number);
}

ptx_status px_exec_create(struct ptx_device *device, ptx_graph number, ptx_instance *out)
{
    const struct px_graph *graph = px_handle_get(&device->handles, PX_HANDLE_GRAPH, number);
    struct px_exec *exec;
    if (!graph) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = px_exec_make(device, graph, &exec);
    if (status != PTX_OK) return status;
    *out = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_EXEC, exec);
    exec->number = *out;
    if (*out) return PTX_OK;
    px_exec_free(device, exec);
    return PTX_ERROR_OUT_OF_MEMORY;
}

ptx_status px_exec_run(struct ptx_device *device, ptx_instance number, ptx_stream stream)
{
    px_task_room(device);
    struct px_exec *exec = exec_at(device, number);
    return exec ? px_exec_launch(device, exec, stream) : PTX_ERROR_INVALID_ARGUMENT;
}

ptx_status px_exec_destroy(struct ptx_device *device, ptx_instance number)
{
    struct px_exec *exec = px_handle_drop(&device->handles, PX_HANDLE_EXEC, number);
    if (exec) px_exec_free(device, exec);
    return exec ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

static bool same_shape(const struct px_plan *a, const struct px_plan *b)
{
    bool same = a->n == b->n;
    for (uint32_t i = 0; same && i < a->n; i++) {
        const struct px_stage *x = &a->steps[i], *y = &b->steps[i];
        same = x->op.kind == y->op.kind && x->op.copy.fill == y->op.copy.fill && x->nafter == y->nafter &&
               !memcmp(x->after, y->after, x->nafter * sizeof *x->after);
    }
    return same;
}

ptx_status px_exec_update(struct ptx_device *device, ptx_instance number, ptx_graph graph_number)
{
    struct px_exec *exec = exec_at(device, number);
    const struct px_graph *graph = px_handle_get(&device->handles, PX_HANDLE_GRAPH, graph_number);
    struct px_plan *made, *had;
    if (!exec || !graph) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = make_plan(device, graph, &made);
    if (status != PTX_OK) return status;
    had = exec->plan;
    if (!same_shape(had, made)) {
        px_plan_release(device, made);
        return PTX_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < had->n; i++) made->steps[i].origin = had->steps[i].origin;
    exec->plan = made;
    px_plan_release(device, had);
    return PTX_OK;
}

struct px_stage *px_exec_step(struct ptx_device *device, ptx_instance number, ptx_node node)
{
    struct px_exec *exec = exec_at(device, number);
    for (uint32_t i = 0; exec && node && i < exec->plan->n; i++) {
        struct px_stage *step = &exec->plan->steps[i];
        if (step->origin == node)
            return step->op.kind == PX_WORK_KERNEL || step->op.kind == PX_WORK_COPY ? step : NULL;
    }
    return NULL;
}

/* The child's steps stand behind the one of its node; those of another graph of the same shape take their
 * places. */
static ptx_status set_child(struct ptx_device *device, struct px_plan *plan, uint32_t first,
                            const struct px_graph *child)
{
    struct px_plan *made;
    if (px_graph_is_single(child)) return PTX_ERROR_UNSUPPORTED;
    const ptx_status status = make_plan(device, child, &made);
    if (status != PTX_OK) return status;
    struct px_stage *old = &plan->steps[first + 1];
    bool same =
        made->n < plan->n - first - 1 && old[made->n].op.kind == PX_WORK_EMPTY && !old[made->n].origin;
    for (uint32_t i = 0; same && i < made->n; i++) {
        const struct px_stage *x = &old[i], *y = &made->steps[i];
        same = x->op.kind == y->op.kind && x->op.copy.fill == y->op.copy.fill &&
               x->nafter == (y->nafter ? y->nafter : 1);
        for (uint32_t k = 0; same && k < y->nafter; k++) same = x->after[k] == y->after[k] + first + 1;
    }
    for (uint32_t i = 0; same && i < made->n; i++) {
        const struct px_work op = old[i].op;
        old[i].op = made->steps[i].op;
        made->steps[i].op = op;
    }
    px_plan_release(device, made);
    return same ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

ptx_status px_exec_set(struct ptx_device *device, ptx_instance number, ptx_node node,
                       const struct px_work *op)
{
    struct px_exec *exec = exec_at(device, number);
    for (uint32_t i = 0; exec && node && i < exec->plan->n; i++) {
        struct px_stage *step = &exec->plan->steps[i];
        if (step->origin != node) continue;
        if (op->kind != PX_WORK_CHILD) return px_work_replace(device, &step->op, op);
        return step->op.kind == PX_WORK_EMPTY ? set_child(device, exec->plan, i, op->child)
                                              : PTX_ERROR_INVALID_ARGUMENT;
    }
    return PTX_ERROR_INVALID_ARGUMENT;
}
