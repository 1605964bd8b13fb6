/* kernel.h - the kernel that asks for the sizes of shared memory; for the recorder and its replay. */
#ifndef HW_SMEM_KERNEL_H
#define HW_SMEM_KERNEL_H

#include <stdio.h>

static const char *const registers[] = {"total_smem_size",          "dynamic_smem_size",
                                        "aggr_smem_size",           "reserved_smem_offset_begin",
                                        "reserved_smem_offset_end", "reserved_smem_offset_cap",
                                        "reserved_smem_offset_0",   "reserved_smem_offset_1"};
enum { REGISTERS = sizeof registers / sizeof *registers };

/* The kernel; its last word is the address of the dynamic part. */
static void write_kernel(char *text, size_t size, unsigned bytes)
{
    int n = snprintf(text, size,
                     ".version 8.6\n.target sm_90\n.address_size 64\n.extern .shared .align 4 .b8 more[];\n");
    if (bytes) n += snprintf(text + n, size - n, ".shared .b8 fixed[%u];\n", bytes);
    n += snprintf(text + n, size - n,
                  ".visible .entry k(.param .u64 out)\n{\n    .reg .b64 %%d;\n    .reg .b32 %%r;\n"
                  "    ld.param.u64 %%d, [out];\n");
    for (unsigned i = 0; i < REGISTERS; i++)
        n += snprintf(text + n, size - n, "    mov.u32 %%r, %%%s;\n    st.global.u32 [%%d+%u], %%r;\n",
                      registers[i], 4 * i);
    if (bytes) n += snprintf(text + n, size - n, "    mov.u32 %%r, fixed;\n    st.shared.b8 [%%r], %%r;\n");
    snprintf(text + n, size - n, "    mov.u32 %%r, more;\n    st.global.u32 [%%d+%u], %%r;\n    ret;\n}\n",
             4 * REGISTERS);
}

#endif
