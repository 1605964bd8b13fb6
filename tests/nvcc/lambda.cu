// lambda.cu - lambdas as kernel arguments and inside device code. nvcc: --extended-lambda
template <typename F> __global__ void for_each(int n, F f)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

template <typename F, typename G> __device__ auto composed(F f, G g)
{
    return [=](auto x) { return f(g(x)); };
}

void launch(float *p, double scale, int n)
{
    for_each<<<1, 32>>>(n, [=] __device__(int i) {
        auto twice = [](auto x) { return x + x; };
        auto scaled = [scale](auto x) { return x * scale; };
        p[i] = static_cast<float>(composed(twice, scaled)(p[i]));
    });
}
