/*
 * gen_operand.c - the registers of a function, and operands by type.
 *
 * Registers come in pools, a name and a type each. An operand takes any register that PTX lets stand there,
 * so that one register holds integers now and floats then. Temporaries are written before they are read and
 * never kept, so that their lives are short; the registers of the uniform pools only ever get values that are
 * the same for all threads of the CTA.
 */
#include "random/gen.h"
#include <stdio.h>
#include <string.h>

enum pool_kind { POOL_PLAIN, POOL_TEMP, POOL_UNIFORM, POOL_READ, POOL_SCOPED };

static const struct pool {
    const char *name;
    enum px_type type;
    uint8_t min, max, kind;
} pools[POOLS] = {
    {"a", PX_T_B32, 3, 10, POOL_PLAIN},   {"f", PX_T_F32, 1, 5, POOL_PLAIN},
    {"i", PX_T_U32, 1, 3, POOL_PLAIN},    {"j", PX_T_S32, 1, 2, POOL_PLAIN},
    {"w", PX_T_B64, 2, 6, POOL_PLAIN},    {"g", PX_T_F64, 1, 3, POOL_PLAIN},
    {"l", PX_T_U64, 1, 2, POOL_PLAIN},    {"h", PX_T_B16, 2, 5, POOL_PLAIN},
    {"k", PX_T_F16, 1, 2, POOL_PLAIN},    {"o", PX_T_F16X2, 1, 2, POOL_PLAIN},
    {"c", PX_T_B8, 2, 4, POOL_PLAIN},     {"q", PX_T_B128, 1, 2, POOL_PLAIN},
    {"p", PX_T_PRED, 2, 5, POOL_PLAIN},   {"t", PX_T_B32, 3, 5, POOL_TEMP},
    {"x", PX_T_F32, 2, 3, POOL_TEMP},     {"y", PX_T_B64, 2, 3, POOL_TEMP},
    {"s", PX_T_B16, 1, 2, POOL_TEMP},     {"u", PX_T_B32, 3, 4, POOL_UNIFORM},
    {"e", PX_T_PRED, 2, 2, POOL_UNIFORM}, {"n", PX_T_B32, 4, 4, POOL_READ},
    {"v", PX_T_B32, 3, 3, POOL_SCOPED},   {"b", PX_T_B64, 2, 2, POOL_SCOPED},
};

void gen_pools(struct gen *g)
{
    bool many = !g->lean && gen_chance(g, 10);
    for (unsigned i = 0; i < POOLS; i++) {
        g->pool[i] = (uint8_t)(pools[i].min + (g->lean ? 0 : gen_below(g, pools[i].max - pools[i].min + 1u)));
        if (many && pools[i].kind == POOL_PLAIN) g->pool[i] *= 3;
        g->defined[i] = 0;
    }
}

void gen_declare_registers(struct gen *g)
{
    for (unsigned i = 0; i < POOLS; i++)
        if (pools[i].kind != POOL_TEMP && pools[i].kind != POOL_SCOPED)
            gen_alone(g, "  .reg .%s %%%s<%u>;", px_type_info(pools[i].type)->name, pools[i].name,
                      g->pool[i]);
    gen_alone(g, "  .reg .b32 %%m<%u>;", MASKS_MAX);
    gen_alone(g, "  .reg .b32 %%z<6>;  .reg .b64 %%zd<6>;  .reg .pred %%zp<4>;  .reg .b32 %%dead;  .reg .b64 "
                 "%%deadd;");
}

/* Those of one kind, in the block that begins here: other registers than those of the same names elsewhere.
 */
static void declare_kind(struct gen *g, enum pool_kind kind)
{
    for (unsigned i = 0; i < POOLS; i++)
        if (pools[i].kind == kind)
            gen_line(g, "  .reg .%s %%%s<%u>;", px_type_info(pools[i].type)->name, pools[i].name, g->pool[i]);
}

void gen_declare_temporaries(struct gen *g)
{
    declare_kind(g, POOL_TEMP);
}

void gen_declare_scoped(struct gen *g)
{
    unsigned around = g->scoped;
    declare_kind(g, POOL_SCOPED);
    g->scoped = 0; /* the names now mean registers that hold nothing yet */
    for (unsigned i = 0; i < POOLS; i++)
        for (unsigned k = 0; pools[i].kind == POOL_SCOPED && k < g->pool[i]; k++)
            gen_line(g, "  mov.%s %%%s%u, %s;", px_type_info(pools[i].type)->name, pools[i].name, k,
                     gen_source(g, pools[i].type).text);
    g->scoped = around;
}

/* ---- which register may stand where ---- */

