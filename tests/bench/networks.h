/* networks.h - the kernels of networks.cu and programs.cu, and plain C that computes the same
 * (networks_plain.c, programs_plain.c). */
#ifndef BENCH_NETWORKS_H
#define BENCH_NETWORKS_H

#include <stddef.h>
#include <stdint.h>

typedef void network_plain(const float *a, const float *b, const int32_t *index, void *out, int rows,
                           int cols);

struct network {
    const char *name; /* of the kernel */
    network_plain *plain;
    int rows, cols;
    unsigned blocks; /* of 256 threads */
    size_t words;    /* of the result */
    float tolerance; /* |got - want| <= tolerance * (1 + |want|); 0: the same bits */
};

/* Each up to one without a name. */
extern const struct network networks[], programs[];

#endif
