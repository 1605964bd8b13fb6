/*
 * sparse.c - cuSPARSE's generic interface in f32 and f64 against plain C. Matrices hold small integers, so
 * every sum is exact in any order.
 */
#include <cuda_runtime.h>
#include <cusparse.h>
#include "verdict.h"

enum { N = 96, K = 8, MOST = N * N };

static int rows[N + 1], columns[MOST], nonzeros;
static double dense[N][N], x[N], b[N][K];

static void fill(void)
{
    for (unsigned i = 0; i < N; i++) {
        rows[i] = nonzeros;
        x[i] = small(i + 99);
        for (unsigned k = 0; k < K; k++) b[i][k] = small(i * K + k + 1234);
        for (unsigned k = 0; k < N; k++) {
            const int there = i == k || (k < i && small(i * N + k) == 3) || (k > i && small(i * N + k) == 5);
            dense[i][k] = i == k ? 1 : there ? small(i * N + k + 555) % 2 : 0;
            if (i != k && !dense[i][k]) continue;
            columns[nonzeros++] = (int)k;
        }
    }
    rows[N] = nonzeros;
}

static void *on_device(const void *data, size_t size)
{
    void *d = NULL;
    cudaMalloc(&d, size);
    cudaMemcpy(d, data, size, cudaMemcpyHostToDevice);
    return d;
}

/* `count` numbers of a type on the device. */
static void *numbers(const double *from, size_t count, cudaDataType type)
{
    static double wide[MOST];
    static float narrow[MOST];
    for (size_t i = 0; i < count; i++) narrow[i] = (float)(wide[i] = from[i]);
    return type == CUDA_R_32F ? on_device(narrow, count * 4) : on_device(wide, count * 8);
}

static double farthest(const void *device, const double *want, size_t count, cudaDataType type)
{
    static double wide[MOST];
    static float narrow[MOST];
    double most = 0;
    if (type == CUDA_R_32F)
        cudaMemcpy(narrow, device, count * 4, cudaMemcpyDeviceToHost);
    else
        cudaMemcpy(wide, device, count * 8, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < count; i++) {
        const double d = fabs((type == CUDA_R_32F ? (double)narrow[i] : wide[i]) - want[i]);
        if (!(d <= most)) most = d;
    }
    return most;
}

static void tell(const char *name, cudaDataType type, int status, double distance)
{
    char what[100];
    snprintf(what, sizeof what, "cusparse%s(%s)", name, type == CUDA_R_32F ? "f32" : "f64");
    if (!status) status = (int)cudaDeviceSynchronize();
    say(what, status, distance, 0);
}

/* What all calls of one type share. */
struct matrix {
    cusparseHandle_t handle;
    cudaDataType type;
    cusparseSpMatDescr_t csr;
    float f2, f3;
    double d2, d3;
    const void *two, *three, *one;
    void *buffer;
};

static const float one_f = 1;
static const double one_d = 1;

static void *buffer_of(size_t size)
{
    void *d = NULL;
    cudaMalloc(&d, size + 16);
    return d;
}

static void try_vectors(const struct matrix *m)
{
    cusparseDnVecDescr_t vx, vy;
    double want[N], before[N];
    size_t size = 0;
    for (unsigned i = 0; i < N; i++) {
        before[i] = b[i][0];
        want[i] = 3 * before[i];
        for (unsigned k = 0; k < N; k++) want[i] += 2 * dense[i][k] * x[k];
    }
    void *dx = numbers(x, N, m->type), *dy = numbers(before, N, m->type);
    cusparseCreateDnVec(&vx, N, dx, m->type);
    cusparseCreateDnVec(&vy, N, dy, m->type);
    static const struct {
        const char *name;
        cusparseSpMVAlg_t algorithm;
    } ways[] = {{"SpMV", CUSPARSE_SPMV_ALG_DEFAULT},
                {"SpMV, CSR_ALG1", CUSPARSE_SPMV_CSR_ALG1},
                {"SpMV, CSR_ALG2", CUSPARSE_SPMV_CSR_ALG2}};
    for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++) {
        void *again = numbers(before, N, m->type);
        cusparseDnVecSetValues(vy, again);
        int status = cusparseSpMV_bufferSize(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, m->two, m->csr, vx,
                                             m->three, vy, m->type, ways[w].algorithm, &size);
        if (!status)
            status = cusparseSpMV(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, m->two, m->csr, vx, m->three,
                                  vy, m->type, ways[w].algorithm, buffer_of(size));
        tell(ways[w].name, m->type, status, farthest(again, want, N, m->type));
    }
    cusparseDnVecSetValues(vy, dy);
    for (unsigned i = 0; i < N; i++) want[i] = before[i];
    cusparseSpSVDescr_t solver;
    cusparseSpSV_createDescr(&solver);
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    cusparseSpMatSetAttribute(m->csr, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower);
    double right[N];
    for (unsigned i = 0; i < N; i++) {
        right[i] = 0;
        for (unsigned k = 0; k <= i; k++) right[i] += dense[i][k] * want[k];
    }
    void *dr = numbers(right, N, m->type);
    cusparseDnVecSetValues(vx, dr);
    int status = cusparseSpSV_bufferSize(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, m->one, m->csr, vx, vy,
                                         m->type, CUSPARSE_SPSV_ALG_DEFAULT, solver, &size);
    void *room = buffer_of(size);
    if (!status)
        status = cusparseSpSV_analysis(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, m->one, m->csr, vx, vy,
                                       m->type, CUSPARSE_SPSV_ALG_DEFAULT, solver, room);
    if (!status)
        status = cusparseSpSV_solve(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, m->one, m->csr, vx, vy,
                                    m->type, CUSPARSE_SPSV_ALG_DEFAULT, solver);
    tell("SpSV", m->type, status, farthest(dy, want, N, m->type));
}

