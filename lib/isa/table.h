/*
 * table.h - the layout of gen/isa_tables.c, for the files of lib/isa only.
 *
 * Everything is an array of small numbers that point into other arrays, so
 * that the tables need no relocation when the library is loaded.
 */
#ifndef PX_ISA_TABLE_H
#define PX_ISA_TABLE_H

#include "isa/isa.h"

struct px_isa_space {
    px_word word;
    uint8_t space;
};
struct px_isa_target {
    char name[10];
    px_word word;
    uint16_t min_ptx;
    bool past;
    struct px_target target;
};

extern const char px_isa_text[];        /* the words, each NUL-terminated */
extern const uint16_t px_isa_text_at[]; /* by word; one more at the end */
extern const uint16_t px_isa_nwords;    /* words are 1 .. nwords */
extern const uint32_t px_isa_hash_mask, px_isa_bucket_mask;
extern const uint16_t px_isa_hash_slots[], px_isa_hash_seeds[];
extern const struct px_type_info px_isa_types[];
extern const bool px_isa_type_noimm[];
extern const uint16_t px_isa_ntypes;
extern const struct px_isa_space px_isa_spaces[];
extern const uint16_t px_isa_nspaces;
extern const struct px_sreg px_isa_sregs[];
extern const uint8_t px_isa_word_sreg[]; /* by word: index in px_isa_sregs and one; 0: none */
extern const struct px_isa_target px_isa_targets[];
extern const uint16_t px_isa_ntargets;
extern const uint16_t px_isa_versions[];      /* ends with 0 */
extern const uint16_t px_isa_word_versions[]; /* by word */
extern const struct px_construct px_isa_directives[], px_isa_pragmas[], px_isa_constructs[],
    px_isa_languages[], px_isa_intermediates[];
extern const uint16_t px_isa_ndirectives, px_isa_npragmas, px_isa_nconstructs, px_isa_nlanguages,
    px_isa_nintermediates;
extern const uint8_t px_isa_word_directive[]; /* by word: index in px_isa_directives and one; 0: none */

struct px_isa_value {
    px_word word;
    uint16_t since;
};
struct px_isa_slot {
    px_word name;
    uint16_t first, n;
    bool optional;
};
struct px_isa_fn {
    uint16_t first, n;
    uint8_t nargs;
};
struct px_isa_entry {
    uint16_t key[4];
    uint16_t elems;
}; /* key 0: any word; 0xffff: an empty slot */
struct px_isa_clause {
    uint8_t kind;
    uint8_t message;
    uint16_t first, length, since;
}; /* kind 1: a requirement */

struct px_form {
    px_word opcode;
    uint16_t first_slot, first_opd, first_part, first_clause, since, op;
    uint8_t nslots, nfixed, nopds, min_opds, nparts, nclauses, nspec;
    uint8_t flags;         /* PX_FORM_ */
    uint16_t overlooks;    /* sets of px_isa_overlooked whose words do no harm here */
    uint8_t spec[6];       /* slots that the statement specialises on */
    uint8_t copy;          /* in px_isa_copies; 0: the meaning is no copy */
    int32_t handler_first; /* -1: no statement */
    uint32_t syntax;       /* in px_isa_names */
    uint32_t section;      /* the same: of the manual */
};
enum {
    PX_FORM_EXECUTABLE = 1,
    PX_FORM_MODE = 2,
    PX_FORM_PAIR = 4,
    PX_FORM_COMPARE = 8,
    PX_FORM_WIDE = 16,
    PX_FORM_HOME = 32,
    PX_FORM_VIDEO = 64
};

extern const struct px_copy_rule px_isa_copies[];
extern const char px_isa_names[];
extern const uint16_t px_isa_nforms; /* numbers 1 .. nforms */
extern const struct px_form px_isa_forms[];
extern const uint16_t px_isa_form_first[]; /* by word of the opcode; 0 when it is none */
extern const uint8_t px_isa_word_flags[];  /* PX_WORD_ */
extern const uint16_t px_isa_overlooked[]; /* by word: bits of struct px_form.overlooks */
enum { PX_WORD_MODIFIER = 1, PX_WORD_OPCODE = 2, PX_WORD_INSTRUCTION = 4, PX_WORD_REPEATED = 8 };
extern const struct px_isa_slot px_isa_slots[];
extern const struct px_isa_value px_isa_values[];
extern const struct px_isa_value px_isa_features[]; /* ends with word 0 */
extern const struct px_opd px_isa_opds[], px_isa_parts[];
extern const struct px_isa_fn px_isa_fns[];
extern const struct px_isa_entry px_isa_entries[];
/* n, in braces, m, m types (the last repeats); n 0: by the shape's N, divided by the second */
extern const uint8_t px_isa_elems[];
extern const struct px_isa_clause px_isa_clauses[];
extern const uint16_t px_isa_code[], px_isa_lists[];
extern const struct px_since px_isa_sinces[];
extern const uint64_t px_isa_target_sets[]; /* bit i: target i */
extern const uint16_t px_isa_handlers[];
extern const struct px_statement px_isa_statements[]; /* by number of the handler */
extern const uint16_t px_isa_nstatements;
extern const uint16_t px_isa_inst_names[][7]; /* six words, 0 at the end; 1 when they may stand anywhere */
extern const uint16_t px_isa_ninst_names;

enum { PX_QUIRK_WORDS = 3 };
struct px_isa_set {
    px_word opcode, with[PX_QUIRK_WORDS], without[PX_QUIRK_WORDS];
    uint32_t operand; /* in px_isa_names */
    uint8_t number;   /* enum px_quirk, px_set; of px_isa_results: enum px_result */
};
/* Those of an opcode stand side by side, from the place on that its word has; 0: it has none. */
extern const struct px_isa_set px_isa_sets[], px_isa_results[];
extern const uint16_t px_isa_set_first[], px_isa_result_first[];
extern const uint64_t px_isa_set_bits[][2]; /* by word: bit i says that some line of set i is about it */

/* What messages call a kind of which an instruction has two, and of which it may have none; NULL: nothing. */
struct px_isa_kind {
    const char *twice, *illegal;
};
extern const struct px_isa_kind px_isa_kinds[]; /* by enum px_word_kind */
extern const uint8_t px_isa_word_kinds[];       /* by word; types and spaces: 0 */

#endif
