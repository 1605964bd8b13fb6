// Copies and sets of 0, 1 and 2 rows with pitches of nothing, too little, enough: a line has what a function
// answers for each pair of pitches, the destination's before the source's.
#include "driver.h"

enum { WIDTH = 64, ROWS = 3, ROOM = 4096, PITCHES = 4 };
static const size_t pitches[PITCHES] = {0, WIDTH - 4, WIDTH, WIDTH + 16};
static CUdeviceptr device, other;
static CUarray array;
static unsigned char host[ROOM], back[ROOM];

struct shape {
    size_t rows, slices, to, from, height;
};

static void say(const char *name, CUresult (*call)(const struct shape *), size_t slices, size_t height)
{
    for (size_t rows = 0; rows <= 2; rows++) {
        printf("%s, %d rows, %d slices, height %d:", name, (int)rows, (int)slices, (int)height);
        for (int a = 0; a < PITCHES; a++)
            for (int b = 0; b < PITCHES; b++) {
                struct shape s = {rows, slices, pitches[a], pitches[b], height};
                printf("%s%d", b ? " " : a ? ", " : " ", (int)call(&s));
            }
        printf("\n");
    }
}

static CUDA_MEMCPY2D two(const struct shape *s)
{
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = s->from;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = device;
    c.dstPitch = s->to;
    c.WidthInBytes = WIDTH;
    c.Height = s->rows;
    return c;
}

static CUresult rows_up(const struct shape *s)
{
    CUDA_MEMCPY2D c = two(s);
    return cuMemcpy2D_v2(&c);
}

static CUresult rows_unaligned(const struct shape *s)
{
    CUDA_MEMCPY2D c = two(s);
    return cuMemcpy2DUnaligned_v2(&c);
}

static CUresult rows_across(const struct shape *s)
{
    CUDA_MEMCPY2D c = two(s);
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = other;
    return cuMemcpy2DAsync_v2(&c, NULL);
}

static CUresult rows_down(const struct shape *s)
{
    CUDA_MEMCPY2D c = two(s);
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = other;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = back;
    return cuMemcpy2D_v2(&c);
}

static CUresult rows_to_array(const struct shape *s)
{
    CUDA_MEMCPY2D c = two(s);
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = array;
    return cuMemcpy2D_v2(&c);
}

static CUresult rows_any(const struct shape *s)
{
    CUDA_MEMCPY2D c = two(s);
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    c.srcDevice = other;
    return cuMemcpy2D_v2(&c);
}

/* From the middle of a row: the pitch covers where it begins, or only the width. */
static CUresult rows_offset(const struct shape *s)
{
    CUDA_MEMCPY2D c = two(s);
    c.srcXInBytes = 8;
    c.srcY = 1;
    return cuMemcpy2D_v2(&c);
}

static CUresult box(const struct shape *s)
{
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = s->from;
    c.srcHeight = s->height;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = device;
    c.dstPitch = s->to;
    c.dstHeight = s->height;
    c.WidthInBytes = WIDTH;
    c.Height = s->rows;
    c.Depth = s->slices;
    return cuMemcpy3D_v2(&c);
}

static CUresult set8(const struct shape *s)
{
    return cuMemsetD2D8_v2(device, s->to, 1, WIDTH, s->rows);
}

static CUresult set16(const struct shape *s)
{
    return cuMemsetD2D16_v2(device, s->to, 1, WIDTH / 2, s->rows);
}

static CUresult set32(const struct shape *s)
{
    return cuMemsetD2D32_v2(device, s->to, 1, WIDTH / 4, s->rows);
}

static CUresult set_odd(const struct shape *s)
{
    return cuMemsetD2D32_v2(device, s->to + 2, 1, WIDTH / 4, s->rows);
}

int main(void)
{
    CUDA_ARRAY_DESCRIPTOR d = {WIDTH / 4, ROWS, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    start();
    DO(cuMemAlloc_v2(&device, ROOM));
    DO(cuMemAlloc_v2(&other, ROOM));
    DO(cuArrayCreate_v2(&array, &d));
    say("2D up", rows_up, 1, 0);
    say("2D unaligned", rows_unaligned, 1, 0);
    say("2D across", rows_across, 1, 0);
    say("2D down", rows_down, 1, 0);
    say("2D to an array", rows_to_array, 1, 0);
    say("2D unified", rows_any, 1, 0);
    say("2D from the middle", rows_offset, 1, 0);
    for (size_t slices = 0; slices <= 2; slices++)
        for (size_t height = 0; height <= 2; height++) say("3D", box, slices, height);
    say("set 8", set8, 1, 0);
    say("set 16", set16, 1, 0);
    say("set 32", set32, 1, 0);
    say("set 32, odd pitch", set_odd, 1, 0);
    SAY(cuCtxSynchronize());
    return 0;
}
