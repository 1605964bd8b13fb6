/*
 * decode_mem.c - loads, stores, atomics, addresses of state spaces.
 *
 * A vector access is one record an element; the first one's alignment is that
 * of the whole vector. A .param variable of a function has no address: its words
 * are rows, so constant places in it are moves between rows.
 */
#include "vm/decode.h"
#include "vm/op_atom.h"
#include "vm/op_move.h"

/* ---- which handler ---- */

struct access {
    uint8_t bytes, elem;
    bool sign;
    uint8_t fix;
};

static enum px_fixed load_handler(uint32_t bytes, uint32_t elem, bool sign)
{
    static const struct access loads[] = {
        {1, 2, 0, PX_FIX_ld_u8_2},     {1, 2, 1, PX_FIX_ld_s8_2},  {1, 4, 0, PX_FIX_ld_u8_4},
        {1, 4, 1, PX_FIX_ld_s8_4},     {1, 8, 0, PX_FIX_ld_u8_8},  {1, 8, 1, PX_FIX_ld_s8_8},
        {2, 2, 0, PX_FIX_ld_u16_2},    {2, 2, 1, PX_FIX_ld_u16_2}, {2, 4, 0, PX_FIX_ld_u16_4},
        {2, 4, 1, PX_FIX_ld_s16_4},    {2, 8, 0, PX_FIX_ld_u16_8}, {2, 8, 1, PX_FIX_ld_s16_8},
        {4, 4, 0, PX_FIX_ld_u32_4},    {4, 4, 1, PX_FIX_ld_u32_4}, {4, 8, 0, PX_FIX_ld_u32_8},
        {4, 8, 1, PX_FIX_ld_s32_8},    {8, 8, 0, PX_FIX_ld_u64_8}, {8, 8, 1, PX_FIX_ld_u64_8},
        {16, 16, 0, PX_FIX_ld_b128_16}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (loads[i].bytes == bytes && loads[i].elem == elem && loads[i].sign == sign) return loads[i].fix;
    return PX_FIX_COUNT;
}

static enum px_fixed store_handler(uint32_t bytes, uint32_t elem)
{
    static const struct access stores[] = {{1, 2, 0, PX_FIX_st_8_2},  {1, 4, 0, PX_FIX_st_8_4},
                                           {1, 8, 0, PX_FIX_st_8_8},  {2, 2, 0, PX_FIX_st_16_2},
                                           {2, 4, 0, PX_FIX_st_16_4}, {2, 8, 0, PX_FIX_st_16_8},
                                           {4, 4, 0, PX_FIX_st_32_4}, {4, 8, 0, PX_FIX_st_32_8},
                                           {8, 8, 0, PX_FIX_st_64_8}, {16, 16, 0, PX_FIX_st_128_16}};
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (stores[i].bytes == bytes && stores[i].elem == elem) return stores[i].fix;
    return PX_FIX_COUNT;
}

/* ---- the pieces of an access ---- */

struct parts {
    enum px_type type;
    uint32_t bytes, n;              /* of one element; elements */
    const struct px_operand *value; /* n operands */
    bool sign;
};

/* A vector register stands for its components. */
static const struct px_operand *components_of(struct px_fn_dec *d, const struct px_operand *o, uint32_t n)
{
    static const px_word selectors[4] = {PX_W_x, PX_W_y, PX_W_z, PX_W_w};
    struct px_operand *list = PX_NEW_N(d->dec->arena, struct px_operand, n);
    for (uint32_t i = 0; i < n && i < 4; i++) {
        list[i] = *o;
        list[i].selector = selectors[i];
    }
    return list;
}

static struct parts parts_of(struct px_fn_dec *d, const struct px_dinst *item, const struct px_operand *value)
{
    struct parts p = {.type = px_dec_type(item, 0), .n = 1, .value = value};
    p.bytes = px_type_info(p.type)->bits / 8;
    p.sign = px_type_info(p.type)->klass == PX_TC_SIGNED;
    if (value->kind == PX_O_VEC) {
        p.n = value->n;
        p.value = value->u.list;
    } else if (value->kind == PX_O_NAME && value->symbol && value->symbol->kind == PX_SYM_REG) {
        p.n = px_dec_components(d, value);
        if (p.n > 1) p.value = components_of(d, value, p.n);
    }
    return p;
}

/* Addresses of different spaces overlap, so each space has extents of its own among the gang's. */
static uint8_t extent_slot(struct px_fn_dec *d, enum px_space space)
{
    switch (space) {
    case PX_SPACE_GLOBAL:
        return (uint8_t)(d->slots++ % 7);
    case PX_SPACE_SHARED:
        return 12;
    case PX_SPACE_CONST:
        return 13;
    case PX_SPACE_PARAM:
        return 14;
    case PX_SPACE_LOCAL:
        return 15; /* never filled: local memory has no flat extent */
    default:
        return (uint8_t)(7 + d->slots++ % 5);
    }
}

static struct px_insn access_record(struct px_fn_dec *d, const struct px_dinst *item,
                                    const struct px_operand *address, enum px_space space, uint32_t align)
{
    int64_t offset;
    (void)item;
    struct px_src a = px_dec_address(d, address, space, &offset);
    struct px_insn in = {.a = a.at, .imm = (uint64_t)offset, .size = (uint8_t)align, .space = (uint8_t)space};
    if (a.scalar) in.flags |= PX_IF_SCALAR_A;
    in.slot = extent_slot(d, space);
    return in;
}

/* Element bytes of the register that an operand is; 0 for a sink. */
static uint32_t register_bytes(struct px_fn_dec *d, const struct px_operand *o, uint32_t bytes)
{
    if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG)
        return d->vregs[px_dec_vreg(d, o, 0)].elem;
    return bytes < 2 ? 2 : bytes;
}

