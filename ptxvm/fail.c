/* fail.c - giving up with a message and an exit code.
 *
 * The tool is one run of one command: an error that stops it prints one line and exits. The library never
 * does this; it returns statuses, and run.c turns them into exit codes. */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct failing *place; /* NULL: the command line */

void fail_at(const struct failing *failing)
{
    place = failing;
}

void fail(enum exit_code code, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    if (place) {
        char message[2000];
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        place->tell(place->user, message);
        exit(code);
    }
    fputs("ptxvm: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(code == EXIT_USAGE ? " (ptxvm --help explains)\n" : "\n", stderr);
    exit(code);
}

void *must_alloc(unsigned long size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory) fail(EXIT_STOPPED, "no memory for %lu bytes", size);
    return memory;
}

void *must_grow(void *old, unsigned long size)
{
    void *memory = realloc(old, size ? size : 1);
    if (!memory) fail(EXIT_STOPPED, "no memory for %lu bytes", size);
    return memory;
}

char *must_copy(const char *text, unsigned long length)
{
    char *copy = must_alloc(length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *must_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = must_alloc((unsigned long)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (unsigned long)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
