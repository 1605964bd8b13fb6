/*
 * isagen.h - what the files of isagen share.
 *
 * isagen reads names.tbl and isa.tbl (docs/isa-table.md) and writes the tables
 * of build/gen. It is a host program that runs once and exits: it never frees,
 * and any fault in a table ends it with file and line. `ig` holds everything
 * read; the emitters only read it.
 */
#ifndef ISAGEN_H
#define ISAGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    IG_SLOTS = 18,
    IG_SETS = 512,
    IG_CONDITIONS = 256,
    IG_FORMATS = 64,
    IG_QUIRKS = 96, /* and sets, and results */
    IG_KINDS = 60,
    IG_QUIRK_RULES = 384,
    IG_OPDS = 12,
    IG_ELEMS = 64, /* most elements of a vector operand that are named one by one */
    IG_WORDS = 16384,
    IG_WORD_CHAINS = 4096,
    IG_FORMS = 4096,
    IG_CONSTRUCTS = 64,     /* of a kind; the checker has a bit for each directive */
    IG_CONSTRUCT_TEXT = 48, /* bytes, with the NUL: px_construct of isa.h */
    IG_POOL = 65535
};

struct ig_place {
    const char *file;
    int line;
};

_Noreturn void ig_error(struct ig_place at, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *ig_alloc(size_t size); /* zeroed */
char *ig_text(const char *s, size_t n);
char *ig_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- words: number i+1 is words.text[i]; types come first, in the order of enum px_type, then `number`
 * lines ---- */

struct ig_words {
    const char *text[IG_WORDS];
    int first[IG_WORD_CHAINS], next[IG_WORDS]; /* numbers of words by hash; 0 ends a chain */
    bool plain[IG_WORDS];                      /* not only from a `words` pattern */
    bool used[IG_WORDS];                       /* stands in another line than `number` */
    bool modifier[IG_WORDS];                   /* some slot accepts it */
    bool opcode[IG_WORDS];
    bool repeated[IG_WORDS];   /* a modifier that may be written twice */
    bool plain_name[IG_WORDS]; /* an opcode whose requirements messages call "Instruction", not "Feature" */
    bool slot[IG_WORDS];       /* the name of a slot */
    bool value[IG_WORDS];      /* stands in a list of values, or in names.tbl */
    bool always[IG_WORDS];     /* a `word`, space or target of names.tbl: known to all versions */
    int n, numbered;           /* the first ones, which C names (PX_W_) */
};

struct ig_type {
    const char *name, *klass, *reg;
    int bits;
    bool decl, noimm;
};
struct ig_space {
    const char *name, *code;
};
struct ig_sreg {
    const char *name, *type, *directive, *differs;
    int components, ptx, target;
};
/* directive, pragma, construct; of a language the code is in ptx */
struct ig_construct {
    const char *name, *text, *code;
    int ptx, sm;
    bool positive;
};
struct ig_target {
    const char *name;
    int sm;
    char suffix;
    int ptx;
    bool past;
};

/* ---- isa.tbl ---- */

/* set: index in ig.target_sets; 0: every target >= sm. feature: what messages call it, or NULL */
struct ig_since {
    int ptx, sm, set;
    const char *feature;
};
struct ig_value {
    int word, since;
}; /* since: index in ig.sinces; 0: none */
struct ig_set {
    const char *name;
    struct ig_value *values;
    int n;
    struct ig_place at;
};

struct ig_slot {
    int name; /* word */
    bool optional, literal;
    bool together; /* comes with the slot before it: {.a.b} */
    struct ig_value *values;
    int n;
    int first; /* index in the pool of values, set by the emitter */
};

/* A type function: entries by key; keys and values are spelled out. */
struct ig_elems {
    int n;
    bool vector;
    int divisor; /* n is 0: as many as the number after 'n' in the last argument (m64n128k16), divided by this
                  */
    int type[IG_ELEMS]; /* 0: the type in the last argument */
};
struct ig_entry {
    int key[4];
    struct ig_elems value;
    const char *text;
};
struct ig_fn {
    const char *name;
    int nargs;
    struct ig_entry *entries;
    int n;
    bool is_text;
    struct ig_place at;
};

enum ig_tkind { IG_T_NONE, IG_T_FIXED, IG_T_SLOT, IG_T_FN };
struct ig_tspec {
    int kind;
    struct ig_elems fixed;
    int slot;
    int fn;
    int args[4];
    bool vec;
};

enum ig_okind {
    IG_O_REG,
    IG_O_PRED,
    IG_O_ADDR,
    IG_O_VEC,
    IG_O_IMM,
    IG_O_LABEL,
    IG_O_FUNC,
    IG_O_LIST,
    IG_O_TEXADDR,
    IG_O_TENSOR,
    IG_O_OTHER
};

enum { /* flags of an operand; the same bits as PX_OPERAND_* of lib/isa/table.h */
       IG_F_DST = 1,
       IG_F_IMM = 2,
       IG_F_NEG = 4,
       IG_F_MINUS = 8,
       IG_F_SINK = 16,
       IG_F_WIDER = 32,
       IG_F_EXACT = 64,
       IG_F_SREG = 128,
       IG_F_VAR = 256,
       IG_F_OPTIONAL = 512,
       IG_F_PAIR = 1024,
       IG_F_PAIR_OPTIONAL = 2048,
       IG_F_UNIFIED = 4096,
       IG_F_SELECTOR = 8192,
       IG_F_RANGE = 16384,
       IG_F_WIDTH3264 = 32768,
       IG_F_SAMPLER = 65536,
       IG_F_LOOSE = 131072,
       IG_F_UNTYPED = 262144
};

struct ig_opd {
    const char *name;
    int kind; /* enum ig_okind */
    unsigned flags;
    struct ig_tspec type;   /* of an address: the type that is accessed */
    int64_t lo, hi;         /* IG_F_RANGE */
    int step;               /* constant must be a multiple; 0, 1: any; -1: power of two */
    int space;              /* slot that gives the state space; -1: none */
    int part_first, nparts; /* bracketed tuples: further operands inside, in ig_form.parts */
    int partner;            /* index in parts of the operand after `|`; -1 none */
};

/* Words that are no modifiers of the named instructions, or of all but those, and do no harm there. */
struct ig_overlooked {
    int words[32], nwords;
    const char *names;
    bool all_but;
};

struct ig_clause {
    int kind;
    int first, len;
    int since;
    const char *message;
}; /* kind 0 where, 1 need */

/* A meaning `copy SPACE[TO] <- SPACE[FROM], SIZE, ...`: numbers of operands, -1: none. */
struct ig_copy {
    const char *to_space, *from_space; /* as C code names them */
    int to, from, size, read, unless;
};

struct ig_family;
struct ig_form {
    struct ig_place at;
    const char *syntax, *meaning, *section;
    const struct ig_family *family; /* NULL: no `family` line stands before the row */
    int opcode;                     /* word */
    struct ig_slot slots[IG_SLOTS];
    int nslots;
    struct ig_opd opds[IG_OPDS], parts[IG_OPDS];
    int nopds, min_opds, nparts;
    struct ig_since since;
    struct ig_clause clauses[16];
    int nclauses;
    const char *op;        /* meaning function, or NULL */
    const char *statement; /* or NULL */
    bool bits, compare, wide, video, mode, home, executable;
    int copy;             /* number in ig.copies, from 1; 0: no copy */
    bool swaps;           /* [swaps]: the first two sources may change places */
    bool vector;          /* [vec]: the statement is written over vectors of lanes, too */
    const char *shapes;   /* explicit list, or NULL */
    const char *x86;      /* [x86 ...]: the machine form, or NULL */
    const char *harmless; /* optional slots that mean nothing to the statement, or NULL */
    const char **hot;     /* [hot ...]: entries up to NULL, none means all; NULL without the attribute */
    bool *hot_used;
    int nspec, spec[IG_SLOTS];
    int nfixed;        /* the first slots, whose words come right after the opcode and in order */
    int handler_first; /* in the pool of handler numbers */
};

/* Rows whose handlers are compiled together: handlers_NAME.c, handlers_hot_NAME.c, handlers_alone_NAME.c. */
struct ig_family {
    const char *name;
    bool hot; /* rows may say [hot] */
};

struct ig_named {
    const char *name, *text;
};

struct ig {
    struct ig_words words;
    struct ig_type types[64];
    int ntypes; /* types[i] is enum px_type i+1 */
    struct ig_space spaces[32];
    int nspaces;
    struct ig_sreg sregs[256];
    int nsregs;
    struct ig_target targets[64];
    int ntargets;
    int versions[64];
    int nversions;
    struct ig_construct directives[IG_CONSTRUCTS], pragmas[IG_CONSTRUCTS], constructs[IG_CONSTRUCTS];
    struct ig_construct languages[IG_CONSTRUCTS], intermediates[IG_CONSTRUCTS];
    int ndirectives, npragmas, nconstructs, nlanguages, nintermediates;
    struct ig_set sets[IG_SETS];
    int nsets;
    struct ig_overlooked overlooked[16];
    int noverlooked;
    struct ig_set features; /* words that need a version or target on any instruction */
    struct ig_fn fns[256];
    int nfns;
    struct ig_named conds[IG_CONDITIONS], formats[IG_FORMATS]; /* formats: of operands */
    int nconds, nformats;
    struct {
        const char *name;
        uint64_t bits;
    } target_sets[128];
    int ntarget_sets;
    struct ig_since sinces[512];
    int nsinces; /* [0]: no requirement */
    uint16_t lists[IG_POOL];
    int nlists; /* {n, word...} and tuple lists */
    uint16_t code[IG_POOL];
    int ncode; /* conditions */
    struct {
        const char *name, *emitter; /* what makes its records, or NULL */
        unsigned flags;
        bool used, handler;
        struct ig_place at;
    } ops[512];
    int nops;
    struct ig_family families[32];
    int nfamilies;
    struct ig_copy copies[32];
    int ncopies;
    const char *messages[128];
    int nmessages;
    struct {
        int words[6];
        bool loose;
    } names[512];
    int nnames;
    struct ig_form *forms[IG_FORMS];
    int nforms;
};
extern struct ig ig;

/* isagen_names.c */
int ig_word(const char *s, size_t n);              /* number of a word, made when new */
int ig_word_find(const char *s, size_t n);         /* 0 when there is none */
int ig_type_find(const char *s, size_t n);         /* enum px_type, 0 when there is none */
int ig_target_find(const char *s, size_t n);       /* index, -1 */
int ig_version(struct ig_place at, const char *s); /* "7.4" -> 74 */
void ig_read_names(const char *file);
void ig_check_numbered(void); /* once all tables are read */
void ig_read_lines(const char *file, void (*line)(struct ig_place at, char *text));

/* isagen_directives.c; w: the words of the line, quoted: what stands in quotation marks, or NULL */
void ig_read_directive(struct ig_place at, char **w, int n, const char *quoted);
void ig_read_pragma(struct ig_place at, char **w, int n);
void ig_read_construct(struct ig_place at, char **w, int n, const char *quoted);
void ig_read_language(struct ig_place at, char **w, int n);
void ig_read_intermediate(struct ig_place at, char **w, int n);
void ig_emit_needs(FILE *out);
void ig_emit_directives(FILE *out);

/* isagen_rows.c */
void ig_read_rows(const char *file);
int ig_slot_find(const struct ig_form *form, const char *s, size_t n); /* -1 */
int ig_fn_find(const char *s, size_t n);                               /* -1 */
struct ig_set *ig_set_find(const char *s, size_t n);                   /* NULL */
int ig_since_index(struct ig_since since);
struct ig_since ig_since_parse(struct ig_place at, const char *s);

/* isagen_ops.c */
void ig_read_ops(struct ig_place at, const char *line);    /* op NAME ... : FLAG ... */
const char *ig_op_name(struct ig_place at, const char *s); /* of a row: must have been declared */
int ig_op_number(const char *name);
void ig_emit_ops(FILE *out);
void ig_emit_handler_ops(FILE *out);
void ig_emit_op_flag_names(FILE *out);
void ig_emit_op_flags(FILE *out);
void ig_emit_lowerings(FILE *out);
void ig_emit_emissions(FILE *out);
void ig_emit_op_handlers(FILE *out);
void ig_check_op_operands(const struct ig_form *form); /* of a row, once it is read */

/* isagen_copy.c */
void ig_read_copy(struct ig_form *form, const char *text); /* what stands after `copy ` */
void ig_emit_copies(FILE *out);

/* isagen_kinds.c */
void ig_read_kind(struct ig_place at, const char *line); /* NAME WORD... | TWICE | ILLEGAL */
void ig_emit_kind_names(FILE *out);
void ig_emit_kinds(FILE *out);

/* isagen_sets.c */
enum ig_set_group { IG_QUIRK, IG_SET, IG_RESULT };
void ig_read_set(struct ig_place at, enum ig_set_group group, const char *line); /* NAME : INSTRUCTION ... */
void ig_resolve_sets(void);                                                      /* once all rows are read */
void ig_emit_set_names(FILE *out);
void ig_emit_sets(FILE *out);
int ig_result_of(int opcode, const uint16_t *words, int n); /* enum px_result of these modifiers */

/* isagen_opds.c */
void ig_parse_operands(struct ig_form *form, const char *s);

/* isagen_where.c */
void ig_parse_clauses(struct ig_form *form, const char *s);
bool ig_clauses_hold(const struct ig_form *form, const uint16_t *value);

/* isagen_handlers.c */
/* px_statement of lib/isa/isa.h */
enum { IG_STATEMENT_WORDS = 8 };
struct ig_facts {
    int opcode, result, types[4], words[IG_STATEMENT_WORDS];
};
struct ig_handler {
    struct ig_place at;
    const char *name, *statement, *shapes;
    const char *x86; /* machine form, or NULL */
    const struct ig_family *family;
    const char *d, *e, *sources[3]; /* lane types; e: NULL when it is not written */
    int ns;
    bool cc, hot, swaps, vector;
    struct ig_facts facts; /* of the row whose name it bears */
};
void ig_emit_statements(FILE *out); /* px_isa_statements */
const struct ig_handler *ig_handler(int number);
bool ig_mentions(const char *statement, const char *name); /* as a whole word */
void ig_expand_handlers(void);
void ig_check_handlers(void);                               /* families, when all else is right */
const struct ig_handler *ig_handler_find(const char *name); /* any row's name of it; NULL */
void ig_emit_handlers(FILE *inc);
extern int ig_nhandlers;
extern uint16_t ig_handler_pool[IG_POOL];
extern int ig_nhandler_pool;

/* isagen_statement.c */
void ig_read_helpers(const char *file); /* lib/ops/lane.h, preprocessed with -dD */
void ig_check_statement(const struct ig_handler *h);

/* isagen_x86.c */
void ig_emit_x86(FILE *out);

/* isagen_ignored.c */
void ig_check_ignored(void); /* after ig_expand_handlers: the slots that statements mention are known */

/* isagen_fuse.c */
void ig_read_fuse(struct ig_place at, const char *s);
void ig_each_fused(void (*visit)(const char *name));
void ig_emit_fused(FILE *out);      /* handlers_fused.c */
void ig_emit_fused_list(FILE *out); /* behind it: what they are, by number */

/* isagen_loops.c */
/* What lies in a row for a lane type, what the statement sees, and how one becomes the other (formats). */
struct ig_lane_type {
    const char *name, *row, *value, *get, *put;
};
const struct ig_lane_type *ig_lane_type(const struct ig_handler *h, const char *name);
int ig_count_instances(const struct ig_handler *h);
void ig_emit_loops(FILE *out, const struct ig_family *family, bool hot);
void ig_emit_alone(FILE *out, const struct ig_family *family);
void ig_emit_loop_table(FILE *out);

/* isagen_emit.c, isagen_docs.c */
void ig_emit_words(FILE *out);
void ig_emit_sregs(FILE *out);
void ig_emit_messages(FILE *out);
void ig_emit_tables(FILE *out);
void ig_emit_forms(FILE *out);   /* isagen_forms.c */
uint32_t ig_name(const char *s); /* its place in px_isa_names */
void ig_sort_forms(void);
bool ig_has_mode(
    const struct ig_form *form); /* isagen_forms.c: its statement runs in the mode of its .rnd and .ftz */
void ig_emit_docs(FILE *out);
void ig_emit_dict(FILE *out);
void ig_emit_textmate(FILE *out);

#endif
