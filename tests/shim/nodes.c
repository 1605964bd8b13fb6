/* nodes.c - nodes of graphs that came later: memory, values, conditions; child graphs, enabling, dot,
 * capture. */
#include <unistd.h>
#include "program.h"

static const char conditional[] =
    ".version 8.4\n.target sm_80\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
    /* counts down, and sets the condition to what is left */
    ".visible .entry down(.param .u64 handle, .param .u64 at)\n"
    "{\n .reg .u64 h, p; .reg .u32 v; ld.param.u64 h, [handle]; ld.param.u64 p, [at];\n"
    " ld.u32 v, [p]; sub.u32 v, v, 1; st.u32 [p], v;\n"
    " { .param .b64 a; .param .b32 b; st.param.b64 [a], h; st.param.b32 [b], v;\n"
    " call cudaGraphSetConditional, (a, b); }\n ret;\n}\n"
    ".visible .entry add(.param .u64 at, .param .u32 what)\n"
    "{\n .reg .u64 p; .reg .u32 v, w; ld.param.u64 p, [at]; ld.param.u32 w, [what]; ld.u32 v, [p];\n"
    " add.u32 v, v, w; st.u32 [p], v; ret;\n}\n";

static CUcontext context;
static CUfunction down, add;
static CUdeviceptr p;

static CUgraphNode kernel(CUgraph graph, CUgraphNode after, CUfunction f, void **params)
{
    CUgraphNode node;
    const CUDA_KERNEL_NODE_PARAMS k = one_thread(f, params);
    MUST(cuGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &k));
    return node;
}

static void run(CUgraphExec exec)
{
    MUST(cuGraphLaunch(exec, NULL));
    MUST(cuCtxSynchronize());
}

/* ---- conditions ---- */

static CUgraphNodeParams condition(CUgraphConditionalHandle h, CUgraphConditionalNodeType type, unsigned size)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    params.conditional.handle = h;
    params.conditional.type = type;
    params.conditional.size = size;
    params.conditional.ctx = context;
    return params;
}

