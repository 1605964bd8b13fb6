/*
 * share.h - memory that other processes may map: files in memory whose size is sealed, and a device's pages
 * in one.
 *
 * A device has one such file for its own memory, made when something of it is first shared. Byte n of the
 * file is byte n of the device's memory; a page that is shared is moved there, and all others are private as
 * before. So an allocation is shared where it is, whatever lies beside it. Another process finds it by the
 * file, the offset and the size, and maps it where it likes (virtual.h).
 */
#ifndef PX_MEM_SHARE_H
#define PX_MEM_SHARE_H

#include "mem/virtual.h"

/* A file of `size` zeros that only processes with its descriptor can map; -1: the system has none. */
int px_share_file(uint64_t size);
/* The size that such a file was made with; 0: it is none, whatever it is. */
uint64_t px_share_file_size(int file);

/* Moves the pages of [va, va+size), inside one allocation, into the device's file. Nobody uses them
 * meanwhile. */
enum px_virtual_status px_share_pages(struct px_mem *mem, uint64_t va, uint64_t size);
/* Is all of that there already? */
bool px_share_has(const struct px_mem *mem, uint64_t va, uint64_t size);
/* The device's file, and where a byte of its memory is there; -1: nothing is shared. */
int px_share_place(const struct px_mem *mem, uint64_t va, uint64_t *offset);
/* Whole pages were made private again. */
void px_share_forget(struct px_mem *mem, uint64_t va, uint64_t size);
void px_share_free(struct px_mem *mem);

#endif
