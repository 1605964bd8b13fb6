/*
 * test_oom.c - every allocation of a module may fail.
 *
 * The n-th allocation fails, for n = 1, 2, ... until one run needs none to
 * fail; each must answer "out of memory" and give back every byte. The module
 * is medium-sized and has errors too, because diagnostics allocate.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx.h"
#include "suite.h"
#include "unit/budget.h"

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(1, *size + 1);
    *size = fread(text, 1, *size, f);
    fclose(f);
    return text;
}

/* Runs to the end with ever larger budgets; returns how many allocations a whole run takes. */
static size_t starve_one(const char *text, size_t size, ptx_status wanted, int check_only)
{
    for (size_t n = 0; n < 100000; n++) {
        struct budget budget = {.left = n};
        ptx_module_options options = {.allocator = {failing_realloc, &budget}, .check_only = check_only};
        ptx_module *module = NULL;
        ptx_status status = ptx_module_create(&options, text, size, &module);
        if (status == wanted) {
            ptx_module_destroy(module);
            assert_int_equal(budget.bytes, 0);
            return n;
        }
        assert_int_equal(status, PTX_ERROR_OUT_OF_MEMORY);
        assert_null(module);
        assert_int_equal(budget.bytes, 0);
    }
    fail_msg("never succeeded");
    return 0;
}

static size_t starve(const char *text, size_t size, ptx_status wanted)
{
    starve_one(text, size, wanted, 1);
    return starve_one(text, size, wanted, 0);
}

TEST(test_module)
{
    size_t size = 0;
    char *text = read_file("samples/quicksort.ptx", &size);
    assert_true(starve(text, size, PTX_OK) >= 5);
    free(text);
}

TEST(test_module_with_errors)
{
    char *text = calloc(1, 200000);
    size_t n = (size_t)sprintf(
        text, ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .b32 a<4>;\n");
    for (int i = 0; i < 2000; i++)
        n += (size_t)sprintf(text + n, "add.s32 a1, a%d, u%d; mov.b32 a%d, 1/%d;\n", i % 8, i, i % 4, i + 1);
    n += (size_t)sprintf(text + n, ".bad\n}\n");
    assert_true(starve(text, n, PTX_ERROR_ASSEMBLY) >= 5);
    free(text);
}

int main(void)
{
    return run_suite();
}
