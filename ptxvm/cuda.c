/* cuda.c - compiling a .cu with the CUDA compiler that is at hand.
 *
 * nvcc is looked for on PATH, then in $CUDA_HOME/bin and /usr/local/cuda/bin; then clang. The PTX goes
 * through a temporary file, and the compiler's own messages go where ours go. */
#include "load.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "fail.h"

extern char **environ;

/* DIR/NAME if that can be run, else NULL. Owned by the caller. */
static char *program_in(const char *dir, size_t dir_length, const char *name)
{
    char *path = must_print("%.*s/%s", (int)dir_length, dir, name);
    if (dir_length && access(path, X_OK) == 0) return path;
    free(path);
    return NULL;
}

static char *program_on_path(const char *name)
{
    const char *path = getenv("PATH");
    char *found = NULL;
    while (path && *path && !found) {
        const size_t length = strcspn(path, ":");
        found = program_in(path, length, name);
        path += length + (path[length] == ':');
    }
    return found;
}

static char *find_nvcc(void)
{
    const char *home = getenv("CUDA_HOME");
    char *found = program_on_path("nvcc");
    if (!found && home) {
        char *bin = must_print("%s/bin", home);
        found = program_in(bin, strlen(bin), "nvcc");
        free(bin);
    }
    return found ? found : program_in("/usr/local/cuda/bin", 19, "nvcc");
}

/* Runs a compiler; true when it succeeded. */
static bool run(const char *const argv[])
{
    pid_t child;
    int status;
    if (posix_spawn(&child, argv[0], NULL, NULL, (char *const *)argv, environ) != 0) return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool compile(const char *source, const char *arch, const char *output)
{
    char *compiler = find_nvcc();
    char *arch_option = must_print(compiler ? "-arch=%s" : "--cuda-gpu-arch=%s", arch);
    bool made;
    if (compiler) {
        const char *argv[] = {compiler, "-ptx", "-rdc=true", "-lineinfo", arch_option,
                              "-o",     output, source,      NULL};
        made = run(argv);
    } else {
        compiler = program_on_path("clang");
        if (!compiler)
            fail(EXIT_USAGE,
                 "%s needs a CUDA compiler, and neither nvcc nor clang is on PATH; compile it elsewhere "
                 "(nvcc -ptx) and run the .ptx",
                 source);
        const char *argv[] = {compiler, "-x",   "cuda", "--cuda-device-only", "-S", "-O2", arch_option, "-o",
                              output,   source, NULL};
        made = run(argv);
    }
    free(arch_option);
    free(compiler);
    return made;
}

char *cuda_compile(const char *file_name, const char *arch, size_t *size)
{
    const char *folder = getenv("TMPDIR");
    char *output = must_print("%s/ptxvm-XXXXXX", folder && *folder ? folder : "/tmp");
    const int descriptor = mkstemp(output);
    char *text;
    if (descriptor < 0) fail(EXIT_USAGE, "%s: no temporary file: %s", file_name, strerror(errno));
    close(descriptor);
    const bool made = access(file_name, R_OK) == 0 && compile(file_name, arch ? arch : "sm_90", output);
    text = made ? file_text(output, size) : NULL;
    unlink(output);
    free(output);
    if (!text) fail(EXIT_ASSEMBLY, "%s could not be compiled to PTX", file_name);
    return text;
}
