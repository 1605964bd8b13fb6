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
#include <sys/mman.h>
#include <unistd.h>

#ifdef __linux__
#include <fcntl.h>
#endif

struct piece {
    struct piece *next; /* of its range, by address */
    uint64_t lo, len, offset;
    struct px_physical *physical;
    bool open;
};

struct span {
    struct span *next; /* of all, by address */
    uint64_t lo, len;
    struct piece *pieces;
};

struct px_virtual {
    int file;
    struct span *spans;
    struct px_physical *physicals;
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
    if (!s || s->len != size || s->pieces) return PX_VIRTUAL_INVALID;
    blank(mem, s->lo, s->len, PROT_READ | PROT_WRITE);
    *at = s->next;
    px_free(mem->alloc, s, sizeof *s);
    return PX_VIRTUAL_OK;
}

static struct span *span_of(const struct px_mem *mem, uint64_t va, uint64_t size)
{
    struct span *s = mem->virtual ? mem->virtual->spans : NULL;
    while (s && va - s->lo >= s->len) s = s->next;
    return s && size && size <= s->len - (va - s->lo) ? s : NULL;
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
    return used;
}

enum px_virtual_status px_physical_new(struct px_mem *mem, uint64_t size, struct px_physical **out)
{
    if (mem->host_mode) return PX_VIRTUAL_UNSUPPORTED;
    if (!size || !is_grain(size)) return PX_VIRTUAL_INVALID;
    if (size > mem->bytes || px_mem_used(mem) + px_virtual_used(mem) > mem->bytes - size)
        return PX_VIRTUAL_NO_MEMORY;
    struct px_virtual *v = begin(mem);
    if (!v) return PX_VIRTUAL_NO_MEMORY;
    if (!make_file(mem)) return PX_VIRTUAL_UNSUPPORTED;
    struct px_physical **at = &v->physicals;
    uint64_t place = 0;
    while (*at && (*at)->at - place < size) {
        place = (*at)->at + (*at)->size;
        at = &(*at)->next;
    }
    struct px_physical *p = size <= mem->bytes - place ? px_alloc(mem->alloc, sizeof *p) : NULL;
    if (!p) return PX_VIRTUAL_NO_MEMORY;
    *p = (struct px_physical){.next = *at, .at = place, .size = size, .refs = 1};
    *out = *at = p;
    return PX_VIRTUAL_OK;
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
    struct px_physical **at = &mem->virtual->physicals;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    forget_bytes(mem, p);
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
             MAP_SHARED | MAP_FIXED, mem->virtual->file, (off_t)(p->at + offset)) == MAP_FAILED) {
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
    return true;
}

static bool hide(struct px_mem *mem, const struct piece *p)
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
        if (!(open ? show(mem, span_of(mem, p->lo, p->len), p) : hide(mem, p))) return PX_VIRTUAL_NO_MEMORY;
        p->open = open;
    }
    return PX_VIRTUAL_OK;
}

enum px_virtual_status px_virtual_open(struct px_mem *mem, uint64_t va, uint64_t size, bool open)
{
    struct piece **first = pieces_of(mem, va, size);
    return first ? set_open(mem, *first, va + size, open) : PX_VIRTUAL_INVALID;
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
    if (v->file >= 0) close(v->file);
    px_free(mem->alloc, v, sizeof *v);
    mem->virtual = NULL;
}
