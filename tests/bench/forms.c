/*
 * forms.c - what each form that runs costs: ns for 256 lanes.
 *
 *   bench_forms [--level NAME] [--only WORD] [--list]
 *
 * The forms come from the instruction table: every combination of words that leads to a handler of its own
 * (of loads, stores and atomics: every state space, width, vector and operation). A new row is measured
 * without a change here. A kernel of one block of 256 threads runs eight independent instructions of the form
 * four times a turn; its registers hold ordinary values, then values where formats have their borders, then
 * only every other lane takes part. Addresses are neighbours, four elements apart, in no order, or all the
 * same. Prints "form, variant, ns" with tabs between them, the best of several launches in processor time,
 * and at the end how many forms were measured and why others were not. tests/bench/forms.py makes
 * docs/performance-forms.md of it.
 */
#include <stdbool.h>
#include "isa/isa.h"
#include "gen/isa_ops.h"
#include "need.h"
#include "text.h"
#include "unit/expand.h"
#include "vm/device/device.h"

enum { LANES = 256, REGISTERS = 8, ROUNDS = 4, SOURCES = 5, LAUNCHES = 7, SLOT = 16 };
enum { MEMORY = 1 << 20, SHARED = 40960, APART = 32768, APART_SHARED = 1024 };

/* ---- values ---- */

enum values { INTEGER, F32, F64, F16, BF16, VALUES };

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = (*state ^ (*state >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 27);
}

/* Between a half and two, of either sign, in each part of 64 bits; integers get smaller from source to
 * source: any, 16 bits, 5 bits. */
static uint64_t ordinary(enum values kind, unsigned source, uint64_t r)
{
    switch (kind) {
    case F32: return (r & 0x807fffff807fffffu) | 0x3f0000003f000000u;
    case F64: return (r & 0x800fffffffffffffu) | 0x3fe0000000000000u;
    case F16: return (r & 0x83ff83ff83ff83ffu) | 0x3800380038003800u;
    case BF16: return (r & 0x807f807f807f807fu) | 0x3f003f003f003f00u;
    default: return source == 0 ? r : source == 1 ? (r & 0xffff0000ffffu) : (r & 0x1f0000001fu);
    }
}

static uint64_t special(enum values kind, uint64_t r)
{
    static const uint64_t border[VALUES][8] = {
        {0, 1, 0x7fffffff7fffffff, 0x8000000080000000, UINT64_MAX, 0x2000000020, 0xff000000ff,
         0x8000000000000000},
        {0, 0x100000001, 0x7f8000007f800000, 0x7fc000017fc00001, 0x8000000080000000, 0x007fffff007fffff,
         0xff800000ff800000, 0x7f7fffff7f7fffff},
        {0, 1, 0x7ff0000000000000, 0x7ff8000000000001, 0x8000000000000000, 0x000fffffffffffff,
         0xfff0000000000000, 0x7fefffffffffffff},
        {0, 0x0001000100010001, 0x7c007c007c007c00, 0x7e017e017e017e01, 0x8000800080008000,
         0x03ff03ff03ff03ff, 0xfc00fc00fc00fc00, 0x7bff7bff7bff7bff},
        {0, 0x0001000100010001, 0x7f807f807f807f80, 0x7fc17fc17fc17fc1, 0x8000800080008000,
         0x007f007f007f007f, 0xff80ff80ff80ff80, 0x7f7f7f7f7f7f7f7f}};
    return border[kind][r & 7];
}

/* The slots of lane 0, 1, ... for one register, one register after the other. */
static void write_values(ptx_device *device, ptx_address at, bool specials)
{
    static uint64_t slots[VALUES][SOURCES][REGISTERS][LANES][2];
    uint64_t state = 7;
    for (unsigned v = 0; v < VALUES; v++)
        for (unsigned s = 0; s < SOURCES; s++)
            for (unsigned i = 0; i < REGISTERS * LANES * 2; i++) {
                const uint64_t r = next_random(&state);
                (&slots[v][s][0][0][0])[i] =
                    specials ? special((enum values)v, r) : ordinary((enum values)v, s, r);
            }
    need(ptx_memory_write(device, at, slots, sizeof slots), "values");
}

