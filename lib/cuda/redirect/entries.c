/*
 * entries.c - lists of entries, and the numbers of names.
 */
#include "cuda/redirect/entries.h"
#include <stdlib.h>
#include <string.h>
#include "cuda/redirect/names.h"

enum { BUCKETS = 2048 };
static short table[BUCKETS]; /* number of a name + 1, by open addressing; made at the first question */
_Static_assert(PX_NAMES < BUCKETS / 2, "a table with room");

static unsigned hash(const char *name)
{
    unsigned h = 2166136261u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h % BUCKETS;
}

static short *place(const char *name)
{
    unsigned i = hash(name);
    while (table[i] && strcmp(px_names[table[i] - 1], name) != 0) i = (i + 1) % BUCKETS;
    return &table[i];
}

int px_redirect_name_number(const char *name)
{
    const char *plain = name[0] == '_' && name[1] == '_' ? name + 2 : name;
    if (strncmp(plain, "cuda", 4) != 0) return -1;
    if (!table[hash(px_names[0])])
        for (int i = 0; i < PX_NAMES; i++) {
            short *slot = place(px_names[i]);
            if (!*slot) *slot = (short)(i + 1);
        }
    return *place(name) - 1;
}

bool px_redirect_entry_add(struct px_redirect_entries *entries, int number, uint64_t address, uint64_t size)
{
    if (entries->count == entries->room) {
        const size_t room = entries->room ? 2 * entries->room : 512;
        struct px_redirect_entry *grown = realloc(entries->at, room * sizeof *grown);
        if (!grown) return false;
        entries->at = grown;
        entries->room = room;
    }
    entries->at[entries->count++] = (struct px_redirect_entry){number, address, size};
    return true;
}

void px_redirect_entries_free(struct px_redirect_entries *entries)
{
    free(entries->at);
    *entries = (struct px_redirect_entries){0};
}

static bool has(const struct px_symbols *symbols, const char *name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (strcmp(px_symbol_function(symbols, i), name) == 0) return true;
    return false;
}

unsigned px_redirect_release_of(const struct px_symbols *symbols)
{
    return has(symbols, "cudaGetDeviceProperties_v2") ? 1 : has(symbols, "cudaThreadSynchronize") ? 0 : 2;
}
