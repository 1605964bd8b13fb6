/* exec.c - ptxvm --exec: a CUDA program with the libraries of the virtual device in the place of NVIDIA's.
 *
 * The program's own process does everything: libcuda.so.1 and libcudart.so stand where the loader looks
 * first, an auditing library redirects a runtime that is linked in, and options travel in the environment, so
 * that what the program starts runs the same way. Where nothing is to be told afterwards this process becomes
 * the program; else it waits, and merges the reports that each process of it wrote (PTXVM_REPORT). */
#include "exec.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fail.h"
#include "json.h"

enum { EXIT_SIGNALLED = 128 };

/* ---- what is run, and where the libraries are ---- */

/* Beside this program's folder: installed, or as built. */
char *program_libraries(void)
{
    static const char *const places[] = {"lib/ptxvm", "lib"};
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    for (int up = 0; up < 2 && strrchr(self, '/'); up++) *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *probe = must_print("%s/%s/libptxvm_audit.so", self, places[i]);
        const bool there = access(probe, R_OK) == 0;
        if (there) *strrchr(probe, '/') = 0;
        if (there) return probe;
        free(probe);
    }
    fail(EXIT_USAGE, "--exec: libptxvm_audit.so is neither in %s/lib/ptxvm nor in %s/lib", self, self);
}

/* The file that a shell would run; owned. */
static char *program_path(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/')) return must_copy(name, strlen(name));
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        const size_t length = strcspn(at, ":");
        char *file = must_print("%.*s/%s", (int)length, at, name);
        if (access(file, X_OK) == 0) return file;
        free(file);
        at += length + (at[length] == ':');
    }
    fail(EXIT_USAGE, "--exec: '%s' is not found in PATH", name);
}

/* Gives up on a program in which nothing of ours would come to run. */
static void program_check(const char *path)
{
    Elf64_Ehdr head;
    struct stat status;
    bool loaded = false;
    FILE *file = fopen(path, "rbe");
    if (!file || fstat(fileno(file), &status) != 0) fail(EXIT_USAGE, "--exec: %s: %s", path, strerror(errno));
    const bool elf = fread(&head, sizeof head, 1, file) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
    if (!elf) { /* a script */
        fclose(file);
        return;
    }
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
        fail(EXIT_ASSEMBLY, "--exec: %s is no program for x86-64", path);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;
        if (fseek(file, (long)(head.e_phoff + i * sizeof part), SEEK_SET) != 0) break;
        if (fread(&part, sizeof part, 1, file) == 1 && part.p_type == PT_INTERP) loaded = true;
    }
    fclose(file);
    if (!loaded)
        fail(EXIT_ASSEMBLY,
             "--exec: %s is wholly static, so no library of it can be replaced; link it without -static and "
             "with 'nvcc -cudart shared', or with libptxcudart_static.a (docs/dropin.md)",
             path);
    if (status.st_mode & (S_ISUID | S_ISGID))
        fail(EXIT_ASSEMBLY, "--exec: %s runs as another user, so the loader ignores what it is told", path);
}

/* ---- the environment ---- */

static void prepend(const char *name, const char *value)
{
    const char *old = getenv(name);
    char *text = old && *old ? must_print("%s:%s", value, old) : must_copy(value, strlen(value));
    setenv(name, text, 1);
    free(text);
}

static void set_number(const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    if (value) setenv(name, text, 1);
}

/* Options that were given; what the environment says already counts for the others. */
static void set_options(const struct options *options)
{
    char random[32];
    set_number("PTXVM_THREADS", options->threads);
    set_number("PTXVM_DEVICES", options->devices);
    set_number("PTXVM_MAX_STEPS", options->max_steps);
    set_number("PTXVM_TIMEOUT_MS", options->timeout_ms);
    set_number("PTXVM_MEMORY", options->memory_bytes);
    set_number("PTXVM_MAX_HOST", options->max_host);
    set_number("PTXVM_MAX_OUTPUT", options->max_output);
    set_number("PTXVM_DETERMINISTIC", options->deterministic);
    set_number("PTXVM_COUNTS", options->counts);
    if (options->schedule == PTX_SCHEDULE_RANDOM) {
        snprintf(random, sizeof random, "random:%llu", (unsigned long long)options->schedule_seed);
        setenv("PTXVM_SCHEDULE", random, 1);
    }
    if (options->launches) setenv("PTXVM_LAUNCHES", options->launches_to ? options->launches_to : "text", 1);
    if (options->check) setenv("PTXVM_CHECK", options->check_words, 1);
    if (options->check) set_number("PTXVM_CHECK_LIMIT", options->check_limit);
    if (options->poison) set_number("PTXVM_POISON", (uint64_t)options->poison);
    if (options->dump) setenv("PTXVM_DUMP_IR", *options->dump_ir ? options->dump_ir : "fusion", 1);
    if (options->save_ptx) setenv("PTXVM_SAVE_PTX", options->save_ptx, 1);
    if (options->arch) setenv("PTXVM_ARCH", options->arch, 1);
    if (options->profile == PTX_PROFILE_ALL) setenv("PTXVM_PROFILE", "all", 1);
    if (options->approx_exact) setenv("PTXVM_APPROX", "exact", 1);
    if (options->ub_chip) setenv("PTXVM_UB", "chip", 1);
    if (options->fmad != PTX_FMAD_DEFAULT)
        setenv("PTXVM_FMAD", options->fmad == PTX_FMAD_ON ? "true" : "false", 1);
    if (options->async == PTX_ASYNC_LATE) return;
    snprintf(random, sizeof random, options->async == PTX_ASYNC_EARLY ? "early" : "random:%llu",
             (unsigned long long)options->async_seed);
    setenv("PTXVM_ASYNC", random, 1);
}

