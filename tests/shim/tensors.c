/*
 * tensors.c - tensor maps and tensor copies through the driver interface, against a model of the manual.
 *
 * The model goes through the elements of a box one by one: where each lies in the tensor (PTX ISA 5.5,
 * cuTensorMapEncodeTiled and -Im2col in CUDA's header) and where in shared memory (5.5.7). Copies of random
 * shapes, types, steps, swizzles and coordinates, inside and outside, must leave the bytes that it gives.
 * What cannot be encoded is refused as the header says.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "program.h"

enum { RANK = 5, SMEM = 32768, GMEM = 1 << 17, UNTOUCHED = 0xee };
enum { TYPES = 13, F16 = 6, F32 = 7, F32_FTZ = 10, TF32_FTZ = 12, S32 = 3 };

/* A tensor, the box of a copy, and where it is. */
struct shape {
    unsigned type, rank, element;
    cuuint64_t dim[RANK], stride[RANK - 1];
    cuuint32_t box[RANK], step[RANK];
    unsigned swizzle, nans;
    bool pixels; /* im2col: */
    int lower[3], upper[3];
    cuuint32_t channels, column;
    int at[RANK];
    uint16_t offset[3];
};

static CUmodule module;
static CUdeviceptr tensor, shared;
static uint8_t in_tensor[GMEM], in_shared[SMEM], want[GMEM], got[GMEM];
static const unsigned elements[TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

/* ---- kernels ---- */

static char text[1 << 17], *end_of_text = text;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    end_of_text += vsprintf(end_of_text, format, list);
    va_end(list);
}

static void put_coordinates(unsigned rank)
{
    for (unsigned i = 0; i < rank; i++) put("%s%%c%u", i ? ", " : "", i);
}

/* Shared memory, whole, from `io` or to it; what stands between them is done by thread 0. */
static void put_head(const char *name)
{
    put(".visible .entry %s(.param .align 64 .b8 map[128], .param .u64 io, .param .u32 bytes,\n"
        " .param .u32 x0, .param .u32 x1, .param .u32 x2, .param .u32 x3, .param .u32 x4,\n"
        " .param .u16 y0, .param .u16 y1, .param .u16 y2)\n"
        "{\n .shared .align 1024 .b8 s[%d];\n .shared .align 8 .b64 bar;\n .reg .b64 %%m, %%io, %%g, %%st;\n"
        " .reg .b32 %%c<5>, %%n, %%t, %%i, %%a, %%v;\n .reg .b16 %%o<3>;\n .reg .pred %%p, %%q;\n"
        " mov.b64 %%m, map;\n cvta.param.u64 %%m, %%m;\n ld.param.u64 %%io, [io];\n ld.param.u32 %%n, "
        "[bytes];\n",
        name, SMEM);
    for (unsigned i = 0; i < RANK; i++) put(" ld.param.u32 %%c%u, [x%u];\n", i, i);
    for (unsigned i = 0; i < 3; i++) put(" ld.param.u16 %%o%u, [y%u];\n", i, i);
    put(" mov.u32 %%t, %%tid.x;\n setp.eq.u32 %%q, %%t, 0;\n");
}

static void put_move(bool in)
{
    put(" mov.u32 %%i, %%t;\n%s:\n mov.u32 %%a, s;\n mad.lo.u32 %%a, %%i, 4, %%a;\n mad.wide.u32 %%g, %%i, "
        "4, %%io;\n",
        in ? "in" : "out");
    if (in)
        put(" ld.global.u32 %%v, [%%g];\n st.shared.u32 [%%a], %%v;\n");
    else
        put(" ld.shared.u32 %%v, [%%a];\n st.global.u32 [%%g], %%v;\n");
    put(" add.u32 %%i, %%i, 128;\n setp.lt.u32 %%p, %%i, %d;\n @%%p bra %s;\n", SMEM / 4, in ? "in" : "out");
}

