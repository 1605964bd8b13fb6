/*
 * check.c - compares the texture unit with the recordings of a real chip.
 *
 *   test_texture [--full] [--level NAME] [--part K/N] [WORD...]
 *
 * tests/hw/golden/texture.sum has a line for each case: two sums of hashes, of its first QUICK fetches and of
 * all FULL, and what is fetched (case.h). Every line is run by the row functions that kernels run, at each
 * SIMD level of this machine or the one named, and must give the first sum, with --full the second. WORDs
 * pick the lines that have them all, --part every N-th of those, from the K-th on. Lines that may differ are
 * those of known() below; docs/fidelity.md says how much.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gang/record.h"
#include "model.h"
#include "tex/levels.h"

#define GOLDEN "tests/hw/golden/texture.sum"

enum { PIECE = 65536 };

/* What is not exact: levels of detail of gradients in 3D and on cubes, and by --full (a few fetches of 10^6)
 * sums over slices of several scales. */
static bool known(const struct tex_case *c, bool full)
{
    bool cube = c->kind == PX_IMAGE_CUBE || c->kind == PX_IMAGE_ACUBE;
    if (c->op == OP_GRAD) return cube || c->kind == PX_IMAGE_3D;
    return full && c->kind == PX_IMAGE_3D && (c->format >= PX_IMAGE_F16 || c->srgb);
}

static bool agrees(const struct tex_case *c, const struct px_tex_rows *rows, bool full, uint64_t want)
{
    static uint32_t words[PIECE][4];
    uint64_t sum = 0;
    uint32_t total = full ? FULL : QUICK, piece = full ? PIECE : QUICK;
    for (uint32_t first = 0; first < total; first += piece) {
        if (!model_run(c, rows, first, piece, words)) return false;
        for (uint32_t i = 0; i < piece; i++) sum += case_hash(first + i, words[i]);
    }
    return full ? sum == want : (uint32_t)sum == (uint32_t)want;
}

static bool picked(const char *line, char **words, int n)
{
    char padded[CASE_LINE + 2], word[64];
    snprintf(padded, sizeof padded, " %.*s ", CASE_LINE - 1, line);
    for (int i = 0; i < n; i++) {
        snprintf(word, sizeof word, " %s ", words[i]);
        if (!strstr(padded, word)) return false;
    }
    return true;
}

/* --part: every `parts`-th line, from `part` on. */
struct part {
    int part, parts;
};

/* The number of lines that differ and may not. */
static int check(const char *path, const char *level, bool full, struct part of, char **words, int n)
{
    FILE *golden = fopen(path, "r");
    char line[CASE_LINE + 64];
    int lines = 0, wrong = 0, excused = 0, seen = 0;
    if (!golden) return perror(path), 1;
    const struct px_tex_rows *rows = px_level_tex(px_level_named(level));
    while (fgets(line, sizeof line, golden)) {
        struct tex_case c;
        uint64_t quick, all;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &quick, &all, &at) != 2 ||
            !case_parse(&c, line + at)) {
            printf("not understood: %s\n", line);
            wrong++;
            continue;
        }
        if (!picked(line + at, words, n) || seen++ % of.parts != of.part - 1) continue;
        lines++;
        if (agrees(&c, rows, full, full ? all : quick)) continue;
        if (known(&c, full))
            excused++;
        else if (wrong++ < 20)
            printf("%s differs: %s\n", level, line + at);
    }
    fclose(golden);
    printf("%s: %d cases, %d differ, %d more are known to\n", level, lines, wrong, excused);
    return wrong + (lines == 0);
}

int main(int argc, char **argv)
{
    static const char *const levels[] = {"portable", "avx2", "avx512"};
    const char *only = NULL;
    bool full = false;
    struct part of = {1, 1};
    int i = 1, wrong = 0;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--full")) full = true;
        if (!strcmp(argv[i], "--level") && i + 1 < argc) only = argv[++i];
        if (!strcmp(argv[i], "--part") && i + 1 < argc) sscanf(argv[++i], "%d/%d", &of.part, &of.parts);
    }
    if (of.parts < 1 || of.part < 1) return fputs("test_texture: --part is K/N\n", stderr), 2;
    for (int l = 0; l < 3; l++)
        if (px_level_named(levels[l]) && (!only || !strcmp(only, levels[l])))
            wrong += check(GOLDEN, levels[l], full, of, argv + i, argc - i);
    return wrong != 0;
}
