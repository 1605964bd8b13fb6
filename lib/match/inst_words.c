/*
 * inst_words.c - why no form takes an instruction's modifiers, in ptxas's words.
 *
 * ptxas judges modifiers by kind (rounding, comparison, type, state space, ...)
 * before it looks at operands; so does this file.
 */
#include "match/inst.h"
#include <string.h>

/* ---- kinds of modifiers ---- */

/* Of the kinds that most opcodes share: messages speak of those before they speak of words. */
static bool is_common(px_word word)
{
    const enum px_word_kind kind = px_word_kind(word);
    return kind != PX_K_NONE && kind <= PX_K_FLAG;
}

const char *px_why_name(const struct px_why *why)
{
    char buf[160];
    px_inst_name(why->inst->opcode->word, why->words, why->nwords, buf, sizeof buf);
    return px_arena_printf(&why->module->arena, "%s", buf);
}

px_word px_why_word(const struct px_why *why, enum px_word_kind kind, unsigned nth)
{
    for (unsigned i = 0; i < why->nwords; i++)
        if (px_word_kind(why->words[i]) == kind && !nth--) return why->words[i];
    return 0;
}

/* ---- the forms of the opcode taken together ---- */

static bool some_form_takes(const struct px_why *why, px_word word)
{
    uint16_t first;
    unsigned n = px_inst_forms(why->module, why->inst->opcode->word, &first);
    return px_forms_accept(first, n, word);
}

static bool some_form_takes_kind(const struct px_why *why, enum px_word_kind kind)
{
    uint16_t first;
    unsigned n = px_inst_forms(why->module, why->inst->opcode->word, &first);
    for (px_word word = 1; word <= px_word_count(); word++)
        if (px_word_is_modifier(word) && px_word_kind(word) == kind && n && some_form_takes(why, word))
            return true;
    return false;
}

unsigned px_why_count(const struct px_why *why, px_word word)
{
    unsigned n = 0;
    for (unsigned i = 0; i < why->nwords; i++) n += why->words[i] == word;
    return n;
}

bool px_why_quirk(const struct px_why *why, enum px_quirk quirk)
{
    return px_quirk_holds(quirk, why->inst->opcode->word, why->words, why->nwords, NULL);
}

static bool begins(px_word word, const char *prefix)
{
    return !strncmp(px_word_text(word), prefix, strlen(prefix));
}

/* ---- two of a kind ---- */

/* Two words of one kind where no form takes them. */
static bool twice_of_named_set(const struct px_why *why)
{
    for (unsigned i = 0; i < why->nwords; i++)
        for (unsigned k = i + 1; k < why->nwords; k++) {
            enum px_word_kind a = px_word_kind(why->words[i]), b = px_word_kind(why->words[k]);
            if ((a == PX_K_DIMENSION && b == PX_K_GEOMETRY) || (a == PX_K_GEOMETRY && b == PX_K_DIMENSION))
                a = b = PX_K_GEOMETRY;
            if (a == b && px_kind_twice(a)) {
                px_complain(why, CACHE_TWICE, px_kind_twice(a));
                return true;
            }
        }
    return false;
}

/* ---- modifiers ---- */

/* The modifiers that ptxas calls duplicate; of others it says something else, or takes them twice. */
static bool duplicated(px_word word)
{
    static const px_word words[] = {PX_W_ftz,     PX_W_noftz, PX_W_relaxed,  PX_W_acquire, PX_W_release,
                                    PX_W_acq_rel, PX_W_sc,    PX_W_volatile, PX_W_weak,    PX_W_wait};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] == word) return true;
    return false;
}

/* Does some form of the opcode have two state spaces? */
static bool fits_spaces(const struct px_why *why)
{
    uint16_t first;
    unsigned n = px_inst_forms(why->module, why->inst->opcode->word, &first), most = 0;
    for (unsigned f = 0; f < n; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        unsigned spaces = 0;
        for (unsigned i = 0; i < px_form_slots(form); i++)
            spaces += px_space_of_word(px_form_word(form, i, 0)) != PX_SPACE_NONE;
        most = spaces > most ? spaces : most;
    }
    return most > 1;
}

