/*
 * object.h - object files: ELF files that carry PTX texts (docs/object.md).
 *
 * Reading allocates nothing and trusts nothing: what px_object_open accepts has
 * every offset inside the file, every string terminated and the right checksum,
 * and the texts it gives are still only texts, to be checked like any others.
 */
#ifndef PX_FRONT_OBJECT_H
#define PX_FRONT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

enum { PX_OBJECT_FORMAT = 1, PX_OBJECT_MODULES = 1024 /* at most, in one file */ };

enum px_object_state {
    PX_OBJECT_NONE, /* neither ELF nor fat binary: text */
    PX_OBJECT_FINE,
    PX_OBJECT_CODE, /* an ELF file for CUDA that is not ours: machine code */
    PX_OBJECT_HOST, /* an ELF file for another machine */
    PX_OBJECT_FATBIN,
    PX_OBJECT_NEWER, /* another format than PX_OBJECT_FORMAT */
    PX_OBJECT_DAMAGED,
    PX_OBJECT_MANY /* [api] several modules where one is expected */
};

struct px_object {
    const unsigned char *data; /* the caller's */
    size_t size;
    uint64_t table; /* offset of the section headers */
    uint32_t sections;
    uint32_t names; /* index of the section with the sections' names */
    uint32_t modules;
    uint32_t format;    /* what the note says */
    uint32_t machine;   /* e_machine */
    uint64_t checksum;  /* what the note says */
    uint64_t sum;       /* what it should be; 0 when the modules were not all read */
    const char *damage; /* PX_OBJECT_DAMAGED: what is wrong */
};

/* One module; strings and text point into the file, and only the strings end in NUL. */
struct px_object_module {
    const char *file; /* what diagnostics call it */
    const char *arch; /* the architecture it was checked for; "": its own .target */
    bool all;         /* profile: "all", else "13.0" */
    bool no_fmad;     /* assembled with -fmad=false */
    uint16_t sm;      /* [write] 90 of sm_90: of `arch`, else of the module's target */
    const char *text;
    size_t size;
};

enum px_object_state px_object_open(struct px_object *object, const void *data, size_t size);

/* The i-th module of an object that is PX_OBJECT_FINE; false past the end. */
bool px_object_module(const struct px_object *object, uint32_t index, struct px_object_module *module);

/* Adds the diagnostic for a file that gives no module. */
void px_object_complain(struct px_diags *diags, enum px_object_state state, const struct px_object *object,
                        const char *file);

/* Writes an object; false when `write` stopped it or there are too many modules. */
bool px_object_write(const struct px_object_module *modules, uint32_t n, ptx_write_fn write, void *user);

#endif
