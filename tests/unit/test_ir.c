/*
 * test_ir.c - each pass over the IR alone: a text goes in, one pass works on it, the text that comes out is
 * what tests/ir/PASS.ir says by hand.
 *
 * A file has cases, each of which begins with "== what must hold", then "pass NAME [fmad=false]
 * [approx=exact] [words of --engine]", the function, a line "--", and what it becomes. Blanks, empty lines
 * and what follows ';' do not count. In wrong.ir the second part is a piece of what the verifier says; in
 * read.ir of what the reader says, with the line.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "code/dump.h"
#include "code/ir/text.h"
#include "code/ir/verify.h"
#include "suite.h"

/* ---- a coder ---- */

struct bench {
    struct px_arena arenas[4];
    struct px_coder coder;
    jmp_buf no_memory;
};

/* The words "fmad=false" and "approx=exact" are taken out of those of --engine. */
static bool take_word(char *words, const char *word)
{
    char *at = strstr(words, word);
    if (at) memset(at, ' ', strlen(word));
    return at;
}

static void bench_open(struct bench *b, char *words)
{
    const bool unfused = take_word(words, "fmad=false"), exact = take_word(words, "approx=exact");
    const char *engine = words + strspn(words, " ");
    const char *at;
    size_t length;
    const ptx_allocator alloc = px_alloc_or_default(NULL);
    for (unsigned i = 0; i < 4; i++) px_arena_init(&b->arenas[i], &alloc, &b->no_memory);
    if (setjmp(b->no_memory)) abort();
    b->coder =
        (struct px_coder){.keep = &b->arenas[0],
                          .scratch = &b->arenas[1],
                          .draft = &b->arenas[2],
                          .pass = &b->arenas[3],
                          .wishes = {.fmad = unfused ? PTX_FMAD_OFF : PTX_FMAD_ON, .approx_exact = exact},
                          .level = px_level_best()};
    if (!px_engine_parse(engine, &b->coder.wishes.engine, &at, &length)) fail_msg("engine: %s", at);
}

static void bench_close(struct bench *b)
{
    for (unsigned i = 0; i < 4; i++) px_arena_free(&b->arenas[i]);
}

static char *text_of(struct bench *b, const struct px_irfn *f, const char *after)
{
    struct px_ir_text text = {.arena = b->coder.keep};
    px_ir_print(&text, f, after);
    return text.out.at;
}

/* ---- passes ---- */

static const struct pass {
    const char *name;
    void (*run)(struct px_irfn *f);
    uint32_t gives;
} passes[] = {
#define ALWAYS 0
#define PASS(name, function, lies, needs, gives, engine) {#name, function, gives},
#include "code/passes.def"
};
enum { PASSES = sizeof passes / sizeof *passes };

static const struct pass *find_pass(const char *name)
{
    for (unsigned i = 0; i < PASSES; i++)
        if (strcmp(passes[i].name, name) == 0) return &passes[i];
    fail_msg("no pass is called %s", name);
    return NULL;
}

/* What holds behind the pass of this name. */
static uint32_t facts_behind(const char *name)
{
    uint32_t facts = 0;
    for (const struct pass *p = passes; p <= find_pass(name); p++) facts |= p->gives;
    return facts;
}

/* ---- cases ---- */

struct one {
    char name[200], pass[32], engine[80];
    char *in, *wanted; /* into the file */
};

/* The lines without blanks at their ends and more than one between; without comments and empty ones. */
static char *plain(const char *text)
{
    char *out = malloc(strlen(text) + 3), *to = out;
    bool blank = true;
    assert_non_null(out);
    for (; *text; text++) {
        if (*text == ';') text += strcspn(text, "\n");
        if (*text == '\n') {
            while (to > out && to[-1] == ' ') to--;
            if (to > out && to[-1] != '\n') *to++ = '\n';
            blank = true;
        } else if (*text == ' ' || *text == '\t') {
            if (!blank) *to++ = ' ';
            blank = true;
        } else {
            *to++ = *text;
            blank = false;
        }
        if (!*text) break;
    }
    if (to > out && to[-1] != '\n') *to++ = '\n';
    *to = '\0';
    return out;
}

static bool same_text(const struct one *c, const char *got)
{
    char *a = plain(c->wanted), *b = plain(got);
    const bool same = strcmp(a, b) == 0;
    size_t at = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '\n') at = i + 1;
    if (!same)
        print_error("%s:\n  wanted %.*s\n  got    %.*s\n", c->name, (int)strcspn(a + at, "\n"), a + at,
                    (int)strcspn(b + at, "\n"), b + at);
    free(a);
    free(b);
    return same;
}

static bool says(const struct one *c, const char *got)
{
    char *wanted = plain(c->wanted);
    wanted[strcspn(wanted, "\n")] = '\0';
    const bool does = got && *wanted && strstr(got, wanted);
    if (!does) print_error("%s: wanted '%s', got '%s'\n", c->name, wanted, got ? got : "nothing");
    free(wanted);
    return does;
}