static enum values values_of(enum px_type type)
{
    switch (type) {
    case PX_T_F32:
    case PX_T_TF32:
    case PX_T_F32X2: return F32;
    case PX_T_F64: return F64;
    case PX_T_F16:
    case PX_T_F16X2: return F16;
    case PX_T_BF16:
    case PX_T_BF16X2: return BF16;
    default: return INTEGER;
    }
}

/* ---- the kernel of a form ---- */

enum variant { ORDINARY, SPECIAL, HALF, STRIDED, SCATTERED, SAME, VARIANTS };
static const char *const variant_name[] = {"ordinary", "special", "half", "strided", "scattered", "same"};

struct kernel {
    const struct px_match *match;
    const char *opcode;
    struct text loads, code;
    unsigned sources, results, width;
    bool memory, wrong;
};

static const struct px_type_info *register_type(const struct px_opd *opd, enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    return px_type_info(opd->flags & PX_OPERAND_EXACT && t->declarable ? type : (enum px_type)t->reg);
}

/* Register k of a source, with a value of its own in each lane. */
static void put_source(struct kernel *k, const struct px_type_info *type, enum values values, unsigned nth)
{
    const unsigned n = k->sources++;
    const unsigned at = (((unsigned)values * SOURCES + n % SOURCES) * REGISTERS + nth) * LANES * SLOT;
    put(&k->code, "%%s%u_%u", n, nth);
    put(&k->loads, "  .reg .%s %%s%u_%u;\n", type->name, n, nth);
    if (type->klass == PX_TC_PRED)
        put(&k->loads,
            "  ld.global.b32 %%w, [%%in+%u];\n  and.b32 %%w, %%w, 1;\n  setp.ne.s32 %%s%u_%u, %%w, 0;\n", at,
            n, nth);
    else if (type->bits == 128)
        put(&k->loads, "  ld.global.v2.b64 {%%l, %%m}, [%%in+%u];\n  mov.b128 %%s%u_%u, {%%l, %%m};\n", at, n,
            nth);
    else
        put(&k->loads, "  ld.global.b%u %%s%u_%u, [%%in+%u];\n", type->bits, n, nth, at);
}

static void put_result(struct kernel *k, const struct px_type_info *type, unsigned nth)
{
    const unsigned n = k->results++;
    put(&k->code, "%%d%u_%u", n, nth);
    put(&k->loads, "  .reg .%s %%d%u_%u;\n", type->name, n, nth);
}

static void put_register(struct kernel *k, const struct px_opd *opd, enum px_type type, unsigned nth)
{
    if (opd->flags & PX_OPERAND_RESULT)
        put_result(k, register_type(opd, type), nth);
    else
        put_source(k, register_type(opd, type), values_of(type), nth);
}

static void put_vector(struct kernel *k, const struct px_opd *opd, unsigned count, unsigned nth)
{
    for (unsigned i = 0; i < count; i++) {
        put(&k->code, i ? "," : "{");
        put_register(k, opd, px_match_elem(k->match, opd, i), nth);
    }
    put(&k->code, "}");
}

/* Constants: a member mask names everybody, a shuffle goes one lane far; else the middle of the range, or a
 * table of lop3. */
static void put_constant(struct kernel *k, const struct px_opd *opd)
{
    put(&k->code, "%lld",
        (long long)(opd->flags & PX_OPERAND_RANGE ? (opd->lo + opd->hi) / 2 / 32 * 32 : 0xca));
}

