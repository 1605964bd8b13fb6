/* expected.c - what the samples must compute, without a machine for PTX.
 *
 * cc -O2 -ffp-contract=off expected.c hostfn.c -lm -o expected && ./expected DIR
 *
 * Writes DIR/NAME.npy for each output buffer of each command in README.md, and NAME.txt for what first.ptx
 * and hello.ptx print (hello.txt sorted, since its lines come in any order). Each function repeats one sample
 * in plain C with the same rounding steps, so results are compared bit for bit. Exits 1 if a file cannot be
 * written. */
#include "hostfn.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- output files ---- */

static FILE *create(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void finish(FILE *file, const char *name)
{
    if (ferror(file) | fclose(file)) {
        perror(name);
        exit(1);
    }
}

/* A NumPy file, format version 1: magic, header length, a dictionary padded to 64 bytes, the data. */
static void write_npy(const char *dir, const char *name, const char *type, const char *shape,
                      const void *data, size_t bytes)
{
    char header[119];
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                          type, shape);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[117] = '\n';
    FILE *file = create(dir, name);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(header, 1, 118, file);
    fwrite(data, 1, bytes, file);
    finish(file, name);
}

static void write_text(const char *dir, const char *name, const char *text)
{
    FILE *file = create(dir, name);
    fputs(text, file);
    finish(file, name);
}

/* ---- the plain samples ---- */

static void saxpy(const char *dir)
{
    static float y[1000];
    for (int i = 0; i < 1000; i++) y[i] = fmaf(2.0f, (float)i, 1.0f);
    write_npy(dir, "saxpy.npy", "<f4", "1000,", y, sizeof y);
}

static void matmul(const char *dir)
{
    enum { ROWS = 100, INNER = 75, COLUMNS = 60 };
    static float c[ROWS][COLUMNS];
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            for (int k = 0; k < INNER; k++)
                c[row][column] =
                    fmaf((float)(row * INNER + k), (float)(k * COLUMNS + column), c[row][column]);
    write_npy(dir, "matmul.npy", "<f4", "100, 60", c, sizeof c);
}

/* A whole number as half has it: 11 bits, to nearest even. */
static double rounded_to_half(int v)
{
    const int below = v < 2048 ? 0 : ilogb(v) - 10;
    return ldexp(rint(ldexp(v, -below)), below);
}

/*
 * 16 products and the sum so far, as a tensor core of sm_90 adds them: each cut to 25 bits behind the largest
 * exponent (of a product: the sum of its factors' exponents), the exact sum of these rounded toward zero to
 * float.
 */
static float tensor_step(float c, const double *a, const double *b)
{
    int top = c != 0 ? ilogb(c) : -1000;
    for (int i = 0; i < 16; i++)
        if (a[i] * b[i] != 0 && ilogb(a[i]) + ilogb(b[i]) > top) top = ilogb(a[i]) + ilogb(b[i]);
    double sum = trunc(ldexp(c, 25 - top));
    for (int i = 0; i < 16; i++) sum += trunc(ldexp(a[i] * b[i], 25 - top));
    sum = ldexp(sum, top - 25);
    return (double)(float)sum > sum ? nextafterf((float)sum, 0.0f) : (float)sum;
}

/* c[rows][columns] of factors that count up from 0. */
static void tensor_product(float *c, int rows, int inner, int columns)
{
    enum { STEP = 16 };
    for (int at = 0; at < rows * columns; at++)
        for (int k = 0; k < inner; k += STEP) {
            double a[STEP], b[STEP];
            for (int i = 0; i < STEP; i++) {
                a[i] = rounded_to_half(at / columns * inner + k + i);
                b[i] = rounded_to_half((k + i) * columns + at % columns);
            }
            c[at] = tensor_step(c[at], a, b);
        }
}

static void tensor_matmul(const char *dir)
{
    static float c[64 * 64];
    tensor_product(c, 64, 48, 64);
    write_npy(dir, "tensor_matmul.npy", "<f4", "64, 64", c, sizeof c);
}

static void wgmma_matmul(const char *dir)
{
    static float c[128 * 128];
    tensor_product(c, 128, 128, 128);
    write_npy(dir, "wgmma_matmul.npy", "<f4", "128, 128", c, sizeof c);
}

