/*
 * memo.c - a hash table from the shape of an instruction to its form.
 *
 * The key holds all that inst.c and inst_opds.c (with inst_scalar.c,
 * inst_vector.c and inst_address.c) read of an instruction: a check that comes
 * to depend on more must add that here. Registers count by type,
 * memory by what was declared, labels and functions by kind. The value of a
 * constant counts only for opcodes with a form that limits one (`valued`), and
 * in addresses. Only instructions that fit are remembered, so every fault is
 * searched and explained anew. One module has one version and one target, so
 * these are no part of the key.
 */
#include "match/memo.h"
#include <string.h>

enum { SLOTS_FIRST = 1024, SLOTS_MOST = 1 << 17 };

struct px_memo_entry {
    uint64_t hash;
    const uint64_t *words;
    uint16_t n, form; /* form 0: empty */
};

void px_memo_init(struct px_memo *memo, struct px_arena *arena)
{
    *memo = (struct px_memo){.arena = arena, .mask = SLOTS_FIRST - 1};
    memo->slots = PX_NEW_N(arena, struct px_memo_entry, SLOTS_FIRST);
    memo->valued = PX_NEW_N(arena, uint8_t, px_word_count() + 1u);
}

/* ---- keys ---- */

/* Is a constant held against limits in this operand, its partner behind a bar or its parts in brackets? */
static bool has_limits(const struct px_form *form, const struct px_opd *opd)
{
    uint32_t flags = opd->flags;
    if (opd->partner >= 0) flags |= px_form_part(form, (unsigned)opd->partner)->flags;
    for (unsigned i = 0; i < opd->nparts; i++)
        flags |= px_form_part(form, (unsigned)opd->part_first + i)->flags;
    return flags & PX_OPERAND_RANGE;
}

static bool limits_constants(const struct px_form *form)
{
    for (unsigned i = 0; i < px_form_opds(form, NULL); i++)
        if (has_limits(form, px_form_opd(form, i))) return true;
    return false;
}

static bool is_valued(struct px_memo *memo, px_word opcode)
{
    enum { UNKNOWN, NO, YES };
    uint8_t *known = &memo->valued[opcode];
    if (*known == UNKNOWN) {
        uint16_t first;
        unsigned n = px_forms_of(opcode, &first);
        *known = NO;
        for (unsigned i = 0; i < n && *known == NO; i++)
            if (limits_constants(px_form_at((uint16_t)(first + i)))) *known = YES;
    }
    return *known == YES;
}

static inline void put(struct px_memo_key *key, uint64_t word)
{
    if (key->n < PX_MEMO_KEY_MAX) key->words[key->n] = word;
    key->n++;
}

static uint64_t flags_of(const struct px_operand *o)
{
    return (uint64_t)(o->negated | o->minus << 1 | o->unified << 2 | o->has_offset << 3 |
                      o->has_selector << 4 | o->is_unsigned << 5 | o->bad_offset << 6);
}

static void put_name(struct px_memo_key *key, const struct px_operand *o)
{
    const struct px_symbol *s = o->symbol;
    if (!s) {
        put(key, (uint64_t)o->u.name->word << 8 | (o->u.name->text[0] == '%'));
        return;
    }
    bool memory = s->kind == PX_SYM_VAR || s->kind == PX_SYM_PARAM;
    put(key, (uint64_t)1 << 63 | (uint64_t)s->kind | (uint64_t)s->type << 8 | (uint64_t)s->vec << 16 |
                 (uint64_t)s->space << 24 | (uint64_t)s->is_return << 30 | (uint64_t)s->is_entry_param << 31);
    if (memory) {
        put(key, s->align | (uint64_t)(s->u.var && s->u.var->ndims) << 32);
        put(key, (uint64_t)o->offset);
    }
}

static void put_operand(struct px_memo_key *key, const struct px_operand *o, bool valued)
{
    put(key, o->kind | flags_of(o) << 8 | (uint64_t)o->n << 16 | (uint64_t)o->selector << 32);
    switch (o->kind) {
    case PX_O_NAME: put_name(key, o); break;
    case PX_O_INT:
    case PX_O_F32:
    case PX_O_F64:
        if (valued) put(key, o->u.i);
        break;
    case PX_O_VEC:
    case PX_O_ADDR:
    case PX_O_LIST:
    case PX_O_PAIR:
    case PX_O_INDEX:
        for (uint16_t i = 0; i < o->n && key->n <= PX_MEMO_KEY_MAX; i++)
            put_operand(key, &o->u.list[i], valued || o->kind == PX_O_ADDR || o->kind == PX_O_INDEX);
        break;
    default: break;
    }
}

static uint64_t hash_of(const struct px_memo_key *key)
{
    uint64_t h = key->n;
    for (unsigned i = 0; i < key->n; i++) {
        h = (h ^ key->words[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return h;
}

void px_memo_key(struct px_memo *memo, const struct px_inst *inst, struct px_memo_key *key)
{
    px_word opcode = inst->opcode->word;
    bool valued = is_valued(memo, opcode);
    key->n = 0;
    uint64_t words = (uint64_t)opcode | (uint64_t)inst->nmods << 16 | (uint64_t)inst->nopds << 24;
    for (unsigned i = 0, at = 32; i < inst->nmods; i++, at += 16) {
        if (at == 64) {
            put(key, words);
            words = at = 0;
        }
        words |= (uint64_t)inst->mods[i].name->word << at;
    }
    put(key, words);
    for (unsigned i = 0; i < inst->nopds; i++) put_operand(key, &inst->opds[i], valued);
    if (key->n > PX_MEMO_KEY_MAX) key->n = 0;
    key->hash = hash_of(key);
}

/* ---- the table ---- */

static bool same_words(const uint64_t *a, const uint64_t *b, unsigned n)
{
    unsigned i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i == n;
}

/* The key's slot, or the empty one where it belongs. */
static struct px_memo_entry *slot_of(const struct px_memo *memo, const struct px_memo_key *key)
{
    for (uint32_t at = (uint32_t)key->hash;; at++) {
        struct px_memo_entry *entry = &memo->slots[at & memo->mask];
        if (!entry->form ||
            (entry->hash == key->hash && entry->n == key->n && same_words(entry->words, key->words, key->n)))
            return entry;
    }
}

uint16_t px_memo_find(const struct px_memo *memo, const struct px_memo_key *key)
{
    return key->n ? slot_of(memo, key)->form : 0;
}

static void grow(struct px_memo *memo)
{
    struct px_memo_entry *old = memo->slots;
    uint32_t n = memo->mask + 1;
    memo->mask = n * 2 - 1;
    memo->slots = PX_NEW_N(memo->arena, struct px_memo_entry, (size_t)n * 2);
    for (uint32_t i = 0; i < n; i++) {
        if (!old[i].form) continue;
        uint32_t at = (uint32_t)old[i].hash;
        while (memo->slots[at & memo->mask].form) at++;
        memo->slots[at & memo->mask] = old[i];
    }
}

void px_memo_add(struct px_memo *memo, const struct px_memo_key *key, uint16_t form)
{
    if (!key->n) return;
    if (memo->n * 2 > memo->mask) {
        if (memo->mask + 1 >= SLOTS_MOST) return; /* such a module repeats nothing */
        grow(memo);
    }
    uint64_t *words = px_arena_node(memo->arena, key->n * sizeof *words);
    memcpy(words, key->words, key->n * sizeof *words);
    *slot_of(memo, key) = (struct px_memo_entry){key->hash, words, (uint16_t)key->n, form};
    memo->n++;
}
