/*
 * arrays.c - CUDA arrays: what they are made with and tell, copies of every way and shape (waited for, in
 * streams, captured, in graphs, between contexts), and what is wrong with them.
 */
#include "program.h"

enum { W = 8, H = 4, D = 3 };

static CUarray make(size_t w, size_t h, size_t d, CUarray_format format, unsigned channels, unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {w, h, d, format, channels, flags};
    CUarray array;
    MUST(cuArray3DCreate(&array, &descriptor));
    return array;
}

static void made(void)
{
    CUarray a, level, again;
    CUmipmappedArray m;
    const CUDA_ARRAY_DESCRIPTOR flat = {W, H, CU_AD_FORMAT_HALF, 2};
    CUDA_ARRAY_DESCRIPTOR told;
    CUDA_ARRAY3D_DESCRIPTOR deep = {16, 8, 0, CU_AD_FORMAT_SIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_ARRAY3D_DESCRIPTOR is;
    size_t width;
    MUST(cuArrayCreate(&a, &flat));
    MUST(cuArrayGetDescriptor(&told, a));
    CHECK(told.Width == W && told.Height == H && told.Format == CU_AD_FORMAT_HALF && told.NumChannels == 2);
    MUST(cuArray3DGetDescriptor(&is, a));
    CHECK(is.Width == W && is.Height == H && is.Depth == 0 && is.Flags == 0);
    MUST(cuArrayDestroy(a));
    CHECK(cuArrayDestroy(a) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuArrayGetDescriptor(&told, a) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuMipmappedArrayCreate(&m, &deep, 3));
    for (unsigned i = 0; i < 3; i++) {
        MUST(cuMipmappedArrayGetLevel(&level, m, i));
        MUST(cuMipmappedArrayGetLevel(&again, m, i));
        CHECK(level == again);
        MUST(cuArray3DGetDescriptor(&is, level));
        CHECK(is.Width == 16u >> i && is.Height == 8u >> i && is.Flags == CUDA_ARRAY3D_SURFACE_LDST);
    }
    CHECK(cuMipmappedArrayGetLevel(&level, m, 3) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuArrayDestroy(again) == CUDA_ERROR_INVALID_HANDLE); /* it is a level */
    MUST(cuMipmappedArrayDestroy(m));
    CHECK(cuArray3DGetDescriptor(&is, again) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMipmappedArrayDestroy(m) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuMipmappedArrayCreate(&m, &deep, 20)); /* as many as there can be: 16, 8, 4, 2, 1 */
    MUST(cuMipmappedArrayGetLevel(&level, m, 4));
    CHECK(cuMipmappedArrayGetLevel(&level, m, 5) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMipmappedArrayDestroy(m));
    MUST(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 0));
    CHECK(width == 1 << 28);
}

