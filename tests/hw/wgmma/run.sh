#!/bin/sh
# run.sh OUT [TILES] - holds lib/ops against this machine's tensor cores, warpgroups' products: TILES (100000) tiles a type, and leaves in OUT
# wgmma.bin and wgmma_faults.tsv for tests/hw/golden, report.txt with a line a form, and probes.bin, what chosen descriptors read.
# Needs gcc with OpenMP, a processor with AVX-512, an sm_90 GPU and its driver, cuda.h in CUDA_INCLUDE.
set -e
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../../..
work=$(mktemp -d)
flags="-std=gnu17 -O3 -w -ffp-contract=off -fno-math-errno -fwrapv -I$here -I$top/lib -I${CUDA_INCLUDE:-/usr/local/cuda/include}"
level() { gcc $flags -fno-trapping-math "$@" -c "$top/lib/ops/mma_product.c"; }
cd "$work"
level -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mbmi2 -mprefer-vector-width=512 -DPX_LEVEL=avx512 -o avx512.o &
level -mavx2 -mfma -mf16c -mbmi2 -DPX_LEVEL=avx2 -o avx2.o &
level -DPX_LEVEL=portable -o portable.o &
gcc $flags -c "$top"/lib/ops/mma_form.c "$top"/lib/ops/wgmma_form.c "$top"/lib/ops/mma_quads.c "$top"/lib/ops/mma_plain.c &
gcc $flags -o faults "$here/../common/faults.c" -lcuda &
wait
gcc $flags -frounding-math -fopenmp -o record "$here/record.c" *.o -lcuda -lm
./record "$1/wgmma.bin" "${2:-100000}" "$1/report.txt" "$1/probes.bin"
./faults >"$1/wgmma_faults.tsv"
if grep -v '^0 differ' "$1/report.txt"; then echo "some forms differ"; exit 1; fi
