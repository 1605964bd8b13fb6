/* blas_real.h - levels 1 to 3 for one type: REAL, and FN(x), which gives a function's name its letter. */

static REAL FN(a)[N * N], FN(b)[N * N], FN(c)[N * N], FN(want)[N * N], *FN(da), *FN(db), *FN(dc);
static const REAL FN(one) = 1, FN(two) = 2, FN(three) = 3;

/* Small numbers on both sides; the diagonal of a is 1, so that triangular systems stay exact. */
static void FN(reset)(void)
{
    for (unsigned i = 0; i < N * N; i++) {
        FN(a)[i] = (REAL)(small(i) % 2);
        FN(b)[i] = (REAL)small(i + 7777);
        FN(c)[i] = FN(want)[i] = (REAL)small(i + 33333);
    }
    for (unsigned i = 0; i < N; i++) FN(a)[i * N + i] = 1;
    cudaMemcpy(FN(da), FN(a), sizeof FN(a), cudaMemcpyHostToDevice);
    cudaMemcpy(FN(db), FN(b), sizeof FN(b), cudaMemcpyHostToDevice);
    cudaMemcpy(FN(dc), FN(c), sizeof FN(c), cudaMemcpyHostToDevice);
}

/* What stands in `from` on the device against want[0, count). */
static void FN(judge)(const char *name, int status, const REAL *from, unsigned count)
{
    double most = 0;
    cudaMemcpy(FN(c), from, count * sizeof *from, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < count; i++) {
        const double d = fabs((double)FN(c)[i] - (double)FN(want)[i]);
        if (!(d <= most)) most = d;
    }
    say(name, status, most, 0);
}

/* One number of the host against what it must be. */
static void FN(number)(const char *name, int status, REAL got, double want, double bound)
{
    say(name, status, fabs((double)got - want), bound);
}

/* Element (i, k) of the symmetric matrix whose lower triangle a has. */
static REAL FN(sym)(unsigned i, unsigned k)
{
    return i >= k ? FN(a)[i + k * N] : FN(a)[k + i * N];
}

static REAL FN(low)(unsigned i, unsigned k)
{
    return i >= k ? FN(a)[i + k * N] : 0;
}

static REAL FN(full)(unsigned i, unsigned k)
{
    return FN(a)[i + k * N];
}

static REAL FN(full_b)(unsigned i, unsigned k)
{
    return FN(b)[i + k * N];
}

static REAL FN(turned)(unsigned i, unsigned k)
{
    return FN(a)[k + i * N];
}

/* want = alpha x y + beta c, columns [0, columns). */
static void FN(product)(REAL alpha, REAL (*x)(unsigned, unsigned), REAL (*y)(unsigned, unsigned), REAL beta,
                        unsigned columns)
{
    for (unsigned j = 0; j < columns; j++)
        for (unsigned i = 0; i < N; i++) {
            REAL sum = 0;
            for (unsigned k = 0; k < N; k++) sum += x(i, k) * y(k, j);
            FN(want)[i + j * N] = alpha * sum + beta * FN(c)[i + j * N];
        }
}

