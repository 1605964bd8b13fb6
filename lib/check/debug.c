/*
 * debug.c - .file, .loc and .section: what source positions refer to.
 *
 * inlined_at must repeat an earlier .loc, so every place is kept in a hash set;
 * labels of sections and the function names that .loc uses are compared once,
 * after the module.
 */
#include <stdlib.h>
#include <string.h>
#include "check/checker.h"

struct place {
    uint32_t file, line, column;
};

struct loc_file {
    uint32_t number;
    px_pos pos;
};

struct px_debug {
    PX_VEC(const struct px_name *) functions; /* function_name of .loc */
    PX_VEC(const struct px_name *) labels;    /* of sections */
    struct place *places;                     /* open addressing; file, line, column all 0: free */
    uint32_t nplaces, mask;
    PX_VEC(struct loc_file) intermediate; /* .loc_intermediate: the file may still come */
    bool has_file, has_loc, has_section;
};

static struct px_debug *debug_of(struct px_checker *checker)
{
    if (!checker->debug) checker->debug = PX_NEW(&checker->module->arena, struct px_debug);
    return checker->debug;
}

/* ---- places of .loc ---- */

static uint32_t hash_place(const struct place *place)
{
    uint64_t h = (uint64_t)place->file * 0x9E3779B97F4A7C15u ^ (uint64_t)place->line * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)place->column * 0x165667B19E3779F9u;
    return (uint32_t)(h ^ h >> 32);
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* The slot that holds `place`, or the free one where it belongs. */
static struct place *slot_of(struct px_debug *debug, const struct place *place)
{
    static const struct place free_slot;
    uint32_t i = hash_place(place) & debug->mask;
    while (!same_place(&debug->places[i], place) && !same_place(&debug->places[i], &free_slot))
        i = (i + 1) & debug->mask;
    return &debug->places[i];
}

static void grow(struct px_checker *checker, struct px_debug *debug)
{
    struct place *old = debug->places;
    uint32_t n = old ? debug->mask + 1 : 0;
    debug->mask = n ? n * 2 - 1 : 63;
    debug->places = PX_NEW_N(&checker->module->arena, struct place, (size_t)debug->mask + 1);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].file || old[i].line || old[i].column) *slot_of(debug, &old[i]) = old[i];
}

static void remember(struct px_checker *checker, struct px_debug *debug, const struct place *place)
{
    if (!debug->places || debug->nplaces * 2 > debug->mask) grow(checker, debug);
    struct place *slot = slot_of(debug, place);
    debug->nplaces += !same_place(slot, place);
    *slot = *place;
}

static void check_inlined(struct px_checker *checker, struct px_debug *debug, const struct px_stmt *stmt)
{
    const struct px_loc *loc = &stmt->u.loc;
    struct place at = {loc->inlined_file, loc->inlined_line, loc->inlined_column};
    if (!debug->places || !same_place(slot_of(debug, &at), &at))
        px_complain(checker, LOC_INLINED, stmt->pos, 4, at.file, at.line, at.column);
    uint32_t n = debug->functions.n;
    if (!n || debug->functions.at[n - 1] != loc->function)
        px_vec_push(&checker->module->arena, &debug->functions, loc->function);
}

/* .loc_intermediate adds to the .loc right in front of it. */
static void check_intermediate(struct px_checker *checker, struct px_debug *debug, const struct px_stmt *stmt,
                               const struct px_stmt *before)
{
    const struct px_construct *directive = px_directive_of_word(PX_W_loc_intermediate);
    const uint32_t length = (uint32_t)strlen(directive->text);
    px_needs(checker, directive, stmt->pos, length);
    if (!before || before->kind != PX_S_LOC || before->u.loc.intermediate)
        px_complain(checker, LOC_ALONE, stmt->pos, length, directive->text);
    struct loc_file file = {stmt->u.loc.file, stmt->pos};
    px_vec_push(&checker->module->arena, &debug->intermediate, file);
}

void px_check_loc(struct px_checker *checker, const struct px_stmt *stmt, const struct px_stmt *before)
{
    struct px_debug *debug = debug_of(checker);
    if (stmt->u.loc.intermediate) {
        check_intermediate(checker, debug, stmt, before);
        return;
    }
    struct place place = {stmt->u.loc.file, stmt->u.loc.line, stmt->u.loc.column};
    debug->has_loc = true;
    if (stmt->u.loc.function) check_inlined(checker, debug, stmt);
    remember(checker, debug, &place);
}

static void complain_time(struct px_checker *checker, const struct px_file *file)
{
    const struct px_construct *need = px_need_at(PX_NEED_file_time);
    px_complain_at(checker, file->told, NEEDS_PTX, file->pos, 5, need->text, need->min_ptx / 10u,
                   need->min_ptx % 10u);
}

