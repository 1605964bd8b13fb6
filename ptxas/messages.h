/* messages.h - printing diagnostics in the layouts that people and programs read. */
#ifndef PTXAS_MESSAGES_H
#define PTXAS_MESSAGES_H

#include <stdarg.h>
#include "options.h"
#include "ptx.h"
#include "ptx_tools.h"

/* One file and its module. */
struct input {
    const char *name;   /* as shown */
    ptx_module *module; /* owned by main.c; NULL: there is none, and `fault` says why */
    char *fault;        /* owned by main.c */
};

/* Another place that a message is about; file NULL: none. */
struct related {
    const ptx_module *module;
    const char *what; /* "'x' is declared here" */
    const char *file;
    unsigned line, column, length;
    unsigned text_line; /* of the module's text */
};

/* Prints messages; json.c has the layouts that are one document. */
struct message {
    ptx_diagnostic diagnostic; /* severity as raised by -Werror */
    const ptx_module *module;  /* NULL: the message is not about a module, and has no excerpt */
    size_t index;              /* of the module's diagnostic, unless is_link */
    const char *told_file;     /* where NVIDIA's layout says that it is, */
    unsigned told_line;        /* 0: nowhere */
    unsigned text_line;        /* of the module's text; diagnostic.line follows the markers of --cpp */
    struct related related;    /* of a link: the declaration that it does not go with */
    bool is_link;              /* in nvlink's words, not ptxas's */
    bool marked;               /* lines follow the markers of --cpp: there are no edits of the text */
};

/* places.c: the i-th other place, edit, and place in the source; false past the last. */
bool message_related(const struct message *message, size_t i, struct related *related);
bool message_fix(const struct message *message, size_t i, ptx_fix *fix);
bool message_origin(const struct message *message, size_t i, ptx_origin *origin);
/* The function around it as its source names it; owned by the caller. NULL without .loc. */
char *message_function(const struct message *message);
/* "from x.cu:3, inlined at y.cu:9, in kernel<float>"; owned by the caller. NULL without .loc. */
char *message_origin_text(const struct message *message);

/*
 * Prints all diagnostics of all inputs on standard error, and `more` behind them. -w drops warnings, -Werror
 * raises them. The number of errors of the inputs.
 */
size_t messages_print(const struct input *inputs, size_t n, const struct options *options,
                      const struct message *more, size_t nmore);
void messages_show(const struct message *messages, size_t n, enum layout layout);
/* The same, but in a layout that is one document only with the next messages_show. Takes copies. */
void messages_keep(const struct message *messages, size_t n, enum layout layout);
void messages_json(const struct message *messages, size_t n);
void messages_sarif(const struct message *messages, size_t n);

/*
 * Was every error found only after all was read? ptxas then leaves out the closing line "assembly aborted".
 */
bool messages_are_late(const struct input *inputs, size_t n, const struct options *options);

/* Has ptxas's reading of the inputs errors? Only without any it asks about whole modules and options. */
bool messages_have_early(const struct input *inputs, size_t n, const struct options *options);

/* Lines of ptxas's layout begin with `name`, which stays the caller's, instead of ptxas. */
void messages_name(const char *name);
const char *message_tool(void);

/* "ptxas error   : TEXT", for what has no place. */
void message_plain_list(ptx_severity severity, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void message_plain(ptx_severity severity, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
