/* hostfn.h - the host functions that samples call (hostfn.c). */
#ifndef HOSTFN_H
#define HOSTFN_H

#include <stdint.h>

int host_rank(int block, int thread);
int64_t host_mix(int64_t value, uint32_t rounds, uint8_t salt);
void host_note(int thread, int64_t value);
float host_curve(float x, double bend);
double host_area(double left, float right, int steps);

#endif
