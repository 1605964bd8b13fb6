/*
 * gen_form.c - instructions that only compute, straight from the instruction table.
 *
 * A form counts when the engine runs it and its operands are registers, predicates and constants alone; a few
 * opcodes that look like that and do more are left out by name. Its slots are filled at random until the
 * row's conditions hold for PTX 9.0 on sm_90a: a new row of the table is covered without a change here.
 */
#include "random/gen.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const not_plain[] = {
    "mma",          "wmma",           "wgmma",     "movmatrix",    "bar",        "barrier",   "shfl",
    "vote",         "match",          "redux",     "elect",        "activemask", "nanosleep", "pmevent",
    "setmaxnreg",   "griddepcontrol", "exit",      "ret",          "trap",       "brkpt",     "isspacep",
    "createpolicy", "cvta",           "addc",      "subc",         "madc",       "mapa",      "getctarank",
    "discard",      "alloca",         "stacksave", "stackrestore", "istypep",
};
static const char *const favourites[] = {"mov", "selp", "slct", "and", "or",   "xor", "cvt",
                                         "add", "fma",  "mov",  "set", "setp", "min", "prmt"};
enum {
    NOT_PLAIN = sizeof not_plain / sizeof *not_plain,
    FAVOURITES = sizeof favourites / sizeof *favourites,
    TRIES = 30
};

static const struct px_module_level level = {90, 90, false};

/* ---- which forms ---- */

struct opcode {
    px_word word;
    uint16_t first, n;
};
struct opcodes {
    struct opcode at[512];
    size_t n;
};

static bool plain_operand(const struct px_opd *o)
{
    return o->kind == PX_OK_REG || o->kind == PX_OK_VEC || o->kind == PX_OK_PRED || o->kind == PX_OK_IMM;
}

static bool plain_form(const struct px_form *form)
{
    unsigned min, n = px_form_opds(form, &min);
    for (unsigned i = 0; i < n; i++)
        if (!plain_operand(px_form_opd(form, i))) return false;
    return px_form_executable(form) && px_form_since(form).min_ptx <= level.ptx;
}

static bool plain_opcode(const char *name, uint16_t first, unsigned n)
{
    for (size_t i = 0; i < NOT_PLAIN; i++)
        if (!strcmp(name, not_plain[i])) return false;
    for (unsigned i = 0; i < n; i++)
        if (plain_form(px_form_at((uint16_t)(first + i)))) return true;
    return false;
}

/* The opcodes with a plain form; made once. */
static const struct opcodes *plain_opcodes(void)
{
    static struct opcodes all;
    for (px_word w = 1; !all.n || w <= px_word_count(); w++) {
        uint16_t first;
        if (w == 1 && all.n) return &all;
        unsigned n = px_word_is_opcode(w) ? px_forms_of(w, &first) : 0;
        if (n && plain_opcode(px_word_text(w), first, n))
            all.at[all.n++] = (struct opcode){w, first, (uint16_t)n};
    }
    return &all;
}

/* ---- filling ---- */

static bool available(const struct px_since *since)
{
    static int target = -1;
    if (target < 0) target = px_target_find("sm_90a", 6);
    if (since->min_ptx > level.ptx) return false;
    return since->targets ? px_since_targets(since) >> target & 1 : since->min_sm <= level.sm;
}

static bool requirements_met(const struct px_match *match, uint32_t operands)
{
    struct px_since since = px_form_since(match->form);
    if (!available(&since)) return false;
    for (unsigned i = 0; i < px_form_slots(match->form); i++) {
        since = px_match_value_since(match, i);
        if (match->value[i] && !available(&since)) return false;
        if (match->value[i] && px_word_since(match->value[i], &since) && !available(&since)) return false;
    }
    for (unsigned i = 0; px_match_need(match, operands, level, &i, &since);)
        if (!available(&since)) return false;
    return true;
}

static void fill_slots(struct gen *g, struct px_match *match)
{
    px_word name;
    bool optional;
    for (unsigned s = 0; px_form_slot(match->form, s, &name, &optional); s++) {
        unsigned n = 0;
        match->value[s] = 0;
        while (px_form_word(match->form, s, n)) n++;
        if (n && !(optional && gen_chance(g, 55)))
            match->value[s] = px_form_word(match->form, s, gen_below(g, n));
    }
}

