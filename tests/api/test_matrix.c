/*
 * test_matrix.c - matrix instructions on the VM give what a real GPU was recorded to answer
 * (tests/hw/matrix).
 *
 * Every form of mma and wmma.mma that sm_90 executes runs GOLDEN_BLOCKS x GOLDEN_TILES tiles, every move of
 * fragments once, on every SIMD level of this machine; hashes of what they write stand in golden/matrix.bin.
 * golden/matrix_faults.tsv has what the chip says to instructions that are used wrongly.
 */
#include <ptxvm.h>
#include <stdlib.h>

#include "api/replay.h"
#include "hw/matrix/faults.h"
#include "hw/matrix/golden.h"
#include "hw/matrix/moves.h"
#include "hw/matrix/tiles.h"
#include "reference/reference.h"
#include "vm/device.h"

enum { TILES = GOLDEN_BLOCKS * GOLDEN_TILES, ROOM = TILES * REGS_MAX * 32 * 8 };

typedef struct Replay {
    ptx_device *device;
    ptx_address in, out;
    char *host_in, *host_out;
    FILE *golden;
    const char *level;
    unsigned number, failed;
} Replay;

/* The same on in and out, and what it wrote. */
static const char *run(Replay *r, const char *body, unsigned ctas, size_t in, size_t out)
{
    static char text[80000];
    ptx_address params[2] = {r->in, r->out};
    ptx_fault fault = {.struct_size = sizeof fault};
    snprintf(text, sizeof text, "%s%s", ptx_head, body);
    if (ptx_memory_write(r->device, r->in, r->host_in, in) != PTX_OK ||
        ptx_memory_write(r->device, r->out, r->host_in, out < in ? out : in) != PTX_OK)
        return "no memory";
    const ptx_launch_config config = {sizeof config, {ctas}, {32}, 0, params, sizeof params};
    const char *wrong = replay_launch(r->device, text, &config, &fault);
    if (!wrong && ptx_memory_read(r->device, r->host_out, r->out, out) != PTX_OK) wrong = "no memory";
    return wrong;
}

static unsigned form_differs(Replay *r, const Form *f)
{
    static char body[65536];
    size_t in = (size_t)form_in(f) * 32 * (f->wide ? 8 : 4), out = (size_t)f->nd * 32 * (f->wide ? 8 : 4);
    uint64_t expected[GOLDEN_BLOCKS];
    unsigned bad = 0;
    if (fread(expected, 8, GOLDEN_BLOCKS, r->golden) != GOLDEN_BLOCKS)
        return printf("the recording is too short\n"), 1;
    for (unsigned t = 0; t < TILES; t++) unit_tile(f, t, r->host_in + t * in);
    form_emit(f, "k", body);
    const char *wrong = run(r, body, TILES, TILES * in, TILES * out);
    if (wrong) return printf("%s: %s\n", f->name, wrong), 1;
    for (unsigned b = 0; b < GOLDEN_BLOCKS; b++)
        bad += golden_hash(r->host_out + b * GOLDEN_TILES * out, GOLDEN_TILES * out) != expected[b];
    if (bad) printf("%s%s: %u of %u blocks of tiles differ\n", f->name, f->sel, bad, GOLDEN_BLOCKS);
    return bad != 0;
}

static unsigned move_differs(Replay *r, const Move *m)
{
    uint64_t expected;
    if (fread(&expected, 8, 1, r->golden) != 1) return printf("the recording is too short\n"), 1;
    moves_input((uint8_t *)r->host_in);
    const char *wrong = run(r, m->body, 1, MOVE_BYTES, MOVE_BYTES);
    if (!wrong && golden_hash(r->host_out, MOVE_BYTES) != expected) wrong = "differs";
    if (wrong) printf("%s: %s\n", m->name, wrong);
    return wrong != NULL;
}

static void verdict(Replay *r, const char *what, unsigned n, unsigned bad)
{
    printf("%s %u - %s.%s: %u agree, %u differ\n", bad || !n ? "not ok" : "ok", ++r->number, r->level, what,
           n - bad, bad);
    r->failed |= bad || !n;
}

/* The same by the reference: its one buffer holds input and output. NULL, or what went wrong. */
static const char *reference_run(Replay *r, const char *body, unsigned ctas, size_t in, size_t out)
{
    static char text[80000], message[512];
    const uint64_t at = 0x7f0000000000u, params[2] = {at, at + ROOM};
    static uint8_t buffer[2 * ROOM];
    struct ref_launch launch = {.grid = {ctas, 1, 1},
                                .block = {32, 1, 1},
                                .buffer = buffer,
                                .buffer_bytes = sizeof buffer,
                                .buffer_address = at,
                                .params = (const uint8_t *)params,
                                .param_bytes = sizeof params};
    snprintf(text, sizeof text, "%s%s", ptx_head, body);
    memcpy(buffer, r->host_in, in);
    memcpy(buffer + ROOM, r->host_in, out < in ? out : in);
    int failed = ref_run(text, strlen(text), &launch, message, sizeof message);
    memcpy(r->host_out, buffer + ROOM, out);
    return failed ? message : NULL;
}

