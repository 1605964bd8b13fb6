// Virtual functions: objects made on the device, called through their base, in a warp that disagrees.
#include "words.h"

struct shape {
    __device__ virtual ~shape() {}
    __device__ virtual word area() const = 0;
    __device__ virtual word twice() const { return 2 * area(); }
};
struct square : shape {
    int a;
    __device__ square(int a_) : a(a_) {}
    __device__ word area() const override { return (word)a * a; }
};
struct slab : shape {
    int a, b;
    __device__ slab(int a_, int b_) : a(a_), b(b_) {}
    __device__ word area() const override { return (word)a * b; }
    __device__ word twice() const override { return 1000000 + 2 * area(); }
};
struct cube : square {
    __device__ cube(int a_) : square(a_) {}
    __device__ word area() const override { return 6 * square::area(); }
};

__device__ __noinline__ word ask(const shape *s) { return s->area() * 10000000000ull + s->twice(); }

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    shape *s;
    if (t % 3 == 0)
        s = new square(t + 1);
    else if (t % 3 == 1)
        s = new slab(t, 7);
    else
        s = new cube(t);
    out[t] = ask(s);
    delete s;
}

WORDS_MAIN(2, 48, 0, 96)
