/*
 * engine.c - what the engine's other paths cost, beside the workloads of bench.c: many live registers,
 * shuffles, calls, a scan whose blocks wait for each other, blocks and launches with nothing in them.
 * Medians of several launches in processor time of one worker; each result is checked.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "need.h"
#include "text.h"

enum { LAUNCHES = 5, THREADS = 256 };

/* ---- text ---- */

static struct text module_head(void)
{
    struct text t = {0};
    put(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    return t;
}

/* The kernel's address of its own word: %rd1 = out + 4 * (ctaid * ntid + tid), %r1 that number. */
static void begin(struct text *t)
{
    put(t, ".visible .entry k(.param .u64 out)\n{\n    .reg .pred %%p<4>;\n    .reg .b32 %%r<40>;\n"
           "    .reg .b64 %%rd<8>;\n"
           "    mov.u32 %%r2, %%ctaid.x;\n    mov.u32 %%r3, %%ntid.x;\n    mov.u32 %%r4, %%tid.x;\n"
           "    mad.lo.u32 %%r1, %%r2, %%r3, %%r4;\n    ld.param.u64 %%rd1, [out];\n"
           "    mul.wide.u32 %%rd2, %%r1, 4;\n    add.u64 %%rd1, %%rd1, %%rd2;\n");
}

/* ---- running ---- */

struct job {
    ptx_device *device;
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address out;
    size_t words;
};

static void open_job(struct job *job, struct text *t, size_t words)
{
    const ptx_device_config config = {.workers = 1};
    need(ptx_device_create(&config, &job->device), "device");
    const ptx_status status = ptx_module_create(NULL, t->at, t->n, &job->module);
    need(status, "module");
    const ptx_module *modules[] = {job->module};
    need(ptx_program_create(job->device, modules, 1, NULL, &job->program), "program");
    need(ptx_program_kernel(job->program, "k", &job->kernel), "kernel");
    need(ptx_memory_alloc(job->device, words * 4, &job->out), "memory");
    job->words = words;
    free(t->at);
}

/* Processor time of one launch. */
static double launch(struct job *job, unsigned grid, unsigned block)
{
    const ptx_launch_config config = {
        .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = &job->out, .param_bytes = 8};
    need(ptx_memory_fill(job->device, job->out, 0, job->words * 4), "fill");
    const double start = cpu_now();
    need(ptx_kernel_launch(job->kernel, &config, NULL), "launch");
    return cpu_now() - start;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_launch(struct job *job, unsigned grid, unsigned block)
{
    double seconds[LAUNCHES];
    launch(job, grid, block); /* which decodes */
    for (int i = 0; i < LAUNCHES; i++) seconds[i] = launch(job, grid, block);
    qsort(seconds, LAUNCHES, sizeof *seconds, by_value);
    return seconds[LAUNCHES / 2];
}

static uint32_t word(const struct job *job, size_t i)
{
    uint32_t value;
    need(ptx_memory_read(job->device, &value, job->out + i * 4, 4), "read");
    return value;
}

/* Prints the row and closes the job; 1: the result was wrong. */
static int end_job(struct job *job, const char *name, double value, const char *unit, int right)
{
    printf("%-39s %9.2f %s%s\n", name, value, unit, right ? "" : "   WRONG");
    fflush(stdout);
    ptx_program_destroy(job->program);
    ptx_module_destroy(job->module);
    ptx_device_destroy(job->device);
    return !right;
}

static double gti(struct job *job, double seconds)
{
    ptx_progress progress = {sizeof progress};
    ptx_device_progress(job->device, &progress);
    return (double)progress.thread_instructions / seconds / 1e9;
}

/* ---- the rows ---- */

/* r[i] = r[i] * 0.5 + r[i + 7], 20 times round all n; their sum. */
static int registers(unsigned n)
{
    struct text t = module_head();
    struct job job;
    float r[1024], sum = 0;
    char name[40];
    begin(&t);
    put(&t, "    .reg .f32 %%f<%u>;\n    cvt.rn.f32.u32 %%f%u, %%r1;\n", n + 1, n);
    for (unsigned i = 0; i < n; i++)
        put(&t, "    add.f32 %%f%u, %%f%u, 0f%08x;\n", i, n, (127u + i % 8) << 23);
    put(&t, "    mov.u32 %%r5, 0;\nLOOP:\n");
    for (unsigned i = 0; i < n; i++)
        put(&t, "    fma.rn.f32 %%f%u, %%f%u, 0f3F000000, %%f%u;\n", i, i, (i + 7) % n);
    put(&t,
        "    add.u32 %%r5, %%r5, 1;\n    setp.lt.u32 %%p1, %%r5, 20;\n    @%%p1 bra LOOP;\n    mov.f32 "
        "%%f%u, 0f00000000;\n",
        n);
    for (unsigned i = 0; i < n; i++) put(&t, "    add.f32 %%f%u, %%f%u, %%f%u;\n", n, n, i);
    put(&t, "    st.global.f32 [%%rd1], %%f%u;\n    ret;\n}\n", n);
    open_job(&job, &t, 64 * THREADS);
    const double seconds = median_launch(&job, 64, THREADS);
    for (unsigned i = 0; i < n; i++) r[i] = 999.f + ldexpf(1.f, (int)(i % 8));
    for (int k = 0; k < 20; k++)
        for (unsigned i = 0; i < n; i++) r[i] = fmaf(r[i], 0.5f, r[(i + 7) % n]);
    for (unsigned i = 0; i < n; i++) sum += r[i];
    const uint32_t got = word(&job, 999);
    snprintf(name, sizeof name, "%u live registers", n);
    return end_job(&job, name, gti(&job, seconds), "Gti/s", memcmp(&got, &sum, 4) == 0);
}

static int shuffles(void)
{
    struct text t = module_head();
    struct job job;
    begin(&t);
    put(&t, "    mov.u32 %%r6, 0;\n    mov.u32 %%r5, 0;\nLOOP:\n    add.u32 %%r7, %%r4, %%r5;\n");
    for (int d = 16; d; d /= 2)
        put(&t, "    shfl.sync.bfly.b32 %%r8, %%r7, %d, 31, -1;\n    add.u32 %%r7, %%r7, %%r8;\n", d);
    put(&t, "    add.u32 %%r6, %%r6, %%r7;\n    add.u32 %%r5, %%r5, 1;\n    setp.lt.u32 %%p1, %%r5, 100;\n   "
            " @%%p1 bra LOOP;\n"
            "    st.global.u32 [%%rd1], %%r6;\n    ret;\n}\n");
    open_job(&job, &t, 64 * THREADS);
    const double seconds = median_launch(&job, 64, THREADS);
    /* lanes 32 w ... 32 w + 31: 100 * (32 * 32 w + 496) + 32 * 4950 */
    return end_job(&job, "sums of warps by shuffles", gti(&job, seconds), "Gti/s",
                   word(&job, 40) == 100 * (1024 + 496) + 32 * 4950);
}

static int calls(void)
{
    struct text t = module_head();
    struct job job;
    put(&t,
        ".func (.param .u32 d) step(.param .u32 a)\n{\n    .reg .b32 %%r<3>;\n    ld.param.u32 %%r1, [a];\n"
        "    mad.lo.u32 %%r1, %%r1, 5, 3;\n    st.param.u32 [d], %%r1;\n    ret;\n}\n");
    begin(&t);
    put(&t, "    mov.u32 %%r6, %%r1;\n    mov.u32 %%r5, 0;\nLOOP:\n    {\n    .param .u32 a;\n    .param "
            ".u32 d;\n    st.param.u32 [a], %%r6;\n"
            "    call (d), step, (a);\n    ld.param.u32 %%r6, [d];\n    }\n    add.u32 %%r5, %%r5, 1;\n    "
            "setp.lt.u32 %%p1, %%r5, 200;\n"
            "    @%%p1 bra LOOP;\n    st.global.u32 [%%rd1], %%r6;\n    ret;\n}\n");
    open_job(&job, &t, 64 * THREADS);
    const double seconds = median_launch(&job, 64, THREADS);
    uint32_t want = 77;
    for (int i = 0; i < 200; i++) want = want * 5 + 3;
    return end_job(&job, "a call in nine instructions", gti(&job, seconds), "Gti/s", word(&job, 77) == want);
}

/* Block b adds its 256 ones to what block b - 1 has found, for which it waits: the number of threads so far.
 */
static int look_back(void)
{
    struct text t = module_head();
    struct job job;
    const unsigned blocks = 4096;
    put(&t, ".visible .entry k(.param .u64 out)\n{\n    .shared .u32 total;\n    .reg .pred %%p<4>;\n    "
            ".reg .b32 %%r<8>;\n    .reg .b64 %%rd<4>;\n"
            "    ld.param.u64 %%rd1, [out];\n    mov.u32 %%r1, %%tid.x;\n    mov.u32 %%r2, %%ctaid.x;\n    "
            "setp.ne.u32 %%p1, %%r1, 0;\n"
            "    @!%%p1 st.shared.u32 [total], 0;\n    bar.sync 0;\n    atom.shared.add.u32 %%r3, [total], "
            "1;\n    bar.sync 0;\n    @%%p1 bra DONE;\n"
            "    ld.shared.u32 %%r3, [total];\n    mul.wide.u32 %%rd2, %%r2, 4;\n    add.u64 %%rd1, %%rd1, "
            "%%rd2;\n"
            "    setp.eq.u32 %%p2, %%r2, 0;\n    mov.u32 %%r4, 0;\n    @%%p2 bra ADD;\nWAIT:\n    "
            "ld.acquire.gpu.global.u32 %%r4, [%%rd1+-4];\n"
            "    setp.eq.u32 %%p3, %%r4, 0;\n    @%%p3 bra WAIT;\nADD:\n    add.u32 %%r4, %%r4, %%r3;\n"
            "    st.release.gpu.global.u32 [%%rd1], %%r4;\nDONE:\n    ret;\n}\n");
    open_job(&job, &t, blocks);
    const double seconds = median_launch(&job, blocks, THREADS);
    return end_job(&job, "scan with look-back", seconds / blocks * 1e9, "ns a block of 256",
                   word(&job, blocks - 1) == blocks * THREADS);
}

static int empty_blocks(unsigned block)
{
    struct text t = module_head();
    struct job job;
    char name[40];
    put(&t, ".visible .entry k(.param .u64 out)\n{\n    ret;\n}\n");
    open_job(&job, &t, 1);
    const double seconds = median_launch(&job, 1000000, block);
    snprintf(name, sizeof name, "empty blocks of %u", block);
    return end_job(&job, name, seconds / 1e6 * 1e9, "ns each", 1);
}

/* A thread that launches n kernels of one thread, each of which counts. */
static int device_launches(unsigned n)
{
    struct text t = module_head();
    struct job job;
    put(&t, ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 "
            "g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
            ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
            ".visible .entry child(.param .u64 out)\n{\n    .reg .b64 %%rd<2>;\n    ld.param.u64 %%rd1, "
            "[out];\n    red.global.add.u32 [%%rd1], 1;\n    ret;\n}\n"
            ".visible .entry k(.param .u64 out)\n{\n    .reg .pred %%p<2>;\n    .reg .b32 %%r<4>;\n    .reg "
            ".b64 %%rd<6>;\n    ld.param.u64 %%rd1, [out];\n"
            "    mov.u32 %%r1, 0;\n    mov.u64 %%rd2, child;\nLOOP:\n    {\n    .param .b64 f;\n    .param "
            ".align 4 .b8 g[12];\n    .param .align 4 .b8 b[12];\n    .param .b32 s;\n    .param .b64 r;\n"
            "    st.param.b64 [f], %%rd2;\n");
    for (int i = 0; i < 12; i += 4)
        put(&t, "    st.param.b32 [g+%d], 1;\n    st.param.b32 [b+%d], 1;\n", i, i);
    put(&t,
        "    st.param.b32 [s], 0;\n    call (r), cudaGetParameterBufferV2, (f, g, b, s);\n    ld.param.b64 "
        "%%rd3, [r];\n    }\n"
        "    st.global.u64 [%%rd3], %%rd1;\n    {\n    .param .b64 p;\n    .param .b64 s;\n    .param .b32 "
        "r;\n    st.param.b64 [p], %%rd3;\n    st.param.b64 [s], 0;\n"
        "    call (r), cudaLaunchDeviceV2, (p, s);\n    ld.param.b32 %%r2, [r];\n    }\n    add.u32 %%r1, "
        "%%r1, 1;\n    setp.lt.u32 %%p1, %%r1, %u;\n    @%%p1 bra LOOP;\n    ret;\n}\n",
        n);
    open_job(&job, &t, 2);
    const double seconds = launch(&job, 1, 1);
    return end_job(&job, "device launches of one thread", seconds / n * 1e6, "us each", word(&job, 0) == n);
}

/* ---- vectors ---- */

enum { TURNS = 1000, ACCESSES = 4, VECTORS_WORDS = 1 << 16 };

/* Where a thread's vector lies, in %rd3, of what `at` makes of %r4 (the thread) in %r9. */
static const struct where {
    const char *name, *at, *guard;
} wheres[] = {
    {"a line", "mov.u32 %r9, %r4;", ""},
    {"lines of 16", "shr.u32 %r9, %r4, 4; mad.lo.u32 %r9, %r9, 16, %r4;", ""},
    {"one for 16", "shr.u32 %r9, %r4, 4;", ""},
    {"no order", "mul.lo.u32 %r9, %r4, 73; and.b32 %r9, %r9, 255;", ""},
    {"a line, 3 of 4 lanes", "mov.u32 %r9, %r4;", "@%p2 "},
    {"a line, half the lanes", "mov.u32 %r9, %r4;", "@%p3 "},
};

/* 256 lanes store their vectors, forget them, and load or store them over and over; what is left is stored
 * behind. */
static int vectors(const char *form, const char *registers, unsigned bytes, const struct where *w, int store)
{
    struct text t = {0};
    struct job job;
    char name[60];
    put(&t, ".version 8.3\n.target sm_90\n.address_size 64\n");
    begin(&t);
    put(&t,
        "    .reg .b16 %%h<4>;\n    .reg .b64 %%d<2>;\n    .reg .b128 %%q0;\n    ld.param.u64 %%rd1, [out];\n"
        "    and.b32 %%r6, %%r4, 3;\n    setp.ne.u32 %%p2, %%r6, 0;\n    setp.lt.u32 %%p3, %%r4, 128;\n");
    put(&t, "    %s\n    mul.wide.u32 %%rd2, %%r9, %u;\n    add.u64 %%rd3, %%rd1, %%rd2;\n", w->at, bytes);
    put(&t,
        "    mov.b32 %%r10, 7;\n    mov.b32 %%r11, 8;\n    mov.b32 %%r12, 9;\n    mov.b32 %%r13, %%r4;\n"
        "    mov.b64 %%d0, 7;\n    mov.b64 %%d1, {%%r12, %%r13};\n    mov.b128 %%q0, {%%d0, %%d1};\n"
        "    mov.b16 %%h0, 7;\n    mov.b16 %%h1, 0;\n    mov.b16 %%h2, 9;\n    cvt.u16.u32 %%h3, %%r4;\n");
    for (unsigned i = 0; i < ACCESSES && !store; i++)
        put(&t, "    st.global.%s [%%rd3+%u], %s;\n", form, i * 8192, registers);
    if (!store)
        put(&t, "    mov.b32 %%r10, 0;\n    mov.b64 %%d0, 0;\n    mov.b16 %%h0, 0;\n    mov.b128 %%q0, "
                "{%%d0, %%d0};\n");
    put(&t, "    mov.u32 %%r5, 0;\nLOOP:\n");
    for (unsigned i = 0; i < ACCESSES; i++)
        if (store)
            put(&t, "    %sst.global.%s [%%rd3+%u], %s;\n", w->guard, form, i * 8192, registers);
        else
            put(&t, "    %sld.global.%s %s, [%%rd3+%u];\n", w->guard, form, registers, i * 8192);
    put(&t, "    add.u32 %%r5, %%r5, 1;\n    setp.lt.u32 %%p1, %%r5, %u;\n    @%%p1 bra LOOP;\n", TURNS);
    put(&t, "    %sst.global.%s [%%rd3+%u], %s;\n    ret;\n}\n", w->guard, form, 4 * 8192, registers);
    open_job(&job, &t, VECTORS_WORDS);
    const double seconds = median_launch(&job, 4, THREADS);
    snprintf(name, sizeof name, "%s.%s, %s", store ? "st" : "ld", form, w->name);
    return end_job(&job, name, seconds / (4.0 * TURNS * ACCESSES) * 1e9, "ns",
                   word(&job, 8192 + (*w->guard ? bytes / 4 : 0)) == 7);
}

static int all_vectors(void)
{
    static const struct {
        const char *form, *registers;
        unsigned bytes;
    } forms[] = {{"v4.b32", "{%r10, %r11, %r12, %r13}", 16},
                 {"v2.b64", "{%d0, %d1}", 16},
                 {"v2.b32", "{%r10, %r11}", 8},
                 {"v4.b16", "{%h0, %h1, %h2, %h3}", 8},
                 {"b128", "%q0", 16}};
    int bad = 0;
    printf("\nVectors of 256 lanes\n");
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int store = 0; store < 2; store++)
            for (size_t w = 0; w < sizeof wheres / sizeof *wheres; w++)
                bad |= vectors(forms[f].form, forms[f].registers, forms[f].bytes, &wheres[w], store);
    return bad;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "vectors")) return all_vectors();
    int bad = 0;
    printf("\nOther paths of the engine, one worker, processor time\n");
    bad |= registers(64) | registers(250) | registers(1000);
    bad |= shuffles() | calls() | look_back();
    bad |= empty_blocks(32) | empty_blocks(256) | device_launches(1000000);
    return bad;
}
