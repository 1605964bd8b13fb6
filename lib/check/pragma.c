/*
 * pragma.c - the strings of .pragma.
 *
 * Unknown strings are a warning in a body and an error at module scope, both
 * given only for modules without other errors, as by ptxas.
 */
#include <stdlib.h>
#include <string.h>
#include "check/checker.h"

/* The pragma that `text` begins with, or NULL; *value is what follows, blanks skipped. */
static const struct px_construct *find(const struct px_checker *checker, const char *text, const char **value)
{
    size_t n = strcspn(text, " \t");
    *value = text + n + strspn(text + n, " \t");
    return px_pragma_find(text, n, checker->module->profile);
}

static bool is_number(const char *text)
{
    char *end = NULL;
    strtoull(text, &end, 0);
    return end != text && *end == 0;
}

static void check_value(struct px_checker *checker, const char *text, const char *name, const char *value)
{
    if (!*value)
        px_complain_late(checker, PRAGMA_EMPTY, name);
    else if (!is_number(value))
        px_complain_late(checker, PRAGMA_VALUE, value, text);
}

/* A pragma of kernels, some of them in the body only. */
static void check_place(struct px_checker *checker, const struct px_construct *pragma, const char *text,
                        px_pos pos, enum px_pragma_place place)
{
    const bool body = place == PX_PRAGMA_STATEMENT;
    if (pragma->kind & PX_PF_PROGRAM) checker->program_pragma = pragma;
    if (place == PX_PRAGMA_MODULE || (pragma->kind & PX_PF_BODY && !body))
        px_complain(checker, PRAGMA_SCOPE, pos, 1, text);
    else if (body && checker->function && !checker->function->func->is_entry)
        px_complain(checker, PRAGMA_FUNCTION, pos, 1, text);
}

static void check_string(struct px_checker *checker, const char *text, px_pos pos, enum px_pragma_place place)
{
    enum { LENGTH = 7 }; /* of ".pragma" */
    const char *value = "";
    const struct px_construct *pragma = find(checker, text, &value);
    if (!pragma && place == PX_PRAGMA_MODULE)
        px_complain_late(checker, PRAGMA_MODULE, text);
    else if (!pragma)
        px_complain_late(checker, PRAGMA_UNKNOWN, text);
    else if (!px_needs(checker, pragma, pos, LENGTH))
        return;
    else if (pragma->kind & PX_PF_KERNEL)
        check_place(checker, pragma, text, pos, place);
    else if (pragma->kind & PX_PF_NUMBER)
        check_value(checker, text, pragma->text, value);
}

void px_check_pragma(struct px_checker *checker, const struct px_pragma *pragma, enum px_pragma_place place)
{
    px_requires(checker, PX_NEED_pragma, pragma->pos, 7);
    for (uint32_t i = 0; i < pragma->n; i++) check_string(checker, pragma->strings[i], pragma->pos, place);
}
