/*
 * table.h - the layout of gen/isa_tables.c, for the files of lib/isa only.
 *
 * Everything is an array of small numbers that point into other arrays, so
 * that the tables need no relocation when the library is loaded.
 */
#ifndef PX_ISA_TABLE_H
#define PX_ISA_TABLE_H

#include "isa/isa.h"

struct px_isa_space { px_word word; uint8_t space; };
struct px_isa_target { char name[10]; px_word word; uint16_t min_ptx; struct px_target target; };

extern const char px_isa_text[];           /* the words, each NUL-terminated */
extern const uint16_t px_isa_text_at[];    /* by word; one more at the end */
extern const uint32_t px_isa_hash_mask, px_isa_bucket_mask;
extern const uint16_t px_isa_hash_slots[], px_isa_hash_seeds[];
extern const struct px_type_info px_isa_types[];
extern const bool px_isa_type_noimm[];
extern const uint16_t px_isa_ntypes;
extern const struct px_isa_space px_isa_spaces[];
extern const uint16_t px_isa_nspaces;
extern const struct px_sreg px_isa_sregs[];
extern const uint16_t px_isa_nsregs;
extern const struct px_isa_target px_isa_targets[];
extern const uint16_t px_isa_ntargets;
extern const uint16_t px_isa_versions[];   /* ends with 0 */

#endif
