/* print.c - the IR as text: docs/ir.md defines the form. */
#include "code/ir/text.h"
#include "front/print.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void px_ir_text_add(struct px_ir_text *text, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (text->out.n + (uint32_t)n + 1 > text->out.cap) {
        text->out.cap = 2 * (text->out.n + (uint32_t)n) + 256;
        text->out.at = px_arena_grow(text->arena, text->out.at, text->out.n, text->out.cap);
    }
    vsnprintf(text->out.at + text->out.n, (size_t)n + 1, format, again);
    va_end(again);
    text->out.n += (uint32_t)n;
}

/* ---- names of registers ---- */

/* Names that were given, by their text. */
struct taken {
    struct px_arena *arena;
    const char **at;
    uint32_t size; /* a power of two */
};

static uint32_t hash_of(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++) h = (h ^ (uint8_t)*name) * 16777619u;
    return h;
}

/* The name; with the register's number behind it where another one has it. */
static const char *own_name(struct taken *taken, const char *name, uint32_t reg)
{
    uint32_t k = hash_of(name);
    for (; taken->at[k & (taken->size - 1)]; k++)
        if (strcmp(taken->at[k & (taken->size - 1)], name) == 0)
            return px_arena_printf(taken->arena, "%s#%u", name, reg);
    return taken->at[k & (taken->size - 1)] = name;
}

static void name_text_regs(struct px_irfn *f, struct taken *taken)
{
    struct px_ir_names *names = f->names;
    const uint32_t n = f->fn->regs.n + f->more_regs.n;
    uint32_t reg = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct px_reg *r = px_code_reg(f, i);
        const char *text = r->symbol->name->text;
        const bool added = i >= f->fn->regs.n; /* its name is another one's */
        for (uint32_t k = 0; k < (r->vec ? r->vec : 1u); k++, reg++) {
            const char *name =
                r->vec > 1 ? px_arena_printf(taken->arena, "%s.%c", text, "xyzw"[k & 3]) : text;
            if (!added) names->regs[reg] = own_name(taken, name, reg);
        }
    }
}

static void name_params(struct px_irfn *f, struct taken *taken)
{
    for (uint32_t i = 0; i < f->params.n; i++) {
        const struct px_param *p = &f->params.at[i];
        for (uint32_t k = 0; p->reg != PX_NONE32 && k < (p->bytes + 3) / 4; k++)
            f->names->regs[p->reg + k] =
                own_name(taken, px_arena_printf(taken->arena, "%s.%u", p->symbol->name->text, k), p->reg + k);
    }
}

void px_ir_name(struct px_irfn *f)
{
    struct px_arena *arena = f->coder->scratch;
    struct taken taken = {.arena = arena, .size = 64};
    while (taken.size < 2 * f->regs.n) taken.size *= 2;
    taken.at = PX_NEW_N(arena, const char *, taken.size);
    f->names = PX_NEW(arena, struct px_ir_names);
    f->names->n = f->regs.n;
    f->names->regs = PX_NEW_N(arena, const char *, f->regs.n + 1);
    name_text_regs(f, &taken);
    name_params(f, &taken);
}

const char *px_ir_reg_name(const struct px_irfn *f, uint32_t reg, char text[24])
{
    if (f->names && reg < f->names->n && f->names->regs[reg]) return f->names->regs[reg];
    snprintf(text, 24, "$%u", reg);
    return text;
}

static void add_reg(struct px_ir_text *t, const struct px_irfn *f, uint32_t reg)
{
    char name[24];
    px_ir_text_add(t, "%s", px_ir_reg_name(f, reg, name));
}

/* ---- operands ---- */

static bool is_near_zero(uint64_t value)
{
    return value + 4096 < 8192;
}

static void add_number(struct px_ir_text *t, uint64_t value)
{
    if (is_near_zero(value))
        px_ir_text_add(t, "%" PRId64, (int64_t)value);
    else
        px_ir_text_add(t, "0x%" PRIx64, value);
}

static void add_type(struct px_ir_text *t, const struct px_ir_opd *o)
{
    px_ir_text_add(t, ":%s", px_ir_type_name(o->type));
    if (o->elem != px_ir_elem_of(o->type)) px_ir_text_add(t, "/%u", o->elem);
}

/* A register, read or written as what it is declared: no type behind it. */
static void add_row(struct px_ir_text *t, const struct px_irfn *f, const struct px_ir_opd *o, bool source)
{
    const struct px_ir_reg *r = &f->regs.at[o->at];
    if (source && o->base) px_ir_text_add(t, o->base == PX_IR_NUMBER ? "~" : "^");
    add_reg(t, f, o->at);
    if (o->type != r->type || o->elem != r->elem) add_type(t, o);
}

