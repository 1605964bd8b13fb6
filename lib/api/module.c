/*
 * api/module.c - the ptx_module_ functions of ptx.h.
 *
 * They check arguments and forward. ptx_module_create holds the one setjmp
 * under which everything of a module is allocated; afterwards the module is
 * immutable, line table included, so any thread may read it.
 */
#include <limits.h>
#include <string.h>
#include "base/diag.h"
#include "cdp/cdp.h"
#include "check/check.h"
#include "check/usage.h"
#include "front/object.h"
#include "front/origin.h"
#include "front/print.h"
#include "lint/lint.h"
#include "lint/needs.h"
#include "match/match.h"
#include "base/sized.h"
#include "ptx_tools.h"

/* The sizes of the first versions. */
enum {
    FIRST_OPTIONS = PX_FIRST(ptx_module_options, fmad),
    FIRST_DIAGNOSTIC = PX_FIRST(ptx_diagnostic, follows),
    FIRST_KERNEL = PX_FIRST(ptx_kernel_info, maxntid),
    FIRST_PARAM = PX_FIRST(ptx_param_info, is_pointer),
    FIRST_USAGE = PX_FIRST(ptx_usage, has_calls),
    FIRST_NEEDS = PX_FIRST(ptx_kernel_needs, grid_dimensions),
    FIRST_MEMBER = PX_FIRST(ptx_param_member, is_passed_on)
};

unsigned ptx_version(void)
{
    return PTX_VERSION;
}

const char *ptx_status_name(ptx_status status)
{
    static const char *const names[] = {
        "success",     "invalid argument",     "out of memory",     "does not assemble", "does not link",
        "not found",   "unsupported",          "fault in a kernel", "deadlock",          "limit reached",
        "interrupted", "launch out of bounds", "not ready",         "captured",
    };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown status";
}

/* A special register's word is kept only behind its percent sign: %tid, not tid. */
static uint16_t word_of(const char *s, size_t n)
{
    if (*s != '%') return px_word_find(s, n);
    px_word word = px_word_find(s + 1, n - 1);
    return word && px_sreg_of_word(word) ? word : 0;
}

/* Profile 13.0 does not know the words of later versions. */
static uint16_t word_of_13_0(const char *s, size_t n)
{
    px_word word = word_of(s, n);
    return px_word_version(word) <= PTX_ISA_VERSION ? word : 0;
}

static void set_source(struct ptx_module *module, const char *file, const char *text, size_t size)
{
    module->source.file = px_arena_text(&module->arena, file, strlen(file));
    module->source.text = px_arena_text(&module->arena, text, size);
    module->source.size = size;
    module->source.arena = &module->arena;
}

static void read_text(struct ptx_module *module)
{
    px_names_init(&module->names, &module->arena,
                  module->profile == PTX_PROFILE_ALL ? word_of : word_of_13_0);
    px_check(module);
    for (uint32_t i = 0; i < module->functions.n; i++) {
        struct px_function *function = module->functions.at[i];
        if (function->func->is_entry && function->func->body)
            px_vec_push(&module->arena, &module->kernels, function);
    }
}

/* What was given: a text or an object file, and which of its modules (ONLY: it must have one). */
struct input {
    const ptx_module_options *options;
    const void *data;
    size_t size, index;
};
static const size_t ONLY = SIZE_MAX;

