/* model.h - our own texture unit, asked as the recorder asks the chip. */
#ifndef MODEL_H
#define MODEL_H

#include "case.h"

struct px_tex_rows;

#ifdef __cplusplus
extern "C" {
#endif

/* Fetches first to first + n - 1 of a case by `rows`; n is a multiple of 256. False: out of memory, or an
 * image that the library refuses. */
bool model_run(const struct tex_case *c, const struct px_tex_rows *rows, uint32_t first, uint32_t n,
               uint32_t (*words)[4]);

#ifdef __cplusplus
}
#endif
#endif
