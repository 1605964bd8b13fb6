/*
 * case.h - a line of cases.txt, the kernel around its PTX, and its texels.
 *
 * Fields apart by tabs: name, resource, texture, handle, PTX.
 *   resource  KIND FORMATxCHANNELS WIDTHxHEIGHTxDEPTH LEVELS FLAGS; KIND 1d 2d 3d a1d a2d cube acube linear
 *             pitch (depth: slices, layers or faces); FLAGS of s (surface), g (gather), S (a surface is made
 *             all the same), M (of the mipmapped array), o (16 bytes behind the allocation's first), p (past
 *             its end), t (rows as close as they are long), - (none)
 *   texture   words: point linear wrap clamp mirror border norm int srgb anisoN; none: no texture is made
 *   handle    object, reference, unbound, destroyed, gone (the array was destroyed), surface (as a texture),
 *             texture (as a surface), 0xNUMBER, create (nothing is launched)
 *   PTX       statements; %rd1 is the texture, %rd2 the surface, %r0 to %r3 are the results
 */
#ifndef TEXRULES_CASE_H
#define TEXRULES_CASE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_LINE = 2048, CASE_RESULTS = 4, CASE_UNTOUCHED = (int)0xcccccccc };

typedef struct Case {
    char line[CASE_LINE];
    const char *name, *kind, *texture, *handle, *text;
    char resource[64], format[16], flags[8];
    unsigned channels, width, height, depth, levels;
    char ptx[CASE_LINE + 1024];
} Case;

static bool case_is(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += n)
        if ((at == words || at[-1] == ' ') && (!at[n] || at[n] == ' ')) return true;
    return false;
}

static void case_kernel(Case *c)
{
    snprintf(c->ptx, sizeof c->ptx,
             ".version 8.1\n.target sm_90\n.address_size 64\n"
             ".global .texref tr;\n.global .surfref sr;\n"
             ".visible .entry k(.param .u64 out, .param .u64 tex, .param .u64 surf)\n{\n"
             ".reg .b32 %%r<16>; .reg .f32 %%f<16>; .reg .b64 %%rd<8>; .reg .pred %%p<4>; .reg .b16 %%h<8>;\n"
             "ld.param.u64 %%rd0, [out]; ld.param.u64 %%rd1, [tex]; ld.param.u64 %%rd2, [surf];\n"
             "mov.u32 %%r0, 0xcccccccc; mov.u32 %%r1, %%r0; mov.u32 %%r2, %%r0; mov.u32 %%r3, %%r0;\n%s\n"
             "st.global.v4.u32 [%%rd0], {%%r0,%%r1,%%r2,%%r3};\nret;\n}\n",
             c->text);
}

/* The next case; false at the end of the file. */
static bool case_next(FILE *f, Case *c)
{
    if (!fgets(c->line, sizeof c->line, f)) return false;
    c->line[strcspn(c->line, "\n")] = '\0';
    char *at = c->line, *field[5];
    for (int i = 0; i < 5; i++) {
        field[i] = at;
        at += strcspn(at, "\t");
        if (*at) *at++ = '\0';
    }
    c->name = field[0], c->texture = field[2], c->handle = field[3], c->text = field[4];
    if (sscanf(field[1], "%63s %15s %ux%ux%u %u %7s", c->resource, c->format, &c->width, &c->height,
               &c->depth, &c->levels, c->flags) != 7)
        return fprintf(stderr, "%s: '%s'\n", c->name, field[1]), false;
    char *x = strchr(c->format, 'x');
    c->channels = x ? (unsigned)atoi(x + 1) : 0;
    if (x) *x = '\0';
    c->kind = c->resource;
    case_kernel(c);
    return true;
}

static bool case_flag(const Case *c, char flag)
{
    return strchr(c->flags, flag) != NULL;
}

static unsigned case_size(const Case *c)
{
    return (unsigned)atoi(c->format + 1) / 8 * c->channels;
}

/* n texels of a level, at `to`: floats from -1 to below 1, integers of all bits. */
static void case_fill(const Case *c, unsigned level, size_t n, uint8_t *to)
{
    const unsigned size = (unsigned)atoi(c->format + 1) / 8;
    for (size_t i = 0; i < n * c->channels; i++) {
        const uint32_t e = (uint32_t)i + 1000 * level, bits = e * 2654435761u ^ e << 7;
        const float value = (float)(e % 64) / 32 - 1;
        uint32_t word = bits;
        if (c->format[0] == 'f') memcpy(&word, &value, 4);
        if (c->format[0] == 'f' && size == 2)
            word = value == 0
                       ? 0
                       : (word >> 16 & 0x8000) | (((word >> 23 & 0xff) - 112) << 10) | (word >> 13 & 0x3ff);
        memcpy(to + i * size, &word, size);
    }
}

#endif
