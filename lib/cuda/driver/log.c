/*
 * log.c - what is told to people: faults, refusals, calls that are not served, and a report for scripts.
 *
 * PTXVM_LOG: a file, "stderr", or "off". Without it only what explains a failure is told, on standard error.
 * PTXVM_REPORT: a file that gets what was run and what failed, as JSON: when the process ends, and when
 * something fails, for the process may end itself by that. %p in its name is the number of the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/driver/driver.h"
#include "cuda/driver/failed.h"
#include "ptx_launches.h"

/* A word and how often it was told; a sorted list would be no faster for the few there are. */
struct tally {
    struct tally *next;
    uint64_t count;
    char text[];
};

/* What was executed of an opcode of a kernel. */
struct counted {
    struct counted *next;
    uint64_t numbers[6]; /* threads, warps, divided, waits, bytes read and written */
    char *opcode;        /* behind the kernel's name */
    char kernel[];
};

enum { FAULTS_KEPT = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static bool off, detailed, reporting;
static FILE *log_file; /* NULL: standard error */
static char *report_path;
static struct tally *unsupported, *kernels, *faults, *refused;
static struct counted *counts;
static unsigned faults_kept;
static uint64_t launches, instructions, found_errors, found_warnings;
static pid_t process;

/* `name` with the number of the process for %p; NULL: out of memory. */
static char *report_name(const char *name)
{
    const char *number = strstr(name, "%p");
    const size_t size = strlen(name) + 24;
    char *text = malloc(size);
    if (text && number)
        snprintf(text, size, "%.*s%ld%s", (int)(number - name), name, (long)process, number + 2);
    else if (text)
        strcpy(text, name);
    return text;
}

const char *px_cu_mark_line(const char *file)
{
    return file && strchr(file, ' ') ? ", line " : ":";
}

bool px_cu_log_open(const char *where, const char *report)
{
    process = getpid();
    off = where && strcmp(where, "off") == 0;
    detailed = where && !off;
    if (detailed && strcmp(where, "stderr") != 0 && !(log_file = fopen(where, "ae"))) {
        px_cu_say("PTXVM_LOG: '%.200s' cannot be opened", where);
        return false;
    }
    if (log_file) setvbuf(log_file, NULL, _IOLBF, 0);
    reporting = report != NULL;
    if (reporting) report_path = report_name(report);
    return !reporting || report_path;
}

static void tell(const char *line)
{
    fprintf(log_file ? log_file : stderr, "libcuda (ptxvm): %s\n", line);
}

void px_cu_say(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    px_cu_logs_add(CU_LOG_LEVEL_ERROR, line);
    px_cu_failed_why(line);
    if (!off) tell(line);
}

void px_cu_note(const char *format, ...)
{
    char line[4096];
    va_list args;
    if (!detailed) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    tell(line);
}

/* Once more of this text. True: it is the first time. The lock is held. */
static bool count(struct tally **list, const char *text)
{
    for (; *list; list = &(*list)->next)
        if (strcmp((*list)->text, text) == 0) return (*list)->count++, false;
    const size_t size = strlen(text) + 1;
    struct tally *t = malloc(sizeof *t + size);
    if (!t) return true;
    *t = (struct tally){.count = 1};
    memcpy(t->text, text, size);
    *list = t;
    return true;
}

static void report_write(void);

CUresult px_cu_unsupported(const char *name)
{
    pthread_mutex_lock(&lock);
    const bool first = count(&unsupported, name);
    if (first) report_write();
    pthread_mutex_unlock(&lock);
    if (!first) return CUDA_ERROR_NOT_SUPPORTED;
    char line[200];
    snprintf(line, sizeof line, "%s is not supported", name);
    px_cu_note("%s", line);
    px_cu_logs_add(CU_LOG_LEVEL_WARNING, line);
    return CUDA_ERROR_NOT_SUPPORTED;
}

void px_cu_log_launch(const char *kernel)
{
    if (!reporting) return;
    pthread_mutex_lock(&lock);
    launches++;
    count(&kernels, kernel);
    pthread_mutex_unlock(&lock);
}

void px_cu_log_instructions(uint64_t more)
{
    pthread_mutex_lock(&lock);
    instructions += more;
    pthread_mutex_unlock(&lock);
}

static struct counted *counted_of(const ptx_count *c)
{
    struct counted **at = &counts;
    for (; *at; at = &(*at)->next)
        if (strcmp((*at)->kernel, c->kernel) == 0 && strcmp((*at)->opcode, c->opcode) == 0) return *at;
    const size_t size = strlen(c->kernel) + 1;
    struct counted *made = malloc(sizeof *made + size + strlen(c->opcode) + 1);
    if (!made) return NULL;
    *made = (struct counted){.opcode = made->kernel + size};
    memcpy(made->kernel, c->kernel, size);
    strcpy(made->opcode, c->opcode);
    return *at = made;
}

void px_cu_log_count(void *unused, const ptx_count *c)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    struct counted *to = counted_of(c);
    const uint64_t more[4] = {c->threads, c->warps, c->divided, c->waits};
    for (unsigned i = 0; to && i < 4; i++) to->numbers[i] += more[i];
    for (unsigned i = 0; to && i < PTX_COUNT_SPACES; i++) {
        to->numbers[4] += c->read[i];
        to->numbers[5] += c->written[i];
    }
    pthread_mutex_unlock(&lock);
}

