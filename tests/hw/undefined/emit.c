/* emit.c - prints the PTX of the cases of cases.h: emit [NUMBER], which is numbered from 0. */
#include "cases.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
    static char text[UNDEFINED_ROOM];
    const unsigned i = argc > 1 ? (unsigned)atoi(argv[1]) : UNDEFINEDS;
    if (i >= UNDEFINEDS) return printf("%d cases\n", UNDEFINEDS), argc > 1;
    undefined_text(&undefineds[i], text);
    return printf("// %s\n%s", undefineds[i].name, text) < 0;
}
