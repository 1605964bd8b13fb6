// check.h - what the programs of this folder share: inputs, buffers, and comparison with the host's answer.
//
// A program is called as NAME ITEMS ROUNDS [SEED [told]]; with the last word it prints a line a round. Every
// algorithm computes on ITEMS items, ROUNDS times, each round with other inputs; what it gives is compared
// with a sequential loop on the host. Sums are of small whole numbers (summed), which any order of addition
// gives exactly.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define RT(call)                                                                                             \
    do {                                                                                                     \
        const cudaError_t error_ = (call);                                                                   \
        if (error_ != cudaSuccess) {                                                                         \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                           \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

// A pair of 16 bytes, compared and added by both members.
struct pair64 {
    int64_t a, b;
    __host__ __device__ bool operator==(const pair64 &o) const { return a == o.a && b == o.b; }
    __host__ __device__ bool operator<(const pair64 &o) const { return a < o.a || (a == o.a && b < o.b); }
    __host__ __device__ pair64 operator+(const pair64 &o) const { return {a + o.a, b + o.b}; }
};
// A pair of 8 bytes.
struct pair32 {
    int32_t a;
    float b;
    __host__ __device__ bool operator==(const pair32 &o) const { return a == o.a && b == o.b; }
    __host__ __device__ bool operator<(const pair32 &o) const { return a < o.a || (a == o.a && b < o.b); }
    __host__ __device__ pair32 operator+(const pair32 &o) const { return {a + o.a, b + o.b}; }
};

template <class T> struct item {
    static T of(uint32_t x) { return (T)x; }
};
template <> struct item<pair64> {
    static pair64 of(uint32_t x) { return {(int64_t)x, -(int64_t)x}; }
};
template <> struct item<pair32> {
    static pair32 of(uint32_t x) { return {(int32_t)x, (float)(x ^ 1)}; }
};

static size_t items;
static uint64_t state;
static unsigned checked, wrong;

static uint32_t draw()
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

// n items below `most`; a run of them has up to `longest` equal ones.
template <class T> std::vector<T> drawn(size_t n, uint32_t most, uint32_t longest = 1)
{
    std::vector<T> v(n);
    for (size_t i = 0; i < n;) {
        const T x = item<T>::of(draw() % most);
        for (uint32_t k = draw() % longest + 1; k && i < n; k--) v[i++] = x;
    }
    return v;
}

// As drawn, so small that twice the sum of all, near its mean, is below 2^24: sums of floats are exact in any
// order. Ten million are noughts and ones.
template <class T> std::vector<T> summed(size_t n, uint32_t most)
{
    return drawn<T>(n, std::min(most, std::max(2u, (uint32_t)((1 << 24) / (n + 1)))));
}

template <class T> class device {
  public:
    explicit device(size_t n) : n(n)
    {
        RT(cudaMalloc(&at, (n + 1) * sizeof(T)));
        RT(cudaMemset(at, 0xa5, (n + 1) * sizeof(T)));
    }
    explicit device(const std::vector<T> &v) : device(v.size())
    {
        RT(cudaMemcpy(at, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    device(const device &) = delete;
    ~device() { cudaFree(at); }
    operator T *() { return at; }
    std::vector<T> host(size_t count)
    {
        std::vector<T> v(count);
        RT(cudaMemcpy(v.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
    std::vector<T> host() { return host(n); }
    T first() { return host(1)[0]; }

  private:
    T *at;
    size_t n;
};

// Calls f(temporary storage, its size) twice, as CUB wants it.
template <class F> void run(F f)
{
    size_t size = 0;
    RT(f((void *)nullptr, size));
    device<char> room(size);
    RT(f((void *)(char *)room, size));
}

template <class T> void same(const char *what, const std::vector<T> &got, const std::vector<T> &want)
{
    size_t differ = got.size() != want.size();
    for (size_t i = 0; i < std::min(got.size(), want.size()); i++) differ += !(got[i] == want[i]);
    checked++;
    wrong += differ != 0;
    if (differ)
        printf("%s (%zu bytes each), %zu items: %zu of %zu wrong\n", what, sizeof(T), items, differ,
               want.size());
}
template <class T> void same(const char *what, T got, T want)
{
    same(what, std::vector<T>{got}, std::vector<T>{want});
}

void all(); // one round of a program

int main(int count, char **words)
{
    items = count > 1 ? (size_t)atoll(words[1]) : 1000;
    const int rounds = count > 2 ? atoi(words[2]) : 1;
    state = count > 3 ? (uint64_t)atoll(words[3]) : 1;
    for (int i = 0; i < rounds; i++) {
        all();
        if (count > 4) printf("round %d: %u results, %u wrong\n", i + 1, checked, wrong), fflush(stdout);
    }
    printf("%u results, %u wrong\n", checked, wrong);
    return wrong != 0;
}
