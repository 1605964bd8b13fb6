/*
 * test_golden.c - replays on the VM what a real GPU was recorded to answer.
 *
 *   test_golden [-a] [-s] [-n] [-r] [-lLEVEL] [FAMILY...]    -a: every differing vector, -s: what was skipped
 *                                  and why, -n: any may be skipped (see below), -l: this SIMD level only,
 *                                  -r: the random vectors by the reference too (a minute)
 *   test_golden --parts            the levels, which can run side by side; --part LEVEL: one of them, if the
 *                                  machine has it
 *
 * tests/hw/golden/alu_FAMILY.forms lists instruction forms, .bin holds the results (tests/hw/alu tells
 * how they are made). Each form becomes a kernel of its own, runs on the same inputs and must give the
 * same bits: all special vectors, and the hashes of the random ones. A form that the library refuses as
 * unknown or unsupported is counted, not failed, where alu_not_run lists it: one that stops running is seen,
 * and one that begins to run leaves the list. All of it is done once for each SIMD level that this machine
 * runs: the level is no part of the public interface, hence the look into the device. The last "level" is the
 * reference interpreter of tests/reference, whose statements the recordings hold too.
 */
#include <ptxvm.h>
#include <zlib.h>

#include "api/replay.h"
#include "hw/alu/forms.h"
#include "reference/reference.h"
#include "vm/device/device.h"

enum { VECTORS_MAX = 65536 };

static const char *const families[] = {"int",    "bits",    "carry",     "f32",     "f64",    "half",
                                       "bf16",   "cmp_int", "cmp_float", "cvt_int", "cvt_fi", "cvt_if",
                                       "cvt_ff", "video",   "second",    "warp",    "atom",   "mem",
                                       "edge",   "nan",     "payload"};

typedef struct Replay {
    Sets sets;
    ptx_device *device;
    ptx_address in, out;
    uint64_t (*host_in)[IN_MAX];
    uint64_t (*host_out)[OUT_MAX];
    const unsigned char *golden, *end; /* the next form's record, and where the file ends */
    const char *family, *level;
    int reference;                  /* run by the interpreter of tests/reference */
    int all, skips, strict, random; /* options */
    unsigned agree, differ, skipped, number;
} Replay;

/* ---- files ---- */

static FILE *golden_open(const char *family, const char *ending)
{
    char name[64];
    snprintf(name, sizeof name, "alu_%s.%s", family, ending);
    return replay_open(name);
}

/* The uncompressed records of a family; the caller frees them. */
static unsigned char *golden_read(const char *family, size_t *size)
{
    FILE *f = golden_open(family, "bin");
    static unsigned char packed[1 << 20];
    size_t n = f ? fread(packed, 1, sizeof packed, f) : 0;
    if (f) fclose(f);
    if (n < 5 || n == sizeof packed) return NULL;
    uLongf raw = packed[0] | packed[1] << 8 | packed[2] << 16 | (uLongf)packed[3] << 24;
    unsigned char *to = malloc(raw);
    if (to && uncompress(to, &raw, packed + 4, n - 4) == Z_OK) return *size = raw, to;
    free(to);
    return NULL;
}

/* Is the form listed as one that does not run yet? Lines of alu_not_run: family, a tab, the form's code. */
static int listed(const char *family, const char *code)
{
    char line[1024];
    size_t n = strlen(family);
    int found = 0;
    FILE *f = replay_open("alu_not_run");
    while (f && !found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        found = !strncmp(line, family, n) && line[n] == '\t' && !strcmp(line + n + 1, code);
    }
    if (f) fclose(f);
    return found;
}

/* ---- one form ---- */

static void skip(Replay *r, const Form *f, ptx_status status, const char *message)
{
    r->skipped++;
    if (r->strict && !listed(r->family, f->code)) {
        r->differ++;
        printf("FAILED %s %s: ran before: %s: %s\n", r->family, f->code, ptx_status_name(status), message);
    }
    if (r->skips) printf("skipped %s %s: %s: %s\n", r->family, f->code, ptx_status_name(status), message);
}

static void fail(Replay *r, const Form *f, const char *message)
{
    r->differ++;
    printf("FAILED %s %s: %s\n", r->family, f->code, message);
}

static ptx_module *form_module(Replay *r, const Form *f, const Text *t)
{
    ptx_module *module = NULL;
    ptx_diagnostic d = {.struct_size = sizeof d, .message = ""};
    ptx_status status = ptx_module_create(NULL, t->text, t->size, &module);
    if (status == PTX_OK) return module;
    if (module) ptx_module_diagnostic(module, 0, &d);
    skip(r, f, status, d.message);
    ptx_module_destroy(module);
    return NULL;
}