/* The function behind its pass, held against the invariants before and after. */
static bool run_pass(const struct one *c, struct bench *b)
{
    const struct pass *pass = find_pass(c->pass);
    unsigned line;
    const char *why;
    struct px_irfn *f = px_ir_read(&b->coder, c->in, &line, &why);
    if (!f) {
        print_error("%s: line %u: %s\n", c->name, line, why);
        return false;
    }
    pass->run(f);
    why = px_ir_verify(f, facts_behind(c->pass), b->coder.pass);
    if (why) print_error("%s: the verifier says %s\n", c->name, why);
    return same_text(c, text_of(b, f, c->pass)) && !why;
}

static bool is_wrong(const struct one *c, struct bench *b)
{
    unsigned line;
    const char *why;
    struct px_irfn *f = px_ir_read(&b->coder, c->in, &line, &why);
    if (f) return says(c, px_ir_verify(f, facts_behind(c->pass), b->coder.pass));
    print_error("%s: line %u: %s\n", c->name, line, why);
    return false;
}

static bool is_refused(const struct one *c, struct bench *b)
{
    unsigned line;
    const char *why;
    char text[300];
    struct px_irfn *f = px_ir_read(&b->coder, c->in, &line, &why);
    if (!f) snprintf(text, sizeof text, "%u: %s", line, why);
    return says(c, f ? NULL : text);
}

static char *read_file(const char *name)
{
    char path[300];
    const char *root = getenv("ROOT");
    snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    const long n = ftell(file);
    char *text = calloc(1, (size_t)n + 1);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)n, file), n);
    fclose(file);
    return text;
}

/* The next case; NULL: there is none. Its parts are cut out of the text. */
static char *next_case(char *at, struct one *c)
{
    char *start = at ? strstr(at, "== ") : NULL;
    if (!start) return NULL;
    char *end = strstr(start + 3, "\n== ");
    if (end) *end++ = '\0';
    int n = 0;
    c->engine[0] = '\0';
    if (sscanf(start, "== %199[^\n]\npass %31s%n", c->name, c->pass, &n) != 2)
        fail_msg("no pass behind %.60s", start);
    sscanf(start + n, " %79[^\n]", c->engine);
    if (start[n] == '\n') c->engine[0] = '\0';
    c->in = start + n + strcspn(start + n, "\n");
    c->wanted = strstr(c->in, "\n--\n");
    if (!c->wanted) fail_msg("%s: no line '--'", c->name);
    *c->wanted = '\0';
    c->wanted += 4;
    return end ? end : c->wanted + strlen(c->wanted);
}

static void run_cases(const char *name, bool (*run)(const struct one *c, struct bench *b))
{
    char path[100];
    struct one c;
    unsigned n = 0, bad = 0;
    snprintf(path, sizeof path, "tests/ir/%s.ir", name);
    char *text = read_file(path);
    for (char *at = text; (at = next_case(at, &c)); n++) {
        struct bench b;
        bench_open(&b, c.engine);
        bad += !run(&c, &b);
        bench_close(&b);
    }
    free(text);
    assert_true(n > 0);
    assert_int_equal(bad, 0);
}

TEST(fold)
{
    run_cases("fold", run_pass);
}

TEST(contract)
{
    run_cases("contract", run_pass);
}

TEST(uniform)
{
    run_cases("uniform", run_pass);
}

TEST(canon)
{
    run_cases("canon", run_pass);
}

TEST(blocks)
{
    run_cases("blocks", run_pass);
}

TEST(values)
{
    run_cases("values", run_pass);
}

TEST(rows)
{
    run_cases("rows", run_pass);
}

TEST(forks)
{
    run_cases("forks", run_pass);
}

TEST(loops)
{
    run_cases("loops", run_pass);
}

TEST(fusion)
{
    run_cases("fusion", run_pass);
}

TEST(the_verifier_says_what_is_wrong)
{
    run_cases("wrong", is_wrong);
}

TEST(the_reader_says_what_is_wrong)
{
    run_cases("read", is_refused);
}

/* ---- what is wrong, and cannot be written as text ---- */

static const char sound[] = "kernel k after rows\n"
                            "rows 12 zeroed 12 live 12\n"
                            "reg %a b32 row 0 live 0.0..9.2\n"
                            "reg %n b32 row 4 live 0.0..9.2\n"
                            "reg %p pred row 8 live 0.0..9.2\n"
                            "L0:\n"
                            "* add_u32 %a = %a, 1:u32\n"
                            "* setp_lt_u32 %p = %a:u32, %n:u32\n"
                            "* ir.branch %p -> L0\n"
                            "* st [{param+0}]:global/4, %a ! fact=4\n"
                            "  ir.end\n";

