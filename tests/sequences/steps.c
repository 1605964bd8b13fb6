/*
 * steps.c - streams, events, memory, programs and waits: the steps, and what each must answer.
 */
#include "sequences/model.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELL_BYTES = 4, POOLED_BYTES = 64 };

void call(struct model *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->line, sizeof m->line, format, args);
    va_end(args);
    m->calls++;
    if (m->trace) printf("%u: %s\n", m->thread, m->line), fflush(stdout);
}

void wrong(struct model *m, const char *format, ...)
{
    char why[200];
    va_list args;
    if (m->failed) return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    snprintf(m->why, sizeof m->why, "%.150s: %s", m->line, why);
    m->failed = true;
}

ptx_status answered(struct model *m, ptx_status status, unsigned allowed)
{
    if (m->trace && status != PTX_OK) printf("%u:   = %s\n", m->thread, ptx_status_name(status));
    if (!(allowed >> status & 1))
        wrong(m, "answers '%s' (%s)", ptx_status_name(status), ptx_device_message(m->device));
    return status;
}

uint32_t draw(struct model *m, uint32_t n)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % n;
}

/* ---- who knows what ---- */

void clock_join(struct clock *to, const struct clock *from)
{
    for (unsigned i = 0; i < STREAMS; i++)
        if (from->at[i] > to->at[i]) to->at[i] = from->at[i];
}

struct stream *stream_of(struct model *m, uint32_t pick)
{
    while (!m->streams[pick % STREAMS].live) pick++;
    return &m->streams[pick % STREAMS];
}

int cell_of(struct model *m, uint32_t pick, bool device)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        const struct cell *c = &m->cells[(pick + i) % CELLS];
        if (c->live && !(device && c->host)) return (int)((pick + i) % CELLS);
    }
    return -1;
}

/* What its next operation comes after. The legacy stream comes after the blocking ones, and they after it. */
static struct clock next_knows(const struct model *m, const struct stream *s)
{
    const struct stream *legacy = &m->streams[0];
    struct clock clock = s->knows;
    clock_join(&clock, &m->host);
    if (s != legacy && !s->nonblocking) clock_join(&clock, &legacy->knows);
    for (unsigned i = 1; s == legacy && i < STREAMS; i++)
        if (m->streams[i].live && !m->streams[i].nonblocking) clock_join(&clock, &m->streams[i].knows);
    return clock;
}

static void put(struct model *m, struct stream *s)
{
    s->knows = next_knows(m, s);
    s->knows.at[s - m->streams] = ++s->seq;
    if (++m->behind_gate > GATED_MOST) open_gates(m);
}

/* It was told to wait for an event. Nothing is put into it when that has happened. */
static void waited(const struct model *m, struct stream *s, const struct clock *event)
{
    clock_join(&s->knows, event);
    s->knows.at[s - m->streams] = ++s->seq;
}

void submitted(struct model *m, struct stream *s, uint64_t cells)
{
    put(m, s);
    for (unsigned i = 0; i < CELLS; i++)
        if (cells >> i & 1) {
            m->cells[i].stream = (uint32_t)(s - m->streams);
            m->cells[i].seq = s->seq;
        }
}

static bool knows(const struct clock *clock, const struct cell *c)
{
    return !c->seq || clock->at[c->stream] >= c->seq;
}

bool order_after(struct model *m, struct stream *s, uint64_t cells)
{
    for (unsigned i = 0; i < CELLS; i++) {
        const struct cell *c = &m->cells[i];
        const struct clock clock = next_knows(m, s);
        if (!(cells >> i & 1) || knows(&clock, c)) continue;
        struct stream *t = &m->streams[c->stream];
        if (!t->live || t->capture >= 0) return false;
        if (CALL(m, OK, ptx_event_record(m->device, m->joiner, t->number), "event_record(joiner, %llx)",
                 (unsigned long long)t->number) != PTX_OK)
            return false;
        put(m, t);
        if (CALL(m, OK, ptx_stream_wait_event(m->device, s->number, m->joiner),
                 "stream_wait_event(%llx, joiner)", (unsigned long long)s->number) != PTX_OK)
            return false;
        waited(m, s, &t->knows);
    }
    return true;
}

