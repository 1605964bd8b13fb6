#!/bin/sh
# The main job: a kernel that launches kernels. Draws a part of the Mandelbrot set by the Mariani-Silver subdivision
# (samples/mandelbrot.cu): one thread is launched from here, every other grid by a kernel.
#
# usage: demo.sh BUILD    (make demo)
set -e
cd "$(dirname "$0")/.."
build=${1:-build}
image=$build/mandelbrot.png

counters=$(mktemp)
counts=$(mktemp)
trap 'rm -f "$counters" "$counts"' EXIT
"$build/bin/ptxvm" samples/mandelbrot.ptx -k mandelbrot \
    -a 'u8[1024,1024,3]=zeros' -a 1024 -a 1024 -a 1000 -a -0.1576 -a 1.0322 -a 0.028 -a 'u32[8]=zeros' \
    --out "param_0=$image" --out "param_7=$counters.csv" --expect "param_0=$build/samples/mandelbrot.npy" \
    --expect "param_7=$build/samples/mandelbrot_counters.npy" --quiet --counts >"$counts"
tr , ' ' <"$counters.csv" >"$counters"
rm -f "$counters.csv"
read -r launches depth blocks threads filled split computed painted <"$counters"

echo "The Mandelbrot set around -0.1576+1.0322i, 1024 x 1024 pixels, by kernels that launch kernels:"
echo "  launches by kernels  $launches, nested $depth deep"
echo "  blocks               $blocks"
echo "  threads              $threads"
echo "  pixels               $computed computed, $painted filled in $filled rectangles of one colour ($split were split)"
sed -n 's/^thread-instructions /  instructions         /p; s/^time /  time                 /p' "$counts"
echo "  result               equal, byte for byte, to the same program in plain C"
echo "wrote $image"
