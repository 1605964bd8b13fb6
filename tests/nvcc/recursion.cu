// recursion.cu - direct and mutual recursion, with frames on the stack.
__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n)
{
    return n == 0 || is_odd(n - 1);
}
__device__ __noinline__ bool is_odd(unsigned n)
{
    return n != 0 && is_even(n - 1);
}

__device__ __noinline__ void permute(int *items, int n, int from, int *count)
{
    if (from == n) {
        (*count)++;
        return;
    }
    for (int i = from; i < n; i++) {
        int t = items[from];
        items[from] = items[i];
        items[i] = t;
        permute(items, n, from + 1, count);
        items[i] = items[from];
        items[from] = t;
    }
}

extern "C" __global__ void recursion(int *out)
{
    int items[5] = {1, 2, 3, 4, 5}, count = 0;
    permute(items, 5, 0, &count);
    out[threadIdx.x] = fibonacci(threadIdx.x % 12) + is_even(threadIdx.x) + count;
}
