/*
 * test_graphs.c - graphs: made by hand and by capture, launched again and again, updated, refused. What is
 * expected is what include/ptx_graph.h promises.
 */
#include "api/fixture.h"
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "suite.h"

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           /* x = 2 * x + add: the order of steps can be read from the bits */
                           ".visible .entry step(.param .u64 p, .param .u32 add) {\n"
                           " .reg .u64 %a; .reg .u32 %x, %y; ld.param.u64 %a, [p]; ld.param.u32 %y, [add];\n"
                           " ld.volatile.global.u32 %x, [%a]; mad.lo.u32 %x, %x, 2, %y;\n"
                           " st.volatile.global.u32 [%a], %x; ret; }\n";

static ptx_kernel *kernel;
static ptx_address p;

struct step {
    ptx_address p;
    uint32_t add;
};

static int set_up(void **state)
{
    (void)state;
    open_usual(text);
    kernel = kernel_named("step");
    p = buffer(64);
    return 0;
}

static ptx_launch_config launch_of(const struct step *s)
{
    return launch_shape(1, 1, s, sizeof *s);
}

static ptx_node add_step(ptx_graph graph, const ptx_node *after, size_t count, ptx_address at, uint32_t add)
{
    const struct step s = {at, add};
    const ptx_launch_config launch = launch_of(&s);
    const ptx_node_config config = {
        sizeof config, PTX_NODE_KERNEL, kernel, &launch, NULL, NULL, NULL, NULL, 0, 0};
    ptx_node node;
    assert_int_equal(ptx_graph_add(device, graph, after, count, &config, &node), PTX_OK);
    return node;
}

static void submit_step(ptx_stream stream, ptx_address at, uint32_t add)
{
    const struct step s = {at, add};
    const ptx_launch_config launch = launch_of(&s);
    assert_int_equal(ptx_kernel_submit(kernel, &launch, stream, NULL), PTX_OK);
}

static ptx_graph new_graph(void)
{
    ptx_graph graph;
    assert_int_equal(ptx_graph_create(device, &graph), PTX_OK);
    return graph;
}

static ptx_stream new_stream(void)
{
    ptx_stream stream;
    assert_int_equal(ptx_stream_create(device, NULL, &stream), PTX_OK);
    return stream;
}

static ptx_instance instance_of(ptx_graph graph)
{
    ptx_instance instance;
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    return instance;
}

/* From 0, launched and waited for. */
static uint32_t result_of(ptx_instance instance)
{
    assert_int_equal(ptx_memory_fill(device, p, 0, 64), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, 0), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
    return word_at(p);
}

#define CASE(name) TEST_WITHIN(name, set_up, close_device)

CASE(nodes_run_behind_what_they_come_after)
{
    const ptx_graph graph = new_graph();
    /* Added last to first; the order is by edges alone. */
    const ptx_node c = add_step(graph, NULL, 0, p, 1), b = add_step(graph, NULL, 0, p, 0),
                   a = add_step(graph, NULL, 0, p, 1);
    assert_int_equal(ptx_graph_edge_add(device, a, b), PTX_OK);
    assert_int_equal(ptx_graph_edge_add(device, b, c), PTX_OK);
    assert_int_equal(ptx_graph_edge_add(device, b, c), PTX_ERROR_INVALID_ARGUMENT); /* it is there */
    const ptx_instance instance = instance_of(graph);
    for (int i = 0; i < 20; i++) assert_int_equal(result_of(instance), 5); /* 1, 10, 101 */
    for (int i = 0; i < 4; i++) assert_int_equal(ptx_instance_launch(device, instance, new_stream()), PTX_OK);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    assert_int_equal(word_at(p), 055555); /* launches of one instance come one after the other */
    ptx_node list[4];
    size_t n = 4;
    assert_int_equal(ptx_graph_nodes(device, graph, list, &n), PTX_OK);
    assert_int_equal(n, 3);
    assert_int_equal(list[0], c);
    n = 1;
    assert_int_equal(ptx_node_after(device, c, list, &n), PTX_OK);
    assert_int_equal(n, 1);
    assert_int_equal(list[0], b);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
    assert_int_equal(ptx_node_after(device, c, list, &n), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(result_of(instance), 5); /* the instance has all that it needs */
    assert_int_equal(ptx_instance_destroy(device, instance), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, 0), PTX_ERROR_INVALID_ARGUMENT);
}