static void put_load(unsigned rank, bool pixels)
{
    char name[20];
    sprintf(name, "load%u%s", rank, pixels ? "i" : "");
    put_head(name);
    put_move(true);
    put(" @%%q mbarrier.init.shared.b64 [bar], 1;\n fence.mbarrier_init.release.cluster;\n "
        "fence.proxy.async;\n"
        " bar.sync 0;\n @%%q mbarrier.arrive.expect_tx.shared.b64 %%st, [bar], %%n;\n"
        " @%%q cp.async.bulk.tensor.%ud.shared::cluster.global.%s.mbarrier::complete_tx::bytes [s], [%%m, {",
        rank, pixels ? "im2col" : "tile");
    put_coordinates(rank);
    put("}], [bar]");
    for (unsigned i = 0; pixels && i + 2 < rank; i++) put("%s%%o%u", i ? ", " : ", {", i);
    put("%s;\nwait:\n mbarrier.try_wait.parity.shared.b64 %%p, [bar], 0;\n @!%%p bra wait;\n",
        pixels ? "}" : "");
    put_move(false);
    put(" ret;\n}\n");
}

static void put_store(unsigned rank, bool pixels, const char *op)
{
    char name[20];
    sprintf(name, "%s%u%s", op ? op : "store", rank, pixels ? "i" : "");
    put_head(name);
    put_move(true);
    put(" fence.proxy.async;\n bar.sync 0;\n @!%%q exit;\n "
        "cp.%sasync.bulk.tensor.%ud.global.shared::cta.%s%s%s.bulk_group [%%m, {",
        op ? "reduce." : "", rank, op ? op : "", op ? "." : "", pixels ? "im2col_no_offs" : "tile");
    put_coordinates(rank);
    put("}], [s];\n cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;\n ret;\n}\n");
}

static void load_kernels(void)
{
    put(".version 8.6\n.target sm_90\n.address_size 64\n");
    for (unsigned rank = 1; rank <= RANK; rank++)
        for (int pixels = 0; pixels <= (rank > 2); pixels++) {
            put_load(rank, pixels);
            put_store(rank, pixels, NULL);
            put_store(rank, pixels, "add");
        }
    MUST(cuModuleLoadData(&module, text));
}

/* ---- the model ---- */

static unsigned steps(const struct shape *s, unsigned i)
{
    return i ? (s->box[i] + s->step[i] - 1) / s->step[i] : s->box[0];
}

static unsigned rows(const struct shape *s)
{
    unsigned n = 1;
    for (unsigned i = 1; i < s->rank; i++) n *= steps(s, i);
    return s->pixels ? s->column : n;
}

static unsigned row_bytes(const struct shape *s)
{
    return s->element * (s->pixels ? s->channels : s->box[0]);
}

/* The coordinates of row `row` of a box of pixels, found by walking there. */
static void walk(const struct shape *s, unsigned row, long at[RANK])
{
    for (unsigned i = 0; i < s->rank; i++) at[i] = s->at[i];
    while (row--)
        for (unsigned i = 1; i < s->rank; i++) {
            if (i + 1 == s->rank) {
                at[i]++;
                break;
            }
            at[i] += s->step[i];
            if (at[i] < (long)s->dim[i] + s->upper[i - 1]) break;
            at[i] = s->lower[i - 1];
        }
    for (unsigned i = 1; i + 1 < s->rank; i++) at[i] += s->offset[i - 1];
}

/* Where element e of row `row` is in the tensor; -1: outside. */
static long in_the_tensor(const struct shape *s, unsigned row, unsigned e)
{
    long at[RANK], place;
    if (s->pixels) {
        walk(s, row, at);
    } else {
        for (unsigned i = 1; i < s->rank; i++) {
            at[i] = s->at[i] + (long)(row % steps(s, i)) * s->step[i];
            row /= steps(s, i);
        }
    }
    at[0] = s->at[0] + (long)e;
    place = at[0] * (long)s->element;
    for (unsigned i = 0; i < s->rank; i++)
        if (at[i] < 0 || at[i] >= (long)s->dim[i]) return -1;
    for (unsigned i = 1; i < s->rank; i++) place += at[i] * (long)s->stride[i - 1];
    return place;
}

