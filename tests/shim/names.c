/* names.c - cuGetProcAddress and its versions. */
#include "program.h"

static void ask(const char *name, int version, cuuint64_t flags)
{
    void *function = NULL;
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
    char text[100];
    snprintf(text, sizeof text, "%s %d %d", name, version, (int)flags);
    say(text, cuGetProcAddress(name, &function, version, flags, &status));
    printf("%d %d\n", function != NULL, (int)status);
}

typedef CUresult (*any)(void);

/* Whether two questions have the same answer. */
static int same(const char *name, int version, const char *other, int other_version, cuuint64_t flags)
{
    void *a = NULL, *b = NULL;
    cuGetProcAddress(name, &a, version, CU_GET_PROC_ADDRESS_DEFAULT, NULL);
    cuGetProcAddress(other, &b, other_version, flags, NULL);
    return a && a == b;
}

int main(void)
{
    static const struct {
        const char *name;
        int version;
        cuuint64_t flags;
    } asked[] = {
        /* clang-format off */
        {"cuInit", 2000, 0}, {"cuInit", 1000, 0}, {"cuMemAlloc", 2000, 0}, {"cuMemAlloc", 3020, 0},
        {"cuMemAlloc", 13000, 0}, {"cuMemAlloc_v2", 13000, 0}, {"cuNothing", 13000, 0},
        {"cuLaunchKernelEx", 11050, 0}, {"cuLaunchKernelEx", 11060, 0}, {"cuMemcpyHtoD", 6050, 2},
        {"cuMemcpyHtoD", 7000, 2}, {"cuMemcpyHtoD", 7000, 3}, {"", 13000, 0},
        /* clang-format on */
    };
    void *function;
    MUST(cuInit(0));
    say("no status, no name", cuGetProcAddress("cuNothing", &function, 13000, 0, NULL));
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        ask(asked[i].name, asked[i].version, asked[i].flags);
    printf("versions differ: %d\n", !same("cuMemAlloc", 2000, "cuMemAlloc", 3020, 0));
    printf("newest of 12: %d\n", same("cuMemAlloc", 3020, "cuMemAlloc", 12000, 0));
    printf("own stream differs: %d\n", !same("cuLaunchKernel", 13000, "cuLaunchKernel", 13000, 2));
    printf("no own stream: %d\n", same("cuCtxGetCurrent", 13000, "cuCtxGetCurrent", 13000, 2));
    return 0;
}
