#!/bin/sh
# Makes every .ptx here that comes from a .cu, by the nvcc command in the .cu's opening comment, and takes
# absolute paths out of it. Needs CUDA 13's nvcc; the results are committed, so nobody else does.
set -e
cd "$(dirname "$0")"

for source in *.cu; do
    command=$(sed -n 's|^// \(nvcc .*\)|\1|p' "$source")
    echo "$command"
    $command
    ./relative_paths.sh "${source%.cu}.ptx"
done
