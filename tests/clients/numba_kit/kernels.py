"""Two kernels of numba's: a grid, shared memory, a barrier, an atomic."""
import numpy as np
from numba import cuda

THREADS = 64


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def total(x, out):
    s = cuda.shared.array(THREADS, "float64")
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    n = THREADS // 2
    while n:
        if t < n:
            s[t] += s[t + n]
        cuda.syncthreads()
        n //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


if __name__ == "__main__":
    x, y, out = np.arange(256.0), np.ones(256), np.zeros(1)
    saxpy[4, THREADS](2.0, x, y)
    total[4, THREADS](y, out)
    print(y[255], out[0])
