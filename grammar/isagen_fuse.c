/*
 * isagen_fuse.c - handlers that do several statements in one loop: `fuse FIRST SHAPE SECOND SHAPE ...` lines.
 *
 * FIRST, SECOND and so on (up to MOST) are handlers by name (mul_f32); the shape says of each source whether
 * it is a row (r) or a scalar (s), and in all but that of FIRST a t is what the statement before computed,
 * which nobody else reads. All but t lie in the record's a, b, c, source4, source5, source6, in order.
 * lib/code/ir/fusion.c takes one statement after the other, so what a longer line begins with is a line, too.
 */
#include "isagen.h"
#include <string.h>

enum { FUSED = 128, MOST = 4, PLACES = 6 };

static struct ig_fuse {
    struct ig_place at;
    int n; /* statements */
    const char *name[MOST], *shape[MOST];
    const struct ig_handler *h[MOST];
} fuses[FUSED];
static int nfuses;

void ig_read_fuse(struct ig_place at, const char *s)
{
    if (nfuses == FUSED) ig_error(at, "more than %d fuse lines", FUSED);
    struct ig_fuse *f = &fuses[nfuses++];
    f->at = at;
    while (*s) {
        if (f->n == MOST) ig_error(at, "fuse takes %d handlers at most, each with its shape", MOST);
        for (int i = 0; i < 2; i++) {
            size_t n = strcspn(s, " \t");
            if (!n) ig_error(at, "fuse wants handlers, each with its shape");
            *(i ? &f->shape[f->n] : &f->name[f->n]) = ig_text(s, n);
            s += n;
            s += strspn(s, " \t");
        }
        f->n++;
    }
    if (f->n < 2) ig_error(at, "fuse wants two handlers or more, each with its shape");
}

void ig_each_fused(void (*visit)(const char *name))
{
    for (int i = 0; i < nfuses; i++)
        for (int k = 0; k < fuses[i].n; k++) visit(fuses[i].name[k]);
}

/* Any row's name of the handler will do; from here on it is the one that it bears. */
static void find(struct ig_fuse *f)
{
    for (int k = 0; k < f->n; k++) {
        f->h[k] = ig_handler_find(f->name[k]);
        if (!f->h[k]) ig_error(f->at, "there is no handler '%s'", f->name[k]);
        f->name[k] = f->h[k]->name;
    }
}

/* The type of the row's bits: signed numbers and floats lie there as the same ones. */
static const char *bits_of(const struct ig_lane_type *t)
{
    if (!strcmp(t->row, "float")) return "uint32_t";
    if (!strcmp(t->row, "double")) return "uint64_t";
    return t->row[0] == 'i' ? ig_format("u%s", t->row) : t->row;
}

/* The statement's shape, and that it can take what the one before it computes. */
static void resolve_one(struct ig_fuse *f, int k)
{
    if (f->h[k]->cc || f->h[k]->e) ig_error(f->at, "%s has more than one result", f->name[k]);
    if ((int)strlen(f->shape[k]) != f->h[k]->ns ||
        strspn(f->shape[k], k ? "rst" : "rs") != strlen(f->shape[k]))
        ig_error(f->at, "'%s' is no shape of %s", f->shape[k], f->name[k]);
    if (!k) return;
    const char *t = strchr(f->shape[k], 't');
    if (!t || strchr(t + 1, 't')) ig_error(f->at, "one source of %s is t", f->name[k]);
    const struct ig_lane_type *from = ig_lane_type(f->h[k - 1], f->h[k - 1]->d);
    const struct ig_lane_type *to = ig_lane_type(f->h[k], f->h[k]->sources[t - f->shape[k]]);
    if (strcmp(bits_of(from), bits_of(to))) ig_error(f->at, "%s reads no %s", f->name[k], from->row);
}

/* The first n statements as a name. */
static const char *name_of(const struct ig_fuse *f, int n)
{
    const char *name = "";
    for (int k = 0; k < n; k++) name = ig_format("%s%s%s_%s", name, k ? "_" : "", f->name[k], f->shape[k]);
    return name;
}

/* How many places the sources of the first n statements take. */
static int places(const struct ig_fuse *f, int n)
{
    int taken = 0;
    for (int k = 0; k < n; k++) taken += f->h[k]->ns - (k > 0);
    return taken;
}

static void resolve(struct ig_fuse *f)
{
    bool begun = f->n == 2;
    for (int k = 0; k < f->n; k++) resolve_one(f, k);
    if (places(f, f->n) > PLACES) ig_error(f->at, "more than %d sources", PLACES);
    for (int i = 0; i < nfuses && !begun; i++)
        begun = fuses[i].n == f->n - 1 && !strcmp(name_of(&fuses[i], f->n - 1), name_of(f, f->n - 1));
    if (!begun) ig_error(f->at, "there is no fuse line of all but its last handler");
}

