/*
 * elf.h - reading ELF files of x86-64: sections, segments, symbols; members of archives.
 *
 * Every place is held against the size of the file.
 */
#ifndef PX_CUDA_REDIRECT_ELF_H
#define PX_CUDA_REDIRECT_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct px_elf {
    const unsigned char *data; /* mapped, or the caller's */
    size_t size;
    const Elf64_Shdr *sections;
    unsigned count;
    const char *names; /* of sections */
    size_t names_size;
    const Elf64_Phdr *segments;
    unsigned nsegments;
};

/* A file as a whole, mapped; to be unmapped by px_elf_close, also when this fails. */
bool px_elf_open(struct px_elf *file, const char *path);
void px_elf_close(struct px_elf *file);
/* `size` bytes at a multiple of 8, which stay the caller's. */
bool px_elf_read(struct px_elf *file, const void *data, size_t size);

/* `size` bytes from `offset` on; NULL: the file has not as many. */
const void *px_elf_at(const struct px_elf *file, uint64_t offset, uint64_t size);
/* The first section of a type, and of a name unless that is NULL. */
const Elf64_Shdr *px_elf_section(const struct px_elf *file, unsigned type, const char *name);
/* A table of strings that ends as it should; NULL otherwise. */
const char *px_elf_strings(const struct px_elf *file, unsigned section, size_t *size);
/* Bytes of a section; NULL: it has none in the file. */
const unsigned char *px_elf_bytes(const struct px_elf *file, const Elf64_Shdr *section);

struct px_symbols {
    const Elf64_Sym *at;
    size_t count;
    const char *names;
    size_t names_size;
};

/* Those of SHT_SYMTAB or SHT_DYNSYM. */
struct px_symbols px_elf_symbols(const struct px_elf *file, unsigned type);
/* The name of what is defined here, of one type (STT_); "" for anything else. */
const char *px_symbol_name(const struct px_symbols *symbols, size_t i, unsigned type);
const char *px_symbol_function(const struct px_symbols *symbols, size_t i);

#endif
