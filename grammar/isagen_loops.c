/*
 * isagen_loops.c - the lane handlers as C text.
 *
 * A handler is a function with one loop over the lanes: rows and scalars are opened, the statement sees the
 * values of one lane, and what it gives is stored. There is one for each shape of the operands, and for hot
 * statements a second one that blends its results by the mask row. Each family of rows (`family` lines) has a
 * file for hot statements and one for the others, which the compiler takes less time for, so that a new row
 * changes one file; all compile side by side, once a SIMD level. handlers_table.c has the level's table of
 * all of them.
 */
#include "isagen.h"
#include <string.h>

enum { SHAPE_TEXT = 8 };

static const struct ig_lane_type lane_types[] = {
    {"u8", "uint16_t", "uint8_t", "(uint8_t)%s", "(uint16_t)%s"},
    {"s8", "uint16_t", "int8_t", "(int8_t)%s", "(uint16_t)(int16_t)%s"},
    {"u16", "uint16_t", "uint16_t", "%s", "%s"},
    {"s16", "int16_t", "int16_t", "%s", "%s"},
    {"u32", "uint32_t", "uint32_t", "%s", "%s"},
    {"s32", "int32_t", "int32_t", "%s", "%s"},
    {"u64", "uint64_t", "uint64_t", "%s", "%s"},
    {"s64", "int64_t", "int64_t", "%s", "%s"},
    {"u128", "px_b128", "px_b128", "%s", "%s"},
    {"f32", "float", "float", "%s", "%s"},
    {"f64", "double", "double", "%s", "%s"},
    {"pred", "uint32_t", "bool", "%s != 0", "0u - (uint32_t)%s"}, /* 0 or ~0 */
};

const struct ig_lane_type *ig_lane_type(const struct ig_handler *h, const char *name)
{
    for (size_t i = 0; i < sizeof lane_types / sizeof *lane_types; i++)
        if (!strcmp(lane_types[i].name, name)) return &lane_types[i];
    ig_error(h->at, "handler %s: lanes have no type '%s'", h->name, name);
}

/* ---- shapes ---- */

static bool is_scalar(const char *shape, int source)
{
    return (int)strlen(shape) > source && shape[source] == 's';
}

/* Index in px_handler_set.fn[]: bit i says that source i is a scalar. */
static int shape_index(const char *shape)
{
    return is_scalar(shape, 0) | is_scalar(shape, 1) << 1 | is_scalar(shape, 2) << 2;
}

/* The next shape of a list (rr_rs) in `shape`; the rest of the list, or NULL behind its end. */
static const char *next_shape(const struct ig_handler *h, const char *list, char shape[SHAPE_TEXT])
{
    size_t n = strcspn(list, "_");
    if (!*list) return NULL;
    if (strncmp(list, "none", n) && (n != (size_t)h->ns || strspn(list, "rs") != n))
        ig_error(h->at, "'%.*s' is no shape of %d sources", (int)n, list, h->ns);
    snprintf(shape, SHAPE_TEXT, "%.*s", (int)n, list);
    return list + n + (list[n] == '_');
}

/* ---- one function ---- */

/* A value of the lane: `const TYPE NAME = WHERE;`, made from what lies in the row. */
static void source_value(FILE *out, const struct ig_lane_type *t, char name, const char *where,
                         const char *indent)
{
    fprintf(out, "%sconst %s %c = ", indent, t->value, name);
    fprintf(out, t->get, where);
    fputs(";\n", out);
}

static bool is_used(const struct ig_handler *h, int source)
{
    return ig_mentions(h->statement, (char[]){(char)('a' + source), 0});
}

/* A scalar is read here, before the loop; of a row the place. */
static void open_source(FILE *out, const struct ig_handler *h, int i, const char *shape)
{
    const char name = (char)('a' + i);
    const struct ig_lane_type *t = ig_lane_type(h, h->sources[i]);
    const char *row = ig_format("PX_ROW(g, %s, in->%c)", t->row, name);
    if (!is_used(h, i)) return;
    if (is_scalar(shape, i))
        source_value(out, t, name, ig_format("*%s", row), "    ");
    else
        fprintf(out, "    const %s *p%c = %s;\n", t->row, name, row);
}

static void open_rows(FILE *out, const struct ig_handler *h, const char *shape, bool masked)
{
    const char *d = ig_lane_type(h, h->d)->row;
    for (int i = 0; i < h->ns; i++) open_source(out, h, i, shape);
    fprintf(out, "    %s *pd = PX_ROW(g, %s, in->d);\n", d, d);
    if (h->e) {
        const char *e = ig_lane_type(h, h->e)->row;
        fprintf(out, "    %s *pe = PX_ROW(g, %s, in->e);\n", e, e);
    }
    if (h->cc) fputs("    uint32_t *pcc = PX_ROW(g, uint32_t, in->carry);\n", out);
    if (masked) fputs("    const uint32_t *mask = PX_ROW(g, uint32_t, in->m);\n", out);
    fputs("    const uint32_t n = g->n & ~31u;\n", out);
}

