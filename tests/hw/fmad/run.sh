#!/bin/sh
# run.sh OUT - record the programs on this machine's sm_90 GPU: OUT/fmad.bin as ptxas does by default, OUT/plain.bin with -fmad=false.
# Needs gcc, ptxas and the CUDA driver's headers. OUT/about.txt says which assembler and GPU it was.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v ptxas)")")")
work=$(mktemp -d)
gcc -O1 -o "$work/emit" "$here/emit.c"
gcc -O1 -I"$cuda/include" -o "$work/record" "$here/record.c" -L"$cuda/lib64/stubs" -lcuda
mkdir "$work/fmad" "$work/plain"
count() { sed -n "s/^ *$1 = \([0-9]*\),.*/\1/p" "$here/programs.h"; }
modules=$(($(count PROGRAMS) / $(count PER_MODULE) - 1))
export work
seq 0 "$modules" | xargs -P 16 -I N sh -c '"$work/emit" N >"$work/N.ptx" &&
    ptxas -arch=sm_90 -o "$work/fmad/N.cubin" "$work/N.ptx" && ptxas -arch=sm_90 -fmad=false -o "$work/plain/N.cubin" "$work/N.ptx"'
for option in fmad plain; do "$work/record" "$work/$option" "$1/$option.bin"; done
{ ptxas --version | tail -2; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; } >"$1/about.txt"
ls -l "$1"
