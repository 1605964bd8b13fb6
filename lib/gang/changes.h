/*
 * changes.h - records told as what they differ in from others.
 *
 * Most records of the divergent version differ from the convergent ones in their handler alone, and those of
 * loops from the divergent ones, so what differs is kept until the records are needed: a mark for each, whose
 * bit i says that the i-th of the record's 16 words is another one, and those words, record by record.
 */
#ifndef PX_GANG_CHANGES_H
#define PX_GANG_CHANGES_H

#include <string.h>
#include "gang/record.h"

enum { PX_INSN_WORDS = sizeof(struct px_insn) / 4 };

/* The words in which the records differ. */
static inline uint16_t px_changes_mark(const struct px_insn *from, const struct px_insn *to)
{
    uint32_t mark = 0;
    for (uint32_t i = 0; i < PX_INSN_WORDS; i += 2) {
        uint64_t a, b;
        uint32_t half[2];
        memcpy(&a, (const char *)from + i * 4, sizeof a);
        memcpy(&b, (const char *)to + i * 4, sizeof b);
        if (a == b) continue;
        a ^= b;
        memcpy(half, &a, sizeof half);
        mark |= (uint32_t)((half[0] != 0) | (half[1] != 0) << 1) << i;
    }
    return (uint16_t)mark;
}

/* The marked words of a record; behind them. */
static inline uint32_t *px_changes_take(uint32_t mark, uint32_t *words, const struct px_insn *record)
{
    for (; mark; mark &= mark - 1)
        memcpy(words++, (const char *)record + __builtin_ctz(mark) * 4, sizeof *words);
    return words;
}

/* The record becomes the one whose words these are; behind them. */
static inline const uint32_t *px_changes_apply(uint32_t mark, const uint32_t *words, struct px_insn *record)
{
    for (; mark; mark &= mark - 1) memcpy((char *)record + __builtin_ctz(mark) * 4, words++, sizeof *words);
    return words;
}

#endif