/* Where its byte b is in shared memory: of each 128 bytes the 16 are exchanged, by the number of the 128. */
static unsigned in_shared_memory(const struct shape *s, unsigned row, unsigned e, unsigned b)
{
    const unsigned at = row * row_bytes(s) + e * s->element + b, line = at / 128, chunk = at % 128 / 16;
    const unsigned other[] = {chunk, chunk ^ line % 2, chunk ^ line % 4, chunk ^ line % 8,
                              chunk ^ line % 4 * 2};
    return line * 128 + other[s->swizzle] * 16 + at % 16;
}

static bool flushed(const struct shape *s, const uint8_t *element)
{
    uint32_t x;
    memcpy(&x, element, 4);
    return (s->type == F32_FTZ || s->type == TF32_FTZ) && !(x & 0x7f800000);
}

/* What a load leaves in shared memory. */
static void model_load(const struct shape *s)
{
    memcpy(want, in_shared, SMEM);
    for (unsigned row = 0; row < rows(s); row++)
        for (unsigned e = 0; e < row_bytes(s) / s->element; e++) {
            const long from = in_the_tensor(s, row, e);
            for (unsigned b = 0; b < s->element; b++) {
                uint8_t *to = &want[in_shared_memory(s, row, e, b)];
                if (from < 0)
                    *to = s->nans ? (b & 1 ? 0x7f : 0xf7) : 0;
                else if (flushed(s, in_tensor + from))
                    *to = b == 3 ? in_tensor[from + b] & 0x80 : 0;
                else
                    *to = in_tensor[from + b];
            }
        }
}

/* What a store leaves in the tensor; `adds`: s32. */
static void model_store(const struct shape *s, bool adds)
{
    memcpy(want, in_tensor, GMEM);
    for (unsigned row = 0; row < rows(s); row++)
        for (unsigned e = 0; e < row_bytes(s) / s->element; e++) {
            const long to = in_the_tensor(s, row, e);
            uint8_t value[8];
            if (to < 0) continue;
            for (unsigned b = 0; b < s->element; b++) value[b] = in_shared[in_shared_memory(s, row, e, b)];
            if (adds) {
                uint32_t sum, more;
                memcpy(&sum, want + to, 4);
                memcpy(&more, value, 4);
                sum += more;
                memcpy(value, &sum, 4);
            }
            memcpy(want + to, value, s->element);
        }
}

/* ---- runs ---- */

static CUresult encode(CUtensorMap *map, const struct shape *s)
{
    if (!s->pixels)
        return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)s->type, s->rank, (void *)(uintptr_t)tensor,
                                      s->dim, s->stride, s->box, s->step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                      (CUtensorMapSwizzle)s->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                      (CUtensorMapFloatOOBfill)s->nans);
    return cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)s->type, s->rank, (void *)(uintptr_t)tensor,
                                   s->dim, s->stride, s->lower, s->upper, s->channels, s->column, s->step,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)s->swizzle,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)s->nans);
}

