/*
 * directives.c - the header lines, what a module's version and target allow,
 * performance directives and pragmas.
 */
#include "check/checker.h"
#include <stdio.h>
#include <string.h>
#include "match/note.h"

/* ---- versions and targets ---- */

bool px_needs_feature(struct px_checker *checker, const char *feature, unsigned ptx, unsigned sm, px_pos pos,
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

bool px_needs(struct px_checker *checker, const struct px_construct *construct, px_pos pos, uint32_t length)
{
    return px_needs_feature(checker, construct->text, construct->min_ptx, construct->min_sm, pos, length);
}

bool px_requires(struct px_checker *checker, enum px_need need, px_pos pos, uint32_t length)
{
    return px_needs(checker, px_need_at(need), pos, length);
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
    struct px_diag *diag =
        px_diag_add(checker->diags, PX_D_VERSION_UNKNOWN, tree->version_pos, (uint32_t)length,
                    tree->version_text, PTX_ISA_VERSION / 10u, PTX_ISA_VERSION % 10u);
    checker->stopped |= diag->severity == PTX_FATAL;
    for (size_t i = 0; px_profile_version(PTX_PROFILE_ALL, i); i++)
        if (px_profile_version(PTX_PROFILE_ALL, i) == tree->version)
            px_diag_note(checker->diags, diag, "--profile=all knows it");
}

/* The number of a target that the profile has; -1. */
static int target_of(const struct px_checker *checker, const char *name, size_t length)
{
    const int index = px_target_find(name, length);
    const bool frozen = checker->module->profile == PTX_PROFILE_13_0;
    return index >= 0 && frozen && px_target_min_ptx((size_t)index) > PTX_ISA_VERSION ? -1 : index;
}

/*
 * compute_90 stands for sm_90 in .target. Only the suffixes a and f mean something to ptxas, in last place:
 * it takes sm_90b as sm_90, sm_90_a as sm_90a, and leading zeros. -1: not known.
 */
static int find_target(const struct px_checker *checker, const char *name, size_t length)
{
    static const char real[] = "sm_", virtual[] = "compute_";
    size_t prefix = strncmp(name, real, sizeof real - 1) == 0         ? sizeof real - 1
                    : strncmp(name, virtual, sizeof virtual - 1) == 0 ? sizeof virtual - 1
                                                                      : 0;
    const char *digits = name + prefix + strspn(name + prefix, "0");
    size_t n = strspn(digits, "0123456789");
    char plain[16];
    if (!prefix || n > 4 || digits + n > name + length) return -1;
    const char *last = name + length - 1;
    int size = snprintf(plain, sizeof plain, "%s%.*s%.*s", real, (int)n, digits,
                        last >= digits + n && (*last == 'a' || *last == 'f'), last);
    return target_of(checker, plain, (size_t)size);
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
        bool independent = name->word == PX_W_texmode_independent;
        if (independent) px_requires(checker, PX_NEED_texmode_independent, pos, name->len);
        if (*mode && *mode != name->word) px_complain(checker, TARGET_CONFLICT, pos, name->len, name->text);
        *mode = name->word;
        checker->module->texmode_independent |= independent;
    } else if (name->word == PX_W_debug) {
        px_requires(checker, PX_NEED_target_debug, pos, name->len);
        checker->target_debug = checker->module->target_debug = true;
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
    if (checker->memo.n) px_memo_init(&checker->memo, &module->arena); /* other forms may fit now */
    checker->target_min_ptx = px_target_min_ptx((size_t)index);
}

/* ptxas holds .version against .target at the end, after all other errors. */
void px_check_target_version(struct px_checker *checker)
{
    const struct ptx_module *module = checker->module;
    unsigned version = checker->version;
    const unsigned least = checker->target_min_ptx;
    if (version >= least) return;
    struct px_diag *diag =
        px_diag_add(checker->diags, PX_D_TARGET_TOO_NEW, checker->target_pos,
                    (uint32_t)strlen(module->target_text), version / 10, version % 10, module->target_text);
    px_diag_note(checker->diags, diag, ".version %u.%u has it", least / 10, least % 10);
    px_fix_version(checker->module, diag, least);
}

void px_check_target(struct px_checker *checker, const struct px_target_list *list)
{
    bool saw_target = false;
    px_word mode = 0;
    for (uint32_t i = 0; i < list->n && !checker->stopped; i++) {
        const struct px_name *name = list->names[i];
        int index = is_option(name) ? -1 : find_target(checker, name->text, name->len);
        if (!i && index < 0 && is_option(name) && !*checker->module->target_text) break; /* it comes first */
        bool looks_like_target =
            strncmp(name->text, "sm_", 3) == 0 || saw_target || *checker->module->target_text;
        if (index >= 0)
            set_target(checker, name, list->poses[i], index);
        else if (!is_option(name) && looks_like_target)
            px_complain(checker, TARGET_UNKNOWN, list->poses[i], name->len, name->text);
        saw_target |= index >= 0;
    }
    if (!saw_target && !checker->stopped && list->n)
        px_complain(checker, TARGET_NONE, list->poses[0], 1, checker->module->source.file);
    for (uint32_t i = 0; i < list->n && !checker->stopped; i++)
        if (is_option(list->names[i])) check_option(checker, list->names[i], list->poses[i], &mode);
}

static void check_address_size(struct px_checker *checker)
{
    enum { LENGTH = 13 }; /* of ".address_size" */
    const struct px_tree *tree = &checker->module->tree;
    if (!tree->address_size) return;
    px_requires(checker, PX_NEED_address_size, tree->address_size_pos, LENGTH);
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

void px_check_arch(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    int index = module->arch ? find_target(checker, module->arch, strlen(module->arch)) : -1;
    if (index < 0) return;
    struct px_target arch = px_target_at((size_t)index);
    const uint32_t before = checker->diags->list.n;
    if (real_sm(module->target) > real_sm(arch))
        px_complain(checker, ARCH_OLDER, PX_NO_PLACE, 0);
    else
        check_specific(checker, arch, module->arch_text ? module->arch_text : module->arch);
    px_note_target(checker, before);
}

void px_check_header(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    module->target_text = "";
    if (!module->tree.version) return;
    check_version(checker);
    if (!checker->stopped) px_check_target(checker, &module->tree.target);
    if (!checker->stopped) check_address_size(checker);
}

/* ---- performance directives ---- */

#define COMPLAIN_DIRECTIVE(checker, id, directive, ...)                                                      \
    px_complain_at(checker, (directive)->told, id, (directive)->pos, directive_length(directive),            \
                   ##__VA_ARGS__)

/* A note below the message that was appended, if it was, as the `before`-th. */
#define NOTE(checker, before, ...)                                                                           \
    do {                                                                                                     \
        struct px_diags *diags_ = (checker)->diags;                                                          \
        if (diags_->list.n > (before)) px_diag_note(diags_, &diags_->list.at[before], __VA_ARGS__);          \
    } while (0)

static uint32_t directive_length(const struct px_directive *directive)
{
    return (uint32_t)strlen(px_word_text(directive->word)) + 1;
}

/* The i-th value behind a directive: where it stands, and its length. Values are apart by commas. */
static px_pos value_place(const struct px_source *source, const struct px_directive *directive, unsigned i,
                          uint32_t *length)
{
    px_pos at = px_source_behind(source, directive->pos + directive_length(directive));
    for (; i && at < source->size; at++)
        if (source->text[at] == ',') i--;
    at = px_source_behind(source, at);
    const char *value = source->text + at;
    *length = (uint32_t)(*value == '"' ? strcspn(value + 1, "\"") + 2 : strcspn(value, ", \t\r\n/.{;"));
    return at;
}

#define COMPLAIN_VALUE(checker, id, directive, i, ...)                                                       \
    do {                                                                                                     \
        uint32_t length_;                                                                                    \
        const px_pos pos_ = value_place(&(checker)->module->source, directive, i, &length_);                 \
        px_complain_at(checker, (directive)->told, id, pos_, length_, ##__VA_ARGS__);                        \
    } while (0)

static void check_values(struct px_checker *checker, const struct px_directive *directive, bool positive)
{
    for (unsigned i = 0; i < directive->n; i++)
        if (directive->value[i] > UINT32_MAX) COMPLAIN_VALUE(checker, OVERFLOW, directive, i);
    for (unsigned i = 0; positive && i < directive->n; i++)
        if (!(uint32_t)directive->value[i]) {
            const uint32_t before = checker->diags->list.n;
            COMPLAIN_VALUE(checker, DIRECTIVE_ZERO, directive, i, px_word_text(directive->word));
            NOTE(checker, before, "value %u is 0; leave the directive out where there is no bound", i + 1);
            return;
        }
}

static void check_directive_needs(struct px_checker *checker, const struct px_directive *directive,
                                  const struct px_construct *row)
{
    if (checker->version < row->min_ptx)
        COMPLAIN_DIRECTIVE(checker, NEEDS_PTX, directive, row->text, row->min_ptx / 10u, row->min_ptx % 10u);
    if (checker->module->target.sm < row->min_sm)
        COMPLAIN_DIRECTIVE(checker, NEEDS_SM, directive, row->text, row->min_sm);
}

static void check_languages(struct px_checker *checker, const struct px_directive *directive)
{
    for (uint32_t i = 0; i < directive->nlist; i++) {
        const struct px_value *value = &directive->list[i];
        if (value->text && px_language_find(value->text) < 0)
            COMPLAIN_VALUE(checker, LANGUAGE, directive, i, value->text);
        else if (!value->text && value->number > px_language_last())
            COMPLAIN_VALUE(checker, LANGUAGE_CODE, directive, i, (unsigned long long)value->number,
                           px_language_last());
    }
}

static void check_directive(struct px_checker *checker, const struct px_directive *directive)
{
    const struct px_construct *row = px_directive_of_word(directive->word);
    if (directive->pragma) {
        px_check_pragma(checker, directive->pragma, PX_PRAGMA_ENTRY);
        return;
    }
    if (!row) return;
    check_directive_needs(checker, directive, row);
    if (directive->word == PX_W_maxnctapersm &&
        !px_withdrawn(checker, row->text, 21, directive->pos, directive_length(directive)) &&
        checker->version >= 20)
        px_complain(checker, MAXNCTA_OLD, directive->pos, directive_length(directive), checker->version / 10,
                    checker->version % 10);
    check_values(checker, directive, row->positive);
    if (directive->word == PX_W_language) check_languages(checker, directive);
}

static const struct px_directive *find_directive(const struct px_func *func, px_word word)
{
    for (unsigned i = 0; i < func->ndirs; i++)
        if (func->dirs[i].word == word) return &func->dirs[i];
    return NULL;
}

bool px_has_directive(const struct px_func *func, px_word word)
{
    return find_directive(func, word) != NULL;
}

/* A value of 0 counts as not given. */
static const struct px_directive *find_given(const struct px_func *func, px_word word)
{
    const struct px_directive *directive = find_directive(func, word);
    return directive && directive->value[0] ? directive : NULL;
}

static void exclude(struct px_checker *checker, const struct px_func *func, px_word a, px_word b)
{
    const struct px_directive *first = find_given(func, a), *second = find_given(func, b);
    if (!first || !second) return;
    const struct px_directive *later = first->pos > second->pos ? first : second;
    const struct px_directive *earlier = later == first ? second : first;
    const uint32_t before = checker->diags->list.n;
    px_complain_at(checker, func->end, DIRECTIVE_CONFLICT, later->pos, directive_length(later),
                   px_arena_printf(&checker->module->arena, ".%s", px_word_text(a)),
                   px_arena_printf(&checker->module->arena, ".%s", px_word_text(b)));
    NOTE(checker, before, ".%s stands in line %u; leave one of them out", px_word_text(earlier->word),
         px_source_place(&checker->module->source, earlier->pos).line);
    if (before < checker->diags->list.n)
        px_diag_relate(checker->diags, &checker->diags->list.at[before], earlier->pos,
                       directive_length(earlier), ".%s stands here", px_word_text(earlier->word));
}

static void check_alone(struct px_checker *checker, const struct px_func *func, px_word word)
{
    const struct px_directive *directive = find_directive(func, word);
    if (directive && !find_directive(func, PX_W_maxntid) && !find_directive(func, PX_W_reqntid))
        px_complain(checker, MINNCTA_ALONE, directive->pos, directive_length(directive), px_word_text(word));
}

/* A bit for each directive of names.tbl, which has at most 64; complains when it is in `seen` already. */
static uint64_t note_directive(struct px_checker *checker, const struct px_directive *directive,
                               uint64_t seen)
{
    const struct px_construct *row = px_directive_of_word(directive->word);
    const uint64_t bit = row ? (uint64_t)1 << px_directive_number(row) : 0;
    if (seen & bit) COMPLAIN_DIRECTIVE(checker, DIRECTIVE_TWICE, directive, px_word_text(directive->word));
    return seen | bit;
}

static void check_twice(struct px_checker *checker, const struct px_func *func)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < func->ndirs && !func->is_entry; i++)
        seen = note_directive(checker, &func->dirs[i], seen);
}

void px_check_proto_directives(struct px_checker *checker, const struct px_proto *proto)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < proto->ndirs; i++) {
        const struct px_construct *row = px_directive_of_word(proto->dirs[i].word);
        seen = note_directive(checker, &proto->dirs[i], seen);
        if (row) check_directive_needs(checker, &proto->dirs[i], row);
    }
}

