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
        uint32_t half[2];
        memcpy(&a, (const char *)from + i * 4, sizeof a);
        memcpy(&b, (const char *)to + i * 4, sizeof b);
        if (a == b) continue;
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
    px_vec_reserve(arena, &p->marks, n);
}

static void add(struct px_packer *p, const struct px_insn *from, const struct px_insn *to)
{
    const uint32_t mark = mark_of(from, to);
    uint32_t words[WORDS];
    const uint32_t *end = take(mark, words, to);
    for (const uint32_t *word = words; word < end; word++) px_vec_push(p->arena, &p->words, *word);
    px_vec_push(p->arena, &p->marks, (uint16_t)mark);
}

void px_pack_add(struct px_packer *p, const struct px_insn *conv, const struct px_insn *div)
{
    if (p->marks.n % NEAR == 0) px_vec_push(p->arena, &p->near, p->words.n);
    add(p, conv, div);
}

void px_pack_finish(struct px_packer *p, struct px_insn *conv, uint32_t n,
                    void (*place)(const void *user, struct px_insn *record), const void *user)
{
    uint32_t *words = p->words.at;
    for (uint32_t pc = 0; pc < n; pc++) {
        struct px_insn div = conv[pc];
        give(p->marks.at[pc], words, &div);
        place(user, &conv[pc]);
        place(user, &div);
        words = take(p->marks.at[pc], words, &div);
    }
}

void px_pack_read(const struct px_packer *p, const struct px_insn *conv, uint32_t pc, uint32_t n,
                  struct px_insn *to)
{
    const uint32_t *words = p->words.at + p->near.at[pc / NEAR];
    for (uint32_t i = pc - pc % NEAR; i < pc; i++) words += __builtin_popcount(p->marks.at[i]);
    memcpy(to, conv + pc, n * sizeof *to);
    for (uint32_t i = 0; i < n; i++) words = give(p->marks.at[pc + i], words, &to[i]);
}

void px_pack_aside(struct px_packer *p, const struct px_insn *conv, uint32_t pc, uint32_t n,
                   const struct px_insn *code)
{
    for (uint32_t i = 0; i < n; i++) {
        struct px_insn div;
        px_pack_read(p, conv, pc + i, 1, &div);
        add(p, &div, &code[i]);
    }
    px_vec_push(p->arena, &p->aside, ((struct px_aside){pc, n}));
}

void px_pack_keep(struct px_packer *p, struct px_arena *keep, struct px_fcode *code)
{
    px_vec_move(keep, p->arena, &p->marks);
    px_vec_move(keep, p->arena, &p->words);
    px_vec_move(keep, p->arena, &p->aside);
    code->marks = p->marks.at;
    code->words = p->words.at;
    code->aside = p->aside.at;
    code->naside = p->aside.n;
}

/* ---- when lanes part ---- */

struct px_insn *px_div_make(const struct px_fcode *code, const struct ptx_allocator *alloc)
{
    struct px_insn *div = px_alloc(alloc, code->ndiv * sizeof *div), *to = div;
    const uint32_t *words = code->words;
    const uint16_t *mark = code->marks;
    if (!div) return NULL;
    for (uint32_t pc = 0; pc < code->n; pc++, to++) {
        *to = code->conv[pc];
        words = give(*mark++, words, to);
    }
    for (uint32_t i = 0; i < code->naside; i++) {
        const struct px_aside *a = &code->aside[i];
        for (uint32_t k = 0; k < a->n; k++, to++) {
            *to = div[a->from + k];
            words = give(*mark++, words, to);
        }
        *to++ = (struct px_insn){.fn = px_forks_leave};
    }
    px_forks_name(code, div);
    return div;
}
