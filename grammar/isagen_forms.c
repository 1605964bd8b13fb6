/* isagen_forms.c - writes the form tables of isa_tables.c: forms, slots, operands, functions, conditions. */
#include "isagen.h"
#include <stdlib.h>
#include <string.h>

struct blob {
    char *text;
    size_t n;
};

static uint32_t intern(struct blob *b, const char *s)
{
    size_t len = strlen(s) + 1;
    for (size_t at = 0; at < b->n; at += strlen(b->text + at) + 1)
        if (!strcmp(b->text + at, s)) return (uint32_t)at;
    char *grown = ig_alloc(b->n + len);
    memcpy(grown, b->text, b->n);
    memcpy(grown + b->n, s, len);
    *b = (struct blob){grown, b->n + len};
    return (uint32_t)(b->n - len);
}

static struct blob names;
uint32_t ig_name(const char *s)
{
    return intern(&names, s);
}

static uint8_t elems[IG_POOL];
static int nelems;

static int by_opcode(const void *a, const void *b)
{
    const struct ig_form *x = *(struct ig_form *const *)a, *y = *(struct ig_form *const *)b;
    if (x->opcode != y->opcode) return x->opcode - y->opcode;
    return x->at.file != y->at.file ? strcmp(x->at.file, y->at.file) : x->at.line - y->at.line;
}

/* n, in braces (or the divisor when n is 0), m, m types: see px_isa_elems in lib/isa/table.h. */
static int put_elems(const struct ig_elems *e)
{
    int m = e->n < IG_ELEMS ? e->n : IG_ELEMS, at = nelems;
    m = m ? m : 1;
    while (m > 1 && e->type[m - 1] == e->type[m - 2]) m--;
    if (nelems + 3 + m >= IG_POOL) ig_error((struct ig_place){"isa.tbl", 0}, "too many operand types");
    elems[nelems++] = (uint8_t)e->n;
    elems[nelems++] = e->n ? e->vector : (uint8_t)e->divisor;
    elems[nelems++] = (uint8_t)m;
    for (int i = 0; i < m; i++) elems[nelems++] = (uint8_t)e->type[i];
    return at;
}

static void emit_fns(FILE *out)
{
    int first = 0;
    fputs("const struct px_isa_fn px_isa_fns[] = {\n", out);
    for (int i = 0; i < ig.nfns; i++) {
        int n = ig.fns[i].is_text ? 0 : ig.fns[i].n;
        fprintf(out, "    {%d, %d, %d},\n", first, n, ig.fns[i].nargs);
        first += n;
    }
    fputs("    {0, 0, 0}\n};\nconst struct px_isa_entry px_isa_entries[] = {\n", out);
    for (int i = 0; i < ig.nfns; i++)
        for (int k = 0; !ig.fns[i].is_text && k < ig.fns[i].n; k++) {
            const struct ig_entry *e = &ig.fns[i].entries[k];
            fprintf(out, "    {{%d, %d, %d, %d}, %d},\n", (uint16_t)e->key[0], (uint16_t)e->key[1],
                    (uint16_t)e->key[2], (uint16_t)e->key[3], put_elems(&e->value));
        }
    fputs("    {{0}, 0}\n};\n", out);
}

static void emit_opd(FILE *out, const struct ig_opd *o)
{
    static const char *const kinds[] = {"REG",  "PRED", "ADDR",    "VEC",    "IMM",  "LABEL",
                                        "FUNC", "LIST", "TEXADDR", "TENSOR", "OTHER"};
    const struct ig_tspec *t = &o->type;
    int index = t->kind == IG_T_FIXED ? put_elems(&t->fixed) : t->kind == IG_T_FN ? t->fn : 0;
    fprintf(
        out,
        "    {PX_OK_%s, %d, %d, %d, %d, %d, %d, %d, {%d, %d, %d, %d}, %d, 0x%x, %d, %lldll, %lldll, %u},\n",
        kinds[o->kind], o->space, o->partner, o->part_first, o->nparts, t->kind, t->vec,
        t->slot < 0 ? 0 : t->slot, t->args[0], t->args[1], t->args[2], t->args[3], index, o->flags, o->step,
        (long long)o->lo, (long long)o->hi, intern(&names, o->name));
}

