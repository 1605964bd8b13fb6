/*
 * findings.c - PTXVM_CHECK: what the kernels of a context did wrong, told when the context goes.
 *
 * A finding is a line with its message, one for each side, and one that says what would be right.
 */
#include <stdio.h>
#include "cuda/driver/driver.h"
#include "ptx_check.h"

struct told {
    unsigned n;
    uint64_t errors, warnings;
};

static void tell_side(const ptx_check_side *s)
{
    px_cu_say("  %s by thread (%u,%u,%u) of block (%u,%u,%u), %s", s->access, s->thread[0], s->thread[1],
              s->thread[2], s->cta[0], s->cta[1], s->cta[2], s->kernel);
    px_cu_say("    %s%s%u%s%s%s: %s", s->file, px_cu_mark_line(s->file), s->line, *s->source ? " (" : "",
              s->source, *s->source ? ")" : "", s->instruction);
}

static void tell(void *user, const ptx_check_finding *f)
{
    struct told *told = user;
    *(f->severity >= PTX_ERROR ? &told->errors : &told->warnings) += 1;
    if (told->n++ >= px_cu_settings()->check_limit) return;
    px_cu_say("%s: %s [%s], %llu times", f->severity >= PTX_ERROR ? "error" : "warning", f->message, f->code,
              (unsigned long long)f->count);
    for (unsigned i = 0; i < f->nsides; i++) tell_side(&f->side[i]);
    const char *const words[][2] = {{"by", f->caller},    {"variable", f->variable}, {"memory", f->memory},
                                    {"made by", f->made}, {"freed by", f->freed},    {"help", f->help}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i][1]) px_cu_say("  %s: %s", words[i][0], words[i][1]);
}

void px_cu_findings(ptx_device *vm)
{
    struct told told = {0};
    const ptx_status status = ptx_device_findings(vm, tell, &told);
    if (status != PTX_OK) px_cu_say("PTXVM_CHECK: the check stopped early: %s", ptx_status_name(status));
    px_cu_log_found(told.errors, told.warnings);
    if (told.n > px_cu_settings()->check_limit)
        px_cu_say("PTXVM_CHECK: %u more findings", told.n - (unsigned)px_cu_settings()->check_limit);
}