static void add_scalar(struct px_ir_text *t, enum px_ir_kind kind, uint32_t at)
{
    char name[32];
    if (kind == PX_IR_PARAM)
        px_ir_text_add(t, "{param+%u}", at);
    else
        px_ir_text_add(t, "{%s}", px_ir_uniform_name(at, name, sizeof name));
}

static void add_address(struct px_ir_text *t, const struct px_irfn *f, const struct px_ir_inst *in,
                        const struct px_ir_opd *o)
{
    const uint64_t value = *px_ir_value(f, in, o);
    px_ir_text_add(t, "[");
    if (o->base == PX_IR_REG)
        add_reg(t, f, o->at);
    else if (o->base != PX_IR_IMM)
        add_scalar(t, (enum px_ir_kind)o->base, o->at);
    if (o->base == PX_IR_IMM || value) {
        if (o->base != PX_IR_IMM && !((int64_t)value < 0 && is_near_zero(value))) px_ir_text_add(t, "+");
        add_number(t, value);
    }
    px_ir_text_add(t, "]:%s/%u", px_ir_space_name(o->type), o->elem);
}

static void add_operand(struct px_ir_text *t, const struct px_irfn *f, const struct px_ir_inst *in,
                        const struct px_ir_opd *o, bool source)
{
    switch (o->kind) {
    case PX_IR_NONE: px_ir_text_add(t, "_"); return;
    case PX_IR_REG: add_row(t, f, o, source); return;
    case PX_IR_ADDRESS: add_address(t, f, in, o); return;
    case PX_IR_IMM: add_number(t, *px_ir_value(f, in, o)); break;
    default: add_scalar(t, (enum px_ir_kind)o->kind, o->at); break;
    }
    add_type(t, o);
}

/* ---- instructions ---- */

static bool has_target(const struct px_ir_inst *in)
{
    return in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH;
}

/* What stands behind the operands: all that is not as usual. */
static void add_facts(struct px_ir_text *t, const struct px_ir_inst *in, bool fact_told)
{
    char mode[16];
    const char *fp = px_ir_mode_name(in->fp, mode);
    const uint32_t start = t->out.n;
    for (unsigned i = 0; i < 8; i++)
        if (px_ir_flag_names[i] && in->flags & 1 << i) px_ir_text_add(t, " %s", px_ir_flag_names[i]);
    for (unsigned i = 0; i < PX_IR_FUSE_NAMES; i++)
        if (in->fuse & 1 << i) px_ir_text_add(t, " %s", px_ir_fuse_names[i]);
    if (fp) px_ir_text_add(t, " fp=%s", fp);
    if (in->fact && !fact_told) px_ir_text_add(t, " fact=%u", in->fact);
    if (in->aux) px_ir_text_add(t, " aux=%u", in->aux);
    if (t->out.n == start) return;
    px_ir_text_add(t, "  ");
    memmove(t->out.at + start + 2, t->out.at + start, t->out.n - start - 2);
    memcpy(t->out.at + start, " !", 2);
}

void px_ir_print_inst(struct px_ir_text *t, const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    const struct px_ir_spelling op = px_ir_spell(f->coder->level, in->op, in->fact);
    px_ir_text_add(t, in->flags & PX_IR_INST_FIRST ? "* " : "  ");
    if (in->guard != PX_NONE32) {
        px_ir_text_add(t, in->flags & PX_IR_INST_NEGATED ? "@!" : "@");
        add_reg(t, f, in->guard);
        px_ir_text_add(t, " ");
    }
    if (op.name)
        px_ir_text_add(t, "%s%s", op.prefix, op.name);
    else
        px_ir_text_add(t, "op%u", in->op);
    for (uint32_t k = 0; k < in->nopds; k++) {
        const char *before = k == 0 ? " " : k == in->ndst ? " = " : ", ";
        px_ir_text_add(t, "%s", before);
        add_operand(t, f, in, &o[k], k >= in->ndst);
    }
    if (in->ndst && in->ndst == in->nopds) px_ir_text_add(t, " =");
    if (has_target(in)) px_ir_text_add(t, " -> L%u", in->target);
    add_facts(t, in, op.fact);
}

/* ---- declarations ---- */

static void add_live(struct px_ir_text *t, const struct px_ir_reg *r)
{
    if (r->first > r->last) return;
    px_ir_text_add(t, " live %u.%u..%u.%u", r->first / PX_IR_STEP, r->first % PX_IR_STEP,
                   r->last / PX_IR_STEP, r->last % PX_IR_STEP);
}