/* Finds the text; false after a diagnostic about a file that has none. */
static bool find_text(struct ptx_module *module, const struct input *input, const char *file)
{
    struct px_object object;
    struct px_object_module inner;
    const enum px_object_state state = px_object_open(&object, input->data, input->size);
    if (state == PX_OBJECT_NONE) {
        set_source(module, file, input->data, input->size);
        return true;
    }
    const bool many = state == PX_OBJECT_FINE && input->index == ONLY && object.modules > 1;
    if (state == PX_OBJECT_FINE && !many &&
        px_object_module(&object, input->index == ONLY ? 0 : (uint32_t)input->index, &inner)) {
        set_source(module, inner.file, inner.text, inner.size);
        if (*inner.arch && !module->arch)
            module->arch = px_arena_text(&module->arena, inner.arch, strlen(inner.arch));
        if (inner.all) module->profile = PTX_PROFILE_ALL;
        if (inner.no_fmad && module->fmad == PTX_FMAD_DEFAULT) module->fmad = PTX_FMAD_OFF;
        return true;
    }
    set_source(module, file, "", 0);
    module->target_text = "";
    px_object_complain(&module->diags, many ? PX_OBJECT_MANY : state, &object, file);
    return false;
}

/* "sm_90", or a virtual one: "compute_90", "lto_90". */
static void note_arch(struct ptx_module *module, const char *text)
{
    const char *number = strchr(text, '_');
    module->arch = module->arch_text = px_arena_text(&module->arena, text, strlen(text));
    module->is_virtual = strncmp(text, "compute_", 8) == 0 || strncmp(text, "lto_", 4) == 0;
    if (!module->is_virtual) return;
    module->arch = px_arena_printf(&module->arena, "sm%s", number);
    module->unrunnable = "was checked for a virtual architecture";
}

static void build(struct ptx_module *module, const struct input *input)
{
    const ptx_module_options *options = input->options;
    module->max_errors = options->max_errors;
    module->recovers = options->recover != 0;
    module->check_only = options->check_only && !options->lint;
    module->compilation = (uint8_t)options->compilation;
    module->profile = options->profile;
    module->fmad = (uint8_t)options->fmad;
    module->stacks = (uint8_t)options->stacks;
    module->diags = (struct px_diags){.arena = &module->arena, .max_errors = module->max_errors};
    module->earlier = options->earlier;
    module->nearlier = module->earlier ? options->earlier_count : 0;
    if (options->arch) note_arch(module, options->arch);
    if (find_text(module, input, options->file_name ? options->file_name : "<memory>")) read_text(module);
    module->nearlier = 0;
    px_source_index(&module->source);
    if (options->lint && !module->diags.errors)
        px_lint(module, &(struct px_lint_wanted){px_cdp_describe, options->lint == PTX_LINT_ALL});
    if (module->diags.list.n) module->origins = px_origins_find(&module->arena, &module->source);
}

