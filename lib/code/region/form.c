/* form.c - see form.h. */
#include "code/region/form.h"

static const struct px_machine_form forms[] = {
#include "gen/x86_forms.inc"
};
enum { FORMS = sizeof forms / sizeof *forms };

const struct px_machine_form *px_machine_form(unsigned handler)
{
    unsigned low = 0, high = FORMS;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (forms[middle].handler < handler)
            low = middle + 1;
        else
            high = middle;
    }
    return low < FORMS && forms[low].handler == handler ? &forms[low] : NULL;
}

const struct px_machine_form *px_machine_forms(unsigned *n)
{
    *n = FORMS;
    return forms;
}
