/*
 * ptx_watch.h - what happens on a device, told to a tool as it happens.
 *
 * For those who assert on launches (tests of compilers), draw time lines, or
 * count. Nothing is told, and nothing is slower, while nobody watches.
 */
#ifndef PTX_WATCH_H
#define PTX_WATCH_H

#include "ptx_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ptx_watch_kind {
    PTX_WATCH_GRID_BEGIN = 1, /* its blocks may run from now on */
    PTX_WATCH_GRID_END = 2,   /* it and its children are complete, or its launch was stopped */
    PTX_WATCH_COPY = 3,       /* of the host, or in a kernel's stream: it begins */
    PTX_WATCH_WAIT = 4,       /* the host waits for a stream, an event, a launch or the device */
    PTX_WATCH_REFUSED = 5,    /* a kernel's launch of another failed */
    PTX_WATCH_LEAK = 6,       /* memory of the device's heap that no kernel freed; when the device goes */
    PTX_WATCH_PAST = 7 /* a kernel writes past an allocation, with PTX_UB_CHIP: once for each instruction */
} ptx_watch_kind;

/* Fields that do not belong to the kind are zero. Strings and pointers live until the callback returns. */
typedef struct ptx_watch_event {
    size_t struct_size;
    ptx_watch_kind kind;
    uint64_t grid;             /* number of the grid, as %gridid; of REFUSED: of the one that launches */
    uint64_t parent;           /* of the grid that launched it; 0: the host did */
    const char *kernel;        /* of REFUSED: what was to be launched, "" when that is no kernel */
    const char *parent_kernel; /* of REFUSED: which launches */
    unsigned shape[3], block[3];
    unsigned shared_bytes; /* dynamic */
    unsigned depth;        /* 0 for a launch of the host */
    const void *params;
    size_t param_bytes;
    ptx_stream stream;          /* of the host's launches, copies and waits */
    unsigned cta[3], thread[3]; /* REFUSED, PAST: who launches, or writes */
    int cuda_error;             /* REFUSED: what the call answers */
    const char *reason;         /* REFUSED: "buffer of 8 bytes for 16 bytes of parameters", "not a kernel" */
    ptx_address address;        /* COPY: where to, 0 for the host; LEAK: of the block; PAST: of the access */
    uint64_t bytes;             /* COPY, LEAK, PAST */
    /* REFUSED, PAST: the instruction, and where it stands; "" and 0 when unknown. */
    const char *call; /* of REFUSED: the function that is called */
    const char *instruction, *function, *file;
    unsigned line, column;
    const char *source;     /* "x.cu:12 (inlined at y.cu:40)" by .loc */
    const char *allocation; /* of PAST: "16 bytes past the end of a 4096-byte allocation at 0x..." */
    uint64_t device_stream; /* of REFUSED: as the kernel named it (0 to 4, or one that it made) */
} ptx_watch_event;

/*
 * `fn` is called with events from now on, one at a time, by the thread that causes them. It must not throw.
 * What it asks of this device is PTX_ERROR_INVALID_ARGUMENT, and destroys nothing; ptx_device_interrupt,
 * ptx_device_progress and attributes may be used. NULL: nobody watches. PTX_ERROR_NOT_READY while something
 * is under way.
 */
typedef void (*ptx_watch_fn)(void *user, const ptx_watch_event *event);
PTX_API ptx_status ptx_device_watch(ptx_device *device, ptx_watch_fn fn, void *user);

/* REFUSED and PAST in words, several lines of at most size-1 bytes in all and a NUL; nothing of other kinds.
 * How many bytes there are, as of snprintf. */
PTX_API size_t ptx_watch_words(const ptx_watch_event *event, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
