/* fault.c - the report of a launch that stopped.
 *
 * Everything in ptx_fault that is known gets a line: what, where in the text, by whom, which address, and for
 * deadlocks and limits where every block stands. The address is also told relative to the buffers of the
 * command line, which have names that the device does not know. */
#include "report.h"

#include <string.h>

static void field(const char *name, const char *value)
{
    if (value && *value) fprintf(stderr, "  %-12s %s\n", name, value);
}

/* How far `address` is outside [base, base + size); 0 inside. */
static uint64_t distance(ptx_address address, ptx_address base, uint64_t size)
{
    if (address < base) return base - address;
    return address >= base + size ? address - (base + size) + 1 : 0;
}

void report_buffer(ptx_address address, const struct arguments *arguments)
{
    enum { NEAR = 1 << 16 };
    const struct buffer *nearest = NULL;
    uint64_t least = NEAR;
    char type[160];
    for (unsigned i = 0; i < arguments->n; i++) {
        const struct buffer *buffer = &arguments->buffers[i];
        const uint64_t away = distance(address, buffer->address, array_bytes(&buffer->before));
        if (away >= least) continue;
        least = away;
        nearest = buffer;
    }
    if (!nearest) return;
    array_describe(&nearest->before, type, sizeof type);
    const long long offset = (long long)(address - nearest->address);
    fprintf(stderr, "  %-12s %s %s, byte %lld of %zu\n", "buffer", nearest->name, type, offset,
            array_bytes(&nearest->before));
}

static void show_text(const ptx_fault *fault, const struct modules *modules)
{
    if (fault->line)
        modules_show(modules, fault->file,
                     (struct stretch){fault->line, fault->column, fault->last_line, fault->last_column});
}

/* "called from g at x.ptx:30, called from k at x.ptx:55": a line for each. */
static void show_calls(const ptx_fault *fault)
{
    static const char between[] = ", called from ";
    const char *at = fault->calls;
    if (!*at) return;
    field("function", fault->function);
    at += strlen("called from ");
    for (const char *next; at; at = next) {
        next = strstr(at, between);
        fprintf(stderr, "  %-12s %.*s\n", "called from", (int)(next ? next - at : (long)strlen(at)), at);
        if (next) next += sizeof between - 1;
    }
}

static void show_place(const ptx_fault *fault, const struct modules *modules)
{
    if (fault->line) fprintf(stderr, "  %-12s %s:%u\n", "at", fault->file, fault->line);
    show_text(fault, modules);
    if (!fault->line) field("instruction", fault->instruction);
    field("source", fault->source);
    show_calls(fault);
}

static void show_state(const char *state)
{
    if (!state || !*state) return;
    fputs("  where every block stands:\n", stderr);
    while (*state) {
        const size_t length = strcspn(state, "\n");
        fprintf(stderr, "    %.*s\n", (int)length, state);
        state += length + (state[length] == '\n');
    }
}

/* "NAME (NUMBER): MESSAGE"; a deadlock has no CUDA error. */
static void show_error(ptx_status status, const ptx_fault *fault)
{
    const char *message = fault->message ? fault->message : "";
    const char *name = fault->name && *fault->name ? fault->name : ptx_status_name(status);
    fputs("ptxvm: ", stderr);
    if (fault->cuda_error)
        fprintf(stderr, "%s (%d): ", name, fault->cuda_error);
    else if (!*message)
        message = name;
    fprintf(stderr, "%s\n", message);
}

void report_fault(const struct outcome *outcome, const struct modules *modules,
                  const struct arguments *arguments)
{
    const ptx_fault *fault = &outcome->fault;
    fflush(stdout);
    show_error(outcome->status, fault);
    show_place(fault, modules);
    field("kernel", fault->kernel);
    if (fault->launched_by && strchr(fault->launched_by, '<')) field("launched by", fault->launched_by);
    if (outcome->status == PTX_ERROR_FAULT)
        fprintf(stderr, "  %-12s block (%u,%u,%u), thread (%u,%u,%u)\n", "in", fault->cta[0], fault->cta[1],
                fault->cta[2], fault->thread[0], fault->thread[1], fault->thread[2]);
    if (fault->address) fprintf(stderr, "  %-12s 0x%llx\n", "address", (unsigned long long)fault->address);
    field("allocation", fault->allocation);
    if (fault->address) report_buffer(fault->address, arguments);
    /* One thread's fault needs no list of the others. */
    if (outcome->status != PTX_ERROR_FAULT) show_state(fault->state);
}

void report_refusal(const struct outcome *outcome, const struct modules *modules)
{
    fflush(stdout);
    fprintf(stderr, "ptxvm: %s\n", outcome->fault.message);
    show_text(&outcome->fault, modules);
}
