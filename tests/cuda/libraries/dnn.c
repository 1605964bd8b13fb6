/* dnn.c - cuDNN's operations on tensors in f32 against plain C, on small integers. */
#include <cuda_runtime.h>
#include <cudnn.h>
#include <float.h>
#include "verdict.h"

enum { COUNT = 2 * 3 * 8 * 8, PLANES = 6, PLANE = 64 };

static cudnnHandle_t handle;
static cudnnTensorDescriptor_t tensor;
static float a[COUNT], b[COUNT], got[COUNT], want[COUNT], *da, *db;
static const float one = 1, zero = 0, two = 2;

static void reset(void)
{
    for (unsigned i = 0; i < COUNT; i++) {
        a[i] = (float)small(i);
        b[i] = (float)small(i + 4321);
    }
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
}

static void judge(const char *name, int status, const float *from, unsigned count, double bound)
{
    double most = 0;
    if (!status) status = (int)cudaDeviceSynchronize();
    cudaMemcpy(got, from, count * sizeof *from, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < count; i++) {
        const double d = fabs((double)got[i] - (double)want[i]);
        if (!(d <= most)) most = d;
    }
    if (!status) sum(name, got, count * sizeof *from);
    say(name, status, most, bound);
}

static void try_elements(void)
{
    cudnnActivationDescriptor_t relu;
    reset();
    for (unsigned i = 0; i < COUNT; i++) want[i] = 2 * a[i] + b[i];
    judge("cudnnAddTensor", cudnnAddTensor(handle, &two, tensor, da, &one, tensor, db), db, COUNT, 0);
    for (unsigned i = 0; i < COUNT; i++) want[i] = 2;
    judge("cudnnSetTensor", cudnnSetTensor(handle, tensor, db, &two), db, COUNT, 0);
    reset();
    for (unsigned i = 0; i < COUNT; i++) want[i] = 2 * b[i];
    judge("cudnnScaleTensor", cudnnScaleTensor(handle, tensor, db, &two), db, COUNT, 0);
    reset();
    memcpy(want, a, sizeof a);
    judge("cudnnTransformTensor", cudnnTransformTensor(handle, &one, tensor, da, &zero, tensor, db), db,
          COUNT, 0);
    reset();
    for (unsigned i = 0; i < COUNT; i++) want[i] = a[i] > 0 ? a[i] : 0;
    cudnnCreateActivationDescriptor(&relu);
    cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0);
    judge("cudnnActivationForward", cudnnActivationForward(handle, relu, &one, tensor, da, &zero, tensor, db),
          db, COUNT, 0);
}

static void try_planes(void)
{
    cudnnPoolingDescriptor_t pool;
    cudnnTensorDescriptor_t small_tensor;
    reset();
    for (unsigned p = 0; p < 2; p++)
        for (unsigned i = 0; i < PLANE; i++) {
            double sum = 0;
            for (unsigned c = 0; c < 3; c++) sum += exp(a[(p * 3 + c) * PLANE + i]);
            for (unsigned c = 0; c < 3; c++) {
                const unsigned at = (p * 3 + c) * PLANE + i;
                want[at] = (float)(exp(a[at]) / sum);
            }
        }
    int status = cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, tensor,
                                     da, &zero, tensor, db);
    judge("cudnnSoftmaxForward", status, db, COUNT, 8 * FLT_EPSILON);
    for (unsigned p = 0; p < PLANES; p++)
        for (unsigned i = 0; i < PLANE / 4; i++) {
            const float *at = a + p * PLANE + i / 4 * 16 + i % 4 * 2;
            want[p * PLANE / 4 + i] = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[8], at[9]));
        }
    cudnnCreatePoolingDescriptor(&pool);
    cudnnSetPooling2dDescriptor(pool, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2);
    cudnnCreateTensorDescriptor(&small_tensor);
    cudnnSetTensor4dDescriptor(small_tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 4, 4);
    status = cudnnPoolingForward(handle, pool, &one, tensor, da, &zero, small_tensor, db);
    judge("cudnnPoolingForward", status, db, COUNT / 4, 0);
}

static void try_convolution(void)
{
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t convolution;
    cudnnTensorDescriptor_t out;
    void *room = NULL;
    size_t size = 0;
    reset();
    memset(want, 0, sizeof want);
    for (unsigned n = 0; n < 2; n++)
        for (unsigned k = 0; k < 2; k++)
            for (unsigned i = 0; i < 36; i++)
                for (unsigned c = 0; c < 27; c++)
                    want[(n * 2 + k) * 36 + i] +=
                        b[k * 27 + c] * a[(n * 3 + c / 9) * PLANE + (i / 6 + c % 9 / 3) * 8 + i % 6 + c % 3];
    cudnnCreateFilterDescriptor(&filter);
    cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 2, 3, 3, 3);
    cudnnCreateConvolutionDescriptor(&convolution);
    cudnnSetConvolution2dDescriptor(convolution, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
    cudnnCreateTensorDescriptor(&out);
    cudnnSetTensor4dDescriptor(out, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 2, 6, 6);
    const cudnnConvolutionFwdAlgo_t way = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
    int status =
        cudnnGetConvolutionForwardWorkspaceSize(handle, tensor, filter, convolution, out, way, &size);
    cudaMalloc(&room, size + 16);
    float *dc = NULL;
    cudaMalloc((void **)&dc, sizeof got);
    if (!status)
        status = cudnnConvolutionForward(handle, &one, tensor, da, filter, db, convolution, way, room, size,
                                         &zero, out, dc);
    judge("cudnnConvolutionForward", status, dc, 144, 0);
}

int main(void)
{
    const int status = cudnnCreate(&handle);
    say("cudnnCreate", status, 0, 0);
    if (status) return 0;
    cudaMalloc((void **)&da, sizeof a);
    cudaMalloc((void **)&db, sizeof b);
    cudnnCreateTensorDescriptor(&tensor);
    cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 3, 8, 8);
    try_elements();
    try_planes();
    try_convolution();
    return 0;
}
