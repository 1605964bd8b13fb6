/*
 * gen_matrix.c - matrix instructions, straight from the instruction table: mma, wmma, ldmatrix, stmatrix,
 * movmatrix for whole warps, wgmma for whole CTAs.
 *
 * Fragments are registers of their own, filled from any others; their bits are any. Tiles lie in memory of
 * the warp's own threads (its 32 slots of shared memory, which are one piece, or 32 slots of the buffer, a
 * row each), those of wgmma in the shared slots of the CTA; what threads wrote there is waited for before and
 * after.
 */
#include "random/gen.h"
#include "gen/isa_handler_ops.h"
#include "gen/isa_ops.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096, TRIES = 40, WARP_BYTES = 32 * SHARED_SLOT };

struct text {
    char at[TEXT];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->at + t->n, TEXT - t->n, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= TEXT - t->n) abort(); /* no instruction is that long */
    t->n += (size_t)n;
}

static bool has_word(const struct px_match *match, const char *text)
{
    const px_word word = px_word_find(text, strlen(text));
    return word && px_match_has(match, word);
}

/* ---- fragments ---- */

/* What a register of an operand is declared as. */
static enum px_type held_as(enum px_type type)
{
    return px_type_info(type)->bits == 64 ? PX_T_F64 : type == PX_T_F32 ? PX_T_F32 : PX_T_B32;
}

/* Operand i's registers, %m{i}_0 and on: declared, and filled where they are read. */
static void put_fragment(struct gen *g, struct text *t, unsigned i, enum px_type type, unsigned count,
                         bool is_read)
{
    const enum px_type held = held_as(type), bits = px_type_info(held)->bits == 64 ? PX_T_B64 : PX_T_B32;
    gen_line(g, "  .reg .%s %%m%u_<%u>;", px_type_info(held)->name, i, count ? count : 1);
    for (unsigned r = 0; is_read && r < (count ? count : 1); r++)
        gen_line(g, "  mov.b%u %%m%u_%u, %s;", px_type_info(bits)->bits, i, r,
                 gen_register(g, bits, 0, false).text);
    put(t, count ? "{" : "");
    for (unsigned r = 0; r < (count ? count : 1); r++) put(t, "%s%%m%u_%u", r ? ", " : "", i, r);
    put(t, count ? "}" : "");
}

static void take_fragment(struct gen *g, unsigned i, enum px_type type, unsigned count)
{
    const enum px_type bits = px_type_info(type)->bits == 64 ? PX_T_B64 : PX_T_B32;
    for (unsigned r = 0; r < (count ? count : 1); r++)
        gen_line(g, "  mov.b%u %s, %%m%u_%u;", px_type_info(bits)->bits, gen_register(g, bits, 0, true).text,
                 i, r);
}

/* What stands for operands that are no fragments: in brackets; for descriptors, in order; for a stride. */
struct places {
    const char *address, *descriptor[2];
    unsigned stride, used;
};

/* A selector says which lanes have the metadata: one of four, or of two pairs (PTX ISA 9.7.14.6; ptxas takes
 * 2 and 3 for pairs, too). */
static unsigned selector(struct gen *g, const struct px_match *match, const struct px_opd *opd)
{
    const bool single =
        has_word(match, "m16n8k8") || (has_word(match, "m16n8k16") && !has_word(match, "tf32"));
    return (unsigned)gen_in_range(g, opd) & (single ? 3 : 1);
}

static void put_operand(struct gen *g, struct text *t, const struct px_match *match, unsigned i,
                        struct places *p)
{
    const struct px_opd *opd = px_match_opd(match, i);
    enum px_type type = PX_T_NONE;
    unsigned count = 0;
    px_match_opd_type(match, opd, &type, &count);
    if (opd->kind == PX_OK_ADDR)
        put(t, "[%s]", p->address);
    else if (opd->kind == PX_OK_PRED || type == PX_T_PRED)
        put(t, "%s", gen_chance(g, 30) ? gen_chance(g, 50) ? "0" : "1" : gen_predicate(g, false).text);
    else if (px_match_op(match) == PX_OP_mma && opd->kind == PX_OK_IMM)
        put(t, "%u", selector(g, match, opd));
    else if (opd->kind == PX_OK_IMM)
        put(t, "%lld", (long long)gen_in_range(g, opd));
    else if (!count && type == PX_T_U64)
        put(t, "%s", p->descriptor[p->used++ & 1]);
    else if (!count && type == PX_T_U32 && p->stride)
        put(t, "%u", p->stride);
    else
        put_fragment(g, t, i, type, count, !(opd->flags & PX_OPERAND_RESULT) || p->descriptor[0]);
}

