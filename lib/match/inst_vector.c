/*
 * inst_vector.c - vectors in braces: the type they have, and whether that suits the form.
 *
 * ptxas gives a vector expression one type before it looks at the instruction:
 * registers, special registers and constants that stand next to each other must
 * be of one class, where bits go with everything, and all must be equally wide.
 * One element of a bit type makes the vector a vector of bits; predicates
 * count as 32 bits wide and constants have no width of their own. A variable that
 * is no array passes for a register of its type.
 */
#include "match/inst_opds.h"

enum { PREDICATE_BITS = 32 };

struct element {
    enum px_type type;
    unsigned bits; /* 0: as wide as the others */
};

static enum px_type bits_type(unsigned bits)
{
    switch (bits) {
    case 8: return PX_T_B8;
    case 16: return PX_T_B16;
    case 32: return PX_T_B32;
    case 64: return PX_T_B64;
    default: return PX_T_B128;
    }
}

bool px_vector_variable(const struct px_operand *o)
{
    const struct px_symbol *symbol = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (!symbol || (symbol->kind != PX_SYM_VAR && symbol->kind != PX_SYM_PARAM) || o->has_offset ||
        o->has_selector)
        return false;
    return symbol->u.var && !symbol->u.var->ndims && symbol->vec <= 1 &&
           px_type_info(symbol->type)->klass != PX_TC_OPAQUE;
}

/* False for sinks and for what is no value of a register's kind. */
static bool element_of(const struct px_operand *o, struct element *e)
{
    const struct px_sreg *sreg;
    switch (o->kind) {
    case PX_O_INT:
    case PX_O_EXPR: *e = (struct element){PX_T_S32, 0}; return true;
    case PX_O_F32: *e = (struct element){PX_T_F32, 0}; return true;
    case PX_O_F64: *e = (struct element){PX_T_F64, 0}; return true;
    case PX_O_NAME: break;
    default: return false;
    }
    if (o->symbol && o->symbol->kind != PX_SYM_REG && !px_vector_variable(o)) return false;
    if (o->symbol) {
        enum px_type type = (enum px_type)o->symbol->type;
        *e = (struct element){type, type == PX_T_PRED ? PREDICATE_BITS : px_type_info(type)->bits};
        return true;
    }
    if (o->u.name->word == PX_W_WARP_SZ) {
        *e = (struct element){PX_T_S32, 0};
        return true;
    }
    sreg = o->u.name->text[0] == '%' ? px_sreg_of_word(o->u.name->word) : NULL;
    if (!sreg) return false;
    e->bits = px_type_info((enum px_type)sreg->type)->bits;
    e->type = bits_type(e->bits);
    return true;
}

static enum px_type_class class_of(enum px_type type)
{
    enum px_type_class klass = (enum px_type_class)px_type_info(type)->klass;
    return klass == PX_TC_SIGNED ? PX_TC_UNSIGNED : klass;
}

static bool neighbours(enum px_type a, enum px_type b)
{
    enum px_type_class x = class_of(a), y = class_of(b);
    if (x == PX_TC_BITS || y == PX_TC_BITS) return true;
    return x == y && (a == PX_T_F16X2) == (b == PX_T_F16X2);
}

/* Two registers of different types, or a .f64 constant beside one of .f32, make a vector of bits. */
static bool mixes(const struct element *a, const struct element *b)
{
    if (!a->type || a->type == b->type || a->type == PX_T_PRED || b->type == PX_T_PRED) return false;
    return (a->bits && b->bits) || (class_of(a->type) == PX_TC_FLOAT && class_of(b->type) == PX_TC_FLOAT);
}

enum px_fault_kind px_vector_type(const struct px_operand *o, enum px_type *type)
{
    struct element e, last = {PX_T_NONE, 0};
    unsigned bits = 0;
    bool weak = false;
    *type = PX_T_NONE;
    for (uint16_t i = 0; i < o->n; i++) {
        if (!element_of(&o->u.list[i], &e)) continue;
        if (e.bits && bits && e.bits != bits) return PX_FAULT_WIDTHS;
        if (last.type && !neighbours(last.type, e.type)) return PX_FAULT_CLASSES;
        bits = e.bits ? e.bits : bits;
        weak |= class_of(e.type) == PX_TC_BITS || mixes(&last, &e);
        *type = *type && px_type_info(*type)->klass != PX_TC_PRED && !(e.bits && !last.bits) ? *type : e.type;
        last = e;
    }
    if (weak) *type = bits_type(bits);
    return PX_FAULT_NONE;
}

