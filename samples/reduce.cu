// reduce.cu - sums by warp shuffles: one partial sum a block.
//
// nvcc -arch=sm_75 -ptx reduce.cu -o reduce.ptx
//
// A template, instantiated for int and float, so the kernels have mangled names: ptxvm -k 'reduce<float>'
// picks one. Each thread adds up a stride of the input; a warp folds its 32 sums with __shfl_down_sync; the
// first warp folds the warps' sums.

template <typename T> __device__ T warp_sum(T value)
{
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

template <typename T> __global__ void reduce(const T *in, T *partial, int n)
{
    __shared__ T sums[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;

    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];

    sum = warp_sum(sum);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp != 0) return;
    sum = warp_sum(lane < warps ? sums[lane] : T(0));
    if (lane == 0) partial[blockIdx.x] = sum;
}

template __global__ void reduce<int>(const int *, int *, int);
template __global__ void reduce<float>(const float *, float *, int);
