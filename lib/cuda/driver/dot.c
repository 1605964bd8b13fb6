/*
 * dot.c - graphs as text that Graphviz draws: a cluster a graph, child graphs and bodies in clusters of
 * their own, an edge a dependency.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cuda/driver/graph.h"

struct dot {
    FILE *to;
    struct px_cu_context *context;
    ptx_device *vm;
    unsigned flags, clusters;
};

static bool wants(const struct dot *d, unsigned flag)
{
    return (d->flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)) != 0;
}

static const char *kind_name(const ptx_node_info *info)
{
    static const char *const names[] = {
        [PTX_NODE_EMPTY] = "EMPTY",     [PTX_NODE_KERNEL] = "KERNEL", [PTX_NODE_COPY] = "MEMCPY",
        [PTX_NODE_FILL] = "MEMSET",     [PTX_NODE_HOST] = "HOST",     [PTX_NODE_RECORD] = "EVENT_RECORD",
        [PTX_NODE_WAIT] = "WAIT_EVENT", [PTX_NODE_CHILD] = "GRAPH",   [PTX_NODE_ALLOC] = "MEM_ALLOC",
        [PTX_NODE_FREE] = "MEM_FREE",   [PTX_NODE_VALUES] = "MEM_OP", [PTX_NODE_BRANCH] = "CONDITIONAL"};
    static const char *const branches[] = {
        [PTX_BRANCH_IF] = "IF", [PTX_BRANCH_WHILE] = "WHILE", [PTX_BRANCH_SWITCH] = "SWITCH"};
    return info->kind == PTX_NODE_BRANCH ? branches[info->branch] : names[info->kind];
}

static void put_kernel(const struct dot *d, const ptx_node_info *info)
{
    const ptx_launch_config *l = &info->launch;
    struct px_cu_function *f = px_cu_function_at(d->context, info->kernel);
    fprintf(d->to, "\\n%s", f ? f->name : "(unloaded)");
    px_cu_give(f);
    if (wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
        fprintf(d->to, "\\n\\<\\<\\<(%u,%u,%u),(%u,%u,%u),%u\\>\\>\\>", l->grid[0], l->grid[1], l->grid[2],
                l->block[0], l->block[1], l->block[2], (unsigned)l->shared_bytes);
}

static void put_place(const struct dot *d, const char *name, const ptx_place *p)
{
    fprintf(d->to, "\\n%s %s 0x%llx", name, p->host ? "host" : "device",
            p->host ? (unsigned long long)(uintptr_t)p->host : (unsigned long long)p->address);
}

static void put_label(const struct dot *d, size_t number, const ptx_node_info *info)
{
    fprintf(d->to, "%zu\\n%s", number, kind_name(info));
    if (info->kind == PTX_NODE_KERNEL) put_kernel(d, info);
    if (info->kind == PTX_NODE_COPY && wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)) {
        put_place(d, "from", &info->copy.from);
        put_place(d, "to", &info->copy.to);
        fprintf(d->to, "\\n%llu x %llu x %llu bytes", (unsigned long long)info->copy.width,
                (unsigned long long)(info->copy.height ? info->copy.height : 1),
                (unsigned long long)(info->copy.depth ? info->copy.depth : 1));
    }
    if (info->kind == PTX_NODE_FILL && wants(d, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
        fprintf(d->to, "\\n0x%llx = 0x%x, %llu x %llu of %u bytes", (unsigned long long)info->fill.to,
                info->fill.value, (unsigned long long)info->fill.width,
                (unsigned long long)(info->fill.height ? info->fill.height : 1), info->fill.element);
    if (info->kind == PTX_NODE_ALLOC)
        fprintf(d->to, "\\n%llu bytes at 0x%llx", (unsigned long long)info->bytes,
                (unsigned long long)info->address);
    if (info->kind == PTX_NODE_FREE) fprintf(d->to, "\\n0x%llx", (unsigned long long)info->address);
}

static bool put_graph(struct dot *d, ptx_graph graph);

/* Graphs inside the node. */
static bool put_inner(struct dot *d, ptx_node node, const ptx_node_info *info)
{
    ptx_graph inner;
    const unsigned n = info->kind == PTX_NODE_CHILD ? 1 : info->kind == PTX_NODE_BRANCH ? info->nbodies : 0;
    for (unsigned i = 0; i < n; i++)
        if (ptx_node_graph(d->vm, node, i, &inner) == PTX_OK && !put_graph(d, inner)) return false;
    return true;
}

static bool put_edges(const struct dot *d, unsigned cluster, const ptx_node *nodes, size_t n, size_t at)
{
    size_t count = n;
    ptx_node *before = malloc((n + 1) * sizeof *before);
    if (!before) return false;
    ptx_node_after(d->vm, nodes[at], before, &count);
    for (size_t k = 0; k < count && k < n; k++)
        for (size_t i = 0; i < n; i++)
            if (nodes[i] == before[k])
                fprintf(d->to, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\";\n", cluster, i, cluster, at);
    free(before);
    return true;
}

static bool put_nodes(struct dot *d, unsigned cluster, const ptx_node *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ptx_node_info info = {sizeof info};
        if (ptx_node_info_get(d->vm, nodes[i], &info) != PTX_OK) return false;
        fprintf(d->to, "\"graph_%u_node_%zu\"[style=\"%s\" shape=\"%s\" label=\"", cluster, i,
                info.kind == PTX_NODE_KERNEL ? "bold" : "solid",
                info.kind == PTX_NODE_KERNEL ? "octagon" : "rectangle");
        put_label(d, i, &info);
        fprintf(d->to, "\"];\n");
        if (!put_inner(d, nodes[i], &info)) return false;
    }
    for (size_t i = 0; i < n; i++)
        if (!put_edges(d, cluster, nodes, n, i)) return false;
    return true;
}

static bool put_graph(struct dot *d, ptx_graph graph)
{
    size_t n = 0;
    const unsigned cluster = ++d->clusters;
    if (ptx_graph_nodes(d->vm, graph, NULL, &n) != PTX_OK) return false;
    ptx_node *nodes = malloc((n + 1) * sizeof *nodes);
    size_t room = n;
    if (!nodes || ptx_graph_nodes(d->vm, graph, nodes, &n) != PTX_OK) {
        free(nodes);
        return false;
    }
    fprintf(d->to, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", cluster, cluster);
    const bool ok = put_nodes(d, cluster, nodes, n < room ? n : room);
    fprintf(d->to, "}\n");
    free(nodes);
    return ok;
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags)
{
    PX_CU_TAKE(px_cu_graph, g, PX_CU_GRAPH, graph, CUDA_ERROR_INVALID_VALUE);
    if (!path || flags >= 1 << 16) return CUDA_ERROR_INVALID_VALUE;
    struct dot d = {.to = fopen(path, "we"), .context = g->head.context, .vm = g->vm, .flags = flags};
    if (!d.to) return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(d.to, "digraph dot {\n");
    bool ok = put_graph(&d, g->number);
    fprintf(d.to, "}\n");
    ok = !ferror(d.to) && ok;
    return fclose(d.to) == 0 && ok ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
