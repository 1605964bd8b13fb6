/*
 * ptx.h - PTX modules and diagnostics.
 *
 * A module is one PTX text, read, resolved and checked. Creating one never
 * runs anything: it answers "is this PTX legal?". ptxvm.h runs modules.
 *
 * Rules that hold for every function of ptx.h and ptxvm.h:
 *  - Nothing is printed, no process state is touched, nothing is global. Two
 *    threads may use two objects at once; one object belongs to one thread at
 *    a time unless its comment says otherwise.
 *  - A function that can fail returns a ptx_status. Output pointers are
 *    written on success only, unless the comment says otherwise.
 *  - Strings are UTF-8 and NUL-terminated; those returned by a query belong to
 *    the object queried and live until that object is destroyed.
 *  - Structs that go between caller and library begin with `struct_size`, and later versions add fields at
 * their end: write `ptx_fault fault = {sizeof fault};`, `ptx_device_config config = {.struct_size = sizeof
 * config, ...}`. 0 stands for the size of the first version, which is 0.1's. All else that is zero asks for
 * the defaults. A size that never was, or a field that is not zero and that the library is too old for, is
 *    PTX_ERROR_INVALID_ARGUMENT.
 */
#ifndef PTX_H
#define PTX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTX_VERSION_MAJOR 0
#define PTX_VERSION_MINOR 1

#define PTX_VERSION (PTX_VERSION_MAJOR * 1000 + PTX_VERSION_MINOR)

/* Newest PTX ISA version the checker knows: 9.0 is 90. */
#define PTX_ISA_VERSION 90

#if defined(__GNUC__)
#define PTX_API __attribute__((visibility("default")))
#else
#define PTX_API
#endif

/* PTX_VERSION of the library that is loaded, which may be newer than this header. Any thread. */
PTX_API unsigned ptx_version(void);

typedef enum ptx_status {
    PTX_OK = 0,
    PTX_ERROR_INVALID_ARGUMENT = 1, /* NULL, zero or out of range where the comment forbids it */
    PTX_ERROR_OUT_OF_MEMORY = 2,    /* the allocator, or a device's memory, is exhausted */
    PTX_ERROR_ASSEMBLY = 3,         /* the text is not legal PTX; see the diagnostics */
    PTX_ERROR_LINK = 4,             /* a name is undefined or defined twice across modules */
    PTX_ERROR_NOT_FOUND = 5,        /* no such kernel, variable or parameter */
    PTX_ERROR_UNSUPPORTED = 6,      /* legal PTX that the VM cannot run yet; the message names it */
    PTX_ERROR_FAULT = 7,            /* a kernel stopped on a fault; see ptx_fault */
    PTX_ERROR_DEADLOCK = 8,         /* no thread of the launch can go on */
    PTX_ERROR_LIMIT = 9,            /* a step or time limit was reached */
    PTX_ERROR_INTERRUPTED = 10,     /* ptx_device_interrupt was called */
    PTX_ERROR_LAUNCH = 11,          /* grid, block or shared memory out of bounds for the device */
    PTX_ERROR_NOT_READY = 12,       /* what was asked for is still under way */
    PTX_ERROR_CAPTURE = 13          /* not while a stream is captured, or the capture has failed */
} ptx_status;

/* A short English name of `status`, never NULL. Any thread. */
PTX_API const char *ptx_status_name(ptx_status status);

/*
 * Where memory comes from. `realloc` behaves like realloc(3): `ptr` NULL
 * allocates, `size` 0 frees and returns NULL, a failure returns NULL and leaves
 * `ptr` alone. `old_size` is the size of `ptr`. It must be callable from any
 * thread. A NULL `realloc` means the C library.
 */
typedef struct ptx_allocator {
    void *(*realloc)(void *user, void *ptr, size_t old_size, size_t size);
    void *user;
} ptx_allocator;

/* ---- modules -------------------------------------------------------- */

