/* emit.c - prints a module of programs.h: emit NUMBER > FILE.ptx. */
#include "programs.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    static char text[MODULE_BYTES];
    unsigned module = argc == 2 ? (unsigned)atoi(argv[1]) : MODULES;
    if (module >= MODULES) return fprintf(stderr, "usage: emit 0..%d\n", MODULES - 1), 2;
    module_text(text, module);
    return fputs(text, stdout) < 0;
}
