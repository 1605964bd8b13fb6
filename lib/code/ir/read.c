/*
 * read.c - the text form of the IR, line by line, to a function that passes can work on.
 *
 * It reads what print.c writes, and less: places, blocks and lines of origins may be left out. What is wrong
 * ends it at once, with the line.
 */
#include "code/dump.h"
#include "code/ir/shape.h"
#include "code/ir/text.h"
#include <stdlib.h>
#include <string.h>

/* A register whose offset or guard names another one that is declared further down. */
struct base {
    uint32_t reg;
    const char *name;
    size_t n;
    unsigned line;
};

struct reader {
    struct px_coder *coder;
    struct px_arena *arena;
    struct px_irfn *f;
    const char *at;
    unsigned line;
    const char *why;
    jmp_buf wrong;
    bool has_graph, told_origins;
    PX_VEC(const char *) names, origins;
    PX_VEC(struct base) bases;
    PX_VEC(struct px_ir_operand) operands; /* of the instruction */
};

_Noreturn static void fail(struct reader *r, const char *why)
{
    r->why = why;
    longjmp(r->wrong, 1);
}

/* ---- pieces of a line ---- */

static void blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool at_end(struct reader *r)
{
    blanks(r);
    return !*r->at || *r->at == '\n' || *r->at == ';';
}

static bool take(struct reader *r, const char *text)
{
    const size_t n = strlen(text);
    blanks(r);
    if (strncmp(r->at, text, n) != 0) return false;
    r->at += n;
    return true;
}

static void need(struct reader *r, const char *text)
{
    if (!take(r, text)) fail(r, px_arena_printf(r->arena, "'%s' should stand here", text));
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_$%.#+", c));
}

/* A name; n 0: there is none. */
static const char *word(struct reader *r, size_t *n)
{
    blanks(r);
    const char *start = r->at;
    while (is_letter(*r->at)) r->at++;
    *n = (size_t)(r->at - start);
    return start;
}

/* The whole next word, and nothing else, is this one. */
static bool take_word(struct reader *r, const char *text)
{
    const char *before = r->at;
    size_t n;
    const char *w = word(r, &n);
    if (n == strlen(text) && memcmp(w, text, n) == 0) return true;
    r->at = before;
    return false;
}

static uint64_t number(struct reader *r)
{
    char *end;
    blanks(r);
    const bool minus = *r->at == '-';
    const uint64_t value = strtoull(r->at + minus, &end, 0);
    if (end == r->at + minus) fail(r, "a number should stand here");
    r->at = end;
    return minus ? -value : value;
}

static uint32_t small(struct reader *r)
{
    const uint64_t value = number(r);
    if (value > UINT32_MAX) fail(r, "the number is too large");
    return (uint32_t)value;
}

static char *text_of(struct reader *r, const char *start, size_t n)
{
    return px_arena_text(r->arena, start, n);
}

static void rest_of_line(struct reader *r)
{
    while (*r->at && *r->at != '\n') r->at++;
}

/* ---- registers ---- */

static uint32_t find_reg(const struct reader *r, const char *name, size_t n)
{
    for (uint32_t i = 0; i < r->names.n; i++)
        if (strlen(r->names.at[i]) == n && memcmp(r->names.at[i], name, n) == 0) return i;
    return PX_NONE32;
}

static uint32_t reg(struct reader *r)
{
    size_t n;
    const char *name = word(r, &n);
    const uint32_t found = find_reg(r, name, n);
    if (found == PX_NONE32)
        fail(r, px_arena_printf(r->arena, "'%s' is no register that was declared", text_of(r, name, n)));
    return found;
}

/* "a.b" of a live range: the place and what of it. */
static uint32_t position(struct reader *r)
{
    const uint32_t place = small(r);
    need(r, ".");
    return place * PX_IR_STEP + small(r);
}

static void read_live(struct reader *r, struct px_ir_reg *to)
{
    to->first = position(r);
    need(r, "..");
    to->last = position(r);
}