static void reference_replay(Replay *r)
{
    static Forms forms;
    static char body[65536];
    unsigned n = 0, bad = 0, unknown = 0;
    uint64_t expected[GOLDEN_BLOCKS];
    r->golden = replay_open("matrix.bin"), r->level = "reference";
    forms_all(&forms);
    for (unsigned i = 0; r->golden && i < forms.n; i++) {
        const Form *f = &forms.f[i];
        size_t in = (size_t)form_in(f) * 32 * (f->wide ? 8 : 4), out = (size_t)f->nd * 32 * (f->wide ? 8 : 4);
        if (fread(expected, 8, GOLDEN_BLOCKS, r->golden) != GOLDEN_BLOCKS) break;
        for (unsigned t = 0; t < GOLDEN_TILES; t++) unit_tile(f, t, r->host_in + t * in);
        form_emit(f, "k", body);
        const char *wrong = reference_run(r, body, GOLDEN_TILES, GOLDEN_TILES * in, GOLDEN_TILES * out);
        if (wrong && strstr(wrong, "does not run")) {
            unknown++;
            continue;
        }
        if (!wrong && golden_hash(r->host_out, GOLDEN_TILES * out) != expected[0]) wrong = "differs";
        if (wrong) printf("%s: %s\n", f->name, wrong);
        n++, bad += wrong != NULL;
    }
    verdict(r, "dense", n, bad);
    printf("# the reference does not know %u forms\n", unknown);
    if (r->golden) fclose(r->golden);
}

static void level_replay(Replay *r)
{
    static Forms forms;
    static Moves moves;
    static const char *const kind[3] = {"dense", "sparse", "wmma"};
    unsigned n[3] = {0}, bad[3] = {0}, wrong = 0;
    r->golden = replay_open("matrix.bin");
    forms_all(&forms), moves_all(&moves);
    for (unsigned i = 0; r->golden && i < forms.n; i++) {
        unsigned k = forms.f[i].wmma ? 2 : forms.f[i].sparse != 0;
        n[k]++, bad[k] += form_differs(r, &forms.f[i]);
    }
    for (unsigned i = 0; r->golden && i < moves.n; i++) wrong += move_differs(r, &moves.m[i]);
    for (unsigned k = 0; k < 3; k++) verdict(r, kind[k], n[k], bad[k]);
    verdict(r, "moves", r->golden ? moves.n : 0, wrong);
    if (r->golden) fclose(r->golden);
}

/* What the VM says: CUDA's error, 0 for none. */
static int fault_of(Replay *r, const Fault *f)
{
    static char text[4096];
    ptx_fault fault = {.struct_size = sizeof fault};
    fault_emit(f, text);
    ptx_memory_fill(r->device, r->in, 0, FAULT_BYTES);
    const ptx_launch_config config = {sizeof config, {1}, {32}, 0, &r->in, sizeof r->in};
    if (!replay_launch(r->device, text, &config, &fault)) return 0;
    return fault.cuda_error ? fault.cuda_error : -1;
}

/*
 * The chip's error, but for two kinds of cases that PTX leaves undefined and the VM does not: lanes that are
 * missing (715 here), and matrices of wmma whose address or stride the chip rounds (716 here).
 */
static int expected_of(const char *name, int chip)
{
    if (strstr(name, "half") || strstr(name, "guarded")) return 715;
    return strstr(name, "stride 1") ? 716 : chip;
}

static void faults_replay(Replay *r)
{
    char line[256];
    unsigned n = 0, bad = 0;
    FILE *golden = replay_open("matrix_faults.tsv");
    r->level = "faults";
    while (golden && fgets(line, sizeof line, golden)) {
        char *tab = strchr(line, '\t');
        if (!tab) continue;
        *tab = 0;
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            if (strcmp(faults[i].name, line)) continue;
            int want = expected_of(line, atoi(tab + 1)), got = fault_of(r, &faults[i]);
            n++, bad += want != got;
            if (want != got) printf("%s: error %d, not %d\n", line, got, want);
        }
    }
    verdict(r, "errors", n, bad);
    if (golden) fclose(golden);
}

int main(int argc, char **argv)
{
    static const char *const levels[] = {"portable", "avx2", "avx512"};
    static Replay r;
    ptx_device_config config = {.struct_size = sizeof config, .workers = 1, .max_steps = 100000000};
    r.host_in = malloc(ROOM), r.host_out = malloc(ROOM);
    if (!r.host_in || !r.host_out || ptx_device_create(&config, &r.device) != PTX_OK ||
        ptx_memory_alloc(r.device, ROOM, &r.in) != PTX_OK ||
        ptx_memory_alloc(r.device, ROOM, &r.out) != PTX_OK)
        return printf("FAILED: no device\n"), 1;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const struct px_level *level = px_level_named(levels[i]);
        if (!level || (argc > 1 && strcmp(argv[1], levels[i]))) continue;
        r.device->level = level, r.level = levels[i];
        level_replay(&r);
    }
    if (argc == 1 || !strcmp(argv[1], "reference")) reference_replay(&r);
    faults_replay(&r);
    printf("1..%u\n", r.number);
    ptx_device_destroy(r.device);
    free(r.host_in), free(r.host_out);
    return r.failed != 0;
}
