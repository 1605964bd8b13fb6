/* names.c - words, types, spaces, special registers and targets: lookups in the generated tables. */
#include "isa/hash.h"
#include "isa/table.h"
#include <stdio.h>
#include <string.h>

px_word px_word_find(const char *s, size_t n)
{
    uint32_t seed = px_isa_hash_seeds[px_word_hash(s, n, 0) & px_isa_bucket_mask];
    px_word word = px_isa_hash_slots[px_word_hash(s, n, seed) & px_isa_hash_mask];
    size_t len = (size_t)px_isa_text_at[word + 1] - px_isa_text_at[word] - 1;
    return word && len == n && !memcmp(px_isa_text + px_isa_text_at[word], s, n) ? word : 0;
}

unsigned px_word_count(void)
{
    return px_isa_nwords;
}

const char *px_word_text(px_word word)
{
    return word <= px_isa_nwords ? px_isa_text + px_isa_text_at[word] : "";
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
        if (px_isa_spaces[i].word == word) return px_isa_spaces[i].space;
    return PX_SPACE_NONE;
}

enum px_word_kind px_word_kind(px_word word)
{
    if (px_type_of_word(word)) return PX_K_TYPE;
    if (px_space_of_word(word)) return PX_K_SPACE;
    return word <= px_isa_nwords ? (enum px_word_kind)px_isa_word_kinds[word] : PX_K_NONE;
}

const char *px_kind_twice(enum px_word_kind kind)
{
    return px_isa_kinds[kind].twice;
}

const char *px_kind_illegal(enum px_word_kind kind)
{
    return px_isa_kinds[kind].illegal;
}

const struct px_sreg *px_sreg_of_word(px_word word)
{
    const unsigned number = word <= px_isa_nwords ? px_isa_word_sreg[word] : 0;
    return number ? &px_isa_sregs[number - 1] : NULL;
}

unsigned px_word_version(px_word word)
{
    return word <= px_isa_nwords ? px_isa_word_versions[word] : 0;
}

const char *px_target_name(size_t index)
{
    return index < px_isa_ntargets ? px_isa_targets[index].name : NULL;
}

int px_target_find(const char *s, size_t n)
{
    for (uint16_t i = 0; i < px_isa_ntargets; i++)
        if (strlen(px_isa_targets[i].name) == n && !memcmp(px_isa_targets[i].name, s, n)) return i;
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
        if (!px_isa_versions[i]) return 0;
    return px_isa_versions[index];
}

const char *px_profile_arch(ptx_profile profile, size_t index)
{
    for (uint16_t i = 0; i < px_isa_ntargets; i++) {
        const struct px_isa_target *target = &px_isa_targets[i];
        const bool frozen = !target->past && target->min_ptx <= PTX_ISA_VERSION;
        if ((frozen || profile == PTX_PROFILE_ALL) && index-- == 0) return target->name;
    }
    return NULL;
}

unsigned px_profile_version(ptx_profile profile, size_t index)
{
    const unsigned version = px_version_at(index);
    return version <= PTX_ISA_VERSION || profile == PTX_PROFILE_ALL ? version : 0;
}

/* ---- names of instructions, selectors ---- */

/* Do the words after the opcode begin with the rest of the name (or, for a loose one, contain it)? */
static bool has_words(const uint16_t *name, px_word opcode, const px_word *words, unsigned n)
{
    if (name[0] != opcode) return false;
    for (unsigned k = 1; k < 6 && name[k]; k++) {
        unsigned i = name[6] ? 0 : k - 1;
        while (name[6] && i < n && words[i] != name[k]) i++;
        if (i >= n || words[i] != name[k]) return false;
    }
    return true;
}

bool px_word_of_name(px_word opcode, px_word word)
{
    for (uint16_t i = 0; i < px_isa_ninst_names; i++)
        for (unsigned k = 1; k < 6; k++)
            if (px_isa_inst_names[i][0] == opcode && px_isa_inst_names[i][k] == word &&
                !px_isa_inst_names[i][6])
                return true;
    return false;
}

static unsigned name_length(const uint16_t *name)
{
    unsigned n = 0;
    while (n < 6 && name[n]) n++;
    return n;
}

unsigned px_inst_name_words(px_word opcode, const px_word *words, unsigned n)
{
    unsigned most = 0;
    for (uint16_t i = 0; i < px_isa_ninst_names; i++) {
        const uint16_t *name = px_isa_inst_names[i];
        if (!name[6] && has_words(name, opcode, words, n) && name_length(name) > most + 1)
            most = name_length(name) - 1;
    }
    return most;
}

bool px_inst_name(px_word opcode, const px_word *words, unsigned n, char *buf, size_t size)
{
    const uint16_t *best = NULL, own[7] = {opcode};
    bool listed = false;
    for (uint16_t i = 0; i < px_isa_ninst_names; i++) {
        const uint16_t *name = px_isa_inst_names[i];
        listed |= name[0] == opcode && !name[6];
        if (has_words(name, opcode, words, n) && (!best || name_length(name) > name_length(best)))
            best = name;
    }
    bool complete = best || !listed;
    best = best ? best : own;
    size_t at = 0;
    for (unsigned k = 0; k < 6 && best[k] && at < size; k++)
        at += (size_t)snprintf(buf + at, size - at, "%s%s", k ? "." : "", px_word_text(best[k]));
    return complete;
}

static bool digits(const char *s, char from, char to, unsigned n)
{
    unsigned i = 0;
    while (s[i] >= from && s[i] <= to) i++;
    return i == n && !s[i];
}

/* Bytes named from high to low: 3210, 20, 1. */
static bool falling(const char *s)
{
    for (char last = '4'; *s; last = *s++)
        if (*s < '0' || *s >= last) return false;
    return true;
}

bool px_selector_fits(px_word word, int klass)
{
    const char *s = px_word_text(word);
    switch (klass) {
    case 1: return (s[0] == 'b' && digits(s + 1, '0', '3', 1)) || (s[0] == 'h' && digits(s + 1, '0', '1', 1));
    case 2: return s[0] == 'h' && digits(s + 1, '0', '3', 2);
    case 3: return s[0] == 'b' && digits(s + 1, '0', '7', 4);
    case 4: return s[0] == 'h' && s[1] && falling(s + 1) && s[1] < '2';
    default: return s[0] == 'b' && s[1] && falling(s + 1);
    }
}
