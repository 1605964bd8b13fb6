// launch_bounds.cu - what a kernel declares about its launches.
extern "C" __global__ void __launch_bounds__(128) at_most(int *p)
{
    p[threadIdx.x] = 1;
}
extern "C" __global__ void __launch_bounds__(256, 4) residency(int *p)
{
    p[threadIdx.x] = 2;
}
extern "C" __global__ void __maxnreg__(32) registers(int *p)
{
    p[threadIdx.x] = 3;
}
extern "C" __global__ __noinline__ void plain(int *p)
{
    p[threadIdx.x] = 4;
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __launch_bounds__(128, 2, 8) clustered(int *p)
{
    p[threadIdx.x] = 5;
}
extern "C" __global__ void __block_size__((64, 2, 1), (2, 1, 1)) shaped(int *p)
{
    p[threadIdx.x] = 6;
}
#endif
