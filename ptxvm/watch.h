/* watch.h - keeping an eye on a launch: Ctrl-C, and a progress line on a terminal. */
#ifndef PTXVM_WATCH_H
#define PTXVM_WATCH_H

#include "ptxvm.h"

struct watch;

/* From now on Ctrl-C interrupts the device (a second one kills the process), and long runs show progress. */
struct watch *watch_start(ptx_device *device);
void watch_stop(struct watch *watch);

#endif