/* Limits are those that an H100 refused (tests/hw/texrules), errors those of the manual. */
static void refused(void)
{
    static const CUDA_ARRAY3D_DESCRIPTOR wrong[] = {
        {0, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0},
        {131073, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0},
        {8, 65537, 0, CU_AD_FORMAT_FLOAT, 1, 0},
        {8, 8, 0, CU_AD_FORMAT_FLOAT, 3, 0},
        {8, 8, 0, (CUarray_format)0x7, 1, 0},
        {8, 9, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP},
        {8, 8, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP},
        {8, 8, 2049, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}};
    CUDA_ARRAY3D_DESCRIPTOR fine = {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUarray a, plane;
    CUmipmappedArray m;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(cuArray3DCreate(&a, &wrong[i]) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuArray3DCreate(NULL, &fine) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuArray3DCreate(&a, NULL) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMipmappedArrayCreate(&m, &fine, 1));
    a = make(8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    CHECK(cuArrayGetMemoryRequirements(&needs, a, 0) == CUDA_ERROR_INVALID_VALUE); /* it is mapped */
    CHECK(cuArrayGetMemoryRequirements(&needs, a, 99) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(cuMipmappedArrayGetMemoryRequirements(&needs, m, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuArrayGetSparseProperties(&sparse, a) == CUDA_ERROR_INVALID_VALUE); /* and not sparse */
    CHECK(cuMipmappedArrayGetSparseProperties(&sparse, m) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuArrayGetPlane(&plane, a, 0) == CUDA_ERROR_INVALID_VALUE);
    fine.Flags = CUDA_ARRAY3D_SPARSE;
    CHECK(cuArray3DCreate(&plane, &fine) == CUDA_ERROR_NOT_SUPPORTED);
    MUST(cuMipmappedArrayDestroy(m));
    MUST(cuArrayDestroy(a));
}

static void rows(void)
{
    unsigned in[W], out[W] = {0};
    CUarray a = make(W, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
    CUarray b = make(W, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
    CUdeviceptr p;
    CUstream s;
    MUST(cuMemAlloc(&p, sizeof in));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < W; i++) in[i] = 1000 + i;
    MUST(cuMemcpyHtoA(a, 0, in, sizeof in));
    MUST(cuMemcpyAtoA(b, 8, a, 4, 16)); /* texels 1 to 4 become 2 to 5 */
    MUST(cuMemcpyAtoD(p, b, 0, sizeof in));
    MUST(cuMemcpyDtoH(out, p, sizeof out));
    for (unsigned i = 0; i < W; i++) CHECK(out[i] == (i >= 2 && i < 6 ? 999 + i : 0));
    MUST(cuMemsetD32(p, 77, W));
    MUST(cuMemcpyDtoA(a, 4, p + 8, 8));
    MUST(cuMemcpyAtoH(out, a, 0, sizeof out));
    for (unsigned i = 0; i < W; i++) CHECK(out[i] == (i == 1 || i == 2 ? 77 : 1000 + i));
    for (unsigned i = 0; i < W; i++) in[i] = i * i;
    MUST(cuMemcpyHtoAAsync(a, 0, in, sizeof in, s));
    MUST(cuMemcpyAtoHAsync(out, a, 4, 8, s));
    MUST(cuStreamSynchronize(s));
    CHECK(out[0] == 1 && out[1] == 4 && out[2] == 77);
    CHECK(cuMemcpyHtoA(a, 4, in, sizeof in) == CUDA_ERROR_INVALID_VALUE); /* past the end */
    CHECK(cuMemcpyHtoA(a, 2, in, 4) == CUDA_ERROR_INVALID_VALUE);         /* part of a texel */
    CHECK(cuMemcpyAtoH(out, a, SIZE_MAX - 3, 8) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyAtoH(NULL, a, 0, 8) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemcpyHtoA(a, 0, in, 0));
    MUST(cuArrayDestroy(a));
    CHECK(cuMemcpyHtoA(a, 0, in, 4) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemcpyHtoA(NULL, 0, in, 4) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemcpyAtoA(b, 0, (CUarray)p, 0, 4) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuArrayDestroy(b));
    MUST(cuStreamDestroy(s));
    MUST(cuMemFree(p));
}

static CUDA_MEMCPY3D box(CUarray to, const void *from)
{
    return (CUDA_MEMCPY3D){IN_HOST(src, from, W * 2), .srcHeight = H, IN_ARRAY(dst, to),
                           .WidthInBytes = W * 2,     .Height = H,    .Depth = D};
}

static CUDA_MEMCPY3D box_back(void *to, CUarray from)
{
    return (CUDA_MEMCPY3D){IN_ARRAY(src, from), IN_HOST(dst, to, W * 2),
                           .dstHeight = H,      .WidthInBytes = W * 2,
                           .Height = H,         .Depth = D};
}

typedef unsigned short volume[D][H][W];

static void fill(volume v, unsigned first)
{
    for (unsigned i = 0; i < D * H * W; i++) v[i / (H * W)][i / W % H][i % W] = (unsigned short)(first + i);
}

static void shapes(void)
{
    volume in, out;
    CUarray a = make(W, H, D, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0);
    CUarray layers = make(W, H, D, CU_AD_FORMAT_UNSIGNED_INT16, 1, CUDA_ARRAY3D_LAYERED);
    CUarray flat = make(W, H, 0, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0);
    fill(in, 500);
    memset(out, 0, sizeof out);
    CUDA_MEMCPY3D c = box(a, in);
    MUST(cuMemcpy3D(&c));
    CUDA_MEMCPY3D d = {IN_ARRAY(src, a), AT(src, 4, 1), .srcZ = 1,         IN_ARRAY(dst, layers),
                       AT(dst, 2, 2),    .dstZ = 0,     .WidthInBytes = 6, .Height = 2,
                       .Depth = 2}; /* a block from inside to another place inside */
    MUST(cuMemcpy3D(&d));
    CUDA_MEMCPY3D back = box_back(out, layers);
    MUST(cuMemcpy3D(&back));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                if (z < 2 && y >= 2 && x >= 1 && x < 4)
                    CHECK(out[z][y][x] == in[z + 1][y - 1][x + 1]);
                else
                    CHECK(out[z][y][x] == 0);
            }
    CUDA_MEMCPY2D e = {IN_HOST(src, in[2], W * 2), IN_ARRAY(dst, flat), .WidthInBytes = W * 2, .Height = H};
    MUST(cuMemcpy2D(&e));
    CUDA_MEMCPY2D f = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = flat,
                       .srcXInBytes = 2,
                       .srcY = 3,
                       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = (CUdeviceptr)(size_t)out,
                       .dstPitch = 4,
                       .WidthInBytes = 4,
                       .Height = 1};
    MUST(cuMemcpy2D(&f));
    CHECK(out[0][0][0] == in[2][3][1] && out[0][0][1] == in[2][3][2]);
    c.Depth = D + 1;
    CHECK(cuMemcpy3D(&c) == CUDA_ERROR_INVALID_VALUE);
    c = box(a, in);
    c.dstZ = SIZE_MAX;
    CHECK(cuMemcpy3D(&c) == CUDA_ERROR_INVALID_VALUE);
    e.Height = H + 1;
    CHECK(cuMemcpy2D(&e) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuArrayDestroy(a));
    MUST(cuArrayDestroy(layers));
    MUST(cuArrayDestroy(flat));
}

static void graphs(void)
{
    volume in, out;
    CUarray a = make(W, H, D, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0);
    CUarray b = make(W, H, D, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0);
    CUstream s;
    CUgraph g;
    CUgraphExec x;
    CUgraphNode up, over, down;
    CUDA_MEMCPY3D told, c = box(a, in), d = box_back(out, b);
    CUDA_MEMCPY3D e = {IN_ARRAY(src, a),      IN_ARRAY(dst, b), .dstY = 1,
                       .WidthInBytes = W * 2, .Height = H - 1,  .Depth = D};
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    MUST(cuMemcpy3DAsync(&c, s));
    MUST(cuMemcpy3DAsync(&e, s));
    MUST(cuMemcpy3DAsync(&d, s));
    MUST(cuStreamEndCapture(s, &g));
    MUST(cuGraphInstantiate(&x, g, 0));
    for (unsigned round = 0; round < 2; round++) {
        fill(in, 100 * round);
        memset(out, 0xff, sizeof out);
        MUST(cuGraphLaunch(x, s));
        MUST(cuStreamSynchronize(s));
        for (int z = 0; z < D; z++)
            for (int i = 0; i < W; i++)
                CHECK(out[z][0][i] == 0 && out[z][1][i] == in[z][0][i] && out[z][3][i] == in[z][2][i]);
    }
    MUST(cuGraphExecDestroy(x));
    MUST(cuGraphDestroy(g));
    CUcontext current;
    MUST(cuCtxGetCurrent(&current));
    MUST(cuGraphCreate(&g, 0));
    MUST(cuGraphAddMemcpyNode(&up, g, NULL, 0, &c, current));
    MUST(cuGraphAddMemcpyNode(&over, g, &up, 1, &e, current));
    MUST(cuGraphAddMemcpyNode(&down, g, &over, 1, &d, current));
    MUST(cuGraphMemcpyNodeGetParams(over, &told));
    CHECK(told.srcMemoryType == CU_MEMORYTYPE_ARRAY && told.srcArray == a && told.dstArray == b);
    CHECK(told.dstY == 1 && told.srcY == 0 && told.WidthInBytes == W * 2 && told.Height == H - 1);
    MUST(cuGraphMemcpyNodeGetParams(down, &told));
    CHECK(told.srcArray == b && told.dstHost == out && told.dstPitch == W * 2 && told.dstHeight == H);
    MUST(cuGraphInstantiate(&x, g, 0));
    e.srcZ = 1; /* another description for the instance, which must stay within the array */
    CHECK(cuGraphExecMemcpyNodeSetParams(x, over, &e, current) == CUDA_ERROR_INVALID_VALUE);
    e.Depth = D - 1;
    MUST(cuGraphExecMemcpyNodeSetParams(x, over, &e, current));
    fill(in, 7);
    MUST(cuGraphLaunch(x, s));
    MUST(cuStreamSynchronize(s));
    CHECK(out[0][1][3] == in[1][0][3] && out[1][2][5] == in[2][1][5]);
    MUST(cuGraphMemcpyNodeSetParams(over, &e));
    MUST(cuGraphMemcpyNodeGetParams(over, &told));
    CHECK(told.srcZ == 1 && told.Depth == D - 1);
    MUST(cuArrayDestroy(b));
    CHECK(cuGraphMemcpyNodeSetParams(over, &e) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuGraphExecDestroy(x));
    MUST(cuGraphDestroy(g));
    MUST(cuArrayDestroy(a));
    MUST(cuStreamDestroy(s));
}

static void peers(CUcontext one)
{
    volume in, out;
    CUcontext two;
    CUdevice device;
    CUarray a = make(W, H, D, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0), b;
    fill(in, 9000);
    CUDA_MEMCPY3D c = box(a, in);
    MUST(cuMemcpy3D(&c));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuCtxCreate(&two, NULL, 0, device));
    b = make(W, H, D, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0);
    const CUDA_MEMCPY3D_PEER p = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                  .srcArray = a,
                                  .srcContext = one,
                                  .srcZ = 1,
                                  .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                  .dstArray = b,
                                  .dstContext = two,
                                  .WidthInBytes = W * 2,
                                  .Height = H,
                                  .Depth = D - 1};
    MUST(cuMemcpy3DPeer(&p));
    memset(out, 0, sizeof out);
    CUDA_MEMCPY3D d = box_back(out, b);
    MUST(cuMemcpy3D(&d));
    CHECK(memcmp(out, in[1], sizeof in[0] * (D - 1)) == 0);
    MUST(cuMemcpy3DPeerAsync(&p, NULL));
    MUST(cuCtxSynchronize());
    MUST(cuCtxDestroy(two)); /* and its array with it */
    CHECK(cuArrayDestroy(b) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuCtxSetCurrent(one));
    MUST(cuArrayDestroy(a));
}

int main(void)
{
    CUcontext c = begin();
    made();
    refused();
    rows();
    shapes();
    graphs();
    peers(c);
    MUST(cuCtxDestroy(c));
    puts("fine");
    return 0;
}
