/* test_fold.c - what the items of a body become before products and sums are looked for. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "code/ir/contract.h"
#include "suite.h"
#include "vm/device/device.h"

static const char HEAD[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 o)\n{\n.reg .f32 %f<9>;\n"
    ".reg .f16 %h<3>;\n.reg .pred %p;\n.reg .b64 %o;\n.reg .f64 %g;\n"
    "ld.param.u64 %o, [o];\nld.global.f32 %f0, [%o];\nld.global.f32 %f1, [%o+4];\nsetp.gt.f32 %p, %f0, "
    "%f1;\n";
enum { FIRST = 4, LAST = 2 }; /* items before and behind those of the test */

static void write_operand(char **at, const struct px_irfn *f, const struct px_operand *o)
{
    if (o->kind != PX_O_NAME)
        *at += sprintf(*at, " #");
    else if (o->symbol->kind != PX_SYM_REG)
        return;
    else if (o->symbol->index >= f->fn->regs.n)
        *at += sprintf(*at, " t%u", o->symbol->index - f->fn->regs.n);
    else
        *at += sprintf(*at, " %s", o->symbol->name->text + 1);
}

/* The items of the body as text: "mov f1 f0; ...", registers that the text does not have as t0, t1. */
static void is_folded_to(const char *body, const char *want)
{
    char text[2000], have[1000] = "", *at = have;
    ptx_module *module;
    ptx_device *device;
    ptx_program *program;
    struct px_arena arena;
    jmp_buf failure;
    struct px_body d;
    const ptx_device_config config = {.workers = 1};
    snprintf(text, sizeof text, "%s%s\nst.global.f32 [%%o], %%f8;\nret;\n}\n", HEAD, body);
    assert_int_equal(ptx_module_create(NULL, text, strlen(text), &module), PTX_OK);
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program),
                     PTX_OK);
    px_arena_init(&arena, &device->alloc, &failure);
    const struct px_linked *linked = &program->linked;
    struct px_coder coder = {.keep = &arena,
                             .scratch = &arena,
                             .pass = &arena,
                             .found = &arena,
                             .linked = linked,
                             .level = device->level};
    coder.fns = PX_NEW_N(&arena, struct px_irfn *, linked->nfuncs + 1);
    coder.codes = PX_NEW_N(&arena, struct px_fcode *, linked->nfuncs + 1);
    for (uint32_t i = 0; i < linked->nfuncs; i++)
        if (linked->funcs[i].is_entry)
            assert_true(px_contract_body(&d, px_code_function(&coder, &linked->funcs[i]), true));
    for (uint32_t i = FIRST; i + LAST < d.items.n; i++) {
        const struct px_inst *inst = d.items.at[i].inst;
        at += sprintf(at, "%s%s%s", i > FIRST ? "; " : "", inst->guard ? "@ " : "", inst->opcode->text);
        for (unsigned k = 0; k < inst->nopds; k++) write_operand(&at, d.f, &inst->opds[k]);
    }
    assert_string_equal(have, want);
    px_arena_free(&arena);
    ptx_program_destroy(program);
    ptx_device_destroy(device);
    ptx_module_destroy(module);
}

/* What ptxas makes of each text was read in its code for sm_90. */
TEST(moves_in_disguise)
{
    is_folded_to("mul.f32 %f8, %f0, 0f3F800000;", "mov f8 f0");
    is_folded_to("mov.f32 %f2, 0f3F800000; mul.f32 %f8, %f2, %f0;", "mov f2 #; mov f8 f0");
    is_folded_to("div.full.f32 %f8, %f0, 0f3F800000;", "mov f8 f0");
    is_folded_to("min.f32 %f8, %f0, %f0;", "mov f8 f0");
    is_folded_to("mov.f32 %f2, %f0; max.f32 %f8, %f2, %f0;", "mov f2 f0; mov f8 f2");
    is_folded_to("neg.f32 %f2, %f0; @%p neg.f32 %f8, %f2;", "neg f2 f0; @ mov f8 f0");
}

TEST(signs_of_choices)
{
    is_folded_to("abs.f32 %f2, %f0; selp.f32 %f8, %f2, %f1, %p;", "abs f2 f0; and t0 f0 #; selp f8 t0 f1 p");
    is_folded_to("neg.f32 %f2, %f0; @%p selp.f32 %f8, %f1, %f2, %p;",
                 "neg f2 f0; @ xor t0 f0 #; @ selp f8 f1 t0 p");
    is_folded_to("neg.f32 %f2, %f0; abs.f32 %f3, %f2; neg.f32 %f4, %f3; slct.f32.f32 %f8, %f4, %f1, %f1;",
                 "neg f2 f0; abs f3 f2; neg f4 f3; or t0 f0 #; slct f8 t0 f1 f1");
    is_folded_to("abs.f32 %f2, %f0; mov.f32 %f0, %f1; selp.f32 %f8, %f2, %f1, %p;",
                 "mov t0 f0; abs f2 f0; mov f0 f1; and t1 t0 #; selp f8 t1 f1 p");
    is_folded_to("abs.f32 %f2, %f0; @%p bra L; mov.f32 %f3, %f1; L: selp.f32 %f8, %f2, %f1, %p;",
                 "mov t0 f0; abs f2 f0; @ bra; mov f3 f1; and t1 t0 #; selp f8 t1 f1 p");
    is_folded_to("abs.ftz.f32 %f2, %f0; selp.f32 %f8, %f2, %f1, %p;", "abs f2 f0; selp f8 f2 f1 p");
    is_folded_to("abs.f32 %f2, %f0; selp.b32 %f8, %f2, %f1, %p;", "abs f2 f0; selp f8 f2 f1 p");
    is_folded_to("abs.f32 %f2, %f0; @%p mov.f32 %f2, %f1; selp.f32 %f8, %f2, %f1, %p;",
                 "abs f2 f0; @ mov f2 f1; selp f8 f2 f1 p");
}

