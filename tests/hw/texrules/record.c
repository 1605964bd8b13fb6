/*
 * record.c - records what a GPU and its driver answer to cases.txt: record CASES [PART PARTS] >texrules.tsv
 *
 * A line a case (case.h has the format of CASES): its name, how far it came (array, texture, surface, launch,
 * or fine), the CUresult there, and the four results. Each case runs in a process of its own, since an error
 * ends the context. Needs an sm_90 GPU.
 */
#include "../common/child.h"
#include "../common/driver.h"
#include "case.h"

enum { SECONDS = 5 };

/* The case ends here. */
static void told(const Case *c, const char *where, CUresult r)
{
    printf("%s\t%s\t%d\n", c->name, where, (int)r);
    fflush(stdout);
    _exit(0);
}

static CUarray_format format_of(const Case *c)
{
    static const struct {
        const char *name;
        CUarray_format format;
    } all[] = {{"u8", CU_AD_FORMAT_UNSIGNED_INT8},   {"u16", CU_AD_FORMAT_UNSIGNED_INT16},
               {"u32", CU_AD_FORMAT_UNSIGNED_INT32}, {"s8", CU_AD_FORMAT_SIGNED_INT8},
               {"s16", CU_AD_FORMAT_SIGNED_INT16},   {"s32", CU_AD_FORMAT_SIGNED_INT32},
               {"f16", CU_AD_FORMAT_HALF},           {"f32", CU_AD_FORMAT_FLOAT}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, c->format)) return all[i].format;
    return (CUarray_format)0;
}

static bool kind_is(const Case *c, const char *kind)
{
    return !strcmp(c->kind, kind);
}

typedef struct Made {
    CUarray array, level0;
    CUmipmappedArray levels;
    CUdeviceptr memory;
    CUDA_RESOURCE_DESC resource;
} Made;

static void fill_level(const Case *c, CUarray array, unsigned level)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    must(cuArray3DGetDescriptor(&d, array), "descriptor");
    const size_t h = d.Height ? d.Height : 1, n = d.Depth ? d.Depth : 1;
    const size_t layers = kind_is(c, "a1d") ? d.Depth : n, texels = d.Width * h * layers;
    uint8_t *data = malloc(texels * case_size(c) + 4);
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = data,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array};
    if (texels > 1 << 20) return;
    case_fill(c, level, texels, data);
    copy.srcPitch = copy.WidthInBytes = d.Width * case_size(c);
    copy.srcHeight = copy.Height = h;
    copy.Depth = layers;
    must(cuMemcpy3D(&copy), "copy");
}

static void make_array(const Case *c, Made *m)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = c->width,
                                 .Height = c->height,
                                 .Depth = c->depth,
                                 .Format = format_of(c),
                                 .NumChannels = c->channels};
    if (c->kind[0] == 'a') d.Flags |= CUDA_ARRAY3D_LAYERED;
    if (strstr(c->kind, "cube")) d.Flags |= CUDA_ARRAY3D_CUBEMAP;
    if (case_flag(c, 's')) d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (case_flag(c, 'g')) d.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
    CUresult r =
        c->levels > 1 ? cuMipmappedArrayCreate(&m->levels, &d, c->levels) : cuArray3DCreate(&m->array, &d);
    if (r) told(c, "array", r);
    if (c->levels == 1) {
        fill_level(c, m->array, 0);
        m->level0 = m->array;
        m->resource.resType = CU_RESOURCE_TYPE_ARRAY;
        m->resource.res.array.hArray = m->array;
        return;
    }
    for (unsigned i = 0; i < c->levels; i++) {
        CUarray level;
        r = cuMipmappedArrayGetLevel(&level, m->levels, i);
        if (r) break;
        if (!i) m->level0 = level;
        fill_level(c, level, i);
    }
    m->resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    m->resource.res.mipmap.hMipmappedArray = m->levels;
}

static void make_memory(const Case *c, Made *m)
{
    const size_t row = c->width * case_size(c), h = c->height ? c->height : 1;
    size_t pitch = kind_is(c, "pitch") ? (row + 511) / 512 * 512 : row, bytes = pitch * h;
    uint8_t *data = calloc(bytes + 512, 1);
    if (case_flag(c, 't')) pitch = row;
    if (bytes < 1 << 20)
        for (size_t y = 0; y < h; y++) case_fill(c, 0, c->width, data + y * pitch);
    must(cuMemAlloc(&m->memory, bytes ? bytes : 1), "memory");
    if (bytes && bytes < 1 << 20) must(cuMemcpyHtoD(m->memory, data, bytes), "write");
    const CUdeviceptr at = m->memory + (case_flag(c, 'o') ? 16 : 0);
    const size_t more = case_flag(c, 'p') ? 64u << 20 : 0;
    if (kind_is(c, "linear")) {
        m->resource.resType = CU_RESOURCE_TYPE_LINEAR;
        m->resource.res.linear.devPtr = at;
        m->resource.res.linear.format = format_of(c);
        m->resource.res.linear.numChannels = c->channels;
        m->resource.res.linear.sizeInBytes = bytes + more;
        return;
    }
    m->resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    m->resource.res.pitch2D.devPtr = at;
    m->resource.res.pitch2D.format = format_of(c);
    m->resource.res.pitch2D.numChannels = c->channels;
    m->resource.res.pitch2D.width = c->width;
    m->resource.res.pitch2D.height = h + more / pitch;
    m->resource.res.pitch2D.pitchInBytes = pitch;
}

static CUaddress_mode address_of(const Case *c)
{
    return case_is(c->texture, "wrap")     ? CU_TR_ADDRESS_MODE_WRAP
           : case_is(c->texture, "mirror") ? CU_TR_ADDRESS_MODE_MIRROR
           : case_is(c->texture, "border") ? CU_TR_ADDRESS_MODE_BORDER
                                           : CU_TR_ADDRESS_MODE_CLAMP;
}

