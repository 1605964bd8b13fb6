#!/bin/sh
# Compiles every kernel here for several architectures, three ways each, into build/nvcc/NAME.ARCH.WAY.ptx: real
# compiler output for comparing our ptxas with NVIDIA's. Files newer than their source are kept, so an
# interrupted run goes on where it was; a full run takes about ten minutes.
#
# usage: make.sh [NAME...]      NAME without .cu; all without names
#   ARCHS="sm_75 sm_80 sm_90 sm_90a sm_100a"   WAYS="plain lineinfo debug"   OUT=build/nvcc
#
# In a source's first line, "nvcc: OPTIONS" adds options, "from: N" names the oldest architecture that it
# compiles for, "only: N" the only one.
cd "$(dirname "$0")" || exit 1
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! [ -x "$NVCC" ]; then
    echo "tests/nvcc: skipped, no nvcc"
    exit 0
fi
OUT=${OUT:-../../build/nvcc}
ARCHS=${ARCHS:-sm_75 sm_80 sm_90 sm_90a sm_100a}
WAYS=${WAYS:-plain lineinfo debug}
mkdir -p "$OUT"
failures=0

# The rest of the line after "$2:" in the opening line of $1.
note() { sed -n "1s/.*$2: *//p" "$1"; }

# Does source $1 compile for architecture $2?
suits() {
    only=$(note "$1" only)
    from=$(note "$1" from)
    number=$(echo "$2" | tr -dc 0-9)
    [ "${only:-${2#sm_}}" = "${2#sm_}" ] && [ "$number" -ge "${from:-0}" ]
}

way_options() {
    case $1 in
    lineinfo) echo -lineinfo ;;
    debug) echo -G ;;
    esac
}

compile() {
    output=$OUT/${1%.cu}.$2.$3.ptx
    if [ -s "$output" ] && [ "$output" -nt "$1" ]; then return; fi
    # shellcheck disable=SC2046
    if ! "$NVCC" -w -std=c++17 -arch="$2" $(way_options "$3") $(note "$1" nvcc) -ptx "$1" -o "$output.tmp"; then
        echo "tests/nvcc: $1 does not compile for $2 ($3)"
        failures=$((failures + 1))
        return
    fi
    mv "$output.tmp" "$output"
}

[ $# -gt 0 ] || set -- *.cu
for name; do
    source=${name%.cu}.cu
    for arch in $ARCHS; do
        suits "$source" "$arch" || continue
        for way in $WAYS; do compile "$source" "$arch" "$way"; done
    done
done
[ "$failures" -eq 0 ]
