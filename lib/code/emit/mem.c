/* emit/mem.c - records that touch memory, and conversions of addresses. */
#include "code/emit/emit.h"
#include "code/emit/names.h"
#include "gen/isa_ops.h"
#include "ops/atom.h"
#include "ops/move.h"
#include "ops/alloca.h"
#include "ops/mem.h"
#include "ops/policy.h"
#include "ops/private.h"
#include "ops/trace.h"
#include <stdatomic.h>

/* ---- which handler ---- */

/* A form in one word. */
#define KEY(unit, parts, wide, sign)                                                                         \
    ((uint32_t)(unit) | (uint32_t)(parts) << 8 | (uint32_t)(wide) << 16 | (uint32_t)(sign) << 24)

static enum px_fixed loading(uint32_t key)
{
    switch (key) {
#define PX_LOAD(name, unit, parts, wide, sign)                                                               \
    case KEY(unit, parts, wide, sign):                                                                       \
        return PX_FIX_##name;
#define PX_STORE(...)
#include "gang/access.def"
    default: return PX_FIX_COUNT;
    }
}

static enum px_fixed storing(uint32_t key)
{
    switch (key) {
#define PX_STORE(name, unit, parts, wide)                                                                    \
    case KEY(unit, parts, wide, false):                                                                      \
        return PX_FIX_##name;
#define PX_LOAD(...)
#include "gang/access.def"
    default: return PX_FIX_COUNT;
    }
}

/* PX_FIX_COUNT: there is none. The sign matters where there is something to extend. */
static enum px_fixed handler_of(bool load, struct px_form f)
{
    const bool signs = f.wide * f.parts > f.unit && f.sign;
    return load ? loading(KEY(f.unit, f.parts, f.wide, signs)) : storing(KEY(f.unit, f.parts, f.wide, 0));
}

/* Addresses of different spaces overlap, so each space has extents of its own among the gang's. */
static uint8_t extent_slot(struct px_emitter *e, enum px_space space)
{
    switch (space) {
    case PX_SPACE_GLOBAL: return (uint8_t)(PX_SLOT_GLOBAL + e->slots++ % (PX_SLOT_GENERIC - PX_SLOT_GLOBAL));
    case PX_SPACE_SHARED: return PX_SLOT_SHARED;
    case PX_SPACE_CLUSTER: return PX_SLOT_CLUSTER;
    case PX_SPACE_CONST: return PX_SLOT_CONST;
    case PX_SPACE_PARAM: return PX_SLOT_PARAM;
    case PX_SPACE_LOCAL: return PX_SLOT_LOCAL;
    default: return (uint8_t)(PX_SLOT_GENERIC + e->slots++ % (PX_SLOT_SHARED - PX_SLOT_GENERIC));
    }
}

/* The row or scalar that the address is, but for what is added to it. */
static uint32_t base_of(struct px_emitter *e, const struct px_ir_operand *address)
{
    if (px_emit_keep(e, address) == PX_IR_ROW) return px_emit_place(e, address);
    return px_emit_row(
        e, &(struct px_ir_operand){.kind = PX_IR_REG, .elem = 8, .type = PX_T_U64, .at = address->at});
}

struct px_insn px_emit_access(struct px_emitter *e, const struct px_ir_operand *address, uint32_t align)
{
    return (struct px_insn){.a = base_of(e, address),
                            .bytes = (uint8_t)align,
                            .space = address->type,
                            .imm = address->base != PX_IR_IMM ? address->value : 0,
                            .flags = address->base != PX_IR_REG ? PX_INSN_SCALAR_A : 0,
                            .extent = extent_slot(e, address->type)};
}

/* ---- loads and stores ---- */

/* The record of a load or store, and which of a fixed handler's versions it wants. */
struct reach {
    struct px_insn is;
    unsigned version;
};

/* By a row that has been surveyed, and what is added to it. */
static void reach_surveyed(struct px_emitter *e, const struct px_ir_operand *address, struct reach *r)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_reg *reg = &f->regs.at[address->at];
    const uint32_t base = reg->keep == PX_IR_OFFSET ? reg->base : address->at;
    r->version = PX_SURVEYED;
    r->is.offset = reg->keep != PX_IR_ROW ? reg->slot : px_emit_constant(e, 0, NULL);
    if (reg->keep == PX_IR_LANES) {
        const struct px_lane_term *term = &f->code->terms[reg->term];
        r->is.a = term->row;
        r->is.survey = term->facts + (uint32_t)offsetof(struct px_lane_facts, survey);
        return;
    }
    r->is.a = f->regs.at[base].row;
    r->is.survey = px_emit_survey(e, base);
}

