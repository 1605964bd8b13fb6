#!/bin/sh
# run.sh OUT - record what two GPUs of this machine see of each other's memory: OUT/h100.txt. Needs gcc and the
# CUDA driver's headers.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
gcc -O1 -I"$cuda/include" -o "$1/record" "$here/record.c" -L"$cuda/lib64/stubs" -lcuda
"$1/record" >"$1/h100.txt"
rm "$1/record"
