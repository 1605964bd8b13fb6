#!/bin/sh
# record.sh - what Compute Sanitizer says of each program of cases.cu or shapes.cu, with each of its four tools.
#
# usage: record.sh OUTDIR [cases|shapes [all]], on a machine with a GPU and the CUDA toolkit. OUTDIR/verdicts.tsv: name, tool, the
# tool's errors and warnings ("-": it did not run to its summary), its first message. OUTDIR/log says how it went.
# A program is run with the tool that its name asks for, wrong ones first, with `all` then with the other three. Rows are written
# as they come, so that a run that is cut short leaves what it has. A tool gets 20 seconds a program.
here=$(cd "$(dirname "$0")" && pwd)
out=$1
source=${2:-cases}
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
"$nvcc" -arch=sm_90 -lineinfo -std=c++17 -o "$work/cases" "$here/$source.cu" >>"$out/log" 2>&1 || exit 1
one() {
    log="$work/$1.$2"
    leaks=
    [ "$2" = memcheck ] && leaks="--leak-check full"
    # shellcheck disable=SC2086
    timeout 20 "$sanitizer" --tool "$2" $leaks --print-limit 20 "$work/cases" "$1" >"$log" 2>&1
    errors=$(sed -n 's/.*ERROR SUMMARY: \([0-9]*\) error.*/\1/p; s/.*RACECHECK SUMMARY: \(.*\)/\1/p' "$log" | head -1)
    message=$(grep '^=========' "$log" | grep -v -e 'COMPUTE-SANITIZER' -e SUMMARY -e '^========= *$' | head -1 | sed 's/^=* *//')
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "${errors:--}" "$message"
}
# The first program alone: whether the tool runs at all.
one race_barrier_bad racecheck >>"$out/log"
cp "$work/race_barrier_bad.racecheck" "$out/first"
tool_of() {
    case $1 in
    race*) echo racecheck ;;
    memory* | leak*) echo memcheck ;;
    init*) echo initcheck ;;
    sync*) echo synccheck ;;
    esac
}
n=0
many=$(nproc)
[ "$many" -gt 12 ] && many=12
each() { # of one list "NAME TOOL", as many at once as there are CPUs, twelve at most
    while read -r name tool; do
        one "$name" "$tool" >>"$out/verdicts.tsv" &
        n=$((n + 1))
        [ $((n % many)) -eq 0 ] && wait
    done
    wait
}
names=$("$work/cases" --list | cut -d' ' -f1 | grep _bad; "$work/cases" --list | cut -d' ' -f1 | grep -v _bad)
for name in $names; do echo "$name $(tool_of "$name")"; done | each
if [ "$3" = all ]; then
    for name in $names; do
        for tool in memcheck racecheck initcheck synccheck; do
            [ $tool = "$(tool_of "$name")" ] || echo "$name $tool"
        done
    done | each
fi
sort -o "$out/verdicts.tsv" "$out/verdicts.tsv"
rm -rf "$work"