/* The instruction in a block of its own; its results go to any registers. */
static void write_out(struct gen *g, const struct px_match *match, px_word opcode, struct places *p,
                      const char *before, const char *after)
{
    struct text t = {.n = 0};
    px_word words[PX_MAX_SLOTS];
    const size_t n = px_form_canonical(match, words);
    const unsigned operands = (unsigned)__builtin_popcount(match->operands);
    gen_line(g, "  {");
    put(&t, "%s", px_word_text(opcode));
    for (size_t i = 0; i < n; i++) put(&t, ".%s", px_word_text(words[i]));
    for (unsigned i = 0; i < operands; i++) {
        put(&t, i ? ", " : " ");
        put_operand(g, &t, match, i, p);
    }
    gen_line(g, "  %s%s;%s", before, t.at, after);
    for (unsigned i = 0; i < operands; i++) {
        const struct px_opd *opd = px_match_opd(match, i);
        enum px_type type = PX_T_NONE;
        unsigned count = 0;
        px_match_opd_type(match, opd, &type, &count);
        if (opd->flags & PX_OPERAND_RESULT && opd->kind != PX_OK_ADDR) take_fragment(g, i, type, count);
    }
    gen_line(g, "  }");
}

/* Any form of the opcode that runs; false: none was found. */
static bool choose(struct gen *g, const char *opcode, px_word *word, struct px_match *match)
{
    uint16_t first;
    *word = px_word_find(opcode, strlen(opcode));
    const unsigned n = px_forms_of(*word, &first);
    for (unsigned i = 0; i < TRIES; i++) {
        const uint16_t form = (uint16_t)(first + gen_below(g, n));
        if (px_form_executable(px_form_at(form)) && gen_fill(g, form, match)) return true;
    }
    return false;
}

/* ---- tiles ---- */

/* How a tile of wmma lies: so many rows of so many bytes in memory. */
struct tile {
    unsigned rows, bytes, bits;
};

static struct tile tile_of(const struct px_match *match)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f32", 32}, {"f64", 64}, {"s8", 8},
                 {"u8", 8},   {"s32", 32},  {"s4", 4},    {"u4", 4},   {"b1", 1}};
    px_word words[PX_MAX_SLOTS];
    unsigned m = 0, n = 0, k = 0;
    struct tile t = {0};
    for (size_t i = px_form_canonical(match, words); i-- > 0;) {
        sscanf(px_word_text(words[i]), "m%un%uk%u", &m, &n, &k);
        for (size_t j = 0; j < sizeof types / sizeof *types; j++)
            if (!strcmp(px_word_text(words[i]), types[j].name)) t.bits = types[j].bits;
    }
    const unsigned high = has_word(match, "b") ? k : m, wide = has_word(match, "a") ? k : n;
    t.rows = has_word(match, "row") ? high : wide;
    t.bytes = (has_word(match, "row") ? wide : high) * t.bits / 8;
    return t;
}

/* Lines that put the tile's address into %zd0, and how far its rows are apart; 0: as the instruction has it.
 */
static unsigned place_tile(struct gen *g, const struct px_match *match, const struct tile *t)
{
    const bool shared = has_word(match, "shared") || has_word(match, "shared::cta"),
               global = has_word(match, "global"), strided = __builtin_popcount(match->operands) > 2;
    if (global || (!shared && strided && gen_chance(g, 50))) {
        gen_line(g, "  mul.wide.u32 %%zd0, %%lane, %u;  sub.u64 %%zd0, %%slot, %%zd0;", SLOT_BYTES);
        return SLOT_BYTES * 8 / t->bits;
    }
    gen_line(g, "  mul.wide.u32 %%zd0, %%lane, %u;  sub.u64 %%zd0, %s, %%zd0;", SHARED_SLOT,
             shared ? "%shs" : "%shg");
    const unsigned more = (WARP_BYTES / t->rows - t->bytes) / 16;
    return strided ? (t->bytes + 16 * gen_below(g, more + 1)) * 8 / t->bits : 0;
}