CASE(circles_are_refused)
{
    const ptx_graph graph = new_graph();
    const ptx_node a = add_step(graph, NULL, 0, p, 1), b = add_step(graph, &a, 1, p, 1);
    ptx_instance instance;
    assert_int_equal(ptx_graph_edge_add(device, b, a), PTX_OK);
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_edge_remove(device, b, a), PTX_OK);
    assert_int_equal(ptx_graph_edge_remove(device, b, a), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(result_of(instance_of(graph)), 3);
    const ptx_graph other = new_graph();
    const ptx_node far = add_step(other, NULL, 0, p, 1);
    assert_int_equal(ptx_graph_edge_add(device, a, far), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_edge_add(device, a, a), PTX_OK);
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_node_destroy(device, a), PTX_OK); /* its edges go with it */
    assert_int_equal(result_of(instance_of(graph)), 1);
}

static void called(void *user)
{
    *(uint32_t *)user = word_at(p);
}

CASE(all_kinds_of_nodes)
{
    uint32_t in = 6, seen = 0, out = 0;
    const ptx_copy up = {.to = {.address = p}, .from = {.host = &in}, .width = 4},
                   down = {.to = {.host = &out}, .from = {.address = p + 4}, .width = 4};
    const ptx_fill fill = {.to = p + 4, .width = 4, .value = 0x11};
    ptx_event event;
    assert_int_equal(ptx_event_create(device, 0, &event), PTX_OK);
    const ptx_graph child = new_graph(), graph = new_graph();
    const ptx_node c0 = add_step(child, NULL, 0, p, 1);
    add_step(child, &c0, 1, p, 0); /* 6 -> 13 -> 26 */
    const ptx_node_config kinds[] = {{.kind = PTX_NODE_COPY, .copy = &up},
                                     {.kind = PTX_NODE_CHILD, .child = child},
                                     {.kind = PTX_NODE_HOST, .host = called, .user = &seen},
                                     {.kind = PTX_NODE_FILL, .fill = &fill},
                                     {.kind = PTX_NODE_EMPTY},
                                     {.kind = PTX_NODE_RECORD, .event = event},
                                     {.kind = PTX_NODE_WAIT, .event = event},
                                     {.kind = PTX_NODE_COPY, .copy = &down}};
    ptx_node last = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ptx_node node;
        ptx_node_kind kind;
        assert_int_equal(ptx_graph_add(device, graph, &last, i != 0, &kinds[i], &node), PTX_OK);
        assert_int_equal(ptx_node_kind_get(device, node, &kind), PTX_OK);
        assert_int_equal(kind, kinds[i].kind);
        last = node;
    }
    assert_int_equal(ptx_graph_destroy(device, child), PTX_OK); /* it was copied */
    result_of(instance_of(graph));
    assert_int_equal(seen, 26);
    assert_int_equal(out, 0x11111111);
    assert_int_equal(ptx_event_query(device, event), PTX_OK);
    ptx_graph copy;
    assert_int_equal(ptx_graph_clone(device, graph, &copy), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
    in = 1;
    assert_int_equal(result_of(instance_of(copy)), 6);
}