void px_check_directive_pairs(struct px_checker *checker, const struct px_func *func)
{
    const struct px_directive *clusters = find_directive(func, PX_W_blocksareclusters);
    if (clusters && !(find_directive(func, PX_W_reqntid) && find_directive(func, PX_W_reqnctapercluster)))
        px_complain_at(checker, func->end, DIRECTIVE_NEEDS, clusters->pos, directive_length(clusters),
                       ".reqntid and .reqnctapercluster", ".blocksareclusters");
    exclude(checker, func, PX_W_maxntid, PX_W_reqntid);
    exclude(checker, func, PX_W_reqnctapercluster, PX_W_maxclusterrank);
    check_alone(checker, func, PX_W_minnctapersm);
    check_alone(checker, func, PX_W_maxnctapersm);
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
        if (func->dirs[i].word == PX_W_maxnreg) function->maxnreg = (uint32_t)func->dirs[i].value[0];
        if (func->dirs[i].word == PX_W_minnctapersm)
            function->minnctapersm = (uint32_t)func->dirs[i].value[0];
    }
    check_twice(checker, func);
    const struct px_directive *noreturn = find_directive(func, PX_W_noreturn);
    if (noreturn && func->nrets)
        px_complain(checker, NORETURN_RESULT, noreturn->pos, directive_length(noreturn), func->name->text);
}
