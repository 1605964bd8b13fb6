/*
 * words.c - parameters, shapes and places of launches in words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "launches/launches.h"
#include "ops/half.h"

enum { SHOWN_BYTES = 16, LARGE_NUMBER_BITS = 40 };
enum { PLACE_MASK = 0xfffffff }; /* of a handle (vm/device/handle.h): its place, and no generation */

/* Handles of lib/cdp/state.h that mean something by themselves. */
enum { STREAM_NULL, STREAM_LEGACY, STREAM_PER_THREAD, STREAM_TAIL, STREAM_FIRE_AND_FORGET };

/* The last of the names of which a mangled one is made, before its types; NULL: it is none. */
static const char *plain_name(struct px_arena *arena, const char *mangled)
{
    const char *at = mangled, *name = NULL;
    size_t n = 0;
    if (strncmp(at, "_Z", 2) != 0) return NULL;
    at += 2;
    const bool nested = *at == 'N';
    if (nested) at++;
    for (bool more = true; more && *at >= '0' && *at <= '9'; more = nested) {
        char *end;
        n = strtoul(at, &end, 10);
        if (n > strlen(end)) return NULL;
        name = end;
        at = end + n;
    }
    return name ? px_arena_text(arena, name, n) : NULL;
}

const char *px_launch_kernel_name(struct px_arena *arena, const struct px_launch *r)
{
    const char *plain = r->kernel ? plain_name(arena, r->kernel->name) : "(no kernel)";
    return plain ? plain : r->kernel->name;
}

const char *px_launch_param_name(const struct px_launch *r, uint32_t param)
{
    const char *name = r->kernel->params[param].name;
    const size_t length = strlen(r->kernel->name);
    return strncmp(name, r->kernel->name, length) == 0 && name[length] == '_' ? name + length + 1 : name;
}

/* ---- values ---- */

static uint64_t bits_of(const struct px_launch *r, const struct px_launched_param *p)
{
    uint64_t bits = 0;
    memcpy(&bits, r->params + p->offset, p->size < sizeof bits ? p->size : sizeof bits);
    return bits;
}

static int64_t extended(uint64_t bits, uint32_t size)
{
    const unsigned unused = 64 - 8 * (size < 8 ? size : 8);
    return (int64_t)(bits << unused) >> unused;
}

static bool is_scalar(const struct px_launched_param *p)
{
    return p->count == 1 && p->size >= 1 && p->size <= 8;
}

static const struct px_launched_pointer *pointer_of(const struct px_launch *r, uint32_t param)
{
    const struct px_launched_pointer *p = r->pointers ? &r->pointers[param] : NULL;
    return p && p->bytes ? p : NULL;
}

/* With as few digits as tell the value. */
static const char *shortest(struct px_arena *arena, double value, int digits, int most)
{
    char text[40];
    double back;
    do {
        snprintf(text, sizeof text, "%.*g", digits, value);
        back = most > 9 ? strtod(text, NULL) : (double)strtof(text, NULL);
    } while (digits++ < most && back != value);
    return px_arena_text(arena, text, strlen(text));
}

bool px_launch_real(const struct px_launch *r, uint32_t param, double *number)
{
    const struct px_launched_param *p = &r->kernel->params[param];
    const uint64_t bits = is_scalar(p) && p->klass == PX_TC_FLOAT ? bits_of(r, p) : 0;
    const uint32_t word = (uint32_t)bits;
    float f;
    if (!is_scalar(p) || p->klass != PX_TC_FLOAT || p->size == 1) return false;
    memcpy(&f, &word, sizeof f);
    if (p->size == 8)
        memcpy(number, &bits, sizeof *number);
    else if (p->size == 4)
        *number = (double)f;
    else
        *number = (double)(strcmp(p->type, "bf16") == 0 ? px_f32_of_bf16((uint16_t)bits)
                                                        : px_f32_of_f16((uint16_t)bits));
    return true;
}

static const char *window_text(struct px_arena *arena, uint64_t bits)
{
    static const char *const names[] = {[PX_WIN_SHARED] = "shared",
                                        [PX_WIN_LOCAL] = "local",
                                        [PX_WIN_CONST] = "const",
                                        [PX_WIN_PARAM] = "param"};
    const enum px_window window = px_window_of(bits);
    if (window == PX_WIN_NONE || window > PX_WIN_PARAM) return px_arena_printf(arena, "0x%" PRIx64, bits);
    const uint64_t mask = window == PX_WIN_LOCAL ? PX_LOCAL_MAX - 1 : UINT32_MAX;
    return px_arena_printf(arena, "%s+%" PRIu64, names[window], bits & mask);
}

static const char *pointer_text(struct px_arena *arena, const struct px_launched_pointer *p, uint64_t value)
{
    if (p->variable) return px_arena_printf(arena, "%s+%" PRIu64, p->variable, value - p->block);
    return px_arena_printf(arena, "0x%" PRIx64 "+%" PRIu64, p->block, value - p->block);
}

