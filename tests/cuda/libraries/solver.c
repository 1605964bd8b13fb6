/*
 * solver.c - cuSOLVER's dense factorisations in f64: what they give is multiplied back on the host.
 */
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <float.h>
#include "verdict.h"

enum { N = 48 };

static double a[N * N], spd[N * N], got[N * N], right[N], *da, *dv, *work;
static int *info;

static void fill(void)
{
    for (unsigned i = 0; i < N * N; i++) a[i] = small(i) + (i % N == i / N ? 40 : 0);
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < N; k++) {
            spd[i + k * N] = i == k ? 1 : 0;
            for (unsigned j = 0; j < N; j++) spd[i + k * N] += a[i + j * N] * a[k + j * N];
        }
    for (unsigned i = 0; i < N; i++) right[i] = small(i + 321);
}

static void put(const double *matrix)
{
    cudaMemcpy(da, matrix, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, right, sizeof right, cudaMemcpyHostToDevice);
}

static double norm(const double *matrix)
{
    double most = 0;
    for (unsigned i = 0; i < N * N; i++) most = fmax(most, fabs(matrix[i]));
    return most;
}

/* |m x - right| in units of eps |m| |x|. */
static double residual(const double *m, const double *x)
{
    double most = 0, size = 0;
    for (unsigned i = 0; i < N; i++) {
        double sum = -right[i];
        for (unsigned k = 0; k < N; k++) sum += m[i + k * N] * x[k];
        most = fmax(most, fabs(sum));
        size = fmax(size, fabs(x[i]));
    }
    return most / (DBL_EPSILON * norm(m) * fmax(size, DBL_MIN) * N);
}

static void tell(const char *name, int status, double distance)
{
    int code = 0;
    const int wait = (int)cudaDeviceSynchronize();
    cudaMemcpy(&code, info, sizeof code, cudaMemcpyDeviceToHost);
    if (!status && !wait) sum(name, got, sizeof got);
    say(name, status ? status : wait ? wait : code, distance, 10);
}

static void try_cholesky(cusolverDnHandle_t h)
{
    int size = 0;
    double x[N];
    put(spd);
    int status = cusolverDnDpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, N, da, N, &size);
    if (!status) status = cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, da, N, work, size, info);
    cudaMemcpy(got, da, sizeof got, cudaMemcpyDeviceToHost);
    double most = 0;
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k <= i; k++) {
            double sum = -spd[i + k * N];
            for (unsigned j = 0; j <= k; j++) sum += got[i + j * N] * got[k + j * N];
            most = fmax(most, fabs(sum));
        }
    tell("cusolverDnDpotrf", status, most / (DBL_EPSILON * norm(spd) * N));
    if (status) return;
    status = cusolverDnDpotrs(h, CUBLAS_FILL_MODE_LOWER, N, 1, da, N, dv, N, info);
    cudaMemcpy(x, dv, sizeof x, cudaMemcpyDeviceToHost);
    tell("cusolverDnDpotrs", status, residual(spd, x));
}

static void try_lu(cusolverDnHandle_t h)
{
    int size = 0, *pivots = NULL;
    double x[N];
    cudaMalloc((void **)&pivots, N * sizeof *pivots);
    put(a);
    int status = cusolverDnDgetrf_bufferSize(h, N, N, da, N, &size);
    if (!status) status = cusolverDnDgetrf(h, N, N, da, N, work, pivots, info);
    if (!status) status = cusolverDnDgetrs(h, CUBLAS_OP_N, N, 1, da, N, pivots, dv, N, info);
    cudaMemcpy(x, dv, sizeof x, cudaMemcpyDeviceToHost);
    tell("cusolverDnDgetrf, getrs", status, residual(a, x));
}

static void try_qr(cusolverDnHandle_t h)
{
    int size = 0;
    double *tau = NULL;
    cudaMalloc((void **)&tau, N * sizeof *tau);
    put(a);
    int status = cusolverDnDgeqrf_bufferSize(h, N, N, da, N, &size);
    if (!status) status = cusolverDnDgeqrf(h, N, N, da, N, tau, work, size, info);
    cudaMemcpy(got, da, sizeof got, cudaMemcpyDeviceToHost);
    double most = 0; /* R'R is A'A */
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < N; k++) {
            double sum = 0;
            for (unsigned j = 0; j < N; j++) {
                sum -= a[j + i * N] * a[j + k * N];
                if (j <= i && j <= k) sum += got[j + i * N] * got[j + k * N];
            }
            most = fmax(most, fabs(sum));
        }
    tell("cusolverDnDgeqrf", status, most / (DBL_EPSILON * norm(a) * norm(a) * N));
}

static void try_eigenvalues(cusolverDnHandle_t h)
{
    int size = 0;
    double values[N];
    put(spd);
    int status =
        cusolverDnDsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, da, N, dv, &size);
    if (!status)
        status = cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, N, da, N, dv, work,
                                  size, info);
    cudaMemcpy(got, da, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(values, dv, sizeof values, cudaMemcpyDeviceToHost);
    double most = 0;
    for (unsigned v = 0; v < N; v++)
        for (unsigned i = 0; i < N; i++) {
            double sum = -values[v] * got[i + v * N];
            for (unsigned k = 0; k < N; k++) sum += spd[i + k * N] * got[k + v * N];
            most = fmax(most, fabs(sum));
        }
    tell("cusolverDnDsyevd", status, most / (DBL_EPSILON * norm(spd) * N));
}

int main(void)
{
    cusolverDnHandle_t h;
    const int status = cusolverDnCreate(&h);
    say("cusolverDnCreate", status, 0, 0);
    if (status) return 0;
    fill();
    cudaMalloc((void **)&da, sizeof a);
    cudaMalloc((void **)&dv, sizeof right);
    cudaMalloc((void **)&work, 16 << 20);
    cudaMalloc((void **)&info, sizeof *info);
    cudaMemset(info, 0, sizeof *info);
    try_cholesky(h);
    try_lu(h);
    try_qr(h);
    try_eigenvalues(h);
    return 0;
}