static void whiles(void)
{
    CUgraph graph;
    CUgraphNode node, behind;
    CUgraphNodeType type;
    CUgraphExec exec;
    CUgraphConditionalHandle h;
    CUdeviceptr count = p, sum = p + 4;
    unsigned one = 1, hundred = 100;
    MUST(cuGraphCreate(&graph, 0));
    say("no context", cuGraphConditionalHandleCreate(&h, graph, NULL, 1, 0));
    say("flags 2", cuGraphConditionalHandleCreate(&h, graph, context, 1, 2));
    MUST(cuGraphConditionalHandleCreate(&h, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraphNodeParams params = condition(h, CU_GRAPH_COND_TYPE_WHILE, 2);
    say("two bodies", cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    params = condition(h + 4, CU_GRAPH_COND_TYPE_WHILE, 1);
    say("no handle", cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    params = condition(h, CU_GRAPH_COND_TYPE_WHILE, 1);
    MUST(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
    CUgraph body = params.conditional.phGraph_out[0];
    say("destroy the body", cuGraphDestroy(body));
    void *a[] = {&sum, &one}, *b[] = {&h, &count}, *c[] = {&sum, &hundred};
    kernel(body, kernel(body, NULL, add, a), down, b);
    behind = kernel(graph, node, add, c);
    MUST(cuGraphNodeGetType(node, &type));
    printf("type %d, another %d\n", (int)type, behind != node);
    MUST(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) { /* the default each time */
        MUST(cuMemsetD32(count, 5, 1));
        run(exec);
        printf("left %u, sum %u\n", word_at(count), word_at(sum));
    }
    CUgraph clone;
    say("clone", cuGraphClone(&clone, graph));
    MUST(cuGraphDestroy(graph));
    MUST(cuMemsetD32(count, 1, 1));
    run(exec); /* without its graph */
    printf("left %u, sum %u\n", word_at(count), word_at(sum));
    MUST(cuGraphExecDestroy(exec));
}

static void choices(void)
{
    CUgraph graph;
    CUgraphNode first, second, node;
    CUgraphExec exec;
    CUgraphConditionalHandle h, other;
    CUdeviceptr count = p, again = p + 8, sum = p + 4;
    unsigned digits[4] = {1, 10, 100, 1000};
    MUST(cuGraphCreate(&graph, 0));
    MUST(cuGraphConditionalHandleCreate(&h, graph, context, 0, 0));
    MUST(cuGraphConditionalHandleCreate(&other, graph, context, 0, 0));
    void *set[] = {&h, &count}, *set_other[] = {&other, &again};
    first = kernel(graph, NULL, down, set);
    second = kernel(graph, first, down, set_other);
    CUgraphNodeParams params = condition(h, CU_GRAPH_COND_TYPE_IF, 2);
    MUST(cuGraphAddNode(&node, graph, &second, NULL, 1, &params));
    for (int i = 0; i < 2; i++) {
        void *a[] = {&sum, &digits[i]};
        kernel(params.conditional.phGraph_out[i], NULL, add, a);
    }
    params = condition(h, CU_GRAPH_COND_TYPE_SWITCH, 2);
    CUgraphNode none;
    say("another's condition", cuGraphAddNode(&none, graph, &node, NULL, 1, &params));
    params = condition(other, CU_GRAPH_COND_TYPE_SWITCH, 2);
    MUST(cuGraphAddNode(&node, graph, &node, NULL, 1, &params));
    for (int i = 0; i < 2; i++) {
        void *a[] = {&sum, &digits[2 + i]};
        kernel(params.conditional.phGraph_out[i], NULL, add, a);
    }
    MUST(cuGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 1; i < 4; i++) { /* conditions 0, 1, 2 */
        MUST(cuMemsetD32(count, i, 1));
        MUST(cuMemsetD32(again, i, 1));
        MUST(cuMemsetD32(sum, 0, 1));
        run(exec);
        printf("condition %u: %u\n", i - 1, word_at(sum));
    }
    MUST(cuGraphDebugDotPrint(graph, "nodes.dot", CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    FILE *file = fopen("nodes.dot", "r");
    char line[1000];
    int clusters = 0, edges = 0, kernels_named = 0, depth = 0;
    while (file && fgets(line, sizeof line, file)) {
        clusters += strstr(line, "subgraph") != NULL;
        edges += strstr(line, "->") != NULL;
        kernels_named += strstr(line, "\\nadd\\n") != NULL;
        for (const char *at = line; *at; at++) depth += (*at == '{') - (*at == '}');
    }
    if (file) fclose(file);
    printf("%d clusters, %d edges, %d adds, depth %d\n", clusters, edges, kernels_named, depth);
    unlink("nodes.dot");
    say("no folder", cuGraphDebugDotPrint(graph, "/nonexistent/nodes.dot", 0));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
}

/* ---- memory ---- */

static cuuint64_t of_graphs(CUgraphMem_attribute which)
{
    cuuint64_t value = 99;
    MUST(cuDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}

static void memory(void)
{
    CUgraph graph;
    CUgraphNode alloc, use, copy, release;
    CUgraphExec exec;
    unsigned what = 7, got = 0;
    CUDA_MEM_ALLOC_NODE_PARAMS params = {.bytesize = 1 << 20}, told;
    MUST(cuGraphCreate(&graph, 0));
    say("no type", cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    MUST(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    void *a[] = {&params.dptr, &what};
    CUgraphNode zero_it;
    CUDA_MEMSET_NODE_PARAMS fill = {.dst = params.dptr, .elementSize = 4, .width = 1, .height = 1};
    MUST(cuGraphAddMemsetNode(&zero_it, graph, &alloc, 1, &fill, context));
    use = kernel(graph, zero_it, add, a);
    CUDA_MEMCPY3D c = {IN_DEVICE(src, params.dptr, 0), IN_HOST(dst, &got, 0), .WidthInBytes = 4, .Height = 1,
                       .Depth = 1};
    MUST(cuGraphAddMemcpyNode(&copy, graph, &use, 1, &c, context));
    MUST(cuGraphAddMemFreeNode(&release, graph, &copy, 1, params.dptr));
    MUST(cuGraphMemAllocNodeGetParams(alloc, &told));
    CUdeviceptr freed = 0;
    MUST(cuGraphMemFreeNodeGetParams(release, &freed));
    printf("bytes %zu, the same %d %d\n", told.bytesize, told.dptr == params.dptr, freed == params.dptr);
    say("of another kind", cuGraphMemAllocNodeGetParams(release, &told));
    MUST(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        run(exec);
        printf("got %u\n", got);
    }
    printf("most %d, held %d\n", of_graphs(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= 1 << 20,
           of_graphs(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) >= 1 << 20);
    MUST(cuDeviceGraphMemTrim(0));
    printf("held %d\n", of_graphs(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) != 0);
    cuuint64_t zero = 0, one = 1;
    say("reset", cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    say("to 1", cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &one));
    say("current", cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero));
    printf("most %d\n", of_graphs(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) != 0);
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
}

/* ---- values, children, single nodes ---- */

static void call(void *user)
{
    ++*(int *)user;
}

static void values(void)
{
    CUgraph graph;
    CUgraphNode node, behind;
    CUgraphExec exec;
    CUstream s;
    int called = 0;
    CUstreamBatchMemOpParams ops[2] = {{.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32}};
    ops[0].waitValue.address = p;
    ops[0].waitValue.value = 1;
    ops[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    ops[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[1].writeValue.address = p + 4;
    ops[1].writeValue.value = 44;
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.ctx = context, .count = 2, .paramArray = ops}, told;
    CUDA_HOST_NODE_PARAMS h = {.fn = call, .userData = &called};
    MUST(cuGraphCreate(&graph, 0));
    MUST(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    MUST(cuGraphAddHostNode(&behind, graph, &node, 1, &h));
    MUST(cuGraphBatchMemOpNodeGetParams(node, &told));
    printf("%u operations, %d %u, %d %u\n", told.count, (int)told.paramArray[0].operation,
           told.paramArray[0].waitValue.value, (int)told.paramArray[1].operation,
           told.paramArray[1].writeValue.value);
    MUST(cuGraphInstantiate(&exec, graph, 0));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuMemsetD32(p, 0, 2));
    MUST(cuGraphLaunch(exec, s));
    say("waits", cuStreamQuery(s));
    MUST(cuMemsetD32(p, 1, 1));
    MUST(cuStreamSynchronize(s));
    printf("called %d, %u\n", called, word_at(p + 4));
    ops[1].writeValue.value = 45;
    MUST(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    MUST(cuGraphLaunch(exec, s));
    MUST(cuStreamSynchronize(s));
    printf("called %d, %u\n", called, word_at(p + 4));
    MUST(cuStreamDestroy(s));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
}

static void children(void)
{
    CUgraph inner, other, outer, got, again;
    CUgraphNode child, list[4], after;
    CUgraphExec exec;
    unsigned one = 1, ten = 10, hundred = 100, is = 9;
    size_t n = 4;
    void *a[] = {&p, &one}, *b[] = {&p, &ten}, *c[] = {&p, &hundred};
    MUST(cuGraphCreate(&inner, 0));
    kernel(inner, NULL, add, a);
    MUST(cuGraphCreate(&other, 0));
    kernel(other, NULL, add, c);
    MUST(cuGraphCreate(&outer, 0));
    MUST(cuGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
    after = kernel(outer, child, add, b);
    MUST(cuGraphChildGraphNodeGetGraph(child, &got));
    MUST(cuGraphChildGraphNodeGetGraph(child, &again));
    MUST(cuGraphGetNodes(got, list, &n));
    printf("its own %d, one %d, nodes %zu\n", got != inner, got == again, n);
    say("of a kernel", cuGraphChildGraphNodeGetGraph(after, &got));
    say("destroy", cuGraphDestroy(got));
    MUST(cuGraphInstantiate(&exec, outer, 0));
    MUST(cuMemsetD32(p, 0, 1));
    run(exec);
    printf("%u\n", word_at(p));
    MUST(cuGraphExecChildGraphNodeSetParams(exec, child, other));
    run(exec);
    printf("%u\n", word_at(p));
    kernel(other, NULL, add, a);
    say("another shape", cuGraphExecChildGraphNodeSetParams(exec, child, other));
    MUST(cuGraphNodeGetEnabled(exec, after, &is));
    printf("enabled %u\n", is);
    MUST(cuGraphNodeSetEnabled(exec, after, 0));
    MUST(cuGraphNodeGetEnabled(exec, after, &is));
    run(exec);
    printf("enabled %u: %u\n", is, word_at(p));
    MUST(cuGraphNodeSetEnabled(exec, after, 1));
    run(exec);
    printf("%u\n", word_at(p));
    say("a child", cuGraphNodeSetEnabled(exec, child, 0));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(outer));
    say("with it", cuGraphGetNodes(got, NULL, &n));
    MUST(cuGraphDestroy(inner));
    MUST(cuGraphDestroy(other));
}

/* ---- capture ---- */

static void captured(void)
{
    CUstream s;
    CUgraph graph, seen, made;
    CUgraphNode first, extra, list[8];
    const CUgraphNode *front;
    CUgraphExec exec;
    CUstreamCaptureStatus status;
    CUdeviceptr m;
    cuuint64_t id;
    size_t n;
    unsigned one = 1, ten = 10;
    void *a[] = {&p, &one}, *b[] = {&p, &ten};
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    say("not captured", cuStreamUpdateCaptureDependencies_v2(s, NULL, NULL, 0, 1));
    MUST(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    MUST(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, s, a, NULL));
    MUST(cuStreamGetCaptureInfo(s, &status, &id, &seen, &front, NULL, &n));
    printf("status %d, behind %zu\n", (int)status, n);
    first = front[0];
    say("destroy", cuGraphDestroy(seen));
    extra = kernel(seen, first, add, b); /* by hand, between what is captured */
    MUST(cuStreamUpdateCaptureDependencies_v2(s, &extra, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    MUST(cuMemAllocAsync(&m, 256, s));
    MUST(cuMemsetD32Async(m, 5, 1, s));
    MUST(cuMemcpyDtoDAsync(p + 4, m, 4, s));
    MUST(cuMemFreeAsync(m, s));
    MUST(cuStreamEndCapture(s, &graph));
    printf("the same %d\n", graph == seen);
    n = 8;
    MUST(cuGraphGetNodes(graph, list, &n));
    for (size_t i = 0; i < n; i++) {
        CUgraphNodeType type;
        MUST(cuGraphNodeGetType(list[i], &type));
        printf("%d ", (int)type);
    }
    printf("\n");
    MUST(cuMemsetD32(p, 0, 2));
    MUST(cuGraphInstantiate(&exec, graph, 0));
    run(exec);
    run(exec);
    printf("%u %u\n", word_at(p), word_at(p + 4));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
    MUST(cuGraphCreate(&made, 0));
    first = kernel(made, NULL, add, a);
    MUST(cuStreamBeginCaptureToGraph(s, made, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
    MUST(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, s, b, NULL));
    MUST(cuStreamEndCapture(s, &graph));
    n = 8;
    MUST(cuGraphNodeGetDependentNodes(first, list, NULL, &n));
    printf("the same %d, behind it %zu\n", graph == made, n);
    MUST(cuMemsetD32(p, 0, 1));
    MUST(cuGraphInstantiate(&exec, made, 0));
    run(exec);
    printf("%u\n", word_at(p));
    MUST(cuGraphExecDestroy(exec));
    say("destroy", cuGraphDestroy(made));
    MUST(cuStreamDestroy(s));
}

/* One part, by its number, or all. */
int main(int argc, char **argv)
{
    static void (*const parts[])(void) = {whiles, choices, memory, values, children, captured};
    CUmodule module;
    context = begin();
    MUST(cuModuleLoadData(&module, conditional));
    MUST(cuModuleGetFunction(&down, module, "down"));
    MUST(cuModuleGetFunction(&add, module, "add"));
    MUST(cuMemAlloc(&p, 256));
    MUST(cuMemsetD32(p, 0, 64));
    for (int i = 0; i < (int)(sizeof parts / sizeof *parts); i++)
        if (argc < 2 || atoi(argv[1]) == i) parts[i]();
    return end(context);
}
