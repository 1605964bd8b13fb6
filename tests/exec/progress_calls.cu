// progress_calls.cu - lanes, warps and blocks that wait for one another in loops with calls.
//
// Each kernel ends only if whoever is waited for gets its turn, whatever the waiting loop is made of. o[0] is a
// lock or a turn, o[1] counts, o[2] and on are flags. progress_calls.ptx and progress_calls_debug.ptx are this file
// compiled for sm_90, without options and with -G, behind the lines that say how to run it.
typedef unsigned u;
#define K extern "C" __global__ void
__device__ __noinline__ u tryl(u *l) { return atomicCAS(l, 0u, 1u); }
__device__ __noinline__ void lockf(u *l) { while (atomicCAS(l, 0u, 1u) != 0u); __threadfence(); }
__device__ __noinline__ void unlockf(u *l) { __threadfence(); atomicExch(l, 0u); }
__device__ __noinline__ void crit(volatile u *v) { v[1] = v[1] + 1; }
__device__ __noinline__ u peek(volatile u *f) { return *f; }
__device__ __noinline__ void sleepy(volatile u *f) { __nanosleep(20); }
__device__ __noinline__ u deep(u n, volatile u *f) { return n ? deep(n - 1, f) + 0 : *f; }
__device__ __noinline__ u tryl2(u *l) { return atomicCAS(l, 0u, 2u); }
__device__ u (*const tries[2])(u *) = {tryl, tryl2};
K a_calltry(u *o) { while (tryl(o)); crit(o); unlockf(o); }
K b_lockfn(u *o) { lockf(o); crit(o); unlockf(o); }
K c_inline_critcall(u *o) { while (atomicCAS(o, 0u, 1u) != 0u); for (int i = 0; i < 20; i++) crit(o); atomicExch(o, 0u); }
// lane 0 waits in a callee for lane 1, and the other way round
K d_flagcallee(u *o) { u t = threadIdx.x; if ((t & 31) == 0) { while (peek(o + 2 + (t >> 5)) == 0); atomicAdd(o + 1, 1); } else if ((t & 31) == 1) { *(volatile u *)(o + 2 + (t >> 5)) = 1; } }
K d2_flagcallee_rev(u *o) { u t = threadIdx.x; if ((t & 31) == 1) { while (peek(o + 2 + (t >> 5)) == 0); atomicAdd(o + 1, 1); } else if ((t & 31) == 0) { *(volatile u *)(o + 2 + (t >> 5)) = 1; } }
K e_sleepcall(u *o) { while (atomicCAS(o, 0u, 1u) != 0u) sleepy(o); crit(o); atomicExch(o, 0u); }
K e2_sleep(u *o) { u ns = 8; while (atomicCAS(o, 0u, 1u) != 0u) { __nanosleep(ns); if (ns < 256) ns *= 2; } crit(o); atomicExch(o, 0u); }
K f_deepcall(u *o) { while (true) { if (deep(3, o) == 0 && atomicCAS(o, 0u, 1u) == 0) break; } crit(o); atomicExch(o, 0u); }
// one half of a warp spins with __syncwarp until the other half sets a flag
K i_syncspin(u *o) { u t = threadIdx.x, l = t & 31; volatile u *f = o + 2 + (t >> 5); if (l >= 16) { while (true) { __syncwarp(0xffff0000u); if (*f) break; } } else { for (int i = 0; i < 5; i++) __syncwarp(0xffff); if (l == 0) *f = 1; } __syncwarp(); atomicAdd(o + 1, 1); }
K i2_syncspin_rev(u *o) { u t = threadIdx.x, l = t & 31; volatile u *f = o + 2 + (t >> 5); if (l < 16) { while (true) { __syncwarp(0xffffu); if (*f) break; } } else { for (int i = 0; i < 5; i++) __syncwarp(0xffff0000u); if (l == 16) *f = 1; } __syncwarp(); atomicAdd(o + 1, 1); }
K j_votespin(u *o) { u t = threadIdx.x, l = t & 31; volatile u *f = o + 2 + (t >> 5); if (l < 8) { while (!__any_sync(0xff, *f)); } else if (l == 20) { *f = 1; } __syncwarp(); atomicAdd(o + 1, 1); }
// blocks take turns
K k_blkcall(u *o) { if (threadIdx.x == 0) { u me = blockIdx.x; for (u i = 0; i < 20; i++) { while (peek(o) != gridDim.x * i + me); __threadfence(); *(volatile u *)o = gridDim.x * i + me + 1; } atomicAdd(o + 1, 1); } }
// each warp waits for the next one
K l_warps(u *o) { u w = threadIdx.x >> 5; if ((threadIdx.x & 31) == 0) { if (w == blockDim.x / 32 - 1) *(volatile u *)(o + 2 + w) = 1; else { while (peek(o + 2 + w + 1) == 0); *(volatile u *)(o + 2 + w) = 1; } } __syncthreads(); atomicAdd(o + 1, 1); }
// warp 0 waits at a barrier while warp 1 spins until warp 2 sets a flag
K m_barspin(u *o) { u w = threadIdx.x >> 5; if (w == 1) { while (peek(o + 2) == 0); } if (w == 2 && (threadIdx.x & 31) == 31) { *(volatile u *)(o + 2) = 1; } __syncthreads(); atomicAdd(o + 1, 1); }
K n_mixed(u *o) { u t = threadIdx.x; if (t % 4 == 0) { while (peek(o + 2) < blockDim.x / 4); } else if (t % 4 == 1) { atomicAdd(o + 2, 1); } __syncthreads(); atomicAdd(o + 1, 1); }
K p_switchspin(u *o) { u st = 0; while (st != 3) { switch (st) { case 0: st = atomicCAS(o, 0u, 1u) == 0u ? 1 : 4; break; case 4: st = peek(o) ? 4 : 0; break; case 1: crit(o); st = 2; break; case 2: atomicExch(o, 0u); st = 3; break; } } }
// lanes call different functions by address
K q_pointer(u *o) { while (tries[threadIdx.x & 1](o)); crit(o); unlockf(o); }
// two warps meet at a barrier of their own again and again until a third one sets a flag
K r_barrierspin(u *o) { u t = threadIdx.x; if (t < 64) { u seen; do { seen = peek(o + 2); asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; barrier.red.or.pred p, 1, 64, p; selp.u32 %0, 1, 0, p; }" : "+r"(seen)); } while (!seen); } else if (t == 64) { *(volatile u *)(o + 2) = 1; } __syncthreads(); atomicAdd(o + 1, 1); }
// one lane stays behind in an inner loop whose end another lane decides after many turns of its own loop
K s_longwait(u *o) { u t = threadIdx.x & 31; volatile u *f = o + 2 + (threadIdx.x >> 5); if (t == 3) { while (peek(f) < 5000); } else if (t == 9) { for (u i = 0; i < 5000; i++) *f = *f + 1; } __syncwarp(); atomicAdd(o + 1, 1); }
