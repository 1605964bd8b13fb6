/*
 * rand.c - cuRAND: every generator and distribution on the device against NVIDIA's own host generator, which
 * needs no device.
 *
 * usage: rand [TYPE]     one generator, or all but MT19937, whose start takes a minute
 */
#include <cuda_runtime.h>
#include <curand.h>
#include <stdint.h>
#include "verdict.h"

enum { N = 4096, SEED = 1234 };

static const struct {
    const char *name;
    curandRngType_t type;
} types[] = {{"XORWOW", CURAND_RNG_PSEUDO_XORWOW},  {"MRG32K3A", CURAND_RNG_PSEUDO_MRG32K3A},
             {"MTGP32", CURAND_RNG_PSEUDO_MTGP32},  {"PHILOX4_32_10", CURAND_RNG_PSEUDO_PHILOX4_32_10},
             {"SOBOL32", CURAND_RNG_QUASI_SOBOL32}, {"SCRAMBLED_SOBOL32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32},
             {"SOBOL64", CURAND_RNG_QUASI_SOBOL64}, {"SCRAMBLED_SOBOL64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64},
             {"MT19937", CURAND_RNG_PSEUDO_MT19937}};

/* What is asked of a generator; `bytes` of one number, `real` for floats. */
struct ask {
    const char *name;
    unsigned bytes;
    int real;
    int (*call)(curandGenerator_t, void *);
};

static int bits(curandGenerator_t g, void *to)
{
    return curandGenerate(g, to, N);
}

static int long_bits(curandGenerator_t g, void *to)
{
    return curandGenerateLongLong(g, to, N);
}

static int uniform(curandGenerator_t g, void *to)
{
    return curandGenerateUniform(g, to, N);
}

static int uniform_double(curandGenerator_t g, void *to)
{
    return curandGenerateUniformDouble(g, to, N);
}

static int normal(curandGenerator_t g, void *to)
{
    return curandGenerateNormal(g, to, N, 1, 2);
}

static int normal_double(curandGenerator_t g, void *to)
{
    return curandGenerateNormalDouble(g, to, N, 1, 2);
}

static int log_normal(curandGenerator_t g, void *to)
{
    return curandGenerateLogNormal(g, to, N, 0, 0.5f);
}

static int log_normal_double(curandGenerator_t g, void *to)
{
    return curandGenerateLogNormalDouble(g, to, N, 0, 0.5);
}

static int poisson(curandGenerator_t g, void *to)
{
    return curandGeneratePoisson(g, to, N, 20);
}

static const struct ask asks[] = {{"Generate", 4, 0, bits},
                                  {"GenerateLongLong", 8, 0, long_bits},
                                  {"GenerateUniform", 4, 1, uniform},
                                  {"GenerateUniformDouble", 8, 1, uniform_double},
                                  {"GenerateNormal", 4, 1, normal},
                                  {"GenerateNormalDouble", 8, 1, normal_double},
                                  {"GenerateLogNormal", 4, 1, log_normal},
                                  {"GenerateLogNormalDouble", 8, 1, log_normal_double},
                                  {"GeneratePoisson", 4, 0, poisson}};

/* 0: equal. Floats: the largest relative distance; else the share of numbers that differ. */
static double distance(const struct ask *ask, const void *a, const void *b)
{
    double most = 0;
    if (memcmp(a, b, (size_t)N * ask->bytes) == 0) return 0;
    for (int i = 0; i < N; i++) {
        if (!ask->real) {
            most += memcmp((const char *)a + i * ask->bytes, (const char *)b + i * ask->bytes, ask->bytes)
                        ? 1.0 / N
                        : 0;
            continue;
        }
        const double x = ask->bytes == 4 ? (double)((const float *)a)[i] : ((const double *)a)[i];
        const double y = ask->bytes == 4 ? (double)((const float *)b)[i] : ((const double *)b)[i];
        const double d = fabs(x - y) / fmax(1, fabs(y));
        if (!(d <= most)) most = d;
    }
    return most;
}

/* A few units of the last place. The host's MTGP32 computes its normal f64 numbers in f32. */
static double bound_of(curandRngType_t type, const struct ask *ask)
{
    const int single = type == CURAND_RNG_PSEUDO_MTGP32 && ask->call == normal_double;
    return ask->bytes == 4 || single ? 4e-6 : 4e-14;
}

static int start(curandGenerator_t g, curandRngType_t type)
{
    return type < CURAND_RNG_QUASI_DEFAULT ? curandSetPseudoRandomGeneratorSeed(g, SEED) : 0;
}

static void try_one(const char *name, curandRngType_t type, const struct ask *ask)
{
    char what[100];
    void *on_device = NULL, *got = calloc(N, 8), *want = calloc(N, 8);
    curandGenerator_t device, host;
    int status = curandCreateGenerator(&device, type);
    if (!status) status = curandCreateGeneratorHost(&host, type);
    if (!status) status = start(device, type) | start(host, type);
    cudaMalloc(&on_device, (size_t)N * 8);
    const int host_status = status ? status : ask->call(host, want);
    if (!status) status = ask->call(device, on_device);
    cudaMemcpy(got, on_device, (size_t)N * 8, cudaMemcpyDeviceToHost);
    snprintf(what, sizeof what, "curand%s(%s)", ask->name, name);
    if (!status) sum(what, got, (size_t)N * ask->bytes);
    if (host_status && status == host_status) /* the generator has no such numbers, on either side */
        printf("%s none %d\n", what, status);
    else
        say(what, status, distance(ask, got, want), bound_of(type, ask));
    cudaFree(on_device);
    curandDestroyGenerator(device);
    curandDestroyGenerator(host);
    free(got);
    free(want);
}

int main(int argc, char **argv)
{
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        const int wanted =
            argc > 1 ? strcmp(argv[1], types[t].name) == 0 : strcmp(types[t].name, "MT19937") != 0;
        for (unsigned i = 0; wanted && i < sizeof asks / sizeof *asks; i++)
            try_one(types[t].name, types[t].type, &asks[i]);
    }
    return 0;
}