static uint32_t register_row(struct px_fn_dec *d, const struct px_operand *o, uint32_t elem)
{
    if (o->kind == PX_O_SINK) return px_dec_temp(d, elem);
    if (o->kind != PX_O_NAME || !o->symbol || o->symbol->kind != PX_SYM_REG)
        px_dec_fail(d, d->item->inst, "has a destination that cannot be run yet");
    uint32_t row = d->vregs[px_dec_vreg(d, o, 0)].row;
    return row == PX_NONE32 ? px_dec_temp(d, elem) : row;
}

static bool same_register(struct px_fn_dec *d, const struct px_operand *o, uint32_t row)
{
    return o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG &&
           d->vregs[px_dec_vreg(d, o, 0)].row == row;
}

/* A base that one of the results overwrites is copied before the first element is loaded. */
static void keep_base(struct px_fn_dec *d, const struct parts *p, struct px_insn *in)
{
    for (uint32_t i = 0; i + 1 < p->n; i++) {
        if (in->flags & PX_IF_SCALAR_A || !same_register(d, &p->value[i], in->a)) continue;
        uint32_t temp = px_dec_temp(d, 8);
        px_dec_temp_fixed(d, PX_FIX_copy8, (struct px_insn){.d = temp, .a = in->a});
        in->a = temp;
        return;
    }
}

static void load_memory(struct px_fn_dec *d, const struct px_dinst *item, enum px_space space,
                        const struct px_operand *address)
{
    struct parts p = parts_of(d, item, &item->inst->opds[0]);
    px_dec_guard(d, item, true);
    struct px_insn in = access_record(d, item, address, space, p.bytes * p.n);
    keep_base(d, &p, &in);
    for (uint32_t i = 0; i < p.n; i++, in.imm += p.bytes) {
        const struct px_operand *o = &p.value[i];
        uint32_t elem = register_bytes(d, o, p.bytes);
        enum px_fixed fix = load_handler(p.bytes, elem, p.sign);
        if (fix == PX_FIX_COUNT)
            px_dec_fail(d, item->inst, "loads %u bytes into a register of %u", p.bytes, elem);
        in.d = register_row(d, o, elem);
        if (i) in.size = (uint8_t)p.bytes;
        px_dec_fixed(d, fix, in);
    }
}