void open_gates(struct model *m)
{
    m->behind_gate = 0;
    m->opened++;
    CALL(m, OK, ptx_memory_write(m->device, m->gate_at, &m->opened, sizeof m->opened), "open the gates");
    for (unsigned i = 0; i < STREAMS; i++) m->streams[i].gated = false;
}

/* The host has waited for everything. */
void heard_all(struct model *m)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        m->host.at[i] = m->streams[i].seq;
        m->streams[i].failed = false;
    }
}

static bool host_knows_all(const struct model *m)
{
    bool all = true;
    for (unsigned i = 0; i < STREAMS; i++) all &= m->host.at[i] >= m->streams[i].seq;
    return all;
}

static bool any_failed(const struct model *m)
{
    bool any = false;
    for (unsigned i = 0; i < STREAMS; i++) any |= m->streams[i].live && m->streams[i].failed;
    return any;
}

/* ---- streams ---- */

static void operate(struct model *m, struct stream *s, const uint32_t pick[PICKS])
{
    struct op op;
    if (!op_draw(m, pick, &op) || op.kind == OP_EMPTY) return;
    if (s->capture >= 0) {
        capture_op(m, s, &op);
        return;
    }
    if (!order_after(m, s, op_cells(&op))) return;
    if (CALL(m, OK, op_submit(m, &op, s->number), "%s(cell %d, cell %d, %u) in stream %llx", op_name(op.kind),
             op.a, op.b, op.add, (unsigned long long)s->number) != PTX_OK)
        return;
    op_apply(m, &op);
    submitted(m, s, op_cells(&op));
}

static void fail(struct model *m, struct stream *s)
{
    const ptx_address nowhere = 8;
    const ptx_launch_config launch = {.struct_size = sizeof launch,
                                      .grid = {1},
                                      .block = {1},
                                      .params = (const uint64_t[4]){nowhere},
                                      .param_bytes = 24};
    if (!m->alone || s->capture >= 0 || !m->programs[0].live) return;
    if (CALL(m, OK, ptx_kernel_submit(m->programs[0].kernels[5], &launch, s->number, NULL),
             "a fault in stream %llx", (unsigned long long)s->number) != PTX_OK)
        return;
    put(m, s);
    s->failed = true;
}

static void stream_create(struct model *m, uint32_t pick)
{
    for (unsigned i = 2; i < STREAMS; i++) {
        struct stream *s = &m->streams[i];
        const ptx_stream_config config = {sizeof config, pick % 2 ? PTX_STREAM_NONBLOCKING : 0,
                                          -(int)(pick / 2 % 3)};
        ptx_stream number;
        if (s->live || m->host.at[i] < s->seq)
            continue; /* what the last one of this place does is not known */
        if (CALL(m, OK, ptx_stream_create(m->device, &config, &number), "stream_create(%u)", config.flags) !=
            PTX_OK)
            return;
        *s = (struct stream){.live = true,
                             .nonblocking = config.flags != 0,
                             .number = number,
                             .seq = s->seq,
                             .knows = m->host,
                             .capture = -1};
        return;
    }
}

static void stream_destroy(struct model *m, struct stream *s)
{
    const bool own = s < &m->streams[2];
    if (CALL(m, own ? INVALID : OK, ptx_stream_destroy(m->device, s->number), "stream_destroy(%llx)",
             (unsigned long long)s->number) != PTX_OK)
        return;
    capture_leave(m, s);
    s->live = false;
}

static void stream_query(struct model *m, struct stream *s)
{
    const uint32_t at = (uint32_t)(s - m->streams);
    unsigned allowed = m->host.at[at] >= s->seq && at ? OK : OK | NOT_READY;
    if (s->gated) allowed = NOT_READY;
    if (s->capture >= 0) allowed = CAPTURED;
    CALL(m, allowed, ptx_stream_query(m->device, s->number), "stream_query(%llx)",
         (unsigned long long)s->number);
    if (s->capture >= 0) break_capture(m, s->capture);
}

