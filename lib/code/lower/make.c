/* lower/make.c - instructions and registers that the text does not have. */
#include "code/lower/lower.h"

static struct px_name *name_of(struct px_irfn *f, px_word word)
{
    struct px_arena *arena = f->coder->scratch;
    for (uint32_t i = 0; i < f->coder->words.n; i++)
        if (f->coder->words.at[i]->word == word) return f->coder->words.at[i];
    const char *text = px_word_text(word);
    const size_t n = strlen(text);
    struct px_name *name = px_arena_zalloc(arena, sizeof *name + n + 1);
    name->len = (uint32_t)n;
    name->word = word;
    memcpy(name->text, text, n);
    px_vec_push(arena, &f->coder->words, name);
    return name;
}

static unsigned count_modifiers(const px_word words[5])
{
    unsigned n = 0;
    for (unsigned i = 1; i < 5; i++) n += words[i] != 0;
    return n;
}

struct px_operand px_make_register(struct px_irfn *f, const struct px_inst *like, enum px_type type)
{
    struct px_arena *arena = f->coder->scratch;
    const struct px_type_info *info = px_type_info(type);
    struct px_symbol *symbol = PX_NEW(arena, struct px_symbol);
    struct px_reg reg = {info->bits == 16   ? PX_T_B16
                         : info->bits == 64 ? (info->klass == PX_TC_FLOAT ? PX_T_F64 : PX_T_B64)
                         : type == PX_T_F32 ? PX_T_F32
                                            : PX_T_B32,
                         1, symbol};
    symbol->kind = PX_SYM_REG;
    symbol->type = reg.type;
    symbol->vec = 1;
    symbol->index = f->fn->regs.n + f->more_regs.n;
    symbol->name = like->opds[0].u.name;
    px_vec_push(arena, &f->more_regs, reg);
    return (struct px_operand){.kind = PX_O_NAME, .pos = like->pos, .u.name = symbol->name, .symbol = symbol};
}

struct px_inst *px_copy_inst(struct px_arena *arena, const struct px_inst *inst)
{
    struct px_inst *copy = PX_NEW(arena, struct px_inst);
    *copy = *inst;
    copy->opds = PX_NEW_N(arena, struct px_operand, inst->nopds);
    memcpy(copy->opds, inst->opds, inst->nopds * sizeof *inst->opds);
    return copy;
}

struct px_inst *px_make_inst(struct px_irfn *f, const struct px_inst *like, const px_word words[5],
                             const struct px_operand *operands, uint8_t n)
{
    struct px_arena *arena = f->coder->scratch;
    struct px_inst *inst = PX_NEW(arena, struct px_inst);
    struct px_match match;
    uint16_t first;
    inst->opcode = name_of(f, words[0]);
    inst->pos = like->pos;
    inst->end = like->end;
    inst->mods = PX_NEW_N(arena, struct px_modifier, count_modifiers(words));
    for (unsigned i = 1; i < 5; i++)
        if (words[i]) inst->mods[inst->nmods++] = (struct px_modifier){name_of(f, words[i]), inst->pos, 0};
    inst->opds = PX_NEW_N(arena, struct px_operand, n);
    memcpy(inst->opds, operands, n * sizeof *operands);
    inst->nopds = n;
    unsigned forms = px_forms_of(words[0], &first);
    for (unsigned i = 0; i < forms; i++) {
        inst->form = (uint16_t)(first + i);
        if (px_match_inst(inst, &match)) break;
    }
    return inst;
}
