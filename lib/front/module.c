/* module.c - how long a module lives. */
#include "front/module.h"
#include "base/alloc.h"

void px_module_retain(struct ptx_module *module)
{
    atomic_fetch_add_explicit(&module->references, 1, memory_order_relaxed);
}

void px_module_release(struct ptx_module *module)
{
    if (atomic_fetch_sub_explicit(&module->references, 1, memory_order_acq_rel) != 1) return;
    ptx_allocator alloc = module->alloc;
    px_arena_free(&module->arena);
    px_free(&alloc, module, sizeof *module);
}
