/*
 * record.c - what a GPU does in the cases of cases.h: record [PART PARTS] >undefined.tsv
 *
 * Each case runs in processes of its own, TIMES times, since an error ends the context; a case that is
 * answered in two ways has two lines. Error -1: the kernel runs for ever. Needs an sm_90 GPU and its driver.
 */
#include "../common/child.h"
#include "../common/driver.h"
#include "cases.h"

enum { TIMES = 2, SECONDS = 8 };

static void run(unsigned i)
{
    const struct undefined *u = &undefineds[i];
    static char text[UNDEFINED_ROOM], line[2048];
    unsigned words[UNDEFINED_WORDS] = {0};
    struct undefined_params params = {.sixteen = UNDEFINED_SIXTEEN};
    CUmodule module;
    CUfunction fn;
    CUdeviceptr results, buffer;
    undefined_text(u, text);
    open_device();
    must(cuMemAlloc(&results, sizeof words), "memory");
    must(cuMemAlloc(&buffer, ALLOCATION), "memory");
    must(cuMemsetD8(results, 0, sizeof words), "memory");
    must(cuMemsetD8(buffer, 0, ALLOCATION), "memory");
    must(cuModuleLoadData(&module, text), u->name);
    must(cuModuleGetFunction(&fn, module, "k"), "kernel");
    params.results = results;
    params.buffer = buffer;
    size_t size = sizeof params;
    void *config[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &params, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      CU_LAUNCH_PARAM_END};
    CUresult r = cuLaunchKernel(fn, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, config);
    if (!r) r = cuCtxSynchronize();
    if (!r) r = cuMemcpyDtoH(words, results, sizeof words);
    undefined_line(line, u, (int)r, words);
    printf("%s\n", line);
}

static void hangs(unsigned i)
{
    printf("%s\t-1\n", undefineds[i].name);
}

int main(int argc, char **argv)
{
    return record_cases(argc, argv, &(struct cases){UNDEFINEDS, TIMES, SECONDS, run, hangs});
}
