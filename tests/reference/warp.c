/*
 * warp.c - operations in which lanes of a warp take part together (PTX ISA
 * 9.7.9.6, 9.7.13): shfl, vote, match, redux, elect, bar.warp.sync, activemask.
 *
 * Lanes meet by member mask and operation. A lane comes with its operands and
 * waits; the meeting is complete when every member that has not exited has
 * come. Operations without a mask are done by the lanes that can come: once no
 * lane of the warp can run, those that stand at one instruction go together.
 */
#include "machine.h"
#include "gen/isa_ops.h"

enum what {
    SHFL_UP,
    SHFL_DOWN,
    SHFL_BFLY,
    SHFL_IDX,
    VOTE_ALL,
    VOTE_ANY,
    VOTE_UNI,
    VOTE_BALLOT,
    MATCH_ANY,
    MATCH_ALL,
    REDUX_ADD,
    REDUX_MIN,
    REDUX_MAX,
    REDUX_AND,
    REDUX_OR,
    REDUX_XOR,
    ELECT,
    MEET,
    ACTIVE,
    MATRIX, /* writes its results itself (matrix.c) */
    GROUP   /* the same, for four warps */
};

/* The lanes of a complete meeting, their operands and results. */
struct meeting {
    uint32_t lanes;
    struct ref_thread *of; /* the warp's first thread */
    uint64_t d[REF_WARP];
    bool p[REF_WARP];
};

#define FOR_LANES(i, set)                                                                                    \
    for (uint32_t i = 0; i < REF_WARP; i++)                                                                  \
        if ((set) >> i & 1)

/* ---- the operations ---- */

static void shuffle(struct meeting *w, enum what what)
{
    FOR_LANES(lane, w->lanes)
    {
        int b = w->of[lane].b & 31, segment = w->of[lane].c >> 8 & 31, clamp = w->of[lane].c & 31;
        int first = (int)lane & segment, last = first | (clamp & ~segment & 31), j;
        switch (what) {
        case SHFL_UP: j = (int)lane - b; break;
        case SHFL_DOWN: j = (int)lane + b; break;
        case SHFL_BFLY: j = (int)lane ^ b; break;
        default: j = first | (b & ~segment & 31); break;
        }
        w->p[lane] = what == SHFL_UP ? j >= last : j <= last;
        if (!w->p[lane] || !(w->lanes >> j & 1))
            j = (int)lane; /* a lane that is not there gives nothing defined */
        w->d[lane] = w->of[j].a;
    }
}

static void vote(struct meeting *w, enum what what)
{
    uint32_t yes = 0;
    FOR_LANES(i, w->lanes) yes |= (uint32_t)(w->of[i].a != 0) << i;
    bool all = yes == w->lanes, none = yes == 0;
    FOR_LANES(i, w->lanes)
    {
        w->d[i] = yes;
        w->p[i] = what == VOTE_ALL ? all : what == VOTE_ANY ? !none : all || none;
    }
}

static void match(struct meeting *w, enum what what)
{
    FOR_LANES(i, w->lanes)
    {
        uint32_t same = 0;
        FOR_LANES(j, w->lanes) same |= (uint32_t)(w->of[j].a == w->of[i].a) << j;
        w->p[i] = same == w->lanes;
        w->d[i] = what == MATCH_ANY || w->p[i] ? same : 0;
    }
}

static uint32_t reduced(uint32_t x, uint32_t y, enum what what, bool is_signed)
{
    bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
    switch (what) {
    case REDUX_ADD: return x + y;
    case REDUX_MIN: return less ? x : y;
    case REDUX_MAX: return less ? y : x;
    case REDUX_AND: return x & y;
    case REDUX_OR: return x | y;
    default: return x ^ y;
    }
}

static void redux(struct meeting *w, enum what what, bool is_signed)
{
    bool first = true;
    uint32_t v = 0;
    FOR_LANES(i, w->lanes)
    {
        v = first ? (uint32_t)w->of[i].a : reduced(v, (uint32_t)w->of[i].a, what, is_signed);
        first = false;
    }
    FOR_LANES(i, w->lanes) w->d[i] = v;
}

