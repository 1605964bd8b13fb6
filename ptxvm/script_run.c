/* script_run.c - running a run file: statements in order, and what is told at the end.
 *
 * Launches are submitted and not waited for; whatever looks at data waits. An expectation that fails is told
 * and the run goes on; a fault, and whatever the file has wrong, ends it. */
#include "script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check.h"
#include "counts.h"
#include "fail.h"
#include "gen/run_parser.h"
#include "hot.h"
#include "launches.h"
#include "ptx_launches.h"
#include "trace.h"
#include "watch.h"

enum { TURNS_MOST = 1000000 };

/* ---- messages of functions for the command line ---- */

static void tell(void *user, const char *message)
{
    const struct script *s = user;
    static const char option[] = "-k ";
    if (strncmp(message, option, sizeof option - 1) == 0) message += sizeof option - 1;
    if (s->now)
        script_show(s, s->now, "error", message);
    else
        fprintf(stderr, "ptxvm: %s: %s\n", s->file, message);
    if (s->remedy) fprintf(stderr, "        help: %s\n", s->remedy);
}

/* ---- waiting ---- */

static _Noreturn void end_by_fault(struct script *s)
{
    notices_end(&s->output.notices);
    launches_print(s->device, s->options);
    machine_tell_failure(&s->outcome, s->modules, &s->arguments);
    if (s->outcome.status == PTX_ERROR_FAULT && s->now)
        script_show(s, s->now, "note", "this statement waits for the launches before it");
    const int code = machine_exit_code(s->outcome.status, &s->outcome.fault);
    exit(s->options->check ? check_report(s->device, code, s->modules, &s->arguments, s->options) : code);
}

static void settled(struct script *s, ptx_status status)
{
    s->outcome.status = status;
    s->outcome.message = ptx_device_message(s->device);
    if (status != PTX_OK) end_by_fault(s);
}

void script_settle(struct script *s)
{
    if (!s->pending) return;
    s->pending = false;
    s->outcome.fault = (ptx_fault){.struct_size = sizeof(ptx_fault)};
    settled(s, ptx_device_wait(s->device, &s->outcome.fault));
}

static void wait_for(struct script *s, const struct node *stream)
{
    s->now = stream;
    s->outcome.fault = (ptx_fault){.struct_size = sizeof(ptx_fault)};
    settled(s, ptx_stream_wait(s->device, stream->symbol->stream, &s->outcome.fault));
}

/* ---- streams ---- */

static void must(struct script *s, ptx_status status)
{
    if (status != PTX_OK)
        fail(EXIT_STOPPED, "%s: %s", ptx_status_name(status), ptx_device_message(s->device));
}

static void make_streams(struct script *s, const struct node *names)
{
    const ptx_stream_config config = {.struct_size = sizeof config, .flags = PTX_STREAM_NONBLOCKING};
    for (const struct node *n = names; n; n = n->next)
        must(s, ptx_stream_create(s->device, &config, &n->symbol->stream));
}

/* What the first stream is given from now on waits for what the other has now. */
static void order(struct script *s, const struct node *node)
{
    ptx_event event;
    must(s, ptx_event_create(s->device, PTX_EVENT_NO_TIMING, &event));
    must(s, ptx_event_record(s->device, event, node->kid[1]->symbol->stream));
    must(s, ptx_stream_wait_event(s->device, node->kid[0]->symbol->stream, event));
    must(s, ptx_event_destroy(s->device, event));
}

/* ---- expectations ---- */

static void expect_fails(struct script *s, const struct node *at, const char *message)
{
    script_show(s, at, "error", message);
    s->code = EXIT_EXPECTATION;
}

static void show_side(struct script *s, const struct node *side)
{
    char text[40];
    const struct number n = script_number(s, side);
    if (side->kind == N_NUMBER) return;
    element_print(element_type_find("f64", 3), &n.value, text);
    if (!n.real) snprintf(text, sizeof text, "%lld", (long long)n.whole);
    const struct node *end = side;
    while (end->kind == N_BINARY && end->kid[1]) end = end->kid[1];
    fprintf(stderr, "    %.*s is %s\n", (int)side->size, s->text + side->at, text);
}

