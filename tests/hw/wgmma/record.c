/*
 * record.c - wgmma of a real chip against lib/ops, and the recordings of tests/hw/golden/wgmma.bin:
 *   record OUT_FILE TILES REPORT [PROBES]
 *
 * Every form runs TILES tiles (a hundredth where it differs from another only in n, signs or places), and
 * each result is held against the unit at the level avx512, the first ones at all levels; the report has a
 * line a form. OUT_FILE gets hashes of the first tiles of each form. PROBES gets what chosen descriptors
 * read, raw. Needs an sm_90 chip, its driver, OpenMP and a processor with AVX-512.
 */
#include <fenv.h>
#include <stdlib.h>

#include "../common/driver.h"
#include "../matrix/golden.h"
#include "wgolden.h"
#include "wunit.h"

enum {
    BATCH = 2048,
    SHARED_BASE = 1024,
    IN_ROOM = 128 * (40 + 4 * 128),
    OUT_ROOM = 128 * 4 * 128,
    PACKED_ROOM = 20480
};

static CUdeviceptr din, dout, dimage;
static char *hin, *hout, *himage;

static int load(const char *body, CUmodule *module, CUfunction *fn, const char *name)
{
    return load_kernel(wform_head, body, module, fn, name) ||
           failed(cuFuncSetAttribute(*fn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, IMAGE_BYTES),
                  name);
}

static int launch(const Wform *f, CUfunction fn, unsigned ctas)
{
    unsigned bytes = wtile_image(f), stride = f->lie == LIE_PACKED ? bytes : 0;
    void *args[] = {&din, &dout, &dimage, &stride, &bytes};
    return failed(cuMemcpyHtoD(din, hin, ctas * wform_in(f)), f->name) ||
           failed(cuMemcpyHtoD(dimage, himage, stride ? (size_t)ctas * stride : bytes), f->name) ||
           failed(cuLaunchKernel(fn, ctas, 1, 1, 128, 1, 1, bytes, NULL, args, NULL), f->name) ||
           failed(cuCtxSynchronize(), f->name) ||
           failed(cuMemcpyDtoH(hout, dout, ctas * wform_out(f)), f->name);
}

static unsigned compare(const Wform *f, const struct px_wgmma_form *form, px_mma_function *product,
                        unsigned tiles)
{
    unsigned bad = 0, bytes = wtile_image(f);
    size_t in = wform_in(f), out = wform_out(f);
#pragma omp parallel for reduction(+ : bad)
    for (unsigned t = 0; t < tiles; t++) {
        char mine[OUT_ROOM];
        Image image = {himage + (f->lie == LIE_PACKED ? (size_t)t * bytes : 0), bytes, SHARED_BASE};
        bad +=
            !wunit_run(form, product, hin + t * in, &image, mine) || memcmp(mine, hout + t * out, out) != 0;
    }
    return bad;
}

/* When fp8 differs: which precision would not. */
static void try_precisions(const Wform *f, struct px_wgmma_form form, FILE *report)
{
    for (unsigned kept = 10; kept < 17; kept++)
        for (unsigned native = 0; native < 2; native++) {
            form.op.kept = (uint8_t)kept, form.op.flags = native ? PX_MMA_NATIVE : 0;
            fprintf(report, "  kept %u native %u: %u of 480 differ\n", kept, native,
                    compare(f, &form, px_mma_product_portable, 480));
        }
}

/* The first tiles of a batch that differ, with one element each. */
static void show(const Wform *f, const struct px_wgmma_form *form, unsigned from, unsigned tiles,
                 FILE *report)
{
    size_t in = wform_in(f), out = wform_out(f);
    unsigned bytes = wtile_image(f), shown = 0;
    for (unsigned t = 0; t < tiles && shown < 4; t++) {
        uint32_t mine[OUT_ROOM / 4], *chip = (uint32_t *)(void *)(hout + t * out);
        Image image = {himage + (f->lie == LIE_PACKED ? (size_t)t * bytes : 0), bytes, SHARED_BASE};
        if (!wunit_run(form, px_mma_product_portable, hin + t * in, &image, (char *)mine)) {
            fprintf(report, "  tile %u: outside\n", from + t), shown++;
            continue;
        }
        unsigned wrong = 0, first = 0;
        for (unsigned i = 0; i < out / 4; i++)
            if (mine[i] != chip[i] && !wrong++) first = i;
        if (!wrong) continue;
        shown++;
        uint64_t *d = (uint64_t *)(void *)(hin + t * in);
        fprintf(report,
                "  tile %u (profile %u): %u of %zu differ; register %u lane %u: %08x, chip %08x; desc "
                "%016llx %016llx\n",
                from + t, (from + t) % PROFILES, wrong, out / 4, first / 128, first % 128, mine[first],
                chip[first], (unsigned long long)d[0], (unsigned long long)d[128]);
    }
}