/* ---- elements ---- */

static bool is_register(const struct px_operand *o)
{
    if (o->kind != PX_O_NAME) return false;
    return o->symbol ? o->symbol->kind == PX_SYM_REG
                     : o->u.name->text[0] == '%' && px_sreg_of_word(o->u.name->word);
}

static bool has_register(const struct px_operand *o)
{
    for (uint16_t i = 0; i < o->n; i++)
        if (is_register(&o->u.list[i]) || px_vector_variable(&o->u.list[i])) return true;
    return false;
}

/* Is the instruction written out as a call that takes every element by itself: an ordinary register? */
static bool calls(const struct px_held *s)
{
    return px_held_quirk(s, PX_Q_called_elements, NULL);
}

/* Is the result moved element by element? */
static bool moves_result(const struct px_held *s, const struct px_opd *opd)
{
    return opd->flags & PX_OPERAND_RESULT && px_held_quirk(s, PX_Q_moved_result, NULL);
}

/* May the registers be predicates where bits of 32 stand beside them? */
static bool takes_predicates(const struct px_held *s, const struct px_opd *opd)
{
    return !moves_result(s, opd) && !px_held_quirk(s, PX_Q_register_elements, NULL);
}

/* Is the instruction written out as loads or stores of the elements, which take no special register and no
 * sink? */
static bool moves_elements(const struct px_held *s)
{
    return px_held_quirk(s, PX_Q_moved_elements, NULL);
}

/* `mov.b32 d, {a, _}`: a sink among the sources. */
static bool packs_word(const struct px_held *s, const struct px_opd *opd)
{
    enum px_type type;
    unsigned count;
    return px_held_quirk(s, PX_Q_packs_sinks, NULL) && px_match_opd_type(s->match, opd, &type, &count) &&
           count * px_type_info(type)->bits == 32;
}

/* `st.v8.b32 [a], {b, _, ...}`: what is not stored. */
static bool stores_sink(const struct px_held *s, const struct px_opd *opd)
{
    enum px_type type;
    unsigned count;
    return px_held_quirk(s, PX_Q_stores_sinks, NULL) && px_match_opd_type(s->match, opd, &type, &count) &&
           count * px_type_info(type)->bits == 256;
}

/* A variable in braces. */
static bool variable_element(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (moves_result(s, opd)) return px_unfit(s, PX_FAULT_MUST_REGISTER, o, opd);
    return !px_held_quirk(s, PX_Q_register_elements, NULL) || px_unfit(s, PX_FAULT_EXPRESSION, o, opd);
}

static bool register_element(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    bool special = !o->symbol, predicate = !special && o->symbol->type == PX_T_PRED;
    if (special && (moves_elements(s) || moves_result(s, opd)))
        return px_unfit(s, moves_elements(s) ? PX_FAULT_SREG : PX_FAULT_SREG_WRITE, o, opd);
    if ((predicate && !takes_predicates(s, opd)) || (calls(s) && (special || o->has_selector)))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (!special && px_held_overaligned(s, o->symbol, true)) return px_unfit(s, PX_FAULT_ALIGN, o, opd);
    if (special || !o->has_selector) return true; /* a whole vector has been told of before */
    return px_held_scalar(s, opd, o, (enum px_type)o->symbol->type, true);
}

/* An element of a vector whose type is settled. */
static bool element(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    bool sign = o->negated || o->minus,
         is_constant = o->kind == PX_O_INT || o->kind == PX_O_F32 || o->kind == PX_O_F64;
    if (o->kind == PX_O_SINK && moves_result(s, opd)) return px_unfit(s, PX_FAULT_SINK, o, opd);
    if (o->kind == PX_O_SINK && px_held_quirk(s, PX_Q_reads_result, NULL))
        return px_unfit(s, PX_FAULT_SINK_SOURCE, o, opd);
    if (o->kind == PX_O_SINK)
        return (opd->flags & PX_OPERAND_RESULT && !moves_elements(s)) || packs_word(s, opd) ||
               stores_sink(s, opd) || px_unfit(s, PX_FAULT_SINK_SOURCE, o, opd);
    if (o->kind == PX_O_F64 && calls(s)) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (is_constant && !sign)
        return !(opd->flags & PX_OPERAND_RESULT) || px_unfit(s, PX_FAULT_RESULT, o, opd);
    if (px_vector_variable(o) && !sign) return variable_element(s, opd, o);
    if (is_register(o) && !sign) return register_element(s, opd, o);
    return px_held_scalar(s, opd, o,
                          o->symbol ? (enum px_type)o->symbol->type : px_match_elem(s->match, opd, 0), true);
}

