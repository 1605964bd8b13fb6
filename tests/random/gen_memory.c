/*
 * gen_memory.c - loads, stores and atomics on places that no other thread touches meanwhile, and reductions
 * of all.
 *
 * The forms come from the instruction table like those of gen_form.c; what is written here is where they may
 * point. An atomic operation on a thread's own memory may use what it returns; one that all threads join in
 * may not.
 */
#include "random/gen.h"
#include <stdio.h>
#include <string.h>

enum { FORM_TRIES = 40 };

/* ---- places ---- */

enum place {
    OWN_GLOBAL,
    OWN_SHARED,
    OWN_LOCAL,
    ROW_GLOBAL,
    ROW_SHARED,
    TABLE_CONST,
    TABLE_GLOBAL,
    PARAMS,
    PLACES
};

struct access {
    unsigned bytes;
    bool writes, atomic, constant;
    enum px_space space;
};

/* A generic address may point to any place but the parameters. */
static bool place_fits(const struct gen *g, enum place place, const struct access *a)
{
    static const enum px_space space[PLACES] = {PX_SPACE_GLOBAL, PX_SPACE_SHARED, PX_SPACE_LOCAL,
                                                PX_SPACE_GLOBAL, PX_SPACE_SHARED, PX_SPACE_CONST,
                                                PX_SPACE_GLOBAL, PX_SPACE_PARAM};
    bool row = place == ROW_GLOBAL || place == ROW_SHARED,
         table = place == TABLE_CONST || place == TABLE_GLOBAL;
    if (a->space != space[place] && (a->space != PX_SPACE_NONE || place == PARAMS)) return false;
    if (a->constant && place != TABLE_GLOBAL) return false;
    if ((table || place == PARAMS) && (a->writes || a->atomic)) return false;
    if (place == OWN_LOCAL && a->atomic) return false;
    if ((place == PARAMS || place == ROW_GLOBAL) && g->inside) return false;
    return !row || a->bytes == 4 ||
           (place == ROW_GLOBAL && (a->bytes == 16 || (a->bytes == 1 && !a->atomic)));
}

static unsigned row_offset(struct gen *g, unsigned bytes)
{
    unsigned threads = g->cta_threads * g->ctas;
    return bytes == 1   ? 0
           : bytes == 4 ? gen_below(g, ROWS_4) * threads * 4
                        : gen_below(g, ROWS_16) * threads * 16;
}

/* The register or name at which a place begins: as its space counts, or generic. */
static const char *base_of(enum place place, const struct access *a)
{
    static const char *const names[PLACES] = {"%slot", "%shs", "loc", "", "%shr", "ctab", "gtab", "par"};
    static const char *const generic[PLACES] = {"%slot", "%shg", "%lcg", "", "%shrg", "%ctg", "%gtg", ""};
    if (place == ROW_GLOBAL) return a->bytes == 1 ? "%row1" : a->bytes == 4 ? "%row4" : "%row16";
    return a->space == PX_SPACE_NONE ? generic[place] : names[place];
}

static unsigned region_of(enum place place)
{
    static const unsigned bytes[PLACES] = {SLOT_SCRATCH, SHARED_SLOT, LOCAL_BYTES, 0, 0,
                                           TABLE_BYTES,  TABLE_BYTES, PARAM_BYTES};
    return bytes[place];
}

/* base + (some register, masked) in %zd0, by lines before the access. */
static void dynamic_address(struct gen *g, const char *base, unsigned mask, char *to, size_t size)
{
    struct operand index = gen_register(g, PX_T_B32, 0, false);
    gen_line(g, "  and.b32 %%z0, %s, %u;", index.text, mask);
    if (*base != '%') gen_line(g, "  mov.u64 %%zd1, %s;", base);
    gen_line(g, "  cvt.u64.u32 %%zd0, %%z0;  add.u64 %%zd0, %%zd0, %s;", *base == '%' ? base : "%zd1");
    snprintf(to, size, "%%zd0");
}