/* ---- faults ---- */

static void field(FILE *to, const char *name, const char *value)
{
    if (value && *value) fprintf(to, "  %-12s %s\n", name, value);
}

/* The line of the program's text that "x.cu:12 (inlined ...)" names, where the file is still there. */
static void print_line(FILE *to, const char *source)
{
    char name[1024], line[400];
    const char *end = source + strcspn(source, " "), *colon = end;
    while (colon > source && *colon != ':') colon--;
    const unsigned long number = colon > source ? strtoul(colon + 1, NULL, 10) : 0;
    if (!number || (size_t)(colon - source) >= sizeof name) return;
    snprintf(name, sizeof name, "%.*s", (int)(colon - source), source);
    FILE *text = fopen(name, "re");
    for (unsigned long i = 1; text && fgets(line, sizeof line, text);) {
        const size_t length = strcspn(line, "\r\n");
        if (i == number) {
            fprintf(to, "%5lu | %.*s\n", number, (int)length, line);
            break;
        }
        if (line[length]) i++; /* else a part of a long line */
    }
    if (text) fclose(text);
}

static void print_fault(FILE *to, ptx_status status, const ptx_fault *f)
{
    const char *name = f->name && *f->name ? f->name : ptx_status_name(status);
    fprintf(to, "ptxvm: %s (%d): %s\n", name, f->cuda_error, f->message ? f->message : "");
    if (f->line && strchr(f->file, ' '))
        fprintf(to, "  %-12s %s, line %u\n", "at", f->file, f->line);
    else if (f->line)
        fprintf(to, "  %-12s %s:%u:%u\n", "at", f->file, f->line, f->column);
    field(to, "instruction", f->instruction);
    field(to, "source", f->source);
    if (f->source && *f->source) print_line(to, f->source);
    if (f->function && f->kernel && strcmp(f->function, f->kernel) != 0) field(to, "function", f->function);
    field(to, "calls", f->calls);
    field(to, "kernel", f->kernel);
    if (f->launched_by && strchr(f->launched_by, '<')) field(to, "launched by", f->launched_by);
    if (status == PTX_ERROR_FAULT)
        fprintf(to, "  %-12s block (%u,%u,%u), thread (%u,%u,%u)\n", "in", f->cta[0], f->cta[1], f->cta[2],
                f->thread[0], f->thread[1], f->thread[2]);
    if (f->address) fprintf(to, "  %-12s 0x%llx\n", "address", (unsigned long long)f->address);
    field(to, "allocation", f->allocation);
    if (status != PTX_ERROR_FAULT) field(to, "state", f->state);
}

/* "NAME|message|kernel|file:line|source", taken apart again by the report. */
static void keep_fault(ptx_status status, const ptx_fault *f)
{
    char text[2048];
    const char *name = f->name && *f->name ? f->name : ptx_status_name(status);
    if (!reporting || faults_kept++ >= FAULTS_KEPT) return;
    snprintf(text, sizeof text, "%s\n%s\n%s\n%s%s%u\n%s", name, f->message ? f->message : "",
             f->kernel ? f->kernel : "", f->file ? f->file : "", px_cu_mark_line(f->file), f->line,
             f->source ? f->source : "");
    count(&faults, text);
}

void px_cu_log_fault(ptx_status status, const ptx_fault *fault)
{
    pthread_mutex_lock(&lock);
    keep_fault(status, fault);
    report_write();
    fflush(stdout);
    if (!off) print_fault(log_file ? log_file : stderr, status, fault);
    pthread_mutex_unlock(&lock);
    char line[1024];
    snprintf(line, sizeof line, "%s: %s", fault->name && *fault->name ? fault->name : ptx_status_name(status),
             fault->message ? fault->message : "");
    px_cu_failed_why(line);
    px_cu_logs_add(CU_LOG_LEVEL_ERROR, line);
}

