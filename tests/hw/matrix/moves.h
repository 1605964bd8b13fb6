/*
 * moves.h - kernels that move matrices between memory and registers: ldmatrix, stmatrix, movmatrix, wmma.load
 * and wmma.store in every layout. A kernel k(in, out) of one warp reads MOVE_BYTES and writes as many.
 */
#ifndef HW_MATRIX_MOVES_H
#define HW_MATRIX_MOVES_H

#include "forms.h"

enum { MOVE_BYTES = 16384, MOVES_MAX = 512 };

typedef struct Move {
    char name[96];
    char body[6000];
} Move;
typedef struct Moves {
    Move m[MOVES_MAX];
    unsigned n;
} Moves;

/* What all kernels begin with: the input copied to shared memory, %in, %out, %lane, %base (shared). */
static int move_head(char *to)
{
    return sprintf(
        to,
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.shared .align 128 .b8 tile[%d];\n"
        ".reg .b64 %%p<8>, %%in, %%out; .reg .b32 %%t<8>, %%lane, %%base, %%row, %%r<9>; .reg .f32 %%f<9>; "
        ".reg .f64 %%d<9>; .reg .pred %%q;\n"
        "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%lane, %%tid.x; mov.u32 %%base, tile;\n"
        "shl.b32 %%t0, %%lane, 2;\n"
        "LOOP: cvt.u64.u32 %%p0, %%t0; add.u64 %%p1, %%in, %%p0; ld.global.b32 %%t1, [%%p1]; add.u32 %%t2, "
        "%%base, %%t0;\n"
        "st.shared.b32 [%%t2], %%t1; add.u32 %%t0, %%t0, 128; setp.lt.u32 %%q, %%t0, %d; @%%q bra "
        "LOOP;\nbar.sync 0;\n",
        MOVE_BYTES, MOVE_BYTES);
}

static int put_results(char *to, unsigned regs, const char *type, char letter, unsigned bytes)
{
    int n = sprintf(to, "mul.wide.u32 %%p2, %%lane, %u; add.u64 %%p2, %%out, %%p2;\n", regs * bytes);
    for (unsigned i = 0; i < regs; i++)
        n += sprintf(to + n, "st.global.%s [%%p2+%u], %%%c%u;\n", type, i * bytes, letter, i);
    return n;
}

/* The rows that lanes name: a permutation with holes, 16 bytes each. */
static const char rows_of_lanes[] = "mad.lo.u32 %row, %lane, 37, 11; and.b32 %row, %row, 255; shl.b32 %row, "
                                    "%row, 4; add.u32 %row, %row, %base;\n";