static bool has_float(const struct ig_form *form)
{
    for (int i = 0; i < form->nopds; i++) {
        const struct ig_tspec *t = &form->opds[i].type;
        const struct ig_slot *slot = t->kind == IG_T_SLOT ? &form->slots[t->slot] : NULL;
        if (t->kind == IG_T_FIXED && t->fixed.type[0] &&
            !strcmp(ig.types[t->fixed.type[0] - 1].klass, "float"))
            return true;
        for (int v = 0; slot && v < slot->n; v++)
            if (slot->values[v].word <= ig.ntypes &&
                !strcmp(ig.types[slot->values[v].word - 1].klass, "float"))
                return true;
    }
    return false;
}

bool ig_has_mode(const struct ig_form *form)
{
    return form->mode || (!form->bits && !form->home && has_float(form));
}

static bool takes(const struct ig_slot *slot, int word)
{
    for (int i = 0; i < slot->n; i++)
        if (slot->values[i].word == word) return true;
    return false;
}

/* How many of the first slots hold the rest of the instruction's name: the most that any name of the opcode
 * covers. */
static int fixed_slots(const struct ig_form *f)
{
    int most = 0;
    for (int i = 0; i < ig.nnames; i++) {
        const int *w = ig.names[i].words;
        int k = 1, slot = 0;
        if (ig.names[i].loose || w[0] != f->opcode) continue;
        while (k < 6 && w[k] && slot < f->nslots && takes(&f->slots[slot], w[k])) {
            k++;
            slot++;
        }
        if ((k == 6 || !w[k]) && slot > most) most = slot;
    }
    return most;
}

/* Is " a b " a list with the form's name in it? The name is the opcode with the words that come right after
 * it. */
static bool listed(const char *names_of, const struct ig_form *f)
{
    const char *name = ig.words.text[f->opcode - 1];
    for (int i = 0; i < fixed_slots(f); i++)
        name = ig_format("%s.%s", name, ig.words.text[f->slots[i].values[0].word - 1]);
    return strstr(names_of, ig_format(" %s ", name));
}

/* Bit i: the words of ig.overlooked[i] do no harm on this form. */
static unsigned overlooks(const struct ig_form *f)
{
    unsigned bits = 0;
    for (int i = 0; i < ig.noverlooked; i++)
        bits |= (unsigned)(listed(ig.overlooked[i].names, f) != ig.overlooked[i].all_but) << i;
    return bits;
}

static void emit_form_rows(FILE *out)
{
    int slot = 0, opd = 0, part = 0, clause = 0;
    fprintf(out, "const uint16_t px_isa_nforms = %d;\nconst struct px_form px_isa_forms[] = {\n    {0},\n",
            ig.nforms);
    for (int i = 0; i < ig.nforms; i++) {
        struct ig_form *f = ig.forms[i];
        bool pair = f->nopds && f->opds[0].flags & IG_F_PAIR_OPTIONAL;
        bool mode = f->statement && ig_has_mode(f);
        if (f->nspec > 6) ig_error(f->at, "a statement specialises on at most 6 slots");
        fprintf(out, "    {%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %u, {", f->opcode,
                slot, opd, part, clause, ig_since_index(f->since), f->op ? ig_op_number(f->op) : 0, f->nslots,
                fixed_slots(f), f->nopds, f->min_opds, f->nparts, f->nclauses, f->nspec,
                f->executable | mode << 1 | pair << 2 | f->compare << 3 | f->wide << 4 | f->home << 5 |
                    f->video << 6,
                overlooks(f));
        for (int k = 0; k < f->nspec; k++) fprintf(out, "%d%s", f->spec[k], k + 1 < f->nspec ? ", " : "");
        fprintf(out, "%s}, %d, %d, %u, %u},\n", f->nspec ? "" : "0", f->copy,
                f->statement ? f->handler_first : -1, intern(&names, f->syntax), intern(&names, f->section));
        slot += f->nslots;
        opd += f->nopds;
        part += f->nparts;
        clause += f->nclauses;
    }
    fputs("};\n", out);
}

