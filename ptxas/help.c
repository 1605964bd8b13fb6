/* help.c - what --help, --version and --list-version print.
 *
 * Test suites question the tool by these: LLVM's reads the architectures between "--gpu-name" and the next
 * two dashes of --help, and the versions one a line of --list-version; others look for "release X, VX.Y" in
 * --version. The shape is ptxas's, the words are ours. */
#include "options.h"

#include <stdio.h>
#include <string.h>
#include "ptx_tools.h"

/* 'sm_75','sm_80',... for one prefix, wrapped. */
static size_t print_archs(ptx_profile profile, const char *prefix, size_t column, const char *last)
{
    for (size_t i = 0; ptx_known_arch(profile, i); i++) {
        char name[40];
        const int length = snprintf(name, sizeof name, "'%s%s'%s", prefix, ptx_known_arch(profile, i) + 2,
                                    ptx_known_arch(profile, i + 1) ? "," : last);
        if (column + (size_t)length > 88) {
            printf("\n        ");
            column = 8;
        }
        column += (size_t)length;
        fputs(name, stdout);
    }
    return column;
}

/* "--name VALUE                    (-letter)" */
static void print_name(const struct option_row *row)
{
    char left[80];
    const bool glued = row->value && strncmp(row->value, "[=", 2) == 0;
    snprintf(left, sizeof left, "--%s%s%s", row->name, row->value && !glued ? " " : "",
             row->value ? row->value : "");
    if (row->letter)
        printf("%-51s (-%s)\n", left, row->letter);
    else
        printf("%s\n", left);
}

static void print_row(const struct option_row *row, ptx_profile profile)
{
    print_name(row);
    printf("        %s\n", row->help);
    if (strcmp(row->name, "gpu-name") == 0) {
        printf("        Allowed values for this option:  ");
        size_t column = print_archs(profile, "compute", 41, ",");
        column = print_archs(profile, "lto", column, ",");
        print_archs(profile, "sm", column, ".\n");
    }
    putchar('\n');
}

/* Options of this program alone have no letter: NVIDIA's ptxas does not have them. */
static void print_rows(ptx_profile profile, bool own)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)); i++)
        if (row->help && !row->letter == own) print_row(row, profile);
}

void print_help(ptx_profile profile)
{
    const struct option_row *row;
    puts("\nUsage  : ptxas [options] <ptx file>,...\n");
    puts("Checks PTX as NVIDIA's ptxas does, and explains what is wrong. It is part of ptxvm, not NVIDIA's, "
         "and makes\n"
         "no machine code. Standard input is -.\n");
    puts("Options of this program\n=======================\n");
    print_rows(profile, true);
    puts("Options of NVIDIA's ptxas\n=========================\n");
    print_rows(profile, false);
    puts("Options accepted for compatibility\n==================================\n");
    puts("They steer code generation, and none happens: read, checked, and without effect.\n");
    for (size_t i = 0; (row = option_row(i)); i++)
        if (!row->help) print_name(row);
    putchar('\n');
}

void print_version(void)
{
    printf("ptxas: Ptx checker of ptxvm %d.%d (free software; not NVIDIA's ptxas, and no code generator)\n",
           PTX_VERSION_MAJOR, PTX_VERSION_MINOR);
    puts("Accepts what this release of NVIDIA's tool accepts:");
    puts("Cuda compilation tools, release 13.0, V13.0.88");
}

void print_isa_versions(ptx_profile profile)
{
    for (size_t i = 0; ptx_known_version(profile, i); i++)
        printf("%u.%u\n", ptx_known_version(profile, i) / 10, ptx_known_version(profile, i) % 10);
}