static bool choose_operands(struct gen *g, struct px_match *match)
{
    unsigned min, max = px_form_opds(match->form, &min);
    const struct px_opd *first = max ? px_form_opd(match->form, 0) : NULL;
    bool partner = first && first->partner >= 0;
    uint8_t message;
    if (!px_match_choose(match, min + gen_below(g, max - min + 1), gen_below(g, 2)) &&
        !px_match_choose(match, min, 0))
        return false;
    match->pair = partner && (!(first->flags & PX_OPERAND_PAIR_OPTIONAL) || gen_chance(g, 50));
    uint32_t operands = match->operands | (match->pair ? 1u << (16 + first->partner) : 0);
    return px_match_types(match) && px_match_where(match, operands, level, &message) &&
           requirements_met(match, operands);
}

bool gen_fill(struct gen *g, uint16_t form, struct px_match *match)
{
    for (unsigned i = 0; i < TRIES; i++) {
        *match = (struct px_match){.form = px_form_at(form)};
        fill_slots(g, match);
        if (choose_operands(g, match)) return true;
    }
    return false;
}

/* ---- text ---- */

struct words {
    char *at;
    size_t n, size;
    char written[8][48];
    unsigned nwritten, numbers;
    bool failed, numeric;
};

__attribute__((format(printf, 2, 3))) static void put(struct words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->at + w->n, w->size - w->n, format, args);
    va_end(args);
    if (n < 0 || w->n + (size_t)n >= w->size)
        w->failed = true;
    else
        w->n += (size_t)n;
}

static bool written_before(const struct words *w, const char *text)
{
    for (unsigned i = 0; i < w->nwritten; i++)
        if (!strcmp(w->written[i], text)) return true;
    return false;
}

/* A register to write that the instruction does not write yet. */
static void put_destination(struct gen *g, struct words *w, enum px_type type, uint32_t flags)
{
    struct operand o;
    if (flags & PX_OPERAND_SINK && gen_chance(g, 6)) {
        put(w, "_");
        return;
    }
    for (unsigned i = 0; i < 20; i++) {
        o = gen_register(g, type, flags, true);
        if (*o.text && !written_before(w, o.text) && w->nwritten < 8) {
            strcpy(w->written[w->nwritten++], o.text);
            put(w, "%s", o.text);
            return;
        }
    }
    w->failed = true;
}

int64_t gen_in_range(struct gen *g, const struct px_opd *opd)
{
    int64_t lo = opd->lo, hi = opd->hi < lo + 255 ? opd->hi : lo + 255;
    if (opd->step < 0) return lo > 0 ? lo : 1;
    int64_t step = opd->step ? opd->step : 1;
    return lo + (int64_t)gen_below(g, (uint32_t)((hi - lo) / step + 1)) * step;
}

/*
 * Which of two different NaNs an f64 operation hands on is open (docs/fidelity.md): the second source on is a
 * copy in which NaNs became 1, made by lines before the instruction.
 */
static void put_number(struct gen *g, struct words *w)
{
    unsigned k = w->numbers++;
    struct operand o = gen_register(g, PX_T_F64, 0, false);
    if (!*o.text || k > 2 || g->only_uniform) w->failed = true;
    if (!k) put(w, "%s", o.text);
    if (!k || w->failed) return;
    gen_line(g, "  testp.notanumber.f64 %%zp3, %s;  selp.f64 %%zg%u, 0d3FF0000000000000, %s, %%zp3;", o.text,
             k, o.text);
    put(w, "%%zg%u", k);
}

static void put_source(struct gen *g, struct words *w, const struct px_opd *opd, enum px_type type)
{
    static const char *const sregs[] = {"%laneid", "%tid.x",       "%tid.y",       "%ctaid.x",
                                        "%ntid.x", "%lanemask_lt", "%lanemask_ge", "%nctaid.x"};
    bool uniform = g->only_uniform;
    if (type == PX_T_F64 && w->numeric)
        put_number(g, w);
    else if (opd->flags & PX_OPERAND_SPECIAL && !uniform && (type == PX_T_U32 || type == PX_T_B32) &&
             gen_chance(g, 12))
        put(w, "%s", sregs[gen_below(g, 8)]);
    else if (opd->flags & PX_OPERAND_CONSTANT && px_type_takes_constant(type) && gen_chance(g, 18))
        opd->flags &PX_OPERAND_RANGE ? put(w, "%lld", (long long)gen_in_range(g, opd))
                                     : put(w, "%s", gen_constant(g, type).text);
    else {
        struct operand o = gen_register(g, type, opd->flags, false);
        if (!*o.text) w->failed = true;
        put(w, "%s", o.text);
    }
}

