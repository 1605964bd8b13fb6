#!/bin/sh
# big.sh - the programs of this folder on a machine of 16 cores: usage: big.sh OUT, 155 seconds at most.
#
# Beside it lie NAME.gz of the programs and of test_one_access, and lib/ with libcuda.so.1, libcudart.so.13 and what
# they need. OUT gets a file for each part, and totals: 50 rounds of 10^7 items, random schedules, all programs
# side by side, the litmus tests, and the same on a chip, where there is one.
out=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
mkdir -p "$out"
for file in "$here"/*.gz; do
    name=$(basename "$file" .gz)
    gzip -dc "$file" >"$work/$name" && chmod +x "$work/$name"
done

# part NAME SECONDS COMMAND...: its output, how it ended, and how long it took.
part() {
    name=$1 limit=$2
    shift 2
    start=$(date +%s)
    timeout "$limit" env LD_LIBRARY_PATH="$here/lib" "$@" >"$out/$name.txt" 2>&1
    echo "exit $? after $(($(date +%s) - start)) s" >>"$out/$name.txt"
}

part litmus 20 "$work/test_one_access"
part ahead 70 env PTXVM_THREADS=16 "$work/ahead" 10000000 50 1 told
part random 15 env PTXVM_THREADS=16 PTXVM_SCHEDULE=random:7 "$work/ahead" 1000000 50 7 told
for name in scan select reduce sort merge thrust; do
    part "all_$name" 25 env PTXVM_THREADS=16 "$work/$name" 1000000 20 3 told &
done
wait
timeout 20 env LD_LIBRARY_PATH=/usr/local/cuda/lib64 "$work/ahead" 10000000 2 1 told >"$out/chip.txt" 2>&1
echo "exit $?" >>"$out/chip.txt"
(cd "$out" && for file in *.txt; do echo "$file: $(tail -n 3 "$file" | tr '\n' ';')"; done) | tee "$out/totals"
rm -r "$work"
