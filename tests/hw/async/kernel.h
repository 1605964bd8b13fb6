/*
 * kernel.h - the cases of cases.txt as kernels; for the recorder and for the replay.
 *
 * "case NAME THREADS [BLOCKS [CLUSTER]]" begins a case (CLUSTER: the launch asks for clusters of so many
 * blocks); the lines up to the next one are its body, PTX but for five words at the start of a line: "put R"
 * stores the 64-bit register R as the next result of the thread, "put32 R" one of 32 bits, "pred P" a
 * predicate, "state R" the upper half of R (the chip leaves the lower half of an mbarrier's state as it was),
 * "word" the mbarrier at %bar as it lies in memory once it was invalidated, which is where the chip leaves
 * it. "header VERSION TARGET" first: not 8.6 and sm_90. "once" before any of them: thread 0 alone. A kernel
 * gets RESULTS words for each thread (OUT_SENTINEL at first) and IN_BYTES of input, byte i being i * 37 + 11;
 * it has 16 mbarriers at %bar and 1024 bytes of shared memory, all 0x5a, at %buf.
 */
#ifndef HW_ASYNC_KERNEL_H
#define HW_ASYNC_KERNEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESULTS = 48, THREADS_MAX = 128, IN_BYTES = 4096, TEXT_MAX = 65536, NAME_MAX_ = 64 };
#define OUT_SENTINEL 0xccccccccccccccccu

typedef struct Case {
    char name[NAME_MAX_];
    unsigned threads, blocks, cluster, results;
    char text[TEXT_MAX];
} Case;

static void case_add(Case *c, const char *line)
{
    size_t n = strlen(c->text);
    if (n + strlen(line) + 1 >= TEXT_MAX) fprintf(stderr, "%s is too long\n", c->name), exit(2);
    strcat(c->text, line);
}

static void case_begin(Case *c, const char *line)
{
    memset(c, 0, sizeof *c);
    c->blocks = 1;
    if (sscanf(line, "case %63s %u %u %u", c->name, &c->threads, &c->blocks, &c->cluster) < 2 ||
        c->threads * c->blocks > THREADS_MAX)
        fprintf(stderr, "bad line: %s", line), exit(2);
    case_add(c,
             ".version 8.6\n.target sm_90\n.address_size 64\n"
             ".const .b32 fixed = 7;\n.shared .align 8 .b64 bars[16];\n.shared .align 16 .b8 bytes[1024];\n"
             ".visible .entry k(.param .u64 k_out, .param .u64 k_in)\n{\n"
             "    .reg .pred %p<10>, %first, %odd;\n    .reg .b16 %h<10>;\n    .reg .f32 %f<10>;\n"
             "    .reg .b32 %r<20>, %bar, %buf, %me;\n    .reg .b64 %s<20>, %out, %in, %w;\n"
             "    ld.param.u64 %out, [k_out];\n    ld.param.u64 %in, [k_in];\n"
             "    mov.u32 %bar, bars;\n    mov.u32 %buf, bytes;\n    mov.u32 %me, %tid.x;\n"
             "    mov.u32 %r19, %ctaid.x;\n    mov.u32 %r18, %ntid.x;\n    mad.lo.u32 %r19, %r19, %r18, "
             "%me;\n    mad.wide.u32 %out, %r19, 384, %out;\n    setp.eq.u32 %first, %me, 0;\n"
             "    mov.u32 %r19, 0;\nfill:\n    add.u32 %r18, %buf, %r19;\n"
             "    @%first st.shared.u32 [%r18], 0x5a5a5a5a;\n    add.u32 %r19, %r19, 4;\n"
             "    setp.lt.u32 %p9, %r19, 1024;\n    @%p9 bra fill;\n    bar.sync 0;\n");
}

/* Another first line: an old instruction, or one of sm_90a. */
static void case_header(Case *c, const char *version, const char *target)
{
    char buf[100];
    const char *behind = strstr(c->text, ".address_size");
    const int n = snprintf(buf, sizeof buf, ".version %s\n.target %s\n", version, target);
    memmove(c->text + n, behind, strlen(behind) + 1);
    memcpy(c->text, buf, (size_t)n);
}

static void case_line(Case *c, const char *line)
{
    char buf[600], guard[16] = "", reg[64] = "", target[64];
    const char *at = line + strspn(line, " \t");
    if (sscanf(at, "header %63s %63s", reg, target) == 2) {
        case_header(c, reg, target);
        return;
    }
    if (!strncmp(at, "once ", 5)) {
        strcpy(guard, "@%first ");
        at += 5;
    }
    unsigned to = c->results * 8;
    if (!strncmp(at, "put ", 4) && sscanf(at, "put %63s", reg) == 1)
        snprintf(buf, sizeof buf, "    %sst.global.b64 [%%out+%u], %s;\n", guard, to, reg);
    else if (sscanf(at, "put32 %63s", reg) == 1)
        snprintf(buf, sizeof buf, "    cvt.u64.u32 %%w, %s;\n    %sst.global.b64 [%%out+%u], %%w;\n", reg,
                 guard, to);
    else if (sscanf(at, "pred %63s", reg) == 1)
        snprintf(buf, sizeof buf, "    selp.u64 %%w, 1, 0, %s;\n    %sst.global.b64 [%%out+%u], %%w;\n", reg,
                 guard, to);
    else if (sscanf(at, "state %63s", reg) == 1)
        snprintf(buf, sizeof buf, "    shr.u64 %%w, %s, 32;\n    %sst.global.b64 [%%out+%u], %%w;\n", reg,
                 guard, to);
    else if (!strncmp(at, "word", 4))
        snprintf(buf, sizeof buf,
                 "    mbarrier.inval.shared.b64 [%%bar];\n    ld.volatile.shared.b64 %%w, [%%bar];\n"
                 "    %sst.global.b64 [%%out+%u], %%w;\n",
                 guard, to);
    else {
        snprintf(buf, sizeof buf, "    %s%s", guard, at);
        case_add(c, buf);
        return;
    }
    if (c->results++ == RESULTS) fprintf(stderr, "%s has more than %d results\n", c->name, RESULTS), exit(2);
    case_add(c, buf);
}

/* The next case of an open file; 0 at its end. `held` is a line of 600 bytes kept between calls, "" at first.
 */
static int case_next(FILE *f, Case *c, char held[600])
{
    char line[600];
    while (strncmp(held, "case ", 5))
        if (!fgets(held, 600, f)) return 0;
    case_begin(c, held);
    held[0] = 0;
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, "case ", 5)) {
            strcpy(held, line);
            break;
        }
        if (line[0] != '#' && line[strspn(line, " \t\n")]) case_line(c, line);
    }
    case_add(c, "    ret;\n}\n");
    return 1;
}

static void fill_input(uint8_t *in)
{
    for (unsigned i = 0; i < IN_BYTES; i++) in[i] = (uint8_t)(i * 37 + 11);
}

#endif
