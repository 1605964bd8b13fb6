/* recorded_async.c - the cases of tests/hw/async of which golden/ has what a chip answered. */
#pragma GCC diagnostic ignored "-Wunused-function" /* of the recorder only the list is wanted */
#include "hw/async/kernel.h"
#include "fidelity.h"

/* Does the recording begin a line with this name? */
static int is_recorded(const char *hw, const char *golden, const char *name)
{
    static char line[1 << 17];
    char path[1024];
    const size_t n = strlen(name);
    int found = 0;
    snprintf(path, sizeof path, "%s/golden/%s", hw, golden);
    FILE *f = fopen(path, "r");
    while (f && !found && fgets(line, sizeof line, f)) found = !strncmp(line, name, n) && line[n] == '\t';
    if (f) fclose(f);
    return found;
}

static int take_cases(const char *hw, const char *cases, const char *golden, take_text *take)
{
    static Case c;
    char path[1024], held[600] = "";
    snprintf(path, sizeof path, "%s/async/%s", hw, cases);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    while (case_next(f, &c, held))
        if (is_recorded(hw, golden, c.name)) take(c.text);
    fclose(f);
    return 1;
}

int recorded_async(const char *hw, take_text *take)
{
    return take_cases(hw, "cases.txt", "async.tsv", take) &&
           take_cases(hw, "clusters.txt", "clusters.tsv", take) &&
           take_cases(hw, "bulk.txt", "bulk.tsv", take);
}
