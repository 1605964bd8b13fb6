/* document.h - a text with its module and its syntax: what the tools beside the checker work on. */
#ifndef PTXAS_DOCUMENT_H
#define PTXAS_DOCUMENT_H

#include "options.h"
#include "ptx_syntax.h"
#include "text.h"

struct document {
    const char *name;   /* as shown; the caller's */
    ptx_module *module; /* owned, like what follows */
    ptx_syntax *syntax;
    const char *text; /* the module's */
    size_t size;
    const ptx_token *tokens; /* the syntax's, like the other tables */
    const ptx_part *parts;
    const ptx_symbol *symbols;
    const ptx_use *uses;
    size_t ntokens, nparts, nsymbols, nuses;
};

/* Reads a text with the options' architecture and profile; false after a message when memory or the size
 * forbid it. Errors of the text are no failure. */
bool document_open(struct document *document, const char *name, const char *text, size_t size,
                   const struct options *options);
/* The same of a file. */
bool document_open_file(struct document *document, const char *name, const struct options *options);
void document_close(struct document *document);

/* Has it errors? Those (and its warnings) are printed then. */
bool document_refused(const struct document *document, const struct options *options);
/* The same of texts that cannot be read to their end; other errors do no harm. */
bool document_unreadable(const struct document *document, const struct options *options);

bool document_is_comment(const struct document *document, size_t token);
/* Does the token consist of this text? */
bool document_is(const struct document *document, size_t token, const char *text);
/* Is the part a kernel, declared or defined? */
bool document_is_kernel(const struct document *document, const ptx_part *part);
/* Are the tokens of both the same, blanks and comments aside? With `comments`, those too, but for blanks at
 * the ends of their lines. */
bool document_same_tokens(const struct document *a, const struct document *b, bool comments);

#endif
