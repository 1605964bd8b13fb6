/*
 * failed.c - the calls of a program that answered an error: which, from where, how often.
 *
 * A call is known by its function, its error and the address that it returns to, so that what a loop repeats
 * costs a look into the list. Calls of our own runtime are known, too, and not told: the runtime tells of the
 * call that the program made. Some errors are answers that programs ask for; they are listed with `asked`,
 * which --strict takes off.
 */
#include "cuda/driver/failed.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 1000, REASON = 400, NAME = 256 };

struct failed {
    struct failed *next;
    const char *function, *name;
    int code;
    const void *from;
    uint64_t count, asked;
    bool ours;
    char caller[NAME], file[NAME], reason[REASON];
    char arguments[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct failed *first, **end = &first;
static unsigned kept;

static _Thread_local char why[REASON];

void px_cu_failed_why(const char *words)
{
    snprintf(why, sizeof why, "%s", words);
}

/* ---- errors that are answers ---- */

static bool is_answer(const char *function, int code)
{
    static const struct {
        const char *function; /* or its beginning */
        int code;
    } answers[] = {
        {"cuPointerGetAttribute", CUDA_ERROR_INVALID_VALUE},    /* of an address of the host */
        {"cudaPointerGetAttributes", CUDA_ERROR_INVALID_VALUE}, /* ..., before release 11 */
        {"cuGetProcAddress", CUDA_ERROR_NOT_FOUND},
        {"cudaGetDriverEntryPoint", CUDA_ERROR_NOT_FOUND},
        {"cuCtxGetDevice", CUDA_ERROR_INVALID_CONTEXT},
        {"cuCtxEnablePeerAccess", CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED},
        {"cuCtxDisablePeerAccess", CUDA_ERROR_PEER_ACCESS_NOT_ENABLED},
        {"cudaDeviceEnablePeerAccess", CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED},
        {"cudaDeviceDisablePeerAccess", CUDA_ERROR_PEER_ACCESS_NOT_ENABLED},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (code == answers[i].code &&
            strncmp(function, answers[i].function, strlen(answers[i].function)) == 0)
            return true;
    return false;
}

/* ---- the list ---- */

/* The lock is held. */
static struct failed *find(const struct px_cu_failure *f)
{
    for (struct failed *x = first; x; x = x->next)
        if (x->from == f->from && x->code == f->code && x->function == f->function) return x;
    return NULL;
}

/* What was said of an error of this number before: an image that cannot be loaded, and a fault, say why once.
 */
static const char *said_before(int code)
{
    const bool image = code == CUDA_ERROR_INVALID_IMAGE || code == CUDA_ERROR_NO_BINARY_FOR_GPU ||
                       code == CUDA_ERROR_INVALID_PTX || code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    if (!image && (code < CUDA_ERROR_ILLEGAL_ADDRESS || code > CUDA_ERROR_LAUNCH_FAILED)) return "";
    for (const struct failed *x = first; x; x = x->next)
        if (x->code == code && *x->reason) return x->reason;
    return "";
}

/* The lock is held. */
static struct failed *add(const struct px_cu_failure *f)
{
    const size_t size = strlen(f->arguments) + 1;
    struct failed *x = kept < KEPT ? calloc(1, sizeof *x + size) : NULL;
    if (!x) return NULL;
    kept++;
    x->function = f->function;
    x->name = f->name;
    x->code = f->code;
    x->from = f->from;
    x->ours = !px_cu_caller(f->from, f->kernel, x->caller, x->file, NAME);
    memcpy(x->arguments, f->arguments, size);
    if (!x->ours)
        snprintf(x->reason, REASON, "%s", f->reason ? f->reason : *why ? why : said_before(f->code));
    *end = x;
    end = &x->next;
    return x;
}

void *px_cu_failed(const struct px_cu_failure *f)
{
    if (!f->reason && f->code == CUDA_ERROR_NOT_FOUND && strcmp(f->function, "cuGetExportTable") == 0) {
        px_cu_table_refused(f->from);
        return NULL;
    }
    if (!px_cu_reporting() || f->code == CUDA_ERROR_NOT_READY || f->code == CUDA_ERROR_DEINITIALIZED)
        return NULL;
    pthread_mutex_lock(&lock);
    struct failed *x = find(f);
    const bool is_new = !x;
    if (is_new) x = add(f);
    if (x) x->count++;
    if (x && is_answer(f->function, f->code)) x->asked++;
    pthread_mutex_unlock(&lock);
    if (x && x->ours) return NULL;
    *why = 0;
    if (is_new) px_cu_report();
    return x;
}

void px_cu_failed_asked(void *failed)
{
    struct failed *x = failed;
    pthread_mutex_lock(&lock);
    if (x->asked < x->count) x->asked++;
    pthread_mutex_unlock(&lock);
}

/* ---- the report ---- */

static void write_one(FILE *to, const struct failed *x, void (*json)(FILE *, const char *, size_t))
{
    const char *name = x->name;
    if (!name) cuGetErrorName((CUresult)x->code, &name);
    const char *const fields[][2] = {
        {"function", x->function}, {"arguments", x->arguments}, {"error", name ? name : ""},
        {"caller", x->caller},     {"file", x->file},           {"reason", x->reason},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fprintf(to, "%s\"%s\": ", i ? ", " : "{", fields[i][0]);
        json(to, fields[i][1], strlen(fields[i][1]));
    }
    fprintf(to, ", \"code\": %d, \"count\": %llu, \"asked\": %llu}", x->code, (unsigned long long)x->count,
            (unsigned long long)x->asked);
}

void px_cu_failed_write(FILE *to, void (*json)(FILE *to, const char *text, size_t size))
{
    bool any = false;
    fputs("  \"api_errors\": [", to);
    pthread_mutex_lock(&lock);
    for (const struct failed *x = first; x; x = x->next) {
        if (x->ours) continue;
        fprintf(to, "%s\n    ", any ? "," : "");
        write_one(to, x, json);
        any = true;
    }
    pthread_mutex_unlock(&lock);
    fprintf(to, "%s],\n", any ? "\n  " : "");
}
