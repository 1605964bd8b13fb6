/*
 * lower.c - from checked instructions to the IR.
 *
 * Every instruction is bound to its form once more; what it does is asked of
 * the match, slot by slot, never of the words as they were written (ptxas lets
 * some pass that mean nothing). A row with a statement becomes one instruction
 * of that statement; a row with `@name` goes to px_lower_name. What may wait,
 * leave or call runs behind a branch around it, so that it has no guard.
 */
#include "code/lower/lower.h"

/* ---- one instruction of the text ---- */

static px_lowering *const lowerings[] = {
#define PX_LOWERING(number, name) [number] = px_lower_##name,
#include "gen/lowerings.inc"
#define PX_NAMED_HANDLER(number, name) [number] = px_lower_operands,
#include "gen/op_handlers.inc"
};

/* A register with an offset is a sum (px_lower_sum); as an argument of a call it would be dropped in silence.
 */
static void refuse_sum(struct px_irfn *f, const struct px_inst *inst, const struct px_operand *list)
{
    for (uint16_t k = 0; list->kind == PX_O_LIST && k < list->n; k++)
        if (px_lower_is_register(&list->u.list[k]) && list->u.list[k].offset)
            px_code_fail(f, inst, "adds to a register that it passes, which cannot be run yet");
}

/* And elements that ptxas lets pass in braces though nothing is meant by them. */
static void refuse_operands(struct px_irfn *f, const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++) refuse_sum(f, inst, &inst->opds[i]);
    for (unsigned i = 0; i < inst->nopds; i++)
        for (uint16_t k = 0; inst->opds[i].kind == PX_O_VEC && k < inst->opds[i].n; k++) {
            const struct px_operand *o = &inst->opds[i].u.list[k];
            if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind != PX_SYM_REG)
                px_code_fail(f, inst, "has a variable where a register should stand");
            if (o->kind == PX_O_SINK && i > 0 && px_opcode_quirk(inst->opcode->word, PX_Q_packs_sinks))
                px_code_fail(f, inst, "has a sink among its sources");
        }
}

/* The form is checked only. */
static _Noreturn void refuse(struct px_irfn *f, const struct px_inst *inst)
{
    const bool devices = px_opcode_in(inst->opcode->word, PX_SET_devices);
    px_code_fail(f, inst, "%s; fidelity-forms.md lists what runs",
                 devices ? "needs memory of several devices, which this VM has not"
                         : "cannot be run by this VM yet");
}

static void lower_inst(struct px_irfn *f, const struct px_inst *inst);

/* An instruction that the text does not have, in front of `like` and without its guard. */
static void put(struct px_irfn *f, const struct px_inst *like, const px_word words[5],
                const struct px_operand *o, uint8_t n)
{
    lower_inst(f, px_make_inst(f, like, words, o, n));
}

static px_word generic_of(enum px_space space)
{
    switch (space) {
    case PX_SPACE_SHARED: return PX_W_shared;
    case PX_SPACE_LOCAL: return PX_W_local;
    case PX_SPACE_CONST: return PX_W_const;
    case PX_SPACE_PARAM: return PX_W_param;
    default: return 0;
    }
}

/* name[register+i] into f->element[0], as an address in the name's state space or a generic one. */
static struct px_operand computed(struct px_irfn *f, const struct px_inst *inst, struct px_operand name,
                                  const struct px_operand *index, int64_t size, bool generic)
{
    const struct px_operand *at = f->element;
    struct px_operand by = {.kind = PX_O_INT, .u.i = (uint64_t)size, .pos = name.pos}, plain = *index;
    const struct px_type_info *type = px_type_info(px_code_reg(f, index->symbol->index)->type);
    bool sign = type->klass == PX_TC_SIGNED;
    px_word narrow = type->bits == 8    ? (sign ? PX_W_s8 : PX_W_u8)
                     : type->bits == 16 ? (sign ? PX_W_s16 : PX_W_u16)
                                        : (sign ? PX_W_s32 : PX_W_u32);
    f->element_framed = px_lower_param(f, name.symbol) != NULL;
    name.offset += plain.offset * size;
    name.has_offset = true;
    plain.offset = 0;
    plain.has_offset = false;
    if (type->bits == 64)
        put(f, inst, (px_word[5]){PX_W_mov, PX_W_b64}, (struct px_operand[2]){at[0], plain}, 2);
    else
        put(f, inst, (px_word[5]){PX_W_cvt, sign ? PX_W_s64 : PX_W_u64, narrow},
            (struct px_operand[2]){at[0], plain}, 2);
    put(f, inst, (px_word[5]){PX_W_mov, PX_W_u64}, (struct px_operand[2]){at[1], name}, 2);
    put(f, inst, (px_word[5]){PX_W_mad, PX_W_lo, PX_W_s64}, (struct px_operand[4]){at[0], at[0], by, at[1]},
        4);
    px_word space = generic ? generic_of((enum px_space)name.symbol->space) : 0;
    if (space)
        put(f, inst, (px_word[5]){PX_W_cvta, space, PX_W_u64}, (struct px_operand[2]){at[0], at[0]}, 2);
    return at[0];
}