static void store_memory(struct px_fn_dec *d, const struct px_dinst *item, enum px_space space,
                         const struct px_operand *address)
{
    struct parts p = parts_of(d, item, &item->inst->opds[1]);
    px_dec_guard(d, item, true);
    struct px_insn in = access_record(d, item, address, space, p.bytes * p.n);
    for (uint32_t i = 0; i < p.n; i++, in.imm += p.bytes) {
        const struct px_operand *o = &p.value[i];
        uint32_t elem = register_bytes(d, o, p.bytes);
        bool is_register = o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG;
        struct px_src s =
            is_register ? px_dec_vreg_src(d, px_dec_vreg(d, o, 0), elem) : px_dec_src(d, o, p.type);
        in.b = px_dec_as_row(d, s, elem);
        enum px_fixed fix = store_handler(p.bytes, elem);
        if (fix == PX_FIX_COUNT)
            px_dec_fail(d, item->inst, "stores %u bytes from a register of %u", p.bytes, elem);
        if (i) in.size = (uint8_t)p.bytes;
        px_dec_fixed(d, fix, in);
    }
}

/* ---- .param variables of functions ---- */

/* Row of the word that holds byte `at` of a variable. */
static uint32_t word_row(struct px_fn_dec *d, const struct px_dinst *item, const struct px_pvar *v,
                         int64_t at, uint32_t bytes)
{
    if (at < 0 || (uint64_t)at + bytes > v->bytes || v->row == PX_NONE32)
        px_dec_fail(d, item->inst, "is outside of '%s'", v->symbol->name->text);
    return v->row + (uint32_t)(at / 4) * 4 * d->dec->width;
}

static void temp_move(struct px_fn_dec *d, enum px_fixed fix, uint32_t to, uint32_t a, uint32_t b,
                      uint64_t imm)
{
    px_dec_temp_fixed(d, fix, (struct px_insn){.d = to, .a = a, .b = b, .imm = imm});
}

/* 1, 2 or 4 bytes of a word as a row of 4-byte elements, extended. */
static uint32_t field(struct px_fn_dec *d, uint32_t word, int64_t at, uint32_t bytes, bool sign)
{
    if (bytes == 4) return word;
    uint32_t temp = px_dec_temp(d, 4), from = word;
    if (at & 3) {
        temp_move(d, PX_FIX_shr4, temp, word, 0, (uint64_t)(at & 3) * 8);
        from = temp;
    }
    enum px_fixed fix = bytes == 1 ? sign ? PX_FIX_sext_byte4 : PX_FIX_zext_byte4
                        : sign     ? PX_FIX_sext_half4
                                   : PX_FIX_zext_half4;
    temp_move(d, fix, temp, from, 0, 0);
    return temp;
}

static void load_word(struct px_fn_dec *d, const struct px_dinst *item, const struct px_pvar *v, int64_t at,
                      const struct parts *p, const struct px_operand *o)
{
    uint32_t elem = register_bytes(d, o, p->bytes), to = register_row(d, o, elem),
             word = word_row(d, item, v, at, p->bytes);
    uint32_t next = 4 * d->dec->width;
    struct px_insn in = {.d = to};
    if (p->bytes == 16) {
        uint32_t low = px_dec_temp(d, 8), high = px_dec_temp(d, 8);
        temp_move(d, PX_FIX_join8, low, word, word + next, 0);
        temp_move(d, PX_FIX_join8, high, word + 2 * next, word + 3 * next, 0);
        in.a = low, in.b = high;
        px_dec_fixed(d, PX_FIX_pack16, in);
        return;
    }
    in.a = word;
    in.b = word + next;
    if (p->bytes == 8) {
        px_dec_fixed(d, PX_FIX_join8, in);
        return;
    }
    in.a = field(d, word, at, p->bytes, p->sign);
    px_dec_fixed(d,
                 elem == 2   ? PX_FIX_trunc4_2
                 : elem == 4 ? PX_FIX_copy4
                 : p->sign   ? PX_FIX_sext4_8
                             : PX_FIX_zext4_8,
                 in);
}

