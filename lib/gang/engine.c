/* engine.c - the words that switch optimisations off. */
#include "gang/engine.h"
#include <stdio.h>
#include <string.h>

/* Builds that look for mistakes look for those of decoding, too. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PX_ENGINE_ALWAYS = PX_ENGINE_VERIFY };
#else
enum { PX_ENGINE_ALWAYS = 0 };
#endif

static const char *const names[] = {
#define ENGINE(name, text) #name,
#include "gang/engine.def"
#undef ENGINE
};

static bool is_word(const char *at, size_t length, const char *name)
{
    if (strlen(name) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (at[i] != (name[i] == '_' ? '-' : name[i])) return false;
    return true;
}

static bool switch_off(const char *at, size_t length, uint32_t *engine)
{
    if (is_word(at, length, "plain")) return *engine &= PX_ENGINE_VERIFY, true;
    if (is_word(at, length, "verify")) return *engine |= PX_ENGINE_VERIFY, true;
    if (length < 3 || memcmp(at, "no-", 3) != 0) return false;
    for (uint32_t i = 0; i < PX_ENGINE_COUNT; i++) {
        if (!is_word(at + 3, length - 3, names[i])) continue;
        *engine &= ~(1u << i);
        return true;
    }
    return false;
}

bool px_engine_parse(const char *words, uint32_t *engine, const char **at, size_t *length)
{
    *engine = PX_ENGINE_ALL | PX_ENGINE_ALWAYS;
    for (const char *word = words; word && *word; word += *length, word += *word == ',') {
        *at = word;
        *length = strcspn(word, ",");
        if (!switch_off(word, *length, engine)) return false;
    }
    return true;
}

void px_engine_names(char *text, size_t size)
{
    size_t n = 0;
    for (uint32_t i = 0; i < PX_ENGINE_COUNT && n < size; i++) {
        n += (size_t)snprintf(text + n, size - n, "no-");
        for (const char *c = names[i]; *c && n + 1 < size; c++) text[n++] = *c == '_' ? '-' : *c;
        if (n < size) n += (size_t)snprintf(text + n, size - n, ", ");
    }
    if (n < size) snprintf(text + n, size - n, "plain, verify");
}
