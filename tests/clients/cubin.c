// What programs do with NVIDIA's compilers for a real architecture: NVRTC's cubin loaded and linked, and
// nvJitLink's of PTX, LTO-IR, objects and archives. Results are arithmetic; it says what is wrong, and
// "fine". Arguments: objects and archives to link, of `helper` as below.
#include "../cuda/driver.h"
#include <dlfcn.h>
#include <nvJitLink.h>
#include <nvrtc.h>

static const char kernel_text[] =
    "__device__ int helper(int x);\n"
    "extern \"C\" __global__ void k(int *p) { p[threadIdx.x] = helper(threadIdx.x) + 5; }\n";
static const char helper_text[] = "__device__ int twice(int x) { return 2 * x; }\n"
                                  "__device__ int helper(int x) { return twice(x) * 3 + 1; }\n";

static int wrong;

static void check(const char *what, long got, long want)
{
    if (got == want) return;
    printf("%s: %ld, not %ld\n", what, got, want);
    wrong = 1;
}

struct blob {
    char *bytes;
    size_t size;
};

enum kind { PTX_OF, CUBIN_OF, LTO_OF };

/* What NVRTC makes of a text, asked for one architecture. */
static struct blob compile(const char *text, const char *arch, enum kind kind)
{
    nvrtcProgram program;
    const char *options[] = {arch, "-rdc=true", "-dlto"};
    struct blob made = {NULL, 77};
    check("nvrtcCreateProgram", nvrtcCreateProgram(&program, text, "a.cu", 0, NULL, NULL), 0);
    check("nvrtcCompileProgram", nvrtcCompileProgram(program, kind == LTO_OF ? 3 : 2, options), 0);
    check("size",
          kind == PTX_OF     ? nvrtcGetPTXSize(program, &made.size)
          : kind == CUBIN_OF ? nvrtcGetCUBINSize(program, &made.size)
                             : nvrtcGetLTOIRSize(program, &made.size),
          0);
    made.bytes = calloc(1, made.size + 1);
    if (made.size)
        check("bytes",
              kind == PTX_OF     ? nvrtcGetPTX(program, made.bytes)
              : kind == CUBIN_OF ? nvrtcGetCUBIN(program, made.bytes)
                                 : nvrtcGetLTOIR(program, made.bytes),
              0);
    check("nvrtcDestroyProgram", nvrtcDestroyProgram(&program), 0);
    return made;
}

