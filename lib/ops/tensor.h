/* tensor.h - tensor copies (PTX ISA 9.7.9.27). */
#ifndef PX_OPS_TENSOR_H
#define PX_OPS_TENSOR_H

#include "gang/gang.h"

struct px_tensor;
void px_tensor_free(const struct ptx_allocator *alloc, struct px_tensor *t); /* NULL: nothing */

#endif