/* name[i] as name+bytes, or as a register. ptxas counts elements of the declared type: no vectors, and no
 * rows of several dimensions. */
static struct px_operand element(struct px_irfn *f, const struct px_inst *inst, const struct px_operand *o,
                                 bool generic)
{
    struct px_operand name = o->u.list[0];
    const struct px_operand *i = &o->u.list[1];
    uint64_t index;
    int64_t size = name.symbol ? (px_type_info(name.symbol->type)->bits + 7) / 8 : 0;
    if (name.symbol && px_lower_is_register(i)) return computed(f, inst, name, i, size, generic);
    if (!name.symbol || !px_lower_value(f, i, PX_T_S64, &index))
        px_code_fail(f, inst,
                     "has an index that is neither a constant nor a register; add it to the address instead");
    name.offset += (int64_t)index * size;
    name.has_offset = true;
    return name;
}

/* The instruction with every name[i] written as name+bytes, in brackets where an address is meant; mostly
 * itself. */
static const struct px_inst *without_indices(struct px_irfn *f, const struct px_inst *inst,
                                             const struct px_match *match)
{
    struct px_inst *copy = NULL;
    for (unsigned i = 0; i < inst->nopds; i++) {
        if (inst->opds[i].kind != PX_O_INDEX) continue;
        if (!copy) copy = px_copy_inst(f->coder->pass, inst);
        bool address = px_match_opd(match, i)->kind == PX_OK_ADDR;
        const struct px_bound bound = {.inst = inst, .match = *match};
        bool generic = address && px_lower_space(&bound, i) == PX_SPACE_NONE;
        struct px_operand name = element(f, inst, &inst->opds[i], generic), *o = &copy->opds[i];
        *o = name;
        if (!address) continue;
        o->kind = PX_O_ADDR;
        o->n = 1;
        o->u.list = PX_NEW(f->coder->pass, struct px_operand);
        *o->u.list = name;
    }
    return copy ? copy : inst;
}

static uint32_t guard_of(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *p = b->inst->guard;
    if (!p) return PX_NONE32;
    if (px_lower_is_register(p)) return px_lower_reg(f, p, 0);
    return px_lower_row(f, px_lower_src(f, b, p, PX_T_PRED)).at;
}

/* Operands that are no single register, constant or address: mostly none. */
static bool has_lists(const struct px_inst *inst)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < inst->nopds; i++) kinds |= 1u << inst->opds[i].kind;
    return kinds & (1u << PX_O_LIST | 1u << PX_O_VEC | 1u << PX_O_INDEX);
}

static void lower_bound(struct px_irfn *f, const struct px_bound *b)
{
    px_lowering *lower = lowerings[px_match_op(&b->match)];
    if (b->traits.handler >= 0 && b->traits.is & PX_TRAIT_VIDEO)
        px_lower_video(f, b, (unsigned)b->traits.handler);
    else if (b->traits.handler >= 0)
        px_lower_statement(f, b, (unsigned)b->traits.handler);
    else if (lower)
        lower(f, b);
    else
        refuse(f, b->inst);
}

static void lower_inst(struct px_irfn *f, const struct px_inst *inst)
{
    struct px_bound b = {.inst = inst, .guard = PX_NONE32, .negated = inst->guard_negated};
    struct px_origin origin = {f->text}; /* which lives as long as the code, unlike `inst` when it was made */
    px_vec_push(f->coder->draft, &f->origins, origin);
    f->fresh = PX_IR_INST_FIRST;
    if (!px_lower_bind(f, &b)) px_code_fail(f, inst, "has no form");
    if (f->coder->wishes.counters) px_counted_note(f, &b);
    if (!(b.traits.is & PX_TRAIT_RUNS)) refuse(f, inst);
    if (has_lists(inst)) {
        refuse_operands(f, inst);
        b.inst = without_indices(f, inst, &b.match);
    }
    if (b.traits.is & (inst->guard ? PX_TRAIT_SPLITS | PX_TRAIT_SPLITS_GUARDED : PX_TRAIT_SPLITS))
        f->fresh |= PX_IR_INST_SPLITS;
    b.guard = guard_of(f, &b);
    lower_bound(f, &b);
    if (f->fresh) px_lower_inst(f, PX_IR_NOTHING, NULL, 0, 0);
}

/* A trap where an instruction cannot be run: whoever reaches it stops there. */
static void lower_refused(struct px_irfn *f, const struct px_inst *inst, const char *why)
{
    struct px_bound b = {.inst = inst, .guard = PX_NONE32, .negated = inst->guard_negated};
    const struct px_origin origin = {inst};
    px_vec_push(f->coder->draft, &f->origins, origin);
    f->fresh = true;
    if (f->coder->wishes.counters) px_counted_refused(f, inst);
    b.guard = guard_of(f, &b);
    px_lower_refusal(f, &b, px_arena_printf(f->coder->keep, "%s", why));
}

/* ---- the body ---- */

typedef void visit_stmt(struct px_irfn *f, const struct px_stmt *s);

