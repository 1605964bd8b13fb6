/*
 * client.c - what host code of nvcc does, by hand: a fat binary with PTX, registered before main, kernels
 * launched through their stubs. It needs no toolkit, so it runs wherever the tests do.
 *
 * Prints a line for each thing it tries; test_exec.py knows what they must say. With CLIENT_OBJECT it is a
 * shared object whose main is called client_main.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned x, y, z;
} dim3;
typedef void *stream;

#ifdef CLIENT_HIDDEN /* the runtime is linked in, and its names are local */
#pragma GCC visibility push(hidden)
#endif
extern void **__cudaRegisterFatBinary(void *wrapper);
extern void __cudaRegisterFatBinaryEnd(void **handle);
extern void __cudaUnregisterFatBinary(void **handle);
extern void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name, int limit,
                                   void *a, void *b, void *c, void *d, int *e);
extern void __cudaRegisterVar(void **handle, char *shadow, char *device, const char *name, int external,
                              size_t size, int constant, int global);
extern void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                                     size_t size, int constant, int global);
extern char __cudaInitModule(void **handle);
extern unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, stream s);
extern int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *s);
extern int cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **args, size_t shared, stream s);
extern int cudaMalloc(void **pointer, size_t bytes);
extern int cudaFree(void *pointer);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind);
extern int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
extern int cudaDeviceSynchronize(void);
extern int cudaGetLastError(void);
extern const char *cudaGetErrorName(int error);
extern int cudaStreamCreate(stream *s);
extern int cudaStreamSynchronize(stream s);
extern int cudaGraphicsMapResources(int count, void *resources, stream s);
extern int cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, int kind, stream s);
#ifdef CLIENT_HIDDEN
#pragma GCC visibility pop
#endif

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .const .align 4 .u32 factor[2];\n"
    ".visible .global .align 4 .u32 total;\n"
    ".visible .global .attribute(.managed) .align 4 .u32 shared_count;\n"
    ".visible .entry scale(.param .u64 data, .param .u32 n)\n{\n"
    ".reg .pred %p; .reg .u32 %r<9>; .reg .u64 %d<9>;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; ld.param.u32 %r4, [n];\n"
    "setp.ge.u32 %p, %r1, %r4; @%p ret;\n"
    "ld.param.u64 %d1, [data]; cvta.to.global.u64 %d1, %d1;\n"
    "mad.wide.u32 %d1, %r1, 4, %d1; ld.global.u32 %r5, [%d1];\n"
    "ld.const.u32 %r6, [factor]; ld.const.u32 %r7, [factor+4];\n"
    "mad.lo.u32 %r5, %r5, %r6, %r7; st.global.u32 [%d1], %r5;\n"
    "atom.global.add.u32 %r8, [total], %r5; atom.global.add.u32 %r8, [shared_count], 1;\n"
    "ret;\n}\n"
    ".visible .entry wild()\n{\n.reg .u64 %d; mov.u64 %d, 8; st.global.u32 [%d], 1; ret;\n}\n";

/* A fat binary of one entry: a PTX text as it is. The headers are those of nvcc 13's files. */
static struct {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes;
    struct {
        uint16_t kind, version;
        uint32_t head_bytes;
        uint64_t bytes;
        uint32_t compressed, options;
        uint16_t minor, major;
        uint32_t arch, name, name_bytes;
        uint64_t flags, zero, uncompressed;
    } entry;
    char text[(sizeof ptx + 7) & ~7ul];
} fatbin = {0xBA55ED50, 1, 16, 0, {1, 0x0101, 64, 0, 0, 0, 0, 8, 80, 0, 0, 0x11, 0, 0}, {0}};

static struct {
    uint32_t magic, version;
    const void *data;
    void *more;
} wrapper = {0x466243B1, 1, &fatbin, NULL};

static void **handle;
static char factor[8], total[4];
static unsigned *shared_count;

static void launch_configured(const void *stub, void **args)
{
    dim3 grid, block;
    size_t shared;
    stream s;
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &s) == 0)
        cudaLaunchKernel(stub, grid, block, args, shared, s);
}

static void scale_stub(unsigned *data, unsigned n)
{
    void *args[] = {&data, &n};
    launch_configured((const void *)scale_stub, args);
}

static void wild_stub(void)
{
    launch_configured((const void *)wild_stub, NULL);
}

static void unregister(void)
{
    __cudaUnregisterFatBinary(handle);
}

__attribute__((constructor)) static void register_all(void)
{
    memcpy(fatbin.text, ptx, sizeof ptx);
    fatbin.bytes = sizeof fatbin.entry + sizeof fatbin.text;
    fatbin.entry.bytes = sizeof fatbin.text;
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (const char *)scale_stub, "scale", "scale", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, (const char *)wild_stub, "wild", "wild", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(handle, factor, "factor", "factor", 0, 8, 1, 0);
    __cudaRegisterVar(handle, total, "total", "total", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared_count, "shared_count", "shared_count", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(unregister);
}

static void check(const char *what, int error)
{
    if (error) printf("%s: %s\n", what, cudaGetErrorName(error));
}

#ifdef CLIENT_OBJECT
int client_main(int argc, char **argv);
int client_main(int argc, char **argv)
#else
int main(int argc, char **argv)
#endif
{
    enum { N = 1000, TO_DEVICE = 1, TO_HOST = 2 };
    const unsigned values[2] = {3, 5};
    unsigned *data, host[N], sum = 0;
    stream s;
    for (unsigned i = 0; i < N; i++) host[i] = i;
    check("malloc", cudaMalloc((void **)&data, sizeof host));
    check("copy", cudaMemcpy(data, host, sizeof host, TO_DEVICE));
    check("symbol", cudaMemcpyToSymbol(factor, values, sizeof values, 0, TO_DEVICE));
    __cudaInitModule(handle);
    *shared_count = 100;
    check("stream", cudaStreamCreate(&s));
    if (__cudaPushCallConfiguration((dim3){8, 1, 1}, (dim3){128, 1, 1}, 0, s) == 0) scale_stub(data, N);
    check("launch", cudaGetLastError());
    check("wait", cudaStreamSynchronize(s));
    check("copy back", cudaMemcpyAsync_ptsz(host, data, sizeof host, TO_HOST, s));
    check("wait", cudaStreamSynchronize(s));
    check("symbol back", cudaMemcpyFromSymbol(&sum, total, sizeof sum, 0, TO_HOST));
    printf("last %u, sum %u, managed %u\n", host[N - 1], sum, *shared_count);
    printf("graphics: %s\n", cudaGetErrorName(cudaGraphicsMapResources(0, NULL, NULL)));
    cudaGetLastError();
    check("free", cudaFree(data));
    if (argc > 1 && strcmp(argv[1], "wild") == 0) {
        if (__cudaPushCallConfiguration((dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL) == 0) wild_stub();
        printf("wild: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
    return argc > 2 ? atoi(argv[2]) : 0;
}