/* The words of a class of selectors; found once. */
struct selectors {
    px_word fit[64];
    uint32_t n;
};

static const struct selectors *selectors_of(int class)
{
    static struct selectors all[8];
    struct selectors *s = &all[class & 7];
    if (s->n) return s;
    for (px_word word = 1; word <= px_word_count() && s->n < 64; word++)
        if (px_selector_fits(word, class)) s->fit[s->n++] = word;
    return s;
}

/* Which part of a register a video instruction means: a word of the operand's class. */
static void put_selector(struct gen *g, struct words *w, const struct px_opd *opd)
{
    const struct selectors *s = selectors_of(opd->step);
    if (s->n) put(w, ".%s", px_word_text(s->fit[gen_below(g, s->n)]));
}

static void put_element(struct gen *g, struct words *w, const struct px_opd *opd, enum px_type type)
{
    const size_t before = w->n;
    if (opd->flags & PX_OPERAND_MINUS && gen_chance(g, 30)) put(w, "-");
    if (opd->flags & PX_OPERAND_RESULT)
        put_destination(g, w, type, opd->flags);
    else
        put_source(g, w, opd, type);
    const bool is_register = w->at[before + (w->at[before] == '-')] == '%';
    if (!is_register && w->at[before] == '-' && w->at[before + 1] != '-') w->failed = true;
    if (opd->flags & PX_OPERAND_SELECTOR && is_register && gen_chance(g, 60)) put_selector(g, w, opd);
}

static void put_predicate(struct gen *g, struct words *w, const struct px_opd *opd)
{
    if (opd->flags & PX_OPERAND_RESULT) {
        put_destination(g, w, PX_T_PRED, opd->flags);
        return;
    }
    put(w, "%s%s", opd->flags & PX_OPERAND_NOT && gen_chance(g, 30) ? "!" : "", gen_predicate(g, false).text);
}

static void put_vector(struct gen *g, struct words *w, const struct px_match *match, const struct px_opd *opd,
                       unsigned count)
{
    put(w, "{");
    enum px_type first = gen_widened(g, px_match_elem(match, opd, 0), opd->flags);
    bool wider = first != px_match_elem(match, opd, 0);
    for (unsigned i = 0; i < count; i++) { /* elements in registers of one type */
        struct px_opd element = *opd;
        element.flags &= ~(uint32_t)(PX_OPERAND_WIDER | PX_OPERAND_CONSTANT | (i ? 0 : PX_OPERAND_SINK));
        put(w, "%s", i ? ", " : "");
        put_element(g, w, &element, wider ? first : px_match_elem(match, opd, i));
        if (!i) g->like = gen_type_of(strrchr(w->at, '%'));
    }
    g->like = PX_T_NONE;
    put(w, "}");
}

static void put_operand(struct gen *g, struct words *w, const struct px_match *match,
                        const struct px_opd *opd, const char *address)
{
    enum px_type type = PX_T_NONE;
    unsigned count = 0;
    px_match_opd_type(match, opd, &type, &count);
    if (opd->kind == PX_OK_ADDR)
        put(w, "[%s]", address);
    else if (opd->kind == PX_OK_PRED || type == PX_T_PRED)
        put_predicate(g, w, opd);
    else if (type == PX_T_B32 && px_match_has(match, PX_W_pack))
        put_element(g, w, opd, PX_T_U32); /* cvt.pack: the oracle takes no float's register for .b32 */
    else if (opd->kind == PX_OK_IMM)
        put(w, "%lld", (long long)(opd->flags & PX_OPERAND_RANGE ? gen_in_range(g, opd) : gen_below(g, 256)));
    else if (!plain_operand(opd))
        w->failed = true;
    else if (count)
        put_vector(g, w, match, opd, count);
    else
        put_element(g, w, opd, type);
    if (opd->partner >= 0 && match->pair) {
        put(w, "|");
        put_predicate(g, w, px_form_part(match->form, (unsigned)opd->partner));
    }
}

