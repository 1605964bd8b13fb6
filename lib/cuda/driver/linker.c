/*
 * linker.c - several texts, objects and fat binaries to one image.
 *
 * The image is an object file of ours (docs/object.md) with every text in it; modules are linked when it is
 * loaded, but what nvlink would refuse is refused when the image is made. Of a host's objects, alone or in an
 * archive, the fat binaries are taken that nvcc put there. libcudadevrt is part of the machine, so an archive
 * of that name adds nothing.
 */
#include "cuda/driver/linker.h"
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/fatbin.h"
#include "cuda/driver/host.h"

enum { LOG_BYTES = 1 << 14, LTO_MAGIC = 0x7f4e43ed };

bool px_cu_linker_begin(struct px_cu_linker *linker, const char *arch, const struct px_cu_jit *jit)
{
    *linker = (struct px_cu_linker){.jit = *jit, .image = px_cu_image_new()};
    strncpy(linker->arch, arch, sizeof linker->arch - 1);
    return linker->image != NULL;
}

void px_cu_linker_end(struct px_cu_linker *linker)
{
    px_cu_image_give(linker->image);
    free(linker->bytes);
}

/* ---- inputs ---- */

/* Files of the host, read part by part. */
struct reading {
    struct px_cu_linker *linker;
    const char *name;
    unsigned found; /* sections with fat binaries */
    CUresult result;
};

static void add_fatbins(void *user, const void *at, size_t size)
{
    struct reading *r = user;
    r->found++;
    if (r->result == CUDA_SUCCESS)
        r->result = px_cu_image_add(r->linker->image, at, size, r->name, r->linker->arch, &r->linker->jit);
}

static void add_member(void *user, const void *at, size_t size)
{
    if (px_host_is(at, size)) px_host_fatbins(at, size, add_fatbins, user);
}

static CUresult add_host_file(struct px_cu_linker *linker, const void *data, size_t size, const char *name)
{
    struct reading r = {linker, name, 0, CUDA_SUCCESS};
    const bool archive = px_host_is_archive(data, size);
    if (archive && strstr(name, "cudadevrt")) return CUDA_SUCCESS;
    if (!archive)
        add_member(&r, data, size);
    else if (!px_host_members(data, size, add_member, &r))
        return CUDA_ERROR_INVALID_IMAGE;
    if (r.found || archive) return r.result;
    px_cu_jit_say(&linker->jit, "%s: this object of a host has no fat binary in it", name);
    return CUDA_ERROR_INVALID_IMAGE;
}

CUresult px_cu_linker_add(struct px_cu_linker *linker, const void *data, size_t size, const char *name)
{
    const char *known = name ? name : "application ptx input";
    if (linker->bytes) return CUDA_ERROR_INVALID_VALUE;
    if (px_host_is(data, size) || px_host_is_archive(data, size))
        return add_host_file(linker, data, size, known);
    return px_cu_image_add(linker->image, data, size, known, linker->arch, &linker->jit);
}

/* ---- the image ---- */

static int write_bytes(void *user, const char *text, size_t size)
{
    struct px_cu_linker *l = user;
    if (l->size + size > l->room) {
        const size_t room = (l->size + size) * 2;
        char *grown = realloc(l->bytes, room);
        if (!grown) return 1;
        l->bytes = grown;
        l->room = room;
    }
    memcpy(l->bytes + l->size, text, size);
    l->size += size;
    return 0;
}

static void tell(struct px_cu_linker *l, const ptx_link *made)
{
    for (size_t i = 0; i < ptx_link_diagnostic_count(made); i++) {
        ptx_link_diagnostic d = {sizeof d};
        if (ptx_link_diagnostic_get(made, i, &d) != PTX_OK || d.severity < PTX_ERROR) continue;
        const bool names_it = !d.file || strstr(d.message, d.file);
        px_cu_jit_say(&l->jit, "error   : %s%s%s", d.message, names_it ? "" : " in ", names_it ? "" : d.file);
    }
}

CUresult px_cu_linker_complete(struct px_cu_linker *l)
{
    ptx_link *made = NULL;
    const ptx_module *const *texts = (const ptx_module *const *)l->image->texts;
    if (l->bytes) return CUDA_SUCCESS;
    if (!l->image->count) return CUDA_ERROR_INVALID_VALUE;
    const ptx_status status = ptx_link_create(texts, l->image->count, NULL, &made);
    if (status == PTX_ERROR_LINK) tell(l, made);
    ptx_link_destroy(made);
    if (status != PTX_OK) return status == PTX_ERROR_LINK ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_UNKNOWN;
    if (ptx_object_write(texts, l->image->count, write_bytes, l) == PTX_OK) return CUDA_SUCCESS;
    free(l->bytes);
    l->bytes = NULL;
    l->size = l->room = 0;
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- for who has no context ---- */

struct px_cu_linker *px_cu_linker_new(const char *arch, int contract)
{
    if (cuInit(0) != CUDA_SUCCESS) return NULL; /* which reads the settings */
    struct px_cu_linker *l = malloc(sizeof *l);
    char *log = calloc(1, LOG_BYTES);
    const struct px_cu_jit jit = {
        .fmad = contract ? px_cu_settings()->fmad : PTX_FMAD_OFF, .error = log, .error_room = LOG_BYTES};
    if (l && log && px_cu_linker_begin(l, arch, &jit)) return l;
    free(log);
    free(l);
    return NULL;
}

void px_cu_linker_free(struct px_cu_linker *linker)
{
    if (!linker) return;
    free(linker->jit.error);
    px_cu_linker_end(linker);
    free(linker);
}

const char *px_cu_linker_log(const struct px_cu_linker *linker)
{
    return linker->jit.error;
}

CUresult px_cu_linker_image(struct px_cu_linker *linker, const void **image, size_t *size)
{
    PX_CU_TRY(px_cu_linker_complete(linker));
    *image = linker->bytes;
    *size = linker->size;
    return CUDA_SUCCESS;
}

/* ---- LTO-IR ---- */

static void find_lto(void *user, const struct px_fatbin_image *image)
{
    *(bool *)user |= image->kind == PX_FATBIN_LTO;
}

static void find_lto_section(void *user, const void *at, size_t size)
{
    px_fatbin_read(at, size, find_lto, user);
}

static void find_lto_member(void *user, const void *at, size_t size)
{
    if (px_host_is(at, size)) px_host_fatbins(at, size, find_lto_section, user);
}

bool px_cu_linker_lto(const void *data, size_t size)
{
    uint32_t magic = 0;
    bool found = false;
    if (size >= sizeof magic) memcpy(&magic, data, sizeof magic);
    if (magic == LTO_MAGIC) return true;
    if (magic == PX_FATBIN_MAGIC)
        px_fatbin_read(data, size, find_lto, &found);
    else if (px_host_is_archive(data, size))
        px_host_members(data, size, find_lto_member, &found);
    else
        find_lto_member(&found, data, size);
    return found;
}