/* Two operations or two scopes. */
static bool twice_of_set(const struct px_why *why)
{
    unsigned operations = 0, scopes = 0;
    for (unsigned i = 0; i < why->nwords; i++) {
        px_word word = why->words[i];
        operations += px_word_kind(word) == PX_K_OPERATION;
        scopes += px_word_kind(word) == PX_K_SCOPE;
    }
    bool twice = operations > 1 && !px_why_quirk(why, PX_Q_second_operation);
    if (twice)
        px_complain(why, OPERATION_TWICE);
    else if (scopes > 1)
        px_complain(why, SCOPE_TWICE);
    return twice || scopes > 1;
}

static bool twice(const struct px_why *why)
{
    if (twice_of_set(why) || twice_of_named_set(why)) return true;
    for (unsigned i = 0; i < why->nwords; i++)
        if (px_why_count(why, why->words[i]) > 1 && duplicated(why->words[i])) {
            px_complain(why, MODIFIER_TWICE, px_word_text(why->words[i]));
            return true;
        }
    if (px_why_word(why, PX_K_ROUND, 1)) {
        px_complain(why, ROUNDING_TWICE);
        return true;
    }
    if (px_why_word(why, PX_K_SPACE, 1) && !fits_spaces(why)) {
        px_complain(why, SPACES_MANY, px_why_name(why));
        return true;
    }
    if (px_why_word(why, PX_K_VECTOR, 1) || px_why_word(why, PX_K_CACHE, 1)) {
        px_complain(why, CACHE_TWICE, px_why_word(why, PX_K_CACHE, 1) ? "cache operation" : "vector");
        return true;
    }
    if (px_why_word(why, PX_K_COMPARE, 1)) {
        px_complain(why, COMPARE_TWICE);
        return true;
    }
    return false;
}

static void multisample(const struct px_why *why)
{
    if (px_why_word(why, PX_K_TYPE, 1) == PX_W_f32)
        px_complain(why, COORDS_INT);
    else
        px_complain(why, MULTISAMPLE, px_why_name(why));
}

/* A type that the target lacks altogether is said to be a missing feature. */
static void illegal_type(const struct px_why *why, px_word word)
{
    bool ampere = word == PX_W_bf16 || word == PX_W_bf16x2 || word == PX_W_tf32;
    unsigned sm = ampere ? 80 : word == PX_W_u4 || word == PX_W_s4 ? 75 : 0;
    if (why->module->target.sm < sm)
        px_complain(why, NEEDS_SM, px_arena_printf(&why->module->arena, ".%s", px_word_text(word)), sm);
    else
        px_complain(why, INST_TYPES, px_why_name(why));
}

/* Operations that only atomics have; the message adds the types to the instruction's name. */
static void illegal_reduction(const struct px_why *why)
{
    const char *name = px_why_name(why);
    for (unsigned i = 0; i < 2 && px_why_word(why, PX_K_TYPE, i); i++)
        name =
            px_arena_printf(&why->module->arena, "%s.%s", name, px_word_text(px_why_word(why, PX_K_TYPE, i)));
    px_complain(why, REDUCTION_ILLEGAL, name);
}

/* Of `mov.v8` the operands are told. */
static void illegal_vector(const struct px_why *why)
{
    const struct px_inst *inst = why->inst;
    unsigned many = 0;
    for (unsigned i = 0; i < inst->nopds && px_why_quirk(why, PX_Q_vectors_named); i++)
        if (inst->opds[i].kind == PX_O_VEC && inst->opds[i].n > 4) {
            px_complain(why, VECTOR_ILLEGAL, inst->opds[i].n);
            many++;
        }
    if (!many)
        px_complain(why, VECTOR_QUALIFIER, px_why_name(why));
    else if (many < inst->nopds)
        px_complain(why, VECTOR_SIZE, px_why_name(why));
}