typedef struct ptx_module ptx_module;

/* Some rules depend on what a module becomes: a program by itself, or a part of one (ptxas -c). */
typedef enum ptx_compilation {
    PTX_COMPILE_ANY = 0,     /* what both have in common */
    PTX_COMPILE_WHOLE = 1,   /* functions called are defined here, shared memory is at most 48 KiB */
    PTX_COMPILE_SEPARATE = 2 /* .extern names stay open, and the ABI is kept */
} ptx_compilation;

/*
 * What is taken for PTX. 13.0: what NVIDIA's ptxas of CUDA 13.0 takes, held against it. All: every target and
 * version that the tables know, 32-bit addresses too; rows beyond 13.0 follow documents only.
 */
typedef enum ptx_profile { PTX_PROFILE_13_0 = 0, PTX_PROFILE_ALL = 1 } ptx_profile;

/*
 * Whether `mul` and `add` or `sub` that name no rounding become one fma, which is more exact in the last bit:
 * what the assembler of NVIDIA does unless it is told not to (docs/fidelity.md). A module keeps it in object
 * files.
 */
typedef enum ptx_fmad { PTX_FMAD_DEFAULT = 0, PTX_FMAD_ON = 1, PTX_FMAD_OFF = 2 } ptx_fmad;

/*
 * Warnings of kernels that reach recursion, so that their stack size cannot be determined before they run
 * (W0402), in whole programs: what the assembler of NVIDIA says of code that is to be debugged.
 */
typedef enum ptx_stacks { PTX_STACKS_DEFAULT = 0, PTX_STACKS_WARN = 1, PTX_STACKS_SILENT = 2 } ptx_stacks;

/*
 * Warnings of suspicious code in a module without errors (codes W06xx): none, those that are seldom wrong,
 * and with ALL also those that are often wrong (W0630).
 */
typedef enum ptx_lint { PTX_LINT_OFF = 0, PTX_LINT_ON = 1, PTX_LINT_ALL = 2 } ptx_lint;

typedef struct ptx_module_options {
    size_t struct_size;
    ptx_allocator allocator;
    const char *file_name; /* shown in diagnostics; NULL means "<memory>" */
    const char
        *arch; /* "sm_90": check as if for this target; NULL: the module's own .target. For "compute_90" and
                  "lto_90" what is asked only of code is not asked, and the module cannot be run */
    unsigned max_errors; /* stop after this many; 0 means no limit */
    int check_only; /* not 0: only the verdict is wanted. Takes a fraction of the memory; the module answers
                       all questions about what it declares, and cannot be printed or put into a program */
    int lint;       /* ptx_lint; not 0 needs more than the verdict, so check_only has no effect then */
    ptx_compilation compilation;
    ptx_profile profile;
    const ptx_module *const
        *earlier;         /* modules of the same program, as if their texts stood before this one: what */
    size_t earlier_count; /* they and this module share by .visible, .weak and .extern must agree */
    ptx_fmad fmad;        /* default: as the object file says; on for a text, but off with .target debug */
    ptx_stacks stacks;    /* default: WARN with .target debug */
    int recover; /* not 0: reading goes on behind a statement with a syntax error, and diagnostics come in
                    the order of the text; 0: such an error ends the text, as for NVIDIA's assembler */
} ptx_module_options;

/*
 * Reads, resolves and checks `size` bytes of PTX at `text`, or an object file. The text is copied.
 * On PTX_OK and PTX_ERROR_ASSEMBLY `*module` is set (so the diagnostics can be
 * read) and the caller owns it; on any other status it is NULL.
 * `options` may be NULL.
 */
PTX_API ptx_status ptx_module_create(const ptx_module_options *options, const char *text, size_t size,
                                     ptx_module **module);