static void read_offset(struct reader *r, struct px_ir_reg *to)
{
    struct base base = {.reg = r->f->regs.n, .line = r->line};
    base.name = word(r, &base.n);
    to->keep = PX_IR_OFFSET;
    px_vec_push(r->arena, &r->bases, base);
}

static void read_keep(struct reader *r, struct px_ir_reg *to)
{
    if (take_word(r, "scalar"))
        to->keep = PX_IR_SCALAR;
    else if (take_word(r, "offset"))
        read_offset(r, to);
    else if (take_word(r, "lanes"))
        to->keep = PX_IR_LANES, to->term = small(r);
    else if (take_word(r, "spread"))
        to->spread = true;
    else
        fail(r, "no word of a register's declaration");
}

static void read_word_of_reg(struct reader *r, struct px_ir_reg *to)
{
    if (take_word(r, "temp"))
        to->temp = true;
    else if (take_word(r, "lazy"))
        to->lazy = true;
    else if (take_word(r, "branches"))
        to->branches = true;
    else if (take_word(r, "slot"))
        to->slot = small(r), r->f->nkept = r->f->nkept > to->slot ? r->f->nkept : to->slot + 1;
    else if (take_word(r, "survey"))
        to->survey = small(r), r->f->nsurveys = r->f->nsurveys > to->survey ? r->f->nsurveys : to->survey;
    else if (take_word(r, "row"))
        to->row = small(r);
    else if (take_word(r, "live"))
        read_live(r, to);
    else
        read_keep(r, to);
}

/* ":type", ":type/elem". */
static void read_type(struct reader *r, uint8_t *type, uint8_t *elem)
{
    size_t n;
    const char *name = word(r, &n);
    if (!px_ir_type_named(name, n, type)) fail(r, "a type should stand here");
    *elem = (uint8_t)px_ir_elem_of(*type);
    if (take(r, "/")) *elem = (uint8_t)small(r);
}

static void read_reg(struct reader *r)
{
    size_t n;
    const char *name = word(r, &n);
    struct px_ir_reg to = {.row = PX_NONE32, .first = 1};
    if (!n || find_reg(r, name, n) != PX_NONE32)
        fail(r, "a name that no other register has should stand here");
    read_type(r, &to.type, &to.elem);
    while (!at_end(r)) read_word_of_reg(r, &to);
    px_vec_push(r->arena, &r->names, text_of(r, name, n));
    px_vec_push(r->coder->draft, &r->f->regs, to);
}

/* ---- operands ---- */

/* "{param+8}", "{ctaid.x}", behind the brace. */
static void read_scalar(struct reader *r, enum px_ir_kind *kind, uint32_t *at)
{
    enum { PARAM = sizeof "param+" - 1 };
    size_t n;
    const char *name = word(r, &n);
    need(r, "}");
    *kind = PX_IR_UNIFORM;
    if (n > PARAM && memcmp(name, "param+", PARAM) == 0)
        *kind = PX_IR_PARAM, *at = (uint32_t)strtoul(name + PARAM, NULL, 10);
    else if (!px_ir_uniform_named(name, n, at))
        fail(r, "no scalar of the block has this name");
}

static struct px_ir_operand read_address(struct reader *r)
{
    struct px_ir_operand o = {.kind = PX_IR_ADDRESS, .base = PX_IR_IMM};
    enum px_ir_kind kind;
    size_t n;
    if (take(r, "{")) {
        read_scalar(r, &kind, &o.at);
        o.base = (uint8_t)kind;
    } else if (*r->at != '-' && (*r->at < '0' || *r->at > '9')) {
        const char *name = word(r, &n), *plus = memchr(name, '+', n);
        o.at = find_reg(r, name, plus ? (size_t)(plus - name) : n);
        if (o.at == PX_NONE32) fail(r, "no register that was declared is the base of the address");
        o.base = PX_IR_REG;
        if (plus) r->at = plus;
    }
    (void)take(r, "+");
    if (!take(r, "]")) {
        o.value = number(r);
        need(r, "]");
    }
    need(r, ":");
    const char *space = word(r, &n);
    if (!px_ir_space_named(space, n, &o.type)) fail(r, "a state space should stand here");
    need(r, "/");
    o.elem = (uint8_t)small(r);
    return o;
}

