/*
 * ipc.c - memory and events of other processes, by handles of 64 bytes.
 *
 * A handle names a file in memory by the process that has it and its descriptor there, which the other
 * process opens through /proc; the number of the file tells whether it is still the same. So both must be of
 * one user and see each other's processes, and a handle is good for as long as the process that gave it
 * lives. Memory is the device's file of shared pages (ptx_memory_share). An event is words in a file of its
 * own: which record was the last, and a ring of places where streams write which record is done and wait for
 * it. Records of one event in several streams end in any order, so each has a place of its own; the stream of
 * a later record that shares the place waits for the earlier one first.
 */
#define _GNU_SOURCE
#include "cuda/driver/ipc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cuda/driver/memory.h"

/* What is in a handle. */
struct place {
    char what[8]; /* "memory", "event", "pointer" */
    int32_t process, file;
    uint64_t inode, offset, size, pool; /* pool: the inode of its token */
};
_Static_assert(sizeof(struct place) <= sizeof(CUipcMemHandle), "it fits");

static uint64_t inode_of(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_ino : 0;
}

static CUresult name_place(const char *what, int file, uint64_t offset, uint64_t size, uint64_t pool,
                           void *handle)
{
    struct place place = {.process = getpid(), .file = file, .offset = offset, .size = size, .pool = pool};
    place.inode = inode_of(file);
    memcpy(place.what, what, strlen(what));
    memset(handle, 0, sizeof(CUipcMemHandle));
    memcpy(handle, &place, sizeof place);
    return CUDA_SUCCESS;
}

/* A descriptor of what a handle names; -1: it names nothing that can be had. */
static int open_place(const char *what, const void *handle, struct place *place)
{
    char path[64];
    memcpy(place, handle, sizeof *place);
    if (strncmp(place->what, what, sizeof place->what) != 0) return -1;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", place->process, place->file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        px_cu_say("the %s of process %d cannot be opened: %s (it must live, and be of the same user)", what,
                  place->process, strerror(errno));
    if (file >= 0 && inode_of(file) == place->inode) return file;
    if (file >= 0) close(file);
    return -1;
}

/* ---- memory ---- */

