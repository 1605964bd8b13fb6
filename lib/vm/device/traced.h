/*
 * traced.h - who hears which memory there is, and of accesses that would fault
 * (ptx_device_config.trace_memory).
 */
#ifndef PX_VM_DEVICE_TRACED_H
#define PX_VM_DEVICE_TRACED_H

#include <stdbool.h>
#include <stdint.h>
#include "ptx_trace.h"

struct px_call;
struct px_gang;
struct px_insn;
struct ptx_device;

/* The host's part: ALLOC, FREE, FREE_ASKED, BAD_FREE. */
void px_traced_memory(struct ptx_device *device, ptx_trace_memory_kind kind, ptx_trace_owner owner,
                      uint64_t address, uint64_t bytes);
/* ALLOC in stream order, by that work of the host. */
void px_traced_pool(struct ptx_device *device, uint64_t address, uint64_t bytes, uint64_t work);
/* HOST_WRITE, HOST_READ, COPY. */
void px_traced_copy(struct ptx_device *device, ptx_trace_memory_kind kind, uint64_t address, uint64_t from,
                    uint64_t bytes);
/* AFTER, HOST_WAITED. */
void px_traced_work(struct ptx_device *device, ptx_trace_memory_kind kind, uint64_t work, uint64_t before,
                    bool overlaps);
/* What a kernel's call does to the device heap. */
void px_traced_heap(struct px_call *call, ptx_trace_memory_kind kind, uint64_t address, uint64_t bytes);
/* What a kernel's call writes for its caller: CALL_WRITE. */
void px_traced_call(const struct px_call *call, uint64_t va, uint64_t bytes);
/* px_worker.faulty */
bool px_traced_fault(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t size);

/* Fills what becomes memory with ptx_device_config.poison. */
void px_poison(const struct ptx_device *device, uint64_t address, uint64_t bytes);

#endif