static void reach_of(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *address,
                     struct reach *r)
{
    const struct px_irfn *f = e->f;
    const enum px_ir_keep keep = px_emit_keep(e, address);
    const bool surveyed = px_emit_together(e) && px_ir_is_surveyed(f, in, &address->is);
    const bool plain = keep == PX_IR_ROW || (keep != PX_IR_SCALAR && !surveyed);
    const bool scalar = keep == PX_IR_SCALAR || (plain && address->base != PX_IR_REG);
    const uint32_t base = plain ? base_of(e, address) : scalar ? f->regs.at[address->at].slot : 0;
    const bool rows = f->coder->wishes.engine & PX_ENGINE_local_rows;
    r->version = px_emit_is_masked(e);
    r->is = (struct px_insn){.a = base,
                             .imm = address->base != PX_IR_IMM ? address->value : 0,
                             .bytes = (uint8_t)in->fact,
                             .space = address->type,
                             .flags = (scalar ? PX_INSN_SCALAR_A : 0) | (rows ? PX_INSN_ROWS : 0),
                             .extent = extent_slot(e, address->type),
                             .m = e->guard};
    if (surveyed) reach_surveyed(e, address, r);
}

static void emit_access(struct px_emitter *e, const struct reach *r, enum px_fixed fix)
{
    px_emit_record_of(e, e->f->coder->level->fixed[fix][r->version], &r->is);
}

/* Where the element goes. */
static uint32_t result(struct px_emitter *e, const struct px_ir_operand *d)
{
    return px_emit_keep(e, d) == PX_IR_SCALAR ? px_emit_scalar(e, d) : px_emit_place(e, d);
}

static unsigned strength(const struct px_ir_inst *in)
{
    return in->flags & PX_IR_INST_STRONG ? PTX_TRACE_ATOMIC : 0;
}

/* A kernel without loops, of so many instructions that asking for the next block's lines costs little. */
static bool is_long(const struct px_emitter *e)
{
    enum { LONG = 48 };
    return e->f->insts.n >= LONG && !e->loop_until;
}

/*
 * What a lane accesses at once: n of the instruction's elements of so many bytes, 16 bytes at most. A vector
 * of 32 bytes is two units, one of 8 elements is one of words.
 */
struct unit {
    const struct px_ir_operand *o;
    uint32_t n, bytes;
    bool sign;
};

static struct unit unit_of(const struct px_ir_inst *in, const struct px_ir_operand *o, uint32_t n,
                           uint32_t bytes)
{
    const uint32_t most = 16 / bytes;
    return (struct unit){.o = o, .n = n < most ? n : most, .bytes = bytes, .sign = in->aux};
}

/* The bytes of a row that holds an element and nothing else. */
static uint32_t natural(uint32_t bytes)
{
    return bytes == 1 ? 2 : bytes;
}

/* The handler for rows like the unit's registers; PX_FIX_COUNT: there is none, or they are not alike. */
static enum px_fixed direct_handler(bool load, const struct unit *u)
{
    for (uint32_t i = 1; i < u->n; i++)
        if (u->o[i].elem != u->o[0].elem) return PX_FIX_COUNT;
    return handler_of(load, (struct px_form){u->bytes * u->n, u->n, u->o[0].elem, u->sign});
}

/* The same for rows of their own, and whether loaded elements have their sign there. */
static enum px_fixed own_handler(bool load, const struct unit *u, bool *sign)
{
    struct px_form f = {u->bytes * u->n, u->n, natural(u->bytes), u->sign};
    enum px_fixed fix = handler_of(load, f);
    *sign = f.sign || u->bytes > 1;
    if (fix != PX_FIX_COUNT) return fix;
    f.sign = *sign = false;
    return handler_of(load, f);
}

static void no_handler(struct px_emitter *e, const char *does, const struct unit *u,
                       const struct px_ir_operand *o)
{
    px_code_fail(e->f, e->f->origins.at[e->in->origin].inst, "%s %u bytes %s a register of %u", does,
                 u->bytes, *does == 'l' ? "into" : "from", o->elem);
}

/* ---- loads ---- */

/* A move behind the load r, of the same lanes. */
static void move_loaded(struct px_emitter *e, const struct reach *r, enum px_fixed fix, uint64_t imm,
                        uint32_t from, uint32_t to)
{
    const unsigned version = r->version == PX_ALONE ? PX_ALONE : px_emit_is_masked(e);
    px_emit_record(e, e->f->coder->level->fixed[fix][version],
                   (struct px_insn){.d = to, .a = from, .imm = imm, .m = r->is.m});
}

