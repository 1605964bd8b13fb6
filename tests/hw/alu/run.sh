#!/bin/sh
# run.sh OUT - build the recorder, run every family on this machine's GPU, leave OUT/raw.tgz for pack.py.
# Needs nvcc and an sm_90 GPU. Families run side by side, because most of the time goes into the driver's assembler.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
nvcc -O2 -o "$work/record" "$here/record.c" -lcuda
mkdir "$work/raw"
ls -S "$here"/../golden/alu_*.forms | xargs -P 12 -n 1 "$work/record" "$work/raw" || echo "some family failed"
tar czf "$1/raw.tgz" -C "$work/raw" .
ls -l "$1"
