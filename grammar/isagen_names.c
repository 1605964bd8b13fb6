/* isagen_names.c - words, and the reader of names.tbl. */
#include "isagen.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/isa/hash.h"

static int *chain_of(const char *s, size_t n)
{
    return &ig.words.first[px_word_hash(s, n, 0) % IG_WORD_CHAINS];
}

int ig_word_find(const char *s, size_t n)
{
    int w = *chain_of(s, n);
    while (w && (strncmp(ig.words.text[w - 1], s, n) || ig.words.text[w - 1][n])) w = ig.words.next[w - 1];
    return w;
}

static int word_new(const char *s, size_t n, bool plain)
{
    if (ig.words.n == IG_WORDS) ig_error((struct ig_place){"names.tbl", 0}, "more than %d words", IG_WORDS);
    ig.words.text[ig.words.n] = ig_text(s, n);
    ig.words.plain[ig.words.n] = plain;
    int *chain = chain_of(s, n);
    ig.words.next[ig.words.n] = *chain;
    return *chain = ++ig.words.n;
}

int ig_word(const char *s, size_t n)
{
    int w = ig_word_find(s, n);
    if (!w) w = word_new(s, n, true);
    ig.words.plain[w - 1] = ig.words.used[w - 1] = true;
    return w;
}

int ig_type_find(const char *s, size_t n)
{
    int w = ig_word_find(s, n);
    return w <= ig.ntypes ? w : 0;
}

int ig_target_find(const char *s, size_t n)
{
    for (int i = 0; i < ig.ntargets; i++)
        if (!strncmp(ig.targets[i].name, s, n) && !ig.targets[i].name[n]) return i;
    return -1;
}

int ig_version(struct ig_place at, const char *s)
{
    int major = 0, minor = 0, used = 0;
    if (sscanf(s, "%d.%d%n", &major, &minor, &used) < 2 || minor > 9)
        ig_error(at, "'%s' is no PTX version", s);
    return major * 10 + minor;
}

/* "a b": the line and what continues it; "ab" where the line ends with a backslash. */
static char *joined(const char *line, const char *more)
{
    size_t n = strlen(line);
    bool together = n && line[n - 1] == '\\';
    return ig_format("%.*s%s%s", (int)(n - together), line, together ? "" : " ", more);
}

/* Calls `line` for every logical line: comments gone, a line that starts with a blank joined to the one
 * before. */
void ig_read_lines(const char *file, void (*line)(struct ig_place at, char *text))
{
    FILE *f = fopen(file, "r");
    if (!f) ig_error((struct ig_place){file, 0}, "%s", strerror(errno));
    char buf[16384], *whole = ig_alloc(1);
    struct ig_place at = {file, 0};
    int number = 0;
    while (fgets(buf, sizeof buf, f)) {
        number++;
        buf[strcspn(buf, "\n")] = 0;
        if (buf[0] == '#' || buf[strspn(buf, " \t")] == 0) continue;
        if (isblank((unsigned char)buf[0])) {
            whole = joined(whole, buf + strspn(buf, " \t"));
            continue;
        }
        if (*whole) line(at, whole);
        whole = ig_text(buf, strlen(buf));
        at.line = number;
    }
    if (*whole) line(at, whole);
    fclose(f);
}

/* Every word of a pattern of literal characters and [a-b] ranges. */
static void expand_pattern(const char *pattern, char *done, size_t n)
{
    if (!*pattern) {
        if (!ig_word_find(done, n)) word_new(done, n, false);
        const int w = ig_word_find(done, n);
        ig.words.always[w - 1] = ig.words.used[w - 1] = true;
        return;
    }
    if (*pattern != '[') {
        done[n] = *pattern;
        expand_pattern(pattern + 1, done, n + 1);
        return;
    }
    for (char c = pattern[1]; c <= pattern[3]; c++) {
        done[n] = c;
        expand_pattern(pattern + 5, done, n + 1);
    }
}

static void read_type(struct ig_place at, char **w, int n)
{
    if (n < 5 || ig.ntypes == 63) ig_error(at, "type NAME BITS CLASS REG [decl] [noimm]");
    if (ig.words.n != ig.ntypes) ig_error(at, "types come before all other words");
    struct ig_type *t = &ig.types[ig.ntypes++];
    *t = (struct ig_type){.name = w[1], .bits = atoi(w[2]), .klass = w[3], .reg = w[4]};
    for (int i = 5; i < n; i++) {
        t->decl |= !strcmp(w[i], "decl");
        t->noimm |= !strcmp(w[i], "noimm");
    }
    ig.words.numbered = ig_word(w[1], strlen(w[1]));
}

