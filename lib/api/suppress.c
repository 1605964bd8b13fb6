/*
 * suppress.c - findings that somebody knows and does not want to be told of (ptx_check_suppress).
 *
 * A rule is a line: code, kernel, file, line of the file; what is left out matches everything, and so does *.
 */
#include "api/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "vm/device/device.h"

static const char blanks[] = " \t\r";

/* Does the text match the n bytes of a pattern, in which * stands for any part? */
static bool matches(const char *pattern, size_t n, const char *text)
{
    for (; n; pattern++, n--, text++) {
        if (*pattern == '*') {
            for (const char *rest = text;; rest++) {
                if (matches(pattern + 1, n - 1, rest)) return true;
                if (!*rest) return false;
            }
        }
        if (*pattern != *text) return false;
    }
    return !*text;
}

/* The next word of a line; its length, 0 at the end. */
static size_t next_word(const char **at, const char *end)
{
    while (*at < end && strchr(blanks, **at)) ++*at;
    const char *word = *at;
    while (word < end && !strchr(blanks, *word)) word++;
    return (size_t)(word - *at);
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Do the words from `at` on match the place? */
static bool matches_side(const char *at, const char *end, const ptx_check_side *side)
{
    char line[24];
    snprintf(line, sizeof line, "%u", side->line);
    const char *const words[] = {side->kernel, file_of(side->file), line};
    for (size_t i = 0, n; i < 3 && (n = next_word(&at, end)); i++, at += n)
        if (!matches(at, n, words[i])) return false;
    return true;
}

static bool is_meant(const char *at, const char *end, const ptx_check_finding *f)
{
    const size_t n = next_word(&at, end);
    if (!n || *at == '#' || !matches(at, n, f->code)) return false;
    at += n;
    bool meant = !f->nsides && !next_word(&at, end);
    for (unsigned i = 0; i < f->nsides; i++) meant |= matches_side(at, end, &f->side[i]);
    return meant;
}

bool px_check_suppressed(const struct ptx_device *device, const ptx_check_finding *f)
{
    for (const char *at = device->suppress; at && *at;) {
        const char *end = at + strcspn(at, "\n");
        if (is_meant(at, end, f)) return true;
        at = *end ? end + 1 : end;
    }
    return false;
}

void px_check_unsuppress(struct ptx_device *device)
{
    if (device->suppress) px_free(&device->alloc, device->suppress, strlen(device->suppress) + 1);
    device->suppress = NULL;
}

PTX_API ptx_status ptx_check_suppress(ptx_device *device, const char *rules)
{
    if (!px_device_usable(device) || !rules) return PTX_ERROR_INVALID_ARGUMENT;
    char *copy = px_alloc(&device->alloc, strlen(rules) + 1);
    if (!copy) return PTX_ERROR_OUT_OF_MEMORY;
    strcpy(copy, rules);
    px_check_unsuppress(device);
    device->suppress = copy;
    return PTX_OK;
}
