/*
 * signals.c - Ctrl-C and SIGTERM while somebody wants to know what ran.
 *
 * Where a report or a list of launches is asked for, and the program leaves a signal to the system, the
 * signal stops what runs, the report is written, and only then the process ends by that signal. No handler
 * can do that by itself: it wakes a thread. Threads of the program that call the driver meanwhile stay there,
 * so that none goes on with results that are not complete. A second signal ends the process at once, and so
 * does time: PATIENCE seconds.
 */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
#include "cuda/driver/driver.h"

enum { PATIENCE = 10 };

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
static sem_t wake;
static pid_t owner;
static atomic_int number; /* the signal that ends the process; 0: none came */

static void die(int by)
{
    sigset_t set;
    signal(by, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, by);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(by);
}

/* The thread that would write does not exist in a child. */
static void on_signal(int which)
{
    const int saved = errno;
    int none = 0;
    if (getpid() == owner && atomic_compare_exchange_strong(&number, &none, which))
        sem_post(&wake);
    else
        die(which);
    errno = saved;
}

static void on_alarm(int which)
{
    (void)which;
    die(atomic_load(&number));
}

static void stop(void *context, void *user)
{
    ptx_device *vm = atomic_load(&((struct px_cu_context *)context)->vm);
    (void)user;
    if (!vm) return;
    ptx_device_interrupt(vm);
    ptx_device_settle(vm);
}

static void *end_by_signal(void *unused)
{
    (void)unused;
    while (sem_wait(&wake) != 0) {
    }
    const int by = atomic_load(&number);
    if (!px_cu_end_begin()) return NULL; /* it ends already, and writes */
    signal(SIGALRM, on_alarm);
    alarm(PATIENCE);
    px_cu_each(PX_CU_CONTEXT, NULL, stop, NULL);
    px_cu_end_tell();
    die(by);
    return NULL;
}

void px_cu_signals_watch(void)
{
    pthread_t thread;
    sigset_t all, old;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, was;
    owner = getpid();
    if (sem_init(&wake, 0, 0) != 0) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* the program's signals are for its own threads */
    const bool made = pthread_create(&thread, NULL, end_by_signal, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!made) return;
    pthread_detach(thread);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &was) == 0 && !(was.sa_flags & SA_SIGINFO) &&
            was.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
}