static void FN(level1)(cublasHandle_t h)
{
    REAL result = 0;
    double dot = 0, squares = 0, sum = 0;
    int place = 0, most = 0, status;
    FN(reset)();
    for (unsigned i = 0; i < N * N; i++) {
        dot += (double)FN(b)[i] * (double)FN(c)[i];
        squares += (double)FN(b)[i] * (double)FN(b)[i];
        sum += fabs((double)FN(b)[i]);
        if (fabs((double)FN(b)[i]) > fabs((double)FN(b)[most])) most = (int)i;
        FN(want)[i] += 2 * FN(b)[i];
    }
    status = BLAS(dot)(h, N * N, FN(db), 1, FN(dc), 1, &result);
    FN(number)(NAME("dot"), status, result, dot, 0);
    status = BLAS(nrm2)(h, N * N, FN(db), 1, &result);
    FN(number)(NAME("nrm2"), status, result, sqrt(squares), 4 * EPSILON * sqrt(squares));
    status = BLAS(asum)(h, N * N, FN(db), 1, &result);
    FN(number)(NAME("asum"), status, result, sum, 0);
    status = MOST(h, N * N, FN(db), 1, &place);
    say(NAME("amax"), status, place - 1 - most, 0);
    status = BLAS(axpy)(h, N * N, &FN(two), FN(db), 1, FN(dc), 1);
    FN(judge)(NAME("axpy"), status, FN(dc), N * N);
    FN(reset)();
    for (unsigned i = 0; i < N * N; i++) FN(want)[i] *= 3;
    status = BLAS(scal)(h, N * N, &FN(three), FN(dc), 1);
    FN(judge)(NAME("scal"), status, FN(dc), N * N);
    memcpy(FN(want), FN(b), sizeof FN(b));
    status = BLAS(copy)(h, N * N, FN(db), 1, FN(dc), 1);
    FN(judge)(NAME("copy"), status, FN(dc), N * N);
    memcpy(FN(want), FN(a), sizeof FN(a));
    status = BLAS(swap)(h, N * N, FN(da), 1, FN(dc), 1);
    FN(judge)(NAME("swap"), status, FN(dc), N * N);
    FN(reset)();
    for (unsigned i = 0; i < N * N; i++) FN(want)[i] = 2 * FN(c)[i] + 3 * FN(b)[i];
    status = BLAS(rot)(h, N * N, FN(dc), 1, FN(db), 1, &FN(two), &FN(three));
    FN(judge)(NAME("rot"), status, FN(dc), N * N);
}

static void FN(level2)(cublasHandle_t h)
{
    const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    const cublasOperation_t plain = CUBLAS_OP_N;
    const cublasDiagType_t counted = CUBLAS_DIAG_NON_UNIT;
    FN(reset)();
    FN(product)(2, FN(full), FN(full_b), 3, 1);
    int status = BLAS(gemv)(h, plain, N, N, &FN(two), FN(da), N, FN(db), 1, &FN(three), FN(dc), 1);
    FN(judge)(NAME("gemv"), status, FN(dc), N);
    FN(reset)();
    FN(product)(2, FN(sym), FN(full_b), 3, 1);
    status = BLAS(symv)(h, lower, N, &FN(two), FN(da), N, FN(db), 1, &FN(three), FN(dc), 1);
    FN(judge)(NAME("symv"), status, FN(dc), N);
    FN(reset)();
    for (unsigned i = 0; i < N * N; i++) FN(want)[i] += 2 * FN(a)[i % N] * FN(b)[i / N];
    status = BLAS(ger)(h, N, N, &FN(two), FN(da), 1, FN(db), 1, FN(dc), N);
    FN(judge)(NAME("ger"), status, FN(dc), N * N);
    FN(reset)();
    for (unsigned i = 0; i < N * N; i++)
        if (i % N >= i / N) FN(want)[i] += 2 * FN(b)[i % N] * FN(b)[i / N];
    status = BLAS(syr)(h, lower, N, &FN(two), FN(db), 1, FN(dc), N);
    FN(judge)(NAME("syr"), status, FN(dc), N * N);
    FN(reset)();
    FN(product)(1, FN(low), FN(full_b), 0, 1);
    status = BLAS(trmv)(h, lower, plain, counted, N, FN(da), N, FN(db), 1);
    FN(judge)(NAME("trmv"), status, FN(db), N);
    memcpy(FN(want), FN(b), sizeof FN(b));
    status = BLAS(trsv)(h, lower, plain, counted, N, FN(da), N, FN(db), 1); /* undoes trmv */
    FN(judge)(NAME("trsv"), status, FN(db), N);
}

