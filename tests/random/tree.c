/* tree.c - see tree.h. The memory of a tree is a list of blocks, freed together; running out of it ends the
 * program. */
#include "random/tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
    if (p) return p;
    fputs("random: out of memory\n", stderr);
    exit(2);
}

static void *grown(void *p, size_t n, size_t *room, size_t size)
{
    if (n < *room) return p;
    *room = *room ? 2 * *room : 8;
    return must(realloc(p, *room * size));
}

struct tree *tree_new(void)
{
    return must(calloc(1, sizeof(struct tree)));
}

/* `p` is freed with the tree. */
static void *keep(struct tree *tree, void *p)
{
    tree->blocks = grown(tree->blocks, tree->nblocks, &tree->blocks_room, sizeof *tree->blocks);
    return tree->blocks[tree->nblocks++] = must(p);
}

void tree_free(struct tree *tree)
{
    if (!tree) return;
    for (size_t i = 0; i < tree->n; i++) free(tree->all[i]->items);
    for (size_t i = 0; i < tree->nblocks; i++) free(tree->blocks[i]);
    free(tree->blocks);
    free(tree->all);
    free(tree);
}

static void add_item(struct node *in, struct item item)
{
    in->items = grown(in->items, in->n, &in->room, sizeof *in->items);
    in->items[in->n++] = item;
}

struct node *tree_node(struct tree *tree, struct node *in)
{
    struct node *node = keep(tree, calloc(1, sizeof *node));
    tree->all = grown(tree->all, tree->n, &tree->room, sizeof *tree->all);
    tree->all[tree->n++] = node;
    if (in)
        add_item(in, (struct item){.node = node});
    else
        tree->root = node;
    return node;
}

void tree_line(struct tree *tree, struct node *in, const char *format, va_list args)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, args);
    add_item(in, (struct item){.text = keep(tree, strdup(line))});
}

/* ---- text ---- */

struct text {
    char *at;
    size_t n, room;
};

static void put_line(struct text *to, const char *line)
{
    size_t n = strlen(line);
    while (to->n + n + 2 > to->room) {
        to->room = to->room ? 2 * to->room : 4096;
        to->at = must(realloc(to->at, to->room));
    }
    memcpy(to->at + to->n, line, n);
    to->at[to->n + n] = '\n';
    to->at[to->n += n + 1] = 0;
}

static void put_node(struct text *to, const struct node *node)
{
    if (node->state == NODE_DROPPED) return;
    for (size_t i = 0; i < node->n; i++) {
        if (node->items[i].node)
            put_node(to, node->items[i].node);
        else if (node->state == NODE_WHOLE)
            put_line(to, node->items[i].text);
    }
}

char *tree_text(const struct tree *tree)
{
    struct text text = {0};
    put_line(&text, "");
    text.n = 0;
    put_node(&text, tree->root);
    return text.at;
}

static size_t node_lines(const struct node *node)
{
    size_t n = 0;
    if (node->state == NODE_DROPPED) return 0;
    for (size_t i = 0; i < node->n; i++)
        n += node->items[i].node ? node_lines(node->items[i].node) : node->state == NODE_WHOLE;
    return n;
}

size_t tree_lines(const struct tree *tree)
{
    return node_lines(tree->root);
}
