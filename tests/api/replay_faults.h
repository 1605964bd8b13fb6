/*
 * replay_faults.h - instructions that are used wrongly, against what the chip said to them.
 *
 * The includer has included a family's faults.h of tests/hw: `faults`, FAULT_THREADS, FAULT_FILL, fault_emit.
 * The recording has a line a kernel, in their order: name, CUDA's error, its name, a hash of what was
 * written.
 */
#ifndef TESTS_API_REPLAY_FAULTS_H
#define TESTS_API_REPLAY_FAULTS_H

#include <inttypes.h>
#include <stdbool.h>

#include "api/replay.h"
#include "hw/matrix/golden.h"

enum { REPLAY_FAULTS = sizeof faults / sizeof *faults };

/* CUDA's error, 0 for none (then *hash is of what was written); -1: another status (told). */
static int replay_fault(ptx_device *device, ptx_address buffer, const Fault *f, uint64_t *hash)
{
    static char text[4096];
    uint32_t words[FAULT_BYTES / 4];
    ptx_fault fault = {.struct_size = sizeof fault};
    const ptx_launch_config config = {.struct_size = sizeof config,
                                      .grid = {1},
                                      .block = {FAULT_THREADS},
                                      .params = &buffer,
                                      .param_bytes = sizeof buffer};
    *hash = 0;
    for (size_t i = 0; i < FAULT_BYTES / 4; i++) words[i] = FAULT_FILL;
    fault_emit(f, text);
    if (ptx_memory_write(device, buffer, words, sizeof words) != PTX_OK) return printf("no memory\n"), -1;
    const char *wrong = replay_launch(device, text, &config, &fault);
    if (wrong) return fault.cuda_error ? fault.cuda_error : (printf("%s: %s\n", f->name, wrong), -1);
    if (ptx_memory_read(device, words, buffer, sizeof words) != PTX_OK) return printf("no memory\n"), -1;
    *hash = golden_hash(words, sizeof words);
    return 0;
}

/*
 * How many of the family's kernels differ from the recording. `expected` gives the error that the VM has in
 * place of the chip's. NULL: they are the same, and so is what the kernels write (elsewhere it tells where
 * shared memory begins).
 */
static unsigned replay_faults(ptx_device *device, ptx_address buffer, const char *recording,
                              int (*expected)(const char *name, int chip))
{
    char line[256], name[64];
    unsigned bad = 0, n = 0;
    int chip;
    uint64_t written, hash = 0;
    FILE *golden = replay_open(recording);
    for (; golden && fgets(line, sizeof line, golden); n++) {
        const bool known = sscanf(line, "%63[^\t]\t%d\t%*s\t%" SCNx64, name, &chip, &written) == 3 &&
                           n < REPLAY_FAULTS && !strcmp(name, faults[n].name);
        const int want = known && expected ? expected(name, chip) : chip;
        const int got = known ? replay_fault(device, buffer, &faults[n], &hash) : -1;
        if (known && got == want && (expected || hash == written)) continue;
        bad++;
        printf("%s: error %d, not %d; wrote %016" PRIx64 ", not %016" PRIx64 "\n", name, got, want, hash,
               written);
    }
    if (golden) fclose(golden);
    return n == REPLAY_FAULTS ? bad : REPLAY_FAULTS;
}

#endif
