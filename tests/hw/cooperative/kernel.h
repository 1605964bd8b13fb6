/*
 * kernel.h - the kernels of record.c, for the recorder and for the replay (tests/api/test_cooperative.c).
 */
#ifndef HW_COOPERATIVE_KERNEL_H
#define HW_COOPERATIVE_KERNEL_H

#include <stdio.h>
#include <string.h>

/* env: thread 0 stores all environment registers. words: block 0 stores both words of the workspace at the
 * start, once all have arrived, and after a second barrier. graph: %current_graph_exec. */
static char *cooperative_text(void)
{
    static char t[1 << 16];
    strcpy(t, ".version 8.6\n.target sm_90\n.address_size 64\n");
    strcat(t, ".visible .entry env(.param .u64 p) {\n .reg .u64 %a; .reg .b32 %r; ld.param.u64 %a, [p];\n");
    for (int i = 0; i < 32; i++)
        sprintf(t + strlen(t), " mov.b32 %%r, %%envreg%d; st.global.u32 [%%a+%d], %%r;\n", i, 4 * i);
    strcat(t,
           " ret; }\n"
           ".visible .entry words(.param .u64 p) {\n .reg .u64 %a, %w; .reg .b32 %h, %l, %x, %n, %old, %now;"
           " .reg .pred %first, %again;\n ld.param.u64 %a, [p]; mov.u32 %h, %envreg1; mov.u32 %l, %envreg2;\n"
           " mov.b64 %w, {%l, %h}; mov.u32 %n, %nctaid.x; mov.u32 %x, %ctaid.x; setp.eq.u32 %first, %x, 0;\n"
           " sub.u32 %n, 0x80000001, %n; selp.u32 %n, %n, 1, %first;\n");
    for (int i = 0; i < 3; i++) {
        sprintf(t + strlen(t),
                " ld.volatile.global.u32 %%x, [%%w]; @%%first st.global.u32 [%%a+%d], %%x;\n"
                " ld.volatile.global.u32 %%x, [%%w+4]; and.b32 %%x, %%x, 0x80000000; @%%first st.global.u32 "
                "[%%a+%d], %%x;\n",
                8 * i, 8 * i + 4);
        if (i == 2) break;
        sprintf(t + strlen(t),
                " atom.add.release.gpu.u32 %%old, [%%w+4], %%n;\n"
                "$l%d: ld.acquire.gpu.u32 %%now, [%%w+4]; xor.b32 %%now, %%now, %%old; setp.gt.s32 %%again, "
                "%%now, -1;\n"
                " @%%again bra $l%d;\n",
                i, i);
    }
    strcat(t, " ret; }\n"
              ".visible .entry graph(.param .u64 p) {\n .reg .u64 %a, %g; ld.param.u64 %a, [p];\n"
              " mov.u64 %g, %current_graph_exec; st.global.u64 [%a], %g; ret; }\n");
    return t;
}

#endif
