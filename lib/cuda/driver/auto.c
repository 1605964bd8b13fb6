/*
 * auto.c - PTXVM_ARCH=auto: the architecture that the process's own images ask for.
 *
 * Fat binaries lie in sections of the files that the process has loaded. The newest architecture of any PTX
 * in them is taken, so that all of it can be run.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cuda/driver/fatbin.h"
#include "cuda/driver/host.h"
#include "cuda/driver/image.h"

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

static void look_into(void *user, const void *at, size_t size)
{
    px_fatbin_read(at, size, consider, user);
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
            px_host_fatbins(bytes, (size_t)about.st_size, look_into, NULL);
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