static struct px_ir_operand read_row(struct reader *r)
{
    struct px_ir_operand o = {.kind = PX_IR_REG};
    o.base = take(r, "~") ? PX_IR_NUMBER : take(r, "^") ? PX_IR_COPIED : PX_IR_BITS;
    o.at = reg(r);
    o.type = r->f->regs.at[o.at].type;
    o.elem = r->f->regs.at[o.at].elem;
    if (take(r, ":")) read_type(r, &o.type, &o.elem);
    return o;
}

static struct px_ir_operand read_operand(struct reader *r)
{
    struct px_ir_operand o = {.kind = PX_IR_NONE};
    enum px_ir_kind kind = PX_IR_IMM;
    blanks(r);
    if (take_word(r, "_")) return o;
    if (take(r, "[")) return read_address(r);
    if (*r->at != '{' && *r->at != '-' && (*r->at < '0' || *r->at > '9')) return read_row(r);
    if (take(r, "{"))
        read_scalar(r, &kind, &o.at);
    else
        o.value = number(r);
    o.kind = (uint8_t)kind;
    need(r, ":");
    read_type(r, &o.type, &o.elem);
    return o;
}

/* ---- instructions ---- */

static void read_fact(struct reader *r, struct px_ir_inst *in)
{
    size_t n;
    for (unsigned i = 0; i < 8; i++)
        if (px_ir_flag_names[i] && take_word(r, px_ir_flag_names[i])) {
            in->flags |= (uint8_t)(1 << i);
            return;
        }
    for (unsigned i = 0; i < PX_IR_FUSE_NAMES; i++)
        if (take_word(r, px_ir_fuse_names[i])) {
            in->fuse |= (uint8_t)(1 << i);
            return;
        }
    const char *name = word(r, &n);
    need(r, "=");
    if (n == 4 && memcmp(name, "fact", 4) == 0)
        in->fact = (uint16_t)small(r);
    else if (n == 3 && memcmp(name, "aux", 3) == 0)
        in->aux = small(r);
    else if (n == 2 && memcmp(name, "fp", 2) == 0) {
        const char *mode = word(r, &n);
        if (!px_ir_mode_named(mode, n, &in->fp)) fail(r, "no mode has this name");
    } else
        fail(r, "nothing that is said of an instruction has this name");
}

static void read_operands(struct reader *r, struct px_ir_inst *in)
{
    bool sources = false;
    r->operands.n = 0;
    while (!at_end(r) && *r->at != '!' && strncmp(r->at, "->", 2) != 0) {
        const struct px_ir_operand o = read_operand(r);
        px_vec_push(r->arena, &r->operands, o);
        if (take(r, ",")) continue;
        if (sources || !take(r, "=")) break;
        in->ndst = (uint16_t)r->operands.n;
        sources = true;
    }
    in->nopds = (uint16_t)r->operands.n;
}

/* What addresses add to their bases, one behind the other, then each operand and its constant. */
static void add_operands(struct reader *r, struct px_ir_inst *in)
{
    struct px_irfn *f = r->f;
    struct px_arena *draft = r->coder->draft;
    in->first = f->opds.n;
    if (in->op != PX_IR_JUMP && in->op != PX_IR_BRANCH) in->values = f->values.n;
    for (uint32_t i = 0; i < r->operands.n; i++)
        if (r->operands.at[i].kind == PX_IR_ADDRESS) px_vec_push(draft, &f->values, r->operands.at[i].value);
    for (uint32_t i = 0; i < r->operands.n; i++) {
        struct px_ir_operand *o = &r->operands.at[i];
        if (o->kind == PX_IR_IMM) {
            o->at = f->values.n;
            px_vec_push(draft, &f->values, o->value);
        }
        px_vec_push(draft, &f->opds, o->is);
    }
}

static uint32_t read_label(struct reader *r)
{
    need(r, "L");
    const uint32_t label = small(r);
    if (label > 1 << 20) fail(r, "the label's number is too large");
    while (r->f->labels.n <= label) px_vec_push(r->coder->draft, &r->f->labels, PX_NONE32);
    return label;
}

