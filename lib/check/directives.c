/*
 * directives.c - header lines, performance directives, pragmas, debug data.
 */
#include "check/checker.h"

static void set_shape(uint32_t shape[3], const struct px_directive *directive)
{
    for (unsigned i = 0; i < 3; i++)
        shape[i] = i < directive->n ? (uint32_t)directive->value[i] : 1;
}

void px_check_directives(struct px_checker *checker, struct px_function *function)
{
    (void)checker;
    for (unsigned i = 0; i < function->func->ndirs; i++) {
        const struct px_directive *directive = &function->func->dirs[i];
        if (directive->word == PX_W_reqntid)
            set_shape(function->reqntid, directive);
        if (directive->word == PX_W_maxntid)
            set_shape(function->maxntid, directive);
    }
}

static void set_target(struct px_checker *checker, const struct px_name *name)
{
    struct ptx_module *module = checker->module;
    const char *s = name->text;
    unsigned sm = 0;
    while (*s && (*s < '0' || *s > '9'))
        s++;
    for (; *s >= '0' && *s <= '9'; s++)
        sm = sm * 10 + (unsigned)(*s - '0');
    module->target.sm = (uint16_t)sm;
    module->target.suffix = *s;
    module->target_text = name->text;
}

void px_check_header(struct px_checker *checker)
{
    const struct px_tree *tree = &checker->module->tree;
    checker->module->target_text = "";
    if (tree->ntargets)
        set_target(checker, tree->target_names[0]);
}

void px_check_file(struct px_checker *checker, const struct px_file *file)
{
    (void)checker;
    (void)file;
}

void px_check_section(struct px_checker *checker, const struct px_section *section)
{
    (void)checker;
    (void)section;
}

void px_check_loc(struct px_checker *checker, const struct px_stmt *stmt)
{
    (void)checker;
    (void)stmt;
}

void px_check_pragma(struct px_checker *checker, const struct px_pragma *pragma, enum px_pragma_place place)
{
    (void)checker;
    (void)pragma;
    (void)place;
}

void px_check_whole(struct px_checker *checker)
{
    (void)checker;
}