static void illegal_word(const struct px_why *why, px_word word)
{
    if (word == PX_W_2dms && px_why_quirk(why, PX_Q_multisamples)) {
        multisample(why);
        return;
    }
    if ((word == PX_W_inc || word == PX_W_dec || word == PX_W_exch) &&
        !px_why_quirk(why, PX_Q_own_operations)) {
        illegal_reduction(why);
        return;
    }
    switch ((int)px_word_kind(word)) {
    case PX_K_TYPE: illegal_type(why, word); break;
    case PX_K_ROUND: px_complain(why, ROUNDING_ILLEGAL, px_why_name(why)); break;
    case PX_K_COMPARE: px_complain(why, COMPARE_ILLEGAL, px_why_name(why)); break;
    case PX_K_VECTOR: illegal_vector(why); break;
    case PX_K_SPACE:
        if (some_form_takes_kind(why, PX_K_SPACE))
            px_complain(why, SPACE_WRONG, px_why_name(why));
        else
            px_complain(why, NO_STATE_SPACE, px_why_name(why));
        break;
    default:
        if (px_kind_illegal(px_word_kind(word)))
            px_complain(why, MODIFIER_ILLEGAL, "", px_kind_illegal(px_word_kind(word)), px_why_name(why));
        else
            px_complain(why, MODIFIER_ILLEGAL, ".", px_word_text(word), px_why_name(why));
        break;
    }
}

/* Does some form take the word behind its name? */
static bool some_form_has_elsewhere(const struct px_why *why, px_word word)
{
    uint16_t first;
    unsigned n = px_inst_forms(why->module, why->inst->opcode->word, &first);
    for (unsigned f = 0; f < n; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        for (unsigned i = px_form_fixed(form); i < px_form_slots(form); i++)
            if (px_form_accepts(form, i, word)) return true;
    }
    return false;
}

/* Would some form take the words together with `extra`? */
static bool fits_with(const struct px_why *why, px_word extra)
{
    px_word words[PX_MAX_SLOTS + 1];
    uint16_t first;
    unsigned n = px_inst_forms(why->module, why->inst->opcode->word, &first);
    if (why->nwords >= PX_MAX_SLOTS) return false;
    memcpy(words, why->words, why->nwords * sizeof *words);
    words[why->nwords] = extra;
    for (unsigned f = 0; f < n; f++) {
        struct px_match match = {.form = px_form_at((uint16_t)(first + f))};
        if (px_match_deal(&match, words, why->nwords + 1)) return true;
    }
    return false;
}

/* A slot that every form fills and no word was given for: what ptxas calls it. */
static bool missing_word(const struct px_why *why)
{
    static const struct {
        px_word word;
        const char *called;
    } tries[] = {{PX_W_sync, ".sync"},
                 {PX_W_aligned, ".aligned"},
                 {PX_W_sat, ".sat"},
                 {PX_W_gpu, "Scope"},
                 {PX_W_global, "State space"},
                 {PX_W_row, "layout"},
                 {PX_W_2d, "Geometry"},
                 {PX_W_width, "Query"},
                 {PX_W_clamp, "Clamp"},
                 {PX_W_m8n8, "Shape"},
                 {PX_W_cta_group__1, ".cta_group"},
                 {PX_W_mbarrier__complete_tx__bytes, ".completion_mechanism"},
                 {PX_W_bulk_group, ".completion_mechanism"},
                 {PX_W_ca, "'.ca or .cg'"},
                 {PX_W_lo, "'.hi/.lo'"}};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        if (fits_with(why, tries[i].word)) {
            px_complain(why, MODIFIER_NEEDED, tries[i].called, px_why_name(why));
            return true;
        }
    return false;
}

