/* isagen_docs.c - writes the instruction page (Markdown) and the fuzzing dictionary. */
#include "isagen.h"
#include <string.h>

static char *since_text(struct ig_since s)
{
    const char *target = s.set ? ig.target_sets[s.set].name : ig_format("sm_%d", s.sm);
    return ig_format("%d.%d, %s", s.ptx / 10, s.ptx % 10, target);
}

static void emit_slot(FILE *out, const struct ig_slot *slot)
{
    fprintf(out, "  - `.%s` =", ig.words.text[slot->name - 1]);
    for (int i = 0; i < slot->n; i++) {
        fprintf(out, "%s `.%s`", i ? "," : "", ig.words.text[slot->values[i].word - 1]);
        if (slot->values[i].since) fprintf(out, " (%s)", since_text(ig.sinces[slot->values[i].since]));
    }
    fputc('\n', out);
}

static void emit_form(FILE *out, const struct ig_form *f)
{
    fprintf(out, "- `%s`  \n  since %s; %s\n", f->syntax, since_text(f->since),
            f->executable ? "executed" : "checked only");
    for (int i = 0; i < f->nslots; i++)
        if (!f->slots[i].literal) emit_slot(out, &f->slots[i]);
}

void ig_emit_docs(FILE *out)
{
    const char *section = "";
    fputs("# Instructions\n\nMade from grammar/isa.tbl. `{x}` is optional; a slot lists its words below its "
          "form.\n",
          out);
    for (int i = 0; i < ig.nforms; i++) {
        const struct ig_form *f = ig.forms[i];
        if (strcmp(f->section, section)) fprintf(out, "\n## %s\n\n", section = f->section);
        emit_form(out, f);
    }
}

void ig_emit_dict(FILE *out)
{
    for (int i = 0; i < ig.words.n; i++)
        if (ig.words.plain[i]) fprintf(out, "\"%s%s\"\n", ig.words.modifier[i] ? "." : "", ig.words.text[i]);
}