static void add_keep(struct px_ir_text *t, const struct px_irfn *f, const struct px_ir_reg *r)
{
    switch (r->keep) {
    case PX_IR_SCALAR: px_ir_text_add(t, " scalar"); break;
    case PX_IR_OFFSET:
        px_ir_text_add(t, " offset ");
        add_reg(t, f, r->base);
        break;
    case PX_IR_LANES: px_ir_text_add(t, " lanes %u%s", r->term, r->spread ? " spread" : ""); break;
    default: return;
    }
    px_ir_text_add(t, " slot %u", r->slot);
}

static void add_declaration(struct px_ir_text *t, const struct px_irfn *f, uint32_t reg, bool ranges)
{
    const struct px_ir_reg *r = &f->regs.at[reg];
    px_ir_text_add(t, "  reg ");
    add_reg(t, f, reg);
    px_ir_text_add(t, " %s", px_ir_type_name(r->type));
    if (r->elem != px_ir_elem_of(r->type)) px_ir_text_add(t, "/%u", r->elem);
    if (r->temp) px_ir_text_add(t, " temp");
    if (r->lazy) px_ir_text_add(t, " lazy");
    if (r->branches) px_ir_text_add(t, " branches");
    add_keep(t, f, r);
    if (r->survey) px_ir_text_add(t, " survey %u", r->survey);
    if (r->row != PX_NONE32) px_ir_text_add(t, " row %u", r->row);
    if (ranges && r->row != PX_NONE32) add_live(t, r);
    px_ir_text_add(t, "\n");
}

/* Those that something names. */
static void add_registers(struct px_ir_text *t, const struct px_irfn *f, bool ranges)
{
    bool *named = PX_NEW_N(t->arena, bool, f->regs.n + 1);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        if (in->guard != PX_NONE32) named[in->guard] = true;
        for (uint32_t k = 0; k < in->nopds; k++)
            if (px_ir_register(&o[k]) != PX_NONE32) named[px_ir_register(&o[k])] = true;
    }
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (named[r]) add_declaration(t, f, r, ranges);
}

static void add_terms(struct px_ir_text *t, const struct px_irfn *f)
{
    for (uint32_t i = 0; i < f->terms.n; i++) {
        const struct px_ir_term *term = &f->terms.at[i];
        const struct px_ir_operand *factor = &term->factor;
        px_ir_text_add(t, "  term %u %s", i, px_ir_term_names[term->is.op]);
        if (term->is.op == PX_TERM_ADD || term->is.op == PX_TERM_SUB)
            for (unsigned k = 0; k < 2; k++) {
                const uint32_t of = k ? term->is.b : term->is.a;
                px_ir_text_add(t, of == PX_TERM_ZERO ? " zero" : " %u", of);
            }
        if (term->is.op == PX_TERM_SCALE) {
            px_ir_text_add(t, " %u by ", term->is.a);
            if (factor->kind == PX_IR_IMM)
                add_number(t, factor->value);
            else
                add_scalar(t, (enum px_ir_kind)factor->kind, factor->at);
            px_ir_text_add(t, "/%u%s", term->is.elem, term->is.sign ? " signed" : "");
        }
        px_ir_text_add(t, "\n");
    }
}

/* ---- labels and blocks ---- */

/* By instruction, and of their end: the first label that stands before it; PX_NONE32. */
static uint32_t *label_places(const struct px_irfn *f, struct px_arena *arena)
{
    uint32_t *first = px_arena_alloc(arena, ((size_t)f->insts.n + 1) * sizeof *first);
    memset(first, 0xff, ((size_t)f->insts.n + 1) * sizeof *first);
    for (uint32_t i = f->labels.n; i-- > 0;)
        if (f->labels.at[i] <= f->insts.n) first[f->labels.at[i]] = i;
    return first;
}

/* Tables name labels; behind the pass `blocks` their targets are instructions. */
static void add_tables(struct px_ir_text *t, const struct px_irfn *f, const uint32_t *label)
{
    for (uint32_t i = 0; i < f->switches.n; i++) {
        const struct px_ir_switch *s = &f->switches.at[i];
        px_ir_text_add(t, "  table %u", i);
        for (uint32_t k = 0; k < s->n; k++)
            px_ir_text_add(t, " L%u", f->graph.blocks ? label[s->targets[k]] : s->targets[k]);
        px_ir_text_add(t, "\n");
    }
}