static void stream_wait(struct model *m, struct stream *s)
{
    const unsigned allowed = s->capture >= 0 ? CAPTURED : s->failed ? BIT(PTX_ERROR_FAULT) : OK;
    if (s->capture < 0) open_gates(m);
    CALL(m, allowed, ptx_stream_wait(m->device, s->number, NULL), "stream_wait(%llx)",
         (unsigned long long)s->number);
    if (s->capture >= 0) {
        break_capture(m, s->capture);
        return;
    }
    if (s == m->streams) put(m, s); /* a mark behind the blocking streams */
    s->failed = false;
    clock_join(&m->host, &s->knows);
}

static void device_wait(struct model *m)
{
    open_gates(m);
    CALL(m, any_failed(m) ? BIT(PTX_ERROR_FAULT) : OK, ptx_device_wait(m->device, NULL), "device_wait");
    heard_all(m);
}

/* What the stream is given from here on waits. */
static void gate(struct model *m, struct stream *s)
{
    const ptx_value wait = {PTX_VALUE_WAIT_GEQ, 4, m->gate_at, m->opened + 1};
    if (s->capture >= 0) return;
    if (CALL(m, OK, ptx_stream_values(m->device, &wait, 1, s->number), "a gate in stream %llx",
             (unsigned long long)s->number) != PTX_OK)
        return;
    s->gated = true;
    put(m, s);
}

/* A launch that has a number. */
static void launch(struct model *m, struct stream *s, const uint32_t pick[PICKS])
{
    const uint32_t picks[PICKS] = {0, pick[1], pick[2], pick[3]};
    struct op op;
    struct op_room room;
    ptx_launch number;
    if (s->capture >= 0 || !op_draw(m, picks, &op) || !order_after(m, s, op_cells(&op))) return;
    const ptx_node_config c = op_config(m, &op, &room);
    if (CALL(m, OK, ptx_kernel_submit(c.kernel, c.launch, s->number, &number), "kernel_submit(stream %llx)",
             (unsigned long long)s->number) != PTX_OK)
        return;
    op_apply(m, &op);
    submitted(m, s, op_cells(&op));
    CALL(m, s->gated ? NOT_READY : OK | NOT_READY, ptx_launch_query(m->device, number), "launch_query");
    if (pick[0] % 2) {
        open_gates(m);
        CALL(m, OK, ptx_launch_wait(m->device, number, NULL), "launch_wait");
        clock_join(&m->host, &s->knows);
        CALL(m, OK, ptx_launch_query(m->device, number), "launch_query");
    }
    CALL(m, OK, ptx_launch_release(m->device, number), "launch_release");
    CALL(m, INVALID, ptx_launch_query(m->device, number), "launch_query of none");
}

/* ---- events ---- */

static void event_create(struct model *m, struct event *e)
{
    ptx_event number;
    if (e->live) {
        CALL(m, OK, ptx_event_destroy(m->device, e->number), "event_destroy");
        CALL(m, INVALID, ptx_event_query(m->device, e->number), "event_query of none");
        e->live = false;
    } else if (CALL(m, OK, ptx_event_create(m->device, 0, &number), "event_create") == PTX_OK) {
        *e = (struct event){.live = true, .number = number};
    }
}

static void event_record(struct model *m, struct event *e, struct stream *s)
{
    const struct capture *c = s->capture < 0 ? NULL : &m->captures[s->capture];
    if (CALL(m, c && c->broken ? CAPTURED : OK, ptx_event_record(m->device, e->number, s->number),
             "event_record(%llx, %llx)", (unsigned long long)e->number,
             (unsigned long long)s->number) != PTX_OK)
        return;
    if (c) {
        *e = (struct event){.live = true, .number = e->number, .capture = c->id, .front = s->front};
        return;
    }
    put(m, s);
    *e = (struct event){.live = true,
                        .recorded = true,
                        .number = e->number,
                        .knows = s->knows,
                        .stream = (uint32_t)(s - m->streams),
                        .seq = s->seq};
}