static void emit_slots(FILE *out)
{
    int first = 0;
    fputs("const struct px_isa_slot px_isa_slots[] = {\n", out);
    for (int i = 0; i < ig.nforms; i++)
        for (int k = 0; k < ig.forms[i]->nslots; k++) {
            const struct ig_slot *s = &ig.forms[i]->slots[k];
            fprintf(out, "    {%d, %d, %d, %d},\n", s->name, first, s->n, s->optional);
            first += s->n;
        }
    fputs("    {0, 0, 0, 0}\n};\nconst struct px_isa_value px_isa_values[] = {", out);
    for (int i = 0; i < ig.nforms; i++)
        for (int k = 0; k < ig.forms[i]->nslots; k++)
            for (int v = 0; v < ig.forms[i]->slots[k].n; v++)
                fprintf(out, "%s{%d, %d}, ", v ? "" : "\n    ", ig.forms[i]->slots[k].values[v].word,
                        ig.forms[i]->slots[k].values[v].since);
    fputs("{0, 0}\n};\n", out);
    if (first > 65535) ig_error((struct ig_place){"isa.tbl", 0}, "too many values");
}

static void emit_operands(FILE *out)
{
    fputs("const struct px_opd px_isa_opds[] = {\n", out);
    for (int i = 0; i < ig.nforms; i++)
        for (int k = 0; k < ig.forms[i]->nopds; k++) emit_opd(out, &ig.forms[i]->opds[k]);
    fputs("    {0}\n};\nconst struct px_opd px_isa_parts[] = {\n", out);
    for (int i = 0; i < ig.nforms; i++)
        for (int k = 0; k < ig.forms[i]->nparts; k++) emit_opd(out, &ig.forms[i]->parts[k]);
    fputs("    {0}\n};\n", out);
}

static void emit_clauses(FILE *out)
{
    fputs("const struct px_isa_clause px_isa_clauses[] = {\n", out);
    for (int i = 0; i < ig.nforms; i++)
        for (int k = 0; k < ig.forms[i]->nclauses; k++) {
            const struct ig_clause *c = &ig.forms[i]->clauses[k];
            fprintf(out, "    {%d, %s%s, %d, %d, %d},\n", c->kind, c->message ? "PX_WM_" : "0",
                    c->message ? c->message : "", c->first, c->len, c->since);
        }
    fputs("    {0, 0, 0, 0, 0}\n};\n", out);
}

static void emit_numbers(FILE *out, const char *name, const uint16_t *v, int n)
{
    fprintf(out, "const uint16_t %s[] = {", name);
    for (int i = 0; i < n; i++) fprintf(out, "%s%u,", i % 24 ? "" : "\n    ", v[i]);
    fputs("\n    0};\n", out);
}

static void emit_sinces(FILE *out)
{
    fputs("const struct px_since px_isa_sinces[] = {\n", out);
    for (int i = 0; i < ig.nsinces; i++)
        fprintf(out, "    {%d, %d, %d, %u},\n", ig.sinces[i].ptx, ig.sinces[i].sm, ig.sinces[i].set,
                intern(&names, ig.sinces[i].feature ? ig.sinces[i].feature : ""));
    fputs("};\nconst uint64_t px_isa_target_sets[] = {0,\n", out);
    for (int i = 1; i < ig.ntarget_sets; i++)
        fprintf(out, "    0x%llxull, /* %s */\n", (unsigned long long)ig.target_sets[i].bits,
                ig.target_sets[i].name);
    fputs("};\n", out);
}

