/*
 * value.h - waits for values in memory, and writes of values, in stream order.
 *
 * A list of them is one native grid. Its task begins when every wait is over: until then it is parked
 * (task.c), and whoever has nothing else to do looks again now and then, because kernels, other devices and
 * the host itself write memory without telling anybody.
 */
#ifndef PX_VM_QUEUE_VALUE_H
#define PX_VM_QUEUE_VALUE_H

#include "ptx_stream.h"
#include "vm/device/device.h"

/* Are they operations, on memory of the device that is aligned? */
bool px_values_ok(struct ptx_device *device, const ptx_value *values, size_t n);
/* NULL: no memory. */
struct px_grid *px_values_grid(struct ptx_device *device, const ptx_value *values, uint32_t n);
/* Does what can be done of it. True: the grid may begin; false: it is one of values, and a wait is not over.
 * The scheduler's lock is held. */
bool px_values_open(struct px_grid *grid);

#endif