static int capture_of(const struct model *m, const struct event *e)
{
    for (int i = 0; e->capture && i < CAPTURES; i++)
        if (m->captures[i].live && m->captures[i].id == e->capture) return i;
    return -1;
}

static void event_wait(struct model *m, struct event *e, struct stream *s)
{
    const int capture = capture_of(m, e);
    const bool joins = capture >= 0 && !m->captures[capture].broken && s != m->streams &&
                       (s->capture < 0 || s->capture == capture);
    const unsigned allowed = (e->capture || s->capture >= 0) && !joins ? CAPTURED : OK;
    if (CALL(m, allowed, ptx_stream_wait_event(m->device, s->number, e->number),
             "stream_wait_event(%llx, %llx)", (unsigned long long)s->number,
             (unsigned long long)e->number) != PTX_OK)
        return;
    if (joins) {
        if (s->capture < 0) s->front = 0;
        s->capture = capture;
        s->front |= e->front;
    } else if (e->recorded) {
        waited(m, s, &e->knows);
    }
}

static void event_ask(struct model *m, struct event *e, bool wait)
{
    const bool known = !e->recorded || m->host.at[e->stream] >= e->seq;
    unsigned allowed = e->capture ? CAPTURED : wait || known ? OK : OK | NOT_READY;
    if (wait && !e->capture) open_gates(m);
    const ptx_status status = wait ? CALL(m, allowed, ptx_event_wait(m->device, e->number),
                                          "event_wait(%llx)", (unsigned long long)e->number)
                                   : CALL(m, allowed, ptx_event_query(m->device, e->number),
                                          "event_query(%llx)", (unsigned long long)e->number);
    if (capture_of(m, e) >= 0) break_capture(m, capture_of(m, e));
    if (!e->capture && e->recorded && status == PTX_OK) clock_join(&m->host, &e->knows);
}

/* ---- memory ---- */

static struct cell *free_cell(struct model *m)
{
    for (unsigned i = 0; i < CELLS; i++)
        if (!m->cells[i].live) return &m->cells[i];
    return NULL;
}

static void allocate(struct model *m, uint32_t pick)
{
    struct cell *c = free_cell(m);
    ptx_address at;
    void *host;
    if (!c) return;
    if (pick % 4 == 0) {
        if (CALL(m, OK, ptx_host_alloc(m->device, CELL_BYTES, &host, &at), "host_alloc") != PTX_OK) return;
        *c = (struct cell){.live = true, .host = true, .at = at, .word = host};
    } else if (CALL(m, OK, ptx_memory_alloc(m->device, CELL_BYTES, &at), "memory_alloc") == PTX_OK) {
        *c = (struct cell){.live = true, .at = at};
    }
}

static void check_cell(struct model *m, struct cell *c)
{
    uint32_t now = 0;
    if (!knows(&m->host, c)) return;
    if (c->host)
        now = *c->word;
    else if (CALL(m, OK, ptx_memory_read(m->device, &now, c->at, 4), "memory_read(cell %d)",
                  (int)(c - m->cells)))
        return;
    if (now != c->value) wrong(m, "cell %d is %u, and should be %u", (int)(c - m->cells), now, c->value);
}

static void write_cell(struct model *m, struct cell *c, uint32_t value)
{
    if (!knows(&m->host, c)) return;
    if (c->host)
        *c->word = value;
    else
        CALL(m, OK, ptx_memory_write(m->device, c->at, &value, 4), "memory_write(cell %d)",
             (int)(c - m->cells));
    c->value = value;
    c->seq = 0;
}