/* The record's field of a source; NULL for t. */
static const char *field(const struct ig_fuse *f, int k, int source)
{
    static const char *const fields[PLACES] = {"a", "b", "c", "source4", "source5", "source6"};
    int n = places(f, k);
    if (f->shape[k][source] == 't') return NULL;
    for (int i = 0; i < source; i++) n += f->shape[k][i] != 't';
    return fields[n];
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

/* What the statement before k computed, as an element of a row of this type. */
static const char *passed(const struct ig_fuse *f, int k, const struct ig_lane_type *to)
{
    const struct ig_lane_type *from = ig_lane_type(f->h[k - 1], f->h[k - 1]->d);
    const bool was = strchr("fd", from->row[0]), is = strchr("fd", to->row[0]);
    if (was == is) return ig_format("t%d", k - 1);
    return ig_format("px_%s%d(t%d)", is ? "float_b" : "bits_f", strstr(bits_of(to), "32") ? 32 : 64, k - 1);
}

static void statement(FILE *out, const struct ig_fuse *f, int k)
{
    const struct ig_handler *h = f->h[k];
    const struct ig_lane_type *d = ig_lane_type(h, h->d);
    fputs("        {\n", out);
    for (int i = 0; i < h->ns; i++) {
        const struct ig_lane_type *t = ig_lane_type(h, h->sources[i]);
        const char *value = f->shape[k][i] == 't'   ? passed(f, k, t)
                            : f->shape[k][i] == 's' ? ig_format("s%d%d", k, i)
                                                    : ig_format("p%d%d[i]", k, i);
        fprintf(out, "            const %s %c = ", t->value, 'a' + i);
        fprintf(out, t->get, value);
        fputs(";\n", out);
    }
    fprintf(out, "            %s d;\n            %s\n            t%d = ", d->value, h->statement, k);
    fprintf(out, d->put, "d");
    fputs(";\n        }\n", out);
}

static void function(FILE *out, const struct ig_fuse *f, bool masked)
{
    const int last = f->n - 1;
    const char *d = ig_lane_type(f->h[last], f->h[last]->d)->row;
    const char *name = ig_format("%s%s", name_of(f, f->n), masked ? "_masked" : "");
    fprintf(out,
            "\npx_handler_function PX_AT_LEVEL(%s);\n"
            "int PX_AT_LEVEL(%s)(struct px_gang *g, const struct px_insn *in)\n{\n",
            name, name);
    for (int k = 0; k < f->n; k++) opened(out, f, k);
    fprintf(out, "    %s *pd = PX_ROW(g, %s, in->d);\n    const uint32_t n = g->n & ~31u;\n", d, d);
    if (masked) fputs("    const uint32_t *mask = PX_ROW(g, uint32_t, in->m);\n", out);
    fputs("#pragma GCC ivdep\n    for (uint32_t i = 0; i < n; i++) {\n", out);
    for (int k = 0; k < f->n; k++)
        fprintf(out, "        %s t%d;\n", ig_lane_type(f->h[k], f->h[k]->d)->row, k);
    for (int k = 0; k < f->n; k++) statement(out, f, k);
    fprintf(out, masked ? "        pd[i] = mask[i] ? t%d : pd[i];\n" : "        pd[i] = t%d;\n", last);
    fprintf(out, "    }\n    return PX_STEP_SKIP%s;\n}\n", f->n == 2 ? "" : ig_format("%d", last));
}

/* Which sources are scalars, as bits. */
static int shape_bits(const char *shape)
{
    int bits = 0;
    for (int i = 0; shape[i]; i++) bits |= (shape[i] == 's') << i;
    return bits;
}

static void entry(FILE *out, const struct ig_fuse *f)
{
    const char *ops = "", *shapes = "", *at = "", *sources = "";
    for (int k = 0; k < f->n; k++) {
        const char *t = strchr(f->shape[k], 't'), *comma = k ? ", " : "";
        ops = ig_format("%s%s%d", ops, comma, (int)(f->h[k] - ig_handler(0)));
        shapes = ig_format("%s%s%d", shapes, comma, shape_bits(f->shape[k]));
        at = ig_format("%s%s%d", at, comma, t ? (int)(t - f->shape[k]) : 0);
        sources = ig_format("%s%s%d", sources, comma, f->h[k]->ns);
    }
    fprintf(out, "    {PX_AT_LEVEL(%s), ", name_of(f, f->n));
    fprintf(out, f->h[f->n - 1]->hot ? "PX_AT_LEVEL(%s_masked)" : "NULL", name_of(f, f->n));
    fprintf(out, ", {%s}, {%s}, {%s}, {%s}, %d},\n", ops, shapes, at, sources, f->n);
}

void ig_emit_fused(FILE *out)
{
    fputs("/* Made by isagen: handlers of several statements, for one SIMD level. */\n"
          "#include \"ops/lane.h\"\n#include \"ops/row.h\"\n\n",
          out);
    for (int i = 0; i < nfuses; i++) find(&fuses[i]);
    for (int i = 0; i < nfuses; i++) resolve(&fuses[i]);
    for (int i = 0; i < nfuses; i++) {
        const struct ig_fuse *f = &fuses[i];
        function(out, f, false);
        if (f->h[f->n - 1]->hot) function(out, f, true);
    }
}

static void declare(FILE *out, const struct ig_fuse *f)
{
    fprintf(out, "px_handler_function PX_AT_LEVEL(%s);\n", name_of(f, f->n));
    if (f->h[f->n - 1]->hot) fprintf(out, "px_handler_function PX_AT_LEVEL(%s_masked);\n", name_of(f, f->n));
}

void ig_emit_fused_list(FILE *out)
{
    for (int i = 0; i < nfuses; i++) declare(out, &fuses[i]);
    fputs("\nconst struct px_fused PX_AT_LEVEL(fused)[] = {\n", out);
    for (int i = 0; i < nfuses; i++) entry(out, &fuses[i]);
    fputs("    {0}};\n", out);
}
