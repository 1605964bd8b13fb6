/*
 * device.h - what tests of the interface share: one device and its memory.
 */
#ifndef API_DEVICE_H
#define API_DEVICE_H

#include "ptxvm.h"
#include "suite.h"

static ptx_device *device;

/* A cmocka teardown too. */
static inline int close_device(void **state)
{
    (void)state;
    ptx_device_destroy(device);
    return 0;
}

static inline ptx_address buffer(size_t size)
{
    ptx_address va;
    assert_int_equal(ptx_memory_alloc(device, size, &va), PTX_OK);
    return va;
}

static inline uint32_t word_at(ptx_address va)
{
    uint32_t word;
    assert_int_equal(ptx_memory_read(device, &word, va, 4), PTX_OK);
    return word;
}

#endif