static ptx_status create(const ptx_module_options *given, struct input input, ptx_module **out)
{
    ptx_module_options options;
    if (!px_take(&options, sizeof options, FIRST_OPTIONS, given)) return PTX_ERROR_INVALID_ARGUMENT;
    input.options = &options;
    ptx_allocator alloc = px_alloc_or_default(&options.allocator);
    struct ptx_module *module = px_zalloc(&alloc, sizeof *module);
    jmp_buf failure;
    *out = NULL;
    if (!module) return PTX_ERROR_OUT_OF_MEMORY;
    module->alloc = alloc;
    atomic_init(&module->references, 1);
    px_arena_init(&module->arena, &alloc, &failure);
    if (setjmp(failure)) {
        px_module_release(module);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    build(module, &input);
    module->arena.on_failure = NULL;
    *out = module;
    return module->diags.errors ? PTX_ERROR_ASSEMBLY : PTX_OK;
}

ptx_status ptx_module_create(const ptx_module_options *options, const char *text, size_t size,
                             ptx_module **out)
{
    if (!text || !out || size >= UINT32_MAX) return PTX_ERROR_INVALID_ARGUMENT;
    return create(options, (struct input){NULL, text, size, ONLY}, out);
}

size_t ptx_object_module_count(const void *data, size_t size)
{
    struct px_object object;
    return data && px_object_open(&object, data, size) == PX_OBJECT_FINE ? object.modules : 0;
}

ptx_status ptx_object_module(const ptx_module_options *options, const void *data, size_t size, size_t index,
                             ptx_module **out)
{
    if (!data || !out || size >= UINT32_MAX) return PTX_ERROR_INVALID_ARGUMENT;
    if (index >= ptx_object_module_count(data, size)) return PTX_ERROR_NOT_FOUND;
    return create(options, (struct input){NULL, data, size, index}, out);
}

void ptx_module_destroy(ptx_module *module)
{
    if (module) px_module_release(module);
}

const char *ptx_module_file_name(const ptx_module *module)
{
    return module ? module->source.file : "";
}

unsigned ptx_module_isa_version(const ptx_module *module)
{
    return module ? module->tree.version : 0;
}

const char *ptx_module_target(const ptx_module *module)
{
    return module && module->target_text ? module->target_text : "";
}

unsigned ptx_module_address_size(const ptx_module *module)
{
    return !module ? 0 : module->tree.address_size ? module->tree.address_size : 64;
}

/* ---- diagnostics ---- */

size_t ptx_module_diagnostic_count(const ptx_module *module)
{
    return module ? module->diags.list.n : 0;
}

ptx_status ptx_module_diagnostic(const ptx_module *module, size_t index, ptx_diagnostic *out)
{
    if (!module || index >= module->diags.list.n || !px_can_give(out, FIRST_DIAGNOSTIC))
        return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_diag *diag = &module->diags.list.at[index];
    ptx_diagnostic told = {
        .severity = diag->severity, .code = px_diag_code(diag->id), .message = diag->message};
    told.note = diag->note;
    told.file = module->source.file;
    told.follows = diag->follows;
    if (px_diag_has_place(diag)) {
        struct px_source source = module->source; /* its line table is complete: nothing is built here */
        struct px_place place = px_source_place(&source, diag->pos);
        told.line = place.line;
        told.column = place.column;
        told.length = diag->length ? diag->length : 1;
    }
    px_give(out, &told, sizeof told, FIRST_DIAGNOSTIC);
    return PTX_OK;
}

ptx_status ptx_module_source_line(const ptx_module *module, unsigned line, const char **start, size_t *length)
{
    if (!module || !start || !length) return PTX_ERROR_INVALID_ARGUMENT;
    struct px_source source = module->source;
    const char *at = px_source_line(&source, line, length);
    if (!at) return PTX_ERROR_NOT_FOUND;
    *start = at;
    return PTX_OK;
}

static const struct px_diag *diagnostic_at(const ptx_module *module, size_t index)
{
    return module && index < module->diags.list.n ? &module->diags.list.at[index] : NULL;
}

ptx_status ptx_module_related(const ptx_module *module, size_t diagnostic, size_t i, ptx_related *related)
{
    const struct px_diag *diag = diagnostic_at(module, diagnostic);
    if (!diag || !related) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_diag_place *place = diag->places;
    while (place && i--) place = place->next;
    if (!place) return PTX_ERROR_NOT_FOUND;
    struct px_source source = module->source;
    const struct px_place at = px_source_place(&source, place->pos);
    *related = (ptx_related){place->text, at.line, at.column, place->length ? place->length : 1};
    return PTX_OK;
}

ptx_status ptx_module_fix(const ptx_module *module, size_t diagnostic, size_t i, ptx_fix *out)
{
    const struct px_diag *diag = diagnostic_at(module, diagnostic);
    if (!diag || !out) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_diag_fix *fix = diag->fixes;
    while (fix && i--) fix = fix->next;
    if (!fix) return PTX_ERROR_NOT_FOUND;
    struct px_source source = module->source;
    const struct px_place at = px_source_place(&source, fix->pos);
    *out = (ptx_fix){fix->title, fix->text, fix->pos, fix->length, at.line, at.column, fix->certain};
    return PTX_OK;
}

/* The last function that begins in front of a place, if the place is in it. */
static const struct px_func *function_at(const ptx_module *module, px_pos pos)
{
    const struct px_func *found = NULL;
    for (uint32_t i = 0; i < module->functions.n; i++) {
        const struct px_func *func = module->functions.at[i]->func;
        if (func->body && func->start <= pos && (!found || func->start > found->start)) found = func;
    }
    return found && (pos <= found->end || found->cut) ? found : NULL;
}

ptx_status ptx_module_origin(const ptx_module *module, size_t diagnostic, size_t i, ptx_origin *origin,
                             const char **function)
{
    const struct px_diag *diag = diagnostic_at(module, diagnostic);
    struct px_loc_place found;
    if (!diag || !origin) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_func *func =
        module->origins && px_diag_has_place(diag) ? function_at(module, diag->pos) : NULL;
    if (!func || !px_origin_at(module->origins, func->start, diag->pos, (unsigned)i, &found))
        return PTX_ERROR_NOT_FOUND;
    *origin = (ptx_origin){found.file, found.line, found.column};
    if (function) *function = func->name->text;
    return PTX_OK;
}

unsigned ptx_module_told_line(const ptx_module *module, size_t index, const char **file)
{
    if (!module || !file || index >= module->diags.list.n) return 0;
    const struct px_diag *diag = &module->diags.list.at[index];
    struct px_source source = module->source;
    *file = source.file;
    return px_diag_has_place(diag) && diag->told != PX_NO_PLACE ? px_source_marked(&source, diag->told, file)
                                                                : 0;
}

unsigned ptx_module_marked_line(const ptx_module *module, unsigned line, const char **file)
{
    if (!module || !file || line == 0 || line > module->source.lines) return 0;
    struct px_source source = module->source;
    return px_source_marked(&source, source.line_starts[line - 1], file);
}

const char *ptx_known_arch(ptx_profile profile, size_t index)
{
    return px_profile_arch(profile, index);
}

unsigned ptx_known_version(ptx_profile profile, size_t index)
{
    return px_profile_version(profile, index);
}

const char *ptx_explain(const char *code)
{
    return code ? px_diag_explain(code) : NULL;
}

const char *ptx_known_code(size_t index, const char **message)
{
    const char *text = NULL, *code = px_diag_known(index, &text);
    if (message) *message = text;
    return code;
}

const char *ptx_explain_example(const char *code, int right, const char **options)
{
    const char *mine = "";
    const char *text = code ? px_diag_example(code, right != 0, &mine) : NULL;
    if (options) *options = mine;
    return text;
}

/* ---- what a module holds ---- */

static struct px_function *kernel_at(const ptx_module *module, size_t index)
{
    return module && index < module->kernels.n ? module->kernels.at[index] : NULL;
}

size_t ptx_module_kernel_count(const ptx_module *module)
{
    return module ? module->kernels.n : 0;
}

/* Bytes of the function's own variables in `space`, each at its alignment. */
static size_t space_bytes(const struct px_function *function, enum px_space space)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < function->vars.n; i++) {
        const struct px_symbol *symbol = function->vars.at[i];
        if (symbol->space != space || !symbol->align) continue;
        bytes = (bytes + symbol->align - 1) / symbol->align * symbol->align + symbol->size;
    }
    return (size_t)bytes;
}

