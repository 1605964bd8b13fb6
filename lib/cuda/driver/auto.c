/*
 * auto.c - PTXVM_ARCH=auto: the architecture that the process's own images ask for.
 *
 * Fat binaries lie in sections of the files that the process has loaded. The newest architecture of any PTX
 * in them is taken, so that all of it can be run.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cuda/driver/image.h"
#include "cuda/driver/fatbin.h"

enum { DEFAULT_ARCH = 90 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_uint newest; /* of the images seen */
static char chosen[16];

static void consider(void *user, const struct px_fatbin_image *image)
{
    unsigned before = atomic_load(&newest);
    (void)user;
    while (image->kind == PX_FATBIN_PTX && image->arch > before &&
           !atomic_compare_exchange_weak(&newest, &before, image->arch)) {
    }
}

void px_cu_image_seen(const void *data)
{
    struct px_fatbin_wrapper wrapper;
    if (!data) return;
    memcpy(&wrapper, data, sizeof wrapper);
    if (wrapper.magic == PX_FATBIN_MAGIC) px_fatbin_read(data, SIZE_MAX, consider, NULL);
    if (wrapper.magic != PX_FATBIN_WRAPPER_MAGIC) return;
    if (wrapper.version != 2)
        px_fatbin_read(wrapper.data, SIZE_MAX, consider, NULL);
    else
        for (size_t i = 0; wrapper.units && wrapper.units[i]; i++)
            px_fatbin_read(wrapper.units[i], SIZE_MAX, consider, NULL);
}

/* Fat binaries in sections of a mapped file. Offsets are held against its size. */
static void look_into(const unsigned char *file, size_t size)
{
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    if (size < sizeof head) return;
    memcpy(&head, file, sizeof head);
    const size_t table = head.e_shoff;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) return;
    if (table > size || (size - table) / sizeof section < head.e_shnum || head.e_shstrndx >= head.e_shnum)
        return;
    memcpy(&names, file + table + head.e_shstrndx * sizeof names, sizeof names);
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, file + table + i * sizeof section, sizeof section);
        const uint64_t name = names.sh_offset + section.sh_name;
        if (name > size || size - name < 16 || section.sh_offset > size ||
            section.sh_size > size - section.sh_offset || section.sh_type == SHT_NOBITS)
            continue;
        if (strncmp((const char *)file + name, ".nv_fatbin", 11) == 0 ||
            strncmp((const char *)file + name, "__nv_relfatbin", 15) == 0)
            px_fatbin_read(file + section.sh_offset, section.sh_size, consider, NULL);
    }
}

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    struct stat about;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    (void)size;
    (void)user;
    if (file < 0) return 0;
    if (fstat(file, &about) == 0 && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            look_into(bytes, (size_t)about.st_size);
            munmap(bytes, (size_t)about.st_size);
        }
    }
    close(file);
    return 0;
}

static void choose(void)
{
    dl_iterate_phdr(look_at, NULL);
    const unsigned arch = atomic_load(&newest);
    snprintf(chosen, sizeof chosen, "sm_%u", arch ? arch : DEFAULT_ARCH);
    px_cu_note("PTXVM_ARCH=auto: %s", chosen);
}

const char *px_cu_image_arch(void)
{
    pthread_once(&once, choose);
    return chosen;
}
