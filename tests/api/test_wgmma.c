/*
 * test_wgmma.c - products of warpgroups on the VM give what a real GPU was recorded to answer
 * (tests/hw/wgmma).
 *
 * Every form of tests/hw/wgmma/forms.h runs WGOLDEN_BLOCKS x WGOLDEN_TILES tiles on every SIMD level of this
 * machine, the first block of them in the reference interpreter; hashes of what they write stand in
 * golden/wgmma.bin. golden/wgmma_faults.tsv has what the chip says to products that are used wrongly, and a
 * hash of what those write that it lets pass.
 */
#include <ptxvm.h>
#include <stdlib.h>

#include "hw/wgmma/faults.h"
#include "api/replay_faults.h"
#include "api/replay_reference.h"
#include "hw/wgmma/wgolden.h"
#include "hw/wgmma/wtiles.h"
#include "api/levels.h"
#include "vm/device/device.h"

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

/* Every form, as `differs` runs it. */
static void replay(Replay *r, unsigned (*differs)(Replay *, const Wform *, const uint64_t *))
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
        n[k]++, bad[k] += !there || differs(r, &forms.f[i], expected);
    }
    for (unsigned k = 0; k < 3; k++) verdict(r, kind[k], n[k], bad[k]);
    if (golden) fclose(golden);
}

/* The first tiles of a form by the reference, which has its own arithmetic and finds places by itself. */
static unsigned reference_differs(Replay *r, const Wform *f, const uint64_t *expected)
{
    static char text[80000];
    const struct {
        uint32_t stride, bytes;
    } more = {f->lie == LIE_PACKED ? wtile_image(f) : 0, wtile_image(f)};
    const size_t out = WGOLDEN_TILES * wform_out(f);
    const struct replay_piece pieces[3] = {
        {r->host_in, WGOLDEN_TILES * wform_in(f)},
        {r->host_out, out},
        {r->host_image, more.stride ? WGOLDEN_TILES * (size_t)more.stride : more.bytes}};
    for (unsigned t = 0; t < WGOLDEN_TILES; t++)
        wtile(f, t, r->host_in + t * wform_in(f), r->host_image + (size_t)t * more.stride);
    wform_emit(f, "k", text + sprintf(text, "%s", wform_head));
    const char *wrong = replay_reference(text, WGOLDEN_TILES, 128, more.bytes, pieces, 3, &more);
    if (!wrong && golden_hash(r->host_out, out) != expected[0]) wrong = "differs";
    if (wrong) printf("%s lie %u across %u%u: %s\n", f->name, f->lie, f->across_a, f->across_b, wrong);
    return wrong != NULL;
}

/* What runs by itself, so that the parts can run side by side. */
static int list_parts(void)
{
    printf("reference faults\n");
    for (unsigned i = 0; i < LEVELS; i++) printf("%s\n", level_names[i]);
    return 0;
}

static bool is_wanted(const char *part, const char *name)
{
    return !part || !strcmp(part, name);
}

int main(int argc, char **argv)
{
    static Replay r;
    const char *part = argc > 2 && !strcmp(argv[1], "--part") ? argv[2] : NULL;
    if (argc > 1 && !strcmp(argv[1], "--parts")) return list_parts();
    ptx_device_config config = {.struct_size = sizeof config, .workers = 1, .max_steps = 100000000};
    r.host_in = malloc(ROOM), r.host_out = malloc(ROOM), r.host_image = malloc(ROOM);
    if (!r.host_in || !r.host_out || !r.host_image || ptx_device_create(&config, &r.device) != PTX_OK ||
        ptx_memory_alloc(r.device, ROOM, &r.in) != PTX_OK ||
        ptx_memory_alloc(r.device, ROOM, &r.out) != PTX_OK ||
        ptx_memory_alloc(r.device, ROOM, &r.image) != PTX_OK)
        return printf("FAILED: no device\n"), 1;
    for (unsigned i = 0; i < LEVELS; i++)
        if ((r.level = level_of(r.device, i, part))) replay(&r, form_differs);
    r.level = "reference";
    if (is_wanted(part, r.level)) replay(&r, reference_differs);
    r.level = "faults";
    if (is_wanted(part, r.level))
        verdict(&r, "errors", REPLAY_FAULTS, replay_faults(r.device, r.in, "wgmma_faults.tsv", NULL));
    printf("1..%u\n", r.number);
    ptx_device_destroy(r.device);
    free(r.host_in), free(r.host_out), free(r.host_image);
    return r.failed != 0;
}
