/*
 * inst_why.c - why an instruction fits no form, in ptxas's words: conditions,
 * operands and requirements. Modifiers are judged in inst_words.c.
 */
#include "match/inst.h"
#include "gen/isa_messages.h"
#include <string.h>

/* ---- conditions of the row ---- */

static px_word space_word(const struct px_why *why)
{
    px_word word = px_why_word(why, PX_K_SPACE, 0);
    return word ? word : PX_W_generic;
}

/* The first modifier that begins with one of the prefixes, without them as ptxas quotes it. */
static const char *quoted(const struct px_why *why, const char *prefix)
{
    for (unsigned i = 0; i < why->nwords; i++)
        if (!strncmp(px_word_text(why->words[i]), prefix, strlen(prefix))) return px_word_text(why->words[i]);
    return "";
}

static void explain_hint_space(const struct px_why *why)
{
    const char *word = quoted(why, "L1::"), *space = px_word_text(space_word(why));
    if (!*word) word = quoted(why, "L2::evict");
    if (*word)
        word += 4;
    else
        word = quoted(why, "L2::cache_hint");
    px_complain(why, MODIFIER_SPACE_FOR, word, space, px_why_name(why));
}

/* An operation and the types that it is defined for, as the manual lists them. */
static void explain_operation(const struct px_why *why, const char *types)
{
    static const px_word operations[] = {PX_W_add, PX_W_inc, PX_W_dec, PX_W_min, PX_W_max,
                                         PX_W_and, PX_W_or,  PX_W_xor, PX_W_exch};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (px_why_count(why, operations[i])) {
            px_complain(why, OPERATION_TYPE, px_word_text(operations[i]), types, px_why_name(why));
            return;
        }
    px_complain(why, INST_TYPES, px_why_name(why));
}

static void explain_hint(const struct px_why *why)
{
    if (px_why_count(why, PX_W_L2__cache_hint))
        px_complain(why, ARGUMENTS, px_why_name(why));
    else
        px_complain(why, HINT_NEEDED, px_why_name(why), why->inst->nopds);
}

static void explain_op_type(const struct px_why *why)
{
    static const px_word operations[] = {PX_W_add, PX_W_inc, PX_W_dec, PX_W_min,
                                         PX_W_max, PX_W_and, PX_W_or,  PX_W_xor};
    px_word type = px_why_word(why, PX_K_TYPE, 0);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (px_why_count(why, operations[i])) {
            px_complain(why, TYPE_OPERATION, px_word_text(type), px_word_text(operations[i]),
                        px_why_name(why));
            return;
        }
    px_complain(why, INST_TYPES, px_why_name(why));
}

static void explain_scope(const struct px_why *why)
{
    static const px_word orders[] = {PX_W_relaxed, PX_W_acquire, PX_W_release, PX_W_acq_rel};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (px_why_count(why, orders[i])) {
            px_complain(why, MODIFIER_SCOPE, px_word_text(orders[i]), "scope", px_why_name(why));
            return;
        }
    px_complain(why, MODIFIER_SCOPE,
                px_why_count(why, PX_W_cta)   ? "cta"
                : px_why_count(why, PX_W_gpu) ? "gpu"
                                              : "cluster",
                "memory order", px_why_name(why));
}

/* ---- what is said of a condition ---- */

/* What a message names, in this order. */
enum says { SAYS_NOTHING, SAYS_NAME, SAYS_ARGUMENT, SAYS_ARGUMENT_AND_NAME };

static void say(const struct px_why *why, enum px_diag_id id, enum says says, unsigned argument)
{
    struct px_diags *diags = &why->module->diags;
    const px_pos pos = why->inst->pos;
    const uint32_t length = why->inst->opcode->len;
    switch (says) {
    case SAYS_NAME: px_diag_add(diags, id, pos, length, px_why_name(why)); break;
    case SAYS_ARGUMENT: px_diag_add(diags, id, pos, length, argument); break;
    case SAYS_ARGUMENT_AND_NAME: px_diag_add(diags, id, pos, length, argument, px_why_name(why)); break;
    default: px_diag_add(diags, id, pos, length); break;
    }
}

static void explain_ftz(const struct px_why *why)
{
    px_complain(why, MODIFIER_ILLEGAL, ".", "ftz", px_why_name(why));
}

static void explain_sat(const struct px_why *why)
{
    px_complain(why, MODIFIER_ILLEGAL, ".", "sat", px_why_name(why));
}

static void explain_prefetch(const struct px_why *why)
{
    px_complain(why, FEATURE_SPACE, "cache prefetching");
}