/* n / 64 as a half; |n| < 2048, so it is exact. */
static uint16_t half_of(int n)
{
    const unsigned m = (unsigned)abs(n);
    unsigned e = 0;
    if (!m) return 0;
    while (m >> (e + 1)) e++;
    return (uint16_t)((n < 0 ? 0x8000u : 0) | (e + 9) << 10 | (m << (10 - e) & 0x3ff));
}

/* Attention in double: the sample rounds weights to half, so its results are near, not equal. */
static void flash_attention(const char *dir)
{
    enum { HEADS = 2, ROWS = 192, WIDTH = 64, COUNT = HEADS * ROWS * WIDTH };
    static int in[3][COUNT];
    static uint16_t half[COUNT];
    static float out[COUNT];
    static const char *const names[3] = {"flash_q.npy", "flash_k.npy", "flash_v.npy"};
    for (int m = 0; m < 3; m++) {
        for (int i = 0; i < COUNT; i++) in[m][i] = (int)((uint32_t)(i * 3 + m) * 2654435761u >> 24) - 128;
        for (int i = 0; i < COUNT; i++) half[i] = half_of(in[m][i]);
        write_npy(dir, names[m], "<f2", "2, 192, 64", half, sizeof half);
    }
    for (int row = 0; row < HEADS * ROWS; row++) {
        const int *q = in[0] + row * WIDTH, *k = in[1] + row / ROWS * ROWS * WIDTH;
        const int *v = in[2] + row / ROWS * ROWS * WIDTH;
        double weight[ROWS], most = -INFINITY, total = 0;
        for (int r = 0; r < ROWS; r++) {
            int score = 0;
            for (int i = 0; i < WIDTH; i++) score += q[i] * k[r * WIDTH + i];
            weight[r] = score / 4096.0 / 8;
            if (weight[r] > most) most = weight[r];
        }
        for (int r = 0; r < ROWS; r++) total += weight[r] = exp(weight[r] - most);
        for (int i = 0; i < WIDTH; i++) {
            double sum = 0;
            for (int r = 0; r < ROWS; r++) sum += weight[r] * v[r * WIDTH + i] / 64;
            out[row * WIDTH + i] = (float)(sum / total);
        }
    }
    write_npy(dir, "flash_attention.npy", "<f4", "2, 192, 64", out, sizeof out);
}

/* All sums stay below 2^24, so they are exact in float in any order. */
static void reduce(const char *dir)
{
    enum { BLOCKS = 8, THREADS = 128, COUNT = 10000 };
    int32_t sums[BLOCKS] = {0};
    float float_sums[BLOCKS];
    for (int i = 0; i < COUNT; i++) sums[i / THREADS % BLOCKS] += i;
    for (int b = 0; b < BLOCKS; b++) float_sums[b] = (float)sums[b];
    write_npy(dir, "reduce_int.npy", "<i4", "8,", sums, sizeof sums);
    write_npy(dir, "reduce_float.npy", "<f4", "8,", float_sums, sizeof float_sums);
}

static void histogram(const char *dir)
{
    static uint32_t bins[256];
    for (uint32_t i = 0; i < 100000; i++) bins[(uint64_t)(uint32_t)(i * 2654435761u) * 256 >> 32]++;
    write_npy(dir, "histogram.npy", "<u4", "256,", bins, sizeof bins);
}

static void hostcall(const char *dir)
{
    static int64_t out[200];
    for (int i = 0; i < 200; i++)
        out[i] = host_mix(host_rank(i / 64, i % 64), (uint32_t)(i % 5), (uint8_t)(i * 3));
    write_npy(dir, "hostcall.npy", "<i8", "200,", out, sizeof out);
}

static void hostcurve(const char *dir)
{
    static float curve[100];
    static double area[100];
    for (int i = 0; i < 100; i++) {
        const float x = (float)i * 0.125f;
        curve[i] = host_curve(x, 0.5);
        area[i] = host_area(0.0, x, 16);
    }
    write_npy(dir, "hostcurve_curve.npy", "<f4", "100,", curve, sizeof curve);
    write_npy(dir, "hostcurve_area.npy", "<f8", "100,", area, sizeof area);
}

static void parent_child(const char *dir)
{
    int32_t data[64], seen[64];
    for (int i = 0; i < 64; i++) {
        data[i] = 1000 + i;
        seen[i] = 2 * (1000 + 63 - i);
    }
    write_npy(dir, "parent_child_data.npy", "<i4", "64,", data, sizeof data);
    write_npy(dir, "parent_child_seen.npy", "<i4", "64,", seen, sizeof seen);
}

