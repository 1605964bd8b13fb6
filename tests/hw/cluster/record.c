// What launches of clusters, occupancy and attributes of functions answer: a line a case, each in a process
// of its own. `record [PART PARTS]`
#include "../../cuda/driver.h"
#include "../common/child.h"
#include <stdint.h>

enum { WORDS = 24, BLOCKS_MAX = 4096, SHOWN = 24 };

// Each block stores what it finds in its special registers.
#define BODY                                                                                                 \
    "{\n.reg .b32 %r<40>;\n.reg .b64 %d<5>;\n.reg .pred %p<3>;\n"                                            \
    "ld.param.u64 %d1, [to];\nsetp.eq.u64 %p2, %d1, 0;\n@%p2 ret;\n"                                         \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\n"                               \
    "mov.u32 %r4, %nctaid.x;\nmov.u32 %r5, %nctaid.y;\nmov.u32 %r6, %nctaid.z;\n"                            \
    "mad.lo.u32 %r7, %r3, %r5, %r2;\nmad.lo.u32 %r7, %r7, %r4, %r1;\nmad.wide.u32 %d1, %r7, 96, %d1;\n"      \
    "mov.u32 %r8, 1;\nst.global.u32 [%d1], %r8;\n"                                                           \
    "mov.u32 %r10, %clusterid.x;\nmov.u32 %r11, %clusterid.y;\nmov.u32 %r12, %clusterid.z;\n"                \
    "mov.u32 %r13, %nclusterid.x;\nmov.u32 %r14, %nclusterid.y;\nmov.u32 %r15, %nclusterid.z;\n"             \
    "mov.u32 %r16, %cluster_ctaid.x;\nmov.u32 %r17, %cluster_ctaid.y;\nmov.u32 %r18, %cluster_ctaid.z;\n"    \
    "mov.u32 %r19, %cluster_nctaid.x;\nmov.u32 %r20, %cluster_nctaid.y;\nmov.u32 %r21, %cluster_nctaid.z;\n" \
    "mov.u32 %r22, %cluster_ctarank;\nmov.u32 %r23, %cluster_nctarank;\nmov.pred %p1, "                      \
    "%is_explicit_cluster;\n"                                                                                \
    "selp.u32 %r24, 1, 0, %p1;\n"                                                                            \
    "st.global.v4.u32 [%d1+16], {%r10, %r11, %r12, %r13};\nst.global.v4.u32 [%d1+32], {%r14, %r15, %r16, "   \
    "%r17};\n"                                                                                               \
    "st.global.v4.u32 [%d1+48], {%r18, %r19, %r20, %r21};\nst.global.v4.u32 [%d1+64], {%r22, %r23, %r24, "   \
    "%r4};\n"                                                                                                \
    "st.global.v4.u32 [%d1+80], {%r5, %r6, %r1, %r2};\nret;\n}\n"
#define KERNEL(name, directives) ".visible .entry " name "(.param .u64 to) " directives "\n" BODY

static const char text[] = ".version 8.6\n.target sm_90\n.address_size 64\n" KERNEL("free", "")
    KERNEL("needs", ".explicitcluster") KERNEL("two", ".reqnctapercluster 2, 1, 1")
        KERNEL("square", ".reqnctapercluster 2, 2, 1") KERNEL("deep", ".reqnctapercluster 1, 2, 2")
            KERNEL("both", ".explicitcluster .reqnctapercluster 2, 1, 1")
                KERNEL("one", ".reqnctapercluster 1") KERNEL("most4", ".maxclusterrank 4")
                    KERNEL("most1", ".maxclusterrank 1") KERNEL("most16", ".maxclusterrank 16")
                        KERNEL("needs4", ".explicitcluster .maxclusterrank 4")
                            KERNEL("sixteen", ".reqnctapercluster 16") KERNEL("ten", ".reqnctapercluster 10")
                                KERNEL("large", ".maxntid 1024") KERNEL("threads", ".reqntid 128");
static const char text9[] = ".version 9.0\n.target sm_90\n.address_size 64\n" KERNEL(
    "mapped", ".blocksareclusters .reqntid 32 .reqnctapercluster 2");