/*
 * Object files (docs/object.md): ELF files that carry checked modules as text. ptx_module_create reads one
 * like PTX when it holds a single module; these functions read and write several. A module of an object is
 * checked when it is read, like any text, for the architecture that it was checked for before unless
 * options->arch says otherwise; options->file_name is the object's, and diagnostics of the module name its
 * own file. Foreign and damaged files are PTX_ERROR_ASSEMBLY with a diagnostic that says what they are.
 */
/* Modules in an object; 0 when the bytes are no object or a damaged one. Any thread. */
PTX_API size_t ptx_object_module_count(const void *data, size_t size);
PTX_API ptx_status ptx_object_module(const ptx_module_options *options, const void *data, size_t size,
                                     size_t index, ptx_module **module);

/* Destroys a module. NULL is allowed. Programs made from it stay valid. */
PTX_API void ptx_module_destroy(ptx_module *module);

/* What diagnostics call the module's file. */
PTX_API const char *ptx_module_file_name(const ptx_module *module);

/* Facts of the header lines: .version as major*10+minor, .target as written, .address_size. */
PTX_API unsigned ptx_module_isa_version(const ptx_module *module);
PTX_API const char *ptx_module_target(const ptx_module *module);
PTX_API unsigned ptx_module_address_size(const ptx_module *module);

/* ---- diagnostics ---------------------------------------------------- */

typedef enum ptx_severity { PTX_INFO = 0, PTX_WARNING = 1, PTX_ERROR = 2, PTX_FATAL = 3 } ptx_severity;

typedef struct ptx_diagnostic {
    size_t struct_size;
    ptx_severity severity;
    const char *code;    /* stable id such as "E0102"; tests and tools name it, not the text */
    const char *message; /* one line, in ptxas's wording where ptxas has one */
    const char *note;    /* what helps: legal forms, nearest name, earlier definition; NULL if none */
    const char *file;
    unsigned line;   /* from 1; 0 when the message has no place */
    unsigned column; /* from 1, in bytes */
    unsigned length; /* bytes of text meant, at least 1 when line is not 0 */
    int follows;     /* 1: only a consequence of an earlier one, or its repetition */
} ptx_diagnostic;

/* Number of diagnostics, and the i-th in the order found (the first is the first fault met). */
PTX_API size_t ptx_module_diagnostic_count(const ptx_module *module);
PTX_API ptx_status ptx_module_diagnostic(const ptx_module *module, size_t index, ptx_diagnostic *diagnostic);

/* Source line `line` (from 1) of the module text, without its newline. */
PTX_API ptx_status ptx_module_source_line(const ptx_module *module, unsigned line, const char **start,
                                          size_t *length);

/* ---- what a module holds -------------------------------------------- */

/*
 * One kernel parameter. `type` is the name of its fundamental or opaque type
 * ("u64", "f32", "b8", "texref"); a `.b8 p[24]` has type "b8", count 24.
 */
typedef struct ptx_param_info {
    size_t struct_size;
    const char *name;
    const char *type;
    size_t offset, size, align; /* bytes, in the parameter buffer (PTX ISA 5.1.6) */
    size_t count;               /* array elements; 1 for a scalar */
    int is_pointer;             /* .ptr was given */
} ptx_param_info;

typedef struct ptx_kernel_info {
    size_t struct_size;
    const char *name;
    size_t param_count;
    size_t param_bytes;
    size_t static_shared_bytes;
    size_t local_bytes;  /* per thread */
    unsigned reqntid[3]; /* 0 when not given */
    unsigned maxntid[3]; /* 0 when not given */
    int is_shared; /* its name is one for all modules of a program (.visible, .weak); else its module's own */
    unsigned max_registers, min_blocks; /* .maxnreg and .minnctapersm; 0 when not given */
} ptx_kernel_info;

PTX_API size_t ptx_module_kernel_count(const ptx_module *module);
PTX_API ptx_status ptx_module_kernel(const ptx_module *module, size_t index, ptx_kernel_info *info);
PTX_API ptx_status ptx_module_kernel_param(const ptx_module *module, size_t kernel, size_t index,
                                           ptx_param_info *info);

