/*
 * fuzz_front.c - libFuzzer target: lexer, parser, checker, printer.
 *
 * Any bytes must give a module or diagnostics. A module without errors must
 * print, and the print must be accepted again. Whether the parser goes on behind syntax errors makes no
 * difference to the verdict. `make test` runs it for a short
 * while; for longer:
 *
 *   make fuzz && mkdir -p build/corpus
 *   build/fuzz/fuzz_front -dict=build/gen/ptx.dict -max_len=4096 build/corpus build/fuzz/seeds/front
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx.h"

struct text {
    char *s;
    size_t n, cap;
};

static int append(void *user, const char *s, size_t n)
{
    struct text *text = user;
    if (text->n + n > text->cap) {
        text->cap = (text->n + n) * 2;
        text->s = realloc(text->s, text->cap);
    }
    memcpy(text->s + text->n, s, n);
    text->n += n;
    return 0;
}

static void read_diagnostics(const ptx_module *module)
{
    ptx_diagnostic diagnostic = {sizeof diagnostic};
    const char *line;
    size_t length;
    for (size_t i = 0; ptx_module_diagnostic(module, i, &diagnostic) == PTX_OK; i++)
        if (diagnostic.line && ptx_module_source_line(module, diagnostic.line, &line, &length) != PTX_OK)
            abort();
}

static void print_and_read_again(const ptx_module *module)
{
    struct text text = {0};
    ptx_module *again = NULL;
    if (ptx_module_print(module, append, &text) != PTX_OK) abort();
    if (ptx_module_create(NULL, text.s, text.n, &again) != PTX_OK) {
        fwrite(text.s, 1, text.n, stderr);
        abort();
    }
    ptx_module_destroy(again);
    free(text.s);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    ptx_status status[2];
    for (int recover = 0; recover < 2; recover++) {
        const ptx_module_options options = {.struct_size = sizeof options, .recover = recover};
        ptx_module *module = NULL;
        char *text = malloc(size ? size : 1);
        memcpy(text, data, size);
        status[recover] = ptx_module_create(&options, text, size, &module);
        free(text);
        if (!module) abort();
        read_diagnostics(module);
        if (status[recover] == PTX_OK) print_and_read_again(module);
        ptx_module_destroy(module);
    }
    if (status[0] != status[1]) abort();
    return 0;
}