static void put_address(struct kernel *k, const struct px_opd *opd, unsigned nth)
{
    static const char *const base[] = {
        [PX_SPACE_NONE] = "%g",  [PX_SPACE_GLOBAL] = "%g", [PX_SPACE_SHARED] = "%h",
        [PX_SPACE_LOCAL] = "%o", [PX_SPACE_CONST] = "%c",  [PX_SPACE_PARAM] = "row"};
    const enum px_space space = px_match_space(k->match, opd);
    const unsigned apart = space == PX_SPACE_NONE || space == PX_SPACE_GLOBAL ? APART
                           : space == PX_SPACE_SHARED                         ? APART_SHARED
                                                                              : 0;
    k->memory = true;
    if (space >= sizeof base / sizeof *base || !base[space])
        k->wrong = true;
    else
        put(&k->code, "[%s+%u]", base[space], nth * apart);
}

static void put_operand(struct kernel *k, unsigned i, unsigned nth)
{
    const struct px_opd *opd = px_match_opd(k->match, i);
    const unsigned flags = px_op_flags(px_match_op(k->match)),
                   n = (unsigned)__builtin_popcount(k->match->operands);
    enum px_type type = PX_T_PRED;
    unsigned count = 0;
    if (opd->kind != PX_OK_PRED) px_match_opd_type(k->match, opd, &type, &count);
    if (flags & PX_OPERATION_members && i + 1 == n && px_match_has(k->match, PX_W_sync))
        put(&k->code, "-1");
    else if (px_match_op(k->match) == PX_OP_shfl && i >= 2)
        put(&k->code, i == 2 ? "1" : px_match_has(k->match, PX_W_up) ? "0" : "31");
    else if (opd->kind == PX_OK_PRED)
        put_register(k, opd, PX_T_PRED, nth);
    else if ((opd->kind == PX_OK_REG || opd->kind == PX_OK_VEC) && count)
        put_vector(k, opd, count, nth);
    else if (opd->kind == PX_OK_REG || opd->kind == PX_OK_VEC)
        put_register(k, opd, type, nth);
    else if (opd->kind == PX_OK_IMM)
        put_constant(k, opd);
    else if (opd->kind == PX_OK_ADDR)
        put_address(k, opd, nth);
    else
        k->wrong = true;
    if (opd->partner >= 0 && k->match->pair) {
        put(&k->code, "|");
        put_result(k, px_type_info(PX_T_PRED), nth);
    }
}

/* The instruction with its nth set of registers. */
static void put_instruction(struct kernel *k, unsigned nth, const char *guard)
{
    struct expand_text words = {.n = 0};
    k->sources = k->results = 0;
    expand_words(k->match, &words);
    put(&k->code, "  %s%s%s", guard, k->opcode, words.at);
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(k->match->operands); i++) {
        put(&k->code, i ? ", " : " ");
        put_operand(k, i, nth);
    }
    put(&k->code, ";\n");
}

