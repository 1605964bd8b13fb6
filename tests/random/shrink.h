/* shrink.h - see shrink.c. */
#ifndef RANDOM_SHRINK_H
#define RANDOM_SHRINK_H

#include "random/run.h"

/* Drops parts of the program's tree as long as the verdict's outcome stays, for so many seconds at most. */
void shrink_program(struct random_program *program, uint64_t seed, const struct configs *configs,
                    const struct verdict *verdict, unsigned seconds);

#endif
