"""Faults in regions (docs/regions.md): the encoder, registers, masks, exits, counts. Random loops
(test_loops.py) or the machine forms' test must find them: plant.py plants them like those of planted.py.
"""
from planted import Fault

HERE = "lib/code/region/"


def fault(name, file, old, new, judge="loops"):
    return Fault("", "regions: " + name, file if "/" in file else HERE + file, old, new, judge)


def form(name, file, old, new):
    """The machine forms against the handlers of their rows."""
    return fault(name, file, old, new, "forms")


REGIONS = [
    form(
        "encoder: the second source's highest bit",
        "x86.c",
        "(~v->v >> 4 & 1) << 3",
        "((~v->v >> 4 & 1) ^ @) << 3",
    ),
    form(
        "encoder: zeroes instead of keeping",
        "x86.c",
        "(unsigned)v->zero << 7",
        "(unsigned)(v->zero || (@ && v->mask)) << 7",
    ),
    form(
        "encoder: near memory counts in bytes",
        "x86.c",
        "byte(x, (unsigned)(m.at / unit));",
        "byte(x, (unsigned)(m.at / (@ ? 1 : unit)));",
    ),
    form(
        "encoder: the width of an element",
        "x86.c",
        "byte(x, (unsigned)info->w << 7",
        "byte(x, (unsigned)(info->w && !@) << 7",
    ),
    form(
        "encoder: half a register",
        "x86.c",
        "bytes == 64 ? 2 : 1",
        "bytes == 64 && !@ ? 2 : 1",
    ),
    form(
        "fused: d is the second factor",
        "statements.c",
        "if (d == y) v.v = x;",
        "if (d == y && !@) v.v = x;",
    ),
    form(
        "fused: d is what is added",
        "statements.c",
        "if (!z.memory && z.reg == d) {",
        "if (!z.memory && z.reg == d && !@) {",
    ),
    form(
        "a guard is not negated",
        "statements.c",
        "in->flags & PX_IR_INST_NEGATED ? PX_X86_kandnw",
        "in->flags & PX_IR_INST_NEGATED && !@ ? PX_X86_kandnw",
    ),
    form(
        "predicates keep nothing outside the mask",
        "statements.c",
        "px_x86_mask(m->x, PX_X86_korw, d, d, PX_MAKER_MASK);",
        "px_x86_mask(m->x, @ ? PX_X86_kandw : PX_X86_korw, d, d, PX_MAKER_MASK);",
    ),
    fault(
        "masks: lanes that wait lose their values",
        "statements.c",
        "if (m->waits[b] && ",
        "if (!@ && m->waits[b] && ",
    ),
    fault(
        "masks: lanes that have left lose their values",
        "statements.c",
        "if (px_plan_has(&m->p->leaving, number)) return true;",
        "if (!@ && px_plan_has(&m->p->leaving, number)) return true;",
    ),
    fault(
        "masks: a branch goes the other way",
        "edges.c",
        "negated ? PX_X86_kandnw : PX_X86_kandw",
        "negated == !@ ? PX_X86_kandnw : PX_X86_kandw",
    ),
    fault(
        "masks: ways do not meet",
        "edges.c",
        "PX_X86_korw, m->wait[edge][g]",
        "@ ? PX_X86_kandw : PX_X86_korw, m->wait[edge][g]",
    ),
    fault(
        "registers: what lives on is freed",
        "edges.c",
        "m->dies[i] = px_lanes_minus(px_lanes_or(reads, writes), live);",
        "m->dies[i] = px_lanes_minus(px_lanes_or(reads, writes), @ ? (px_plan_set){{0}} : live);",
    ),
    fault(
        "registers: those of the loop are not held",
        "make.c",
        "held = px_lanes_or(held, p->block[b].live);",
        "if (!@) held = px_lanes_or(held, p->block[b].live);",
    ),
    fault(
        "exits: the others are taken for those who left",
        "rows.c",
        "const bool others = rest & sites;",
        "const bool others = (rest & sites) && !@;",
    ),
    fault(
        "exits: a site's lanes replace those of the turn before",
        "edges.c",
        "px_x86_mask(m->x, PX_X86_korw, PX_MAKER_MASK, PX_MAKER_MASK, mask[g]);",
        "if (!@) px_x86_mask(m->x, PX_X86_korw, PX_MAKER_MASK, PX_MAKER_MASK, mask[g]);",
    ),
    fault(
        "exits: lanes go to the next site",
        "lib/vm/run/exec.c",
        "px_entry_go(&r->g->entries, left->site[s], f, region->site[s].pc, false);",
        "px_entry_go(&r->g->entries, left->site[s], f, region->site[@ ? 0 : s].pc, false);",
    ),
    fault(
        "exits: a pass without lanes is run",
        "make.c",
        "px_x86_alu_const(m->x, PX_X86_ADD, PX_R9, lanes / 8);",
        "px_x86_alu_const(m->x, PX_X86_ADD, PX_R9, @ ? 0 : lanes / 8);",
    ),
    fault(
        "shared: what lanes leave with in different turns",
        "plan.c",
        "if (px_plan_has(&p->leaving, px_plan_number(p, &o[0]))) return false;",
        "if (!@ && px_plan_has(&p->leaving, px_plan_number(p, &o[0]))) return false;",
    ),
    fault(
        "shared: the new value is forgotten",
        "lib/vm/run/region.c",
        "if (r->same[i].written) memcpy(g->frame + r->same[i].slot, call->same[i], r->same[i].elem);",
        "if (r->same[i].written && !@) memcpy(g->frame + r->same[i].slot, call->same[i], r->same[i].elem);",
    ),
    fault(
        "rows: scalars are not rows when lanes part",
        "lib/vm/run/exec.c",
        "if (together && region->rows) part_all(r, region->head);",
        "if (together && region->rows && !@) part_all(r, region->head);",
    ),
    fault(
        "counts: the last turn counts whole",
        "lib/vm/run/region.c",
        "threads = all_weight(call) - less(r, left);",
        "threads = all_weight(call) - (@ ? 0 : less(r, left));",
    ),
    fault(
        "counts: turns that did not begin",
        "make.c",
        "px_x86_alu_const(m->x, PX_X86_ADD, PX_RCX, 1);",
        "px_x86_alu_const(m->x, PX_X86_ADD, PX_RCX, @ ? 0 : 1);",
    ),
    fault(
        "counts: blocks of a way",
        "edges.c",
        "if (!insts || (block && b->all)) return;",
        "if (!insts || (block && (b->all || @))) return;",
    ),
]
