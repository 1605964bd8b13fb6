/*
 * out.c - text to the embedder's function, in pieces of some kilobytes.
 */
#include "launches/launches.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void px_out_flush(struct px_out *out)
{
    if (out->n && !out->stopped) out->stopped = out->write(out->user, out->text, out->n) != 0;
    out->n = 0;
}

void px_out_text(struct px_out *out, const char *text)
{
    for (size_t left = strlen(text), part; left; left -= part, text += part) {
        if (out->n == sizeof out->text) px_out_flush(out);
        part = sizeof out->text - out->n;
        if (part > left) part = left;
        memcpy(out->text + out->n, text, part);
        out->n += part;
    }
}

void px_out(struct px_out *out, const char *format, ...)
{
    char piece[512];
    va_list args;
    va_start(args, format);
    vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    px_out_text(out, piece);
}