static void explain_evict(const struct px_why *why)
{
    px_complain(why, WIDE_TYPE, px_why_name(why), quoted(why, "L2::evict"));
}

static void explain_bits(const struct px_why *why)
{
    explain_operation(why, px_why_count(why, PX_W_exch) ? ".b32 or .b64 or .b128" : ".b32 or .b64");
}

static void explain_add(const struct px_why *why)
{
    explain_operation(why, ".u32 or .s32 or .u64 or .f64 or f16 or f16x2 or .f32 or .bf16 or .bf16x2");
}

static void explain_inc(const struct px_why *why)
{
    explain_operation(why, ".u32");
}

static void explain_min(const struct px_why *why)
{
    explain_operation(why, ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2");
}

static void explain_aligned(const struct px_why *why)
{
    px_complain(why, MODIFIER_NEEDED, ".aligned", px_why_name(why));
}

/* What is said where a condition of a row fails. */
struct condition {
    void (*explain)(const struct px_why *why); /* NULL: the message, */
    enum px_diag_id id;
    enum says says;
    bool late; /* operands whose types do not fit are told first */
};
#define SAY(name, what) .id = PX_D_##name, .says = SAYS_##what
#define ASK(function) .explain = function
static const struct condition conditions[PX_WM_COUNT] = {
    [PX_WM_rounding] = {ASK(px_why_rounding), .late = true},
    [PX_WM_compare] = {SAY(COMPARE_TYPE, NOTHING), .late = true},
    [PX_WM_boolop] = {SAY(BOOLEAN_NEEDED, NAME), .late = true},
    [PX_WM_ftz] = {ASK(explain_ftz), .late = true},
    [PX_WM_ftz_convert] = {SAY(FTZ_CONVERT, NOTHING)},
    [PX_WM_sat] = {ASK(explain_sat), .late = true},
    [PX_WM_sync] = {SAY(SYNC_NEEDED, NAME), .late = true},
    [PX_WM_wide_global] = {SAY(WIDE_SPACE, NOTHING)},
    [PX_WM_prefetch_space] = {ASK(explain_prefetch)},
    [PX_WM_vector] = {SAY(VECTOR_LARGE, NOTHING)},
    [PX_WM_hint] = {ASK(explain_hint), .late = true},
    [PX_WM_hint_space] = {ASK(explain_hint_space), .late = true},
    [PX_WM_evict_wide] = {ASK(explain_evict)},
    [PX_WM_op_bits] = {ASK(explain_bits)},
    [PX_WM_op_add] = {ASK(explain_add)},
    [PX_WM_op_inc] = {ASK(explain_inc)},
    [PX_WM_op_min] = {ASK(explain_min)},
    [PX_WM_op_type] = {ASK(explain_op_type)},
    [PX_WM_scope] = {ASK(explain_scope), .late = true},
    [PX_WM_multicast] = {SAY(ARGUMENTS, NAME)},
    [PX_WM_aligned] = {ASK(explain_aligned), .late = true},
    [PX_WM_mma_types] = {SAY(ARGUMENTS, NAME)},
    [PX_WM_float_coords] = {SAY(COORDS_FLOAT, NOTHING)},
    [PX_WM_int_coords] = {SAY(COORDS_INT, NOTHING)},
    [PX_WM_depth] = {SAY(ARGUMENTS, NAME)},
};

/* Types of operands that do not fit come before conditions on modifiers, not before those on types. */
static bool arguments_first(const struct px_why *why, const struct px_fit *best)
{
    struct px_fault fault;
    return conditions[best->message].late &&
           !px_inst_operands(why->module, &best->match, why->inst, &fault) && px_fault_phase(fault.kind) == 1;
}

static void explain_where(const struct px_why *why, const struct px_fit *best)
{
    const struct condition *c = &conditions[best->message];
    if (px_why_clash(why)) return;
    if (arguments_first(why, best))
        px_complain(why, ARGUMENTS, px_why_name(why));
    else if (c->explain)
        c->explain(why);
    else if (c->id)
        say(why, c->id, c->says, 0);
    else
        px_complain(why, INST_TYPES, px_why_name(why));
}

/* ---- operands ---- */

double px_operand_value(const struct px_operand *o)
{
    double d;
    float f;
    uint32_t bits = (uint32_t)o->u.i;
    memcpy(&d, &o->u.i, sizeof d);
    memcpy(&f, &bits, sizeof f);
    return o->kind == PX_O_F32 ? f : d;
}

static void explain_range(const struct px_why *why, const struct px_fault *f)
{
    long long v = (long long)f->operand->u.i, lo = f->opd->lo, hi = f->opd->hi;

    if (px_why_quirk(why, PX_Q_sparse_named)) {
        px_complain(why, RANGE, f->argument + 1, "Sparse mma", v, lo, hi);
        return;
    }
    bool barrier = px_why_quirk(why, PX_Q_whole_warps);
    if (f->operand->kind == PX_O_F64 || f->operand->kind == PX_O_F32)
        px_complain(why, RANGE_FLOAT, f->argument + 1, px_why_name(why), px_operand_value(f->operand),
                    (double)lo, (double)hi);
    else if (barrier && !v && lo > 0)
        px_complain(why, BARRIER_ZERO, px_why_name(why));
    else if (f->kind == PX_FAULT_POWER)
        px_complain(why, ALIGN_CONSTANT);
    else if (f->kind == PX_FAULT_MULTIPLE && barrier)
        px_complain(why, BARRIER_COUNT);
    else if (f->kind == PX_FAULT_MULTIPLE)
        px_complain(why, RANGE_MULTIPLE, f->argument, px_why_name(why), v, f->opd->step);
    else if (barrier && hi == 15)
        px_complain(why, BARRIER_RANGE, (unsigned long long)v);
    else if (lo == hi)
        px_complain(why, RANGE_VALUE, f->argument, px_why_name(why), v,
                    px_arena_printf(&why->module->arena, "%lld", lo));
    else
        px_complain(why, RANGE, f->argument, px_why_name(why), v, lo, hi);
}

/* The byte or thread of a scale factor. */
static void explain_scale(const struct px_why *why, const struct px_fault *f)
{
    bool sparse = px_why_quirk(why, PX_Q_sparse_named), range = f->opd->step == 1 && f->opd->hi;
    long long v = (long long)f->operand->u.i, hi = f->opd->hi;
    if (range)
        px_complain(why, RANGE, f->argument, px_why_name(why), v, 0LL, hi);
    else
        px_complain(why, RANGE_VALUE, f->argument, sparse ? "Sparse mma" : px_why_name(why), v,
                    hi ? "0 or 2" : "0");
}

static void explain_minus(const struct px_why *why, const struct px_fault *f)
{
    const struct px_symbol *symbol = f->operand->symbol;
    enum px_type_class klass = symbol ? (enum px_type_class)px_type_info(symbol->type)->klass : PX_TC_NONE;
    if (klass == PX_TC_BITS || klass == PX_TC_PRED)
        px_complain(why, MINUS);
    else
        px_complain(why, NEGATION, px_why_name(why));
}

static void explain_vector(const struct px_why *why, const struct px_fault *f)
{
    const struct px_inst *inst = why->inst;
    if (f->operand->kind == PX_O_VEC && f->operand->n != 2 && f->operand->n != 4 && f->operand->n != 1)
        px_complain(why, VECTOR_ILLEGAL, f->operand->n);
    else if (!px_why_quirk(why, PX_Q_vectors_named))
        px_complain(why, VECTOR_OPERAND, px_why_name(why));
    else if (inst->nopds == 2 && inst->opds[0].kind == PX_O_VEC && inst->opds[1].kind == PX_O_VEC)
        px_complain(why, MOV_VECTORS);
    else
        px_complain(why, ARGUMENTS, px_why_name(why));
}

/* A selector on an operand that takes none: of a video instruction its third source, of others the result or
 * a source. */
static void explain_selector(const struct px_why *why, const struct px_fault *f)
{
    uint16_t first;
    bool video = px_forms_of(why->inst->opcode->word, &first) && px_form_opds(px_form_at(first), NULL) > 1 &&
                 px_form_opd(px_form_at(first), 1)->flags & PX_OPERAND_SELECTOR;
    if (video && f->argument == 3)
        px_complain(why, SELECTOR_PLACE, "source C");
    else if (f->opd->flags & PX_OPERAND_RESULT)
        px_complain(why, SELECTOR_RESULT, px_why_name(why));
    else
        px_complain(why, VIDEO_SELECTOR, px_why_name(why));
}

static void explain_space(const struct px_why *why, const struct px_fault *f)
{
    bool generic = f->opd->space < 0 || !px_why_word(why, PX_K_SPACE, 0);
    if (px_why_quirk(why, PX_Q_barrier_address) && generic && f->operand->kind == PX_O_NAME)
        px_complain(why, BARRIER_SPACE, f->operand->u.name->text, px_why_name(why));
    else
        px_complain(why, ADDRESS_SPACE, px_why_name(why));
}

static void explain_vector_needed(const struct px_why *why, const struct px_fault *f)
{
    if (px_why_quirk(why, PX_Q_arguments_named))
        px_complain(why, ARGUMENTS, px_why_name(why));
    else
        px_complain(why, VECTOR_NEEDED, f->argument);
}

static void explain_elements(const struct px_why *why, const struct px_fault *f)
{
    px_complain(why, VECTOR_ILLEGAL, f->operand->n);
}

static void explain_expression(const struct px_why *why, const struct px_fault *f)
{
    px_complain(why, EXPRESSION, f->operand->u.name->text);
}

static void explain_address_type(const struct px_why *why, const struct px_fault *f)
{
    const struct px_symbol *symbol = f->operand->symbol;
    px_complain(why, ADDRESS_TYPE, f->operand->u.name->text,
                symbol->vec > 1 ? "unexpected" : px_type_info(symbol->type)->name);
}

static void explain_call_align(const struct px_why *why, const struct px_fault *f)
{
    px_complain(why, CALL_ALIGN, f->operand->u.name->text);
}

static void explain_texture(const struct px_why *why, const struct px_fault *f)
{
    const bool surface = f->opd->name && px_why_quirk(why, PX_Q_surface_named);
    px_complain(why, TEX_OPERAND, 1, px_why_name(why), surface ? ".surfref" : ".texref");
}

static void explain_sampler(const struct px_why *why, const struct px_fault *f)
{
    (void)f;
    px_complain(why, TEX_OPERAND, 2, px_why_name(why), ".samplerref");
}

static void explain_sink_needed(const struct px_why *why, const struct px_fault *f)
{
    (void)f;
    px_complain(why, SINK_NEEDED, px_why_name(why), ".shared::cluster");
}

static void explain_arguments(const struct px_why *why, const struct px_fault *f)
{
    if (f->operand && f->operand->kind == PX_O_SINK)
        px_complain(why, RESULT_SINK, px_why_name(why));
    else
        px_complain(why, ARGUMENTS, px_why_name(why));
}

/*
 * What is said of a fault of an operand, and in which phase it shows: ptxas reads the operands (PHASE_READ),
 * then holds their types against the form (PHASE_TYPES), and only then looks at what is special about each.
 */
enum { PHASE_READ, PHASE_TYPES, PHASE_REST };
struct complaint {
    void (*explain)(const struct px_why *why, const struct px_fault *f); /* NULL: the message */
    enum px_diag_id id;
    enum says says;
    uint8_t phase;
};
static const struct complaint complaints[PX_FAULT_COUNT] = {
    [PX_FAULT_NONE] = {ASK(explain_arguments), .phase = PHASE_REST},
    [PX_FAULT_MISMATCH] = {ASK(explain_arguments), .phase = PHASE_TYPES},
    [PX_FAULT_RESULT] = {SAY(RESULT_REGISTER, NAME), .phase = PHASE_REST},
    [PX_FAULT_SINK] = {SAY(RESULT_SINK, NAME), .phase = PHASE_REST},
    [PX_FAULT_MINUS] = {ASK(explain_minus), .phase = PHASE_REST},
    [PX_FAULT_NOT] = {SAY(PRED_NEGATION, NOTHING), .phase = PHASE_REST},
    [PX_FAULT_VECTOR] = {ASK(explain_vector), .phase = PHASE_REST},
    [PX_FAULT_MUST_REGISTER] = {SAY(MUST_REGISTER, ARGUMENT_AND_NAME), .phase = PHASE_REST},
    [PX_FAULT_PAIR] = {SAY(PRED_OUTPUT, NAME), .phase = PHASE_REST},
    [PX_FAULT_PAIR_NEEDED] = {SAY(PRED_OUTPUT_NEEDED, NAME), .phase = PHASE_REST},
    [PX_FAULT_SREG] = {SAY(SREG_OPERAND, NAME), .phase = PHASE_REST},
    [PX_FAULT_SREG_WRITE] = {SAY(SREG_WRITE, NOTHING), .phase = PHASE_REST},
    [PX_FAULT_SIZE] = {SAY(VECTOR_SIZE, NAME), .phase = PHASE_REST},
    [PX_FAULT_ILLEGAL_SIZE] = {ASK(explain_elements), .phase = PHASE_READ},
    [PX_FAULT_RESULT_VECTOR] = {SAY(RESULT_VECTOR, NOTHING), .phase = PHASE_TYPES},
    [PX_FAULT_WIDTHS] = {SAY(VECTOR_WIDTHS, NOTHING), .phase = PHASE_READ},
    [PX_FAULT_CLASSES] = {SAY(VECTOR_CLASSES, NAME), .phase = PHASE_READ},
    [PX_FAULT_SINKS] = {SAY(VECTOR_SINKS, NOTHING), .phase = PHASE_READ},
    [PX_FAULT_PREDICATE] = {SAY(PREDICATE, NOTHING), .phase = PHASE_REST},
    [PX_FAULT_LABEL] = {SAY(LABEL_NEEDED, ARGUMENT_AND_NAME), .phase = PHASE_REST},
    [PX_FAULT_TABLE] = {SAY(TABLE_NEEDED, ARGUMENT_AND_NAME), .phase = PHASE_REST},
    [PX_FAULT_ADDRESS_TYPE] = {ASK(explain_address_type), .phase = PHASE_REST},
    [PX_FAULT_ADDRESS_IMM] = {SAY(ADDRESS_IMMEDIATE, NOTHING), .phase = PHASE_REST},
    [PX_FAULT_ADDRESS_SPACE] = {ASK(explain_space), .phase = PHASE_REST},
    [PX_FAULT_UNIFIED] = {SAY(UNIFIED_SPACE, NAME), .phase = PHASE_REST},
    [PX_FAULT_RANGE] = {ASK(explain_range), .phase = PHASE_REST},
    [PX_FAULT_MULTIPLE] = {ASK(explain_range), .phase = PHASE_REST},
    [PX_FAULT_POWER] = {ASK(explain_range), .phase = PHASE_REST},
    [PX_FAULT_ILLEGAL] = {SAY(OPERAND_ILLEGAL, NAME), .phase = PHASE_REST},
    [PX_FAULT_TEX] = {ASK(explain_texture), .phase = PHASE_REST},
    [PX_FAULT_SAMPLER] = {ASK(explain_sampler), .phase = PHASE_REST},
    [PX_FAULT_SELECTOR] = {ASK(explain_selector), .phase = PHASE_REST},
    [PX_FAULT_SELECTOR_VIDEO] = {SAY(SELECTOR_WRONG, ARGUMENT), .phase = PHASE_REST},
    [PX_FAULT_SINK_NEEDED] = {ASK(explain_sink_needed), .phase = PHASE_REST},
    [PX_FAULT_MINUS_LABEL] = {SAY(MINUS, NOTHING), .phase = PHASE_REST},
    [PX_FAULT_VECTOR_NEEDED] = {ASK(explain_vector_needed), .phase = PHASE_TYPES},
    [PX_FAULT_HANDLE] = {SAY(TEX_HANDLE, NOTHING), .phase = PHASE_REST},
    [PX_FAULT_GEOMETRY] = {ASK(explain_arguments), .phase = PHASE_REST},
    [PX_FAULT_INDEX] = {ASK(explain_arguments), .phase = PHASE_REST},
    [PX_FAULT_ADDRESS_WIDTH] = {SAY(ADDRESS_BITS, NOTHING), .phase = PHASE_REST},
    [PX_FAULT_EXPRESSION] = {ASK(explain_expression), .phase = PHASE_READ},
    [PX_FAULT_SINK_SOURCE] = {SAY(SINK_SOURCE, NOTHING), .phase = PHASE_READ},
    [PX_FAULT_SCALE] = {ASK(explain_scale), .phase = PHASE_REST},
    [PX_FAULT_ALIGN] = {ASK(explain_call_align), .phase = PHASE_REST},
};

unsigned px_fault_phase(enum px_fault_kind kind)
{
    return complaints[kind].phase;
}

static void explain_operand(const struct px_why *why, const struct px_fault *f)
{
    const struct complaint *c = &complaints[f->kind];
    if (c->explain)
        c->explain(why, f);
    else
        say(why, c->id, c->says, f->argument);
}

/* ---- versions and targets ---- */

static void explain_feature(const struct px_why *why, const struct px_since *s, const char *feature)
{
    const struct ptx_module *m = why->module;
    if (m->tree.version && m->tree.version < s->min_ptx)
        px_complain(why, NEEDS_PTX, feature, s->min_ptx / 10u, s->min_ptx % 10u);
    else if (s->targets)
        px_complain(why, MODIFIER_NEEDS_TARGET, feature, m->target_text);
    else
        px_complain(why, NEEDS_SM, feature, s->min_sm);
}

/* A modifier that the version or target lacks whatever the instruction: found before anything else. */
static bool lacks_feature(const struct px_why *why)
{
    struct px_since since;
    for (unsigned k = 0; k < 2 * why->nwords; k++) { /* types first */
        unsigned i = k % why->nwords;
        bool type = px_type_of_word(why->words[i]);
        if (type != (k < why->nwords) || !px_word_since(why->words[i], &since) ||
            px_since_met(why->module, &since))
            continue;
        const char *name = px_since_feature(&since);
        explain_feature(why, &since,
                        name ? name
                             : px_arena_printf(&why->module->arena, ".%s", px_word_text(why->words[i])));
        return true;
    }
    return false;
}

/* Is the instruction called a feature where the version or, not `old`, the target is too low? */
static bool called_feature(const struct px_why *why, bool old)
{
    if (px_why_quirk(why, PX_Q_feature) || (old && px_why_quirk(why, PX_Q_feature_when_old))) return true;
    return !px_word_says_instruction(why->inst->opcode->word);
}

static void explain_since(const struct px_why *why, const struct px_fit *best)
{
    const struct px_since *s = &best->since;
    const struct ptx_module *m = why->module;
    const char *word = px_word_text(best->modifier);
    const char *feature = best->feature ? best->feature : px_since_feature(s);
    if (best->modifier && px_space_of_word(best->modifier) && strstr(word, "::"))
        feature = strstr(word, "::"); /* of .shared::cta only the end is new */
    bool old = m->tree.version && m->tree.version < s->min_ptx;
    if (!feature && !best->modifier && (old || !s->targets) && called_feature(why, old))
        feature = px_why_name(why);
    if (feature) {
        explain_feature(why, s, feature);
        return;
    }
    if (m->tree.version && m->tree.version < s->min_ptx) {
        if (best->modifier)
            px_complain(why, MODIFIER_NEEDS_PTX, word, s->min_ptx / 10u, s->min_ptx % 10u);
        else
            px_complain(why, INST_NEEDS_PTX, px_why_name(why), s->min_ptx / 10u, s->min_ptx % 10u);
    } else if (s->targets) {
        if (best->modifier)
            px_complain(why, MODIFIER_NEEDS_TARGET, px_arena_printf(&why->module->arena, ".%s", word),
                        m->target_text);
        else
            px_complain(why, INST_NEEDS_TARGET, px_why_name(why), m->target_text);
    } else if (best->modifier) {
        px_complain(why, MODIFIER_NEEDS_SM, word, s->min_sm);
    } else {
        px_complain(why, INST_NEEDS_SM, px_why_name(why), s->min_sm);
    }
}

/* A fourth operand of setp is a predicate that some operation must combine with the result. */
static void explain_count(const struct px_why *why)
{
    if (why->inst->nopds && why->inst->opds[0].kind == PX_O_SINK)
        px_complain(why, RESULT_SINK, px_why_name(why));
    else if (why->inst->nopds == 4 && px_why_quirk(why, PX_Q_boolean_missing))
        px_complain(why, BOOLEAN_NEEDED, px_why_name(why));
    else
        px_complain(why, ARGUMENTS, px_why_name(why));
}

/* The size of a vector that only a few instructions have, so that ptxas stumbles on it in others; 0: none. */
static unsigned many_elements(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++)
        if (inst->opds[i].kind == PX_O_VEC && inst->opds[i].n > 4) return inst->opds[i].n;
    return 0;
}

void px_inst_explain(const struct px_why *why, const struct px_fit *best)
{
    char buf[160];
    px_word opcode = why->inst->opcode->word;
    bool known = px_word_is_opcode(opcode) && px_inst_name(opcode, why->words, why->nwords, buf, sizeof buf);
    if (best->stage == PX_FIT_WORDS && px_why_unknown(why)) return;
    if (!known && many_elements(why->inst)) {
        px_complain(why, VECTOR_ILLEGAL, many_elements(why->inst));
        return;
    }
    if (!known) {
        px_complain(why, OPCODE, why->inst->opcode->text);
        return;
    }
    if (lacks_feature(why)) return;
    switch (best->stage) {
    case PX_FIT_WORDS: px_why_words(why); break;
    case PX_FIT_WHERE: explain_where(why, best); break;
    case PX_FIT_COUNT: explain_count(why); break;
    case PX_FIT_OPERANDS: explain_operand(why, &best->fault); break;
    default: explain_since(why, best); break;
    }
}