/* Bytes that one lane reaches. */
static unsigned access_bytes(const struct px_match *match)
{
    unsigned most = 1;
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(match->operands); i++) {
        const struct px_opd *opd = px_match_opd(match, i);
        enum px_type type;
        unsigned count;
        if ((opd->kind != PX_OK_REG && opd->kind != PX_OK_VEC) ||
            !px_match_opd_type(match, opd, &type, &count))
            continue;
        const unsigned bytes = px_type_info(type)->bits / 8u * (count ? count : 1);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void put_places(struct text *t, enum variant variant, unsigned bytes)
{
    put(t, "  mov.u32 %%w, %%tid.x;\n");
    if (variant == STRIDED) put(t, "  shl.b32 %%w, %%w, 2;\n");
    if (variant == SCATTERED) put(t, "  mul.lo.u32 %%w, %%w, 73;\n  and.b32 %%w, %%w, 255;\n");
    if (variant == SAME) put(t, "  mov.u32 %%w, 0;\n");
    put(t, "  mul.lo.u32 %%w, %%w, %u;\n  cvt.u64.u32 %%l, %%w;\n  add.u64 %%g, %%g, %%l;\n", bytes);
    put(t, "  mov.u64 %%h, sh;\n  add.u64 %%h, %%h, %%l;\n  mov.u64 %%c, co;\n  and.b64 %%m, %%l, 4095;\n");
    put(t, "  add.u64 %%c, %%c, %%m;\n  mov.u64 %%o, lo;\n");
    if (variant == STRIDED || variant == SCATTERED)
        put(t, "  and.b64 %%m, %%l, 240;\n  add.u64 %%o, %%o, %%m;\n");
}

static struct text write_kernel(struct kernel *k, const char *target, enum variant variant)
{
    const bool apart = px_op_flags(px_match_op(k->match)) & PX_OPERATION_waits;
    struct text t = {0};
    put(&t, ".version %s\n.address_size 64\n.const .align 16 .b8 co[8192];\n", target);
    put(&t,
        ".visible .entry k(.param .u64 in, .param .u64 mem, .param .u32 turns, .param .align 16 .b8 "
        "row[256])\n{\n"
        "  .shared .align 128 .b8 sh[%d];\n  .local .align 16 .b8 lo[512];\n"
        "  .reg .b64 %%in, %%g, %%h, %%o, %%c, %%l, %%m;\n  .reg .b32 %%w, %%t, %%n;\n  .reg .pred %%p, "
        "%%half;\n"
        "  ld.param.u64 %%in, [in];\n  ld.param.u64 %%g, [mem];\n  ld.param.u32 %%n, [turns];\n"
        "  mov.u32 %%t, %%tid.x;\n  mul.wide.u32 %%l, %%t, %d;\n  add.u64 %%in, %%in, %%l;\n"
        "  and.b32 %%t, %%t, 1;\n  setp.eq.u32 %%half, %%t, 0;\n",
        SHARED, SLOT);
    put_places(&t, variant, access_bytes(k->match));
    k->loads.n = k->code.n = 0;
    for (unsigned i = 0; i < REGISTERS; i++)
        put_instruction(k, i, variant == HALF && !apart ? "@%half " : "");
    for (size_t i = 0; i < k->loads.n; i += 900)
        put(&t, "%.*s", (int)(k->loads.n - i > 900 ? 900 : k->loads.n - i), k->loads.at + i);
    if (variant == HALF && apart) put(&t, "  @!%%half bra END;\n");
    put(&t, "  mov.u32 %%t, 0;\nTURN:\n");
    for (unsigned r = 0; r < ROUNDS; r++)
        for (size_t i = 0; i < k->code.n; i += 900)
            put(&t, "%.*s", (int)(k->code.n - i > 900 ? 900 : k->code.n - i), k->code.at + i);
    put(&t, "  add.u32 %%t, %%t, 1;\n  setp.lt.u32 %%p, %%t, %%n;\n  @%%p bra TURN;\nEND:\n  ret;\n}\n");
    return t;
}

/* ---- running it ---- */

struct bench {
    ptx_device *device;
    ptx_address in[2], memory;
    const char *opcode, *only;
    bool list;
    char *seen; /* keys of what was measured, each between line ends */
    size_t seen_n;
    unsigned measured, unable, other, target;
};

static const char *const targets[] = {"9.0\n.target sm_90a", "9.0\n.target sm_100a", "6.0\n.target sm_60",
                                      "1.3\n.target sm_13"};
enum { TARGETS = sizeof targets / sizeof *targets };

struct params {
    ptx_address in, memory;
    uint32_t turns, pad[3];
    uint8_t row[256];
};

static double launch(ptx_kernel *kernel, struct params *params, uint32_t turns)
{
    const ptx_launch_config config = {sizeof config, {1, 1, 1}, {LANES, 1, 1}, 0, params, sizeof *params};
    params->turns = turns;
    const double start = cpu_now();
    return ptx_kernel_launch(kernel, &config, NULL) == PTX_OK ? cpu_now() - start : -1;
}

/* ns for 256 lanes; negative: it does not run. */
static double time_kernel(struct bench *b, ptx_kernel *kernel, enum variant variant)
{
    struct params params = {.in = b->in[variant == SPECIAL], .memory = b->memory};
    double once = launch(kernel, &params, 2), best = 1e9;
    if (once >= 0) once = launch(kernel, &params, 20);
    if (once < 0) return -1;
    const uint32_t turns = once > 1e-3 ? 20 : once < 2e-5 ? 1000 : (uint32_t)(20e-3 / once);
    for (int i = 0; i < LAUNCHES; i++) {
        const double seconds = launch(kernel, &params, turns);
        best = seconds < best ? seconds : best;
    }
    return best / turns / (REGISTERS * ROUNDS) * 1e9;
}

static double time_variant(struct bench *b, struct kernel *k, const char *target, enum variant variant)
{
    struct text text = write_kernel(k, target, variant);
    ptx_module *module = NULL;
    ptx_program *program = NULL;
    ptx_kernel *kernel;
    double ns = -1;
    ptx_status status = ptx_module_create(NULL, text.at, text.n, &module);
    if (getenv("BENCH_FORMS_SHOW")) fprintf(stderr, "%s\n%s\n", text.at, status ? "refused" : "");
    if (status == PTX_OK)
        status = ptx_program_create(b->device, (const ptx_module *[]){module}, 1, NULL, &program);
    if (status == PTX_OK) status = ptx_program_kernel(program, "k", &kernel);
    if (status == PTX_OK) ns = time_kernel(b, kernel, variant);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    free(text.at);
    return ns;
}

static bool is_wanted(const struct kernel *k, enum variant variant)
{
    const unsigned flags = px_op_flags(px_match_op(k->match));
    if (variant < SPECIAL || variant == HALF) return true;
    if (variant == SPECIAL) return k->sources > 0 && !px_op_stores(flags);
    return k->memory;
}

/* The form as one would write it, without its operands; of comparisons, moves and the like with them. */
static void print_line(const struct kernel *k, enum variant variant, double ns)
{
    struct expand_text words = {.n = 0};
    expand_words(k->match, &words);
    printf("%s%s\t%s\t%.1f\n", k->opcode, words.at, variant_name[variant], ns);
    fflush(stdout);
}

static void measure(struct bench *b, const struct px_match *match)
{
    struct kernel k = {.match = match, .opcode = b->opcode};
    double ns = -1;
    const char *target = NULL;
    for (unsigned i = 0; i < TARGETS && ns < 0; i++) {
        target = targets[(b->target + i) % TARGETS];
        ns = time_variant(b, &k, target, ORDINARY);
        if (k.wrong) break;
    }
    if (ns < 0) {
        b->unable++;
        struct expand_text key = {.n = 0};
        expand_key(match, &key);
        fprintf(stderr, "not measured: %s%s\n", b->opcode, key.at);
    } else {
        b->measured++;
        print_line(&k, ORDINARY, ns);
        for (enum variant v = SPECIAL; v < VARIANTS; v++)
            if (is_wanted(&k, v)) print_line(&k, v, time_variant(b, &k, target, v));
    }
    free(k.loads.at), free(k.code.at);
}

/* ---- which combinations are forms of their own ---- */

/* Operations with a bench of their own, or without a meaning in a loop: waits for others, ends, calls,
 * textures, matrices. */
static bool is_other(const struct px_match *match)
{
    const unsigned flags = px_op_flags(px_match_op(match));
    if (px_match_handler(match) >= 0) return false;
    if (flags & (PX_OPERATION_ends | PX_OPERATION_calls | PX_OPERATION_barrier | PX_OPERATION_later |
                 PX_OPERATION_fragment))
        return true;
    if (flags & PX_OPERATION_waits) return !(flags & PX_OPERATION_members);
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(match->operands); i++) {
        const enum px_opd_kind kind = (enum px_opd_kind)px_match_opd(match, i)->kind;
        if (kind == PX_OK_TEXADDR || kind == PX_OK_TENSOR || kind == PX_OK_OTHER) return true;
    }
    return false;
}

