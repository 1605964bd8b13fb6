/*
 * isagen_fuse.c - handlers that do two statements in one loop: `fuse FIRST SHAPE SECOND SHAPE` lines.
 *
 * FIRST and SECOND are handlers by name (mul_f32); the shape says of each source whether it is a row (r) or a
 * scalar (s), and in that of SECOND a t is what FIRST computed, which nobody else reads. The sources of
 * FIRST lie in the record's a, b, c, the others of SECOND in x[0], x[1], e. lib/code/fuse.c uses them.
 */
#include "isagen.h"
#include <string.h>

enum { FUSED = 64 };

static struct ig_fuse {
    struct ig_place at;
    const char *name[2], *shape[2];
    const struct ig_handler *h[2];
} fuses[FUSED];
static int nfuses;

void ig_read_fuse(struct ig_place at, const char *s)
{
    if (nfuses == FUSED) ig_error(at, "more than %d fuse lines", FUSED);
    struct ig_fuse *f = &fuses[nfuses++];
    f->at = at;
    for (int i = 0; i < 4; i++) {
        size_t n = strcspn(s, " \t");
        if (!n) ig_error(at, "fuse wants two handlers, each with its shape");
        *(i % 2 ? &f->shape[i / 2] : &f->name[i / 2]) = ig_text(s, n);
        s += n;
        s += strspn(s, " \t");
    }
    if (*s) ig_error(at, "fuse wants two handlers, each with its shape, and nothing behind them");
}

static const struct ig_handler *find(struct ig_place at, const char *name)
{
    for (int i = 0; i < ig_nhandlers; i++)
        if (!strcmp(ig_handler(i)->name, name)) return ig_handler(i);
    ig_error(at, "there is no handler '%s'", name);
}

/* Signed rows hold the same bits. */
static const char *unsigned_of(const struct ig_lane_type *t)
{
    return t->row[0] == 'i' ? ig_format("u%s", t->row) : t->row;
}

static void resolve(struct ig_fuse *f)
{
    for (int k = 0; k < 2; k++) {
        f->h[k] = find(f->at, f->name[k]);
        if (f->h[k]->cc || f->h[k]->e) ig_error(f->at, "%s has more than one result", f->name[k]);
        if ((int)strlen(f->shape[k]) != f->h[k]->ns ||
            strspn(f->shape[k], k ? "rst" : "rs") != strlen(f->shape[k]))
            ig_error(f->at, "'%s' is no shape of %s", f->shape[k], f->name[k]);
    }
    const char *t = strchr(f->shape[1], 't');
    if (!t || strchr(t + 1, 't')) ig_error(f->at, "one source of %s is t", f->name[1]);
    const struct ig_lane_type *from = ig_lane_type(f->h[0], f->h[0]->d);
    const struct ig_lane_type *to = ig_lane_type(f->h[1], f->h[1]->sources[t - f->shape[1]]);
    if (strcmp(unsigned_of(from), unsigned_of(to))) ig_error(f->at, "%s reads no %s", f->name[1], from->row);
}

static const char *name_of(const struct ig_fuse *f)
{
    return ig_format("%s_%s_%s_%s", f->name[0], f->shape[0], f->name[1], f->shape[1]);
}

/* The record's fields of the sources, in order; NULL for t. */
static const char *field(const struct ig_fuse *f, int k, int source)
{
    static const char *const first[] = {"a", "b", "c"}, *const second[] = {"x[0]", "x[1]", "e"};
    int n = 0;
    if (!k) return first[source];
    if (f->shape[1][source] == 't') return NULL;
    for (int i = 0; i < source; i++) n += f->shape[1][i] != 't';
    return second[n];
}

static void opened(FILE *out, const struct ig_fuse *f, int k)
{
    for (int i = 0; i < f->h[k]->ns; i++) {
        const char *row = ig_lane_type(f->h[k], f->h[k]->sources[i])->row, *place = field(f, k, i);
        if (!place) continue;
        if (f->shape[k][i] == 's')
            fprintf(out, "    const %s s%d%d = *PX_ROW(g, %s, in->%s);\n", row, k, i, row, place);
        else
            fprintf(out, "    const %s *p%d%d = PX_ROW(g, %s, in->%s);\n", row, k, i, row, place);
    }
}

