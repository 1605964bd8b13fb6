/*
 * redirect.c - libptxvm_redirect.so: what the entries of a linked-in runtime jump to.
 *
 * `ptxvm --exec` preloads it into the program. The audit library (audit.c), which sees every object as it is
 * mapped, writes jumps to the thunks below over the entries. A thunk goes where its slot points; the first
 * call opens the libcudart.so of its release, which lies beside this library, and fills the slot. So nothing
 * here needs to be relocated or initialised before it is used, and a program that is none of CUDA's pays for
 * nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/redirect/names.h"
#include "cuda/redirect/vendor.h"

uintptr_t px_vendor_theirs[PX_COPIES][PX_VENDORS] __attribute__((visibility("default")));
char px_redirect_left[PX_LEFT_BYTES] __attribute__((visibility("default")));
void *px_redirect_slots[PX_RELEASES * PX_NAMES] __attribute__((visibility("hidden")));
void *px_redirect_resolve(unsigned index) __attribute__((visibility("hidden")));

static const char *const files[PX_RELEASES] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *handles[PX_RELEASES]; /* guarded by lock */

/* What a name of another release answers: cudaErrorNotSupported. */
static int not_there(void)
{
    return 801;
}

static void *open_release(unsigned release)
{
    Dl_info here;
    char path[4096] = "";
    if (dladdr(px_redirect_slots, &here) && here.dli_fname) {
        const char *slash = strrchr(here.dli_fname, '/');
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - here.dli_fname) : 0, here.dli_fname,
                 files[release]);
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (handle) return handle;
    fprintf(stderr, "ptxvm: the runtime that the program has linked in cannot be replaced: %s\n", dlerror());
    exit(3);
}

void *px_redirect_resolve(unsigned index)
{
    const unsigned release = index / PX_NAMES;
    pthread_mutex_lock(&lock);
    if (!handles[release]) handles[release] = open_release(release);
    void *at = dlsym(handles[release], px_names[index % PX_NAMES]);
    if (!at) at = (void *)(uintptr_t)not_there;
    __atomic_store_n(&px_redirect_slots[index], at, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return at;
}

/*
 * No function of the runtime is variadic or takes floats, so rax and r11 are free at an entry; the slow way
 * keeps the registers of the arguments. At a thunk the stack is 8 bytes off a multiple of 16.
 */
__asm__(".text\n"
        ".balign 16\n"
        ".globl px_redirect_thunks\n"
        ".type px_redirect_thunks, @function\n"
        "px_redirect_thunks:\n"
        "px_index = 0\n"
#define NAME(name)                                                                                           \
    ".balign 16\n"                                                                                           \
    "movl $px_index, %eax\n"                                                                                 \
    "jmp px_redirect_go\n"                                                                                   \
    "px_index = px_index + 1\n"
#include "cuda/redirect/rows.h"
#include "cuda/redirect/rows.h"
#include "cuda/redirect/rows.h"
#undef NAME
        ".size px_redirect_thunks, . - px_redirect_thunks\n"
        ".balign 16\n"
        "px_redirect_go:\n"
        "leaq px_redirect_slots(%rip), %r11\n"
        "movq (%r11,%rax,8), %r11\n"
        "testq %r11, %r11\n"
        "jz 1f\n"
        "jmp *%r11\n"
        "1:\n"
        "pushq %rdi\n"
        "pushq %rsi\n"
        "pushq %rdx\n"
        "pushq %rcx\n"
        "pushq %r8\n"
        "pushq %r9\n"
        "subq $8, %rsp\n"
        "movl %eax, %edi\n"
        "call px_redirect_resolve\n"
        "addq $8, %rsp\n"
        "popq %r9\n"
        "popq %r8\n"
        "popq %rcx\n"
        "popq %rdx\n"
        "popq %rsi\n"
        "popq %rdi\n"
        "jmp *%rax\n");
