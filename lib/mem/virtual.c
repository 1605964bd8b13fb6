/*
 * virtual.c - reserved ranges, physical memory, and mappings of the one in the other.
 *
 * All three are sorted lists: programs have few of them. A range that is unmapped shows zeros to who still
 * remembers its bounds (a gang keeps the last block that it hit), until something else is mapped there.
 */
#define _GNU_SOURCE
#include "mem/virtual.h"
#include "base/alloc.h"
#include "mem/mem_map.h"
#include "mem/share.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

struct piece {
    struct piece *next; /* of its range, by address */
    uint64_t lo, len, offset;
    struct px_physical *physical;
    uint32_t groups; /* of peers for which it was opened: px_virtual_see */
    bool open;
};

struct span {
    struct span *next; /* of all, by address */
    uint64_t lo, len;
    struct piece *pieces;
    bool attached; /* to another process's memory as a whole */
};

struct px_virtual {
    int file;
    struct span *spans;
    struct px_physical *physicals; /* in the file, by place */
    struct px_physical *files;     /* in files of their own */
};

static bool is_grain(uint64_t n)
{
    return n % PX_MAP_GRAIN == 0;
}

static struct px_virtual *begin(struct px_mem *mem)
{
    if (mem->virtual) return mem->virtual;
    struct px_virtual *v = px_zalloc(mem->alloc, sizeof *v);
    if (!v) return NULL;
    v->file = -1;
    return mem->virtual = v;
}

/* ---- ranges ---- */

enum px_virtual_status px_virtual_reserve(struct px_mem *mem, uint64_t size, uint64_t align, uint64_t *va)
{
    if (mem->host_mode) return PX_VIRTUAL_UNSUPPORTED;
    if (align < PX_MAP_GRAIN) align = PX_MAP_GRAIN;
    if (!size || !is_grain(size) || (align & (align - 1))) return PX_VIRTUAL_INVALID;
    const uint64_t first = mem->base + mem->bytes, end = first + mem->extra;
    struct px_virtual *v = begin(mem);
    struct span *s = v ? px_zalloc(mem->alloc, sizeof *s) : NULL, **at = v ? &v->spans : NULL;
    if (!s) return PX_VIRTUAL_NO_MEMORY;
    uint64_t lo = (first + align - 1) & ~(align - 1);
    /* Two ranges never touch: an access beyond the one is no access to the other. */
    while (*at && (lo > (*at)->lo || size > (*at)->lo - lo || (*at)->lo - lo - size < PX_MAP_GRAIN)) {
        lo = ((*at)->lo + (*at)->len + PX_MAP_GRAIN + align - 1) & ~(align - 1);
        at = &(*at)->next;
    }
    if (lo < first || lo > end || size > end - lo) {
        px_free(mem->alloc, s, sizeof *s);
        return PX_VIRTUAL_NO_MEMORY;
    }
    *s = (struct span){.next = *at, .lo = lo, .len = size};
    *at = s;
    *va = lo;
    return PX_VIRTUAL_OK;
}

