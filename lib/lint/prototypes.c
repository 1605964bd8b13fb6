/*
 * prototypes.c - functions of the device runtime that a module declares otherwise.
 *
 * An assembler knows nothing of these names, so a wrong declaration shows only when
 * the program is linked, or when a launch reads its arguments from wrong places.
 */
#include "lint/flow.h"
#include <string.h>

struct part {
    char letter;
    uint16_t bytes, align;
    const char *text;
};

static const struct part *part_of(char letter)
{
    static const struct part parts[] = {
        {'w', 4, 4, ".param .b32 _"},
        {'d', 8, 8, ".param .b64 _"},
        {'3', 12, 4, ".param .align 4 .b8 _[12]"},
        {'E', 24, 8, ".param .align 8 .b8 _[24]"},
        {'P', 32, 8, ".param .align 8 .b8 _[32]"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].letter == letter) return &parts[i];
    return NULL;
}

/* Does a parameter have the size and alignment that the letter asks for? */
static bool fits(const struct px_symbol *symbol, char letter)
{
    const struct part *part = part_of(letter);
    return part && symbol->size == part->bytes &&
           (part->bytes <= 8 ? symbol->u.var->ndims == 0 : symbol->align == part->align);
}

bool px_lint_agrees(const struct px_function *function, const char *prototype)
{
    const struct px_func *func = function->func;
    const unsigned results = *prototype != '-';
    if (func->nrets != results || func->nparams != strlen(prototype + 1)) return false;
    if (results && !fits(function->rets[0], *prototype)) return false;
    for (unsigned i = 0; i < func->nparams; i++)
        if (!fits(function->params[i], prototype[i + 1])) return false;
    return true;
}

/* The declaration that would be right. */
static const char *spell(struct px_arena *arena, const char *name, const char *prototype)
{
    const char *text = *prototype == '-' ? px_arena_printf(arena, ".extern .func %s (", name)
                                         : px_arena_printf(arena, ".extern .func (%s) %s (",
                                                           part_of(*prototype)->text, name);
    for (const char *p = prototype + 1; *p; p++)
        text = px_arena_printf(arena, "%s%s%s", text, p == prototype + 1 ? "" : ", ", part_of(*p)->text);
    return px_arena_printf(arena, "%s)", text);
}

static void check(struct ptx_module *module, const struct px_function *function, px_lint_find *find)
{
    const struct px_func *func = function->func;
    struct px_lint_runtime runtime;
    if (func->is_entry || func->body || !find(func->name->text, &runtime) ||
        px_lint_agrees(function, runtime.prototype))
        return;
    struct px_diag *diag =
        px_diag_add(&module->diags, PX_D_LINT_PROTOTYPE, func->pos, func->name->len, func->name->text);
    px_diag_note(&module->diags, diag, "it is %s",
                 spell(&module->arena, func->name->text, runtime.prototype));
}

void px_lint_prototypes(struct ptx_module *module, px_lint_find *find)
{
    for (uint32_t i = 0; i < module->functions.n; i++) check(module, module->functions.at[i], find);
}
