// mandelbrot.cu - the Mandelbrot set by the Mariani-Silver subdivision, with kernels that launch kernels.
//
// nvcc -arch=sm_75 -rdc=true -lineinfo -ptx mandelbrot.cu -o mandelbrot.ptx
//
// If every pixel on the border of a rectangle escapes alike, so does every pixel inside: the rectangle is
// filled without looking. Otherwise it is split into SPLIT x SPLIT parts, which a child grid examines in the
// same way, one block a part; a small part is computed pixel by pixel. The host launches `mandelbrot` once,
// with one thread; all other grids are launched from the device.
//
// Each pixel is written by exactly one block, and the counters are sums and maxima, so nothing depends on the
// order in which blocks run. All arithmetic is written with single-rounding intrinsics: the image is the same
// to the bit anywhere, and expected.c repeats it in C.

constexpr int THREADS = 256; // of a block that examines a rectangle
constexpr int SPLIT = 2;     // a rectangle is split into SPLIT * SPLIT parts
constexpr int SMALL = 16;    // rectangles up to this wide or high are not split
constexpr int INSIDE = 0x7fffffff;

enum counter {
    LAUNCHES,
    DEPTH,
    BLOCKS,
    DEVICE_THREADS,
    FILLED,
    SPLITS,
    PIXELS_COMPUTED,
    PIXELS_FILLED,
    COUNTERS
};

struct view {
    unsigned char *rgb; // height * width * 3
    unsigned *counters; // COUNTERS of them
    int width, height, limit;
    float left, top, step; // of the complex plane; step a pixel
};

struct rectangle {
    int x, y, width, height;
};

// Red, green and blue every STOPS-th of a colour cycle: night blue, sea, foam, gold, ember.
constexpr int STOPS = 8;
__constant__ unsigned char palette[STOPS][3] = {{6, 8, 48},      {16, 52, 130},   {46, 134, 193},
                                                {186, 230, 240}, {255, 250, 220}, {250, 176, 40},
                                                {178, 64, 14},   {48, 10, 36}};

// log2 of a float of 1 or more, within 0.008, from its exponent and a parabola through its fraction.
__device__ float rough_log2(float value)
{
    const int bits = __float_as_int(value);
    const float exponent = __int2float_rn((bits >> 23) - 127);
    const float fraction = __fsub_rn(__int_as_float((bits & 0x7fffff) | 0x3f800000), 1.0f);
    const float bulge = __fmul_rn(0.34375f, __fmul_rn(fraction, __fsub_rn(1.0f, fraction)));
    return __fadd_rn(exponent, __fadd_rn(fraction, bulge));
}

// When the orbit of pixel x, y leaves a disc of radius 16: iterations in 256ths, smoothed; INSIDE if it stays
// to the limit.
__device__ int dwell(const view &v, int x, int y)
{
    const float real = __fmaf_rn(__int2float_rn(x), v.step, v.left);
    const float imaginary = __fmaf_rn(__int2float_rn(y), -v.step, v.top);
    float a = 0.0f, b = 0.0f, size = 0.0f;
    int n = 0;
    while (n < v.limit && size < 256.0f) {
        const float aa = __fmul_rn(a, a), bb = __fmul_rn(b, b);
        b = __fmaf_rn(__fadd_rn(a, a), b, imaginary);
        a = __fadd_rn(__fsub_rn(aa, bb), real);
        size = __fmaf_rn(a, a, __fmul_rn(b, b));
        n++;
    }
    if (size < 256.0f) return INSIDE;
    const float overshoot = rough_log2(__fmul_rn(0.125f, rough_log2(size)));
    return 256 * n - __float2int_rz(__fmul_rn(256.0f, overshoot));
}

// The colour cycle runs ever slower: its phase is the logarithm of the dwell.
__device__ void paint(const view &v, int x, int y, int value)
{
    unsigned char *pixel = v.rgb + 3 * (static_cast<size_t>(y) * v.width + x);
    if (value == INSIDE) {
        pixel[0] = pixel[1] = pixel[2] = 0;
        return;
    }
    const float turns = rough_log2(__int2float_rn(max(value, 256)));
    const int phase = __float2int_rz(__fmul_rn(turns, 512.0f)) - 8 * 512;
    const int stop = (phase >> 8) % STOPS, weight = phase & 255;
    for (int c = 0; c < 3; c++) {
        const int from = palette[stop][c], to = palette[(stop + 1) % STOPS][c];
        pixel[c] = static_cast<unsigned char>(from + (to - from) * weight / 256);
    }
}

