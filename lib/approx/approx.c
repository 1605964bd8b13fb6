/* approx.c - coefficient tables of the approximate units (approx.h) as the portable code wants them.
 *
 * c0 is C0; c12 packs C1 (17 bits) and C2 << 17.  4.6 KB in all.
 */
#include "approx/approx.h"
#include "approx/tables.def"

#define C0(c0, c1, c2) c0,
#define C12(c0, c1, c2) c1 | c2##u << 17,
#define TABLE(name, size)                                                                                    \
    const uint32_t px_approx_##name##_c0[size] = {PX_APPROX_TABLE_##name(C0)};                               \
    const uint32_t px_approx_##name##_c12[size] = {PX_APPROX_TABLE_##name(C12)};

TABLE(rcp, 128)
TABLE(rsqrt, 128)
TABLE(sqrt, 128)
TABLE(ex2, 64)
TABLE(lg2, 64)
TABLE(sin, 64)
TABLE(tanh, 64)