static void linked(const char *dir)
{
    enum { NUMBERS = 1000, RANGE = 256 };
    uint32_t out[NUMBERS], totals[3];
    for (uint32_t i = 0; i < NUMBERS; i++) out[i] = i / RANGE % 2 ? 3 * (i + 1) * 5 : 3 * (i + 1) + 5;
    totals[0] = (NUMBERS + RANGE - 1) / RANGE;
    totals[1] = 5 * 5 + (7 + 3 * 1000) + 1;
    totals[2] = 7 + NUMBERS;
    write_npy(dir, "linked.npy", "<u4", "1000,", out, sizeof out);
    write_npy(dir, "linked_totals.npy", "<u4", "3,", totals, sizeof totals);
}

static void texts(const char *dir)
{
    write_text(dir, "first.txt", "2^10 = 1024, seen by thread 0 of block 0\n");
    write_text(dir, "hello.txt",
               "  child:  hello from thread 0, launched by thread 0\n"
               "  child:  hello from thread 0, launched by thread 1\n"
               "  child:  hello from thread 1, launched by thread 0\n"
               "  child:  hello from thread 1, launched by thread 1\n"
               "parent: hello from thread 0\n"
               "parent: hello from thread 1\n"
               "tail:     everybody has spoken\n");
}

/* ---- quicksort ---- */

enum { SORT_KEYS = 20000, SORT_BLOCK = 256 };

typedef struct {
    uint32_t keys[SORT_KEYS], spare[SORT_KEYS];
    uint32_t results[3]; /* pairs out of order, ranges, depth */
} sorting;

