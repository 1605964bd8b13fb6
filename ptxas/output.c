/* output.c - the object file that -o writes.
 *
 * A regular file appears whole or not at all: the object is written to a file beside it, which then takes its
 * name. Anything else that already exists (a terminal, a pipe, /dev/null) is opened and written. */
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_bytes(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size ? 0 : -1;
}

/* Writes and closes. */
static bool write_object(const struct input *inputs, size_t n, FILE *file)
{
    const ptx_module **modules = must_grow(NULL, n * sizeof *modules);
    for (size_t i = 0; i < n; i++) modules[i] = inputs[i].module;
    const ptx_status status = ptx_object_write(modules, n, write_bytes, file);
    free(modules);
    return (fclose(file) == 0) & (status == PTX_OK);
}

FILE *output_open_beside(const char *name, char **temporary)
{
    const size_t length = strlen(name);
    *temporary = NULL;
    if (!length) return NULL;
    *temporary = must_grow(NULL, length + sizeof ".XXXXXX");
    memcpy(*temporary, name, length);
    strcpy(*temporary + length, ".XXXXXX");
    const int fd = mkstemp(*temporary);
    if (fd < 0) return NULL;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return fdopen(fd, "wb");
}

static bool replace(const struct input *inputs, size_t n, const char *name, bool *opened)
{
    char *temporary;
    FILE *file = output_open_beside(name, &temporary);
    bool fine = false;
    *opened = file != NULL;
    if (file) {
        fine = write_object(inputs, n, file) && rename(temporary, name) == 0;
        if (!fine) unlink(temporary);
    }
    free(temporary);
    return fine;
}

bool output_write(const struct input *inputs, size_t n, const char *name)
{
    struct stat status;
    bool fine = false, opened = false;
    if (stat(name, &status) == 0 && !S_ISREG(status.st_mode)) {
        FILE *file = fopen(name, "wb");
        opened = file != NULL;
        fine = opened && write_object(inputs, n, file);
    } else {
        fine = replace(inputs, n, name, &opened);
    }
    if (!fine)
        message_plain(PTX_FATAL, "Output file '%s' could not be %s", name, opened ? "written" : "opened");
    return fine;
}