static void each_stmt(struct px_irfn *f, const struct px_block *block, visit_stmt *visit)
{
    for (uint32_t i = 0; i < block->n; i++)
        if (block->list[i]->kind == PX_S_BLOCK)
            each_stmt(f, &block->list[i]->u.block, visit);
        else
            visit(f, block->list[i]);
}

static void note_inst(struct px_irfn *f, const struct px_inst *inst)
{
    f->text_insts++;
    f->moves_stack |= px_opcode_in(inst->opcode->word, PX_SET_stack);
    for (unsigned i = 0; i < inst->nopds; i++) {
        const struct px_operand *o = &inst->opds[i];
        if (o->kind != PX_O_INDEX || !px_lower_is_register(&o->u.list[1]) || f->element) continue;
        struct px_operand *element = PX_NEW_N(f->coder->scratch, struct px_operand, 2);
        for (unsigned k = 0; k < 2; k++) element[k] = px_make_register(f, inst, PX_T_B64);
        f->element = element;
    }
}

/* Labels of the text have the first numbers, in text order; so have its tables. */
static void note_stmt(struct px_irfn *f, const struct px_stmt *s)
{
    if (s->kind == PX_S_INST) {
        note_inst(f, &s->u.inst);
    } else if (s->kind == PX_S_TARGETS) {
        px_vec_push(f->coder->scratch, &f->switches, (struct px_ir_switch){.text = s});
    } else if (s->kind == PX_S_LABEL) {
        px_vec_push(f->coder->pass, &f->text_labels, s->pos);
        px_lower_label(f);
    }
}

static void lower_text(struct px_irfn *f, const struct px_inst *inst)
{
    const char *refused = px_code_refused(f, inst);
    f->text = inst;
    if (refused)
        lower_refused(f, inst, refused);
    else
        lower_inst(f, inst);
}

static void lower_block(struct px_irfn *f, const struct px_block *block);

static void lower_stmt(struct px_irfn *f, const struct px_stmt *s)
{
    if (s->kind == PX_S_INST)
        lower_text(f, &s->u.inst);
    else if (s->kind == PX_S_LABEL)
        px_lower_place(f, f->labels_placed++);
    else if (s->kind == PX_S_LOC && !s->u.loc.intermediate)
        f->loc = &s->u.loc;
    else if (s->kind == PX_S_BLOCK)
        lower_block(f, &s->u.block);
}

/* What cannot be run is noted (code.c) and left out, so that all of the function is found at once. */
static void lower_block(struct px_irfn *f, const struct px_block *block)
{
    jmp_buf here, *outer = f->coder->next;
    volatile uint32_t next = 0;
    f->coder->next = &here;
    (void)setjmp(here); /* px_code_fail comes back, behind the instruction */
    while (next < block->n) lower_stmt(f, block->list[next++]);
    f->coder->next = outer;
}

/* ---- registers of the text ---- */

static void add_registers(struct px_irfn *f)
{
    struct px_arena *a = f->coder->draft;
    uint32_t n = f->fn->regs.n + f->more_regs.n;
    f->reg_base = PX_NEW_N(a, uint32_t, n + 1);
    px_vec_reserve(a, &f->regs, n + f->text_insts / 32 + 4);
    for (uint32_t i = 0; i < n; i++) {
        const struct px_reg *r = px_code_reg(f, i);
        f->reg_base[i] = f->regs.n;
        for (uint32_t k = 0; k < (r->vec ? r->vec : 1u); k++)
            px_lower_register(f, px_lower_elem(r->type), r->type);
    }
}

static void note_taken(struct px_irfn *f, const struct px_stmt *s)
{
    if (s->kind == PX_S_INST) px_lower_taken(f, &s->u.inst);
}

/* An instruction of the text makes a little more than one of the IR, with three operands. */
static void reserve(struct px_irfn *f)
{
    struct px_arena *a = f->coder->draft;
    if (f->text_insts > UINT32_MAX / 8) px_code_fail(f, NULL, "is too long");
    px_vec_reserve(a, &f->insts, f->text_insts + f->text_insts / 8 + 4);
    px_vec_reserve(a, &f->opds, f->text_insts * 3 + 8);
    px_vec_reserve(a, &f->origins, f->text_insts + 2);
}

void px_lower(struct px_irfn *f)
{
    const struct px_block *body = f->fn->func->body;
    const struct px_origin none = {NULL};
    f->carry = f->stack = PX_NONE32;
    each_stmt(f, body, note_stmt);
    reserve(f);
    px_vec_push(f->coder->draft, &f->origins, none);
    if (f->coder->wishes.counters) px_vec_push(f->coder->scratch, &f->counted, (struct px_counted){0});
    add_registers(f);
    px_lower_params(f);
    if (f->params.n) each_stmt(f, body, note_taken);
    px_lower_prologue(f);
    if (f->moves_stack) {
        f->stack = px_lower_register(f, 8, PX_T_U64);
        px_lower_stack(f);
    }
    lower_block(f, body);
    f->fresh = 0;
    px_lower_return(f, PX_IR_END);
}