/* Would a matrix shape complete the words? */
static bool missing_shape(const struct px_why *why)
{
    for (unsigned i = 0; i < why->nwords; i++)
        if (px_word_kind(why->words[i]) == PX_K_SHAPE) return false;
    for (px_word word = 1; word <= px_word_count(); word++)
        if (px_word_kind(word) == PX_K_SHAPE && px_word_is_modifier(word) && fits_with(why, word)) {
            px_complain(why, MODIFIER_NEEDED, "Shape", px_why_name(why));
            return true;
        }
    return false;
}

/* Pairs that ptxas calls incompatible, in the order of its message. */
bool px_why_clash(const struct px_why *why)
{
    static const px_word pairs[][2] = {{PX_W_kind__mxf4, PX_W_block16},
                                       {PX_W_kind__mxf8f6f4, PX_W_block16},
                                       {PX_W_kind__mxf4nvf4, PX_W_scale_vec__1X},
                                       {PX_W_collector__a__fill, PX_W_ashift},
                                       {PX_W_volatile, PX_W_gpu},
                                       {PX_W_relaxed, PX_W_ca}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (px_why_count(why, pairs[i][0]) && px_why_count(why, pairs[i][1])) {
            px_complain(why, MODIFIERS_CLASH, px_word_text(pairs[i][0]), px_word_text(pairs[i][1]));
            return true;
        }
    return false;
}

/* The number of words in the form's name when the words given have them all, else 0. */
static unsigned named(const struct px_why *why, const struct px_form *form)
{
    for (unsigned i = 0; i < px_form_fixed(form); i++)
        if (!px_why_count(why, px_form_word(form, i, 0))) return 0;
    return px_form_fixed(form);
}

/* Does a form of the instruction that the words name take the word? */
static bool named_form_takes(const struct px_why *why, px_word word)
{
    uint16_t first;
    unsigned n = px_inst_forms(why->module, why->inst->opcode->word, &first), longest = 0;
    for (unsigned f = 0; f < n; f++) {
        unsigned len = named(why, px_form_at((uint16_t)(first + f)));
        longest = len > longest ? len : longest;
    }
    for (unsigned f = 0; f < n && longest; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        for (unsigned i = 0; named(why, form) == longest && i < px_form_slots(form); i++)
            if (px_form_accepts(form, i, word)) return true;
    }
    return !longest;
}

/* Instructions that ptxas asks for .approx, and for nothing else, unless their type is a half. */
static bool only_approximates(const struct px_why *why)
{
    px_word type = px_why_word(why, PX_K_TYPE, 0);
    return (type == PX_W_f32 || type == PX_W_f64) && px_why_quirk(why, PX_Q_approximates);
}

void px_why_rounding(const struct px_why *why)
{
    if (only_approximates(why))
        px_complain(why, APPROX_NEEDED, px_why_name(why));
    else if (px_why_quirk(why, PX_Q_no_approximation))
        px_complain(why, ROUNDING_NEEDED, px_why_name(why));
    else
        px_complain(why, ROUNDING_APPROX, px_why_name(why));
}

/* Every word is known to the opcode, but no form takes them together. */
static void no_combination(const struct px_why *why)
{
    px_word type = px_why_word(why, PX_K_TYPE, 0);
    bool is_float = px_type_info(px_type_of_word(type))->klass == PX_TC_FLOAT;
    if (!why->nwords && px_why_quirk(why, PX_Q_level_missing))
        px_complain(why, MEMBAR_LEVEL, px_why_name(why));
    else if (fits_with(why, PX_W_eq) && !px_why_word(why, PX_K_COMPARE, 0))
        px_complain(why, COMPARE_NEEDED, px_why_name(why));
    else if ((fits_with(why, PX_W_rn) && fits_with(why, PX_W_approx)) ||
             (only_approximates(why) && !px_why_count(why, PX_W_approx)))
        px_why_rounding(why);
    else if (!px_why_word(why, PX_K_ROUND, 0) && (fits_with(why, PX_W_rn) || fits_with(why, PX_W_rni)))
        px_complain(why, ROUNDING_NEEDED, px_why_name(why));
    else if (px_why_word(why, PX_K_ROUND, 0) && px_why_quirk(why, PX_Q_rounds_by_type))
        px_complain(why, ROUNDING_ILLEGAL, px_why_name(why));
    else if (missing_word(why))
        return;
    else if (px_why_quirk(why, PX_Q_multisamples))
        multisample(why);
    else if (px_why_count(why, PX_W_sat) && !is_float && type)
        px_complain(why, SAT_TYPE, px_word_text(type));
    else if (px_why_count(why, PX_W_ftz) && type != PX_W_f32)
        px_complain(why, MODIFIER_ILLEGAL, ".", "ftz", px_why_name(why));
    else if (px_why_count(why, PX_W_cc) && is_float)
        px_complain(why, MODIFIER_ILLEGAL, ".", "cc", px_why_name(why));
    else if (px_why_count(why, PX_W_sat) && is_float && type != PX_W_f32)
        px_complain(why, MODIFIER_ILLEGAL, ".", "sat", px_why_name(why));
    else
        px_complain(why, INST_TYPES, px_why_name(why));
}

/* Words of names that ptxas knows by themselves. */
static bool known_alone(px_word word)
{
    static const px_word words[] = {PX_W_async, PX_W_cta, PX_W_alloc, PX_W_idx,     PX_W_st,
                                    PX_W_ld,    PX_W_mma, PX_W_shift, PX_W_sp,      PX_W_cluster,
                                    PX_W_a,     PX_W_b,   PX_W_p,     PX_W_mbarrier};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] == word) return true;
    return false;
}

