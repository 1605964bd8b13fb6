/*
 * inst_why.c - why an instruction fits no form, in ptxas's words.
 *
 * ptxas judges modifiers by kind (rounding, comparison, type, state space, ...)
 * before it looks at operands; so does this file when no form takes the words.
 */
#include "check/inst.h"
#include <string.h>

/* ---- what kind of modifier a word is ---- */

enum kind { K_OTHER, K_TYPE, K_ROUND, K_COMPARE, K_SPACE, K_VECTOR, K_CACHE, K_FLAG };

static enum kind kind_of(px_word word)
{
    if (px_type_of_word(word))
        return K_TYPE;
    if (px_space_of_word(word))
        return K_SPACE;
    switch (word) {
    case PX_W_rn: case PX_W_rz: case PX_W_rm: case PX_W_rp: case PX_W_rni: case PX_W_rzi: case PX_W_rmi: case PX_W_rpi:
        return K_ROUND;
    case PX_W_eq: case PX_W_ne: case PX_W_lt: case PX_W_le: case PX_W_gt: case PX_W_ge: case PX_W_ls: case PX_W_hs:
    case PX_W_equ: case PX_W_neu: case PX_W_ltu: case PX_W_leu: case PX_W_gtu: case PX_W_geu: case PX_W_num: case PX_W_nan:
        return K_COMPARE;
    case PX_W_v2: case PX_W_v4: case PX_W_v8: return K_VECTOR;
    case PX_W_ca: case PX_W_cg: case PX_W_cs: case PX_W_lu: case PX_W_cv: case PX_W_wb: case PX_W_wt: return K_CACHE;
    case PX_W_ftz: case PX_W_sat: case PX_W_cc: case PX_W_approx: return K_FLAG;
    default: return K_OTHER;
    }
}

#define complain(why, id, ...)                                                                              \
    px_diag_add(&(why)->module->diags, PX_D_##id, (why)->inst->pos, (why)->inst->opcode->len, ##__VA_ARGS__)

static const char *name_of(const struct px_why *why)
{
    char buf[160];
    px_inst_name(why->inst->opcode->word, why->words, why->nwords, buf, sizeof buf);
    return px_arena_printf(&why->module->arena, "%s", buf);
}

static px_word word_of_kind(const struct px_why *why, enum kind kind, unsigned nth)
{
    for (unsigned i = 0; i < why->nwords; i++)
        if (kind_of(why->words[i]) == kind && !nth--)
            return why->words[i];
    return 0;
}

/* ---- the forms of the opcode taken together ---- */

static bool some_form_takes(const struct px_why *why, px_word word)
{
    uint16_t first;
    unsigned n = px_forms_of(why->inst->opcode->word, &first);
    for (unsigned f = 0; f < n; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        for (unsigned i = 0; i < px_form_slots(form); i++)
            if (px_form_accepts(form, i, word))
                return true;
    }
    return false;
}

static bool some_form_takes_kind(const struct px_why *why, enum kind kind)
{
    uint16_t first;
    unsigned n = px_forms_of(why->inst->opcode->word, &first);
    for (px_word word = 1; word < PX_W_COUNT; word++)
        if (px_word_is_modifier(word) && kind_of(word) == kind && n && some_form_takes(why, word))
            return true;
    return false;
}

static unsigned count_word(const struct px_why *why, px_word word)
{
    unsigned n = 0;
    for (unsigned i = 0; i < why->nwords; i++)
        n += why->words[i] == word;
    return n;
}

/* ---- modifiers ---- */

/* The modifiers that ptxas calls duplicate; of others it says something else, or takes them twice. */
static bool duplicated(px_word word)
{
    static const px_word words[] = {PX_W_ftz, PX_W_noftz, PX_W_relaxed, PX_W_acquire, PX_W_release, PX_W_acq_rel, PX_W_sc,
                                    PX_W_volatile, PX_W_weak, PX_W_wait};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] == word)
            return true;
    return false;
}

/* Does some form of the opcode have two state spaces? */
static bool fits_spaces(const struct px_why *why)
{
    uint16_t first;
    unsigned n = px_forms_of(why->inst->opcode->word, &first), most = 0;
    for (unsigned f = 0; f < n; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        unsigned spaces = 0;
        for (unsigned i = 0; i < px_form_slots(form); i++)
            spaces += px_space_of_word(px_form_word(form, i, 0)) != PX_SPACE_NONE;
        most = spaces > most ? spaces : most;
    }
    return most > 1;
}