enum what { LAUNCH, ACTIVE, LARGEST, ATTRIBUTES, SET, PLAIN, DEVICE };
struct question {
    enum what what;
    const char *kernel;
    unsigned grid[3], block, cluster[3];
    int given, open, shared, cooperative, policy, attribute, value;
};
#define GIVEN(x, y, z) .cluster = {x, y, z}, .given = 1

static const struct question questions[] = {
#define L(name, gx, gy, gz, ...)                                                                             \
    {                                                                                                        \
        LAUNCH, name, {gx, gy, gz}, 32, .policy = -1, __VA_ARGS__                                            \
    }
    L("free", 4, 1, 1, GIVEN(2, 1, 1)),
    L("free", 4, 2, 1, GIVEN(2, 2, 1)),
    L("free", 4, 2, 3, GIVEN(2, 1, 3)),
    L("free", 6, 2, 2, GIVEN(3, 1, 2)),
    L("free", 1, 4, 2, GIVEN(1, 4, 2)),
    L("free", 2, 2, 4, GIVEN(2, 2, 2)),
    L("free", 4, 1, 1, GIVEN(1, 1, 1)),
    L("free", 4, 1, 1, .given = 0),
    L("free", 5, 1, 1, GIVEN(2, 1, 1)),
    L("free", 4, 3, 1, GIVEN(2, 2, 1)),
    L("free", 4, 4, 3, GIVEN(2, 2, 2)),
    L("free", 4, 1, 1, GIVEN(0, 1, 1)),
    L("free", 4, 1, 1, GIVEN(2, 0, 1)),
    L("free", 4, 1, 1, GIVEN(2, 1, 0)),
    L("free", 4, 1, 1, GIVEN(0, 0, 0)),
    L("free", 4, 1, 1, GIVEN(8, 1, 1)),
    L("free", 8, 1, 1, GIVEN(8, 1, 1)),
    L("free", 9, 1, 1, GIVEN(9, 1, 1)),
    L("free", 9, 1, 1, GIVEN(9, 1, 1), .open = 1),
    L("free", 16, 1, 1, GIVEN(16, 1, 1)),
    L("free", 16, 1, 1, GIVEN(16, 1, 1), .open = 1),
    L("free", 4, 4, 1, GIVEN(4, 4, 1), .open = 1),
    L("free", 17, 1, 1, GIVEN(17, 1, 1), .open = 1),
    L("free", 32, 1, 1, GIVEN(32, 1, 1), .open = 1),
    L("free", 7, 1, 1, GIVEN(7, 1, 1)),
    L("free", 12, 1, 1, GIVEN(3, 1, 1)),
    L("free", 12, 1, 1, GIVEN(6, 1, 1)),
    L("free", 12, 1, 1, GIVEN(12, 1, 1), .open = 1),
    L("free", 30, 1, 1, GIVEN(15, 1, 1), .open = 1),
    L("free", 4096, 1, 1, GIVEN(8, 1, 1)),
    L("free", 64, 8, 8, GIVEN(2, 2, 2)),
    L("free", 4, 1, 1, GIVEN(2, 1, 1), .shared = 40000),
    L("free", 8, 1, 1, GIVEN(2, 1, 1), .cooperative = 1),
    L("free", 2048, 1, 1, GIVEN(2, 1, 1), .cooperative = 1),
    L("free", 4, 1, 1, GIVEN(2, 1, 1), .policy = 0),
    L("free", 4, 1, 1, GIVEN(2, 1, 1), .policy = 1),
    L("free", 4, 1, 1, GIVEN(2, 1, 1), .policy = 2),
    L("free", 4, 1, 1, GIVEN(2, 1, 1), .policy = 7),
    L("free", 4, 1, 1, .policy = 1),
    L("needs", 4, 1, 1, .given = 0),
    L("needs", 4, 1, 1, GIVEN(2, 1, 1)),
    L("needs", 4, 1, 1, GIVEN(1, 1, 1)),
    L("needs", 3, 1, 1, GIVEN(2, 1, 1)),
    L("two", 4, 1, 1, .given = 0),
    L("two", 4, 1, 1, GIVEN(2, 1, 1)),
    L("two", 4, 1, 1, GIVEN(4, 1, 1)),
    L("two", 4, 1, 1, GIVEN(1, 1, 1)),
    L("two", 3, 1, 1, .given = 0),
    L("two", 1, 1, 1, .given = 0),
    L("two", 4, 3, 2, .given = 0),
    L("square", 4, 2, 1, .given = 0),
    L("square", 4, 1, 1, .given = 0),
    L("square", 4, 4, 1, GIVEN(4, 1, 1)),
    L("deep", 2, 2, 2, .given = 0),
    L("both", 4, 1, 1, .given = 0),
    L("both", 4, 1, 1, GIVEN(2, 1, 1)),
    L("both", 4, 1, 1, GIVEN(4, 1, 1)),
    L("one", 4, 1, 1, .given = 0),
    L("one", 4, 1, 1, GIVEN(1, 1, 1)),
    L("one", 4, 1, 1, GIVEN(2, 1, 1)),
    L("most4", 4, 1, 1, .given = 0),
    L("most4", 4, 1, 1, GIVEN(4, 1, 1)),
    L("most4", 8, 1, 1, GIVEN(8, 1, 1)),
    L("most1", 4, 1, 1, .given = 0),
    L("most1", 4, 1, 1, GIVEN(1, 1, 1)),
    L("most1", 4, 1, 1, GIVEN(2, 1, 1)),
    L("most16", 16, 1, 1, GIVEN(16, 1, 1)),
    L("most16", 16, 1, 1, GIVEN(16, 1, 1), .open = 1),
    L("needs4", 4, 1, 1, .given = 0),
    L("needs4", 4, 1, 1, GIVEN(4, 1, 1)),
    L("needs4", 8, 1, 1, GIVEN(8, 1, 1)),
    L("sixteen", 16, 1, 1, .given = 0),
    L("sixteen", 16, 1, 1, .given = 0, .open = 1),
    L("ten", 10, 1, 1, .given = 0),
    L("ten", 20, 1, 1, .given = 0, .open = 1),
    L("mapped", 4, 1, 1, .given = 0),
    L("mapped", 3, 1, 1, .given = 0),
    L("mapped", 4, 1, 1, GIVEN(2, 1, 1)),
#define P(name, gx)                                                                                          \
    {                                                                                                        \
        PLAIN, name, {gx, 1, 1}, 32                                                                          \
    }
    P("free", 4),
    P("needs", 4),
    P("two", 4),
    P("two", 3),
    P("both", 4),
    P("one", 4),
    P("most4", 4),
    P("sixteen", 16),
    P("mapped", 2),
#define G(name)                                                                                              \
    {                                                                                                        \
        ATTRIBUTES, name                                                                                     \
    }
    G("free"),
    G("needs"),
    G("two"),
    G("square"),
    G("deep"),
    G("both"),
    G("one"),
    G("most4"),
    G("most16"),
    G("needs4"),
    G("sixteen"),
    G("mapped"),
#define S(name, a, v)                                                                                        \
    {                                                                                                        \
        SET, name, .attribute = a, .value = v                                                                \
    }
    S("free", 10, 0),
    S("free", 10, 1),
    S("free", 10, 2),
    S("free", 11, 0),
    S("free", 11, 1),
    S("free", 11, 2),
    S("free", 11, 9),
    S("free", 11, 100),
    S("free", 11, -1),
    S("free", 12, 2),
    S("free", 13, 2),
    S("free", 14, 0),
    S("free", 14, 1),
    S("free", 14, 2),
    S("free", 14, -1),
    S("free", 15, 0),
    S("free", 15, 1),
    S("free", 15, 2),
    S("free", 15, 3),
    S("free", 15, -1),
    S("two", 11, 2),
    S("two", 11, 4),
    S("two", 11, 0),
    S("two", 12, 1),
    S("two", 12, 2),
    S("two", 14, 1),
    S("needs", 11, 2),
    S("needs", 10, 0),
    S("needs", 10, 1),
    S("sixteen", 14, 1),
    S("one", 11, 2),
    S("one", 11, 1),
#define A(name, blk, ...)                                                                                    \
    {                                                                                                        \
        ACTIVE, name, {1, 1, 1}, blk, .policy = -1, __VA_ARGS__                                              \
    }
    A("free", 32, GIVEN(1, 1, 1)),
    A("free", 32, GIVEN(2, 1, 1)),
    A("free", 32, GIVEN(3, 1, 1)),
    A("free", 32, GIVEN(4, 1, 1)),
    A("free", 32, GIVEN(5, 1, 1)),
    A("free", 32, GIVEN(6, 1, 1)),
    A("free", 32, GIVEN(7, 1, 1)),
    A("free", 32, GIVEN(8, 1, 1)),
    A("free", 32, GIVEN(2, 2, 1)),
    A("free", 32, GIVEN(2, 2, 2)),
    A("free", 32, GIVEN(9, 1, 1)),
    A("free", 32, GIVEN(16, 1, 1)),
    A("free", 32, GIVEN(16, 1, 1), .open = 1),
    A("free", 32, GIVEN(9, 1, 1), .open = 1),
    A("free", 32, GIVEN(10, 1, 1), .open = 1),
    A("free", 32, GIVEN(12, 1, 1), .open = 1),
    A("free", 32, GIVEN(14, 1, 1), .open = 1),
    A("free", 32, GIVEN(17, 1, 1), .open = 1),
    A("free", 32, .given = 0),
    A("free", 32, GIVEN(0, 1, 1)),
    A("free", 0, GIVEN(2, 1, 1)),
    A("free", 2000, GIVEN(2, 1, 1)),
    A("free", 128, GIVEN(1, 1, 1)),
    A("free", 128, GIVEN(2, 1, 1)),
    A("free", 128, GIVEN(4, 1, 1)),
    A("free", 128, GIVEN(8, 1, 1)),
    A("free", 256, GIVEN(1, 1, 1)),
    A("free", 256, GIVEN(2, 1, 1)),
    A("free", 256, GIVEN(4, 1, 1)),
    A("free", 256, GIVEN(8, 1, 1)),
    A("free", 1024, GIVEN(1, 1, 1)),
    A("free", 1024, GIVEN(2, 1, 1)),
    A("free", 1024, GIVEN(4, 1, 1)),
    A("free", 1024, GIVEN(8, 1, 1)),
    A("free", 1024, GIVEN(16, 1, 1), .open = 1),
    A("free", 768, GIVEN(2, 1, 1)),
    A("free", 256, GIVEN(2, 1, 1), .shared = 100000),
    A("free", 256, GIVEN(4, 1, 1), .shared = 100000),
    A("free", 256, GIVEN(8, 1, 1), .shared = 100000),
    A("free", 256, GIVEN(2, 1, 1), .shared = 200000),
    A("free", 256, GIVEN(4, 1, 1), .shared = 200000),
    A("free", 256, GIVEN(8, 1, 1), .shared = 200000),
    A("free", 256, GIVEN(16, 1, 1), .shared = 200000, .open = 1),
    A("free", 256, GIVEN(2, 1, 1), .shared = 232448),
    A("free", 256, GIVEN(2, 1, 1), .shared = 240000),
    A("free", 32, GIVEN(8, 1, 1), .shared = 20000),
    A("free", 64, GIVEN(8, 1, 1), .shared = 50000),
    A("two", 32, GIVEN(2, 1, 1)),
    A("two", 32, GIVEN(4, 1, 1)),
    A("two", 32, .given = 0),
    A("square", 32, .given = 0),
    A("needs", 32, .given = 0),
    A("most4", 32, GIVEN(8, 1, 1)),
    A("sixteen", 32, .given = 0),
    A("sixteen", 32, .given = 0, .open = 1),
    A("large", 1024, GIVEN(2, 1, 1)),
    A("free", 32, GIVEN(2, 1, 1), .policy = 1),
    A("free", 32, GIVEN(2, 1, 1), .policy = 2),
    {ACTIVE, "free", {3, 1, 1}, 32, GIVEN(2, 1, 1), .policy = -1},
    {ACTIVE, "free", {64, 1, 1}, 32, GIVEN(2, 1, 1), .policy = -1},
#define M(name, blk, ...)                                                                                    \
    {                                                                                                        \
        LARGEST, name, {1, 1, 1}, blk, .policy = -1, __VA_ARGS__                                             \
    }
    M("free", 32, .given = 0),
    M("free", 32, .open = 1),
    M("free", 1024, .given = 0),
    M("free", 1024, .open = 1),
    M("free", 256, .shared = 200000),
    M("free", 256, .shared = 200000, .open = 1),
    M("free", 0, .given = 0),
    M("free", 2000, .given = 0),
    M("free", 32, GIVEN(2, 1, 1)),
    M("two", 32, .given = 0),
    M("two", 32, .open = 1),
    M("square", 32, .given = 0),
    M("most4", 32, .given = 0),
    M("most1", 32, .given = 0),
    M("most16", 32, .given = 0),
    M("most16", 32, .open = 1),
    M("needs", 32, .given = 0),
    M("sixteen", 32, .given = 0),
    M("one", 32, .given = 0),
    M("free", 256, .shared = 240000),
    {DEVICE, ""},
};

