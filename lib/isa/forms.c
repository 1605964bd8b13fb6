/* forms.c - the instruction table as data: what the checker, the decoder and the printer ask of a form. */
#include "isa/table.h"

unsigned px_forms_of(px_word opcode, uint16_t *first)
{
    unsigned n = 0;
    *first = opcode <= px_isa_nwords ? px_isa_form_first[opcode] : 0;
    while (*first && *first + n <= px_isa_nforms && px_isa_forms[*first + n].opcode == opcode) n++;
    return n;
}

const struct px_form *px_form_at(uint16_t number)
{
    return number && number <= px_isa_nforms ? &px_isa_forms[number] : NULL;
}

uint16_t px_form_number(const struct px_form *form)
{
    return (uint16_t)(form - px_isa_forms);
}

const char *px_form_syntax(const struct px_form *form)
{
    return px_isa_names + form->syntax;
}

const char *px_form_section(const struct px_form *form)
{
    return px_isa_names + form->section;
}

unsigned px_form_opds(const struct px_form *form, unsigned *min)
{
    if (min) *min = form->min_opds;
    return form->nopds;
}

const struct px_opd *px_form_opd(const struct px_form *form, unsigned i)
{
    return &px_isa_opds[form->first_opd + i];
}

const struct px_opd *px_form_part(const struct px_form *form, unsigned i)
{
    return &px_isa_parts[form->first_part + i];
}

unsigned px_form_slots(const struct px_form *form)
{
    return form->nslots;
}

unsigned px_form_fixed(const struct px_form *form)
{
    return form->nfixed;
}

bool px_form_slot(const struct px_form *form, unsigned i, px_word *name, bool *optional)
{
    if (i >= form->nslots) return false;
    *name = px_isa_slots[form->first_slot + i].name;
    *optional = px_isa_slots[form->first_slot + i].optional;
    return true;
}

px_word px_form_word(const struct px_form *form, unsigned slot, unsigned i)
{
    const struct px_isa_slot *s = &px_isa_slots[form->first_slot + slot];
    return i < s->n ? px_isa_values[s->first + i].word : 0;
}

bool px_form_accepts(const struct px_form *form, unsigned slot, px_word word)
{
    const struct px_isa_slot *s = &px_isa_slots[form->first_slot + slot];
    for (uint16_t i = 0; i < s->n; i++)
        if (px_isa_values[s->first + i].word == word) return true;
    return false;
}

bool px_forms_accept(uint16_t first, unsigned n, px_word word)
{
    for (unsigned f = 0; f < n; f++) {
        const struct px_form *form = px_form_at((uint16_t)(first + f));
        for (unsigned i = 0; i < px_form_slots(form); i++)
            if (px_form_accepts(form, i, word)) return true;
    }
    return false;
}

bool px_form_executable(const struct px_form *form)
{
    return form->flags & PX_FORM_EXECUTABLE;
}

bool px_form_compares(const struct px_form *form)
{
    return form->flags & PX_FORM_COMPARE;
}

bool px_form_widens(const struct px_form *form)
{
    return form->flags & PX_FORM_WIDE;
}

bool px_form_is_video(const struct px_form *form)
{
    return form->flags & PX_FORM_VIDEO;
}

const struct px_copy_rule *px_form_copy(const struct px_form *form)
{
    return form->copy ? &px_isa_copies[form->copy] : NULL;
}

bool px_word_is_modifier(px_word word)
{
    return word <= px_isa_nwords && px_isa_word_flags[word] & PX_WORD_MODIFIER;
}

bool px_word_is_opcode(px_word word)
{
    return word <= px_isa_nwords && px_isa_word_flags[word] & PX_WORD_OPCODE;
}

bool px_word_says_instruction(px_word opcode)
{
    return opcode <= px_isa_nwords && px_isa_word_flags[opcode] & PX_WORD_INSTRUCTION;
}