static void add_forks(struct px_ir_text *t, const struct px_irfn *f)
{
    for (uint32_t i = 0; i < f->forks.n; i++)
        px_ir_text_add(t, "  fork %u join %u%s\n", f->forks.at[i].node, f->forks.at[i].join,
                       f->forks.at[i].inside ? " inside" : "");
    for (uint32_t i = 0; i < f->aside.n; i++)
        px_ir_text_add(t, "  loop %u%s\n", f->aside.at[i].node, f->aside.at[i].masked ? " masked" : "");
}

static void add_labels(struct px_ir_text *t, const struct px_irfn *f, const uint32_t *label, uint32_t place)
{
    if (label[place] == PX_NONE32) return;
    for (uint32_t i = label[place]; i < f->labels.n; i++)
        if (f->labels.at[i] == place) px_ir_text_add(t, "L%u:\n", i);
}

static void add_nodes(struct px_ir_text *t, const char *word, const struct px_flow_lists *list, uint32_t node)
{
    if (!list->first || list->first[node] == list->first[node + 1]) return;
    px_ir_text_add(t, " %s", word);
    for (uint32_t k = list->first[node]; k < list->first[node + 1]; k++)
        px_ir_text_add(t, " %u", list->to[k]);
}

static void add_block(struct px_ir_text *t, const struct px_irfn *f, uint32_t node)
{
    px_ir_text_add(t, "block %u", node);
    add_nodes(t, "from", &f->graph.pred, node);
    add_nodes(t, "to", &f->graph.succ, node);
    if (f->loops.place[node] == PX_FLOW_NONE) {
        px_ir_text_add(t, " unreached\n");
        return;
    }
    px_ir_text_add(t, " place %u", f->loops.place[node]);
    if (f->loops.size[node] > 1) px_ir_text_add(t, " loop of %u", f->loops.size[node]);
    if (f->loops.head[node] != PX_FLOW_NONE) px_ir_text_add(t, " in loop %u", f->loops.head[node]);
    px_ir_text_add(t, "\n");
}

/* By instruction: its place in the order of the code. */
static uint32_t *places(const struct px_irfn *f, struct px_arena *arena)
{
    uint32_t *at = px_arena_alloc(arena, ((size_t)f->insts.n + 1) * sizeof *at), n = 0;
    memset(at, 0xff, ((size_t)f->insts.n + 1) * sizeof *at);
    for (uint32_t p = 0; p < f->loops.n; p++) {
        if (f->loops.order[p] >= f->graph.nblocks) continue;
        const struct px_flow_block b = f->graph.blocks[f->loops.order[p]];
        for (uint32_t i = b.first; i < b.first + b.n; i++) at[i] = n++;
    }
    return at;
}

/* ---- the function ---- */

/* "| x.ptx:12 add.u32 %r1, %r2, %r3;" */
void px_ir_print_origin(struct px_ir_text *t, const struct px_irfn *f, uint32_t origin)
{
    if (f->names && f->names->origins) {
        if (f->names->origins[origin]) px_ir_text_add(t, "  | %s\n", f->names->origins[origin]);
        return;
    }
    const struct px_inst *inst = f->origins.at[origin].inst;
    char line[200];
    if (!inst) return;
    struct px_source source = f->module->source; /* its line table is complete: nothing is built here */
    px_print_inst(inst, line, sizeof line);
    const char *slash = strrchr(source.file, '/');
    px_ir_text_add(t, "  | %s:%u %s\n", slash ? slash + 1 : source.file,
                   px_source_place(&source, inst->pos).line, line);
}

void px_ir_print(struct px_ir_text *t, const struct px_irfn *f, const char *after)
{
    const uint32_t *label = label_places(f, t->arena);
    const uint32_t *place = f->graph.blocks ? places(f, t->arena) : NULL;
    uint32_t origin = PX_NONE32;
    px_ir_text_add(t, "%s %s after %s\n", f->func->is_entry ? "kernel" : "function", f->func->name, after);
    if (f->row_bytes)
        px_ir_text_add(t, "  rows %u zeroed %u live %u\n", f->row_bytes, f->zero_to, f->live_bytes);
    add_registers(t, f, f->row_bytes != 0);
    add_terms(t, f);
    add_tables(t, f, label);
    add_forks(t, f);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        if (place && f->graph.blocks[f->graph.node_of[i]].first == i) add_block(t, f, f->graph.node_of[i]);
        add_labels(t, f, label, i);
        if (in->origin != origin) px_ir_print_origin(t, f, in->origin);
        origin = in->origin;
        if (place && place[i] != PX_NONE32)
            px_ir_text_add(t, "%6u ", place[i]);
        else
            px_ir_text_add(t, "       ");
        px_ir_print_inst(t, f, in);
        px_ir_text_add(t, "\n");
    }
    add_labels(t, f, label, f->insts.n);
}
