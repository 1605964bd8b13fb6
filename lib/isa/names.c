/* names.c - words, types, spaces, special registers and targets: lookups in the generated tables. */
#include "isa/table.h"
#include <string.h>

/* The hash of isagen_emit.c: the two must agree. */
static uint32_t hash(const char *s, size_t n, uint32_t seed)
{
    uint32_t h = 2166136261u ^ seed;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

px_word px_word_find(const char *s, size_t n)
{
    uint32_t seed = px_isa_hash_seeds[hash(s, n, 0) & px_isa_bucket_mask];
    px_word word = px_isa_hash_slots[hash(s, n, seed) & px_isa_hash_mask];
    size_t len = (size_t)px_isa_text_at[word + 1] - px_isa_text_at[word] - 1;
    return word && len == n && !memcmp(px_isa_text + px_isa_text_at[word], s, n) ? word : 0;
}

const char *px_word_text(px_word word)
{
    return word < PX_W_COUNT ? px_isa_text + px_isa_text_at[word] : "";
}

const struct px_type_info *px_type_info(enum px_type type)
{
    return &px_isa_types[(unsigned)type < px_isa_ntypes ? type : PX_T_NONE];
}

bool px_type_takes_constant(enum px_type type)
{
    return (unsigned)type < px_isa_ntypes && !px_isa_type_noimm[type];
}

/* The words of the types come first and in the order of enum px_type. */
enum px_type px_type_of_word(px_word word)
{
    return word < px_isa_ntypes ? (enum px_type)word : PX_T_NONE;
}

enum px_space px_space_of_word(px_word word)
{
    for (uint16_t i = 0; i < px_isa_nspaces; i++)
        if (px_isa_spaces[i].word == word)
            return px_isa_spaces[i].space;
    return PX_SPACE_NONE;
}

const struct px_sreg *px_sreg_of_word(px_word word)
{
    if (word < px_isa_sregs[0].word || word > px_isa_sregs[px_isa_nsregs - 1].word)
        return NULL;
    for (uint16_t i = 0; i < px_isa_nsregs; i++)
        if (px_isa_sregs[i].word == word)
            return &px_isa_sregs[i];
    return NULL;
}

const char *px_target_name(size_t index)
{
    return index < px_isa_ntargets ? px_isa_targets[index].name : NULL;
}

int px_target_find(const char *s, size_t n)
{
    for (uint16_t i = 0; i < px_isa_ntargets; i++)
        if (strlen(px_isa_targets[i].name) == n && !memcmp(px_isa_targets[i].name, s, n))
            return i;
    return -1;
}

struct px_target px_target_at(size_t index)
{
    return index < px_isa_ntargets ? px_isa_targets[index].target : (struct px_target){0, 0};
}

unsigned px_target_min_ptx(size_t index)
{
    return index < px_isa_ntargets ? px_isa_targets[index].min_ptx : 0;
}

unsigned px_version_at(size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (!px_isa_versions[i])
            return 0;
    return px_isa_versions[index];
}