static void FN(level3)(cublasHandle_t h)
{
    const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    const cublasOperation_t plain = CUBLAS_OP_N;
    const cublasDiagType_t counted = CUBLAS_DIAG_NON_UNIT;
    const cublasSideMode_t left = CUBLAS_SIDE_LEFT;
    FN(reset)();
    FN(product)(2, FN(full), FN(full_b), 3, N);
    int status = BLAS(gemm)(h, plain, plain, N, N, N, &FN(two), FN(da), N, FN(db), N, &FN(three), FN(dc), N);
    FN(judge)(NAME("gemm"), status, FN(dc), N * N);
    FN(reset)();
    FN(product)(2, FN(full), FN(full_b), 3, N);
    status = BLAS(gemmStridedBatched)(h, plain, plain, N, N, N / 2, &FN(two), FN(da), N, 0, FN(db), N, 0,
                                      &FN(three), FN(dc), N, N * N, 1);
    for (unsigned j = 0; j < N; j++) /* half of the inner dimension */
        for (unsigned i = 0; i < N; i++) {
            REAL sum = 0;
            for (unsigned k = 0; k < N / 2; k++) sum += FN(a)[i + k * N] * FN(b)[k + j * N];
            FN(want)[i + j * N] = 2 * sum + 3 * FN(c)[i + j * N];
        }
    FN(judge)(NAME("gemmStridedBatched, one"), status, FN(dc), N * N);
    FN(reset)();
    for (unsigned j = 0; j < N; j++) /* column by column */
        for (unsigned i = 0; i < N; i++) {
            REAL sum = 0;
            for (unsigned k = 0; k < N; k++) sum += FN(a)[i + k * N] * FN(b)[k + j * N];
            FN(want)[i + j * N] = 2 * sum;
        }
    const REAL zero = 0;
    status = BLAS(gemmStridedBatched)(h, plain, plain, N, N / 4, N, &FN(two), FN(da), N, 0, FN(db), N,
                                      N * N / 4, &zero, FN(dc), N, N * N / 4, 4);
    FN(judge)(NAME("gemmStridedBatched, four"), status, FN(dc), N * N);
    FN(reset)();
    FN(product)(2, FN(sym), FN(full_b), 3, N);
    status = BLAS(symm)(h, left, lower, N, N, &FN(two), FN(da), N, FN(db), N, &FN(three), FN(dc), N);
    FN(judge)(NAME("symm"), status, FN(dc), N * N);
    FN(reset)();
    FN(product)(2, FN(full), FN(turned), 3, N);
    for (unsigned i = 0; i < N * N; i++)
        if (i % N < i / N) FN(want)[i] = FN(c)[i];
    status = BLAS(syrk)(h, lower, plain, N, N, &FN(two), FN(da), N, &FN(three), FN(dc), N);
    FN(judge)(NAME("syrk"), status, FN(dc), N * N);
    FN(reset)();
    FN(product)(1, FN(low), FN(full_b), 0, N);
    status = BLAS(trmm)(h, left, lower, plain, counted, N, N, &FN(one), FN(da), N, FN(db), N, FN(dc), N);
    FN(judge)(NAME("trmm"), status, FN(dc), N * N);
    cudaMemcpy(FN(dc), FN(want), sizeof FN(want), cudaMemcpyHostToDevice);
    memcpy(FN(want), FN(b), sizeof FN(b));
    status = BLAS(trsm)(h, left, lower, plain, counted, N, N, &FN(one), FN(da), N, FN(dc), N);
    FN(judge)(NAME("trsm"), status, FN(dc), N * N);
    for (unsigned i = 0; i < N * N; i++) FN(want)[i] = 2 * FN(a)[i] + 3 * FN(b)[i / N + i % N * N];
    status = BLAS(geam)(h, plain, CUBLAS_OP_T, N, N, &FN(two), FN(da), N, &FN(three), FN(db), N, FN(dc), N);
    FN(judge)(NAME("geam"), status, FN(dc), N * N);
    for (unsigned i = 0; i < N * N; i++) FN(want)[i] = FN(a)[i] * FN(b)[i % N];
    status = BLAS(dgmm)(h, left, N, N, FN(da), N, FN(db), 1, FN(dc), N);
    FN(judge)(NAME("dgmm"), status, FN(dc), N * N);
}

static void FN(levels)(cublasHandle_t h)
{
    cudaMalloc((void **)&FN(da), sizeof FN(a));
    cudaMalloc((void **)&FN(db), sizeof FN(b));
    cudaMalloc((void **)&FN(dc), sizeof FN(c));
    FN(level1)(h);
    FN(level2)(h);
    FN(level3)(h);
}

#undef FN
#undef BLAS
#undef MOST
#undef NAME
#undef REAL
#undef EPSILON
