/*
 * directives.c - the header lines, what a module's version and target allow,
 * performance directives and pragmas.
 */
#include "check/checker.h"
#include <string.h>

/* ---- versions and targets ---- */

bool px_needs(struct px_checker *checker, const char *feature, unsigned ptx, unsigned sm, px_pos pos,
              uint32_t length)
{
    bool fine = true;
    if (checker->version < ptx) {
        px_complain(checker, NEEDS_PTX, pos, length, feature, ptx / 10, ptx % 10);
        fine = false;
    }
    if (checker->module->target.sm < sm) {
        px_complain(checker, NEEDS_SM, pos, length, feature, sm);
        fine = false;
    }
    return fine;
}

bool px_withdrawn(struct px_checker *checker, const char *feature, unsigned ptx, px_pos pos, uint32_t length)
{
    if (checker->version < ptx) return false;
    px_complain(checker, WITHDRAWN, pos, length, feature, ptx / 10, ptx % 10);
    return true;
}

/* ---- .version and .target ---- */

static void check_version(struct px_checker *checker)
{
    const struct px_tree *tree = &checker->module->tree;
    size_t length = strlen(tree->version_text);
    const ptx_profile profile = checker->module->profile;
    if (tree->version > PTX_ISA_VERSION && profile == PTX_PROFILE_ALL)
        px_complain(checker, UNVERIFIED, tree->version_pos, (uint32_t)length, tree->version / 10,
                    tree->version % 10, PTX_ISA_VERSION / 10u, PTX_ISA_VERSION % 10u);
    for (size_t i = 0; px_profile_version(profile, i); i++)
        if (px_profile_version(profile, i) == tree->version) return;
    px_complain(checker, VERSION_UNKNOWN, tree->version_pos, (uint32_t)length, tree->version_text,
                PTX_ISA_VERSION / 10u, PTX_ISA_VERSION % 10u);
}

/* The number of a target that the profile has; -1. */
static int target_of(const struct px_checker *checker, const char *name, size_t length)
{
    const int index = px_target_find(name, length);
    const bool frozen = checker->module->profile == PTX_PROFILE_13_0;
    return index >= 0 && frozen && px_target_min_ptx((size_t)index) > PTX_ISA_VERSION ? -1 : index;
}

/* compute_90 stands for sm_90 in .target. */
static int find_target(struct px_checker *checker, const char *name, size_t length)
{
    static const char virtual_prefix[] = "compute_";
    size_t prefix = sizeof virtual_prefix - 1;
    if (length <= prefix || memcmp(name, virtual_prefix, prefix) != 0) return target_of(checker, name, length);
    const char *real = px_arena_printf(&checker->module->arena, "sm_%s", name + prefix);
    return target_of(checker, real, strlen(real));
}

static bool is_option(const struct px_name *name)
{
    switch (name->word) {
    case PX_W_texmode_unified:
    case PX_W_texmode_independent:
    case PX_W_debug:
    case PX_W_map_f64_to_f32: return true;
    default: return false;
    }
}

static void check_option(struct px_checker *checker, const struct px_name *name, px_pos pos, px_word *mode)
{
    bool is_mode = name->word == PX_W_texmode_unified || name->word == PX_W_texmode_independent;
    if (is_mode) {
        px_needs(checker, name->text, 15, 0, pos, name->len);
        if (*mode && *mode != name->word) px_complain(checker, TARGET_CONFLICT, pos, name->len, name->text);
        *mode = name->word;
        checker->texmode_independent |= name->word == PX_W_texmode_independent;
    } else if (name->word == PX_W_debug) {
        px_needs(checker, name->text, 30, 0, pos, name->len);
        checker->target_debug = true;
    } else if (checker->module->target.sm >= 13) {
        px_complain(checker, MAP_F64, pos, name->len);
    }
}

static void set_target(struct px_checker *checker, const struct px_name *name, px_pos pos, int index)
{
    struct ptx_module *module = checker->module;
    module->target = px_target_at((size_t)index);
    module->target_text = name->text;
    checker->target_pos = pos;
    checker->target_min_ptx = px_target_min_ptx((size_t)index);
}

/* ptxas holds .version against .target at the end, after all other errors. */
void px_check_target_version(struct px_checker *checker)
{
    const struct ptx_module *module = checker->module;
    unsigned version = checker->version;
    if (version < checker->target_min_ptx)
        px_complain(checker, TARGET_TOO_NEW, checker->target_pos, (uint32_t)strlen(module->target_text),
                    version / 10, version % 10, module->target_text);
}

