/*
 * test_wgmma.c - products of warpgroups on the VM give what a real GPU was recorded to answer
 * (tests/hw/wgmma).
 *
 * Every form of tests/hw/wgmma/forms.h runs WGOLDEN_BLOCKS x WGOLDEN_TILES tiles on every SIMD level of this
 * machine; hashes of what they write stand in golden/wgmma.bin. golden/wgmma_faults.tsv has what the chip
 * says to products that are used wrongly, and a hash of what those write that it lets pass.
 */
#include <ptxvm.h>
#include <stdlib.h>

#include "api/replay.h"
#include "hw/matrix/golden.h"
#include "hw/wgmma/faults.h"
#include "hw/wgmma/wgolden.h"
#include "hw/wgmma/wtiles.h"
#include "vm/device.h"

enum { TILES = WGOLDEN_BLOCKS * WGOLDEN_TILES, TILE_ROOM = 128 * (40 + 4 * 128), ROOM = TILES * TILE_ROOM };

typedef struct Replay {
    ptx_device *device;
    ptx_address in, out, image;
    char *host_in, *host_out, *host_image;
    const char *level;
    unsigned number, failed;
} Replay;

static const char *run(Replay *r, const Wform *f)
{
    static char text[80000];
    struct {
        ptx_address in, out, image;
        uint32_t stride, bytes;
    } params = {r->in, r->out, r->image, 0, wtile_image(f)};
    ptx_fault fault = {.struct_size = sizeof fault};
    ptx_launch_config config = {.struct_size = sizeof config,
                                .grid = {TILES},
                                .block = {128},
                                .params = &params,
                                .param_bytes = sizeof params,
                                .shared_bytes = params.bytes};
    params.stride = f->lie == LIE_PACKED ? params.bytes : 0;
    for (unsigned t = 0; t < TILES; t++)
        wtile(f, t, r->host_in + t * wform_in(f), r->host_image + (size_t)t * params.stride);
    wform_emit(f, "k", text + sprintf(text, "%s", wform_head));
    if (ptx_memory_write(r->device, r->in, r->host_in, TILES * wform_in(f)) != PTX_OK ||
        ptx_memory_write(r->device, r->image, r->host_image,
                         params.stride ? (size_t)TILES * params.stride : params.bytes) != PTX_OK)
        return "no memory";
    const char *wrong = replay_launch(r->device, text, &config, &fault);
    if (!wrong && ptx_memory_read(r->device, r->host_out, r->out, TILES * wform_out(f)) != PTX_OK)
        wrong = "no memory";
    return wrong;
}

static unsigned form_differs(Replay *r, const Wform *f, const uint64_t *expected)
{
    const size_t out = wform_out(f);
    unsigned bad = 0;
    const char *wrong = run(r, f);
    if (wrong) return printf("%s: %s\n", f->name, wrong), 1;
    for (unsigned b = 0; b < WGOLDEN_BLOCKS; b++)
        bad += golden_hash(r->host_out + b * WGOLDEN_TILES * out, WGOLDEN_TILES * out) != expected[b];
    if (bad)
        printf("%s%s lie %u across %u%u: %u of %u blocks of tiles differ\n", f->name,
               f->memory ? " memory" : "", f->lie, f->across_a, f->across_b, bad, WGOLDEN_BLOCKS);
    return bad != 0;
}

static void verdict(Replay *r, const char *what, unsigned n, unsigned bad)
{
    printf("%s %u - %s.%s: %u agree, %u differ\n", bad || !n ? "not ok" : "ok", ++r->number, r->level, what,
           n - bad, bad);
    r->failed |= bad || !n;
}

static void level_replay(Replay *r)
{
    static Wforms forms;
    static const char *const kind[3] = {"dense", "sparse", "places"};
    unsigned n[3] = {0}, bad[3] = {0};
    uint64_t expected[WGOLDEN_BLOCKS];
    FILE *golden = replay_open("wgmma.bin");
    wforms_all(&forms);
    for (unsigned i = 0; golden && i < forms.n; i++) {
        unsigned k = forms.f[i].lie != LIE_PACKED ? 2 : forms.f[i].sparse;
        bool there = fread(expected, 8, WGOLDEN_BLOCKS, golden) == WGOLDEN_BLOCKS;
        n[k]++, bad[k] += !there || form_differs(r, &forms.f[i], expected);
    }
    for (unsigned k = 0; k < 3; k++) verdict(r, kind[k], n[k], bad[k]);
    if (golden) fclose(golden);
}

/* CUDA's error, 0 for none, and a hash of what was written. */
static int fault_of(Replay *r, const Fault *f, uint64_t *hash)
{
    static char text[4096];
    ptx_fault fault = {.struct_size = sizeof fault};
    ptx_launch_config config = {.struct_size = sizeof config,
                                .grid = {1},
                                .block = {128},
                                .params = &r->in,
                                .param_bytes = sizeof r->in};
    *hash = 0;
    fault_emit(f, text);
    ptx_memory_fill(r->device, r->in, 0, FAULT_BYTES);
    const char *wrong = replay_launch(r->device, text, &config, &fault);
    if (wrong) return fault.cuda_error ? fault.cuda_error : (printf("%s: %s\n", f->name, wrong), -1);
    ptx_memory_read(r->device, r->host_out, r->in, FAULT_BYTES);
    *hash = golden_hash(r->host_out, FAULT_BYTES);
    return 0;
}

static void faults_replay(Replay *r)
{
    char line[256], name[64];
    unsigned n = 0, bad = 0;
    int error;
    unsigned long long written;
    FILE *golden = replay_open("wgmma_faults.tsv");
    r->level = "faults";
    for (size_t i = 0; golden && fgets(line, sizeof line, golden); i++) {
        uint64_t hash = 0;
        int fields = sscanf(line, "%63[^\t]\t%d\t%*s\t%llx", name, &error, &written);
        bool known = fields == 3 && i < sizeof faults / sizeof *faults && !strcmp(name, faults[i].name);
        int got = known ? fault_of(r, &faults[i], &hash) : -1;
        n++;
        if (got == error && hash == written) continue;
        bad++, printf("%s: error %d, not %d; wrote %016llx, not %016llx\n", name, got, error,
                      (unsigned long long)hash, written);
    }
    verdict(r, "errors", n, bad);
    if (golden) fclose(golden);
}

int main(int argc, char **argv)
{
    static const char *const levels[] = {"portable", "avx2", "avx512"};
    static Replay r;
    ptx_device_config config = {.struct_size = sizeof config, .workers = 1, .max_steps = 100000000};
    r.host_in = malloc(ROOM), r.host_out = malloc(ROOM), r.host_image = malloc(ROOM);
    if (!r.host_in || !r.host_out || !r.host_image || ptx_device_create(&config, &r.device) != PTX_OK ||
        ptx_memory_alloc(r.device, ROOM, &r.in) != PTX_OK ||
        ptx_memory_alloc(r.device, ROOM, &r.out) != PTX_OK ||
        ptx_memory_alloc(r.device, ROOM, &r.image) != PTX_OK)
        return printf("FAILED: no device\n"), 1;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const struct px_level *level = px_level_named(levels[i]);
        if (!level || (argc > 1 && strcmp(argv[1], levels[i]))) continue;
        r.device->level = level, r.level = levels[i];
        level_replay(&r);
    }
    faults_replay(&r);
    printf("1..%u\n", r.number);
    ptx_device_destroy(r.device);
    free(r.host_in), free(r.host_out), free(r.host_image);
    return r.failed != 0;
}