static void set_libraries(void)
{
    char *folder = program_libraries();
    char *preload = must_print("%s/libptxvm_redirect.so", folder);
    char *audit = must_print("%s/libptxvm_audit.so", folder);
    prepend("LD_LIBRARY_PATH", folder);
    prepend("LD_PRELOAD", preload);
    prepend("LD_AUDIT", audit);
    free(folder);
    free(preload);
    free(audit);
}

/* ---- waiting ---- */

static volatile sig_atomic_t child;

/* A signal of the terminal reaches the program by itself. */
static void forward(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (child > 0 && info->si_code <= 0) kill((pid_t)child, number);
}

static void forward_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH};
    struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

static void become(const char *path, char *const *argv)
{
    execv(path, argv);
    fail(EXIT_USAGE, "--exec: %s: %s", path, strerror(errno));
}

/* The exit code of the program, as a shell tells it. */
static int run_and_wait(const char *path, char *const *argv)
{
    int status;
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old); /* until `child` is known */
    const pid_t pid = fork();
    if (pid < 0) fail(EXIT_STOPPED, "--exec: no process: %s", strerror(errno));
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        become(path, argv);
    }
    child = pid;
    forward_signals();
    sigprocmask(SIG_SETMASK, &old, NULL);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) fail(EXIT_STOPPED, "--exec: %s", strerror(errno));
    child = 0;
    return WIFSIGNALED(status) ? EXIT_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- reports ---- */

/* What tells elements of a list apart. */
static bool is_same(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"name", "kernel", "opcode"};
    bool any = false;
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *x = json_string_value(json_object_get(a, keys[i])),
                   *y = json_string_value(json_object_get(b, keys[i]));
        if (!x != !y || (x && strcmp(x, y) != 0)) return false;
        any |= x != NULL;
    }
    return any && !json_object_get(a, "message") && !json_object_get(a, "reason");
}

/* Adds the elements of a list; those that are the same become one, their numbers added up. */
static void merge_list(json_t *all, const json_t *more)
{
    size_t i, k;
    json_t *entry, *known, *value;
    const char *key;
    json_array_foreach(more, i, entry)
    {
        bool counted = false;
        json_array_foreach(all, k, known)
        {
            if (!is_same(entry, known)) continue;
            counted = true;
            json_object_foreach(entry, key, value) if (json_is_integer(value)) json_object_set_new(
                known, key,
                json_integer(json_integer_value(value) + json_integer_value(json_object_get(known, key))));
        }
        if (!counted) json_array_append(all, entry);
    }
}

static void merge(json_t *all, const json_t *more)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)more, key, value)
    {
        json_t *known = json_object_get(all, key);
        if (!known)
            json_object_set(all, key, value);
        else if (json_is_array(known))
            merge_list(known, value);
        else if (json_is_integer(known))
            json_integer_set(known, json_integer_value(known) + json_integer_value(value));
    }
}

/* What the processes of the program reported; the folder goes. */
static json_t *reports_merge(const char *folder)
{
    json_t *all = json_pack("{s:[], s:i, s:i, s:[], s:[], s:[], s:[]}", "kernels", "launches", 0,
                            "instructions", 0, "faults", "refused", "unsupported", "api_errors");
    DIR *files = opendir(folder);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        if (entry->d_name[0] == '.') continue;
        char *path = must_print("%s/%s", folder, entry->d_name);
        json_t *one = json_load_file(path, 0, NULL);
        if (one) merge(all, one);
        json_decref(one);
        remove(path);
        free(path);
    }
    if (files) closedir(files);
    rmdir(folder);
    return all;
}

static int by_threads(const void *a, const void *b)
{
    const json_int_t x = json_integer_value(json_object_get(*(json_t *const *)a, "threads")),
                     y = json_integer_value(json_object_get(*(json_t *const *)b, "threads"));
    return x < y ? 1 : x > y ? -1 : 0;
}

