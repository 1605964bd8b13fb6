// globals.cu - constant, global, managed and static shared variables, pointers in initialisers.
__constant__ float weights[4] = {0.1f, 0.2f, 0.3f, 0.4f};
__constant__ int from_host[256];
__device__ int counter = 7;
__device__ const char *names[2] = {"first", "second"};
__device__ int *where = &counter;
__device__ double table[2][3] = {{1, 2, 3}, {4, 5, 6}};
__managed__ int managed = 3;
static __device__ short hidden[5] = {-1, 2};
struct pair {
    char tag;
    float value;
    const int *p;
};
__device__ pair pairs[2] = {{'a', 1.5f, &counter}, {'b', 2.5f, nullptr}};

extern "C" __global__ void globals(float *out, int i)
{
    static __shared__ float tile[32];
    tile[threadIdx.x] = weights[i & 3] * from_host[i] + (float)table[i & 1][i % 3];
    __syncthreads();
    if (threadIdx.x == 0) {
        *where += 1;
        managed += hidden[i];
        hidden[i] = names[i & 1][0];
    }
    out[threadIdx.x] = tile[31 - threadIdx.x] + pairs[i & 1].value + (pairs[i & 1].p ? *pairs[i & 1].p : 0);
}