CASE(instances_take_new_configurations)
{
    const ptx_graph graph = new_graph(), other = new_graph(), longer = new_graph();
    const ptx_node a = add_step(graph, NULL, 0, p, 1), b = add_step(graph, &a, 1, p, 1);
    const ptx_node c = add_step(other, NULL, 0, p, 0);
    add_step(other, &c, 1, p, 1);
    const ptx_node d = add_step(longer, NULL, 0, p, 0), e = add_step(longer, &d, 1, p, 0);
    add_step(longer, &e, 1, p, 0);
    const ptx_instance instance = instance_of(graph);
    assert_int_equal(result_of(instance), 3);
    assert_int_equal(ptx_instance_update(device, instance, longer), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(result_of(instance), 3);
    assert_int_equal(ptx_instance_update(device, instance, other), PTX_OK);
    assert_int_equal(result_of(instance), 1);
    const struct step s = {p, 6};
    const ptx_launch_config launch = launch_of(&s);
    const ptx_node_config kernel_config = {.kind = PTX_NODE_KERNEL, .kernel = kernel, .launch = &launch},
                          empty = {.kind = PTX_NODE_EMPTY};
    assert_int_equal(ptx_instance_set(device, instance, b, &kernel_config), PTX_OK);
    assert_int_equal(result_of(instance), 6);
    assert_int_equal(ptx_instance_set(device, instance, b, &empty), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_instance_set(device, instance, c, &kernel_config), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_node_set(device, a, &kernel_config), PTX_OK);
    assert_int_equal(result_of(instance), 6); /* a node is not the instance's */
    assert_int_equal(result_of(instance_of(graph)), 13);
}

CASE(streams_are_captured)
{
    const ptx_stream s = new_stream(), t = new_stream();
    ptx_event fork, join;
    ptx_graph graph;
    int active;
    assert_int_equal(ptx_event_create(device, 0, &fork), PTX_OK);
    assert_int_equal(ptx_event_create(device, 0, &join), PTX_OK);
    assert_int_equal(ptx_memory_fill(device, p, 0, 64), PTX_OK);
    assert_int_equal(ptx_capture_begin(device, s), PTX_OK);
    assert_int_equal(ptx_capture_begin(device, s), PTX_ERROR_CAPTURE);
    submit_step(s, p, 1);
    assert_int_equal(ptx_event_record(device, fork, s), PTX_OK);
    assert_int_equal(ptx_stream_wait_event(device, t, fork), PTX_OK);
    submit_step(t, p + 4, 7);
    submit_step(s, p, 0);
    assert_int_equal(ptx_event_record(device, join, t), PTX_OK);
    assert_int_equal(ptx_stream_wait_event(device, s, join), PTX_OK);
    submit_step(s, p + 4, 1);
    assert_int_equal(ptx_capture_query(device, t, &active), PTX_OK);
    assert_int_equal(active, 1);
    assert_int_equal(ptx_capture_end(device, s, &graph), PTX_OK);
    assert_int_equal(ptx_capture_query(device, t, &active), PTX_OK);
    assert_int_equal(active, 0);
    assert_int_equal(word_at(p), 0); /* nothing ran */
    size_t n = 0;
    assert_int_equal(ptx_graph_nodes(device, graph, NULL, &n), PTX_OK);
    assert_int_equal(n, 4);
    const ptx_instance instance = instance_of(graph);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(result_of(instance), 2);
        assert_int_equal(word_at(p + 4), 15);
    }
}

typedef ptx_status ask_fn(ptx_device *device, uint64_t stream_or_event);

static ptx_status wait_stream(ptx_device *of, uint64_t stream)
{
    return ptx_stream_wait(of, stream, NULL);
}

