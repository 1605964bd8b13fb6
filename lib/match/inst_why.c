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

static void explain_texture(const struct px_why *why, enum px_where_message message)
{
    switch ((int)message) {
    case PX_WM_float_coords: px_complain(why, COORDS_FLOAT); break;
    case PX_WM_int_coords: px_complain(why, COORDS_INT); break;
    default: px_complain(why, ARGUMENTS, px_why_name(why)); break;
    }
}

/* Types of operands that do not fit come before conditions on modifiers, not before those on types. */
static bool arguments_first(const struct px_why *why, const struct px_fit *best)
{
    struct px_fault fault;
    switch (best->message) {
    case PX_WM_hint:
    case PX_WM_hint_space:
    case PX_WM_boolop:
    case PX_WM_compare:
    case PX_WM_ftz:
    case PX_WM_sat:
    case PX_WM_sync:
    case PX_WM_rounding:
    case PX_WM_scope:
    case PX_WM_aligned:
        return !px_inst_operands(why->module, &best->match, why->inst, &fault) &&
               px_fault_phase(fault.kind) == 1;
    default: return false;
    }
}

static void explain_where(const struct px_why *why, const struct px_fit *best)
{
    const char *name = px_why_name(why);
    if (px_why_clash(why)) return;
    if (arguments_first(why, best)) {
        px_complain(why, ARGUMENTS, name);
        return;
    }
    switch (best->message) {
    case PX_WM_rounding: px_why_rounding(why); break;
    case PX_WM_compare: px_complain(why, COMPARE_TYPE); break;
    case PX_WM_boolop: px_complain(why, BOOLEAN_NEEDED, name); break;
    case PX_WM_ftz: px_complain(why, MODIFIER_ILLEGAL, ".", "ftz", name); break;
    case PX_WM_ftz_convert: px_complain(why, FTZ_CONVERT); break;
    case PX_WM_sat: px_complain(why, MODIFIER_ILLEGAL, ".", "sat", name); break;
    case PX_WM_sync: px_complain(why, SYNC_NEEDED, name); break;
    case PX_WM_wide_global: px_complain(why, WIDE_SPACE); break;
    case PX_WM_prefetch_space: px_complain(why, FEATURE_SPACE, "cache prefetching"); break;
    case PX_WM_vector: px_complain(why, VECTOR_LARGE); break;
    case PX_WM_hint: explain_hint(why); break;
    case PX_WM_hint_space: explain_hint_space(why); break;
    case PX_WM_evict_wide: px_complain(why, WIDE_TYPE, name, quoted(why, "L2::evict")); break;
    case PX_WM_op_bits:
        explain_operation(why, px_why_count(why, PX_W_exch) ? ".b32 or .b64 or .b128" : ".b32 or .b64");
        break;
    case PX_WM_op_add:
        explain_operation(why, ".u32 or .s32 or .u64 or .f64 or f16 or f16x2 or .f32 or .bf16 or .bf16x2");
        break;
    case PX_WM_op_inc: explain_operation(why, ".u32"); break;
    case PX_WM_op_min:
        explain_operation(why, ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2");
        break;
    case PX_WM_op_type: explain_op_type(why); break;
    case PX_WM_scope: explain_scope(why); break;
    case PX_WM_multicast: px_complain(why, ARGUMENTS, name); break;
    case PX_WM_aligned: px_complain(why, MODIFIER_NEEDED, ".aligned", name); break;
    case PX_WM_mma_types: px_complain(why, ARGUMENTS, name); break;
    case PX_WM_float_coords:
    case PX_WM_int_coords:
    case PX_WM_depth: explain_texture(why, best->message); break;
    default: px_complain(why, INST_TYPES, name); break;
    }
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

/*
 * ptxas reads the operands, then holds their types against the form, and only then looks at what is special
 * about each: the phase in which a fault shows.
 */
unsigned px_fault_phase(enum px_fault_kind kind)
{
    switch (kind) {
    case PX_FAULT_WIDTHS:
    case PX_FAULT_CLASSES:
    case PX_FAULT_EXPRESSION:
    case PX_FAULT_SINKS:
    case PX_FAULT_SINK_SOURCE:
    case PX_FAULT_ILLEGAL_SIZE: return 0;
    case PX_FAULT_MISMATCH:
    case PX_FAULT_VECTOR_NEEDED:
    case PX_FAULT_RESULT_VECTOR: return 1;
    default: return 2;
    }
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
                 px_form_opd(px_form_at(first), 1)->flags & PX_OF_SELECTOR;
    if (video && f->argument == 3)
        px_complain(why, SELECTOR_PLACE, "source C");
    else if (f->opd->flags & PX_OF_DST)
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

static void explain_operand(const struct px_why *why, const struct px_fault *f)
{
    const char *name = px_why_name(why);
    switch (f->kind) {
    case PX_FAULT_RESULT: px_complain(why, RESULT_REGISTER, name); break;
    case PX_FAULT_SINK: px_complain(why, RESULT_SINK, name); break;
    case PX_FAULT_MINUS: explain_minus(why, f); break;
    case PX_FAULT_MINUS_LABEL: px_complain(why, MINUS); break;
    case PX_FAULT_NOT: px_complain(why, PRED_NEGATION); break;
    case PX_FAULT_VECTOR: explain_vector(why, f); break;
    case PX_FAULT_VECTOR_NEEDED:
        if (px_why_quirk(why, PX_Q_arguments_named))
            px_complain(why, ARGUMENTS, name);
        else
            px_complain(why, VECTOR_NEEDED, f->argument);
        break;
    case PX_FAULT_MUST_REGISTER: px_complain(why, MUST_REGISTER, f->argument, name); break;
    case PX_FAULT_PAIR: px_complain(why, PRED_OUTPUT, name); break;
    case PX_FAULT_PAIR_NEEDED: px_complain(why, PRED_OUTPUT_NEEDED, name); break;
    case PX_FAULT_SREG: px_complain(why, SREG_OPERAND, name); break;
    case PX_FAULT_SREG_WRITE: px_complain(why, SREG_WRITE); break;
    case PX_FAULT_SIZE: px_complain(why, VECTOR_SIZE, name); break;
    case PX_FAULT_ILLEGAL_SIZE: px_complain(why, VECTOR_ILLEGAL, f->operand->n); break;
    case PX_FAULT_RESULT_VECTOR: px_complain(why, RESULT_VECTOR); break;
    case PX_FAULT_WIDTHS: px_complain(why, VECTOR_WIDTHS); break;
    case PX_FAULT_CLASSES: px_complain(why, VECTOR_CLASSES, name); break;
    case PX_FAULT_SINKS: px_complain(why, VECTOR_SINKS); break;
    case PX_FAULT_EXPRESSION: px_complain(why, EXPRESSION, f->operand->u.name->text); break;
    case PX_FAULT_SINK_SOURCE: px_complain(why, SINK_SOURCE); break;
    case PX_FAULT_PREDICATE: px_complain(why, PREDICATE); break;
    case PX_FAULT_LABEL: px_complain(why, LABEL_NEEDED, f->argument, name); break;
    case PX_FAULT_TABLE: px_complain(why, TABLE_NEEDED, f->argument, name); break;
    case PX_FAULT_ADDRESS_TYPE:
        px_complain(why, ADDRESS_TYPE, f->operand->u.name->text,
                    f->operand->symbol->vec > 1 ? "unexpected"
                                                : px_type_info(f->operand->symbol->type)->name);
        break;
    case PX_FAULT_ADDRESS_IMM: px_complain(why, ADDRESS_IMMEDIATE); break;
    case PX_FAULT_ADDRESS_SPACE: explain_space(why, f); break;
    case PX_FAULT_ADDRESS_WIDTH: px_complain(why, ADDRESS_BITS); break;
    case PX_FAULT_UNIFIED: px_complain(why, UNIFIED_SPACE, name); break;
    case PX_FAULT_RANGE:
    case PX_FAULT_MULTIPLE:
    case PX_FAULT_POWER: explain_range(why, f); break;
    case PX_FAULT_SCALE: explain_scale(why, f); break;
    case PX_FAULT_ALIGN: px_complain(why, CALL_ALIGN, f->operand->u.name->text); break;
    case PX_FAULT_ILLEGAL: px_complain(why, OPERAND_ILLEGAL, name); break;
    case PX_FAULT_TEX:
        px_complain(why, TEX_OPERAND, 1, name,
                    f->opd->name && px_why_quirk(why, PX_Q_surface_named) ? ".surfref" : ".texref");
        break;
    case PX_FAULT_SAMPLER: px_complain(why, TEX_OPERAND, 2, name, ".samplerref"); break;
    case PX_FAULT_SELECTOR_VIDEO: px_complain(why, SELECTOR_WRONG, f->argument); break;
    case PX_FAULT_SINK_NEEDED: px_complain(why, SINK_NEEDED, name, ".shared::cluster"); break;
    case PX_FAULT_HANDLE: px_complain(why, TEX_HANDLE); break;
    case PX_FAULT_SELECTOR: explain_selector(why, f); break;
    default:
        if (f->operand && f->operand->kind == PX_O_SINK)
            px_complain(why, RESULT_SINK, name);
        else
            px_complain(why, ARGUMENTS, name);
        break;
    }
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
