/* link.h - the modules of a command line held against one another. */
#ifndef PTXAS_LINK_H
#define PTXAS_LINK_H

#include "messages.h"
#include "ptxvm.h"

/* What nvlink says of them; the messages live as long as the link. */
struct linked {
    ptx_link *link;
    struct message *messages;
    size_t n;
    bool failed;
};

/* Links modules as nvlink does, when none of them has errors. linked_free takes what it gave. */
struct linked link_inputs(const struct input *inputs, size_t n);
void linked_free(struct linked *linked);

#endif
