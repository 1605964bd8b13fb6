/* text.h - text that grows, and files as text. */
#ifndef PTXAS_TEXT_H
#define PTXAS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Zero bytes are an empty text. */
struct text {
    char *at; /* owned; not NUL-terminated; NULL while nothing was added */
    size_t n, room;
};

void text_add(struct text *text, const char *bytes, size_t n);
void text_put(struct text *text, const char *string);
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);
/* For ptx_write_fn: `user` is a struct text. */
int text_write(void *user, const char *bytes, size_t n);

/* All of a file, "-" is standard input; NULL when it cannot be opened. A folder reads as empty, as it does
 * for ptxas. The caller frees it. */
char *text_read_file(const char *name, size_t *size);

/* Writes a file, or standard output where name is NULL. A regular file appears whole or not at all. False
 * after a message. */
bool text_write_file(const char *name, const char *bytes, size_t n);

#endif