/* ---- what kernels did ---- */

/* Once more at a place with an error, whatever the reason's numbers. True: it is the first. The lock is held.
 */
static bool count_refused(const char *text)
{
    for (struct tally *t = refused; t; t = t->next)
        if (strcmp(strchr(t->text, '\n'), strchr(text, '\n')) == 0) return t->count++, false;
    return count(&refused, text);
}

/* The first of a place is told at once, how many there were at the end. */
void px_cu_log_notice(void *unused, const ptx_watch_event *e)
{
    char words[2400], key[1600];
    (void)unused;
    bool first = true;
    ptx_watch_words(e, words, sizeof words);
    snprintf(key, sizeof key, "%s\n%s\n%s\n%s\n%d\n%s%s%u\n%s", e->reason ? e->reason : "", e->call,
             e->kernel, e->parent_kernel, e->cuda_error, e->file, px_cu_mark_line(e->file), e->line,
             e->source);
    if (e->kind == PTX_WATCH_REFUSED) {
        pthread_mutex_lock(&lock);
        first = count_refused(key);
        if (first) report_write();
        pthread_mutex_unlock(&lock);
    }
    const size_t length = strcspn(words, "\n");
    if (!first) return;
    if (!off) fprintf(log_file ? log_file : stderr, "ptxvm: %s", words);
    words[length] = 0;
    px_cu_logs_add(CU_LOG_LEVEL_WARNING, words);
}

/* The lock is held. */
static void tell_refused(void)
{
    for (const struct tally *t = refused; t && !off; t = t->next)
        if (t->count > 1)
            fprintf(log_file ? log_file : stderr, "ptxvm: launch by a kernel refused %llu times: %.*s\n",
                    (unsigned long long)t->count, (int)strcspn(t->text, "\n"), t->text);
}

/* ---- the report ---- */

static void json_text(FILE *to, const char *text, size_t size)
{
    fputc('"', to);
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 32 || c == '"' || c == '\\')
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

static void json_counts(FILE *to, const char *name, const char *what, const struct tally *list)
{
    fprintf(to, "  \"%s\": [", name);
    for (const struct tally *t = list; t; t = t->next) {
        fprintf(to, "%s\n    {\"name\": ", t == list ? "" : ",");
        json_text(to, t->text, strlen(t->text));
        fprintf(to, ", \"%s\": %llu}", what, (unsigned long long)t->count);
    }
    fprintf(to, "%s],\n", list ? "\n  " : "");
}

/* Texts of a line for each name. */
static void json_lines(FILE *to, const char *list, const struct tally *first, const char *const *names,
                       unsigned n)
{
    fprintf(to, "  \"%s\": [", list);
    for (const struct tally *t = first; t; t = t->next) {
        const char *at = t->text;
        fprintf(to, "%s\n    {", t == first ? "" : ",");
        for (unsigned i = 0; i < n; i++) {
            const size_t size = strcspn(at, "\n");
            fprintf(to, "%s\"%s\": ", i ? ", " : "", names[i]);
            json_text(to, at, size);
            at += size + (at[size] != 0);
        }
        fprintf(to, ", \"count\": %llu}", (unsigned long long)t->count);
    }
    fprintf(to, "%s],\n", first ? "\n  " : "");
}

static void json_opcodes(FILE *to)
{
    static const char *const names[] = {"threads", "warps", "divided", "waits", "read", "written"};
    if (!counts) return;
    fputs("  \"opcodes\": [", to);
    for (const struct counted *c = counts; c; c = c->next) {
        fprintf(to, "%s\n    {\"kernel\": ", c == counts ? "" : ",");
        json_text(to, c->kernel, strlen(c->kernel));
        fputs(", \"opcode\": ", to);
        json_text(to, c->opcode, strlen(c->opcode));
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            fprintf(to, ", \"%s\": %llu", names[i], (unsigned long long)c->numbers[i]);
        fputs("}", to);
    }
    fputs("\n  ],\n", to);
}

static const char *const fault_names[] = {"name", "message", "kernel", "place", "source"};
static const char *const refused_names[] = {"reason",     "call",  "kernel", "launched_by",
                                            "cuda_error", "place", "source"};