static void store_low(struct px_fn_dec *d, uint32_t word, int64_t at, uint32_t bytes, uint32_t value)
{
    struct px_insn in = {.d = word, .a = value};
    if (bytes < 4) in = (struct px_insn){.d = word, .a = word, .b = value, .imm = (uint64_t)(at & 3) * 8};
    px_dec_fixed(d, bytes == 1 ? PX_FIX_insert_byte4 : bytes == 2 ? PX_FIX_insert_half4 : PX_FIX_copy4, in);
}

static void store_word(struct px_fn_dec *d, const struct px_dinst *item, const struct px_pvar *v, int64_t at,
                       const struct parts *p, const struct px_operand *o)
{
    uint32_t elem = register_bytes(d, o, p->bytes), word = word_row(d, item, v, at, p->bytes),
             next = 4 * d->dec->width;
    bool is_register = o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG;
    struct px_src s =
        is_register ? px_dec_vreg_src(d, px_dec_vreg(d, o, 0), elem) : px_dec_src(d, o, p->type);
    uint32_t value = px_dec_as_row(d, s, elem);
    if (p->bytes == 16) {
        uint32_t half = px_dec_temp(d, 8);
        for (int i = 0; i < 2; i++, word += 2 * next) {
            temp_move(d, i ? PX_FIX_high16 : PX_FIX_trunc16_8, half, value, 0, 0);
            px_dec_fixed(d, PX_FIX_trunc8_4, (struct px_insn){.d = word, .a = half});
            px_dec_fixed(d, PX_FIX_high8, (struct px_insn){.d = word + next, .a = half});
        }
        return;
    }
    if (p->bytes == 8) {
        px_dec_fixed(d, PX_FIX_trunc8_4, (struct px_insn){.d = word, .a = value});
        px_dec_fixed(d, PX_FIX_high8, (struct px_insn){.d = word + next, .a = value});
        return;
    }
    if (elem != 4) {
        uint32_t temp = px_dec_temp(d, 4);
        temp_move(d, elem == 2 ? PX_FIX_zext2_4 : PX_FIX_trunc8_4, temp, value, 0, 0);
        value = temp;
    }
    store_low(d, word, at, p->bytes, value);
}

/* The .param variable that a bracketed operand names, when it lies in rows. */
static const struct px_pvar *variable_of(struct px_fn_dec *d, const struct px_operand *address)
{
    const struct px_operand *base = address->u.list;
    if (address->kind != PX_O_ADDR || base->kind != PX_O_NAME || !base->symbol) return NULL;
    return px_dec_pvar(d, base->symbol);
}

static void access_param(struct px_fn_dec *d, const struct px_dinst *item, bool store)
{
    const struct px_inst *inst = item->inst;
    const struct px_operand *address = &inst->opds[store ? 0 : 1], *value = &inst->opds[store ? 1 : 0];
    const struct px_pvar *v = variable_of(d, address);
    if (!v || v->local) {
        enum px_space space = v ? PX_SPACE_LOCAL : PX_SPACE_PARAM;
        if (store)
            store_memory(d, item, space, address);
        else
            load_memory(d, item, space, address);
        return;
    }
    struct parts p = parts_of(d, item, value);
    px_dec_guard(d, item, true);
    int64_t at = address->u.list[0].offset;
    for (uint32_t i = 0; i < p.n; i++, at += p.bytes)
        if (store)
            store_word(d, item, v, at, &p, &p.value[i]);
        else
            load_word(d, item, v, at, &p, &p.value[i]);
}

/* ---- fences and atomics ---- */