static uint32_t scrambled(uint32_t i)
{
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

static int compare_keys(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static uint32_t median(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t keys[3] = {a, b, c};
    qsort(keys, 3, sizeof keys[0], compare_keys);
    return keys[1];
}

/* The keys above the pivot come out in reverse order, as from the kernel. */
static void partition(sorting *s, int first, int count, int *below, int *above)
{
    uint32_t *keys = s->keys + first, *spare = s->spare + first;
    const uint32_t pivot = median(keys[0], keys[count / 2], keys[count - 1]);
    *below = *above = 0;
    for (int i = 0; i < count; i++) {
        if (keys[i] < pivot) spare[(*below)++] = keys[i];
        if (keys[i] > pivot) spare[count - 1 - (*above)++] = keys[i];
    }
    for (int i = 0; i < count; i++) keys[i] = i < *below || i >= count - *above ? spare[i] : pivot;
}

static void sort_range(sorting *s, int first, int count, uint32_t depth)
{
    int below, above;
    s->results[1]++;
    if (depth > s->results[2]) s->results[2] = depth;
    if (count <= SORT_BLOCK) {
        qsort(s->keys + first, (size_t)count, sizeof s->keys[0], compare_keys);
        return;
    }
    partition(s, first, count, &below, &above);
    if (below > 1) sort_range(s, first, below, depth + 1);
    if (above > 1) sort_range(s, first + count - above, above, depth + 1);
}

static void quicksort(const char *dir)
{
    static sorting s;
    for (uint32_t i = 0; i < SORT_KEYS; i++) s.keys[i] = scrambled(i);
    sort_range(&s, 0, SORT_KEYS, 1);
    for (int i = 0; i + 1 < SORT_KEYS; i++) s.results[0] += s.keys[i] > s.keys[i + 1];
    write_npy(dir, "quicksort.npy", "<u4", "20000,", s.keys, sizeof s.keys);
    write_npy(dir, "quicksort_results.npy", "<u4", "3,", s.results, sizeof s.results);
}

/* ---- mandelbrot: the same names and steps as mandelbrot.cu ---- */

enum { SIDE = 1024, LIMIT = 1000, THREADS = 256, SPLIT = 2, SMALL = 16, INSIDE = 0x7fffffff, STOPS = 8 };
enum { LAUNCHES, DEPTH, BLOCKS, DEVICE_THREADS, FILLED, SPLITS, PIXELS_COMPUTED, PIXELS_FILLED, COUNTERS };

typedef struct {
    float left, top, step;
    uint32_t counters[COUNTERS];
    uint8_t rgb[SIDE][SIDE][3];
} picture;

typedef struct {
    int x, y, width, height;
} rectangle;

static float rough_log2(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const float exponent = (float)((bits >> 23) - 127);
    bits = (bits & 0x7fffff) | 0x3f800000;
    memcpy(&value, &bits, sizeof bits);
    const float fraction = value - 1.0f;
    return exponent + (fraction + 0.34375f * (fraction * (1.0f - fraction)));
}

static int dwell(const picture *p, int x, int y)
{
    const float real = fmaf((float)x, p->step, p->left), imaginary = fmaf((float)y, -p->step, p->top);
    float a = 0, b = 0, size = 0;
    int n = 0;
    while (n < LIMIT && size < 256.0f) {
        const float aa = a * a, bb = b * b;
        b = fmaf(a + a, b, imaginary);
        a = aa - bb + real;
        size = fmaf(a, a, b * b);
        n++;
    }
    if (size < 256.0f) return INSIDE;
    return 256 * n - (int)(256.0f * rough_log2(0.125f * rough_log2(size)));
}

static void paint(picture *p, int x, int y, int value)
{
    static const uint8_t palette[STOPS][3] = {{6, 8, 48},      {16, 52, 130},   {46, 134, 193},
                                              {186, 230, 240}, {255, 250, 220}, {250, 176, 40},
                                              {178, 64, 14},   {48, 10, 36}};
    if (value == INSIDE) return;
    const int phase = (int)(rough_log2((float)(value > 256 ? value : 256)) * 512.0f) - 8 * 512;
    const int stop = (phase >> 8) % STOPS, weight = phase & 255;
    for (int c = 0; c < 3; c++) {
        const int from = palette[stop][c], to = palette[(stop + 1) % STOPS][c];
        p->rgb[y][x][c] = (uint8_t)(from + (to - from) * weight / 256);
    }
}

/* The dwell that all border pixels share, or -1. */
static int common_dwell(const picture *p, rectangle r)
{
    const int value = dwell(p, r.x, r.y);
    for (int x = r.x; x < r.x + r.width; x++)
        if (dwell(p, x, r.y) != value || dwell(p, x, r.y + r.height - 1) != value) return -1;
    for (int y = r.y; y < r.y + r.height; y++)
        if (dwell(p, r.x, y) != value || dwell(p, r.x + r.width - 1, y) != value) return -1;
    return value;
}

/* Paints all of r: with one value, or each pixel with its own if value is -1. */
static void paint_all(picture *p, rectangle r, int value)
{
    for (int y = r.y; y < r.y + r.height; y++)
        for (int x = r.x; x < r.x + r.width; x++) paint(p, x, y, value >= 0 ? value : dwell(p, x, y));
}

static void examine_parts(picture *p, rectangle whole, uint32_t depth);

static void examine(picture *p, rectangle r, uint32_t depth)
{
    const uint32_t area = (uint32_t)(r.width * r.height);
    const int small = r.width <= SMALL || r.height <= SMALL;
    const int value = small ? -1 : common_dwell(p, r);
    if (!small && value < 0) {
        p->counters[SPLITS]++;
        examine_parts(p, r, depth + 1);
        return;
    }
    paint_all(p, r, value);
    p->counters[FILLED] += !small;
    p->counters[small ? PIXELS_COMPUTED : PIXELS_FILLED] += area;
}

/* One launch. */
static void examine_parts(picture *p, rectangle whole, uint32_t depth)
{
    p->counters[LAUNCHES]++;
    p->counters[BLOCKS] += SPLIT * SPLIT;
    p->counters[DEVICE_THREADS] += SPLIT * SPLIT * THREADS;
    if (depth > p->counters[DEPTH]) p->counters[DEPTH] = depth;
    const int width = whole.width / SPLIT,
              height = whole.height / SPLIT; /* SIDE divides evenly at every level */
    for (int i = 0; i < SPLIT * SPLIT; i++)
        examine(p, (rectangle){whole.x + i % SPLIT * width, whole.y + i / SPLIT * height, width, height},
                depth);
}

static void look_at(picture *p, int side, float center_x, float center_y, float span)
{
    p->step = span / (float)side;
    p->left = fmaf(-0.5f * (float)side, p->step, center_x);
    p->top = fmaf(0.5f * (float)side, p->step, center_y);
}

static void mandelbrot(const char *dir, float center_x, float center_y, float span)
{
    static picture p;
    look_at(&p, SIDE, center_x, center_y, span);
    examine_parts(&p, (rectangle){0, 0, SIDE, SIDE}, 1);
    write_npy(dir, "mandelbrot.npy", "|u1", "1024, 1024, 3", p.rgb, sizeof p.rgb);
    write_npy(dir, "mandelbrot_counters.npy", "<u4", "8,", p.counters, sizeof p.counters);
}

/* ---- rotate and slice: interpolation in double precision ---- */

static int wrapped(int i, int n)
{
    return (i % n + n) % n;
}

static double between(double a, double b, double weight)
{
    return a + (b - a) * weight;
}

/* A channel of a picture of n x n texels; the middle of texel i is at i + 0.5. */
static double bilinear(const picture *p, int n, int channel, double x, double y)
{
    const double left = floor(x - 0.5), top = floor(y - 0.5);
    const int x0 = wrapped((int)left, n), x1 = wrapped((int)left + 1, n);
    double row[2];
    for (int k = 0; k < 2; k++) {
        const uint8_t(*at)[3] = p->rgb[wrapped((int)top + k, n)];
        row[k] = between(at[x0][channel], at[x1][channel], x - 0.5 - left);
    }
    return between(row[0], row[1], y - 0.5 - top);
}

static void rotate(const char *dir)
{
    enum { SIZE = 320, TILE = 256 };
    static uint8_t out[SIZE][SIZE][4];
    static picture tile;
    look_at(&tile, TILE, -0.1576f, 1.0322f, 0.028f);
    paint_all(&tile, (rectangle){0, 0, TILE, TILE}, -1);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            const double u = (x + 0.5) / SIZE - 0.5, v = (y + 0.5) / SIZE - 0.5;
            const double s = (u * 1.5f - v * 0.9f + 0.5) * TILE, t = (u * 0.9f + v * 1.5f + 0.5) * TILE;
            for (int c = 0; c < 3; c++) out[y][x][c] = (uint8_t)bilinear(&tile, TILE, c, s, t);
            out[y][x][3] = 255;
        }
    write_npy(dir, "rotate.npy", "|u1", "320, 320, 4", out, sizeof out);
}

enum { VOLUME = 96 };

static float smoke(int x, int y, int z)
{
    const float u = 6.0f * (float)x / VOLUME - 3, v = 6.0f * (float)y / VOLUME - 3,
                w = 6.0f * (float)z / VOLUME - 3;
    const float ring = sqrtf(u * u + v * v) - 1.7f, lumps = 1 + 0.5f * sinf(7 * atan2f(v, u) + 3 * w);
    return expf(-6 * (ring * ring + 0.4f * w * w)) * lumps;
}

static int clamped(int i)
{
    return i < 0 ? 0 : i >= VOLUME ? VOLUME - 1 : i;
}

static double trilinear(float volume[VOLUME][VOLUME][VOLUME], const double at[3])
{
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int texel[3];
        for (int i = 0; i < 3; i++) {
            const double low = floor(at[i] - 0.5), part = at[i] - 0.5 - low;
            const int up = corner >> i & 1;
            texel[i] = clamped((int)low + up);
            weight *= up ? part : 1 - part;
        }
        sum += weight * (double)volume[texel[2]][texel[1]][texel[0]];
    }
    return sum;
}