/* The lock is held. */
static void report_write(void)
{
    FILE *to = reporting && process == getpid() ? fopen(report_path, "we") : NULL;
    if (!to) return;
    fputs("{\n", to);
    json_counts(to, "kernels", "launches", kernels);
    json_lines(to, "faults", faults, fault_names, sizeof fault_names / sizeof *fault_names);
    json_lines(to, "refused", refused, refused_names, sizeof refused_names / sizeof *refused_names);
    json_counts(to, "unsupported", "calls", unsupported);
    px_cu_failed_write(to, json_text);
    json_opcodes(to);
    if (px_cu_settings()->check)
        fprintf(to, "  \"check_errors\": %llu,\n  \"check_warnings\": %llu,\n",
                (unsigned long long)found_errors, (unsigned long long)found_warnings);
    fprintf(to, "  \"launches\": %llu,\n  \"instructions\": %llu\n}\n", (unsigned long long)launches,
            (unsigned long long)instructions);
    fclose(to);
}

bool px_cu_reporting(void)
{
    return reporting;
}

void px_cu_report(void)
{
    pthread_mutex_lock(&lock);
    report_write();
    pthread_mutex_unlock(&lock);
}

void px_cu_log_found(uint64_t errors, uint64_t warnings)
{
    pthread_mutex_lock(&lock);
    found_errors += errors;
    found_warnings += warnings;
    pthread_mutex_unlock(&lock);
}

/* ---- the list of launches ---- */

static const char *const launch_forms[] = {
    [PTX_LAUNCHES_TEXT] = "text", [PTX_LAUNCHES_JSON] = "json",         [PTX_LAUNCHES_SVG] = "svg",
    [PTX_LAUNCHES_DOT] = "dot",   [PTX_LAUNCHES_TIMELINE] = "timeline",
};

/* The form that PTXVM_LAUNCHES begins with, and its file; *file NULL: the log. False: it is none. */
static bool launches_form(const char *where, ptx_launches_form *form, const char **file)
{
    *file = NULL;
    for (unsigned i = 0; i <= PTX_LAUNCHES_TIMELINE; i++) {
        const size_t n = strlen(launch_forms[i]);
        if (strncmp(where, launch_forms[i], n) != 0) continue;
        *form = (ptx_launches_form)i;
        if (where[n] == ':' && where[n + 1]) *file = where + n + 1;
        return *file || (i == PTX_LAUNCHES_TEXT && !where[n]);
    }
    return false;
}

bool px_cu_log_launches_known(const char *where)
{
    ptx_launches_form form;
    const char *file;
    return launches_form(where, &form, &file);
}

static int write_piece(void *user, const char *text, size_t size)
{
    return fwrite(text, 1, size, user) == size ? 0 : -1;
}

/* The file of the next device: its name with the process for %p; from the second on with a number behind it.
 * The lock is held. */
static FILE *launches_file(const char *given)
{
    static unsigned devices;
    char *name = report_name(given), numbered[4096];
    if (!name) return NULL;
    snprintf(numbered, sizeof numbered, devices ? "%s.%u" : "%s", name, devices + 1);
    devices++;
    free(name);
    return fopen(numbered, "we");
}

void px_cu_log_launches(ptx_device *vm)
{
    ptx_launches_form form;
    const char *file;
    ptx_launch_totals totals = {sizeof totals};
    if (process != getpid() || !launches_form(px_cu_settings()->launches, &form, &file)) return;
    ptx_status status = ptx_device_launches_totals(vm, &totals);
    if (status == PTX_OK && !totals.grids && !totals.refused && !totals.lost) return;
    pthread_mutex_lock(&lock);
    FILE *to = file ? launches_file(file) : log_file ? log_file : stderr;
    if (to && status == PTX_OK) status = ptx_device_launches_write(vm, form, write_piece, to);
    if (file && to) fclose(to);
    pthread_mutex_unlock(&lock);
    if (!to) px_cu_say("PTXVM_LAUNCHES: '%.200s' cannot be written", file);
    if (status != PTX_OK) px_cu_say("PTXVM_LAUNCHES: the list cannot be had: %s", ptx_status_name(status));
}

/* An entry of a linked-in runtime that could not be redirected (lib/cuda/redirect); one is enough. */
static void tell_left(void)
{
    const char *left = dlsym(RTLD_DEFAULT, "px_redirect_left");
    if (left && *left) count(&unsupported, left);
}

void px_cu_log_end(void)
{
    pthread_mutex_lock(&lock);
    tell_left();
    tell_refused();
    report_write();
    pthread_mutex_unlock(&lock);
}
