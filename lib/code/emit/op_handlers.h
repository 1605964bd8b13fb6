/* op_handlers.h - the handlers of operations that are one function each (ops/operands.h). */
#ifndef PX_CODE_EMIT_OP_HANDLERS_H
#define PX_CODE_EMIT_OP_HANDLERS_H

#include "gang/gang.h"

#define PX_NAMED_HANDLER(number, name) px_handler_function px_op_##name;
#include "gen/op_handlers.inc"
#undef PX_NAMED_HANDLER

#endif