/* Does the word of a slot make no other handler: a hint, a scope. */
static bool is_mute(px_word word)
{
    switch (px_word_kind(word)) {
    case PX_K_CACHE:
    case PX_K_SCOPE:
    case PX_K_HINT:
    case PX_K_PRIORITY:
    case PX_K_PREFETCH: return true;
    default: return false;
    }
}

/* What tells the combination from others: its handler, or its operation and words, a load's type by its bits.
 */
static bool put_key(const struct px_match *match, const char *opcode, struct expand_text *key)
{
    const int handler = px_match_handler(match);
    const unsigned flags = px_op_flags(px_match_op(match));
    expand_put(key, "\n%s", opcode);
    if (handler >= 0) expand_put(key, " %d", handler);
    for (unsigned i = 0; i < px_form_slots(match->form); i++) {
        const px_word word = match->value[i];
        const enum px_type type = px_type_of_word(word);
        px_word name;
        bool optional;
        px_form_slot(match->form, i, &name, &optional);
        if (!word) continue;
        if (flags & PX_OPERATION_memory && optional && px_space_of_word(word) == PX_SPACE_NONE &&
            px_word_kind(word) != PX_K_VECTOR)
            return false;
        if (is_mute(word) || (handler >= 0 && !(px_form_widens(match->form) && type))) continue;
        if (type && (px_op_loads(flags) || px_op_stores(flags)) && px_match_op(match) != PX_OP_atom &&
            px_match_op(match) != PX_OP_red)
            expand_put(key, " %u", px_type_info(type)->bits);
        else if (px_space_of_word(word) != PX_SPACE_NONE)
            expand_put(key, " space%u", px_space_of_word(word));
        else
            expand_put(key, " %s", px_word_text(word));
    }
    expand_put(key, "\n");
    return true;
}

