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
    PX_ENGINE_ALL = (1 << PX_ENGINE_COUNT) - 1,
    PX_ENGINE_VERIFY = 1 << PX_ENGINE_COUNT /* no optimisation: what decoding makes is tested as it goes */
};

/*
 * The optimisations that `words` leaves on: a comma-separated list of no-NAME, or "plain" for none of them;
 * "verify" adds PX_ENGINE_VERIFY. NULL and "" are all. False: a word is unknown; *at and *length say which.
 */
bool px_engine_parse(const char *words, uint32_t *engine, const char **at, size_t *length);
/* "no-a, no-b, plain" */
void px_engine_names(char *text, size_t size);

#endif
