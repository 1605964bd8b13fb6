/* clustering.c - the clusters of a launch, by its attributes and the kernel's directives. */
#include "vm/sched/clustering.h"
#include "gang/cluster.h"
#include "link/program.h"
#include "vm/device/device.h"
#include <stdarg.h>
#include <stdio.h>

enum { CLUSTER_SIZE = 912 /* CUDA's number */, PORTABLE = 8 /* blocks of a cluster on every chip */ };

static const struct px_directive *directive(const struct px_lfunc *kernel, px_word word)
{
    const struct px_func *func = kernel->fn->func;
    for (unsigned i = 0; i < func->ndirs; i++)
        if (func->dirs[i].word == word) return &func->dirs[i];
    return NULL;
}

static __attribute__((format(printf, 3, 4))) int refuse(struct px_clustering *c, int error,
                                                        const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->why, sizeof c->why, format, list);
    va_end(list);
    return error;
}

bool px_clustering_required(const struct px_lfunc *kernel, struct px_shape *shape)
{
    const struct px_directive *d = directive(kernel, PX_W_reqnctapercluster);
    if (!d) return false;
    uint32_t n[3] = {1, 1, 1};
    for (unsigned i = 0; i < d->n && i < 3; i++) n[i] = (uint32_t)d->value[i];
    *shape = (struct px_shape){n[0], n[1], n[2]};
    return true;
}

static bool same(struct px_shape a, struct px_shape b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Which ones, whatever their size. */
static int choose(const struct px_lfunc *kernel, const unsigned given[3], struct px_clustering *c)
{
    const struct px_shape want = {given[0], given[1], given[2]};
    const bool gives = given[0] || given[1] || given[2], wants = px_clustering_required(kernel, &c->shape);
    c->is_explicit = gives || wants;
    if (gives && wants && !same(want, c->shape))
        return refuse(c, CLUSTER_SIZE, "clusters of %u, %u, %u: .reqnctapercluster wants %u, %u, %u", want.x,
                      want.y, want.z, c->shape.x, c->shape.y, c->shape.z);
    if (gives) c->shape = want;
    if (!c->is_explicit && directive(kernel, PX_W_explicitcluster))
        return refuse(
            c, CLUSTER_SIZE,
            ".explicitcluster asks for the dimensions of a cluster, which the launch does not give");
    if (!c->is_explicit) c->shape = (struct px_shape){1, 1, 1};
    return 0;
}

int px_clustering_of(const struct px_lfunc *kernel, const unsigned given[3], bool open, struct px_shape grid,
                     struct px_clustering *c)
{
    const int error = choose(kernel, given, c);
    const struct px_directive *limit = directive(kernel, PX_W_maxclusterrank);
    const struct px_shape s = c->shape;
    const uint64_t blocks = s.x && s.y <= UINT16_MAX && s.z <= UINT16_MAX ? (uint64_t)s.x * s.y * s.z : 0;
    const uint64_t most = open ? PX_CLUSTER_MOST : PORTABLE;
    if (error) return error;
    if (!blocks) return refuse(c, CLUSTER_SIZE, "clusters of %u, %u, %u blocks", s.x, s.y, s.z);
    if (blocks > most)
        return refuse(c, CLUSTER_SIZE, "clusters of %llu blocks: at most %llu", (unsigned long long)blocks,
                      (unsigned long long)most);
    if (limit && blocks > limit->value[0])
        return refuse(c, CLUSTER_SIZE, "clusters of %llu blocks: .maxclusterrank allows %llu",
                      (unsigned long long)blocks, (unsigned long long)limit->value[0]);
    if (grid.x % s.x || grid.y % s.y || grid.z % s.z)
        return refuse(c, CLUSTER_SIZE, "clusters of %u, %u, %u do not divide a grid of %u, %u, %u", s.x, s.y,
                      s.z, grid.x, grid.y, grid.z);
    return 0;
}

int px_clustering_for(const struct ptx_kernel *kernel, const ptx_launch_config *config,
                      struct px_clustering *c)
{
    const unsigned *n = config->cluster;
    const struct px_shape grid = {config->grid[0] ? config->grid[0] : 1,
                                  config->grid[1] ? config->grid[1] : 1,
                                  config->grid[2] ? config->grid[2] : 1};
    return px_clustering_of(kernel->func, n[0] || n[1] || n[2] ? n : kernel->cluster, kernel->open, grid, c);
}
