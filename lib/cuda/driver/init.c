/*
 * init.c - the process as libcuda sees it: the environment, cuInit, fork, the end.
 *
 * The environment is read once, by the first cuInit. A value that cannot be read fails cuInit with a word on
 * what is wrong: results would differ silently otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/driver/driver.h"
#include "ptx_check.h"

enum state { FRESH, READY, FAILED, FORKED, ENDING /* by a signal */, ENDED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int state; /* of the process */
static CUresult failure;
static struct px_cu_settings settings;

static _Thread_local bool in_host_call;

void px_cu_host_call(void (*fn)(void *user), void *user)
{
    in_host_call = true;
    fn(user);
    in_host_call = false;
}

bool px_cu_permit(bool refused)
{
    const bool was = in_host_call;
    in_host_call = refused;
    return was;
}

void px_cu_end_wait(void)
{
    while (atomic_load_explicit(&state, memory_order_relaxed) == ENDING) pause();
}

CUresult px_cu_ready(void)
{
    if (in_host_call) return CUDA_ERROR_NOT_PERMITTED;
    px_cu_end_wait();
    switch ((enum state)atomic_load_explicit(&state, memory_order_acquire)) {
    case READY: return CUDA_SUCCESS;
    case ENDED: return CUDA_ERROR_DEINITIALIZED;
    default: return CUDA_ERROR_NOT_INITIALIZED;
    }
}

const struct px_cu_settings *px_cu_settings(void)
{
    return &settings;
}

/* ---- the environment ---- */

static bool wrong(const char *name, const char *is, const char *value)
{
    px_cu_say("%s is %s, not '%.60s'", name, is, value);
    return false;
}

