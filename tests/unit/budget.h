/*
 * budget.h - an allocator that fails after a number of allocations and counts the bytes that are out.
 */
#ifndef TESTS_UNIT_BUDGET_H
#define TESTS_UNIT_BUDGET_H

#include <stdlib.h>

struct budget {
    size_t left, bytes;
};

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t size)
{
    struct budget *budget = user;
    if (size && budget->left == 0) return NULL;
    if (size) budget->left--;
    budget->bytes += size - old_size;
    if (!size) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, size);
}

#endif
