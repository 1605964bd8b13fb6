/*
 * fpmode.c - rounding and flushing of the host while one statement computes.
 *
 * A statement finds the mode that its own modifiers ask for; before and after
 * it the mode is to nearest without flushing, so that none can leak.
 */
#include "machine.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { FLUSH = 4 };

#if defined(__SSE2__)
uint64_t ref_fp_enter(void)
{
    uint64_t caller = _mm_getcsr();
    ref_fp_set(0);
    return caller;
}

void ref_fp_leave(uint64_t caller)
{
    _mm_setcsr((unsigned)caller);
}

void ref_fp_set(int mode)
{
    static const unsigned rounding[4] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN,
                                         _MM_ROUND_UP};
    const unsigned flush_and_zero = 0x8040;
    _mm_setcsr(_MM_MASK_MASK | rounding[mode & 3] | (mode & FLUSH ? flush_and_zero : 0));
}
#elif defined(__aarch64__)
uint64_t ref_fp_enter(void)
{
    uint64_t caller;
    __asm__ volatile("mrs %0, fpcr" : "=r"(caller));
    ref_fp_set(0);
    return caller;
}

void ref_fp_leave(uint64_t caller)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(caller));
}

void ref_fp_set(int mode)
{
    static const uint64_t rounding[4] = {0, 3, 2, 1}; /* FPCR.RMode */
    ref_fp_leave(rounding[mode & 3] << 22 | (uint64_t)(mode & FLUSH ? 1 : 0) << 24);
}
#else
#error "say how this machine rounds and flushes"
#endif