static void copy_now(struct model *m, struct cell *a, struct cell *b)
{
    if (a == b || a->host || b->host || !knows(&m->host, a) || !knows(&m->host, b)) return;
    const ptx_copy copy = {
        .struct_size = sizeof copy, .to = {.address = a->at}, .from = {.address = b->at}, .width = 4};
    CALL(m, OK, ptx_memory_copy(m->device, &copy), "memory_copy");
    a->value = b->value;
    a->seq = 0;
}

static void release(struct model *m, struct cell *c)
{
    if (c->kept || c->pooled || !knows(&m->host, c)) return;
    if (c->host) {
        CALL(m, OK, ptx_host_free(m->device, c->word), "host_free");
    } else {
        CALL(m, INVALID, ptx_memory_free(m->device, c->at + 4), "memory_free of no allocation");
        CALL(m, OK, ptx_memory_free(m->device, c->at), "memory_free(cell %d)", (int)(c - m->cells));
    }
    c->live = false;
}

static void pool_step(struct model *m, uint32_t pick)
{
    struct pool *p = &m->pools[pick % POOLS];
    ptx_pool_info info = {.struct_size = sizeof info};
    uint64_t used = 0;
    if (!p->live) {
        if (CALL(m, OK, ptx_pool_create(m->device, 0, &p->number), "pool_create") == PTX_OK) p->live = true;
        return;
    }
    if (pick / POOLS % 4 == 0) {
        CALL(m, OK, ptx_pool_destroy(m->device, p->number), "pool_destroy");
        p->live = false;
        for (unsigned i = 0; i < CELLS; i++)
            if (m->cells[i].pooled && m->cells[i].pool == (int)(p - m->pools)) m->cells[i].pool = -1;
        return;
    }
    for (unsigned i = 0; i < CELLS; i++)
        if (m->cells[i].live && m->cells[i].pooled && m->cells[i].pool == (int)(p - m->pools))
            used += POOLED_BYTES;
    if (CALL(m, OK, ptx_pool_info_get(m->device, p->number, &info), "pool_info_get") != PTX_OK) return;
    if (host_knows_all(m) && info.used != used)
        wrong(m, "%llu bytes are used, not %llu", (unsigned long long)info.used, (unsigned long long)used);
}

static void alloc_in_order(struct model *m, struct stream *s, uint32_t pick)
{
    struct cell *c = free_cell(m);
    const int place = m->pools[pick % POOLS].live ? (int)(pick % POOLS) : -1;
    ptx_address at;
    if (!c || s->capture >= 0) return;
    const ptx_pool pool = place < 0 ? PTX_POOL_DEFAULT : m->pools[place].number;
    if (CALL(m, OK, ptx_pool_alloc(m->device, pool, POOLED_BYTES, s->number, &at), "pool_alloc(stream %llx)",
             (unsigned long long)s->number) == PTX_OK)
        *c = (struct cell){.live = true, .pooled = true, .at = at, .pool = place};
}

static void free_in_order(struct model *m, struct stream *s, struct cell *c)
{
    const uint64_t cell = 1ull << (c - m->cells);
    if (c->host || c->kept || c->shared || s->capture >= 0 || !order_after(m, s, cell)) return;
    if (CALL(m, OK, ptx_stream_free(m->device, c->at, s->number), "stream_free(cell %d, stream %llx)",
             (int)(c - m->cells), (unsigned long long)s->number) != PTX_OK)
        return;
    put(m, s);
    c->live = false;
}

