// record.cu - records the approximate instructions of a real GPU.
//
//   record sums DIR               per-group checksums of every unit, one DIR/<unit>.sum each
//   record dump UNIT FIRST N FILE the results for N consecutive indices
//
// units.def lists the instruction forms, sweep.h says which operands an index stands for.  A dump
// holds the first result and then the differences between neighbours, zigzag coded, seven bits a
// byte: neighbours of a smooth function differ little, so xz packs a binade into about a megabyte.
// For every form there is also a kernel form_<unit> that holds just that instruction, for the
// disassembler.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "sweep.h"

#define CHECK(call) check((call), #call)
static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

enum { UNIT_NONE,
#define UNIT(name, kind, text) UNIT_##name,
#include "units.def"
#undef UNIT
UNIT_COUNT };

template<int U> struct Op;

#define BODY_F32(text) \
    uint32_t d; asm volatile(text " %0, %1;" : "=r"(d) : "r"(i)); return d;
#define BODY_DIV(text) \
    uint32_t a = sweep_dividend(i), b = sweep_divisor(i), d; \
    asm volatile(text " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;
#define BODY_F64(text) \
    uint64_t d; asm volatile(text " %0, %1;" : "=l"(d) : "l"(sweep_f64(i))); return d;
#define BODY_H16(text) \
    uint16_t d; asm volatile(text " %0, %1;" : "=h"(d) : "h"((uint16_t)i)); return d;

#define UNIT(name, kind, text) \
    template<> struct Op<UNIT_##name> { \
        static __device__ __forceinline__ uint64_t run(uint32_t i) { BODY_##kind(text) } \
    };
#include "units.def"
#undef UNIT

#define RAW_F32(text) uint32_t d; \
    asm volatile(text " %0, %1;" : "=r"(d) : "r"((uint32_t)p[1])); p[0] = d;
#define RAW_DIV(text) uint32_t d; \
    asm volatile(text " %0, %1, %2;" : "=r"(d) : "r"((uint32_t)p[1]), "r"((uint32_t)p[2])); p[0] = d;
#define RAW_F64(text) uint64_t d; \
    asm volatile(text " %0, %1;" : "=l"(d) : "l"(p[1])); p[0] = d;
#define RAW_H16(text) uint16_t d; \
    asm volatile(text " %0, %1;" : "=h"(d) : "h"((uint16_t)p[1])); p[0] = d;
#define UNIT(name, kind, text) \
    extern "C" __global__ void form_##name(uint64_t *p) { RAW_##kind(text) }
#include "units.def"
#undef UNIT

enum { COUNT_F32 = 23, COUNT_DIV = 23, COUNT_F64 = 23, COUNT_H16 = 7 };   // log2 of a group's size

// Block (x, g) adds its part of group g.  sums[0..511] full, sums[512..1023] quick.
template<int U> __global__ void sum_kernel(uint64_t *sums, int log2_size)
{
    uint64_t sum = 0, quick = 0;
    uint32_t size = 1u << log2_size, base = blockIdx.y << log2_size;
    uint32_t step = gridDim.x * blockDim.x;
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < size; k += step) {
        uint32_t i = base + k;
        uint64_t m = sweep_mix(i, Op<U>::run(i));
        sum += m;
        if (log2_size < 8 || i == sweep_quick(i >> 8)) quick += m;
    }
    atomicAdd((unsigned long long *)&sums[blockIdx.y], sum);
    atomicAdd((unsigned long long *)&sums[SWEEP_GROUPS + blockIdx.y], quick);
}

template<int U> __global__ void dump_kernel(uint64_t *out, uint32_t first, uint32_t n)
{
    uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) out[k] = Op<U>::run(first + k);
}

template<int U> static void record_sums(const char *dir, const char *name, const char *text, int log2_size)
{
    uint64_t *device, host[2 * SWEEP_GROUPS];
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemset(device, 0, sizeof host));
    sum_kernel<U><<<dim3(log2_size < 8 ? 1 : 32, SWEEP_GROUPS), 256>>>(device, log2_size);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    FILE *f = fopen((std::string(dir) + "/" + name + ".sum").c_str(), "w");
    if (!f) { perror(dir); exit(1); }
    fprintf(f, "# %s\n", text);
    for (int g = 0; g < SWEEP_GROUPS; g++)
        fprintf(f, "%08x %08x\n", (unsigned)(host[g] >> 32), (unsigned)(host[SWEEP_GROUPS + g] >> 32));
    fclose(f);
}

static void write_deltas(const std::vector<uint64_t> &v, const char *path)
{
    std::vector<uint8_t> bytes;
    uint64_t last = 0;
    for (uint64_t x : v) {
        int64_t d = (int64_t)(x - last);
        uint64_t z = ((uint64_t)d << 1) ^ (uint64_t)(d >> 63);
        for (; z >= 128; z >>= 7) bytes.push_back((uint8_t)(z | 128));
        bytes.push_back((uint8_t)z);
        last = x;
    }
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes.data(), 1, bytes.size(), f) != bytes.size()) { perror(path); exit(1); }
    fclose(f);
}

template<int U> static void record_dump(uint32_t first, uint32_t n, const char *path)
{
    uint64_t *device;
    std::vector<uint64_t> host(n);
    CHECK(cudaMalloc(&device, n * sizeof *device));
    dump_kernel<U><<<(n + 255) / 256, 256>>>(device, first, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host.data(), device, n * sizeof *device, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    write_deltas(host, path);
}

static void all_sums(const char *dir)
{
#define UNIT(name, kind, text) record_sums<UNIT_##name>(dir, #name, text, COUNT_##kind);
#include "units.def"
#undef UNIT
}

static int one_dump(const char *unit, uint32_t first, uint32_t n, const char *path)
{
#define UNIT(name, kind, text) \
    if (!strcmp(unit, #name)) { record_dump<UNIT_##name>(first, n, path); return 0; }
#include "units.def"
#undef UNIT
    fprintf(stderr, "no unit %s\n", unit);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "sums")) { all_sums(argv[2]); return 0; }
    if (argc == 6 && !strcmp(argv[1], "dump"))
        return one_dump(argv[2], (uint32_t)strtoul(argv[3], 0, 0), (uint32_t)strtoul(argv[4], 0, 0), argv[5]);
    fprintf(stderr, "use: record sums DIR | record dump UNIT FIRST COUNT FILE\n");
    return 2;
}