/* From a row of elements as they are in memory to one of a wider register; PX_FIX_COUNT: it is no wider. */
static enum px_fixed extension(uint32_t from, uint32_t to, bool sign)
{
    if (from == 2 && to == 4) return sign ? PX_FIX_sext2_4 : PX_FIX_zext2_4;
    if (from == 2 && to == 8) return sign ? PX_FIX_sext2_8 : PX_FIX_zext2_8;
    return from == 4 && to == 8 ? sign ? PX_FIX_sext4_8 : PX_FIX_zext4_8 : PX_FIX_COUNT;
}

/* Element i of a unit that row `from` holds: taken out of words first, when there is `out`. */
static void finish_load(struct px_emitter *e, const struct reach *r, const struct unit *u, uint32_t i,
                        uint32_t from, enum px_fixed out, bool signed_already)
{
    struct {
        enum px_fixed fix;
        uint64_t imm;
    } move[3];
    uint32_t n = 0;
    const uint32_t elem = u->o[i].elem, own = natural(u->bytes);
    if (out != PX_FIX_COUNT) move[n].fix = out, move[n++].imm = 8 * (i * u->bytes % 4);
    if (u->sign && !signed_already) move[n].fix = PX_FIX_sext_byte2, move[n++].imm = 0;
    if (elem != own) move[n].fix = extension(own, elem, u->sign), move[n++].imm = 0;
    if (move[n - 1].fix == PX_FIX_COUNT) no_handler(e, "loads", u, &u->o[i]);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t to = k + 1 < n ? px_emit_temp(e, own) : result(e, &u->o[i]);
        move_loaded(e, r, move[k].fix, move[k].imm, from, to);
        from = to;
    }
}

static uint32_t *loaded_row(struct px_insn *r, uint32_t k)
{
    return k == 0 ? &r->d : k == 1 ? &r->e : k == 2 ? &r->b : &r->c;
}

/* Into rows of their own, of `wide` bytes. */
static void load_own(struct px_emitter *e, struct reach *r, enum px_fixed fix, uint32_t n, uint32_t wide)
{
    for (uint32_t k = 0; k < n; k++) *loaded_row(&r->is, k) = px_emit_temp(e, wide);
    emit_access(e, r, fix);
}

static void load_unit(struct px_emitter *e, struct reach *r, const struct unit *u)
{
    const uint32_t words = u->n == 8 ? 2 * u->bytes : 0;
    bool sign = u->bytes > 1;
    enum px_fixed fix = direct_handler(true, u);
    if (fix != PX_FIX_COUNT) {
        for (uint32_t k = 0; k < u->n; k++) *loaded_row(&r->is, k) = result(e, &u->o[k]);
        emit_access(e, r, fix);
        return;
    }
    fix =
        words ? handler_of(true, (struct px_form){4 * words, words, 4, false}) : own_handler(true, u, &sign);
    if (fix == PX_FIX_COUNT) no_handler(e, "loads", u, &u->o[0]);
    load_own(e, r, fix, words ? words : u->n, words ? 4 : natural(u->bytes));
    struct px_insn loaded = r->is;
    for (uint32_t i = 0; i < u->n; i++)
        finish_load(e, r, u, i, *loaded_row(&loaded, words ? i * words / 8 : i),
                    !words          ? PX_FIX_COUNT
                    : u->bytes == 1 ? PX_FIX_byte_of4
                                    : PX_FIX_half_of4,
                    sign);
}

/* The units of n elements, of `elem` bytes each, that lie behind one another in memory. */
static void each_unit(struct px_emitter *e, const struct px_ir_inst *in, struct reach *r,
                      const struct px_ir_operand *o, uint32_t n, uint8_t elem,
                      void (*access)(struct px_emitter *e, struct reach *r, const struct unit *u))
{
    for (uint32_t i = 0; i < n;) {
        const struct unit u = unit_of(in, o + i, n - i, elem);
        const uint32_t bytes = u.n * u.bytes;
        if (i) r->is.bytes = (uint8_t)bytes;
        access(e, r, &u);
        r->is.imm += bytes;
        i += u.n;
    }
}

void px_emit_ld(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand *address = &o[in->ndst];
    const uint32_t n = in->ndst;
    px_emit_guard(e, true);
    if (px_emit_traces(e)) px_emit_trace(e, address, PTX_TRACE_READ | strength(in), address->elem * n);
    struct reach r;
    reach_of(e, in, address, &r);
    if (px_emit_keep(e, &o[0]) == PX_IR_SCALAR) r.version = PX_ALONE;
    if (n == 1 && r.version == PX_SURVEYED && is_long(e)) r.is.once = PX_LOAD_ONCE;
    each_unit(e, in, &r, o, n, address->elem, load_unit);
}