static void elect(struct meeting *w)
{
    uint32_t leader = 0;
    while (!(w->lanes >> leader & 1)) leader++;
    FOR_LANES(i, w->lanes)
    {
        w->d[i] = leader;
        w->p[i] = i == leader;
    }
}

static void compute(struct meeting *w, const struct ref_inst *in)
{
    enum what what = in->what;
    bool is_signed = px_type_info(in->type)->klass == PX_TC_SIGNED;
    if (what <= SHFL_IDX)
        shuffle(w, what);
    else if (what <= VOTE_BALLOT)
        vote(w, what);
    else if (what <= MATCH_ALL)
        match(w, what);
    else if (what <= REDUX_XOR)
        redux(w, what, is_signed);
    else if (what == ELECT)
        elect(w);
    else if (what == MATRIX)
        ref_matrix_run(w->of, w->lanes, in);
    else if (what == ACTIVE)
        FOR_LANES(i, w->lanes) w->d[i] = w->lanes;
}

/* ---- meeting ---- */

static void give(struct ref_thread *t, uint64_t d, bool p)
{
    const struct ref_operand *o = &t->at->o[0];
    if (t->at->what == MEET || t->at->what >= MATRIX) return;
    if (o->kind == REF_LIST) {
        ref_put(t, &o->list[0], d);
        ref_put(t, &o->list[1], p);
    } else {
        ref_put(t, o, o->type == PX_T_PRED ? p : d);
    }
}

static void finish(struct ref_thread *warp, uint32_t lanes)
{
    struct meeting w = {.lanes = lanes, .of = warp};
    uint32_t first = 0;
    while (!(lanes >> first & 1)) first++;
    compute(&w, warp[first].at);
    FOR_LANES(i, lanes)
    {
        give(&warp[i], w.d[i], w.p[i]);
        ref_make_ready(&warp[i]);
    }
}

static bool meets(const struct ref_thread *a, const struct ref_thread *b)
{
    if (b->state != REF_MEETING || a->at->named != b->at->named) return false;
    if (!a->at->named) return a->at == b->at && a->frame->depth == b->frame->depth;
    return a->member == b->member && a->at->what == b->at->what && a->at->type == b->at->type;
}

/* All 128 threads of the warpgroup stand at the thread's instruction: it is done. */
static void settle_group(struct ref_thread *t)
{
    enum { THREADS = 4 * REF_WARP };
    const uint32_t first = t->index / THREADS * THREADS;
    struct ref_thread *group = &t->cta->threads[first];
    if (first + THREADS > t->cta->nthreads)
        ref_unsupported(t->machine, t->at->inst, "without all four warps");
    for (uint32_t i = 0; i < THREADS; i++) {
        if (group[i].state == REF_EXITED)
            ref_unsupported(t->machine, t->at->inst, "when threads of the warpgroup have exited");
        if (!meets(t, &group[i])) return;
    }
    ref_wgmma_run(group, t->at);
    for (uint32_t i = 0; i < THREADS; i++) ref_make_ready(&group[i]);
}

void ref_warp_settle(struct ref_cta *cta, uint32_t index)
{
    struct ref_thread *warp = &cta->threads[index * REF_WARP];
    uint32_t live = cta->live[index];
    bool running = false;
    if (!cta->in_state[REF_MEETING]) return;
    FOR_LANES(i, live) running |= warp[i].state == REF_READY;
    FOR_LANES(i, live)
    {
        struct ref_thread *t = &warp[i];
        uint32_t lanes = 0;
        if (t->state != REF_MEETING || (running && !t->at->named)) continue;
        if (t->at->what == GROUP) {
            settle_group(t);
            continue;
        }
        FOR_LANES(k, live) lanes |= (uint32_t)meets(t, &warp[k]) << k;
        uint32_t member = t->at->named ? t->member : t->at->what == MATRIX ? ~0u : 0;
        if (!(member & live & ~lanes)) finish(warp, lanes);
    }
}

