/*
 * fpmode.h - the floating-point mode of the host while lanes compute.
 *
 * A mode is the part of x86's MXCSR that instructions choose: rounding (bits
 * 14..13) and flush-to-zero with denormals-are-zero. Decode inserts a record
 * wherever the mode that an instruction wants differs from the one in force;
 * host functions, and everything outside px_gang_run, see PX_FP_HOME. Elsewhere
 * than on x86 rounding is set through <fenv.h> and FTZ through the FPCR.
 */
#ifndef PX_GANG_FPMODE_H
#define PX_GANG_FPMODE_H

#include "gang/cta.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <fenv.h>
#endif

/* The numbers of px_match_fp_mode. */
enum px_fp_mode { PX_FP_RN = 0, PX_FP_RZ = 1, PX_FP_RM = 2, PX_FP_RP = 3, PX_FP_FTZ = 4, PX_FP_HOME = 0 };

static inline void px_fp_load(uint32_t mode)
{
#if defined(__SSE2__)
    static const uint16_t rounding[4] = {0, 3, 1, 2};
    _mm_setcsr(0x1f80u | (uint32_t)rounding[mode & 3] << 13 | (mode & PX_FP_FTZ ? 0x8040u : 0));
#elif defined(__aarch64__)
    static const uint64_t rounding[4] = {0, 3, 2, 1};
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    fpcr = (fpcr & ~(7ull << 22)) | rounding[mode & 3] << 22 | (uint64_t)(mode & PX_FP_FTZ ? 1 : 0) << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
#else
    (void)mode;
#endif
}

/* The caller's mode, with PX_FP_HOME in force from now on; px_fp_leave brings the caller's back, flags
 * included. */
static inline uint64_t px_fp_enter(void)
{
    uint64_t caller = 0;
#if defined(__SSE2__)
    caller = _mm_getcsr();
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(caller));
#endif
    px_fp_load(PX_FP_HOME);
    return caller;
}

static inline void px_fp_leave(uint64_t caller)
{
#if defined(__SSE2__)
    _mm_setcsr((uint32_t)caller);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(caller));
#else
    (void)caller;
#endif
}

static inline void px_fp_set(struct px_worker *worker, uint32_t mode)
{
    if (worker->fp_mode == mode) return;
    worker->fp_mode = mode;
    px_fp_load(mode);
}

#endif
