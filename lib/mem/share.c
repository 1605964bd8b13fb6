/*
 * share.c - see share.h.
 *
 * Behind its bytes a file has a page that says what it is. Its size is sealed, so whoever maps it need not
 * fear that it shrinks.
 */
#define _GNU_SOURCE
#include "mem/share.h"
#include "base/alloc.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct label {
    char name[24];
    uint64_t size;
};

enum { LABEL_ROOM = 4096 };
static const char label_name[24] = "memory of ptxvm, 1";

struct px_share {
    int file;
    uint64_t page;    /* bytes */
    uint64_t *shared; /* a bit a page */
    size_t words;
};

/* ---- files ---- */

#ifdef F_ADD_SEALS
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW };

int px_share_file(uint64_t size)
{
    struct label label = {.size = size};
    const int file = memfd_create("ptxvm-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    memcpy(label.name, label_name, sizeof label.name);
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)(size + LABEL_ROOM)) == 0 &&
        pwrite(file, &label, sizeof label, (off_t)size) == (ssize_t)sizeof label &&
        fcntl(file, F_ADD_SEALS, SEALS) == 0)
        return file;
    close(file);
    return -1;
}

uint64_t px_share_file_size(int file)
{
    struct label label;
    struct stat status;
    const int seals = fcntl(file, F_GET_SEALS);
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(file, &status) != 0) return 0;
    const uint64_t size = status.st_size > LABEL_ROOM ? (uint64_t)status.st_size - LABEL_ROOM : 0;
    if (!size || pread(file, &label, sizeof label, (off_t)size) != (ssize_t)sizeof label) return 0;
    return memcmp(label.name, label_name, sizeof label.name) == 0 && label.size == size ? size : 0;
}
#else
int px_share_file(uint64_t size)
{
    (void)size;
    return -1;
}

uint64_t px_share_file_size(int file)
{
    (void)file;
    return 0;
}
#endif

/* ---- a device's pages ---- */

static bool begin(struct px_mem *mem)
{
    if (mem->share) return true;
    struct px_share *s = px_zalloc(mem->alloc, sizeof *s);
    if (!s) return false;
    s->page = (uint64_t)sysconf(_SC_PAGESIZE);
    s->words = (size_t)(mem->bytes / s->page / 64 + 1);
    s->shared = px_zalloc(mem->alloc, s->words * sizeof *s->shared);
    s->file = s->shared ? px_share_file((mem->bytes + s->page - 1) / s->page * s->page) : -1;
    mem->share = s;
    if (s->file >= 0) return true;
    px_share_free(mem);
    return false;
}

static bool is_shared(const struct px_share *s, uint64_t page)
{
    return s->shared[page / 64] >> page % 64 & 1;
}

/* Pages [from, to), none of which is shared, with what they hold. */
static bool move_pages(const struct px_mem *mem, uint64_t from, uint64_t to)
{
    struct px_share *s = mem->share;
    const uint64_t end = to * s->page;
    uint8_t *at = mem->range + from * s->page;
    for (uint64_t done = from * s->page; done < end; done += s->page) {
        const uint8_t *p = mem->range + done;
        const bool blank = !*p && memcmp(p, p + 1, s->page - 1) == 0; /* as the file is */
        if (!blank && pwrite(s->file, p, s->page, (off_t)done) != (ssize_t)s->page) return false;
    }
    if (mmap(at, (to - from) * s->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, s->file,
             (off_t)(from * s->page)) == MAP_FAILED)
        return false;
    for (uint64_t page = from; page < to; page++) s->shared[page / 64] |= 1ull << page % 64;
    return true;
}

enum px_virtual_status px_share_pages(struct px_mem *mem, uint64_t va, uint64_t size)
{
    if (mem->host_mode) return PX_VIRTUAL_UNSUPPORTED;
    if (va < mem->base || va - mem->base >= mem->bytes || !size) return PX_VIRTUAL_INVALID;
    if (!begin(mem)) return PX_VIRTUAL_UNSUPPORTED;
    const struct px_share *s = mem->share;
    uint64_t page = (va - mem->base) / s->page;
    const uint64_t end = (va - mem->base + size + s->page - 1) / s->page;
    while (page < end) {
        uint64_t to = page;
        while (to < end && !is_shared(s, to)) to++;
        if (to > page && !move_pages(mem, page, to)) return PX_VIRTUAL_NO_MEMORY;
        page = to + 1;
    }
    return PX_VIRTUAL_OK;
}

bool px_share_has(const struct px_mem *mem, uint64_t va, uint64_t size)
{
    const struct px_share *s = mem->share;
    if (!s) return false;
    const uint64_t end = (va - mem->base + size + s->page - 1) / s->page;
    for (uint64_t page = (va - mem->base) / s->page; page < end; page++)
        if (!is_shared(s, page)) return false;
    return true;
}

int px_share_place(const struct px_mem *mem, uint64_t va, uint64_t *offset)
{
    if (!mem->share) return -1;
    *offset = va - mem->base;
    return mem->share->file;
}

void px_share_forget(struct px_mem *mem, uint64_t va, uint64_t size)
{
    struct px_share *s = mem->share;
    if (!s || !size) return;
    const uint64_t from = (va - mem->base) / s->page, to = from + size / s->page;
    bool any = false;
    for (uint64_t page = from; page < to; page++) {
        any |= is_shared(s, page);
        s->shared[page / 64] &= ~(1ull << page % 64);
    }
#ifdef FALLOC_FL_PUNCH_HOLE
    if (any) /* its memory goes when nobody else has it mapped; a failure only keeps it longer */
        (void)!fallocate(s->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(from * s->page),
                         (off_t)(size / s->page * s->page));
#endif
}

void px_share_free(struct px_mem *mem)
{
    struct px_share *s = mem->share;
    if (!s) return;
    if (s->file >= 0) close(s->file);
    px_free(mem->alloc, s->shared, s->words * sizeof *s->shared);
    px_free(mem->alloc, s, sizeof *s);
    mem->share = NULL;
}
