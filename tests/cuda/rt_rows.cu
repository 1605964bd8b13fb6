// Copies and sets of 0, 1 and 2 rows with pitches of nothing, too little, enough: a line has what a function
// answers for each pair of pitches (the destination's before the source's), "/" before what waiting ended
// with, X where NVIDIA's driver divides by zero.
#include <csetjmp>
#include <csignal>
#include "say.h"

enum { WIDTH = 64, ROWS = 3, ROOM = 4096, PITCHES = 4 };
static const size_t pitches[PITCHES] = {0, WIDTH - 4, WIDTH, WIDTH + 16};
static unsigned char *device, *other, *host, *back;
static cudaArray_t array, line;
static sigjmp_buf before;

static void crash(int)
{
    siglongjmp(before, 1);
}

template <typename Call> static void say(const char *name, int kind, Call call)
{
    static const char *kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD", "any", ""};
    for (size_t rows = 0; rows <= 2; rows++) {
        printf("%s %s %zu rows:", name, kinds[kind], rows);
        for (size_t a : pitches) {
            for (size_t b : pitches) {
                if (sigsetjmp(before, 1)) {
                    printf(" X");
                    continue;
                }
                const int error = call((cudaMemcpyKind)kind, rows, a, b), end = cudaDeviceSynchronize();
                cudaGetLastError();
                printf(" %d", error);
                if (end) printf("/%d", end);
            }
            printf(",");
        }
        printf("\n");
    }
}

/* ... of one pitch. */
template <typename Call> static void say_one(const char *name, int kind, Call call)
{
    say(name, kind, [&](cudaMemcpyKind k, size_t rows, size_t a, size_t b) {
        return b ? cudaSuccess : call(k, rows, a);
    });
}

static unsigned char *from_of(int kind)
{
    return kind == 0 || kind == 1 ? host : device;
}
static unsigned char *to_of(int kind)
{
    return kind == 0 || kind == 2 ? back : other;
}

static void rows_of(int kind)
{
    unsigned char *from = from_of(kind), *to = to_of(kind);
    say("2D", kind, [=](cudaMemcpyKind k, size_t rows, size_t a, size_t b) {
        return cudaMemcpy2D(to, a, from, b, WIDTH, rows, k);
    });
    say("2DAsync", kind, [=](cudaMemcpyKind k, size_t rows, size_t a, size_t b) {
        return cudaMemcpy2DAsync(to, a, from, b, WIDTH, rows, k, 0);
    });
}

static void to_array(int kind)
{
    unsigned char *from = from_of(kind);
    say_one("2DToArray", kind, [=](cudaMemcpyKind k, size_t rows, size_t a) {
        return cudaMemcpy2DToArray(array, 0, 0, from, a, WIDTH, rows, k);
    });
    say_one("2DToArrayAsync", kind, [=](cudaMemcpyKind k, size_t rows, size_t a) {
        return cudaMemcpy2DToArrayAsync(array, 0, 0, from, a, WIDTH, rows, k, 0);
    });
    say_one("2DToArray of one dimension", kind, [=](cudaMemcpyKind k, size_t rows, size_t a) {
        return cudaMemcpy2DToArray(line, 0, 0, from, a, WIDTH, rows, k);
    });
    say_one("2DToArray, last row", kind, [=](cudaMemcpyKind k, size_t rows, size_t a) {
        return cudaMemcpy2DToArray(array, 0, 2, from, a, WIDTH, rows, k);
    });
}

static void from_array(int kind)
{
    unsigned char *to = to_of(kind);
    say_one("2DFromArray", kind, [=](cudaMemcpyKind k, size_t rows, size_t a) {
        return cudaMemcpy2DFromArray(to, a, array, 0, 0, WIDTH, rows, k);
    });
    say_one("2DFromArrayAsync", kind, [=](cudaMemcpyKind k, size_t rows, size_t a) {
        return cudaMemcpy2DFromArrayAsync(to, a, array, 0, 0, WIDTH, rows, k, 0);
    });
    say_one("2DFromArray of one dimension", kind, [=](cudaMemcpyKind k, size_t rows, size_t a) {
        return cudaMemcpy2DFromArray(to, a, line, 0, 0, WIDTH, rows, k);
    });
}

