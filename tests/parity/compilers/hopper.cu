// What CUTLASS-like kernels write as inline assembly: copies, barriers, clusters, matrices, registers handed over.
#include <cstdint>
#define ASM asm volatile

__device__ __forceinline__ uint32_t in_shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

template <int Bytes> __device__ void copies(uint32_t to, const void *from, uint32_t size, uint64_t policy)
{
#if __CUDA_ARCH__ >= 800
    ASM("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(to), "l"(from), "n"(Bytes) : "memory");
    ASM("cp.async.ca.shared.global [%0], [%1], %2, %3;" :: "r"(to), "l"(from), "n"(Bytes), "r"(size) : "memory");
    ASM("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;" :: "r"(to), "l"(from), "n"(Bytes) : "memory");
    ASM("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;" :: "r"(to), "l"(from), "n"(Bytes), "l"(policy) : "memory");
    ASM("{ .reg .pred p; setp.ne.b32 p, %3, 0; @p cp.async.ca.shared.global.L2::256B [%0], [%1], %2; }"
        :: "r"(to), "l"(from), "n"(Bytes), "r"(size) : "memory");
    if (Bytes == 16) ASM("cp.async.cg.shared.global.L2::64B [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(size) : "memory");
    ASM("cp.async.commit_group;" ::: "memory");
    ASM("cp.async.wait_group %0;" :: "n"(Bytes / 4) : "memory");
    ASM("cp.async.wait_all;" ::: "memory");
    ASM("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" :: "r"(to) : "memory");
#endif
}

__device__ void barriers(uint32_t bar, uint32_t count, uint32_t phase, uint32_t cta)
{
#if __CUDA_ARCH__ >= 900
    uint64_t state;
    uint32_t done, remote;
    ASM("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
    ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory");
    ASM("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(bar), "r"(count) : "memory");
    ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(count) : "memory");
    ASM("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
    ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(bar), "r"(cta));
    ASM("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(remote) : "memory");
    ASM("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" :: "r"(remote), "r"(count) : "memory");
    ASM("{\n.reg .pred P1;\nLAB_WAIT_%=:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE_%=;\n"
        "bra LAB_WAIT_%=;\nDONE_%=:\n}" :: "r"(bar), "r"(phase) : "memory");
    ASM("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }"
        : "=r"(done) : "r"(bar), "r"(phase), "r"(count) : "memory");
    ASM("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "l"(state));
    ASM("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" :: "r"(remote), "r"(count) : "memory");
    ASM("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(bar) : "memory");
    ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
    ASM("fence.proxy.async;" ::: "memory");
    ASM("fence.proxy.async.shared::cta;" ::: "memory");
    ASM("fence.acq_rel.cluster;" ::: "memory");
    ASM("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    ASM("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    ASM("barrier.cluster.arrive.release;" ::: "memory");
    ASM("barrier.cluster.wait;" ::: "memory");
    ASM("bar.sync %0, %1;" :: "r"(count), "n"(128) : "memory");
    ASM("barrier.cta.arrive %0, 256;" :: "r"(count) : "memory");
    ASM("griddepcontrol.wait;" ::: "memory");
    ASM("griddepcontrol.launch_dependents;");
    ASM("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" :: "r"(remote), "r"(count), "r"(remote) : "memory");
    ASM("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%0];" :: "r"(remote), "r"(count) : "memory");
#endif
}

template <int Rank> struct Coordinates;

__device__ void bulk(uint32_t to, uint32_t bar, const void *map, void *global, uint64_t policy, int x, int y, int z, uint16_t mask)
{
#if __CUDA_ARCH__ >= 900
    ASM("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" :: "r"(to), "l"(map), "r"(bar), "r"(x) : "memory");
    ASM("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;"
        :: "r"(to), "l"(map), "r"(bar), "r"(x), "r"(y), "l"(policy) : "memory");
    ASM("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;"
        :: "r"(to), "l"(map), "r"(bar), "r"(x), "r"(y), "r"(z), "h"(mask) : "memory");
    ASM("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
        " [%0], [%1, {%3, %4, %5, %3}], [%2], {%6, %6}, %6, %7;"
        :: "r"(to), "l"(map), "r"(bar), "r"(x), "r"(y), "r"(z), "h"(mask), "l"(policy) : "memory");
    ASM("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %3, %4}], [%2];"
        :: "r"(to), "l"(map), "r"(bar), "r"(x), "r"(y), "r"(z) : "memory");
    ASM("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" :: "l"(map), "r"(to), "r"(x), "r"(y) : "memory");
    ASM("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [%0, {%2, %3, %2, %3}], [%1], %4;"
        :: "l"(map), "r"(to), "r"(x), "r"(y), "l"(policy) : "memory");
    ASM("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%2, %3}], [%1];" :: "l"(map), "r"(to), "r"(x), "r"(y) : "memory");
    ASM("cp.reduce.async.bulk.tensor.1d.global.shared::cta.min.tile.bulk_group [%0, {%2}], [%1];" :: "l"(map), "r"(to), "r"(x) : "memory");
    ASM("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" :: "l"(map), "r"(x), "r"(y) : "memory");
    ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(to), "l"(global), "r"(x), "r"(bar) : "memory");
    ASM("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(to), "r"(to), "r"(x), "r"(bar) : "memory");
    ASM("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" :: "l"(global), "r"(to), "r"(x), "l"(policy) : "memory");
    ASM("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%0], [%1], %2;" :: "l"(global), "r"(to), "r"(x) : "memory");
    ASM("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(global), "r"(x) : "memory");
    ASM("cp.async.bulk.commit_group;" ::: "memory");
    ASM("cp.async.bulk.wait_group 0;" ::: "memory");
    ASM("cp.async.bulk.wait_group.read %0;" :: "n"(3) : "memory");
    ASM("prefetch.tensormap [%0];" :: "l"(map) : "memory");
    ASM("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(map) : "memory");
    ASM("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" :: "r"(to), "l"(global) : "memory");
    ASM("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" :: "l"(map), "r"(to) : "memory");
#endif
}

template <int N> __device__ void groups(float (&d)[4], uint64_t a, uint64_t b, uint32_t scale)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    ASM("wgmma.fence.sync.aligned;" ::: "memory");
    ASM("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, %7, %8, %9, %10; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(scale), "n"(1), "n"(1), "n"(N), "n"(0));
    ASM("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, %6;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "n"(N));
    ASM("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, 0, 1, -1, %6;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(scale), "l"(b), "n"(N));
    ASM("wgmma.commit_group.sync.aligned;" ::: "memory");
    ASM("wgmma.wait_group.sync.aligned %0;" :: "n"(N) : "memory");
    ASM("setmaxnreg.inc.sync.aligned.u32 %0;" :: "n"(232 + 8 * N));
    ASM("setmaxnreg.dec.sync.aligned.u32 %0;" :: "n"(40 - 8 * N));
#endif
}

__device__ uint32_t elected()
{
    uint32_t pred = 0;
#if __CUDA_ARCH__ >= 900
    uint32_t lane = 0;
    ASM("{ .reg .b32 %%rx; .reg .pred %%px; elect.sync %%rx|%%px, %2; @%%px mov.s32 %1, 1; mov.s32 %0, %%rx; }" : "+r"(lane), "+r"(pred) : "r"(0xFFFFFFFF));
    ASM("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(pred));
#endif
    return pred;
}

extern "C" __global__ void __launch_bounds__(384, 1) k(const void *from, float *out, uint64_t policy, uint32_t n)
{
    __shared__ alignas(128) uint8_t shared[4096];
    float d[4] = {};
    uint32_t s = in_shared(shared);
    copies<4>(s, from, n, policy);
    copies<8>(s, from, n, policy);
    copies<16>(s, from, n, policy);
    barriers(s, n, 0, 1);
    bulk(s, s + 64, from, out, policy, n, 1, 2, 3);
    groups<0>(d, policy, policy, n);
    groups<1>(d, policy, policy, n);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + elected();
}
