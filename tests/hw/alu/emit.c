/* emit.c - prints the PTX of a .forms file: emit FILE.forms [NUMBER] (all kernels, or the one of that line).
 */
#include "forms.h"

int main(int argc, char **argv)
{
    static Sets sets;
    char line[1024];
    Text t = {0};
    FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!in) return fprintf(stderr, "emit FILE.forms [NUMBER]\n"), 2;
    inputs_init(&sets);
    text_header(&t);
    for (unsigned number = 0; fgets(line, sizeof line, in); number++) {
        Form f;
        if (!form_parse(&sets, line, &f)) return fprintf(stderr, "%s: line %u\n", argv[1], number + 1), 1;
        if (argc < 3 || (unsigned)atoi(argv[2]) == number) form_emit(&t, &f, number);
    }
    fputs(t.text, stdout);
    return 0;
}