static CUfunction function;

static CUresult load(const char *name)
{
    CUmodule module;
    CUdevice device;
    CUcontext context;
    CUresult r = cuInit(0);
    if (!r) r = cuDeviceGet(&device, 0);
    if (!r) r = cuDevicePrimaryCtxRetain(&context, device);
    if (!r) r = cuCtxSetCurrent(context);
    if (!r && *name) r = cuModuleLoadData(&module, !strcmp(name, "mapped") ? text9 : text);
    if (!r && *name) r = cuModuleGetFunction(&function, module, name);
    return r;
}

static CUresult prepare(const struct question *q)
{
    CUresult r = CUDA_SUCCESS;
    if (q->open) printf(" open %d", r = cuFuncSetAttribute(function, 14, 1));
    if (q->shared) r = cuFuncSetAttribute(function, 8, q->shared);
    if (r) printf(" set %d", r);
    return r;
}

static CUlaunchConfig config_of(const struct question *q, CUlaunchAttribute attributes[3])
{
    CUlaunchConfig c;
    unsigned n = 0;
    memset(&c, 0, sizeof c);
    memset(attributes, 0, 3 * sizeof *attributes);
    c.gridDimX = q->grid[0], c.gridDimY = q->grid[1], c.gridDimZ = q->grid[2];
    c.blockDimX = q->block, c.blockDimY = c.blockDimZ = 1;
    c.sharedMemBytes = (unsigned)q->shared;
    if (q->given) {
        attributes[n].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attributes[n].value.clusterDim.x = q->cluster[0];
        attributes[n].value.clusterDim.y = q->cluster[1];
        attributes[n++].value.clusterDim.z = q->cluster[2];
    }
    if (q->cooperative) {
        attributes[n].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[n++].value.cooperative = 1;
    }
    if (q->policy >= 0) {
        attributes[n].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
        *(int *)(void *)&attributes[n++].value = q->policy;
    }
    c.attrs = attributes;
    c.numAttrs = n;
    return c;
}

