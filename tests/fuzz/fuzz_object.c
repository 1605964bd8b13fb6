/*
 * fuzz_object.c - libFuzzer target: the loader of object files.
 *
 * Any bytes must give a module or diagnostics. Before they are loaded, the note's checksum is put right where
 * the file has one, for else the fuzzer would never get past it. What loads must be written again, and what
 * was written must load. Run it as fuzz_front says; good seeds are objects of small modules (make fuzz).
 */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>
#include "front/object.h"
#include "ptx.h"

struct bytes {
    char *at;
    size_t n;
};

static int collect(void *user, const char *at, size_t n)
{
    struct bytes *bytes = user;
    bytes->at = realloc(bytes->at, bytes->n + n);
    memcpy(bytes->at + bytes->n, at, n);
    bytes->n += n;
    return 0;
}

static void mend_checksum(unsigned char *data, size_t size)
{
    static const char head[] = "ptxvm\0\0\0\1\0\0";
    struct px_object object;
    if (px_object_open(&object, data, size) != PX_OBJECT_DAMAGED || !object.sum) return;
    unsigned char *note = memmem(data, size, head, sizeof head);
    for (unsigned i = 0; note && i < 8 && note + 24 <= data + size; i++)
        note[16 + i] = (unsigned char)(object.sum >> 8 * i);
}

static void write_and_read_again(const ptx_module *module)
{
    struct bytes bytes = {0};
    ptx_module *again = NULL;
    if (ptx_object_write(&module, 1, collect, &bytes) != PTX_OK) abort();
    if (ptx_object_module(NULL, bytes.at, bytes.n, 0, &again) != PTX_OK) abort();
    if (strcmp(ptx_module_file_name(again), ptx_module_file_name(module)) != 0) abort();
    ptx_module_destroy(again);
    free(bytes.at);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    mend_checksum(copy, size);
    const size_t n = ptx_object_module_count(copy, size);
    for (size_t i = 0; i <= n; i++) { /* the last asks for one too many, or reads what is no object */
        ptx_module *module = NULL;
        const ptx_status status = i < n ? ptx_object_module(NULL, copy, size, i, &module)
                                        : ptx_module_create(NULL, (char *)copy, size, &module);
        if (!module) abort();
        if (status == PTX_OK) write_and_read_again(module);
        ptx_module_destroy(module);
    }
    free(copy);
    return 0;
}
