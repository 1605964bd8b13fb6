/*
 * image.c - initial bytes of .global and .const variables (PTX ISA 4.5.9, 5.4.4, 5.4.6).
 *
 * An initialiser is a constant, an address, a byte of an address, or nested
 * lists that follow the array's dimensions; what a list does not name is zero.
 * The parser has folded arithmetic on numbers, so what is left to evaluate is
 * arithmetic on addresses.
 */
#include "link/link.h"
#include "front/constant.h"
#include <string.h>

struct image {
    const struct px_linked *linked;
    const struct px_lvar *var;
    uint8_t *bytes, *end;
    uint32_t element; /* bytes of one scalar */
    bool ok;
};

/* ---- values ---- */

/* State-space address, or generic address, of a symbol. */
static bool symbol_address(const struct image *im, const struct px_expr *e, uint64_t *value)
{
    if (!e->symbol) return false;
    uint32_t i = px_link_index(im->linked->maps, e->symbol);
    if (i == UINT32_MAX) return false;
    if (e->symbol->kind != PX_SYM_VAR) {
        *value = im->linked->funcs[i].address;
        return true;
    }
    const struct px_lvar *v = &im->linked->vars[i];
    *value = v->address;
    if (e->kind == PX_E_GENERIC && v->space == PX_SPACE_CONST) *value += im->linked->const_base;
    return v->space == PX_SPACE_GLOBAL || v->space == PX_SPACE_CONST || e->kind == PX_E_NAME;
}

static bool evaluate(const struct image *im, const struct px_expr *e, struct px_const *out);

/* 0xFF00(address): the byte of the address that the mask selects. */
static bool evaluate_mask(const struct image *im, const struct px_expr *e, struct px_const *out)
{
    if (!e->mask || !evaluate(im, e->u.a, out)) return false;
    *out = (struct px_const){PX_CONST_U64, (out->bits & e->mask) >> __builtin_ctzll(e->mask)};
    return true;
}

static bool evaluate_operator(const struct image *im, const struct px_expr *e, struct px_const *out)
{
    struct px_const a, b;
    if (!evaluate(im, e->u.a, &a)) return false;
    if (e->kind == PX_E_UNARY) return px_const_unary(e->op, &a, out) == PX_CONST_OK;
    if (e->kind == PX_E_CAST) {
        *out = (struct px_const){e->is_unsigned ? PX_CONST_U64 : PX_CONST_S64, a.bits};
        return a.kind == PX_CONST_S64 || a.kind == PX_CONST_U64;
    }
    if (e->kind == PX_E_TERNARY) return evaluate(im, a.bits ? e->u.b : e->u.c, out);
    return evaluate(im, e->u.b, &b) && px_const_binary(e->op, &a, &b, out) == PX_CONST_OK;
}

static bool evaluate(const struct image *im, const struct px_expr *e, struct px_const *out)
{
    *out = (struct px_const){PX_CONST_U64, 0};
    switch (e->kind) {
    case PX_E_INT:
        *out = (struct px_const){e->is_unsigned ? PX_CONST_U64 : PX_CONST_S64, e->u.i};
        return true;
    case PX_E_F32: *out = (struct px_const){PX_CONST_F32, e->u.i}; return true;
    case PX_E_F64: *out = (struct px_const){PX_CONST_F64, e->u.i}; return true;
    case PX_E_NAME:
    case PX_E_GENERIC: return symbol_address(im, e, &out->bits);
    case PX_E_MASK: return evaluate_mask(im, e, out);
    case PX_E_UNARY:
    case PX_E_CAST:
    case PX_E_BINARY:
    case PX_E_TERNARY: return evaluate_operator(im, e, out);
    default: return false;
    }
}

/* ---- bytes ---- */

static void put_float(uint8_t *to, enum px_type type, const struct px_const *value)
{
    double wide = px_const_double(value);
    float single = (float)wide;
    if (type == PX_T_F64)
        memcpy(to, &wide, sizeof wide);
    else if (value->kind == PX_CONST_F32)
        memcpy(to, &value->bits, 4); /* NaN payloads survive */
    else
        memcpy(to, &single, sizeof single);
}

