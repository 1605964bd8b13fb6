/* fail.h - exit codes of ptxvm, and the one way to give up. */
#ifndef PTXVM_FAIL_H
#define PTXVM_FAIL_H

enum exit_code {
    EXIT_FINE = 0,
    EXIT_EXPECTATION = 1, /* the kernel ran, and an --expect does not hold */
    EXIT_USAGE = 2,
    EXIT_ASSEMBLY = 3, /* the PTX is not legal, does not link, or uses what the VM cannot run */
    EXIT_FAULT = 4,
    EXIT_STOPPED = 5, /* deadlock, step or time limit, interrupt, out of memory */
    EXIT_FOUND = 6    /* --check found something; --check-exit names another */
};

/* Prints "ptxvm: MESSAGE" on standard error and exits. For a usage error it adds where help is. */
void fail(enum exit_code code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* From now on fail tells the message by `tell`, which knows the place; NULL: as before. */
struct failing {
    void (*tell)(void *user, const char *message);
    void *user;
};
void fail_at(const struct failing *failing);

/* Memory that is never NULL: gives up when there is none. */
void *must_alloc(unsigned long size); /* zeroed */
void *must_grow(void *old, unsigned long size);
char *must_copy(const char *text, unsigned long length);
char *must_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
