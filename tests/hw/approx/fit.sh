#!/bin/sh
# fit.sh FIT DIR - all tables, from the unpacked dumps of run.sh in DIR, as they stand in approx/tables.def.
set -e
fit=$1
cd "$2"
"$fit" rcp rcp_ftz-3f800000
"$fit" rsqrt rsqrt_ftz-3f800000 rsqrt_ftz-40000000
"$fit" sqrt sqrt_ftz-3f800000 sqrt_ftz-40000000
"$fit" ex2 ex2_ftz-3f800000
"$fit" lg2 lg2_ftz-3f800000
"$fit" sin sin_ftz-40800000
"$fit" tanh tanh-3b800000 tanh-3c000000 tanh-3c800000 tanh-3d000000 tanh-3d800000 tanh-3e000000 \
    tanh-3e800000 tanh-3f000000 tanh-3f800000 tanh-40000000 tanh-40800000