/* helper(x) + 5 is 6 * x + 6. */
static void run(const char *what, const void *image)
{
    CUmodule module;
    CUdeviceptr p;
    int host[32];
    void *params[] = {&p};
    const CUresult loaded = cuModuleLoadData(&module, image);
    check(what, loaded, 0);
    if (loaded) return;
    DO(cuMemAlloc_v2(&p, sizeof host));
    DO(cuLaunchKernel(get(module, "k"), 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    for (int i = 0; i < 32; i++) check(what, host[i], 6 * i + 6);
    DO(cuMemFree_v2(p));
    DO(cuModuleUnload(module));
}

static void cubins(void)
{
    CUlinkState link;
    void *image;
    size_t size;
    char whole[sizeof kernel_text + sizeof helper_text];
    snprintf(whole, sizeof whole, "%s%s", kernel_text, helper_text);
    run("a cubin", compile(whole, "-arch=sm_90", CUBIN_OF).bytes);
    check("no cubin of a virtual one", (long)compile(whole, "-arch=compute_90", CUBIN_OF).size, 0);
    check("no cubin of LTO-IR", (long)compile(whole, "-arch=sm_90", LTO_OF).size > 0, 1);
    struct blob a = compile(kernel_text, "-arch=sm_90", CUBIN_OF),
                b = compile(helper_text, "-arch=sm_90", CUBIN_OF);
    DO(cuLinkCreate_v2(0, NULL, NULL, &link));
    DO(cuLinkAddData_v2(link, CU_JIT_INPUT_CUBIN, a.bytes, a.size, "a", 0, NULL, NULL));
    DO(cuLinkAddData_v2(link, CU_JIT_INPUT_CUBIN, b.bytes, b.size, "b", 0, NULL, NULL));
    DO(cuLinkComplete(link, &image, &size));
    run("cubins that are linked", image);
    DO(cuLinkDestroy(link));
    nvrtcProgram none = NULL;
    check("nvrtcGetCUBINSize of nothing", nvrtcGetCUBINSize(none, &size), NVRTC_ERROR_INVALID_PROGRAM);
    check("nvrtcGetCUBIN of nothing", nvrtcGetCUBIN(none, whole), NVRTC_ERROR_INVALID_PROGRAM);
}

struct input {
    nvJitLinkInputType type;
    struct blob blob;
};

/* Links and runs; `want` is what nvJitLinkComplete answers. */
static void link_run(const char *what, const char *option, const struct input *inputs, int count, int want)
{
    nvJitLinkHandle link;
    const char *options[] = {"-arch=sm_90", option};
    size_t size = 77;
    check(what, nvJitLinkCreate(&link, option ? 2 : 1, options), 0);
    for (int i = 0; i < count; i++)
        check(what, nvJitLinkAddData(link, inputs[i].type, inputs[i].blob.bytes, inputs[i].blob.size, "x"),
              0);
    const int result = nvJitLinkComplete(link);
    check(what, result, want);
    check(what, nvJitLinkGetErrorLogSize(link, &size), 0);
    check("there is a log", size > 0, result != 0);
    char *log = calloc(1, size + 1);
    if (size) check(what, nvJitLinkGetErrorLog(link, log), 0);
    if (result) check("the log names it", strstr(log, "helper") != NULL, 1);
    if (result != want && size) puts(log);
    free(log);
    if (!result) {
        check(what, nvJitLinkGetLinkedCubinSize(link, &size), 0);
        char *cubin = malloc(size);
        check(what, nvJitLinkGetLinkedCubin(link, cubin), 0);
        run(what, cubin);
        free(cubin);
    }
    check(what, nvJitLinkDestroy(&link), 0);
}

static void links(void)
{
    const struct input kernel[] = {{NVJITLINK_INPUT_PTX, compile(kernel_text, "-arch=compute_90", PTX_OF)},
                                   {NVJITLINK_INPUT_CUBIN, compile(kernel_text, "-arch=sm_90", CUBIN_OF)},
                                   {NVJITLINK_INPUT_LTOIR, compile(kernel_text, "-arch=sm_90", LTO_OF)}};
    const struct input helper[] = {{NVJITLINK_INPUT_PTX, compile(helper_text, "-arch=compute_90", PTX_OF)},
                                   {NVJITLINK_INPUT_CUBIN, compile(helper_text, "-arch=sm_90", CUBIN_OF)},
                                   {NVJITLINK_INPUT_LTOIR, compile(helper_text, "-arch=sm_90", LTO_OF)}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const struct input both[] = {kernel[i], helper[j]};
            link_run("PTX and cubins", NULL, both, 2, 0);
        }
    const struct input lto[] = {kernel[2], helper[2]}, mixed[] = {kernel[2], helper[0]};
    link_run("LTO-IR", "-lto", lto, 2, 0);
    link_run("LTO-IR that calls PTX", "-lto", mixed, 2, 0);
    link_run("something is missing", NULL, kernel, 1, NVJITLINK_ERROR_INTERNAL);
}

static void refusals(void)
{
    nvJitLinkHandle link = NULL;
    const char *wrong_option[] = {"-arch=sm_90", "-nothing"}, *fine[] = {"-arch=sm_90"};
    struct blob ptx = compile(helper_text, "-arch=compute_90", PTX_OF),
                lto = compile(helper_text, "-arch=sm_90", LTO_OF);
    static char bad[] = ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(){ nothing; }";
    size_t size = 0;
    unsigned major = 0, minor = 0;
    check("an unknown option", nvJitLinkCreate(&link, 2, wrong_option), NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
    check("no architecture", nvJitLinkCreate(&link, 0, NULL), NVJITLINK_ERROR_MISSING_ARCH);
    check("create", nvJitLinkCreate(&link, 1, fine), 0);
    check("another type", nvJitLinkAddData(link, NVJITLINK_INPUT_FATBIN, ptx.bytes, ptx.size, "x"),
          NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
    check("LTO-IR without -lto", nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, lto.bytes, lto.size, "x"),
          NVJITLINK_ERROR_LTO_NOT_ENABLED);
    check("wrong PTX", nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, bad, sizeof bad, "x"),
          NVJITLINK_ERROR_PTX_COMPILE);
    check("no file", nvJitLinkAddFile(link, NVJITLINK_INPUT_PTX, "/nonexistent/x"),
          NVJITLINK_ERROR_INVALID_INPUT);
    check("no PTX is made", nvJitLinkGetLinkedPtxSize(link, &size), NVJITLINK_ERROR_INVALID_INPUT);
    check("version", nvJitLinkVersion(&major, &minor), 0);
    check("a version", major >= 12, 1);
    check("destroy", nvJitLinkDestroy(&link), 0);
}

/* -ptx is NVIDIA's alone: the program gets the PTX. */
static void ptx_out(void)
{
    nvJitLinkHandle link;
    const char *options[] = {"-arch=sm_90", "-lto", "-ptx"};
    struct blob a = compile(kernel_text, "-arch=sm_90", LTO_OF),
                b = compile(helper_text, "-arch=sm_90", LTO_OF);
    size_t size = 0;
    check("create", nvJitLinkCreate(&link, 3, options), 0);
    check("add", nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, a.bytes, a.size, "a"), 0);
    check("add", nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, b.bytes, b.size, "b"), 0);
    check("complete", nvJitLinkComplete(link), 0);
    check("size", nvJitLinkGetLinkedPtxSize(link, &size), 0);
    char *ptx = calloc(1, size + 1);
    check("PTX", nvJitLinkGetLinkedPtx(link, ptx), 0);
    run("PTX of LTO-IR", ptx);
    check("destroy", nvJitLinkDestroy(&link), 0);
}