/* ---- stores ---- */

static uint32_t *stored_row(struct px_insn *r, uint32_t k)
{
    return k == 0 ? &r->b : k == 1 ? &r->c : k == 2 ? &r->d : &r->e;
}

static uint32_t moved(struct px_emitter *e, enum px_fixed fix, uint32_t a, uint32_t b, uint32_t wide)
{
    const uint32_t d = px_emit_temp(e, wide);
    px_emit_own(e, fix, (struct px_insn){.d = d, .a = a, .b = b});
    return d;
}

/* The row of an element, as it is in memory. */
static uint32_t narrowed(struct px_emitter *e, const struct unit *u, uint32_t i)
{
    const uint32_t elem = u->o[i].elem, to = natural(u->bytes), row = px_emit_row(e, &u->o[i]);
    if (elem == to) return row;
    const enum px_fixed fix = elem == 4 && to == 2   ? PX_FIX_trunc4_2
                              : elem == 8 && to == 2 ? PX_FIX_trunc8_2
                              : elem == 8 && to == 4 ? PX_FIX_trunc8_4
                                                     : PX_FIX_COUNT;
    if (fix == PX_FIX_COUNT) no_handler(e, "stores", u, &u->o[i]);
    return moved(e, fix, row, 0, to);
}

/* Eight elements as two or four words. */
static void join_words(struct px_emitter *e, struct reach *r, const struct unit *u)
{
    uint32_t row[8], n = 8;
    for (uint32_t i = 0; i < n; i++) row[i] = narrowed(e, u, i);
    for (uint32_t bytes = u->bytes; bytes < 4; bytes *= 2, n /= 2)
        for (uint32_t i = 0; i < n / 2; i++)
            row[i] =
                moved(e, bytes == 1 ? PX_FIX_join2 : PX_FIX_join4, row[2 * i], row[2 * i + 1], bytes * 2);
    for (uint32_t i = 0; i < n; i++) *stored_row(&r->is, i) = row[i];
    emit_access(e, r, handler_of(false, (struct px_form){4 * n, n, 4, false}));
}

static void store_unit(struct px_emitter *e, struct reach *r, const struct unit *u)
{
    bool sign;
    enum px_fixed fix = direct_handler(false, u);
    const bool direct = fix != PX_FIX_COUNT;
    if (u->n == 8) {
        join_words(e, r, u);
        return;
    }
    if (!direct) fix = own_handler(false, u, &sign);
    if (fix == PX_FIX_COUNT) no_handler(e, "stores", u, &u->o[0]);
    for (uint32_t k = 0; k < u->n; k++)
        *stored_row(&r->is, k) = direct ? px_emit_row(e, &u->o[k]) : narrowed(e, u, k);
    emit_access(e, r, fix);
}

void px_emit_st(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand *address = &o[0], *s = o + 1;
    const uint32_t n = in->nopds - 1u;
    px_emit_guard(e, true);
    if (px_emit_traces(e)) px_emit_trace_store(e, address, PTX_TRACE_WRITE | strength(in), s, n);
    struct reach r;
    reach_of(e, in, address, &r);
    each_unit(e, in, &r, s, n, address->elem, store_unit);
}

static int acquire(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    atomic_thread_fence(memory_order_acquire);
    return PX_STEP_NEXT;
}

static int release(struct px_gang *g, const struct px_insn *in)
{
    (void)in;
    px_private_flush(g->worker);
    atomic_thread_fence(memory_order_release);
    return PX_STEP_NEXT;
}

const struct px_handler_name px_emit_mem_names[] = {{acquire, "acquire"}, {release, "release"}, {0}};

void px_emit_acquire(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)in, (void)o;
    px_emit_record(e, acquire, (struct px_insn){0});
}

void px_emit_release(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)in, (void)o;
    px_emit_record(e, release, (struct px_insn){0});
}

/* ---- atomics ---- */

static void note_reads(struct px_emitter *e, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(e->f, in);
    if (in->guard != PX_NONE32) e->read[in->guard] = true;
    for (uint32_t k = 0; k < in->nopds; k++) {
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg != PX_NONE32 && (k >= in->ndst || o[k].kind != PX_IR_REG)) e->read[reg] = true;
    }
}

static void note_words(struct px_emitter *e, const struct px_words *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < px_words_n(&w[i]); k++) e->read[e->f->words.at[w[i].first + k]] = true;
}

