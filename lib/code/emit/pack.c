/* pack.c - see pack.h. */
#include "code/emit/forks.h"
#include "base/alloc.h"

enum { WORDS = sizeof(struct px_insn) / 4, NEAR = 32 };

/* The words in which the records differ. */
static uint32_t mark_of(const struct px_insn *from, const struct px_insn *to)
{
    uint32_t mark = 0;
    for (uint32_t i = 0; i < WORDS; i += 2) {
        uint64_t a, b;
        memcpy(&a, (const char *)from + i * 4, sizeof a);
        memcpy(&b, (const char *)to + i * 4, sizeof b);
        if (a == b) continue;
        uint32_t half[2];
        a ^= b;
        memcpy(half, &a, sizeof half);
        mark |= (uint32_t)((half[0] != 0) | (half[1] != 0) << 1) << i;
    }
    return mark;
}

/* The marked words of a record; behind them. */
static uint32_t *take(uint32_t mark, uint32_t *words, const struct px_insn *record)
{
    for (; mark; mark &= mark - 1)
        memcpy(words++, (const char *)record + __builtin_ctz(mark) * 4, sizeof *words);
    return words;
}

/* The record becomes the one whose words these are; behind them. */
static const uint32_t *give(uint32_t mark, const uint32_t *words, struct px_insn *record)
{
    for (; mark; mark &= mark - 1) memcpy((char *)record + __builtin_ctz(mark) * 4, words++, sizeof *words);
    return words;
}

/* ---- packing ---- */

void px_pack_begin(struct px_packer *p, struct px_arena *arena, uint32_t n)
{
    *p = (struct px_packer){.arena = arena};
    px_vec_reserve(arena, &p->div.marks, n);
}

static void add(struct px_packer *p, struct px_packing *to, const struct px_insn *like,
                const struct px_insn *record)
{
    const uint32_t mark = mark_of(like, record);
    for (uint32_t rest = mark; rest; rest &= rest - 1) {
        uint32_t word;
        memcpy(&word, (const char *)record + __builtin_ctz(rest) * 4, sizeof word);
        px_vec_push(p->arena, &to->words, word);
    }
    px_vec_push(p->arena, &to->marks, (uint16_t)mark);
}

void px_pack_add(struct px_packer *p, const struct px_insn *conv, const struct px_insn *div)
{
    if (p->div.marks.n % NEAR == 0) px_vec_push(p->arena, &p->near, p->div.words.n);
    add(p, &p->div, conv, div);
}

/* Divergent records [pc, pc + n), until the next are asked for. */
static const struct px_insn *read_div(struct px_packer *p, const struct px_insn *conv, uint32_t pc,
                                      uint32_t n)
{
    const uint16_t *marks = p->div.marks.at;
    const uint32_t *words = p->div.words.at + p->near.at[pc / NEAR];
    if (p->read.cap < n) px_vec_reserve(p->arena, &p->read, n + n / 2);
    for (uint32_t i = pc - pc % NEAR; i < pc; i++) words += __builtin_popcount(marks[i]);
    memcpy(p->read.at, conv + pc, n * sizeof *conv);
    for (uint32_t i = 0; i < n; i++) words = give(marks[pc + i], words, &p->read.at[i]);
    return p->read.at;
}

void px_pack_aside(struct px_packer *p, const struct px_insn *conv, uint32_t from, const struct px_insn *code,
                   uint32_t n)
{
    const struct px_insn *div = read_div(p, conv, from, n);
    for (uint32_t i = 0; i < n; i++) add(p, &p->beside, &div[i], &code[i]);
    px_vec_push(p->arena, &p->aside, ((struct px_aside){from, n}));
}

/* ---- places that are known now ---- */

void px_pack_finish_aside(struct px_packer *p, const struct px_insn *conv, px_pack_place *place,
                          const void *user)
{
    const uint16_t *mark = p->beside.marks.at;
    uint32_t *words = p->beside.words.at;
    for (uint32_t i = 0; i < p->aside.n; i++) {
        const struct px_aside *a = &p->aside.at[i];
        const struct px_insn *div = read_div(p, conv, a->from, a->n);
        for (uint32_t k = 0; k < a->n; k++, mark++) {
            struct px_insn record = div[k];
            give(*mark, words, &record);
            place(user, &record);
            words = take(*mark, words, &record);
        }
    }
}

void px_pack_finish(struct px_packer *p, struct px_insn *conv, uint32_t n, px_pack_place *place,
                    const void *user)
{
    uint32_t *words = p->div.words.at;
    for (uint32_t pc = 0; pc < n; pc++) {
        struct px_insn div = conv[pc];
        give(p->div.marks.at[pc], words, &div);
        place(user, &conv[pc]);
        place(user, &div);
        words = take(p->div.marks.at[pc], words, &div);
    }
}

static struct px_packed keep(struct px_packer *p, struct px_arena *to, struct px_packing *packing)
{
    px_vec_move(to, p->arena, &packing->marks);
    px_vec_move(to, p->arena, &packing->words);
    return (struct px_packed){packing->marks.at, packing->words.at};
}

void px_pack_keep(struct px_packer *p, struct px_arena *to, struct px_fcode *code)
{
    px_vec_move(to, p->arena, &p->aside);
    code->packed = keep(p, to, &p->div);
    code->beside = keep(p, to, &p->beside);
    code->aside = p->aside.at;
    code->naside = p->aside.n;
}

/* ---- when lanes part ---- */

/* A record like this one; the next is asked for next. */
static struct px_insn unpack(struct px_packed *p, const struct px_insn *like)
{
    struct px_insn record = *like;
    p->words = give(*p->marks++, p->words, &record);
    return record;
}

struct px_insn *px_div_make(const struct px_fcode *code, const struct ptx_allocator *alloc)
{
    struct px_insn *div = px_alloc(alloc, code->ndiv * sizeof *div), *to = div;
    struct px_packed packed = code->packed, beside = code->beside;
    if (!div) return NULL;
    for (uint32_t pc = 0; pc < code->n; pc++) *to++ = unpack(&packed, &code->conv[pc]);
    for (uint32_t i = 0; i < code->naside; i++) {
        const struct px_aside *a = &code->aside[i];
        for (uint32_t k = 0; k < a->n; k++) *to++ = unpack(&beside, &div[a->from + k]);
        *to++ = (struct px_insn){.fn = px_forks_leave};
    }
    px_forks_name(code, div);
    return div;
}