/* Is the word only ever part of an instruction's name? */
static bool only_in_names(px_word word)
{
    if (!word || is_common(word) || known_alone(word)) return false;
    const struct px_form *form;
    for (uint16_t f = 1; (form = px_form_at(f)); f++)
        for (unsigned i = px_form_fixed(form); i < px_form_slots(form); i++)
            if (px_form_accepts(form, i, word)) return false;
    return true;
}

/* A word of the name that does not stand right after the opcode is unknown to ptxas. */
static bool misplaced(const struct px_why *why)
{
    char buf[160] = ""; /* no name: no word of it */
    unsigned k = 0;
    px_word opcode = why->inst->opcode->word;
    px_inst_name(opcode, why->words, why->nwords, buf, sizeof buf);
    for (const char *s = buf; *s; s++) k += *s == '.';
    for (unsigned i = k; i < why->nwords; i++)
        if (only_in_names(why->words[i]) ||
            (!known_alone(why->words[i]) && px_word_of_name(opcode, why->words[i]) &&
             !is_common(why->words[i]) && !some_form_has_elsewhere(why, why->words[i]))) {
            px_complain(why, MODIFIER_UNKNOWN, px_word_text(why->words[i]));
            return true;
        }
    return false;
}

void px_why_torn(const struct px_why *why, px_word word)
{
    char buf[160];
    if (only_in_names(word))
        px_complain(why, MODIFIER_UNKNOWN, px_word_text(word));
    else if (!px_inst_name(why->inst->opcode->word, why->words, why->nwords, buf, sizeof buf))
        px_complain(why, OPCODE, px_why_name(why));
    else
        px_complain(why, INST_TYPES, px_why_name(why));
}

/* Names that look complete and are none. */
static bool no_such_name(const struct px_why *why)
{
    px_word opcode = why->inst->opcode->word, first = why->nwords ? why->words[0] : 0;
    if (!px_quirk_holds(PX_Q_no_such_name, opcode, &first, 1, NULL)) return false;
    px_complain(why, OPCODE,
                px_arena_printf(&why->module->arena, "%s.%s", px_word_text(opcode), px_word_text(first)));
    return true;
}

/* A modifier that ptxas has never heard of comes before everything else, the opcode too. */
bool px_why_unknown(const struct px_why *why)
{
    const struct px_inst *inst = why->inst;
    if (no_such_name(why)) return true;
    for (unsigned i = 0; i < inst->nmods; i++)
        if (!px_word_is_modifier(inst->mods[i].name->word)) {
            px_complain(why, MODIFIER_UNKNOWN, inst->mods[i].name->text);
            return true;
        }
    return misplaced(why);
}

