/*
 * save.c - PTXVM_SAVE_PTX: the PTX that a program loads, as files of a folder.
 *
 * A text goes to NAME.ptx, where NAME is that of its source or its program. Another text of the same name in
 * this process goes to NAME-2.ptx and so on; what an earlier process left is overwritten.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cuda/driver/image.h"

/* A text that this process has saved. */
struct saved {
    struct saved *next;
    size_t size;
    char *text;
    char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static struct saved *all;
static bool failed;

/* "PTX of src/f.cu" is f. */
static void stem_of(const char *of, char *stem, size_t room)
{
    const char *slash = strrchr(of, '/');
    const char *from = slash ? slash + 1 : strncmp(of, "PTX of ", 7) == 0 ? of + 7 : of;
    size_t n = 0;
    for (; from[n] && n + 1 < room; n++) stem[n] = from[n] == ' ' ? '_' : from[n];
    stem[n] = 0;
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".ptx") == 0)) *dot = 0;
}

/* Whether `name` is free for this text; *done: it has been saved. */
static bool is_free(const char *name, const char *text, size_t size, bool *done)
{
    for (const struct saved *s = all; s; s = s->next) {
        if (strcmp(s->name, name) != 0) continue;
        *done = s->size == size && memcmp(s->text, text, size) == 0;
        return *done;
    }
    return true;
}

static bool keep(const char *name, const char *text, size_t size)
{
    const size_t length = strlen(name) + 1;
    struct saved *s = malloc(sizeof *s + length + size);
    if (!s) return false;
    *s = (struct saved){all, size, s->name + length};
    memcpy(s->name, name, length);
    memcpy(s->text, text, size);
    all = s;
    return true;
}

static bool write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "we");
    const bool written = file && fwrite(text, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

void px_cu_save(const char *of, const char *text, size_t size)
{
    const char *folder = px_cu_settings()->save_ptx;
    char stem[200], name[240], path[4400];
    bool done = false;
    if (!folder) return;
    stem_of(of, stem, sizeof stem);
    pthread_mutex_lock(&lock);
    snprintf(name, sizeof name, "%s.ptx", stem);
    for (unsigned n = 2; !is_free(name, text, size, &done); n++)
        snprintf(name, sizeof name, "%s-%u.ptx", stem, n);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const bool there = mkdir(folder, 0777) == 0 || errno == EEXIST;
    const bool saved = done || (there && keep(name, text, size) && write_file(path, text, size));
    const bool tell = !saved && !failed;
    failed |= !saved;
    pthread_mutex_unlock(&lock);
    if (tell) px_cu_say("PTXVM_SAVE_PTX: '%.200s' cannot be written", path);
}
