// Runs a kernel `test` of PTX text as the program did that it was compiled from (words.h), and prints what
// that one prints. usage: kept FILE.ptx GRID BLOCK SHARED WORDS
#include "driver.h"

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) exit(2);
    long size = ftell(file);
    char *text = (char *)calloc(1, (size_t)size + 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) exit(2);
    fclose(file);
    return text;
}

int main(int count, char **words)
{
    if (count != 6) return 2;
    int grid = atoi(words[2]), block = atoi(words[3]), shared = atoi(words[4]), n = atoi(words[5]);
    char *text = text_of(words[1]);
    unsigned long long *host = (unsigned long long *)calloc((size_t)n, 8);
    CUmodule module;
    CUdeviceptr p;
    void *params[] = {&p};
    start();
    printf("test<<<%d, %d, %d>>> %d\n", grid, block, shared, n);
    DO(cuModuleLoadData(&module, text));
    DO(cuMemAlloc_v2(&p, (size_t)n * 8));
    DO(cuMemsetD8_v2(p, 0, (size_t)n * 8));
    DO(cuLaunchKernel(get(module, "test"), grid, 1, 1, block, 1, 1, shared, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(host, p, (size_t)n * 8));
    for (int i = 0; i < n; i++) printf("%016llx%c", host[i], i % 4 == 3 || i == n - 1 ? '\n' : ' ');
    free(host);
    free(text);
    return 0;
}
