/*
 * shrink.c - makes a program small while it still fails in the same way.
 *
 * Nodes of the tree are dropped, outer ones first, and what cannot be dropped is opened up, until nothing
 * more goes.
 */
#include "random/shrink.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct shrinking {
    struct random_program *program;
    uint64_t seed;
    struct configs configs;
    struct verdict wanted;
    time_t end;
};

static bool still_fails(struct shrinking *s)
{
    char *text = tree_text(s->program->tree);
    struct verdict v = run_program(text, s->program, s->seed, &s->configs);
    free(text);
    if (v.outcome != s->wanted.outcome || v.config != s->wanted.config) return false;
    return v.outcome != OUTCOME_REFUSED && v.outcome != OUTCOME_STOPPED
               ? true
               : !strncmp(v.message, s->wanted.message, 12);
}

static bool try_state(struct shrinking *s, struct node *node, enum node_state state)
{
    enum node_state before = node->state;
    node->state = state;
    if (time(NULL) < s->end && still_fails(s)) return true;
    node->state = before;
    return false;
}

/* Drops `n` nodes from the i-th on, all at once; those that were dropped before stay so. */
static bool drop_many(struct shrinking *s, size_t i, size_t n)
{
    struct tree *tree = s->program->tree;
    enum node_state *before = malloc(n * sizeof *before);
    size_t lines = tree_lines(tree);
    if (!before) return false;
    for (size_t k = 0; k < n; k++) {
        before[k] = tree->all[i + k]->state;
        tree->all[i + k]->state = NODE_DROPPED;
    }
    bool good = tree_lines(tree) < lines && still_fails(s);
    for (size_t k = 0; k < n && !good; k++) tree->all[i + k]->state = before[k];
    free(before);
    return good;
}

/* Runs of neighbours, long ones first: a few dozen tries take most of a program away. */
static void coarse(struct shrinking *s)
{
    size_t all = s->program->tree->n;
    for (size_t n = all / 2; n >= 4; n /= 2)
        for (size_t i = 1; i + n <= all && time(NULL) < s->end; i += n) drop_many(s, i, n);
}

static bool pass(struct shrinking *s)
{
    bool changed = false;
    for (size_t i = 1; i < s->program->tree->n && time(NULL) < s->end; i++) {
        struct node *node = s->program->tree->all[i];
        size_t lines = tree_lines(s->program->tree);
        enum node_state before = node->state;
        if (before == NODE_DROPPED) continue;
        node->state = NODE_DROPPED;
        bool reached = tree_lines(s->program->tree) < lines;
        node->state = before;
        if (!reached) continue;
        changed |= try_state(s, node, NODE_DROPPED) ||
                   (node->opens && before == NODE_WHOLE && try_state(s, node, NODE_OPEN));
    }
    return changed;
}

void shrink_program(struct random_program *program, uint64_t seed, const struct configs *configs,
                    const struct verdict *verdict, unsigned seconds)
{
    struct shrinking s = {.program = program, .seed = seed, .wanted = *verdict, .end = time(NULL) + seconds};
    /* The second order of the reference stays: what depends on the order is no longer the program that was
     * made. */
    for (size_t i = 0; i < configs->n && i <= verdict->config; i++)
        if (i == 0 || configs->at[i].reference || i == verdict->config)
            s.configs.at[s.configs.n++] = configs->at[i];
    s.wanted.config = s.configs.n - 1;
    if (!still_fails(&s)) return;
    coarse(&s);
    while (pass(&s)) {
    }
}
