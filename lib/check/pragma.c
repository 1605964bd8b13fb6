/*
 * pragma.c - the strings of .pragma.
 *
 * Unknown strings are a warning in a body and an error at module scope, both
 * given only for modules without other errors, as by ptxas.
 */
#include <stdlib.h>
#include <string.h>
#include "check/checker.h"

enum pragma { NOUNROLL, USED_BYTES, FREQUENCY, SMEM_SPILLING, UNKNOWN };

static const struct {
    const char *name;
    bool takes_value;
    uint8_t ptx, sm;
} pragmas[] = {
    [NOUNROLL] = {"nounroll", false, 0, 0},
    [USED_BYTES] = {"used_bytes_mask", true, 83, 0},
    [FREQUENCY] = {"frequency", true, 90, 0},
    [SMEM_SPILLING] = {"enable_smem_spilling", false, 87, 75},
};

/* The pragma that `text` begins with; *value is what follows, blanks skipped. */
static enum pragma find(const char *text, const char **value)
{
    size_t n = strcspn(text, " \t");
    for (int i = 0; i < UNKNOWN; i++)
        if (strlen(pragmas[i].name) == n && !strncmp(text, pragmas[i].name, n)) {
            *value = text + n + strspn(text + n, " \t");
            return (enum pragma)i;
        }
    return UNKNOWN;
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

static void check_spilling(struct px_checker *checker, const char *text, px_pos pos,
                           enum px_pragma_place place)
{
    checker->spilling = true;
    if (place != PX_PRAGMA_STATEMENT)
        px_complain(checker, PRAGMA_SCOPE, pos, 1, text);
    else if (checker->function && !checker->function->func->is_entry)
        px_complain(checker, PRAGMA_FUNCTION, pos, 1, text);
}

static void check_string(struct px_checker *checker, const char *text, px_pos pos, enum px_pragma_place place)
{
    const char *value = "";
    enum pragma pragma = find(text, &value);
    if (pragma == UNKNOWN && place == PX_PRAGMA_MODULE)
        px_complain_late(checker, PRAGMA_MODULE, text);
    else if (pragma == UNKNOWN)
        px_complain_late(checker, PRAGMA_UNKNOWN, text);
    else if (!px_needs(checker, pragmas[pragma].name, pragmas[pragma].ptx, pragmas[pragma].sm, pos, 7))
        return;
    else if (pragma == SMEM_SPILLING)
        check_spilling(checker, text, pos, place);
    else if (pragmas[pragma].takes_value)
        check_value(checker, text, pragmas[pragma].name, value);
}

void px_check_pragma(struct px_checker *checker, const struct px_pragma *pragma, enum px_pragma_place place)
{
    px_needs(checker, ".pragma directive", 20, 0, pragma->pos, 7);
    for (uint32_t i = 0; i < pragma->n; i++) check_string(checker, pragma->strings[i], pragma->pos, place);
}
