// The other half of lang_files.cu.
struct thing {
    int a, b;
    __device__ int both() const;
};
__device__ int counter = 1000;
__constant__ float factor = 1;
static __device__ int mine = 7;
__device__ int step(int x) { return x * mine + 1; }
__device__ int thing::both() const { return a * b; }

static __global__ void kernel(int *out)
{
    out[threadIdx.x] = counter + (int)threadIdx.x;
    if (threadIdx.x == 0)
        mine = 9;
    __syncthreads();
    if (threadIdx.x == 5)
        counter = step(10);
}

void from_part(int *out) { kernel<<<1, 32>>>(out); }
