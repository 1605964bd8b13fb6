/* dump.c - the IR and the records as text, for who asked for them (ptx_device_config.dump_ir). */
#include "code/dump.h"
#include "code/emit/names.h"
#include "code/region/region.h"
#include <stdio.h>
#include <string.h>

static const char *const names[PX_PASS_COUNT] = {
#define PASS(name, function, lies, needs, gives, engine) #name,
#include "code/passes.def"
#undef PASS
    "records", "regions"};

const char *px_pass_name(enum px_pass_number pass)
{
    return names[pass];
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool take_word(struct px_dump *dump, const char *word, size_t length)
{
    if (is_word(word, length, "dot")) return dump->dot = true;
    if (is_word(word, length, "all")) return dump->passes = (1u << PX_PASS_COUNT) - 1, true;
    for (unsigned i = PX_PASS_lower; i < PX_PASS_COUNT; i++) {
        if (!is_word(word, length, names[i])) continue;
        dump->passes |= 1u << i;
        return true;
    }
    return false;
}

bool px_dump_parse(const char *words, struct px_dump *dump, const char **at, size_t *length)
{
    const char *word = words;
    dump->passes = 0;
    dump->dot = false;
    for (; *word && *word != ':'; word += *length, word += *word == ',') {
        *at = word;
        *length = strcspn(word, ",:");
        if (!take_word(dump, word, *length)) return false;
    }
    dump->function = word + (*word == ':');
    if (!dump->passes) dump->passes = 1u << (PX_PASS_records - 1);
    return true;
}

void px_dump_names(char *text, size_t size)
{
    size_t n = 0;
    for (unsigned i = PX_PASS_lower; i < PX_PASS_COUNT && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s, ", names[i]);
    if (n < size) snprintf(text + n, size - n, "all, dot");
}

void px_dump_after(const struct px_irfn *f, enum px_pass_number pass)
{
    const struct px_dump *dump = f->coder->wishes.dump;
    struct px_ir_text text = {.arena = f->coder->pass};
    if (!dump || !(dump->passes >> pass & 1) || pass < PX_PASS_lower) return;
    if (*dump->function && strcmp(dump->function, f->func->name) != 0) return;
    if (pass == PX_PASS_records)
        px_emit_print(&text, f);
    else if (pass == PX_PASS_regions)
        px_regions_print(&text, f);
    else if (dump->dot)
        px_ir_draw(&text, f, names[pass]);
    else
        px_ir_print(&text, f, names[pass]);
    (void)dump->write(dump->user, text.out.at, text.out.n);
}
