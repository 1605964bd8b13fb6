/* recorded_matrix.c - the products and moves of tests/hw/matrix. */
#pragma GCC diagnostic ignored "-Wunused-function" /* of the recorder only the list is wanted */
#include <stdlib.h>
#include "hw/matrix/forms.h"
#include "hw/matrix/moves.h"
#include "fidelity.h"

int recorded_matrix(const char *hw, take_text *take)
{
    static Forms forms;
    static Moves moves;
    static char text[65536 + sizeof ptx_head];
    (void)hw;
    forms_all(&forms), moves_all(&moves);
    strcpy(text, ptx_head);
    for (unsigned i = 0; i < forms.n; i++) {
        form_emit(&forms.f[i], "k", text + sizeof ptx_head - 1);
        take(text);
    }
    for (unsigned i = 0; i < moves.n; i++) {
        strcpy(text + sizeof ptx_head - 1, moves.m[i].body);
        take(text);
    }
    return 1;
}