/* The other device sees the same bytes. */
static void share(struct model *m, struct cell *c)
{
    int file;
    uint64_t offset;
    ptx_address there;
    uint32_t now;
    if (c->host || !m->other) return;
    open_gates(m);
    /* It waits, and tells of a failure, unless the page is shared already. */
    const unsigned allowed = any_failed(m) ? OK | BIT(PTX_ERROR_FAULT) : OK;
    const ptx_status status = CALL(m, allowed, ptx_memory_share(m->device, c->at, &file, &offset),
                                   "memory_share(cell %d)", (int)(c - m->cells));
    if (status == PTX_ERROR_FAULT) heard_all(m);
    if (status != PTX_OK) return;
    c->shared = true;
    if (!knows(&m->host, c)) return;
    if (CALL(m, OK, ptx_memory_open(m->other, file, offset, 4, &there), "memory_open") != PTX_OK) return;
    if (CALL(m, OK, ptx_memory_read(m->other, &now, there, 4), "memory_read of the other device") == PTX_OK &&
        now != c->value)
        wrong(m, "cell %d is %u on the other device, and should be %u", (int)(c - m->cells), now, c->value);
    CALL(m, OK, ptx_memory_close(m->other, there), "memory_close");
}

/* ---- programs ---- */

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".const .u32 constant = %u;\n.visible .global .u32 counter;\n"
    ".func (.reg .u32 r) twice(.reg .u32 x, .reg .u32 y) { mad.lo.u32 r, x, 2, y; ret; }\n"
    ".global .u64 table[1] = {twice};\n";

/* Each kernel has the same parameters. */
static const char *const bodies[][2] = {
    {"step",
     "L: setp.eq.u32 %t, %n, 0; @%t bra E; sub.u32 %n, %n, 1; bra L;\n"
     "E: ld.volatile.global.u32 %x, [%p]; mad.lo.u32 %x, %x, 2, %y; st.volatile.global.u32 [%p], %x;"},
    {"call", "ld.global.u64 %f, [table]; ld.global.u32 %x, [%p]; call (%x), %f, (%x, %y), shape;"
             " st.global.u32 [%p], %x;"},
    {"add_constant", "ld.const.u32 %n, [constant]; ld.global.u32 %x, [%p]; mad.lo.u32 %x, %x, 2, %y;"
                     " add.u32 %x, %x, %n; st.global.u32 [%p], %x; atom.global.add.u32 %n, [counter], 1;"},
    {"mix",
     "ld.global.u32 %y, [%q]; ld.global.u32 %x, [%p]; mad.lo.u32 %x, %y, 3, %x; st.global.u32 [%p], %x;"},
    {"count", "ld.global.u32 %x, [%p]; sub.u32 %x, %x, 1; st.global.u32 [%p], %x;"},
    {"fault", "ld.global.u32 %x, [%p]; st.global.u32 [%p], %x;"},
};

static char *program_text(uint32_t constant)
{
    enum { ROOM = 8192 };
    char *made = malloc(ROOM);
    if (!made) abort();
    size_t n = (size_t)snprintf(made, ROOM, text, constant);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        n += (size_t)snprintf(
            made + n, ROOM - n,
            ".visible .entry %s(.param .u64 p, .param .u64 q, .param .u32 y, .param .u32 n) {\n"
            ".reg .u64 %%p, %%q, %%f; .reg .u32 %%x, %%y, %%n; .reg .pred %%t;\n"
            "shape: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .u32 _);\n"
            "ld.param.u64 %%p, [p]; ld.param.u64 %%q, [q]; ld.param.u32 %%y, [y];"
            " ld.param.u32 %%n, [n];\n%s ret; }\n",
            bodies[i][0], bodies[i][1]);
    return made;
}

static void program_create(struct model *m, struct program *p, uint32_t constant)
{
    char *source = program_text(constant);
    ptx_module *module;
    uint64_t size;
    unsigned *counted = m->ncounters < 64 ? calloc(1, sizeof *counted) : NULL;
    if (!counted ||
        CALL(m, OK, ptx_module_create(NULL, source, strlen(source), &module), "module_create") != PTX_OK) {
        free(counted);
        free(source);
        return;
    }
    free(source);
    *p = (struct program){.constant = constant, .counted = counted};
    m->counters[m->ncounters++] = counted; /* graphs refer to it when the program is gone */
    if (CALL(m, OK, ptx_program_create(m->device, (const ptx_module *const *)&module, 1, NULL, &p->program),
             "program_create(%u)", constant) == PTX_OK) {
        p->live = true;
        for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
            CALL(m, OK, ptx_program_kernel(p->program, bodies[i][0], &p->kernels[i]), "program_kernel");
        CALL(m, OK, ptx_program_variable(p->program, "counter", &p->counter, &size), "program_variable");
        CALL(m, INVALID, ptx_memory_free(m->device, p->counter), "memory_free of a variable");
    }
    ptx_module_destroy(module);
}

