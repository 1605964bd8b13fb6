/* test_contract.c - which items of a function become one fma, and what is left of the others. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "code/ir/contract.h"
#include "suite.h"
#include "vm/device/device.h"

struct subject {
    ptx_module *module;
    ptx_device *device;
    ptx_program *program;
    struct px_arena arena;
    struct px_coder coder;
    struct px_body body;
    jmp_buf failure;
};

static const char HEAD[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 o)\n{\n.reg .f32 %f<9>;\n"
    ".reg .b32 %r<9>;\n.reg .pred %p;\n.reg .b64 %o;\n"
    "ld.param.u64 %o, [o];\nld.global.f32 %f0, [%o];\nld.global.f32 %f1, [%o+4];\n";
enum { FIRST = 3 }; /* the first item of the body */

/* Decides about a body that stores %f8; the result is by item, FIRST for the body's first. */
static struct px_contracted *decide(struct subject *s, const char *body)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s\nst.global.f32 [%%o], %%f8;\nret;\n}\n", HEAD, body);
    const ptx_device_config config = {.workers = 1};
    assert_int_equal(ptx_module_create(NULL, text, strlen(text), &s->module), PTX_OK);
    assert_int_equal(ptx_device_create(&config, &s->device), PTX_OK);
    assert_int_equal(
        ptx_program_create(s->device, (const ptx_module *const *)&s->module, 1, NULL, &s->program), PTX_OK);
    px_arena_init(&s->arena, &s->device->alloc, &s->failure);
    const struct px_linked *linked = &s->program->linked;
    s->coder = (struct px_coder){.keep = &s->arena,
                                 .scratch = &s->arena,
                                 .pass = &s->arena,
                                 .linked = linked,
                                 .level = s->device->level};
    s->coder.fns = PX_NEW_N(&s->arena, struct px_irfn *, linked->nfuncs + 1);
    s->coder.codes = PX_NEW_N(&s->arena, struct px_fcode *, linked->nfuncs + 1);
    for (uint32_t i = 0; i < linked->nfuncs; i++)
        if (linked->funcs[i].is_entry)
            assert_true(px_contract_body(&s->body, px_code_function(&s->coder, &linked->funcs[i]), true));
    return px_contract_find(&s->body);
}

static void done(struct subject *s)
{
    px_arena_free(&s->arena);
    ptx_program_destroy(s->program);
    ptx_device_destroy(s->device);
    ptx_module_destroy(s->module);
}

TEST(a_product_with_one_reader_goes)
{
    struct subject s = {0};
    const struct px_contracted *c = decide(&s, "mul.f32 %f2, %f0, %f1; sub.f32 %f8, %f1, %f2;");
    assert_non_null(c);
    assert_int_equal(c[FIRST + 1].product, FIRST);
    assert_true(c[FIRST + 1].second);
    assert_false(c[FIRST + 1].minus);
    assert_true(c[FIRST].gone);
    done(&s);
}

TEST(nothing_to_do_says_null)
{
    struct subject s = {0}, t = {0};
    assert_null(decide(&s, "mul.rn.f32 %f2, %f0, %f1; sub.f32 %f8, %f1, %f2;"));
    assert_null(decide(&t, "mul.f32 %f2, %f0, %f1; mul.f32 %f8, %f1, %f2;"));
    done(&s);
    done(&t);
}

/* The first sum takes its product in before the other is known to need it; so the product stays for that. */
TEST(a_product_may_be_taken_and_stay)
{
    struct subject s = {0};
    const struct px_contracted *c =
        decide(&s, "mul.f32 %f2, %f0, %f1; mul.f32 %f3, %f1, %f1;\n"
                   "sub.f32 %f4, %f2, %f0; sub.f32 %f5, %f3, %f0; add.f32 %f6, %f3, %f2;\n"
                   "mul.rn.f32 %f8, %f4, %f5; mul.rn.f32 %f8, %f8, %f6;");
    assert_int_equal(c[FIRST + 2].product, FIRST);
    assert_int_equal(c[FIRST + 3].product, FIRST + 1);
    assert_int_equal(c[FIRST + 4].product, FIRST + 1);
    assert_true(c[FIRST + 1].gone);
    assert_false(c[FIRST].gone);
    done(&s);
}

TEST(a_register_that_lives_on_keeps_its_product)
{
    struct subject s = {0}, t = {0};
    assert_null(decide(&s, "mul.f32 %f2, %f0, %f1; add.f32 %f8, %f2, %f1; setp.gt.f32 %p, %f8, %f1;\n"
                           "@%p bra L; mov.f32 %f8, %f2; L:"));
    const struct px_contracted *c =
        decide(&t, "mul.f32 %f2, %f0, %f1; add.f32 %f8, %f2, %f1; setp.gt.f32 %p, %f8, %f1;\n"
                   "@%p bra L; mov.f32 %f2, %f1; mov.f32 %f8, %f2; L:");
    assert_int_equal(c[FIRST + 1].product, FIRST);
    done(&s);
    done(&t);
}

TEST(packed_products_go_in_the_order_of_the_sums)
{
    struct subject s = {0}, t = {0};
    const struct px_contracted *c =
        decide(&s, "mul.f32 %f2, %f0, %f1; mul.f32 %f3, %f1, %f1; add.f32 %f4, %f2, %f0;\n"
                   "add.f32 %f5, %f2, %f3; mul.rn.f32 %f8, %f4, %f5;");
    assert_int_equal(c[FIRST + 2].product, PX_NONE32);
    assert_int_equal(c[FIRST + 3].product, FIRST + 1);
    c = decide(&t, "mul.f16x2 %r2, %r0, %r1; mul.f16x2 %r3, %r1, %r1; add.f16x2 %r4, %r2, %r0; add.f16x2 "
                   "%r5, %r2, %r3;\n"
                   "st.global.b32 [%o+8], %r4; st.global.b32 [%o+12], %r5; mov.f32 %f8, %f0;");
    assert_int_equal(c[FIRST + 2].product, FIRST);
    assert_int_equal(c[FIRST + 3].product, FIRST + 1);
    done(&s);
    done(&t);
}

/* A product by a constant is taken in behind labels and barriers, too; its factor is kept where it changes.
 */
TEST(a_product_by_a_constant_crosses_blocks)
{
    struct subject s = {0}, t = {0}, u = {0};
    const struct px_contracted *c = decide(&s, "mul.f32 %f2, %f0, 0f40400000; setp.gt.f32 %p, %f0, %f1;\n"
                                               "@%p bra L; mov.f32 %f1, %f0; L: add.f32 %f8, %f2, %f1;");
    assert_non_null(c);
    assert_int_equal(c[FIRST + 4].product, FIRST);
    assert_true(c[FIRST].gone);
    assert_null(decide(&t, "mul.f32 %f2, %f0, %f0; setp.gt.f32 %p, %f0, %f1;\n"
                           "@%p bra L; mov.f32 %f1, %f0; L: add.f32 %f8, %f2, %f1;"));
    assert_null(decide(&u,
                       "L: add.f32 %f8, %f2, %f1; mul.f32 %f2, %f0, 0f40400000; setp.gt.f32 %p, %f8, %f1;\n"
                       "@%p bra L;"));
    done(&s);
    done(&t);
    done(&u);
}

int main(void)
{
    return run_suite();
}