ptx_status ptx_module_kernel(const ptx_module *module, size_t index, ptx_kernel_info *info)
{
    const struct px_function *function = kernel_at(module, index);
    if (!function || !px_can_give(info, FIRST_KERNEL)) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_kernel_info told = {.name = function->func->name->text, .param_count = function->func->nparams};
    told.param_bytes = (size_t)function->param_bytes;
    told.static_shared_bytes = space_bytes(function, PX_SPACE_SHARED);
    told.local_bytes = space_bytes(function, PX_SPACE_LOCAL);
    for (int i = 0; i < 3; i++) {
        told.reqntid[i] = function->reqntid[i];
        told.maxntid[i] = function->maxntid[i];
    }
    told.max_registers = function->maxnreg;
    told.min_blocks = function->minnctapersm;
    told.is_shared = function->symbol->linkage != PX_L_NONE;
    px_give(info, &told, sizeof told, FIRST_KERNEL);
    return PTX_OK;
}

ptx_status ptx_module_kernel_param(const ptx_module *module, size_t kernel, size_t index,
                                   ptx_param_info *info)
{
    const struct px_function *function = kernel_at(module, kernel);
    if (!function || index >= function->func->nparams || !px_can_give(info, FIRST_PARAM))
        return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_symbol *symbol = function->params[index];
    const struct px_type_info *type = px_type_info((enum px_type)symbol->type);
    ptx_param_info told = {.name = symbol->name ? symbol->name->text : "_", .type = type->name};
    told.offset = (size_t)symbol->offset;
    told.size = (size_t)symbol->size;
    told.align = symbol->align;
    told.count = type->bits >= 8 ? (size_t)(symbol->size / (type->bits / 8u)) : 1;
    told.is_pointer = symbol->u.var->has_ptr && !symbol->u.var->ptr_type;
    px_give(info, &told, sizeof told, FIRST_PARAM);
    return PTX_OK;
}

