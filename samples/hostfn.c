/* hostfn.c - the native functions that hostcall.ptx and hostcurve.ptx call.
 *
 * cc -shared -fPIC -O2 -ffp-contract=off hostfn.c -o libhostfn.so
 *
 * They are called by several threads at once, and keep no state. */
#include "hostfn.h"

#include <stdio.h>

int host_rank(int block, int thread)
{
    return block * 1000 + thread;
}

int64_t host_mix(int64_t value, uint32_t rounds, uint8_t salt)
{
    uint64_t mixed = (uint64_t)value;
    for (uint32_t i = 0; i < rounds; i++) mixed = mixed * 6364136223846793005u + salt;
    return (int64_t)mixed;
}

void host_note(int thread, int64_t value)
{
    printf("host: thread %d mixed %lld\n", thread, (long long)value);
}

float host_curve(float x, double bend)
{
    return (float)(x * x + bend * x);
}

/* The area under host_curve(x, 1) from left to right, by the midpoint rule. */
double host_area(double left, float right, int steps)
{
    const double width = (right - left) / steps;
    double area = 0;
    for (int i = 0; i < steps; i++) area += width * host_curve((float)(left + (i + 0.5) * width), 1.0);
    return area;
}