static void statement(FILE *out, const struct ig_fuse *f, int k, const char *to)
{
    const struct ig_handler *h = f->h[k];
    const struct ig_lane_type *d = ig_lane_type(h, h->d);
    fputs("        {\n", out);
    for (int i = 0; i < h->ns; i++) {
        const struct ig_lane_type *t = ig_lane_type(h, h->sources[i]);
        const char *value = f->shape[k][i] == 't'   ? "t"
                            : f->shape[k][i] == 's' ? ig_format("s%d%d", k, i)
                                                    : ig_format("p%d%d[i]", k, i);
        fprintf(out, "            const %s %c = ", t->value, 'a' + i);
        fprintf(out, t->get, value);
        fputs(";\n", out);
    }
    fprintf(out, "            %s d;\n            %s\n            %s = ", d->value, h->statement, to);
    fprintf(out, d->put, "d");
    fputs(";\n        }\n", out);
}

static void function(FILE *out, const struct ig_fuse *f, bool masked)
{
    const char *d = ig_lane_type(f->h[1], f->h[1]->d)->row;
    fprintf(out, "\nstatic int %s%s(struct px_gang *g, const struct px_insn *in)\n{\n", name_of(f),
            masked ? "_masked" : "");
    opened(out, f, 0);
    opened(out, f, 1);
    fprintf(out, "    %s *pd = PX_ROW(g, %s, in->d);\n    const uint32_t n = g->n & ~31u;\n", d, d);
    if (masked) fputs("    const uint32_t *mask = PX_ROW(g, uint32_t, in->m);\n", out);
    fputs("#pragma GCC ivdep\n    for (uint32_t i = 0; i < n; i++) {\n", out);
    fprintf(out, "        %s t;\n        %s u;\n", ig_lane_type(f->h[0], f->h[0]->d)->row, d);
    statement(out, f, 0, "t");
    statement(out, f, 1, "u");
    fprintf(out, "        pd[i] = %s;\n", masked ? "mask[i] ? u : pd[i]" : "u");
    fputs("    }\n    return PX_STEP_SKIP;\n}\n", out);
}

/* A scalar's shape in a name of a handler: t is a row there. */
static const char *plain_shape(const char *shape)
{
    char *s = (char *)ig_text(shape, strlen(shape));
    for (char *c = s; *c; c++)
        if (*c == 't') *c = 'r';
    return s;
}

void ig_emit_fused(FILE *out)
{
    fputs("/* Made by isagen: handlers of two statements, for one SIMD level. */\n"
          "#include \"ops/lane.h\"\n#include \"ops/row.h\"\n\n",
          out);
    for (int i = 0; i < nfuses; i++) resolve(&fuses[i]);
    for (int i = 0; i < nfuses; i++) {
        function(out, &fuses[i], false);
        if (fuses[i].h[1]->hot) function(out, &fuses[i], true);
    }
    fputs("\n", out);
    for (int i = 0; i < nfuses; i++) {
        for (int k = 0; k < 2; k++)
            fprintf(out, "px_handler_function PX_AT_LEVEL(%s_%s);\n", fuses[i].name[k],
                    plain_shape(fuses[i].shape[k]));
        if (fuses[i].h[1]->hot)
            fprintf(out, "px_handler_function PX_AT_LEVEL(%s_%s_masked);\n", fuses[i].name[1],
                    plain_shape(fuses[i].shape[1]));
    }
    fputs("\nconst struct px_fused PX_AT_LEVEL(fused)[] = {\n", out);
    for (int i = 0; i < nfuses; i++) {
        const struct ig_fuse *f = &fuses[i];
        const char *second = ig_format("%s_%s", f->name[1], plain_shape(f->shape[1]));
        fprintf(out, "    {PX_AT_LEVEL(%s_%s), PX_AT_LEVEL(%s), %s, ", f->name[0], plain_shape(f->shape[0]),
                second, name_of(f));
        if (f->h[1]->hot)
            fprintf(out, "PX_AT_LEVEL(%s_masked), %s_masked, ", second, name_of(f));
        else
            fputs("NULL, NULL, ", out);
        fprintf(out, "%d, %d},\n", (int)(strchr(f->shape[1], 't') - f->shape[1]), f->h[1]->ns);
    }
    fputs("    {0}};\n", out);
}