/* Byte order of the image is little endian, whatever the host's. */
static void put_bits(uint8_t *to, uint32_t size, uint64_t bits)
{
    for (uint32_t i = 0; i < size; i++) to[i] = i < 8 ? (uint8_t)(bits >> 8 * i) : 0;
}

static void put_scalar(struct image *im, uint8_t *to, const struct px_expr *e)
{
    struct px_const value;
    const enum px_type type = (enum px_type)im->var->symbol->type;
    if (to + im->element > im->end || !evaluate(im, e, &value)) {
        im->ok = false;
        return;
    }
    const bool number = value.kind == PX_CONST_F32 || value.kind == PX_CONST_F64;
    if (type == PX_T_F64 || type == PX_T_F32 || (type == PX_T_F16X2 && number))
        put_float(to, type, &value);
    else if (number)
        im->ok = false;
    else
        put_bits(to, im->element, value.bits);
}

/*
 * Fills [to, to+size) from a list; `dim` counts the array's dimensions, then the vector's elements. Fields
 * (of a sampler, or where ptxas overlooks them) are not bytes of memory.
 */
static void put_list(struct image *im, uint8_t *to, uint64_t size, unsigned dim, const struct px_expr *list)
{
    const struct px_var *var = im->var->symbol->u.var;
    uint64_t count = dim < var->ndims ? var->dims[dim] : var->vec > 1 && dim == var->ndims ? var->vec : 0;
    if (!count && dim == 0 && var->ndims) count = list->n; /* x[] = {...} */
    uint64_t inner = count ? size / count : im->element;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct px_expr *e = list->u.list[i];
        if (e->kind == PX_E_FIELD) continue;
        if (e->kind == PX_E_LIST) {
            put_list(im, to, inner, dim + 1, e);
            to += inner;
        } else {
            put_scalar(im, to, e);
            to += im->element;
        }
    }
}

/*
 * ptxas does not heed the braces of an .f16x2: whatever stands in them is written in the order of the text,
 * integers and floats of 32 bits, as long as there is room. Returns where the next one goes.
 */
static uint8_t *put_leaves(struct image *im, uint8_t *to, const struct px_expr *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct px_expr *e = list->u.list[i];
        if (e->kind == PX_E_FIELD || to == im->end) continue;
        if (e->kind == PX_E_LIST) {
            to = put_leaves(im, to, e);
        } else {
            put_scalar(im, to, e);
            to += im->element;
        }
    }
    return to;
}

static bool put_variable(const struct px_linked *linked, const struct px_lvar *v, uint8_t *at)
{
    const struct px_var *var = v->symbol->u.var;
    struct image im = {.linked = linked, .var = v, .bytes = at, .end = at + v->size, .ok = true};
    im.element = (px_type_info((enum px_type)v->symbol->type)->bits + 7u) / 8;
    if (!var || !var->init) return true;
    if (var->init->kind == PX_E_LIST && var->type == PX_T_F16X2)
        put_leaves(&im, at, var->init);
    else if (var->init->kind == PX_E_LIST)
        put_list(&im, at, v->size, 0, var->init);
    else
        put_scalar(&im, at, var->init);
    return im.ok;
}

const struct px_lvar *px_link_initialise(const struct px_linked *linked, uint8_t *global_image,
                                         uint8_t *const_image)
{
    for (uint32_t i = 0; i < linked->nvars; i++) {
        const struct px_lvar *v = &linked->vars[i];
        bool ok = true;
        if (v->space == PX_SPACE_GLOBAL)
            ok = put_variable(linked, v, global_image + (v->address - linked->global_base));
        if (v->space == PX_SPACE_CONST) ok = put_variable(linked, v, const_image + v->address);
        if (!ok) return v;
    }
    return NULL;
}