static int fence(struct px_gang *g, const struct px_insn *in)
{
    (void)g;
    atomic_thread_fence(in->imm ? memory_order_release : memory_order_acquire);
    return PX_STEP_NEXT;
}

static void atomic(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_inst *inst = item->inst;
    bool red = item->op == PX_OP_red;
    enum px_type type = px_dec_type(item, 0);
    enum px_space space = px_dec_space(item);
    const struct px_operand *o = inst->opds + !red;
    static const px_word ops[] = {PX_W_add, PX_W_min,  PX_W_max, PX_W_and, PX_W_or,
                                  PX_W_xor, PX_W_exch, PX_W_cas, PX_W_inc, PX_W_dec};
    px_handler fn = NULL;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (px_dec_has(item, ops[i])) fn = px_atom_handler(ops[i], type, space == PX_SPACE_SHARED);
    if (!fn) px_dec_fail(d, inst, "cannot be run by this VM yet");
    px_dec_guard(d, item, true);
    struct px_insn in = access_record(d, item, &o[0], space, px_type_info(type)->bits / 8);
    in.b = px_dec_row(d, &o[1], type);
    if (px_dec_has(item, PX_W_cas)) in.c = px_dec_row(d, &o[2], type);
    if ((type == PX_T_F32 || type == PX_T_F64) && space != PX_SPACE_SHARED) in.flags |= PX_IF_FTZ;
    bool result = !red && inst->opds[0].kind != PX_O_SINK;
    if (result) in.d = px_dec_dst(d, &inst->opds[0], type);
    in.m = d->guard;
    px_dec_other(d, fn, in);
    if (result) px_dec_dst_done(d, &inst->opds[0], type, in.d);
}

/* ---- address conversion ---- */

static void convert_address(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *o = item->inst->opds;
    enum px_space space = px_dec_space(item);
    bool to = item->op == PX_OP_cvta_to;
    px_dec_guard(d, item, true);
    uint32_t row = px_dec_row(d, &o[1], PX_T_U64), out = px_dec_dst(d, &o[0], PX_T_U64);
    struct px_insn in = {.d = out, .a = row, .space = (uint8_t)space, .m = d->guard};
    px_dec_other(d, to ? px_move_cvta_to : px_move_cvta, in);
    px_dec_dst_done(d, &o[0], PX_T_U64, out);
}

static void is_space(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *o = item->inst->opds;
    px_dec_guard(d, item, true);
    uint32_t row = px_dec_row(d, &o[1], PX_T_U64), out = px_dec_dst(d, &o[0], PX_T_PRED);
    px_dec_other(d, px_move_isspacep,
                 (struct px_insn){.d = out, .a = row, .space = (uint8_t)px_dec_space(item), .m = d->guard});
}

/* A parameter space access in a kernel names the kernel's own parameters; elsewhere rows. */
static bool is_param(const struct px_dinst *item)
{
    return px_dec_space(item) == PX_SPACE_PARAM;
}

bool px_dec_memory(struct px_fn_dec *d, const struct px_dinst *item)
{
    enum px_space space = px_dec_space(item);
    switch (item->op) {
    case PX_OP_ld:
        if (is_param(item))
            access_param(d, item, false);
        else
            load_memory(d, item, space, &item->inst->opds[1]);
        if (px_dec_has(item, PX_W_acquire)) px_dec_other(d, fence, (struct px_insn){.imm = 0});
        return true;
    case PX_OP_st:
        if (px_dec_has(item, PX_W_release)) px_dec_other(d, fence, (struct px_insn){.imm = 1});
        if (is_param(item))
            access_param(d, item, true);
        else
            store_memory(d, item, space, &item->inst->opds[0]);
        return true;
    case PX_OP_atom:
    case PX_OP_red:
        atomic(d, item);
        return true;
    case PX_OP_cvta:
    case PX_OP_cvta_to:
        convert_address(d, item);
        return true;
    case PX_OP_isspacep:
        is_space(d, item);
        return true;
    default:
        return false;
    }
}
