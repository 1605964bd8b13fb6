/* spell.c - the words of the text form, from numbers and back. */
#include "code/ir/text.h"
#include "approx/levels.h"
#include "gang/fpmode.h"
#include "ops/sreg.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *word, const char *name, size_t n)
{
    return word && strlen(word) == n && memcmp(word, name, n) == 0;
}

/* ---- operations ---- */

static const char *const fixed_names[PX_FIX_COUNT] = {
#define PX_FIXED(name, plain, masked, alone, surveyed) #name,
#include "gang/fixed.def"
};

static const char *const table_names[] = {
#define PX_EMISSION(number, name, function) [number] = #name,
#include "gen/emissions.inc"
#undef PX_EMISSION
#define PX_NAMED_HANDLER(number, name) [number] = #name,
#include "gen/op_handlers.inc"
#undef PX_NAMED_HANDLER
};
enum { TABLE_NAMES = sizeof table_names / sizeof *table_names };

enum { ANY_FACT = 0xffff };
static const struct own {
    const char *name;
    uint16_t op, fact; /* ANY_FACT: the name says nothing of it */
} own_names[] = {
    {"nothing", PX_IR_NOTHING, ANY_FACT},     {"copy", PX_IR_COPY, 0},
    {"copy.signed", PX_IR_COPY, 1},           {"canon", PX_IR_CANON, ANY_FACT},
    {"jump", PX_IR_JUMP, ANY_FACT},           {"branch", PX_IR_BRANCH, 0},
    {"branch.not", PX_IR_BRANCH, 1},          {"end", PX_IR_END, ANY_FACT},
    {"arguments", PX_IR_ARGUMENTS, ANY_FACT}, {"tid.x", PX_IR_SREG, PX_LV_TID_X},
    {"tid.y", PX_IR_SREG, PX_LV_TID_Y},       {"tid.z", PX_IR_SREG, PX_LV_TID_Z},
    {"laneid", PX_IR_SREG, PX_LV_LANEID},     {"sreg", PX_IR_SREG, ANY_FACT},
    {"acquire", PX_IR_ACQUIRE, ANY_FACT},     {"release", PX_IR_RELEASE, ANY_FACT},
#define PX_UNIT(name, result, flushes) {"unit." #name, PX_IR_UNIT, PX_UNIT_##name},
#include "approx/row_units.def"
};
enum { OWN = sizeof own_names / sizeof *own_names };

static struct px_ir_spelling own_spelling(px_irop op, uint16_t fact)
{
    for (unsigned i = 0; i < OWN; i++)
        if (own_names[i].op == op && (own_names[i].fact == fact || own_names[i].fact == ANY_FACT))
            return (struct px_ir_spelling){"ir.", own_names[i].name, own_names[i].fact != ANY_FACT};
    return (struct px_ir_spelling){"ir.", NULL, false};
}

struct px_ir_spelling px_ir_spell(const struct px_level *level, px_irop op, uint16_t fact)
{
    const unsigned number = op & ~PX_IR_KIND;
    switch (px_ir_kind_of(op)) {
    case PX_IR_STATEMENT:
        return (struct px_ir_spelling){"", number < *level->nsets ? level->sets[number].name : NULL, false};
    case PX_IR_FIXED:
        return (struct px_ir_spelling){"row.", number < PX_FIX_COUNT ? fixed_names[number] : NULL, false};
    case PX_IR_TABLE:
        return (struct px_ir_spelling){"", number < TABLE_NAMES ? table_names[number] : NULL, false};
    default: return own_spelling(op, fact);
    }
}

static bool find(const char *const *names, uint32_t count, const char *name, size_t n, uint32_t *at)
{
    for (*at = 0; *at < count; ++*at)
        if (is(names[*at], name, n)) return true;
    return false;
}

static bool own_named(const char *name, size_t n, px_irop *op, uint16_t *fact)
{
    for (unsigned i = 0; i < OWN; i++) {
        if (!is(own_names[i].name, name, n)) continue;
        *op = own_names[i].op;
        if (own_names[i].fact != ANY_FACT) *fact = own_names[i].fact;
        return true;
    }
    return false;
}

bool px_ir_spelled(const struct px_level *level, const char *name, size_t n, px_irop *op, uint16_t *fact)
{
    uint32_t at;
    if (n > 3 && memcmp(name, "ir.", 3) == 0) return own_named(name + 3, n - 3, op, fact);
    if (n > 4 && memcmp(name, "row.", 4) == 0) {
        const bool found = find(fixed_names, PX_FIX_COUNT, name + 4, n - 4, &at);
        *op = (px_irop)(PX_IR_FIXED | at);
        return found;
    }
    for (at = 0; at < *level->nsets && !is(level->sets[at].name, name, n);) at++;
    *op = (px_irop)(PX_IR_STATEMENT | at);
    if (at < *level->nsets) return true;
    const bool found = find(table_names, TABLE_NAMES, name, n, &at);
    *op = (px_irop)(PX_IR_TABLE | at);
    return found;
}

/* ---- types and spaces ---- */

const char *px_ir_type_name(unsigned type)
{
    return type == PX_T_NONE ? "word" : px_type_info((enum px_type)type)->name;
}

bool px_ir_type_named(const char *name, size_t n, uint8_t *type)
{
    if (is("word", name, n)) return *type = PX_T_NONE, true;
    return (*type = (uint8_t)px_type_of_word(px_word_find(name, n))) != PX_T_NONE;
}

