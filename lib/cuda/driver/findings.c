/*
 * findings.c - PTXVM_CHECK: what the kernels of a context did wrong, told when the context goes.
 *
 * A finding is a line with its message, one for each side, and one that says what would be right.
 */
#include <stdio.h>
#include "cuda/driver/driver.h"
#include "ptx_check.h"

enum { FINDINGS_TOLD = 100 }; /* of a context */

struct told {
    unsigned n;
    uint64_t errors, warnings;
};

static void tell_side(const ptx_check_side *s)
{
    px_cu_say("  %s by thread (%u,%u,%u) of block (%u,%u,%u), %s", s->access, s->thread[0], s->thread[1],
              s->thread[2], s->cta[0], s->cta[1], s->cta[2], s->kernel);
    px_cu_say("    %s:%u%s%s%s: %s", s->file, s->line, *s->source ? " (" : "", s->source,
              *s->source ? ")" : "", s->instruction);
}

static void tell(void *user, const ptx_check_finding *f)
{
    struct told *told = user;
    *(f->severity >= PTX_ERROR ? &told->errors : &told->warnings) += 1;
    if (told->n++ >= FINDINGS_TOLD) return;
    px_cu_say("%s: %s [%s], %llu times", f->severity >= PTX_ERROR ? "error" : "warning", f->message, f->code,
              (unsigned long long)f->count);
    for (unsigned i = 0; i < f->nsides; i++) tell_side(&f->side[i]);
    if (*f->help) px_cu_say("  help: %s", f->help);
}

void px_cu_findings(ptx_device *vm)
{
    struct told told = {0};
    const ptx_status status = ptx_device_findings(vm, tell, &told);
    if (status != PTX_OK) px_cu_say("PTXVM_CHECK: the check stopped early: %s", ptx_status_name(status));
    px_cu_log_found(told.errors, told.warnings);
    if (told.n > FINDINGS_TOLD) px_cu_say("PTXVM_CHECK: %u more findings", told.n - FINDINGS_TOLD);
}
