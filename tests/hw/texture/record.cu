/*
 * record.cu - what this machine's GPU answers to the cases of a list.
 *
 *   record CASES GOLDEN [--dump DIR] [--compare]
 *
 * Writes a line for each case to GOLDEN: the sum of hashes of the first QUICK fetches, of all FULL, and the case.
 * A case that cannot be made gets the error's name. --dump writes the first 65,536 results of cases whose line in CASES
 * begins with '+', and of those that differ. --compare holds our own unit (model.c) against the results and prints
 * how many fetches differ, and the first few.
 */
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>
#include <cuda_runtime.h>
#include "case.h"
#include "model.h"

extern "C" const struct px_tex_rows px_tex_rows_portable;

static const int DUMPED = 65536;

struct operands {
    const uint32_t *coord[3], *layer, *level, *dx[3], *dy[3], *offset[3], *compare;
};

#define OUT "{%0,%1,%2,%3}"
#define RESULT "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w)

__device__ static float f(const uint32_t *row, uint32_t i)
{
    return __uint_as_float(row[i]);
}

#define IN "l"(t), "f"(x), "f"(y), "f"(z), "r"(layer)
#define C1 "[%4, {%5}]"
#define C2 "[%4, {%5,%6}]"
#define C3 "[%4, {%5,%6,%7,%7}]"
#define CA1 "[%4, {%8,%5}]"
#define CA2 "[%4, {%8,%5,%6,%6}]"
#define CAC "[%4, {%8,%5,%6,%7}]"
#define DO(text, ...) asm volatile(text : RESULT : IN, ##__VA_ARGS__); break

