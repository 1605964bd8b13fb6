/*
 * lower/matrix.c - mma and wmma (PTX ISA 9.7.14).
 *
 * The words of the match say the form: the shape, then the types and layouts in the order in which the rows
 * of the table have them. A fragment is as many operands as it has registers. `aux` is the index of the form
 * in px_irfn.matrices.
 *
 *   mma          results of d, then a, b, c, and the metadata of a sparse one
 *   wmma.load    results, the address, and the stride where one is written; `fact` 'a', 'b' or 'c', and
 *                BY_COLUMNS
 *   wmma.store   the address, values, the stride; `fact` 'd' and BY_COLUMNS
 */
#include "code/lower/matrix.h"
#include "gang/fpmode.h"
#include "gen/isa_ops.h"
#include "ops/matrix.h"

enum { OPERANDS_MAX = 4 * PX_MMA_REGS_MAX + 2 };

/* ---- words ---- */

static uint8_t type_of(px_word word)
{
    switch (word) {
    case PX_W_f16: return PX_MMA_F16;
    case PX_W_bf16: return PX_MMA_BF16;
    case PX_W_tf32: return PX_MMA_TF32;
    case PX_W_e4m3: return PX_MMA_E4M3;
    case PX_W_e5m2: return PX_MMA_E5M2;
    case PX_W_f32: return PX_MMA_F32;
    case PX_W_f64: return PX_MMA_F64;
    case PX_W_s8: return PX_MMA_S8;
    case PX_W_u8: return PX_MMA_U8;
    case PX_W_s4: return PX_MMA_S4;
    case PX_W_u4: return PX_MMA_U4;
    case PX_W_b1: return PX_MMA_B1;
    case PX_W_s32: return PX_MMA_S32;
    default: return PX_MMA_NONE;
    }
}

static void read_shape(struct px_matrix_words *w, const char *s)
{
    unsigned v[3] = {0};
    for (int i = 0; i < 3 && *s; i++)
        for (s++; *s >= '0' && *s <= '9'; s++) v[i] = v[i] * 10 + (unsigned)(*s - '0');
    w->m = (uint16_t)v[0], w->n = (uint16_t)v[1], w->k = (uint16_t)v[2];
}

struct px_matrix_words px_matrix_words(const struct px_match *match)
{
    px_word list[PX_MAX_SLOTS];
    struct px_matrix_words w = {0};
    size_t n = px_form_canonical(match, list);
    for (size_t i = 0; i < n; i++) {
        const char *text = px_word_text(list[i]);
        uint8_t type = type_of(list[i]);
        if (text[0] == 'm' && text[1] >= '0' && text[1] <= '9') read_shape(&w, text);
        if (type != PX_MMA_NONE && w.ntypes < 4) w.types[w.ntypes++] = type;
        if ((list[i] == PX_W_row || list[i] == PX_W_col) && w.nlayouts < 2)
            w.col[w.nlayouts++] = list[i] == PX_W_col;
    }
    return w;
}

/* There are few, and the last one is often the next. */
static uint32_t find_form(struct px_irfn *f, const struct px_mma_words *w)
{
    for (uint32_t i = f->matrices.n; i-- > 0;)
        if (!memcmp(&f->matrices.at[i].words, w, sizeof *w)) return i;
    struct px_matrix_form *form = PX_NEW(f->coder->keep, struct px_matrix_form);
    px_mma_form_make(&form->is, w);
    form->product = px_level_product(f->coder->level);
    form->fp = w->rounding;
    form->na = (uint8_t)px_mma_form_regs(&form->is, 'a');
    form->nb = (uint8_t)px_mma_form_regs(&form->is, 'b');
    form->nc = (uint8_t)px_mma_form_regs(&form->is, 'c');
    form->nd = (uint8_t)px_mma_form_regs(&form->is, 'd');
    px_vec_push(f->coder->scratch, &f->matrices, ((struct px_ir_matrix){*w, form}));
    return f->matrices.n - 1;
}

/* ---- fragments ---- */

/* The registers of an operand: those in braces, or the one. */
static uint32_t parts_of(const struct px_operand *o, const struct px_operand **list)
{
    *list = o->kind == PX_O_VEC ? o->u.list : o;
    return o->kind == PX_O_VEC ? o->n : 1;
}

/* As what registers of elements of `type` are read and written. */
static enum px_type held_as(uint8_t type)
{
    return type == PX_MMA_F64 ? PX_T_F64 : type == PX_MMA_F32 ? PX_T_F32 : PX_T_B32;
}

uint32_t px_matrix_sources(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                           uint8_t type, uint32_t most, struct px_ir_operand *to)
{
    const struct px_operand *list;
    uint32_t n = parts_of(o, &list);
    if (n > most) px_code_fail(f, b->inst, "has a fragment of more than %u registers", most);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = px_lower_row(f, px_lower_src(f, b, &list[i], held_as(type)));
        to[i].base = type == PX_MMA_F32 || type == PX_MMA_TF32 ? PX_IR_NUMBER : PX_IR_BITS;
    }
    return n;
}

uint32_t px_matrix_results(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                           uint8_t type, uint32_t most, struct px_ir_operand *to)
{
    const struct px_operand *list;
    uint32_t n = parts_of(o, &list);
    if (n > most) px_code_fail(f, b->inst, "has a fragment of more than %u registers", most);
    for (uint32_t i = 0; i < n; i++) to[i] = px_lower_dst(f, b, &list[i], held_as(type));
    return n;
}