static bool fits(enum px_type reg, enum px_type type)
{
    const struct px_type_info *r = px_type_info(reg), *t = px_type_info(type);
    if (r->bits != t->bits || (r->klass == PX_TC_PRED) != (t->klass == PX_TC_PRED)) return false;
    if (r->klass == PX_TC_BITS || reg == type) return true;
    if (type > PX_T_SURFREF) return false;
    return t->klass == PX_TC_BITS || (px_type_is_integer(r) && px_type_is_integer(t));
}

static bool usable(const struct gen *g, const struct pool *pool, enum px_type type, bool write)
{
    if (!fits(pool->type, type) || (g->like && pool->type != g->like)) return false;
    if (g->only_uniform) return pool->kind == POOL_UNIFORM;
    if (write && (pool->kind == POOL_UNIFORM || pool->kind == POOL_READ)) return false;
    if (pool->kind == POOL_SCOPED) return g->scoped > 0;
    return pool->kind != POOL_TEMP || (g->chaining && (write || g->defined[pool - pools]));
}

/* Of an integer operand whose register may be wider. */
enum px_type gen_widened(struct gen *g, enum px_type type, uint32_t flags)
{
    static const enum px_type wide[] = {PX_T_U16, PX_T_U32, PX_T_U64};
    const struct px_type_info *t = px_type_info(type);
    if (flags & PX_OPERAND_EXACT || t->klass == PX_TC_FLOAT || t->klass == PX_TC_PRED || t->bits > 64)
        return type;
    if (!(flags & PX_OPERAND_WIDER)) return type;
    if (t->bits > 8 && !gen_chance(g, 25)) return type;
    enum px_type to = wide[gen_below(g, 3)];
    return px_type_info(to)->bits >= t->bits ? to : t->bits == 8 ? PX_T_U16 : type;
}

struct operand gen_register(struct gen *g, enum px_type type, uint32_t flags, bool write)
{
    struct operand o = {""};
    unsigned total = 0, of[POOLS] = {0};
    type = gen_widened(g, type, flags);
    for (unsigned i = 0; i < POOLS; i++) {
        if (!usable(g, &pools[i], type, write)) continue;
        of[i] = pools[i].kind == POOL_TEMP ? 4u * g->pool[i] : g->pool[i];
        total += of[i];
    }
    if (!total) return o;
    unsigned i = 0, k = gen_below(g, total);
    while (k >= of[i]) k -= of[i++];
    k %= g->pool[i];
    if (pools[i].kind == POOL_TEMP && !write)
        while (!(g->defined[i] >> k & 1)) k = (k + 1) % g->pool[i];
    if (pools[i].kind == POOL_TEMP && write) g->fresh[i] |= 1u << k;
    snprintf(o.text, sizeof o.text, "%%%s%u", pools[i].name, k);
    return o;
}

struct operand gen_predicate(struct gen *g, bool write)
{
    return gen_register(g, PX_T_PRED, 0, write);
}

enum px_type gen_type_of(const char *name)
{
    for (unsigned i = 0; name && i < POOLS; i++)
        if (name[1] == *pools[i].name) return pools[i].type;
    return PX_T_NONE;
}

/* ---- constants ---- */

static const uint32_t words[] = {0,          1,          2,          31,         32,         0xffffffff,
                                 0x7fffffff, 0x80000000, 0x7fc00001, 0xffc00000, 0x7f800001, 0xff800001,
                                 0x7f800000, 0xff800000, 0x3f800000, 0xbf800000, 1,          0x007fffff,
                                 0x00800000, 0x7f7fffff, 0x4f000000, 0x477fe000, 0x33000000, 0x7c007e01,
                                 0xfe007c01, 0x7f80ffc1};
static const uint64_t doubles[] = {0,
                                   0x8000000000000000,
                                   0x3ff0000000000000,
                                   0x7ff0000000000000,
                                   0x7ff8000000000001,
                                   0xfff8000000000000,
                                   1,
                                   0x000fffffffffffff,
                                   0x7fefffffffffffff,
                                   0x41dfffffffc00000,
                                   0xffffffffffffffff,
                                   0x7fc00001ffc00000,
                                   0x43e0000000000000,
                                   0x36a0000000000000};
enum { WORDS = sizeof words / sizeof *words, DOUBLES = sizeof doubles / sizeof *doubles };

static uint64_t some_bits(struct gen *g, unsigned bits)
{
    if (gen_chance(g, 25)) return random_next(&g->rng);
    if (gen_chance(g, 20)) return gen_below(g, 64);
    uint32_t word = words[gen_below(g, WORDS)];
    if (bits == 64 && gen_chance(g, 70)) return doubles[gen_below(g, DOUBLES)];
    return bits == 64 ? (uint64_t)(int32_t)word : word;
}