ptx_status ptx_module_kernel_usage(const ptx_module *module, size_t index, ptx_usage *usage)
{
    const struct px_function *function = kernel_at(module, index);
    struct px_arena arena;
    jmp_buf failure;
    ptx_usage told = {0};
    if (!function || !px_can_give(usage, FIRST_USAGE)) return PTX_ERROR_INVALID_ARGUMENT;
    if (module->diags.errors) return PTX_ERROR_ASSEMBLY;
    px_arena_init(&arena, &module->alloc, &failure);
    if (setjmp(failure)) {
        px_arena_free(&arena);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    px_usage(&arena, function, &told);
    px_arena_free(&arena);
    px_give(usage, &told, sizeof told, FIRST_USAGE);
    return PTX_OK;
}

static const char *object_name(const struct px_root *use)
{
    switch (use->object) {
    case PX_T_TEXREF: return "texture";
    case PX_T_SAMPLERREF: return "sampler";
    case PX_T_SURFREF: return "surface";
    default: return "";
    }
}

static void add_member(ptx_kernel_needs *needs, const struct px_function *kernel, const struct px_root *use)
{
    if (needs->member_count++ >= needs->member_room) return;
    const size_t theirs = needs->member_size ? needs->member_size : FIRST_MEMBER;
    ptx_param_member m = {.offset = (size_t)use->offset,
                          .type = px_type_info((enum px_type)use->type)->name,
                          .element = use->element ? px_type_info((enum px_type)use->element)->name : "",
                          .stride = use->stride,
                          .is_pointer = use->pointer,
                          .is_passed_on = use->escapes,
                          .object = object_name(use),
                          .geometry = px_word_text(use->geometry),
                          .channels = use->channels};
    while (kernel->params[m.param] != use->symbol) m.param++;
    char *to = (char *)needs->members + (needs->member_count - 1) * theirs;
    memset(to, 0, theirs);
    memcpy(to, &m, theirs < sizeof m ? theirs : sizeof m);
}

static void add_variable(ptx_kernel_needs *needs, const struct px_needs *found, const struct px_root *use)
{
    const struct px_symbol *s = use->symbol;
    const bool constant = s->space == PX_SPACE_CONST;
    if (!use->read || s->u.var->init || s->u.var->linkage == PX_L_EXTERN) return;
    if (!constant && (use->written || use->escapes || found->opaque)) return;
    if (needs->unset_count++ < needs->unset_room) needs->unset[needs->unset_count - 1] = s->name->text;
}

ptx_status ptx_module_kernel_needs(const ptx_module *module, size_t index, ptx_kernel_needs *given)
{
    const struct px_function *function = kernel_at(module, index);
    struct px_arena arena;
    jmp_buf failure;
    struct px_needs found;
    ptx_kernel_needs own, *needs = &own;
    if (!function || module->check_only || !px_can_give(given, FIRST_NEEDS) ||
        !px_take(needs, sizeof *needs, FIRST_NEEDS, given) ||
        (needs->member_size && needs->member_size < FIRST_MEMBER))
        return PTX_ERROR_INVALID_ARGUMENT;
    if (module->diags.errors) return PTX_ERROR_ASSEMBLY;
    px_arena_init(&arena, &module->alloc, &failure);
    if (setjmp(failure)) {
        px_arena_free(&arena);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    px_kernel_needs(&found, module, function, px_cdp_describe, &arena);
    px_arena_free(&arena);
    needs->member_count = needs->unset_count = 0;
    needs->dynamic_shared = found.dynamic_shared;
    needs->block_dimensions = found.dimensions[0];
    needs->grid_dimensions = found.dimensions[1];
    for (uint32_t i = 0; i < found.norigins; i++)
        if (found.origins[i].symbol->kind == PX_SYM_PARAM)
            add_member(needs, function, &found.origins[i]);
        else
            add_variable(needs, &found, &found.origins[i]);
    for (uint32_t i = 0; i < found.nplain; i++) add_member(needs, function, &found.plain[i]);
    px_give(given, needs, sizeof *needs, FIRST_NEEDS);
    return PTX_OK;
}

void ptx_module_bytes(const ptx_module *module, uint64_t *global_bytes, uint64_t *const_bytes)
{
    if (global_bytes) *global_bytes = module ? px_module_bytes(module, PX_SPACE_GLOBAL) : 0;
    if (const_bytes) *const_bytes = module ? px_module_bytes(module, PX_SPACE_CONST) : 0;
}

ptx_status ptx_module_print(const ptx_module *module, ptx_write_fn write, void *user)
{
    if (!module || !write) return PTX_ERROR_INVALID_ARGUMENT;
    if (module->diags.errors) return PTX_ERROR_ASSEMBLY;
    if (module->check_only) return PTX_ERROR_INVALID_ARGUMENT;
    return px_print(&module->tree, px_modifier_order, write, user) ? PTX_ERROR_INTERRUPTED : PTX_OK;
}

enum { MODULES_ON_STACK = 16 };

/* The texts as they were read, so that lines and columns stay. */
static void describe(const ptx_module *module, struct px_object_module *out)
{
    *out = (struct px_object_module){.file = module->source.file, .arch = module->arch ? module->arch : ""};
    out->all = module->profile == PTX_PROFILE_ALL;
    out->no_fmad = module->fmad == PTX_FMAD_OFF;
    const int arch = module->arch ? px_target_find(module->arch, strlen(module->arch)) : -1;
    out->sm = arch < 0 ? module->target.sm : px_target_at((size_t)arch).sm;
    out->text = module->source.text;
    out->size = module->source.size;
}

ptx_status ptx_object_write(const ptx_module *const *modules, size_t count, ptx_write_fn write, void *user)
{
    struct px_object_module few[MODULES_ON_STACK], *list = few;
    if (!modules || !write || !count || count > PX_OBJECT_MODULES) return PTX_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        if (!modules[i]) return PTX_ERROR_INVALID_ARGUMENT;
        if (modules[i]->diags.errors) return PTX_ERROR_ASSEMBLY;
    }
    const ptx_allocator alloc = modules[0]->alloc;
    if (count > MODULES_ON_STACK) list = px_zalloc(&alloc, count * sizeof *list);
    if (!list) return PTX_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) describe(modules[i], &list[i]);
    const bool written = px_object_write(list, (uint32_t)count, write, user);
    if (list != few) px_free(&alloc, list, count * sizeof *list);
    return written ? PTX_OK : PTX_ERROR_INTERRUPTED;
}
