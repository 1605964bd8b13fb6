// Handles as file descriptors: memory without addresses and a pool, sent to a child through a socket; what is
// refused.
#include "driver.h"
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int sockets[2];

/* A descriptor and 64 bytes. */
static void post(int socket, int fd, const void *data)
{
    char room[CMSG_SPACE(sizeof(int))] = {0}, bytes[64];
    memcpy(bytes, data, sizeof bytes);
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    if (sendmsg(socket, &message, 0) < 0) exit(5);
}

static int fetch(int socket, void *data)
{
    char room[CMSG_SPACE(sizeof(int))];
    struct iovec part = {data, 64};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    int fd = -1;
    if (recvmsg(socket, &message, 0) <= 0 || !CMSG_FIRSTHDR(&message)) exit(4);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

static CUmemAllocationProp shareable(void)
{
    CUmemAllocationProp prop;
    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return prop;
}

static CUdeviceptr map(CUmemGenericAllocationHandle handle, size_t size)
{
    CUdeviceptr p;
    CUmemAccessDesc access;
    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DO(cuMemAddressReserve(&p, size, 0, 0, 0));
    DO(cuMemMap(p, size, 0, handle, 0));
    DO(cuMemSetAccess(p, size, &access, 1));
    return p;
}

static int child(void)
{
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp prop;
    CUmemoryPool pool;
    CUmemPoolPtrExportData pointer;
    CUdeviceptr p, q;
    CUstream stream;
    size_t size = 0;
    unsigned host[8];
    close(sockets[0]);
    int memory = fetch(sockets[1], &size), pools = fetch(sockets[1], &pointer);
    start();
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    SAY(cuMemImportFromShareableHandle(&handle, (void *)(size_t)memory, (CUmemAllocationHandleType)77));
    SAY(cuMemImportFromShareableHandle(&handle, (void *)(size_t)memory,
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(memory);
    DO(cuMemGetAllocationPropertiesFromHandle(&prop, handle));
    printf("type %d, handles %d, at %d\n", (int)prop.type, (int)prop.requestedHandleTypes,
           (int)prop.location.type);
    p = map(handle, size);
    DO(cuMemcpyDtoH_v2(host, p + size - 32, 32));
    printf("%u %u\n", host[0], host[7]);
    DO(cuMemsetD32_v2(p, 1234, 8));
    SAY(cuMemPoolImportFromShareableHandle(&pool, (void *)(size_t)pools,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    SAY(cuMemPoolImportFromShareableHandle(&pool, (void *)(size_t)pools,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    close(pools);
    SAY(cuMemAllocFromPoolAsync(&q, 4096, pool, stream));
    SAY(cuMemPoolImportPointer(&q, pool, &pointer));
    DO(cuMemcpyDtoHAsync_v2(host, q, 32, stream));
    DO(cuMemsetD32Async(q + 32, 4321, 8, stream));
    DO(cuStreamSynchronize(stream));
    printf("%u %u\n", host[0], host[7]);
    SAY(cuMemFreeAsync(q, stream));
    DO(cuStreamSynchronize(stream));
    SAY(cuMemPoolDestroy(pool));
    DO(cuMemUnmap(p, size));
    SAY(cuMemRelease(handle));
    fflush(stdout);
    return 0;
}

/* Imports of what is no memory of another interface. */
static void external(int fd, size_t size)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer;
    CUexternalMemory m = NULL;
    CUdeviceptr p = 0;
    unsigned host[8] = {0};
    memset(&memory, 0, sizeof memory);
    memory.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    memory.handle.fd = -1;
    memory.size = size;
    SAY(cuImportExternalMemory(&m, &memory));
    memory.type = (CUexternalMemoryHandleType)77;
    SAY(cuImportExternalMemory(&m, &memory));
    SAY(cuDestroyExternalMemory(NULL));
    memory.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    memory.handle.fd = fd;
    CUresult imported = cuImportExternalMemory(&m, &memory);
    printf("import = %s\n", error_name(imported));
    if (imported) {
        close(fd);
        return;
    }
    memset(&buffer, 0, sizeof buffer);
    buffer.size = 4096;
    SAY(cuExternalMemoryGetMappedBuffer(&p, m, &buffer));
    DO(cuMemcpyDtoH_v2(host, p, 32));
    printf("%u %u\n", host[0], host[7]);
    SAY(cuMemFree_v2(p));
    SAY(cuDestroyExternalMemory(m));
}

int main(void)
{
    CUmemAllocationProp prop = shareable(), plain;
    CUmemGenericAllocationHandle handle, own;
    CUmemPoolProps props;
    CUmemoryPool pool, closed;
    CUmemPoolPtrExportData pointer;
    CUdeviceptr p, q;
    CUstream stream;
    size_t unit = 0, sizes[8] = {0};
    int fd = -1, second = -1, pools = -1, status;
    unsigned host[8];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets)) return 6;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) return child();
    close(sockets[1]);
    start();
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DO(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    printf("unit %zu\n", unit);
    SAY(cuMemCreate(&handle, 2 * unit, &prop, 0));
    plain = prop;
    plain.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
    DO(cuMemCreate(&own, unit, &plain, 0));
    SAY(cuMemExportToShareableHandle(&fd, own, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    SAY(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_NONE, 0));
    SAY(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    SAY(cuMemExportToShareableHandle(NULL, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    SAY(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    SAY(cuMemExportToShareableHandle(&second, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    printf("descriptors %d\n", fd >= 0 && second >= 0 && fd != second);
    p = map(handle, 2 * unit);
    DO(cuMemsetD32_v2(p, 7, 2 * unit / 4));
    SAY(cuMemImportFromShareableHandle(&own, (void *)(size_t)second,
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    CUdeviceptr seen = map(own, 2 * unit);
    DO(cuMemsetD32_v2(seen + 4, 8, 1));
    DO(cuMemcpyDtoH_v2(host, p, 8));
    printf("%u %u\n", host[0], host[1]);
    SAY(cuMemImportFromShareableHandle(&own, (void *)(size_t)sockets[0],
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    DO(cuMemPoolCreate(&closed, &props));
    SAY(cuMemPoolExportToShareableHandle(&pools, closed, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    DO(cuMemPoolCreate(&pool, &props));
    SAY(cuMemPoolExportToShareableHandle(&pools, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    SAY(cuMemPoolExportToShareableHandle(&pools, pool, CU_MEM_HANDLE_TYPE_NONE, 0));
    SAY(cuMemPoolExportToShareableHandle(&pools, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DO(cuMemAllocFromPoolAsync(&q, 4096, closed, stream));
    SAY(cuMemPoolExportPointer(&pointer, q));
    SAY(cuMemPoolExportPointer(&pointer, p));
    DO(cuMemAllocFromPoolAsync(&q, 4096, pool, stream));
    DO(cuMemsetD32Async(q, 99, 1024, stream));
    DO(cuStreamSynchronize(stream));
    SAY(cuMemPoolExportPointer(NULL, q));
    SAY(cuMemPoolExportPointer(&pointer, q));
    fflush(stdout);
    sizes[0] = 2 * unit;
    post(sockets[0], fd, sizes);
    post(sockets[0], pools, &pointer);
    close(fd);
    waitpid(pid, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    DO(cuMemcpyDtoH_v2(host, p, 32));
    printf("%u %u\n", host[0], host[7]);
    DO(cuMemcpyDtoH_v2(host, q + 28, 32));
    printf("%u %u\n", host[0], host[1]);
    SAY(cuMemFreeAsync(q, stream));
    DO(cuStreamSynchronize(stream));
    external(second, 2 * unit);
    return 0;
}
