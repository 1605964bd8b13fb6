/* lower/sreg.c - special registers: one row each says where its value comes from. */
#include "code/lower/lower.h"
#include "gen/isa_sregs.h"
#include "ops/sreg.h"

enum source { FIXED, UNIFORM, LANE };
enum { ENVREG0 = 0x38432c8 };

/* of: the constant, the offset in struct px_uniform, or what px_sreg_read reads. Four components lie side by
 * side. */
struct row {
    uint8_t from, bytes;
    uint32_t of;
};

#define FIELD(name) offsetof(struct px_uniform, name)
static const struct row rows[PX_SR_COUNT] = {
    [PX_SR_ntid] = {UNIFORM, 4, FIELD(ntid)},
    [PX_SR_ctaid] = {UNIFORM, 4, FIELD(ctaid)},
    [PX_SR_nctaid] = {UNIFORM, 4, FIELD(nctaid)},
    [PX_SR_gridid] = {UNIFORM, 8, FIELD(gridid)},
    [PX_SR_nwarpid] = {UNIFORM, 4, FIELD(nwarpid)},
    [PX_SR_smid] = {UNIFORM, 4, FIELD(smid)},
    [PX_SR_nsmid] = {UNIFORM, 4, FIELD(nsmid)},
    [PX_SR_dynamic_smem_size] = {UNIFORM, 4, FIELD(dynamic_smem)},
    [PX_SR_aggr_smem_size] = {UNIFORM, 4, FIELD(aggr_smem)},
    [PX_SR_total_smem_size] = {UNIFORM, 4, FIELD(total_smem)},
    /* as an H100 has them, whatever they mean; 10 is as %reserved_smem_offset_end */
    [PX_SR_envreg0] = {FIXED, 4, ENVREG0},
    [PX_SR_envreg6] = {FIXED, 4, 1},
    [PX_SR_envreg10] = {FIXED, 4, PX_SMEM_RESERVED_USED},
    [PX_SR_envreg1] = {UNIFORM, 4, FIELD(workspace[0])},
    [PX_SR_envreg2] = {UNIFORM, 4, FIELD(workspace[1])},
    [PX_SR_tid] = {LANE, 4, PX_LV_TID_X},
    [PX_SR_laneid] = {LANE, 4, PX_LV_LANEID},
    [PX_SR_warpid] = {LANE, 4, PX_LV_WARPID},
    [PX_SR_lanemask_eq] = {LANE, 4, PX_LV_MASK_EQ},
    [PX_SR_lanemask_le] = {LANE, 4, PX_LV_MASK_LE},
    [PX_SR_lanemask_lt] = {LANE, 4, PX_LV_MASK_LT},
    [PX_SR_lanemask_ge] = {LANE, 4, PX_LV_MASK_GE},
    [PX_SR_lanemask_gt] = {LANE, 4, PX_LV_MASK_GT},
    [PX_SR_clock] = {LANE, 4, PX_LV_CLOCK},
    [PX_SR_clock_hi] = {LANE, 4, PX_LV_CLOCK_HI},
    [PX_SR_clock64] = {LANE, 8, PX_LV_CLOCK64},
    [PX_SR_globaltimer] = {LANE, 8, PX_LV_TIMER},
    [PX_SR_globaltimer_lo] = {LANE, 4, PX_LV_TIMER_LO},
    [PX_SR_globaltimer_hi] = {LANE, 4, PX_LV_TIMER_HI},
    /* no graphs; what the system of a chip takes of shared memory */
    [PX_SR_nclusterid] = {UNIFORM, 4, FIELD(nctaid)}, /* each block is a cluster of its own */
    [PX_SR_cluster_nctaid] = {FIXED, 4, 1},
    [PX_SR_cluster_nctarank] = {FIXED, 4, 1},
    [PX_SR_clusterid] = {UNIFORM, 4, FIELD(ctaid)},
    [PX_SR_cluster_ctaid] = {FIXED, 4, 0},
    [PX_SR_cluster_ctarank] = {FIXED, 4, 0},
    [PX_SR_is_explicit_cluster] = {UNIFORM, 4, FIELD(explicit_cluster)},
    [PX_SR_current_graph_exec] = {FIXED, 8, 0},
    [PX_SR_reserved_smem_offset_begin] = {FIXED, 4, 0},
    [PX_SR_reserved_smem_offset_end] = {FIXED, 4, PX_SMEM_RESERVED_USED},
    [PX_SR_reserved_smem_offset_cap] = {FIXED, 4, PX_SMEM_RESERVED},
    [PX_SR_reserved_smem_offset_0] = {FIXED, 4, 0},
    [PX_SR_reserved_smem_offset_1] = {FIXED, 4, 0},
};