static void emit_word_tables(FILE *out)
{
    uint16_t *first = ig_alloc((size_t)(ig.words.n + 1) * sizeof *first);
    for (int i = ig.nforms; i-- > 0;) first[ig.forms[i]->opcode] = (uint16_t)(i + 1);
    emit_numbers(out, "px_isa_form_first", first, ig.words.n + 1);
    for (int i = 0; i < ig.words.n; i++)
        if (ig.words.repeated[i] && !ig.words.modifier[i])
            ig_error((struct ig_place){"isa.tbl", 0}, "'%s' is repeated, and no modifier", ig.words.text[i]);
    fputs("const uint8_t px_isa_word_flags[] = {0,", out);
    for (int i = 0; i < ig.words.n; i++)
        fprintf(out, "%s%d,", i % 40 ? "" : "\n    ",
                ig.words.modifier[i] | ig.words.opcode[i] << 1 | ig.words.plain_name[i] << 2 |
                    ig.words.repeated[i] << 3);
    fputs("\n};\n", out);
    uint16_t *sets = ig_alloc((size_t)(ig.words.n + 1) * sizeof *sets);
    for (int i = 0; i < ig.noverlooked; i++)
        for (int k = 0; k < ig.overlooked[i].nwords; k++)
            sets[ig.overlooked[i].words[k]] |= (uint16_t)(1u << i);
    emit_numbers(out, "px_isa_overlooked", sets, ig.words.n + 1);
}

static void emit_features(FILE *out)
{
    fputs("const struct px_isa_value px_isa_features[] = {\n", out);
    for (int i = 0; i < ig.features.n; i++)
        fprintf(out, "    {%d, %d},\n", ig.features.values[i].word, ig.features.values[i].since);
    fputs("    {0, 0}\n};\n", out);
}

static void emit_names(FILE *out)
{
    fputs("const uint16_t px_isa_inst_names[][7] = {\n", out);
    for (int i = 0; i < ig.nnames; i++) {
        const int *w = ig.names[i].words;
        fprintf(out, "    {%d, %d, %d, %d, %d, %d, %d},\n", w[0], w[1], w[2], w[3], w[4], w[5],
                ig.names[i].loose);
    }
    fprintf(out, "    {0}\n};\nconst uint16_t px_isa_ninst_names = %d;\n", ig.nnames);
}

static void emit_blob(FILE *out)
{
    fputs("const char px_isa_names[] =", out);
    for (size_t at = 0; at < names.n; at += strlen(names.text + at) + 1)
        fprintf(out, "\n    \"%s\\0\"", names.text + at);
    fputs(";\nconst uint8_t px_isa_elems[] = {", out);
    for (int i = 0; i < nelems; i++) fprintf(out, "%s%d,", i % 40 ? "" : "\n    ", elems[i]);
    fputs("\n    0};\n", out);
}

void ig_sort_forms(void)
{
    qsort(ig.forms, (size_t)ig.nforms, sizeof *ig.forms, by_opcode);
}

void ig_emit_forms(FILE *out)
{
    intern(&names, "");
    emit_form_rows(out);
    emit_slots(out);
    emit_operands(out);
    emit_fns(out);
    emit_clauses(out);
    ig_emit_sets(out);
    ig_emit_kinds(out);
    ig_emit_copies(out);
    emit_word_tables(out);
    emit_sinces(out);
    emit_names(out);
    emit_features(out);
    emit_numbers(out, "px_isa_code", ig.code, ig.ncode);
    emit_numbers(out, "px_isa_lists", ig.lists, ig.nlists);
    emit_numbers(out, "px_isa_handlers", ig_handler_pool, ig_nhandler_pool);
    ig_emit_statements(out);
    emit_blob(out);
}