static void expect_true(struct script *s, const struct node *node)
{
    const struct node *what = node->kid[0];
    const struct number n = script_number(s, what);
    if (n.real ? n.value != 0 : n.whole != 0) return;
    expect_fails(s, what, "the expectation does not hold");
    if (what->kind != N_BINARY) return;
    show_side(s, what->kid[0]);
    show_side(s, what->kid[1]);
}

static void expect_launch(struct script *s, const struct node *node)
{
    char why[4096], *text = script_text(s, node->kid[0]);
    const int word = node->kid[1] ? node->kid[1]->token : 0;
    char *pattern = must_print("%s%s", word == T_NO ? "0 x " : word == T_DEPTH ? "depth " : "", text);
    script_settle(s);
    s->now = node;
    const ptx_status status = ptx_device_expect_launch(s->device, pattern, why, sizeof why);
    if (status == PTX_ERROR_INVALID_ARGUMENT)
        script_fail(s, node->kid[0], "docs/launches.md has the patterns", "%s", why);
    if (status == PTX_ERROR_NOT_FOUND)
        expect_fails(s, node->kid[0], why);
    else
        must(s, status);
    free(pattern);
    free(text);
}

static void expect_output(struct script *s, const struct node *node)
{
    char *text = script_text(s, node->kid[0]);
    script_settle(s);
    fflush(s->output.kept);
    if (!s->printed || !strstr(s->printed, text))
        expect_fails(s, node->kid[0], "kernels have not printed this");
    free(text);
}

/* ---- statements ---- */

static void run_list(struct script *s, const struct node *list);

static void turn(struct script *s, const struct node *node, unsigned long *turns)
{
    if (++*turns > TURNS_MOST) script_fail(s, node, "", "a loop of more than %d turns", TURNS_MOST);
}

static void run_for(struct script *s, const struct node *node)
{
    const struct node *from = node->kid[0], *to = from->next, *step = to->next;
    struct number i = script_number(s, from);
    const struct number last = script_number(s, to),
                        by = step ? script_number(s, step) : (struct number){.whole = 1, .value = 1};
    unsigned long turns = 0;
    if (i.real || last.real || by.real) script_fail(s, from, "", "a loop counts in whole numbers");
    if (!by.whole) script_fail(s, step, "", "a step of 0 never ends");
    for (; by.whole > 0 ? i.whole <= last.whole : i.whole >= last.whole; i.whole += by.whole) {
        turn(s, node, &turns);
        i.value = (double)i.whole;
        node->symbol->number = i;
        run_list(s, node->kid[1]->kid[0]);
    }
}

static bool holds(struct script *s, const struct node *condition)
{
    const struct number n = script_number(s, condition);
    return n.real ? n.value != 0 : n.whole != 0;
}

static void run_while(struct script *s, const struct node *node)
{
    for (unsigned long turns = 0; holds(s, node->kid[0]); turn(s, node, &turns))
        run_list(s, node->kid[1]->kid[0]);
}

static void run_one(struct script *s, const struct node *node)
{
    s->now = node;
    switch (node->kind) {
    case N_MODULE: break;
    case N_STREAM: make_streams(s, node->kid[0]); break;
    case N_LET: node->symbol->number = script_number(s, node->kid[0]); break;
    case N_LAUNCH: script_launch(s, node); break;
    case N_WAIT:
        if (node->kid[0])
            wait_for(s, node->kid[0]);
        else
            script_settle(s);
        break;
    case N_ORDER: order(s, node); break;
    case N_EXPECT_TRUE: expect_true(s, node); break;
    case N_EXPECT_LAUNCH: expect_launch(s, node); break;
    case N_EXPECT_OUTPUT: expect_output(s, node); break;
    case N_FOR: run_for(s, node); break;
    case N_WHILE: run_while(s, node); break;
    case N_IF:
        if (holds(s, node->kid[0]))
            run_list(s, node->kid[1]->kid[0]);
        else if (node->kid[2] && node->kid[2]->kind == N_IF)
            run_one(s, node->kid[2]);
        else if (node->kid[2])
            run_list(s, node->kid[2]->kid[0]);
        break;
    default: script_data(s, node); break;
    }
}

static void run_list(struct script *s, const struct node *list)
{
    for (; list; list = list->next) run_one(s, list);
}

/* ---- the whole ---- */