static bool combines_doubles(const struct px_match *match, px_word opcode)
{
    static const char *const names[] = {"add", "sub", "mul", "div", "fma", "mad"};
    bool found = false;
    for (unsigned i = 0; i < 6; i++) found |= !strcmp(px_word_text(opcode), names[i]);
    return found && px_match_has(match, PX_W_f64);
}

bool gen_form_text(struct gen *g, const struct px_match *match, px_word opcode, const char *address,
                   char *text, size_t size)
{
    struct words w = {.at = text, .size = size, .numeric = combines_doubles(match, opcode)};
    px_word words[PX_MAX_SLOTS];
    size_t n = px_form_canonical(match, words);
    unsigned operands = (unsigned)__builtin_popcount(match->operands);
    memset(g->fresh, 0, sizeof g->fresh);
    put(&w, "%s", px_word_text(opcode));
    for (size_t i = 0; i < n; i++) put(&w, ".%s", px_word_text(words[i]));
    for (unsigned i = 0; i < operands; i++) {
        put(&w, i ? ", " : " ");
        put_operand(g, &w, match, px_match_opd(match, i), address);
    }
    for (unsigned i = 0; i < POOLS && !w.failed; i++) g->defined[i] |= g->fresh[i];
    return !w.failed;
}

/* ---- statements ---- */

/* Does it compute with floats? */
static bool is_float(const struct px_match *match)
{
    static const px_word words[] = {PX_W_f16, PX_W_f16x2, PX_W_bf16, PX_W_bf16x2,
                                    PX_W_f32, PX_W_f64,   PX_W_tf32};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (px_match_has(match, words[i])) return true;
    return false;
}

static bool compute_opcode(struct gen *g, const struct opcode *opcode, const char *guard)
{
    struct px_match match;
    char text[512];
    uint16_t form = (uint16_t)(opcode->first + gen_below(g, opcode->n));
    if (!plain_form(px_form_at(form)) || !gen_fill(g, form, &match) || px_match_has(&match, PX_W_cc))
        return false;
    if (g->exact && is_float(&match)) return false;
    if (!gen_form_text(g, &match, opcode->word, NULL, text, sizeof text)) return false;
    gen_line(g, "  %s%s;", guard, text);
    return true;
}

static struct opcode opcode_named(const char *name)
{
    struct opcode o = {.word = px_word_find(name, strlen(name))};
    o.n = (uint16_t)px_forms_of(o.word, &o.first);
    return o;
}

static void compute(struct gen *g, const char *guard)
{
    const struct opcodes *all = plain_opcodes();
    for (unsigned i = 0; i < 50; i++) {
        struct opcode o = gen_chance(g, 35) ? opcode_named(favourites[gen_below(g, FAVOURITES)])
                                            : all->at[gen_below(g, (uint32_t)all->n)];
        if (compute_opcode(g, &o, guard)) return;
    }
}

void gen_compute(struct gen *g)
{
    compute(g, gen_guard(g));
}

void gen_chain(struct gen *g)
{
    memset(g->defined, 0, sizeof g->defined);
    gen_line(g, "{");
    gen_declare_temporaries(g);
    g->chaining = true;
    for (unsigned n = 3 + gen_below(g, 6); n--;) {
        struct node *before = gen_open(g, false);
        compute(g, "");
        gen_close(g, before);
    }
    g->chaining = false;
    gen_line(g, "}");
    memset(g->defined, 0, sizeof g->defined);
}

void gen_uniform(struct gen *g)
{
    g->only_uniform = true;
    compute(g, gen_guard(g));
    g->only_uniform = false;
}

/* One instruction of the carry family under a guard that the whole chain has. */
static bool carry_step(struct gen *g, const char *name, bool sets, const char *guard)
{
    struct opcode o = opcode_named(name);
    struct px_match match;
    char text[512];
    for (unsigned i = 0; i < 200; i++) {
        uint16_t form = (uint16_t)(o.first + gen_below(g, o.n));
        if (!plain_form(px_form_at(form)) || !gen_fill(g, form, &match)) continue;
        if (sets && !px_match_has(&match, PX_W_cc)) continue;
        if (!gen_form_text(g, &match, o.word, NULL, text, sizeof text)) continue;
        gen_line(g, "  %s%s;", guard, text);
        return true;
    }
    return false;
}

