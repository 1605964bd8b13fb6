/*
 * gate.c - see gate.h.
 */
#include "vm/device/gate.h"

void px_gate_init(struct px_gate *gate)
{
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->change, NULL);
}

void px_gate_free(struct px_gate *gate)
{
    pthread_mutex_destroy(&gate->lock);
    pthread_cond_destroy(&gate->change);
}

void px_gate_enter(struct px_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->closed) pthread_cond_wait(&gate->change, &gate->lock);
    gate->inside++;
    pthread_mutex_unlock(&gate->lock);
}

void px_gate_leave(struct px_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    if (--gate->inside == 0 && gate->closed) pthread_cond_broadcast(&gate->change);
    pthread_mutex_unlock(&gate->lock);
}

void px_gate_close(struct px_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->closed) pthread_cond_wait(&gate->change, &gate->lock);
    gate->closed = true;
    while (gate->inside) pthread_cond_wait(&gate->change, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

void px_gate_open(struct px_gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->closed = false;
    pthread_cond_broadcast(&gate->change);
    pthread_mutex_unlock(&gate->lock);
}
