/*
 * cache.c - entries that were found in stripped objects, in files by what the objects are.
 *
 * A file's name is the object's build id, or two sums of its code where it has none. It lies in
 * $XDG_CACHE_HOME/ptxvm (or ~/.cache/ptxvm), and counts only when it is the user's and nobody else can write
 * it. Its lines: what it is, the release, then name, address and size of each entry. Only lists without
 * entries that were left are kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cuda/redirect/entries.h"
#include "cuda/redirect/names.h"

#define HEAD "ptxvm entries 1"

enum { KEY = 48, BUILD_ID = 20, ID_LEAST = 8 };

/* ---- what an object is ---- */

static bool build_id(const struct px_elf *file, char key[KEY])
{
    const Elf64_Shdr *s = px_elf_section(file, SHT_NOTE, ".note.gnu.build-id");
    const unsigned char *note = s ? px_elf_bytes(file, s) : NULL;
    Elf64_Nhdr head;
    if (!note || s->sh_size < sizeof head + 4) return false;
    memcpy(&head, note, sizeof head);
    if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 || head.n_descsz > BUILD_ID ||
        head.n_descsz < ID_LEAST || head.n_descsz > s->sh_size - sizeof head - 4)
        return false;
    for (unsigned i = 0; i < head.n_descsz; i++) snprintf(key + 2 * i, 3, "%02x", note[sizeof head + 4 + i]);
    return true;
}

static void sum_of_code(const struct px_elf *file, char key[KEY])
{
    uint64_t a = 0x9e3779b97f4a7c15u, b = file->size, word;
    for (unsigned i = 0; i < file->count; i++) {
        const Elf64_Shdr *s = &file->sections[i];
        const unsigned char *code = s->sh_flags & SHF_EXECINSTR ? px_elf_bytes(file, s) : NULL;
        for (uint64_t at = 0; code && at + sizeof word <= s->sh_size; at += sizeof word) {
            memcpy(&word, code + at, sizeof word);
            a = (a ^ word) * 0x100000001b3u;
            b = (b << 5 | b >> 59) ^ word * 0xff51afd7ed558ccdu;
        }
    }
    snprintf(key, KEY, "sum-%016" PRIx64 "%016" PRIx64, a, b);
}

/* Makes the folder where that is asked for. False: there is none. */
static bool cache_path(const struct px_elf *file, bool make, char *path, size_t room)
{
    char key[KEY];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool given = cache && *cache == '/';
    if (!given && (!home || *home != '/')) return false;
    int used = snprintf(path, room, "%s%s", given ? cache : home, given ? "" : "/.cache");
    if (make && used > 0 && (size_t)used < room) mkdir(path, 0700);
    used = snprintf(path, room, "%s%s/ptxvm", given ? cache : home, given ? "" : "/.cache");
    if (used < 0 || (size_t)used + KEY + 16 > room) return false;
    if (make) mkdir(path, 0700);
    if (!build_id(file, key)) sum_of_code(file, key);
    snprintf(path + used, room - (size_t)used, "/%s", key);
    return true;
}

/* ---- files ---- */

static bool is_trusted(FILE *from)
{
    struct stat about;
    return fstat(fileno(from), &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           !(about.st_mode & (S_IWGRP | S_IWOTH));
}

static bool read_entries(FILE *from, struct px_redirect_entries *entries)
{
    char line[200], name[128];
    uint64_t address, size;
    if (!fgets(line, sizeof line, from) || strcmp(line, HEAD "\n") != 0) return false;
    if (!fgets(line, sizeof line, from) || sscanf(line, "release %u", &entries->release) != 1 ||
        entries->release >= PX_RELEASES)
        return false;
    while (fgets(line, sizeof line, from)) {
        if (strcmp(line, "end\n") == 0) return entries->count > 0;
        if (sscanf(line, "%127s %" SCNx64 " %" SCNu64, name, &address, &size) != 3) return false;
        const int number = px_redirect_name_number(name);
        if (number < 0 || !px_redirect_entry_add(entries, number, address, size)) return false;
    }
    return false;
}

bool px_redirect_cache_read(const struct px_elf *file, struct px_redirect_entries *entries)
{
    char path[4096];
    FILE *from = cache_path(file, false, path, sizeof path) ? fopen(path, "re") : NULL;
    const bool read = from && is_trusted(from) && read_entries(from, entries);
    if (from) fclose(from);
    if (!read) px_redirect_entries_free(entries);
    return read;
}

/* Several processes may write the same: each writes a file of its own and gives it the name. */
void px_redirect_cache_write(const struct px_elf *file, const struct px_redirect_entries *entries)
{
    char path[4096], own[4096 + 24];
    if (entries->left || !cache_path(file, true, path, sizeof path)) return;
    snprintf(own, sizeof own, "%s.%d", path, (int)getpid());
    FILE *to = fopen(own, "wxe");
    if (!to) return;
    fprintf(to, HEAD "\nrelease %u\n", entries->release);
    for (size_t i = 0; i < entries->count; i++)
        fprintf(to, "%s %" PRIx64 " %" PRIu64 "\n", px_names[entries->at[i].number], entries->at[i].address,
                entries->at[i].size);
    fprintf(to, "end\n");
    const bool whole = !ferror(to) && fchmod(fileno(to), 0600) == 0;
    if (fclose(to) != 0 || !whole || rename(own, path) != 0) remove(own);
}
