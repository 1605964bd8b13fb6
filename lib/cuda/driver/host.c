/*
 * host.c - sections with fat binaries in ELF files, and members of archives.
 *
 * Every place is held against the size of the file. Nothing needs to be aligned.
 */
#include "cuda/driver/host.h"
#include <ar.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 16, EM_CUDA_NUMBER = 190 };

/* ---- ELF files ---- */

static bool is_elf(const void *file, size_t size, Elf64_Ehdr *head)
{
    if (size < sizeof *head) return false;
    memcpy(head, file, sizeof *head);
    return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == ELFCLASS64;
}

bool px_host_is(const void *file, size_t size)
{
    Elf64_Ehdr head;
    return is_elf(file, size, &head) && head.e_machine != EM_CUDA_NUMBER;
}

static bool holds_fatbins(const char *name)
{
    return strncmp(name, ".nv_fatbin", 11) == 0 || strncmp(name, "__nv_relfatbin", 15) == 0;
}

void px_host_fatbins(const void *file, size_t size, void (*tell)(void *user, const void *at, size_t size),
                     void *user)
{
    const char *at = file;
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    if (!is_elf(file, size, &head)) return;
    const size_t table = head.e_shoff;
    if (table > size || (size - table) / sizeof section < head.e_shnum || head.e_shstrndx >= head.e_shnum)
        return;
    memcpy(&names, at + table + head.e_shstrndx * sizeof names, sizeof names);
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, at + table + i * sizeof section, sizeof section);
        const uint64_t name = names.sh_offset + section.sh_name;
        if (name > size || size - name < LONGEST_NAME || section.sh_type == SHT_NOBITS) continue;
        if (section.sh_offset > size || section.sh_size > size - section.sh_offset) continue;
        if (holds_fatbins(at + name)) tell(user, at + section.sh_offset, section.sh_size);
    }
}

/* ---- archives ---- */

bool px_host_is_archive(const void *file, size_t size)
{
    return size >= SARMAG && memcmp(file, ARMAG, SARMAG) == 0;
}

/* The size that a member's head says; false: it is no head. */
static bool member_size(const struct ar_hdr *head, size_t *size)
{
    char digits[sizeof head->ar_size + 1] = {0};
    if (memcmp(head->ar_fmag, ARFMAG, sizeof head->ar_fmag) != 0) return false;
    memcpy(digits, head->ar_size, sizeof head->ar_size);
    *size = strtoul(digits, NULL, 10);
    return true;
}

bool px_host_members(const void *file, size_t size, void (*tell)(void *user, const void *at, size_t size),
                     void *user)
{
    const char *at = (const char *)file + SARMAG, *end = (const char *)file + size;
    while ((size_t)(end - at) >= sizeof(struct ar_hdr)) {
        struct ar_hdr head;
        size_t bytes;
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        if (!member_size(&head, &bytes) || bytes > (size_t)(end - at)) return false;
        tell(user, at, bytes);
        at += bytes;
        if (at < end && bytes % 2) at++;
    }
    return true;
}
