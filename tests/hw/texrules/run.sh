#!/bin/sh
# run.sh OUT - record the cases on this machine's sm_90 GPU: OUT/texrules.tsv. Needs gcc and the CUDA driver's headers.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
gcc -O1 -w -I"$cuda/include" -o "$1/record" "$here/record.c" -L"$cuda/lib64/stubs" -lcuda
seq 0 13 | xargs -P 14 -I N sh -c '"$0/record" "$1" N 14 >"$0/N.part" 2>"$0/N.err"' "$1" "$here/cases.txt"
sort "$1"/*.part >"$1/texrules.tsv"
cat "$1"/*.err >"$1/texrules.err"
rm "$1/record" "$1"/*.part "$1"/[0-9]*.err
wc "$1/texrules.tsv"
