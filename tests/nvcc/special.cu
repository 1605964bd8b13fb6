// special.cu - special registers, clocks, timers, sleeping, dependent launches.
extern "C" __global__ void special(unsigned *out, unsigned long long *wide)
{
    unsigned r;
    int i = 0;
#define READ(name)                                                                                           \
    asm volatile("mov.u32 %0, %%" name ";" : "=r"(r));                                                       \
    out[i++] = r
    READ("tid.x");
    READ("tid.y");
    READ("tid.z");
    READ("ntid.y");
    READ("ctaid.z");
    READ("nctaid.x");
    READ("laneid");
    READ("warpid");
    READ("nwarpid");
    READ("smid");
    READ("nsmid");
    READ("clock");
    READ("lanemask_eq");
    READ("lanemask_lt");
    READ("lanemask_ge");
    READ("dynamic_smem_size");
    READ("total_smem_size");
    wide[0] = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(wide[1]));
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(wide[2]));
    __nanosleep(100);
    out[i++] = warpSize + __isGlobal(out) + __isShared(out) + __isLocal(&r) + __isConstant(out);
    asm volatile("pmevent 3;");
#if __CUDA_ARCH__ >= 900
    READ("clusterid.x");
    READ("cluster_ctarank");
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    asm volatile("{\n\t.reg .pred p;\n\telect.sync %0|p, 0xffffffff;\n\t}" : "=r"(r));
    out[i++] = r;
#endif
}
