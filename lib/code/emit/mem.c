/* emit/mem.c - records that touch memory, and conversions of addresses. */
#include "code/emit/emit.h"
#include "code/emit/names.h"
#include "gen/isa_ops.h"
#include "ops/atom.h"
#include "ops/move.h"
#include "ops/alloca.h"
#include "ops/policy.h"
#include "ops/private.h"
#include "ops/trace.h"
#include <stdatomic.h>

/* ---- which handler ---- */

struct access {
    uint8_t bytes, elem;
    bool sign;
    uint8_t fix;
};

static enum px_fixed load_handler(uint32_t bytes, uint32_t elem, bool sign)
{
    static const struct access loads[] = {
        {1, 2, 0, PX_FIX_ld_u8_2},  {1, 2, 1, PX_FIX_ld_s8_2},  {1, 4, 0, PX_FIX_ld_u8_4},
        {1, 4, 1, PX_FIX_ld_s8_4},  {2, 2, 0, PX_FIX_ld_u16_2}, {2, 2, 1, PX_FIX_ld_u16_2},
        {2, 4, 0, PX_FIX_ld_u16_4}, {2, 4, 1, PX_FIX_ld_s16_4}, {4, 4, 0, PX_FIX_ld_u32_4},
        {4, 4, 1, PX_FIX_ld_u32_4}, {4, 8, 0, PX_FIX_ld_u32_8}, {4, 8, 1, PX_FIX_ld_s32_8},
        {8, 8, 0, PX_FIX_ld_u64_8}, {8, 8, 1, PX_FIX_ld_u64_8}, {16, 16, 0, PX_FIX_ld_b128_16}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (loads[i].bytes == bytes && loads[i].elem == elem && loads[i].sign == sign) return loads[i].fix;
    return PX_FIX_COUNT;
}

static enum px_fixed store_handler(uint32_t bytes, uint32_t elem)
{
    static const struct access stores[] = {{1, 2, 0, PX_FIX_st_8_2},  {1, 4, 0, PX_FIX_st_8_4},
                                           {2, 2, 0, PX_FIX_st_16_2}, {2, 4, 0, PX_FIX_st_16_4},
                                           {4, 4, 0, PX_FIX_st_32_4}, {4, 8, 0, PX_FIX_st_32_8},
                                           {8, 8, 0, PX_FIX_st_64_8}, {16, 16, 0, PX_FIX_st_128_16}};
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (stores[i].bytes == bytes && stores[i].elem == elem) return stores[i].fix;
    return PX_FIX_COUNT;
}

/* Addresses of different spaces overlap, so each space has extents of its own among the gang's. */
static uint8_t extent_slot(struct px_emitter *e, enum px_space space)
{
    switch (space) {
    case PX_SPACE_GLOBAL: return (uint8_t)(PX_SLOT_GLOBAL + e->slots++ % (PX_SLOT_GENERIC - PX_SLOT_GLOBAL));
    case PX_SPACE_SHARED: return PX_SLOT_SHARED;
    case PX_SPACE_CONST: return PX_SLOT_CONST;
    case PX_SPACE_PARAM: return PX_SLOT_PARAM;
    case PX_SPACE_LOCAL: return PX_SLOT_LOCAL;
    default: return (uint8_t)(PX_SLOT_GENERIC + e->slots++ % (PX_SLOT_SHARED - PX_SLOT_GENERIC));
    }
}

struct px_insn px_emit_access(struct px_emitter *e, const struct px_ir_operand *address, uint32_t align)
{
    struct px_insn r = {.size = (uint8_t)align, .space = address->type};
    if (px_emit_keep(e, address) == PX_IR_ROW)
        r.a = px_emit_place(e, address);
    else
        r.a = px_emit_row(
            e, &(struct px_ir_operand){.kind = PX_IR_REG, .elem = 8, .type = PX_T_U64, .at = address->at});
    if (address->base != PX_IR_IMM) r.imm = address->value;
    if (address->base != PX_IR_REG) r.flags |= PX_IF_SCALAR_A;
    r.slot = extent_slot(e, address->type);
    return r;
}

/* ---- loads and stores ---- */

/*
 * The handler that does `n` elements at once; PX_FIX_COUNT when there is none (a sign to extend, rows wider
 * than memory), and then each element has its record.
 */
static enum px_fixed vector_handler(const struct px_ir_inst *in, uint32_t bytes,
                                    const struct px_ir_operand *o, uint32_t n)
{
    if ((n != 2 && n != 4) || (in->aux && bytes == 1)) return PX_FIX_COUNT;
    for (uint32_t i = 0; i < n; i++)
        if (o[i].elem != (bytes == 1 ? 2 : bytes)) return PX_FIX_COUNT;
    bool load = px_ir_is(in, PX_OP_ld);
    switch (bytes) {
    case 1: return load ? PX_FIX_ldv_8_2 : PX_FIX_stv_8_2;
    case 2: return load ? PX_FIX_ldv_16_2 : PX_FIX_stv_16_2;
    case 4: return load ? PX_FIX_ldv_32_4 : PX_FIX_stv_32_4;
    case 8: return load ? PX_FIX_ldv_64_8 : PX_FIX_stv_64_8;
    default: return PX_FIX_COUNT;
    }
}

/* The two records of a load or store, and which of a fixed handler's versions the convergent one wants. */
struct both {
    struct px_insn conv, div;
    unsigned version;
};

static struct both access_both(struct px_emitter *e, const struct px_ir_inst *in,
                               const struct px_ir_operand *address)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_reg *reg = address->base == PX_IR_REG ? &f->regs.at[address->at] : NULL;
    const enum px_ir_keep keep = px_emit_keep(e, address);
    const uint32_t base = keep == PX_IR_OFFSET ? reg->base : address->at;
    const bool local = address->type == PX_SPACE_LOCAL;
    const bool lanes = keep == PX_IR_LANES, served = reg && !local && in->guard == PX_NONE32;
    const bool surveyed = served && keep != PX_IR_SCALAR && (lanes || f->regs.at[base].survey);
    struct both r = {.version = e->guard != 0};
    if (keep == PX_IR_ROW || (keep != PX_IR_SCALAR && !surveyed)) {
        r.div = r.conv = px_emit_access(e, address, in->fact);
    } else {
        r.div = (struct px_insn){.a = reg->row,
                                 .imm = address->value,
                                 .size = (uint8_t)in->fact,
                                 .space = address->type,
                                 .slot = extent_slot(e, address->type)};
        r.conv = r.div;
        if (keep == PX_IR_SCALAR) r.conv.a = reg->slot, r.conv.flags |= PX_IF_SCALAR_A;
    }
    if (f->coder->wishes.engine & PX_ENGINE_local_rows) r.conv.flags |= PX_IF_ROWS, r.div.flags |= PX_IF_ROWS;
    r.conv.m = e->conv_guard;
    r.div.m = e->guard;
    if (!surveyed) return r;
    r.version = PX_SURVEYED;
    r.conv.x[0] = keep != PX_IR_ROW ? reg->slot : px_emit_constant(e, 0, NULL);
    if (lanes) {
        const struct px_lane_term *term = &f->code->terms[reg->term];
        r.conv.a = term->row;
        r.conv.target = term->facts + (uint32_t)offsetof(struct px_lane_facts, survey);
        return r;
    }
    r.conv.a = f->regs.at[base].row;
    r.conv.target = px_emit_survey(e, base);
    return r;
}

