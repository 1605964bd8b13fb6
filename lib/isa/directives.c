/* directives.c - directives, pragmas, languages and dated constructs: lookups in the generated tables. */
#include "isa/table.h"
#include <string.h>

const struct px_construct *px_directive_of_word(px_word word)
{
    unsigned number = word <= px_isa_nwords ? px_isa_word_directive[word] : 0;
    return number ? &px_isa_directives[number - 1] : NULL;
}

unsigned px_directive_number(const struct px_construct *directive)
{
    return (unsigned)(directive - px_isa_directives);
}

const struct px_construct *px_pragma_find(const char *s, size_t n, ptx_profile profile)
{
    for (uint16_t i = 0; i < px_isa_npragmas; i++) {
        const struct px_construct *pragma = &px_isa_pragmas[i];
        const bool known = pragma->min_ptx <= PTX_ISA_VERSION || profile == PTX_PROFILE_ALL;
        if (known && strlen(pragma->text) == n && !memcmp(pragma->text, s, n)) return pragma;
    }
    return NULL;
}

const struct px_construct *px_need_at(unsigned need)
{
    return &px_isa_constructs[need < px_isa_nconstructs ? need : px_isa_nconstructs];
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_letters(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return lower(*a) == lower(*b);
}

int px_language_find(const char *s)
{
    for (uint16_t i = 0; i < px_isa_nlanguages; i++)
        if (same_letters(px_isa_languages[i].text, s)) return px_isa_languages[i].min_ptx;
    return -1;
}

unsigned px_language_last(void)
{
    unsigned last = 0;
    for (uint16_t i = 0; i < px_isa_nlanguages; i++)
        last = px_isa_languages[i].min_ptx > last ? px_isa_languages[i].min_ptx : last;
    return last;
}

bool px_intermediate_known(const char *s)
{
    for (uint16_t i = 0; i < px_isa_nintermediates; i++)
        if (!strcmp(px_isa_intermediates[i].text, s)) return true;
    return false;
}