static bool address_for(struct gen *g, const struct access *a, char *to, size_t size)
{
    enum place place = gen_below(g, PLACES);
    for (unsigned i = 0; !place_fits(g, place, a); i++, place = gen_below(g, PLACES))
        if (i == 40) return false;
    const char *base = base_of(place, a);
    unsigned region = region_of(place);
    if (!region)
        snprintf(to, size, "%s+%u", base, place == ROW_GLOBAL ? row_offset(g, a->bytes) : 0);
    else if (place != PARAMS && gen_chance(g, 30))
        dynamic_address(g, base, (region - 1) & ~(a->bytes - 1), to, size);
    else
        snprintf(to, size, "%s+%u", base, gen_below(g, region / a->bytes) * a->bytes);
    return true;
}

/* ---- forms ---- */

static bool has_hint(const struct px_match *match)
{
    for (unsigned i = 0; i < PX_MAX_SLOTS; i++)
        if (!strncmp(px_word_text(match->value[i]), "L2::cache_hint", 14)) return true;
    return false;
}

/* What a match does; false when it is not for these places. */
static bool describe(const struct px_match *match, const char *opcode, struct access *a)
{
    const struct px_opd *address = NULL, *value = NULL;
    unsigned n = (unsigned)__builtin_popcount(match->operands), count = 0;
    enum px_type type = PX_T_NONE;
    for (unsigned i = 0; i < n; i++) {
        const struct px_opd *o = px_match_opd(match, i);
        if (o->kind == PX_OK_ADDR)
            address = o;
        else if (o->kind != PX_OK_REG && o->kind != PX_OK_VEC)
            return false;
        else if (!value)
            value = o;
    }
    if (px_match_has(match, PX_W_async)) return false; /* of clusters */
    if (!address || !value || has_hint(match) || !px_match_opd_type(match, value, &type, &count))
        return false;
    a->space = px_match_space(match, address);
    a->bytes = px_type_info(type)->bits / 8u * (count ? count : 1);
    a->atomic = *opcode == 'a' || *opcode == 'r';
    a->writes = *opcode == 's';
    a->constant = px_match_has(match, PX_W_nc) || !strcmp(opcode, "ldu");
    return a->bytes <= 16 && (a->space != PX_SPACE_CONST || *opcode == 'l');
}

static bool memory_opcode(struct gen *g, const char *name, const char *guard)
{
    px_word opcode = px_word_find(name, strlen(name));
    uint16_t first;
    unsigned n = px_forms_of(opcode, &first);
    struct px_match match;
    struct access a;
    char address[48], text[512];
    uint16_t form = (uint16_t)(first + gen_below(g, n));
    if (!px_form_executable(px_form_at(form)) || !gen_fill(g, form, &match) || !describe(&match, name, &a))
        return false;
    if (px_match_has(&match, PX_W_mmio) && a.space != PX_SPACE_GLOBAL) return false;
    if (!gen_form_text(g, &match, opcode, "", text, sizeof text)) return false;
    if (*name == 'l' && strstr(text, " _")) return false; /* nothing is loaded for nobody */
    if (!address_for(g, &a, address, sizeof address)) return false;
    char *bracket = strchr(text, '[');
    gen_line(g, "  %s%.*s[%s%s;", guard, (int)(bracket - text), text, address, bracket + 1);
    return true;
}

void gen_memory_if(struct gen *g, const char *guard)
{
    static const char *const names[] = {"ld", "ld", "ld", "st", "st", "st", "ldu"};
    for (unsigned i = 0; i < FORM_TRIES; i++) {
        bool atomic = gen_feature(g, RANDOM_ATOMICS) && gen_chance(g, 25);
        if (memory_opcode(g, atomic ? gen_chance(g, 60) ? "atom" : "red" : names[gen_below(g, 7)], guard))
            return;
    }
}

void gen_memory(struct gen *g)
{
    gen_memory_if(g, gen_guard(g));
}

