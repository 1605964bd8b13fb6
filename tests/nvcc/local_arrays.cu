// local_arrays.cu - arrays in local memory with computed subscripts, pointers into them, alloca.
extern "C" __global__ void local_arrays(const int *in, int *out, int n)
{
    int small[8];
    double wide[33];
    char bytes[100];
    for (int i = 0; i < 8; i++) small[i] = in[i] * i;
    for (int i = 0; i < 33; i++) wide[i] = in[i % 8] * 0.5;
    for (int i = 0; i < 100; i++) bytes[i] = (char)(i ^ n);
    int *p = &small[n & 7];
    for (int i = 0; i < n; i++) {
        int k = in[i] & 7;
        int t = small[k];
        small[k] = small[7 - k] + bytes[t % 100 < 0 ? 0 : t % 100];
        small[7 - k] = t;
        wide[(k * 4) % 33] += *p;
    }
    int *heap = (int *)__builtin_alloca(4 * n);
    for (int i = 0; i < n; i++) heap[n - 1 - i] = small[i & 7];
    out[threadIdx.x] = *p + (int)wide[n % 33] + heap[n / 2];
}