static CUDA_TEXTURE_DESC texture_of(const Case *c)
{
    CUDA_TEXTURE_DESC t = {.filterMode = case_is(c->texture, "linear") ? CU_TR_FILTER_MODE_LINEAR
                                                                       : CU_TR_FILTER_MODE_POINT};
    const char *aniso = strstr(c->texture, "aniso");
    for (int i = 0; i < 3; i++) t.addressMode[i] = address_of(c);
    if (case_is(c->texture, "norm")) t.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (case_is(c->texture, "int")) t.flags |= CU_TRSF_READ_AS_INTEGER;
    if (case_is(c->texture, "srgb")) t.flags |= CU_TRSF_SRGB;
    if (aniso) t.maxAnisotropy = (unsigned)atoi(aniso + 5);
    t.maxMipmapLevelClamp = 20;
    return t;
}

static void bind(const Case *c, const Made *m, CUmodule module)
{
    CUtexref t;
    CUsurfref s;
    const CUDA_TEXTURE_DESC d = texture_of(c);
    must(cuModuleGetTexRef(&t, module, "tr"), "texref");
    must(cuModuleGetSurfRef(&s, module, "sr"), "surfref");
    for (int i = 0; i < 3; i++) must(cuTexRefSetAddressMode(t, i, d.addressMode[i]), "mode");
    must(cuTexRefSetFilterMode(t, d.filterMode), "filter");
    must(cuTexRefSetFlags(t, d.flags), "flags");
    must(cuTexRefSetArray(t, m->array, CU_TRSA_OVERRIDE_FORMAT), "bind");
    must(cuSurfRefSetArray(s, m->array, 0), "bind surface");
}

static void launch(const Case *c, CUmodule module, uint64_t tex, uint64_t surf)
{
    uint32_t result[CASE_RESULTS];
    CUdeviceptr out;
    CUfunction fn;
    must(cuMemAlloc(&out, sizeof result), "memory");
    void *args[] = {&out, &tex, &surf};
    must(cuModuleGetFunction(&fn, module, "k"), "kernel");
    CUresult r = cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    if (r) told(c, "start", r);
    r = cuCtxSynchronize();
    if (r) told(c, "launch", r);
    must(cuMemcpyDtoH(result, out, sizeof result), "read");
    printf("%s\tfine\t0", c->name);
    for (int i = 0; i < CASE_RESULTS; i++) printf("\t%x", result[i]);
    printf("\n");
    fflush(stdout);
    _exit(0);
}

static void run(const Case *c)
{
    static char log[4096];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module = NULL;
    Made m = {0};
    CUtexObject tex = 0;
    CUsurfObject surf = 0;
    open_device();
    if (kind_is(c, "linear") || kind_is(c, "pitch"))
        make_memory(c, &m);
    else
        make_array(c, &m);
    const bool create = !strcmp(c->handle, "create");
    if (*c->texture) {
        const CUDA_TEXTURE_DESC desc = texture_of(c);
        CUresult r = cuTexObjectCreate(&tex, &m.resource, &desc, NULL);
        if (r) told(c, "texture", r);
    }
    if (case_flag(c, 's') || case_flag(c, 'S')) {
        CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_ARRAY};
        d.res.array.hArray = m.level0;
        CUresult r = cuSurfObjectCreate(&surf, case_flag(c, 'M') ? &m.resource : &d);
        if (r) told(c, "surface", r);
    }
    if (create) {
        if (m.levels) {
            CUarray level;
            CUDA_ARRAY3D_DESCRIPTOR d;
            unsigned n = 0;
            while (n < 32 && !cuMipmappedArrayGetLevel(&level, m.levels, n)) n++;
            must(cuMipmappedArrayGetLevel(&level, m.levels, n - 1), "last");
            must(cuArray3DGetDescriptor(&d, level), "last");
            printf("%s\tfine\t0\t%x\t%x\t%x\t0\n", c->name, n, (unsigned)d.Width, (unsigned)d.Height);
            fflush(stdout);
            _exit(0);
        }
        told(c, "fine", 0);
    }
    CUresult r = cuModuleLoadDataEx(&module, c->ptx, 2, options, values);
    if (r) {
        fprintf(stderr, "%s: %s\n", c->name, log);
        told(c, "load", r);
    }
    if (!strcmp(c->handle, "reference")) bind(c, &m, module);
    if (!strcmp(c->handle, "destroyed")) cuTexObjectDestroy(tex), surf ? cuSurfObjectDestroy(surf) : 0;
    if (!strcmp(c->handle, "gone")) cuArrayDestroy(m.array);
    uint64_t t = tex, s = surf;
    if (!strncmp(c->handle, "0x", 2)) t = s = strtoull(c->handle, NULL, 16);
    if (!strcmp(c->handle, "surface")) t = surf;
    if (!strcmp(c->handle, "texture")) s = tex;
    launch(c, module, t, s);
}

int main(int argc, char **argv)
{
    static Case c;
    unsigned part, parts;
    FILE *f = share_of(argc, argv, 2, &part, &parts) ? fopen(argv[1], "r") : NULL;
    if (!f) return fprintf(stderr, "usage: record CASES [PART PARTS]\n"), 2;
    for (unsigned i = 0; case_next(f, &c); i++) {
        if (i % parts != part) continue;
        fflush(stdout);
        pid_t child = fork();
        if (!child) run(&c);
        int status;
        if (!ends(child, SECONDS, &status))
            printf("%s\thangs\t0\n", c.name);
        else if (WIFSIGNALED(status) || WEXITSTATUS(status))
            printf("%s\tbroken\t%d\n", c.name, status);
    }
    return 0;
}