/* ---- cells that all threads reduce into: one operation a cell, so that the order does not matter ---- */

static const struct cell {
    const char *op;
    enum px_type type;
    const char *same; /* the same for all threads: no value of theirs */
} cells[] = {
    {"add.u32", PX_T_U32},
    {"min.u32", PX_T_U32},
    {"max.s32", PX_T_S32},
    {"and.b32", PX_T_B32},
    {"or.b32", PX_T_B32},
    {"xor.b32", PX_T_B32},
    {"add.u64", PX_T_U64},
    {"min.s64", PX_T_S64},
    {"max.u64", PX_T_U64},
    {"inc.u32", PX_T_NONE, "1000"},
    {"dec.u32", PX_T_NONE, "1000"},
    {"xor.b64", PX_T_B64},
    {"add.s32", PX_T_S32},
    {"add.f32", PX_T_F32},
    {"add.f64", PX_T_F64},
    {"add.u32", PX_T_PRED},
    {"and.b64", PX_T_B64},
    {"or.b64", PX_T_B64},
    {"max.s64", PX_T_S64},
    {"min.u64", PX_T_U64},
    {"min.s32", PX_T_S32},
    {"max.u32", PX_T_U32},
    {"exch.b32", PX_T_NONE, "77"},
    {"cas.b32", PX_T_NONE, "0, 9"},
    {"exch.b64", PX_T_B128, "0x7700000055"},
    {"cas.b64", PX_T_B128, "0, 0x900000001"},
};
enum { CELLS = sizeof cells / sizeof *cells };

/* A small whole number in every sum of floats: exact, so that the order does not matter. */
static void small_float(struct gen *g, enum px_type type)
{
    struct operand r = gen_register(g, PX_T_B32, 0, false);
    gen_line(g, "  and.b32 %%z1, %s, 7;  cvt.rn.%s.u32 %s, %%z1;", r.text, px_type_info(type)->name,
             type == PX_T_F32 ? "%zf0" : "%zg0");
}

void gen_atomic(struct gen *g)
{
    static const char *const orders[] = {"", ".relaxed.gpu", ".relaxed.sys", ".release.gpu", ".gpu", ".sys"};
    unsigned k = gen_below(g, CELLS), at = 8 * (k < 16 ? k : k + 1); /* (the lock's lies between) */
    bool shared = gen_chance(g, 40), generic = gen_chance(g, 20), red = gen_chance(g, 50);
    const char *space = generic  ? ""
                        : shared ? ".shared"
                                 : ".global",
               *base = shared ? generic ? "%scg" : "%sc" : "%cells";
    const char *guard = gen_guard(g), *order = orders[gen_below(g, 6)];
    struct operand value;
    enum px_type type = cells[k].type;
    if (type == PX_T_F32 || type == PX_T_F64) {
        small_float(g, type);
        strcpy(value.text, type == PX_T_F32 ? "%zf0" : "%zg0");
    } else if (type == PX_T_PRED) { /* the sum of what a counter returned to all who counted */
        gen_line(g, "  %satom%s%s.add.u32 %%z2, [%s+%u], 1;", guard, order, space, base, at);
        gen_line(g, "  %sred%s%s.add.u32 [%s+%u], %%z2;", guard, order, space, base, at + 4);
        return;
    } else
        value = cells[k].same ? (struct operand){""} : gen_source(g, type);
    if (cells[k].same) snprintf(value.text, sizeof value.text, "%s", cells[k].same);
    const bool wide = type != PX_T_NONE && px_type_info(type)->bits >= 64;
    if (red && (!cells[k].same || strchr("id", *cells[k].op)))
        gen_line(g, "  %sred%s%s.%s [%s+%u], %s;", guard, order, space, cells[k].op, base, at, value.text);
    else
        gen_line(g, "  %satom%s%s.%s %s, [%s+%u], %s;", guard, order, space, cells[k].op,
                 wide ? "%deadd" : "%dead", base, at, value.text);
}