static bool elements(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    for (uint16_t i = 0; i < o->n; i++)
        if (!element(s, opd, &o->u.list[i])) return false;
    return true;
}

/* May a vector of `type` stand for one of `want`? Where .v2 and .v4 count the elements, integers also hold
 * floats. */
static bool vector_fits(const struct px_held *s, const struct px_opd *opd, enum px_type want,
                        enum px_type type)
{
    const struct px_type_info *w = px_type_info(want), *t = px_type_info(type);
    bool float_in_integers = w->klass == PX_TC_FLOAT && w->declarable && want != PX_T_F16X2 &&
                             (opd->by_vec || s->coordinates) && px_type_is_integer(t);
    if (float_in_integers && (t->bits == w->bits || (opd->flags & PX_OPERAND_WIDER && t->bits > w->bits)))
        return true;
    return px_held_fits(s, opd, want, type);
}

/* ---- where one value would do ---- */

/*
 * Of registers of the bf16 formats ptxas does not ask whether they stand in braces, except in memory and
 * where pairs are moved.
 */
static bool brain(const struct px_held *s, enum px_type type)
{
    return (type == PX_T_BF16 || type == PX_T_BF16X2) && !px_held_quirk(s, PX_Q_strict_braces, NULL);
}

/*
 * A vector where .v2 or .v4 could be, but is not. st.async takes the parts of a value of bits, or any number
 * of values of another type.
 */
static bool unannounced(const struct px_held *s, const struct px_opd *opd, enum px_type want,
                        enum px_type part, const struct px_operand *o)
{
    const struct px_type_info *w = px_type_info(want), *p = px_type_info(part);
    const bool constants = o->kind == PX_O_VEC && !has_register(o);
    const unsigned n = o->kind == PX_O_VEC ? o->n : o->symbol->vec;
    if (!px_held_quirk(s, PX_Q_value_parts, NULL)) return p->klass != PX_TC_PRED || o->kind == PX_O_NAME;
    if (w->klass == PX_TC_BITS && n > 1) return constants || n * p->bits == w->bits;
    return constants ? (w->klass == PX_TC_FLOAT) == (p->klass == PX_TC_FLOAT)
                     : vector_fits(s, opd, want, part);
}

/* A vector where one register of `type` would do: ptxas does not count its elements. */
static bool loose_vector(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                         enum px_type type)
{
    enum px_type found;
    enum px_fault_kind mixed = px_vector_type(o, &found);
    if (mixed) return px_unfit(s, mixed, o, opd);
    if (!elements(s, opd, o)) return false;
    bool halves = found == PX_T_F16X2 && !(opd->flags & PX_OPERAND_UNTYPED);
    bool fits =
        opd->by_vec ? unannounced(s, opd, type, found, o) : !halves && vector_fits(s, opd, type, found);
    fits &= has_register(o) || opd->flags & PX_OPERAND_CONSTANT;
    if (!fits) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return o->n == 2 || o->n == 4 || opd->flags & PX_OPERAND_UNTYPED ||
           px_unfit(s, PX_FAULT_ILLEGAL_SIZE, o, opd);
}

/* The same of a vector register. */
bool px_held_loose_register(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                            enum px_type type)
{
    enum px_type found = (enum px_type)o->symbol->type;
    if (!(opd->flags & PX_OPERAND_LOOSE) && !brain(s, type)) return px_unfit(s, PX_FAULT_VECTOR, o, opd);
    bool parts = opd->flags & PX_OPERAND_LOOSE && opd->by_vec;
    bool fits = parts ? unannounced(s, opd, type, found, o) : vector_fits(s, opd, type, found);
    return fits || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
}

