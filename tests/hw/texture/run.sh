#!/bin/sh
# run.sh OUT - record the cases on this machine's sm_90 GPU, and compare with our unit: OUT/texture.sum, OUT/surface.txt, OUT/log.
# Needs gcc and nvcc; about two minutes.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
flags="-O3 -std=gnu17 -ffp-contract=off -fwrapv -fno-trapping-math -I$root/lib -I$here"
python3 "$here/cases.py" >"$1/cases.txt"
for source in "$here/case.c" "$here/model.c" "$root/lib/tex/image.c" "$root/lib/approx/approx.c"; do
    gcc $flags -c -o "$1/$(basename "$source" .c).o" "$source"
done
gcc $flags -mavx2 -mfma -DPX_LEVEL=portable -c -o "$1/rows.o" "$root/lib/tex/rows.c"
nvcc -O3 -arch=sm_90 -I"$here" -o "$1/record" "$here/record.cu" "$1"/*.o -lpthread
nvcc -arch=sm_90 -o "$1/surface" "$here/surface.cu"
"$1/surface" >"$1/surface.txt"
"$1/record" "$1/cases.txt" "$1/texture.sum" --compare >"$1/log"
tail -1 "$1/log"
rm "$1"/*.o "$1/record" "$1/surface" "$1/cases.txt"