static void load(struct script *s, const char *module, struct options *options, struct modules *modules)
{
    struct words files = {0};
    if (module) words_add(&files, module);
    script_files(s, &files);
    if (!files.n)
        script_fail(s, s->nodes[0], "module \"FILE.ptx\" names the program", "the run file names no module");
    options->files = files;
    modules_load(modules, options);
    s->modules = modules;
}

/* What a run that did not stop tells. */
static int finish(struct script *s, double seconds)
{
    const struct options *o = s->options;
    int code = s->code;
    notices_end(&s->output.notices);
    if (!launches_hold(s->device, o) && code == EXIT_FINE) code = EXIT_EXPECTATION;
    launches_write(s->device, o);
    launches_print(s->device, o);
    if (o->counts_file) counts_write(s->device, o->counts_file);
    if (o->counts && !o->counts_file) counts_print(s->device, o);
    if (o->strict && code == EXIT_FINE && notices_refused(&s->output.notices)) code = EXIT_FAULT;
    if (!o->quiet)
        printf("%s: %u launch%s, %.3f s\n", s->file, s->launches, s->launches == 1 ? "" : "es", seconds);
    fflush(stdout);
    return o->check ? check_report(s->device, code, s->modules, &s->arguments, o) : code;
}

static void clean(struct script *s)
{
    for (unsigned i = 0; i < s->n_nodes; i++) {
        free(s->nodes[i]->kernel);
        free(s->nodes[i]->params);
        free(s->nodes[i]);
    }
    for (struct symbol *x = s->symbols, *next; x; x = next) {
        next = x->next;
        free(x->name);
        free(x);
    }
    free(s->nodes);
    free(s->printed);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run_checked(struct script *s, const struct options *options)
{
    struct libraries libraries;
    libraries_open(&libraries, &options->host_libs);
    s->output = (struct output){.file = stdout,
                                .trace = trace_open(options->trace_file),
                                .hot = hot_open(options),
                                .notices.quiet = options->quiet};
    if (s->asks_output) s->output.kept = open_memstream(&s->printed, &s->printed_size);
    s->now = NULL;
    s->device = machine_device(options, &s->output);
    check_prepare(s->device, options);
    s->program = machine_program(s->device, s->modules, &libraries, options->fmad);
    struct watch *watch = watch_start(s->device);
    const double begin = now();
    run_list(s, s->body);
    script_settle(s);
    watch_stop(watch);
    s->now = NULL;
    trace_close(s->output.trace);
    if (options->check) arguments_release(&s->arguments, s->device);
    const int code = finish(s, now() - begin);
    if (s->output.hot) hot_report(s->output.hot, s->device, s->program, s->modules, options);
    hot_close(s->output.hot);
    ptx_program_destroy(s->program);
    ptx_device_destroy(s->device);
    if (s->output.kept) fclose(s->output.kept);
    notices_free(&s->output.notices);
    libraries_close(&libraries);
    return code;
}

/* Options that say what a run file says itself. */
static void refuse_others(const struct options *o)
{
    if (o->kernel || o->arguments.n || o->sets.n || o->outs.n || o->prints.n || o->expects.n)
        fail(EXIT_USAGE, "a run file names kernels, arguments, outputs and expectations itself");
    if (o->json || o->list || o->coverage || o->dump || o->explore)
        fail(EXIT_USAGE, "none of --json, --list, --coverage, --dump-ir and --explore goes with run files");
}

int script_run(const char *file, const char *text, const char *module, const struct options *given)
{
    struct modules modules;
    refuse_others(given);
    struct options options = *given;
    struct script s = {.file = file, .text = text, .cursor = text, .options = &options};
    const struct failing failing = {tell, &s};
    fail_at(&failing);
    script_yyparse(&s);
    load(&s, module, &options, &modules);
    script_check(&s);
    options.keeps_launches = s.asks_launches;
    const int code = run_checked(&s, &options);
    fail_at(NULL);
    clean(&s);
    arguments_free(&s.arguments);
    modules_free(&modules);
    free(options.files.at);
    return code;
}

int script_run_file(const struct options *options)
{
    size_t size;
    if (options->files.n != 1) fail(EXIT_USAGE, "ptxvm run takes one file");
    const char *file = options->files.at[0];
    char *text = file_text(file, &size);
    if (!text) fail(EXIT_USAGE, "%s: %s", file, strerror(errno));
    const int code = script_run(strcmp(file, "-") == 0 ? "<stdin>" : file, text, NULL, options);
    free(text);
    return code;
}