static void slice(const char *dir)
{
    enum { SIZE = 320 };
    static float volume[VOLUME][VOLUME][VOLUME], out[SIZE][SIZE];
    for (int z = 0; z < VOLUME; z++)
        for (int y = 0; y < VOLUME; y++)
            for (int x = 0; x < VOLUME; x++) volume[z][y][x] = smoke(x, y, z);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            const double u = (x + 0.5) / SIZE, v = (y + 0.5) / SIZE;
            const double at[3] = {u * VOLUME, v * VOLUME, (0.35 + 0.3 * v) * VOLUME};
            out[y][x] = (float)trilinear(volume, at);
        }
    write_npy(dir, "smoke.npy", "<f4", "96, 96, 96", volume, sizeof volume);
    write_npy(dir, "slice.npy", "<f4", "320, 320", out, sizeof out);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: expected DIR\n", stderr);
        return 2;
    }
    const char *dir = argv[1];
    texts(dir);
    saxpy(dir);
    matmul(dir);
    tensor_matmul(dir);
    wgmma_matmul(dir);
    flash_attention(dir);
    reduce(dir);
    histogram(dir);
    hostcall(dir);
    hostcurve(dir);
    parent_child(dir);
    linked(dir);
    quicksort(dir);
    mandelbrot(dir, -0.1576f, 1.0322f, 0.028f);
    rotate(dir);
    slice(dir);
    return 0;
}
