/*
 * isagen_emit.c - writes isa_words.h, isa_sregs.h, isa_messages.h and isa_tables.c.
 *
 * The words are found by a perfect hash: one hash of the spelling picks a
 * bucket, the bucket's displacement gives the slot that holds the word.
 */
#include "isagen.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/isa/hash.h"

static char *identifier(const char *s)
{
    char *p = ig_text(s, strlen(s));
    for (char *c = p; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    return p;
}

void ig_emit_words(FILE *out)
{
    fputs(
        "/* Made by isagen from grammar/names.tbl and grammar/isa.tbl: the types, and the words of `number` "
        "lines. */\n#ifndef PX_ISA_WORDS_H\n#define PX_ISA_WORDS_H\n\nenum px_word_id {\n    PX_W_NONE,\n",
        out);
    for (int i = 0; i < ig.words.numbered; i++)
        fprintf(out, "    PX_W_%s = %d,\n", identifier(ig.words.text[i]), i + 1);
    fprintf(out, "    PX_W_LIMIT = %d /* no word has this number or a higher one */\n};\n", IG_WORDS);
    ig_emit_needs(out);
    fputs("\n/* Types beyond those of enum px_type. */\nenum px_more_types {\n", out);
    int other = ig_type_find("e4m3", 4);
    for (int i = other - 1; i < ig.ntypes; i++) {
        char *name = identifier(ig.types[i].name);
        for (char *c = name; *c; c++) *c = (char)toupper((unsigned char)*c);
        fprintf(out, "    PX_T_%s = %d,\n", name, i + 1);
    }
    fprintf(out, "    PX_T_COUNT = %d\n};\n", ig.ntypes + 1);
    ig_emit_set_names(out);
    ig_emit_kind_names(out);
    ig_emit_op_flag_names(out);
    fputs("\n#endif\n", out);
}

void ig_emit_sregs(FILE *out)
{
    fputs("/* Made by isagen from grammar/names.tbl. */\n#ifndef PX_ISA_SREGS_H\n#define PX_ISA_SREGS_H\n\n"
          "enum px_sreg_id {\n    PX_SR_NONE,\n",
          out);
    for (int i = 0; i < ig.nsregs; i++) fprintf(out, "    PX_SR_%s,\n", identifier(ig.sregs[i].name));
    fputs("    PX_SR_COUNT\n};\n\n#endif\n", out);
}

void ig_emit_messages(FILE *out)
{
    fputs("/* Made by isagen: what a violated condition is called in the tables. */\n#ifndef "
          "PX_ISA_MESSAGES_H\n"
          "#define PX_ISA_MESSAGES_H\n\nenum px_where_message {\n    PX_WM_NONE,\n",
          out);
    for (int i = 0; i < ig.nmessages; i++) fprintf(out, "    PX_WM_%s,\n", ig.messages[i]);
    fputs("    PX_WM_COUNT\n};\n\n#endif\n", out);
}

/* ---- the perfect hash ---- */

enum { BUCKET_SHIFT = 2 };
static uint32_t hash(const char *s, uint32_t seed)
{
    return px_word_hash(s, strlen(s), seed);
}

struct bucket {
    int n, words[64], number;
};

static int by_size(const void *a, const void *b)
{
    const struct bucket *x = a, *y = b;
    return y->n != x->n ? y->n - x->n : x->number - y->number;
}

static bool place(const struct bucket *b, uint32_t seed, uint16_t *slots, uint32_t mask)
{
    for (int i = 0; i < b->n; i++) {
        uint32_t at = hash(ig.words.text[b->words[i] - 1], seed) & mask;
        if (slots[at]) {
            while (i--) slots[hash(ig.words.text[b->words[i] - 1], seed) & mask] = 0;
            return false;
        }
        slots[at] = (uint16_t)b->words[i];
    }
    return true;
}

static void emit_u16(FILE *out, const char *name, const uint16_t *v, int n)
{
    fprintf(out, "const uint16_t %s[] = {", name);
    for (int i = 0; i < n; i++) fprintf(out, "%s%u,", i % 24 ? "" : "\n    ", v[i]);
    fputs("\n};\n", out);
}

static void emit_hash(FILE *out)
{
    uint32_t size = 1024;
    while (size < (uint32_t)ig.words.n * 3 / 2) size *= 2;
    uint32_t nbuckets = size >> BUCKET_SHIFT;
    uint16_t *slots = ig_alloc(size * sizeof *slots), *seeds = ig_alloc(nbuckets * sizeof *seeds);
    struct bucket *buckets = ig_alloc(nbuckets * sizeof *buckets);
    for (uint32_t i = 0; i < nbuckets; i++) buckets[i].number = (int)i;
    for (int i = 0; i < ig.words.n; i++) {
        struct bucket *b = &buckets[hash(ig.words.text[i], 0) & (nbuckets - 1)];
        b->words[b->n++] = i + 1;
    }
    qsort(buckets, nbuckets, sizeof *buckets, by_size);
    for (uint32_t i = 0; i < nbuckets && buckets[i].n; i++) {
        uint32_t seed = 1;
        while (!place(&buckets[i], seed, slots, size - 1))
            if (++seed == 65536) ig_error((struct ig_place){"isagen", 0}, "no perfect hash found");
        seeds[buckets[i].number] = (uint16_t)seed;
    }
    fprintf(out, "const uint32_t px_isa_hash_mask = %u, px_isa_bucket_mask = %u;\n", size - 1, nbuckets - 1);
    emit_u16(out, "px_isa_hash_slots", slots, (int)size);
    emit_u16(out, "px_isa_hash_seeds", seeds, (int)nbuckets);
}

static void emit_word_texts(FILE *out)
{
    uint16_t *offsets = ig_alloc((size_t)(ig.words.n + 2) * sizeof *offsets);
    uint32_t at = 1;
    fputs("const char px_isa_text[] = \"\\0\"", out);
    for (int i = 0; i < ig.words.n; i++) {
        fprintf(out, "%s\"%s\\0\"", i % 8 ? " " : "\n    ", ig.words.text[i]);
        offsets[i + 1] = (uint16_t)at;
        at += (uint32_t)strlen(ig.words.text[i]) + 1;
    }
    if (at > 65535) ig_error((struct ig_place){"isagen", 0}, "the words are longer than 64 KB");
    offsets[ig.words.n + 1] = (uint16_t)at;
    fputs(";\n", out);
    emit_u16(out, "px_isa_text_at", offsets, ig.words.n + 2);
    fprintf(out, "const uint16_t px_isa_nwords = %d;\n", ig.words.n);
}

static const char *class_code(const char *klass)
{
    static const struct {
        const char *name, *code;
    } codes[] = {{"pred", "PX_TC_PRED"},     {"bits", "PX_TC_BITS"},   {"unsigned", "PX_TC_UNSIGNED"},
                 {"signed", "PX_TC_SIGNED"}, {"float", "PX_TC_FLOAT"}, {"opaque", "PX_TC_OPAQUE"}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(codes[i].name, klass)) return codes[i].code;
    ig_error((struct ig_place){"names.tbl", 0}, "type class '%s'", klass);
}

static void emit_word_sregs(FILE *out)
{
    uint8_t *of_word = ig_alloc((size_t)ig.words.n + 1);
    for (int i = 0; i < ig.nsregs; i++)
        of_word[ig_word_find(ig.sregs[i].name, strlen(ig.sregs[i].name))] = (uint8_t)(i + 1);
    fputs("const uint8_t px_isa_word_sreg[] = {", out);
    for (int i = 0; i <= ig.words.n; i++) fprintf(out, "%s%d,", i % 40 ? "" : "\n    ", of_word[i]);
    fputs("\n};\n", out);
}

static void emit_names(FILE *out)
{
    fprintf(out,
            "_Static_assert((int)PX_T_PRED == PX_W_pred && (int)PX_T_F32X2 == PX_W_f32x2 && (int)PX_T_OTHER "
            "== PX_W_e4m3,\n"
            "               \"names.tbl lists the types in the order of enum px_type\");\n"
            "const uint16_t px_isa_ntypes = %d;\nconst struct px_type_info px_isa_types[] = {\n"
            "    {\"\", 0, 0, 0, 0, false},\n",
            ig.ntypes + 1);
    for (int i = 0; i < ig.ntypes; i++) {
        struct ig_type *t = &ig.types[i];
        fprintf(out, "    {\"%s\", %d, %d, %s, %d, %d},\n", t->name, i + 1, t->bits, class_code(t->klass),
                ig_type_find(t->reg, strlen(t->reg)), t->decl);
    }
    fputs("};\nconst bool px_isa_type_noimm[] = {\n    0,", out);
    for (int i = 0; i < ig.ntypes; i++) fprintf(out, " %d,", ig.types[i].noimm);
    fputs("\n};\nconst struct px_isa_space px_isa_spaces[] = {\n", out);
    for (int i = 0; i < ig.nspaces; i++)
        fprintf(out, "    {%d, PX_SPACE_%s},\n", ig_word(ig.spaces[i].name, strlen(ig.spaces[i].name)),
                ig.spaces[i].code);
    fprintf(out, "};\nconst uint16_t px_isa_nspaces = %d;\nconst struct px_sreg px_isa_sregs[] = {\n",
            ig.nspaces);
    for (int i = 0; i < ig.nsregs; i++) {
        struct ig_sreg *s = &ig.sregs[i];
        int directive = s->directive ? ig_word_find(s->directive, strlen(s->directive)) : 0;
        if (s->directive && !directive)
            ig_error((struct ig_place){"names.tbl", 0}, "'%s' needs an unknown directive", s->name);
        fprintf(out, "    {%d, %d, %d, %d, %d, PX_SR_%s, %d, PX_DIFFERS_%s},\n",
                ig_word(s->name, strlen(s->name)), ig_type_find(s->type, strlen(s->type)), s->components,
                s->ptx, ig.targets[s->target].sm, identifier(s->name), directive, s->differs);
    }
    fputs("};\n", out);
    emit_word_sregs(out);
    fputs("const struct px_isa_target px_isa_targets[] = {\n", out);
    for (int i = 0; i < ig.ntargets; i++)
        fprintf(out, "    {\"%s\", %d, %d, %d, {%d, %d}},\n", ig.targets[i].name,
                ig_word(ig.targets[i].name, strlen(ig.targets[i].name)), ig.targets[i].ptx,
                ig.targets[i].past, ig.targets[i].sm, ig.targets[i].suffix);
    fprintf(out, "};\nconst uint16_t px_isa_ntargets = %d;\nconst uint16_t px_isa_versions[] = {",
            ig.ntargets);
    for (int i = 0; i < ig.nversions; i++) fprintf(out, "%d, ", ig.versions[i]);
    fputs("0};\n", out);
}

/* ---- versions ---- */

static void lower(uint16_t *version, int ptx)
{
    if (!*version || ptx < *version) *version = (uint16_t)ptx;
}

/* The first version in which each word means something; 0 of a word that no row dates. */
static void emit_word_versions(FILE *out)
{
    uint16_t *versions = ig_alloc((size_t)(ig.words.n + 1) * sizeof *versions);
    for (int i = 0; i < ig.nforms; i++) {
        const struct ig_form *form = ig.forms[i];
        lower(&versions[form->opcode], form->since.ptx);
        for (int k = 0; k < form->nslots; k++)
            for (int v = 0; v < form->slots[k].n; v++) {
                int ptx = ig.sinces[form->slots[k].values[v].since].ptx;
                lower(&versions[form->slots[k].values[v].word],
                      ptx > form->since.ptx ? ptx : form->since.ptx);
            }
    }
    for (int i = 0; i < ig.nsregs; i++)
        lower(&versions[ig_word_find(ig.sregs[i].name, strlen(ig.sregs[i].name))], ig.sregs[i].ptx);
    for (int i = 0; i < ig.ndirectives; i++)
        lower(&versions[ig_word_find(ig.directives[i].name, strlen(ig.directives[i].name))],
              ig.directives[i].ptx);
    for (int i = 0; i < ig.words.n; i++)
        if (ig.words.always[i]) versions[i + 1] = 0;
    emit_u16(out, "px_isa_word_versions", versions, ig.words.n + 1);
}

void ig_emit_tables(FILE *out)
{
    fputs("/* Made by isagen from grammar/names.tbl and grammar/isa.tbl. */\n#include "
          "\"gen/isa_messages.h\"\n#include \"gen/isa_sregs.h\"\n#include \"isa/table.h\"\n\n"
          "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n",
          out);
    emit_word_texts(out);
    emit_hash(out);
    emit_names(out);
    ig_emit_directives(out);
    emit_word_versions(out);
    ig_emit_op_flags(out);
    ig_emit_forms(out);
}