static void emit_both(struct px_emitter *e, struct both *r, enum px_fixed fix)
{
    const px_handler *fn = e->f->coder->level->fixed[fix];
    r->conv.fn = fn[r->version];
    r->div.fn = fn[1];
    px_emit_versions(e, &r->conv, &r->div);
}

/* Where the element goes in each version. */
static void result(struct px_emitter *e, const struct px_ir_operand *d, uint32_t *conv, uint32_t *div)
{
    *div = px_emit_place(e, d);
    *conv = px_emit_keep(e, d) == PX_IR_SCALAR ? px_emit_scalar(e, d) : *div;
}

/* Bytes and halves go to and from registers of 64 bits by way of a row of 16. */
static bool is_stepped(uint32_t bytes, uint32_t elem)
{
    return bytes < 4 && elem == 8;
}

/* What r loads goes into a row of 16 bits; then that is extended, as it would be loaded, into d. */
static void load_stepped(struct px_emitter *e, struct both *r, enum px_fixed fix, bool sign)
{
    const px_handler *extend = e->f->coder->level->fixed[sign ? PX_FIX_sext2_8 : PX_FIX_zext2_8];
    struct px_insn conv = {.fn = extend[r->version == PX_ALONE ? PX_ALONE : e->guard != 0], .d = r->conv.d};
    struct px_insn div = {.fn = extend[1], .d = r->div.d};
    conv.m = r->conv.m, div.m = r->div.m;
    conv.a = div.a = r->conv.d = r->div.d = px_emit_temp(e, 2);
    emit_both(e, r, fix);
    px_emit_versions(e, &conv, &div);
}