/* Braces where a scalar should stand. */
static bool stray_vector(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                         enum px_type type)
{
    enum px_type found;
    enum px_fault_kind mixed = px_vector_type(o, &found);
    if (mixed) return px_unfit(s, mixed, o, opd);
    if (o->n == 3) return px_unfit(s, PX_FAULT_ILLEGAL_SIZE, o, opd);
    if (opd->by_vec) return px_unfit(s, PX_FAULT_SIZE, o, opd);
    if (brain(s, type) && has_register(o) && px_register_fits(type, found, opd->flags))
        return elements(s, opd, o) &&
               (o->n == 1 || o->n == 2 || o->n == 4 || px_unfit(s, PX_FAULT_ILLEGAL_SIZE, o, opd));
    bool bits = px_type_info(type)->klass == PX_TC_BITS && o->n > 1;
    bool passes = px_held_by_modifier(s, opd, type) &&
                  (!has_register(o) || (!bits && px_register_fits(type, found, opd->flags)));
    return px_unfit(
        s, passes || px_held_quirk(s, PX_Q_vectors_named, NULL) ? PX_FAULT_VECTOR : PX_FAULT_MISMATCH, o,
        opd);
}

/* One element in braces: as in longer vectors, a special register is as good as another. */
static bool alone(struct px_held *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    if (o->kind == PX_O_SINK && opd->by_vec) return px_unfit(s, PX_FAULT_SINKS, o, opd);
    const struct px_sreg *sreg = o->kind == PX_O_NAME && !o->symbol && o->u.name->text[0] == '%'
                                     ? px_sreg_of_word(o->u.name->word)
                                     : NULL;
    if (sreg && !o->minus && !o->negated && (sreg->components == 1 || o->has_selector))
        return px_register_fits(type, (enum px_type)sreg->type, opd->flags) ||
               px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if ((o->kind == PX_O_F32 || o->kind == PX_O_F64) && type == PX_T_F32 &&
        px_held_quirk(s, PX_Q_lone_constant, NULL))
        return true;
    if (px_vector_variable(o) && !o->minus && !o->negated)
        return vector_fits(s, opd, type, (enum px_type)o->symbol->type) ||
               px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return px_held_scalar(s, opd, o, type, true);
}

bool px_held_braces(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                    enum px_type type)
{
    if (o->n > 1 && opd->flags & PX_OPERAND_LOOSE) return loose_vector(s, opd, o, type);
    bool one = opd->by_vec || s->coordinates || opd->flags & PX_OPERAND_LOOSE;
    if (o->n == 1 && one && !px_held_quirk(s, PX_Q_no_lone_element, NULL))
        return alone(s, opd, &o->u.list[0], type);
    return stray_vector(s, opd, o, type);
}

/* ---- where a vector is wanted ---- */

/* Do all elements have one type (an array index differs from the coordinates)? */
static bool uniform(const struct px_held *s, const struct px_opd *opd, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (px_match_elem(s->match, opd, i) != px_match_elem(s->match, opd, 0)) return false;
    return true;
}

static bool all_sinks(const struct px_operand *o)
{
    for (uint16_t i = 0; i < o->n; i++)
        if (o->u.list[i].kind != PX_O_SINK) return false;
    return o->n > 0;
}

static bool vector_register(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                            unsigned count)
{
    const struct px_symbol *r = o->symbol;
    enum px_type type = px_match_elem(s->match, opd, 0);
    if (r->vec != count) return px_unfit(s, PX_FAULT_SIZE, o, opd);
    return vector_fits(s, opd, type, (enum px_type)r->type) || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
}

static bool typed_vector(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                         enum px_type type)
{
    if (!elements(s, opd, o)) return false;
    return vector_fits(s, opd, px_match_elem(s->match, opd, 0), type) ||
           px_unfit(s, PX_FAULT_MISMATCH, o, opd);
}

/* Vectors of offsets, and a fragment of one register: ptxas does not count. */
static bool uncounted(const struct px_held *s, const struct px_opd *opd, unsigned count)
{
    bool offsets = opd->flags & PX_OPERAND_LOOSE && !opd->by_vec && !s->coordinates;
    return offsets || (opd->flags & PX_OPERAND_UNTYPED && count == 1 && !(opd->flags & PX_OPERAND_RESULT));
}

/* Coordinates after an array index, which may be of another type; one element of bits makes all of them bits.
 */
static bool indexed(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type type, all, want = px_match_elem(s->match, opd, 1);
    struct px_operand rest = *o;
    rest.u.list++;
    rest.n--;
    enum px_fault_kind mixed = px_vector_type(&rest, &type);
    if (mixed) return px_unfit(s, mixed, o, opd);
    if (all_sinks(o)) return px_unfit(s, PX_FAULT_SINKS, o, opd);
    if (!px_vector_type(o, &all) && px_type_info(all)->klass == PX_TC_BITS) type = all;
    if (type == PX_T_NONE) type = want;
    return px_held_scalar(s, opd, &o->u.list[0], px_match_elem(s->match, opd, 0), true) &&
           elements(s, opd, &rest) &&
           (vector_fits(s, opd, want, type) || px_unfit(s, PX_FAULT_MISMATCH, o, opd));
}

