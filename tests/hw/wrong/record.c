/*
 * record.c - what a GPU answers to the cases of cases.h: record [PART PARTS] >wrong.tsv
 *
 * A line a case: its name, CUDA's error (-1: the kernel runs for ever) and the error's name. Each case runs
 * in processes of its own, TIMES times, since an error ends the context; a case that is answered in two ways
 * has two lines. Needs an sm_90 GPU and its driver.
 */
#include "../common/child.h"
#include "../common/driver.h"
#include "cases.h"

enum { TIMES = 4, TIMES_TWO_WRONG = 24, SECONDS = 10 };

static void run(unsigned i)
{
    const struct wrong *w = &wrongs[i];
    static char text[ROOM];
    CUmodule module;
    CUfunction fn;
    CUdeviceptr buffer;
    const char *name = "?";
    text_of(w, text);
    open_device();
    must(cuMemAlloc(&buffer, BUFFER), "memory");
    must(cuMemsetD8(buffer, 0, BUFFER), "memory");
    must(cuModuleLoadData(&module, text), w->name);
    must(cuModuleGetFunction(&fn, module, "k"), "kernel");
    void *args[] = {&buffer};
    CUresult r = cuLaunchKernel(fn, 1, 1, 1, w->threads, 1, 1, 0, NULL, args, NULL);
    if (!r) r = cuCtxSynchronize();
    cuGetErrorName(r, &name);
    printf("%s\t%d\t%s\n", w->name, (int)r, name);
}

static void hangs(unsigned i)
{
    printf("%s\t-1\thangs\n", wrongs[i].name);
}

int main(int argc, char **argv)
{
    return record_cases(argc, argv, &(struct cases){WRONGS, TIMES, SECONDS, run, hangs});
}
