/*
 * surface.cu - what this machine's GPU does with surfaces: loads and stores of every width around the edges of small 2D
 * arrays, and formatted stores. Prints one line an access: what, where, and the words read, or the array afterwards.
 * surface.c prints the same of our own.
 */
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

enum { WIDTH = 5, HEIGHT = 3 };

#define EACH_SIZE(access)                                                                                    \
    if (size == 1) { access("b8", "", "%0"); }                                                               \
    if (size == 2) { access("b16", "", "%0"); }                                                              \
    if (size == 4) { access("b32", "", "%0"); }                                                              \
    if (size == 8) { access("b32", ".v2", "{%0,%1}"); }                                                      \
    if (size == 16) { access("b32", ".v4", "{%0,%1,%2,%3}"); }

__global__ void access(cudaSurfaceObject_t s, int op, int size, int clamp, int x, int y, uint4 v, uint4 *out)
{
    uint4 d = {0, 0, 0, 0};
    if (op == 0) {
#define L(width, vec, regs)                                                                                  \
    if (clamp == 1)                                                                                          \
        asm volatile("suld.b.2d" vec "." width ".clamp " regs ", [%4, {%5,%6}];"                             \
                     : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w) : "l"(s), "r"(x), "r"(y));                 \
    else                                                                                                     \
        asm volatile("suld.b.2d" vec "." width ".zero " regs ", [%4, {%5,%6}];"                              \
                     : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w) : "l"(s), "r"(x), "r"(y))
        EACH_SIZE(L)
    }
    if (op == 1) {
#define S(width, vec, regs)                                                                                  \
    if (clamp == 1)                                                                                          \
        asm volatile("sust.b.2d" vec "." width ".clamp [%4, {%5,%6}], " regs ";" ::"r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(s), "r"(x), "r"(y) : "memory"); \
    else                                                                                                     \
        asm volatile("sust.b.2d" vec "." width ".zero [%4, {%5,%6}], " regs ";" ::"r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(s), "r"(x), "r"(y) : "memory")
        EACH_SIZE(S)
    }
    if (op == 2) {
        if (clamp == 1)
            asm volatile("sust.p.2d.v4.b32.clamp [%4, {%5,%6}], {%0,%1,%2,%3};" ::"r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(s), "r"(x), "r"(y) : "memory");
        else
            asm volatile("sust.p.2d.v4.b32.zero [%4, {%5,%6}], {%0,%1,%2,%3};" ::"r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(s), "r"(x), "r"(y) : "memory");
    }
    *out = d;
}

static uint4 *out;

static cudaError_t go(cudaSurfaceObject_t s, int op, int size, int clamp, int x, int y, uint4 v, uint4 *d)
{
    access<<<1, 1>>>(s, op, size, clamp, x, y, v, out);
    return cudaMemcpy(d, out, sizeof *d, cudaMemcpyDeviceToHost);
}

int main()
{
    static const char *const formats[] = {"u8", "u16", "u32", "s8", "s16", "s32", "f16", "f32"};
    static const int bits[] = {8, 16, 32, 8, 16, 32, 16, 32};
    static const unsigned values[][4] = {{0, 1, 127, 128}, {255, 256, 32767, 32768}, {65535, 65536, 0x7FFFFFFF, 0x80000000},
                                         {0xFFFFFFFF, 0xFFFFFF80, 0xFFFF8000, 0xFFFFFF7F}, {0x3F800000, 0xBF800000, 0x3F000000, 0x477FE000},
                                         {0x477FF000, 0x7F800000, 0x7FC00000, 0x33800000}, {0x33000001, 0x387FE000, 0x3F801000, 0x3F803000}};
    cudaMalloc(&out, sizeof *out);
    for (int f = 0; f < 8; f++)
        for (int channels = 1; channels <= 4; channels *= 2) {
            cudaChannelFormatKind kind = f < 3 ? cudaChannelFormatKindUnsigned : f < 6 ? cudaChannelFormatKindSigned : cudaChannelFormatKindFloat;
            int b = bits[f], texel = b / 8 * channels, row = WIDTH * texel;
            cudaChannelFormatDesc desc = cudaCreateChannelDesc(b, channels > 1 ? b : 0, channels > 2 ? b : 0, channels > 2 ? b : 0, kind);
            cudaArray_t array;
            cudaMalloc3DArray(&array, &desc, make_cudaExtent(WIDTH, HEIGHT, 0), cudaArraySurfaceLoadStore);
            cudaResourceDesc resource = {};
            resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
            cudaSurfaceObject_t s;
            cudaCreateSurfaceObject(&s, &resource);
            std::vector<unsigned char> bytes(row * HEIGHT), now(row * HEIGHT);
            for (size_t i = 0; i < bytes.size(); i++) bytes[i] = (unsigned char)(i * 37 + 11);
            auto reset = [&] { cudaMemcpy2DToArray(array, 0, 0, bytes.data(), row, row, HEIGHT, cudaMemcpyHostToDevice); };
            auto show = [&] {
                cudaMemcpy2DFromArray(now.data(), row, array, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost);
                unsigned long long h = 0;
                for (unsigned char c : now) h = h * 1099511628211ull + c + 1;
                printf(" %016llx\n", h);
            };
            uint4 d, v = {0xA1A2A3A4, 0xB1B2B3B4, 0xC1C2C3C4, 0xD1D2D3D4};
            reset();
            for (int size = 1; size <= 16; size *= 2)
                for (int clamp = 1; clamp <= 2; clamp++) {
                    static const int xs[] = {-1000000, -2, -1, 0, 1, 2, 3, 4, 5, 6, 1000000};
                    for (int x : xs) {
                        int at = x * size;
                        cudaError_t e = go(s, 0, size, clamp, at, 1, v, &d);
                        printf("%s %d load %d %d %d 1: %08x %08x %08x %08x%s\n", formats[f], channels, size, clamp, at, d.x, d.y, d.z, d.w, e ? " error" : "");
                    }
                    for (int y = -1; y <= 3; y += 2) {
                        go(s, 0, size, clamp, 0, y, v, &d);
                        printf("%s %d load %d %d 0 %d: %08x %08x %08x %08x\n", formats[f], channels, size, clamp, y, d.x, d.y, d.z, d.w);
                    }
                    for (int x : xs) {
                        int at = x * size;
                        reset();
                        go(s, 1, size, clamp, at, x & 1 ? 3 : 1, v, &d);
                        printf("%s %d store %d %d %d %d:", formats[f], channels, size, clamp, at, x & 1 ? 3 : 1);
                        show();
                    }
                }
            for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
                reset();
                uint4 w = {values[i][0], values[i][1], values[i][2], values[i][3]};
                for (int clamp = 1; clamp <= 2; clamp++) {
                    go(s, 2, 4, clamp, clamp == 1 ? 1 : WIDTH, 1, w, &d);
                    cudaMemcpy2DFromArray(now.data(), row, array, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost);
                    printf("%s %d put %u %d:", formats[f], channels, i, clamp);
                    for (int k = 0; k < texel; k++) printf(" %02x", now[row + texel + k]);
                    show();
                }
            }
            cudaDestroySurfaceObject(s);
            cudaFreeArray(array);
        }
    return 0;
}
