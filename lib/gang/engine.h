/* engine.h - which optimisations are on: a bit for each line of engine.def. */
#ifndef PX_GANG_ENGINE_H
#define PX_GANG_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum px_engine_number {
#define ENGINE(name, text) PX_ENGINE_NUMBER_##name,
#include "gang/engine.def"
#undef ENGINE
    PX_ENGINE_COUNT
};

enum px_engine {
#define ENGINE(name, text) PX_ENGINE_##name = 1 << PX_ENGINE_NUMBER_##name,
#include "gang/engine.def"
#undef ENGINE
    PX_ENGINE_ALL = (1 << PX_ENGINE_COUNT) - 1
};

/*
 * The optimisations that `words` leaves on: a comma-separated list of no-NAME, or "plain" for none of them.
 * NULL and "" are all. False: a word is unknown; *at and *length say which.
 */
bool px_engine_parse(const char *words, uint32_t *engine, const char **at, size_t *length);
/* "no-a, no-b, plain" */
void px_engine_names(char *text, size_t size);

#endif
