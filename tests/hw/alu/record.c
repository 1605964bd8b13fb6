/*
 * record.c - records what a real GPU answers: record OUT_DIR FILE.forms...
 *
 * For every alu_FAMILY.forms one module of all its kernels, each run on its special vectors (results kept)
 * and on its random ones (kept as BLOCKS hashes), everything twice, and OUT_DIR/alu_FAMILY.raw written: a
 * form after another, {id of the line, number of special vectors, their results, hashes}. pack.py compresses
 * it.
 */

#include "../common/driver.h"
#include "forms.h"

enum { FORMS_MAX = 1024, VECTORS_MAX = 65536 };

typedef struct Recorder {
    Sets sets;
    Form form[FORMS_MAX];
    unsigned count;
    CUdeviceptr in, out;
    uint64_t (*host_in)[IN_MAX];
    uint64_t (*host_out)[OUT_MAX];
} Recorder;

static int run(Recorder *r, CUfunction fn, unsigned n, const char *what)
{
    void *args[] = {&r->in, &r->out, &n};
    return failed(cuMemcpyHtoD(r->in, r->host_in, n * sizeof *r->host_in), what) ||
           failed(cuMemsetD8(r->out, 0, n * sizeof *r->host_out), what) ||
           failed(cuLaunchKernel(fn, (n + BLOCK_THREADS - 1) / BLOCK_THREADS, 1, 1, BLOCK_THREADS, 1, 1, 0,
                                 NULL, args, NULL),
                  what) ||
           failed(cuCtxSynchronize(), what) ||
           failed(cuMemcpyDtoH(r->host_out, r->out, n * sizeof *r->host_out), what);
}

static void put_results(Recorder *r, const Form *f, unsigned n, FILE *to)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < f->n_out; k++) fwrite(&r->host_out[i][k], 1, reg_bytes[f->out[k]], to);
}

static int record_form(Recorder *r, const Form *f, CUfunction fn, FILE *to)
{
    unsigned special = inputs_special_count(f->in, f->n_in), n = inputs_random_count(f->in, f->n_in);
    uint64_t hash, again;
    inputs_special(f->in, f->n_in, f->seed, special, r->host_in);
    if (run(r, fn, special, f->code)) return 0;
    hash = results_hash(r->host_out, 0, special);
    if (run(r, fn, special, f->code)) return 0;
    again = results_hash(r->host_out, 0, special);
    if (hash != again) return printf("differs between two runs: %s\n", f->code), 0;
    fwrite(&f->id, 8, 1, to), fwrite(&special, 4, 1, to);
    put_results(r, f, special, to);
    inputs_random(f->in, f->n_in, f->seed, n, r->host_in);
    if (run(r, fn, n, f->code)) return 0;
    for (unsigned b = 0; b < BLOCKS; b++) {
        hash = results_hash(r->host_out, n / BLOCKS * b, n / BLOCKS * (b + 1));
        fwrite(&hash, 8, 1, to);
    }
    return 1;
}

static int read_forms(Recorder *r, const char *path)
{
    char line[1024];
    FILE *in = fopen(path, "r");
    r->count = 0;
    if (!in) return 0;
    while (r->count < FORMS_MAX && fgets(line, sizeof line, in))
        if (!form_parse(&r->sets, line, &r->form[r->count++])) return printf("bad line: %s", line), 0;
    fclose(in);
    return 1;
}

static int record_family(Recorder *r, const char *forms, const char *path)
{
    Text t = {0};
    CUmodule module;
    FILE *to;
    if (!read_forms(r, forms) || !(to = fopen(path, "wb"))) return 0;
    text_header(&t);
    for (unsigned i = 0; i < r->count; i++) form_emit(&t, &r->form[i], i);
    int ok = !failed(cuModuleLoadData(&module, t.text), forms);
    for (unsigned i = 0; ok && i < r->count; i++) {
        CUfunction fn;
        char name[16];
        snprintf(name, sizeof name, "k%u", i);
        ok = !failed(cuModuleGetFunction(&fn, module, name), name) && record_form(r, &r->form[i], fn, to);
    }
    printf("%s: %u forms, %ld bytes%s\n", forms, r->count, ftell(to), ok ? "" : " FAILED");
    fflush(stdout);
    fclose(to);
    free(t.text);
    if (ok) cuModuleUnload(module);
    return ok;
}

int main(int argc, char **argv)
{
    static Recorder r;
    char raw[600];
    int bad = 0;
    if (argc < 3) return fprintf(stderr, "record OUT_DIR FILE.forms...\n"), 2;
    inputs_init(&r.sets);
    r.host_in = calloc(VECTORS_MAX, sizeof *r.host_in);
    r.host_out = calloc(VECTORS_MAX, sizeof *r.host_out);
    open_device();
    must(cuMemAlloc(&r.in, VECTORS_MAX * sizeof *r.host_in), "memory");
    must(cuMemAlloc(&r.out, VECTORS_MAX * sizeof *r.host_out), "memory");
    for (int i = 2; i < argc; i++) {
        const char *base = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
        snprintf(raw, sizeof raw, "%s/%.*s.raw", argv[1], (int)strcspn(base, "."), base);
        bad |= !record_family(&r, argv[i], raw);
    }
    return bad;
}
