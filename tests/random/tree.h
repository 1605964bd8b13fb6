/*
 * tree.h - a program as a tree of text, so that parts of it can be dropped and the rest written again.
 *
 * A node is a row of items: lines of text and further nodes. Dropping a node leaves out all of it; opening
 * one up leaves out its own lines and keeps the nodes inside. Everything of a tree lies in its arena and goes
 * with it.
 */
#ifndef RANDOM_TREE_H
#define RANDOM_TREE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node;
struct item {
    char *text;
    struct node *node;
}; /* one of the two */

enum node_state { NODE_WHOLE, NODE_OPEN, NODE_DROPPED };

struct node {
    struct item *items;
    size_t n, room;
    enum node_state state;
    bool fixed; /* the program means nothing without it */
    bool opens; /* its inner nodes may stand without its own lines */
};

struct tree {
    struct node *root;
    struct node **all; /* in the order in which they were made: outer ones before inner ones */
    size_t n, room;
    void **blocks; /* the arena */
    size_t nblocks, blocks_room;
};

struct tree *tree_new(void);
void tree_free(struct tree *tree);
struct node *tree_node(struct tree *tree, struct node *in); /* a new last item of `in`; NULL: the root */
void tree_line(struct tree *tree, struct node *in, const char *format, va_list args);
char *tree_text(const struct tree *tree); /* the caller frees it */
size_t tree_lines(const struct tree *tree);

#endif