/* The host's memory there goes back to the system. */
static bool blank(const struct px_mem *mem, uint64_t lo, uint64_t len, int access)
{
    return mmap((void *)(uintptr_t)(lo + (uint64_t)mem->delta), len, access,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

enum px_virtual_status px_virtual_free(struct px_mem *mem, uint64_t va, uint64_t size)
{
    struct span **at = mem->virtual ? &mem->virtual->spans : NULL;
    while (at && *at && (*at)->lo != va) at = &(*at)->next;
    struct span *s = at ? *at : NULL;
    if (!s || s->len != size || s->pieces || s->attached) return PX_VIRTUAL_INVALID;
    blank(mem, s->lo, s->len, PROT_READ | PROT_WRITE);
    *at = s->next;
    px_free(mem->alloc, s, sizeof *s);
    return PX_VIRTUAL_OK;
}

static struct span *span_of(const struct px_mem *mem, uint64_t va, uint64_t size)
{
    struct span *s = mem->virtual ? mem->virtual->spans : NULL;
    while (s && va - s->lo >= s->len) s = s->next;
    return s && !s->attached && size && size <= s->len - (va - s->lo) ? s : NULL;
}

/* ---- physical memory ---- */

static bool make_file(struct px_mem *mem)
{
    struct px_virtual *v = mem->virtual;
    if (v->file >= 0) return true;
#ifdef MFD_CLOEXEC
    v->file = memfd_create("ptxvm", MFD_CLOEXEC);
    if (v->file >= 0 && ftruncate(v->file, (off_t)mem->bytes) != 0) {
        close(v->file);
        v->file = -1;
    }
#endif
    return v->file >= 0;
}

uint64_t px_virtual_used(const struct px_mem *mem)
{
    uint64_t used = 0;
    for (const struct px_physical *p = mem->virtual ? mem->virtual->physicals : NULL; p; p = p->next)
        used += p->size;
    for (const struct px_physical *p = mem->virtual ? mem->virtual->files : NULL; p; p = p->next)
        used += p->foreign ? 0 : p->size;
    return used;
}

static enum px_virtual_status may_make(const struct px_mem *mem, uint64_t size)
{
    if (mem->host_mode) return PX_VIRTUAL_UNSUPPORTED;
    if (!size || !is_grain(size)) return PX_VIRTUAL_INVALID;
    const bool room = size <= mem->bytes && px_mem_used(mem) + px_virtual_used(mem) <= mem->bytes - size;
    return room ? PX_VIRTUAL_OK : PX_VIRTUAL_NO_MEMORY;
}

enum px_virtual_status px_physical_new(struct px_mem *mem, uint64_t size, struct px_physical **out)
{
    const enum px_virtual_status status = may_make(mem, size);
    struct px_virtual *v = status == PX_VIRTUAL_OK ? begin(mem) : NULL;
    if (!v) return status == PX_VIRTUAL_OK ? PX_VIRTUAL_NO_MEMORY : status;
    if (!make_file(mem)) return PX_VIRTUAL_UNSUPPORTED;
    struct px_physical **at = &v->physicals;
    uint64_t place = 0;
    while (*at && (*at)->at - place < size) {
        place = (*at)->at + (*at)->size;
        at = &(*at)->next;
    }
    struct px_physical *p = size <= mem->bytes - place ? px_alloc(mem->alloc, sizeof *p) : NULL;
    if (!p) return PX_VIRTUAL_NO_MEMORY;
    *p = (struct px_physical){.next = *at, .at = place, .size = size, .file = -1, .refs = 1};
    *out = *at = p;
    return PX_VIRTUAL_OK;
}

/* The file is owned from here on, also when this fails. */
static enum px_virtual_status add_file(struct px_mem *mem, int file, uint64_t size, bool foreign,
                                       struct px_physical **out)
{
    struct px_virtual *v = begin(mem);
    struct px_physical *p = v ? px_alloc(mem->alloc, sizeof *p) : NULL;
    if (!p) {
        close(file);
        return PX_VIRTUAL_NO_MEMORY;
    }
    *p = (struct px_physical){.next = v->files, .size = size, .file = file, .foreign = foreign, .refs = 1};
    *out = v->files = p;
    return PX_VIRTUAL_OK;
}

enum px_virtual_status px_physical_new_shared(struct px_mem *mem, uint64_t size, struct px_physical **out)
{
    const enum px_virtual_status status = may_make(mem, size);
    if (status != PX_VIRTUAL_OK) return status;
    const int file = px_share_file(size);
    return file >= 0 ? add_file(mem, file, size, false, out) : PX_VIRTUAL_UNSUPPORTED;
}

enum px_virtual_status px_physical_import(struct px_mem *mem, int file, struct px_physical **out)
{
    const uint64_t size = px_share_file_size(file);
    if (mem->host_mode) return PX_VIRTUAL_UNSUPPORTED;
    if (!size || !is_grain(size)) return PX_VIRTUAL_INVALID;
    const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
    return own >= 0 ? add_file(mem, own, size, true, out) : PX_VIRTUAL_NO_MEMORY;
}

/* Its part of the file reads as zero when it is given out again. */
static void forget_bytes(const struct px_mem *mem, const struct px_physical *p)
{
#ifdef FALLOC_FL_PUNCH_HOLE
    if (fallocate(mem->virtual->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->at,
                  (off_t)p->size) == 0)
        return;
#endif
    void *bytes = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, mem->virtual->file, (off_t)p->at);
    if (bytes == MAP_FAILED) return;
    for (uint64_t i = 0; i < p->size; i++) ((volatile uint8_t *)bytes)[i] = 0;
    munmap(bytes, p->size);
}

void px_physical_release(struct px_mem *mem, struct px_physical *p)
{
    if (--p->refs) return;
    struct px_physical **at = p->file < 0 ? &mem->virtual->physicals : &mem->virtual->files;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    if (p->file < 0)
        forget_bytes(mem, p);
    else
        close(p->file);
    px_free(mem->alloc, p, sizeof *p);
}

/* ---- mappings ---- */

enum px_virtual_status px_virtual_map(struct px_mem *mem, uint64_t va, uint64_t size, struct px_physical *p,
                                      uint64_t offset)
{
    struct span *s = span_of(mem, va, size);
    if (!s || !is_grain(va) || !is_grain(size) || !is_grain(offset)) return PX_VIRTUAL_INVALID;
    if (offset > p->size || size > p->size - offset) return PX_VIRTUAL_INVALID;
    struct piece **at = &s->pieces;
    while (*at && (*at)->lo + (*at)->len <= va) at = &(*at)->next;
    if (*at && (*at)->lo < va + size) return PX_VIRTUAL_INVALID;
    struct piece *piece = px_alloc(mem->alloc, sizeof *piece);
    if (!piece) return PX_VIRTUAL_NO_MEMORY;
    if (mmap((void *)(uintptr_t)(va + (uint64_t)mem->delta), size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, p->file < 0 ? mem->virtual->file : p->file,
             (off_t)(p->at + offset)) == MAP_FAILED) {
        px_free(mem->alloc, piece, sizeof *piece);
        return PX_VIRTUAL_NO_MEMORY;
    }
    p->refs++;
    *piece = (struct piece){.next = *at, .lo = va, .len = size, .offset = offset, .physical = p};
    *at = piece;
    return PX_VIRTUAL_OK;
}

/* The block of the map that begins at `lo`; blocks of a range touch no others. */
static bool block_at(const struct px_mem *mem, uint64_t va, struct px_extent *block)
{
    enum px_mem_kind kind;
    return px_mem_block(mem, va, block, &kind) && kind == PX_MEM_MAPPED;
}

/* Peers see a block for which one of its pieces was opened. */
static void tell_groups(struct px_mem *mem, const struct span *s, uint64_t va)
{
    struct px_extent block;
    uint32_t groups = 0;
    if (!block_at(mem, va, &block)) return;
    for (const struct piece *p = s->pieces; p; p = p->next)
        if (p->lo - block.lo < block.len) groups |= p->groups;
    if (groups != px_mem_seen(mem, block.lo)) px_mem_see(mem, block.lo, groups);
}

/* What is open becomes one block with its neighbours. */
static bool show(struct px_mem *mem, const struct span *s, const struct piece *p)
{
    struct px_extent before, behind;
    const uint64_t end = p->lo + p->len;
    const bool joins = p->lo > s->lo && block_at(mem, p->lo - 1, &before);
    const bool joined = end < s->lo + s->len && block_at(mem, end, &behind);
    const uint64_t lo = joins ? before.lo : p->lo;
    mem->gaps = true; /* the last block is not the last that was allocated */
    if (!joins && !px_map_insert(mem->map, (struct px_mem_range){lo, p->len, lo, PX_MEM_MAPPED}))
        return false;
    px_map_resize(mem->map, lo, (joined ? behind.lo + behind.len : end) - lo);
    if (joined) px_map_remove(mem->map, behind.lo);
    tell_groups(mem, s, lo);
    return true;
}

static bool hide(struct px_mem *mem, const struct span *s, const struct piece *p)
{
    struct px_extent block;
    const uint64_t end = p->lo + p->len;
    if (!block_at(mem, p->lo, &block)) return true;
    const uint64_t behind = block.lo + block.len - end;
    if (behind && !px_map_insert(mem->map, (struct px_mem_range){end, behind, end, PX_MEM_MAPPED}))
        return false;
    if (block.lo < p->lo)
        px_map_resize(mem->map, block.lo, p->lo - block.lo);
    else
        px_map_remove(mem->map, block.lo);
    tell_groups(mem, s, block.lo);
    tell_groups(mem, s, end);
    return true;
}

/* The link to the first piece when whole pieces fill [va, va+size) without a gap; else NULL. */
static struct piece **pieces_of(const struct px_mem *mem, uint64_t va, uint64_t size)
{
    struct span *s = span_of(mem, va, size);
    struct piece **first = s ? &s->pieces : NULL;
    while (first && *first && (*first)->lo < va) first = &(*first)->next;
    const struct piece *p = first ? *first : NULL;
    uint64_t at = va;
    for (; p && p->lo == at && at < va + size; p = p->next) at += p->len;
    return first && at == va + size ? first : NULL;
}

static enum px_virtual_status set_open(struct px_mem *mem, struct piece *p, uint64_t end, bool open)
{
    for (; p && p->lo < end; p = p->next) {
        if (p->open == open) continue;
        const struct span *s = span_of(mem, p->lo, p->len);
        if (!(open ? show(mem, s, p) : hide(mem, s, p))) return PX_VIRTUAL_NO_MEMORY;
        p->open = open;
    }
    return PX_VIRTUAL_OK;
}

enum px_virtual_status px_virtual_open(struct px_mem *mem, uint64_t va, uint64_t size, bool open)
{
    struct piece **first = pieces_of(mem, va, size);
    return first ? set_open(mem, *first, va + size, open) : PX_VIRTUAL_INVALID;
}

enum px_virtual_status px_virtual_see(struct px_mem *mem, uint64_t va, uint64_t size, uint32_t group, bool on)
{
    struct piece **first = pieces_of(mem, va, size);
    const uint32_t bit = 1u << group;
    if (!first) return PX_VIRTUAL_INVALID;
    for (const struct piece *p = *first; p && p->lo < va + size; p = p->next)
        if (on && !p->open) return PX_VIRTUAL_UNSUPPORTED; /* what is closed is seen by nobody */
    for (struct piece *p = *first; p && p->lo < va + size; p = p->next) {
        p->groups = on ? p->groups | bit : p->groups & ~bit;
        tell_groups(mem, span_of(mem, p->lo, p->len), p->lo);
    }
    return PX_VIRTUAL_OK;
}

enum px_virtual_status px_virtual_unmap(struct px_mem *mem, uint64_t va, uint64_t size)
{
    struct piece **first = pieces_of(mem, va, size);
    if (!first) return PX_VIRTUAL_INVALID;
    const enum px_virtual_status status = set_open(mem, *first, va + size, false);
    if (status != PX_VIRTUAL_OK) return status;
    if (!blank(mem, va, size, PROT_READ | PROT_WRITE)) return PX_VIRTUAL_NO_MEMORY;
    while (*first && (*first)->lo < va + size) {
        struct piece *p = *first;
        *first = p->next;
        px_physical_release(mem, p->physical);
        px_free(mem->alloc, p, sizeof *p);
    }
    return PX_VIRTUAL_OK;
}

/* ---- memory of other processes ---- */

enum px_virtual_status px_virtual_attach(struct px_mem *mem, int file, uint64_t offset, uint64_t size,
                                         uint64_t *va)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), room = px_share_file_size(file);
    const uint64_t lead = offset % page, pages = (lead + size + page - 1) / page * page;
    uint64_t at;
    if (!size || offset > room || size > room - offset) return PX_VIRTUAL_INVALID;
    const enum px_virtual_status status =
        px_virtual_reserve(mem, (pages + PX_MAP_GRAIN - 1) / PX_MAP_GRAIN * PX_MAP_GRAIN, 0, &at);
    if (status != PX_VIRTUAL_OK) return status;
    struct span *s = span_of(mem, at, 1);
    if (mmap((void *)(uintptr_t)(at + (uint64_t)mem->delta), pages, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, file, (off_t)(offset - lead)) == MAP_FAILED ||
        !px_map_insert(mem->map, (struct px_mem_range){at + lead, size, at + lead, PX_MEM_OPENED})) {
        px_virtual_free(mem, at, s->len);
        return PX_VIRTUAL_NO_MEMORY;
    }
    s->attached = true;
    mem->gaps = true; /* the last block is not the last that was allocated */
    *va = at + lead;
    return PX_VIRTUAL_OK;
}

