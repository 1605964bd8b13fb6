// A tiled product of matrices against the plain one on the host.
#include "say.h"

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main()
{
    enum { N = 64 };
    static float a[N * N], b[N * N], c[N * N];
    float *p, *q, *r;
    for (int i = 0; i < N * N; i++) {
        a[i] = i % 13 - 6;
        b[i] = i % 7 * 0.5f;
    }
    RT(cudaMalloc(&p, sizeof a));
    RT(cudaMalloc(&q, sizeof a));
    RT(cudaMalloc(&r, sizeof a));
    RT(cudaMemcpy(p, a, sizeof a, cudaMemcpyHostToDevice));
    RT(cudaMemcpy(q, b, sizeof a, cudaMemcpyHostToDevice));
    matmul<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(p, q, r, N);
    RT(cudaMemcpy(c, r, sizeof a, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < N; k++)
                s += a[i * N + k] * b[k * N + j];
            wrong += s != c[i * N + j];
        }
    printf("wrong %d, %g %g\n", wrong, c[0], c[N * N - 1]);
    return 0;
}
