// atomics.cu - every atomic operation, on shared and global memory, at block and system scope.
extern "C" __global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d,
                                   unsigned short *s)
{
    __shared__ unsigned shared_word;
    if (threadIdx.x == 0) shared_word = 0;
    __syncthreads();
    unsigned t = threadIdx.x;
    u[1] = atomicAdd(&shared_word, t) + atomicMax(&shared_word, t) + atomicInc(&shared_word, 100);
    i[0] = atomicAdd(&i[1], 1) + atomicSub(&i[2], 2) + atomicMin(&i[3], -3) + atomicExch(&i[4], 4);
    u[0] = atomicDec(&u[2], 7) + atomicAnd(&u[3], t) + atomicOr(&u[4], t) + atomicXor(&u[5], t) +
           atomicCAS(&u[6], t, 1u);
    l[0] = atomicAdd(&l[1], 1ull) + atomicCAS(&l[2], 1ull, 2ull) + atomicMax(&l[3], 9ull) +
           atomicExch(&l[4], 4ull);
    f[0] = atomicAdd(&f[1], 1.5f) + atomicExch(&f[2], 2.5f);
    d[0] = atomicAdd(&d[1], 1.5);
    atomicAdd_block(&i[5], 1);
    atomicAdd_system(&i[6], 1);
    atomicOr(&u[7], 1u << t);
    s[0] = atomicCAS(&s[1], (unsigned short)1, (unsigned short)2);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}
