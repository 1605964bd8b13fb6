/*
 * show.c - prints recorded results: show FILE.forms FILE.raw [PART]
 *
 * Every special vector of the forms whose code contains PART, operands first, then results. A .raw file comes
 * from the recorder, or from a .bin with:  python3 -c "import sys,zlib; d=sys.stdin.buffer.read();
 * sys.stdout.buffer.write(zlib.decompress(d[4:]))" <alu_F.bin >alu_F.raw
 */
#include "forms.h"

static uint64_t input[8192][IN_MAX];

static void show(const Form *f, unsigned n, FILE *raw, int print)
{
    inputs_special(f->in, f->n_in, f->seed, n, input);
    if (print) printf("%s\n", f->code);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; print && k < f->n_in; k++)
            printf(" %0*llx", (int)((f->in[k]->bits + 3) / 4), (unsigned long long)input[i][k]);
        for (unsigned k = 0; k < f->n_out; k++) {
            uint64_t v = 0;
            if (fread(&v, reg_bytes[f->out[k]], 1, raw) != 1) exit(1);
            if (print)
                printf("%s %0*llx", k ? "" : " ->", 2 * (int)reg_bytes[f->out[k]], (unsigned long long)v);
        }
        if (print) printf("\n");
    }
    uint64_t hashes[BLOCKS];
    if (fread(hashes, sizeof hashes, 1, raw) != 1) exit(1);
}

int main(int argc, char **argv)
{
    static Sets sets;
    char line[1024];
    FILE *forms = argc > 2 ? fopen(argv[1], "r") : NULL, *raw = argc > 2 ? fopen(argv[2], "rb") : NULL;
    if (!forms || !raw) return fprintf(stderr, "show FILE.forms FILE.raw [PART]\n"), 2;
    inputs_init(&sets);
    while (fgets(line, sizeof line, forms)) {
        Form f;
        struct {
            uint64_t id;
            uint32_t n;
        } __attribute__((packed)) head;
        if (!form_parse(&sets, line, &f) || fread(&head, 12, 1, raw) != 1 || head.id != f.id) return 1;
        show(&f, head.n, raw, argc < 4 || strstr(f.code, argv[3]) != NULL);
    }
    return 0;
}