static bool is_new(struct bench *b, const char *key)
{
    enum { MOST = 1 << 20 };
    if (!b->seen) b->seen = calloc(1, MOST);
    if (!b->seen || b->seen_n + 8192 > MOST) exit(2);
    if (strstr(b->seen, key)) return false;
    b->seen_n += (size_t)snprintf(b->seen + b->seen_n, MOST - b->seen_n, "%s", key);
    return true;
}

static void visit(void *context, const struct px_match *match, uint32_t operands)
{
    struct bench *b = context;
    struct expand_text key = {.n = 0};
    (void)operands;
    if (!px_form_executable(match->form) || !put_key(match, b->opcode, &key)) return;
    if (b->only && !strstr(key.at, b->only) && strncmp(b->opcode, b->only, strlen(b->only)) != 0) return;
    if (!is_new(b, key.at)) return;
    if (is_other(match))
        b->other++;
    else if (b->list)
        printf("%s", key.at + 1);
    else
        measure(b, match);
}

static void open_bench(struct bench *b, const char *level)
{
    const ptx_device_config config = {.struct_size = sizeof config, .workers = 1, .memory_bytes = 1 << 24};
    need(ptx_device_create(&config, &b->device), "device");
    if (level && !px_level_named(level)) {
        fprintf(stderr, "bench_forms: this machine does not run level %s\n", level);
        exit(3);
    }
    if (level) b->device->level = px_level_named(level);
    need(ptx_memory_alloc(b->device, MEMORY, &b->memory), "memory");
    for (int i = 0; i < 2; i++) {
        need(ptx_memory_alloc(b->device, VALUES * SOURCES * REGISTERS * LANES * SLOT, &b->in[i]), "memory");
        write_values(b->device, b->in[i], i);
    }
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    const char *level = NULL;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--list"))
            b.list = true;
        else if (!strcmp(argv[i], "--level") && i + 1 < argc)
            level = argv[++i];
        else if (!strcmp(argv[i], "--only") && i + 1 < argc)
            b.only = argv[++i];
        else
            return fprintf(stderr, "usage: bench_forms [--level NAME] [--only WORD] [--list]\n"), 2;
    open_bench(&b, level);
    for (unsigned word = 1; word <= px_word_count(); word++) {
        uint16_t first;
        b.opcode = px_word_text((px_word)word);
        if (px_forms_of((px_word)word, &first)) expand_opcode(b.opcode, visit, &b);
    }
    fprintf(stderr, "%u forms measured, %u do not run alone, %u of other kinds\n", b.measured, b.unable,
            b.other);
    ptx_device_destroy(b.device);
    free(b.seen);
    return 0;
}