static unsigned strength(const struct px_ir_inst *in)
{
    return in->flags & PX_IRF_STRONG ? PTX_TRACE_ATOMIC : 0;
}

/* A kernel without loops, of so many instructions that asking for the next block's lines costs little. */
static bool is_long(const struct px_emitter *e)
{
    enum { LONG = 48 };
    return e->f->insts.n >= LONG && !e->loop_until;
}

static void load(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand *address = &o[in->ndst];
    const uint32_t n = in->ndst;
    px_emit_guard(e, true);
    px_emit_trace(e, address, PTX_TRACE_READ | strength(in), address->elem * n);
    struct both r = access_both(e, in, address);
    enum px_fixed vector = vector_handler(in, address->elem, o, n);
    if (px_emit_keep(e, &o[0]) == PX_IR_SCALAR) r.version = PX_ALONE;
    if (vector != PX_FIX_COUNT) {
        result(e, &o[0], &r.conv.d, &r.div.d);
        result(e, &o[1], &r.conv.e, &r.div.e);
        if (n == 4) result(e, &o[2], &r.conv.b, &r.div.b), result(e, &o[3], &r.conv.c, &r.div.c);
        r.conv.x[1] = r.div.x[1] = n;
        emit_both(e, &r, vector);
        return;
    }
    for (uint32_t i = 0; i < n; i++, r.conv.imm += address->elem, r.div.imm += address->elem) {
        const bool stepped = is_stepped(address->elem, o[i].elem);
        enum px_fixed fix = load_handler(address->elem, stepped ? 2 : o[i].elem, in->aux);
        if (fix == PX_FIX_COUNT)
            px_code_fail(e->f, e->f->origins.at[in->origin].inst, "loads %u bytes into a register of %u",
                         address->elem, o[i].elem);
        result(e, &o[i], &r.conv.d, &r.div.d);
        if (n == 1 && r.version == PX_SURVEYED && is_long(e)) r.conv.x[1] = PX_LOAD_ONCE;
        if (i) r.conv.size = r.div.size = address->elem;
        if (stepped)
            load_stepped(e, &r, fix, in->aux);
        else
            emit_both(e, &r, fix);
    }
}

void px_emit_ld(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    load(e, in, o);
    px_fuse_gather(e);
}