/* What was executed of a kernel, by opcode, most of it first. */
static void print_opcodes(const json_t *opcodes, const char *name)
{
    static const char *const columns[] = {"threads", "warps", "divided", "waits", "read", "written"};
    static const int width[] = {16, 14, 10, 10, 14, 14};
    const size_t all = json_array_size(opcodes);
    json_t **own = must_alloc((all + 1) * sizeof *own);
    size_t i, n = 0;
    json_t *opcode;
    json_array_foreach(opcodes, i, opcode) if (strcmp(json_string_value(json_object_get(opcode, "kernel")),
                                                      name) == 0) own[n++] = opcode;
    qsort(own, n, sizeof *own, by_threads);
    for (unsigned k = 0; k < 6 && n; k++) fprintf(stderr, "%*s%s", width[k], columns[k], k < 5 ? " " : "\n");
    for (i = 0; i < n; i++) {
        for (unsigned k = 0; k < 6; k++)
            fprintf(stderr, "%*lld ", width[k],
                    (long long)json_integer_value(json_object_get(own[i], columns[k])));
        fprintf(stderr, " %s\n", json_string_value(json_object_get(own[i], "opcode")));
    }
    free(own);
}

static void print_counts(json_t *report, double seconds)
{
    size_t i;
    json_t *kernel;
    fprintf(stderr, "counts: %lld launches, %lld thread-instructions, %.3f s\n",
            (long long)json_integer_value(json_object_get(report, "launches")),
            (long long)json_integer_value(json_object_get(report, "instructions")), seconds);
    json_array_foreach(json_object_get(report, "kernels"), i, kernel)
    {
        const char *name = json_string_value(json_object_get(kernel, "name"));
        fprintf(stderr, "  %lld of %s\n", (long long)json_integer_value(json_object_get(kernel, "launches")),
                name);
        print_opcodes(json_object_get(report, "opcodes"), name);
    }
}

/* --check: what was found has been told as it was found. */
static int check_program(json_t *report, int code, const struct options *options)
{
    const json_int_t errors = json_integer_value(json_object_get(report, "check_errors")),
                     warnings = json_integer_value(json_object_get(report, "check_warnings"));
    if (!options->quiet || errors + warnings)
        fprintf(stderr, "ptxvm: check: %lld error%s, %lld warning%s\n", (long long)errors,
                errors == 1 ? "" : "s", (long long)warnings, warnings == 1 ? "" : "s");
    return code == EXIT_FINE && errors ? options->check_exit : code;
}

/* Calls that answered an error that the program did not ask for. `told` of them are shown. */
static unsigned count_errors(json_t *report, unsigned told)
{
    size_t i;
    json_t *call;
    unsigned found = 0;
    json_array_foreach(json_object_get(report, "api_errors"), i, call)
    {
        const char *function, *arguments, *error, *caller, *file, *reason;
        json_int_t code, count, asked;
        if (json_unpack(call, "{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "function", &function,
                        "arguments", &arguments, "error", &error, "caller", &caller, "file", &file, "reason",
                        &reason, "code", &code, "count", &count, "asked", &asked) != 0 ||
            count <= asked)
            continue;
        if (found++ >= told) continue;
        fprintf(stderr, "ptxvm: %s(%s): %s (%lld)", function, arguments, error, (long long)code);
        if (*caller || *file) fprintf(stderr, ", called by %s%s%s", caller, *caller ? " of " : "", file);
        if (count - asked > 1) fprintf(stderr, ", %lld times", (long long)(count - asked));
        fprintf(stderr, "%s%s\n", *reason ? "\n  reason       " : "", reason);
    }
    return found;
}

static bool has_any(const json_t *report, const char *list)
{
    return json_array_size(json_object_get(report, list)) > 0;
}

/* --strict: whether all that the program did was right, as far as the report tells. */
static bool is_clean(json_t *report)
{
    enum { TOLD = 10 };
    const unsigned errors = count_errors(report, TOLD);
    if (errors > TOLD) fprintf(stderr, "ptxvm: ... and %u other calls (--report)\n", errors - TOLD);
    return !errors && !has_any(report, "faults") && !has_any(report, "refused") &&
           !has_any(report, "unsupported");
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int run_and_report(const struct options *options, const char *path)
{
    const char *temporary = getenv("TMPDIR");
    char *folder = must_print("%s/ptxvm-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) fail(EXIT_USAGE, "--exec: %s: %s", folder, strerror(errno));
    char *name = must_print("%s/%%p.json", folder);
    setenv("PTXVM_REPORT", name, 1);
    const double begin = now();
    int code = run_and_wait(path, options->program);
    json_t *report = reports_merge(folder);
    if (options->counts) print_counts(report, now() - begin);
    json_object_set_new(report, "program", json_text(path));
    json_object_set_new(report, "exit_code", json_integer(code));
    if (options->report && json_dump_file(report, options->report, JSON_INDENT(2)) != 0)
        fail(EXIT_USAGE, "--report: '%s' cannot be written", options->report);
    if (options->strict && !is_clean(report)) {
        fprintf(stderr,
                "ptxvm: --strict: there were faults, refused launches, unsupported or failed calls (the "
                "program ended with %d)\n",
                code);
        code = EXIT_FAULT;
    }
    if (options->check) code = check_program(report, code, options);
    json_decref(report);
    free(folder);
    free(name);
    return code;
}

int program_run(const struct options *options)
{
    char *path = program_path(options->program[0]);
    program_check(path);
    set_options(options);
    set_libraries();
    if (!options->strict && !options->report && !options->counts && !options->check)
        become(path, options->program);
    const int code = run_and_report(options, path);
    free(path);
    return code;
}
