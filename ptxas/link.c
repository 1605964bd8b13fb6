/* link.c - --link: what nvlink says of the modules together, in ptxas's layouts. */
#include "link.h"

#include <stdlib.h>

static struct message message_of(const ptx_link *link, size_t i)
{
    ptx_link_diagnostic d = {.struct_size = sizeof d};
    struct message message = {.is_link = true};
    if (ptx_link_diagnostic_get(link, i, &d) != PTX_OK) return message;
    message.module = d.module;
    message.text_line = d.line;
    message.related = (struct related){.module = d.first_module,
                                       .what = "declared here",
                                       .file = d.first_file,
                                       .line = d.first_line,
                                       .text_line = d.first_line,
                                       .column = d.first_column,
                                       .length = d.first_length};
    message.diagnostic = (ptx_diagnostic){.severity = d.severity,
                                          .code = d.code,
                                          .message = d.message,
                                          .note = d.note,
                                          .file = d.file ? d.file : "<program>",
                                          .line = d.line,
                                          .column = d.column,
                                          .length = d.length};
    return message;
}

struct linked link_inputs(const struct input *inputs, size_t n)
{
    struct linked linked = {0};
    const ptx_module **modules = must_grow(NULL, n * sizeof *modules);
    for (size_t i = 0; i < n; i++) modules[i] = inputs[i].module;
    const ptx_status status =
        ptx_link_create(modules, n, NULL, &linked.link); /* no module (an unreadable file): refused */
    free(modules);
    linked.failed = status != PTX_OK;
    linked.n = ptx_link_diagnostic_count(linked.link);
    linked.messages = must_grow(NULL, linked.n * sizeof *linked.messages);
    for (size_t i = 0; i < linked.n; i++) linked.messages[i] = message_of(linked.link, i);
    if (status == PTX_ERROR_OUT_OF_MEMORY) message_plain(PTX_FATAL, "%s", ptx_status_name(status));
    return linked;
}

void linked_free(struct linked *linked)
{
    free(linked->messages);
    ptx_link_destroy(linked->link);
}