static void add_ldmatrix(Moves *s, unsigned num, const char *trans)
{
    Move *m = &s->m[s->n++];
    snprintf(m->name, sizeof m->name, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16", num, trans);
    int n = move_head(m->body);
    n += sprintf(m->body + n, "%sldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 ", rows_of_lanes, num, trans);
    n = put_regs(m->body, n, 'r', num);
    n += sprintf(m->body + n, ", [%%row];\n");
    n += put_results(m->body + n, num, "b32", 'r', 4);
    sprintf(m->body + n, "ret;\n}\n");
}

static int put_shared(char *to)
{
    return sprintf(
        to,
        "bar.sync 0; shl.b32 %%t0, %%lane, 2;\n"
        "BACK: add.u32 %%t2, %%base, %%t0; ld.shared.b32 %%t1, [%%t2]; cvt.u64.u32 %%p0, %%t0; add.u64 %%p1, "
        "%%out, %%p0;\n"
        "st.global.b32 [%%p1], %%t1; add.u32 %%t0, %%t0, 128; setp.lt.u32 %%q, %%t0, %d; @%%q bra BACK;\n",
        MOVE_BYTES);
}

static int load_regs(char *to, unsigned regs)
{
    int n = 0;
    for (unsigned i = 0; i < regs; i++)
        n += sprintf(
            to + n,
            "mad.lo.u32 %%t3, %%lane, %u, %u; add.u32 %%t3, %%t3, %%base; ld.shared.b32 %%r%u, [%%t3];\n",
            regs * 4, 8192 + i * 4, i);
    return n;
}

static void add_stmatrix(Moves *s, unsigned num, const char *trans)
{
    Move *m = &s->m[s->n++];
    sprintf(m->name, "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16", num, trans);
    int n = move_head(m->body);
    n += load_regs(m->body + n, num);
    n += sprintf(m->body + n, "bar.sync 0;\n%sstmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%row], ",
                 rows_of_lanes, num, trans);
    n = put_regs(m->body, n, 'r', num);
    n += sprintf(m->body + n, ";\n");
    n += put_shared(m->body + n);
    sprintf(m->body + n, "ret;\n}\n");
}

static void add_movmatrix(Moves *s)
{
    Move *m = &s->m[s->n++];
    sprintf(m->name, "movmatrix.sync.aligned.m8n8.trans.b16");
    int n = move_head(m->body);
    n += load_regs(m->body + n, 1);
    n += sprintf(m->body + n, "movmatrix.sync.aligned.m8n8.trans.b16 %%r1, %%r0; mov.b32 %%r0, %%r1;\n");
    n += put_results(m->body + n, 1, "b32", 'r', 4);
    sprintf(m->body + n, "ret;\n}\n");
}

/* stride in elements; 0: none is written. Space: "", ".global", ".shared". */
static void add_wmma_move(Moves *s, char what, const char *layout, unsigned mm, unsigned nn, unsigned kk,
                          const char *type, unsigned bits, unsigned regs, unsigned stride, const char *space)
{
    Move *m = &s->m[s->n++];
    const char *ty = bits == 64 ? "f64" : !strcmp(type, "f32") ? "f32" : "b32";
    char letter = bits == 64 ? 'd' : !strcmp(type, "f32") ? 'f' : 'r', at[64], step[32] = "";
    unsigned bytes = bits == 64 ? 8 : 4;
    if (stride) sprintf(step, ", %u", stride);
    sprintf(at, "[%s+256]", !strcmp(space, ".shared") ? "%base" : what == 'd' ? "%out" : "%in");
    sprintf(m->name, "wmma.%s.%c.sync.aligned.%s.m%un%uk%u%s.%s%s", what == 'd' ? "store" : "load", what,
            layout, mm, nn, kk, space, type, step);
    int n = move_head(m->body);
    if (what == 'd') {
        for (unsigned i = 0; i < regs; i++)
            n += sprintf(
                m->body + n,
                "mad.lo.u32 %%t3, %%lane, %u, %u; add.u32 %%t3, %%t3, %%base; ld.shared.%s %%%c%u, [%%t3];\n",
                regs * bytes, i * bytes, ty, letter, i);
        n += sprintf(m->body + n, "bar.sync 0;\nwmma.store.d.sync.aligned.%s.m%un%uk%u%s.%s %s, ", layout, mm,
                     nn, kk, space, type, at);
        n = put_regs(m->body, n, letter, regs);
        n += sprintf(m->body + n, "%s;\n", step);
        if (!strcmp(space, ".shared")) n += put_shared(m->body + n);
    } else {
        n += sprintf(m->body + n, "wmma.load.%c.sync.aligned.%s.m%un%uk%u%s.%s ", what, layout, mm, nn, kk,
                     space, type);
        n = put_regs(m->body, n, letter, regs);
        n += sprintf(m->body + n, ", %s%s;\n", at, step);
        n += put_results(m->body + n, regs, ty, letter, bytes);
    }
    sprintf(m->body + n, "ret;\n}\n");
}

/* Both layouts, in each space, with and without a stride. */
static void add_wmma_moves(Moves *s, char what, unsigned m, unsigned n, unsigned k, const char *type,
                           unsigned bits, unsigned regs, unsigned layouts)
{
    static const char *const space[] = {"", ".global", ".shared"};
    for (unsigned l = 0; l < 2; l++)
        for (unsigned i = 0; i < 3; i++)
            if (layouts >> l & 1)
                add_wmma_move(s, what, l ? "col" : "row", m, n, k, type, bits, regs,
                              i == 0     ? 0
                              : bits < 8 ? 256
                                         : 64 - (i == 2) * 16,
                              space[i]);
}

static void moves_all(Moves *s)
{
    static const unsigned shape[3][2] = {{16, 16}, {8, 32}, {32, 8}};
    s->n = 0;
    for (unsigned num = 1; num <= 4; num *= 2) {
        add_ldmatrix(s, num, ""), add_ldmatrix(s, num, ".trans");
        add_stmatrix(s, num, ""), add_stmatrix(s, num, ".trans");
    }
    add_movmatrix(s);
    for (unsigned i = 0; i < 3; i++) {
        unsigned m = shape[i][0], n = shape[i][1];
        add_wmma_moves(s, 'a', m, n, 16, "f16", 16, 8, 3), add_wmma_moves(s, 'b', m, n, 16, "f16", 16, 8, 3);
        add_wmma_moves(s, 'a', m, n, 16, "bf16", 16, m / 4, 3),
            add_wmma_moves(s, 'b', m, n, 16, "bf16", 16, n / 4, 3);
        add_wmma_moves(s, 'a', m, n, 16, "s8", 8, m / 8, 3),
            add_wmma_moves(s, 'b', m, n, 16, "u8", 8, n / 8, 3);
        for (unsigned store = 0; store < 2; store++) {
            add_wmma_moves(s, store ? 'd' : 'c', m, n, 16, "f16", 16, 4, 3);
            add_wmma_moves(s, store ? 'd' : 'c', m, n, 16, "f32", 32, 8, 3);
            add_wmma_moves(s, store ? 'd' : 'c', m, n, 16, "s32", 32, 8, 3);
        }
    }
    add_wmma_moves(s, 'a', 16, 16, 8, "tf32", 32, 4, 3), add_wmma_moves(s, 'b', 16, 16, 8, "tf32", 32, 4, 3);
    add_wmma_moves(s, 'c', 16, 16, 8, "f32", 32, 8, 3), add_wmma_moves(s, 'd', 16, 16, 8, "f32", 32, 8, 3);
    add_wmma_moves(s, 'a', 8, 8, 4, "f64", 64, 1, 3), add_wmma_moves(s, 'b', 8, 8, 4, "f64", 64, 1, 3);
    add_wmma_moves(s, 'c', 8, 8, 4, "f64", 64, 2, 3), add_wmma_moves(s, 'd', 8, 8, 4, "f64", 64, 2, 3);
    add_wmma_moves(s, 'a', 8, 8, 32, "s4", 4, 1, 1), add_wmma_moves(s, 'b', 8, 8, 32, "u4", 4, 1, 2);
    add_wmma_moves(s, 'a', 8, 8, 128, "b1", 1, 1, 1), add_wmma_moves(s, 'b', 8, 8, 128, "b1", 1, 1, 2);
    for (unsigned k = 32; k <= 128; k += 96)
        add_wmma_moves(s, 'c', 8, 8, k, "s32", 32, 2, 3), add_wmma_moves(s, 'd', 8, 8, k, "s32", 32, 2, 3);
}

/* The input: bytes that differ. */
static void moves_input(uint8_t *to)
{
    uint32_t x = 12345;
    for (unsigned i = 0; i < MOVE_BYTES; i++) x = x * 1664525u + 1013904223u, to[i] = (uint8_t)(x >> 24);
}

#endif
