// saxpy.cu - y = a*x + y, one element a thread.
//
// nvcc -arch=sm_75 -ptx saxpy.cu -o saxpy.ptx
// Run as: see README.md.

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