static int sweep(const Wform *f, unsigned tiles, FILE *golden, FILE *report)
{
    static char body[65536];
    struct px_wgmma_form form;
    CUmodule module;
    CUfunction fn;
    unsigned bad = 0, bad2 = 0, badp = 0, bytes = wtile_image(f);
    size_t in = wform_in(f), out = wform_out(f);
    wform_emit(f, "k", body);
    wunit_form(f, &form);
    if (load(body, &module, &fn, f->name)) return 1;
    for (unsigned done = 0; done < tiles; done += BATCH) {
        unsigned n = tiles - done < BATCH ? tiles - done : BATCH;
#pragma omp parallel for
        for (unsigned t = 0; t < n; t++)
            wtile(f, done + t, hin + t * in, himage + (f->lie == LIE_PACKED ? (size_t)t * bytes : 0));
        if (launch(f, fn, n)) return 1;
        unsigned wrong = compare(f, &form, px_mma_product_avx512, n);
        bad += wrong;
        if (wrong) show(f, &form, done, n, report);
        if (done) continue;
        bad2 = compare(f, &form, px_mma_product_avx2, n < 480 ? n : 480);
        badp = compare(f, &form, px_mma_product_portable, n < 480 ? n : 480);
        if (wrong && form.op.kept && n >= 480) try_precisions(f, form, report);
        for (unsigned b = 0; b < WGOLDEN_BLOCKS; b++) {
            uint64_t h = golden_hash(hout + b * WGOLDEN_TILES * out, WGOLDEN_TILES * out);
            fwrite(&h, 8, 1, golden);
        }
    }
    fprintf(
        report,
        "%u differ of %u (avx2 %u, portable %u of the first): %s%s sel %u signs %u%u across %u%u lie %u\n",
        bad, tiles, bad2, badp, f->name, f->memory ? " memory" : "", f->selector, f->minus_a, f->minus_b,
        f->across_a, f->across_b, f->lie);
    fflush(report);
    cuModuleUnload(module);
    return 0;
}

/* ---- probes ---- */

/* An image of 16-bit numbers that differ, then the identity of 16x16 for B (without swizzling). */
static void probe_image(void)
{
    uint16_t *w = (uint16_t *)(void *)himage;
    for (unsigned i = 0; i < IMAGE_BYTES / 2; i++) w[i] = (uint16_t)(i + 1);
    uint16_t *id = w + (IMAGE_BYTES - 512) / 2;
    for (unsigned n = 0; n < 16; n++)
        for (unsigned k = 0; k < 16; k++)
            id[n / 8 * 128 + k / 8 * 64 + n % 8 * 8 + k % 8] = n == k ? 0x3c00 : 0;
}

static void probe_one(const Wform *f, CUfunction fn, uint64_t desc, uint32_t meta, FILE *to)
{
    uint64_t head[4] = {f->memory, f->across_a | f->across_b << 1 | f->sparse << 2, desc, meta},
             *d = (void *)hin;
    uint32_t *sd = (uint32_t *)(void *)(hin + 2048), *ra = sd + 256;
    memset(hin, 0, wform_in(f));
    for (unsigned l = 0; l < 128; l++) {
        unsigned g = l % 32 / 4, t = l % 4;
        d[l] = desc, d[128 + l] = f->memory ? descriptor(IMAGE_BYTES - 512, 128, 256, 0, 0) : desc;
        sd[128 + l] = meta;
        if (l >= 32) continue;
        for (unsigned r = 0; r < 4; r++) { /* the identity: row g + 8 (r & 1), columns 2t and 2t+1 (+8) */
            unsigned row = g + 8 * (r & 1), col = 2 * t + 8 * (r >> 1);
            ra[r * 128 + l] = (row == col ? 0x3c00u : 0) | (row == col + 1 ? 0x3c000000u : 0);
        }
    }
    if (launch(f, fn, 1)) exit(1);
    fwrite(head, sizeof head, 1, to), fwrite(hout, wform_out(f), 1, to);
}

