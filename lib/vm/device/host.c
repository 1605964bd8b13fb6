/*
 * host.c - native functions, called by the signature of their .extern .func.
 *
 * A scalar parameter is passed as its type says: .f32 as float, .f64 as
 * double, the rest as integers of their size. An array is a structure passed
 * by value, of integers of the array's alignment. Where the declaration has no
 * type to tell, floats are found by how callers fill it (host_types.c).
 * Signatures are prepared once, when the program is loaded.
 */
#include "vm/device/device.h"
#include "vm/run/extern.h"
#include "vm/device/host_types.h"
#include <ffi.h>
#include <string.h>

enum { MAX_FIELDS = 4096, MAX_ARGS = 64, MAX_RESULT = 256 /* what the caller has room for */ };

struct signature {
    ffi_cif cif;
    uint32_t nargs;
    ffi_type *result;
    uint32_t result_bytes;
    uint32_t *offsets; /* of the arguments, in the .param list */
    ffi_type **types;
};

/* An untyped scalar that callers treat as floating-point is that. */
static ffi_type *scalar_type(unsigned type, uint8_t mark)
{
    const struct px_type_info *info = px_type_info((enum px_type)type);
    const bool is_signed = info->klass == PX_TC_SIGNED, is_bits = info->klass == PX_TC_BITS;
    if (type == PX_T_F32 || (is_bits && info->bits == 32 && mark == 4)) return &ffi_type_float;
    if (type == PX_T_F64 || (is_bits && info->bits == 64 && mark == 8)) return &ffi_type_double;
    switch (info->bits) {
    case 8: return is_signed ? &ffi_type_sint8 : &ffi_type_uint8;
    case 16: return is_signed ? &ffi_type_sint16 : &ffi_type_uint16;
    case 32: return is_signed ? &ffi_type_sint32 : &ffi_type_uint32;
    case 64: return is_signed ? &ffi_type_sint64 : &ffi_type_uint64;
    default: return NULL;
    }
}

/* The integer field of a structure at `at`: as large as its alignment, and the next float, leave room for. */
static ffi_type *integer_field(const struct px_symbol *s, const uint8_t *marks, uint64_t at)
{
    static ffi_type *const types[] = {&ffi_type_uint64, &ffi_type_uint32, &ffi_type_uint16, &ffi_type_uint8};
    for (int i = 0; i < 3; i++) {
        const uint64_t size = types[i]->size;
        uint64_t end = at + 1;
        while (end < at + size && end < s->size && !marks[end]) end++;
        if (size <= s->align && at % size == 0 && end == at + size) return types[i];
    }
    return types[3];
}

static ffi_type *field_at(const struct px_symbol *s, const uint8_t *marks, uint64_t at)
{
    if (s->type == PX_T_F32 || marks[at] == 4) return &ffi_type_float;
    if (s->type == PX_T_F64 || marks[at] == 8) return &ffi_type_double;
    return integer_field(s, marks, at);
}

/* A structure with the size and alignment of the array. */
static ffi_type *struct_type(struct px_arena *arena, const struct px_symbol *s, const uint8_t *marks)
{
    if (!s->size || s->size > MAX_FIELDS) return NULL;
    ffi_type *type = PX_NEW(arena, ffi_type);
    type->type = FFI_TYPE_STRUCT;
    type->elements = PX_NEW_N(arena, ffi_type *, s->size + 1);
    uint64_t n = 0;
    for (uint64_t at = 0; at < s->size; at += type->elements[n++]->size)
        type->elements[n] = field_at(s, marks, at);
    return type;
}

static ffi_type *type_of(struct px_arena *arena, const struct px_symbol *s, const uint8_t *marks)
{
    const bool array = s->u.var && (s->u.var->ndims || s->vec > 1);
    return array ? struct_type(arena, s, marks) : scalar_type(s->type, marks[0]);
}

static struct signature *prepare(struct px_linked *linked, const struct px_lfunc *callee)
{
    struct px_arena *arena = &linked->arena;
    const struct px_function *fn = callee->fn;
    struct signature *sig = PX_NEW(arena, struct signature);
    uint8_t **marks = px_host_marks(arena, linked, callee);
    sig->nargs = fn->func->nparams;
    sig->offsets = PX_NEW_N(arena, uint32_t, sig->nargs + 1);
    sig->types = PX_NEW_N(arena, ffi_type *, sig->nargs + 1);
    sig->result = fn->func->nrets ? type_of(arena, fn->rets[0], marks[sig->nargs]) : &ffi_type_void;
    sig->result_bytes = (uint32_t)fn->ret_bytes;
    bool ok =
        sig->result && fn->func->nrets <= 1 && sig->nargs <= MAX_ARGS && sig->result_bytes <= MAX_RESULT;
    for (uint32_t i = 0; i < sig->nargs; i++) {
        sig->offsets[i] = (uint32_t)fn->params[i]->offset;
        sig->types[i] = type_of(arena, fn->params[i], marks[i]);
        ok = ok && sig->types[i];
    }
    if (!ok || ffi_prep_cif(&sig->cif, FFI_DEFAULT_ABI, sig->nargs, sig->result, sig->types) != FFI_OK)
        return NULL;
    return sig;
}

static void prepare_all(struct ptx_program *program, const char **error)
{
    struct px_linked *l = &program->linked;
    program->host_calls = PX_NEW_N(&l->arena, void *, l->nfuncs + 1);
    for (uint32_t i = 0; i < l->nfuncs; i++) {
        if (l->funcs[i].kind != PX_FUNCTION_HOST) continue;
        program->host_calls[i] = prepare(l, &l->funcs[i]);
        if (program->host_calls[i]) continue;
        *error = px_arena_printf(
            &l->arena, "host function '%s' has a signature that cannot be called natively", l->funcs[i].name);
        return;
    }
}

bool px_host_prepare(struct ptx_program *program, const char **error)
{
    jmp_buf failure;
    *error = NULL;
    program->linked.arena.on_failure = &failure;
    if (setjmp(failure)) {
        program->linked.arena.on_failure = NULL;
        return false;
    }
    prepare_all(program, error);
    program->linked.arena.on_failure = NULL;
    return !*error;
}

enum px_ext px_host_call(struct px_call *call)
{
    struct signature *sig = call->grid->program->host_calls[call->callee->id];
    _Alignas(16) uint8_t value[MAX_RESULT];
    void *args[MAX_ARGS];
    for (uint32_t i = 0; i < sig->nargs; i++) args[i] = (void *)(uintptr_t)(call->args + sig->offsets[i]);
    ffi_call(&sig->cif, FFI_FN(call->callee->host), value, args);
    if (sig->result_bytes)
        memcpy(call->ret, value, sig->result_bytes); /* integers: the low bytes of a register */
    return PX_EXT_DONE;
}

void px_host_free(struct ptx_program *program)
{
    program->host_calls = NULL; /* all of it lives in the program's arena */
}
