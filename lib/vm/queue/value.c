/*
 * value.c - values that streams wait for and write.
 *
 * The operands of the grid are its operations behind a head that counts those that are done. Reads are
 * acquire and writes release, so that what stands before a write is seen by who waited for it.
 */
#include "vm/queue/value.h"
#include <string.h>

enum { VALUES_MOST = 1 << 16 };

struct head {
    uint32_t done, n;
};

static bool compare(ptx_value_op op, uint64_t have, uint64_t want, unsigned bytes)
{
    switch (op) {
    case PTX_VALUE_WAIT_GEQ: /* cyclic, as counters that wrap are compared */
        return bytes == 4 ? (int32_t)((uint32_t)have - (uint32_t)want) >= 0 : (int64_t)(have - want) >= 0;
    case PTX_VALUE_WAIT_EQ: return have == want;
    case PTX_VALUE_WAIT_AND: return (have & want) != 0;
    default: return bytes == 4 ? (uint32_t) ~(have | want) != 0 : ~(have | want) != 0;
    }
}

/* True: it is done. */
static bool perform(void *at, const ptx_value *v)
{
    if (v->op == PTX_VALUE_WRITE) {
        if (v->bytes == 4)
            __atomic_store_n((uint32_t *)at, (uint32_t)v->value, __ATOMIC_RELEASE);
        else
            __atomic_store_n((uint64_t *)at, v->value, __ATOMIC_RELEASE);
        return true;
    }
    const uint64_t have = v->bytes == 4 ? __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE)
                                        : __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
    return compare(v->op, have, v->value, v->bytes);
}

static bool is_ok(const struct ptx_device *device, const ptx_value *v)
{
    return (unsigned)v->op <= PTX_VALUE_WRITE && (v->bytes == 4 || v->bytes == 8) &&
           v->address % v->bytes == 0 && px_mem_host(&device->mem, v->address, v->bytes);
}

bool px_values_ok(struct ptx_device *device, const ptx_value *values, size_t n)
{
    bool ok = values && n && n <= VALUES_MOST;
    for (size_t i = 0; ok && i < n; i++) ok = is_ok(device, &values[i]);
    return ok;
}

static ptx_value operation(const struct px_grid *grid, uint32_t i)
{
    ptx_value v;
    memcpy(&v, grid->params + sizeof(struct head) + i * sizeof v, sizeof v);
    return v;
}

/* All are done when it begins, unless memory has gone. */
static bool run_values(struct px_grid *grid, struct px_trap *trap)
{
    struct head h;
    memcpy(&h, grid->params, sizeof h);
    if (h.done == h.n) return true;
    trap->error = PX_CUDA_INVALID_VALUE;
    trap->address = operation(grid, h.done).address;
    strcpy(trap->text, "a value in stream order: its memory was freed");
    return false;
}

bool px_values_open(struct px_grid *grid)
{
    struct head h;
    if (grid->native != run_values) return true;
    memcpy(&h, grid->params, sizeof h);
    for (; h.done < h.n; h.done++) {
        const ptx_value v = operation(grid, h.done);
        void *at = px_mem_host(&grid->device->mem, v.address, v.bytes);
        if (!at || !perform(at, &v)) {
            memcpy(grid->params, &h, sizeof h);
            return !at;
        }
        if (v.op == PTX_VALUE_WRITE)
            px_traced_copy(grid->device, PTX_TRACE_HOST_WRITE, v.address, 0, v.bytes);
    }
    memcpy(grid->params, &h, sizeof h);
    return true;
}

struct px_grid *px_values_grid(struct ptx_device *device, const ptx_value *values, uint32_t n)
{
    const struct head h = {0, n};
    const size_t size = sizeof h + n * sizeof *values;
    unsigned char *operands = px_alloc(&device->alloc, size);
    if (!operands) return NULL;
    memcpy(operands, &h, sizeof h);
    memcpy(operands + sizeof h, values, n * sizeof *values);
    struct px_grid *grid = px_grid_create_native(device, run_values, operands, size);
    px_free(&device->alloc, operands, size);
    return grid;
}