void px_matrix_results_done(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                            const struct px_ir_operand *d)
{
    const struct px_operand *list;
    uint32_t n = parts_of(o, &list);
    for (uint32_t i = 0; i < n; i++) px_lower_done(f, b, &list[i], d[i]);
}

/* ---- products ---- */

/* Types in the order of the words: d, a, b, c; wmma of f16 says d and c alone. */
static struct px_mma_words words_of(const struct px_bound *b)
{
    const struct px_matrix_words said = px_matrix_words(&b->match);
    const uint8_t *types = said.types;
    const bool halves = said.ntypes == 2;
    struct px_mma_words w = {.m = said.m, .n = said.n, .k = said.k, .d = types[0]};
    w.a = halves ? PX_MMA_F16 : types[1];
    w.b = halves ? PX_MMA_F16 : types[2];
    w.c = halves ? types[1] : types[3];
    w.sparse = b->inst->nopds > 4;
    w.a_col = said.col[0], w.b_row = !said.col[1];
    w.rounding = px_bound_has(b, PX_W_rz)   ? PX_FP_RZ
                 : px_bound_has(b, PX_W_rm) ? PX_FP_RM
                 : px_bound_has(b, PX_W_rp) ? PX_FP_RP
                                            : PX_FP_RN;
    if (px_bound_has(b, PX_W_satfinite)) w.flags |= PX_MMA_SATURATE;
    if (px_bound_has(b, PX_W_xor)) w.flags |= PX_MMA_XOR;
    return w;
}

static void product(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    struct px_ir_operand opds[OPERANDS_MAX];
    struct px_mma_words w = words_of(b);
    uint64_t selector = 0;
    if (w.sparse && !px_lower_value(f, &o[5], PX_T_B32, &selector))
        px_code_fail(f, b->inst, "has a selector that is no constant");
    w.selector = (uint8_t)(selector & 3);
    uint32_t n = px_matrix_results(f, b, &o[0], w.d, PX_MMA_REGS_MAX, opds), ndst = n;
    n += px_matrix_sources(f, b, &o[1], w.a, PX_MMA_REGS_MAX, opds + n);
    n += px_matrix_sources(f, b, &o[2], w.b, PX_MMA_REGS_MAX, opds + n);
    n += px_matrix_sources(f, b, &o[3], w.c, PX_MMA_REGS_MAX, opds + n);
    if (w.sparse) opds[n++] = px_lower_row(f, px_lower_src(f, b, &o[4], PX_T_B32));
    struct px_ir_inst *in = px_lower_inst(f, PX_IR_TABLE | PX_OP_mma, opds, ndst, n);
    in->fp = PX_IR_FP_HOME;
    if (w.d == PX_MMA_F32) in->flags |= PX_IR_INST_NUMBER;
    in->aux = find_form(f, &w);
    px_matrix_results_done(f, b, &o[0], opds);
}

void px_lower_mma(struct px_irfn *f, const struct px_bound *bound)
{
    struct px_bound b = *bound;
    uint32_t around = px_lower_around(f, bound);
    b.guard = PX_NONE32;
    product(f, &b);
    px_lower_around_end(f, around);
}

/* ---- moves ---- */

/* The form is that of a product with such a matrix. */
static uint32_t form_of_move(struct px_irfn *f, const struct px_matrix_words *said, bool factor)
{
    const uint8_t type = said->types[0];
    struct px_mma_words w = {.m = said->m, .n = said->n, .k = said->k};
    w.a = w.b = factor || type == PX_MMA_F64 ? type : PX_MMA_B1; /* no matter which, when c or d is moved */
    w.c = w.d = factor ? PX_MMA_F32 : type;
    return find_form(f, &w);
}

static void move(struct px_irfn *f, const struct px_bound *bound, px_op op, char what)
{
    const bool store = what == 'd';
    const struct px_operand *o = bound->inst->opds, *value = &o[store], *where = &o[!store];
    const struct px_matrix_words said = px_matrix_words(&bound->match);
    const uint32_t around = px_lower_around(f, bound);
    struct px_ir_operand opds[PX_MMA_REGS_MAX + 2];
    struct px_bound b = *bound;
    b.guard = PX_NONE32;
    uint32_t ndst = store ? 0 : px_matrix_results(f, &b, value, said.types[0], PX_MMA_REGS_MAX, opds),
             n = ndst + 1;
    opds[ndst] = px_lower_address(f, &b, where, px_lower_space(&b, !store), 4);
    if (store) n += px_matrix_sources(f, &b, value, said.types[0], PX_MMA_REGS_MAX, opds + n);
    for (uint32_t i = 1; store && i < n; i++) opds[i].base = PX_IR_BITS;
    if (b.inst->nopds > 2) opds[n++] = px_lower_src(f, &b, &o[2], PX_T_U32);
    struct px_ir_inst *in = px_lower_inst(f, (px_irop)(PX_IR_TABLE | op), opds, ndst, n);
    in->fact = (uint16_t)(what | (said.col[0] ? PX_MATRIX_BY_COLUMNS : 0));
    in->aux = form_of_move(f, &said, what == 'a' || what == 'b');
    if (!store) px_matrix_results_done(f, &b, value, opds);
    px_lower_around_end(f, around);
}

void px_lower_wmma_load(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_match *m = &b->match;
    move(f, b, PX_OP_wmma_load, px_match_has(m, PX_W_a) ? 'a' : px_match_has(m, PX_W_b) ? 'b' : 'c');
}

void px_lower_wmma_store(struct px_irfn *f, const struct px_bound *b)
{
    move(f, b, PX_OP_wmma_store, 'd');
}
