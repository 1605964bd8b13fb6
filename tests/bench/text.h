/* text.h - PTX that a benchmark writes. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct text {
    char *at; /* the caller's to free */
    size_t n, cap;
    unsigned insts; /* wanted */
    unsigned made;
};

/* Appends at most 1,000 characters. */
static void __attribute__((format(printf, 2, 3))) put(struct text *t, const char *format, ...)
{
    va_list args;
    if (t->cap - t->n < 1024) t->at = realloc(t->at, t->cap = t->cap * 2 + 4096);
    if (!t->at) exit(2);
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, t->cap - t->n, format, args);
    va_end(args);
}

#endif
