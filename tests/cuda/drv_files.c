// Images in files and in memory: what is no image, what is cut, what is none for this device; libraries read
// them late.
#include "driver.h"
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char small[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                            ".visible .global .u32 g;\n.visible .entry k()\n{\nret;\n}\n";

struct image {
    const char *name;
    const void *bytes;
    size_t size;
};

static char head[64] = "\177ELF\2\1\1", fat[64] = "\x50\xed\x55\xba\1\0\x10\0";

static const struct image images[] = {
    {"PTX", small, sizeof small - 1},
    {"PTX and a zero", small, sizeof small},
    {"PTX behind blanks", "\n\n  .version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(){ret;}",
     75},
    {"PTX behind a comment", "// x\n.version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(){ret;}",
     76},
    {"a wrong PTX", ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(){ nothing; }", 71},
    {"a version to come", ".version 99.0\n.target sm_80\n.address_size 64\n.visible .entry k(){ret;}", 69},
    {"a target to come", ".version 7.8\n.target sm_999\n.address_size 64\n.visible .entry k(){ret;}", 69},
    {"PTX without a target", ".version 7.8\n.visible .entry k(){ret;}", 38},
    {"a PTX of no entry", ".version 7.8\n.target sm_80\n.address_size 64\n", 44},
    {"nothing", "", 0},
    {"a zero", "\0", 1},
    {"zeros", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16},
    {"a word", "hello", 5},
    {"words", "this is no image at all, however long the line goes on\n", 55},
    {"a point", ".", 1},
    {"C", "extern \"C\" __global__ void k() {}\n", 34},
    {"a script", "#!/bin/sh\nexit 0\n", 17},
    {"an archive", "!<arch>\n", 8},
    {"four bytes of an ELF", head, 4},
    {"a head of an ELF", head, 64},
    {"four bytes of a fat binary", fat, 4},
    {"a head of a fat binary", fat, 16},
};

enum { IMAGES = sizeof images / sizeof *images };

static void kernels_of(CUlibrary library)
{
    unsigned count = 77;
    CUkernel kernel;
    CUmodule module;
    CUresult e = cuLibraryGetKernelCount(&count, library);
    printf(" count %d %d", e, e ? 0 : (int)count);
    printf(" kernel %d", cuLibraryGetKernel(&kernel, library, "k"));
    printf(" module %d", cuLibraryGetModule(&module, library));
    printf(" unload %d", cuLibraryUnload(library));
}

/* In a process of its own: an image may be the end of it. */
static void ask(const struct image *image, const char *path)
{
    CUmodule module;
    CUlibrary library;
    CUlinkState link;
    void *made;
    size_t size;
    char *copy = calloc(1, image->size + 64);
    memcpy(copy, image->bytes, image->size);
    FILE *file = fopen(path, "wb");
    if (fwrite(image->bytes, 1, image->size, file) != image->size) exit(4);
    fclose(file);
    printf("%s:", image->name);
    CUresult e = cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0);
    printf(" library's file %d", e);
    if (!e) kernels_of(library);
    e = cuLibraryLoadData(&library, copy, NULL, NULL, 0, NULL, NULL, 0);
    printf("; data %d", e);
    if (!e) kernels_of(library);
    printf("; module's file %d", cuModuleLoad(&module, path));
    printf(" data %d", cuModuleLoadData(&module, copy));
    printf(" fat %d", cuModuleLoadFatBinary(&module, copy));
    for (CUjitInputType type = CU_JIT_INPUT_CUBIN; type <= CU_JIT_INPUT_OBJECT; type++) {
        DO(cuLinkCreate_v2(0, NULL, NULL, &link));
        e = cuLinkAddFile_v2(link, type, path, 0, NULL, NULL);
        printf(" %s%d", type == CU_JIT_INPUT_CUBIN ? "link " : "", e);
        if (!e) printf("/%d", cuLinkComplete(link, &made, &size));
        cuLinkDestroy(link);
    }
    printf("\n");
    fflush(stdout);
    free(copy);
}

static void places(const char *folder)
{
    CUmodule module;
    CUlibrary library;
    CUlinkState link;
    const char *paths[] = {"/nonexistent/x", folder, "", "/dev/null"};
    DO(cuLinkCreate_v2(0, NULL, NULL, &link));
    for (int i = 0; i < 4; i++) {
        printf("place %d: library %d", i,
               cuLibraryLoadFromFile(&library, paths[i], NULL, NULL, 0, NULL, NULL, 0));
        printf(" module %d", cuModuleLoad(&module, paths[i]));
        printf(" link %d\n", cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, paths[i], 0, NULL, NULL));
    }
    printf("no path: %d %d\n", cuLibraryLoadFromFile(&library, NULL, NULL, NULL, 0, NULL, NULL, 0),
           cuModuleLoad(&module, NULL));
}

/* Case i of one way of loading; the last are the paths. */
static void ask_alone(int i, bool eager, const char *folder, const char *path)
{
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        setenv("CUDA_MODULE_LOADING", eager ? "EAGER" : "LAZY", 1);
        start();
        if (i < IMAGES)
            ask(&images[i], path);
        else
            places(folder);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("%s: signal %d\n", i < IMAGES ? images[i].name : "places", WTERMSIG(status));
    fflush(stdout);
}

int main(void)
{
    char folder[] = "/tmp/drv_files.XXXXXX", path[64];
    if (!mkdtemp(folder)) return 3;
    snprintf(path, sizeof path, "%s/image", folder);
    head[16] = 2;
    head[18] = (char)190; /* for CUDA's machine */
    for (int eager = 0; eager < 2; eager++) {
        printf("%s\n", eager ? "eager" : "lazy");
        fflush(stdout);
        for (int i = 0; i <= IMAGES; i++) ask_alone(i, eager, folder, path);
    }
    unlink(path);
    rmdir(folder);
    return 0;
}
