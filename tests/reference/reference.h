/* The reference: a slow and plain interpreter of PTX, one thread at a time, that the engine is compared with.
 *
 * It shares with the product the front half (parser, checker, linker, matched form) and the statements of the
 * instruction table, compiled once more as plain scalar functions; everything else is its own.  One launch of
 * one kernel is one call; nothing is kept between calls.  Calls on different threads do not disturb one
 * another. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

struct ref_launch {
    const char *kernel; /* NULL: the only entry */
    uint32_t grid[3], block[3];
    uint32_t dynamic_smem; /* bytes of shared memory past what the kernel names */
    uint64_t seed;         /* order of lanes, warps and CTAs */
    uint64_t max_steps;    /* thread instructions of the whole launch; 0: 2^32 */
    /* One buffer of device memory: its address is what the kernel's first parameter (.u64) gets.  The launch
     * reads and writes these bytes in place. */
    uint8_t *buffer;
    size_t buffer_bytes;
    uint64_t buffer_address;
    /* The whole parameter block; its first 8 bytes are taken to be buffer_address where there is a buffer. */
    const uint8_t *params;
    size_t param_bytes;
    /* NULL, or a number for each byte of the text: how often threads came to the instruction whose opcode
     * begins there, its guard true or not. */
    uint64_t *executed;
};

/* 0: ran to the end.  Otherwise `message` (of at most `size` bytes, ended by a 0) says what happened: a text
 * that does not check, a fault, a deadlock, the limit of steps, or an instruction that the reference does not
 * run. */
int ref_run(const char *ptx_text, size_t bytes, const struct ref_launch *launch, char *message, size_t size);

#endif