/* What was submitted still runs, and graphs keep it. */
static void program_destroy(struct model *m, struct program *p)
{
    call(m, "program_destroy");
    ptx_program_destroy(p->program);
    answered(m, PTX_OK, OK);
    p->live = false;
}

static void check_counter(struct model *m, const struct program *p)
{
    uint32_t now;
    if (!host_knows_all(m)) return;
    if (CALL(m, OK, ptx_memory_read(m->device, &now, p->counter, 4), "memory_read(counter)") == PTX_OK &&
        now != *p->counted)
        wrong(m, "the program has counted %u, and should have counted %u", now, *p->counted);
}

static void program_step(struct model *m, const uint32_t pick[PICKS])
{
    struct program *p = &m->programs[pick[0] % PROGRAMS];
    if (!p->live)
        program_create(m, p, pick[1] % 100000);
    else if (pick[2] % 3 == 0 && p != m->programs)
        program_destroy(m, p);
    else
        check_counter(m, p);
}

/* ---- all steps ---- */

enum {
    FIRST_CAPTURE = 40,
    FIRST_GRAPH = FIRST_CAPTURE + 2 * CAPTURE_STEPS,
    ALL = FIRST_GRAPH + 2 * GRAPH_STEPS
};

unsigned step_kinds(void)
{
    return ALL;
}

static void simple_step(struct model *m, unsigned what, const uint32_t pick[PICKS])
{
    struct stream *s = stream_of(m, pick[0] >> 8);
    struct event *e = &m->events[pick[0] % EVENTS];
    const int at = cell_of(m, pick[1], false);
    struct cell *c = at < 0 ? NULL : &m->cells[at];
    if (!e->live && what >= 14 && what <= 18) what = 19;
    switch (what) {
    case 14:
    case 15: event_record(m, e, s); break;
    case 16:
    case 17: event_wait(m, e, s); break;
    case 18: event_ask(m, e, pick[2] % 3 == 0); break;
    case 19: event_create(m, e); break;
    case 20:
    case 21: stream_query(m, s); break;
    case 22: stream_wait(m, s); break;
    case 23: pick[1] % 4 ? stream_wait(m, s) : device_wait(m); break;
    case 24: stream_create(m, pick[1]); break;
    case 25: pick[1] % 3 ? stream_create(m, pick[2]) : stream_destroy(m, s); break;
    case 26: allocate(m, pick[1]); break;
    case 27:
    case 28:
        if (c) check_cell(m, c);
        break;
    case 29:
        if (c) write_cell(m, c, pick[2]);
        break;
    case 30:
        if (c) release(m, c);
        break;
    case 31: alloc_in_order(m, s, pick[1]); break;
    case 32:
        if (c) free_in_order(m, s, c);
        break;
    case 33: pool_step(m, pick[1]); break;
    case 34: program_step(m, pick); break;
    case 35:
        if (c && pick[2] % 4 == 0) share(m, c);
        break;
    case 36:
        if (c) copy_now(m, c, &m->cells[cell_of(m, pick[2], false)]);
        break;
    case 37: gate(m, s); break;
    case 38: pick[1] % 2 ? launch(m, s, pick) : open_gates(m); break;
    case 39: pick[1] % 8 ? launch(m, s, pick) : fail(m, s); break;
    default: operate(m, s, pick); break;
    }
}

void step_run(struct model *m, unsigned what, const uint32_t pick[PICKS])
{
    if (what >= FIRST_GRAPH)
        graph_step(m, (what - FIRST_GRAPH) % GRAPH_STEPS, pick);
    else if (what >= FIRST_CAPTURE)
        capture_step(m, (what - FIRST_CAPTURE) % CAPTURE_STEPS, pick);
    else
        simple_step(m, what, pick);
}

