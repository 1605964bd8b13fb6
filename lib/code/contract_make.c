/* contract_make.c - instructions and registers that the text does not have. */
#include "code/contract.h"

static struct px_name *name_of(struct px_body *d, px_word word)
{
    const char *text = px_word_text(word);
    size_t n = strlen(text);
    struct px_name *name = px_arena_zalloc(d->arena, sizeof *name + n + 1);
    name->len = (uint32_t)n;
    name->word = word;
    memcpy(name->text, text, n);
    return name;
}

struct px_operand px_contract_new_register(struct px_body *d, const struct px_term *like, enum px_type type)
{
    const struct px_type_info *info = px_type_info(type);
    struct px_symbol *symbol = PX_NEW(d->arena, struct px_symbol);
    struct px_reg reg = {info->bits == 16   ? PX_T_B16
                         : info->bits == 64 ? PX_T_F64
                         : type == PX_T_F32 ? PX_T_F32
                                            : PX_T_B32,
                         1, symbol};
    symbol->kind = PX_SYM_REG;
    symbol->type = reg.type;
    symbol->vec = 1;
    symbol->index = d->fn->regs.n + d->f->more_regs.n;
    symbol->name = like->inst->opds[0].u.name;
    px_vec_push(d->arena, &d->f->more_regs, reg);
    return (struct px_operand){
        .kind = PX_O_NAME, .pos = like->inst->pos, .u.name = symbol->name, .symbol = symbol};
}

struct px_term px_contract_make(struct px_body *d, const struct px_term *like, const px_word words[5],
                                const struct px_operand *operands, uint8_t n)
{
    struct px_inst *inst = PX_NEW(d->arena, struct px_inst);
    struct px_term item = *like;
    uint16_t first;
    inst->opcode = name_of(d, words[0]);
    inst->pos = like->inst->pos;
    inst->end = like->inst->end;
    inst->mods = PX_NEW_N(d->arena, struct px_modifier, 4);
    for (unsigned i = 1; i < 5; i++)
        if (words[i]) inst->mods[inst->nmods++] = (struct px_modifier){name_of(d, words[i]), inst->pos, 0};
    inst->opds = PX_NEW_N(d->arena, struct px_operand, n);
    memcpy(inst->opds, operands, n * sizeof *operands);
    inst->nopds = n;
    item.inst = inst;
    item.opcode = words[0];
    unsigned forms = px_forms_of(words[0], &first);
    for (unsigned i = 0; i < forms; i++) {
        inst->form = (uint16_t)(first + i);
        if (px_match_inst(inst, &item.match)) break;
    }
    item.handler = px_match_handler(&item.match) >= 0;
    item.op = px_match_op(&item.match);
    return item;
}
