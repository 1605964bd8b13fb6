/*
 * test_faults.c - instructions that are used wrongly at run time: each is a fault with a name, CUDA's error,
 * and the place of the instruction: test_faults [CASE]
 *
 * The cases are those of tests/hw/wrong/cases.h; a chip's answers to them stand in tests/hw/golden/wrong.tsv.
 * A case that says CHIP has the chip's error (one of them, where it answers in several ways), one that says
 * MANUAL has not.
 */
#include <ptxvm.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../hw/wrong/cases.h"
#include "replay.h"

static ptx_status launch(ptx_device *device, const char *text, unsigned threads, ptx_fault *fault)
{
    const ptx_module_options options = {.file_name = "wrong.ptx"};
    ptx_module *module = NULL;
    ptx_program *program = NULL;
    ptx_kernel *kernel;
    ptx_address buffer;
    ptx_status status = ptx_memory_alloc(device, BUFFER, &buffer);
    if (status == PTX_OK) status = ptx_module_create(&options, text, strlen(text), &module);
    if (status == PTX_OK)
        status = ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program);
    if (status == PTX_OK) status = ptx_program_kernel(program, "k", &kernel);
    const ptx_launch_config config = {.struct_size = sizeof config,
                                      .grid = {1},
                                      .block = {threads},
                                      .params = &buffer,
                                      .param_bytes = sizeof buffer};
    if (status == PTX_OK) status = ptx_kernel_launch(kernel, &config, fault);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    return status;
}

/* NULL: the fault is as it should be. */
static const char *differs(const struct wrong *w, ptx_status status, const ptx_fault *f, unsigned line)
{
    const char *opcode = mark_of(w) + 1;
    char word[100];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(opcode, " "), opcode);
    if (w->error == DEADLOCK) {
        static char place[64];
        snprintf(place, sizeof place, "wrong.ptx:%u", line);
        if (status != PTX_ERROR_DEADLOCK) return "is no deadlock";
        return f->state && strstr(f->state, place) ? NULL : "the deadlock's state does not name the place";
    }
    if (status != PTX_ERROR_FAULT) return "is no fault";
    if (f->cuda_error != w->error) return "has another error";
    if (!f->message || !strstr(f->message, w->said)) return "says something else";
    if (strcmp(f->file, "wrong.ptx") || f->line != line || !f->column) return "has another place";
    return strstr(f->instruction, word) ? NULL : "has another instruction";
}

/* On a device of its own: a fault ends one. */
static bool holds(const struct wrong *w)
{
    static char text[ROOM];
    const ptx_device_config config = {.struct_size = sizeof config, .workers = 1, .max_steps = 1000000};
    ptx_device *device = NULL;
    ptx_fault fault = {.struct_size = sizeof fault};
    const unsigned line = text_of(w, text);
    if (!line || ptx_device_create(&config, &device) != PTX_OK) return printf("no device\n"), false;
    const ptx_status status = launch(device, text, w->threads, &fault);
    const char *why = differs(w, status, &fault, line);
    if (why)
        printf("%s: %s: %s (%s): error %d at %s:%u '%s': %s\n%s", w->name, why, ptx_status_name(status),
               ptx_device_message(device), fault.cuda_error, fault.file ? fault.file : "?", fault.line,
               fault.instruction ? fault.instruction : "", fault.message ? fault.message : "",
               fault.state ? fault.state : "");
    ptx_device_destroy(device);
    return !why;
}

/* Whether the chip answered the case with its error; says so when it was never asked. */
static bool by_chip(const struct wrong *w, const char *golden, bool *known)
{
    const size_t n = strlen(w->name);
    bool same = false;
    *known = false;
    for (const char *line = golden; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
        if (strncmp(line, w->name, n) != 0 || line[n] != '\t') continue;
        *known = true;
        same = same || strtol(line + n, NULL, 10) == w->error;
    }
    if (!*known) printf("%s: not recorded\n", w->name);
    return same;
}

static bool told_right(const struct wrong *w, const char *golden)
{
    bool known;
    const bool same = by_chip(w, golden, &known);
    if (known && same != (w->by == CHIP))
        printf("%s: the chip answers %s\n", w->name, same ? "the same" : "something else");
    return known && same == (w->by == CHIP);
}

int main(int argc, char **argv)
{
    static char golden[ROOM];
    unsigned bad = 0, n = 0, recorded = 0;
    FILE *file = replay_open("wrong.tsv");
    if (!file || !fread(golden, 1, sizeof golden - 1, file)) return 1;
    fclose(file);
    for (size_t i = 0; i < WRONGS; i++) {
        if (argc > 1 && strcmp(argv[1], wrongs[i].name)) continue;
        n++, recorded += wrongs[i].by == CHIP;
        bad += !holds(&wrongs[i]) || !told_right(&wrongs[i], golden);
    }
    printf("%sok 1 - faults: %u by the chip, %u by the manual, %u wrong\n1..1\n", bad || !n ? "not " : "",
           recorded, n - recorded, bad);
    return bad || !n;
}