static void store(FILE *out, const char *name, const char *value, bool masked)
{
    if (masked)
        fprintf(out, "        p%s[i] = mask[i] ? %s : p%s[i];\n", name, value, name);
    else
        fprintf(out, "        p%s[i] = %s;\n", name, value);
}

static void store_as(FILE *out, const struct ig_handler *h, const char *name, const char *type, bool masked)
{
    char value[64];
    snprintf(value, sizeof value, ig_lane_type(h, type)->put, name);
    store(out, name, value, masked);
}

static void loop(FILE *out, const struct ig_handler *h, const char *shape, bool masked)
{
    fputs("#pragma GCC ivdep\n    for (uint32_t i = 0; i < n; i++) {\n", out);
    for (int i = 0; i < h->ns; i++)
        if (is_used(h, i) && !is_scalar(shape, i))
            source_value(out, ig_lane_type(h, h->sources[i]), (char)('a' + i), ig_format("p%c[i]", 'a' + i),
                         "        ");
    fprintf(out, "        %s d;\n", ig_lane_type(h, h->d)->value);
    if (h->e) fprintf(out, "        %s e;\n", ig_lane_type(h, h->e)->value);
    if (h->cc) fputs("        uint32_t cc = pcc[i];\n", out);
    fprintf(out, "        %s\n", h->statement);
    store_as(out, h, "d", h->d, masked);
    if (h->e) store_as(out, h, "e", h->e, masked);
    if (h->cc) store(out, "cc", "cc", masked);
    fputs("    }\n", out);
}

/* ---- the same over vectors of lanes (lib/ops/vector.h) ---- */

/* The statement with the vector twin of each function: px_v_NAME for px_NAME. */
static const char *over_vectors(const struct ig_handler *h)
{
    const char *out = "";
    for (const char *s = h->statement, *next; *s; s = next) {
        next = strstr(s, "px_");
        next = next ? next + 3 : s + strlen(s);
        out = ig_format("%s%.*s%s", out, (int)(next - s), s,
                        next > s + 2 && !strncmp(next - 3, "px_", 3) ? "v_" : "");
    }
    return out;
}

static void vector_source(FILE *out, const struct ig_handler *h, int i, const char *from, const char *indent)
{
    const char *type = h->sources[i];
    fprintf(out, "%sconst px_v_%s %c = px_v_%s_%s(", indent, type, 'a' + i, from, type);
    fprintf(out, *from == 'a' ? "*p%c);\n" : "p%c + i);\n", 'a' + i);
}

/* Scalars are spread before the loop. */
static void vector_loop(FILE *out, const struct ig_handler *h, const char *shape)
{
    const char *d = ig_lane_type(h, h->d)->row;
    for (int i = 0; i < h->ns; i++) {
        const char *row = ig_lane_type(h, h->sources[i])->row, name = (char)('a' + i);
        fprintf(out, "    const %s *p%c = PX_ROW(g, %s, in->%c);\n", row, name, row, name);
        if (is_scalar(shape, i)) vector_source(out, h, i, "all", "    ");
    }
    fprintf(out, "    %s *pd = PX_ROW(g, %s, in->d);\n    const uint32_t n = g->n & ~31u;\n", d, d);
    fputs("    for (uint32_t i = 0; i < n; i += PX_VECTOR) {\n", out);
    for (int i = 0; i < h->ns; i++)
        if (!is_scalar(shape, i)) vector_source(out, h, i, "load", "        ");
    fprintf(out, "        px_v_%s d;\n        %s\n        px_v_store_%s(pd + i, d);\n    }\n", h->d,
            over_vectors(h), h->d);
}

static const char *function_name(const struct ig_handler *h, const char *shape, bool masked)
{
    return ig_format("%s_%s%s", h->name, shape, masked ? "_masked" : "");
}

static void function(FILE *out, const struct ig_handler *h, const char *shape, bool masked)
{
    const bool vectors = h->vector && !masked;
    fprintf(out, "\nint PX_AT_LEVEL(%s)(struct px_gang *g, const struct px_insn *in)\n{\n",
            function_name(h, shape, masked));
    if (vectors) {
        fprintf(out, "#ifdef PX_VECTOR%s\n", strstr(h->d, "64") ? "_64" : "");
        vector_loop(out, h, shape);
        fputs("#else\n", out);
    }
    open_rows(out, h, shape, masked);
    loop(out, h, shape, masked);
    if (vectors) fputs("#endif\n", out);
    fputs("    return PX_STEP_NEXT;\n}\n", out);
}

