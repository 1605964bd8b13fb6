// tcgen05.cu - tensor memory: allocate, multiply, load back. only: 100a
extern "C" __global__ void __launch_bounds__(128)
    tensor_memory(unsigned *out, unsigned long long a, unsigned long long b, unsigned shape)
{
    __shared__ unsigned base;
    __shared__ unsigned long long bar;
    unsigned at = (unsigned)__cvta_generic_to_shared(&base),
             bar_at = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x < 32)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar_at));
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, 0, 0;\n\ttcgen05.mma.cta_group::1.kind::f16 [%0], "
                     "%1, %2, %3, p;\n\t}" ::"r"(base),
                     "l"(a), "l"(b), "r"(shape));
        asm volatile(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar_at));
    }
    asm volatile("{\n\t.reg .pred p;\nwait_%=:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%0], "
                 "0;\n\t@!p bra wait_%=;\n\t}" ::"r"(bar_at));
    unsigned r;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(r) : "r"(base));
    asm volatile("tcgen05.wait::ld.sync.aligned;");
    out[threadIdx.x] = r;
    __syncthreads();
    if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(base));
}
