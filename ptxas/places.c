/* places.c - what a message says beside its text: other places, edits, and the line of the source that the
 * PTX was made from. Every layout asks here, so that all tell the same. */
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "messages.h"
#include "ptx_tools.h"
#include "text.h"

bool message_related(const struct message *message, size_t i, struct related *related)
{
    ptx_related told;
    if (message->is_link) {
        *related = message->related;
        return i == 0 && related->file;
    }
    if (!message->module || ptx_module_related(message->module, message->index, i, &told) != PTX_OK)
        return false;
    *related = (struct related){.module = message->module,
                                .what = told.message,
                                .file = message->diagnostic.file,
                                .line = told.line,
                                .text_line = told.line,
                                .column = told.column,
                                .length = told.length};
    if (message->marked) related->line = ptx_module_marked_line(message->module, told.line, &related->file);
    return true;
}

bool message_fix(const struct message *message, size_t i, ptx_fix *fix)
{
    return message->module && !message->is_link && !message->marked &&
           ptx_module_fix(message->module, message->index, i, fix) == PTX_OK;
}

bool message_origin(const struct message *message, size_t i, ptx_origin *origin)
{
    return message->module && !message->is_link &&
           ptx_module_origin(message->module, message->index, i, origin, NULL) == PTX_OK;
}

char *message_function(const struct message *message)
{
    ptx_origin origin;
    const char *name;
    if (message->is_link || !message->module ||
        ptx_module_origin(message->module, message->index, 0, &origin, &name) != PTX_OK)
        return NULL;
    char *plain = cplus_demangle(name, DMGL_ANSI | DMGL_AUTO);
    return plain ? plain : must_copy(name, strlen(name));
}

char *message_origin_text(const struct message *message)
{
    struct text text = {0};
    ptx_origin origin;
    for (size_t i = 0; message_origin(message, i, &origin); i++)
        text_print(&text, "%s %s:%u", i ? ", inlined at" : "from", origin.file, origin.line);
    char *function = text.n ? message_function(message) : NULL;
    if (function) text_print(&text, ", in %s", function);
    free(function);
    text_add(&text, "", text.n ? 1 : 0);
    return text.at;
}
