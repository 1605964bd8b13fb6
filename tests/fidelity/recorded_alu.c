/* recorded_alu.c - the forms of tests/hw/golden/alu_*.forms, a module a family. */
#pragma GCC diagnostic ignored "-Wunused-function" /* of the recorder only the list is wanted */
#include <glob.h>
#include "hw/alu/forms.h"
#include "fidelity.h"

static int family(const Sets *sets, const char *path, take_text *take)
{
    char line[1024];
    Text t = {0};
    FILE *in = fopen(path, "r");
    int ok = in != NULL;
    text_header(&t);
    for (unsigned number = 0; ok && fgets(line, sizeof line, in); number++) {
        Form f;
        ok = form_parse(sets, line, &f);
        if (ok) form_emit(&t, &f, number);
    }
    if (ok) take(t.text);
    free(t.text);
    if (in) fclose(in);
    return ok;
}

int recorded_alu(const char *hw, take_text *take)
{
    static Sets sets;
    char pattern[1024];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/golden/alu_*.forms", hw);
    inputs_init(&sets);
    if (glob(pattern, 0, NULL, &found)) return 0;
    int ok = 1;
    for (size_t i = 0; ok && i < found.gl_pathc; i++) ok = family(&sets, found.gl_pathv[i], take);
    globfree(&found);
    return ok;
}
