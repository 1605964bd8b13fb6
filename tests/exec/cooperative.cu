/*
 * cooperative.cu - grids whose blocks wait for each other through cooperative groups.
 *
 * cooperative.ptx is nvcc -arch=sm_90 -ptx of it, cooperative_debug.ptx with -G.
 */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* Every thread takes its neighbour's value and one more: each round must see all of the round before. */
extern "C" __global__ void around(unsigned *p, unsigned rounds)
{
    cg::grid_group grid = cg::this_grid();
    const unsigned me = grid.thread_rank(), next = (me + 1) % grid.size();
    for (unsigned i = 0; i < rounds; i++) {
        const unsigned x = p[next];
        grid.sync();
        p[me] = x + 1;
        grid.sync();
    }
}

/* Arrival and wait apart: between them a block does what the others need not wait for. */
extern "C" __global__ void apart(unsigned *p, unsigned rounds)
{
    cg::grid_group grid = cg::this_grid();
    const unsigned me = grid.thread_rank(), next = (me + blockDim.x) % grid.size();
    for (unsigned i = 1; i <= rounds; i++) {
        p[me] = i;
        auto token = grid.barrier_arrive();
        unsigned own = 0;
        for (unsigned k = 0; k < me % 40; k++) own += clock() != 1;
        grid.barrier_wait(static_cast<cg::grid_group::arrival_token &&>(token));
        if (p[next] != i || own != me % 40) p[me] = 0xffffffff;
        grid.sync();
    }
}

/* Blocks of a grid in three dimensions. */
extern "C" __global__ void shape(unsigned *p)
{
    cg::grid_group grid = cg::this_grid();
    atomicAdd(p, 1);
    grid.sync();
    if (p[0] == grid.size()) atomicAdd(p + 1, 1);
    if (grid.is_valid() && grid.thread_rank() == grid.num_threads() - 1) p[2] = grid.num_blocks();
}

/* Block 1 does not come. */
extern "C" __global__ void absent(unsigned *p)
{
    cg::grid_group grid = cg::this_grid();
    p[grid.thread_rank()] = 7;
    if (grid.block_rank() != 1) grid.sync();
}

/* The word is changed by a store, after which nobody arrives. */
extern "C" __global__ void stored(unsigned *p)
{
    unsigned hi, lo, x;
    asm("mov.u32 %0, %%envreg1; mov.u32 %1, %%envreg2;" : "=r"(hi), "=r"(lo));
    volatile unsigned *word = (volatile unsigned *)((unsigned long long)hi << 32 | lo) + 1;
    if (blockIdx.x == 0) {
        *word = 5;
    } else {
        do x = *word; while (x != 5);
        p[blockIdx.x] = x;
    }
}
