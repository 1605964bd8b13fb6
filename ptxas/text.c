/* text.c - text that grows, and files as text. */
#define _GNU_SOURCE /* vasprintf */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "messages.h"
#include "output.h"

void text_add(struct text *text, const char *bytes, size_t n)
{
    if (text->n + n > text->room) {
        text->room = (text->n + n) * 2;
        text->at = must_grow(text->at, text->room);
    }
    if (n) memcpy(text->at + text->n, bytes, n);
    text->n += n;
}

void text_put(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_print(struct text *text, const char *format, ...)
{
    char *printed = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int n = vasprintf(&printed, format, arguments);
    va_end(arguments);
    if (n < 0) printed = must_grow(NULL, SIZE_MAX); /* says that there is no memory */
    text_add(text, printed, (size_t)n);
    free(printed);
}

void text_free(struct text *text)
{
    free(text->at);
    *text = (struct text){0};
}

int text_write(void *user, const char *bytes, size_t n)
{
    text_add(user, bytes, n);
    return 0;
}

char *text_read_file(const char *name, size_t *size)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    size_t room = 1 << 16, got;
    if (!file) return NULL;
    char *text = must_grow(NULL, room);
    for (*size = 0; (got = fread(text + *size, 1, room - *size, file)) > 0;) {
        *size += got;
        if (*size == room) text = must_grow(text, room *= 2);
    }
    if (file != stdin) fclose(file);
    return text;
}

static bool write_and_close(FILE *file, const char *bytes, size_t n)
{
    const bool written = fwrite(bytes, 1, n, file) == n;
    return (fclose(file) == 0) & written;
}

bool text_write_file(const char *name, const char *bytes, size_t n)
{
    struct stat status;
    char *temporary = NULL;
    if (!name) return fwrite(bytes, 1, n, stdout) == n && fflush(stdout) == 0;
    const bool special = stat(name, &status) == 0 && !S_ISREG(status.st_mode);
    FILE *file = special ? fopen(name, "wb") : output_open_beside(name, &temporary);
    bool fine = file && write_and_close(file, bytes, n);
    if (fine && temporary) fine = rename(temporary, name) == 0;
    if (!fine && temporary && file) unlink(temporary);
    if (!fine)
        message_plain(PTX_FATAL, "Output file '%s' could not be %s", name, file ? "written" : "opened");
    free(temporary);
    return fine;
}
