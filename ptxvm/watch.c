/* watch.c - Ctrl-C, SIGTERM and the progress line, for the time of one launch.
 *
 * A thread wakes a few times a second and reads the device's counters, from the first second on and only when
 * standard error is a terminal. The signal handler knows the device through the one variable a handler can
 * have. */
#include "watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "fail.h"

struct watch {
    ptx_device *device;
    struct sigaction former[2]; /* of signals */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool has_thread, stop, shown;
};

static const int signals[] = {SIGINT, SIGTERM};
static ptx_device *volatile interrupted_device;

static void on_interrupt(int signal)
{
    (void)signal;
    if (interrupted_device) ptx_device_interrupt(interrupted_device);
}

static void show(struct watch *watch)
{
    ptx_progress p = {sizeof p};
    ptx_device_progress(watch->device, &p);
    fprintf(stderr, "\r\033[K%llu of %llu blocks", (unsigned long long)p.ctas_done,
            (unsigned long long)p.ctas_total);
    if (p.grids_total > 1)
        fprintf(stderr, ", %llu of %llu grids", (unsigned long long)p.grids_done,
                (unsigned long long)p.grids_total);
    fprintf(stderr, ", %.1f G thread-instructions", (double)p.thread_instructions / 1e9);
    fflush(stderr);
    watch->shown = true;
}

/* Waits; false when it was woken to stop. The mutex is held. */
static bool still_running_after(struct watch *watch, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!watch->stop)
        if (pthread_cond_timedwait(&watch->wake, &watch->mutex, &until) != 0) break;
    return !watch->stop;
}

static void *watch_progress(void *user)
{
    struct watch *watch = user;
    pthread_mutex_lock(&watch->mutex);
    if (still_running_after(watch, 1000)) do
            show(watch);
        while (still_running_after(watch, 200));
    pthread_mutex_unlock(&watch->mutex);
    return NULL;
}

struct watch *watch_start(ptx_device *device)
{
    struct watch *watch = must_alloc(sizeof *watch);
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    watch->device = device;
    interrupted_device = device;
    for (int i = 0; i < 2; i++) sigaction(signals[i], &action, &watch->former[i]);
    pthread_mutex_init(&watch->mutex, NULL);
    pthread_cond_init(&watch->wake, NULL);
    if (isatty(STDERR_FILENO))
        watch->has_thread = pthread_create(&watch->thread, NULL, watch_progress, watch) == 0;
    return watch;
}

void watch_stop(struct watch *watch)
{
    for (int i = 0; i < 2; i++) sigaction(signals[i], &watch->former[i], NULL);
    interrupted_device = NULL;
    pthread_mutex_lock(&watch->mutex);
    watch->stop = true;
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->mutex);
    if (watch->has_thread) pthread_join(watch->thread, NULL);
    if (watch->shown) fputs("\r\033[K", stderr);
    pthread_mutex_destroy(&watch->mutex);
    pthread_cond_destroy(&watch->wake);
    free(watch);
}