/* ---- beginning and end ---- */

bool model_begin(struct model *m, ptx_device *device, ptx_device *other, bool alone)
{
    m->device = device;
    m->other = other;
    m->alone = alone;
    for (unsigned i = 0; i < STREAMS; i++) m->streams[i].capture = -1;
    m->streams[0] = (struct stream){.live = true, .number = PTX_STREAM_LEGACY, .capture = -1};
    m->streams[1] = (struct stream){.live = true, .number = PTX_STREAM_PER_THREAD, .capture = -1};
    CALL(m, OK, ptx_event_create(device, PTX_EVENT_NO_TIMING, &m->joiner), "event_create(joiner)");
    CALL(m, OK, ptx_memory_alloc(device, 4, &m->gate_at), "memory_alloc(gate)");
    program_create(m, &m->programs[0], 1);
    for (uint32_t i = 0; i < 6; i++) allocate(m, i % 3);
    for (uint32_t i = 0; i < 3; i++) stream_create(m, i);
    return !m->failed;
}

static void end_graphs(struct model *m)
{
    for (unsigned i = 0; i < INSTANCES; i++)
        if (m->instances[i].live) {
            CALL(m, OK, ptx_instance_destroy(m->device, m->instances[i].number), "instance_destroy");
            ops_free(&m->instances[i].ops);
        }
    for (unsigned i = 0; i < GRAPHS; i++)
        if (m->graphs[i].live) {
            CALL(m, OK, ptx_graph_destroy(m->device, m->graphs[i].number), "graph_destroy");
            ops_free(&m->graphs[i].ops);
        }
}

void model_end(struct model *m)
{
    for (unsigned i = 2; i < STREAMS; i++)
        if (m->streams[i].live && m->streams[i].capture >= 0) stream_destroy(m, &m->streams[i]);
    if (m->streams[1].capture >= 0) { /* it cannot be destroyed */
        ptx_graph graph;
        call(m, "capture_end of the thread's own stream");
        if (ptx_capture_end(m->device, m->streams[1].number, &graph) == PTX_OK &&
            !m->captures[m->streams[1].capture].given)
            ptx_graph_destroy(m->device, graph);
        capture_leave(m, &m->streams[1]);
    }
    device_wait(m);
    for (unsigned i = 0; i < CELLS; i++)
        if (m->cells[i].live) check_cell(m, &m->cells[i]);
    for (unsigned i = 0; i < PROGRAMS; i++)
        if (m->programs[i].live) check_counter(m, &m->programs[i]);
    end_graphs(m);
    for (unsigned i = 2; i < STREAMS; i++)
        if (m->streams[i].live) stream_destroy(m, &m->streams[i]);
    for (unsigned i = 0; i < EVENTS; i++)
        if (m->events[i].live) event_create(m, &m->events[i]);
    CALL(m, OK, ptx_event_destroy(m->device, m->joiner), "event_destroy(joiner)");
    for (unsigned i = 0; i < CELLS; i++) {
        struct cell *c = &m->cells[i];
        if (!c->live) continue;
        if (c->host)
            CALL(m, OK, ptx_host_free(m->device, c->word), "host_free");
        else
            CALL(m, OK, ptx_memory_free(m->device, c->at), "memory_free");
    }
    CALL(m, OK, ptx_memory_free(m->device, m->gate_at), "memory_free(gate)");
    for (unsigned i = 0; i < POOLS; i++)
        if (m->pools[i].live) CALL(m, OK, ptx_pool_destroy(m->device, m->pools[i].number), "pool_destroy");
    for (unsigned i = 0; i < PROGRAMS; i++)
        if (m->programs[i].live) program_destroy(m, &m->programs[i]);
    for (unsigned i = 0; i < m->ncounters; i++) free(m->counters[i]);
}
