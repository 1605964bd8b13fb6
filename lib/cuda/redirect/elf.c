/*
 * elf.c - reading ELF files.
 */
#include "cuda/redirect/elf.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const void *px_elf_at(const struct px_elf *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

const unsigned char *px_elf_bytes(const struct px_elf *file, const Elf64_Shdr *section)
{
    return section->sh_type == SHT_NOBITS ? NULL : px_elf_at(file, section->sh_offset, section->sh_size);
}

const char *px_elf_strings(const struct px_elf *file, unsigned section, size_t *size)
{
    if (section >= file->count) return NULL;
    const Elf64_Shdr *s = &file->sections[section];
    const char *text = px_elf_at(file, s->sh_offset, s->sh_size);
    if (!text || !s->sh_size || text[s->sh_size - 1]) return NULL;
    *size = s->sh_size;
    return text;
}

bool px_elf_read(struct px_elf *file, const void *data, size_t size)
{
    const Elf64_Ehdr *head = data;
    *file = (struct px_elf){.data = data, .size = size};
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64 ||
        head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff % 8 || head->e_phoff % 8 ||
        (head->e_phnum && head->e_phentsize != sizeof(Elf64_Phdr)))
        return false;
    file->sections = px_elf_at(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
    file->count = file->sections ? head->e_shnum : 0;
    file->names = px_elf_strings(file, head->e_shstrndx, &file->names_size);
    file->segments = px_elf_at(file, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr));
    file->nsegments = file->segments ? head->e_phnum : 0;
    return file->names != NULL;
}

bool px_elf_open(struct px_elf *file, const char *path)
{
    struct stat status;
    void *data = MAP_FAILED;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *file = (struct px_elf){0};
    if (fd < 0) return false;
    if (fstat(fd, &status) == 0 && status.st_size > 0)
        data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return data != MAP_FAILED && px_elf_read(file, data, (size_t)status.st_size);
}

void px_elf_close(struct px_elf *file)
{
    if (file->data) munmap((void *)file->data, file->size);
}

const Elf64_Shdr *px_elf_section(const struct px_elf *file, unsigned type, const char *name)
{
    for (unsigned i = 0; i < file->count; i++) {
        const Elf64_Shdr *s = &file->sections[i];
        if (s->sh_type != type) continue;
        if (!name || (s->sh_name < file->names_size && strcmp(file->names + s->sh_name, name) == 0)) return s;
    }
    return NULL;
}

struct px_symbols px_elf_symbols(const struct px_elf *file, unsigned type)
{
    struct px_symbols symbols = {0};
    const Elf64_Shdr *s = px_elf_section(file, type, NULL);
    if (!s || !(symbols.names = px_elf_strings(file, s->sh_link, &symbols.names_size))) return symbols;
    symbols.at = px_elf_at(file, s->sh_offset, s->sh_size);
    symbols.count = symbols.at ? s->sh_size / sizeof(Elf64_Sym) : 0;
    return symbols;
}

const char *px_symbol_name(const struct px_symbols *symbols, size_t i, unsigned type)
{
    const Elf64_Sym *symbol = &symbols->at[i];
    const bool here = ELF64_ST_TYPE(symbol->st_info) == type && symbol->st_shndx != SHN_UNDEF &&
                      symbol->st_name < symbols->names_size;
    return here ? symbols->names + symbol->st_name : "";
}

const char *px_symbol_function(const struct px_symbols *symbols, size_t i)
{
    return px_symbol_name(symbols, i, STT_FUNC);
}
