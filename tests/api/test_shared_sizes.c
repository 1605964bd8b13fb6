/*
 * test_shared_sizes.c - the special registers that tell sizes of shared memory, against a chip.
 *
 * tests/hw/golden/shared_sizes.tsv was recorded by tests/hw/smem/record.c: a line for each size of static and
 * dynamic memory. The same kernel must read the same here. Addresses of shared memory begin at 0 in the VM
 * and behind the system's part on the chip: that difference is the same everywhere.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "api/replay.h"
#include "hw/smem/kernel.h"
#include "ptxvm.h"
#include "suite.h"

enum { FIRST_ADDRESS = 1024 };

static void run(ptx_device *device, unsigned fixed, unsigned dynamic, uint32_t word[REGISTERS + 1])
{
    static char text[8192];
    const size_t bytes = (REGISTERS + 1) * sizeof *word;
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address out;
    write_kernel(text, sizeof text, fixed);
    assert_int_equal(ptx_module_create(NULL, text, strlen(text), &module), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *[]){module}, 1, NULL, &program), PTX_OK);
    assert_int_equal(ptx_program_kernel(program, "k", &kernel), PTX_OK);
    assert_int_equal(ptx_memory_alloc(device, bytes, &out), PTX_OK);
    const ptx_launch_config launch = {sizeof launch, {1, 1, 1}, {1, 1, 1}, dynamic, &out, sizeof out};
    assert_int_equal(ptx_kernel_launch(kernel, &launch, NULL), PTX_OK);
    assert_int_equal(ptx_memory_read(device, word, out, bytes), PTX_OK);
    assert_int_equal(ptx_memory_free(device, out), PTX_OK);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
}

static void check_line(ptx_device *device, char *line)
{
    char *at = line;
    unsigned fixed = (unsigned)strtoul(at, &at, 10), dynamic = (unsigned)strtoul(at, &at, 10);
    uint32_t word[REGISTERS + 1];
    run(device, fixed, dynamic, word);
    for (unsigned i = 0; i <= REGISTERS; i++) {
        uint32_t want = (uint32_t)strtoul(at, &at, 10), got = word[i] + (i == REGISTERS ? FIRST_ADDRESS : 0);
        if (got != want)
            fail_msg("%u static and %u dynamic bytes: %s is %u, on the chip %u", fixed, dynamic,
                     i < REGISTERS ? registers[i] : "the address", got, want);
    }
}

TEST(sizes_are_the_chips)
{
    ptx_device *device;
    char line[256];
    unsigned lines = 0;
    FILE *golden = replay_open("shared_sizes.tsv");
    assert_non_null(golden);
    assert_int_equal(ptx_device_create(NULL, &device), PTX_OK);
    for (; fgets(line, sizeof line, golden); lines += *line != '#')
        if (*line != '#') check_line(device, line);
    fclose(golden);
    ptx_device_destroy(device);
    assert_int_equal(lines, 63);
}

int main(void)
{
    return run_suite();
}
