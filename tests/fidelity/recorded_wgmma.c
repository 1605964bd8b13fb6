/* recorded_wgmma.c - the products of tests/hw/wgmma. */
#pragma GCC diagnostic ignored "-Wunused-function" /* of the recorder only the list is wanted */
#include "hw/wgmma/forms.h"
#include "fidelity.h"

int recorded_wgmma(const char *hw, take_text *take)
{
    static Wforms forms;
    static char text[1 << 17];
    (void)hw;
    wforms_all(&forms);
    for (unsigned i = 0; i < forms.n; i++) {
        wform_emit(&forms.f[i], "k", text + sprintf(text, "%s", wform_head));
        take(text);
    }
    return 1;
}