static void new_origin(struct reader *r, const char *text)
{
    const struct px_origin none = {NULL};
    px_vec_push(r->coder->draft, &r->f->origins, none);
    px_vec_push(r->arena, &r->origins, text);
}

static void read_inst(struct reader *r)
{
    struct px_ir_inst in = {.fp = PX_IR_FP_ANY, .guard = PX_NONE32};
    size_t n;
    blanks(r);
    if (*r->at >= '0' && *r->at <= '9') (void)small(r);
    if (take(r, "*")) in.flags |= PX_IR_INST_FIRST;
    if (in.flags & PX_IR_INST_FIRST && !r->told_origins) new_origin(r, NULL);
    if (take(r, "@")) {
        if (take(r, "!")) in.flags |= PX_IR_INST_NEGATED;
        in.guard = reg(r);
    }
    const char *op = word(r, &n);
    if (!n || !px_ir_spelled(r->coder->level, op, n, &in.op, &in.fact))
        fail(r, px_arena_printf(r->arena, "'%s' is no operation", text_of(r, op, n)));
    read_operands(r, &in);
    if (take(r, "->")) in.target = read_label(r);
    if (take(r, "!"))
        while (!at_end(r)) read_fact(r, &in);
    if (!at_end(r)) fail(r, "nothing that belongs to an instruction stands here");
    in.origin = r->f->origins.n - 1;
    add_operands(r, &in);
    px_vec_push(r->coder->draft, &r->f->insts, in);
}

/* ---- other lines ---- */

static void read_head(struct reader *r, bool kernel)
{
    size_t n;
    const char *name = word(r, &n);
    struct px_lfunc *func = PX_NEW(r->arena, struct px_lfunc);
    func->name = text_of(r, name, n);
    func->is_entry = kernel;
    r->f->func = func;
    if (!take_word(r, "after")) return;
    for (unsigned pass = PX_PASS_blocks; pass < PX_PASS_records; pass++)
        r->has_graph |= take_word(r, px_pass_name((enum px_pass_number)pass));
    rest_of_line(r);
}

static void read_rows(struct reader *r)
{
    r->f->row_bytes = small(r);
    need(r, "zeroed");
    r->f->zero_to = small(r);
    need(r, "live");
    r->f->live_bytes = small(r);
}

static uint32_t term_number(struct reader *r)
{
    return take_word(r, "zero") ? PX_TERM_ZERO : small(r);
}

static void read_scale(struct reader *r, struct px_ir_term *t)
{
    enum px_ir_kind kind = PX_IR_IMM;
    t->is.a = term_number(r);
    need(r, "by");
    if (take(r, "{"))
        read_scalar(r, &kind, &t->factor.at);
    else
        t->factor.value = number(r);
    t->factor.kind = (uint8_t)kind;
    need(r, "/");
    t->factor.elem = t->is.elem = (uint8_t)small(r);
    t->is.sign = take_word(r, "signed");
}

static void read_term(struct reader *r)
{
    struct px_ir_term t = {0};
    unsigned op = 0;
    if (small(r) != r->f->terms.n) fail(r, "terms are numbered one after the other");
    while (op < 6 && !take_word(r, px_ir_term_names[op])) op++;
    if (op == 6) fail(r, "a term is made by tid.x, tid.y, tid.z, add, sub or scale");
    t.is.op = (uint8_t)op;
    if (op == PX_TERM_ADD || op == PX_TERM_SUB) {
        t.is.a = term_number(r);
        t.is.b = term_number(r);
    }
    if (op == PX_TERM_SCALE) read_scale(r, &t);
    px_vec_push(r->coder->scratch, &r->f->terms, t);
}

static void read_fork(struct reader *r)
{
    struct px_ir_fork fork = {.node = small(r)};
    need(r, "join");
    fork.join = small(r);
    fork.inside = take_word(r, "inside");
    px_vec_push(r->coder->scratch, &r->f->forks, fork);
}