struct operand gen_constant(struct gen *g, enum px_type type)
{
    struct operand o;
    const struct px_type_info *t = px_type_info(type);
    uint64_t v = some_bits(g, t->bits);
    if (type == PX_T_F32 || (type == PX_T_B32 && gen_chance(g, 15)))
        snprintf(o.text, sizeof o.text, "0f%08X", (uint32_t)v);
    else if (type == PX_T_F64)
        snprintf(o.text, sizeof o.text, "0d%016llX", (unsigned long long)v);
    else if (t->klass == PX_TC_SIGNED)
        snprintf(o.text, sizeof o.text, "%lld", (long long)v << (64 - t->bits) >> (64 - t->bits));
    else
        snprintf(o.text, sizeof o.text, "0x%llx",
                 (unsigned long long)(t->bits < 64 ? v & ((1ull << t->bits) - 1) : v));
    if (t->klass == PX_TC_SIGNED && t->bits == 64 && !strcmp(o.text, "-9223372036854775808"))
        strcpy(o.text, "-1");
    return o;
}

struct operand gen_source(struct gen *g, enum px_type type)
{
    if (px_type_takes_constant(type) && gen_chance(g, 15)) return gen_constant(g, type);
    struct operand o = gen_register(g, type, 0, false);
    return *o.text ? o : gen_constant(g, type);
}

const char *gen_guard(struct gen *g)
{
    static const char *const guards[] = {"@%p0 ", "@!%p0 ", "@%p1 ", "@!%p1 ", "@%e0 ", "@!%e1 "};
    if (g->only_uniform) return gen_chance(g, 30) ? guards[4 + gen_below(g, 2)] : "";
    return gen_chance(g, 30) ? guards[gen_below(g, 6)] : "";
}

/* ---- all registers from and to memory ---- */

/* Calls for each register that is kept, until the bytes are used up: its place behind `slot` grows by its
 * size. */
static void each_register(struct gen *g, unsigned percent,
                          void (*line)(struct gen *, const char *, const struct pool *, unsigned, unsigned),
                          const char *slot, unsigned at, unsigned end)
{
    for (unsigned i = 0; i < POOLS; i++) {
        if (pools[i].kind != POOL_PLAIN && pools[i].kind != POOL_UNIFORM) continue;
        unsigned bits = px_type_info(pools[i].type)->bits, size = bits < 8 ? 4 : bits / 8;
        for (unsigned k = 0; k < g->pool[i]; k++) {
            if (!gen_chance(g, percent)) continue;
            at = (at + size - 1) / size * size;
            if (at + size > end) return;
            line(g, slot, &pools[i], k, at);
            at += size;
        }
    }
}

static const char *memory_type(enum px_type type)
{
    return type == PX_T_F16 ? "b16" : type == PX_T_F16X2 ? "b32" : px_type_info(type)->name;
}

static void load_one(struct gen *g, const char *slot, const struct pool *pool, unsigned k, unsigned at)
{
    if (pool->kind == POOL_UNIFORM) return;
    if (pool->type == PX_T_PRED) {
        gen_alone(g, "  ld.global.u32 %%z0, [%s+%u];  setp.gt.s32 %%%s%u, %%z0, 0;", slot, at, pool->name, k);
        return;
    }
    gen_alone(g, "  ld.global.%s %%%s%u, [%s+%u];", memory_type(pool->type), pool->name, k, slot, at);
}

static void store_one(struct gen *g, const char *slot, const struct pool *pool, unsigned k, unsigned at)
{
    if (pool->type == PX_T_PRED)
        gen_alone(g, "  selp.u32 %%z0, 1, 2, %%%s%u;  st.global.u32 [%s+%u], %%z0;", pool->name, k, slot, at);
    else
        gen_alone(g, "  st.global.%s [%s+%u], %%%s%u;", memory_type(pool->type), slot, at, pool->name, k);
}

/* Values to begin with, from the slot's first bytes. */
void gen_load_registers(struct gen *g, const char *slot)
{
    each_register(g, 100, load_one, slot, 0, SLOT_BYTES);
    for (unsigned i = 0; i < g->pool[17]; i++)
        gen_alone(g, "  mov.u32 %%u%u, %s;", i, i == 0 ? "%ctaid.x" : i == 1 ? "%ntid.x" : "7");
    gen_alone(g, "  setp.eq.u32 %%e0, %%u0, 0;  setp.ne.u32 %%e1, %%u0, 1;");
    for (unsigned i = 0; i < g->pool[19]; i++) gen_alone(g, "  mov.u32 %%n%u, 0;", i);
}

void gen_store_registers(struct gen *g, const char *slot, unsigned percent)
{
    each_register(g, percent, store_one, slot, SLOT_SCRATCH, SLOT_BYTES);
}
