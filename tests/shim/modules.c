/* modules.c - loading, what is in a module, libraries, the logs of the compiler. */
#include "program.h"

static const char *const wrong[][2] = {
    {"syntax", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { add.u32 %r1, }\n"},
    {"newer version", ".version 99.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"newer target", ".version 8.7\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"unknown target", ".version 8.0\n.target sm_9999\n.address_size 64\n.visible .entry k() { ret; }\n"},
    {"undefined function", ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func f();\n.visible "
                           ".entry k() { call f, (); ret; }\n"},
    {"text", "hello, world, this is no PTX at all\n"},
    {"blank", " \n\t \n"},
    {"empty", ""},
    {"elf",
     "\177ELF\2\1\1 not much of one ....................................................................."},
    {"leading blanks",
     "\n\n   \n// a comment\n.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"},
};

static void images(void)
{
    CUmodule m;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        static char padded[4096];
        memset(padded, 0, sizeof padded);
        memcpy(padded, wrong[i][1], strlen(wrong[i][1]));
        say(wrong[i][0], cuModuleLoadData(&m, padded));
    }
    say("no module", cuModuleLoadData(NULL, kernels));
    say("no image", cuModuleLoadData(&m, NULL));
    say("no file", cuModuleLoad(&m, "/nonexistent/file.ptx"));
    say("NULL file", cuModuleLoad(&m, NULL));
}

static void contents(void)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    size_t size;
    unsigned n;
    int value;
    MUST(cuModuleLoadData(&m, kernels));
    say("function", cuModuleGetFunction(&f, m, "axpy"));
    say("no function", cuModuleGetFunction(&f, m, "nothing"));
    say("variable as function", cuModuleGetFunction(&f, m, "counter"));
    say("NULL name", cuModuleGetFunction(&f, m, NULL));
    say("NULL function", cuModuleGetFunction(NULL, m, "axpy"));
    say("global", cuModuleGetGlobal(&p, &size, m, "counter"));
    printf("%zu bytes\n", size);
    MUST(cuMemcpyDtoH(&n, p, 4));
    printf("%u\n", n);
    say("constant", cuModuleGetGlobal(&p, NULL, m, "scale"));
    MUST(cuMemcpyDtoH(&n, p, 4));
    printf("%u\n", n);
    say("size only", cuModuleGetGlobal(NULL, &size, m, "scale"));
    say("no global", cuModuleGetGlobal(&p, &size, m, "nothing"));
    say("count", cuModuleGetFunctionCount(&n, m));
    printf("%u\n", n);
    MUST(cuModuleGetFunction(&f, m, "bounded"));
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    printf("threads %d\n", value);
    MUST(cuModuleGetFunction(&f, m, "shared"));
    MUST(cuFuncGetAttribute(&value, (CUfunction_attribute)1, f));
    printf("static shared %d\n", value);
    MUST(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    printf("dynamic shared %d\n", value);
    MUST(cuFuncGetAttribute(&value, (CUfunction_attribute)5, f));
    printf("PTX %d\n", value);
    say("attribute 99", cuFuncGetAttribute(&value, (CUfunction_attribute)99, f));
    say("set 99", cuFuncSetAttribute(f, (CUfunction_attribute)99, 1));
    say("set threads", cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1));
    say("set 100000 bytes", cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    say("set 300000 bytes", cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300000));
    const char *name;
    MUST(cuFuncGetName(&name, f));
    puts(name);
    size_t offset;
    say("parameter 1", cuFuncGetParamInfo(f, 1, &offset, &size));
    printf("%zu %zu\n", offset, size);
    say("parameter 2", cuFuncGetParamInfo(f, 2, &offset, &size));
    say("unload", cuModuleUnload(m));
}

static void logs(void)
{
    char errors[2048], info[256];
    memset(errors, 'x', sizeof errors);
    CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {errors, (void *)(size_t)sizeof errors, info, (void *)(size_t)sizeof info};
    CUmodule m;
    say("log", cuModuleLoadDataEx(&m, wrong[0][1], 4, names, values));
    printf("names the line: %d\n", strstr(errors, "line 4") != NULL);
    printf("told its size: %d\n", (size_t)values[1] > 10 && (size_t)values[1] < sizeof errors);
    say("no values", cuModuleLoadDataEx(&m, kernels, 1, names, NULL));
    CUjit_option odd = (CUjit_option)9999;
    say("odd option", cuModuleLoadDataEx(&m, kernels, 1, &odd, values));
}

static void libraries(void)
{
    CUlibrary l;
    CUkernel k;
    CUfunction f;
    CUmodule m;
    CUdeviceptr p, to;
    unsigned n, value = 41;
    size_t size;
    int got;
    MUST(cuLibraryLoadData(&l, kernels, NULL, NULL, 0, NULL, NULL, 0));
    say("kernel", cuLibraryGetKernel(&k, l, "store"));
    say("no kernel", cuLibraryGetKernel(&k, l, "nothing"));
    MUST(cuLibraryGetKernel(&k, l, "store"));
    MUST(cuLibraryGetKernelCount(&n, l));
    printf("%u kernels\n", n);
    MUST(cuKernelGetFunction(&f, k));
    MUST(cuLibraryGetModule(&m, l));
    say("its module", cuModuleUnload(m));
    MUST(cuLibraryGetGlobal(&p, &size, l, "counter"));
    printf("%zu bytes\n", size);
    say("not managed", cuLibraryGetManaged(&p, &size, l, "counter"));
    MUST(cuKernelGetAttribute(&got, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    printf("%d threads\n", got);
    MUST(cuMemAlloc(&to, 4));
    void *params[] = {&to, &value};
    MUST(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    MUST(cuMemcpyDtoH(&got, to, 4));
    printf("%d\n", got);
    say("unload", cuLibraryUnload(l));
    say("bad image", cuLibraryLoadData(&l, wrong[0][1], NULL, NULL, 0, NULL, NULL, 0));
}

int main(void)
{
    CUcontext c = begin();
    images();
    contents();
    logs();
    libraries();
    return end(c);
}