TEST(signs_of_wide_values)
{
    is_folded_to("abs.f32 %f2, %f0; cvt.f64.f32 %g, %f2;", "abs f2 f0; cvt t0 f0; abs g t0");
    is_folded_to("abs.f32 %f2, %f0; neg.f32 %f3, %f2; cvt.f64.f32 %g, %f3;",
                 "abs f2 f0; neg f3 f2; cvt t0 f0; abs t1 t0; neg g t1");
    is_folded_to("neg.f32 %f2, %f0; cvt.ftz.f64.f32 %g, %f2;", "neg f2 f0; cvt g f2");
}

TEST(what_computes_stays)
{
    is_folded_to("mul.ftz.f32 %f8, %f0, 0f3F800000;", "mul f8 f0 #");
    is_folded_to("mul.rn.f32 %f8, %f0, 0f3F800000;", "mul f8 f0 #");
    is_folded_to("mul.f32 %f8, %f0, 0fBF800000;", "mul f8 f0 #");
    is_folded_to("min.NaN.f32 %f8, %f0, %f0; neg.f32 %f2, %f0;", "min f8 f0 f0; neg f2 f0");
    is_folded_to("mov.f32 %f2, %f0; neg.f32 %f0, %f1; max.f32 %f8, %f2, %f0;",
                 "mov f2 f0; neg f0 f1; max f8 f2 f0");
    is_folded_to("neg.ftz.f32 %f2, %f0; neg.f32 %f8, %f2; neg.f32 %f3, %f1;",
                 "neg f2 f0; neg f8 f2; neg f3 f1");
    is_folded_to("rcp.approx.f32 %f2, %f0; rcp.approx.ftz.f32 %f8, %f2;", "rcp f2 f0; rcp f8 f2");
}

TEST(reciprocals_of_reciprocals)
{
    is_folded_to("rcp.approx.ftz.f32 %f2, %f0; rcp.approx.ftz.f32 %f8, %f2;", "rcp f2 f0; mov f8 f0");
    is_folded_to("rcp.approx.ftz.f32 %f2, %f0; div.approx.ftz.f32 %f8, %f1, %f2;", "rcp f2 f0; mul f8 f1 f0");
    is_folded_to("rcp.approx.ftz.f32 %f2, %f0; rcp.approx.ftz.f32 %f3, %f2; rcp.approx.ftz.f32 %f8, %f3;",
                 "rcp f2 f0; mov f3 f0; rcp f8 f3");
}

/* The source is written again, or a label lies between. */
TEST(sources_are_kept)
{
    is_folded_to("rcp.approx.ftz.f32 %f0, %f0; rcp.approx.ftz.f32 %f8, %f0;",
                 "mov t0 f0; rcp f0 f0; mov f8 t0");
    is_folded_to("rcp.approx.ftz.f32 %f2, %f0; @%p bra L; neg.f32 %f0, %f1; L: rcp.approx.ftz.f32 %f8, %f2;",
                 "mov t0 f0; rcp f2 f0; @ bra; neg f0 f1; mov f8 t0");
    is_folded_to("rcp.approx.ftz.f32 %f2, %f0; @%p bra L; rcp.approx.ftz.f32 %f2, %f1; L: rcp.approx.ftz.f32 "
                 "%f8, %f2;",
                 "rcp f2 f0; @ bra; rcp f2 f1; rcp f8 f2");
    is_folded_to("@%p rcp.approx.ftz.f32 %f2, %f0; rcp.approx.ftz.f32 %f8, %f2;", "@ rcp f2 f0; rcp f8 f2");
}

TEST(exponentials_with_one_reader)
{
    is_folded_to("ex2.approx.ftz.f32 %f2, %f0; rcp.approx.ftz.f32 %f8, %f2;",
                 "ex2 f2 f0; neg t0 f0; ex2 f8 t0");
    is_folded_to("ex2.approx.ftz.f32 %f2, %f0; max.f32 %f3, %f2, %f2; div.approx.ftz.f32 %f8, %f1, %f3;",
                 "ex2 f2 f0; mov f3 f2; neg t1 f0; ex2 t0 t1; mul f8 f1 t0");
    is_folded_to("ex2.approx.ftz.f32 %f2, %f0; rcp.approx.ftz.f32 %f8, %f2; add.f32 %f8, %f8, %f2;",
                 "ex2 f2 f0; rcp f8 f2; add f8 f8 f2");
    is_folded_to("ex2.approx.ftz.f32 %f2, %f0; ex2.approx.ftz.f32 %f3, %f0; rcp.approx.ftz.f32 %f8, %f3;\n"
                 "add.f32 %f8, %f8, %f2;",
                 "ex2 f2 f0; ex2 f3 f0; rcp f8 f3; add f8 f8 f2");
}

int main(void)
{
    return run_suite();
}
