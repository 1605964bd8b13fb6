#!/bin/sh
# Compiles every kernel here, and the samples, for several architectures, three ways each, into
# build/nvcc/NAME.ARCH.WAY.ptx: real compiler output for comparing our ptxas with NVIDIA's; NAME.ARCH.WAY.part.ptx where
# -rdc=true makes it a part of a program, which nvcc passes to ptxas with -c. Files newer than their source are kept, so
# an interrupted run goes on where it was; a full run takes about ten minutes on two cores.
#
# usage: make.sh [NAME...]      NAME without .cu; all without names
#   ARCHS="sm_75 sm_80 sm_90 sm_90a sm_100a"   WAYS="plain lineinfo debug"   OUT=build/nvcc   JOBS=2
#
# In a source's first line, "nvcc: OPTIONS" adds options, "from: N" names the oldest architecture that it
# compiles for, "only: N" the only one. A sample that launches kernels from kernels, or calls
# functions of the host, is told by its text.
cd "$(dirname "$0")" || exit 1
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! [ -x "$NVCC" ]; then
    echo "tests/nvcc: skipped, no nvcc"
    exit 0
fi
OUT=${OUT:-../../build/nvcc}
ARCHS=${ARCHS:-sm_75 sm_80 sm_90 sm_90a sm_100a}
WAYS=${WAYS:-plain lineinfo debug}
JOBS=${JOBS:-2}
mkdir -p "$OUT"

# The rest of the line after "$2:" in the opening line of $1.
note() { sed -n "1s/.*$2: *//p" "$1"; }

# Does source $1 compile for architecture $2?
suits() {
    only=$(note "$1" only)
    from=$(note "$1" from)
    number=$(echo "$2" | tr -dc 0-9)
    [ "${only:-${2#sm_}}" = "${2#sm_}" ] && [ "$number" -ge "${from:-0}" ]
}

options() {
    note "$1" nvcc
    case $1 in
    ../*) if grep -q '<<<\|^extern "C" __device__' "$1"; then echo -rdc=true; fi ;;
    esac
    case $2 in
    lineinfo) echo -lineinfo ;;
    debug) echo -G ;;
    esac
}

# Where the module of "SOURCE ARCH WAY" goes.
output() {
    part=
    case $(options "$1" "$3") in *-rdc=true*) part=.part ;; esac
    echo "$OUT/$(basename "$1" .cu).$2.$3$part.ptx"
}

# "SOURCE ARCH WAY": one compilation; 255 would stop xargs, so a failure is 1.
compile() {
    output=$(output "$1" "$2" "$3")
    # shellcheck disable=SC2046
    if ! "$NVCC" -w -std=c++17 -arch="$2" $(options "$1" "$3") -ptx "$1" -o "$output.tmp"; then
        echo "tests/nvcc: $1 does not compile for $2 ($3)"
        return 1
    fi
    mv "$output.tmp" "$output"
}

if [ "$1" = --one ]; then
    compile "$2" "$3" "$4"
    exit
fi
[ $# -gt 0 ] || set -- *.cu ../../samples/*.cu
for name; do
    source=${name%.cu}.cu
    for arch in $ARCHS; do
        suits "$source" "$arch" || continue
        for way in $WAYS; do
            output=$(output "$source" "$arch" "$way")
            if ! [ -s "$output" ] || ! [ "$output" -nt "$source" ]; then echo "$source $arch $way"; fi
        done
    done
done | NVCC=$NVCC OUT=$OUT xargs -r -P "$JOBS" -n 3 "./$(basename "$0")" --one
