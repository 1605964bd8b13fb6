// first.cu - the first generation of the device runtime: waiting for children, the block's NULL stream, its limits.
//
// nvcc -rdc=true -ptx -arch=sm_75 -DCUDA_FORCE_CDP1_IF_SUPPORTED -o first.ptx first.cu

__global__ void add(int *to, int what)
{
    atomicAdd(to, what);
}

// Each block waits for its own children and then reads what they wrote.
extern "C" __global__ void wait_for_children(int *cells, int *seen)
{
    if (threadIdx.x == 0) {
        for (int i = 0; i < 5; i++) add<<<2, 32>>>(cells + blockIdx.x, i);
        cudaDeviceSynchronize();
    }
    __syncthreads();
    seen[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(cells + blockIdx.x, 0);
}

// Only one lane of the warp waits; the others run on meanwhile and let it go.
extern "C" __global__ void others_run_on(volatile int *flag, int *result)
{
    if (threadIdx.x == 0) {
        add<<<1, 1>>>((int *)flag, 1);
        result[0] = cudaDeviceSynchronize();
    } else {
        while (*flag == 0) {}
        result[threadIdx.x] = 7;
    }
}

__global__ void sync_at_depth(int *error, int depth, int last)
{
    error[depth] = -1;
    if (depth < last) sync_at_depth<<<1, 1>>>(error, depth + 1, last);
    error[depth] = cudaDeviceSynchronize();
}

extern "C" __global__ void sync_depth(int *error, int last)
{
    sync_at_depth<<<1, 1>>>(error, 1, last);
    error[0] = cudaDeviceSynchronize();
}

__global__ void dive(int *deepest, int depth)
{
    atomicMax(deepest, depth);
    dive<<<1, 1>>>(deepest, depth + 1);
    int e = cudaGetLastError();
    if (e) deepest[1] = e;
}

extern "C" __global__ void depth_limit(int *deepest)
{
    dive<<<1, 1>>>(deepest, 1);
}

extern "C" __global__ void second_generation_streams(int *error)
{
    add<<<1, 1, 0, (cudaStream_t)3>>>(error + 2, 1);
    error[0] = cudaGetLastError();
    add<<<1, 1, 0, (cudaStream_t)4>>>(error + 2, 1);
    error[1] = cudaGetLastError();
}

__global__ void wait_for_ever(volatile int *flag)
{
    while (*flag == 0) {}
}

// Both blocks launch into their own NULL stream: the first block's child needs the second's.
extern "C" __global__ void null_stream_is_the_blocks(int *flag)
{
    if (blockIdx.x == 0)
        wait_for_ever<<<1, 1>>>(flag);
    else
        add<<<1, 1>>>(flag, 1);
    cudaDeviceSynchronize();
}

// More waiting lanes than launches may be pending.
extern "C" __global__ void crowd(int *sum)
{
    for (int i = 0; i < 20; i++) add<<<1, 1>>>(sum, 1);
    cudaDeviceSynchronize();
    atomicAdd(sum, 1000);
}

// A wide tree in which every grid waits for its children, as far as that is allowed.
__global__ void branch(int *sum, int depth)
{
    if (depth == 0)
        atomicAdd(sum, 1);
    else
        for (int i = 0; i < 3; i++) branch<<<2, 2>>>(sum, depth - 1);
    if (depth == 3) cudaDeviceSynchronize();
}

extern "C" __global__ void wide_tree(int *sum)
{
    branch<<<1, 1>>>(sum, 3);
    cudaDeviceSynchronize();
    sum[1] = sum[0];
}