/* More than there are of anything. */
enum { MANY = 1000 };
#define BREACH(name, does, says)                                                                             \
    static void break_##name(struct px_irfn *f)                                                              \
    {                                                                                                        \
        struct px_ir_inst *in = f->insts.at;                                                                 \
        struct px_ir_opd *o = px_ir_opds(f, in);                                                             \
        (void)in, (void)o;                                                                                   \
        does;                                                                                                \
    }
#include "breaches.def"
#undef BREACH

static const struct breach {
    void (*make)(struct px_irfn *f);
    const char *says;
} breaches[] = {
#define BREACH(name, does, says) {break_##name, says},
#include "breaches.def"
};

TEST(the_verifier_says_what_no_text_can_hold)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof breaches / sizeof *breaches; i++) {
        struct bench b;
        unsigned line;
        const char *why;
        bench_open(&b, (char[]){""});
        struct px_irfn *f = px_ir_read(&b.coder, sound, &line, &why);
        assert_non_null(f);
        assert_null(px_ir_verify(f, facts_behind("rows"), b.coder.pass));
        breaches[i].make(f);
        why = px_ir_verify(f, facts_behind("rows"), b.coder.pass);
        const bool does = why && strstr(why, breaches[i].says);
        if (!does) print_error("wanted '%s', got '%s'\n", breaches[i].says, why ? why : "nothing");
        bad += !does;
        bench_close(&b);
    }
    assert_int_equal(bad, 0);
}

/* ---- what is printed can be read ---- */

struct shown {
    char *text;
    size_t n;
};

static int collect(void *user, const char *text, size_t size)
{
    struct shown *s = user;
    s->text = realloc(s->text, s->n + size + 1);
    assert_non_null(s->text);
    memcpy(s->text + s->n, text, size);
    s->n += size;
    s->text[s->n] = '\0';
    return 0;
}

/* Text of one function, to before the next: read, printed, held against itself. */
static unsigned round_trip(const char *name, char *function, const char *pass)
{
    struct bench b;
    unsigned line;
    const char *why;
    bench_open(&b, (char[]){""});
    struct px_irfn *f = px_ir_read(&b.coder, function, &line, &why);
    struct one c = {.wanted = function};
    snprintf(c.name, sizeof c.name, "%.199s", name);
    if (!f) print_error("%s after %s: line %u: %s\n", name, pass, line, why);
    const bool same = f && same_text(&c, text_of(&b, f, pass));
    if (f && !same) print_error("%s after %s is not read as it was printed\n", name, pass);
    bench_close(&b);
    return !same;
}

static char *next_function(char *at)
{
    char *kernel = strstr(at + 1, "\nkernel "), *function = strstr(at + 1, "\nfunction ");
    return !kernel ? function : !function || kernel < function ? kernel : function;
}

static unsigned round_trips(ptx_program *program, const char *name, const char *pass)
{
    struct shown s = {0};
    unsigned bad = 0;
    assert_int_equal(ptx_program_show_ir(program, pass, 0, collect, &s), PTX_OK);
    for (char *at = s.text, *next; at; at = next) {
        next = next_function(at);
        if (next) *next++ = '\0';
        if (strncmp(at, "kernel ", 7) == 0 || strncmp(at, "function ", 9) == 0)
            bad += round_trip(name, at, pass);
    }
    free(s.text);
    return bad;
}

static unsigned look_at_file(const char *name, ptx_device *device)
{
    char path[300];
    unsigned bad = 0;
    ptx_module *module = NULL;
    ptx_program *program = NULL;
    snprintf(path, sizeof path, "tests/exec/%s", name);
    char *text = read_file(path);
    const bool made =
        ptx_module_create(NULL, text, strlen(text), &module) == PTX_OK &&
        ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program) == PTX_OK;
    for (unsigned i = PX_PASS_lower; made && i < PX_PASS_records; i++)
        bad += round_trips(program, name, px_pass_name((enum px_pass_number)i));
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    free(text);
    return bad;
}

TEST(what_is_printed_is_read)
{
    const ptx_device_config config = {.workers = 1};
    const char *root = getenv("ROOT");
    char path[300];
    ptx_device *device;
    unsigned bad = 0, files = 0;
    snprintf(path, sizeof path, "%s/tests/exec", root ? root : ".");
    DIR *folder = opendir(path);
    assert_non_null(folder);
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    for (const struct dirent *d; (d = readdir(folder));) {
        const char *dot = strrchr(d->d_name, '.');
        if (!dot || strcmp(dot, ".ptx") != 0) continue;
        bad += look_at_file(d->d_name, device);
        files++;
    }
    closedir(folder);
    ptx_device_destroy(device);
    assert_true(files > 10);
    assert_int_equal(bad, 0);
}

int main(void)
{
    return run_suite();
}
