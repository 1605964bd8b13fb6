#!/bin/sh
# run.sh OUT - record the cases on this machine's sm_90 GPU: OUT/undefined.tsv. Needs gcc and the CUDA driver's headers.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
gcc -O1 -I"$cuda/include" -o "$1/record" "$here/record.c" -L"$cuda/lib64/stubs" -lcuda
seq 0 11 | xargs -P 12 -I N sh -c '"$0/record" N 12 >"$0/N.part"' "$1"
sort -u "$1"/*.part >"$1/undefined.tsv"
rm "$1/record" "$1"/*.part
wc "$1/undefined.tsv"
