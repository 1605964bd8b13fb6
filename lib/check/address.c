/*
 * address.c - 32-bit addresses where addresses have 64 bits.
 *
 * .shared, .local, .const and .param addresses may be held in 32-bit registers;
 * .global and generic ones may not, but in profile "all". ptxas 13.0 looks at some
 * instructions only (quirks of the table), and says so only when the module is
 * otherwise right.
 */
#include <string.h>
#include "check/checker.h"
#include "match/match.h"

/* The first state space among the modifiers. */
static enum px_space space_of(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++) {
        enum px_space space =
            inst->mods[i].name->word ? px_space_of_word(inst->mods[i].name->word) : PX_SPACE_NONE;
        if (space != PX_SPACE_NONE) return space;
    }
    return PX_SPACE_NONE;
}

bool px_inst_has(const struct px_inst *inst, px_word word)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (inst->mods[i].name->word == word) return true;
    return false;
}

static bool is_narrow_register(const struct px_operand *operand)
{
    const struct px_symbol *symbol = operand->kind == PX_O_NAME ? operand->symbol : NULL;
    return symbol && symbol->kind == PX_SYM_REG && px_type_info((enum px_type)symbol->type)->bits == 32;
}

/* Is there an address whose base is a 32-bit register? */
static bool has_narrow_base(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++) {
        const struct px_operand *operand = &inst->opds[i];
        if (operand->kind == PX_O_ADDR && operand->n && is_narrow_register(&operand->u.list[0])) return true;
    }
    return false;
}

static bool moves_global_address(const struct px_inst *inst)
{
    if (inst->nopds != 2 || !is_narrow_register(&inst->opds[0]) || inst->opds[1].kind != PX_O_NAME)
        return false;
    const struct px_operand *source = &inst->opds[1];
    return source->symbol && source->symbol->kind == PX_SYM_VAR && source->symbol->space == PX_SPACE_GLOBAL &&
           !source->has_offset && px_type_info((enum px_type)source->symbol->type)->klass != PX_TC_OPAQUE;
}

static bool is_narrow(const struct px_inst *inst)
{
    if (has_narrow_base(inst) && px_inst_quirk(inst, PX_Q_narrow_asked)) {
        enum px_space space = space_of(inst);
        return space == PX_SPACE_NONE || space == PX_SPACE_GLOBAL;
    }
    if (moves_global_address(inst)) return px_inst_quirk(inst, PX_Q_narrow_moved);
    return inst->nopds && is_narrow_register(&inst->opds[0]) && px_inst_quirk(inst, PX_Q_narrow_result);
}

static void complain(struct px_checker *checker)
{
    const struct ptx_module *module = checker->module;
    const char *arch = module->arch ? module->arch : module->target_text;
    int index = px_target_find(arch, strlen(arch));
    if (index >= 0 && px_target_at((size_t)index).sm >= 90)
        px_complain_late(checker, ADDRESS_32);
    else
        px_complain_late(checker, COMPILATION_32);
}

/* Profile "all" has 32-bit addresses: of modules that say so, and of those that do not say 64. */
static bool may_be_narrow(const struct ptx_module *module)
{
    return module->profile == PTX_PROFILE_ALL && module->tree.address_size != 64;
}

static void note_narrow(struct px_checker *checker)
{
    checker->module->unrunnable = "uses 32-bit addresses";
    px_complain_late(checker, UNVERIFIED_32);
}

void px_check_address_width(struct px_checker *checker, const struct px_inst *inst)
{
    if (checker->narrow_address || !is_narrow(inst)) return;
    checker->narrow_address = true;
    if (may_be_narrow(checker->module)) {
        note_narrow(checker);
        return;
    }
    if (checker->module->tree.address_size == 64) {
        struct px_diag *diag = px_diag_add(&checker->late, PX_D_ADDRESS_WIDTH, PX_NO_PLACE, 0, 32u,
                                           px_source_place(&checker->module->source, inst->pos).line);
        px_note_narrow(checker, diag, inst);
    } else {
        px_complain_late(checker, HOST_WIDTH);
    }
    complain(checker);
}

void px_check_address_size(struct px_checker *checker)
{
    if (checker->module->tree.address_size != 32 || checker->narrow_address) return;
    if (may_be_narrow(checker->module))
        note_narrow(checker);
    else {
        px_complain_late(checker, HOST_WIDTH);
        complain(checker);
    }
}