// The pixels of a rectangle's border, counted clockwise from its upper left corner.
__device__ int2 border_pixel(const rectangle &r, int i)
{
    if (i < r.width) return {r.x + i, r.y};
    i -= r.width;
    if (i < r.height - 1) return {r.x + r.width - 1, r.y + 1 + i};
    i -= r.height - 1;
    if (i < r.width - 1) return {r.x + r.width - 2 - i, r.y + r.height - 1};
    i -= r.width - 1;
    return {r.x, r.y + r.height - 2 - i};
}

// Part (column, row) of SPLIT x SPLIT nearly equal parts.
__device__ rectangle part(const rectangle &r, int column, int row)
{
    const int left = column * r.width / SPLIT, right = (column + 1) * r.width / SPLIT;
    const int top = row * r.height / SPLIT, bottom = (row + 1) * r.height / SPLIT;
    return {r.x + left, r.y + top, right - left, bottom - top};
}

// The dwell that all border pixels share, or -1. Called by the whole block.
__device__ int common_dwell(const view &v, const rectangle &r)
{
    __shared__ int lowest, highest;
    if (threadIdx.x == 0) {
        lowest = INSIDE;
        highest = 0;
    }
    __syncthreads();
    const int length = 2 * (r.width + r.height) - 4;
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        const int2 p = border_pixel(r, i);
        const int value = dwell(v, p.x, p.y);
        atomicMin(&lowest, value);
        atomicMax(&highest, value);
    }
    __syncthreads();
    return lowest == highest ? lowest : -1;
}

__device__ void count(const view &v, counter what, unsigned amount)
{
    atomicAdd(&v.counters[what], amount);
}

__device__ void fill(const view &v, const rectangle &r, int value)
{
    for (int i = threadIdx.x; i < r.width * r.height; i += blockDim.x)
        paint(v, r.x + i % r.width, r.y + i / r.width, value);
}

__device__ void compute(const view &v, const rectangle &r)
{
    for (int i = threadIdx.x; i < r.width * r.height; i += blockDim.x) {
        const int x = r.x + i % r.width, y = r.y + i / r.width;
        paint(v, x, y, dwell(v, x, y));
    }
}

__global__ void examine(view v, rectangle whole, int depth);

// Counts a launch and makes it. Called by one thread.
__device__ void launch_parts(const view &v, const rectangle &r, int depth)
{
    count(v, LAUNCHES, 1);
    count(v, BLOCKS, SPLIT * SPLIT);
    count(v, DEVICE_THREADS, SPLIT * SPLIT * THREADS);
    atomicMax(&v.counters[DEPTH], static_cast<unsigned>(depth));
    examine<<<dim3(SPLIT, SPLIT), THREADS>>>(v, r, depth);
}

// Each block takes its part of `whole`, at nesting level `depth`.
__global__ void __launch_bounds__(THREADS) examine(view v, rectangle whole, int depth)
{
    const rectangle r = part(whole, blockIdx.x, blockIdx.y);
    if (r.width == 0 || r.height == 0) return;

    if (r.width <= SMALL || r.height <= SMALL) {
        compute(v, r);
        if (threadIdx.x == 0) count(v, PIXELS_COMPUTED, r.width * r.height);
        return;
    }

    const int value = common_dwell(v, r);
    if (value >= 0) fill(v, r, value);
    if (threadIdx.x != 0) return;
    if (value >= 0) {
        count(v, FILLED, 1);
        count(v, PIXELS_FILLED, r.width * r.height);
    } else {
        count(v, SPLITS, 1);
        launch_parts(v, r, depth + 1);
    }
}

// Launch with one thread. The view is `span` wide, around center_x + i*center_y; no orbit is followed for
// over `limit` steps.
extern "C" __global__ void mandelbrot(unsigned char *rgb, int width, int height, int limit, float center_x,
                                      float center_y, float span, unsigned *counters)
{
    const float step = __fdiv_rn(span, __int2float_rn(width));
    const float left = __fmaf_rn(__fmul_rn(-0.5f, __int2float_rn(width)), step, center_x);
    const float top = __fmaf_rn(__fmul_rn(0.5f, __int2float_rn(height)), step, center_y);
    const view v = {rgb, counters, width, height, limit, left, top, step};
    launch_parts(v, {0, 0, width, height}, 1);
}