static void store(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand *address = &o[0], *s = o + 1;
    const uint32_t n = in->nopds - 1u;
    px_emit_guard(e, true);
    px_emit_trace(e, address, PTX_TRACE_WRITE | strength(in), address->elem * n);
    struct both r = access_both(e, in, address);
    enum px_fixed vector = vector_handler(in, address->elem, s, n);
    if (vector != PX_FIX_COUNT) {
        r.conv.b = r.div.b = px_emit_row(e, &s[0]);
        r.conv.c = r.div.c = px_emit_row(e, &s[1]);
        if (n == 4) {
            r.conv.d = r.div.d = px_emit_row(e, &s[2]);
            r.conv.e = r.div.e = px_emit_row(e, &s[3]);
        }
        r.conv.x[1] = r.div.x[1] = n;
        emit_both(e, &r, vector);
        return;
    }
    for (uint32_t i = 0; i < n; i++, r.conv.imm += address->elem, r.div.imm += address->elem) {
        const bool stepped = is_stepped(address->elem, s[i].elem);
        enum px_fixed fix = store_handler(address->elem, stepped ? 2 : s[i].elem);
        if (fix == PX_FIX_COUNT)
            px_code_fail(e->f, e->f->origins.at[in->origin].inst, "stores %u bytes from a register of %u",
                         address->elem, s[i].elem);
        r.conv.b = r.div.b = px_emit_row(e, &s[i]);
        if (stepped) {
            const uint32_t narrow = px_emit_temp(e, 2);
            px_emit_own(e, PX_FIX_trunc8_2, (struct px_insn){.d = narrow, .a = r.conv.b});
            r.conv.b = r.div.b = narrow;
        }
        if (i) r.conv.size = r.div.size = address->elem;
        emit_both(e, &r, fix);
    }
}

void px_emit_st(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    store(e, in, o);
    px_fuse_store(e);
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
    px_emit_both(e, acquire, (struct px_insn){0});
}

void px_emit_release(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)in, (void)o;
    px_emit_both(e, release, (struct px_insn){0});
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
    const bool may = in->aux && e->f->coder->wishes.engine & PX_ENGINE_private_atomics;
    px_handler waits = may && r->space != PX_SPACE_SHARED ? px_atom_private(fn) : NULL;
    if (waits) r->slot = (uint8_t)(PX_SLOT_PRIVATE + e->slots++ % (PX_EXTENTS - PX_SLOT_PRIVATE));
    return waits ? waits : fn;
}

void px_emit_atom(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand *address = &o[1];
    const enum px_type type = o[2].type;
    const bool shared = address->type == PX_SPACE_SHARED;
    uint32_t half;
    px_handler fn = px_atom_handler(in->fact, type, shared, &half);
    if (!fn) px_code_fail(e->f, e->f->origins.at[in->origin].inst, "cannot be run by this VM yet");
    px_emit_guard(e, true);
    px_emit_trace(e, address, PX_TRACE_ATOMIC, address->elem);
    struct px_insn r = px_emit_access(e, address, address->elem);
    r.b = px_emit_row(e, &o[2]);
    r.x[1] = half;
    if (in->nopds > 3) r.c = px_emit_row(e, &o[3]);
    if ((type == PX_T_F32 || type == PX_T_F64) && !shared) r.flags |= PX_IF_FTZ;
    if (px_ir_is(in, PX_OP_red) || !is_read(e, &o[0]))
        fn = reduction(e, in, &r, fn);
    else
        r.d = px_emit_place(e, &o[0]);
    r.m = e->guard;
    px_emit_both(e, fn, r);
}

/* ---- addresses ---- */

static void converted(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o,
                      px_handler fn)
{
    px_emit_guard(e, true);
    struct px_insn r = {
        .d = px_emit_place(e, &o[0]), .a = px_emit_row(e, &o[1]), .space = (uint8_t)in->fact, .m = e->guard};
    px_emit_both(e, fn, r);
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
    r.x[1] = in->fact;
    px_emit_both(e, px_policy_fractions, r);
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
    r.x[1] = in->fact;
    px_emit_both(e, px_policy_ranges, r);
}

/* ---- alloca ---- */

void px_emit_alloca(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    px_emit_guard(e, true);
    struct px_insn r = {.d = px_emit_place(e, &o[0]),
                        .e = px_emit_place(e, &o[1]),
                        .b = px_emit_row(e, &o[3]),
                        .imm = in->aux,
                        .m = e->guard};
    px_emit_both(e, px_alloca, r);
}