static const char *bytes_text(struct px_arena *arena, const struct px_launch *r,
                              const struct px_launched_param *p)
{
    char hex[2 * SHOWN_BYTES + 1] = "";
    const uint32_t n = p->size < SHOWN_BYTES ? p->size : SHOWN_BYTES;
    for (uint32_t i = 0; i < n; i++) snprintf(hex + 2 * i, 3, "%02x", r->params[p->offset + i]);
    return px_arena_printf(arena, "{%s%s}", hex, n < p->size ? "..." : "");
}

const char *px_launch_value(struct px_arena *arena, const struct px_launch *r, uint32_t param)
{
    const struct px_launched_param *p = &r->kernel->params[param];
    if (!is_scalar(p)) return bytes_text(arena, r, p);
    const struct px_launched_pointer *pointer = pointer_of(r, param);
    const uint64_t bits = bits_of(r, p);
    double real;
    if (pointer) return pointer_text(arena, pointer, bits);
    if (px_launch_real(r, param, &real))
        return shortest(arena, real, p->size == 8 ? 15 : 6, p->size == 8 ? 17 : 9);
    if (p->klass == PX_TC_SIGNED) return px_arena_printf(arena, "%" PRId64, extended(bits, p->size));
    if (bits >> LARGE_NUMBER_BITS) return window_text(arena, bits);
    return px_arena_printf(arena, "%" PRIu64, bits);
}

bool px_launch_number(const struct px_launch *r, uint32_t param, int64_t *number)
{
    const struct px_launched_param *p = &r->kernel->params[param];
    const struct px_launched_pointer *pointer = pointer_of(r, param);
    if (!is_scalar(p) || p->klass == PX_TC_FLOAT) return false;
    const uint64_t bits = bits_of(r, p);
    *number = p->klass == PX_TC_SIGNED ? extended(bits, p->size) : (int64_t)bits;
    if (pointer) *number = (int64_t)(bits - pointer->block);
    return true;
}

/* ---- shapes, streams, places ---- */

static const char *extent_text(struct px_arena *arena, const struct px_shape *s)
{
    if (s->z != 1) return px_arena_printf(arena, "%ux%ux%u", s->x, s->y, s->z);
    if (s->y != 1) return px_arena_printf(arena, "%ux%u", s->x, s->y);
    return px_arena_printf(arena, "%u", s->x);
}

const char *px_launch_shape(struct px_arena *arena, const struct px_launch *r)
{
    const char *grid = extent_text(arena, &r->shape), *block = extent_text(arena, &r->block);
    if (r->shared) return px_arena_printf(arena, "<<<%s,%s,%u>>>", grid, block, r->shared);
    return px_arena_printf(arena, "<<<%s,%s>>>", grid, block);
}

uint64_t px_launch_blocks(const struct px_launch *r)
{
    return (uint64_t)r->shape.x * r->shape.y * r->shape.z;
}

const char *px_launch_stream(struct px_arena *arena, const struct px_launch *r)
{
    static const char *const names[] = {[STREAM_NULL] = "NULL",
                                        [STREAM_LEGACY] = "NULL",
                                        [STREAM_PER_THREAD] = "per thread",
                                        [STREAM_TAIL] = "tail",
                                        [STREAM_FIRE_AND_FORGET] = "fire and forget"};
    if (!r->place && !r->stream) return "";
    if (r->stream <= (r->place ? STREAM_FIRE_AND_FORGET : STREAM_PER_THREAD)) return names[r->stream];
    return px_arena_printf(arena, "stream %" PRIu64, r->stream & PLACE_MASK);
}

static const char *index_text(struct px_arena *arena, const uint32_t at[3])
{
    if (at[1] || at[2]) return px_arena_printf(arena, "%u,%u,%u", at[0], at[1], at[2]);
    return px_arena_printf(arena, "%u", at[0]);
}

/* " (x.cu:12)". A call that was inlined from CUDA's header is told by who called the function there. */
static const char *source_text(struct px_arena *arena, const char *source)
{
    static const char header[] = "cuda_device_runtime_api.h:", inlined[] = " (inlined at ";
    const char *in = strstr(source, header), *out = in ? strstr(in, inlined) : NULL;
    if (!*source) return "";
    if (!out) return px_arena_printf(arena, " (%s)", source);
    out += sizeof inlined - 1;
    return px_arena_printf(arena, " (%.*s)", (int)strcspn(out, ")"), out);
}

const char *px_launch_place_text(struct px_arena *arena, const struct px_launch *r)
{
    const struct px_launch_place *p = r->place;
    if (!p) return "";
    return px_arena_printf(arena, "%s%s%u%s, block %s, thread %s", p->file, px_source_mark_line(p->file),
                           p->line, source_text(arena, p->source), index_text(arena, r->cta),
                           index_text(arena, r->thread));
}
