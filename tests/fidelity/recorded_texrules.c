/* recorded_texrules.c - the cases of tests/hw/texrules that a chip ran. */
#pragma GCC diagnostic ignored "-Wunused-function" /* of the recorder only the list is wanted */
#include "hw/texrules/case.h"
#include "fidelity.h"

/* Its driver does not load suq and some of txq, and leaves kernels with others out. */
static int was_run(FILE *golden, const char *name)
{
    char line[256], where[16];
    const size_t n = strlen(name);
    rewind(golden);
    while (fgets(line, sizeof line, golden))
        if (!strncmp(line, name, n) && line[n] == '\t')
            return sscanf(line + n, "%15s", where) == 1 && strcmp(where, "load") && strcmp(where, "broken");
    return 0;
}

int recorded_texrules(const char *hw, take_text *take)
{
    static Case c;
    char path[1024];
    snprintf(path, sizeof path, "%s/texrules/cases.txt", hw);
    FILE *f = fopen(path, "r");
    snprintf(path, sizeof path, "%s/golden/texrules.tsv", hw);
    FILE *golden = fopen(path, "r");
    const int ok = f && golden;
    while (ok && case_next(f, &c))
        if (*c.text && was_run(golden, c.name)) take(c.ptx);
    if (f) fclose(f);
    if (golden) fclose(golden);
    return ok;
}