static void boxes(int kind, size_t slices, size_t height)
{
    char name[60];
    snprintf(name, sizeof name, "3D %zu slices height %zu", slices, height);
    say(name, kind, [=](cudaMemcpyKind k, size_t rows, size_t a, size_t b) {
        cudaMemcpy3DParms c = {};
        c.srcPtr = make_cudaPitchedPtr(from_of(kind), b, WIDTH, height);
        c.dstPtr = make_cudaPitchedPtr(to_of(kind), a, WIDTH, height);
        c.extent = make_cudaExtent(WIDTH, rows, slices);
        c.kind = k;
        return cudaMemcpy3D(&c);
    });
}

static void array_boxes()
{
    say_one("3D to array", 1, [](cudaMemcpyKind k, size_t rows, size_t a) {
        cudaMemcpy3DParms c = {};
        c.srcPtr = make_cudaPitchedPtr(host, a, WIDTH, ROWS);
        c.dstArray = array;
        c.extent = make_cudaExtent(WIDTH / 4, rows, 1);
        c.kind = k;
        return cudaMemcpy3D(&c);
    });
    say_one("3D from array", 2, [](cudaMemcpyKind k, size_t rows, size_t a) {
        cudaMemcpy3DParms c = {};
        c.srcArray = array;
        c.dstPtr = make_cudaPitchedPtr(back, a, WIDTH, ROWS);
        c.extent = make_cudaExtent(WIDTH / 4, rows, 1);
        c.kind = k;
        return cudaMemcpy3D(&c);
    });
    say("3D peer", 5, [](cudaMemcpyKind, size_t rows, size_t a, size_t b) {
        cudaMemcpy3DPeerParms c = {};
        c.srcPtr = make_cudaPitchedPtr(device, b, WIDTH, ROWS);
        c.dstPtr = make_cudaPitchedPtr(other, a, WIDTH, ROWS);
        c.extent = make_cudaExtent(WIDTH, rows, 1);
        return cudaMemcpy3DPeer(&c);
    });
}

static void sets()
{
    say_one("set 2D", 5,
            [](cudaMemcpyKind, size_t rows, size_t a) { return cudaMemset2D(device, a, 3, WIDTH, rows); });
    say_one("set 2DAsync", 5, [](cudaMemcpyKind, size_t rows, size_t a) {
        return cudaMemset2DAsync(device, a, 3, WIDTH, rows, 0);
    });
    for (size_t slices = 0; slices <= 2; slices++) {
        char name[60];
        snprintf(name, sizeof name, "set 3D %zu slices", slices);
        say_one(name, 5, [=](cudaMemcpyKind, size_t rows, size_t a) {
            return cudaMemset3D(make_cudaPitchedPtr(device, a, WIDTH, rows), 4,
                                make_cudaExtent(WIDTH, rows, slices));
        });
    }
}

/* One row with a pitch of nothing: the bytes do arrive. */
static void arrive()
{
    for (int i = 0; i < ROOM; i++) host[i] = (unsigned char)(i * 7 + 1);
    memset(back, 0, ROOM);
    cudaMemcpy2DToArray(array, 0, 1, host, 0, WIDTH, 1, cudaMemcpyHostToDevice);
    cudaMemcpy2DFromArray(back, 0, array, 0, 1, WIDTH, 1, cudaMemcpyDeviceToHost);
    printf("a row: %d\n", memcmp(host, back, WIDTH) == 0);
    cudaMemcpy2DToArray(array, 0, 0, host, WIDTH + 16, WIDTH, 3, cudaMemcpyHostToDevice);
    cudaMemcpy2DFromArray(back, WIDTH, array, 0, 0, WIDTH, 3, cudaMemcpyDeviceToHost);
    printf("three rows: %d %d %d\n", back[0], back[WIDTH], back[2 * WIDTH]);
}

int main()
{
    cudaChannelFormatDesc word = cudaCreateChannelDesc<int>();
    signal(SIGFPE, crash);
    RT(cudaMalloc(&device, ROOM));
    RT(cudaMalloc(&other, ROOM));
    host = (unsigned char *)calloc(1, ROOM);
    back = (unsigned char *)calloc(1, ROOM);
    RT(cudaMallocArray(&array, &word, WIDTH / 4, ROWS));
    RT(cudaMallocArray(&line, &word, WIDTH / 4, 0));
    for (int kind = 0; kind <= 4; kind++) rows_of(kind);
    for (int kind = 0; kind <= 4; kind++) to_array(kind), from_array(kind);
    for (int kind = 0; kind <= 4; kind++)
        for (size_t slices = 0; slices <= 2; slices++)
            for (size_t height = 0; height <= 2; height++) boxes(kind, slices, height);
    array_boxes();
    sets();
    arrive();
    return 0;
}