static void wmma(struct gen *g, const struct px_match *match, px_word opcode)
{
    const struct tile t = tile_of(match);
    const bool strided = __builtin_popcount(match->operands) > 2;
    struct places p = {.address = "%zd0"};
    /* Without a stride, the rows of a tile in the buffer would lie in one thread's slot and beyond it. */
    if (has_word(match, "global") && !strided) return;
    p.stride = place_tile(g, match, &t);
    write_out(g, match, opcode, &p, "bar.warp.sync 0xffffffff;  ", "  bar.warp.sync 0xffffffff;");
}

static void of_warp(struct gen *g)
{
    static const char *const names[] = {"mma",  "mma",      "mma",      "wmma",     "wmma",
                                        "wmma", "ldmatrix", "stmatrix", "movmatrix"};
    struct px_match match;
    px_word opcode;
    char address[32];
    if (!choose(g, names[gen_below(g, sizeof names / sizeof *names)], &opcode, &match)) return;
    const px_op op = px_match_op(&match);
    if (op == PX_OP_wmma_load || op == PX_OP_wmma_store) {
        wmma(g, &match, opcode);
        return;
    }
    /* Rows of ldmatrix and stmatrix: each lane's own, read and written by the whole warp. */
    const bool moves = op == PX_OP_ldmatrix || op == PX_OP_stmatrix;
    const bool shared = has_word(&match, "shared") || has_word(&match, "shared::cta");
    snprintf(address, sizeof address, "%s+%u", shared ? "%shs" : "%shg", 16 * gen_below(g, SHARED_SLOT / 16));
    write_out(g, &match, opcode, &(struct places){.address = address},
              moves ? "bar.warp.sync 0xffffffff;  " : "", moves ? "  bar.warp.sync 0xffffffff;" : "");
}

/* ---- warpgroups ---- */

/* All threads of the CTA are here, and they are whole warpgroups. */
static bool are_warpgroups(const struct gen *g)
{
    return g->scope->uniform && !g->ended && !g->inside && g->cta_threads % 128 == 0;
}

/* A descriptor whose pieces, of so many groups of eight rows, all lie in the CTA's slots. */
static void descriptor(struct gen *g, const char *to, unsigned groups)
{
    /* Eight rows of 128 bytes; 128 on either side, since swizzling moves pieces within so many. */
    const unsigned bytes = g->cta_threads * SHARED_SLOT - 8 * 128 - 2 * 128;
    const unsigned step = bytes / 3 / groups / 16;
    const unsigned start = 128 + 16 * gen_below(g, bytes / 3 / 16), leading = gen_below(g, step + 1),
                   stride = gen_below(g, step + 1);
    const unsigned swizzle = gen_below(g, 4), base = gen_chance(g, 30) ? gen_below(g, 8) : 0;
    gen_line(g, "  mov.u64 %s, own;  add.u64 %s, %s, %u;  shr.u64 %s, %s, 4;  or.b64 %s, %s, 0x%llx;", to, to,
             to, start, to, to, to, to,
             (unsigned long long)leading << 16 | (unsigned long long)stride << 32 |
                 (unsigned long long)base << 49 | (unsigned long long)swizzle << 62);
}

static void of_warpgroups(struct gen *g)
{
    struct px_match match;
    px_word opcode;
    struct places p = {.descriptor = {"%zd2", "%zd3"}};
    for (unsigned i = 0; i < TRIES; i++) {
        if (!choose(g, "wgmma", &opcode, &match)) return;
        if (px_match_op(&match) == PX_OP_wgmma) break;
    }
    if (px_match_op(&match) != PX_OP_wgmma) return;
    descriptor(g, "%zd2", 256 / 8), descriptor(g, "%zd3", 256 / 8);
    write_out(g, &match, opcode, &p, "bar.sync 0;  fence.proxy.async;  wgmma.fence.sync.aligned;  ",
              "  wgmma.commit_group.sync.aligned;  wgmma.wait_group.sync.aligned 0;  bar.sync 0;");
}

void gen_matrix(struct gen *g)
{
    struct node *before = gen_open(g, false);
    are_warpgroups(g) && gen_chance(g, 40) ? of_warpgroups(g) : of_warp(g);
    gen_close(g, before);
}