struct opened {
    struct px_cu_object head;
    enum px_cu_origin origin;
    CUdeviceptr address;
    uint64_t inode, offset, size;
    unsigned times; /* that it was opened; guarded by `lock` */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that is opened and closed */

struct search {
    CUdeviceptr address; /* 0: by what it is */
    const struct opened *like;
    struct opened *found; /* taken */
};

static void look(void *object, void *user)
{
    struct opened *o = object;
    struct search *s = user;
    if (s->found || !o->times) return;
    if (s->address ? o->address != s->address
                   : o->origin != s->like->origin || o->inode != s->like->inode ||
                         o->offset != s->like->offset || o->size != s->like->size)
        return;
    s->found = px_cu_again(o);
}

/* The lock is held. */
static CUresult open_new(struct px_cu_context *c, const struct opened *like, int file, CUdeviceptr *address)
{
    ptx_device *vm;
    ptx_address at;
    PX_CU_TRY(px_cu_vm(c, &vm));
    struct opened *o = px_cu_new(PX_CU_OPENED, sizeof *o, c, NULL);
    if (!o) return CUDA_ERROR_OUT_OF_MEMORY;
    const ptx_status status = ptx_memory_open(vm, file, like->offset, like->size, &at);
    if (status != PTX_OK) {
        px_cu_drop(px_cu_handle(o), PX_CU_OPENED);
        return px_cu_result(c, status, NULL);
    }
    o->origin = like->origin;
    o->inode = like->inode;
    o->offset = like->offset;
    o->size = like->size;
    o->times = 1;
    *address = o->address = at;
    return CUDA_SUCCESS;
}

CUresult px_cu_open(struct px_cu_context *c, enum px_cu_origin origin, int file, uint64_t offset,
                    uint64_t size, CUdeviceptr *address)
{
    const struct opened like = {.origin = origin, .inode = inode_of(file), .offset = offset, .size = size};
    struct search s = {.like = &like};
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (origin != PX_CU_FROM_EXTERNAL) px_cu_each(PX_CU_OPENED, c, look, &s);
    if (s.found) {
        s.found->times++;
        *address = s.found->address;
    } else
        result = open_new(c, &like, file, address);
    pthread_mutex_unlock(&lock);
    px_cu_give(s.found);
    return result;
}

CUresult px_cu_close(CUdeviceptr address, enum px_cu_origin origin)
{
    struct search s = {.address = address};
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    bool last = false;
    PX_CU_TRY(px_cu_ready());
    pthread_mutex_lock(&lock);
    if (address) px_cu_each(PX_CU_OPENED, NULL, look, &s);
    PX_CU_HOLD(opened, o) = s.found;
    if (o && o->origin == origin) {
        last = --o->times == 0;
        result = CUDA_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    if (!last) return result;
    struct px_cu_context *c = o->head.context;
    result = px_cu_settle(c);
    ptx_memory_close(atomic_load(&c->vm), address);
    px_cu_drop(px_cu_handle(o), PX_CU_OPENED);
    return result;
}

CUresult px_cu_close_freed(CUdeviceptr address)
{
    const CUresult result = px_cu_close(address, PX_CU_FROM_EXTERNAL);
    return result == CUDA_ERROR_INVALID_VALUE ? px_cu_close(address, PX_CU_FROM_POOL) : result;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
    ptx_memory_info info;
    int file;
    uint64_t offset;
    PX_CU_CURRENT(c);
    if (!handle || !address) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, c, &info);
    if (!owner || info.kind != PTX_MEMORY_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    const ptx_status status = ptx_memory_share(atomic_load(&owner->vm), info.base, &file, &offset);
    PX_CU_TRY(px_cu_result(owner, status, NULL));
    return name_place("memory", file, offset, info.size, 0, handle);
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)
{
    struct place place;
    PX_CU_CURRENT(c);
    if (!address || !(flags & CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)) return CUDA_ERROR_INVALID_VALUE;
    memcpy(&place, &handle, sizeof place);
    if (strncmp(place.what, "memory", sizeof place.what) == 0 && place.process == getpid())
        return CUDA_ERROR_INVALID_CONTEXT; /* its own */
    const int file = open_place("memory", &handle, &place);
    if (file < 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = px_cu_open(c, PX_CU_FROM_HANDLE, file, place.offset, place.size, address);
    close(file);
    return result;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    return px_cu_close(address, PX_CU_FROM_HANDLE);
}

/* ---- memory of pools ---- */

static const char token_text[] = "pool of ptxvm";

int px_cu_token_make(void)
{
    const int file = memfd_create("ptxvm-pool", MFD_CLOEXEC);
    if (file < 0 || pwrite(file, token_text, sizeof token_text, 0) == (ssize_t)sizeof token_text) return file;
    close(file);
    return -1;
}

bool px_cu_token_is(int file)
{
    char text[sizeof token_text];
    return pread(file, text, sizeof text, 0) == (ssize_t)sizeof text &&
           memcmp(text, token_text, sizeof text) == 0;
}

CUresult px_cu_pointer_export(struct px_cu_context *owner, const ptx_memory_info *info, int token,
                              CUmemPoolPtrExportData *data)
{
    int file;
    uint64_t offset;
    const ptx_status status = ptx_memory_share(atomic_load(&owner->vm), info->base, &file, &offset);
    PX_CU_TRY(px_cu_result(owner, status, NULL));
    return name_place("pointer", file, offset, info->size, inode_of(token), data);
}

CUresult px_cu_pointer_import(struct px_cu_context *c, int token, const CUmemPoolPtrExportData *data,
                              CUdeviceptr *address)
{
    struct place place;
    memcpy(&place, data, sizeof place);
    const int file = place.pool == inode_of(token) ? open_place("pointer", data, &place) : -1;
    if (file < 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = px_cu_open(c, PX_CU_FROM_POOL, file, place.offset, place.size, address);
    close(file);
    return result;
}

/* ---- events ---- */

enum { RECORDS = 510 /* a page of words */ };

struct words {
    _Atomic uint64_t given;         /* numbers that records were given, from 1 */
    _Atomic uint64_t recorded;      /* the last that is in its stream; 0: none */
    _Atomic uint64_t done[RECORDS]; /* by number: the last that is done */
};
_Static_assert(sizeof(struct words) <= PTX_MAP_GRAIN, "it fits");

struct px_cu_ipc_event {
    int file;
    ptx_device *vm;
    ptx_address address; /* of the words, on the device */
    struct words *words; /* on the host */
};

static _Atomic uint64_t *done_of(const struct px_cu_ipc_event *e, uint64_t number)
{
    return &e->words->done[number % RECORDS];
}

/* The words at an address of the device. */
static ptx_status map_words(struct px_cu_ipc_event *e, ptx_physical words)
{
    ptx_memory_info info = {sizeof info};
    ptx_status status = ptx_range_reserve(e->vm, PTX_MAP_GRAIN, 0, &e->address);
    if (status != PTX_OK) return status;
    status = ptx_range_map(e->vm, e->address, PTX_MAP_GRAIN, words, 0);
    if (status == PTX_OK) {
        status = ptx_range_access(e->vm, e->address, PTX_MAP_GRAIN, PTX_ACCESS_READ_WRITE);
        if (status == PTX_OK) status = ptx_memory_info_get(e->vm, e->address, &info);
        if (status == PTX_OK) {
            e->words = info.host;
            return PTX_OK;
        }
        ptx_range_unmap(e->vm, e->address, PTX_MAP_GRAIN);
    }
    ptx_range_release(e->vm, e->address, PTX_MAP_GRAIN);
    return status;
}

static ptx_status make_words(struct px_cu_ipc_event *e, int file)
{
    ptx_physical words;
    uint64_t size = PTX_MAP_GRAIN;
    ptx_status status = file < 0 ? ptx_physical_create_shared(e->vm, size, &words)
                                 : ptx_physical_import(e->vm, file, &words, &size);
    if (status != PTX_OK) return status;
    if (file < 0) status = ptx_physical_file(e->vm, words, &e->file);
    if (status == PTX_OK && size != PTX_MAP_GRAIN) status = PTX_ERROR_INVALID_ARGUMENT;
    if (status == PTX_OK) status = map_words(e, words);
    ptx_physical_release(e->vm, words); /* the mapping keeps it */
    return status;
}

CUresult px_cu_ipc_event_make(struct px_cu_context *c, int file, struct px_cu_ipc_event **event)
{
    struct px_cu_ipc_event *e = calloc(1, sizeof *e);
    ptx_status status = PTX_ERROR_OUT_OF_MEMORY;
    if (e) {
        e->file = file;
        e->vm = atomic_load(&c->vm);
        status = make_words(e, file);
        file = e->file;
    }
    if (status == PTX_OK) {
        *event = e;
        return CUDA_SUCCESS;
    }
    if (file >= 0) close(file);
    free(e);
    return px_cu_result(c, status, NULL);
}

/* Work that is under way may still write or wait for the words: then they stay until the context goes. */
void px_cu_ipc_event_free(struct px_cu_context *c, struct px_cu_ipc_event *e)
{
    if (!e) return;
    close(e->file);
    if (e->vm == atomic_load(&c->vm) && ptx_device_query(e->vm) == PTX_OK &&
        ptx_range_unmap(e->vm, e->address, PTX_MAP_GRAIN) == PTX_OK)
        ptx_range_release(e->vm, e->address, PTX_MAP_GRAIN);
    free(e);
}

static ptx_value at_place(const struct px_cu_ipc_event *e, ptx_value_op op, uint64_t place, uint64_t value)
{
    const uint64_t offset = offsetof(struct words, done) + place % RECORDS * sizeof value;
    return (ptx_value){op, sizeof value, e->address + offset, value};
}

static void raise_to(_Atomic uint64_t *word, uint64_t value)
{
    uint64_t had = atomic_load(word);
    while (had < value && !atomic_compare_exchange_weak(word, &had, value)) {
    }
}

/* A graph would write the same number at each launch. */
CUresult px_cu_ipc_event_record(struct px_cu_ipc_event *e, const struct px_cu_way *way)
{
    if (px_cu_way_captured(way)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    const uint64_t number = atomic_fetch_add(&e->words->given, 1) + 1;
    const bool first = number <= RECORDS;
    const ptx_value values[2] = {at_place(e, PTX_VALUE_WAIT_GEQ, number, first ? 0 : number - RECORDS),
                                 at_place(e, PTX_VALUE_WRITE, number, number)};
    const ptx_status status = ptx_stream_values(way->vm, values + first, 2 - first, way->stream);
    if (status == PTX_OK)
        raise_to(&e->words->recorded, number);
    else
        raise_to(done_of(e, number), number); /* it is no record: nobody waits for it */
    return px_cu_result(way->context, status, NULL);
}

CUresult px_cu_ipc_event_follow(struct px_cu_ipc_event *e, const struct px_cu_way *way)
{
    const uint64_t recorded = atomic_load(&e->words->recorded);
    if (px_cu_way_captured(way)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (!recorded) return CUDA_SUCCESS;
    const ptx_value wait = at_place(e, PTX_VALUE_WAIT_GEQ, recorded, recorded);
    return px_cu_result(way->context, ptx_stream_values(way->vm, &wait, 1, way->stream), NULL);
}

CUresult px_cu_ipc_event_query(struct px_cu_context *c, struct px_cu_ipc_event *e)
{
    ptx_device_query(e->vm); /* a device without threads of its own works when it is asked */
    const int lost = atomic_load(&c->lost);
    if (lost) return (CUresult)lost;
    const uint64_t recorded = atomic_load(&e->words->recorded);
    return atomic_load(done_of(e, recorded)) >= recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

/* Nobody tells this process what another one's stream has done, so it looks, ever less often. */
CUresult px_cu_ipc_event_wait(struct px_cu_context *c, struct px_cu_ipc_event *e)
{
    struct timespec pause = {0, 20000};
    CUresult result;
    while ((result = px_cu_ipc_event_query(c, e)) == CUDA_ERROR_NOT_READY) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 1000000) pause.tv_nsec *= 2;
    }
    px_cu_flush(c);
    return result;
}

CUresult px_cu_ipc_event_handle(const struct px_cu_ipc_event *e, CUipcEventHandle *handle)
{
    return name_place("event", e->file, 0, PTX_MAP_GRAIN, 0, handle);
}

int px_cu_ipc_event_file(const CUipcEventHandle *handle)
{
    struct place place;
    return open_place("event", handle, &place);
}