// The shape, and where the blocks stand in their clusters.
static void tell_blocks(const uint32_t *w)
{
    unsigned n = 0;
    for (unsigned i = 0; i < BLOCKS_MAX; i++) n += w[i * WORDS] == 1;
    printf(" %u blocks", n);
    for (unsigned i = 0, shown = 0; i < BLOCKS_MAX && shown < SHOWN; i++) {
        const uint32_t *b = w + i * WORDS;
        if (*b != 1) continue;
        shown++;
        printf("; %u,%u of %u,%u,%u: cluster %u,%u,%u of %u,%u,%u, block %u,%u,%u of %u,%u,%u, %u of %u, %u",
               b[22], b[23], b[19], b[20], b[21], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
               b[13], b[14], b[15], b[16], b[17], b[18]);
    }
}

static void launch(const struct question *q)
{
    static uint32_t host[BLOCKS_MAX * WORDS];
    CUlaunchAttribute attributes[3];
    const CUlaunchConfig c = config_of(q, attributes);
    CUdeviceptr at;
    void *params[] = {&at};
    if (cuMemAlloc_v2(&at, sizeof host) || cuMemcpyHtoD_v2(at, host, sizeof host)) return;
    CUresult r = q->what == PLAIN
                     ? cuLaunchKernel(function, q->grid[0], 1, 1, q->block, 1, 1, 0, NULL, params, NULL)
                     : cuLaunchKernelEx(&c, function, params, NULL);
    printf(" %d", r);
    if (r) return;
    printf(" %d", r = cuCtxSynchronize());
    if (!r && !cuMemcpyDtoH_v2(host, at, sizeof host)) tell_blocks(host);
}

