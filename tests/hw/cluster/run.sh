#!/bin/sh
# run.sh OUT - record what clusters answer on this machine's sm_90 GPU: OUT/launches.txt, and of the cases in
# ../async OUT/clusters.tsv and OUT/bulk.tsv. Needs gcc and the CUDA driver's headers.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
gcc -O1 -w -I"$cuda/include" -o "$1/launches" "$here/record.c" -L"$cuda/lib64/stubs" -lcuda
gcc -O1 -I"$cuda/include" -o "$1/cases" "$here/../async/record.c" -L"$cuda/lib64/stubs" -lcuda
seq 10 21 | xargs -P 12 -I N sh -c '"$0/launches" $((N - 10)) 12 >"$0/N.launch"' "$1" || true
cat "$1"/*.launch >"$1/launches.txt"
for what in clusters bulk; do
    seq 10 21 | xargs -P 12 -I N sh -c '"$0/cases" "$1" $((N - 10)) 12 >"$0/N.case" 2>"$0/N.err"' "$1" "$here/../async/$what.txt" || true
    sort "$1"/*.case >"$1/$what.tsv"
    cat "$1"/*.err >"$1/$what.errors"
done
rm "$1"/*.launch "$1"/*.case "$1"/*.err "$1/launches" "$1/cases"
