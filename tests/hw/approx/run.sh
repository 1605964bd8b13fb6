#!/bin/sh
# run.sh OUT [dumps] - build the recorder, write OUT/sums/*.sum (the golden files), OUT/sass.txt,
# and with "dumps" also OUT/dumps.tar.*: the value tables that the fits start from.
# Needs nvcc, cuobjdump and a GPU of the architecture in ARCH.
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=$1
work=$(mktemp -d)
nvcc -O2 -std=c++17 -arch="${ARCH:-sm_90}" -o "$work/record" "$here/record.cu"
mkdir -p "$out/sums"
"$work/record" sums "$out/sums"
cuobjdump --dump-sass "$work/record" >"$work/sass.txt"
awk '/Function : /{on=/form_/} on' "$work/sass.txt" | sed 's,/\* 0x[0-9a-f]* \*/,,' | grep -v '^ *$' >"$out/sass.txt"
[ "$2" = dumps ] || exit 0

# UNIT FIRST: one binade each
while read -r unit firsts; do
    for first in $firsts; do
        echo "$unit 0x$first 0x800000 $work/$unit-$first"
    done
done >"$work/jobs" <<LIST
rcp_ftz 3f800000
rcp 7e800000 00000000
rsqrt_ftz 3f800000 40000000
sqrt_ftz 3f800000 40000000
sqrt 00000000
ex2_ftz 3f800000 bf800000 3f000000 bf000000 3e800000 be000000 3e000000 40800000 c1000000 3a800000 ba800000
ex2 c3000000
lg2_ftz 3f800000 3f000000 40000000 3e800000 44800000 21800000 71800000
lg2 00000000
sin_ftz 39800000 3c800000 3d800000 3e000000 3e800000 3f000000 3f800000 40000000 40800000 42800000 44800000 49800000 4f800000
cos_ftz 39800000 3c800000 3d800000 3e000000 3e800000 3f000000 3f800000 40000000 40800000 42800000 49800000
tanh 38800000 39800000 3a000000 3a800000 3b000000 3b800000 3c000000 3c800000 3d000000 3d800000 3e000000 3e800000 3f000000 3f800000 40000000 40800000 41000000
LIST
cat >>"$work/jobs" <<LIST
rcp_ftz_f64 0x3ff00000 0x100000 $work/rcp_ftz_f64-3ff00000
rcp_ftz_f64 0x7fc00000 0x400000 $work/rcp_ftz_f64-7fc00000
rcp_ftz_f64 0x00000000 0x400000 $work/rcp_ftz_f64-00000000
rsqrt_ftz_f64 0x3fe00000 0x200000 $work/rsqrt_ftz_f64-3fe00000
rsqrt_f64 0x00000000 0x200000 $work/rsqrt_f64-00000000
ex2_f16 0 0x10000 $work/ex2_f16
tanh_f16 0 0x10000 $work/tanh_f16
ex2_ftz_bf16 0 0x10000 $work/ex2_ftz_bf16
tanh_bf16 0 0x10000 $work/tanh_bf16
div 0x3f800000 0x80000 $work/div-3f800000
divfull 0x3f800000 0x80000 $work/divfull-3f800000
LIST
xargs -P 8 -L 1 "$work/record" dump <"$work/jobs"
cd "$work"
files=$(awk '{print $4}' jobs | xargs -n 1 basename)
echo "$files" | xargs -P 16 -n 1 xz -6
ls -l *.xz | awk '{print $5, $9}'
tar cf - $(echo "$files" | sed 's/$/.xz/') | split -b 15000000 -d - "$out/dumps.tar."