/* Runs `n` vectors; 0 after a failure, which is reported. */
static int form_run(Replay *r, const Form *f, ptx_kernel *kernel, unsigned n)
{
    struct {
        uint64_t in, out;
        uint32_t n;
    } params = {r->in, r->out, n};
    ptx_launch_config config = {.grid = {(n + BLOCK_THREADS - 1) / BLOCK_THREADS},
                                .block = {BLOCK_THREADS},
                                .params = &params,
                                .param_bytes = 20};
    ptx_fault fault = {.struct_size = sizeof fault, .message = ""};
    ptx_status status = ptx_memory_write(r->device, r->in, r->host_in, n * sizeof *r->host_in);
    if (status == PTX_OK) status = ptx_memory_fill(r->device, r->out, 0, n * sizeof *r->host_out);
    if (status == PTX_OK) status = ptx_kernel_launch(kernel, &config, &fault);
    if (status == PTX_OK) status = ptx_memory_read(r->device, r->host_out, r->out, n * sizeof *r->host_out);
    if (status == PTX_OK) return 1;
    if (status == PTX_ERROR_FAULT && fault.cuda_error == 801) /* it cannot be run */
        skip(r, f, PTX_ERROR_UNSUPPORTED, ptx_device_message(r->device));
    else {
        char text[512];
        snprintf(text, sizeof text, "%s %s", ptx_status_name(status), fault.message ? fault.message : "");
        fail(r, f, text);
    }
    return 0;
}

/* The same by the reference: its one buffer holds the vectors, behind them the results. */
static int reference_run(Replay *r, const Form *f, const Text *t, unsigned n)
{
    enum { BYTES = VECTORS_MAX * (IN_MAX + OUT_MAX) * 8, RESULTS = VECTORS_MAX * IN_MAX * 8 };
    static uint8_t buffer[BYTES];
    const uint64_t at = 0x7f0000000000u;
    struct {
        uint64_t in, out;
        uint32_t n;
    } params = {at, at + RESULTS, n};
    struct ref_launch launch = {.grid = {(n + BLOCK_THREADS - 1) / BLOCK_THREADS, 1, 1},
                                .block = {BLOCK_THREADS, 1, 1},
                                .seed = f->seed,
                                .buffer = buffer,
                                .buffer_bytes = BYTES,
                                .buffer_address = at,
                                .params = (const uint8_t *)&params,
                                .param_bytes = 20};
    char message[512];
    memcpy(buffer, r->host_in, n * sizeof *r->host_in);
    memset(buffer + RESULTS, 0, n * sizeof *r->host_out);
    int failed = ref_run(t->text, t->size, &launch, message, sizeof message);
    memcpy(r->host_out, buffer + RESULTS, n * sizeof *r->host_out);
    if (!failed) return 1;
    int other =
        !strncmp(message, "does not assemble", 17) || !strncmp(message, "the reference does not run", 26);
    if (other)
        skip(r, f, PTX_ERROR_UNSUPPORTED, message);
    else
        fail(r, f, message);
    return 0;
}

static void print_vector(const Replay *r, const Form *f, unsigned i, const uint64_t *expected)
{
    printf("    ");
    for (unsigned k = 0; k < f->n_in; k++)
        printf("%c=%0*llx ", 'a' + (int)k, (int)((f->in[k]->bits + 3) / 4),
               (unsigned long long)r->host_in[i][k]);
    for (unsigned k = 0; k < f->n_out; k++) {
        int digits = 2 * (int)reg_bytes[f->out[k]];
        printf("%c=%0*llx expected %0*llx ", 'x' + (int)k, digits, (unsigned long long)r->host_out[i][k],
               digits, (unsigned long long)expected[k]);
    }
    printf("\n");
}

static int is_nan64(uint64_t v)
{
    return v << 1 > 0xffe0000000000000u;
}

/* ptxas exchanges operands in a sequence, puts a constant behind a register, and subtracts one by adding it.
 */
static int ptxas_orders(const Form *f)
{
    const char *first = strchr(f->code, ',');
    return strstr(f->code, "f64 %l1, ") != NULL || (first && !strncmp(first, ", 0d", 4)) ||
           (!strncmp(f->code, "sub", 3) && strstr(f->code, " 0d"));
}

/*
 * With several f64 NaNs among the operands the chip's result is one of them made quiet, but where ptxas
 * orders the operands, which one is its choice: any of them is taken. The NaN of an invalid first operation
 * is such an operand of the second.
 */
