#!/bin/sh
# Makes every .ptx here that comes from a .cu, by the nvcc command in the .cu's opening comment, and takes absolute paths out of
# the result (-lineinfo and -G record them). Needs CUDA 13's nvcc; the results are committed, so nobody else does.
set -e
cd "$(dirname "$0")"

# The characters of $1 the way debug sections spell them.
codes() { printf %s "$1" | od -An -v -tu1 | tr -s ' \n' ',,' | sed 's/^,//; s/,$//'; }

# As many characters as the path $1, naming the current directory.
dots() { printf %s "$1" | sed 's/../.\//g'; }

relative_paths() {
    sed -E -e 's|(\.file[[:space:]]+[0-9]+ ").*/include/|\1cuda/include/|; s|(\.file[[:space:]]+[0-9]+ ")/.*/|\1|' \
        -e "s/$(codes "$PWD")/$(codes "$(dots "$PWD")")/" "$1" >"$1.tmp"
    mv "$1.tmp" "$1"
}

for source in *.cu; do
    command=$(sed -n 's|^// \(nvcc .*\)|\1|p' "$source")
    echo "$command"
    $command
    relative_paths "${source%.cu}.ptx"
done