/* Byte and thread of a scale factor, where they are constants: which exist depends on the vector size and the
 * matrix. */
static bool scale_selector(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    static const struct px_opd bytes = {.hi = 3, .step = 1}, halves = {.hi = 2, .step = 2},
                               whole = {.hi = 0, .step = 1}, two = {.hi = 1, .step = 1},
                               four = {.hi = 3, .step = 1};
    bool pair = px_held_quirk(s, PX_Q_scale_halves, NULL), all = px_held_quirk(s, PX_Q_scale_whole, NULL);
    const struct px_opd *range[] = {pair  ? &halves
                                    : all ? &whole
                                          : &bytes,
                                    px_held_quirk(s, PX_Q_scale_columns, opd) ? &four : &two};
    for (unsigned i = 0; i < 2; i++) {
        const struct px_operand *value = &o->u.list[i];
        const uint64_t v = value->u.i, hi = (uint64_t)range[i]->hi;
        if (value->kind == PX_O_INT && (v > hi || v % (uint64_t)range[i]->step))
            return px_unfit(s, PX_FAULT_SCALE, value, range[i]);
    }
    return true;
}

static bool selects_scale(const struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    return o->kind == PX_O_VEC && o->n == 2 && px_held_quirk(s, PX_Q_scale_selector, opd);
}

static bool counted_vector(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                           unsigned count)
{
    if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG && o->symbol->vec > 1 &&
        !o->has_selector)
        return vector_register(s, opd, o, count);
    if (o->kind == PX_O_NAME && !o->symbol && opd->flags & PX_OPERAND_SPECIAL && !o->has_selector) {
        const struct px_sreg *sreg = px_sreg_of_word(o->u.name->word);
        const bool one = sreg && sreg->components == 1 && opd->flags & PX_OPERAND_LOOSE;
        if (!one) return (sreg && sreg->components == count) || px_unfit(s, PX_FAULT_SIZE, o, opd);
    }
    if (o->kind == PX_O_SINK && opd->by_vec && px_held_quirk(s, PX_Q_sink_vector, NULL)) return true;
    if (o->kind != PX_O_VEC && opd->flags & PX_OPERAND_LOOSE && !(opd->flags & PX_OPERAND_RESULT))
        return px_held_scalar(s, opd, o, px_match_elem(s->match, opd, count - 1), false);
    if (o->kind != PX_O_VEC) {
        bool by_vec = opd->by_vec && opd->flags & PX_OPERAND_RESULT;
        if (!is_register(o)) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
        return px_unfit(s,
                        by_vec        ? PX_FAULT_RESULT_VECTOR
                        : opd->by_vec ? PX_FAULT_MISMATCH
                                      : PX_FAULT_VECTOR_NEEDED,
                        o, opd);
    }
    if (o->n > count && uncounted(s, opd, count))
        return loose_vector(s, opd, o, px_match_elem(s->match, opd, 0));
    if (o->n != count) return px_unfit(s, o->n == 3 ? PX_FAULT_ILLEGAL_SIZE : PX_FAULT_SIZE, o, opd);
    enum px_type type;
    enum px_fault_kind mixed = px_vector_type(o, &type);
    bool even = uniform(s, opd, count);
    if (!even && s->coordinates && o->n > 1) return indexed(s, opd, o);
    if (all_sinks(o) || (mixed && even)) return px_unfit(s, mixed ? mixed : PX_FAULT_SINKS, o, opd);
    if (type == PX_T_PRED && opd->flags & PX_OPERAND_UNTYPED) type = PX_T_B32;
    if (even && has_register(o)) return typed_vector(s, opd, o, type);
    for (uint16_t i = 0; i < o->n; i++)
        if (!(i && o->u.list[i].kind == PX_O_SINK && packs_word(s, opd)) &&
            !px_held_scalar(s, opd, &o->u.list[i], px_match_elem(s->match, opd, i), true))
            return false;
    return true;
}

bool px_held_vector(struct px_held *s, const struct px_opd *opd, const struct px_operand *o, unsigned count)
{
    return counted_vector(s, opd, o, count) && (!selects_scale(s, opd, o) || scale_selector(s, opd, o));
}
