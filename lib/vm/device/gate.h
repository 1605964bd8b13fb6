/*
 * gate.h - who copies to and from device memory for the host goes through it; who moves the memory's pages
 * closes it meanwhile, and waits until nobody is inside.
 *
 * Nobody enters a gate in which he is already. Who enters two of them does so in the order of their
 * addresses.
 */
#ifndef PX_VM_DEVICE_GATE_H
#define PX_VM_DEVICE_GATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct px_gate {
    pthread_mutex_t lock;
    pthread_cond_t change;
    uint32_t inside;
    bool closed;
};

void px_gate_init(struct px_gate *gate);
void px_gate_free(struct px_gate *gate);
void px_gate_enter(struct px_gate *gate);
void px_gate_leave(struct px_gate *gate);
void px_gate_close(struct px_gate *gate);
void px_gate_open(struct px_gate *gate);

#endif
