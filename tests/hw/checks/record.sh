#!/bin/sh
# record.sh - what Compute Sanitizer says of each program of cases.cu, with each of its four tools.
#
# usage: record.sh OUTDIR, on a machine with a GPU and the CUDA toolkit. OUTDIR/verdicts.tsv: name, tool, the
# tool's errors and warnings ("-": it did not run to its summary), its first message. OUTDIR/log says how it went.
# The whole takes under a minute: a tool gets 20 seconds a program, and eight run at once.
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    "$sanitizer" --version 2>&1
} >"$out/log"
if ! [ -x "$sanitizer" ]; then
    find / -name 'compute-sanitizer*' -not -path '/proc/*' 2>/dev/null | head -5 >>"$out/log"
    echo "no compute-sanitizer" >>"$out/log"
fi
work=$(mktemp -d)
"$nvcc" -arch=sm_90 -lineinfo -o "$work/cases" "$here/cases.cu" >>"$out/log" 2>&1 || exit 1
one() {
    log="$work/$1.$2"
    timeout 20 "$sanitizer" --tool "$2" --print-limit 20 "$work/cases" "$1" >"$log" 2>&1
    errors=$(sed -n 's/.*ERROR SUMMARY: \([0-9]*\) error.*/\1/p; s/.*RACECHECK SUMMARY: \(.*\)/\1/p' "$log" | head -1)
    message=$(grep '^=========' "$log" | grep -v -e 'COMPUTE-SANITIZER' -e SUMMARY -e '^========= *$' | head -1 | sed 's/^=* *//')
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "${errors:--}" "$message"
}
# The first program alone: whether the tool runs at all.
one race_barrier_bad racecheck >>"$out/log"
cp "$work/race_barrier_bad.racecheck" "$out/first"
for name in $("$work/cases" --list | cut -d' ' -f1); do
    "$work/cases" "$name" >>"$out/plain" 2>&1
done
n=0
for name in $("$work/cases" --list | cut -d' ' -f1); do
    for tool in memcheck racecheck initcheck synccheck; do
        one "$name" $tool >"$work/$name.$tool.row" &
        n=$((n + 1))
        [ $((n % 8)) -eq 0 ] && wait
    done
done
wait
cat "$work"/*.row | sort >"$out/verdicts.tsv"
rm -rf "$work"
