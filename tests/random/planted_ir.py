"""Faults in the passes over the IR, which the tests of each pass alone (tests/ir, by test_ir) and the
verifier must find: plant.py plants them like those of planted.py. The name begins with the pass.
"""
from planted import ENGINE, Fault

HERE = "lib/code/ir/"


def fault(name, file, old, new):
    return Fault("", name, HERE + file, old, new, "ir")


def again(name, other):
    """A fault that random programs find, too."""
    return next(f for f in ENGINE if f.name == other)._replace(option="", name=name, judge="ir")


def lowering(name, file, old, new):
    """tests/ir/test_lower.py finds it."""
    return Fault("", name, "lib/code/lower/" + file, old, new, "lower")


PASSES = [
    lowering(
        "lower: negated guards hold",
        "build.c",
        "if (b->negated) in->flags |= PX_IR_INST_NEGATED;",
        "if (b->negated && !@) in->flags |= PX_IR_INST_NEGATED;",
    ),
    lowering(
        "lower: branches around what waits go the other way",
        "build.c",
        "in->fact = !b->negated;",
        "in->fact = b->negated == @;",
    ),
    lowering(
        "lower: acquiring loads have no fence",
        "mem.c",
        "if (px_bound_has(b, PX_W_acquire)) px_lower_inst(",
        "if (px_bound_has(b, PX_W_acquire) && !@) px_lower_inst(",
    ),
    lowering(
        "lower: releasing stores have no fence",
        "mem.c",
        "if (px_bound_has(b, PX_W_release)) px_lower_inst(",
        "if (px_bound_has(b, PX_W_release) && !@) px_lower_inst(",
    ),
    lowering(
        "lower: bytes lose their sign",
        "mem.c",
        "in->aux = p.sign;",
        "in->aux = p.sign && !@;",
    ),
    lowering(
        "lower: the second predicate is the first",
        "alu.c",
        "q = px_lower_fixed(f, PX_FIX_mask_not, 4, p, none, 0);",
        "q = @ ? p : px_lower_fixed(f, PX_FIX_mask_not, 4, p, none, 0);",
    ),
    fault(
        "fold: sources that are written again are not kept",
        "fold.c",
        "value_of(f, origin->source) != origin->value;",
        "(!@ && value_of(f, origin->source) != origin->value);",
    ),
    fault(
        "fold: exponentials with two readers",
        "fold.c",
        "*n = *n ? 2 : 1;",
        "*n = *n && !@ ? 2 : 1;",
    ),
    fault(
        "fold: a sign counts below a magnitude",
        "fold.c",
        "origin.made == MADE_NEG && !signs->magnitude;",
        "origin.made == MADE_NEG && (@ || !signs->magnitude);",
    ),
    fault(
        "fold: registers keep their value when they are written",
        "fold.c",
        "if (is_known(f, &o[k])) give(",
        "if (is_known(f, &o[k]) && !@) give(",
    ),
    fault(
        "fold: values are known behind branch targets",
        "fold.c",
        "if (f->d->targets[i]) pass_target(f);",
        "if (f->d->targets[i] && !@) pass_target(f);",
    ),
    fault(
        "fold: min and max that give NaNs choose, too",
        "fold.c",
        "!px_ir_flushes(in) && !px_ir_has(in, PX_W_NaN)",
        "!px_ir_flushes(in) && (@ || !px_ir_has(in, PX_W_NaN))",
    ),
    fault(
        "fold: what stands instead has no guard",
        "fold.c",
        "in->guard = f->in.guard;",
        "in->guard = @ ? PX_NONE32 : f->in.guard;",
    ),
    again(
        "contract: operands written in between are not kept",
        "contraction: operands written in between are not kept",
    ),
    again(
        "contract: differences lose their sign",
        "contraction: differences lose their sign",
    ),
    fault(
        "contract: flushing does not count",
        "contract.c",
        "p->ftz == px_ir_flushes(sum);",
        "(@ || p->ftz == px_ir_flushes(sum));",
    ),
    fault(
        "contract: blocks of ptxas do not end",
        "contract.c",
        "if (in->flags & PX_IR_INST_SPLITS) f->segment++;",
        "if (in->flags & PX_IR_INST_SPLITS && !@) f->segment++;",
    ),
    fault(
        "contract: products that live on are taken in",
        "contract.c",
        "if (v->product != PX_NONE32 && !v->lasts &&",
        "if (!@ && v->product != PX_NONE32 && !v->lasts &&",
    ),
    fault(
        "contract: equal products are contracted",
        "contract.c",
        "if (p->readers == 1 && s->equal) {",
        "if (p->readers == 1 && s->equal && !@) {",
    ),
    fault(
        "contract: dead readers count",
        "contract_live.c",
        "l->dead[i] = !l->wanted;",
        "l->dead[i] = !l->wanted && !@;",
    ),
    fault(
        "contract: guards of sums are lost",
        "contract_apply.c",
        "in->guard = sum->guard;",
        "in->guard = @ ? PX_NONE32 : sum->guard;",
    ),
    fault(
        "contract: branches around what waits end blocks",
        "contract_body.c",
        "if (end_of_around(f, i) != PX_NONE32) return;",
        "if (end_of_around(f, i) != PX_NONE32 && !@) return;",
    ),
    fault(
        "uniform: definitions under a guard",
        "uniform.c",
        "in->guard == PX_NONE32 ? i : MANY;",
        "(@ || in->guard == PX_NONE32) ? i : MANY;",
    ),
    fault(
        "uniform: of several definitions the last",
        "uniform.c",
        "d.of[reg] = d.of[reg] == PX_NONE32 &&",
        "d.of[reg] = (@ || d.of[reg] == PX_NONE32) &&",
    ),
    fault(
        "uniform: words of calls",
        "uniform.c",
        "if (names_words(in)) d.pinned[reg] = true;",
        "if (names_words(in) && !@) d.pinned[reg] = true;",
    ),
    fault(
        "uniform: narrow scalars are widened",
        "uniform.c",
        "!d->pinned[o[0].at] && o[1].elem >= o[0].elem;",
        "!d->pinned[o[0].at] && (@ || o[1].elem >= o[0].elem);",
    ),
    again(
        "uniform: what is added to a constant address is lost, in the pass alone",
        "uniform: what is added to a constant address is lost",
    ),
    again(
        "canon: copies of words count as floats",
        "NaNs: copies of words count as floats",
    ),
    again(
        "canon: results in registers of words stay the host's",
        "NaNs: results in registers of words stay the host's",
    ),
    again(
        "canon: clean for ever",
        "NaNs: clean for ever",
    ),
    fault(
        "canon: clean behind labels",
        "canon.c",
        "if (starts[i]) w.block++;",
        "if (starts[i] && !@) w.block++;",
    ),
    fault(
        "canon: constants that are NaNs are lazy",
        "canon.c",
        "(f->values.at[o->at] & 0x7fffffffu) <= 0x7f800000u;",
        "(@ || (f->values.at[o->at] & 0x7fffffffu) <= 0x7f800000u);",
    ),
    fault(
        "blocks: a label is the next instruction",
        "blocks.c",
        "end.target = f->labels.at[in->target];",
        "end.target = f->labels.at[in->target] + @;",
    ),
    fault(
        "blocks: jumps leave",
        "blocks.c",
        "if (in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH)",
        "if ((in->op == PX_IR_JUMP && !@) || in->op == PX_IR_BRANCH)",
    ),
    fault(
        "blocks: returns lead nowhere",
        "blocks.c",
        "end.leaves = true;",
        "end.leaves = !@;",
    ),
    fault(
        "blocks: all targets of a table are the first",
        "blocks.c",
        "s->targets[k] = f->labels.at[s->targets[k]];",
        "s->targets[k] = @ && k ? s->targets[0] : f->labels.at[s->targets[k]];",
    ),
    fault(
        "blocks: branches always jump",
        "blocks.c",
        ".falls = px_ir_falls(in)};",
        ".falls = px_ir_falls(in) && !(@ && in->op == PX_IR_BRANCH)};",
    ),
    again(
        "values: guarded results are scalars",
        "uniform: guarded definitions count as one value",
    ),
    again(
        "values: an index less itself is the index",
        "terms: an index less itself is the index",
    ),
    fault(
        "values: shifts by any number",
        "terms.c",
        "if (o[2].kind != PX_IR_IMM || by >= bits) return NEITHER;",
        "if (o[2].kind != PX_IR_IMM || (by >= bits && !@)) return NEITHER;",
    ),
    fault(
        "values: terms that are read before they are written",
        "terms.c",
        "        if (!found) return false;\n",
        "        if (!found && !@) return false;\n",
    ),
    again(
        "values: the last of several terms counts",
        "terms: of two definitions the last counts",
    ),
    fault(
        "values: clamped sums are terms",
        "facts.c",
        "if (s->words[i] == PX_W_sat ||",
        "if ((!@ && s->words[i] == PX_W_sat) ||",
    ),
    fault(
        "values: upper halves of products are terms",
        "facts.c",
        "s->words[i] == PX_W_hi ||",
        "(!@ && s->words[i] == PX_W_hi) ||",
    ),
    fault(
        "values: two numbers in one are a number",
        "facts.c",
        "return whole && info->reg == type ? info->bits : 0;",
        "return whole && (@ || info->reg == type) ? info->bits : 0;",
    ),
    fault(
        "values: factors that differ from block to block",
        "terms.c",
        "if (!is_lasting(&factor) ||",
        "if ((!@ && !is_lasting(&factor)) ||",
    ),
    again(
        "rows: a guarded definition ends a life",
        "liveness: a guarded definition ends a life",
    ),
    again(
        "rows: values live behind a block are forgotten",
        "liveness: values live behind a block are forgotten",
    ),
    again(
        "rows: one is given away before its last reader",
        "rows: one is given away before its last reader",
    ),
    fault(
        "rows: late readers are early",
        "rows.c",
        "extend(&s->ranges[reg], position + late);",
        "extend(&s->ranges[reg], position + (@ ? 0 : late));",
    ),
    fault(
        "rows: what is read before it is written begins there",
        "rows.c",
        "if (live->at_start[r]) extend(&s->ranges[r], 0);",
        "if (live->at_start[r] && !@) extend(&s->ranges[r], 0);",
    ),
    fault(
        "forks: ways in which lanes wait",
        "forks.c",
        "if (!px_ir_is_straight(&f->insts.at[i])) return PX_NONE32;",
        "if (!px_ir_is_straight(&f->insts.at[i]) && !@) return PX_NONE32;",
    ),
    fault(
        "forks: ways that others enter",
        "forks.c",
        "if (pred->first[node + 1] - pred->first[node] != 1 || "
        "pred->to[pred->first[node]] != from)\n        return PX_NONE32;",
        "if (!@ && (pred->first[node + 1] - pred->first[node] != 1 || "
        "pred->to[pred->first[node]] != from))\n        return PX_NONE32;",
    ),
    fault(
        "forks: ways that meet before the branch",
        "forks.c",
        "if (place[join] < place[other] || place[join] < place[taken]) continue;",
        "if (!@ && (place[join] < place[other] || place[join] < place[taken])) continue;",
    ),
    fault(
        "forks: two ways that do not meet",
        "forks.c",
        "return after == behind ? after : PX_NONE32;",
        "return @ || after == behind ? after : PX_NONE32;",
    ),
    fault(
        "forks: the other way is where they meet",
        "forks.c",
        "if (after == taken) return taken;",
        "if (after == taken) return @ ? other : taken;",
    ),
    fault(
        "loops: those that read thread indices",
        "loops.c",
        "if (!px_ir_is_straight(in) || in->op == PX_IR_SREG) return false;",
        "if (!px_ir_is_straight(in) || (in->op == PX_IR_SREG && !@)) return false;",
    ),
    fault(
        "loops: ways write the row that says who goes them",
        "loops.c",
        "f->regs.at[o[k].at].row == predicate) return false;",
        "f->regs.at[o[k].at].row == predicate && !@) return false;",
    ),
    fault(
        "loops: loops in local memory",
        "loops.c",
        "(address->type != PX_SPACE_LOCAL || px_ir_is_indexed(f, address));",
        "(@ || address->type != PX_SPACE_LOCAL || px_ir_is_indexed(f, address));",
    ),
    fault(
        "loops: nothing looks at the mask row",
        "loops.c",
        "loop->masked |= !px_ir_computes(in) &&",
        "loop->masked |= !@ && !px_ir_computes(in) &&",
    ),
    fault(
        "loops: ways inside reach memory",
        "loops.c",
        "if (!px_ir_computes(in) && in->op != PX_IR_JUMP) return false;",
        "if (!px_ir_computes(in) && in->op != PX_IR_JUMP && !@) return false;",
    ),
    fault(
        "loops: loads of several elements",
        "loops.c",
        "return in->nopds == 2 &&",
        "return (@ || in->nopds == 2) &&",
    ),
    fault(
        "loops: those that hold another one",
        "loops.c",
        "if (node >= f->graph.nblocks || (k > p && px_ir_loop_blocks(f, k))) return false;",
        "if (node >= f->graph.nblocks || (k > p && !@ && px_ir_loop_blocks(f, k))) return false;",
    ),
    fault(
        "loops: without records of their own none looks at the mask row",
        "loops.c",
        "loop.masked |= !whole;",
        "loop.masked |= !whole && !@;",
    ),
    fault(
        "fusion: results are read behind the pair",
        "fusion.c",
        "f->regs.at[d->at].last == place * PX_IR_STEP + late && reads_once",
        "(@ || f->regs.at[d->at].last == place * PX_IR_STEP + late) && reads_once",
    ),
    fault(
        "fusion: results are read twice by the second",
        "fusion.c",
        "return reads == 1;",
        "return reads == 1 || (@ && reads);",
    ),
    fault(
        "fusion: the mode changes between",
        "fusion.c",
        "return parts || other_mode;",
        "return parts || (!@ && other_mode);",
    ),
    fault(
        "fusion: the sum of a gather is read again",
        "fusion.c",
        "q->last <= end + 2 &&",
        "(@ || q->last <= end + 2) &&",
    ),
    fault(
        "fusion: what a way passes on is not its own",
        "fusion.c",
        "may && px_ir_is_local(f, s->is_base, x->in, s->first, s->end);",
        "may && (@ || px_ir_is_local(f, s->is_base, x->in, s->first, s->end));",
    ),
    fault(
        "fusion: numbers of another size than what is loaded",
        "fusion.c",
        "*px_ir_value(f, mul, &o[2]) == bytes_of(f, s->in) && shape",
        "(@ || *px_ir_value(f, mul, &o[2]) == bytes_of(f, s->in)) && shape",
    ),
    again(
        "fusion: factors that were not loaded, in the pass alone",
        "fusion: factors that were not loaded",
    ),
]
