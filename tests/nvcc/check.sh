#!/bin/sh
# PTX that nvcc makes never fails: compiles everything that make.sh names, then checks each module with our ptxas for
# its own target, and again after printing it. One summary line; exit code 1 when a module is refused. Where there is
# no nvcc, it says so and checks nothing.
#
# usage: check.sh [BUILD]      BUILD: where bin/ptxas is; build without it. The variables of make.sh count here too.
cd "$(dirname "$0")" || exit 1
build=$(cd "../../${1:-build}" && pwd) || exit 1
OUT=${OUT:-../../build/nvcc}
export OUT
compiled=0
./make.sh || compiled=1
ls "$OUT"/*.ptx >/dev/null 2>&1 || exit 0
modules=0 refused=0 lines=0
for module in "$OUT"/*.ptx; do
    modules=$((modules + 1))
    lines=$((lines + $(wc -l <"$module")))
    part=
    case $module in *.part.ptx) part=-c ;; esac
    # shellcheck disable=SC2086
    "$build/bin/ptxas" $part --print "$module" >"$OUT/printed.tmp" && "$build/bin/ptxas" $part "$OUT/printed.tmp" && continue
    echo "refused: $module"
    refused=$((refused + 1))
done
rm -f "$OUT/printed.tmp"
sources=$(ls "$OUT"/*.ptx | sed 's,.*/\([^.]*\)\..*,\1,' | sort -u | wc -l)
echo "nvcc: $modules modules of $sources sources, $lines lines: $refused refused"
[ "$refused" -eq 0 ] && [ "$compiled" -eq 0 ]