static unsigned count_of(const struct px_why *why, const px_word *words, size_t n)
{
    unsigned found = 0;
    for (size_t i = 0; i < n; i++)
        found += count_word(why, words[i]);
    return found;
}

/* Two operations or two scopes. */
static bool twice_of_set(const struct px_why *why)
{
    static const px_word operations[] = {PX_W_add, PX_W_inc, PX_W_dec, PX_W_min, PX_W_max, PX_W_and, PX_W_or, PX_W_xor,
                                         PX_W_exch, PX_W_cas, PX_W_popc};
    static const px_word scopes[] = {PX_W_cta, PX_W_cluster, PX_W_gpu, PX_W_sys};
    bool scope = count_of(why, scopes, sizeof scopes / sizeof *scopes) > 1;
    if (count_of(why, operations, sizeof operations / sizeof *operations) > 1)
        complain(why, OPERATION_TWICE);
    else if (scope)
        complain(why, SCOPE_TWICE);
    else
        return false;
    return true;
}

static bool twice(const struct px_why *why)
{
    if (twice_of_set(why))
        return true;
    for (unsigned i = 0; i < why->nwords; i++)
        if (count_word(why, why->words[i]) > 1 && duplicated(why->words[i])) {
            complain(why, MODIFIER_TWICE, px_word_text(why->words[i]));
            return true;
        }
    if (word_of_kind(why, K_ROUND, 1)) {
        complain(why, ROUNDING_TWICE);
        return true;
    }
    if (word_of_kind(why, K_SPACE, 1) && !fits_spaces(why)) {
        complain(why, SPACES_MANY, name_of(why));
        return true;
    }
    if (word_of_kind(why, K_VECTOR, 1) || word_of_kind(why, K_CACHE, 1)) {
        complain(why, CACHE_TWICE, word_of_kind(why, K_CACHE, 1) ? "cache operation" : "vector");
        return true;
    }
    if (word_of_kind(why, K_COMPARE, 1)) {
        complain(why, COMPARE_TWICE);
        return true;
    }
    return false;
}

static void illegal_word(const struct px_why *why, px_word word)
{
    switch (kind_of(word)) {
    case K_TYPE: complain(why, INST_TYPES, name_of(why)); break;
    case K_ROUND: complain(why, ROUNDING_ILLEGAL, name_of(why)); break;
    case K_COMPARE: complain(why, COMPARE_ILLEGAL, name_of(why)); break;
    case K_VECTOR: complain(why, VECTOR_QUALIFIER, name_of(why)); break;
    case K_SPACE:
        if (some_form_takes_kind(why, K_SPACE))
            complain(why, SPACE_WRONG, name_of(why));
        else
            complain(why, NO_STATE_SPACE, name_of(why));
        break;
    default: complain(why, MODIFIER_ILLEGAL, px_word_text(word), name_of(why)); break;
    }
}

/* Does some form take the word behind its name? */
static bool some_form_has_elsewhere(const struct px_why *why, px_word word)
{
    uint16_t first;
    unsigned n = px_forms_of(why->inst->opcode->word, &first);
    for (unsigned f = 0; f < n; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        for (unsigned i = px_form_fixed(form); i < px_form_slots(form); i++)
            if (px_form_accepts(form, i, word))
                return true;
    }
    return false;
}

/* Would some form take the words together with `extra`? */
static bool fits_with(const struct px_why *why, px_word extra)
{
    px_word words[PX_MAX_SLOTS + 1];
    uint16_t first;
    unsigned n = px_forms_of(why->inst->opcode->word, &first);
    if (why->nwords >= PX_MAX_SLOTS)
        return false;
    memcpy(words, why->words, why->nwords * sizeof *words);
    words[why->nwords] = extra;
    for (unsigned f = 0; f < n; f++) {
        struct px_match match = {.form = px_form_at((uint16_t)(first + f))};
        if (px_match_deal(&match, words, why->nwords + 1))
            return true;
    }
    return false;
}

