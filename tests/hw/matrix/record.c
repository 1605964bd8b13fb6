/*
 * record.c - tensor cores of a real chip against lib/ops, and the recordings of tests/hw/golden/matrix.bin:
 *   record OUT_FILE TILES REPORT
 *
 * Every form runs TILES tiles (a tenth where it differs from another one only in saturation, rounding,
 * selector or layout), and each result is held against the unit at the level avx512, the first ones at all
 * levels; the report has a line a form. OUT_FILE gets hashes of the first tiles of each form, and of what
 * each kernel of moves.h writes. Needs an sm_90 chip, its driver, OpenMP and a processor with AVX-512.
 */
#include <fenv.h>
#include <stdlib.h>

#include "../common/driver.h"
#include "golden.h"
#include "moves.h"
#include "unit.h"

enum { BATCH = 8192, ROOM = BATCH * REGS_MAX * 32 * 8 };

static CUdeviceptr din, dout;
static char *hin, *hout;

static int launch(CUfunction fn, unsigned ctas, size_t in, size_t out, const char *what)
{
    void *args[] = {&din, &dout};
    return failed(cuMemcpyHtoD(din, hin, in), what) ||
           failed(cuLaunchKernel(fn, ctas, 1, 1, 32, 1, 1, 0, NULL, args, NULL), what) ||
           failed(cuCtxSynchronize(), what) || failed(cuMemcpyDtoH(hout, dout, out), what);
}

static unsigned compare(const Form *f, const struct px_mma_form *form, px_mma_function *product,
                        unsigned tiles, size_t in, size_t out)
{
    static const int mode[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    unsigned bad = 0;
#pragma omp parallel for reduction(+ : bad)
    for (unsigned t = 0; t < tiles; t++) {
        char mine[REGS_MAX * 32 * 8];
        fesetround(mode[f->rnd]);
        unit_run(f, form, product, hin + t * in, mine);
        fesetround(FE_TONEAREST);
        bad += memcmp(mine, hout + t * out, out) != 0;
    }
    return bad;
}

static int sweep(const Form *f, unsigned tiles, FILE *golden, FILE *report)
{
    static char body[65536];
    struct px_mma_form form;
    CUmodule module;
    CUfunction fn;
    unsigned bad = 0, bad2 = 0, badp = 0;
    size_t in = (size_t)form_in(f) * 32 * (f->wide ? 8 : 4), out = (size_t)f->nd * 32 * (f->wide ? 8 : 4);
    form_emit(f, "k", body);
    unit_form(f, &form);
    if (load_kernel(ptx_head, body, &module, &fn, f->name)) return 1;
    for (unsigned done = 0; done < tiles; done += BATCH) {
        unsigned n = tiles - done < BATCH ? tiles - done : BATCH;
#pragma omp parallel for
        for (unsigned t = 0; t < n; t++) unit_tile(f, done + t, hin + t * in);
        if (launch(fn, n, n * in, n * out, f->name)) return 1;
        bad += compare(f, &form, px_mma_product_avx512, n, in, out);
        if (done) continue;
        bad2 = compare(f, &form, px_mma_product_avx2, n, in, out);
        badp = compare(f, &form, px_mma_product_portable, n, in, out);
        for (unsigned b = 0; b < GOLDEN_BLOCKS; b++) {
            uint64_t h = golden_hash(hout + b * GOLDEN_TILES * out, GOLDEN_TILES * out);
            fwrite(&h, 8, 1, golden);
        }
    }
    fprintf(report, "%u differ of %u (avx2 %u, portable %u of the first): %s%s\n", bad, tiles, bad2, badp,
            f->name, f->sel);
    fflush(report);
    cuModuleUnload(module);
    return 0;
}

static int move(const Move *m, FILE *golden)
{
    CUmodule module;
    CUfunction fn;
    moves_input((uint8_t *)hin);
    if (load_kernel(ptx_head, m->body, &module, &fn, m->name) ||
        failed(cuMemcpyHtoD(dout, hin, MOVE_BYTES), m->name) ||
        launch(fn, 1, MOVE_BYTES, MOVE_BYTES, m->name))
        return 1;
    uint64_t h = golden_hash(hout, MOVE_BYTES);
    fwrite(&h, 8, 1, golden);
    cuModuleUnload(module);
    return 0;
}

int main(int argc, char **argv)
{
    static Forms forms;
    static Moves moves;
    if (argc < 4) return fprintf(stderr, "record OUT_FILE TILES REPORT\n"), 2;
    FILE *golden = fopen(argv[1], "wb"), *report = fopen(argv[3], "w");
    forms_all(&forms), moves_all(&moves);
    if (!golden || !report) return 1;
    open_device();
    must(cuMemAlloc(&din, ROOM), "memory");
    must(cuMemAlloc(&dout, ROOM), "memory");
    must(cuMemAllocHost((void **)&hin, ROOM), "memory");
    must(cuMemAllocHost((void **)&hout, ROOM), "memory");
    for (unsigned i = 0; i < forms.n; i++) {
        const Form *f = &forms.f[i];
        int like = f->sat || f->rnd || f->selector || f->sparse == 1 || (f->wmma && (!f->arow || f->brow)) ||
                   (f->k == 4 && f->a == E_F16 && f->brow);
        unsigned tiles = (unsigned)atoi(argv[2]) / (like ? 10 : 1);
        if (sweep(f, tiles > GOLDEN_BLOCKS * GOLDEN_TILES ? tiles : GOLDEN_BLOCKS * GOLDEN_TILES, golden,
                  report))
            return 1;
    }
    for (unsigned i = 0; i < moves.n; i++)
        if (move(&moves.m[i], golden)) return 1;
    fclose(golden), fclose(report);
    return 0;
}
