/* kernel.c - choosing a kernel by name, and its parameters.
 *
 * A name given by the user is tried against all kernels in four ways, the strictest first; the first way that
 * fits any kernel decides, and it must fit exactly one. Blanks do not count in C++ names. */
#include "kernel.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include "element.h"
#include "fail.h"

/* ---- names ---- */

char *kernel_demangle(const char *name)
{
    return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI);
}

static void drop_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ') *to++ = *from;
    *to = '\0';
}

/* The C++ name without blanks; the plain name when it is not mangled. Owned by the caller. */
static char *plain_name(const char *name)
{
    char *demangled = kernel_demangle(name);
    char *plain = must_copy(demangled ? demangled : name, strlen(demangled ? demangled : name));
    free(demangled);
    drop_blanks(plain);
    if (strncmp(plain, "void", 4) == 0 && strchr(plain, '<')) memmove(plain, plain + 4, strlen(plain) - 3);
    return plain;
}

/* The C++ name without its parameter list and without blanks. */
static char *bare_name(const char *name)
{
    char *plain = plain_name(name);
    size_t length = strlen(plain);
    int depth = 0;
    if (length && plain[length - 1] == ')') {
        while (length-- > 0) {
            depth += plain[length] == ')';
            depth -= plain[length] == '(';
            if (depth == 0) break;
        }
        plain[length] = '\0';
    }
    return plain;
}

enum way { WAY_EXACT, WAY_CPLUSPLUS, WAY_BARE, WAY_PART, WAYS };

static bool name_fits(const char *name, const char *wanted, enum way way)
{
    if (way == WAY_EXACT) return strcmp(name, wanted) == 0;
    if (way == WAY_PART && strstr(name, wanted)) return true;
    char *found = way == WAY_BARE ? bare_name(name) : plain_name(name);
    char *sought = must_copy(wanted, strlen(wanted));
    drop_blanks(sought);
    const bool fits = way == WAY_PART ? strstr(found, sought) != NULL : strcmp(found, sought) == 0;
    free(found);
    free(sought);
    return fits;
}

/* ---- choosing ---- */

void kernels_each(const struct modules *modules, void (*visit)(void *user, const struct kernel *kernel),
                  void *user)
{
    for (unsigned m = 0; m < modules->n; m++) {
        struct kernel kernel = {.module = modules->at[m], .number = m, .info = {sizeof kernel.info}};
        for (; kernel.index < ptx_module_kernel_count(kernel.module); kernel.index++)
            if (ptx_module_kernel(kernel.module, kernel.index, &kernel.info) == PTX_OK) visit(user, &kernel);
    }
}

struct search {
    const char *wanted; /* NULL: any */
    long module;        /* the only one; -1: any */
    enum way way;
    struct kernel found;
    unsigned fitting;
    bool several; /* files: candidates are told with theirs */
};

static bool search_takes(const struct search *search, const struct kernel *kernel)
{
    if (search->module >= 0 && kernel->number != (unsigned long)search->module) return false;
    return !search->wanted || name_fits(kernel->info.name, search->wanted, search->way);
}

/* A name that modules share is one kernel, however many define it (.weak). */
static bool is_same(const struct kernel *a, const struct kernel *b)
{
    return a->info.is_shared && b->info.is_shared && strcmp(a->info.name, b->info.name) == 0;
}

static void look(void *user, const struct kernel *kernel)
{
    struct search *search = user;
    if (!search_takes(search, kernel)) return;
    if (search->fitting && is_same(kernel, &search->found)) return;
    if (search->fitting++ == 0) search->found = *kernel;
}

static void print_candidate(void *user, const struct kernel *kernel)
{
    const struct search *search = user;
    if (search->fitting && !search_takes(search, kernel)) return;
    char *demangled = kernel_demangle(kernel->info.name);
    if (search->several)
        fprintf(stderr, "    %s:%s", ptx_module_file_name(kernel->module), kernel->info.name);
    if (!search->several) fprintf(stderr, "    %s", kernel->info.name);
    fprintf(stderr, "%s%s\n", demangled ? "   " : "", demangled ? demangled : "");
    free(demangled);
}

bool kernel_choose(struct kernel *kernel, const struct modules *modules, const struct options *options)
{
    struct search search = {.wanted = options->kernel, .module = -1, .several = modules->n > 1};
    if (search.wanted) search.module = modules_find(modules, search.wanted, &search.wanted);
    for (; search.way < WAYS && search.fitting == 0; search.way++) kernels_each(modules, look, &search);
    search.way--; /* the way that fitted, or the last */
    *kernel = search.found;
    if (search.fitting == 1) return true;
    if (!search.wanted && search.fitting > 1) return false;
    if (!search.wanted) fail(EXIT_USAGE, "%s holds no kernel (.entry)", options->files.at[0]);
    fprintf(stderr, search.fitting ? "kernels that '%s' fits:\n" : "no kernel is called '%s'; there are:\n",
            search.wanted);
    kernels_each(modules, print_candidate, &search);
    fail(EXIT_USAGE, search.fitting ? "-k %s fits several kernels" : "-k %s fits no kernel", search.wanted);
}

/* ---- parameters ---- */

ptx_param_info kernel_param(const struct kernel *kernel, size_t index)
{
    ptx_param_info info = {sizeof info};
    if (ptx_module_kernel_param(kernel->module, kernel->index, index, &info) != PTX_OK)
        fail(EXIT_USAGE, "%s has no parameter %zu", kernel->info.name, index);
    return info;
}

const char *kernel_param_short(const struct kernel *kernel, const char *name)
{
    const size_t length = strlen(kernel->info.name);
    return strncmp(name, kernel->info.name, length) == 0 && name[length] == '_' ? name + length + 1 : name;
}

/* Is `end` all of `name`, or the end of it after an underscore? */
static bool is_end_of(const char *end, const char *name)
{
    const size_t length = strlen(name), n = strlen(end);
    return n <= length && strcmp(name + length - n, end) == 0 && (n == length || name[length - n - 1] == '_');
}

long kernel_param_find(const struct kernel *kernel, const char *name)
{
    long found = -1;
    unsigned fitting = 0;
    char *rest;
    const unsigned long index = strtoul(name, &rest, 10);
    for (size_t i = 0; i < kernel->info.param_count; i++)
        if (strcmp(kernel_param(kernel, i).name, name) == 0) return (long)i;
    if (*name >= '0' && *name <= '9' && !*rest) return index < kernel->info.param_count ? (long)index : -1;
    for (size_t i = 0; i < kernel->info.param_count; i++) {
        if (!is_end_of(name, kernel_param(kernel, i).name)) continue;
        found = (long)i;
        fitting++;
    }
    if (fitting > 1) fail(EXIT_USAGE, "'%s' fits several parameters of %s", name, kernel->info.name);
    return found;
}
