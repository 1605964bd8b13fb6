/*
 * test_undefined.c - what PTX leaves undefined, and addresses of 32 bits that wrap, as a chip does it:
 * test_undefined [CASE]
 *
 * The cases are those of tests/hw/undefined/cases.h, and a chip's answers stand in
 * tests/hw/golden/undefined.tsv. Each runs at every SIMD level, with all optimisations, without any, and
 * without some, with PTX_UB_CHIP; those that PTX defines, and those that the layout decides, without it, too,
 * and the faults of some others.
 */
#include <ptxvm.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../hw/undefined/cases.h"
#include "levels.h"
#include "replay.h"

enum { GOLDEN_ROOM = 1 << 17, LINE_ROOM = 2048 };

static const char *const engines[] = {NULL, "plain", "no-uniform", "no-terms", "no-affine", "no-convergent"};
enum { ENGINES = sizeof engines / sizeof *engines };

/* What the VM does, as a line of the recording. */
static void answer(ptx_device *device, const struct undefined *u, char *line)
{
    static char text[UNDEFINED_ROOM];
    unsigned words[UNDEFINED_WORDS] = {0};
    struct undefined_params params = {.sixteen = UNDEFINED_SIXTEEN};
    ptx_fault fault = {.struct_size = sizeof fault};
    ptx_address results, buffer;
    const ptx_launch_config config = {.struct_size = sizeof config,
                                      .grid = {1},
                                      .block = {32},
                                      .params = &params,
                                      .param_bytes = sizeof params};
    undefined_text(u, text);
    *line = 0;
    if (ptx_memory_alloc(device, sizeof words, &results) != PTX_OK ||
        ptx_memory_alloc(device, ALLOCATION, &buffer) != PTX_OK)
        return;
    params.results = results;
    params.buffer = buffer;
    const char *wrong = replay_launch(device, text, &config, &fault);
    if (!wrong && ptx_memory_read(device, words, results, sizeof words) != PTX_OK) return;
    if (wrong && !fault.cuda_error) printf("%s: %s\n", u->name, wrong);
    undefined_line(line, u, wrong ? fault.cuda_error : 0, words);
}

/* The chip's answers to the case, one a line; how many there are, and whether ours is among them. */
static unsigned recorded(const struct undefined *u, const char *golden, const char *line, bool *same)
{
    const size_t n = strlen(u->name), length = strlen(line);
    unsigned known = 0;
    *same = false;
    for (const char *at = golden; at; at = (at = strchr(at, '\n')) ? at + 1 : NULL) {
        if (strncmp(at, u->name, n) != 0 || at[n] != '\t') continue;
        known++;
        *same = *same || (strcspn(at, "\n") == length && !strncmp(at, line, length));
    }
    return known;
}

static int error_of(const char *line)
{
    return atoi(strchr(line, '\t') + 1);
}

/* What the VM says of a case that the layout decides (cases.h): its error, and words of the message, which
 * has the address, too, where it is the access that is wrong. */
struct told {
    const char *begin; /* of the case's name */
    int error;
    const char *words;
};
static const struct told told[] = {
    {"shared", 700, "address is outside the block's shared memory"},
    {"constant", 700, "address is outside the constant memory"},
    {"function's parameter, by a generic address of", 700, ""},
    {"function's parameter", 801, "asks for the generic address of what is no kernel's parameter"},
    {"", 700, "address is in no allocation"},
};

/* What the VM does where a chip's answer depends on the driver's layout (cases.h), in every mode. */
static bool is_our_way(const struct undefined *u, const char *line, const char *message)
{
    const struct told *t = told;
    while (strncmp(u->name, t->begin, strlen(t->begin)) != 0) t++;
    const bool placed = t->error != 700 || strstr(message, "access of 4 bytes at 0x");
    const bool right = u->verdict == PASSES
                           ? error_of(line) == 0
                           : error_of(line) == t->error && strstr(message, t->words) && placed;
    if (!right) printf("%s: %d, %s\n  %s\n  %s\n", u->name, t->error, t->words, line, message);
    return right;
}

static bool holds(const struct undefined *u, unsigned level, const char *engine, ptx_ub ub,
                  const char *golden)
{
    char line[LINE_ROOM], message[LINE_ROOM];
    const ptx_device_config config = {
        .struct_size = sizeof config, .workers = 1, .max_steps = 1000000, .engine = engine, .ub = ub};
    ptx_device *device = NULL;
    bool same;
    if (ptx_device_create(&config, &device) != PTX_OK) return printf("no device\n"), false;
    const char *name = level_of(device, level, NULL);
    if (name) answer(device, u, line);
    snprintf(message, sizeof message, "%s", ptx_device_message(device));
    ptx_device_destroy(device);
    if (!name) return true;
    const unsigned known = recorded(u, golden, line, &same);
    if (!known) return printf("%s: not recorded\n", u->name), false;
    if (u->verdict == TOLD || u->verdict == PASSES) return is_our_way(u, line, message);
    if (!same) printf("%s, %s: here\n  %s\n", name, engine ? engine : "all optimisations", line);
    return same;
}

/* Without PTX_UB_CHIP, what a chip lets pass is a fault whose words name the option. */
static bool is_fault(const struct undefined *u)
{
    char line[LINE_ROOM];
    const bool masks = strstr(u->name, "the mask names nobody") || strstr(u->name, "the mask names one");
    static const char *const accesses[] = {"read at +1", "read at -",          "write at +1",
                                           "atom at +1", "generic read at +1", "cp.async from +1"};
    bool past = false;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        past |= u->verdict == SAME && !strncmp(u->name, accesses[i], strlen(accesses[i]));
    const ptx_device_config config = {.struct_size = sizeof config, .workers = 1, .max_steps = 1000000};
    ptx_device *device = NULL;
    if (!masks && !past) return true;
    if (ptx_device_create(&config, &device) != PTX_OK) return false;
    answer(device, u, line);
    const bool named = strstr(ptx_device_message(device), "--ub=chip") != NULL;
    const bool right = error_of(line) == (masks ? 715 : 700);
    if (!named || !right) printf("%s: %s\n  %s\n", u->name, line, ptx_device_message(device));
    ptx_device_destroy(device);
    return named && right;
}

int main(int argc, char **argv)
{
    static char golden[GOLDEN_ROOM];
    unsigned bad = 0, n = 0;
    FILE *file = replay_open("undefined.tsv");
    if (!file || !fread(golden, 1, sizeof golden - 1, file)) return 1;
    fclose(file);
    for (unsigned i = 0; i < UNDEFINEDS; i++) {
        const struct undefined *u = &undefineds[i];
        if (argc > 1 && strcmp(argv[1], u->name) != 0) continue;
        for (unsigned k = 0; k < LEVELS * ENGINES; k++, n++) {
            bad += !holds(u, k / ENGINES, engines[k % ENGINES], PTX_UB_CHIP, golden);
            if (u->verdict != SAME) bad += !holds(u, k / ENGINES, engines[k % ENGINES], PTX_UB_FAULT, golden);
        }
        bad += !is_fault(u);
    }
    printf("%sok 1 - undefined: %u runs, %u differ from the chip\n1..1\n", bad || !n ? "not " : "", n, bad);
    return bad || !n;
}