/* The same for one value that all lanes share: scalars in, a scalar out, no loop. */
static void alone(FILE *out, const struct ig_handler *h)
{
    const struct ig_lane_type *d = ig_lane_type(h, h->d);
    const char *shape = "sss";
    fprintf(out, "\nint PX_AT_LEVEL(%s)(struct px_gang *g, const struct px_insn *in)\n{\n", h->name);
    for (int i = 0; i < h->ns; i++) open_source(out, h, i, shape);
    fprintf(out, "    %s d;\n", d->value);
    if (h->e) fprintf(out, "    %s e;\n", ig_lane_type(h, h->e)->value);
    fprintf(out, "    %s\n    *PX_ROW(g, %s, in->d) = ", h->statement, d->row);
    fprintf(out, d->put, "d");
    fputs(";\n", out);
    if (h->e) {
        const struct ig_lane_type *e = ig_lane_type(h, h->e);
        fprintf(out, "    *PX_ROW(g, %s, in->e) = ", e->row);
        fprintf(out, e->put, "e");
        fputs(";\n", out);
    }
    fputs("    return PX_STEP_NEXT;\n}\n", out);
}

/* Statements that use the carry flag have none: it is a row. */
static bool has_alone(const struct ig_handler *h)
{
    return !h->cc;
}

/* ---- all of them ---- */

int ig_count_instances(const struct ig_handler *h)
{
    int n = 0;
    char shape[SHAPE_TEXT];
    for (const char *s = h->shapes; (s = next_shape(h, s, shape));) n++;
    return n;
}

static void functions(FILE *out, const struct ig_handler *h)
{
    char shape[SHAPE_TEXT];
    for (const char *s = h->shapes; (s = next_shape(h, s, shape));) {
        function(out, h, shape, false);
        if (h->hot) function(out, h, shape, true);
    }
}

static void head(FILE *out, const char *what)
{
    fprintf(out,
            "/* Made by isagen: handlers of the instruction table's statements, %s. */\n"
            "#include \"ops/lane.h\"\n#include \"ops/row.h\"\n#include \"ops/vector.h\"\n\n"
            "#pragma GCC diagnostic ignored \"-Wpedantic\" /* statements of the table may say __int128 */\n",
            what);
}

void ig_emit_loops(FILE *out, const struct ig_family *family, bool hot)
{
    head(out, hot ? "those of inner loops, for one SIMD level" : "for one SIMD level");
    for (int i = 0; i < ig_nhandlers; i++)
        if (ig_handler(i)->family == family && ig_handler(i)->hot == hot) functions(out, ig_handler(i));
}

/* Compiled once: one value needs no level. */
void ig_emit_alone(FILE *out, const struct ig_family *family)
{
    head(out, "for one value");
    for (int i = 0; i < ig_nhandlers; i++)
        if (ig_handler(i)->family == family && has_alone(ig_handler(i))) alone(out, ig_handler(i));
}

static void table_row(FILE *out, const struct ig_handler *h, bool masked)
{
    char shape[SHAPE_TEXT];
    fputs("{", out);
    for (const char *s = h->shapes, *comma = ""; (s = next_shape(h, s, shape)); comma = ", ")
        fprintf(out, "%s[%d] = PX_AT_LEVEL(%s)", comma, shape_index(shape), function_name(h, shape, masked));
    fputs("}", out);
}

static int is_f32(const char *type)
{
    return !strcmp(type, "f32");
}

static void table_entry(FILE *out, const struct ig_handler *h)
{
    int floats = 0;
    for (int i = 0; i < h->ns; i++) floats |= is_f32(h->sources[i]) << i;
    fprintf(out, "    {\n        .name = \"%s\",\n        .fn = {", h->name);
    table_row(out, h, false);
    if (h->hot) {
        fputs(",\n               ", out);
        table_row(out, h, true);
    }
    fprintf(out, "},\n        .elem = sizeof(%s)", ig_lane_type(h, h->d)->row);
    if (h->e) fputs(", .pair = true", out);
    if (h->cc) fputs(", .carry = true", out);
    if (h->swaps) fputs(", .swaps = true", out);
    if (has_alone(h)) fprintf(out, ", .alone = px_%s_alone", h->name);
    if (is_f32(h->d)) fputs(", .f32_result = true", out);
    if (floats) fprintf(out, ", .f32_sources = %d", floats);
    fputs("},\n", out);
}

static void declarations(FILE *out, const struct ig_handler *h)
{
    char shape[SHAPE_TEXT];
    if (has_alone(h)) fprintf(out, "px_handler_function px_%s_alone;\n", h->name);
    for (const char *s = h->shapes; (s = next_shape(h, s, shape));) {
        fprintf(out, "px_handler_function PX_AT_LEVEL(%s);\n", function_name(h, shape, false));
        if (h->hot) fprintf(out, "px_handler_function PX_AT_LEVEL(%s);\n", function_name(h, shape, true));
    }
}

void ig_emit_loop_table(FILE *out)
{
    fputs("/* Made by isagen: the handlers of one SIMD level by number, operand shape and mask. */\n"
          "#include \"ops/row.h\"\n\n",
          out);
    for (int i = 0; i < ig_nhandlers; i++) declarations(out, ig_handler(i));
    fputs("\nconst struct px_handler_set PX_AT_LEVEL(sets)[] = {\n", out);
    for (int i = 0; i < ig_nhandlers; i++) table_entry(out, ig_handler(i));
    fprintf(out, "    {0}};\nconst uint32_t PX_AT_LEVEL(nsets) = %d;\n\n", ig_nhandlers);
    ig_emit_fused_list(out);
}