/* Numbers of files share the set with places: no .loc has a column of all ones. */
void px_check_file(struct px_checker *checker, const struct px_file *file)
{
    struct px_debug *debug = debug_of(checker);
    struct place number = {(uint32_t)file->index, (uint32_t)(file->index >> 32), UINT32_MAX};
    debug->has_file = true;
    if (file->has_time && checker->version < px_need_at(PX_NEED_file_time)->min_ptx)
        complain_time(checker, file);
    if (debug->places && same_place(slot_of(debug, &number), &number))
        px_complain_at(checker, file->told, FILE_TWICE, file->pos, 5, (unsigned long long)file->index);
    remember(checker, debug, &number);
}

static bool has_file(struct px_debug *debug, uint64_t index)
{
    struct place number = {(uint32_t)index, (uint32_t)(index >> 32), UINT32_MAX};
    return debug->places && same_place(slot_of(debug, &number), &number);
}

/* ---- texts in an intermediate language ---- */

void px_check_source(struct px_checker *checker, const struct px_source_section *source)
{
    const struct px_construct *directive = px_directive_of_word(PX_W_nv_intermediate_source_section);
    struct px_debug *debug = debug_of(checker);
    px_needs(checker, directive, source->pos, (uint32_t)strlen(directive->text));
    for (uint32_t i = 0; i < source->n && !checker->stopped; i++) {
        const struct px_code_block *block = &source->blocks[i];
        if (!px_intermediate_known(block->name))
            px_complain(checker, SOURCE_LANGUAGE, block->pos, 1, block->name);
        if (!has_file(debug, block->file))
            px_complain(checker, FILE_UNKNOWN, block->file_pos, 1, (unsigned long long)block->file);
    }
}

/* ---- sections ---- */

static void check_range(struct px_checker *checker, const struct px_expr *expr, px_word type)
{
    unsigned bits = px_type_info(px_type_of_word(type))->bits;
    if (expr->kind != PX_E_INT || bits > 16 || !bits) /* ptxas cuts wider values without a word */
        return;
    int64_t value = (int64_t)expr->u.i, low = -((int64_t)1 << (bits - 1)), high = ((int64_t)1 << bits) - 1;
    if (value < 0) px_requires(checker, PX_NEED_section_negative, expr->pos, 1);
    if (value < low || value > high)
        px_complain(checker, SECTION_RANGE, expr->pos, 1, px_word_text(type), (long long)value);
}

static void check_sum(struct px_checker *checker, const struct px_expr *expr)
{
    if (expr->kind != PX_E_BINARY) return;
    px_requires(checker, expr->op == '-' ? PX_NEED_section_difference : PX_NEED_section_offset, expr->pos, 1);
}

void px_check_section(struct px_checker *checker, const struct px_section *section)
{
    struct px_debug *debug = debug_of(checker);
    debug->has_section = true;
    px_requires(checker, PX_NEED_section, section->pos, 8);
    for (uint32_t i = 0; i < section->n && !checker->stopped; i++) {
        const struct px_section_line *line = &section->lines[i];
        if (line->label) px_requires(checker, PX_NEED_section_labels, line->pos, line->label->len);
        if (line->label) px_vec_push(&checker->module->arena, &debug->labels, line->label);
        for (uint32_t j = 0; j < line->n; j++) {
            check_sum(checker, line->values[j]);
            check_range(checker, line->values[j], line->type);
        }
    }
}

/* ---- after the module ---- */

static int compare_pointers(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

static void check_function_names(struct px_checker *checker, struct px_debug *debug)
{
    const size_t size = sizeof *debug->labels.at;
    if (debug->labels.n) qsort(debug->labels.at, debug->labels.n, size, compare_pointers);
    for (uint32_t i = 0; i < debug->functions.n; i++) {
        const struct px_name **name = &debug->functions.at[i];
        if ((*name)->text[0] != '.' &&
            (!debug->labels.n || !bsearch(name, debug->labels.at, debug->labels.n, size, compare_pointers)))
            px_complain(checker, LOC_LABEL, PX_NO_PLACE, 0, (*name)->text);
    }
}

void px_check_debug(struct px_checker *checker)
{
    struct px_debug *debug = checker->debug;
    if (checker->target_debug && !(debug && debug->has_section))
        px_complain(checker, NO_DEBUG_DATA, PX_NO_PLACE, 0);
    if (!debug) return;
    if (debug->has_loc && !debug->has_file) px_complain(checker, LOC_NO_FILE, PX_NO_PLACE, 0);
    for (uint32_t i = 0; i < debug->intermediate.n; i++)
        if (!has_file(debug, debug->intermediate.at[i].number))
            px_complain(checker, FILE_UNKNOWN, debug->intermediate.at[i].pos, 1,
                        (unsigned long long)debug->intermediate.at[i].number);
    check_function_names(checker, debug);
}