static void attributes_of(void)
{
    for (int a = 0; a < 18; a++) {
        int value = -77;
        if (a == 4 || a == 5 || a == 6 || a == 3) continue; /* of the compiler */
        const CUresult r = cuFuncGetAttribute(&value, a, function);
        printf(" %d:%d", a, r ? -(int)r : value);
    }
}

static void set(const struct question *q)
{
    int value = -77;
    printf(" %d", cuFuncSetAttribute(function, q->attribute, q->value));
    printf(" %d", cuFuncGetAttribute(&value, q->attribute, function));
    printf(" %d;", value);
    attributes_of();
    struct question l = {LAUNCH, q->kernel, {8, 1, 1}, 32, .policy = -1};
    launch(&l);
}

static void occupancy(const struct question *q)
{
    CUlaunchAttribute attributes[3];
    const CUlaunchConfig c = config_of(q, attributes);
    int n = -77;
    printf(" %d", q->what == ACTIVE ? cuOccupancyMaxActiveClusters(&n, function, &c)
                                    : cuOccupancyMaxPotentialClusterSize(&n, function, &c));
    printf(" %d", n);
}

static void device(void)
{
    CUdevice d;
    int value = 0;
    cuDeviceGet(&d, 0);
    cuDeviceGetAttribute(&value, 120, d);
    printf(" clusters %d", value);
    cuDeviceGetAttribute(&value, 16, d);
    printf(" multiprocessors %d", value);
}

