/*
 * host.h - files that a host's compiler made: where nvcc put fat binaries into them.
 */
#ifndef PX_CUDA_DRIVER_HOST_H
#define PX_CUDA_DRIVER_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file is an ELF file of 64 bits for another machine than CUDA's. */
bool px_host_is(const void *file, size_t size);
/* Calls `tell` with each section that holds fat binaries, one behind the other. Places are held against
 * `size`. */
void px_host_fatbins(const void *file, size_t size, void (*tell)(void *user, const void *at, size_t size),
                     void *user);
/* Whether a file is an archive of ar(1). */
bool px_host_is_archive(const void *file, size_t size);
/* Calls `tell` with each member of an archive. False: the archive is damaged. */
bool px_host_members(const void *file, size_t size, void (*tell)(void *user, const void *at, size_t size),
                     void *user);

#endif