static int same_result(const Form *f, const uint64_t *in, const uint64_t *expected, const uint64_t *out)
{
    enum { CONSTANTS = 3 };
    uint64_t nan[IN_MAX + 2 * CONSTANTS + 1];
    unsigned n = 0;
    for (unsigned k = 0; k < f->n_in; k++)
        if (f->in[k]->bits == 64 && (f->in[k]->kind == KIND_FLOAT || f->in[k]->kind == KIND_LIST) &&
            is_nan64(in[k]))
            nan[n++] = in[k];
    for (const char *c = strstr(f->code, " 0d"); c && n < IN_MAX + 2 * CONSTANTS - 1;
         c = strstr(c + 1, " 0d"))
        if (is_nan64(strtoull(c + 3, NULL, 16))) {
            nan[n++] = strtoull(c + 3, NULL, 16);
            nan[n++] = strtoull(c + 3, NULL, 16) ^ 1ull << 63;
        }
    const int free = ptxas_orders(f);
    if (strstr(f->code, "f64 %l1, ")) nan[n++] = 0xfff8000000000000u;
    for (unsigned o = 0; o < OUT_MAX; o++) {
        unsigned same = out[o] == expected[o];
        for (unsigned k = 0; free && k < n && is_nan64(expected[o]); k++)
            same |= out[o] == (nan[k] | 1ull << 51);
        if (!same) return 0;
    }
    return 1;
}

/* Compares the special vectors with the record; returns how many differ and prints the first. */
static unsigned compare_special(Replay *r, const Form *f, unsigned n, const unsigned char *record)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t expected[OUT_MAX] = {0};
        for (unsigned k = 0; k < f->n_out; k++) {
            memcpy(&expected[k], record, reg_bytes[f->out[k]]);
            record += reg_bytes[f->out[k]];
        }
        if (same_result(f, r->host_in[i], expected, r->host_out[i])) continue;
        if (bad++ == 0) printf("FAILED %s %s\n", r->family, f->code);
        if (bad == 1 || r->all) print_vector(r, f, i, expected);
    }
    return bad;
}

static unsigned compare_random(const Replay *r, unsigned n, const unsigned char *record)
{
    unsigned bad = 0;
    for (unsigned b = 0; b < BLOCKS; b++) {
        uint64_t expected, hash = results_hash(r->host_out, n / BLOCKS * b, n / BLOCKS * (b + 1));
        memcpy(&expected, record + 8 * b, 8);
        bad += expected != hash;
    }
    return bad;
}

/* By the VM's kernel, or the reference's text where that is NULL. */
static int vectors_run(Replay *r, const Form *f, ptx_kernel *kernel, const Text *t, unsigned n)
{
    return kernel ? form_run(r, f, kernel, n) : reference_run(r, f, t, n);
}

static void form_check(Replay *r, const Form *f, ptx_kernel *kernel, const Text *t, unsigned special,
                       const unsigned char *record)
{
    unsigned random = inputs_random_count(f->in, f->n_in), bytes = 0;
    for (unsigned k = 0; k < f->n_out; k++) bytes += reg_bytes[f->out[k]];
    inputs_special(f->in, f->n_in, f->seed, special, r->host_in);
    if (!vectors_run(r, f, kernel, t, special)) return;
    unsigned bad = compare_special(r, f, special, record);
    unsigned blocks = 0;
    const int several = !strcmp(f->in[0]->name, "nan64"); /* which NaN is in the hashes is ptxas's choice */
    if ((!r->reference || r->random) && !several) {
        inputs_random(f->in, f->n_in, f->seed, random, r->host_in);
        if (!vectors_run(r, f, kernel, t, random)) return;
        blocks = compare_random(r, random, record + special * bytes);
    }
    if (blocks && !bad) printf("FAILED %s %s\n", r->family, f->code);
    if (bad || blocks) {
        printf("    %u of %u special vectors, %u of %u random blocks differ\n", bad, special, blocks, BLOCKS);
        r->differ++;
        return;
    }
    r->agree++;
    if (r->strict && listed(r->family, f->code)) fail(r, f, "runs now: take it out of alu_not_run");
}

static void vm_replay(Replay *r, const Form *f, const Text *t, unsigned special, const unsigned char *record)
{
    ptx_program *program = NULL;
    ptx_kernel *kernel;
    ptx_module *module = form_module(r, f, t);
    if (!module) return;
    ptx_status status = ptx_program_create(r->device, (const ptx_module *const *)&module, 1, NULL, &program);
    if (status == PTX_ERROR_UNSUPPORTED)
        skip(r, f, status, ptx_device_message(r->device));
    else if (status != PTX_OK)
        fail(r, f, ptx_device_message(r->device));
    else if (ptx_program_kernel(program, "k0", &kernel) != PTX_OK)
        fail(r, f, "no kernel");
    else
        form_check(r, f, kernel, t, special, record);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
}

static void form_replay(Replay *r, const Form *f, unsigned special, const unsigned char *record)
{
    Text t = {0};
    text_header(&t);
    form_emit(&t, f, 0);
    if (r->reference)
        form_check(r, f, NULL, &t, special, record);
    else
        vm_replay(r, f, &t, special, record);
    free(t.text);
}

/* ---- families ---- */