/* ptxas looks at operations first, then at types, spaces and the like, then at other words. */
static int judged(px_word word)
{
    const enum px_word_kind kind = px_word_kind(word);
    if (kind == PX_K_OPERATION) return 0;
    return is_common(word) && kind != PX_K_FLAG ? 1 : 2;
}

/* Modifiers that ptxas refuses before it looks at the types. */
static bool before_types(px_word word)
{
    switch ((int)px_word_kind(word)) {
    case PX_K_OPERATION:
    case PX_K_KIND:
    case PX_K_PREFETCH:
    case PX_K_HINT: return true;
    default:
        return word == PX_W_sync || word == PX_W_satfinite || word == PX_W_mmio ||
               begins(word, "cta_group::");
    }
}

static bool illegal_before_types(const struct px_why *why)
{
    for (unsigned i = 0; i < why->nwords; i++)
        if (before_types(why->words[i]) && !some_form_takes(why, why->words[i])) {
            illegal_word(why, why->words[i]);
            return true;
        }
    return false;
}

/* How far the types and then the operands fit some form when the other modifiers are left out. */
enum stripped { NO_TYPES, NO_ARGUMENTS, FITS };

static enum stripped stripped_form(const struct px_why *why, const struct px_form *form)
{
    struct px_match match = {.form = form, .pair = px_inst_pair_written(why->inst)};
    struct px_fault fault;
    if (!px_match_deal_types(&match, why->words, why->nwords) || !px_match_types(&match)) return NO_TYPES;
    for (unsigned nth = 0; px_match_choose(&match, why->inst->nopds, nth); nth++)
        if (px_match_types(&match) &&
            (px_inst_operands(why->module, &match, why->inst, &fault) || px_fault_phase(fault.kind) != 1))
            return FITS;
    return NO_ARGUMENTS;
}

static enum stripped stripped(const struct px_why *why)
{
    enum stripped best = NO_TYPES;
    uint16_t first;
    unsigned n = px_forms_of(why->inst->opcode->word, &first);
    for (unsigned f = 0; f < n && best != FITS; f++) {
        enum stripped found = stripped_form(why, px_form_at((uint16_t)(first + f)));
        best = found > best ? found : best;
    }
    return best;
}

/* The types come first, then the operands, then the other modifiers. */
static bool types_and_arguments(const struct px_why *why)
{
    switch (stripped(why)) {
    case NO_TYPES:
        for (unsigned i = 0; i < why->nwords; i++)
            if (px_word_kind(why->words[i]) == PX_K_TYPE && !some_form_takes(why, why->words[i])) {
                illegal_word(why, why->words[i]);
                return true;
            }
        px_complain(why, INST_TYPES, px_why_name(why));
        return true;
    case NO_ARGUMENTS:
        if (fits_with(why, PX_W_2d))
            px_complain(why, MODIFIER_NEEDED, "Geometry", px_why_name(why));
        else
            px_complain(why, ARGUMENTS, px_why_name(why));
        return true;
    default: return false;
    }
}

void px_why_words(const struct px_why *why)
{
    if (twice(why) || illegal_before_types(why) || missing_shape(why) || types_and_arguments(why)) return;
    for (int turn = 0; turn < 3; turn++)
        for (unsigned i = 0; i < why->nwords; i++)
            if (judged(why->words[i]) == turn && !some_form_takes(why, why->words[i])) {
                illegal_word(why, why->words[i]);
                return;
            }
    if (px_why_clash(why)) return;
    for (unsigned i = 0; i < why->nwords; i++)
        if (!is_common(why->words[i]) && !named_form_takes(why, why->words[i])) {
            illegal_word(why, why->words[i]);
            return;
        }
    no_combination(why);
}
