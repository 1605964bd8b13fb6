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

/* A string of a pragma, and where it stands with its quotes. */
struct string {
    const char *text;
    px_pos pos;
    uint32_t length;
};

static void check_value(struct px_checker *checker, const struct string *string, const char *name,
                        const char *value)
{
    if (!*value)
        px_complain_late_at(checker, PRAGMA_EMPTY, string->pos, string->length, name);
    else if (!is_number(value))
        px_complain_late_at(checker, PRAGMA_VALUE, string->pos, string->length, value, string->text);
}

/* A pragma of kernels, some of them in the body only. */
static void check_place(struct px_checker *checker, const struct px_construct *pragma,
                        const struct string *string, px_pos told, enum px_pragma_place place)
{
    const bool body = place == PX_PRAGMA_STATEMENT;
    if (pragma->kind & PX_PRAGMA_PROGRAM) checker->program_pragma = pragma;
    if (place == PX_PRAGMA_MODULE || (pragma->kind & PX_PRAGMA_BODY && !body))
        px_complain_at(checker, told, PRAGMA_SCOPE, string->pos, string->length, string->text);
    else if (body && checker->function && !checker->function->func->is_entry)
        px_complain_at(checker, told, PRAGMA_FUNCTION, string->pos, string->length, string->text);
}

/* It has no effect, and what was meant is not done. */
static void complain_unknown(struct px_checker *checker, const struct string *string)
{
    const uint32_t before = checker->late.list.n;
    px_complain_late_at(checker, PRAGMA_UNKNOWN, string->pos, string->length, string->text);
    if (checker->late.list.n > before)
        px_diag_note(&checker->late, &checker->late.list.at[before],
                     "ignored: no pragma begins with this word; \"nounroll\" is one");
}

static void check_string(struct px_checker *checker, const struct string *string, px_pos pos,
                         enum px_pragma_place place)
{
    enum { LENGTH = 7 }; /* of ".pragma" */
    const char *value = "";
    const struct px_construct *pragma = find(checker, string->text, &value);
    if (!pragma && place == PX_PRAGMA_MODULE)
        px_complain_late_at(checker, PRAGMA_MODULE, string->pos, string->length, string->text);
    else if (!pragma)
        complain_unknown(checker, string);
    else if (!px_needs(checker, pragma, pos, LENGTH))
        return;
    else if (pragma->kind & PX_PRAGMA_KERNEL)
        check_place(checker, pragma, string, pos, place);
    else if (pragma->kind & PX_PRAGMA_NUMBER)
        check_value(checker, string, pragma->text, value);
}

/* Strings stand behind one another with commas between; quotes cannot stand inside. */
void px_check_pragma(struct px_checker *checker, const struct px_pragma *pragma, enum px_pragma_place place)
{
    const struct px_source *source = &checker->module->source;
    px_pos at = pragma->pos + 7;
    px_requires(checker, PX_NEED_pragma, pragma->pos, 7);
    for (uint32_t i = 0; i < pragma->n; i++) {
        struct string string = {pragma->strings[i], px_source_behind(source, at), 0};
        string.length = (uint32_t)strlen(string.text) + 2;
        check_string(checker, &string, pragma->pos, place);
        at = px_source_behind(source, string.pos + string.length) + 1;
    }
}