static void name_of(const struct question *q)
{
    static const char *const whats[] = {"launch", "active", "largest", "attributes",
                                        "set",    "plain",  "device"};
    printf("%s %s", whats[q->what], q->kernel);
    if (q->what == LAUNCH || q->what == PLAIN) printf(" grid %u,%u,%u", q->grid[0], q->grid[1], q->grid[2]);
    if (q->what == ACTIVE || q->what == LARGEST) printf(" grid %u block %u", q->grid[0], q->block);
    if (q->given) printf(" cluster %u,%u,%u", q->cluster[0], q->cluster[1], q->cluster[2]);
    if (q->open) printf(" open");
    if (q->shared) printf(" shared %d", q->shared);
    if (q->cooperative) printf(" cooperative");
    if (q->what <= LARGEST && q->policy >= 0) printf(" policy %d", q->policy);
    if (q->what == SET) printf(" %d = %d", q->attribute, q->value);
    printf(":");
}

static void run(unsigned i)
{
    const struct question *q = &questions[i];
    name_of(q);
    const CUresult r = load(q->kernel);
    if (r)
        printf(" load %d", r);
    else if (q->what == DEVICE)
        device();
    else if (!prepare(q)) {
        if (q->what == LAUNCH || q->what == PLAIN) launch(q);
        if (q->what == ATTRIBUTES) attributes_of();
        if (q->what == SET) set(q);
        if (q->what == ACTIVE || q->what == LARGEST) occupancy(q);
    }
    printf("\n");
}

static void hangs(unsigned i)
{
    name_of(&questions[i]);
    printf(" hangs\n");
}

int main(int argc, char **argv)
{
    const struct cases c = {sizeof questions / sizeof *questions, 1, 10, run, hangs};
    return record_cases(argc, argv, &c);
}