enum px_virtual_status px_virtual_detach(struct px_mem *mem, uint64_t va)
{
    struct px_extent block;
    enum px_mem_kind kind;
    if (!px_mem_block(mem, va, &block, &kind) || kind != PX_MEM_OPENED || block.lo != va)
        return PX_VIRTUAL_INVALID;
    struct span *s = mem->virtual->spans;
    while (va - s->lo >= s->len) s = s->next;
    px_map_remove(mem->map, va);
    s->attached = false;
    return px_virtual_free(mem, s->lo, s->len);
}

void px_virtual_free_all(struct px_mem *mem)
{
    struct px_virtual *v = mem->virtual;
    if (!v) return;
    for (struct span *s = v->spans, *next; s; s = next) {
        next = s->next;
        for (struct piece *p = s->pieces, *behind; p; p = behind) {
            behind = p->next;
            px_free(mem->alloc, p, sizeof *p);
        }
        px_free(mem->alloc, s, sizeof *s);
    }
    for (struct px_physical *p = v->physicals, *next; p; p = next) {
        next = p->next;
        px_free(mem->alloc, p, sizeof *p);
    }
    for (struct px_physical *p = v->files, *next; p; p = next) {
        next = p->next;
        close(p->file);
        px_free(mem->alloc, p, sizeof *p);
    }
    if (v->file >= 0) close(v->file);
    px_free(mem->alloc, v, sizeof *v);
    mem->virtual = NULL;
}
