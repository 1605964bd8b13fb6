/*
 * virtual.h - reserve and map: addresses without memory, memory without addresses, and where they meet.
 *
 * Physical memory is a part of one file in memory that a device has for it, so the same bytes can be seen at
 * several addresses. A reserved range lies behind the memory that px_mem_alloc gives out. What is mapped and
 * may be used is in the allocation map, neighbours of one range as one block, so every access is checked as
 * elsewhere. One thread at a time calls these; others may look at the map meanwhile.
 */
#ifndef PX_MEM_VIRTUAL_H
#define PX_MEM_VIRTUAL_H

#include "mem/mem.h"

#define PX_MAP_GRAIN (2ull << 20) /* sizes and addresses are multiples of it, as on the chip */

struct px_physical {
    struct px_physical *next; /* of all, by place */
    uint64_t at, size;        /* bytes of the file */
    int file;                 /* its own, which other processes may map; -1: the device's */
    bool foreign;             /* it came from another process, and is no memory of this device */
    uint32_t refs;            /* its number, and one a mapping */
};

enum px_virtual_status {
    PX_VIRTUAL_OK,
    PX_VIRTUAL_INVALID,    /* sizes, addresses, or what lies there, are not such */
    PX_VIRTUAL_NO_MEMORY,  /* or no addresses */
    PX_VIRTUAL_UNSUPPORTED /* the host has no files in memory, or host pointers are device pointers */
};

enum px_virtual_status px_virtual_reserve(struct px_mem *mem, uint64_t size, uint64_t align, uint64_t *va);
/* The whole of what was reserved, with nothing mapped in it. */
enum px_virtual_status px_virtual_free(struct px_mem *mem, uint64_t va, uint64_t size);
enum px_virtual_status px_physical_new(struct px_mem *mem, uint64_t size, struct px_physical **physical);
/* Likewise, in a file of its own (share.h). */
enum px_virtual_status px_physical_new_shared(struct px_mem *mem, uint64_t size,
                                              struct px_physical **physical);
/* What such a file holds; it stays the caller's. */
enum px_virtual_status px_physical_import(struct px_mem *mem, int file, struct px_physical **physical);
void px_physical_release(struct px_mem *mem, struct px_physical *physical);
enum px_virtual_status px_virtual_map(struct px_mem *mem, uint64_t va, uint64_t size,
                                      struct px_physical *physical, uint64_t offset);
/* Whole mappings. */
enum px_virtual_status px_virtual_unmap(struct px_mem *mem, uint64_t va, uint64_t size);
enum px_virtual_status px_virtual_open(struct px_mem *mem, uint64_t va, uint64_t size, bool open);
/* Are whole mappings, which are open, open for peers of a group, too? Those see the block as long as one
 * mapping in it is. */
enum px_virtual_status px_virtual_see(struct px_mem *mem, uint64_t va, uint64_t size, uint32_t group,
                                      bool on);
/* Bytes [offset, offset+size) of another device's pages (share.h), at an address of their own. */
enum px_virtual_status px_virtual_attach(struct px_mem *mem, int file, uint64_t offset, uint64_t size,
                                         uint64_t *va);
enum px_virtual_status px_virtual_detach(struct px_mem *mem, uint64_t va);
/* Bytes of physical memory of this device. */
uint64_t px_virtual_used(const struct px_mem *mem);
void px_virtual_free_all(struct px_mem *mem);

#endif
