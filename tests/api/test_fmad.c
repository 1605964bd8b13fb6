/*
 * test_fmad.c - replays on the VM the random programs of tests/hw/fmad, whose results on an H100 are recorded
 * twice: assembled by ptxas 13.0 as it does by default, and with -fmad=false.
 *
 *   test_fmad [-a]     -a: the number of every program that differs
 *
 * The hashes of the results must be equal in at least as many programs as the floors say, for the lanes with
 * ordinary inputs and for those with any (subnormal numbers, overflow, NaNs).
 */
#include <ptxvm.h>
#include <stdlib.h>
#include "api/replay.h"
#include "hw/fmad/programs.h"

enum {
    IN_BYTES = INPUTS * LANES * 8,
    OUT_BYTES = 20000,
    FLOOR_ON = 14984,
    FLOOR_OFF = 14999,
    FLOOR_WILD_ON = 14994,
    FLOOR_WILD_OFF = 14999
};

typedef struct Replay {
    ptx_device *device;
    ptx_address in, out;
    int all;
    unsigned agree, wild;
} Replay;

static Hashes *recorded(const char *name)
{
    Hashes *hashes = malloc(PROGRAMS * sizeof *hashes);
    FILE *file = replay_open(name);
    size_t n = file && hashes ? fread(hashes, sizeof *hashes, PROGRAMS, file) : 0;
    if (file) fclose(file);
    if (n == PROGRAMS) return hashes;
    printf("cannot read %s\n", name);
    free(hashes);
    return NULL;
}

static int run(Replay *r, ptx_program *program, unsigned i, Hashes want)
{
    static unsigned char host[OUT_BYTES];
    static char text[8000];
    char name[16];
    unsigned outputs;
    ptx_kernel *kernel;
    ptx_fault fault = {sizeof fault};
    const uint64_t params[2] = {r->in, r->out};
    const ptx_launch_config config = {sizeof config, .grid = {1}, .block = {LANES}, .params = params,
                                      .param_bytes = sizeof params};
    program_text(text, i, &outputs);
    snprintf(name, sizeof name, "p%u", i);
    if (ptx_memory_write(r->device, r->in, host, program_inputs(host, i)) != PTX_OK ||
        ptx_program_kernel(program, name, &kernel) != PTX_OK ||
        ptx_kernel_launch(kernel, &config, &fault) != PTX_OK ||
        ptx_memory_read(r->device, host, r->out, OUT_BYTES) != PTX_OK)
        return printf("%s does not run: %s\n", name, ptx_device_message(r->device)), 0;
    Hashes have = program_hashes(host, i, outputs);
    r->agree += have.ordinary == want.ordinary;
    r->wild += have.wild == want.wild;
    if (r->all && (have.ordinary != want.ordinary || have.wild != want.wild))
        printf("%s %s%s differs\n", name, kind_of(i)->type, have.ordinary == want.ordinary ? " wild" : "");
    return 1;
}

static int run_module(Replay *r, unsigned number, ptx_fmad fmad, const Hashes *want)
{
    static char text[MODULE_BYTES];
    ptx_module *module = NULL;
    ptx_program *program = NULL;
    const ptx_program_options options = {.fmad = fmad};
    module_text(text, number);
    int fine =
        ptx_module_create(NULL, text, strlen(text), &module) == PTX_OK &&
        ptx_program_create(r->device, (const ptx_module *const *)&module, 1, &options, &program) == PTX_OK;
    if (!fine) printf("module %u does not load\n", number);
    for (unsigned k = 0; fine && k < PER_MODULE; k++)
        fine = run(r, program, number * PER_MODULE + k, want[number * PER_MODULE + k]);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    return fine;
}

static int replay(const char *name, ptx_fmad fmad, unsigned floor, unsigned wild, int all)
{
    const ptx_device_config config = {.workers = 1};
    Replay r = {.all = all};
    Hashes *want = recorded(name);
    int fine = want && ptx_device_create(&config, &r.device) == PTX_OK &&
               ptx_memory_alloc(r.device, IN_BYTES, &r.in) == PTX_OK &&
               ptx_memory_alloc(r.device, OUT_BYTES, &r.out) == PTX_OK;
    for (unsigned m = 0; fine && m < MODULES; m++) fine = run_module(&r, m, fmad, want);
    printf("%s: %u of %d programs agree, %u with any inputs\n", name, r.agree, PROGRAMS, r.wild);
    ptx_device_destroy(r.device);
    free(want);
    return fine && r.agree >= floor && r.wild >= wild;
}

int main(int argc, char **argv)
{
    int all = argc > 1 && strcmp(argv[1], "-a") == 0;
    int on = replay("fmad_true.bin", PTX_FMAD_DEFAULT, FLOOR_ON, FLOOR_WILD_ON, all);
    int off = replay("fmad_false.bin", PTX_FMAD_OFF, FLOOR_OFF, FLOOR_WILD_OFF, all);
    return !(on && off);
}