static void check_target(struct px_checker *checker)
{
    const struct px_tree *tree = &checker->module->tree;
    bool saw_target = false;
    px_word mode = 0;
    for (uint32_t i = 0; i < tree->ntargets && !checker->stopped; i++) {
        const struct px_name *name = tree->target_names[i];
        int index = is_option(name) ? -1 : find_target(checker, name->text, name->len);
        bool looks_like_target = strncmp(name->text, "sm_", 3) == 0 || saw_target;
        if (index >= 0)
            set_target(checker, name, tree->target_poses[i], index);
        else if (!is_option(name) && looks_like_target)
            px_complain(checker, TARGET_UNKNOWN, tree->target_poses[i], name->len, name->text);
        saw_target |= index >= 0;
    }
    if (!saw_target && !checker->stopped && tree->ntargets)
        px_complain(checker, TARGET_NONE, tree->target_poses[0], 1, checker->module->source.file);
    for (uint32_t i = 0; i < tree->ntargets && !checker->stopped; i++)
        if (is_option(tree->target_names[i]))
            check_option(checker, tree->target_names[i], tree->target_poses[i], &mode);
}

static void check_address_size(struct px_checker *checker)
{
    enum { LENGTH = 13 }; /* of ".address_size" */
    const struct px_tree *tree = &checker->module->tree;
    if (!tree->address_size) return;
    px_needs(checker, ".address_size directive", 23, 0, tree->address_size_pos, LENGTH);
    if (tree->address_size != 32 && tree->address_size != 64)
        px_complain(checker, ADDRESS_SIZE, tree->address_size_pos, LENGTH);
}

/* ---- the architecture asked for against .target ---- */

/* sm_101 is the old name of sm_110. */
static unsigned real_sm(struct px_target target)
{
    return target.sm == 101 ? 110 : target.sm;
}

/* Does the a or f target run on `arch`? */
static void check_specific(struct px_checker *checker, struct px_target arch, const char *arch_text)
{
    struct px_target target = checker->module->target;
    const char *text = checker->module->target_text;
    unsigned sm = real_sm(target), on = real_sm(arch);
    if (target.suffix == 'a' && on != sm)
        px_complain(checker, ARCH_FUTURE, PX_NO_PLACE, 0, text);
    else if (target.suffix == 'a' && arch.suffix != 'a')
        px_complain(checker, ARCH_PLAIN, PX_NO_PLACE, 0, text, arch_text);
    else if (target.suffix == 'f' && on / 10 != sm / 10)
        px_complain(checker, ARCH_FAMILY, PX_NO_PLACE, 0, text);
}

static void check_arch(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    int index = module->arch ? find_target(checker, module->arch, strlen(module->arch)) : -1;
    if (index < 0) return;
    struct px_target arch = px_target_at((size_t)index);
    if (real_sm(module->target) > real_sm(arch))
        px_complain(checker, ARCH_OLDER, PX_NO_PLACE, 0);
    else
        check_specific(checker, arch, module->arch);
}

void px_check_header(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    module->target_text = "";
    if (!module->tree.version) return;
    check_version(checker);
    if (!checker->stopped) check_target(checker);
    if (!checker->stopped) check_address_size(checker);
    if (!checker->stopped) check_arch(checker);
}

/* ---- performance directives ---- */

struct needs {
    px_word word;
    uint16_t ptx, sm;
    const char *feature;
    bool positive;
};

static const struct needs directive_needs[] = {
    {PX_W_maxnreg, 13, 0, ".maxnreg", true},
    {PX_W_maxntid, 13, 0, ".maxntid", true},
    {PX_W_reqntid, 21, 0, ".reqntid directive", true},
    {PX_W_minnctapersm, 20, 0, ".minnctapersm directive", true},
    {PX_W_maxnctapersm, 0, 0, ".maxnctapersm directive", true},
    {PX_W_reqnctapercluster, 78, 90, ".reqnctapercluster", false},
    {PX_W_explicitcluster, 78, 90, ".explicitcluster", false},
    {PX_W_maxclusterrank, 78, 90, ".maxclusterrank", false},
    {PX_W_blocksareclusters, 90, 90, ".blocksareclusters", false},
    {PX_W_noreturn, 64, 30, ".noreturn", false},
    {PX_W_abi_preserve, 90, 80, ".abi_preserve", false},
    {PX_W_abi_preserve_control, 90, 80, ".abi_preserve_control", false},
    {PX_W_local_maxnreg, 88, 0, ".local_maxnreg", false},
};

