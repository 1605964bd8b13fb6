/* program.c - entries, and the -v report.
 *
 * The report tells what the text tells: variables, parameters, block shapes, barriers, and how many registers
 * hold values that are still needed, in the lines of NVIDIA's tool. Registers are allocated by a code
 * generator, and there is none here; a note below says so. */
#include "program.h"

#include <stdio.h>
#include <string.h>

bool program_has_entry(const ptx_module *module, const char *name)
{
    ptx_kernel_info info = {sizeof info};
    for (size_t i = 0; i < ptx_module_kernel_count(module); i++)
        if (ptx_module_kernel(module, i, &info) == PTX_OK && strcmp(info.name, name) == 0) return true;
    return false;
}

/* "16 bytes gmem, 4 bytes cmem[3]", once for a module that has some. */
static void report_module(const ptx_module *module)
{
    uint64_t global, constant;
    ptx_module_bytes(module, &global, &constant);
    if (!global && !constant) return;
    fprintf(stderr, "%s info    : %llu bytes gmem", message_tool(), (unsigned long long)global);
    if (constant) fprintf(stderr, ", %llu bytes cmem[3]", (unsigned long long)constant);
    fputc('\n', stderr);
}

static void report_shape(const char *directive, const unsigned extent[3])
{
    if (extent[0]) fprintf(stderr, ", %s %u,%u,%u", directive, extent[0], extent[1], extent[2]);
}

static void report_bytes(size_t bytes, const char *what)
{
    if (bytes) fprintf(stderr, ", %zu bytes %s", bytes, what);
}

/*
 * NVIDIA's three lines, which scripts parse. Registers are those that hold values still needed where these
 * are most, so nothing spills; the line of our own below them says what that leaves out.
 */
static void report_kernel(const ptx_kernel_info *info, const ptx_usage *usage, const char *arch)
{
    message_plain(PTX_INFO, "Compiling entry function '%s' for '%s'", info->name, arch);
    message_plain(PTX_INFO, "Function properties for %s", info->name);
    fprintf(stderr, "    %zu bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n",
            info->local_bytes);
    fprintf(stderr, "%s info    : Used %u registers, used %u barriers", message_tool(), usage->live_registers,
            usage->barriers);
    report_bytes(info->local_bytes, "cumulative stack size");
    report_bytes(info->static_shared_bytes, "smem");
    fprintf(stderr,
            "\n        note: %u live 32-bit registers and %u predicates at most%s; none were allocated",
            usage->live_registers, usage->live_predicates,
            usage->has_calls ? ", without those of called functions" : "");
    report_bytes(info->param_bytes, "param");
    report_shape(".reqntid", info->reqntid);
    report_shape(".maxntid", info->maxntid);
    fputc('\n', stderr);
}

void program_report(const ptx_module *module, const char *arch)
{
    ptx_kernel_info info = {sizeof info};
    ptx_usage usage = {sizeof usage};
    report_module(module);
    for (size_t i = 0; i < ptx_module_kernel_count(module); i++)
        if (ptx_module_kernel(module, i, &info) == PTX_OK &&
            ptx_module_kernel_usage(module, i, &usage) == PTX_OK)
            report_kernel(&info, &usage, arch ? arch : ptx_module_target(module));
}
