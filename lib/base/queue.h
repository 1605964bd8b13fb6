/*
 * queue.h - queues of structs that have a member `next`, in a struct with `first` and `last` (both NULL:
 * empty).
 *
 * What goes in at the back comes out at the front; nobody owns anything here.
 */
#ifndef PX_BASE_QUEUE_H
#define PX_BASE_QUEUE_H

#include <stddef.h>

#define px_queue_push(queue, item)                                                                           \
    do {                                                                                                     \
        (item)->next = NULL;                                                                                 \
        if ((queue)->last)                                                                                   \
            (queue)->last->next = (item);                                                                    \
        else                                                                                                 \
            (queue)->first = (item);                                                                         \
        (queue)->last = (item);                                                                              \
    } while (0)

/* Takes the first out, if there is one; `item` is it, or NULL. */
#define px_queue_pop(queue, item)                                                                            \
    do {                                                                                                     \
        (item) = (queue)->first;                                                                             \
        if ((item) && !((queue)->first = (item)->next)) (queue)->last = NULL;                                \
    } while (0)

/* Puts it before the first. */
#define px_queue_return(queue, item)                                                                         \
    do {                                                                                                     \
        if (!((item)->next = (queue)->first)) (queue)->last = (item);                                        \
        (queue)->first = (item);                                                                             \
    } while (0)

#endif