uint32_t px_ir_elem_of(unsigned type)
{
    const struct px_type_info *t = px_type_info((enum px_type)type);
    if (type == PX_T_NONE || t->klass == PX_TC_PRED) return 4;
    return t->bits <= 16 ? 2 : t->bits / 8u;
}

static const char *const spaces[] = {
    [PX_SPACE_NONE] = "generic",   [PX_SPACE_REG] = "reg",       [PX_SPACE_SREG] = "sreg",
    [PX_SPACE_CONST] = "const",    [PX_SPACE_GLOBAL] = "global", [PX_SPACE_LOCAL] = "local",
    [PX_SPACE_PARAM] = "param",    [PX_SPACE_SHARED] = "shared", [PX_SPACE_TEX] = "tex",
    [PX_SPACE_CLUSTER] = "cluster"};
enum { SPACES = sizeof spaces / sizeof *spaces };

const char *px_ir_space_name(unsigned space)
{
    return space < SPACES ? spaces[space] : NULL;
}

bool px_ir_space_named(const char *name, size_t n, uint8_t *space)
{
    uint32_t at;
    const bool found = find(spaces, SPACES, name, n, &at);
    *space = (uint8_t)at;
    return found;
}

/* ---- scalars of the block ---- */

static const struct field {
    const char *name;
    uint16_t at;
    uint8_t count; /* of 4 bytes, .x .y .z .w; 1: no letter behind it */
} fields[] = {
#define FIELD(name, count)                                                                                   \
    {                                                                                                        \
#name, offsetof(struct px_uniform, name), count                                                      \
    }
    FIELD(ntid, 4),           FIELD(ctaid, 4),         FIELD(nctaid, 4),       FIELD(gridid, 1),
    FIELD(local_base, 1),     FIELD(shared_window, 1), FIELD(const_window, 1), FIELD(param_window, 1),
    FIELD(nwarpid, 1),        FIELD(smid, 1),          FIELD(nsmid, 1),        FIELD(dynamic_smem, 1),
    FIELD(total_smem, 1),     FIELD(aggr_smem, 1),     FIELD(workspace, 2),    FIELD(shared_first, 1),
    FIELD(shared_place, 1),   FIELD(clusterid, 4),     FIELD(nclusterid, 4),   FIELD(cluster_ctaid, 4),
    FIELD(cluster_nctaid, 4), FIELD(cluster_rank, 1),  FIELD(cluster_size, 1), FIELD(explicit_cluster, 1)};
enum { FIELDS = sizeof fields / sizeof *fields };
static const char letters[] = "xyzw";

const char *px_ir_uniform_name(uint32_t at, char *text, size_t size)
{
    for (unsigned i = 0; i < FIELDS; i++)
        for (uint32_t k = 0; k < fields[i].count; k++) {
            if (fields[i].at + 4 * k != at) continue;
            if (fields[i].count == 1) return fields[i].name;
            snprintf(text, size, "%s.%c", fields[i].name, letters[k]);
            return text;
        }
    snprintf(text, size, "uniform+%u", at);
    return text;
}

bool px_ir_uniform_named(const char *name, size_t n, uint32_t *at)
{
    enum { PLAIN = sizeof "uniform+" - 1 };
    const char *dot = memchr(name, '.', n), *letter = dot ? memchr(letters, dot[1], 4) : NULL;
    const size_t length = dot ? (size_t)(dot - name) : n;
    for (unsigned i = 0; i < FIELDS; i++) {
        if (!is(fields[i].name, name, length) || (fields[i].count > 1) != (letter != NULL)) continue;
        *at = fields[i].at + (letter ? 4 * (uint32_t)(letter - letters) : 0);
        return true;
    }
    if (n <= PLAIN || memcmp(name, "uniform+", PLAIN) != 0) return false;
    *at = (uint32_t)strtoul(name + PLAIN, NULL, 10);
    return true;
}

/* ---- flags, modes, terms ---- */

const char *const px_ir_flag_names[8] = {NULL, NULL, "number", "host", "copies", "strong", "loose", "splits"};
const char *const px_ir_fuse_names[PX_IR_FUSE_NAMES] = {"fuse", "fuse.loop", "fuse.way"};
const char *const px_ir_term_names[6] = {"tid.x", "tid.y", "tid.z", "add", "sub", "scale"};

static const char *const roundings[4] = {
    [PX_FP_RN] = "rn", [PX_FP_RZ] = "rz", [PX_FP_RM] = "rm", [PX_FP_RP] = "rp"};

const char *px_ir_mode_name(uint8_t fp, char text[16])
{
    if (fp == PX_IR_FP_ANY) return NULL;
    if (fp == PX_IR_FP_HOME) return "home";
    if (fp == PX_IR_FP_NEAREST) return "nearest";
    snprintf(text, 16, "%s%s", roundings[fp & 3], fp & PX_FP_FTZ ? ".ftz" : "");
    return text;
}

bool px_ir_mode_named(const char *name, size_t n, uint8_t *fp)
{
    uint32_t rounding;
    if (is("home", name, n)) return *fp = PX_IR_FP_HOME, true;
    if (is("nearest", name, n)) return *fp = PX_IR_FP_NEAREST, true;
    if (n < 2 || !find(roundings, 4, name, 2, &rounding)) return false;
    *fp = (uint8_t)(rounding | (n > 2 ? PX_FP_FTZ : 0));
    return n == 2 || is(".ftz", name + 2, n - 2);
}