/* Where clusters have several blocks. */
static const struct row clustered[PX_SR_COUNT] = {
    [PX_SR_nclusterid] = {UNIFORM, 4, FIELD(nclusterid)},
    [PX_SR_cluster_nctaid] = {UNIFORM, 4, FIELD(cluster_nctaid)},
    [PX_SR_cluster_nctarank] = {UNIFORM, 4, FIELD(cluster_size)},
    [PX_SR_clusterid] = {UNIFORM, 4, FIELD(clusterid)},
    [PX_SR_cluster_ctaid] = {UNIFORM, 4, FIELD(cluster_ctaid)},
    [PX_SR_cluster_ctarank] = {UNIFORM, 4, FIELD(cluster_rank)},
};

const struct px_sreg *px_lower_sreg(const struct px_operand *o, uint32_t *component)
{
    if (o->kind != PX_O_NAME || o->symbol) return NULL;
    *component = o->selector ? px_selector_component(o->selector) : 0;
    return px_sreg_of_word(o->u.name->word);
}

/* Performance counters and the other environment registers are zero; NULL: the VM has no such register. */
static const struct row *row_of(const struct px_irfn *f, const struct px_sreg *sreg)
{
    static const struct row zero = {FIXED, 8, 0};
    if (f->coder->wishes.clustered && clustered[sreg->op].bytes) return &clustered[sreg->op];
    if (sreg->op >= PX_SR_pm0 && sreg->op <= PX_SR_pm7_64) return &zero;
    if (rows[sreg->op].bytes) return &rows[sreg->op];
    if (sreg->op >= PX_SR_envreg0 && sreg->op <= PX_SR_envreg31) return &zero;
    return NULL;
}

struct px_ir_operand px_lower_sreg_src(struct px_irfn *f, const struct px_bound *b,
                                       const struct px_operand *o, uint32_t elem)
{
    uint32_t component;
    const struct px_sreg *sreg = px_lower_sreg(o, &component);
    const struct row *row = sreg ? row_of(f, sreg) : NULL;
    struct px_ir_operand s = {.kind = PX_IR_UNIFORM, .elem = (uint8_t)elem, .type = PX_T_U32};
    if (!row) px_code_fail(f, b->inst, "reads %%%s, which this VM has not", px_word_text(o->u.name->word));
    const bool no_fourth = component == 3 && (sreg->op == PX_SR_tid || row->from == FIXED);
    if (sreg->op == PX_SR_envreg1 || sreg->op == PX_SR_envreg2) f->coder->cooperates = true;
    if (row->from == FIXED || no_fourth) {
        s.kind = PX_IR_IMM;
        s.value = no_fourth ? 0 : sreg->type == PX_T_PRED ? 0u - row->of : row->of;
        return s;
    }
    if (row->from == UNIFORM) {
        s.at = row->of + component * 4;
        s.elem = row->bytes;
        return px_lower_resize(f, s, elem, false);
    }
    struct px_ir_operand d = px_lower_temp(f, elem, PX_T_U32);
    px_lower_inst(f, PX_IR_SREG, &d, 1, 1)->fact = (uint16_t)(row->of + component);
    return d;
}