CASE(captures_that_fail)
{
    const ptx_stream s = new_stream(), t = new_stream();
    ptx_event fork, outside;
    ptx_graph graph;
    assert_int_equal(ptx_event_create(device, 0, &fork), PTX_OK);
    assert_int_equal(ptx_event_create(device, 0, &outside), PTX_OK);
    assert_int_equal(ptx_event_record(device, outside, t), PTX_OK);
    assert_int_equal(ptx_capture_begin(device, 0), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_capture_end(device, s, &graph), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_capture_begin(device, s), PTX_OK);
    assert_int_equal(ptx_stream_wait_event(device, s, outside), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_event_record(device, fork, s), PTX_OK);
    assert_int_equal(ptx_stream_wait_event(device, t, fork), PTX_OK);
    submit_step(t, p, 1);
    assert_int_equal(ptx_capture_end(device, s, &graph), PTX_ERROR_CAPTURE); /* t was not joined */
    submit_step(t, p, 1);
    assert_int_equal(ptx_stream_wait(device, t, NULL), PTX_OK); /* it is an ordinary stream again */
    assert_int_equal(ptx_capture_begin(device, s), PTX_OK);
    assert_int_equal(ptx_event_record(device, fork, s), PTX_OK);
    assert_int_equal(ptx_stream_wait_event(device, t, fork), PTX_OK);
    assert_int_equal(ptx_capture_end(device, t, &graph), PTX_ERROR_CAPTURE); /* s began it, */
    ptx_capture_info info = {sizeof info};
    assert_int_equal(ptx_capture_info_get(device, t, &info, NULL, NULL), PTX_OK);
    assert_int_equal(info.active && info.broken && !info.first, 1); /* and must end it */
    assert_int_equal(ptx_capture_end(device, s, &graph), PTX_ERROR_CAPTURE);
    ask_fn *const asks[] = {wait_stream, ptx_stream_query, ptx_event_wait, ptx_event_query};
    for (int i = 0; i < 4; i++) { /* what asks of a capture breaks it */
        assert_int_equal(ptx_capture_begin(device, s), PTX_OK);
        assert_int_equal(ptx_event_record(device, fork, s), PTX_OK);
        assert_int_equal(asks[i](device, i < 2 ? s : fork), PTX_ERROR_CAPTURE);
        assert_int_equal(ptx_capture_end(device, s, &graph), PTX_ERROR_CAPTURE);
    }
    assert_int_equal(ptx_capture_begin(device, s), PTX_OK);
    submit_step(s, p, 1);
    assert_int_equal(ptx_stream_destroy(device, s), PTX_OK); /* the capture goes with it */
    assert_int_equal(ptx_capture_begin(device, t), PTX_OK);  /* the device goes while it is captured */
}

/* `join` joins the capture of `first`, gets work, and goes; the event stays. */
static ptx_event lend(ptx_stream first, bool back)
{
    const ptx_stream join = new_stream();
    ptx_event fork, end;
    assert_int_equal(ptx_event_create(device, 0, &fork), PTX_OK);
    assert_int_equal(ptx_event_create(device, 0, &end), PTX_OK);
    assert_int_equal(ptx_capture_begin(device, first), PTX_OK);
    submit_step(first, p, 1);
    assert_int_equal(ptx_event_record(device, fork, first), PTX_OK);
    assert_int_equal(ptx_stream_wait_event(device, join, fork), PTX_OK);
    submit_step(join, p, 2);
    assert_int_equal(ptx_event_record(device, end, join), PTX_OK);
    if (back) assert_int_equal(ptx_stream_wait_event(device, first, end), PTX_OK);
    assert_int_equal(ptx_stream_destroy(device, join), PTX_OK);
    return end;
}

/* As an H200 has it (tests/cuda/rt_endcapture.cu). */
CASE(captured_streams_go)
{
    const ptx_stream s = new_stream(), t = new_stream();
    ptx_graph graph;
    int active;
    lend(s, true);
    assert_int_equal(ptx_capture_end(device, s, &graph), PTX_OK);
    assert_int_equal(result_of(instance_of(graph)), 4); /* 1 * 2 + 2 */
    lend(s, false);
    assert_int_equal(ptx_capture_end(device, s, &graph), PTX_ERROR_CAPTURE); /* nobody waited for it */
    const ptx_event end = lend(s, false);
    assert_int_equal(ptx_stream_wait_event(device, t, end), PTX_OK);
    assert_int_equal(ptx_stream_destroy(device, s), PTX_OK); /* the first one ends it */
    assert_int_equal(ptx_capture_query(device, t, &active), PTX_OK);
    assert_int_equal(active, 0);
    assert_int_equal(ptx_stream_wait_event(device, t, end), PTX_ERROR_CAPTURE);
    submit_step(t, p, 1);
    assert_int_equal(ptx_stream_wait(device, t, NULL), PTX_OK);
}

