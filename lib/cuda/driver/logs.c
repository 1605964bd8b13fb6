/*
 * logs.c - the driver's log as a program reads it (cuLogs...): the last messages, and who wants to be
 * called with each.
 *
 * What is told to people (log.c) comes here too, whatever PTXVM_LOG says. An iterator is the number of
 * the next message. Callbacks run under a lock of their own that their thread may take again, so a callback
 * may call these functions, and one that was unregistered is not running any more, unless by the caller.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/driver.h"

enum { KEPT = 100, MESSAGE = 256 }; /* 25600 bytes, as the manual has it */

struct listener {
    struct listener *next;
    uintptr_t number; /* its handle */
    CUlogsCallback fn;
    void *user;
};

static pthread_mutex_t calling = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* of the listeners; taken first */
static struct listener *listeners;
static uintptr_t last_listener;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the messages */
static char messages[KEPT][MESSAGE];
static unsigned next_message; /* number of the next */

static unsigned oldest(void)
{
    return next_message > KEPT ? next_message - KEPT : 0;
}

void px_cu_logs_add(CUlogLevel level, const char *text)
{
    char line[MESSAGE];
    snprintf(line, sizeof line, "[CUDA][%c] %s", level == CU_LOG_LEVEL_ERROR ? 'E' : 'W', text);
    pthread_mutex_lock(&lock);
    memcpy(messages[next_message++ % KEPT], line, sizeof line);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&calling);
    for (struct listener *l = listeners, *next; l; l = next) {
        next = l->next;
        l->fn(l->user, level, line, strlen(line));
    }
    pthread_mutex_unlock(&calling);
}

CUresult cuLogsRegisterCallback(CUlogsCallback fn, void *user, CUlogsCallbackHandle *handle)
{
    if (!fn) return CUDA_ERROR_INVALID_VALUE;
    struct listener *l = malloc(sizeof *l);
    if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&calling);
    *l = (struct listener){listeners, ++last_listener, fn, user};
    listeners = l;
    if (handle) *handle = (CUlogsCallbackHandle)l->number;
    pthread_mutex_unlock(&calling);
    return CUDA_SUCCESS;
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle)
{
    pthread_mutex_lock(&calling);
    struct listener **at = &listeners, *l;
    while ((l = *at) && l->number != (uintptr_t)handle) at = &l->next;
    if (l) *at = l->next;
    pthread_mutex_unlock(&calling);
    free(l);
    return l ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLogsCurrent(CUlogIterator *iterator, unsigned flags)
{
    (void)flags; /* any are taken, as by a chip's driver */
    if (!iterator) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    *iterator = next_message;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* The first message that is still there. The lock is held. */
static unsigned first_of(const CUlogIterator *iterator, bool *lost)
{
    const unsigned from = iterator ? *iterator : 0, first = oldest();
    *lost = from < first;
    return *lost ? first : from > next_message ? next_message : from;
}

static const char cut[] = "[CUDA][W] older messages are left out";

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *path, unsigned flags)
{
    bool lost;
    FILE *file = path && !flags ? fopen(path, "we") : NULL;
    if (!file) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    unsigned i = first_of(iterator, &lost);
    if (lost) fprintf(file, "%s\n", cut);
    for (; i < next_message; i++) fprintf(file, "%s\n", messages[i % KEPT]);
    if (iterator) *iterator = next_message;
    pthread_mutex_unlock(&lock);
    const bool bad = ferror(file) != 0;
    return fclose(file) == 0 && !bad ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The newest that fit into `room` bytes and a NUL, behind a line that tells of what does not. The lock is
 * held. */
static bool copy_messages(unsigned first, bool lost, char *buffer, size_t room, size_t *size)
{
    size_t bytes = 0, head = lost ? sizeof cut : 0;
    unsigned from = next_message;
    while (from > first) {
        const size_t more = strlen(messages[(from - 1) % KEPT]) + 1;
        const size_t note = from - 1 > first ? sizeof cut : head;
        if (bytes + more + note > room - 1) {
            head = sizeof cut;
            break;
        }
        bytes += more;
        from--;
    }
    if (from == next_message && first < next_message) return false;
    char *at = buffer;
    if (head) at += sprintf(at, "%s\n", cut);
    for (; from < next_message; from++) at += sprintf(at, "%s\n", messages[from % KEPT]);
    *at = 0;
    *size = (size_t)(at - buffer);
    return true;
}

CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size, unsigned flags)
{
    bool lost;
    if (!buffer || !size || flags) return CUDA_ERROR_INVALID_VALUE;
    const size_t room = *size;
    *size = 0;
    if (!room) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    const unsigned first = first_of(iterator, &lost);
    const bool ok = copy_messages(first, lost && first < next_message, buffer, room, size);
    if (ok && iterator) *iterator = next_message;
    pthread_mutex_unlock(&lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
