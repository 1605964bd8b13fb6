/* api/check.c - the public functions of ptx_check.h, and how a device comes to its checks. */
#include "api/check.h"
#include <string.h>
#include "base/alloc.h"
#include "cdp/mistakes.h"
#include "san/san.h"
#include "vm/device/device.h"

/* They hear of each access. */
enum {
    ON_ONE_WORKER =
        PTX_CHECK_RACE | PTX_CHECK_RACE_VALUES | PTX_CHECK_INIT | PTX_CHECK_SYNC | PTX_CHECK_LAUNCH
};
enum { LAUNCHES = 64 << 20 /* bytes of the list that the check of launches needs */ };

static bool begin_launches(ptx_device_config *config, const ptx_allocator *alloc, struct px_checks *checks)
{
    const struct px_mistakes_next next = {config->trace, config->trace_event, config->trace_memory,
                                          config->trace_user};
    if (!(config->check & PTX_CHECK_LAUNCH)) return true;
    checks->mistakes = px_mistakes_new(alloc, &next);
    config->trace = px_mistakes_access;
    config->trace_event = px_mistakes_event;
    if (next.memory) config->trace_memory = px_mistakes_memory;
    config->trace_user = checks->mistakes;
    if (!config->launches) config->launches = LAUNCHES;
    return checks->mistakes != NULL;
}

static bool begin_san(ptx_device_config *config, const ptx_allocator *alloc, struct px_checks *checks)
{
    const struct px_san_next next = {config->trace, config->trace_event, config->trace_memory,
                                     config->trace_user};
    if (!(config->check & ~(unsigned)PTX_CHECK_LAUNCH)) return true;
    checks->san = px_san_new(alloc, config->check, &next, ptx_trace_where);
    if (next.trace || config->check & ON_ONE_WORKER) config->trace = px_san_access;
    if (next.event || config->check & ON_ONE_WORKER) config->trace_event = px_san_event;
    config->trace_memory = px_san_memory;
    config->trace_user = checks->san;
    if (config->check & PTX_CHECK_MEMORY) config->rest = 1;
    return checks->san != NULL;
}

ptx_status px_check_begin(ptx_device_config *config, struct px_checks *checks)
{
    *checks = (struct px_checks){0};
    if (!config->check) return PTX_OK;
    if (config->check & ~(unsigned)(PTX_CHECK_ALL | PTX_CHECK_LEAK)) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_allocator alloc = px_alloc_or_default(&config->allocator);
    if (config->check & ON_ONE_WORKER) config->workers = 1;
    if (begin_launches(config, &alloc, checks) && begin_san(config, &alloc, checks)) return PTX_OK;
    px_check_end(checks);
    return PTX_ERROR_OUT_OF_MEMORY;
}

void px_check_end(struct px_checks *checks)
{
    px_san_free(checks->san);
    px_mistakes_free(checks->mistakes);
    *checks = (struct px_checks){0};
}

static const struct {
    const char *word;
    unsigned checks, without;
} words_known[] = {{"race", PTX_CHECK_RACE | PTX_CHECK_RACE_VALUES, 0},
                   {"init", PTX_CHECK_INIT, 0},
                   {"memory", PTX_CHECK_MEMORY, 0},
                   {"leak", PTX_CHECK_LEAK, 0},
                   {"sync", PTX_CHECK_SYNC, 0},
                   {"launch", PTX_CHECK_LAUNCH, 0},
                   {"all", PTX_CHECK_ALL, 0},
                   {"no-race-values", 0, PTX_CHECK_RACE_VALUES}};
enum { WORDS = sizeof words_known / sizeof *words_known };

PTX_API ptx_status ptx_check_parse(const char *words, unsigned *checks)
{
    unsigned wanted = 0, without = 0;
    if (!words || !checks) return PTX_ERROR_INVALID_ARGUMENT;
    for (const char *at = words;; at++) {
        const size_t length = strcspn(at, ",");
        unsigned i = 0;
        while (i < WORDS &&
               (strlen(words_known[i].word) != length || strncmp(words_known[i].word, at, length) != 0))
            i++;
        if (i == WORDS) return PTX_ERROR_INVALID_ARGUMENT;
        wanted |= words_known[i].checks;
        without |= words_known[i].without;
        at += length;
        if (!*at) break;
    }
    if (!(wanted & ~without)) return PTX_ERROR_INVALID_ARGUMENT;
    *checks = wanted & ~without;
    return PTX_OK;
}

struct told {
    const ptx_device *device;
    ptx_check_fn tell;
    void *user;
};

static void pass(void *user, const ptx_check_finding *f)
{
    const struct told *t = user;
    if (!px_check_suppressed(t->device, f)) t->tell(t->user, f);
}

PTX_API ptx_status ptx_device_findings(ptx_device *device, ptx_check_fn tell, void *user)
{
    if (!tell || !px_device_usable(device) || !(device->san || device->mistakes))
        return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    const bool busy = device->tasks.pending;
    px_sched_unlock(&device->sched);
    if (busy) return PTX_ERROR_NOT_READY;
    struct told told = {device, tell, user};
    const ptx_status launches = device->mistakes ? px_mistakes_tell(device->mistakes, pass, &told) : PTX_OK,
                     races = device->san ? px_san_tell(device->san, pass, &told) : PTX_OK;
    return launches != PTX_OK ? launches : races;
}

PTX_API void ptx_check_free_refused(ptx_device *device, ptx_address address)
{
    if (px_device_usable(device)) px_traced_memory(device, PTX_TRACE_BAD_FREE, PTX_TRACE_DEVICE, address, 0);
}