/* What the code of a kernel needs, as far as its text tells. */
typedef struct ptx_usage {
    size_t struct_size;
    unsigned live_registers;  /* most 32-bit units of registers that hold values still needed, at any
                                 instruction;  a lower bound of what a compiler without spills would use */
    unsigned live_predicates; /* the same for predicates */
    unsigned barriers;        /* highest barrier number in use plus one; 16 when a register chooses it */
    int has_calls;            /* functions are called, whose needs are not counted here */
} ptx_usage;

/* Bytes of the .global and .const variables of the module; either pointer may be NULL. */
PTX_API void ptx_module_bytes(const ptx_module *module, uint64_t *global_bytes, uint64_t *const_bytes);
PTX_API ptx_status ptx_module_kernel_usage(const ptx_module *module, size_t index, ptx_usage *usage);

/* A piece of a kernel's parameters as the code reads it. */
typedef struct ptx_param_member {
    size_t param, offset; /* which parameter, and bytes into it */
    const char *type;     /* it is loaded as, "u64" */
    const char
        *element;     /* a pointer: the largest thing accessed through it, "f32"; "" when that is unknown */
    size_t stride;    /* bytes that its indices count, as far as they are multiplied by a constant; else 0 */
    int is_pointer;   /* addresses are made of it */
    int is_passed_on; /* it is stored, or passed to functions that are not in the module */
    const char *object;   /* a handle: "texture", "sampler" or "surface"; else "" */
    const char *geometry; /* of a texture or surface: "1d", "2d", "a2d", "cube" ...; else "" */
    unsigned channels;    /* of a surface: elements that are accessed at once. `element` is the type of these,
                             of a texture of what is fetched */
} ptx_param_member;

/*
 * What a launch of a kernel has to bring along, as far as the text of the kernel and of what it calls tells.
 * The caller gives room for the lists (or none); the counts are what there is, which may be more.
 */
typedef struct ptx_kernel_needs {
    size_t struct_size;
    size_t member_size; /* of an element of `members`, as the caller knows it; 0: of the first version */
    ptx_param_member *members;
    size_t member_room, member_count;
    const char **unset; /* .global and .const variables that it reads, that have no initial value, and */
    size_t unset_room, unset_count; /* that neither it nor what it calls writes */
    int dynamic_shared;             /* .extern .shared memory is used: ptx_launch_config.shared_bytes */
    unsigned block_dimensions, grid_dimensions; /* as far as %tid and %ctaid are read: 1, 2 or 3 */
} ptx_kernel_needs;

PTX_API ptx_status ptx_module_kernel_needs(const ptx_module *module, size_t index, ptx_kernel_needs *needs);

/* Receives text piece by piece; returns 0 to go on. */
typedef int (*ptx_write_fn)(void *user, const char *text, size_t size);

/*
 * Prints the module in canonical form: modifiers in the manual's order, one
 * statement a line. Reading the text back gives the same module.
 * Fails with PTX_ERROR_ASSEMBLY when the module has errors, PTX_ERROR_INVALID_ARGUMENT when it was only
 * checked.
 */
PTX_API ptx_status ptx_module_print(const ptx_module *module, ptx_write_fn write, void *user);

/*
 * Writes modules without errors, at least 1 and at most 1024, as one object file. PTX_ERROR_ASSEMBLY when one
 * has errors; PTX_ERROR_INTERRUPTED when `write` stopped it.
 */
PTX_API ptx_status ptx_object_write(const ptx_module *const *modules, size_t count, ptx_write_fn write,
                                    void *user);

/* The explanation of a diagnostic code; NULL if unknown. Any thread. */
PTX_API const char *ptx_explain(const char *code);

#ifdef __cplusplus
}
#endif
#endif