static const char *given(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* A number, perhaps with K, M, G or T behind it. */
static bool read_number(const char *name, uint64_t most, uint64_t *number)
{
    static const char suffixes[] = "KMGT";
    const char *value = given(name);
    char *end;
    if (!value) return true;
    *number = strtoull(value, &end, 10);
    const char *suffix = *end ? strchr(suffixes, *end & ~32) : NULL;
    const unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (*value < '0' || *value > '9' || (*end && (!suffix || end[1])) || *number > most >> shift)
        return wrong(name, "a number, perhaps with K, M, G or T behind it", value);
    *number <<= shift;
    return true;
}

/* One of two words: which. */
static bool read_word(const char *name, const char *first, const char *second, int *which)
{
    const char *value = given(name);
    char is[80];
    if (!value) return true;
    *which = strcmp(value, first) == 0 ? 0 : strcmp(value, second) == 0 ? 1 : -1;
    if (*which >= 0) return true;
    snprintf(is, sizeof is, "%s or %s", first, second);
    return wrong(name, is, value);
}

static bool read_async(void)
{
    const char *value = given("PTXVM_ASYNC");
    char *end = NULL;
    if (!value || strcmp(value, "late") == 0) return true;
    settings.async = strcmp(value, "early") == 0 ? PTX_ASYNC_EARLY : PTX_ASYNC_RANDOM;
    if (settings.async == PTX_ASYNC_EARLY) return true;
    const bool seeded = strncmp(value, "random:", 7) == 0 && value[7] >= '0' && value[7] <= '9';
    if (seeded) settings.async_seed = strtoull(value + 7, &end, 0);
    return (seeded && !*end && settings.async_seed <= UINT32_MAX) ||
           wrong("PTXVM_ASYNC", "late, early or random:SEED", value);
}

static bool read_schedule(void)
{
    const char *value = given("PTXVM_SCHEDULE");
    char *end = NULL;
    if (!value) return true;
    const bool seeded = strncmp(value, "random:", 7) == 0 && value[7] >= '0' && value[7] <= '9';
    if (seeded) settings.schedule_seed = strtoull(value + 7, &end, 0);
    settings.schedule = PTX_SCHEDULE_RANDOM;
    return (seeded && !*end && settings.schedule_seed <= UINT32_MAX) ||
           wrong("PTXVM_SCHEDULE", "random:SEED", value);
}

/* "sm_90", or one for each device, "sm_90,sm_80": the last stands for the rest. "9.0" and "90" mean the same.
 */
static bool read_arch(unsigned all)
{
    const char *value = given("PTXVM_ARCH"), *at = value ? value : "sm_90";
    settings.arch_given = value != NULL;
    if (value && strcmp(value, "auto") == 0) {
        settings.arch_auto = true;
        settings.arch_given = false;
        at = "sm_90";
    }
    for (unsigned i = 0; i < all; i++) {
        const size_t length = strcspn(at, ",");
        char digits[8] = "";
        size_t n = 0;
        for (size_t k = strncmp(at, "sm_", 3) == 0 ? 3 : 0; k < length && n < sizeof digits - 1; k++)
            if (at[k] != '.') digits[n++] = at[k];
        if (n < 2 || digits[0] < '0' || digits[0] > '9')
            return wrong("PTXVM_ARCH", "auto, or architectures as sm_90", value);
        snprintf(settings.arch[i], sizeof settings.arch[i], "sm_%s", digits);
        if (at[length]) at += length + 1;
    }
    return true;
}

/* "0,2": which devices are seen, in which order. What follows a wrong one is not seen, as in CUDA. */
static void read_visible(unsigned all)
{
    const char *at = getenv("CUDA_VISIBLE_DEVICES");
    settings.devices = at ? 0 : all;
    for (unsigned i = 0; i < all; i++) settings.ordinal[i] = (int)i;
    while (at && settings.devices < all) {
        char *end;
        const unsigned long ordinal = strtoul(at, &end, 10);
        if (end == at || (*end && *end != ',') || ordinal >= all) return;
        for (unsigned i = 0; i < settings.devices; i++)
            if (settings.ordinal[i] == (int)ordinal) {
                settings.devices = 0; /* one twice: none */
                return;
            }
        settings.ordinal[settings.devices++] = (int)ordinal;
        at = *end ? end + 1 : NULL;
    }
}

static bool read_environment(void)
{
    uint64_t devices = 1, threads = 0, deterministic = 0, counts = 0, poison = 0;
    int blocking = 0, eager = 0, exact = 0, fmad = -1, all = 0;
    settings.memory = 16ull << 30;
    settings.check_limit = 100;
    if (!px_cu_log_open(given("PTXVM_LOG"), given("PTXVM_REPORT"))) return false;
    if (!read_number("PTXVM_DEVICES", PX_CU_DEVICES, &devices)) return false;
    if (!read_number("PTXVM_MEMORY", 1ull << 39, &settings.memory)) return false;
    if (!read_number("PTXVM_THREADS", 4096, &threads)) return false;
    if (!read_number("PTXVM_MAX_STEPS", UINT64_MAX, &settings.max_steps)) return false;
    if (!read_number("PTXVM_TIMEOUT_MS", UINT64_MAX, &settings.timeout_ms)) return false;
    if (!read_number("PTXVM_MAX_HOST", UINT64_MAX, &settings.max_host)) return false;
    if (!read_number("PTXVM_MAX_OUTPUT", UINT64_MAX, &settings.max_output)) return false;
    if (!read_number("PTXVM_DETERMINISTIC", 1, &deterministic)) return false;
    if (!read_word("PTXVM_APPROX", "chip", "exact", &exact)) return false;
    if (!read_word("PTXVM_UB", "fault", "chip", &settings.ub_chip)) return false;
    if (!read_word("PTXVM_PROFILE", "13.0", "all", &all)) return false;
    if (!read_word("PTXVM_FMAD", "true", "false", &fmad) || !read_async()) return false;
    if (!read_number("PTXVM_COUNTS", 1, &counts) || !read_schedule()) return false;
    settings.launches = given("PTXVM_LAUNCHES");
    if (settings.launches && !px_cu_log_launches_known(settings.launches))
        return wrong("PTXVM_LAUNCHES", "text, or text:FILE, json:FILE, svg:FILE, dot:FILE, timeline:FILE",
                     settings.launches);
    const char *check = given("PTXVM_CHECK");
    if (check && ptx_check_parse(check, &settings.check) != PTX_OK)
        return wrong("PTXVM_CHECK", "words of memory, race, init, sync, launch, leak, all, no-race-values",
                     check);
    if (!read_number("PTXVM_CHECK_LIMIT", UINT32_MAX, &settings.check_limit)) return false;
    if (!read_number("PTXVM_POISON", 511, &poison)) return false;
    settings.poison = poison ? 256 + (int)(poison & 255) : 0;
    if (!read_arch((unsigned)devices)) return false;
    /* A value that CUDA does not know is none there, so neither is it here. */
    const char *loading = given("CUDA_MODULE_LOADING"), *launch = given("CUDA_LAUNCH_BLOCKING");
    eager = loading && strcmp(loading, "EAGER") == 0;
    blocking = launch && strcmp(launch, "1") == 0;
    settings.threads = (unsigned)threads;
    settings.deterministic = deterministic != 0;
    settings.counts = counts != 0;
    settings.dump_ir = given("PTXVM_DUMP_IR");
    settings.save_ptx = given("PTXVM_SAVE_PTX");
    settings.approx_exact = exact;
    settings.fmad = fmad < 0 ? PTX_FMAD_DEFAULT : fmad ? PTX_FMAD_OFF : PTX_FMAD_ON;
    settings.profile = all ? PTX_PROFILE_ALL : PTX_PROFILE_13_0;
    settings.eager = eager;
    settings.blocking = blocking;
    read_visible((unsigned)devices);
    return true;
}

/* ---- the life of the process ---- */

/* Threads of the devices do not exist in the child, so nothing of the parent's can be used there. */
static void forked(void)
{
    int was = READY;
    atomic_compare_exchange_strong(&state, &was, FORKED);
}

bool px_cu_end_begin(void)
{
    int was = READY;
    return atomic_compare_exchange_strong(&state, &was, ENDING);
}

void px_cu_end_tell(void)
{
    px_cu_each(PX_CU_CONTEXT, NULL, px_cu_context_count, NULL);
    px_cu_log_end();
}

static void ended(void)
{
    int was = READY;
    px_cu_end_wait();
    if (atomic_compare_exchange_strong(&state, &was, ENDED)) px_cu_end_tell();
}

static CUresult start(void)
{
    if (!read_environment()) return CUDA_ERROR_INVALID_VALUE;
    if (!settings.devices) return CUDA_ERROR_NO_DEVICE;
    PX_CU_TRY(px_cu_devices_start());
    pthread_atfork(NULL, NULL, forked);
    atexit(ended);
    return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags)
{
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (atomic_load(&state) == FRESH) {
        failure = start();
        atomic_store_explicit(&state, failure == CUDA_SUCCESS ? READY : FAILED, memory_order_release);
        /* Not before: a signal ends what is READY, and kills the process until then. */
        if (failure == CUDA_SUCCESS && (given("PTXVM_REPORT") || settings.launches)) px_cu_signals_watch();
    }
    pthread_mutex_unlock(&lock);
    return atomic_load(&state) == FAILED ? failure : px_cu_ready();
}

CUresult cuDriverGetVersion(int *version)
{
    return PX_CU_ANSWER(version, PX_CU_VERSION);
}

/* ---- errors ---- */

struct error {
    CUresult number;
    const char *name, *text;
};

static const struct error errors[] = {
#define CU_ERROR(number, name, text) {CUDA_##name, "CUDA_" #name, text},
#include "cuda/driver/errors.def"
#undef CU_ERROR
};

static const struct error *error_of(CUresult number)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == number) return &errors[i];
    return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    const struct error *e = error_of(error);
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = e ? e->name : NULL;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const struct error *e = error_of(error);
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = e ? e->text : NULL;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Nobody profiles here; a program that starts and stops a profiler goes on. */
CUresult cuProfilerStart(void)
{
    return px_cu_ready();
}

CUresult cuProfilerStop(void)
{
    return px_cu_ready();
}
