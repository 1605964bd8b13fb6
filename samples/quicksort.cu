// quicksort.cu - quicksort in which every partition launches the sorting of its two sides.
//
// nvcc -arch=sm_90 -rdc=true -lineinfo -ptx quicksort.cu -o quicksort.ptx
//
// One block sorts one range. A range of up to BLOCK keys is sorted in shared memory by a bitonic network. A
// longer one is partitioned into keys below, equal to and above a pivot (through a second array, so that no
// order is lost), and one thread launches a grid for each side, in a stream of its own so that the two may
// overlap. The host launches `quicksort` with one thread: it fills the array (if asked to), starts the first
// range in the same stream, and queues a check as a tail launch, which runs when everything else is done.

constexpr int BLOCK = 256;
constexpr int WARPS = BLOCK / 32;

enum { DISORDERED, RANGES, DEPTH }; // what results[] holds

struct range {
    int first, count;
};
struct sides {
    range below, above;
};

// An invertible hash, so that 0 .. n-1 become n different keys.
__device__ unsigned scrambled(unsigned i)
{
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

__global__ void scramble(unsigned *keys, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keys[i] = scrambled(i);
}

__global__ void count_disorder(const unsigned *keys, int n, unsigned *results)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n && keys[i] > keys[i + 1]) atomicAdd(&results[DISORDERED], 1u);
}

__device__ void sort_in_shared_memory(unsigned *keys, range r)
{
    __shared__ unsigned network[BLOCK];
    const int t = threadIdx.x;
    network[t] = t < r.count ? keys[r.first + t] : 0xffffffffu;
    for (int run = 2; run <= BLOCK; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            __syncthreads();
            const int other = t ^ distance;
            if (other > t) {
                const unsigned a = network[t], b = network[other];
                const bool ascending = (t & run) == 0;
                network[t] = ascending ? min(a, b) : max(a, b);
                network[other] = ascending ? max(a, b) : min(a, b);
            }
        }
    }
    __syncthreads();
    if (t < r.count) keys[r.first + t] = network[t];
}

// For each thread, how many threads before it in the block have the flag set; *total is how many have it in
// all.
__device__ int rank_in_block(bool flag, int *total)
{
    __shared__ int counts[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned votes = __ballot_sync(0xffffffffu, flag);
    __syncthreads();
    if (lane == 0) counts[warp] = __popc(votes);
    __syncthreads();
    int rank = __popc(votes & ((1u << lane) - 1));
    int sum = 0;
    for (int w = 0; w < WARPS; w++) {
        if (w < warp) rank += counts[w];
        sum += counts[w];
    }
    *total = sum;
    return rank;
}

__device__ unsigned median(unsigned a, unsigned b, unsigned c)
{
    return max(min(a, b), min(max(a, b), c));
}

// Keys below the pivot go to the left end of spare, keys above to its right end; then all come back, the
// pivots between them.
__device__ sides partition(unsigned *keys, unsigned *spare, range r)
{
    const unsigned *in = keys + r.first;
    const unsigned pivot = median(in[0], in[r.count / 2], in[r.count - 1]);
    int below = 0, above = 0;
    for (int base = 0; base < r.count; base += BLOCK) {
        const int i = base + threadIdx.x;
        const unsigned key = i < r.count ? in[i] : pivot;
        int less, more;
        const int left = rank_in_block(key < pivot, &less), right = rank_in_block(key > pivot, &more);
        if (key < pivot) spare[r.first + below + left] = key;
        if (key > pivot) spare[r.first + r.count - 1 - above - right] = key;
        below += less;
        above += more;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < r.count; i += BLOCK)
        keys[r.first + i] = i < below || i >= r.count - above ? spare[r.first + i] : pivot;
    return {{r.first, below}, {r.first + r.count - above, above}};
}

__global__ void sort_range(unsigned *keys, unsigned *spare, range r, unsigned *results, int depth);

__device__ void launch(unsigned *keys, unsigned *spare, range r, unsigned *results, int depth)
{
    if (r.count < 2) return;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort_range<<<1, BLOCK, 0, stream>>>(keys, spare, r, results, depth);
    cudaStreamDestroy(stream);
}

__global__ void __launch_bounds__(BLOCK)
    sort_range(unsigned *keys, unsigned *spare, range r, unsigned *results, int depth)
{
    if (threadIdx.x == 0) {
        atomicAdd(&results[RANGES], 1u);
        atomicMax(&results[DEPTH], static_cast<unsigned>(depth));
    }
    if (r.count <= BLOCK) {
        sort_in_shared_memory(keys, r);
        return;
    }
    const sides s = partition(keys, spare, r);
    __syncthreads();
    if (threadIdx.x == 0) launch(keys, spare, s.below, results, depth + 1);
    if (threadIdx.x == 32) launch(keys, spare, s.above, results, depth + 1);
}

// Sorts n keys. results[]: pairs out of order afterwards, ranges sorted, deepest nesting. Launch with one
// thread.
extern "C" __global__ void quicksort(unsigned *keys, unsigned *spare, int n, int make_keys, unsigned *results)
{
    const int blocks = (n + BLOCK - 1) / BLOCK;
    results[DISORDERED] = results[RANGES] = results[DEPTH] = 0;
    if (make_keys) scramble<<<blocks, BLOCK>>>(keys, n);
    sort_range<<<1, BLOCK>>>(keys, spare, {0, n}, results, 1);
    count_disorder<<<blocks, BLOCK, 0, cudaStreamTailLaunch>>>(keys, n, results);
}
