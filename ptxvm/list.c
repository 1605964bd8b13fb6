/* list.c - what there is to run: kernels, their parameters, and a command that runs each.
 *
 * The command is meant to work as printed: blocks have the shape that the kernel demands or goes over,
 * buffers the element type that it accesses and room for every thread, structures all their bytes. What the
 * numbers should be only the user knows; they are small enough that counts of rows and columns stay inside
 * the buffers. */
#include "list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "element.h"
#include "fail.h"

enum { MOST_MEMBERS = 320, MOST_UNSET = 16, BLOCKS = 4, THREADS = 1024, ROOM = 4096 };

/* A kernel and what the library knows of its needs. */
struct entry {
    struct kernel kernel;
    char *demangled; /* or NULL */
    ptx_kernel_needs needs;
    ptx_param_member members[MOST_MEMBERS]; /* by parameter and offset */
    unsigned scalars;                       /* integers among the parameters and in structures */
};

static int by_place(const void *a, const void *b)
{
    const ptx_param_member *x = a, *y = b;
    if (x->param != y->param) return x->param < y->param ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static size_t member_count(const struct entry *e)
{
    return e->needs.member_count < MOST_MEMBERS ? e->needs.member_count : MOST_MEMBERS;
}

static void examine(struct entry *e, const struct kernel *kernel)
{
    *e = (struct entry){.kernel = *kernel, .demangled = kernel_demangle(kernel->info.name)};
    e->needs = (ptx_kernel_needs){
        .member_size = sizeof *e->members, .members = e->members, .member_room = MOST_MEMBERS};
    if (ptx_module_kernel_needs(kernel->module, kernel->index, &e->needs) != PTX_OK)
        fail(EXIT_STOPPED, "%s: no memory to look at it", kernel->info.name);
    qsort(e->members, member_count(e), sizeof *e->members, by_place);
    for (size_t i = 0; i < member_count(e); i++) {
        const struct element_type *type = element_type_find(e->members[i].type, strlen(e->members[i].type));
        e->scalars += type && type->kind != KIND_FLOAT && type->size > 1 && type->size < 8;
    }
}

static const ptx_param_member *member_at(const struct entry *e, size_t param, size_t offset)
{
    for (size_t i = 0; i < member_count(e); i++)
        if (e->members[i].param == param && e->members[i].offset == offset) return &e->members[i];
    return NULL;
}

static bool is_object(const ptx_param_member *m)
{
    return m && *m->object;
}

static bool is_buffer(const ptx_param_member *m)
{
    return m && !is_object(m) && (m->is_pointer || m->is_passed_on) && strstr("u64 s64 b64", m->type);
}

/* Element type of a buffer: packed halves are told by their parts, what is unknown by its bits. */
static const char *element_of(const ptx_param_member *m)
{
    if (strcmp(m->element, "f16x2") == 0) return "f16";
    if (strcmp(m->element, "bf16x2") == 0) return "bf16";
    return element_type_find(m->element, strlen(m->element)) ? m->element : "b64";
}

/* ---- the list ---- */

/* "   (a 2d texture of f32)" */
static void print_what(const ptx_param_member *m)
{
    if (is_buffer(m)) printf("   (a buffer of %s)", element_of(m));
    if (!is_object(m)) return;
    printf("   (a %s%s%s", m->geometry, *m->geometry ? " " : "", m->object);
    if (*m->element) printf(" of %s", m->element);
    if (*m->object == 's' && m->channels > 1) printf(", %u at once", m->channels);
    putchar(')');
}

/* A structure that is copied before it is used says nothing of its members. */
static void print_members(const struct entry *e, size_t param)
{
    bool any = false;
    for (size_t i = 0; i < member_count(e); i++) any |= e->members[i].param == param;
    if (!any) puts("        what its bytes are is not known; the example has zeros");
    for (size_t i = 0; i < member_count(e); i++) {
        const ptx_param_member *m = &e->members[i];
        if (m->param != param) continue;
        printf("        bytes %zu: .%s", m->offset, m->type);
        print_what(m);
        putchar('\n');
    }
}

static void print_param(const struct entry *e, size_t index)
{
    const ptx_param_info param = kernel_param(&e->kernel, index);
    const ptx_param_member *m = member_at(e, index, 0);
    printf("    .%-5s %s", param.type, param.name);
    if (param.count != 1) printf("[%zu]", param.count);
    if (param.count == 1 && m) print_what(m);
    if (param.count != 1) printf("   (a structure of %zu bytes)", param.size);
    putchar('\n');
    if (param.count != 1) print_members(e, index);
}

static void print_needs(const struct entry *e)
{
    const ptx_kernel_info *info = &e->kernel.info;
    if (info->static_shared_bytes) printf("    %zu bytes of shared memory\n", info->static_shared_bytes);
    if (e->needs.dynamic_shared) puts("    uses dynamic shared memory (-s)");
    if (info->reqntid[0])
        printf("    needs blocks of %u,%u,%u\n", info->reqntid[0], info->reqntid[1], info->reqntid[2]);
}

/* ---- the command ---- */

/* A word as a shell reads it. */
static void print_word_quoted(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:=@%";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*word);
    putchar('\'');
}

/* Integers: one alone counts elements; several, or one of a kernel over rows, may be multiplied. */
static bool has_products(const struct entry *e)
{
    return e->scalars > 1 || e->needs.block_dimensions > 1 || e->needs.grid_dimensions > 1;
}

static void print_number(const struct entry *e, const char *type)
{
    if (*type == 'f' || *type == 'b')
        fputs(*type == 'f' ? "1.0" : "1", stdout);
    else
        printf("%d", strchr(type, '8') ? 1 : has_products(e) ? 32 : THREADS);
}

/*
 * Room for every thread, or for rows and columns, at the distance at which the code steps; and for as much as
 * the example's four blocks can stage in shared memory: tiles may be larger than what the numbers tell.
 */
static void print_buffer(const struct entry *e, const ptx_param_member *m)
{
    const char *element = element_of(m);
    const size_t size = element_type_find(element, strlen(element))->size;
    const size_t steps = m->stride > size ? (m->stride + size - 1) / size : 1;
    const size_t staged = size ? e->kernel.info.static_shared_bytes * BLOCKS / size : 0;
    size_t room = (has_products(e) ? ROOM : THREADS) * steps;
    if (room < staged) room = staged;
    printf("%s[%zu]=iota", element, room);
}

static size_t align_up(size_t offset, size_t align)
{
    return (offset + align - 1) / align * align;
}

/* Bytes that the code does not read, before a member of `align` bytes. */
static void print_gap(size_t from, size_t to, size_t align, const char **between)
{
    if (align_up(from, align) == to) return;
    printf("%szeros:%zu", *between, to - from);
    *between = ";";
}

/* "{u64[1024]=iota;s32:32;...}", exactly as long as the structure. */
static void print_structure(const struct entry *e, size_t index, const ptx_param_info *param)
{
    const char *between = "";
    size_t at = 0, align = 1;
    putchar('{');
    for (size_t i = 0; i < member_count(e); i++) {
        const ptx_param_member *m = &e->members[i];
        const struct element_type *type = element_type_find(m->type, strlen(m->type));
        if (m->param != index || m->offset < at || !type || m->offset % type->size) continue;
        print_gap(at, m->offset, type->size, &between);
        at = m->offset + type->size;
        if (type->size > align) align = type->size;
        fputs(between, stdout);
        between = ";";
        if (is_buffer(m)) {
            print_buffer(e, m);
        } else {
            printf("%s:", m->type);
            print_number(e, m->type);
        }
    }
    print_gap(at, param->size, align, &between);
    putchar('}');
}

/*
 * A picture of as many texels as the example has threads, or nearly; a surface has the elements that are
 * accessed at once, in words of 32 bits at most. A texture's handle does for a sampler.
 */
static void print_object(const struct entry *e, const ptx_param_member *m)
{
    static const struct {
        const char *geometry, *name, *shape;
    } shapes[] = {{"1d", "1d", "1024"},
                  {"2d", "2d", "32,32"},
                  {"3d", "3d", "32,32,32"},
                  {"a1d", "1darray", "8,256"},
                  {"a2d", "2darray", "8,32,32"},
                  {"cube", "cube", "6,32,32"},
                  {"acube", "cubearray", "12,32,32"}};
    const struct element_type *type = element_type_find(m->element, strlen(m->element));
    const bool surface = *m->object == 's' && *m->geometry;
    size_t i = 0;
    while (i < sizeof shapes / sizeof *shapes && strcmp(shapes[i].geometry, m->geometry) != 0) i++;
    i %= sizeof shapes / sizeof *shapes;
    const char *shape = e->needs.block_dimensions == 1 && i == 1 ? "32,1024" : shapes[i].shape;
    const size_t size = type ? type->size : 4, words = size > 4 ? size / 4 : 1;
    if (!surface)
        printf("texture%s:%s[%s]=random", shapes[i].name,
               type && type->kind != KIND_FLOAT ? m->element : "f32", shape);
    else
        printf("surface%s:u%zu[%s,%zu]=zeros", shapes[i].name, size / words * 8, shape,
               words * (m->channels ? m->channels : 1));
}

static void print_argument(const struct entry *e, size_t index)
{
    const ptx_param_info param = kernel_param(&e->kernel, index);
    const ptx_param_member *m = member_at(e, index, 0);
    fputs(" -a ", stdout);
    if (strcmp(param.type, "texref") == 0 || strcmp(param.type, "surfref") == 0) {
        printf("'%s2d:u8[32,32,4]=%s'", param.type[0] == 't' ? "texture" : "surface",
               param.type[0] == 't' ? "random" : "zeros");
        return;
    }
    if (param.count == 1 && !is_buffer(m) && !is_object(m)) {
        print_number(e, param.type);
        return;
    }
    putchar('\''); /* brackets and semicolons mean something to a shell */
    if (param.count != 1)
        print_structure(e, index, &param);
    else if (is_object(m))
        print_object(e, m);
    else
        print_buffer(e, m);
    putchar('\'');
}

static void print_extent(const unsigned extent[3])
{
    printf("%u", extent[0]);
    if (extent[1] > 1 || extent[2] > 1) printf(",%u", extent[1] ? extent[1] : 1);
    if (extent[2] > 1) printf(",%u", extent[2]);
}

/* The block that is demanded, or one of 256 threads in as many dimensions as the kernel looks at, or the most
 * allowed. */
static void print_shape(const struct entry *e)
{
    static const char *const grids[] = {"4", "2,2", "2,2,1"}, *const blocks[] = {"256", "16,16", "8,8,4"};
    const ptx_kernel_info *info = &e->kernel.info;
    const unsigned *most = info->maxntid, x = most[0], y = most[1] ? most[1] : 1, z = most[2] ? most[2] : 1;
    printf(" -g %s -b ", grids[e->needs.grid_dimensions - 1]);
    if (info->reqntid[0])
        print_extent(info->reqntid);
    else if (x && (uint64_t)x * y * z < 256)
        print_extent(most);
    else
        fputs(blocks[e->needs.block_dimensions - 1], stdout);
}

/* Options that decide what is loaded are repeated. */
static void print_example(const struct entry *e, const struct options *options)
{
    fputs("    example: ptxvm", stdout);
    for (unsigned i = 0; i < options->files.n; i++) {
        putchar(' ');
        print_word_quoted(options->files.at[i]);
    }
    for (unsigned i = 0; i < options->host_libs.n; i++) {
        fputs(" --host-lib ", stdout);
        print_word_quoted(options->host_libs.at[i]);
    }
    if (options->profile == PTX_PROFILE_ALL) fputs(" --profile all", stdout);
    if (options->arch) printf(" --arch %s", options->arch);
    fputs(" -k ", stdout);
    print_word_quoted(e->kernel.info.name);
    if (e->kernel.info.param_count || e->kernel.info.reqntid[0]) print_shape(e);
    if (e->needs.dynamic_shared) fputs(" -s 8K", stdout);
    for (size_t i = 0; i < e->kernel.info.param_count; i++) print_argument(e, i);
    putchar('\n');
}

static void list_kernel(void *user, const struct kernel *kernel)
{
    struct entry e;
    examine(&e, kernel);
    printf("%s%s%s\n", kernel->info.name, e.demangled ? "   " : "", e.demangled ? e.demangled : "");
    for (size_t i = 0; i < kernel->info.param_count; i++) print_param(&e, i);
    print_needs(&e);
    print_example(&e, user);
    free(e.demangled);
}

void kernels_list(const struct modules *modules, const struct options *options)
{
    kernels_each(modules, list_kernel, (void *)(uintptr_t)options);
}

/* ---- variables ---- */

static bool is_set(const char *name, const struct words *sets)
{
    const size_t length = strlen(name);
    for (unsigned i = 0; i < sets->n; i++)
        if (strncmp(sets->at[i], name, length) == 0 && sets->at[i][length] == '=') return true;
    return false;
}

void kernel_warn_unset(const struct kernel *kernel, const struct options *options)
{
    const char *unset[MOST_UNSET];
    ptx_kernel_needs needs = {.unset = unset, .unset_room = MOST_UNSET};
    if (ptx_module_kernel_needs(kernel->module, kernel->index, &needs) != PTX_OK) return;
    for (size_t i = 0; i < needs.unset_count && i < MOST_UNSET; i++)
        if (!is_set(unset[i], &options->sets))
            fprintf(stderr,
                    "ptxvm: warning: %s reads the variable '%s', which nothing has set: it is all zeros "
                    "(--set %s=TYPE[N]=INIT)\n",
                    kernel->info.name, unset[i], unset[i]);
}