static enum ref_step run_meeting(struct ref_thread *t, const struct ref_inst *in)
{
    const uint32_t lane = t->index % REF_WARP;
    t->at = in;
    t->a = (uint64_t)ref_get(t, &in->o[1]);
    t->b = (uint32_t)ref_get(t, &in->o[2]);
    t->c = (uint32_t)ref_get(t, &in->o[3]);
    t->member = in->named ? (uint32_t)ref_get(t, &in->o[REF_OPERANDS - 1]) : 0;
    if (in->named && !(t->member >> lane & 1))
        ref_fail(t->machine, "fault 715: member mask 0x%x does not name lane %u itself", t->member, lane);
    ref_stop(t, REF_MEETING);
    return REF_WAIT;
}

/* A lane comes and waits for all that can come. */
static enum ref_step run_together(struct ref_thread *t, const struct ref_inst *in)
{
    t->at = in;
    ref_stop(t, REF_MEETING);
    return REF_WAIT;
}

void ref_bind_meeting(struct ref_inst *in)
{
    in->what = MATRIX;
    in->run = run_together;
}

void ref_bind_group(struct ref_inst *in)
{
    in->what = GROUP;
    in->run = run_together;
}

/* ---- binding ---- */

/* Of a list of words, the place of the one that the instruction has. */
static unsigned which(const struct ref_inst *in, const px_word words[], unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (ref_has(in, words[i])) return i;
    return 0;
}

/* Operands: a result, `sources` of the types given, and perhaps a member mask. */
static void bind(const struct ref_context *x, struct ref_inst *in, unsigned what, enum px_type result,
                 unsigned sources, const enum px_type types[])
{
    const struct px_operand *o = in->inst->opds;
    unsigned first = result != PX_T_NONE;
    in->what = what;
    in->run = run_meeting;
    if (first) in->o[0] = ref_resolve(x, in->inst, &o[0], result);
    for (unsigned i = 0; i < sources; i++) in->o[1 + i] = ref_resolve(x, in->inst, &o[first + i], types[i]);
    in->named = in->n > first + sources;
    if (in->named) in->o[REF_OPERANDS - 1] = ref_resolve(x, in->inst, &o[first + sources], PX_T_B32);
}

bool ref_bind_warp(const struct ref_context *x, struct ref_inst *in)
{
    static const px_word shuffles[] = {PX_W_up, PX_W_down, PX_W_bfly, PX_W_idx};
    static const px_word votes[] = {PX_W_all, PX_W_any, PX_W_uni, PX_W_ballot};
    static const px_word reductions[] = {PX_W_add, PX_W_min, PX_W_max, PX_W_and, PX_W_or, PX_W_xor};
    static const enum px_type words[] = {PX_T_B32, PX_T_U32, PX_T_U32}, predicate[] = {PX_T_PRED};
    bool ballot = ref_has(in, PX_W_ballot);
    if (in->op == PX_OP_redux && in->type == PX_T_F32) return false;
    switch (in->op) {
    case PX_OP_shfl: bind(x, in, SHFL_UP + which(in, shuffles, 4), PX_T_B32, 3, words); return true;
    case PX_OP_vote:
        bind(x, in, VOTE_ALL + which(in, votes, 4), ballot ? PX_T_B32 : PX_T_PRED, 1, predicate);
        return true;
    case PX_OP_match:
        bind(x, in, ref_has(in, PX_W_all) ? MATCH_ALL : MATCH_ANY, PX_T_U32, 1, &in->type);
        return true;
    case PX_OP_redux: bind(x, in, REDUX_ADD + which(in, reductions, 6), PX_T_B32, 1, &in->type); return true;
    case PX_OP_elect: bind(x, in, ELECT, PX_T_U32, 0, NULL); return true;
    case PX_OP_bar_warp: bind(x, in, MEET, PX_T_NONE, 0, NULL); return true;
    case PX_OP_activemask: bind(x, in, ACTIVE, PX_T_B32, 0, NULL); return true;
    default: return false;
    }
}
