/* args.h - the arguments of the launch: the parameter buffer, and the device buffers it points to. */
#ifndef PTXVM_ARGS_H
#define PTXVM_ARGS_H

#include "array.h"
#include "kernel.h"
#include "ptxvm.h"
#include "texture.h"

/* One device buffer made for an argument. */
struct buffer {
    char *name;          /* as shown: "param_3", "p.2" for member 2 of a structure; owned */
    size_t param;        /* index of the parameter */
    size_t offset;       /* where in the parameter buffer its address belongs */
    struct array before; /* what it holds before the launch, */
    struct array after;  /* and after it */
    ptx_address address;
    struct texture *texture; /* its texels are these; owned; NULL: a buffer is memory */
};

struct arguments {
    unsigned char *params; /* laid out as the kernel wants it */
    size_t param_bytes;
    struct buffer *buffers;
    unsigned n;
};

/* Makes everything that -a asks for, on the host; gives up when parameters and arguments do not match. */
void arguments_make(struct arguments *arguments, const struct kernel *kernel, const struct options *options);

/* A buffer word ("f32[100]=iota", "x.npy") as an array; false when it is none. */
bool arguments_array(struct array *array, const char *spec, uint64_t seed);

/* Allocates the buffers on the device, fills them, and puts their addresses in the parameter buffer. */
void arguments_upload(struct arguments *arguments, ptx_device *device);
/* Frees them. */
void arguments_release(const struct arguments *arguments, ptx_device *device);
/* Gives variables of the program the values that --set asks for. */
void variables_set(ptx_device *device, ptx_program *program, const struct modules *modules,
                   const struct options *options);
/* A .global or .const variable; FILE:NAME is the own one of a file. */
bool variable_find(ptx_program *program, const struct modules *modules, const char *name,
                   ptx_address *address, uint64_t *size);
void arguments_download(struct arguments *arguments, ptx_device *device);
void arguments_free(struct arguments *arguments);

bool buffer_changed(const struct buffer *buffer);

/* The buffer of the parameter called by the first `length` bytes of `name`; gives up when there is none. */
struct buffer *arguments_find(const struct arguments *arguments, const struct kernel *kernel,
                              const char *name, size_t length);

#endif
