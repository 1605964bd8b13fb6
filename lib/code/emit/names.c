/* names.c - what handlers are called, for who looks at records. */
#include "code/emit/names.h"
#include "code/emit/emit.h"
#include "ops/alloca.h"
#include "ops/assume.h"
#include "ops/async.h"
#include "ops/cluster.h"
#include "ops/matrix.h"
#include "ops/mbarrier.h"
#include "ops/move.h"
#include "code/emit/op_handlers.h"
#include "ops/operands.h"
#include "ops/policy.h"
#include "ops/sreg.h"
#include "ops/texture.h"
#include "ops/trace.h"
#include "ops/warp.h"
#include <stdio.h>
#include <string.h>

/* Functions of lib/ops that are neither of the table of instructions nor of fixed.def. */
static const struct px_handler_name ops[] = {{px_alloca, "alloca"},
                                             {px_assume_compare, "assume_compare"},
                                             {px_assume_fits_s32, "assume_fits_s32"},
                                             {px_assume_fits_u32, "assume_fits_u32"},
                                             {px_async_copy, "async_copy"},
                                             {px_async_wait, "async_wait"},
                                             {px_cluster_arrive, "cluster_arrive"},
                                             {px_cluster_ask, "cluster_wait"},
                                             {px_matrix_mma, "mma"},
                                             {px_matrix_wmma, "wmma"},
                                             {px_matrix_wgmma, "wgmma"},
                                             {px_mbarrier_wait, "mbarrier_wait"},
                                             {px_move_cvta, "cvta"},
                                             {px_move_cvta_to, "cvta_to"},
                                             {px_move_isspacep, "isspacep"},
                                             {px_nanosleep, "nanosleep"},
                                             {px_policy_fractions, "policy_fractions"},
                                             {px_policy_ranges, "policy_ranges"},
                                             {px_sreg_read, "sreg_read"},
                                             {px_texture_sample, "texture_sample"},
                                             {px_texture_surface, "texture_surface"},
                                             {px_texture_query, "texture_query"},
                                             {px_texture_istypep, "texture_istypep"},
                                             {px_trace_access, "trace_access"},
                                             {px_warp_sync, "warp_sync"},
                                             {px_emit_no_record, "no_record"},
#define PX_NAMED_HANDLER(number, name) {px_op_##name, #name},
#include "gen/op_handlers.inc"
#undef PX_NAMED_HANDLER
                                             {0}};

static const struct px_handler_name *const lists[] = {ops, px_emit_ctl_names, px_emit_alu_names,
                                                      px_emit_mem_names, px_emit_mode_names};

static const char *const fixed_names[PX_FIX_COUNT] = {
#define PX_FIXED(name, plain, masked, alone, surveyed) #name,
#include "gang/fixed.def"
};

static bool name_listed(px_handler fn, char *text, size_t size)
{
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct px_handler_name *n = lists[i]; n->fn; n++) {
            if (n->fn != fn) continue;
            snprintf(text, size, "%s", n->name);
            return true;
        }
    return false;
}

static bool name_fixed(const struct px_level *level, px_handler fn, char *text, size_t size)
{
    static const char *const versions[4] = {"", ".masked", ".alone", ".surveyed"};
    for (unsigned i = 0; i < PX_FIX_COUNT; i++)
        for (unsigned v = 0; v < 4; v++) {
            if (level->fixed[i][v] != fn) continue;
            snprintf(text, size, "%s%s", fixed_names[i], versions[v]);
            return true;
        }
    return false;
}

/* "mul_f32.rrr": of each source whether it is a row or a scalar. */
static bool add_statement(char *text, size_t size, const char *name, unsigned shape, const char *behind)
{
    snprintf(text, size, "%s.%c%c%c%s", name, shape & 1 ? 's' : 'r', shape & 2 ? 's' : 'r',
             shape & 4 ? 's' : 'r', behind);
    return true;
}

static bool name_statement(const struct px_level *level, px_handler fn, char *text, size_t size)
{
    for (uint32_t i = 0; i < *level->nsets; i++) {
        const struct px_handler_set *set = &level->sets[i];
        if (set->alone == fn) return snprintf(text, size, "%s.alone", set->name), true;
        for (unsigned k = 0; k < 2 * PX_SHAPES; k++)
            if (set->fn[k / PX_SHAPES][k % PX_SHAPES] == fn)
                return add_statement(text, size, set->name, k % PX_SHAPES, k < PX_SHAPES ? "" : ".masked");
    }
    return false;
}

/* "mul_f32.rrr+add_f32.rrr" */
static bool name_fused(const struct px_level *level, px_handler fn, char *text, size_t size)
{
    for (const struct px_fused *x = level->fused; x->fn; x++) {
        if (x->fn != fn && x->masked != fn) continue;
        size_t at = 0;
        for (uint32_t k = 0; k < x->n && at + 2 < size; k++) {
            if (k) text[at++] = '+';
            const bool masked = k + 1u == x->n && fn == x->masked;
            add_statement(text + at, size - at, level->sets[x->op[k]].name, x->shape[k],
                          masked ? ".masked" : "");
            at += strlen(text + at);
        }
        return true;
    }
    return false;
}

bool px_handler_name(const struct px_level *level, px_handler fn, char *text, size_t size)
{
    return name_listed(fn, text, size) || name_statement(level, fn, text, size) ||
           name_fixed(level, fn, text, size) || name_fused(level, fn, text, size);
}
