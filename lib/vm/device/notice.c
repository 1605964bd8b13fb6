/*
 * notice.c - what a person should know and no status tells: launches by kernels that are refused, writes past
 * an allocation that PTX_UB_CHIP lets pass.
 */
#include "vm/device/notice.h"
#include "front/print.h"
#include "gang/gang.h"
#include "gang/place.h"
#include "vm/device/device.h"

bool px_notice_heard(const struct ptx_device *device)
{
    return device->watch.fn || device->config.notice;
}

void px_notice(struct ptx_device *device, ptx_watch_event *e, const struct px_lfunc *func,
               const struct px_inst *inst)
{
    char words[600] = "", from[600] = "";
    struct px_source text = func->module->source; /* its line table is complete: nothing is built here */
    const struct px_place place = inst ? px_source_place(&text, inst->pos) : (struct px_place){0};
    if (inst) px_print_inst(inst, words, sizeof words);
    if (inst) px_place_source(func, inst, from, sizeof from);
    if (!e->call) e->call = "";
    if (!e->allocation) e->allocation = "";
    e->function = func->name;
    e->file = text.file;
    e->instruction = words;
    e->line = place.line;
    e->column = place.column;
    e->source = from;
    px_watch_tell(device, e);
    px_watch_call(device, device->config.notice, device->config.notice_user, e);
}

/* ---- writes past an allocation ---- */

/* Has the instruction not been told of? Where there is no room for more, nothing is news. */
static bool is_news(struct ptx_device *device, const struct px_inst *inst)
{
    struct px_past *p = &device->past;
    pthread_mutex_lock(&p->lock);
    bool news = p->n < PX_PAST_TOLD;
    for (unsigned i = 0; i < p->n; i++) news &= p->told[i] != inst;
    if (news) p->told[p->n++] = inst;
    pthread_mutex_unlock(&p->lock);
    return news;
}

void px_notice_past(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va, uint32_t size)
{
    const struct px_grid *grid = g->cta->grid;
    const struct px_fcode *code = g->running->code;
    const struct px_inst *inst = code->src[in->src].inst;
    char allocation[300];
    if (!px_notice_heard(grid->device) || !is_news(grid->device, inst)) return;
    ptx_watch_event e = px_watch_of_grid(grid, PTX_WATCH_PAST);
    e.address = va;
    e.bytes = size;
    e.allocation = allocation;
    px_mem_describe(grid->mem, va, allocation, sizeof allocation);
    for (int i = 0; i < 3; i++) {
        e.cta[i] = g->cta->ctaid[i];
        e.thread[i] = g->tid[i][lane];
    }
    px_notice(grid->device, &e, code->func, inst);
}

void px_notice_forget(struct ptx_device *device)
{
    pthread_mutex_lock(&device->past.lock);
    device->past.n = 0;
    pthread_mutex_unlock(&device->past.lock);
}
