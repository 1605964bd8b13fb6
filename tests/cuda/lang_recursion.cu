// Recursion: Ackermann's function, quick sort in place, two functions that call each other.
#define STACK 16384
#include "words.h"

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
    if (!m)
        return n + 1;
    return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

__device__ void sort(int *a, int lo, int hi)
{
    if (lo >= hi)
        return;
    int pivot = a[(lo + hi) / 2], i = lo, j = hi;
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int x = a[i];
            a[i++] = a[j];
            a[j--] = x;
        }
    }
    sort(a, lo, j);
    sort(a, i, hi);
}

__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x, a[40];
    word seed = t + 1, h = 0;
    for (int &x : a)
        x = (int)((seed = mix(seed, 77)) >> 40) % 1000;
    sort(a, 0, 39);
    for (int i = 0; i < 40; i++) {
        h = mix(h, a[i]);
        if (i && a[i] < a[i - 1])
            h = 0xbad;
    }
    out[t * 2] = h;
    out[t * 2 + 1] = ackermann(2, t % 9) * 10 + even(t);
}

WORDS_MAIN(1, 64, 0, 128)