static void read_loop(struct reader *r)
{
    struct px_ir_loop loop = {.node = small(r)};
    loop.masked = take_word(r, "masked");
    px_vec_push(r->coder->scratch, &r->f->aside, loop);
}

static void read_table(struct reader *r)
{
    struct px_ir_switch s = {0};
    PX_VEC(uint32_t) targets = {0};
    if (small(r) != r->f->switches.n) fail(r, "tables are numbered one after the other");
    while (!at_end(r)) {
        const uint32_t label = read_label(r);
        px_vec_push(r->coder->scratch, &targets, label);
    }
    s.targets = targets.at;
    s.n = targets.n;
    px_vec_push(r->coder->scratch, &r->f->switches, s);
}

/* "L3:" */
static bool takes_label(struct reader *r)
{
    const char *before = r->at;
    blanks(r);
    if (*r->at == 'L' && r->at[1] >= '0' && r->at[1] <= '9') {
        const uint32_t label = read_label(r);
        if (take(r, ":")) {
            if (r->f->labels.at[label] != PX_NONE32) fail(r, "the label stands elsewhere, too");
            r->f->labels.at[label] = r->f->insts.n;
            return true;
        }
    }
    r->at = before;
    return false;
}

static void read_origin(struct reader *r)
{
    blanks(r);
    const char *start = r->at;
    rest_of_line(r);
    r->told_origins = true;
    new_origin(r, text_of(r, start, (size_t)(r->at - start)));
}

static void read_line(struct reader *r)
{
    if (at_end(r) || takes_label(r)) return;
    if (take_word(r, "kernel"))
        read_head(r, true);
    else if (take_word(r, "function"))
        read_head(r, false);
    else if (!r->f->func)
        fail(r, "a function begins with 'kernel NAME' or 'function NAME'");
    else if (take_word(r, "rows"))
        read_rows(r);
    else if (take_word(r, "reg"))
        read_reg(r);
    else if (take_word(r, "term"))
        read_term(r);
    else if (take_word(r, "table"))
        read_table(r);
    else if (take_word(r, "fork"))
        read_fork(r);
    else if (take_word(r, "loop"))
        read_loop(r);
    else if (take_word(r, "block"))
        rest_of_line(r);
    else if (take(r, "|"))
        read_origin(r);
    else
        read_inst(r);
}

/* ---- the function ---- */

static void find_bases(struct reader *r)
{
    for (uint32_t i = 0; i < r->bases.n; i++) {
        const struct base *b = &r->bases.at[i];
        r->f->regs.at[b->reg].base = find_reg(r, b->name, b->n);
        r->line = b->line;
        if (r->f->regs.at[b->reg].base == PX_NONE32) fail(r, "the base of an offset was not declared");
    }
}

static void finish(struct reader *r)
{
    struct px_irfn *f = r->f;
    find_bases(r);
    if (!f->insts.n) fail(r, "there is no instruction");
    for (uint32_t i = 0; i < f->labels.n; i++)
        if (f->labels.at[i] == PX_NONE32) fail(r, px_arena_printf(r->arena, "label L%u stands nowhere", i));
    f->names = PX_NEW(r->arena, struct px_ir_names);
    *f->names = (struct px_ir_names){r->names.at, r->names.n, r->origins.at};
    f->stack = f->carry = PX_NONE32;
    if (r->has_graph) px_ir_blocks(f), px_ir_shapes(f);
}

struct px_irfn *px_ir_read(struct px_coder *coder, const char *text, unsigned *line, const char **why)
{
    struct reader *r = PX_NEW(coder->scratch, struct reader);
    *r = (struct reader){.coder = coder,
                         .arena = coder->scratch,
                         .f = PX_NEW(coder->scratch, struct px_irfn),
                         .at = text,
                         .line = 1};
    r->f->coder = coder;
    if (setjmp(r->wrong)) {
        *line = r->line;
        *why = r->why;
        return NULL;
    }
    new_origin(r, NULL);
    for (; *r->at; r->at += *r->at == '\n', r->line++) {
        read_line(r);
        if (!at_end(r)) fail(r, "more than belongs to the line");
        rest_of_line(r);
    }
    finish(r);
    return r->f;
}