static const struct needs *needs_of(px_word word)
{
    for (size_t i = 0; i < sizeof directive_needs / sizeof *directive_needs; i++)
        if (directive_needs[i].word == word) return &directive_needs[i];
    return NULL;
}

static void check_values(struct px_checker *checker, const struct px_directive *directive, bool positive)
{
    const char *name = px_word_text(directive->word);
    for (unsigned i = 0; i < directive->n; i++)
        if (directive->value[i] > UINT32_MAX) px_complain(checker, OVERFLOW, directive->pos, 1);
    for (unsigned i = 0; positive && i < directive->n; i++)
        if (!(uint32_t)directive->value[i]) {
            px_complain(checker, DIRECTIVE_ZERO, directive->pos, (uint32_t)strlen(name) + 1, name);
            return;
        }
}

static void check_directive(struct px_checker *checker, const struct px_directive *directive)
{
    const struct needs *needs = needs_of(directive->word);
    if (directive->pragma) {
        px_check_pragma(checker, directive->pragma, PX_PRAGMA_ENTRY);
        return;
    }
    if (!needs) return;
    px_needs(checker, needs->feature, needs->ptx, needs->sm, directive->pos, 1);
    if (directive->word == PX_W_maxnctapersm &&
        !px_withdrawn(checker, needs->feature, 21, directive->pos, 1) && checker->version >= 20)
        px_complain(checker, MAXNCTA_OLD, directive->pos, 1, checker->version / 10, checker->version % 10);
    check_values(checker, directive, needs->positive);
}

static const struct px_directive *find_directive(const struct px_func *func, px_word word)
{
    for (unsigned i = 0; i < func->ndirs; i++)
        if (func->dirs[i].word == word) return &func->dirs[i];
    return NULL;
}

static void exclude(struct px_checker *checker, const struct px_func *func, px_word a, px_word b)
{
    const struct px_directive *first = find_directive(func, a), *second = find_directive(func, b);
    if (!first || !second) return;
    px_pos pos = first->pos > second->pos ? first->pos : second->pos;
    px_complain(checker, DIRECTIVE_CONFLICT, pos, 1,
                px_arena_printf(&checker->module->arena, ".%s", px_word_text(a)),
                px_arena_printf(&checker->module->arena, ".%s", px_word_text(b)));
}

static void check_alone(struct px_checker *checker, const struct px_func *func, px_word word)
{
    const struct px_directive *directive = find_directive(func, word);
    if (directive && !find_directive(func, PX_W_maxntid) && !find_directive(func, PX_W_reqntid))
        px_complain(checker, MINNCTA_ALONE, directive->pos, 1, px_word_text(word));
}

static void check_together(struct px_checker *checker, const struct px_func *func)
{
    const struct px_directive *clusters = find_directive(func, PX_W_blocksareclusters);
    exclude(checker, func, PX_W_maxntid, PX_W_reqntid);
    exclude(checker, func, PX_W_reqnctapercluster, PX_W_maxclusterrank);
    if (clusters && !(find_directive(func, PX_W_reqntid) && find_directive(func, PX_W_reqnctapercluster)))
        px_complain(checker, DIRECTIVE_NEEDS, clusters->pos, 1, ".reqntid and .reqnctapercluster",
                    ".blocksareclusters");
    check_alone(checker, func, PX_W_minnctapersm);
    check_alone(checker, func, PX_W_maxnctapersm);
    const struct px_directive *noreturn = find_directive(func, PX_W_noreturn);
    if (noreturn && func->nrets) px_complain(checker, NORETURN_RESULT, noreturn->pos, 1, func->name->text);
}

static void set_shape(uint32_t shape[3], const struct px_directive *directive)
{
    for (unsigned i = 0; i < 3; i++) shape[i] = i < directive->n ? (uint32_t)directive->value[i] : 1;
}

void px_check_directives(struct px_checker *checker, struct px_function *function, const struct px_func *func)
{
    for (unsigned i = 0; i < func->ndirs && !checker->stopped; i++) {
        check_directive(checker, &func->dirs[i]);
        if (func->dirs[i].word == PX_W_reqntid) set_shape(function->reqntid, &func->dirs[i]);
        if (func->dirs[i].word == PX_W_maxntid) set_shape(function->maxntid, &func->dirs[i]);
    }
    check_together(checker, func);
}
