/* dump.h - who wants to see the IR, and after which passes. */
#ifndef PX_CODE_DUMP_H
#define PX_CODE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ptxvm.h"

struct px_irfn;

/* Passes by number, in the order of passes.def, and one more for the records. */
enum px_pass_number {
#define PASS(name, function, empties, needs, gives, engine) PX_PASS_##name,
#include "code/passes.def"
#undef PASS
    PX_PASS_records,
    PX_PASS_regions,
    PX_PASS_COUNT
};

struct px_dump {
    uint32_t passes;      /* a bit for each */
    bool dot;             /* as a graph, but for records */
    const char *function; /* this one alone; "": all. Into the words that were parsed */
    ptx_write_fn write;
    void *user;
};

/*
 * "PASS,...:FUNCTION", each part of which may be missing: `all` is every pass, `dot` asks for graphs; without
 * a pass the last one before the records is meant. False: *at and *length say which word is none.
 */
bool px_dump_parse(const char *words, struct px_dump *dump, const char **at, size_t *length);
/* "contract, lower, ..." */
void px_dump_names(char *text, size_t size);
const char *px_pass_name(enum px_pass_number pass);

/* Tells of the function, when somebody wants to know. */
void px_dump_after(const struct px_irfn *f, enum px_pass_number pass);

#endif