/* Does anything of the function read what it writes? */
static bool is_read(struct px_emitter *e, const struct px_ir_operand *d)
{
    if (d->kind != PX_IR_REG) return false;
    if (!e->read) {
        e->read = PX_NEW_N(e->f->coder->pass, bool, e->f->regs.n + 1);
        for (uint32_t i = 0; i < e->f->insts.n; i++) note_reads(e, &e->f->insts.at[i]);
        const struct px_call_site *own = &e->f->code->formals;
        note_words(e, e->f->passed.at + own->args + own->nargs, own->nrets);
        for (uint32_t i = 0; i < e->f->sites.n; i++)
            note_words(e, e->f->passed.at + e->f->sites.at[i].args, e->f->sites.at[i].nargs);
    }
    return e->read[d->at];
}

/* A reduction, which need not say what was there: perhaps it may even wait. */
static px_handler reduction(struct px_emitter *e, const struct px_ir_inst *in, struct px_insn *r,
                            px_handler fn)
{
    const bool shared = r->space == PX_SPACE_SHARED || r->space == PX_SPACE_CLUSTER;
    const bool may = in->aux & PX_IR_ATOM_WAITS && e->f->coder->wishes.engine & PX_ENGINE_private_atomics;
    px_handler waits = may && !shared ? px_atom_private(fn) : NULL;
    if (waits) r->extent = (uint8_t)(PX_SLOT_PRIVATE + e->slots++ % (PX_EXTENTS - PX_SLOT_PRIVATE));
    return waits ? waits : fn;
}

void px_emit_atom(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand *address = &o[1];
    const enum px_type type = o[2].type;
    const bool shared = address->type == PX_SPACE_SHARED || address->type == PX_SPACE_CLUSTER;
    uint32_t half;
    px_handler fn = px_atom_handler(in->fact, type, shared, &half);
    if (!fn) px_code_fail(e->f, e->f->origins.at[in->origin].inst, "cannot be run by this VM yet");
    px_emit_guard(e, true);
    if (px_emit_traces(e)) px_emit_trace(e, address, PX_TRACE_ATOMIC, address->elem);
    struct px_insn r = px_emit_access(e, address, address->elem);
    r.b = px_emit_row(e, &o[2]);
    r.half = half;
    if (in->nopds > 3) r.c = px_emit_row(e, &o[3]);
    if ((type == PX_T_F32 || type == PX_T_F64) && !shared && !(in->aux & PX_IR_ATOM_NOFTZ))
        r.flags |= PX_INSN_FTZ;
    if (px_ir_is(in, PX_OP_red) || !is_read(e, &o[0]))
        fn = reduction(e, in, &r, fn);
    else
        r.d = px_emit_place(e, &o[0]);
    r.m = e->guard;
    px_emit_record_of(e, fn, &r);
}

/* ---- addresses ---- */

static void converted(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o,
                      px_handler fn)
{
    px_emit_guard(e, true);
    struct px_insn r = {
        .d = px_emit_place(e, &o[0]), .a = px_emit_row(e, &o[1]), .space = (uint8_t)in->fact, .m = e->guard};
    px_emit_record_of(e, fn, &r);
}

void px_emit_cvta(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    converted(e, in, o, px_move_cvta);
}

void px_emit_cvta_to(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    converted(e, in, o, px_move_cvta_to);
}

void px_emit_isspacep(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    converted(e, in, o, px_move_isspacep);
}

/* ---- cache policies ---- */

void px_emit_policy_fraction(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    px_emit_guard(e, true);
    struct px_insn r = {.d = px_emit_place(e, &o[0]), .a = px_emit_row(e, &o[1]), .m = e->guard};
    r.policy = in->fact;
    px_emit_record_of(e, px_policy_fractions, &r);
}

void px_emit_policy_range(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    px_emit_guard(e, true);
    struct px_insn r = {.d = px_emit_place(e, &o[0]),
                        .a = px_emit_row(e, &o[1]),
                        .b = px_emit_row(e, &o[2]),
                        .c = px_emit_row(e, &o[3]),
                        .imm = (uint64_t)(int64_t)(int32_t)in->aux,
                        .m = e->guard};
    r.policy = in->fact;
    px_emit_record_of(e, px_policy_ranges, &r);
}

/* ---- alloca ---- */

void px_emit_alloca(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    px_emit_guard(e, true);
    struct px_insn r = {.d = px_emit_place(e, &o[0]),
                        .stacks = px_emit_place(e, &o[1]),
                        .b = px_emit_row(e, &o[3]),
                        .imm = in->aux,
                        .m = e->guard};
    px_emit_record_of(e, px_alloca, &r);
}