static int probes(FILE *to)
{
    static char body[65536];
    static const unsigned starts[] = {0, 16, 128, 256 + 32, 512, 896 + 64};
    probe_image();
    for (unsigned what = 0; what < 7; what++) {
        /* B along, across, of a sparse product along, across; A along, across */
        Wform f = {.a = E_F16,
                   .b = E_F16,
                   .d = E_F32,
                   .n = 16,
                   .memory = what >= 4,
                   .sparse = what == 2 || what == 3};
        Wforms one = {0};
        CUmodule module;
        CUfunction fn;
        f.across_b = what == 1 || what == 3, f.across_a = what == 5, f.lie = LIE_BASE;
        if (what == 6) f.memory = 1, f.across_a = 0, f.sparse = 0;
        f = *wform_add(&one, f);
        wform_emit(&f, "k", body);
        if (load(body, &module, &fn, f.name)) return 1;
        for (unsigned swizzle = 0; swizzle < 4; swizzle++) {
            for (unsigned i = 0; i < 6; i++)
                for (unsigned m = 0; m < 1u + f.sparse; m++)
                    probe_one(&f, fn, descriptor(starts[i], 4096, 8192 + 128, 0, swizzle),
                              m ? 0xeeeeeeee : 0x44444444, to);
            for (unsigned base = 1; base < 8; base++)
                for (unsigned i = 0; i < 2; i++)
                    probe_one(&f, fn, descriptor(i ? base * 128 : 0, 4096, 8192, base, swizzle), 0x44444444,
                              to);
        }
        cuModuleUnload(module);
    }
    return 0;
}

/* What is the same in all lanes may differ: scale-d and the descriptor of B, by lane. Raw. */
static int varied(FILE *to)
{
    static char body[65536];
    Wforms one = {0};
    Wform f = *wform_add(&one, (Wform){.a = E_F16, .b = E_F16, .d = E_F32, .n = 16, .lie = LIE_BASE});
    CUmodule module;
    CUfunction fn;
    wform_emit(&f, "k", body);
    if (load(body, &module, &fn, f.name)) return 1;
    for (unsigned what = 0; what < 10; what++) {
        uint64_t head[4] = {100, what, 0, 0}, *d = (void *)hin;
        uint32_t *sd = (uint32_t *)(void *)(hin + 2048), *ra = sd + 256, *rd = ra + 512;
        memset(hin, 0, wform_in(&f));
        for (unsigned l = 0; l < 128; l++) {
            unsigned g = l % 32 / 4, t = l % 4, w = l / 32;
            int on = what == 0   ? l % 32 == 0
                     : what == 1 ? l % 32 == 5
                     : what == 2 ? l < 32
                     : what == 3 ? w == 1
                     : what == 4 ? l % 32 != 0
                     : what == 5 ? l == 0
                                 : 0;
            sd[l] = what < 6 && on;
            int other = what == 6   ? l % 32 == 0
                        : what == 7 ? l % 32 == 31
                        : what == 8 ? w == 0
                        : what == 9 ? w == 2
                                    : 0;
            d[128 + l] = descriptor(other ? 4096 : 0, 128, 256, 0, 0);
            for (unsigned r = 0; r < 8; r++) rd[r * 128 + l] = 0x447a0000; /* 1000 */
            for (unsigned r = 0; r < 4 && what >= 6; r++) {
                unsigned row = g + 8 * (r & 1), col = 2 * t + 8 * (r >> 1);
                ra[r * 128 + l] = (row == col ? 0x3c00u : 0) | (row == col + 1 ? 0x3c000000u : 0);
            }
        }
        if (launch(&f, fn, 1)) return 1;
        fwrite(head, sizeof head, 1, to), fwrite(hout, wform_out(&f), 1, to);
    }
    cuModuleUnload(module);
    return 0;
}

int main(int argc, char **argv)
{
    static Wforms forms;
    if (argc < 4) return fprintf(stderr, "record OUT_FILE TILES REPORT [PROBES]\n"), 2;
    FILE *golden = fopen(argv[1], "wb"), *report = fopen(argv[3], "w"),
         *raw = argc > 4 ? fopen(argv[4], "wb") : NULL;
    wforms_all(&forms);
    if (!golden || !report) return 1;
    open_device();
    must(cuMemAlloc(&din, (size_t)BATCH * IN_ROOM), "memory");
    must(cuMemAlloc(&dout, (size_t)BATCH * OUT_ROOM), "memory");
    must(cuMemAlloc(&dimage, (size_t)BATCH * PACKED_ROOM), "memory");
    must(cuMemAllocHost((void **)&hin, (size_t)BATCH * IN_ROOM), "memory");
    must(cuMemAllocHost((void **)&hout, (size_t)BATCH * OUT_ROOM), "memory");
    must(cuMemAllocHost((void **)&himage, (size_t)BATCH * PACKED_ROOM), "memory");
    if (raw && (probes(raw) || varied(raw))) return 1;
    if (raw) fclose(raw);
    unsigned all = (unsigned)atoi(argv[2]), least = WGOLDEN_BLOCKS * WGOLDEN_TILES;
    for (unsigned i = 0; i < forms.n; i++) {
        const Wform *f = &forms.f[i];
        unsigned tiles = f->wide ? all / 100 : f->sat || f->memory ? all / 10 : all;
        if (f->lie != LIE_PACKED) tiles = all / 20 < BATCH ? all / 20 : BATCH;
        if (sweep(f, tiles > least ? tiles : least, golden, report)) return 1;
    }
    fclose(golden), fclose(report);
    return 0;
}