static void try_matrices(const struct matrix *m)
{
    cusparseDnMatDescr_t db, dc, dd;
    double want[N * N];
    size_t size = 0;
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < K; k++) {
            want[i * K + k] = 0;
            for (unsigned j = 0; j < N; j++) want[i * K + k] += 2 * dense[i][j] * b[j][k];
        }
    void *vb = numbers(&b[0][0], N * K, m->type), *vc = numbers(want, N * K, m->type);
    cudaMemset(vc, 0, N * K * 4);
    cusparseCreateDnMat(&db, N, K, K, vb, m->type, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&dc, N, K, K, vc, m->type, CUSPARSE_ORDER_ROW);
    const float zero_f = 0;
    const double zero_d = 0;
    const void *zero = m->type == CUDA_R_32F ? (const void *)&zero_f : &zero_d;
    int status =
        cusparseSpMM_bufferSize(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                m->two, m->csr, db, zero, dc, m->type, CUSPARSE_SPMM_ALG_DEFAULT, &size);
    if (!status)
        status =
            cusparseSpMM(m->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                         m->two, m->csr, db, zero, dc, m->type, CUSPARSE_SPMM_ALG_DEFAULT, buffer_of(size));
    tell("SpMM", m->type, status, farthest(vc, want, N * K, m->type));
    void *vd = numbers(&dense[0][0], N * N, m->type);
    cudaMemset(vd, 255, N * N * 4);
    cusparseCreateDnMat(&dd, N, N, N, vd, m->type, CUSPARSE_ORDER_ROW);
    status =
        cusparseSparseToDense_bufferSize(m->handle, m->csr, dd, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size);
    if (!status)
        status =
            cusparseSparseToDense(m->handle, m->csr, dd, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer_of(size));
    tell("SparseToDense", m->type, status, farthest(vd, &dense[0][0], N * N, m->type));
}

static void try_type(cusparseHandle_t handle, cudaDataType type)
{
    struct matrix m = {.handle = handle, .type = type, .f2 = 2, .f3 = 3, .d2 = 2, .d3 = 3};
    static double values[MOST];
    for (unsigned i = 0; i < N; i++)
        for (int k = rows[i]; k < rows[i + 1]; k++) values[k] = dense[i][columns[k]];
    m.two = type == CUDA_R_32F ? (const void *)&m.f2 : &m.d2;
    m.three = type == CUDA_R_32F ? (const void *)&m.f3 : &m.d3;
    m.one = type == CUDA_R_32F ? (const void *)&one_f : &one_d;
    cusparseCreateCsr(&m.csr, N, N, nonzeros, on_device(rows, sizeof rows),
                      on_device(columns, (size_t)nonzeros * 4), numbers(values, (size_t)nonzeros, type),
                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
    try_matrices(&m);
    try_vectors(&m); /* makes it a triangular one at the end */
}

int main(void)
{
    cusparseHandle_t handle;
    fill();
    const int status = cusparseCreate(&handle);
    say("cusparseCreate", status, 0, 0);
    if (status) return 0;
    try_type(handle, CUDA_R_32F);
    try_type(handle, CUDA_R_64F);
    return 0;
}