/* Files that nvcc made, of helper_text. */
static void files(int count, char **paths)
{
    struct blob kernel = compile(kernel_text, "-arch=compute_90", PTX_OF);
    for (int i = 0; i < count; i++) {
        nvJitLinkHandle link;
        const char *options[] = {"-arch=sm_90"};
        const size_t n = strlen(paths[i]);
        const nvJitLinkInputType type = paths[i][n - 1] == 'a'   ? NVJITLINK_INPUT_LIBRARY
                                        : paths[i][n - 1] == 'o' ? NVJITLINK_INPUT_OBJECT
                                                                 : NVJITLINK_INPUT_FATBIN;
        size_t size;
        check("create", nvJitLinkCreate(&link, 1, options), 0);
        check(paths[i], nvJitLinkAddData(link, NVJITLINK_INPUT_PTX, kernel.bytes, kernel.size, "k"), 0);
        check(paths[i], nvJitLinkAddFile(link, type, paths[i]), 0);
        check(paths[i], nvJitLinkComplete(link), 0);
        check(paths[i], nvJitLinkGetLinkedCubinSize(link, &size), 0);
        char *cubin = malloc(size);
        check(paths[i], nvJitLinkGetLinkedCubin(link, cubin), 0);
        run(paths[i], cubin);
        check("destroy", nvJitLinkDestroy(&link), 0);
    }
}

/* A program that looks the functions up finds the same. */
static void opened(void)
{
    void *library = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libnvrtc.so.12", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "nvrtcGetCUBIN") : NULL;
    check("dlsym", found == (void *)(size_t)nvrtcGetCUBIN, 1);
}

int main(int argc, char **argv)
{
    start();
    cubins();
    links();
    refusals();
    ptx_out();
    files(argc - 1, argv + 1);
    opened();
    if (!wrong) printf("fine\n");
    return wrong;
}
