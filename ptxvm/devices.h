/* devices.h - ptxvm --devices: which virtual devices programs see. */
#ifndef PTXVM_DEVICES_H
#define PTXVM_DEVICES_H

/* Prints a line for each device of the environment (PTXVM_DEVICES, PTXVM_ARCH, PTXVM_MEMORY); the exit code.
 * `folder` has the libraries. */
int devices_print(const char *folder);

#endif