/* ---- memory nodes ---- */

static ptx_node add_alloc(ptx_graph graph, ptx_address *at)
{
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_ALLOC, .bytes = 64, .allocated = at};
    ptx_node node;
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &config, &node), PTX_OK);
    return node;
}

static ptx_status add_free(ptx_graph graph, const ptx_node *after, ptx_address at, ptx_node *node)
{
    const ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_FREE, .address = at};
    return ptx_graph_add(device, graph, after, after != NULL, &config, node);
}

static ptx_status launched(ptx_instance instance)
{
    assert_int_equal(ptx_instance_launch(device, instance, 0), PTX_OK);
    return ptx_stream_wait(device, 0, NULL);
}

/* An address that is memory from a launch on, with 5 in it, until it is freed. */
static ptx_instance lasting_memory(ptx_graph *graph, ptx_address *at)
{
    *graph = new_graph();
    const ptx_node alloc = add_alloc(*graph, at);
    add_step(*graph, &alloc, 1, *at, 5);
    return instance_of(*graph);
}

static void check_asleep(ptx_address at)
{
    uint32_t word = 7;
    assert_int_not_equal(ptx_memory_read(device, &word, at, sizeof word), PTX_OK);
    assert_int_equal(word, 7);
    assert_int_not_equal(ptx_memory_free(device, at), PTX_OK);
    assert_int_not_equal(ptx_stream_free(device, at, 0), PTX_OK);
}

CASE(memory_of_nodes_is_freed_in_three_ways)
{
    ptx_graph graph;
    ptx_address at;
    ptx_node node;
    const ptx_instance instance = lasting_memory(&graph, &at);
    const ptx_graph other = new_graph();
    assert_int_equal(add_free(other, NULL, at, &node), PTX_OK); /* of another graph */
    const ptx_instance freeing = instance_of(other);
    check_asleep(at);
    for (int way = 0; way < 6; way++) {
        assert_int_equal(launched(instance), PTX_OK);
        assert_int_equal(word_at(at), 5); /* 0 at first, each time */
        switch (way % 3) {
        case 0: assert_int_equal(launched(freeing), PTX_OK); break;
        case 1: assert_int_equal(ptx_memory_free(device, at), PTX_OK); break;
        default: assert_int_equal(ptx_stream_free(device, at, 0), PTX_OK);
        }
        assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
        check_asleep(at);
    }
    /* The address stays the graph's: nobody else gets it. */
    for (int i = 0; i < 8; i++) assert_int_not_equal(buffer(64), at);
    assert_int_equal(launched(instance), PTX_OK);
    assert_int_equal(word_at(at), 5);
}

CASE(memory_that_is_not_freed_is_a_fault)
{
    ptx_graph graph;
    ptx_address at;
    const ptx_instance first = lasting_memory(&graph, &at), second = instance_of(graph);
    assert_int_equal(launched(first), PTX_OK);
    assert_int_equal(launched(second), PTX_ERROR_FAULT); /* instances share the address */
    assert_int_not_equal(word_at(at), 0);                /* what is in it was not lost */
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
    assert_int_equal(ptx_instance_destroy(device, first), PTX_OK);
    assert_int_equal(ptx_memory_free(device, at), PTX_OK); /* the other instance still owns it */
    check_asleep(at);
    assert_int_equal(launched(second), PTX_OK);
    assert_int_equal(word_at(at), 5);
}

