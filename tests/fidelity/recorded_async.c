/* recorded_async.c - the cases of tests/hw/async. */
#pragma GCC diagnostic ignored "-Wunused-function" /* of the recorder only the list is wanted */
#include "hw/async/kernel.h"
#include "fidelity.h"

int recorded_async(const char *hw, take_text *take)
{
    static Case c;
    char path[1024], held[600] = "";
    snprintf(path, sizeof path, "%s/async/cases.txt", hw);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    while (case_next(f, &c, held)) take(c.text);
    fclose(f);
    return 1;
}