void gen_carry(struct gen *g)
{
    static const char *const first[] = {"add", "sub", "mad"}, *const next[] = {"addc", "subc", "madc"};
    char guard[16];
    unsigned family = gen_below(g, 2), n = 1 + gen_below(g, 4);
    snprintf(guard, sizeof guard, "%s", gen_guard(g));
    if (!carry_step(g, first[gen_chance(g, 30) && family == 0 ? 2 : family], true, guard))
        return; /* nothing to go on from */
    for (unsigned i = 0; i < n; i++)
        carry_step(g, next[gen_chance(g, 30) && family == 0 ? 2 : family], i + 1 < n, guard);
}

/* A register as a place where integers and floats meet: by mov, selp, slct, guarded definitions and logic. */
void gen_pattern(struct gen *g)
{
    static const char *const patterns[] = {"0xffffffff", "0x7fc00001", "0xffc00000",
                                           "0x7f800001", "0xff800001", "0x7fffffff"};
    static const char *const floats[] = {"add.f32", "mul.rn.f32", "sub.ftz.f32", "min.f32", "div.rn.f32"};
    struct operand r = gen_register(g, PX_T_B32, 0, true), half;
    for (unsigned n = 2 + gen_below(g, 4); n--;) {
        struct node *before = gen_open(g, false);
        const char *guard = gen_guard(g), *pattern = patterns[gen_below(g, 6)];
        struct operand a = gen_register(g, PX_T_F32, 0, false), p = gen_predicate(g, false);
        struct operand c = gen_register(g, PX_T_B32, 0, false), d = gen_register(g, PX_T_F32, 0, true);
        const char *f = floats[gen_below(g, 5)];
        switch (gen_below(g, 7)) {
        case 0: gen_line(g, "  %smov.b32 %s, %s;", guard, r.text, pattern); break;
        case 1:
            gen_line(g, "  %s%s %s, %s, %s;", guard, f, d.text, a.text, gen_source(g, PX_T_F32).text);
            break;
        case 2: gen_line(g, "  selp.b32 %s, %s, %s, %s;", r.text, c.text, pattern, p.text); break;
        case 3:
            gen_line(g, "  slct.b32.s32 %s, %s, %s, %s;", r.text, pattern, d.text,
                     gen_source(g, PX_T_S32).text);
            break;
        case 4: gen_line(g, "  %smov.b32 %s, %s;", guard, r.text, d.text); break;
        case 5:
            gen_line(g, "  %sxor.b32 %s, %s, 0;", guard, r.text, gen_chance(g, 50) ? r.text : d.text);
            break;
        default:
            g->like = gen_type_of(r.text);
            half = gen_register(g, PX_T_B32, 0, false);
            g->like = PX_T_NONE;
            gen_line(g, "  mov.b64 %s, {%s, %s};", gen_register(g, PX_T_B64, 0, true).text, r.text,
                     half.text);
            break;
        }
        gen_close(g, before);
    }
}

/* Registers that never hold anything but results of f32 arithmetic, NaNs among them, and whose bits are
 * looked at. */
void gen_floats(struct gen *g)
{
    static const char *const ops[] = {"add.f32", "mul.rn.f32", "sub.ftz.f32", "div.rn.f32", "add.rz.f32"};
    char look[64];
    gen_line(g, "{ .reg .f32 %%x<2>;");
    for (unsigned k = 0; k < 2; k++)
        gen_line(g, "  sub.f32 %%x%u, 0f7F800000, %s;", k, gen_register(g, PX_T_F32, 0, false).text);
    for (unsigned n = 4 + gen_below(g, 5); n--;) {
        unsigned k = gen_below(g, 2);
        struct node *before = gen_open(g, false);
        if (gen_chance(g, 50)) {
            gen_line(g, "  %s%s %%x%u, %%x%u, %s;", gen_guard(g), ops[gen_below(g, 5)], k, gen_below(g, 2),
                     gen_chance(g, 40) ? "0fFF800000" : gen_source(g, PX_T_F32).text);
        } else {
            unsigned at = gen_below(g, 3);
            snprintf(look, sizeof look,
                     at == 0   ? "mov.b32 %s, %%x%u;"
                     : at == 1 ? "xor.b32 %s, %%x%u, 0;"
                               : "not.b32 %s, %%x%u;",
                     gen_register(g, PX_T_B32, 0, true).text, k);
            gen_line(g, "  %s", look);
        }
        gen_close(g, before);
    }
    gen_line(g, "}");
}
