/*
 * selector.c - the dotted part of an operand: v.x, %tid.y, a.b3, d.h0.
 *
 * PTX ISA 5.4.2 (vectors) and 9.7.14 (video instructions). Which instruction
 * takes a selector at all is said by its form.
 */
#include <string.h>
#include "check/checker.h"

/* b or h, then digits. */
static bool is_video(const char *text)
{
    if (text[0] != 'b' && text[0] != 'h') return false;
    return text[1] && text[1 + strspn(text + 1, "01234567")] == 0;
}

/* The selector as written: what follows the last dot of the operand. */
static const char *written(struct px_checker *checker, const struct px_operand *operand)
{
    const char *text = checker->module->source.text + operand->pos, *dot = text + operand->length;
    const char *end = dot;
    while (dot > text && dot[-1] != '.') dot--;
    return px_arena_text(&checker->module->arena, dot, (size_t)(end - dot));
}

static void check_components(struct px_checker *checker, const struct px_operand *operand, unsigned n)
{
    const char *text = written(checker, operand);
    if (px_selector_component(operand->selector) < n) return;
    if (text[1] && strchr("xyzwrgba", text[0]))
        px_complain(checker, SWIZZLE, operand->pos, operand->length);
    else
        px_complain(checker, UNKNOWN_COMPONENT, operand->pos, operand->length, text);
}

void px_check_selector(struct px_checker *checker, const struct px_operand *operand)
{
    const struct px_symbol *symbol = operand->symbol;
    const struct px_sreg *sreg =
        symbol || !px_is_special_register(operand->u.name) ? NULL : px_sreg_of_word(operand->u.name->word);
    if (sreg && sreg->components > 1)
        check_components(checker, operand, sreg->components);
    else if (symbol && symbol->kind == PX_SYM_REG && symbol->vec > 1)
        check_components(checker, operand, symbol->vec);
    else if (!symbol || symbol->kind != PX_SYM_REG)
        px_complain(checker, UNKNOWN_FIELD, operand->pos, operand->length, written(checker, operand));
    else if (px_type_info((enum px_type)symbol->type)->bits == 64)
        px_complain(checker, UNKNOWN_FIELD, operand->pos, operand->length, written(checker, operand));
    else if (!is_video(px_word_text(operand->selector)))
        px_complain(checker, UNKNOWN_VIDEO, operand->pos, operand->length, written(checker, operand));
}