/* Words that C names: their numbers do not depend on the words of rows. */
static void read_numbered(struct ig_place at, char **w, int n)
{
    for (int i = 1; i < n; i++) {
        if (ig.words.n != ig.words.numbered) ig_error(at, "numbered words come right after the types");
        if (ig_word_find(w[i], strlen(w[i]))) ig_error(at, "'%s' has a number already", w[i]);
        ig.words.numbered = word_new(w[i], strlen(w[i]), true);
    }
}

void ig_check_numbered(void)
{
    for (int i = 0; i < ig.words.numbered; i++)
        if (!ig.words.used[i])
            ig_error((struct ig_place){"names.tbl", 0}, "'%s' is numbered, and no line has it",
                     ig.words.text[i]);
}

static void read_target(struct ig_place at, char **w, int n)
{
    if (n < 3 || strncmp(w[1], "sm_", 3) || ig.ntargets == 64) ig_error(at, "target sm_N[af] PTX [past]");
    struct ig_target *t = &ig.targets[ig.ntargets++];
    char *end;
    *t =
        (struct ig_target){.name = w[1], .ptx = ig_version(at, w[2]), .past = n > 3 && !strcmp(w[3], "past")};
    t->sm = (int)strtol(w[1] + 3, &end, 10);
    t->suffix = *end;
    ig_word(w[1], strlen(w[1]));
}

static void read_sreg(struct ig_place at, char **w, int n)
{
    if (n < 6 || n > 7 || ig.nsregs == UINT8_MAX)
        ig_error(at, "sreg NAME TYPE COMPONENTS PTX TARGET [lanes|threads|DIRECTIVE]");
    int target = ig_target_find(w[5], strlen(w[5]));
    if (target < 0) ig_error(at, "unknown target '%s'", w[5]);
    struct ig_sreg s = {.name = w[1], .type = w[2], .differs = "nowhere", .components = atoi(w[3])};
    s.ptx = ig_version(at, w[4]);
    s.target = target;
    if (n > 6 && (!strcmp(w[6], "lanes") || !strcmp(w[6], "threads")))
        s.differs = w[6];
    else if (n > 6)
        s.directive = w[6];
    ig.sregs[ig.nsregs++] = s;
    ig_word(w[1], strlen(w[1]));
}

/* A word that every version has. */
static void word_always(const char *s)
{
    int word = ig_word(s, strlen(s));
    ig.words.always[word - 1] = true;
}

/* What stands in quotation marks at the end of a line; NULL. */
static const char *quoted_text(struct ig_place at, const char *text)
{
    const char *from = strchr(text, '"'), *to = from ? strchr(from + 1, '"') : NULL;
    if (from && !to) ig_error(at, "a quotation mark is missing");
    return from ? ig_text(from + 1, (size_t)(to - from - 1)) : NULL;
}

static bool read_construct(struct ig_place at, char **w, int n, const char *quoted)
{
    if (!strcmp(w[0], "directive"))
        ig_read_directive(at, w, n, quoted);
    else if (!strcmp(w[0], "pragma"))
        ig_read_pragma(at, w, n);
    else if (!strcmp(w[0], "construct"))
        ig_read_construct(at, w, n, quoted);
    else if (!strcmp(w[0], "language"))
        ig_read_language(at, w, n);
    else if (!strcmp(w[0], "intermediate"))
        ig_read_intermediate(at, w, n);
    else
        return false;
    return true;
}

static void read_line(struct ig_place at, char *text)
{
    char *w[64], *save = NULL, done[64];
    const char *quoted = quoted_text(at, text);
    int n = 0;
    w[0] = text;
    for (char *s = strtok_r(text, " \t", &save); s && n < 64; s = strtok_r(NULL, " \t", &save))
        w[n++] = ig_text(s, strlen(s));
    if (!strcmp(w[0], "type")) {
        read_type(at, w, n);
    } else if (!strcmp(w[0], "number")) {
        read_numbered(at, w, n);
    } else if (!strcmp(w[0], "space") && n == 3) {
        ig.spaces[ig.nspaces++] = (struct ig_space){w[1], w[2]};
        word_always(w[1]);
    } else if (!strcmp(w[0], "sreg")) {
        read_sreg(at, w, n);
    } else if (!strcmp(w[0], "target")) {
        read_target(at, w, n);
    } else if (!strcmp(w[0], "version")) {
        for (int i = 1; i < n; i++) ig.versions[ig.nversions++] = ig_version(at, w[i]);
    } else if (!strcmp(w[0], "word")) {
        for (int i = 1; i < n; i++) {
            word_always(w[i]);
            ig.words.value[ig_word(w[i], strlen(w[i])) - 1] = true;
        }
    } else if (!strcmp(w[0], "words") && n == 2) {
        expand_pattern(w[1], done, 0);
    } else if (!read_construct(at, w, n, quoted)) {
        ig_error(at, "'%s' starts no line of this table", w[0]);
    }
}

void ig_read_names(const char *file)
{
    ig_read_lines(file, read_line);
}