/* Takes the next record; 0 when it does not belong to the form. */
static int record_next(Replay *r, const Form *f, unsigned *special, const unsigned char **record)
{
    uint64_t id;
    size_t bytes = 0;
    if (r->end - r->golden < 12) return 0;
    memcpy(&id, r->golden, 8), memcpy(special, r->golden + 8, 4);
    *record = r->golden + 12;
    for (unsigned k = 0; k < f->n_out; k++) bytes += reg_bytes[f->out[k]];
    bytes = 12 + bytes * *special + 8 * BLOCKS;
    if (id != f->id || *special != inputs_special_count(f->in, f->n_in)) return 0;
    if ((size_t)(r->end - r->golden) < bytes) return 0;
    r->golden += bytes;
    return 1;
}

/* Replays one family; returns 0 when something is wrong with the files or the results. */
static int family_replay(Replay *r, const char *family)
{
    char line[1024];
    size_t size = 0;
    unsigned char *records = golden_read(family, &size);
    FILE *forms = records ? golden_open(family, "forms") : NULL;
    if (!forms) return printf("FAILED %s: no recording\n", family), free(records), 0;
    r->family = family, r->golden = records, r->end = records + size;
    r->agree = r->differ = r->skipped = 0;
    int ok = 1;
    while (ok && fgets(line, sizeof line, forms)) {
        Form f;
        unsigned special;
        const unsigned char *record;
        ok = form_parse(&r->sets, line, &f) && record_next(r, &f, &special, &record);
        if (ok)
            form_replay(r, &f, special, record);
        else
            printf("FAILED %s: the recording does not match the form %s", family, line);
    }
    fclose(forms), free(records);
    ok = ok && !r->differ;
    printf("%s %u - %s.%s: %u agree, %u differ, %u not run%s\n", ok ? "ok" : "not ok", ++r->number, r->level,
           family, r->agree, r->differ, r->skipped, ok && !r->agree ? " # SKIP no form of it can run" : "");
    return ok;
}

static int replay_init(Replay *r)
{
    ptx_device_config config = {.workers = 1, .max_steps = 100000000};
    inputs_init(&r->sets);
    r->host_in = calloc(VECTORS_MAX, sizeof *r->host_in);
    r->host_out = calloc(VECTORS_MAX, sizeof *r->host_out);
    return r->host_in && r->host_out && ptx_device_create(&config, &r->device) == PTX_OK &&
           ptx_memory_alloc(r->device, VECTORS_MAX * sizeof *r->host_in, &r->in) == PTX_OK &&
           ptx_memory_alloc(r->device, VECTORS_MAX * sizeof *r->host_out, &r->out) == PTX_OK;
}

/* The families named in argv, or all, on one level; returns 0 when one of them fails. */
static int level_replay(Replay *r, const char *name, char **argv)
{
    const struct px_level *level = px_level_named(name);
    int ok = 1, named = 0;
    r->reference = !strcmp(name, "reference");
    if (!level && !r->reference) return 1; /* not on this machine */
    if (level) r->device->level = level;
    r->level = name;
    for (; *argv; argv++)
        if (**argv != '-') named = 1, ok &= family_replay(r, *argv);
    for (size_t i = 0; !named && i < sizeof families / sizeof *families; i++)
        ok &= family_replay(r, families[i]);
    return ok;
}

static const char *const levels[] = {"portable", "avx2", "avx512", "reference"};

static int list_parts(void)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) puts(levels[i]);
    return 0;
}

int main(int argc, char **argv)
{
    static Replay r = {.strict = 1};
    const char *only = NULL;
    char **wanted = argv + 1;
    int failed = 0;
    if (argc == 2 && !strcmp(argv[1], "--parts")) return list_parts();
    if (argc == 3 && !strcmp(argv[1], "--part")) {
        if (strcmp(argv[2], "reference") != 0 && !px_level_named(argv[2]))
            return printf("skipped: this processor has no level %s\n", argv[2]), 0;
        only = argv[2], argc = 1, wanted = argv + 3; /* none by name: all */
    }
    if (!replay_init(&r)) return printf("FAILED: no device\n"), 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-a"))
            r.all = 1;
        else if (!strcmp(argv[i], "-s"))
            r.skips = 1;
        else if (!strcmp(argv[i], "-n"))
            r.strict = 0;
        else if (!strcmp(argv[i], "-r"))
            r.random = 1;
        else if (!strncmp(argv[i], "-l", 2))
            only = argv[i] + 2;
    }
    if (only && strcmp(only, "reference") && !px_level_named(only))
        return printf("FAILED: no level %s here\n", only), 1;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!only || !strcmp(only, levels[i])) failed |= !level_replay(&r, levels[i], wanted);
    ptx_device_destroy(r.device);
    free(r.host_in), free(r.host_out);
    return failed;
}