CASE(memory_nodes_are_not_changed)
{
    ptx_graph graph, copy;
    ptx_address at, again = 0;
    ptx_node freed, child;
    const ptx_instance plain = lasting_memory(&graph, &at);
    ptx_node nodes[2];
    size_t n = 2;
    assert_int_equal(ptx_graph_nodes(device, graph, nodes, &n), PTX_OK);
    assert_int_equal(add_free(graph, &nodes[1], at, &freed), PTX_OK);
    const ptx_instance instance = instance_of(graph);
    ptx_node_info info = {sizeof info};
    assert_int_equal(ptx_node_info_get(device, nodes[0], &info), PTX_OK);
    assert_int_equal(info.kind, PTX_NODE_ALLOC);
    assert_int_equal(info.bytes, 64);
    assert_int_equal(info.address, at);
    assert_int_equal(ptx_node_info_get(device, freed, &info), PTX_OK);
    assert_int_equal(info.kind, PTX_NODE_FREE);
    assert_int_equal(info.address, at);
    const ptx_node_config alloc = {.struct_size = sizeof alloc,
                                   .kind = PTX_NODE_ALLOC,
                                   .bytes = 128,
                                   .allocated = &again},
                          gone = {.struct_size = sizeof gone, .kind = PTX_NODE_FREE, .address = at},
                          sub = {.struct_size = sizeof sub, .kind = PTX_NODE_CHILD, .child = graph};
    assert_int_equal(ptx_node_set(device, nodes[0], &alloc), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_node_set(device, freed, &gone), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_instance_set(device, instance, nodes[0], &alloc), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_instance_set(device, instance, freed, &gone), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_instance_enable(device, instance, nodes[0], 0), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_clone(device, graph, &copy), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_graph_add(device, new_graph(), NULL, 0, &sub, &child), PTX_ERROR_UNSUPPORTED);
    /* Wrong ones are not made: nothing to allocate, nowhere to put its address, memory that is no node's. */
    const ptx_node_config empty = {.struct_size = sizeof empty, .kind = PTX_NODE_ALLOC, .allocated = &again},
                          lost = {.struct_size = sizeof lost, .kind = PTX_NODE_ALLOC, .bytes = 64};
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &empty, &child), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &lost, &child), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(add_free(graph, NULL, p, &child), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(add_free(graph, NULL, at + 4, &child), PTX_ERROR_INVALID_ARGUMENT);
    /* What was refused has changed nothing. */
    for (int i = 0; i < 3; i++) assert_int_equal(launched(instance), PTX_OK);
    check_asleep(at);
    assert_int_equal(launched(plain), PTX_OK);
    assert_int_equal(word_at(at), 5);
}

CASE(nothing_is_a_status)
{
    const ptx_graph graph = new_graph();
    const ptx_node_config empty = {.kind = PTX_NODE_EMPTY}, unknown = {.kind = (ptx_node_kind)99},
                          kernel_config = {.kind = PTX_NODE_KERNEL}, copy = {.kind = PTX_NODE_COPY},
                          host = {.kind = PTX_NODE_HOST}, wait = {.kind = PTX_NODE_WAIT, .event = 5},
                          child = {.kind = PTX_NODE_CHILD, .child = graph};
    const ptx_node_config *const bad[] = {NULL, &unknown, &kernel_config, &copy, &host, &wait, &child};
    ptx_node node, twice[2];
    ptx_instance instance;
    assert_int_equal(ptx_graph_create(NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_create(device, NULL), PTX_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ptx_graph_add(device, graph, NULL, 0, bad[i], &node), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_add(device, 7, NULL, 0, &empty, &node), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_add(device, graph, NULL, 1, &empty, &node), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &empty, &node), PTX_OK);
    twice[0] = twice[1] = node;
    assert_int_equal(ptx_graph_add(device, graph, twice, 2, &empty, &node), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_instantiate(device, graph, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_instantiate(device, node, &instance), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_graph_instantiate(device, new_graph(), &instance), PTX_OK); /* nothing to do */
    assert_int_equal(ptx_instance_launch(device, instance, 0), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, 99), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_capture_end(device, 0, NULL), PTX_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    return run_suite();
}