static CUresult launch(const struct shape *s, CUtensorMap *map, const char *what)
{
    char name[20];
    CUfunction f;
    unsigned bytes = rows(s) * row_bytes(s);
    struct shape c = *s;
    void *args[] = {map,      &shared,  &bytes,       &c.at[0],     &c.at[1],    &c.at[2],
                    &c.at[3], &c.at[4], &c.offset[0], &c.offset[1], &c.offset[2]};
    sprintf(name, "%s%u%s", what, s->rank, s->pixels ? "i" : "");
    MUST(cuModuleGetFunction(&f, module, name));
    MUST(cuMemcpyHtoD(tensor, in_tensor, GMEM));
    MUST(cuMemcpyHtoD(shared, in_shared, SMEM));
    MUST(cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    return cuCtxSynchronize();
}

static void show(const struct shape *s, const char *what)
{
    fprintf(stderr, "%s: type %u rank %u swizzle %u nans %u pixels %d:", what, s->type, s->rank, s->swizzle,
            s->nans, s->pixels);
    for (unsigned i = 0; i < s->rank; i++)
        fprintf(stderr, " dim %u box %u step %u at %d;", (unsigned)s->dim[i], s->box[i], s->step[i],
                s->at[i]);
    fprintf(stderr, " channels %u column %u\n", s->channels, s->column);
}

static void compare(const struct shape *s, const char *what, CUdeviceptr from, unsigned bytes)
{
    MUST(cuMemcpyDtoH(got, from, bytes));
    if (memcmp(got, want, bytes)) show(s, what);
    for (unsigned i = 0; i < bytes; i++) CHECK(got[i] == want[i]);
}

static void try_shape(const struct shape *s)
{
    CUtensorMap map;
    MUST(encode(&map, s));
    CHECK(!(map.opaque[1] >> 21 & 1)); /* bit 85 */
    model_load(s);
    MUST(launch(s, &map, "load"));
    compare(s, "load", shared, SMEM);
    struct shape plain = *s;
    memset(plain.offset, 0, sizeof plain.offset);
    if (s->pixels && s->rank > 2) memcpy(plain.at, s->at, sizeof s->at);
    model_store(&plain, false);
    MUST(launch(&plain, &map, "store"));
    compare(&plain, "store", tensor, GMEM);
    if (s->type != S32) return;
    model_store(&plain, true);
    MUST(launch(&plain, &map, "add"));
    compare(&plain, "add", tensor, GMEM);
}

/* ---- shapes ---- */

static uint64_t seed = 31;

static unsigned draw(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* Sizes and strides of a tensor that fits, its rows a little longer than they need be. */
static void draw_tensor(struct shape *s)
{
    uint64_t bytes;
    s->type = draw(3) ? draw(TYPES) : S32;
    s->element = elements[s->type];
    do {
        s->dim[0] = 1 + draw(80);
        bytes = (s->dim[0] * s->element + 15) / 16 * 16 + 16 * draw(2);
        for (unsigned i = 1; i < s->rank; i++) {
            s->dim[i] = 1 + draw(12);
            s->stride[i - 1] = bytes;
            bytes *= s->dim[i] + draw(2);
        }
    } while (bytes > GMEM);
    s->swizzle = draw(5);
    s->nans = s->type >= F16 && draw(2);
}

/* Bytes of a row: a multiple of 16 that the swizzle takes. */
static unsigned draw_row(const struct shape *s)
{
    static const unsigned spans[] = {256, 32, 64, 128, 128};
    const unsigned most = spans[s->swizzle] < 256 * s->element ? spans[s->swizzle] : 256 * s->element;
    return 16 * (1 + draw(most / 16));
}

static struct shape draw_box(unsigned rank)
{
    struct shape s = {.rank = rank};
    draw_tensor(&s);
    do {
        s.box[0] = draw_row(&s) / s.element;
        for (unsigned i = 0; i < rank; i++) {
            s.step[i] = draw(3) ? 1 : 1 + draw(8);
            if (i) s.box[i] = 1 + draw(10);
            s.at[i] = (int)draw((unsigned)s.dim[i] + 6) - 3;
        }
    } while (rows(&s) * row_bytes(&s) > SMEM);
    return s;
}

/* Pixels within the corners, as a convolution has them. */
static struct shape draw_pixels(unsigned rank)
{
    struct shape s = {.rank = rank, .pixels = true};
    draw_tensor(&s);
    s.step[0] = s.step[rank - 1] = 1;
    s.at[0] = (int)draw((unsigned)s.dim[0] + 4) - 2;
    s.at[rank - 1] = (int)draw((unsigned)s.dim[rank - 1]);
    for (unsigned i = 1; i + 1 < rank; i++) {
        const int room = (int)s.dim[i] - 1;
        s.step[i] = draw(3) ? 1 : 1 + draw(3);
        s.lower[i - 1] = (int)draw(4) - 2;
        s.upper[i - 1] = (int)draw(4) - 2;
        if (room + s.upper[i - 1] < s.lower[i - 1]) s.upper[i - 1] = s.lower[i - 1] = 0;
        s.at[i] = s.lower[i - 1] + (int)draw((unsigned)(room + s.upper[i - 1] - s.lower[i - 1] + 1));
        s.offset[i - 1] = (uint16_t)draw(4);
    }
    s.channels = draw_row(&s) / s.element;
    s.column = 1 + draw(64);
    return s;
}

static void copies(void)
{
    enum { EACH = 150 };
    for (unsigned rank = 1; rank <= RANK; rank++)
        for (unsigned i = 0; i < EACH; i++) {
            const struct shape tile = draw_box(rank);
            try_shape(&tile);
            if (rank < 3) continue;
            const struct shape pixels = draw_pixels(rank);
            try_shape(&pixels);
        }
}

/* ---- what is refused ---- */

static struct shape usual(void)
{
    return (struct shape){.type = F32,
                          .rank = 3,
                          .element = 4,
                          .dim = {64, 8, 4},
                          .stride = {256, 2048},
                          .box = {32, 4, 2},
                          .step = {1, 1, 1},
                          .swizzle = 3,
                          .lower = {-1},
                          .upper = {-1},
                          .channels = 16,
                          .column = 64};
}

#define REFUSED(pixels_, change)                                                                             \
    do {                                                                                                     \
        struct shape s = usual();                                                                            \
        CUtensorMap map;                                                                                     \
        s.pixels = (pixels_);                                                                                \
        CHECK(encode(&map, &s) == CUDA_SUCCESS);                                                             \
        change;                                                                                              \
        CHECK(encode(&map, &s) == CUDA_ERROR_INVALID_VALUE);                                                 \
    } while (0)

static void refusals(void)
{
    CUtensorMap maps[2], *odd = (CUtensorMap *)(void *)((char *)maps + 32);
    struct shape whole = usual();
    REFUSED(0, s.rank = 0);
    REFUSED(0, s.rank = 6);
    REFUSED(0, s.type = 16);
    REFUSED(0, s.dim[1] = 0);
    REFUSED(0, s.dim[1] = (1ull << 32) + 1);
    REFUSED(0, s.stride[0] = 264);
    REFUSED(0, s.stride[1] = 1ull << 40);
    REFUSED(0, s.box[1] = 0);
    REFUSED(0, s.box[1] = 257);
    REFUSED(0, s.box[0] = 6);
    REFUSED(0, s.box[0] = 64);
    REFUSED(0, s.step[1] = 0);
    REFUSED(0, s.step[2] = 9);
    REFUSED(0, s.swizzle = 7);
    REFUSED(0, (s.type = S32, s.nans = 1));
    REFUSED(1, s.channels = 257);
    REFUSED(1, s.column = 1025);
    REFUSED(1, s.lower[0] = 8);
    REFUSED(1, s.rank = 2);
    CHECK(encode(odd, &whole) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encode(maps, &whole) == CUDA_SUCCESS);
    CHECK(cuTensorMapReplaceAddress(maps, (void *)(uintptr_t)(tensor + 8)) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTensorMapReplaceAddress(maps, (void *)(uintptr_t)(tensor + 16)) == CUDA_SUCCESS);
}

/* The same map, 16 bytes on. */
static void moved(void)
{
    struct shape s = usual();
    CUtensorMap map;
    CHECK(encode(&map, &s) == CUDA_SUCCESS);
    CHECK(cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(tensor + 16)) == CUDA_SUCCESS);
    MUST(launch(&s, &map, "load"));
    memmove(in_tensor, in_tensor + 16, GMEM - 16);
    model_load(&s);
    compare(&s, "moved", shared, SMEM);
}

int main(void)
{
    CUcontext c = begin();
    for (unsigned i = 0; i < GMEM; i++) in_tensor[i] = (uint8_t)draw(256);
    for (unsigned i = 0; i < SMEM; i++) in_shared[i] = (uint8_t)(i % 7 ? draw(256) : UNTOUCHED);
    for (unsigned i = 0; i < GMEM; i += 64) memcpy(in_tensor + i, i & 64 ? "\1\2\3\0" : "\1\2\3\200", 4);
    MUST(cuMemAlloc(&tensor, GMEM));
    MUST(cuMemAlloc(&shared, SMEM));
    load_kernels();
    copies();
    refusals();
    moved();
    MUST(cuCtxDestroy(c));
    puts("fine");
    return 0;
}
