/* recorded_texture.c - the instructions of tests/hw/golden/texture.sum, as tests/hw/texture/record.cu has
 * them. */
#include <stdio.h>
#include <string.h>
#include "hw/texture/case.h"
#include "fidelity.h"

/* By op: what stands before the geometry, the type of the coordinates, what follows the address. */
static const struct {
    const char *name, *type, *flat, *plane, *volume;
} ops[OP_OPS] = {
    [OP_TEX] = {"tex", "v4.u32.f32", "", "", ""},
    [OP_LEVEL] = {"tex.level", "v4.u32.f32", ", %f4", ", %f4", ", %f4"},
    [OP_GRAD] = {"tex.grad", "v4.u32.f32", ", {%f1}, {%f2}", ", {%f1,%f2}, {%f3,%f4}",
                 ", {%f1,%f2,%f3,%f3}, {%f4,%f5,%f6,%f6}"},
    [OP_GATHER] = {"tld4.r", "v4.u32.f32", "", "", ""},
    [OP_INT] = {"tex", "v4.u32.s32", "", "", ""},
    [OP_INT_LEVEL] = {"tex.level", "v4.u32.s32", ", %r4", ", %r4", ", %r4"},
    [OP_OFFSET] = {"tex", "v4.u32.f32", ", %r5", ", {%r5,%r6}", ", {%r5,%r6,%r7,%r7}"},
    [OP_HALVES] = {"tex", "v2.f16x2.f32", "", "", ""},
    [OP_GATHER_OFFSET] = {"tld4.r", "v4.u32.f32", "", ", {%r5,%r6}", ""},
    [OP_COMPARE] = {"tex", "v4.u32.f32", ", %f7", ", %f7", ", %f7"},
    [OP_GATHER_COMPARE] = {"tld4.r", "v4.u32.f32", ", %f7", ", %f7", ", %f7"},
};

/* By kind: the geometry, the coordinates ('?' is the letter of their registers), how many count. */
static const struct {
    const char *name, *coordinates;
    int axes;
} kinds[] = {{"1d", "%?1", 1},
             {"2d", "%?1,%?2", 2},
             {"3d", "%?1,%?2,%?3,%?3", 3},
             {"a1d", "%r0,%?1", 1},
             {"a2d", "%r0,%?1,%?2,%?2", 2},
             {"cube", "%?1,%?2,%?3,%?3", 3},
             {"acube", "%r0,%?1,%?2,%?3", 3}};

static void tell(const struct tex_case *c, take_text *take)
{
    char coordinates[64], text[512];
    const bool integer = c->op == OP_INT || c->op == OP_INT_LEVEL;
    snprintf(coordinates, sizeof coordinates, "%s", kinds[c->kind].coordinates);
    for (char *at = coordinates; (at = strchr(at, '?'));) *at = integer ? 'r' : 'f';
    const int axes = kinds[c->kind].axes;
    const char *rest = axes == 1 ? ops[c->op].flat : axes == 2 ? ops[c->op].plane : ops[c->op].volume;
    snprintf(text, sizeof text,
             ".version 8.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 t)\n{\n"
             ".reg .b32 %%r<16>; .reg .f32 %%f<16>; .reg .b64 %%rd;\nld.param.u64 %%rd, [t];\n"
             "%s.%s.%s %s, [%%rd, {%s}]%s;\nret;\n}\n",
             ops[c->op].name, kinds[c->kind].name, ops[c->op].type,
             c->op == OP_HALVES ? "{%r12,%r13}" : "{%r12,%r13,%r14,%r15}", coordinates, rest);
    take(text);
}

int recorded_texture(const char *hw, take_text *take)
{
    char line[CASE_LINE + 64];
    bool seen[OP_OPS][sizeof kinds / sizeof *kinds] = {{false}};
    snprintf(line, sizeof line, "%s/golden/texture.sum", hw);
    FILE *golden = fopen(line, "r");
    while (golden && fgets(line, sizeof line, golden)) {
        struct tex_case c;
        int at = 0;
        if (sscanf(line, "%*x %*x %n", &at) || !at || !case_parse(&c, line + at)) return fclose(golden), 0;
        if (!seen[c.op][c.kind]) tell(&c, take);
        seen[c.op][c.kind] = true;
    }
    if (golden) fclose(golden);
    return golden != NULL;
}