/* Each kind's instruction; a tail stands behind the coordinates, of which there are one, two or three. */
#define ONE(op, kind, type, rest, ...) DO(op "." kind ".v4.u32." type " " OUT ", " rest ";", ##__VA_ARGS__)
#define LINES(op, type, tail, ...)                                                                           \
    case 0: ONE(op, "1d", type, C1 tail, ##__VA_ARGS__);                                                     \
    case 3: ONE(op, "a1d", type, CA1 tail, ##__VA_ARGS__)
#define PLANES(op, type, tail, ...)                                                                          \
    case 1: ONE(op, "2d", type, C2 tail, ##__VA_ARGS__);                                                     \
    case 4: ONE(op, "a2d", type, CA2 tail, ##__VA_ARGS__)
#define CUBES(op, type, tail, ...)                                                                           \
    case 5: ONE(op, "cube", type, C3 tail, ##__VA_ARGS__);                                                   \
    case 6: ONE(op, "acube", type, CAC tail, ##__VA_ARGS__)
#define FLATS(op, type, tail1, tail2, tail3, ...)                                                            \
    LINES(op, type, tail1, ##__VA_ARGS__);                                                                   \
    PLANES(op, type, tail2, ##__VA_ARGS__);                                                                  \
    case 2: ONE(op, "3d", type, C3 tail3, ##__VA_ARGS__)

__global__ void fetch(int op, int kind, int component, cudaTextureObject_t t, operands o, uint4 *out, uint32_t n)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 d = {0, 0, 0, 0};
    float x = f(o.coord[0], i), y = f(o.coord[1], i), z = f(o.coord[2], i);
    int ix = o.coord[0][i], iy = o.coord[1][i], iz = o.coord[2][i];
    uint32_t layer = o.layer[i];
    float l = f(o.level, i);
    int il = o.level[i];
    float ax = f(o.dx[0], i), ay = f(o.dx[1], i), az = f(o.dx[2], i);
    float bx = f(o.dy[0], i), by = f(o.dy[1], i), bz = f(o.dy[2], i);
    float reference = f(o.compare, i);
    int ex = o.offset[0][i], ey = o.offset[1][i], ez = o.offset[2][i];
    switch (op) {
    case OP_TEX:
        switch (kind) {
            FLATS("tex", "f32", "", "", "");
            CUBES("tex", "f32", "");
        }
        break;
    case OP_LEVEL:
        switch (kind) {
            FLATS("tex.level", "f32", ", %9", ", %9", ", %9", "f"(l));
            CUBES("tex.level", "f32", ", %9", "f"(l));
        }
        break;
    case OP_GRAD:
#define GRAD3 ", {%9,%10,%11,%11}, {%12,%13,%14,%14}"
#define GRADIENTS "f"(ax), "f"(ay), "f"(az), "f"(bx), "f"(by), "f"(bz)
        switch (kind) {
            FLATS("tex.grad", "f32", ", {%9}, {%12}", ", {%9,%10}, {%12,%13}", GRAD3, GRADIENTS);
            CUBES("tex.grad", "f32", GRAD3, GRADIENTS);
        }
        break;
    case OP_GATHER:
#define GATHER(c)                                                                                            \
    switch (kind) {                                                                                          \
        PLANES("tld4." c, "f32", "");                                                                        \
        CUBES("tld4." c, "f32", "");                                                                         \
    }                                                                                                        \
    break
        switch (component) {
        case 0: GATHER("r");
        case 1: GATHER("g");
        case 2: GATHER("b");
        case 3: GATHER("a");
        }
        break;
#undef IN
#define IN "l"(t), "r"(ix), "r"(iy), "r"(iz), "r"(layer)
    case OP_INT:
        switch (kind) { FLATS("tex", "s32", "", "", ""); }
        break;
    case OP_INT_LEVEL:
        switch (kind) { FLATS("tex.level", "s32", ", %9", ", %9", ", %9", "r"(il)); }
        break;
#undef IN
#define IN "l"(t), "f"(x), "f"(y), "f"(z), "r"(layer)
    case OP_OFFSET:
#define OFFSETS "r"(ex), "r"(ey), "r"(ez)
        switch (kind) { FLATS("tex", "f32", ", %9", ", {%9,%10}", ", {%9,%10,%11,%11}", OFFSETS); }
        break;
    case OP_GATHER_OFFSET:
        switch (kind) { PLANES("tld4.r", "f32", ", {%9,%10}", OFFSETS); }
        break;
    case OP_COMPARE:
        switch (kind) {
            PLANES("tex", "f32", ", %9", "f"(reference));
            CUBES("tex", "f32", ", %9", "f"(reference));
        }
        break;
    case OP_GATHER_COMPARE:
        switch (kind) {
            PLANES("tld4.r", "f32", ", %9", "f"(reference));
            CUBES("tld4.r", "f32", ", %9", "f"(reference));
        }
        break;
    case OP_HALVES:
        asm volatile("tex.2d.v2.f16x2.f32 {%0,%1}, [%2, {%3,%4}];" : "=r"(d.x), "=r"(d.y) : "l"(t), "f"(x), "f"(y));
        break;
    }
    out[i] = d;
}

/* ---- textures ---- */

struct texture {
    void *memory = nullptr;
    cudaArray_t array = nullptr;
    cudaMipmappedArray_t mipmap = nullptr;
    cudaTextureObject_t object = 0;
};

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        cudaError_t e_ = (call);                                                                             \
        if (e_ != cudaSuccess) return (void)cudaGetLastError(), e_;                                          \
    } while (0)

static cudaChannelFormatDesc format_of(const tex_case *c)
{
    static const int bits[] = {8, 16, 32, 8, 16, 32, 16, 32};
    cudaChannelFormatKind kind = c->format < 3   ? cudaChannelFormatKindUnsigned
                                 : c->format < 6 ? cudaChannelFormatKindSigned
                                                 : cudaChannelFormatKindFloat;
    int b = bits[c->format];
    return cudaCreateChannelDesc(b, c->channels > 1 ? b : 0, c->channels > 2 ? b : 0, c->channels > 3 ? b : 0, kind);
}

static cudaError_t fill_array(const tex_case *c, cudaArray_t array, int level)
{
    static const int size[] = {1, 2, 4, 1, 2, 4, 2, 4};
    std::vector<uint8_t> bytes(case_level_bytes(c, level));
    case_texels(c, level, bytes.data());
    cudaMemcpy3DParms copy = {};
    int w = case_extent(c->width, level), h = case_extent(c->height, level);
    int d = c->kind == 2 ? case_extent(c->depth, level) : c->layers;
    copy.srcPtr = make_cudaPitchedPtr(bytes.data(), (size_t)w * size[c->format] * c->channels, w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    return cudaMemcpy3D(&copy);
}

static cudaError_t make(const tex_case *c, texture *t)
{
    static const int size[] = {1, 2, 4, 1, 2, 4, 2, 4};
    cudaChannelFormatDesc format = format_of(c);
    cudaResourceDesc resource = {};
    if (c->linear || c->pitched) {
        std::vector<uint8_t> bytes(case_level_bytes(c, 0));
        case_texels(c, 0, bytes.data());
        size_t row = (size_t)c->width * size[c->format] * c->channels, pitch = (row + 511) / 512 * 512;
        TRY(cudaMalloc(&t->memory, pitch * c->height));
        TRY(cudaMemcpy2D(t->memory, pitch, bytes.data(), row, row, c->height, cudaMemcpyHostToDevice));
        if (c->linear) {
            resource.resType = cudaResourceTypeLinear;
            resource.res.linear = {t->memory, format, row};
        } else {
            resource.resType = cudaResourceTypePitch2D;
            resource.res.pitch2D = {t->memory, format, (size_t)c->width, (size_t)c->height, pitch};
        }
    } else {
        bool flat = c->kind == 0 || c->kind == 3;
        cudaExtent extent = make_cudaExtent(c->width, flat ? 0 : c->height, c->kind == 2 ? c->depth : c->kind < 2 ? 0 : c->layers);
        unsigned flags = c->kind == 3 || c->kind == 4 ? cudaArrayLayered
                         : c->kind == 5               ? cudaArrayCubemap
                         : c->kind == 6               ? cudaArrayCubemap | cudaArrayLayered
                                                      : 0;
        bool gathers = c->op == OP_GATHER || c->op == OP_GATHER_OFFSET || c->op == OP_GATHER_COMPARE;
        if (gathers && c->kind == 1) flags |= cudaArrayTextureGather;
        if (c->levels > 1) {
            TRY(cudaMallocMipmappedArray(&t->mipmap, &format, extent, c->levels, flags));
            for (int i = 0; i < c->levels; i++) {
                cudaArray_t level;
                TRY(cudaGetMipmappedArrayLevel(&level, t->mipmap, i));
                TRY(fill_array(c, level, i));
            }
            resource.resType = cudaResourceTypeMipmappedArray;
            resource.res.mipmap.mipmap = t->mipmap;
        } else {
            TRY(cudaMalloc3DArray(&t->array, &format, extent, flags));
            TRY(fill_array(c, t->array, 0));
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = t->array;
        }
    }
    cudaTextureDesc desc = {};
    for (int i = 0; i < 3; i++) desc.addressMode[i] = (cudaTextureAddressMode)c->address[i];
    desc.filterMode = (cudaTextureFilterMode)c->filter;
    desc.readMode = c->read_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    desc.sRGB = c->srgb;
    memcpy(desc.borderColor, c->border, sizeof desc.borderColor);
    desc.normalizedCoords = c->normalized;
    desc.maxAnisotropy = c->anisotropy;
    desc.mipmapFilterMode = (cudaTextureFilterMode)c->mip;
    desc.mipmapLevelBias = c->bias;
    desc.minMipmapLevelClamp = c->min_level;
    desc.maxMipmapLevelClamp = c->max_level;
    desc.disableTrilinearOptimization = c->trilinear;
    desc.seamlessCubemap = c->seamless;
    TRY(cudaCreateTextureObject(&t->object, &resource, &desc, nullptr));
    return cudaSuccess;
}

static void unmake(texture *t)
{
    if (t->object) cudaDestroyTextureObject(t->object);
    if (t->array) cudaFreeArray(t->array);
    if (t->mipmap) cudaFreeMipmappedArray(t->mipmap);
    if (t->memory) cudaFree(t->memory);
}

/* ---- one case ---- */

enum { ROWS = 15 };

struct worker {
    uint32_t *device = nullptr;
    uint4 *out = nullptr;
    std::vector<uint32_t> host;
    std::vector<uint4> results, model;
    cudaStream_t stream;
};

static cudaError_t run_case(const tex_case *c, worker *w)
{
    for (uint32_t i = 0; i < FULL; i++) {
        tex_operands o;
        case_operands(c, i, &o);
        uint32_t words[ROWS] = {o.coord[0], o.coord[1], o.coord[2], o.layer, o.level, o.dx[0], o.dx[1], o.dx[2],
                                o.dy[0], o.dy[1], o.dy[2], o.offset[0], o.offset[1], o.offset[2], o.compare};
        for (int k = 0; k < ROWS; k++) w->host[(size_t)k * FULL + i] = words[k];
    }
    TRY(cudaMemcpyAsync(w->device, w->host.data(), (size_t)ROWS * FULL * 4, cudaMemcpyHostToDevice, w->stream));
    operands o;
    const uint32_t **p = (const uint32_t **)&o;
    for (int k = 0; k < ROWS; k++) p[k] = w->device + (size_t)k * FULL;
    texture t;
    cudaError_t e = make(c, &t);
    if (e == cudaSuccess) e = cudaStreamSynchronize(nullptr); /* the texels are there */
    if (e == cudaSuccess) {
        fetch<<<FULL / 256, 256, 0, w->stream>>>(c->op, c->kind, c->component, t.object, o, w->out, FULL);
        e = cudaMemcpyAsync(w->results.data(), w->out, sizeof(uint4) * FULL, cudaMemcpyDeviceToHost, w->stream);
        if (e == cudaSuccess) e = cudaStreamSynchronize(w->stream);
    }
    unmake(&t);
    return e;
}

static void dump(const worker *w, const char *dir, int number, int words)
{
    std::string path = std::string(dir) + "/" + std::to_string(number);
    FILE *file = fopen(path.c_str(), "wb");
    for (int i = 0; i < DUMPED; i++) fwrite(&w->results[i], 4, words, file);
    fclose(file);
}

/* How many fetches differ from the model's, with examples. */
static std::string compare(const tex_case *c, worker *w, std::atomic<long> *total, std::atomic<long> *bad)
{
    if (!model_run(c, &px_tex_rows_portable, 0, FULL, (uint32_t(*)[4])w->model.data())) return "  model: cannot\n";
    long differ = 0;
    std::string text;
    for (uint32_t i = 0; i < FULL; i++) {
        if (!memcmp(&w->results[i], &w->model[i], 16)) continue;
        if (differ++ >= 3) continue;
        tex_operands o;
        case_operands(c, i, &o);
        char line[512];
        float x[4];
        memcpy(x, o.coord, 12), memcpy(x + 3, &o.level, 4);
        snprintf(line, sizeof line, "    %u: %.9g %.9g %.9g (%08x %08x %08x) level %.9g layer %u: chip %08x %08x %08x %08x ours %08x %08x %08x %08x\n", i, x[0], x[1], x[2],
                 o.coord[0], o.coord[1], o.coord[2], x[3], o.layer, w->results[i].x, w->results[i].y, w->results[i].z, w->results[i].w, w->model[i].x,
                 w->model[i].y, w->model[i].z, w->model[i].w);
        text += line;
    }
    *total += FULL, *bad += differ;
    return differ ? "  " + std::to_string(differ) + " differ: " + c->line + "\n" + text : "";
}

int main(int argc, char **argv)
{
    const char *dir = nullptr;
    bool compares = false;
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "--dump")) dir = argv[++i];
        if (!strcmp(argv[i], "--compare")) compares = true;
    }
    FILE *in = fopen(argv[1], "r"), *out = fopen(argv[2], "w");
    if (!in || !out) return 2;
    std::vector<tex_case> cases;
    std::vector<bool> dumped;
    char line[CASE_LINE];
    while (fgets(line, sizeof line, in)) {
        if (*line == '#' || *line == '\n') continue;
        tex_case c;
        size_t plus = strspn(line, "+");
        if (!case_parse(&c, line + plus)) return fprintf(stderr, "not understood: %s", line), 2;
        cases.push_back(c), dumped.push_back(plus > 0);
    }
    std::vector<std::string> answers(cases.size()), notes(cases.size());
    std::atomic<size_t> next{0};
    std::atomic<long> total{0}, bad{0};
    auto work = [&] {
        worker w;
        w.host.resize((size_t)ROWS * FULL), w.results.resize(FULL), w.model.resize(FULL);
        cudaMalloc(&w.device, (size_t)ROWS * FULL * 4);
        cudaMalloc(&w.out, sizeof(uint4) * FULL);
        cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking);
        for (size_t k; (k = next++) < cases.size();) {
            const tex_case *c = &cases[k];
            cudaError_t e = run_case(c, &w);
            if (e != cudaSuccess) {
                answers[k] = std::string(cudaGetErrorName(e)) + " - " + c->line;
                continue;
            }
            uint64_t quick = 0, full = 0;
            for (uint32_t i = 0; i < FULL; i++) {
                full += case_hash(i, (const uint32_t *)&w.results[i]);
                if (i == QUICK - 1) quick = full;
            }
            char sums[64];
            snprintf(sums, sizeof sums, "%08llx %016llx ", (unsigned long long)quick & 0xffffffff,
                     (unsigned long long)full);
            answers[k] = sums + std::string(c->line);
            if (compares) notes[k] = compare(c, &w, &total, &bad);
            if (dir && (dumped[k] || !notes[k].empty())) dump(&w, dir, (int)k, 4);
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 14; i++) threads.emplace_back(work);
    for (auto &t : threads) t.join();
    for (size_t k = 0; k < cases.size(); k++) {
        fprintf(out, "%s\n", answers[k].c_str());
        printf("%s", notes[k].c_str());
    }
    fclose(out);
    printf("%zu cases; %ld fetches compared, %ld differ\n", cases.size(), (long)total, (long)bad);
    return 0;
}
