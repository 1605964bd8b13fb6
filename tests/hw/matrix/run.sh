#!/bin/sh
# run.sh OUT [TILES] - holds lib/ops against this machine's tensor cores with TILES (10^6) tiles a type and shape, and leaves in OUT
# matrix.bin and matrix_faults.tsv for tests/hw/golden, and report.txt with a line a form. Four minutes on 16 cores.
# Needs gcc with OpenMP, a processor with AVX-512, an sm_90 GPU and its driver, and a CUDA toolkit in CUDA (/usr/local/cuda).
set -e
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../../..
work=$(mktemp -d)
flags="-std=gnu17 -O3 -ffp-contract=off -fno-math-errno -fwrapv -I$here -I$top/lib -I${CUDA:-/usr/local/cuda}/include"
link="-L${CUDA:-/usr/local/cuda}/lib64/stubs -lcuda -lm"
level() { gcc $flags -fno-trapping-math "$@" -c "$top/lib/ops/mma_product.c"; }
cd "$work"
level -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mbmi2 -mprefer-vector-width=512 -DPX_LEVEL=avx512 -o avx512.o
level -mavx2 -mfma -mf16c -mbmi2 -DPX_LEVEL=avx2 -o avx2.o
level -DPX_LEVEL=portable -o portable.o
gcc $flags -frounding-math -fopenmp -o record "$here/record.c" "$top"/lib/ops/mma_form.c "$top"/lib/ops/mma_quads.c "$top"/lib/ops/mma_plain.c \
    avx512.o avx2.o portable.o $link
gcc $flags -o faults "$here/../common/faults.c" $link
./faults >"$1/matrix_faults.tsv"
./record "$1/matrix.bin" "${2:-1000000}" "$1/report.txt"
if grep -v '^0 differ' "$1/report.txt"; then echo "some forms differ"; exit 1; fi
