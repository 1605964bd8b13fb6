/* launches.c - see launches.h. The library makes the texts; here they go to where they were asked for. */
#include "launches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "ptx_launches.h"

enum { LIST_BYTES = 256 << 20, REASON_BYTES = 4096 };

uint64_t launches_bytes(const struct options *options)
{
    return options->launches || options->keeps_launches || options->launch_patterns.n ? LIST_BYTES : 0;
}

static int put(void *user, const char *text, size_t size)
{
    return fwrite(text, 1, size, user) == size ? 0 : -1;
}

static void write_list(ptx_device *device, ptx_launches_form form, FILE *file)
{
    const ptx_status status = ptx_device_launches_write(device, form, put, file);
    if (status != PTX_OK && status != PTX_ERROR_INTERRUPTED)
        fail(EXIT_STOPPED, "--launches: %s", ptx_status_name(status));
}

/* The file that --launches=FORM:FILE names; NULL: standard output. */
static const char *file_of(const struct options *options)
{
    const char *colon = options->launches_to ? strchr(options->launches_to, ':') : NULL;
    return colon && strcmp(colon, ":-") != 0 ? colon + 1 : NULL;
}

static ptx_launches_form form_of(const struct options *options)
{
    if (options->launches_to && strncmp(options->launches_to, "timeline", 8) == 0)
        return PTX_LAUNCHES_TIMELINE;
    switch (options->launches_to ? *options->launches_to : 't') {
    case 'j': return PTX_LAUNCHES_JSON;
    case 's': return PTX_LAUNCHES_SVG;
    case 'd': return PTX_LAUNCHES_DOT;
    default: return PTX_LAUNCHES_TEXT;
    }
}

void launches_print(ptx_device *device, const struct options *options)
{
    if (options->launches && !file_of(options)) write_list(device, form_of(options), stdout);
}

void launches_write(ptx_device *device, const struct options *options)
{
    const char *name = options->launches ? file_of(options) : NULL;
    FILE *file = name ? fopen(name, "we") : NULL;
    if (!name) return;
    if (file) write_list(device, form_of(options), file);
    if (!file || ferror(file) || fclose(file) != 0)
        fail(EXIT_USAGE, "--launches: '%s' cannot be written", name);
}

json_t *launches_json(ptx_device *device)
{
    char *text;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) fail(EXIT_STOPPED, "out of memory");
    write_list(device, PTX_LAUNCHES_JSON, memory);
    fclose(memory);
    json_t *list = json_loadb(text, size, 0, NULL);
    free(text);
    return list;
}

static bool holds(ptx_device *device, const char *pattern)
{
    char why[REASON_BYTES];
    const ptx_status status = ptx_device_expect_launch(device, pattern, why, sizeof why);
    if (status == PTX_OK) return true;
    if (status == PTX_ERROR_INVALID_ARGUMENT) fail(EXIT_USAGE, "--expect-launch: %s", why);
    if (status != PTX_ERROR_NOT_FOUND) fail(EXIT_STOPPED, "--expect-launch: %s", ptx_status_name(status));
    fprintf(stderr, "ptxvm: launches are not as expected: %s\n", why);
    return false;
}

bool launches_hold(ptx_device *device, const struct options *options)
{
    bool all = true;
    for (unsigned i = 0; i < options->launch_patterns.n; i++)
        all &= holds(device, options->launch_patterns.at[i]);
    return all;
}