/* A slot that every form fills and no word was given for: what ptxas calls it. */
static bool missing_word(const struct px_why *why)
{
    static const struct { px_word word; const char *called; } tries[] = {
        {PX_W_sync, ".sync"}, {PX_W_aligned, ".aligned"}, {PX_W_sat, ".sat"}, {PX_W_gpu, "Scope"}, {PX_W_global, "State space"},
        {PX_W_row, "layout"}, {PX_W_2d, "Geometry"}, {PX_W_width, "Query"}, {PX_W_clamp, "Clamp"}, {PX_W_m8n8, "Shape"},
        {PX_W_cta_group__1, ".cta_group"}, {PX_W_mbarrier__complete_tx__bytes, ".completion_mechanism"},
        {PX_W_bulk_group, ".completion_mechanism"}, {PX_W_ca, "'.ca or .cg'"}, {PX_W_lo, "'.hi/.lo'"}};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        if (fits_with(why, tries[i].word)) {
            complain(why, MODIFIER_NEEDED, tries[i].called, name_of(why));
            return true;
        }
    return false;
}

/* Pairs that ptxas calls incompatible, in the order of its message. */
static bool clash(const struct px_why *why)
{
    static const px_word pairs[][2] = {
        {PX_W_kind__mxf4, PX_W_block16}, {PX_W_kind__mxf8f6f4, PX_W_block16}, {PX_W_kind__mxf4nvf4, PX_W_scale_vec__1X},
        {PX_W_collector__a__fill, PX_W_ashift}, {PX_W_volatile, PX_W_gpu}, {PX_W_relaxed, PX_W_ca}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (count_word(why, pairs[i][0]) && count_word(why, pairs[i][1])) {
            complain(why, MODIFIERS_CLASH, px_word_text(pairs[i][0]), px_word_text(pairs[i][1]));
            return true;
        }
    return false;
}

static void multisample(const struct px_why *why)
{
    if (word_of_kind(why, K_TYPE, 1) == PX_W_f32)
        complain(why, COORDS_INT);
    else
        complain(why, MULTISAMPLE, name_of(why));
}

/* The number of words in the form's name when the words given have them all, else 0. */
static unsigned named(const struct px_why *why, const struct px_form *form)
{
    for (unsigned i = 0; i < px_form_fixed(form); i++)
        if (!count_word(why, px_form_word(form, i, 0)))
            return 0;
    return px_form_fixed(form);
}

/* Does a form of the instruction that the words name take the word? */
static bool named_form_takes(const struct px_why *why, px_word word)
{
    uint16_t first;
    unsigned n = px_forms_of(why->inst->opcode->word, &first), longest = 0;
    for (unsigned f = 0; f < n; f++) {
        unsigned len = named(why, px_form_at((uint16_t)(first + f)));
        longest = len > longest ? len : longest;
    }
    for (unsigned f = 0; f < n && longest; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        for (unsigned i = 0; named(why, form) == longest && i < px_form_slots(form); i++)
            if (px_form_accepts(form, i, word))
                return true;
    }
    return !longest;
}

/* Every word is known to the opcode, but no form takes them together. */
static void no_combination(const struct px_why *why)
{
    px_word type = word_of_kind(why, K_TYPE, 0);
    bool is_float = px_type_info(px_type_of_word(type))->klass == PX_TC_FLOAT;
    if (why->inst->opcode->word == PX_W_membar && !why->nwords)
        complain(why, MEMBAR_LEVEL, name_of(why));
    else if (fits_with(why, PX_W_eq) && !word_of_kind(why, K_COMPARE, 0))
        complain(why, COMPARE_NEEDED, name_of(why));
    else if (fits_with(why, PX_W_rn) && fits_with(why, PX_W_approx))
        complain(why, ROUNDING_APPROX, name_of(why));
    else if (!word_of_kind(why, K_ROUND, 0) && (fits_with(why, PX_W_rn) || fits_with(why, PX_W_rni)))
        complain(why, ROUNDING_NEEDED, name_of(why));
    else if (why->inst->opcode->word == PX_W_cvt && word_of_kind(why, K_ROUND, 0))
        complain(why, ROUNDING_ILLEGAL, name_of(why));
    else if (missing_word(why))
        return;
    else if (clash(why))
        return;
    else if (why->inst->opcode->word == PX_W_tex && (count_word(why, PX_W_2dms) || count_word(why, PX_W_a2dms)))
        multisample(why);
    else if (count_word(why, PX_W_sat) && !is_float && type)
        complain(why, SAT_TYPE, px_word_text(type));
    else if (count_word(why, PX_W_ftz) && !is_float)
        complain(why, MODIFIER_ILLEGAL, "ftz", name_of(why));
    else
        complain(why, INST_TYPES, name_of(why));
}

/* Is the word only ever part of an instruction's name? */
static bool only_in_names(px_word word)
{
    if (kind_of(word) != K_OTHER || word == PX_W_async)
        return false;
    const struct px_form *form;
    for (uint16_t f = 1; (form = px_form_at(f)); f++)
        for (unsigned i = px_form_fixed(form); i < px_form_slots(form); i++)
            if (px_form_accepts(form, i, word))
                return false;
    return true;
}

/* A word of the name that does not stand right after the opcode is unknown to ptxas. */
static bool misplaced(const struct px_why *why)
{
    char buf[160];
    unsigned k = 0;
    px_word opcode = why->inst->opcode->word;
    px_inst_name(opcode, why->words, why->nwords, buf, sizeof buf);
    for (const char *s = buf; *s; s++)
        k += *s == '.';
    for (unsigned i = k; i < why->nwords; i++)
        if (only_in_names(why->words[i]) ||
            (px_word_of_name(opcode, why->words[i]) && kind_of(why->words[i]) == K_OTHER &&
             !some_form_has_elsewhere(why, why->words[i]))) {
            complain(why, MODIFIER_UNKNOWN, px_word_text(why->words[i]));
            return true;
        }
    return false;
}

static void explain_words(const struct px_why *why)
{
    const struct px_inst *inst = why->inst;
    for (unsigned i = 0; i < inst->nmods; i++)
        if (!px_word_is_modifier(inst->mods[i].name->word)) {
            complain(why, MODIFIER_UNKNOWN, inst->mods[i].name->text);
            return;
        }
    if (misplaced(why) || twice(why))
        return;
    for (unsigned i = 0; i < why->nwords; i++)
        if (!some_form_takes(why, why->words[i])) {
            illegal_word(why, why->words[i]);
            return;
        }
    for (unsigned i = 0; i < why->nwords; i++)
        if (kind_of(why->words[i]) == K_OTHER && !named_form_takes(why, why->words[i])) {
            illegal_word(why, why->words[i]);
            return;
        }
    no_combination(why);
}

/* ---- conditions of the row ---- */

static px_word space_word(const struct px_why *why)
{
    px_word word = word_of_kind(why, K_SPACE, 0);
    return word ? word : PX_W_generic;
}

/* The first modifier that begins with one of the prefixes, without them as ptxas quotes it. */
static const char *quoted(const struct px_why *why, const char *prefix)
{
    for (unsigned i = 0; i < why->nwords; i++)
        if (!strncmp(px_word_text(why->words[i]), prefix, strlen(prefix)))
            return px_word_text(why->words[i]);
    return "";
}

static void explain_hint_space(const struct px_why *why)
{
    const char *word = quoted(why, "L1::"), *space = px_word_text(space_word(why));
    if (!*word)
        word = quoted(why, "L2::evict");
    if (*word)
        word += 4;
    else
        word = quoted(why, "L2::cache_hint");
    complain(why, MODIFIER_SPACE_FOR, word, space, name_of(why));
}

/* An operation and the types that it is defined for, as the manual lists them. */
static void explain_operation(const struct px_why *why, const char *types)
{
    static const px_word operations[] = {PX_W_add, PX_W_inc, PX_W_dec, PX_W_min, PX_W_max, PX_W_and, PX_W_or, PX_W_xor, PX_W_exch};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (count_word(why, operations[i])) {
            complain(why, OPERATION_TYPE, px_word_text(operations[i]), types, name_of(why));
            return;
        }
    complain(why, INST_TYPES, name_of(why));
}

static void explain_hint(const struct px_why *why)
{
    if (count_word(why, PX_W_L2__cache_hint))
        complain(why, ARGUMENTS, name_of(why));
    else
        complain(why, HINT_NEEDED, name_of(why), why->inst->nopds);
}

static void explain_op_type(const struct px_why *why)
{
    static const px_word operations[] = {PX_W_add, PX_W_inc, PX_W_dec, PX_W_min, PX_W_max, PX_W_and, PX_W_or, PX_W_xor};
    px_word type = word_of_kind(why, K_TYPE, 0);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (count_word(why, operations[i])) {
            complain(why, TYPE_OPERATION, px_word_text(type), px_word_text(operations[i]), name_of(why));
            return;
        }
    complain(why, INST_TYPES, name_of(why));
}

static void explain_scope(const struct px_why *why)
{
    static const px_word orders[] = {PX_W_relaxed, PX_W_acquire, PX_W_release, PX_W_acq_rel};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (count_word(why, orders[i])) {
            complain(why, MODIFIER_SCOPE, px_word_text(orders[i]), "scope", name_of(why));
            return;
        }
    complain(why, MODIFIER_SCOPE, count_word(why, PX_W_cta) ? "cta" : count_word(why, PX_W_gpu) ? "gpu" : "cluster", "memory order",
             name_of(why));
}

static void explain_texture(const struct px_why *why, enum px_where_message message)
{
    switch ((int)message) {
    case PX_WM_float_coords: complain(why, COORDS_FLOAT); break;
    case PX_WM_int_coords: complain(why, COORDS_INT); break;
    default: complain(why, ARGUMENTS, name_of(why)); break;
    }
}

static void explain_where(const struct px_why *why, const struct px_fit *best)
{
    const char *name = name_of(why);
    switch (best->message) {
    case PX_WM_rounding: complain(why, ROUNDING_APPROX, name); break;
    case PX_WM_compare: complain(why, COMPARE_TYPE); break;
    case PX_WM_boolop: complain(why, BOOLEAN_NEEDED, name); break;
    case PX_WM_ftz: complain(why, MODIFIER_ILLEGAL, "ftz", name); break;
    case PX_WM_sat: complain(why, MODIFIER_ILLEGAL, "sat", name); break;
    case PX_WM_sync: complain(why, SYNC_NEEDED, name); break;
    case PX_WM_wide_global: complain(why, WIDE_SPACE); break;
    case PX_WM_prefetch_space: complain(why, FEATURE_SPACE, "cache prefetching"); break;
    case PX_WM_vector: complain(why, VECTOR_LARGE); break;
    case PX_WM_hint: explain_hint(why); break;
    case PX_WM_hint_space: explain_hint_space(why); break;
    case PX_WM_evict_wide: complain(why, WIDE_TYPE, name, quoted(why, "L2::evict")); break;
    case PX_WM_op_bits: explain_operation(why, count_word(why, PX_W_exch) ? ".b32 or .b64 or .b128" : ".b32 or .b64"); break;
    case PX_WM_op_add:
        explain_operation(why, ".u32 or .s32 or .u64 or .f64 or f16 or f16x2 or .f32 or .bf16 or .bf16x2");
        break;
    case PX_WM_op_inc: explain_operation(why, ".u32"); break;
    case PX_WM_op_min: explain_operation(why, ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2"); break;
    case PX_WM_op_type: explain_op_type(why); break;
    case PX_WM_scope: explain_scope(why); break;
    case PX_WM_multicast: complain(why, ARGUMENTS, name); break;
    case PX_WM_aligned: complain(why, MODIFIER_NEEDED, ".aligned", name); break;
    case PX_WM_mma_types: complain(why, ARGUMENTS, name); break;
    case PX_WM_float_coords: case PX_WM_int_coords: case PX_WM_depth: explain_texture(why, best->message); break;
    default: complain(why, INST_TYPES, name); break;
    }
}

/* ---- operands ---- */

static void explain_range(const struct px_why *why, const struct px_fault *f)
{
    long long v = (long long)f->operand->u.i, lo = f->opd->lo, hi = f->opd->hi;

    bool barrier = why->inst->opcode->word == PX_W_bar || why->inst->opcode->word == PX_W_barrier;
    if (f->operand->kind == PX_O_F64 || f->operand->kind == PX_O_F32)
        complain(why, RANGE_FLOAT, f->argument + 1, name_of(why), px_operand_value(f->operand), (double)lo, (double)hi);
    else if (barrier && !v && lo == 1)
        complain(why, BARRIER_ZERO, name_of(why));
    else if (f->kind == PX_FAULT_POWER)
        complain(why, ALIGN_CONSTANT);
    else if (f->kind == PX_FAULT_MULTIPLE && barrier)
        complain(why, BARRIER_COUNT);
    else if (f->kind == PX_FAULT_MULTIPLE)
        complain(why, RANGE_MULTIPLE, f->argument, name_of(why), v, f->opd->step);
    else if (barrier && hi == 15)
        complain(why, BARRIER_RANGE, (unsigned long long)v);
    else if (lo == hi)
        complain(why, RANGE_VALUE, f->argument, name_of(why), v, px_arena_printf(&why->module->arena, "%lld", lo));
    else
        complain(why, RANGE, f->argument, name_of(why), v, lo, hi);
}

static void explain_minus(const struct px_why *why, const struct px_fault *f)
{
    const struct px_symbol *symbol = f->operand->symbol;
    enum px_type_class klass = symbol ? (enum px_type_class)px_type_info(symbol->type)->klass : PX_TC_NONE;
    if (klass == PX_TC_BITS || klass == PX_TC_PRED)
        complain(why, MINUS);
    else
        complain(why, NEGATION, name_of(why));
}

static void explain_vector(const struct px_why *why, const struct px_fault *f)
{
    const struct px_inst *inst = why->inst;
    if (f->operand->n != 2 && f->operand->n != 4 && f->operand->n != 1)
        complain(why, VECTOR_ILLEGAL, f->operand->n);
    else if (inst->opcode->word != PX_W_mov)
        complain(why, VECTOR_OPERAND, name_of(why));
    else if (inst->nopds == 2 && inst->opds[0].kind == PX_O_VEC && inst->opds[1].kind == PX_O_VEC)
        complain(why, MOV_VECTORS);
    else
        complain(why, ARGUMENTS, name_of(why));
}

static bool is_surface(const struct px_why *why)
{
    const char *s = why->inst->opcode->text;
    return s[0] == 's'; /* suld sust sured suq */
}

static void explain_operand(const struct px_why *why, const struct px_fault *f)
{
    const char *name = name_of(why);
    switch (f->kind) {
    case PX_FAULT_RESULT: complain(why, RESULT_REGISTER, name); break;
    case PX_FAULT_SINK: complain(why, RESULT_SINK, name); break;
    case PX_FAULT_MINUS: explain_minus(why, f); break;
    case PX_FAULT_MINUS_LABEL: complain(why, MINUS); break;
    case PX_FAULT_NOT: complain(why, PRED_NEGATION); break;
    case PX_FAULT_VECTOR: explain_vector(why, f); break;
    case PX_FAULT_VECTOR_NEEDED: complain(why, VECTOR_NEEDED, f->argument); break;
    case PX_FAULT_MUST_REGISTER: complain(why, MUST_REGISTER, f->argument, name); break;
    case PX_FAULT_PAIR: complain(why, PRED_OUTPUT, name); break;
    case PX_FAULT_PAIR_NEEDED: complain(why, PRED_OUTPUT_NEEDED, name); break;
    case PX_FAULT_SREG: complain(why, SREG_OPERAND, name); break;
    case PX_FAULT_SREG_WRITE: complain(why, SREG_WRITE); break;
    case PX_FAULT_SIZE: complain(why, VECTOR_SIZE, name); break;
    case PX_FAULT_ILLEGAL_SIZE: complain(why, VECTOR_ILLEGAL, f->operand->n); break;
    case PX_FAULT_RESULT_VECTOR: complain(why, RESULT_VECTOR); break;
    case PX_FAULT_WIDTHS: complain(why, VECTOR_WIDTHS); break;
    case PX_FAULT_CLASSES: complain(why, VECTOR_CLASSES, name); break;
    case PX_FAULT_SINKS: complain(why, VECTOR_SINKS); break;
    case PX_FAULT_PREDICATE: complain(why, PREDICATE); break;
    case PX_FAULT_LABEL: complain(why, LABEL_NEEDED, f->argument, name); break;
    case PX_FAULT_TABLE: complain(why, TABLE_NEEDED, f->argument, name); break;
    case PX_FAULT_ADDRESS_TYPE:
        complain(why, ADDRESS_TYPE, f->operand->u.name->text, px_type_info(f->operand->symbol->type)->name);
        break;
    case PX_FAULT_ADDRESS_IMM: complain(why, ADDRESS_IMMEDIATE); break;
    case PX_FAULT_ADDRESS_SPACE: complain(why, ADDRESS_SPACE, name); break;
    case PX_FAULT_UNIFIED: complain(why, UNIFIED_SPACE, name); break;
    case PX_FAULT_RANGE: case PX_FAULT_MULTIPLE: case PX_FAULT_POWER: explain_range(why, f); break;
    case PX_FAULT_ILLEGAL: complain(why, OPERAND_ILLEGAL, name); break;
    case PX_FAULT_TEX: complain(why, TEX_OPERAND, 1, name, f->opd->name && is_surface(why) ? ".surfref" : ".texref"); break;
    case PX_FAULT_SAMPLER: complain(why, TEX_OPERAND, 2, name, ".samplerref"); break;
    case PX_FAULT_SELECTOR_VIDEO: complain(why, SELECTOR_WRONG, f->argument); break;
    case PX_FAULT_SINK_NEEDED: complain(why, SINK_NEEDED, name, ".shared::cluster"); break;
    case PX_FAULT_HANDLE: complain(why, TEX_HANDLE); break;
    case PX_FAULT_SELECTOR: complain(why, VIDEO_SELECTOR, name); break;
    default: complain(why, ARGUMENTS, name); break;
    }
}

/* ---- versions and targets ---- */

static void explain_feature(const struct px_why *why, const struct px_since *s, const char *feature)
{
    const struct ptx_module *m = why->module;
    if (m->tree.version && m->tree.version < s->min_ptx)
        complain(why, NEEDS_PTX, feature, s->min_ptx / 10u, s->min_ptx % 10u);
    else if (s->targets)
        complain(why, FEATURE_TARGET, feature, m->target_text);
    else
        complain(why, NEEDS_SM, feature, s->min_sm);
}

static void explain_since(const struct px_why *why, const struct px_fit *best)
{
    const struct px_since *s = &best->since;
    const struct ptx_module *m = why->module;
    const char *word = px_word_text(best->modifier);
    const char *feature = best->feature ? best->feature : px_since_feature(s);
    if (!feature && !best->modifier && !s->targets && !px_word_says_instruction(why->inst->opcode->word))
        feature = name_of(why);
    if (feature) {
        explain_feature(why, s, feature);
        return;
    }
    if (m->tree.version && m->tree.version < s->min_ptx) {
        if (best->modifier)
            complain(why, MODIFIER_NEEDS_PTX, word, s->min_ptx / 10u, s->min_ptx % 10u);
        else
            complain(why, INST_NEEDS_PTX, name_of(why), s->min_ptx / 10u, s->min_ptx % 10u);
    } else if (s->targets) {
        if (best->modifier)
            complain(why, MODIFIER_NEEDS_TARGET, word, m->target_text);
        else
            complain(why, INST_NEEDS_TARGET, name_of(why), m->target_text);
    } else if (best->modifier) {
        complain(why, MODIFIER_NEEDS_SM, word, s->min_sm);
    } else {
        complain(why, INST_NEEDS_SM, name_of(why), s->min_sm);
    }
}

/* A fourth operand of setp is a predicate that some operation must combine with the result. */
static void explain_count(const struct px_why *why)
{
    px_word opcode = why->inst->opcode->word;
    bool boolean = count_word(why, PX_W_and) || count_word(why, PX_W_or) || count_word(why, PX_W_xor);
    if ((opcode == PX_W_setp || opcode == PX_W_set) && why->inst->nopds == 4 && !boolean)
        complain(why, BOOLEAN_NEEDED, name_of(why));
    else
        complain(why, ARGUMENTS, name_of(why));
}

void px_inst_explain(const struct px_why *why, const struct px_fit *best)
{
    char buf[160];
    px_word opcode = why->inst->opcode->word;
    bool known = px_word_is_opcode(opcode);
    if (known && !px_inst_name(opcode, why->words, why->nwords, buf, sizeof buf) && misplaced(why))
        return;
    if (!known || !px_inst_name(opcode, why->words, why->nwords, buf, sizeof buf)) {
        complain(why, OPCODE, why->inst->opcode->text);
        return;
    }
    switch (best->stage) {
    case PX_FIT_WORDS: explain_words(why); break;
    case PX_FIT_WHERE: explain_where(why, best); break;
    case PX_FIT_COUNT: explain_count(why); break;
    case PX_FIT_OPERANDS: explain_operand(why, &best->fault); break;
    default: explain_since(why, best); break;
    }
}
